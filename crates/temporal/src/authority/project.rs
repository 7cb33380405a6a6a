//! Projection to the nearest decision within a layer's authority (Eq. 7, Eq. 20; CTHA-062, CTHA-065).

use gimbal_core::{Rejection, RejectionKind};
use serde::{Deserialize, Serialize};

use super::decision::edits;
use super::{Authority, Category, Decision, Distance, Permission};
use crate::Layer;

/// Why a decision was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It is within the layer's authority and stays.
    Kept,
    /// It is beyond the layer's authority.
    Authority(Permission),
    /// It would do harm, so that a slower layer has to look at it (Sec. 5.7).
    Harm,
}

/// A decision within a layer's authority, and what it replaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Projected {
    /// The decision.
    pub decision: Decision,
    /// How far it is from the one that was taken.
    pub distance: Distance,
    /// Why it is another one.
    pub reason: Reason,
}

impl Authority {
    /// The decision within the authority of `layer` that is nearest to `decision`. A decision that is within it stays as it is. Else it is the
    /// nearest of `candidates`, of handing the decision over to one of the `layers` of the hierarchy, and of idle; of those equally
    /// near it is the first in the order of [`Decision`]. Candidates beyond the layer's authority are passed over.
    #[must_use]
    pub fn project(&self, layer: Layer, layers: &[Layer], decision: &Decision, candidates: &[Decision]) -> Projected {
        let permission = self.permission(layer, decision);
        if permission == Permission::Permitted {
            return kept(decision);
        }
        let handed = layers.iter().filter(|other| **other != layer).map(|other| hand_over(decision, layer, *other));
        let handed: Vec<Decision> = handed.chain([Decision::idle()]).collect();
        // Words are compared only where the kinds are nearest: letters cost more to count than kinds.
        let mut nearest: (usize, Vec<&Decision>) = (usize::MAX, Vec::new());
        for candidate in candidates.iter().chain(&handed) {
            let steps = decision.steps_to(candidate);
            if steps > nearest.0 || self.permission(layer, candidate) != Permission::Permitted {
                continue;
            }
            if steps < nearest.0 {
                nearest = (steps, Vec::new());
            }
            nearest.1.push(candidate);
        }
        let mut found: Option<(Distance, &Decision)> = None;
        for candidate in nearest.1 {
            let most = found.map_or(usize::MAX, |(distance, _)| distance.content);
            let Some(content) = edits(&decision.content, &candidate.content, most) else { continue };
            let distance = Distance { category: nearest.0, content };
            if found.is_none_or(|best| (distance, candidate) < best) {
                found = Some((distance, candidate));
            }
        }
        let (distance, decision) = match found {
            Some((distance, candidate)) => (distance, candidate.clone()),
            None => (decision.distance(&Decision::idle()), Decision::idle()),
        };
        Projected { decision, distance, reason: Reason::Authority(permission) }
    }

    /// As [`Authority::project`], for a decision that would do harm where `harmful`. Such a decision of a layer with slower ones above it is
    /// escalated, to Strategic or the slower layer next to the one that took it; in a hierarchy without slower layers it becomes idle.
    #[must_use]
    pub fn review(
        &self,
        layer: Layer,
        layers: &[Layer],
        decision: &Decision,
        candidates: &[Decision],
        harmful: bool,
    ) -> Projected {
        if !harmful || decision.category.home().is_none() {
            return self.project(layer, layers, decision, candidates);
        }
        let slower = || layers.iter().copied().filter(|other| *other > layer);
        let to = slower().filter(|other| *other >= Layer::Strategic).min().or_else(|| slower().min());
        let decided = to.map_or_else(Decision::idle, |to| hand_over(decision, layer, to));
        Projected { distance: decision.distance(&decided), decision: decided, reason: Reason::Harm }
    }
}

impl Projected {
    /// What an agent reads of a replaced decision; `None` where it stays.
    #[must_use]
    pub fn rejection(&self, layer: Layer) -> Option<Rejection> {
        let why = match self.reason {
            Reason::Kept => return None,
            Reason::Harm => "does harm".to_owned(),
            Reason::Authority(Permission::Untimely) => format!("is on another time scale than that of {layer}"),
            Reason::Authority(_) => format!("is not for {layer} to take"),
        };
        let then = match (self.decision.category, self.decision.to) {
            (Category::Escalation | Category::Delegation, Some(to)) => format!("it was handed to {to}"),
            (Category::Idle, _) => "nothing was done".to_owned(),
            (category, _) => format!("`{}` ({}) replaces it", self.decision.content, category.name()),
        };
        Some(Rejection::new(RejectionKind::Forbidden, format!("the decision {why}; {then}")))
    }
}

fn kept(decision: &Decision) -> Projected {
    Projected { decision: decision.clone(), distance: Distance { category: 0, content: 0 }, reason: Reason::Kept }
}

/// The decision, handed from one layer to another.
fn hand_over(decision: &Decision, from: Layer, to: Layer) -> Decision {
    let category = if to > from { Category::Escalation } else { Category::Delegation };
    Decision { category, content: decision.content.clone(), to: Some(to), span: None }
}
