//! What a debate over a packet of evidence records (ARES-008, ARES-030, ARES-035, ARES-044..052, ARES-078, ARES-132, ARES-133).
//!
//! Roles are `architect` and `skeptic`. `vote` numbers the independent single turns of a vote from 1, and is absent elsewhere.
//! Confidences are thousandths.

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use super::records;

/// The sides, which send messages under these names.
pub const SIDES: [&str; 2] = ["architect", "skeptic"];

records! {
    /// Kinds that a debate writes, beside those of the engine and of reading.
    Asserted = "asserted",
    Refused = "refused",
    Confidence = "confidence",
    FellBack = "fell_back",
    Breach = "breach",
    Rounds = "rounds",
    VerdictGiven = "verdict",
    Escalation = "escalation",
    Audited = "audited",
    Challenged = "challenged",
    Narrated = "narrated",
}

/// An assertion that is in a position: every citation of it exists (ARES-008, ARES-028).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asserted {
    /// The side that made it.
    pub role: String,
    /// The round, from 1.
    pub round: u32,
    /// Number of the vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vote: Option<u32>,
    /// Id of the assertion in its round, such as `A1`.
    pub claim: String,
    /// `ASSERT`, `LINK` or `ALT`.
    pub kind: String,
    /// The predicate as written.
    pub predicate: String,
    /// The cited facts.
    pub facts: Vec<String>,
    /// Confidence in this assertion; that of the side where it has none of its own.
    pub confidence: Milli,
    /// What the side takes it for.
    pub interpretation: String,
    /// What code says of it: `entailed`, `contradicted` or `unchecked`.
    pub check: String,
}

/// An assertion, or a whole message, was refused and dropped (ARES-008, ARES-030). It is not a tool call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The side that wrote it.
    pub role: String,
    /// The round, from 1.
    pub round: u32,
    /// Number of the vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vote: Option<u32>,
    /// Number of the attempt, from 1; 2 is the repair.
    pub attempt: u32,
    /// `unknown_fact`, `missing_facts`, `unknown_predicate`, `bad_form`, `empty_assertions`, `unreadable`, `no_new_fact` or
    /// `unknown_claim`.
    pub reason: String,
    /// What was found, shortened.
    pub what: String,
}

/// The position of a side in a round (ARES-078).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confidence {
    /// The side.
    pub role: String,
    /// The round, from 1.
    pub round: u32,
    /// Number of the vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vote: Option<u32>,
    /// Its confidence: of the Architect that there is a threat, of the Skeptic that there is none.
    pub confidence: Milli,
    /// Its confidence in the round before; absent in the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Milli>,
    /// What answered: `model`, `rules` or `deterministic`.
    pub strategy: String,
    /// Whether rules answered in the place of a model that gave nothing valid (ARES-035).
    pub fallback: bool,
    /// Assertions that stand.
    pub assertions: u32,
    /// Different facts that they cite.
    pub facts: u32,
    /// Those of them that this side had not cited before.
    pub new_facts: u32,
    /// Facts that the side names as the reason for a change of its confidence, in an anchored round (ARES-046).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Own claims that it gives up, in an anchored round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conceded: Vec<String>,
    /// Whether it answered what the other side had said; absent where it did not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub heard: bool,
    /// What it says would settle the question and is not in the packet (ARES-029).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknowns: Vec<String>,
}

/// Rules answered in the place of a model (ARES-035, ARES-R7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FellBack {
    /// The side.
    pub role: String,
    /// The round, from 1.
    pub round: u32,
    /// Number of the vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vote: Option<u32>,
    /// `no_answer`, `unreadable` or `nothing_valid`, and what the model gave.
    pub reason: String,
}

/// A side broke a rule of the debate. The position is kept as it was given: the judge gets what was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breach {
    /// The side.
    pub role: String,
    /// The round, from 2.
    pub round: u32,
    /// `rigid`: the other side cited new facts, and neither the confidence nor the cited facts changed (ARES-047); of an Architect in an anchored
    /// round only where new facts explain what it cites, by code, since it is asked to keep its confidence otherwise. `unfounded`: a confidence
    /// changed by more than 0.10 and no fact is named for it (ARES-046).
    pub rule: String,
    /// Id of the claim, or `overall`.
    pub claim: String,
    /// How much the confidence changed.
    pub change: Milli,
}

