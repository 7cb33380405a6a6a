//! The number of the behaviour is raised with every change of what a seed gives.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use common::{open, reset, step};
use gimbal_core::Digest;
use gimbal_finance_agent::BEHAVIOUR;
use gimbal_finance_agent::corpus::{Corpus, Spec};
use serde_json::json;

#[tokio::test]
async fn digests_are_those_of_this_behaviour() {
    let mut lines = vec![format!("behaviour {BEHAVIOUR}")];
    for seed in [2025, 7] {
        let corpus = Corpus::new(Spec { seed, ..Spec::default() }).unwrap();
        let pages: Vec<&[u8]> = corpus.filings().iter().map(|filed| filed.html.as_bytes()).collect();
        lines.push(format!("corpus {seed} {}", Digest::of_parts(&pages).short()));
    }
    let mut environment = open(json!({ "reader": "extract" }));
    for task in ["s01", "s04", "s07"] {
        reset(&mut *environment, task, 1).await;
        let mut texts = Vec::new();
        while let Some(call) = environment.expert().unwrap().next_call() {
            let taken = step(&mut *environment, &call).await;
            texts.push(format!("{}\n{}", taken.observation.text, environment.state()));
        }
        let parts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
        lines.push(format!("episode {task} {}", Digest::of_parts(&parts).short()));
    }
    insta::assert_snapshot!("digests", lines.join("\n"));
}
