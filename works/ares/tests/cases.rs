//! Cases from records, and the tables over them, on episodes written by hand.

use std::collections::BTreeMap;

use gimbal_analysis::episode::{Episode, EpisodeFold};
use gimbal_analysis::work_folds::WorkFolds;
use gimbal_analysis::{Analysis, CellDecoding, CellInfo, EpisodeRow, Kind, Options, Rows, Stop, Table, Thresholds};
use gimbal_ares::Ares;
use gimbal_ares::cases::{CASES, Cases};
use gimbal_ares::errors::{Diagnosis, ErrorClass, Losses};
use gimbal_core::event::{Body, Event, Note, StepTaken};
use gimbal_core::{Digest, Milli, TextRef};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::{FactId, Marking};
use gimbal_messages::Record;
use gimbal_messages::records::debate::{Asserted, Confidence, Escalation, Refused, VerdictGiven, Weighed};
use gimbal_view::work::{Choices, Context, Inputs, Make, Work};
use serde::Serialize;

use Verdict::{Inconclusive, ThreatConfirmed, ThreatDismissed};

fn note<R: Record + Serialize>(record: &R) -> Event {
    let data = TextRef::inline(&serde_json::to_string(record).unwrap());
    Event { body: Body::Note(Note { data, kind: R::KIND.to_owned() }), lane: 0, step: 1 }
}

fn stand(role: &str, round: u32, confidence: i64, before: Option<i64>, new_facts: u32) -> Event {
    note(&Confidence {
        role: role.to_owned(),
        round,
        vote: None,
        confidence: Milli(confidence),
        before: before.map(Milli),
        strategy: "model".to_owned(),
        fallback: false,
        assertions: 1,
        facts: 1,
        new_facts,
        reasons: Vec::new(),
        conceded: Vec::new(),
        heard: round > 1,
        unknowns: Vec::new(),
    })
}

fn weighed(claim: &str, side: &str, confidence: i64, facts: u32, survives: bool) -> Weighed {
    Weighed { claim: claim.to_owned(), side: side.to_owned(), confidence: Milli(confidence), facts, survives }
}

fn verdict(round: u32, [architect, skeptic]: [i64; 2], verdict: Verdict, last: bool) -> Event {
    note(&VerdictGiven {
        after: "round".to_owned(),
        round,
        vote: None,
        judge: "v2".to_owned(),
        arithmetic: "exact".to_owned(),
        architect: Milli(architect),
        skeptic: Milli(skeptic),
        architect_facts: 1,
        skeptic_facts: 1,
        claims: Some(vec![
            weighed("A1", "threat", architect, 3, true),
            weighed("S1", "benign", skeptic, 1, true),
            weighed("A2", "threat", 900, 9, false),
        ]),
        verdict: verdict.name().to_owned(),
        certainty: Milli(architect.max(skeptic)),
        definition: "winner".to_owned(),
        fallback: false,
        last,
    })
}

fn asserted(role: &str, check: &str) -> Event {
    note(&Asserted {
        role: role.to_owned(),
        round: 1,
        vote: None,
        claim: "A1".to_owned(),
        kind: "ASSERT".to_owned(),
        predicate: "count 5".to_owned(),
        facts: vec!["F001".to_owned()],
        confidence: Milli(700),
        interpretation: String::new(),
        check: check.to_owned(),
    })
}

fn fact(number: usize) -> FactId {
    format!("F{number:03}").parse().unwrap()
}

/// What an episode ends with: the scenario, its tier, the expected and the given verdict, the cited facts. Fact 1 decides.
fn marking(task: &str, tier: &str, expected: Verdict, given: Option<Verdict>, cited: &[usize]) -> Marking {
    Marking {
        scenario: task.to_owned(),
        corpus: Digest::of(task.as_bytes()),
        label_version: 1,
        tier: tier.to_owned(),
        difficulty: 1,
        category: "credential_access".to_owned(),
        telemetry: vec!["syslog".to_owned()],
        operator_truth: "hostile".to_owned(),
        expected,
        supported: expected,
        given,
        confidence: given.map(|_| Milli(800)),
        cited: cited.iter().map(|number| fact(*number)).collect(),
        decisive: vec![fact(1)],
        explaining: Vec::new(),
    }
}

