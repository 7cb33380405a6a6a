//! No text breaks the reader of rubrics, and what it reads it can write and read again.
#![no_main]

use gimbal_finance_agent::rubric::{read, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(items) = read(text) {
        assert_eq!(read(&write(&items)), Ok(items));
    }
});
