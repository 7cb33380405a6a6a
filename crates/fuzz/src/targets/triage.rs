//! Scenario files, messages of a debate, and actions with named arguments.

use std::sync::LazyLock;

use gimbal_messages::{Contract, Tier};

use super::{owned, text};

const SCENARIO: &str = include_str!("../../../../envs/triage/scenarios/dev/night_sudo/scenario.yaml");

static POSITION: LazyLock<Option<Contract>> = LazyLock::new(|| {
    Contract::parse("position", include_str!("../../../architectures/src/debate/contracts/position.json")).ok()
});

pub fn scenarios() -> Vec<Vec<u8>> {
    owned(&[SCENARIO])
}

/// What is read has a criterion that an empty packet does not break.
pub fn scenario(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let Ok(corpus) = gimbal_triage::corpus::Corpus::read(text, "scenario.yaml") else { return };
    let empty = gimbal_evidence::Draft::new(Vec::new(), gimbal_evidence::Selection::default()).freeze();
    for scenario in corpus.all() {
        let _ = (scenario.criterion.verdict(&empty), scenario.decisive(&empty), scenario.explaining(&empty));
    }
}

pub fn positions() -> Vec<Vec<u8>> {
    owned(&[
        r#"{"assertions": [{"kind": "ASSERT", "predicate": "count 5", "facts": ["F001"]}], "confidence": 0.7, "unknowns": ["x"]}"#,
        r#"{"assertions": {"kind": "alt", "facts": "F1, F2"}, "confidence": "85%", "more": 1}"#,
    ])
}

/// What is accepted follows the contract: it is accepted again, and nothing is changed.
pub fn position(bytes: &[u8]) {
    let (Some(contract), Ok(value)) = (&*POSITION, serde_json::from_slice(bytes)) else { return };
    if let Ok(accepted) = contract.accept(value, Tier::Direct) {
        let again = contract.accept(accepted.value.clone(), Tier::Direct);
        assert!(again.is_ok_and(|again| again.value == accepted.value && again.changes.is_empty()));
    }
}

pub fn actions() -> Vec<Vec<u8>> {
    owned(&[
        "conclude verdict=\"THREAT_CONFIRMED\", confidence=85, facts=\"F003 F017\"",
        "show_entity(name='host:ws01').",
        "list_facts {\"class\": \"logon\", \"page\": 2}",
    ])
}

/// What is read can be written and read again, where the tool takes its arguments: a JSON object can name others, which are refused later.
pub fn action(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let tools = gimbal_triage::tools::specs();
    let is_known = |call: &gimbal_core::ToolCall| {
        let tool = tools.iter().find(|tool| tool.name == call.tool);
        call.arguments.keys().all(|name| tool.is_some_and(|tool| tool.parameters["properties"].get(name).is_some()))
    };
    if let Ok(call) = gimbal_triage::action::parse(text, &tools)
        && is_known(&call)
    {
        // A number that is not a whole one is read as a text, so the written form is compared with itself.
        let again =
            |call: &gimbal_core::ToolCall| gimbal_triage::action::parse(&gimbal_triage::action::render(call), &tools);
        let Ok(second) = again(&call) else { return };
        assert_eq!(again(&second), Ok(second));
    }
}
