//! Actions of environments whose calls are read with what the environment offers at the moment.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use gimbal_alfworld::Alfworld;
use gimbal_core::{Catalogue, Environment, TaskId};
use gimbal_finance_agent::action;
use gimbal_finance_agent::tools::{Version, specs};
use serde_json::json;

use super::{owned, text};

thread_local! {
    /// A household at its beginning: made once, since reading changes nothing.
    static HOUSEHOLD: Option<Box<dyn Environment>> = begun(&Alfworld::default());
}

/// An environment at the beginning of its first task. `None` if it waits for something, which one that is made here does not.
fn begun(family: &dyn Catalogue) -> Option<Box<dyn Environment>> {
    let options = family.resolve(&json!({})).ok()?;
    let first = |split: &&str| family.tasks(split, &options).ok()?.into_iter().next();
    let task: TaskId = family.splits().iter().find_map(first)?;
    let mut environment = family.open(&options).ok()?;
    let is_reset =
        matches!(pin!(environment.reset(&task, 0)).poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(_)));
    is_reset.then_some(environment)
}

pub fn of_households() -> Vec<Vec<u8>> {
    owned(&[
        "go to shelf 1",
        "navigate command=\"go to shelf 1\"",
        "select_action(command='look')",
        "open drawer 1\n# to look into it",
        "{\"command\": \"take mug 1 from shelf 1\"}",
    ])
}

/// What is read can be written, and is read again as the same, but for a command with both kinds of quotation marks: no form of a call
/// can quote it.
pub fn of_household(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    HOUSEHOLD.with(|household| {
        let Some(household) = household else { panic!("a generated household begins without waiting") };
        if let Ok(call) = household.parse(text) {
            let written = household.render(&call);
            let again = household.parse(&written).map(|again| household.render(&again));
            let command = call.string("command").unwrap_or_default();
            if !(command.contains('"') && command.contains('\'')) {
                assert_eq!(again.as_ref(), Ok(&written));
            }
        }
    });
}

pub fn of_filings() -> Vec<Vec<u8>> {
    owned(&[
        "edgar_search query=\"revenue\", form_types=[\"10-K\"], page=2",
        "submit_final_result(final_result='12.5 %').",
        "retrieve_information {\"prompt\": \"What of {{filing}}?\", \"input_character_ranges\": []}",
        "google_web_search: quarterly report",
    ])
}

/// Reading ends, with every version of the tools; what is read can be written, and the written form is read.
pub fn of_filing(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    for version in [Version::V10, Version::V11] {
        if let Ok(call) = action::parse(text, &specs(version)) {
            let _ = action::parse(&action::render(&call), &specs(version));
        }
    }
}
