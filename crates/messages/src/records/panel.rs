//! What a panel records: the answers of its members, how far they agree, and the ballots of its rounds (ARES-098, ARES-122).

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use super::records;

records! {
    /// Kinds that a panel writes, beside those of the engine.
    Opinion = "opinion",
    NoOpinion = "no_opinion",
    Tabulated = "tabulated",
    Ruled = "ruled",
    Balloted = "balloted",
}

/// What a member answered to the five questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// The member, such as `panelist_1`.
    pub member: String,
    /// The role whose model answered.
    pub role: String,
    /// Its answer to the task.
    pub answer: String,
    /// The strongest single finding: the id of a fact, `none`, or words where the brief has no facts.
    pub finding: String,
    /// What is missing most: `nothing`, `permission`, `identity`, `habit`, `content`, `outcome` or `records`.
    pub gap: String,
    /// What should be done next: `close`, `watch`, `ask`, `collect`, `contain`, `escalate` or `search`.
    pub next: String,
    /// One thing that others may overlook.
    pub wild_card: String,
}

/// A member gave no answer that could be used; it counts in no agreement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoOpinion {
    /// The member.
    pub member: String,
    /// The role whose model was asked.
    pub role: String,
    /// What was wrong with its last attempt.
    pub reason: String,
}

/// How far the members agree in one of the five answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tabulated {
    /// The question: `answer`, `finding`, `gap`, `next` or `wild_card`.
    pub question: String,
    /// `unanimous`: every member gave the same answer. `majority`: more than half of the members did. `split`: neither.
    pub agreement: String,
    /// The answer of most members, as the first of them wrote it; missing where several answers have as many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Members that gave the most frequent answer.
    pub votes: u32,
    /// Members that answered.
    pub answered: u32,
    /// Members that were asked.
    pub members: u32,
}

/// What each rule makes of the members' answers to the task, and which of them was followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruled {
    /// The rule that was followed: `unanimous`, `majority` or `single`.
    pub rule: String,
    /// The answer that every member gave; missing where they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanimous: Option<String>,
    /// The answer that more than half of the members gave; missing where none has so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub majority: Option<String>,
    /// The answer of the first member; missing where it gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single: Option<String>,
    /// The answer that was concluded; missing where the rule gives none, and the idle call was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Share of the members that gave the concluded answer; 0 without one.
    pub certainty: Milli,
}

/// What one seat gave in a round of an environment that is played by ballots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Balloted {
    /// The seat: a subject of the brief.
    pub agent: String,
    /// The round, from 1.
    pub round: u32,
    /// The role whose model was asked.
    pub role: String,
    /// Its value; missing where it abstains or gave nothing that could be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<u64>,
    /// `stop` or `continue`.
    pub vote: String,
    /// Its reason, as the others read it.
    pub reason: String,
    /// Its plan, which no other seat reads.
    pub strategy: String,
    /// Whether the model gave nothing that could be used, so that the environment lets the seat keep its value.
    pub fallback: bool,
}
