//! No answer breaks the deterministic judge or the search for evidence.
#![no_main]

use gimbal_finance_agent::judge::offline;
use gimbal_finance_agent::rubric::{Item, Operator};
use gimbal_finance_agent::spans::{Numbers, evidence};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|texts: (&str, &str)| {
    let items = [Operator::Correctness, Operator::Contradiction].map(|operator| Item { operator, criteria: texts.0.to_owned() });
    let verdicts = offline("", &items, texts.1);
    assert_eq!(verdicts.len(), 2);
    let numbers = Numbers::of(texts.0);
    let _ = evidence(texts.1, [("k", texts.0, &numbers)]);
});
