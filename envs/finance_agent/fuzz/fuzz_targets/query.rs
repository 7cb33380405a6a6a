//! No text breaks the query language, and what it reads it can write and read again.
#![no_main]

use gimbal_finance_agent::query::Query;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(query) = Query::parse(text) {
        let written = query.to_string();
        if let Ok(again) = Query::parse(&written) {
            assert_eq!(again, query, "{written}");
        }
    }
});
