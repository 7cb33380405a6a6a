//! The controls that the work lacked: votes, self-correction, the order of speakers, one neutral prompt, no words on calibration.

use gimbal_messages::records::debate::{Confidence, Rounds, VerdictGiven};
use serde_json::json;

use super::{Court, architect, position, skeptic};

#[tokio::test]
async fn votes_are_single_turns_apart_whose_majority_decides() {
    let court = Court::new(json!({ "configuration": "votes" }))
        .says("architect", [architect(0.9), architect(0.9), architect(0.2)])
        .says("skeptic", [skeptic(0.3), skeptic(0.3), skeptic(0.9)]);
    let played = court.play().await;
    assert_eq!(played.requests.len(), 6);
    assert!((0..6).all(|at| !played.prompt(at).contains("<debate>")));
    let all = played.records::<VerdictGiven>();
    let votes: Vec<(Option<u32>, &str)> =
        all.iter().filter(|one| one.after == "vote").map(|one| (one.vote, one.verdict.as_str())).collect();
    assert_eq!(votes, [(Some(1), "THREAT_CONFIRMED"), (Some(2), "THREAT_CONFIRMED"), (Some(3), "THREAT_DISMISSED")]);
    let last = all.last().unwrap();
    assert_eq!((last.after.as_str(), last.verdict.as_str(), last.certainty.0), ("majority", "THREAT_CONFIRMED", 600));
    assert_eq!((last.definition.as_str(), last.architect.0, last.last), ("votes", 666, true));
    // Votes are kept with their claims, so that the judge over claims can be asked about them; the majority has none.
    let claims: Vec<Option<usize>> = all.iter().map(|one| one.claims.as_ref().map(Vec::len)).collect();
    assert_eq!(claims, [Some(2), Some(2), Some(2), None]);
    assert!(played.records::<Confidence>().iter().all(|one| one.vote.is_some()));
    assert_eq!(played.concluded()["facts"], "F001 F002");
    // Greedy decoding would give one vote three times: they are drawn at a temperature, and a setting of its own takes its place.
    assert!(played.requests.iter().all(|(_, request)| request.sampling.temperature.0 == 700));
    // Without a majority nothing is decided.
    let court = Court::new(json!({ "rounds": 1, "votes": 2 }))
        .says("architect", [architect(0.9), architect(0.2)])
        .says("skeptic", [skeptic(0.3), skeptic(0.9)]);
    let played = court.play().await;
    assert_eq!(played.verdict(), "INCONCLUSIVE");
    assert!(played.requests.iter().all(|(_, request)| request.sampling.temperature.0 == 0), "that of the roles");
}

#[tokio::test]
async fn under_self_correction_each_side_reads_itself_and_never_the_other() {
    let court = Court::new(json!({ "self_correction": 2, "stops_early": false }))
        .says("architect", [0.9, 0.8, 0.7].map(architect))
        .says("skeptic", [0.3, 0.4, 0.5].map(skeptic));
    let played = court.play().await;
    assert_eq!(played.requests.len(), 6);
    for at in 2..6 {
        let prompt = played.prompt(at);
        assert!(prompt.contains(r#"{"yours": {"#) && !prompt.contains(r#""theirs""#), "{prompt}");
        assert!(prompt.contains("Nobody answered you."), "{prompt}");
    }
    assert_eq!(played.records::<Rounds>(), [Rounds { rounds: 3, reason: "rounds".into() }]);
    assert_eq!(played.verdict(), "THREAT_CONFIRMED");
}

#[tokio::test]
async fn swapped_the_skeptic_opens_and_the_architect_has_the_last_word() {
    for (swap, order) in [(false, ["architect", "skeptic"]), (true, ["skeptic", "architect"])] {
        let court = Court::new(json!({ "rounds": 2, "swap": swap }))
            .says("architect", [0.9, 0.5].map(architect))
            .says("skeptic", [0.3, 0.6].map(skeptic));
        let played = court.play().await;
        assert_eq!(played.asked()[2..], order);
        // Who speaks second reads what was said in this round.
        let (opens, answers) = if swap { ("0.9", "0.6") } else { ("0.3", "0.5") };
        assert!(played.prompt(2).contains(&format!(r#""theirs": {{"confidence": {opens}"#)), "{}", played.prompt(2));
        assert!(played.prompt(3).contains(&format!(r#""theirs": {{"confidence": {answers}"#)), "{}", played.prompt(3));
    }
}

#[tokio::test]
async fn under_one_neutral_prompt_both_are_told_the_same_and_write_how_sure_they_are_of_a_threat() {
    let court = Court::new(json!({ "rounds": 2, "neutral": true }))
        .says("architect", [0.9, 0.8].map(architect))
        .says("skeptic", [position("ASSERT", &["F003"], 0.7), position("ALT", &["F004"], 0.3)]);
    let played = court.play().await;
    assert_eq!(played.prompt(0), played.prompt(1));
    let strip = |at: usize| played.requests[at].1.messages[0].text.to_string();
    assert_eq!(strip(2), strip(3));
    // The other one's number is read as it was written.
    assert!(played.prompt(2).contains(r#""theirs": {"confidence": 0.7"#), "{}", played.prompt(2));
    let all: Vec<(String, i64)> =
        played.records::<Confidence>().into_iter().map(|one| (one.role, one.confidence.0)).collect();
    let named = |role: &str, confidence| (role.to_owned(), confidence);
    assert_eq!(all, [named("architect", 900), named("skeptic", 300), named("architect", 800), named("skeptic", 700)]);
    for role in ["Architect", "Skeptic"] {
        assert!(!played.prompt(2).contains(role), "{}", played.prompt(2));
    }
}

// covers: ARES-119
#[tokio::test]
async fn without_words_on_calibration_nothing_else_is_left_out() {
    let prompts = |calibration: bool| async move {
        let court = Court::new(json!({ "rounds": 1, "calibration": calibration }));
        let played = court.says("architect", [architect(0.9)]).says("skeptic", [skeptic(0.3)]).play().await;
        [played.prompt(0), played.prompt(1)]
    };
    let (with, without) = (prompts(true).await, prompts(false).await);
    for (with, without) in with.iter().zip(&without) {
        assert!(with.contains("A confidence of 0.5 says") && !without.contains("A confidence of 0.5 says"));
        let lines: Vec<&str> = with
            .lines()
            .filter(|line| !line.starts_with("- A confidence ") && !line.starts_with("- If the Architect cites"))
            .collect();
        assert_eq!(lines, without.lines().collect::<Vec<_>>());
    }
}
