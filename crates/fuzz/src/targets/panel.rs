//! Messages of a panel, and calls, options and ends of the game of agreement.

use std::sync::LazyLock;

use gimbal_consensus::environment::Settings;
use gimbal_consensus::game::Starts;
use gimbal_consensus::{action, tools};
use gimbal_messages::records::consensus::Ended;
use gimbal_messages::{Contract, Tier};

use super::{owned, text};

static CONTRACTS: LazyLock<Vec<Contract>> = LazyLock::new(|| {
    let all = [
        ("opinion", include_str!("../../../architectures/src/panel/contracts/opinion.json")),
        ("ballot", include_str!("../../../architectures/src/panel/contracts/ballot.json")),
    ];
    all.into_iter().filter_map(|(name, text)| Contract::parse(name, text).ok()).collect()
});

pub fn messages() -> Vec<Vec<u8>> {
    owned(&[
        r#"{"answer": "THREAT_CONFIRMED", "finding": "F001", "gap": "Permission", "next": "ask", "wild_card": "x", "more": 1}"#,
        r#"{"strategy": "wait", "value": "17", "reason": "the middle", "vote": "STOP"}"#,
        r#"{"value": null, "vote": "continue"}"#,
    ])
}

/// What is accepted follows the contract: it is accepted again, and nothing is changed.
pub fn message(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) else { return };
    for contract in &*CONTRACTS {
        if let Ok(accepted) = contract.accept(value.clone(), Tier::Direct) {
            let again = contract.accept(accepted.value.clone(), Tier::Direct);
            assert!(again.is_ok_and(|again| again.value == accepted.value && again.changes.is_empty()));
        }
    }
}

pub fn rounds() -> Vec<Vec<u8>> {
    owned(&[
        r#"round ballots=[{"agent":"agent_1","value":12,"reason":"","vote":"continue"}]"#,
        r#"`Round(ballots: [{"agent":"agent_2","value":50,"vote":"stop"}]).`"#,
        r#"round {"ballots": []}"#,
    ])
}

/// What is read can be written and read again, and a game takes it or refuses it.
pub fn round(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let Ok(call) = action::parse(text) else { return };
    assert_eq!(action::parse(&action::render(&call)).as_ref(), Ok(&call));
    let settings = Settings { adversaries: 1, ..Settings::default() };
    let mut game = settings.game(Starts::Uniform, 1);
    if let Ok(ballots) = tools::read(&call, &game) {
        game.play(&ballots);
        assert_eq!(game.rounds().len(), 1);
    }
}

pub fn ends() -> Vec<Vec<u8>> {
    let settings = Settings { rounds: 1, ..Settings::default() };
    let mut game = settings.game(Starts::Uniform, 1);
    game.play(&[]);
    let end = game.ended().map(|ended| ended.behind("The game is over.")).unwrap_or_default();
    owned(&[&end, r#"{"agents": 8, "adversaries": 2, "strategy": "played"}"#])
}

/// An end that is read is written as it was; options that are read are sound.
pub fn end(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Some(ended) = Ended::read(text) {
        assert_eq!(Ended::read(&ended.behind("x")), Some(ended));
    }
    if let Ok(options) = serde_json::from_str(text)
        && let Ok(settings) = Settings::read(&options)
    {
        assert!(3 * settings.adversaries <= settings.agents);
    }
}
