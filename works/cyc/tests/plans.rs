//! Failed plans are counted by cell, and a cell that has any gets a mark.

use std::collections::BTreeMap;

use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError};
use gimbal_core::TextRef;
use gimbal_core::event::{Body, Event, Note};
use gimbal_cyc::cyclic::plans::{PlanFold, Plans};
use gimbal_messages::Record;
use gimbal_messages::records::control::Planned;

fn planned(data: String) -> Event {
    let note = Note { data: TextRef::inline(&data), kind: Planned::KIND.to_owned() };
    Event { body: Body::Note(note), lane: 0, step: 1 }
}

fn plan(valid: bool) -> Event {
    planned(Planned { attempts: 2, valid, problems: Vec::new() }.data().to_string())
}

fn add(fold: &mut PlanFold, cell: &str, events: &[Event]) -> Result<(), FoldError<String>> {
    let episode = Episode { cell, events, ..Episode::default() };
    let mut texts = |reference: &TextRef| reference.as_inline().map(str::to_owned).ok_or_else(|| "not here".to_owned());
    if EpisodeFold::<String>::wants(fold, &episode) { fold.add(&episode, &mut texts) } else { Ok(()) }
}

// covers: CYC-020
#[test]
fn failed_plans_are_counted_by_cell() {
    let mut fold = PlanFold::new(["spec".to_owned(), "dag".to_owned()]);
    for (cell, events) in [
        ("spec", vec![plan(true)]),
        ("spec", vec![plan(false)]),
        ("spec", vec![plan(true)]),
        ("spec", Vec::new()),
        ("other", vec![plan(false)]),
    ] {
        add(&mut fold, cell, &events).unwrap();
    }
    let error = add(&mut fold, "spec", &[planned("{}".to_owned())]).unwrap_err();
    assert!(matches!(error, FoldError::Record { event: 0, .. }), "{error}");
    let plans = fold.plans();
    assert_eq!(
        plans,
        BTreeMap::from([("dag".to_owned(), Plans::default()), ("spec".to_owned(), Plans { valid: 2, failed: 1 }),])
    );
    let mark = plans["spec"].mark().unwrap();
    assert_eq!(mark.shown(), "not planned 1 of 3");
    assert!(mark.explained().starts_with("not planned: episodes in which the planner gave no valid graph"));
    assert_eq!(plans["dag"].mark(), None);
}