fn end(marking: &Marking) -> Event {
    let observation = TextRef::inline(&marking.behind("The case is closed."));
    let body = Body::Stepped(StepTaken { observation, reward: Milli(0), state: Digest::of(b"end") });
    Event { body, lane: 0, step: 1 }
}

/// A debate of two rounds in which the Architect retreats: the first round is right, the second is not.
pub(crate) fn retreat(task: &str) -> Played {
    let marking = marking(task, "CLEAR_THREAT", ThreatConfirmed, Some(Inconclusive), &[1]);
    let events = vec![
        asserted("architect", "entailed"),
        asserted("skeptic", "contradicted"),
        stand("architect", 1, 900, None, 1),
        stand("skeptic", 1, 700, None, 1),
        verdict(1, [900, 700], ThreatConfirmed, false),
        stand("architect", 2, 600, Some(900), 0),
        stand("skeptic", 2, 700, Some(700), 0),
        verdict(2, [600, 700], Inconclusive, false),
        verdict(2, [600, 700], Inconclusive, true),
        end(&marking),
    ];
    (events, marking)
}

/// A single turn that gives the expected verdict and cites a fact beside the one that decides.
pub(crate) fn single(task: &str) -> Played {
    let marking = marking(task, "CLEAR_THREAT", ThreatConfirmed, Some(ThreatConfirmed), &[1, 2]);
    let events = vec![
        note(&Refused {
            role: "skeptic".to_owned(),
            round: 1,
            vote: None,
            attempt: 1,
            reason: "unknown_fact".to_owned(),
            what: "F999".to_owned(),
        }),
        asserted("architect", "entailed"),
        stand("architect", 1, 900, None, 1),
        stand("skeptic", 1, 700, None, 1),
        verdict(1, [900, 700], ThreatConfirmed, false),
        verdict(1, [900, 700], ThreatConfirmed, true),
        end(&marking),
    ];
    (events, marking)
}

/// A case that the gate let through, and whose debate put the single turn right.
fn gated(task: &str) -> Played {
    let marking = marking(task, "AMBIGUOUS", Inconclusive, Some(Inconclusive), &[]);
    let events = vec![
        stand("architect", 1, 500, None, 1),
        stand("skeptic", 1, 900, None, 1),
        verdict(1, [500, 900], ThreatDismissed, false),
        note(&Escalation {
            verdict: ThreatDismissed.name().to_owned(),
            certainty: Milli(400),
            definition: "margin".to_owned(),
            low: Milli(350),
            high: Milli(650),
            in_band: true,
            signs: Vec::new(),
            escalated: true,
        }),
        stand("architect", 2, 550, Some(500), 1),
        stand("skeptic", 2, 600, Some(900), 0),
        verdict(2, [550, 600], Inconclusive, false),
        verdict(2, [550, 600], Inconclusive, true),
        end(&marking),
    ];
    (events, marking)
}

fn texts(reference: &TextRef) -> Result<String, String> {
    reference.as_inline().map(str::to_owned).ok_or_else(|| "is not here".to_owned())
}

/// The events of an episode, and what it ends with.
pub(crate) type Played = (Vec<Event>, Marking);

