//! No grammar breaks its reader, and what is read can be played.
#![no_main]

use std::sync::Arc;

use gimbal_alfworld::{Library, Play};
use libfuzzer_sys::fuzz_target;

const DOMAIN: &str = include_str!("../../facts/household.pddl");
const PROBLEM: &str = "(define (problem p) (:domain household)
 (:objects me - person shelf_bar_1 - furniture spot_bar_1 spot_bar_2 - spot hall_bar_1 - room shelf - make)
 (:init (stands me spot_bar_2) (placed shelf_bar_1 spot_bar_1) (belongs spot_bar_1 hall_bar_1) (made shelf_bar_1 shelf))
 (:goal (exists (?t - thing ?f - furniture) (lies ?t ?f))))";

fuzz_target!(|text: &str| {
    let file = serde_json::json!({ "pddl_domain": DOMAIN, "grammar": text, "pddl_problem": PROBLEM });
    if let Ok(game) = Library::new().read(file.to_string().as_bytes(), None) {
        let mut play = Play::new(Arc::new(game));
        for at in 0..20 {
            play.step_at(at);
        }
    }
});
