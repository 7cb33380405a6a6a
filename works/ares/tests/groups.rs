//! Panels and games from records and last observations, and the tables and the figure over them.

use std::collections::BTreeMap;

use gimbal_analysis::episode::{Episode, EpisodeFold};
use gimbal_analysis::work_folds::WorkFolds;
use gimbal_analysis::{Analysis, CellDecoding, CellInfo, EpisodeRow, Kind, Options, Rows, Stop, Table, Thresholds};
use gimbal_ares::Ares;
use gimbal_ares::groups::{GAMES, Games, PANELS, Panels};
use gimbal_core::event::{Body, Event, Note, StepTaken};
use gimbal_core::{Digest, Milli, TextRef};
use gimbal_evidence::Marking;
use gimbal_evidence::judge::Verdict;
use gimbal_messages::Record;
use gimbal_messages::records::consensus::{Ended, Outcome};
use gimbal_messages::records::panel::{Ruled, Tabulated};
use gimbal_view::work::{Choices, Context, Inputs, Make, Work};

const YES: &str = "THREAT_CONFIRMED";

fn note<R: Record>(record: &R) -> Event {
    let data = TextRef::inline(&serde_json::to_string(record).unwrap());
    Event { body: Body::Note(Note { data, kind: R::KIND.to_owned() }), lane: 0, step: 1 }
}

fn last(text: &str) -> Event {
    let body =
        Body::Stepped(StepTaken { observation: TextRef::inline(text), reward: Milli(0), state: Digest::of(b"") });
    Event { body, lane: 0, step: 1 }
}

fn tabulated(question: &str, agreement: &str, votes: u32) -> Event {
    let (question, agreement) = (question.to_owned(), agreement.to_owned());
    note(&Tabulated { question, agreement, answer: None, votes, answered: 3, members: 3 })
}

fn ruled(unanimous: Option<&str>, majority: Option<&str>, single: &str) -> Event {
    note(&Ruled {
        rule: "majority".to_owned(),
        unanimous: unanimous.map(str::to_owned),
        majority: majority.map(str::to_owned),
        single: Some(single.to_owned()),
        answer: majority.map(str::to_owned),
        certainty: Milli(667),
    })
}

fn marking(expected: Verdict) -> Event {
    let marking = Marking {
        scenario: "s".to_owned(),
        corpus: Digest::of(b"s"),
        label_version: 1,
        tier: "AMBIGUOUS".to_owned(),
        difficulty: 1,
        category: "credential_access".to_owned(),
        telemetry: Vec::new(),
        operator_truth: "hostile".to_owned(),
        expected,
        supported: expected,
        given: None,
        confidence: None,
        cited: Vec::new(),
        decisive: Vec::new(),
        explaining: Vec::new(),
    };
    last(&marking.behind(""))
}

fn game(agents: u32, mentioned: bool, (stopped, agreed, from_start): (bool, bool, bool)) -> Event {
    let ended = Ended {
        agents,
        adversaries: 0,
        strategy: "none".to_owned(),
        mentioned,
        rounds: 4,
        most_rounds: 50,
        stopped,
        agreed,
        from_start,
        value: agreed.then_some(3),
        outcome: Outcome::of(stopped, agreed, from_start),
    };
    last(&ended.behind("The game is over."))
}

fn texts(reference: &TextRef) -> Result<String, String> {
    reference.as_inline().map(str::to_owned).ok_or_else(|| "is not here".to_owned())
}

/// Episodes of cells, each of a task of its own.
fn inputs(cells: &[(&str, Vec<Vec<Event>>)]) -> Inputs {
    let mut rows = Rows::default();
    let mut fold = WorkFolds::new([&PANELS, &GAMES], &[]);
    for (id, episodes) in cells {
        rows.cells.push(CellInfo {
            id: (*id).to_owned(),
            environment: "e".to_owned(),
            configuration: (*id).to_owned(),
            axis: None,
            models: Vec::new(),
            decoding: CellDecoding::Free,
            kind: Kind::Reader,
            plumbing: None,
            planned: episodes.len() as u32,
            thresholds: Thresholds::default(),
            faults: String::new(),
            simulator: false,
            acts_by_messages: false,
        });
        for (number, events) in episodes.iter().enumerate() {
            let task = format!("t{number}");
            let episode = Episode { cell: id, task: &task, run: 0, events, ..Episode::default() };
            fold.add(&episode, &mut texts).unwrap();
            rows.episodes.push(EpisodeRow {
                cell: (*id).into(),
                environment: "e".into(),
                task: task.as_str().into(),
                stop: Stop::Finished,
                ..EpisodeRow::default()
            });
        }
    }
    let analysis = Analysis::new(&rows, &Options::default()).unwrap();
    Inputs { results: Some((rows, analysis)), folds: fold.finish(), ..Inputs::default() }
}

fn table(inputs: &Inputs, key: &str) -> Table {
    let context = Context::new(&Ares, inputs, &Choices::default());
    let item = Ares.items().iter().find(|item| item.key == key).unwrap();
    let Make::Table(make) = item.make else { panic!("{key} is a table") };
    make(&context, item).unwrap()
}

fn rows(table: &Table) -> Vec<BTreeMap<String, String>> {
    let row = |at: usize| {
        let cell = |column: usize| (table.columns[column].key.to_string(), table.shown(at, column));
        (0..table.columns.len()).map(cell).collect()
    };
    (0..table.rows.len()).map(row).collect()
}

