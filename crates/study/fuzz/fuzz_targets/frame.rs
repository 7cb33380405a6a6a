//! Frames of journals: any bytes are read or refused.
#![no_main]

use gimbal_study::run::frame::{HEAD_BYTES, head, matches};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(head) = head(bytes) {
        let _ = matches(&head, &bytes[HEAD_BYTES..]);
    }
});
