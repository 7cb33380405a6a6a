//! Failed plans are counted by cell, and tables mark the cells that have any.

use std::collections::BTreeMap;

use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError};
use gimbal_analysis::{Analysis, Options, PlanFold, Plans, tables};
use gimbal_core::TextRef;
use gimbal_core::event::{Body, Event, Note};
use gimbal_messages::Record;
use gimbal_messages::records::control::Planned;

use crate::support::study;

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
    let plans = fold.finish();
    assert_eq!(
        plans,
        BTreeMap::from([("dag".to_owned(), Plans::default()), ("spec".to_owned(), Plans { valid: 2, failed: 1 }),])
    );
    assert_eq!((plans["spec"].failures().as_deref(), plans["dag"].failures()), (Some("1 of 3"), None));
}

// covers: CYC-020
#[test]
fn every_table_marks_a_cell_whose_plans_failed() {
    let rows = study();
    let plain = Analysis::new(&rows, &Options::default()).unwrap();
    let failed = [("alpha/large/0".to_owned(), Plans { valid: 6, failed: 2 })];
    let marked = plain.clone().with_plans(&failed.into());
    for (table, unmarked) in tables::all(&marked).iter().zip(tables::all(&plain)) {
        let Some(mark) = table.columns.iter().position(|column| column.key == "mark") else { continue };
        assert_eq!(table.shown(0, mark), "not planned 2 of 8", "{}", table.key);
        assert_eq!(unmarked.shown(0, mark), "–", "{}", table.key);
        assert!((1..table.rows.len()).all(|row| !table.shown(row, mark).contains("not planned")), "{}", table.key);
    }
    let screen = tables::essential(&tables::main(&marked));
    assert!(screen.to_text(200).contains("not planned 2 of 8"));
    assert!(screen.notes.iter().any(|note| note.starts_with("not planned: ")), "{:?}", screen.notes);
    assert!(!tables::main(&plain).notes.iter().any(|note| note.contains("not planned")));
}
