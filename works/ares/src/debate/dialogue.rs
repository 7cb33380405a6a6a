//! A debate as messages between its parties (ARES-029 to ARES-032): who says what kind of thing to whom, in which phase of the argument. Made of
//! the records of an episode: sides write positions, and code knows the rest.

use gimbal_core::Milli;
use gimbal_messages::records::debate::{Asserted, ClaimAudit, Confidence, VerdictGiven};
use serde::Serialize;

use super::Debate;
use crate::cases::Side;

/// What a side answers in an audit when it does not.
const UNANSWERED: &str = "none";

/// Where in the argument a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The first position of the side that opens.
    Thesis,
    /// The first position of the other side.
    Antithesis,
    /// A position of a later round.
    Synthesis,
    /// The verdict.
    Resolution,
}

impl Phase {
    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Thesis => "thesis",
            Self::Antithesis => "antithesis",
            Self::Synthesis => "synthesis",
            Self::Resolution => "resolution",
        }
    }
}

/// What kind of thing a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageType {
    /// A position that claims nothing.
    Observation,
    /// A position that was taken without an answer of the other side.
    Hypothesis,
    /// A position that answers what the other side said.
    Rebuttal,
    /// The gate asks for further rounds.
    Request,
    /// The judge's verdict.
    Verdict,
}

impl MessageType {
    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Observation => "observation",
            Self::Hypothesis => "hypothesis",
            Self::Rebuttal => "rebuttal",
            Self::Request => "request",
            Self::Verdict => "verdict",
        }
    }
}

/// A claim of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Its id in its round, such as `A1`.
    pub id: String,
    /// `ASSERT`, `LINK` or `ALT`.
    pub kind: String,
    /// What it states of the cited facts.
    pub predicate: String,
    /// The cited facts.
    pub facts: Vec<String>,
    /// What code says of it: `entailed`, `contradicted` or `unchecked`.
    pub check: String,
}

/// A message of a debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// `M1`, `M2` and so on, in the order of the journal.
    pub id: String,
    /// Who speaks: `architect`, `skeptic`, `gate`, `audit` (code, where no side was asked), `oracle` or `judge`.
    pub source: String,
    /// Whom it is for: the other side where that one answers it, `judge`, or `all`.
    pub target: String,
    /// Where in the argument it is.
    pub phase: Phase,
    /// What kind of thing it says.
    #[serde(rename = "type")]
    pub message_type: MessageType,
    /// The round, from 1.
    pub round: u32,
    /// Number of the vote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vote: Option<u32>,
    /// How sure the speaker is; none of an audit and of the Oracle, which state no confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Milli>,
    /// That number in a word: of the Architect the level of the threat, of the Skeptic its assessment, of the judge the verdict. Of an audit, how
    /// many claims survive; of the Oracle, the verdict before and after.
    pub level: String,
    /// The claims.
    pub assertions: Vec<Claim>,
    /// All cited facts: of the Architect the evidence, of the Skeptic the counter-evidence.
    pub citations: Vec<String>,
    /// What would settle the question and is not in the packet, in the speaker's words.
    pub unknowns: Vec<String>,
    /// Signs of miscalibration that the gate found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signs: Vec<String>,
    /// What became of each claim of the target, in an audit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audits: Vec<ClaimAudit>,
    /// What the active Oracle takes off the target's confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discount: Option<Milli>,
    /// The verdict in words, where an agent narrates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narrative: Option<String>,
}

/// A confidence of the Architect in a word (ARES-031). The work prints the word and no bounds; these are ours, a fifth of the scale each.
#[must_use]
pub const fn threat_level(confidence: Milli) -> &'static str {
    match confidence.0 {
        ..200 => "none",
        200..400 => "low",
        400..600 => "medium",
        600..800 => "high",
        _ => "critical",
    }
}

/// A confidence of the Skeptic in a word (ARES-032), within the same bounds.
#[must_use]
pub const fn assessment(confidence: Milli) -> &'static str {
    match confidence.0 {
        ..200 => "unexplained",
        200..400 => "hardly explained",
        400..600 => "open",
        600..800 => "likely benign",
        _ => "benign",
    }
}

