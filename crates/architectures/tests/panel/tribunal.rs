//! One brief, members apart, five answers each, and what is counted (ARES-098, ARES-122).

use gimbal_messages::Tier;
use gimbal_messages::records::panel::{NoOpinion, Opinion, Ruled, Tabulated};
use gimbal_messages::records::reading::{Parsed, Reshaped};
use gimbal_study::faults::{Fault, Faults, ONE};
use serde_json::{Value, json};

use super::{opinion, panel};
use crate::common::TestFiles;
use crate::debate::{EXPLAINED, Played, build_of};

const YES: &str = "THREAT_CONFIRMED";
const NO: &str = "THREAT_DISMISSED";

/// A panel of three that give these answers.
async fn asked(settings: Value, answers: [(&'static str, &'static str, &'static str); 3]) -> Played {
    let [one, two, three] = answers.map(|(verdict, finding, wild)| [opinion(verdict, finding, wild)]);
    panel(settings).says("panelist_1", one).says("panelist_2", two).says("panelist_3", three).play().await
}

fn row(played: &Played, question: &str) -> (String, Option<String>, u32) {
    let rows = played.records::<Tabulated>();
    let row = rows.into_iter().find(|row| row.question == question).unwrap();
    (row.agreement, row.answer, row.votes)
}

fn ruled(played: &Played) -> Ruled {
    played.records::<Ruled>().remove(0)
}

// covers: ARES-098
#[tokio::test]
async fn every_member_gets_the_same_brief_and_none_sees_the_answers_of_another() {
    let played = asked(json!({}), [(YES, "F001", "a kite"), (YES, "F002", "a drum"), (NO, "F003", "a boat")]).await;
    assert_eq!(played.asked(), ["panelist_1", "panelist_2", "panelist_3"]);
    let prompts: Vec<String> = (0..3).map(|at| played.prompt(at)).collect();
    assert!(prompts.iter().all(|prompt| *prompt == prompts[0]), "{prompts:?}");
    for word in ["a kite", "a drum", "a boat"] {
        assert!(!prompts[0].contains(word));
    }
    let members: Vec<(String, String)> =
        played.records::<Opinion>().into_iter().map(|one| (one.member, one.wild_card)).collect();
    let named = |member: &str, wild: &str| (member.to_owned(), wild.to_owned());
    assert_eq!(members, [named("panelist_1", "a kite"), named("panelist_2", "a drum"), named("panelist_3", "a boat")]);
}

// covers: ARES-098, ARES-122
#[tokio::test]
async fn each_of_the_five_answers_is_unanimous_or_a_majority_or_split() {
    let played = asked(json!({}), [(YES, "F001", "a kite"), (YES, "F001", "a drum"), (YES, "F002", "a boat")]).await;
    assert_eq!(row(&played, "answer"), ("unanimous".into(), Some(YES.into()), 3));
    assert_eq!(row(&played, "finding"), ("majority".into(), Some("F001".into()), 2));
    assert_eq!(row(&played, "gap"), ("unanimous".into(), Some("permission".into()), 3));
    assert_eq!(row(&played, "next"), ("unanimous".into(), Some("ask".into()), 3));
    // Three wild cards.
    assert_eq!(row(&played, "wild_card"), ("split".into(), None, 1));
    let concluded = played.concluded();
    assert_eq!((&concluded["verdict"], &concluded["facts"]), (&json!(YES), &json!("F001 F002")));
    assert_eq!(concluded["confidence"], "1.0");
}

// covers: ARES-098, ARES-122
#[tokio::test]
async fn the_rule_decides_what_is_concluded_and_all_three_are_recorded() {
    let answers = [(NO, "F003", "x"), (YES, "F001", "y"), (YES, "F002", "z")];
    for (rule, expected, certainty) in [("majority", Some(YES), 667), ("single", Some(NO), 333), ("unanimous", None, 0)]
    {
        let played = asked(json!({ "rule": rule }), answers).await;
        let Ruled { unanimous, majority, single, answer, certainty: found, .. } = ruled(&played);
        assert_eq!((unanimous, majority.as_deref(), single.as_deref()), (None, Some(YES), Some(NO)));
        assert_eq!(answer.as_deref(), expected, "{rule}");
        assert!((found.0 - certainty).abs() <= 1, "{rule}: {found}");
        match expected {
            Some(verdict) => assert_eq!(played.concluded()["verdict"], verdict),
            // Without an answer the idle call is made, which closes the file.
            None => assert_eq!(played.concluded(), json!({})),
        }
        assert_eq!((played.outcome.rejected, played.outcome.fallbacks), (0, 0));
    }
}

// covers: ARES-008, ARES-035
#[tokio::test]
async fn an_answer_that_cannot_be_used_is_asked_for_once_more_and_then_missing() {
    let made_up = || opinion(YES, "F900", "x");
    let played = panel(json!({}))
        .says("panelist_1", [made_up(), opinion(YES, "F001", "x")])
        .says("panelist_2", [made_up(), made_up()])
        .says("panelist_3", [opinion("guilty", "F001", "x"), opinion("threat confirmed", "none", "x")])
        .play()
        .await;
    assert_eq!(played.asked().len(), 6);
    let missing = played.records::<NoOpinion>();
    assert_eq!(missing.len(), 1);
    assert!(missing[0].member == "panelist_2" && missing[0].reason.contains("`F900`"), "{missing:?}");
    let mut tiers: Vec<(String, Tier)> =
        played.records::<Parsed>().into_iter().map(|one| (one.contract, one.tier)).collect();
    tiers.sort();
    let read = |tier| ("opinion".to_owned(), tier);
    assert_eq!(tiers, [read(Tier::Repaired), read(Tier::Repaired), read(Tier::Default)]);
    // Two of three are a majority and not unanimous.
    let ruled = ruled(&played);
    assert_eq!((ruled.unanimous, ruled.majority.as_deref()), (None, Some(YES)));
    assert_eq!(row(&played, "answer").0, "majority");
}

#[tokio::test]
async fn what_nearly_fits_is_brought_into_shape_and_counted() {
    let long = "w".repeat(400);
    let text = crate::debate::answer(&json!({
        "answer": YES, "finding": "F001", "gap": "Permission", "next": "ASK", "wild_card": long, "mood": "good"
    }));
    let played = panel(json!({ "size": 1 })).says("panelist_1", [text]).play().await;
    let changed = played.records::<Reshaped>().remove(0);
    assert_eq!((changed.coerced, changed.clipped, changed.dropped), (2, 1, 1));
    assert_eq!(played.records::<Opinion>()[0].wild_card.len(), 160);
    assert_eq!(played.records::<Parsed>()[0].tier, Tier::ByRule);
}

#[tokio::test]
async fn the_same_is_recorded_whichever_member_answers_first() {
    let mut all = Vec::new();
    for waits in [[0, 40, 20], [40, 0, 20], [20, 10, 0]] {
        let mut court = panel(json!({}));
        for (role, wait) in ["panelist_1", "panelist_2", "panelist_3"].into_iter().zip(waits) {
            court = court.says(role, [opinion(YES, "F001", role)]).waits(role, wait);
        }
        all.push(court.play().await.recorded.events);
    }
    assert!(all.iter().all(|events| *events == all[0]));
}

#[tokio::test]
async fn answers_that_are_lost_on_their_way_are_missing() {
    let mut court = panel(json!({}));
    court.faults = Faults::new([(Fault::Lost, ONE)]);
    let court = ["panelist_1", "panelist_2", "panelist_3"]
        .into_iter()
        .fold(court, |court, role| court.says(role, [opinion(YES, "F001", "x")]));
    let played = court.play().await;
    assert_eq!(played.records::<NoOpinion>().len(), 3);
    assert_eq!(ruled(&played).answer, None);
}

#[tokio::test]
async fn the_prompt_of_a_member_as_it_is_sent() {
    let played = asked(json!({}), [(YES, "F001", "x"), (YES, "F001", "x"), (YES, "F001", "x")]).await;
    insta::assert_snapshot!("panel_panelist", played.prompt(0));
    let played = panel(json!({ "size": 1 })).says("panelist_1", [opinion("maybe", "F001", "x")]).play().await;
    insta::assert_snapshot!("panel_repair", played.prompt(1));
}

#[tokio::test]
async fn experts_of_the_rules_play_every_member_under_every_protocol_free_and_constrained() {
    for protocol in ["react-text", "json", "native-tools"] {
        for constrained in [false, true] {
            let mut court = panel(json!({ "protocol": protocol })).on(EXPLAINED);
            (court.experts, court.constrained) = (true, constrained);
            let played = court.play().await;
            let what = format!("{protocol}, constrained: {constrained}");
            assert_eq!(played.outcome.stop.name(), "answered", "{what}");
            assert!(played.records::<Parsed>().iter().all(|one| one.tier == Tier::Direct), "{what}");
            assert!(ruled(&played).unanimous.is_some(), "{what}");
            assert_eq!(played.records::<NoOpinion>(), [], "{what}");
            assert!(played.requests.iter().all(|(_, request)| request.grammar.is_some() == constrained), "{what}");
        }
    }
}

#[tokio::test]
async fn a_mask_lets_no_made_up_finding_and_no_other_answer_through() {
    use gimbal_model::shape::fits;
    let mut court = panel(json!({ "size": 1 })).says("panelist_1", [opinion(YES, "F001", "x")]);
    court.constrained = true;
    let played = court.play().await;
    let grammar = played.requests[0].1.grammar.clone().unwrap();
    let said = |verdict: &str, finding: &str| {
        let message =
            json!({ "answer": verdict, "finding": finding, "gap": "habit", "next": "watch", "wild_card": "x" });
        format!("Thought: x\nAnswer: {}", gimbal_messages::spaced(&message))
    };
    assert!(fits(&grammar, &said(YES, "F006")) && fits(&grammar, &said(NO, "none")), "{grammar:?}");
    assert!(!fits(&grammar, &said(YES, "F007")) && !fits(&grammar, &said("MAYBE", "F001")));
}

#[test]
fn settings_that_mean_nothing_are_refused_with_their_key() {
    let kinds = gimbal_architectures::kinds();
    let kind = kinds.iter().find(|kind| kind.name() == "panel").unwrap();
    for (settings, key, words) in [
        (json!({ "size": 0 }), "size", "1 to 16"),
        (json!({ "size": 17 }), "size", "1 to 16"),
        (json!({ "members": [] }), "members", "1 to 16"),
        (json!({ "size": 2, "members": [{}, {}] }), "size", "leave `size` out"),
        (json!({ "members": [{ "rol": "a" }] }), "members[0]", "did you mean `role`"),
        (
            json!({ "members": [{}, { "persona": "architect" }] }),
            "members[1]",
            "must answer with the message `opinion`",
        ),
        (json!({ "rule": "most" }), "rule", "known: "),
        (
            json!({ "rounds": true, "members": [{ "persona": "panelist" }] }),
            "members[0]",
            "must answer with the message `ballot`",
        ),
        (json!({ "configuration": "debate" }), "configuration", "not of `panel`"),
    ] {
        let error = kind.build(&settings, &TestFiles::default()).err().unwrap_or_else(|| panic!("{settings}"));
        assert!(error.message.contains(words), "{settings}: {}", error.message);
        assert_eq!(error.key, key, "{settings}: {error:?}");
    }
}

// covers: ARES-098, SH-06
#[test]
fn members_have_roles_of_their_own_and_every_setting_makes_another_panel() {
    let roles = |settings: Value| build_of("panel", &settings).needs().roles;
    assert_eq!(roles(json!({})), ["panelist_1", "panelist_2", "panelist_3"]);
    assert_eq!(roles(json!({ "members": [{ "role": "a" }, { "role": "b" }, { "role": "a" }] })), ["a", "b"]);
    assert_eq!(roles(json!({ "rounds": true })), ["panelist_1"]);
    let whole = build_of("panel", &json!({})).resolved();
    for settings in [
        json!({ "rule": "single" }),
        json!({ "size": 4 }),
        json!({ "rounds": true }),
        json!({ "context": ["packet", "status"] }),
        json!({ "members": [{ "role": "a" }, {}, {}] }),
        json!({ "flags": { "include_COT_instruction": true } }),
    ] {
        assert_ne!(build_of("panel", &settings).resolved(), whole, "{settings}");
    }
    let needs = build_of("panel", &json!({})).needs();
    assert!(needs.answers && needs.messages && needs.queries.is_empty());
    assert_eq!(build_of("panel", &json!({ "configuration": "seats" })).needs().queries, ["view"]);
}