/// A run of these cells: cell id and its episodes, each a run of the scenario that its marking names.
pub(crate) fn inputs(cells: &[(&str, Vec<Played>)]) -> Inputs {
    let mut fold = WorkFolds::new([&CASES], &[]);
    let mut rows = Rows::default();
    for (id, episodes) in cells {
        rows.cells.push(CellInfo {
            id: (*id).to_owned(),
            environment: "triage".to_owned(),
            configuration: (*id).to_owned(),
            axis: None,
            models: Vec::new(),
            decoding: CellDecoding::Free,
            kind: Kind::Scripted,
            plumbing: None,
            planned: episodes.len() as u32,
            thresholds: Thresholds::default(),
            faults: String::new(),
            simulator: false,
            acts_by_messages: false,
        });
        let mut runs: BTreeMap<String, u32> = BTreeMap::new();
        for (events, marking) in episodes {
            let run = runs.entry(marking.scenario.clone()).or_default();
            let episode = Episode { cell: id, task: &marking.scenario, run: *run, events, ..Episode::default() };
            fold.add(&episode, &mut texts).unwrap();
            rows.episodes.push(EpisodeRow {
                cell: (*id).into(),
                environment: "triage".into(),
                task: marking.scenario.as_str().into(),
                run: *run,
                stop: Stop::Finished,
                return_thousandths: if marking.is_right() { 1000 } else { 0 },
                cost_microdollars: Some(2_000),
                ..EpisodeRow::default()
            });
            *run += 1;
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

/// The cells of a row by the keys of their columns.
fn row(table: &Table, at: usize) -> BTreeMap<String, String> {
    (0..table.columns.len()).map(|column| (table.columns[column].key.to_string(), table.shown(at, column))).collect()
}

fn run() -> Inputs {
    inputs(&[
        ("single", vec![single("s1"), single("s2")]),
        ("debate", vec![retreat("s1"), retreat("s2")]),
        ("gate", vec![gated("s3"), gated("s3")]),
    ])
}

// covers: ARES-075, ARES-077, ARES-081, ARES-R1, ARES-R3, ARES-R7
#[test]
fn accuracy_names_corpus_and_number_and_takes_runs_of_a_scenario_together() {
    let table = table(&run(), "ares-1");
    let [single, debate, gate] = [0, 1, 2].map(|at| row(&table, at));
    assert_eq!((single["scenarios"].as_str(), single["accuracy"].as_str()), ("2", "100.0%"));
    assert_eq!((debate["accuracy"].as_str(), debate["fails"].as_str()), ("0.0%", "miscalibrated (2)"));
    assert_eq!(single["corpus"], debate["corpus"], "the same scenarios are the same corpus");
    assert_ne!(single["corpus"], gate["corpus"]);
    assert_eq!((gate["scenarios"].as_str(), gate["episodes"].as_str(), gate["spread"].as_str()), ("1", "2", "0.0"));
    assert_eq!(single["fallback"], "0.0%");
    assert_eq!((single["dollars"].as_str(), gate["dollars"].as_str()), ("0.0040", "0.0020"), "one run of the corpus");
}

// covers: ARES-050, ARES-118, ARES-R9
#[test]
fn flips_are_counted_against_the_first_round_and_against_single_turns() {
    let table = table(&run(), "ares-flips");
    let rows: Vec<_> = (0..table.rows.len()).map(|at| row(&table, at)).collect();
    let find = |configuration: &str, against: &str, tier: &str| {
        let holds = |row: &&BTreeMap<String, String>| {
            row["configuration"] == configuration && row["against"].starts_with(against) && row["tier"] == tier
        };
        rows.iter().find(holds).unwrap_or_else(|| panic!("{configuration} {against} {tier}: {rows:?}"))
    };
    for against in ["own", "single"] {
        let debate = find("debate", against, "CLEAR_THREAT");
        assert_eq!((debate["right"].as_str(), debate["bad"].as_str(), debate["good"].as_str()), ("2", "2", "0"));
        assert_eq!(debate["p"], "0.500", "two scenarios that flip one way");
    }
    let gate = find("gate", "own", "AMBIGUOUS");
    assert_eq!(
        (gate["wrong"].as_str(), gate["good"].as_str(), gate["p"].as_str()),
        ("2", "2", "1.000"),
        "one scenario"
    );
    assert!(!rows.iter().any(|row| row["configuration"] == "single"), "a single turn has nothing to flip");
    assert!(
        !rows.iter().any(|row| row["configuration"] == "gate" && row["against"].starts_with("single")),
        "no shared scenario"
    );
    let gates = self::table(&run(), "ares-gate");
    let gate = row(&gates, 0);
    assert_eq!(
        (gates.rows.len(), gate["cases"].as_str(), gate["escalated"].as_str(), gate["good"].as_str()),
        (1, "2", "2", "2")
    );
}

/// The same episode, whose Skeptic had read the Architect when it spoke first.
fn with_thesis((events, marking): Played) -> Played {
    let heard = |event: Event| match &event.body {
        Body::Note(said) if said.kind == Confidence::KIND => {
            let mut said = Confidence::read(&texts(&said.data).unwrap()).unwrap();
            said.heard |= said.role == "skeptic";
            note(&said)
        }
        _ => event,
    };
    (events.into_iter().map(heard).collect(), marking)
}

// covers: ARES-041, ARES-050
#[test]
fn the_note_under_flips_says_who_had_heard_whom_in_the_first_round() {
    let debate = || vec![retreat("s1"), retreat("s2")];
    let thesis = || debate().into_iter().map(with_thesis).collect::<Vec<_>>();
    for (cells, expected) in [
        (vec![("debate", debate())], "in which neither side has heard the other."),
        (vec![("thesis", thesis())], "in which the Skeptic has heard the Architect."),
        (
            // A single turn has no row, and what it had heard is in no note.
            vec![("single", vec![with_thesis(single("s1"))]), ("debate", debate()), ("thesis", thesis())],
            "in which neither side has heard the other, but in some cells the Skeptic has heard the Architect (thesis).",
        ),
    ] {
        let inputs = inputs(&cells);
        let notes = table(&inputs, "ares-flips").notes.join("\n");
        assert!(notes.contains(expected), "{notes}");
        let context = Context::new(&Ares, &inputs, &Choices::default());
        let item = Ares.items().iter().find(|item| item.key == "ares-f4").unwrap();
        let Make::Figure(make) = item.make else { panic!("a figure") };
        let figure = &make(&context, item).unwrap()[0].figure;
        assert!(figure.caption.contains(expected), "{}", figure.caption);
    }
}

// covers: ARES-078, ARES-113, ARES-114
#[test]
fn confidences_are_shown_by_side_and_round_and_movement_without_evidence_is_told() {
    let table = table(&run(), "ares-2");
    let architect: Vec<_> = (0..table.rows.len())
        .map(|at| row(&table, at))
        .filter(|row| row["configuration"] == "debate" && row["side"] == "architect")
        .collect();
    assert_eq!((architect[0]["mean"].as_str(), architect[1]["mean"].as_str()), ("0.900", "0.600"));
    assert_eq!(architect[1]["change"], "-0.300");
    let movement = self::table(&run(), "ares-movement");
    let found = |configuration: &str, side: &str| {
        let rows = (0..movement.rows.len()).map(|at| row(&movement, at));
        rows.into_iter().find(|row| row["configuration"] == configuration && row["side"] == side).unwrap()
    };
    let (retreats, gated) = (found("debate", "architect"), found("gate", "architect"));
    assert_eq!((retreats["unfounded"].as_str(), retreats["away"].as_str()), ("100.0%", "0.0%"));
    assert_eq!((gated["unfounded"].as_str(), gated["away"].as_str()), ("0.0%", "100.0%"));
    assert_eq!(found("debate", "skeptic")["moves"], "0");
}

#[test]
fn a_table_that_nothing_applies_to_says_why() {
    let single_turns = inputs(&[("single", vec![single("s1"), single("s2")])]);
    for (key, why) in [("ares-gate", "met a gate"), ("ares-movement", "second round")] {
        let table = self::table(&single_turns, key);
        assert!(table.rows.is_empty() && table.to_text(200).contains(why), "{key}: {}", table.to_text(200));
        assert!(!self::table(&run(), key).to_text(200).contains(why), "{key}");
    }
}

// covers: ARES-008, ARES-030
#[test]
fn citations_are_held_against_the_facts_that_decide_and_refusals_are_counted() {
    let table = table(&run(), "ares-citations");
    let [single, debate] = [0, 1].map(|at| row(&table, at));
    assert_eq!((single["precision"].as_str(), single["recall"].as_str()), ("50.0%", "100.0%"));
    assert_eq!((single["refused"].as_str(), single["reasons"].as_str()), ("50.0", "unknown_fact 2"));
    assert_eq!((debate["entailed"].as_str(), debate["contradicted"].as_str()), ("50.0%", "50.0%"));
}

// covers: ARES-060, ARES-061, ARES-062, ARES-065
#[test]
fn other_judges_are_asked_about_the_same_debates() {
    let table = table(&run(), "ares-judges");
    let of = |configuration: &str, judge: &str| {
        let holds = |row: &BTreeMap<String, String>| {
            row["configuration"] == configuration && row["judge"] == judge && row["arithmetic"] == "exact"
        };
        (0..table.rows.len()).map(|at| row(&table, at)).find(holds).unwrap()
    };
    assert_eq!(of("single", "v2")["threat_confirmed"], "100.0%");
    assert_eq!(of("single", "v1")["inconclusive"], "100.0%", "V1 confirms nothing at these confidences");
    // All confidences of a cell are alike: none is above its side's mean.
    assert_eq!(of("single", "calibrated")["inconclusive"], "100.0%");
    let by_claims = of("single", "claims");
    assert_eq!(
        (by_claims["n"].as_str(), by_claims["threat_confirmed"].as_str()),
        (of("single", "v1")["n"].as_str(), "100.0%")
    );
}

// covers: ARES-076, ARES-079, ARES-082
#[test]
fn errors_have_a_class_a_diagnosis_and_a_loss() {
    let all = [
        (
            marking("a", "T", ThreatDismissed, Some(ThreatConfirmed), &[1]),
            ErrorClass::FalsePositive,
            Diagnosis::Calibration,
            1.0,
        ),
        (
            marking("b", "T", ThreatConfirmed, Some(ThreatDismissed), &[2]),
            ErrorClass::FalseNegative,
            Diagnosis::EvidenceGap,
            5.0,
        ),
        (
            marking("c", "T", Inconclusive, Some(ThreatConfirmed), &[1]),
            ErrorClass::Miscalibrated,
            Diagnosis::AmbiguityMismatch,
            1.0,
        ),
        (marking("d", "T", ThreatConfirmed, None, &[]), ErrorClass::Miscalibrated, Diagnosis::EvidenceGap, 0.5),
        (marking("e", "T", Inconclusive, None, &[1]), ErrorClass::Miscalibrated, Diagnosis::AmbiguityMismatch, 0.5),
    ];
    let episodes: Vec<_> = all.iter().map(|(marking, ..)| (vec![end(marking)], marking.clone())).collect();
    let inputs = inputs(&[("policy", episodes)]);
    let cases: &Cases = inputs.folds.get(&CASES).unwrap();
    for (case, (_, class, diagnosis, loss)) in cases.of("policy").iter().zip(&all) {
        assert_eq!((ErrorClass::of(case), Diagnosis::of(case)), (Some(*class), Some(*diagnosis)), "{}", case.task);
        assert!((Losses::USUAL.of(case) - loss).abs() < 1e-9, "{}", case.task);
    }
    let errors = row(&table(&inputs, "ares-errors"), 0);
    assert_eq!(
        (errors["wrong"].as_str(), errors["false_negative"].as_str(), errors["loss"].as_str()),
        ("5", "1", "1.600")
    );
    let calibration = row(&table(&inputs, "ares-calibration"), 0);
    assert_eq!(
        (calibration["forecasts"].as_str(), calibration["brier"].as_str(), calibration["ece"].as_str()),
        ("3", "0.640", "0.800")
    );
    let confusion = table(&inputs, "ares-confusion");
    let confirmed = row(&confusion, 0);
    assert_eq!(
        (confirmed["all"].as_str(), confirmed["threat_dismissed"].as_str(), confirmed["none"].as_str()),
        ("2", "1", "1")
    );
}

// covers: ARES-078
#[test]
fn debates_without_a_marking_are_counted_and_damaged_records_are_errors() {
    let mut fold = WorkFolds::new([&CASES], &[]);
    let cut = [stand("architect", 1, 900, None, 1), {
        let body = Body::Stepped(StepTaken {
            observation: TextRef::inline("something else"),
            reward: Milli(0),
            state: Digest::of(b"x"),
        });
        Event { body, lane: 0, step: 1 }
    }];
    let episode = Episode { cell: "c", task: "t", events: &cut, ..Episode::default() };
    fold.add(&episode, &mut texts).unwrap();
    let damaged = [stand("referee", 1, 900, None, 1)];
    let episode = Episode { events: &damaged, ..episode };
    let error = fold.add(&episode, &mut texts).unwrap_err().to_string();
    assert!(error.contains("`referee` is not a side"), "{error}");
    let states = fold.finish();
    let cases: &Cases = states.get(&CASES).unwrap();
    assert!(cases.is_empty());
    assert_eq!(cases.unmarked(), 1);
}
