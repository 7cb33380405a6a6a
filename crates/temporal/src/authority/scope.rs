//! Scopes: what each layer may decide and what it must not (Tab. 10; CTHA-060, CTHA-061).

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Category, Decision};
use crate::Layer;

/// The scopes of all layers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Scope>", into = "Vec<Scope>")]
pub struct Authority(Vec<Scope>);

/// What a layer may decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// The layer.
    pub layer: Layer,
    /// Kinds of decision that it may take.
    pub permits: Vec<Category>,
    /// What it must not do.
    pub excludes: Vec<Exclusion>,
}

/// Something that a layer must not do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// In the terms of Tab. 10.
    pub what: String,
    /// The kinds of decision that it is.
    pub categories: Vec<Category>,
}

/// Where a decision is, seen from a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// Within its authority.
    Permitted,
    /// In its scope, on another time scale.
    Untimely,
    /// Not in its scope.
    Outside,
    /// Named among what it must not do.
    Forbidden,
}

/// Scopes that contradict themselves.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScopeError {
    /// A layer has two scopes.
    #[error("scopes: layer `{0}` has two; write one for each layer")]
    Twice(Layer),
    /// A kind of decision is permitted and forbidden at once.
    #[error("scopes, layer `{layer}`: `{}` is permitted and excluded; take it out of one of the lists", category.name())]
    Both {
        /// The layer.
        layer: Layer,
        /// The kind.
        category: Category,
    },
}

impl Authority {
    /// Scopes of one's own. A layer without a scope may hand decisions over and nothing else.
    ///
    /// # Errors
    /// When a layer has two scopes, or one permits what it excludes.
    pub fn new(scopes: Vec<Scope>) -> Result<Self, ScopeError> {
        for (place, scope) in scopes.iter().enumerate() {
            if scopes[..place].iter().any(|other| other.layer == scope.layer) {
                return Err(ScopeError::Twice(scope.layer));
            }
            let both = scope.permits.iter().find(|category| scope.excludes_category(**category));
            if let Some(category) = both {
                return Err(ScopeError::Both { layer: scope.layer, category: *category });
            }
        }
        Ok(Self(scopes))
    }

    /// The scopes of Tab. 10. Those of Meta are ours: it may learn and change policies, as Institutional, and must not act.
    #[must_use]
    pub fn published() -> Self {
        use Category::{
            ConstraintModification, DeadlineSetting, ErrorRetry, GoalDecomposition, ImmediateResponse,
            LocalOptimisation, MetaLearning, ParameterSelection, PlanRevision, PolicyUpdate, ResourceAllocation,
            StepOrdering, SubtaskSplit, ThresholdTuning, ToolInvocation, WorkingMemoryUpdate,
        };
        let above = |what: &str| -> Vec<Exclusion> {
            vec![
                exclusion("direct task execution", &[ToolInvocation, ParameterSelection, ErrorRetry]),
                exclusion("tactical decisions", &[StepOrdering, LocalOptimisation, SubtaskSplit]),
                exclusion(what, &[ImmediateResponse]),
            ]
        };
        Self(vec![
            scope(
                Layer::Reflex,
                &[ToolInvocation, ParameterSelection, ErrorRetry, ImmediateResponse],
                vec![
                    exclusion("goal modification", &[GoalDecomposition]),
                    exclusion("plan changes", &[PlanRevision, DeadlineSetting]),
                    exclusion("resource reallocation", &[ResourceAllocation]),
                    exclusion("policy updates", &[PolicyUpdate, ThresholdTuning, ConstraintModification]),
                ],
            ),
            scope(
                Layer::Tactical,
                &[StepOrdering, LocalOptimisation, WorkingMemoryUpdate, SubtaskSplit],
                vec![
                    exclusion("strategic commitments", &[PlanRevision, GoalDecomposition, DeadlineSetting]),
                    exclusion("safety rule changes", &[PolicyUpdate, ConstraintModification]),
                    exclusion("long-term resource binding", &[ResourceAllocation]),
                ],
            ),
            scope(
                Layer::Strategic,
                &[PlanRevision, GoalDecomposition, ResourceAllocation, DeadlineSetting],
                vec![
                    exclusion("immediate tool calls", &[ToolInvocation, ImmediateResponse]),
                    exclusion("policy modifications", &[PolicyUpdate, ThresholdTuning]),
                    exclusion("constitutional changes", &[ConstraintModification]),
                ],
            ),
            scope(
                Layer::Institutional,
                &[PolicyUpdate, ThresholdTuning, ConstraintModification, MetaLearning],
                above("immediate responses"),
            ),
            scope(
                Layer::Meta,
                &[PolicyUpdate, ThresholdTuning, ConstraintModification, MetaLearning],
                above("immediate responses"),
            ),
        ])
    }

    /// The scope of a layer.
    #[must_use]
    pub fn scope(&self, layer: Layer) -> Option<&Scope> {
        self.0.iter().find(|scope| scope.layer == layer)
    }

    /// Where a decision is, seen from a layer (Eq. 19). Idle is permitted to all; an escalation where it goes to a slower layer, a
    /// delegation where it goes to a faster one.
    #[must_use]
    pub fn permission(&self, layer: Layer, decision: &Decision) -> Permission {
        let goes = |right: bool| if right { Permission::Permitted } else { Permission::Outside };
        match decision.category {
            Category::Idle => return Permission::Permitted,
            Category::Escalation => return goes(decision.to.is_some_and(|to| to > layer)),
            Category::Delegation => return goes(decision.to.is_some_and(|to| to < layer)),
            _ => {}
        }
        let Some(scope) = self.scope(layer) else { return Permission::Outside };
        if scope.excludes_category(decision.category) {
            return Permission::Forbidden;
        }
        if !scope.permits.contains(&decision.category) {
            return Permission::Outside;
        }
        // Meta decides of policies on a longer time than the layer to which they belong: only a span of its own is compared.
        let span = if decision.category.home() == Some(layer) { decision.span() } else { decision.span };
        match span {
            Some((least, most)) if !(least..=most).contains(&layer.spec().tau) => Permission::Untimely,
            _ => Permission::Permitted,
        }
    }

    /// Whether a layer may take decisions of a kind, whatever their time.
    #[must_use]
    pub fn permits(&self, layer: Layer, category: Category) -> bool {
        category.home().is_none() || self.scope(layer).is_some_and(|scope| scope.permits.contains(&category))
    }
}

impl Scope {
    /// Whether a kind of decision is among what the layer must not do.
    #[must_use]
    pub fn excludes_category(&self, category: Category) -> bool {
        self.excludes.iter().any(|exclusion| exclusion.categories.contains(&category))
    }
}

impl TryFrom<Vec<Scope>> for Authority {
    type Error = ScopeError;

    fn try_from(scopes: Vec<Scope>) -> Result<Self, ScopeError> {
        Self::new(scopes)
    }
}

impl From<Authority> for Vec<Scope> {
    fn from(authority: Authority) -> Self {
        authority.0
    }
}

fn scope(layer: Layer, permits: &[Category], excludes: Vec<Exclusion>) -> Scope {
    Scope { layer, permits: permits.to_vec(), excludes }
}

fn exclusion(what: &str, categories: &[Category]) -> Exclusion {
    Exclusion { what: what.to_owned(), categories: categories.to_vec() }
}
