//! The program as a user runs it.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, dead_code, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
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