/// How many rounds a debate had, and why there were no more (ARES-043).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rounds {
    /// Rounds.
    pub rounds: u32,
    /// `rounds`: as many as were allowed. `no_new_facts`: the last one cited no fact for the first time. `settled`: both confidences moved by
    /// less than 0.10. `not_escalated`: the gate let the single turn stand.
    pub reason: String,
}

/// A claim as the judge over claims weighed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weighed {
    /// Id of the claim.
    pub claim: String,
    /// `threat` or `benign`.
    pub side: String,
    /// Its confidence.
    pub confidence: Milli,
    /// Facts that weigh.
    pub facts: u32,
    /// Whether it holds: it was not rebutted with other facts, and the facts do not contradict it.
    pub survives: bool,
}

/// A verdict with everything that it follows from (ARES-044, ARES-062).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictGiven {
    /// What it follows: `round`, `audit`, `challenge`, `vote` or `majority`.
    pub after: String,
    /// The round, from 1.
    pub round: u32,
    /// Number of the vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vote: Option<u32>,
    /// Name of the judge, or `claims`.
    pub judge: String,
    /// `exact` or `float_compat`.
    pub arithmetic: String,
    /// Confidence of the Architect.
    pub architect: Milli,
    /// Confidence of the Skeptic.
    pub skeptic: Milli,
    /// Facts that the Architect cites.
    pub architect_facts: u32,
    /// Facts that the Skeptic cites.
    pub skeptic_facts: u32,
    /// The claims as the judge over claims weighs them, also where another judge decided; `None` in the verdict of a majority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<Vec<Weighed>>,
    /// The verdict.
    pub verdict: String,
    /// How sure it is.
    pub certainty: Milli,
    /// What that number is: `winner`, `margin`, `claims` or `votes`.
    pub definition: String,
    /// Whether rules answered for a model in a position that it is based on (ARES-R7).
    pub fallback: bool,
    /// Whether it is the one that was concluded.
    pub last: bool,
}

/// A gate decided whether the result of the single turn is final (ARES-048, ARES-051).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalation {
    /// The verdict of the single turn.
    pub verdict: String,
    /// How sure it is, by the gate's definition.
    pub certainty: Milli,
    /// The definition: `winner`, `margin` or `oracle`.
    pub definition: String,
    /// Lowest certainty of the band.
    pub low: Milli,
    /// Highest certainty of the band.
    pub high: Milli,
    /// Whether the certainty is in the band.
    pub in_band: bool,
    /// Signs of miscalibration that were found, where they are looked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signs: Vec<String>,
    /// Whether the case goes on.
    pub escalated: bool,
}

/// A claim was audited (ARES-052, ARES-133).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audited {
    /// The side that made the claim.
    pub role: String,
    /// What came out, as members beside `role`.
    #[serde(flatten)]
    pub audit: ClaimAudit,
}

/// What an audit says of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimAudit {
    /// Id of the claim.
    pub claim: String,
    /// `supported`, `weak` or `unsupported`: two valid facts or more, one, none.
    pub support: String,
    /// What code says of it: `entailed`, `contradicted` or `unchecked`.
    pub check: String,
    /// What the other side answers: `accept`, `rebut`, `no_contest`, or `none` where it was not asked or gave no answer.
    pub answer: String,
    /// Facts of the rebuttal that the claim does not cite.
    pub facts: Vec<String>,
    /// Whether the claim survives.
    pub survives: bool,
}

/// The active Oracle attacked the side that was surer (ARES-132).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenged {
    /// The side; empty where both were equally sure and nobody was attacked.
    pub against: String,
    /// What attacked: `rules` or `model`.
    pub strategy: String,
    /// Facts that speak against it and were cited by nobody.
    pub facts: Vec<String>,
    /// What was taken off its confidence.
    pub discount: Milli,
    /// The verdict before.
    pub before: String,
    /// The verdict after.
    pub after: String,
}

/// The verdict in words; they change nothing (ARES-026).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Narrated {
    /// `template` or `model`.
    pub by: String,
    /// The words.
    pub text: String,
    /// Ids in the words that are not facts of the packet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// Whether the template replaces a model that gave nothing.
    pub fallback: bool,
}
