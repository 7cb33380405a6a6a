//! Replies of models are read without panic, and an answer is found wherever its marker stands (BOG-042).
#![no_main]

use gimbal_agent::Protocol;
use gimbal_agent::protocol::Saying;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for protocol in [Protocol::ReactText, Protocol::NativeTools, Protocol::Json] {
        let reply = protocol.read(text);
        if protocol == Protocol::ReactText && text.to_ascii_lowercase().contains("answer:") {
            assert!(matches!(reply.saying, Saying::Answer(_)));
        }
        if let Saying::Raw(raw) = reply.saying {
            assert_eq!(raw, text.trim());
        }
    }
});