impl Debate {
    /// What was said, in the order of the journal: every position, the gate's request, audits of claims, the active Oracle, and the verdict that
    /// was concluded.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        let mut messages = Vec::new();
        for (index, stand) in self.stands.iter().enumerate() {
            let is_new_round =
                index > 0 && stand.round == 2 && self.stands.get(index - 1).is_some_and(|before| before.round == 1);
            if is_new_round {
                messages.extend(self.request());
            }
            messages.push(self.position_message(stand));
        }
        messages.extend([Side::Architect, Side::Skeptic].into_iter().filter_map(|side| self.audit_message(side)));
        messages.extend(self.challenge());
        messages.extend(self.concluded().map(|verdict| self.verdict_message(verdict)));
        for (index, message) in messages.iter_mut().enumerate() {
            message.id = format!("M{}", index + 1);
        }
        messages
    }

    fn position_message(&self, stand: &Confidence) -> Message {
        let of = |other: &&Confidence| other.vote == stand.vote && other.role != stand.role;
        let theirs = |round: u32| self.stands.iter().filter(of).find(|other| other.round == round);
        let is_architect = stand.role == Side::Architect.name();
        let other = if is_architect { Side::Skeptic } else { Side::Architect };
        let opens = !stand.heard && (is_architect || theirs(1).is_some_and(|other| other.heard));
        let claims: Vec<&Asserted> = self
            .asserted
            .iter()
            .filter(|one| one.role == stand.role && one.round == stand.round && one.vote == stand.vote)
            .collect();
        let mut citations: Vec<String> = claims.iter().flat_map(|claim| claim.facts.iter().cloned()).collect();
        citations.sort();
        citations.dedup();
        let level = if is_architect { threat_level(stand.confidence) } else { assessment(stand.confidence) };
        Message {
            id: String::new(),
            source: stand.role.clone(),
            target: if self.is_answered(stand) { other.name() } else { "judge" }.to_owned(),
            phase: match (stand.round, opens) {
                (1, true) => Phase::Thesis,
                (1, false) => Phase::Antithesis,
                _ => Phase::Synthesis,
            },
            message_type: match (claims.is_empty(), stand.heard) {
                (true, _) => MessageType::Observation,
                (false, false) => MessageType::Hypothesis,
                (false, true) => MessageType::Rebuttal,
            },
            round: stand.round,
            vote: stand.vote,
            confidence: Some(stand.confidence),
            level: level.to_owned(),
            assertions: claims.into_iter().map(Claim::of).collect(),
            citations,
            unknowns: stand.unknowns.clone(),
            signs: Vec::new(),
            audits: Vec::new(),
            discount: None,
            narrative: None,
        }
    }

    /// Whether the other side answers a position before its own side speaks again.
    fn is_answered(&self, stand: &Confidence) -> bool {
        let later = self.stands.iter().skip_while(|other| !std::ptr::eq(*other, stand)).skip(1);
        let mut later = later.filter(|other| other.vote == stand.vote);
        later.find(|other| other.role == stand.role || other.heard).is_some_and(|other| other.role != stand.role)
    }

    /// What the gate asks for, where it lets the case go on.
    fn request(&self) -> Option<Message> {
        let gate = self.escalation.as_ref().filter(|gate| gate.escalated)?;
        Some(Message {
            level: gate.verdict.clone(),
            confidence: Some(gate.certainty),
            signs: gate.signs.clone(),
            ..plain("gate", Phase::Synthesis, MessageType::Request, 1)
        })
    }

    /// What the audit makes of the claims of a side.
    fn audit_message(&self, of: Side) -> Option<Message> {
        let of_side = self.audited.iter().filter(|one| one.role == of.name());
        let audits: Vec<ClaimAudit> = of_side.map(|one| one.audit.clone()).collect();
        if audits.is_empty() {
            return None;
        }
        let other = if of == Side::Architect { Side::Skeptic } else { Side::Architect };
        let is_asked = audits.iter().any(|audit| audit.answer != UNANSWERED);
        let survive = audits.iter().filter(|audit| audit.survives).count();
        let mut citations: Vec<String> = audits.iter().flat_map(|audit| audit.facts.iter().cloned()).collect();
        citations.sort();
        citations.dedup();
        let round = self.last(of).map_or(1, |stand| stand.round);
        Some(Message {
            target: of.name().to_owned(),
            level: format!("{survive} of {} claims survive", audits.len()),
            citations,
            audits,
            ..plain(if is_asked { other.name() } else { "audit" }, Phase::Synthesis, MessageType::Rebuttal, round)
        })
    }

    /// What the active Oracle did.
    fn challenge(&self) -> Option<Message> {
        let challenged = self.challenged.as_ref()?;
        let target = if challenged.against.is_empty() { "all" } else { &challenged.against };
        let round = self.concluded().map_or(1, |verdict| verdict.round);
        // With nobody to attack it only looked.
        let message_type = if challenged.facts.is_empty() { MessageType::Observation } else { MessageType::Rebuttal };
        Some(Message {
            target: target.to_owned(),
            level: format!("{} before, {} after", challenged.before, challenged.after),
            citations: challenged.facts.clone(),
            discount: Some(challenged.discount),
            ..plain("oracle", Phase::Synthesis, message_type, round)
        })
    }

    fn verdict_message(&self, verdict: &VerdictGiven) -> Message {
        Message {
            level: verdict.verdict.clone(),
            confidence: Some(verdict.certainty),
            vote: verdict.vote,
            narrative: self.narrated.as_ref().map(|words| words.text.clone()),
            ..plain("judge", Phase::Resolution, MessageType::Verdict, verdict.round)
        }
    }
}

