//! A provider on loopback that speaks each wire format, and misbehaves on demand.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use gimbal_model::remote::WireFormat;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with one request.
#[derive(Clone, Debug)]
pub enum Act {
    /// Status, headers and body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// Status, headers and bytes.
    Bytes(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// Says nothing.
    Silence,
}

/// What a request looked like.
#[derive(Clone, Debug)]
pub struct Seen {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
}

/// A running server.
pub struct Server {
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[derive(Clone)]
struct Shared {
    acts: Arc<Mutex<Vec<Act>>>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Serves these acts in turn, the last one forever.
    pub async fn start(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let shared = Shared { acts: Arc::new(Mutex::new(acts)), seen: Arc::clone(&seen) };
        let router = Router::new().fallback(serve).with_state(shared);
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, seen, task }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(State(shared): State<Shared>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    shared.seen.lock().unwrap().push(Seen { path: uri.to_string(), headers, body });
    let act = {
        let mut acts = shared.acts.lock().unwrap();
        if acts.len() > 1 { acts.remove(0) } else { acts[0].clone() }
    };
    match act {
        Act::Silence => std::future::pending().await,
        Act::Answer(status, headers, body) => respond(status, headers, body.into_bytes()),
        Act::Bytes(status, headers, bytes) => respond(status, headers, bytes),
    }
}

fn respond(status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8>) -> Response {
    let mut response = (StatusCode::from_u16(status).unwrap(), body).into_response();
    response.headers_mut().remove("content-type");
    for (name, value) in headers {
        response.headers_mut().insert(name, value.parse().unwrap());
    }
    response
}

/// A JSON answer of status 200.
pub fn ok(body: Value) -> Act {
    Act::Answer(200, vec![("content-type", "application/json".to_owned())], body.to_string())
}

/// A JSON failure.
pub fn failed(status: u16, body: Value) -> Act {
    Act::Answer(status, vec![("content-type", "application/json".to_owned())], body.to_string())
}

/// What a broken server does with a connection.
#[derive(Clone, Copy, Debug)]
pub enum Broken {
    /// Resets it when the request is there.
    Reset,
    /// Promises more bytes than it sends.
    Truncated,
    /// Sends its answer a byte now and then, forever.
    Drip,
}

/// A server below HTTP; counts the connections that asked something.
pub async fn broken(how: Broken) -> (SocketAddr, Arc<Mutex<u32>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked: Arc<Mutex<u32>> = Arc::default();
    let count = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(misbehave(socket, how, Arc::clone(&count)));
        }
    });
    (address, asked)
}

async fn misbehave(mut socket: TcpStream, how: Broken, asked: Arc<Mutex<u32>>) {
    let mut request = vec![0_u8; 64 << 10];
    let mut read = 0;
    while !complete(&request[..read]) {
        match socket.read(&mut request[read..]).await {
            Ok(0) | Err(_) => return,
            Ok(bytes) => read += bytes,
        }
    }
    *asked.lock().unwrap() += 1;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{\"id\": \"x\", ";
    match how {
        Broken::Reset => {
            // Unread bytes or no linger: the peer gets a reset and not an end.
            socket.set_zero_linger().unwrap();
        }
        Broken::Truncated => {
            socket.write_all(head.as_bytes()).await.unwrap();
            socket.shutdown().await.unwrap();
        }
        Broken::Drip => {
            if socket.write_all(head.as_bytes()).await.is_err() {
                return;
            }
            while socket.write_all(b" ").await.is_ok() {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        }
    }
}

/// Whether head and body of a request are there.
fn complete(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:").map(str::to_owned));
    length.is_some_and(|length| length.trim().parse::<usize>().is_ok_and(|length| body.len() >= length))
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Whole,
    Length,
    Refused,
    Empty,
    WithoutUsage,
}

/// An answer of a wire format; usage is 100 in, 64 of them cached, 50 out, 32 of them reasoning.
pub fn answer(format: WireFormat, text: &str, how: How) -> Value {
    let mut body = match format {
        WireFormat::OpenAi => {
            let finish = match how {
                How::Length => "length",
                How::Refused => "content_filter",
                _ => "stop",
            };
            json!({
                "id": "chatcmpl-1", "object": "chat.completion", "model": "served-model",
                "choices": [{ "index": 0, "finish_reason": finish, "message": { "role": "assistant", "content": text } }],
                "usage": {
                    "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150,
                    "prompt_tokens_details": { "cached_tokens": 64 },
                    "completion_tokens_details": { "reasoning_tokens": 32 }
                }
            })
        }
        WireFormat::Anthropic => {
            let stop = match how {
                How::Length => "max_tokens",
                How::Refused => "refusal",
                _ => "end_turn",
            };
            json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "served-model",
                "content": [{ "type": "text", "text": text }], "stop_reason": stop,
                "usage": {
                    "input_tokens": 6, "cache_read_input_tokens": 64, "cache_creation_input_tokens": 30,
                    "output_tokens": 50, "output_tokens_details": { "thinking_tokens": 32 }
                }
            })
        }
        WireFormat::Gemini => {
            let finish = match how {
                How::Length => "MAX_TOKENS",
                How::Refused => "SAFETY",
                _ => "STOP",
            };
            json!({
                "responseId": "resp-1", "modelVersion": "served-model",
                "candidates": [{ "finishReason": finish, "content": { "role": "model", "parts": [{ "text": text }] } }],
                "usageMetadata": {
                    "promptTokenCount": 100, "cachedContentTokenCount": 64, "candidatesTokenCount": 18,
                    "thoughtsTokenCount": 32, "totalTokenCount": 150
                }
            })
        }
    };
    if how == How::Empty {
        match format {
            WireFormat::OpenAi => body["choices"] = json!([]),
            WireFormat::Anthropic => body["content"] = json!([]),
            WireFormat::Gemini => body["candidates"] = json!([]),
        }
    }
    if how == How::WithoutUsage {
        let members = body.as_object_mut().unwrap();
        members.remove("usage");
        members.remove("usageMetadata");
    }
    body
}
