//! Messages between agents and the mediator, from trajectories to tables.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::support;

use gimbal_analysis::episode::{Episode, EpisodeFold};
use gimbal_analysis::profile::{ActionFacts, BlockShown, Profile, RoleCalls, StepProfile, Traces};
use gimbal_analysis::{Analysis, Cell, Options, Rows, Stop, Table};
use gimbal_bog::detect::CAPABILITY;
use gimbal_bog::handled::HandledByCell;
use gimbal_core::TextRef;
use gimbal_core::event::{Body, Event, ModelCalled, Note};
use support::{cell, episode};

/// A step with a message of the analyst that was read so, and one of the chooser.
fn step(number: u32, tier: &str) -> StepProfile {
    StepProfile {
        step: number,
        action: Some(gimbal_analysis::profile::Action::default()),
        calls: vec![RoleCalls { role: "planner".into(), calls: 1, input: 10, output: 1 }],
        messages_read: 2,
        messages_replaced: u32::from(tier == "default"),
        ..StepProfile::default()
    }
}

/// The records of a step in which the analyst's message was read so and the chooser's list was changed by these rules.
fn records(tier: &str, rules: &[&str]) -> Vec<Event> {
    let call = |role: &str| {
        Body::ModelCalled(ModelCalled {
            call: 0,
            extends: Vec::new(),
            grammar: TextRef::inline(""),
            kept: 0,
            messages: Vec::new(),
            outcome: "completed".to_owned(),
            output_tokens: 1,
            prompt_tokens: 10,
            reply: TextRef::inline("y"),
            role: role.to_owned(),
            sampling: TextRef::inline("{}"),
            tools: TextRef::inline(""),
        })
    };
    let note = |kind: &str, data: &str| Body::Note(Note { data: TextRef::inline(data), kind: kind.to_owned() });
    let mut bodies = vec![
        call("analyst"),
        note("parsed", &format!(r#"{{"contract":"analysis","tier":"{tier}"}}"#)),
        call("chooser"),
        note("dropped", r#"{"action":"Fly","why":"unknown"}"#),
        note("mismatch", r#"{"asked":"a","got":"b"}"#),
        note("mismatch", r#"{"asked":"a","got":"c"}"#),
        note("parsed", r#"{"contract":"suggestions","tier":"direct"}"#),
    ];
    bodies
        .extend(rules.iter().map(|rule| note("arbitrated", &format!(r#"{{"rule":"{rule}","before":[],"after":[]}}"#))));
    // The environment's judge is left out.
    bodies.extend([
        call("planner"),
        call("judge"),
        note("off_menu", r#"{"action":"Lure"}"#),
        note("turns_exhausted", r#"{"attempt":1,"turns":2}"#),
    ]);
    bodies.into_iter().map(|body| Event { body, lane: 0, step: 1 }).collect()
}

fn profile(cell: &str, run: u32, stop: Stop, steps: Vec<StepProfile>) -> Profile {
    Profile { cell: cell.into(), run, stop, steps, ..Profile::default() }
}

fn run() -> (Rows, Traces, HandledByCell) {
    let (with, without) = ("hier-delib+arbiter", "hier-delib");
    let mut rows = Rows { cells: vec![cell("w", with, Some("m")), cell("o", without, Some("m"))], episodes: vec![] };
    let mut traces =
        Traces::watched_by(gimbal_bog::detect::ALL.to_vec()).measuring(gimbal_bog::agents::MEASURES.to_vec());
    let mut handled = HandledByCell::default();
    let asks = ["judge".to_owned()];
    let mut texts = |reference: &TextRef| Ok::<_, String>(reference.as_inline().unwrap().to_owned());
    let mut fold = |cell: &str, events: &[Event]| {
        handled.add(&Episode { cell, asks: &asks, events, ..Episode::default() }, &mut texts).unwrap();
    };
    for run in 0..4 {
        rows.episodes.push(episode("w", run, -20_000 - 1_000 * i64::from(run), 3_000, 300));
        rows.episodes.push(episode("o", run, -26_000 - 2_000 * i64::from(run), 1_500, 150));
        let rules: &[&str] = if run == 0 { &["gate", "urgency"] } else { &["urgency"] };
        traces.add(&profile("w", run, Stop::Horizon, vec![step(1, "direct")]), &ActionFacts::default());
        traces.add(&profile("o", run, Stop::Horizon, vec![step(1, "default")]), &ActionFacts::default());
        fold("w", &records("direct", rules));
        fold("o", &records("default", &[]));
    }
    // An episode that a limit cut says as much about messages as any other.
    traces.add(&profile("o", 9, Stop::TokenBudget, vec![step(1, "default")]), &ActionFacts::default());
    fold("o", &records("default", &[]));
    (rows, traces, handled)
}

fn at(table: &Table, row: usize, key: &str) -> Cell {
    let column = table.columns.iter().position(|column| column.key == key).unwrap();
    table.cell(row, column).clone()
}

/// Tiers, repairs, defaults and what was done about messages, by cell and role.
// covers: BOG-070, BOG-071
#[test]
fn contracts_are_counted_by_cell_and_role() {
    let (rows, traces, handled) = run();
    let analysis = Analysis::new(&rows, &Options::default()).unwrap();
    let table = support::table_with("contracts", &rows, &analysis, (&traces, &handled));
    let keys: Vec<(Cell, Cell)> =
        (0..table.rows.len()).map(|row| (at(&table, row, "configuration"), at(&table, row, "role"))).collect();
    let wanted = [
        ("hier-delib+arbiter", "analyst"),
        ("hier-delib+arbiter", "chooser"),
        ("hier-delib+arbiter", "planner"),
        ("hier-delib", "analyst"),
        ("hier-delib", "chooser"),
        ("hier-delib", "planner"),
    ];
    assert_eq!(keys, wanted.map(|(cell, role)| (Cell::text(cell), Cell::text(role))));
    let counts = |row, keys: &[&str]| keys.iter().map(|key| at(&table, row, key)).collect::<Vec<_>>();
    assert_eq!(counts(0, &["messages", "direct", "defaults"]), [4, 4, 0].map(Cell::Integer));
    assert_eq!(at(&table, 3, "default_share"), Cell::Share(1.0));
    assert_eq!(counts(3, &["messages", "direct", "defaults"]), [5, 0, 5].map(Cell::Integer));
    assert_eq!(counts(1, &["dropped", "mismatched"]), [4, 8].map(Cell::Integer));
    assert_eq!(at(&table, 1, "arbitrated"), Cell::text("gate 1, urgency 4"));
    assert_eq!(counts(2, &["off_menu", "turns_exhausted"]), [4, 4].map(Cell::Integer));
    assert_eq!(at(&table, 2, "messages"), Cell::Empty, "the planner has no contract");
    // Every block of a narrow terminal names role and contract.
    let text = table.to_text(70);
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("Configuration")).collect();
    assert!(heads.len() > 1, "{text}");
    assert!(heads.iter().all(|head| head.contains("Role") && head.contains("Contract")), "{text}");
}

/// Answers that other text follows are counted for their role; a run without any has no column for them, and journals from before there
/// were marks are read.
#[test]
fn answers_that_other_text_follows_are_counted() {
    let (rows, traces, mut handled) = run();
    let analysis = Analysis::new(&rows, &Options::default()).unwrap();
    let table = support::table_with("contracts", &rows, &analysis, (&traces, &handled));
    let is_shown = |table: &Table| table.columns.iter().any(|column| column.key == "followed" && !column.programs_only);
    assert!(!is_shown(&table), "none is followed by text");
    let note = |marks: &str| {
        let data = format!(r#"{{"agent":"planner","protocol":"react-text"{marks}}}"#);
        let body = Body::Note(Note { data: TextRef::inline(&data), kind: "normalised".to_owned() });
        Event { body, lane: 0, step: 1 }
    };
    let events = [note(""), note(r#","marks":["followed_by_text"]"#), note(r#","marks":["followed_by_text"]"#)];
    let mut texts = |reference: &TextRef| Ok::<_, String>(reference.as_inline().unwrap().to_owned());
    handled.add(&Episode { cell: "w", asks: &[], events: &events, ..Episode::default() }, &mut texts).unwrap();
    let table = support::table_with("contracts", &rows, &analysis, (&traces, &handled));
    assert!(is_shown(&table));
    assert_eq!(at(&table, 2, "role"), Cell::text("planner"));
    assert_eq!((at(&table, 2, "followed"), at(&table, 1, "followed")), (Cell::Integer(2), Cell::Integer(0)));
    assert!(table.notes.iter().any(|note| note.starts_with("Text behind")), "{:?}", table.notes);
}

/// A model whose every message falls to the default is at the floor of what can be judged.
// covers: BOG-225
#[test]
fn contracts_that_are_never_met_are_the_capability_floor() {
    let unread = profile("o", 0, Stop::Horizon, vec![step(1, "default"), step(2, "default")]);
    assert_eq!((CAPABILITY.look)(&unread, &ActionFacts::default()), Some(vec![1, 2]));
    let read = profile("o", 0, Stop::Horizon, vec![step(1, "repaired"), step(2, "default")]);
    assert_eq!((CAPABILITY.look)(&read, &ActionFacts::default()), Some(vec![]), "one of four");
}

/// The mediator's worth as a paired difference with its interval, and the rules that did anything.
// covers: BOG-234
#[test]
fn the_arbiter_has_an_answer_by_name() {
    let (rows, traces, handled) = run();
    let analysis = Analysis::new(&rows, &Options::default()).unwrap();
    let table = support::table_with("arbiter", &rows, &analysis, (&traces, &handled));
    assert_eq!(table.rows.len(), 1);
    assert_eq!(
        (at(&table, 0, "with"), at(&table, 0, "without")),
        (Cell::text("hier-delib+arbiter"), Cell::text("hier-delib"))
    );
    // Differences 6, 7, 8, 9: mean 7.5, SD 1.291, t(0.975, 3) = 3.182.
    assert_eq!(at(&table, 0, "difference"), Cell::Number(7.5));
    let Cell::Interval(low, high) = at(&table, 0, "ci") else { panic!("an interval") };
    assert!((low - 5.445_739_743).abs() < 1e-6 && (high - 9.554_260_257).abs() < 1e-6, "{low} {high}");
    assert_eq!(at(&table, 0, "tokens"), Cell::Number(2.0));
    assert_eq!((at(&table, 0, "lists"), at(&table, 0, "rule_gate")), (Cell::Integer(4), Cell::Integer(1)));
    assert_eq!((at(&table, 0, "rule_aggregate"), at(&table, 0, "rule_urgency")), (Cell::Integer(0), Cell::Integer(4)));
    // A run without the mediator says that it has none.
    let without = Rows {
        cells: rows.cells[1..].to_vec(),
        episodes: rows.episodes.iter().filter(|row| row.cell == "o").cloned().collect(),
    };
    let analysis = Analysis::new(&without, &Options::default()).unwrap();
    let empty = support::table("arbiter", &without, &analysis);
    assert!(empty.rows.is_empty() && empty.notes[0].contains("no configuration with the mediator"));
}

/// By hand: two steps of 500 prompt tokens each in two episodes are 2,000. The status has 40 and 60 bytes, so 50 in the mean and
/// 12.5 tokens; its 200 bytes are 50 tokens of the 2,000. The history has 100 and 300: 200, 50 tokens, 200 of the 2,000.
// covers: BOG-108
#[test]
fn a_block_costs_a_token_for_four_bytes_and_a_share_of_all_prompts() {
    let block = |name: &str, bytes: u64| BlockShown { name: name.to_owned(), bytes, tokens: Some(bytes / 5) };
    let shows = |number: u32, status: u64, history: u64| StepProfile {
        step: number,
        calls: vec![RoleCalls { role: "default".into(), calls: 1, input: 500, output: 9 }],
        blocks: vec![block("status", status), block("history", history)],
        ..StepProfile::default()
    };
    let mut rows = Rows { cells: vec![cell("o", "obs+hist+net", Some("m"))], episodes: vec![] };
    let mut traces =
        Traces::watched_by(gimbal_bog::detect::ALL.to_vec()).measuring(gimbal_bog::agents::MEASURES.to_vec());
    for run in 0..2 {
        rows.episodes.push(episode("o", run, -1_000, 1_000, 18));
        let steps = vec![shows(1, 40, 100), shows(2, 60, 300)];
        traces.add(&profile("o", run, Stop::Horizon, steps), &ActionFacts::default());
    }
    let analysis = Analysis::new(&rows, &Options::default()).unwrap();
    // What a limit cut short counts for nothing here.
    traces.add(&profile("o", 9, Stop::TokenBudget, vec![shows(1, 9_000, 9_000)]), &ActionFacts::default());
    let table = support::table_of("blocks", &rows, &analysis, &traces);
    let row = |row: usize| ["block", "shown", "bytes", "tokens", "share"].map(|key| at(&table, row, key));
    let by_hand = |name: &str, bytes: f64, tokens: f64, share: f64| {
        [Cell::text(name), Cell::Number(2.0), Cell::Number(bytes), Cell::Number(tokens), Cell::Share(share)]
    };
    assert_eq!(table.rows.len(), 2);
    assert_eq!(row(0), by_hand("history", 200.0, 50.0, 0.1));
    assert_eq!(row(1), by_hand("status", 50.0, 12.5, 0.025));

    // A tokenizer that makes a token of five bytes: 50 tokens a history, of 1,000 prompt tokens an episode.
    traces.tokenizer = Some("m".to_owned());
    let table = support::table_of("blocks", &rows, &analysis, &traces);
    assert_eq!(at(&table, 0, "tokens"), Cell::Number(40.0));
    assert_eq!(at(&table, 0, "share"), Cell::Share(0.08));
    assert_eq!(at(&table, 1, "tokens"), Cell::Number(10.0));
    assert!(table.notes.iter().any(|note| note.contains("the tokenizer of m")), "{:?}", table.notes);
}