/// A message to all without claims.
fn plain(source: &str, phase: Phase, message_type: MessageType, round: u32) -> Message {
    Message {
        id: String::new(),
        source: source.to_owned(),
        target: "all".to_owned(),
        phase,
        message_type,
        round,
        vote: None,
        confidence: None,
        level: String::new(),
        assertions: Vec::new(),
        citations: Vec::new(),
        unknowns: Vec::new(),
        signs: Vec::new(),
        audits: Vec::new(),
        discount: None,
        narrative: None,
    }
}

impl Claim {
    fn of(one: &Asserted) -> Self {
        Self {
            id: one.claim.clone(),
            kind: one.kind.clone(),
            predicate: one.predicate.clone(),
            facts: one.facts.clone(),
            check: one.check.clone(),
        }
    }
}

/// A claim's audit for a terminal.
fn audit_text(audit: &ClaimAudit) -> String {
    let facts = if audit.facts.is_empty() { String::new() } else { format!(" with {}", audit.facts.join(", ")) };
    let state = if audit.survives { "survives" } else { "is struck" };
    format!("    {} {state}: {}, {}, answered {}{facts}", audit.claim, audit.support, audit.check, audit.answer)
}

impl Message {
    /// The message for a terminal: a line of what it is, and a line for each claim and unknown.
    #[must_use]
    pub fn text(&self) -> String {
        let vote = self.vote.map(|vote| format!(", vote {vote}")).unwrap_or_default();
        let confidence = self.confidence.map(|confidence| format!(" {confidence}")).unwrap_or_default();
        let mut lines = vec![format!(
            "{} {} -> {}: {} ({}, round {}{vote}), {}{confidence}",
            self.id,
            self.source,
            self.target,
            self.message_type.name(),
            self.phase.name(),
            self.round,
            self.level
        )];
        lines.extend(self.assertions.iter().map(|claim| {
            format!(
                "    {} {} {} over {}: {}",
                claim.id,
                claim.kind,
                claim.predicate,
                claim.facts.join(", "),
                claim.check
            )
        }));
        lines.extend(self.audits.iter().map(audit_text));
        lines.extend(self.discount.map(|discount| {
            let facts = if self.citations.is_empty() { "no fact".to_owned() } else { self.citations.join(", ") };
            format!("    takes {discount} off the confidence, by facts that nobody cited: {facts}")
        }));
        lines.extend(self.signs.iter().map(|sign| format!("    sign of miscalibration: {sign}")));
        lines.extend(self.unknowns.iter().map(|unknown| format!("    unknown: {unknown}")));
        lines.extend(self.narrative.iter().map(|words| format!("    {words}")));
        lines.join("\n")
    }
}
