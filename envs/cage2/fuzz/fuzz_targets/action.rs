//! No text breaks the action grammar, and what it reads it can write and read again.
#![no_main]

use gimbal_cage2::Names;
use gimbal_cage2::action::{parse, parse_as_artifact};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for names in [Names::original(), Names::neutral(1)] {
        if let Ok(action) = parse(text, &names) {
            assert_eq!(parse(&action.render(&names), &names), Ok(action));
        }
        let _ = parse_as_artifact(text, &names);
    }
});
