//! No domain and no problem break their readers. The first zero byte parts one from the other.
#![no_main]

use gimbal_alfworld::home;
use gimbal_alfworld::pddl::{Domain, Problem};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (one, other) = text.split_once('\0').unwrap_or((text, text));
    if let Ok(domain) = Domain::read(one) {
        let _ = Problem::read(other, &domain);
    }
    if let Ok(rules) = home::rules() {
        let _ = Problem::read(text, &rules.domain);
    }
});
