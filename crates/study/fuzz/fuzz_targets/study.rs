//! Study files: any text is read or refused with a message.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(problem) = gimbal_study::plan::parse(text, "study.yaml") {
        assert!(!problem.to_string().is_empty());
    }
});
