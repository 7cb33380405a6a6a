//! One debate from its records: the verdict that reports show, and its drawing.

use std::collections::BTreeMap;

use gimbal_ares::debate::{Debate, NoOutcome, drawn};
use gimbal_core::{Digest, Milli};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::rules::RuleSet;
use gimbal_evidence::{Class, Counter, Draft, Locator, NewFact, Packet, Selection, Source, SourceId, SourceKind};
use gimbal_messages::Record;
use gimbal_messages::records::debate::{
    Asserted, Audited, Challenged, ClaimAudit, Confidence, Escalation, VerdictGiven,
};

fn asserted(role: &str, round: u32, claim: &str, facts: &[&str]) -> Asserted {
    Asserted {
        role: role.to_owned(),
        round,
        vote: None,
        claim: claim.to_owned(),
        kind: if role == "architect" { "ASSERT" } else { "ALT" }.to_owned(),
        predicate: "means <guessing> & more".to_owned(),
        facts: facts.iter().map(|fact| (*fact).to_owned()).collect(),
        confidence: Milli(700),
        interpretation: "guessing".to_owned(),
        check: "unchecked".to_owned(),
    }
}

fn stand(role: &str, round: u32, confidence: i64, fallback: bool) -> Confidence {
    Confidence {
        role: role.to_owned(),
        round,
        vote: None,
        heard: round > 1,
        confidence: Milli(confidence),
        before: None,
        strategy: "model".to_owned(),
        fallback,
        assertions: 1,
        facts: 1,
        new_facts: 1,
        reasons: Vec::new(),
        conceded: Vec::new(),
        unknowns: Vec::new(),
    }
}

fn verdict(round: u32, after: &str, given: Verdict, last: bool) -> VerdictGiven {
    VerdictGiven {
        after: after.to_owned(),
        round,
        vote: None,
        judge: "v2".to_owned(),
        arithmetic: "exact".to_owned(),
        architect: Milli(900),
        skeptic: Milli(600),
        architect_facts: 2,
        skeptic_facts: 1,
        claims: None,
        verdict: given.name().to_owned(),
        certainty: Milli(900),
        definition: "winner".to_owned(),
        fallback: false,
        last,
    }
}

/// Two rounds: the Architect cites one more fact in the second, and the audit strikes the Skeptic's claim.
fn debate() -> Debate {
    let mut debate = Debate::default();
    let mut add = |kind: &str, data: serde_json::Value| debate.add(kind, &data.to_string()).unwrap();
    add(Asserted::KIND, asserted("architect", 1, "A1", &["F001"]).data());
    add(Confidence::KIND, stand("architect", 1, 800, false).data());
    add(Asserted::KIND, asserted("skeptic", 1, "S1", &["F002"]).data());
    add(Confidence::KIND, stand("skeptic", 1, 700, true).data());
    add(VerdictGiven::KIND, verdict(1, "round", Verdict::Inconclusive, false).data());
    add(Asserted::KIND, asserted("architect", 2, "A1", &["F001", "F003"]).data());
    add(Confidence::KIND, stand("architect", 2, 900, false).data());
    add(Asserted::KIND, asserted("skeptic", 2, "S1", &["F002"]).data());
    add(Confidence::KIND, stand("skeptic", 2, 600, false).data());
    let audit = ClaimAudit {
        claim: "S1".to_owned(),
        support: "weak".to_owned(),
        check: "unchecked".to_owned(),
        answer: "rebut".to_owned(),
        facts: vec!["F001".to_owned()],
        survives: false,
    };
    add(Audited::KIND, Audited { role: "skeptic".to_owned(), audit }.data());
    add(VerdictGiven::KIND, verdict(2, "audit", Verdict::ThreatConfirmed, true).data());
    add("of another system", serde_json::json!({}));
    debate
}

fn packet() -> Packet {
    let source = Source {
        bytes: Counter(0),
        damaged: Counter(0),
        format: "syslog".to_owned(),
        id: SourceId::at(0),
        kind: SourceKind::Syslog,
        extractor: "test/1".to_owned(),
        records: Counter(3),
        sha256: Digest::of(b""),
        shift_seconds: 0,
        year: None,
        zone_minutes: None,
    };
    let mut draft = Draft::new(vec![source], Selection::default());
    for number in 1..=3 {
        let locator = Some(Locator { at: format!("line {number}"), source: SourceId::at(0) });
        let raw_sha256 = Some(Digest::of(&[number]));
        draft.add(NewFact { locator, raw_sha256, ..NewFact::new(Class::LogonFailed, "refused") }).unwrap();
    }
    draft.freeze()
}

fn rules() -> RuleSet {
    RuleSet { version: 1, threshold: Milli(300), fields: Default::default(), threats: Vec::new(), benign: Vec::new() }
}

// covers: ARES-052, ARES-078
#[test]
fn the_outcome_has_the_last_positions_and_no_claim_that_was_struck() {
    let outcome = debate().outcome(&packet(), &rules()).unwrap();
    assert_eq!((outcome.verdict, outcome.confidence, outcome.judge), (Verdict::ThreatConfirmed, Milli(900), "v2"));
    assert_eq!((outcome.architect.confidence, outcome.skeptic.confidence), (Milli(900), Milli(600)));
    let cited: Vec<String> = outcome.architect.cited().iter().map(ToString::to_string).collect();
    assert_eq!(cited, ["F001", "F003"]);
    assert!(outcome.skeptic.assertions.is_empty());
    assert_eq!(Debate::default().outcome(&packet(), &rules()), Err(NoOutcome::NoVerdict));
    let mut strange = debate();
    strange.asserted[2].predicate = "proves it".to_owned();
    assert!(matches!(strange.outcome(&packet(), &rules()), Err(NoOutcome::Record(what)) if what.contains("claim A1")));
}