fn panels() -> Inputs {
    let of = |agreement: &str, votes: u32, ruled: Event, expected: Verdict| {
        vec![tabulated("answer", agreement, votes), tabulated("wild_card", "split", 1), ruled, marking(expected)]
    };
    inputs(&[(
        "panel",
        vec![
            of("unanimous", 3, ruled(Some(YES), Some(YES), YES), Verdict::ThreatConfirmed),
            of("majority", 2, ruled(None, Some(YES), "THREAT_DISMISSED"), Verdict::ThreatConfirmed),
            of("split", 1, ruled(None, None, YES), Verdict::Inconclusive),
        ],
    )])
}

// covers: ARES-098, ARES-122
#[test]
fn agreement_is_counted_by_question() {
    let inputs = panels();
    assert_eq!(inputs.folds.get::<Panels>(&PANELS).unwrap().of("panel").len(), 3);
    let rows = rows(&table(&inputs, "ares-panel"));
    let counts = |row: &BTreeMap<String, String>| {
        ["question", "panels", "unanimous", "majority", "split", "shared"].map(|key| row[key].clone())
    };
    assert_eq!(counts(&rows[0]), ["answer", "3", "1", "1", "1", "66.7%"]);
    assert_eq!(counts(&rows[1]), ["wild_card", "3", "0", "0", "3", "33.3%"]);
}

// covers: ARES-098, ARES-122
#[test]
fn each_rule_is_judged_over_the_same_answers_and_no_answer_is_inconclusive() {
    let rows = rows(&table(&panels(), "ares-panel-rules"));
    let of = |row: &BTreeMap<String, String>| ["rule", "decided", "right", "accuracy"].map(|key| row[key].clone());
    // Unanimous decides one of three, and is right in the third, where nothing decides.
    assert_eq!(of(&rows[0]), ["unanimous", "33.3%", "100.0%", "66.7%"]);
    assert_eq!(of(&rows[1]), ["majority", "66.7%", "100.0%", "100.0%"]);
    assert_eq!(of(&rows[2]), ["single", "100.0%", "33.3%", "33.3%"]);
}

fn games() -> Inputs {
    let valid = || vec![game(4, false, (true, true, true))];
    inputs(&[
        (
            "four",
            vec![
                valid(),
                valid(),
                vec![game(4, false, (true, false, false))],
                vec![game(4, false, (false, true, true))],
            ],
        ),
        ("sixteen", vec![vec![game(16, true, (true, true, false))]]),
        ("triage", vec![vec![last("another environment")]]),
    ])
}

// covers: ARES-121
#[test]
fn outcomes_of_games_tell_validity_and_liveness_apart() {
    let inputs = games();
    assert_eq!(inputs.folds.get::<Games>(&GAMES).unwrap().of("triage"), []);
    let rows = rows(&table(&inputs, "consensus"));
    let of = |row: &BTreeMap<String, String>| {
        ["agents", "mentioned", "games", "valid", "invalid", "none", "stopped", "agreed"].map(|key| row[key].clone())
    };
    assert_eq!(rows.len(), 2);
    assert_eq!(of(&rows[0]), ["4", "no", "4", "50.0%", "25.0%", "25.0%", "75.0%", "75.0%"]);
    assert_eq!(of(&rows[1]), ["16", "yes", "1", "0.0%", "100.0%", "0.0%", "100.0%", "100.0%"]);
}

// covers: ARES-121
#[test]
fn published_rates_stand_beside_the_same_arm_and_are_said_to_be_about_models() {
    let table = table(&games(), "ares-3");
    let rows = rows(&table);
    assert_eq!(rows.len(), 7);
    let of = |model: &str, agents: &str, mentioned: &str| {
        let fits = |row: &&BTreeMap<String, String>| {
            row["model"] == model && row["agents"] == agents && row["mentioned"] == mentioned
        };
        let row = rows.iter().find(fits).unwrap_or_else(|| panic!("{model} {agents} {mentioned}: {rows:?}"));
        ["valid", "cells", "least", "most"].map(|key| row[key].clone())
    };
    assert_eq!(of("all models", "all sizes", "-"), ["41.6", "2", "0.0%", "50.0%"]);
    assert_eq!(of("all models", "4", "-"), ["46.6", "1", "50.0%", "50.0%"]);
    assert_eq!(of("Qwen3-14B", "all sizes", "yes")[1..], ["1", "0.0%", "0.0%"]);
    let notes = table.notes.join("\n");
    for words in ["arXiv 2603.01213", "T_max", "not language models", "replicate none"] {
        assert!(notes.contains(words), "{words}: {notes}");
    }
    let without = self::table(&panels(), "ares-3");
    assert!(without.rows.is_empty());
    assert!(without.to_text(120).contains("This run has no games of agreement"), "{}", without.to_text(120));
}

// covers: ARES-121
#[test]
fn the_figure_has_a_bar_for_each_cell_and_says_that_nobody_here_is_a_model() {
    let item = Ares.items().iter().find(|item| item.key == "consensus-f1").unwrap();
    let Make::Figure(draw) = item.make else { panic!() };
    let inputs = games();
    let output = draw(&Context::new(&Ares, &inputs, &Choices::default()), item).unwrap().remove(0);
    assert_eq!(output.missing, None);
    let text = format!("{:?}", output.figure);
    for words in ["4 agents, no adversary", "16 agents, no adversary, mentioned", "41.6%", "are not models"] {
        assert!(text.contains(words), "{words}");
    }
    let none = panels();
    let output = draw(&Context::new(&Ares, &none, &Choices::default()), item).unwrap().remove(0);
    assert_eq!(output.missing.as_deref(), Some("no game of agreement"));
}
