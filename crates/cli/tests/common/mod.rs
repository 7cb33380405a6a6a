//! The program as a user runs it.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, dead_code, reason = "tests")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder of a user's own, and the program in it.
pub struct Place {
    pub folder: TempDir,
}

pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    /// The last line of standard output as JSON.
    pub fn json(&self) -> Value {
        let line = self.out.lines().last().unwrap_or_default();
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}\n{}", self.err))
    }

    pub fn good(self) -> Self {
        assert_eq!(self.code, 0, "{}\n{}", self.out, self.err);
        self
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Default for Place {
    fn default() -> Self {
        Self::new()
    }
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gimbal"));
        command.current_dir(self.path()).env("GIMBAL_WEIGHTS", self.path().join("weights"));
        for key in ["OPENAI_API_KEY", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GIMBAL_CONFIG"] {
            command.env_remove(key);
        }
        command
    }

    pub fn gimbal(&self, arguments: &[&str]) -> Said {
        self.command().args(arguments).output().unwrap().into()
    }
}

/// Two contexts under a scripted model and two policies, three runs each.
pub const STUDY: &str = "\
study: small
description: Does the machinery work?
environment: { name: cage2, red: b_line, horizon: 5 }
architectures:
  - { base: baseline, policy: sleep }
  - { base: baseline, policy: random }
  - { base: react, configuration: obs }
  - { base: react, configuration: hist+net }
roles:
  - { default: scripted/react-monitor }
episodes: { runs: 3 }
baseline: obs
";

/// What a provider says where it refuses the key.
pub const NO_KEY: &str = "401";
/// What it says where it is too busy to answer.
pub const BUSY: &str = "503";

/// What a provider says that refuses a request with this status and these words.
pub fn refusal(status: u16, words: &str) -> String {
    format!("{REFUSED}{status} {words}")
}

const REFUSED: &str = "refused: ";
/// What it says where it never answers.
pub const HANGS: &str = "hangs";

/// A provider that says these texts one after another, and the last one forever; with what it was asked.
pub fn provider(texts: Vec<String>) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream);
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            if length == 0 {
                // A question about the server, which this one does not answer.
                let gone = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                let _ = reader.get_mut().write_all(gone);
                continue;
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let number = {
                let mut heard = heard.lock().unwrap();
                heard.push(serde_json::from_slice(&body).unwrap());
                heard.len() - 1
            };
            let text = &texts[number.min(texts.len() - 1)];
            if text == HANGS {
                std::mem::forget(reader);
                continue;
            }
            let reply = json!({
                "id": "x", "object": "chat.completion", "model": "planner", "created": 1,
                "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": text } }],
                "usage": { "prompt_tokens": 1200, "completion_tokens": 345, "total_tokens": 1545 },
            })
            .to_string();
            let (status, reply) = match text.as_str() {
                NO_KEY => ("401 Unauthorized", reply),
                BUSY => ("503 Service Unavailable", reply),
                text => match text.strip_prefix(REFUSED) {
                    Some(refused) => {
                        let (status, words) = refused.split_once(' ').unwrap();
                        (status, json!({ "error": { "message": words } }).to_string())
                    }
                    None => ("200 OK", reply),
                },
            };
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                reply.len()
            );
            let _ = reader.get_mut().write_all(format!("{head}{reply}").as_bytes());
        }
    });
    (address, asked)
}
