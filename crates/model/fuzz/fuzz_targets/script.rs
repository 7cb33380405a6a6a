//! Scripts and price tables: any text gives a value or a typed error.
#![no_main]

use gimbal_model::PriceTable;
use gimbal_model::scripted::Script;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = Script::parse(text, "fuzzed");
    let _ = PriceTable::parse(text, "fuzzed");
});