// covers: ARES-095
#[test]
fn the_drawing_of_a_debate_shows_claims_facts_and_confidences() {
    let names = BTreeMap::from([("F001".to_owned(), "logon_failed".to_owned())]);
    let figure = drawn(&debate(), "A debate", &names).unwrap();
    assert!(!figure.alone.contains("<guessing>"), "{}", figure.alone);
    insta::assert_snapshot!(figure.alone);
    assert_eq!(drawn(&Debate::default(), "none", &names), Err("no debate in which a side spoke".to_owned()));
}

// covers: ARES-029, ARES-031, ARES-032
#[test]
fn a_debate_is_told_as_messages_with_source_target_phase_and_type() {
    let told: Vec<String> = debate().messages().iter().map(gimbal_ares::debate::Message::text).collect();
    insta::assert_snapshot!(told.join("\n"));
    // In JSON every member of a message is there, and levels are given beside numbers.
    let first = serde_json::to_value(&debate().messages()[0]).unwrap();
    let levels = ["M1", "architect", "judge", "thesis", "hypothesis", "critical"];
    let members = ["id", "source", "target", "phase", "type", "level"];
    assert!(members.iter().zip(levels).all(|(member, expected)| first[member] == expected), "{first}");
    assert!(["confidence", "assertions", "citations", "unknowns"].iter().all(|member| !first[member].is_null()));
}

/// What the gate found, what an audit made of claims and what the Oracle did are told as what they are.
// covers: ARES-051, ARES-132, ARES-133
#[test]
fn signs_audits_and_the_oracle_are_messages_of_their_own() {
    let mut debate = debate();
    let escalation = Escalation {
        verdict: "INCONCLUSIVE".to_owned(),
        certainty: Milli(700),
        definition: "winner".to_owned(),
        low: Milli(350),
        high: Milli(650),
        in_band: false,
        signs: vec!["narrow_spread".to_owned()],
        escalated: true,
    };
    debate.add(Escalation::KIND, &escalation.data().to_string()).unwrap();
    let challenged = Challenged {
        against: "architect".to_owned(),
        strategy: "rules".to_owned(),
        facts: vec!["F003".to_owned()],
        discount: Milli(100),
        before: "THREAT_CONFIRMED".to_owned(),
        after: "INCONCLUSIVE".to_owned(),
    };
    debate.add(Challenged::KIND, &challenged.data().to_string()).unwrap();
    let messages = debate.messages();
    let of = |source: &str| messages.iter().find(|one| one.source == source).unwrap();
    let gate = of("gate");
    assert_eq!((gate.signs.as_slice(), gate.unknowns.len()), (["narrow_spread".to_owned()].as_slice(), 0));
    assert!(gate.text().contains("\n    sign of miscalibration: narrow_spread"), "{}", gate.text());
    assert!(!gate.text().contains("unknown"), "{}", gate.text());
    let oracle = of("oracle");
    assert_eq!((oracle.target.as_str(), oracle.confidence), ("architect", None));
    assert_eq!(
        oracle.text().lines().skip(1).collect::<Vec<_>>(),
        ["    takes 0.1 off the confidence, by facts that nobody cited: F003"]
    );
    assert!(oracle.text().contains("THREAT_CONFIRMED before, INCONCLUSIVE after"), "{}", oracle.text());
    // The side that answers the claims speaks; without an answer the audit is code's.
    let audit = messages.iter().find(|one| !one.audits.is_empty()).unwrap();
    assert_eq!((audit.source.as_str(), audit.target.as_str()), ("architect", "skeptic"));
    assert!(
        audit.text().ends_with("0 of 1 claims survive\n    S1 is struck: weak, unchecked, answered rebut with F001"),
        "{}",
        audit.text()
    );
    debate.audited[0].audit.answer = "none".to_owned();
    assert!(debate.messages().iter().any(|one| one.source == "audit"));
    // The verdict is the last message, and ids count all of them.
    assert_eq!(messages.last().unwrap().source, "judge");
    assert_eq!(messages.last().unwrap().id, format!("M{}", messages.len()));
}

/// The opener's thesis is answered in the same round where the other side hears it; a gate asks for more; votes speak for themselves.
#[test]
fn who_answers_whom_follows_from_what_was_heard() {
    let mut debate = Debate::default();
    let mut add = |record: Confidence| debate.add(Confidence::KIND, &record.data().to_string()).unwrap();
    add(Confidence { unknowns: vec!["who owns the account".to_owned()], ..stand("architect", 1, 450, false) });
    add(Confidence { heard: true, assertions: 0, ..stand("skeptic", 1, 150, false) });
    add(Confidence { vote: Some(2), ..stand("skeptic", 1, 999, false) });
    let messages = debate.messages();
    let told: Vec<_> = messages
        .iter()
        .map(|one| (one.source.as_str(), one.target.as_str(), one.phase.name(), one.level.as_str(), one.unknowns.len()))
        .collect();
    assert_eq!(
        told,
        [
            ("architect", "skeptic", "thesis", "medium", 1),
            ("skeptic", "judge", "antithesis", "unexplained", 0),
            ("skeptic", "judge", "antithesis", "benign", 0)
        ]
    );
}
