//! Each agent has its own view, and nothing of another one's is in it.

use gimbal_consensus::Consensus;
use gimbal_core::{Catalogue, Environment, Reply, Stepped, TaskId, ToolCall, Tracker};
use serde_json::{Value, json};

struct Play {
    environment: Box<dyn Environment>,
    tracker: Box<dyn Tracker>,
    step: u32,
}

impl Play {
    async fn begin(options: Value, seed: u64) -> Self {
        let mut environment = Consensus.open(&options).unwrap();
        let first = environment.reset(&TaskId("game-01".to_owned()), seed).await.unwrap();
        let mut tracker = environment.tracker();
        tracker.begin(&first);
        Self { environment, tracker, step: 0 }
    }

    async fn round(&mut self, ballots: Value) {
        let mut call = ToolCall::bare("round");
        call.arguments.insert("ballots".to_owned(), ballots);
        let Ok(Reply::Step(step)) = self.environment.call(&call).await else { panic!() };
        self.step += 1;
        let stepped = Stepped { step: self.step, call: &call, observation: &step.observation, justification: None };
        self.tracker.update(stepped);
    }

    fn view(&self, agent: usize) -> Value {
        let call = ToolCall::with("view", &[("subject", &format!("agent_{}", agent + 1))]);
        serde_json::from_str(&self.tracker.query(&call).unwrap()).unwrap()
    }

    fn adversary(&self) -> usize {
        (0..4).find(|agent| self.view(*agent)["played"] == false).unwrap()
    }
}

// covers: ARES-121
#[tokio::test]
async fn an_equivocating_agent_shows_each_agent_another_value() {
    let mut play = Play::begin(json!({ "adversaries": 1, "strategy": "equivocating" }), 7).await;
    let liar = play.adversary();
    play.round(json!([])).await;
    let line = |text: &str| {
        let marked = format!("agent_{} ", liar + 1);
        let round = text.lines().find(|line| line.starts_with("Round 1: ")).unwrap().to_owned();
        let said = round.trim_start_matches("Round 1: ").split("; ").find(|said| said.starts_with(&marked)).unwrap();
        said.to_owned()
    };
    let told: std::collections::BTreeSet<String> =
        (0..4).filter(|agent| *agent != liar).map(|agent| line(play.view(agent)["text"].as_str().unwrap())).collect();
    assert!(told.len() > 1, "{told:?}");
    assert_eq!(play.view(liar)["text"], "");
}

#[tokio::test]
async fn a_view_tells_no_role_no_other_start_and_no_plan() {
    for strategy in ["silent", "equivocating", "drifting", "stop_early"] {
        let mut play = Play::begin(json!({ "adversaries": 1, "strategy": strategy }), 9).await;
        let liar = play.adversary();
        let before = play.view((liar + 1) % 4)["text"].as_str().unwrap().to_owned();
        assert!(before.contains("Your number at the start was"), "{before}");
        assert_eq!(before.matches("start was").count(), 1);
        let agent = format!("agent_{}", (liar + 1) % 4 + 1);
        play.round(json!([{ "agent": agent, "value": 12, "reason": "say \"twelve\"\nnow", "vote": "continue" }])).await;
        for other in (0..4).filter(|other| *other != liar) {
            let view = play.view(other);
            let text = view["text"].as_str().unwrap();
            for word in ["advers", "honest", "follow the rules", "plays", strategy] {
                assert!(!text.to_lowercase().contains(word), "{word}: {text}");
            }
            assert!(
                text.contains(&format!(
                    "{agent}{} 12 continue \"say 'twelve' now\"",
                    if format!("agent_{}", other + 1) == agent { " (you)" } else { "" }
                )),
                "{text}"
            );
            assert_eq!((&view["may_abstain"], &view["values"]), (&json!(false), &json!([0, 50])));
        }
    }
}

#[tokio::test]
async fn adversaries_are_mentioned_in_the_brief_alone_and_only_where_the_study_says_so() {
    let quiet = Play::begin(json!({ "adversaries": 1 }), 3).await;
    let loud = Play::begin(json!({ "adversaries": 0, "mentioned": true }), 3).await;
    assert!(!quiet.environment.brief().goal.contains("may not follow"));
    assert!(loud.environment.brief().goal.contains("may not follow these rules"));
    assert!(!loud.view(0)["text"].as_str().unwrap().contains("follow"));
}

#[tokio::test]
async fn a_played_adversary_is_told_what_it_is_and_may_abstain() {
    let mut play = Play::begin(json!({ "adversaries": 1, "strategy": "played" }), 3).await;
    let is = |play: &Play, agent: usize| play.view(agent)["may_abstain"] == true;
    let liar = (0..4).find(|agent| is(&play, *agent)).unwrap();
    assert_eq!((0..4).filter(|agent| is(&play, *agent)).count(), 1);
    assert!(play.view(liar)["text"].as_str().unwrap().contains("your goal is that the others do not agree"));
    let name = format!("agent_{}", liar + 1);
    play.round(json!([{ "agent": name, "value": null, "vote": "stop" }])).await;
    assert!(play.view((liar + 1) % 4)["text"].as_str().unwrap().contains(&format!("{name} nothing stop")));
}

#[tokio::test]
async fn long_games_show_their_last_rounds() {
    let mut play = Play::begin(json!({ "agents": 16 }), 3).await;
    for _ in 0..30 {
        play.round(json!([])).await;
    }
    let view = play.view(0);
    let text = view["text"].as_str().unwrap();
    assert!(
        text.contains("Rounds 1 to 10 are not shown.") && text.contains("Round 30:") && !text.contains("Round 10:")
    );
    assert!(text.len() < 16_000, "{}", text.len());
}
