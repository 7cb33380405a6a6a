//! Proposals: what a layer wants of a step, with what it needs and what it brings about (CTHA-070).

use gimbal_core::{Milli, ToolCall};
use serde::{Deserialize, Serialize};

use crate::authority::Category;
use crate::{Layer, Pattern};

/// What a layer wants of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// The layer that wants it.
    pub layer: Layer,
    /// A call for this step, or what must hold from now on.
    pub content: Content,
    /// What kind of decision it is.
    pub category: Category,
    /// Resources that it uses.
    pub resources: Vec<Use>,
    /// What it brings about.
    pub effects: Vec<Effect>,
    /// The last step in which it holds; `None` where it holds until it is released. A call holds in its own step alone.
    pub until: Option<u32>,
    /// How soon it must happen, in thousandths from 0 to 1 (Eq. 24).
    pub urgency: Milli,
    /// How sure the layer is, in thousandths from 0 to 1 (Eq. 24).
    pub confidence: Milli,
    /// Whether the layer says that something is being harmed now. It counts where the call stops or waits, and nowhere else (CTHA-076).
    pub emergency: bool,
}

/// A call or a directive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// A call for this step.
    Call(ToolCall),
    /// What must hold from now on.
    Directive(Directive),
}

/// What a slower layer lets faster ones do while it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directive {
    /// Its name: of a rule, a subgoal or a constraint.
    pub id: String,
    /// What it says, for prompts and traces.
    pub text: String,
    /// Calls that it excludes.
    pub forbids: Vec<Pattern>,
    /// Calls that it leaves; empty where it leaves all that it does not exclude.
    pub only: Vec<Pattern>,
}

/// The use of a resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Use {
    /// Name of the resource.
    pub resource: String,
    /// Whether it is changed. Any number may read a resource at once; who writes it has it alone.
    pub writes: bool,
}

/// What a proposal brings about: `key` will be `value`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Effect {
    /// What is changed.
    pub key: String,
    /// What it will be. Another value under the same key contradicts it.
    pub value: String,
}

impl Proposal {
    /// A call that a layer wants, of the usual category of its layer, without resources and effects, at urgency and confidence 0.
    #[must_use]
    pub fn call(layer: Layer, call: ToolCall) -> Self {
        Self::bare(layer, Content::Call(call), Category::of_call(layer))
    }

    /// A directive that a layer wants, as [`Proposal::call`].
    #[must_use]
    pub fn directive(layer: Layer, directive: Directive) -> Self {
        Self::bare(layer, Content::Directive(directive), Category::of_directive(layer))
    }

    fn bare(layer: Layer, content: Content, category: Category) -> Self {
        let (resources, effects) = (Vec::new(), Vec::new());
        let (urgency, confidence) = (Milli::ZERO, Milli::ZERO);
        Self { layer, content, category, resources, effects, until: None, urgency, confidence, emergency: false }
    }

    /// The same proposal that uses a resource too.
    #[must_use]
    pub fn using(mut self, resource: &str, writes: bool) -> Self {
        self.resources.push(Use { resource: resource.to_owned(), writes });
        self
    }

    /// The same proposal that brings about more.
    #[must_use]
    pub fn making(mut self, key: &str, value: &str) -> Self {
        self.effects.push(Effect { key: key.to_owned(), value: value.to_owned() });
        self
    }

    /// The same proposal with this urgency and confidence.
    #[must_use]
    pub const fn scored(mut self, urgency: Milli, confidence: Milli) -> Self {
        self.urgency = urgency;
        self.confidence = confidence;
        self
    }

    /// The call, where it is one.
    #[must_use]
    pub const fn as_call(&self) -> Option<&ToolCall> {
        match &self.content {
            Content::Call(call) => Some(call),
            Content::Directive(_) => None,
        }
    }

    /// The directive, where it is one.
    #[must_use]
    pub const fn as_directive(&self) -> Option<&Directive> {
        match &self.content {
            Content::Directive(directive) => Some(directive),
            Content::Call(_) => None,
        }
    }
}

impl Directive {
    /// Whether it lets a call through.
    #[must_use]
    pub fn allows(&self, call: &ToolCall) -> bool {
        let forbidden = self.forbids.iter().any(|pattern| pattern.matches(call));
        !forbidden && (self.only.is_empty() || self.only.iter().any(|pattern| pattern.matches(call)))
    }
}
