//! A case: the packet of an episode, and what everybody who speaks about it shares.

use gimbal_core::{Hint, LaneId, Stage};
use gimbal_evidence::Packet;
use gimbal_evidence::claim::Assertion;
use gimbal_evidence::rules::Position;
use gimbal_messages::StageExt;
use gimbal_messages::records::debate::Refused;
use serde_json::{Value, json};

use super::reading::Refusal;
use super::side::{Role, Strategy};
use super::{Debate, form};

/// A case, or one vote of several over it.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    /// The architecture.
    pub debate: &'a Debate,
    /// The packet.
    pub packet: &'a Packet,
    /// The forms of positions over it.
    pub positions: &'a form::Positions,
    /// Whether a model of this episode reads what an expert would say.
    pub hints: bool,
    /// Number of the vote, from 1.
    pub vote: Option<u32>,
}

impl Case<'_> {
    /// What rules say for a side; the Skeptic answers `thesis`, or what rules say for the Architect where nothing was said yet.
    pub(super) fn by_rule(&self, role: Role, strategy: Strategy, thesis: Option<&Position>) -> Position {
        use gimbal_evidence::rules::{architect, skeptic};
        let rules = &self.debate.rules;
        match (role, thesis) {
            (Role::Architect, _) => architect(self.packet, rules),
            (Role::Skeptic, Some(thesis)) => skeptic(self.packet, rules, strategy.skeptic(), thesis),
            (Role::Skeptic, None) => skeptic(self.packet, rules, strategy.skeptic(), &architect(self.packet, rules)),
        }
    }

    /// Records what was refused of a message.
    pub(super) async fn refused(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        (role, round, attempt): (&str, u32, u32),
        refusal: Refusal,
    ) {
        let Refusal { reason, what } = refusal;
        let (role, reason) = (role.to_owned(), reason.to_owned());
        stage.record(lane, &Refused { role, round, vote: self.vote, attempt, reason, what }).await;
    }
}

/// An assertion as the other side reads it.
pub(super) fn shown(role: Role, index: usize, assertion: &Assertion, confidence: bool) -> Value {
    let mut shown = json!({
        "claim": role.claim(index), "kind": assertion.kind, "predicate": assertion.predicate, "facts": assertion.facts,
        "interpretation": assertion.interpretation,
    });
    if confidence {
        shown["confidence"] = json!(assertion.confidence.to_f64());
    }
    shown
}

/// The assertions of a position as messages list them, for what an expert says.
pub(super) fn written(position: &Position, anchored: bool) -> Vec<Value> {
    let cut = position.assertions.iter().take(form::BOUNDS.0).map(form::bounded);
    cut.map(|assertion| {
        let mut item = json!({ "kind": assertion.kind, "predicate": assertion.predicate, "facts": assertion.facts });
        if anchored {
            item["confidence"] = share(assertion.confidence);
        }
        item["interpretation"] = json!(assertion.interpretation);
        item
    })
    .collect()
}

/// A confidence in the two digits that forms have.
pub(super) fn share(confidence: gimbal_core::Milli) -> Value {
    json!((confidence.0 / 10) as f64 / 100.0)
}

/// A hint of one answer.
pub(super) fn hint(answer: &Value, alternatives: &[Value]) -> Hint {
    use gimbal_messages::spaced;
    Hint { answer: spaced(answer), alternatives: alternatives.iter().map(spaced).collect() }
}
