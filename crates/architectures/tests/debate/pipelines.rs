//! The pipelines: who hears what, when a debate stops, what a gate lets through, and what comes after (ARES-040 to ARES-052, ARES-130 to
//! ARES-133).

use std::collections::BTreeMap;

use gimbal_messages::records::debate::{
    Audited, Breach, Challenged, Confidence, Escalation, Narrated, Rounds, VerdictGiven,
};
use gimbal_study::faults::{Fault, Faults, ONE};
use serde_json::{Value, json};

use super::{Court, EXPLAINED, Played, UNEXPLAINED, answer, architect, position, skeptic};

/// A debate with one assertion of each side over ever new facts.
async fn rounds(settings: Value, sides: &[(f64, &[&str], f64, &[&str])]) -> Played {
    let court = Court::new(settings)
        .facts(20)
        .says("architect", sides.iter().map(|(confidence, facts, _, _)| position("ASSERT", facts, *confidence)))
        .says("skeptic", sides.iter().map(|(_, _, confidence, facts)| position("ALT", facts, *confidence)));
    court.play().await
}

// covers: ARES-040, ARES-R2
#[tokio::test]
async fn in_a_single_turn_each_side_sees_the_packet_and_nothing_else() {
    let court = Court::new(json!({ "configuration": "single" }));
    let played = court.says("architect", [architect(0.9)]).says("skeptic", [skeptic(0.3)]).play().await;
    assert_eq!(played.asked(), ["architect", "skeptic"]);
    for at in 0..2 {
        assert!(!played.prompt(at).contains("<debate>"), "{}", played.prompt(at));
        assert!(played.prompt(at).contains("F001 2026-03-01T10:00:00Z"), "{}", played.prompt(at));
    }
    assert_eq!(played.verdict(), "THREAT_CONFIRMED");
    assert_eq!((played.outcome.stop.name(), played.outcome.episode_return.0), ("answered", 1000));
    assert_eq!(played.records::<Rounds>(), [Rounds { rounds: 1, reason: "rounds".into() }]);
}

