//! Whether an architecture and an environment fit: what one needs and what the other offers.

use serde::{Deserialize, Serialize};

use crate::{GrammarKind, nearest};

/// An artefact that an architecture asks for with [`Stage::artefact`](crate::Stage::artefact). A study names its file under `artefacts`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtefactNeed {
    /// Name by which it is asked for.
    pub name: String,
    /// Whether the architecture plays without it too.
    pub is_optional: bool,
    /// Whether a scorer is made of it ([`Stage::scorer`](crate::Stage::scorer)); the plan refuses one of which none can be made.
    pub is_scorer: bool,
}

impl ArtefactNeed {
    /// An artefact without which the architecture cannot play.
    #[must_use]
    pub fn required(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_optional: false, is_scorer: false }
    }

    /// An artefact that may be missing.
    #[must_use]
    pub fn optional(name: impl Into<String>) -> Self {
        Self { is_optional: true, ..Self::required(name) }
    }

    /// The same, and a scorer is made of it.
    #[must_use]
    pub fn scorer(self) -> Self {
        Self { is_scorer: true, ..self }
    }
}

/// What an architecture needs of an environment. The plan refuses a pair that does not fit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// Kinds of material that the brief must hold.
    pub materials: Vec<String>,
    /// Subjects in the brief.
    pub subjects: bool,
    /// A forkable environment.
    pub simulator: bool,
    /// Built-in policies by name.
    pub policies: Vec<String>,
    /// Context blocks by name.
    pub blocks: Vec<String>,
    /// Read-only queries by generic name.
    pub queries: Vec<String>,
    /// A call that ends the task with an answer (CYC-095).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answers: bool,
    /// Roles of which a model must be named (`default` is used for roles that are not named).
    pub roles: Vec<String>,
    /// What kinds of grammars a role's answers take, where it decodes under constraint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grammars: Vec<(String, GrammarKind)>,
    /// Roles whose requests offer tools for native calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub native: Vec<String>,
    /// Whether control goes from one part to another through the stage: without it no fault can divert it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub routes: bool,
    /// Whether messages go between agents through the stage: without them none can be lost or altered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub messages: bool,
    /// Artefacts that it asks for, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artefacts: Vec<ArtefactNeed>,
    /// Embedders that it asks for, by name ([`Stage::embedder`](crate::Stage::embedder)).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub embedders: Vec<String>,
}

/// What an environment offers to an architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offers {
    /// Kinds of material in the brief.
    pub materials: Vec<String>,
    /// Whether the brief names subjects.
    pub subjects: bool,
    /// Whether the environment can be forked.
    pub simulator: bool,
    /// Built-in policies by name.
    pub policies: Vec<String>,
    /// Context blocks by name.
    pub blocks: Vec<String>,
    /// Read-only queries by generic name.
    pub queries: Vec<String>,
    /// Whether its briefs name a call that ends the task with an answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answers: bool,
    /// Roles that the environment's own tools ask (`reader`, `judge`, `user`).
    pub asks: Vec<String>,
}

impl Needs {
    /// Adds what one agent of several needs by itself: its queries, its roles and how they answer. What it needs of the
    /// environment beyond that, the architecture adds.
    pub fn add_agent(&mut self, agent: Self) {
        self.queries.extend(agent.queries);
        self.roles.extend(agent.roles);
        self.grammars.extend(agent.grammars);
        self.native.extend(agent.native);
        self.artefacts.extend(agent.artefacts);
        self.embedders.extend(agent.embedders);
    }

    /// Why the pair does not fit: a sentence for each thing that is missing. Empty when it fits.
    #[must_use]
    pub fn unmet(&self, offers: &Offers) -> Vec<String> {
        let mut reasons = Vec::new();
        if self.subjects && !offers.subjects {
            reasons.push("it needs subjects, and this environment names none".to_owned());
        }
        if self.simulator && !offers.simulator {
            reasons.push("it needs an environment that can be forked".to_owned());
        }
        if self.answers && !offers.answers {
            reasons.push("it needs a call that ends the task with an answer, and this environment has none".to_owned());
        }
        let lists = [
            ("material", &self.materials, &offers.materials),
            ("policy", &self.policies, &offers.policies),
            ("context block", &self.blocks, &offers.blocks),
            ("query", &self.queries, &offers.queries),
        ];
        for (what, needed, offered) in lists {
            for name in needed.iter().filter(|name| !offered.contains(name)) {
                let known = if offered.is_empty() { "none".to_owned() } else { offered.join(", ") };
                let hint = nearest::hint(name, offered.iter().map(String::as_str));
                reasons.push(format!("it needs the {what} `{name}`{hint} (this environment offers: {known})"));
            }
        }
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::{Needs, Offers};

    #[test]
    fn says_what_is_missing_and_what_there_is() {
        let needs = Needs { blocks: vec!["status".to_owned()], simulator: true, ..Needs::default() };
        let offers = Offers { blocks: vec!["observation".to_owned()], ..Offers::default() };
        assert_eq!(
            needs.unmet(&offers),
            [
                "it needs an environment that can be forked",
                "it needs the context block `status` (this environment offers: observation)",
            ]
        );
        assert!(Needs::default().unmet(&offers).is_empty());
    }
}
