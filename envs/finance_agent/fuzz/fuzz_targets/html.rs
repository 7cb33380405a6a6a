//! No bytes break the reading of a page, and its text has no empty line.
#![no_main]

use gimbal_finance_agent::html::{decode, text_of};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = text_of(&decode(bytes, None).text);
    assert!(text.is_empty() || text.split('\n').all(|line| !line.is_empty()));
});
