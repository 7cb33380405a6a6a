//! What models and providers say.

use gimbal_agent::Protocol;
use gimbal_agent::protocol::ReplyContent;
use gimbal_agent::reading::{array, object};
use gimbal_model::PriceTable;
use gimbal_model::gguf::check_bytes;
use gimbal_model::remote::{WireFormat, read};
use gimbal_model::scripted::Script;
use gimbal_testkit::tiny_gguf::TinyGguf;
use serde_json::Value;

use super::{owned, text};

pub fn answers() -> Vec<Vec<u8>> {
    owned(&[
        "Thought: I look.\nAnswer: Analyse hostname=User1",
        "<think>Answer: no</think>\n**Answer:** `craft 1 stick`\nMore words.",
        "Thought: x\nTool: history\nTool Input: {\"steps\": 3}\nPAUSE",
        "Tool Input: {'a': 1,}\nTool: history",
        "```json\n{\"thought\": \"t\", \"action\": {\"tool\": \"look\", \"arguments\": {}}}\n```",
        "{\"thought\": \"t\", \"answer\": \"wait\"}",
        "I am sorry, there is no answer: in a sentence.",
    ])
}

/// Letters and digits alone: quotes, brackets and fences may be taken away, and nothing else.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// Nothing is read that the text does not state: an answer is in it line by line, the name of a tool as it was written,
/// and a text that cannot be read stays as it is.
fn stated(text: &str, content: &ReplyContent) {
    // What is written as an escape within JSON is another letter then.
    let escapes = text.contains('\\') || text.contains("boxed");
    let whole = plain(text);
    match content {
        ReplyContent::Answer(answer) if !escapes => {
            for line in answer.lines() {
                // An answer that is a value is written anew, member by member.
                let is_value = line.starts_with(['{', '[']) || line.parse::<f64>().is_ok();
                assert!(is_value || whole.contains(&plain(line)), "an answer that the text does not hold: {line:?}");
            }
        }
        ReplyContent::Use(used) if !escapes => {
            assert!(whole.contains(&plain(&used.name)), "a tool that the text does not hold: {:?}", used.name);
        }
        ReplyContent::Raw(raw) => assert!(raw.lines().all(|line| whole.contains(&plain(line)))),
        ReplyContent::Answer(_) | ReplyContent::Use(_) => {}
    }
}

/// Reads an answer in every protocol, as an action and as a message.
pub fn answer(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    for protocol in [Protocol::ReactText, Protocol::NativeTools, Protocol::Json] {
        stated(text, &protocol.read(text).content);
        stated(text, &protocol.read_message(text).content);
        let _ = protocol.missing(text, true);
    }
    let _ = (array(text), object(text));
}

pub fn bodies() -> Vec<Vec<u8>> {
    owned(&[
        r#"{"id":"1","model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"hi","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}}],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":1}}}"#,
        r#"{"id":"1","content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"c","name":"f","input":{"a":1}}],"stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":2,"cache_read_input_tokens":1}}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"hi"},{"functionCall":{"name":"f","args":{"a":1}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2}}"#,
        r#"{"error":{"message":"no","type":"invalid_request_error"}}"#,
    ])
}

pub fn body(bytes: &[u8]) {
    let Ok(body) = serde_json::from_slice::<Value>(bytes) else { return };
    for format in [WireFormat::OpenAi, WireFormat::Anthropic, WireFormat::Gemini] {
        let _ = read(format, &body);
    }
}

pub fn ggufs() -> Vec<Vec<u8>> {
    // The header alone: what follows it is looked for and not read.
    let header = |tiny: TinyGguf| {
        let mut bytes = tiny.bytes();
        bytes.truncate(12_000);
        bytes
    };
    vec![
        header(TinyGguf { layers: 1, width: 32, ..TinyGguf::default() }),
        header(TinyGguf { layers: 1, width: 32, chat_template: None, half: true, ..TinyGguf::default() }),
    ]
}

/// As if the file were as long as its weights want it.
pub fn gguf(bytes: &[u8]) {
    for length in [bytes.len() as u64, 1 << 20] {
        if let Ok(header) = check_bytes(bytes, length) {
            assert!(header.tensors.iter().all(|tensor| tensor.bytes <= length));
        }
    }
}

pub fn scripts() -> Vec<Vec<u8>> {
    owned(&[include_str!("../../../../prices.yaml"), "default: [{ say: \"Answer: wait\" }]\n"])
}

pub fn script(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let _ = Script::parse(text, "fuzzed");
    let _ = PriceTable::parse(text, "fuzzed");
}
