//! Words behind an action, in every environment.

use gimbal_core::{Rng, ToolCall};

use crate::manifests::{begun, calls};

/// Calls of an environment that are looked at.
const CALLS: usize = 40;
/// Words behind an action that explain it.
const REASONS: [&str; 3] = [" - no other action is needed", " (not the best, but a safe one)", ". Do nothing else."];
/// Words behind an action with which it is not meant, or not surely.
const REFUSALS: [&str; 5] =
    [" (no)", " - no, it is not needed", ". Do not carry this out.", " (only if it is needed)", " (or nothing)"];

/// Whether an argument may hold the words, because it is any text, or is a list that is written as JSON to its end.
fn is_open(call: &ToolCall, free: bool) -> bool {
    call.arguments.values().any(|value| value.is_array() || value.is_object() || free && value.is_string())
}

// covers: BOG-032
#[tokio::test]
async fn words_behind_an_action_are_read_alike_in_every_environment() {
    for (family, options, mut environment) in begun().await {
        let free = environment.brief().free_arguments;
        let calls = calls(&mut *environment, &mut Rng::stream(7, "remarks"));
        let name = family.name();
        let mut looked_at = 0;
        for call in calls.iter().filter(|call| !is_open(call, free)).take(CALLS) {
            let written = environment.render(call);
            if environment.parse(&written).as_ref() != Ok(call) {
                continue;
            }
            looked_at += 1;
            for words in REASONS {
                let read = environment.parse(&format!("{written}{words}"));
                assert_eq!(read.as_ref(), Ok(call), "{name} {options}: {written}{words}");
            }
            for words in REFUSALS {
                let read = environment.parse(&format!("{written}{words}"));
                assert!(read.is_err(), "{name} {options}: {written}{words}: {read:?}");
            }
        }
        println!("{name} {options}: {looked_at} calls");
        assert!(looked_at > 0 || calls.iter().all(|call| is_open(call, free)), "{name} {options}");
    }
}
