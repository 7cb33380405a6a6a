//! Rules: a kind of fault with its rate, the calls that it is bounded to, and what it plants.

use std::sync::Arc;

use gimbal_core::Digest;
use serde_json::{Value, json};

use super::{Fault, decimal};
use crate::attacks::{Attack, CHOICE};

/// A kind of fault with its rate and its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it does.
    pub fault: Fault,
    /// How often, in millionths of the calls within its bounds.
    pub rate: u32,
    /// The calls that it may be injected into.
    pub bounds: Bounds,
    /// What [`Fault::Planted`] plants; without a text it plants nothing.
    pub text: Option<PlantedText>,
    /// The attack whose text it plants, in the place of a text of its own.
    pub attack: Option<Attack>,
}

/// Calls that a rule is bounded to; `None` bounds nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Who sends the message.
    pub from: Option<String>,
    /// Who gets the message.
    pub to: Option<String>,
    /// Number of the step under way, from 1.
    pub step: Option<u32>,
}

/// A text that is put into what an agent sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlantedText {
    /// The text; empty where its file was not read yet.
    pub text: Arc<str>,
    /// Path of the file that holds it, in the data folders; `None` where the study itself does.
    pub file: Option<String>,
}

/// The place of a call among those of its site.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallPlace<'a> {
    /// Who sends the message; empty for what is none.
    pub from: &'a str,
    /// Who gets the message; empty for what is none.
    pub to: &'a str,
    /// Number of the step under way, from 1.
    pub step: u32,
}

impl Bounds {
    /// Whether a call is within them.
    #[must_use]
    pub fn hold(&self, call: &CallPlace<'_>) -> bool {
        let is = |bound: &Option<String>, name: &str| bound.as_ref().is_none_or(|bound| bound == name);
        is(&self.from, call.from) && is(&self.to, call.to) && self.step.is_none_or(|step| step == call.step)
    }
}

impl Rule {
    /// A rule without bounds.
    #[must_use]
    pub fn new(fault: Fault, rate: u32) -> Self {
        Self { fault, rate, bounds: Bounds::default(), text: None, attack: None }
    }

    /// Whether it has its effect at most once in an episode: a text that is planted at a named step. It is planted on the main lane alone, where
    /// calls have one order.
    #[must_use]
    pub const fn is_once(&self) -> bool {
        matches!(self.fault, Fault::Planted) && self.bounds.step.is_some()
    }

    /// What of it goes into a cell's identity. Without bounds and text it is what it was before there were any.
    pub(super) fn identity(&self) -> Value {
        let mut identity = json!({ "kind": self.fault.key(), "per_million": self.rate });
        let Bounds { from, to, step } = &self.bounds;
        let text = self.text.as_ref().map(|text| Digest::of(text.text.as_bytes()).to_string());
        for (key, bound) in [("from", from), ("to", to), ("text", &text)] {
            if let Some(bound) = bound {
                identity[key] = Value::from(bound.as_str());
            }
        }
        if let Some(attack) = &self.attack {
            identity["attack"] = json!({
                "category": attack.category.name(), "choice": CHOICE, "suite": attack.suite.digest().to_string(),
            });
        }
        if let Some(step) = step {
            identity["step"] = Value::from(*step);
        }
        identity
    }

    /// What it is called where the study gives no name.
    pub(super) fn label(&self) -> String {
        let Bounds { from, to, step } = &self.bounds;
        let text = self.text.as_ref().map(|text| match &text.file {
            Some(file) => file.clone(),
            None => Digest::of(text.text.as_bytes()).short(),
        });
        let step = step.map(|step| step.to_string());
        let attack = self.attack.as_ref().map(|attack| attack.category.name().to_owned());
        let suite = self.attack.as_ref().and_then(|attack| attack.file.clone());
        let bounds =
            [("from", from), ("to", to), ("step", &step), ("text", &text), ("attack", &attack), ("suite", &suite)];
        let bounds: Vec<String> =
            bounds.iter().filter_map(|(key, bound)| Some(format!("{key} {}", bound.as_ref()?))).collect();
        let plain = format!("{} {}", self.fault.key(), decimal(self.rate));
        if bounds.is_empty() { plain } else { format!("{plain} ({})", bounds.join(", ")) }
    }
}