// covers: ARES-041
#[tokio::test]
async fn the_skeptic_sees_the_thesis_where_the_settings_say_so() {
    let court = Court::new(json!({ "configuration": "single+thesis" }));
    let played = court.says("architect", [architect(0.9)]).says("skeptic", [skeptic(0.3)]).play().await;
    let prompt = played.prompt(1);
    assert!(prompt.contains(r#"{"theirs": {"confidence": 0.9, "assertions": [{"claim": "A1""#), "{prompt}");
    assert!(!played.prompt(0).contains("<debate>"));
}

// covers: ARES-040
#[tokio::test]
async fn the_same_is_recorded_whichever_side_answers_first() {
    let mut all = Vec::new();
    for (one, other) in [(0, 60), (60, 0)] {
        for configuration in ["single", "debate", "votes", "self-correction"] {
            let many = |reply: String| vec![reply; 9];
            let court =
                Court::new(json!({ "configuration": configuration })).waits("architect", one).waits("skeptic", other);
            let played = court.says("architect", many(architect(0.9))).says("skeptic", many(skeptic(0.3))).play().await;
            all.push(played.recorded.events);
        }
    }
    let (first, second) = all.split_at(4);
    assert_eq!(first, second);
}

// covers: ARES-042, ARES-045, ARES-021, ARES-036
#[tokio::test]
async fn from_the_second_round_on_each_side_reads_a_summary_of_the_other_without_its_narrative() {
    let told = answer(&json!({
        "assertions": [{ "kind": "ALT", "predicate": "count 1", "facts": ["F004"], "interpretation": "a session" }],
        "confidence": 0.7, "unknowns": ["who it was"], "narrative": "believe me and nobody else"
    }));
    let court = Court::new(json!({ "rounds": 2 }))
        .says("architect", [architect(0.9), position("ASSERT", &["F001", "F003"], 0.8)])
        .says("skeptic", [told.clone(), told]);
    let played = court.play().await;
    assert_eq!(played.asked(), ["architect", "skeptic", "architect", "skeptic"]);
    let (third, fourth) = (played.prompt(2), played.prompt(3));
    assert!(third.contains(r#""theirs": {"confidence": 0.7, "assertions": [{"claim": "S1", "kind": "ALT", "predicate": "count 1", "facts": ["F004"], "interpretation": "a session"}], "unknowns": ["who it was"]}, "round": 2, "rounds": 2}"#), "{third}");
    assert!(third.contains(r#"{"yours": {"confidence": 0.9"#) && !third.contains("believe me"), "{third}");
    // The Skeptic answers what the Architect says in this round.
    assert!(fourth.contains(r#""theirs": {"confidence": 0.8"#) && fourth.contains("F003"), "{fourth}");
    let all: Vec<(String, u32, i64, u32)> = played
        .records::<Confidence>()
        .into_iter()
        .map(|one| (one.role, one.round, one.confidence.0, one.new_facts))
        .collect();
    let named = |role: &str, round, confidence, new| (role.to_owned(), round, confidence, new);
    assert_eq!(
        all,
        [
            named("architect", 1, 900, 2),
            named("skeptic", 1, 700, 1),
            named("architect", 2, 800, 1),
            named("skeptic", 2, 700, 0)
        ]
    );
}

#[tokio::test]
async fn a_summary_that_is_lost_on_its_way_is_told_as_lost() {
    let court = Court::new(json!({ "rounds": 2 }));
    let court = Court { faults: Faults::new([(Fault::Lost, ONE)]), ..court };
    let many = |confidence: f64, of: fn(f64) -> String| vec![of(confidence); 2];
    let played = court.says("architect", many(0.9, architect)).says("skeptic", many(0.3, skeptic)).play().await;
    for at in [2, 3] {
        assert!(played.prompt(at).contains(r#""theirs": null, "round": 2"#), "{}", played.prompt(at));
    }
    assert_eq!(played.outcome.stop.name(), "answered");
}

// covers: ARES-043
#[tokio::test]
async fn a_debate_stops_after_its_rounds_or_when_nothing_new_is_cited_or_when_it_has_settled() {
    let (a, b, c): (&[&str], &[&str], &[&str]) = (&["F001"], &["F002"], &["F003"]);
    let of = |played: &Played| {
        let Rounds { rounds, reason } = played.records::<Rounds>().remove(0);
        (rounds, reason)
    };
    let moves = [(0.9, a, 0.3, b), (0.7, b, 0.5, c), (0.5, a, 0.6, b)];
    assert_eq!(of(&rounds(json!({}), &moves).await), (3, "rounds".to_owned()));
    let repeats = [(0.9, a, 0.3, b), (0.7, a, 0.5, b), (0.5, a, 0.6, b)];
    assert_eq!(of(&rounds(json!({}), &repeats).await), (2, "no_new_facts".to_owned()));
    let settled = [(0.9, a, 0.3, b), (0.85, c, 0.35, b), (0.5, a, 0.6, b)];
    assert_eq!(of(&rounds(json!({}), &settled).await), (2, "settled".to_owned()));
    // A step of exactly 0.10 is not a settling.
    let stepped = [(0.9, a, 0.3, b), (0.8, c, 0.35, b), (0.7, a, 0.4, b)];
    assert_eq!(of(&rounds(json!({}), &stepped).await), (3, "rounds".to_owned()));
    let whole = [(0.9, a, 0.3, b); 5];
    assert_eq!(of(&rounds(json!({ "configuration": "debate+five" }), &whole).await), (5, "rounds".to_owned()));
}

// covers: ARES-046, ARES-047
#[tokio::test]
async fn rigidity_and_moves_without_a_fact_are_flagged_and_change_nothing() {
    let (a, b): (&[&str], &[&str]) = (&["F001"], &["F002"]);
    // The Skeptic cites new facts and the Architect stays as it is; the Skeptic moves and names nothing.
    let played = rounds(json!({ "rounds": 2 }), &[(0.9, a, 0.7, b), (0.9, a, 0.5, b)]).await;
    let found: Vec<(String, String, i64)> =
        played.records::<Breach>().into_iter().map(|one| (one.role, one.rule, one.change.0)).collect();
    assert_eq!(
        found,
        [("architect".to_owned(), "rigid".to_owned(), 0), ("skeptic".to_owned(), "unfounded".to_owned(), -200)]
    );
    assert_eq!(played.records::<VerdictGiven>().last().unwrap().skeptic.0, 500);
    // In an anchored round a named fact is enough, claim by claim.
    let claim = |confidence: f64| json!({ "kind": "ASSERT", "predicate": "means as told", "facts": ["F001"], "confidence": confidence });
    let told = |changes: Value| {
        answer(&json!({ "assertions": [claim(0.4)], "confidence": 0.4, "changes": changes, "conceded": ["A1"] }))
    };
    for (changes, breaches) in [
        (json!([]), vec!["overall", "A1"]),
        (json!([{ "claim": "overall", "facts": ["F002"] }]), vec!["A1"]),
        (
            json!([{ "claim": "overall", "facts": ["F002"] }, { "claim": "A1", "facts": ["F2"], "reason": "so" }]),
            vec![],
        ),
        (json!([{ "claim": "overall", "facts": ["F900"] }, { "claim": "A1", "facts": [] }]), vec!["overall", "A1"]),
    ] {
        let court = Court::new(json!({ "rounds": 2, "anchored": true }))
            .says("architect", [position("ASSERT", a, 0.9), told(changes.clone())])
            .says("skeptic", [position("ALT", b, 0.7), answer(&json!({ "assertions": [], "confidence": 0.45, "changes": [{ "claim": "overall", "facts": ["F001"] }], "conceded": ["S1"] }))]);
        let played = court.play().await;
        let found: Vec<String> = played.records::<Breach>().into_iter().map(|one| one.claim).collect();
        assert_eq!(found, breaches, "{changes}");
        let conceded: Vec<Vec<String>> = played.records::<Confidence>().into_iter().map(|one| one.conceded).collect();
        assert_eq!(conceded[2..], [vec!["A1".to_owned()], vec!["S1".to_owned()]]);
    }
}

// covers: ARES-046, ARES-047
#[tokio::test]
async fn an_anchored_architect_that_holds_as_it_was_asked_is_not_rigid() {
    // It holds its claim over F001; the Skeptic cites what it had not cited before, in words or as an explanation that code checks.
    let held = |confidence: f64| {
        let claim =
            json!({ "kind": "ASSERT", "predicate": "means as told", "facts": ["F001"], "confidence": confidence });
        answer(&json!({ "assertions": [claim], "confidence": confidence, "changes": [], "conceded": [] }))
    };
    let disputes = |predicate: &str| {
        let claim = json!({ "kind": "ALT", "predicate": predicate, "facts": ["F001", "F006"], "interpretation": "" });
        answer(&json!({ "assertions": [claim], "confidence": 0.6 }))
    };
    let of_architect = |predicate: &'static str, task: &'static str| async move {
        let court = Court::new(json!({ "rounds": 2, "anchored": true })).on(task);
        let court = court.says("architect", [position("ASSERT", &["F001"], 0.9), held(0.9)]);
        let played = court.says("skeptic", [disputes(predicate), held(0.5)]).play().await;
        let found: Vec<Breach> = played.records();
        found.into_iter().filter(|one| one.role == "architect").map(|one| one.rule).collect::<Vec<_>>()
    };
    // Nobody explains F001 in the first case: what the Skeptic says is a word, or is contradicted by its facts.
    assert!(of_architect("means a scanner of ours", UNEXPLAINED).await.is_empty());
    assert!(of_architect("explained", UNEXPLAINED).await.is_empty());
    assert!(of_architect("means a scanner of ours", EXPLAINED).await.is_empty());
    // In the second one F006 names the scanner.
    assert_eq!(of_architect("explained", EXPLAINED).await, ["rigid"]);
}

// covers: ARES-048, ARES-049, ARES-118, ARES-130
#[tokio::test]
async fn a_gate_goes_by_the_certainty_that_it_is_told_and_no_model_decides() {
    let play = |settings: Value, first: (f64, f64), oracle: Option<f64>| async move {
        let mut settings = settings;
        settings["rounds"] = json!(2);
        let told = oracle.map(|confidence| answer(&json!({ "confidence": confidence }))).into_iter();
        let court = Court::new(settings)
            .says("architect", [architect(first.0), architect(0.2)])
            .says("skeptic", [skeptic(first.1), skeptic(0.9)])
            .says("oracle", told);
        let played = court.play().await;
        let gate = played.records::<Escalation>().remove(0);
        let rounds = played.records::<Rounds>().remove(0);
        assert_eq!(gate.escalated, rounds.rounds == 2);
        assert_eq!(gate.escalated, rounds.reason != "not_escalated");
        assert_eq!(played.verdict() == "THREAT_DISMISSED", gate.escalated);
        (gate.definition, gate.certainty.0, gate.escalated)
    };
    let gate = |certainty: &str| json!({ "gate": { "certainty": certainty } });
    let winner = |certainty, escalated| ("winner".to_owned(), certainty, escalated);
    assert_eq!(play(gate("winner"), (0.9, 0.4), None).await, winner(900, false));
    assert_eq!(play(gate("winner"), (0.65, 0.65), None).await, winner(650, true), "both ends are in the band");
    assert_eq!(play(gate("winner"), (0.66, 0.66), None).await, winner(660, false));
    assert_eq!(play(gate("margin"), (0.9, 0.4), None).await, ("margin".to_owned(), 500, true));
    assert_eq!(play(gate("oracle"), (0.9, 0.4), Some(0.35)).await, ("oracle".to_owned(), 350, true));
    assert_eq!(play(gate("oracle"), (0.65, 0.65), Some(0.34)).await, ("oracle".to_owned(), 340, false));
    // An Oracle that gives no number leaves the other definition.
    assert_eq!(play(gate("oracle"), (0.9, 0.4), None).await, winner(900, false));
}

// covers: ARES-051
#[tokio::test]
async fn a_sign_of_miscalibration_lets_a_case_go_on_too() {
    let play = |signs: bool| async move {
        let court = Court::new(json!({ "rounds": 2, "gate": { "miscalibration": signs } }))
            .says("architect", [position("ASSERT", &["F002"], 0.9), architect(0.9)])
            .says("skeptic", [skeptic(0.2), skeptic(0.2)]);
        court.play().await.records::<Escalation>().remove(0)
    };
    let gate = play(true).await;
    assert_eq!((gate.in_band, gate.escalated, gate.signs), (false, true, vec!["starvation".to_owned()]));
    let gate = play(false).await;
    assert_eq!((gate.escalated, gate.signs.len()), (false, 0));
}

fn claims(facts: &[&[&str]], kind: &str, confidence: f64) -> String {
    let one = |facts: &&[&str]| json!({ "kind": kind, "predicate": "means as told", "facts": facts });
    answer(&json!({ "assertions": facts.iter().map(one).collect::<Vec<_>>(), "confidence": confidence }))
}

// covers: ARES-052, ARES-133
#[tokio::test]
async fn a_claim_is_struck_by_a_rebuttal_with_another_fact_and_by_nothing_else() {
    let audit = answer(&json!({ "answers": [
        { "claim": "A1", "answer": "rebut", "facts": ["F005"] },
        { "claim": "A2", "answer": "rebut", "facts": ["F002"] },
        { "claim": "A3", "answer": "rebut", "facts": ["F900"] },
        { "claim": "A9", "answer": "accept" },
    ] }));
    let court = Court::new(json!({ "configuration": "claims+audit" }))
        .says(
            "architect",
            [claims(&[&["F001"], &["F002"], &["F003", "F004"]], "ASSERT", 0.8), "no answer".into(), "no answer".into()],
        )
        .says("skeptic", [claims(&[&["F006"]], "ALT", 0.3), audit]);
    let played = court.play().await;
    let found: Vec<(String, String, String, bool)> = played
        .records::<Audited>()
        .into_iter()
        .map(|one| one.audit)
        .map(|one| (one.claim, one.support, one.answer, one.survives))
        .collect();
    let one = |claim: &str, support: &str, answer: &str, survives| {
        (claim.to_owned(), support.to_owned(), answer.to_owned(), survives)
    };
    assert_eq!(
        found,
        [
            one("A1", "supported", "rebut", false),
            one("A2", "weak", "no_contest", true),
            one("A3", "supported", "no_contest", true),
            one("S1", "weak", "none", true),
        ]
    );
    let last = played.records::<VerdictGiven>().into_iter().find(|one| one.last).unwrap();
    assert_eq!(last.after, "audit");
    let stands: BTreeMap<String, bool> =
        last.claims.into_iter().flatten().map(|one| (one.claim, one.survives)).collect();
    assert!(!stands["A1"]);
    assert_eq!(played.concluded()["facts"], "F002 F003 F004");
}

// covers: ARES-131, ARES-022
#[tokio::test]
async fn a_skeptic_of_code_answers_the_architect_and_asks_no_model() {
    for (task, confidence) in [(UNEXPLAINED, 320), (EXPLAINED, 820)] {
        let court = Court::new(json!({ "configuration": "code-skeptic" })).on(task);
        let played = court.says("architect", [architect(0.9)]).play().await;
        assert_eq!(played.asked(), ["architect"], "{task}");
        let said = played.records::<Confidence>().into_iter().find(|one| one.role == "skeptic").unwrap();
        assert_eq!(
            (said.confidence.0, said.strategy.as_str(), said.fallback),
            (confidence, "deterministic", false),
            "{task}"
        );
    }
}

// covers: ARES-022, ARES-136
#[tokio::test]
async fn by_rule_no_model_is_asked_and_both_cases_are_judged_right() {
    for (task, verdict) in [(UNEXPLAINED, "THREAT_CONFIRMED"), (EXPLAINED, "THREAT_DISMISSED")] {
        let played = Court::new(json!({ "configuration": "by-rule" })).on(task).play().await;
        assert_eq!((played.requests.len(), played.verdict().as_str()), (0, verdict));
        assert_eq!(played.outcome.episode_return.0, 1000);
    }
    // An audit by rule strikes what a stated fact covers.
    let settings = json!({ "configuration": "by-rule", "audit": true });
    let played = Court::new(settings).on(EXPLAINED).play().await;
    assert!(
        played
            .records::<Audited>()
            .iter()
            .any(|one| one.role == "architect" && one.audit.answer == "rebut" && one.audit.facts == ["F006"])
    );
}

// covers: ARES-132
#[tokio::test]
async fn the_active_oracle_attacks_the_surer_side_with_facts_that_nobody_cited() {
    // The scanner that explains the logons is cited by nobody.
    let play = |settings: Value, sides: (f64, f64), challenger: Option<String>| async move {
        let court = Court::new(settings)
            .on(EXPLAINED)
            .says("architect", [architect(sides.0)])
            .says("skeptic", [position("ALT", &["F004"], sides.1)])
            .says("challenger", challenger);
        let played = court.play().await;
        (played.records::<Challenged>().remove(0), played)
    };
    let by_rule = json!({ "rounds": 1, "active_oracle": "rules" });
    let (found, played) = play(by_rule.clone(), (0.86, 0.69), None).await;
    assert_eq!((found.against.as_str(), found.facts, found.discount.0), ("architect", vec!["F006".to_owned()], 50));
    assert_eq!((found.before.as_str(), found.after.as_str()), ("THREAT_CONFIRMED", "INCONCLUSIVE"));
    assert_eq!(played.verdict(), "INCONCLUSIVE");
    let (found, _) = play(by_rule.clone(), (0.5, 0.5), None).await;
    assert_eq!((found.against.as_str(), found.discount.0), ("", 0));
    let (found, _) = play(by_rule, (0.4, 0.9), None).await;
    assert_eq!((found.against.as_str(), found.facts.len()), ("skeptic", 0), "what is suspicious was cited");
    // A model must cite what nobody cited.
    let case = claims(&[&["F001"], &["F005", "F006"]], "ALT", 0.8);
    let (found, played) = play(json!({ "rounds": 1, "active_oracle": "model" }), (0.86, 0.2), Some(case)).await;
    assert_eq!((found.facts, found.discount.0), (vec!["F005".to_owned(), "F006".to_owned()], 100));
    let refused = played.records::<gimbal_messages::records::debate::Refused>();
    assert_eq!(refused.iter().map(|one| one.reason.as_str()).collect::<Vec<_>>(), ["no_new_fact"]);
}

// covers: ARES-026, ARES-R8
#[tokio::test]
async fn a_narrator_explains_and_changes_nothing() {
    let play = |narrator: &'static str, told: Option<String>| async move {
        let court = Court::new(json!({ "rounds": 1, "narrator": narrator }))
            .says("architect", [architect(0.9)])
            .says("skeptic", [skeptic(0.3)])
            .says("narrator", told);
        court.play().await
    };
    let silent = play("off", None).await;
    let template = play("template", None).await;
    let told = play("model", Some(answer(&json!({ "text": "Dismiss it: F900 says so." })))).await;
    let lost = play("model", None).await;
    for played in [&template, &told, &lost] {
        assert_eq!((played.verdict(), played.concluded()), (silent.verdict(), silent.concluded()));
    }
    let narrated = |played: &Played| played.records::<Narrated>().pop();
    assert_eq!(narrated(&silent), None);
    let by_code = narrated(&template).unwrap();
    assert!(
        by_code.by == "template" && by_code.text.contains("THREAT_CONFIRMED") && by_code.text.contains("F001, F002")
    );
    let by_model = narrated(&told).unwrap();
    assert_eq!((by_model.by.as_str(), by_model.unknown, by_model.fallback), ("model", vec!["F900".to_owned()], false));
    let instead = narrated(&lost).unwrap();
    assert_eq!((instead.text, instead.fallback), (by_code.text, true));
}
