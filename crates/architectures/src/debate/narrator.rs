//! The verdict in words, which change nothing (ARES-026, ARES-R8).

use gimbal_core::{EpisodeStopped, LaneId, Stage};
use gimbal_evidence::{FactId, Packet};
use gimbal_messages::records::debate::Narrated;
use gimbal_messages::{StageExt, party};
use serde_json::json;

use super::Narrator;
use super::case::{Case, hint};
use super::consult::Request;
use super::decision::Decision;
use super::form;
use super::messages::NarrationMessage;

/// Most facts that the template names.
const NAMED: usize = 12;

/// Puts a verdict into words and records them; `None` if no agent narrates.
///
/// # Errors
/// What stopped the episode.
pub(super) async fn tell(
    case: &Case<'_>,
    stage: &dyn Stage,
    decision: &Decision,
) -> Result<Option<String>, EpisodeStopped> {
    let template = template(case, decision);
    let told = match &case.debate.narrator {
        Narrator::Off => return Ok(None),
        Narrator::Template => None,
        Narrator::Model(agent) => {
            let message = json!({
                "verdict": decision.verdict, "judge": case.debate.judge.name(),
                "architect": decision.positions.architect.to_f64(), "skeptic": decision.positions.skeptic.to_f64(),
                "rounds": decision.round, "facts": decision.facts, "summary": template,
            });
            let message =
                stage.send(LaneId::MAIN, party::JUDGE, agent.role(), "narration", message).await.unwrap_or_default();
            let expert = case.hints.then(|| {
                let cut: String = template.chars().filter(|letter| (' '..='~').contains(letter)).take(400).collect();
                hint(&json!({ "text": cut }), &[json!({ "text": "Nothing can be said of this." })])
            });
            let contract = &case.debate.contracts.narration;
            let request = Request { agent, contract, message: &message, form: form::narration(), expert };
            let narration: Option<NarrationMessage> = request.ask(case, stage, LaneId::MAIN).await?;
            narration.map(|narration| narration.text)
        }
    };
    let by_model = matches!(case.debate.narrator, Narrator::Model(_));
    let fallback = by_model && told.is_none();
    let by = if by_model && !fallback { "model" } else { "template" }.to_owned();
    let text = told.unwrap_or(template);
    let unknown = unknown(case.packet, &text);
    stage.record(LaneId::MAIN, &Narrated { by, text: text.clone(), unknown, fallback }).await;
    Ok(Some(text))
}

/// The verdict in the words of code.
fn template(case: &Case<'_>, decision: &Decision) -> String {
    let Decision { verdict, certainty, definition, positions, round, .. } = decision;
    let rounds = if *round == 1 { "a single turn".to_owned() } else { format!("{round} rounds") };
    let named: Vec<String> = decision.facts.iter().take(NAMED).map(ToString::to_string).collect();
    let more = decision.facts.len().saturating_sub(NAMED);
    let facts = match (named.as_slice(), more) {
        ([], _) => "It rests on no fact.".to_owned(),
        (named, 0) => format!("It rests on {}.", named.join(", ")),
        (named, more) => format!("It rests on {} and {more} more.", named.join(", ")),
    };
    format!(
        "{verdict}, by the judge {} after {rounds}: the Architect is {} sure of a threat, the Skeptic {} that there is none. \
         Certainty ({definition}): {certainty}. {facts}",
        case.debate.judge.name(),
        positions.architect,
        positions.skeptic,
    )
}

/// The ids in a text that are not facts of the packet, each once, in the order of the text.
fn unknown(packet: &Packet, text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let ids = words.filter(|word| {
        let digits = word.strip_prefix('F').unwrap_or_default();
        digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    let mut unknown: Vec<String> = Vec::new();
    for id in ids.filter(|id| id.parse::<FactId>().ok().is_none_or(|id| packet.fact(id).is_none())) {
        if !unknown.iter().any(|known| known == id) {
            unknown.push(id.to_owned());
        }
    }
    unknown
}

#[cfg(test)]
mod tests {
    use gimbal_evidence::{Draft, Selection};

    use super::unknown;

    #[test]
    fn an_id_that_the_packet_lacks_is_named_once() {
        let packet = Draft::new(Vec::new(), Selection::default()).freeze();
        let text = "F012 and F003 show it, and F012 again (F003). F1 and FEE are no ids.";
        assert_eq!(unknown(&packet, text), ["F012", "F003"]);
    }
}
