//! Raw bodies: any JSON in any wire format gives a reading.
#![no_main]

use gimbal_model::remote::{WireFormat, read};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let Ok(body) = serde_json::from_slice::<Value>(bytes) else { return };
    for format in [WireFormat::OpenAi, WireFormat::Anthropic, WireFormat::Gemini] {
        let _ = read(format, &body);
    }
});
