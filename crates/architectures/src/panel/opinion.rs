//! The five questions of a panel: what a member may answer, and what is valid of its answer (ARES-098).
//!
//! The published panel was asked about a project: its strongest finding, its blind spots, which of seven directions to take, an angle for
//! research, and a wild card. These five ask the same of a case that has an answer: what the answer is, the strongest finding, what is
//! missing, which of seven steps comes next, and a wild card. Four of them are closed, so that agreement can be counted.

use gimbal_core::{EpisodeStopped, Stage};
use gimbal_evidence::Packet;
use gimbal_evidence::judge::Verdict;
use gimbal_messages::{Contract, Form, bounded, spaced, typed};
use serde_json::{Value, json};

use super::messages::OpinionMessage;
use crate::shared::packet::{PACKET, packet};

/// The questions, in the order of the contract.
pub(super) const QUESTIONS: [&str; 5] = ["answer", "finding", "gap", "next", "wild_card"];
/// The finding of a member who finds nothing remarkable.
pub(super) const NONE: &str = "none";
/// What may be missing, as in the contract.
pub(super) const GAPS: [&str; 7] = ["nothing", "permission", "identity", "habit", "content", "outcome", "records"];
/// What may come next, as in the contract.
pub(super) const STEPS: [&str; 7] = ["close", "watch", "ask", "collect", "contain", "escalate", "search"];
/// Longest text for which the contract has no bound, in characters.
const FREE: usize = 120;
/// Longest text of a problem that goes back to the model, in characters.
const SHOWN: usize = 120;

/// What every member is asked: the same for all.
pub(super) struct Questions {
    /// Name of the call that gives the answer, and of its argument that holds it.
    pub call: (String, String),
    /// The answers there are; `None` if the answer is a text of the member's own.
    pub answers: Vec<String>,
    /// The packet, where the brief holds one.
    pub packet: Option<Packet>,
}

impl Questions {
    /// The questions about the task of this episode.
    ///
    /// # Errors
    /// A lasting stop where the brief names no call that gives an answer, or its packet cannot be read.
    pub(super) async fn of(stage: &dyn Stage) -> Result<Self, EpisodeStopped> {
        let brief = stage.brief();
        let answering = brief.answer.as_ref();
        let answering = answering
            .ok_or_else(|| EpisodeStopped::lasting("the brief of this task names no call that gives its answer"))?;
        let has_packet = brief.materials.iter().any(|material| material.kind == PACKET);
        let packet = if has_packet { Some(packet(stage)?) } else { None };
        // A verdict is what is concluded where the call takes one; what it cites is another argument then.
        let tools = stage.tools();
        let spec = tools.iter().find(|spec| spec.name == answering.tool);
        let takes_verdict = spec.is_some_and(|spec| spec.parameters["properties"].get("verdict").is_some());
        let argument = if takes_verdict { "verdict" } else { answering.argument.as_str() };
        let listed = stage.choices(&answering.tool, argument).await.filter(|choices| !choices.is_empty());
        let verdicts = || Verdict::ALL.map(|verdict| verdict.name().to_owned()).to_vec();
        let answers = listed.unwrap_or_else(|| if takes_verdict { verdicts() } else { Vec::new() });
        Ok(Self { call: (answering.tool.clone(), argument.to_owned()), answers, packet })
    }

    /// What is told to every member.
    pub(super) fn message(&self) -> String {
        let answer = if self.answers.is_empty() { json!("a text of yours") } else { json!(self.answers) };
        spaced(&json!({ "answer": answer }))
    }

    /// The form of an opinion under constrained decoding, with the bounds of its contract: a member is told one number for a text.
    pub(super) fn form(&self, contract: &Contract) -> Form {
        let text = |key: &str| Form::text(1, contract.characters(key).unwrap_or(FREE));
        let answer = if self.answers.is_empty() { text("answer") } else { Form::word(&self.answers) };
        let finding = match &self.packet {
            None => text("finding"),
            Some(packet) => {
                let ids = packet.facts().iter().map(|fact| fact.id.to_string());
                Form::word(&std::iter::once(NONE.to_owned()).chain(ids).collect::<Vec<_>>())
            }
        };
        Form::object(&[
            ("answer", answer),
            ("finding", finding),
            ("gap", Form::word(&GAPS)),
            ("next", Form::word(&STEPS)),
            ("wild_card", text("wild_card")),
        ])
    }

    /// What is valid of a message that follows the contract.
    ///
    /// # Errors
    /// What is wrong with it, for a request to write it again.
    pub(super) fn read(&self, message: Value) -> Result<Answers, String> {
        let OpinionMessage { answer, finding, gap, next, wild_card } = typed(message)?;
        let trimmed = |text: String| text.trim().to_owned();
        let [answer, finding, gap, next, wild_card] = [answer, finding, gap, next, wild_card].map(trimmed);
        let answer = if self.answers.is_empty() {
            answer
        } else {
            let same = |known: &&String| folded(known) == folded(&answer);
            let known = || self.answers.join(", ");
            let shown = bounded(&answer, SHOWN);
            self.answers
                .iter()
                .find(same)
                .cloned()
                .ok_or_else(|| format!("\"answer\" is `{shown}`, and must be one of {}", known()))?
        };
        if answer.is_empty() || wild_card.is_empty() {
            return Err("\"answer\" and \"wild_card\" must not be empty".to_owned());
        }
        let finding = match &self.packet {
            _ if finding.eq_ignore_ascii_case(NONE) => NONE.to_owned(),
            None => finding,
            // What is not in the packet does not exist (ARES-008).
            Some(packet) => packet.validate(&[finding.as_str()]).map(|_| finding.clone()).map_err(|_| {
                let shown = bounded(&finding, SHOWN);
                format!("\"finding\" is `{shown}`, and must be the id of one fact of the packet, or \"{NONE}\"")
            })?,
        };
        Ok(Answers([answer, finding, gap, next, wild_card]))
    }
}

/// Answers to the five questions, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answers(pub [String; 5]);

impl Answers {
    /// The answer to the task.
    pub(super) fn answer(&self) -> &str {
        &self.0[0]
    }

    /// The strongest finding.
    pub(super) fn finding(&self) -> &str {
        &self.0[1]
    }

    /// As a message.
    pub(super) fn message(&self) -> Value {
        let members = QUESTIONS.iter().zip(&self.0);
        Value::Object(members.map(|(key, value)| ((*key).to_owned(), json!(value))).collect())
    }
}

/// A text as answers are compared: its letters and digits in lower case, with one blank in the place of everything else.
pub(super) fn folded(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
