//! Which controller a family of tasks asks for: the workflow signature and the selection matrix (CYC-090, CYC-091).
//!
//! A signature is four measures. Each of the four regimes of the matrix is a point among them; the nearest one is taken,
//! and the advice says how near it is, which measures speak for it and how far off the next regime lies.

use serde::{Deserialize, Serialize};

use super::trajectory::Graph;

/// What a family of tasks is like (CYC-090). The three shares lie between 0 and 1; what lies outside counts as the end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkflowSignature {
    /// Share of acts that are possible only after other acts: 1 where all is one chain.
    pub prerequisite_density: f64,
    /// How little the agent can foresee of what its acts bring: 1 where nothing can be known beforehand.
    pub state_uncertainty: f64,
    /// Share of what decides success that the agent sees: 1 where it can inspect the whole state.
    pub observability: f64,
    /// What repairs a failure; `None` where it is not known, and then it counts for no regime.
    pub repair: Option<RepairSemantics>,
}

/// What repairs a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepairSemantics {
    /// The failed act itself, done right: nothing earlier has to be done again.
    Local,
    /// Going back to an earlier subtask.
    Backtracking,
    /// New or better evidence; going back alone repairs nothing.
    Evidence,
    /// Now this and now that, by subtask.
    Mixed,
}

/// A measure in words, as the matrix has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Little of it.
    Low,
    /// Some.
    Moderate,
    /// Much.
    High,
}

impl Level {
    /// The share that the word means.
    #[must_use]
    pub const fn share(self) -> f64 {
        match self {
            Self::Low => 0.2,
            Self::Moderate => 0.5,
            Self::High => 0.8,
        }
    }

    /// The word for a share: the nearest of the three.
    #[must_use]
    pub fn of(share: f64) -> Self {
        if share < 0.35 {
            Self::Low
        } else if share <= 0.65 {
            Self::Moderate
        } else {
            Self::High
        }
    }

    /// The word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Moderate => "moderate",
            Self::High => "high",
        }
    }
}

/// Of the plays that were fixed, the share up to which they are fixed on the spot, and that from which they are fixed by going back.
const BACKTRACKING: (f64, f64) = (0.2, 0.5);

impl RepairSemantics {
    /// What repairs a failure, by the share of fixed plays in which something had to be gone back to. Where tasks are questions that are answered
    /// by what is read (`reads`), evidence does. `None` if no play was fixed.
    #[must_use]
    pub fn measured(backtracking: Option<f64>, reads: bool) -> Option<Self> {
        match backtracking {
            _ if reads => Some(Self::Evidence),
            None => None,
            Some(share) if share <= BACKTRACKING.0 => Some(Self::Local),
            Some(share) if share >= BACKTRACKING.1 => Some(Self::Backtracking),
            Some(_) => Some(Self::Mixed),
        }
    }

    /// The word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Backtracking => "backtracking",
            Self::Evidence => "evidence",
            Self::Mixed => "mixed",
        }
    }

    const fn meaning(self) -> &'static str {
        match self {
            Self::Local => "a failed action is repaired on the spot",
            Self::Backtracking => "a failure is repaired by going back to an earlier subtask",
            Self::Evidence => "a failure is repaired by better evidence and not by going back alone",
            Self::Mixed => "what repairs a failure differs from subtask to subtask",
        }
    }
}

/// A regime of the matrix (CYC-091).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Regime {
    /// A chain of acts whose order can be known.
    PrerequisiteChain,
    /// Search, mistakes and going back are part of the work.
    Recovery,
    /// What counts is found, weighed and put together from outside.
    EvidenceSynthesis,
    /// Several of these at once.
    Mixed,
}

/// A way to control a workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Controller {
    /// One agent with all tools.
    React,
    /// Subtasks in a fixed forward order.
    StaticDag,
    /// Legal states and their transitions, loops for recovery among them.
    StateMachine,
    /// Every subtask reachable from every other.
    CompleteCyclic,
    /// What is left of it once the useless transitions are dropped.
    SparseCyclic,
    /// A workflow whose evidence is checked: gates, audits of retrieval, verification of the answer.
    GatedWorkflow,
}

impl Regime {
    /// All, in the order of the matrix.
    pub const ALL: [Self; 4] = [Self::PrerequisiteChain, Self::Recovery, Self::EvidenceSynthesis, Self::Mixed];

    /// Machine name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PrerequisiteChain => "prerequisite-chain",
            Self::Recovery => "recovery",
            Self::EvidenceSynthesis => "evidence-synthesis",
            Self::Mixed => "mixed",
        }
    }

    /// What it is called in tables.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::PrerequisiteChain => "Chain of prerequisites",
            Self::Recovery => "Recovery and exploration",
            Self::EvidenceSynthesis => "Synthesis of evidence",
            Self::Mixed => "Mixed automation",
        }
    }

    /// The point among the measures that represents it.
    #[must_use]
    pub const fn signature(self) -> WorkflowSignature {
        let (prerequisite_density, state_uncertainty, observability, repair) = match self {
            Self::PrerequisiteChain => (Level::High, Level::Low, Level::High, RepairSemantics::Local),
            Self::Recovery => (Level::Moderate, Level::High, Level::Low, RepairSemantics::Backtracking),
            Self::EvidenceSynthesis => (Level::Moderate, Level::High, Level::Low, RepairSemantics::Evidence),
            Self::Mixed => (Level::Moderate, Level::Moderate, Level::Moderate, RepairSemantics::Mixed),
        };
        WorkflowSignature {
            prerequisite_density: prerequisite_density.share(),
            state_uncertainty: state_uncertainty.share(),
            observability: observability.share(),
            repair: Some(repair),
        }
    }

    /// Controllers to deploy, the first one first.
    #[must_use]
    pub const fn recommended(self) -> &'static [Controller] {
        match self {
            Self::PrerequisiteChain => &[Controller::React, Controller::StaticDag],
            Self::Recovery => &[Controller::CompleteCyclic, Controller::StateMachine],
            Self::EvidenceSynthesis => &[Controller::GatedWorkflow],
            Self::Mixed => &[Controller::CompleteCyclic, Controller::SparseCyclic],
        }
    }

    /// What fails most in it.
    #[must_use]
    pub const fn failure(self) -> &'static str {
        match self {
            Self::PrerequisiteChain => "an intermediate step is left out or done too early",
            Self::Recovery => "the agent looks in the wrong place, an act fails, or what it believes is out of date",
            Self::EvidenceSynthesis => "the right source is not found, or the answer is not grounded in it",
            Self::Mixed => "a local failure spreads to other subtasks",
        }
    }

    /// What to do, in a sentence.
    #[must_use]
    pub const fn what_to_do(self) -> &'static str {
        match self {
            Self::PrerequisiteChain => {
                "Run one agent or a fixed forward order; use the complete graph as a stress test only, and prune it."
            }
            Self::Recovery => {
                "Keep every subtask reachable, or a state machine with loops for recovery; keep the ways back and those that verify."
            }
            Self::EvidenceSynthesis => {
                "Add gates on evidence, an audit of retrieval and a check of the final answer; cyclic routing alone does not help."
            }
            Self::Mixed => {
                "Begin with the complete graph to measure recovery and cost, then learn or cut a sparse graph from it."
            }
        }
    }
}

impl Controller {
    /// What a router is that chose among the ways of these graphs.
    pub(super) fn over<'a>(graphs: impl Iterator<Item = &'a Graph> + Clone) -> Self {
        if graphs.clone().any(Graph::is_machine) {
            Self::StateMachine
        } else if graphs.clone().any(|graph| graph.edges.len() < graph.nodes.len().pow(2)) {
            Self::SparseCyclic
        } else {
            Self::CompleteCyclic
        }
    }

    /// Machine name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::React => "react",
            Self::StaticDag => "static-dag",
            Self::StateMachine => "state-machine",
            Self::CompleteCyclic => "complete-cyclic",
            Self::SparseCyclic => "sparse-cyclic",
            Self::GatedWorkflow => "gated-workflow",
        }
    }
}

/// What is advised, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The nearest regime.
    pub regime: Regime,
    /// Controllers to deploy, the first one first.
    pub recommended: Vec<Controller>,
    /// What to do, in a sentence.
    pub what_to_do: String,
    /// What will fail most.
    pub failure: String,
    /// Why: one sentence a measure, those that speak for the regime and those that speak against it.
    pub reasons: Vec<String>,
    /// The next nearest regime.
    pub next: Regime,
    /// How much farther off that one is, in the units of the measures; near 0 the advice could as well be the other.
    pub margin: f64,
}

/// A different kind of repair is as far off as a measure from end to end.
const REPAIR: f64 = 1.0;
/// Below this margin the advice says that it is a close call.
const CLOSE: f64 = 0.25;

/// Advises a controller for a signature (CYC-091).
#[must_use]
pub fn advise(signature: &WorkflowSignature) -> Advice {
    let mut near: Vec<(Regime, f64)> =
        Regime::ALL.into_iter().map(|regime| (regime, distance(signature, &regime.signature()))).collect();
    // Stable: of two equally near regimes the one earlier in the matrix is taken.
    near.sort_by(|left, right| left.1.total_cmp(&right.1));
    let ((regime, nearest), (next, other)) = (near[0], near[1]);
    let margin = other - nearest;
    let mut reasons = reasons(signature, regime);
    if margin < CLOSE {
        reasons.push(format!(
            "A close call: {} is almost as near ({:.2} against {:.2}); measure both.",
            next.title().to_lowercase(),
            other,
            nearest
        ));
    }
    Advice {
        regime,
        recommended: regime.recommended().to_vec(),
        what_to_do: regime.what_to_do().to_owned(),
        failure: regime.failure().to_owned(),
        reasons,
        next,
        margin,
    }
}

fn shares(signature: &WorkflowSignature) -> [f64; 3] {
    [signature.prerequisite_density, signature.state_uncertainty, signature.observability]
        .map(|share| if share.is_nan() { 0.5 } else { share.clamp(0.0, 1.0) })
}

fn distance(one: &WorkflowSignature, other: &WorkflowSignature) -> f64 {
    let apart: f64 = shares(one).iter().zip(shares(other)).map(|(one, other)| (one - other).abs()).sum();
    let differs = one.repair.zip(other.repair).is_some_and(|(one, other)| one != other);
    apart + if differs { REPAIR } else { 0.0 }
}

fn meaning(repair: Option<RepairSemantics>) -> &'static str {
    repair.map_or("not known", RepairSemantics::meaning)
}

fn reasons(signature: &WorkflowSignature, regime: Regime) -> Vec<String> {
    let wanted = regime.signature();
    let names = ["prerequisite density", "uncertainty of the state", "observability"];
    let measures = names.into_iter().zip(shares(signature)).zip(shares(&wanted));
    let mut reasons: Vec<String> = measures
        .map(|((name, share), wanted)| {
            let (level, ideal) = (Level::of(share), Level::of(wanted));
            let verdict = if level == ideal {
                "as in this regime".to_owned()
            } else {
                format!("against it: {} is typical", ideal.name())
            };
            format!("The {name} is {} ({share:.2}), {verdict}.", level.name())
        })
        .collect();
    reasons.push(match signature.repair {
        None => "Repair: what repairs a failure is not known, and was not used.".to_owned(),
        repair if repair == wanted.repair => format!("Repair: {}, as in this regime.", meaning(repair)),
        repair => format!("Repair: {}, which is not typical of it.", meaning(repair)),
    });
    reasons
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cyclic::trajectory::{GraphEdge, GraphNode};

    #[test]
    fn a_controller_is_named_by_the_ways_of_its_graphs() {
        let graph = |ways: &str, edges: usize| Graph {
            ways: ways.to_owned(),
            nodes: vec![GraphNode::default(); 2],
            edges: vec![GraphEdge::default(); edges],
            ..Graph::default()
        };
        for (ways, edges, controller) in [
            ("complete", 4, Controller::CompleteCyclic),
            ("sparse", 3, Controller::SparseCyclic),
            ("machine", 3, Controller::StateMachine),
        ] {
            assert_eq!(Controller::over([graph(ways, edges)].iter()), controller, "{ways}");
        }
    }

    /// The four regimes of the work, with the pairs that stand for three of them.
    // covers: CYC-090, CYC-091
    #[test]
    fn each_regime_of_the_matrix_gets_its_controllers() {
        let of = |density: f64, uncertainty: f64, observability: f64, repair| {
            advise(&WorkflowSignature {
                prerequisite_density: density,
                state_uncertainty: uncertainty,
                observability,
                repair: Some(repair),
            })
        };
        // Crafting: order known once the recipes are read, the inventory can be inspected.
        let crafting = of(0.9, 0.25, 0.95, RepairSemantics::Local);
        assert_eq!((crafting.regime, crafting.recommended[0]), (Regime::PrerequisiteChain, Controller::React));
        assert!(!crafting.recommended.contains(&Controller::CompleteCyclic));
        // A household: objects are hidden, a wrong place means going back.
        let household = of(0.5, 0.75, 0.25, RepairSemantics::Backtracking);
        assert_eq!((household.regime, household.recommended[0]), (Regime::Recovery, Controller::CompleteCyclic));
        // Filings: going back without new evidence repairs nothing.
        let filings = of(0.45, 0.85, 0.3, RepairSemantics::Evidence);
        assert_eq!(
            (filings.regime, &filings.recommended[..]),
            (Regime::EvidenceSynthesis, &[Controller::GatedWorkflow][..])
        );
        let enterprise = of(0.5, 0.55, 0.5, RepairSemantics::Mixed);
        assert_eq!((enterprise.regime, enterprise.recommended[1]), (Regime::Mixed, Controller::SparseCyclic));
        for advice in [&crafting, &household, &filings, &enterprise] {
            assert_eq!(advice.reasons.len(), 4, "{:?}", advice.reasons);
            assert!(advice.margin > CLOSE);
        }
        insta::assert_snapshot!(household.reasons.join("\n"), @r"
        The prerequisite density is moderate (0.50), as in this regime.
        The uncertainty of the state is high (0.75), as in this regime.
        The observability is low (0.25), as in this regime.
        Repair: a failure is repaired by going back to an earlier subtask, as in this regime.
        ");
    }

    // covers: CYC-091
    #[test]
    fn between_two_regimes_the_advice_says_so() {
        // All measures of a household, and repair of neither kind: recovery and evidence are equally near.
        let between = WorkflowSignature { repair: Some(RepairSemantics::Local), ..Regime::Recovery.signature() };
        let advice = advise(&between);
        assert_eq!((advice.regime, advice.next), (Regime::Recovery, Regime::EvidenceSynthesis));
        assert!(advice.margin.abs() < 1e-12);
        assert!(advice.reasons.iter().any(|reason| reason.starts_with("A close call")), "{:?}", advice.reasons);
    }

    /// What is not known speaks for no regime.
    // covers: CYC-091
    #[test]
    fn a_repair_that_is_not_known_is_not_used() {
        let of = |repair| advise(&WorkflowSignature { repair, ..Regime::Recovery.signature() });
        let unknown = of(None);
        assert!(unknown.reasons[3].contains("not known"), "{:?}", unknown.reasons);
        assert!(unknown.margin < of(Some(RepairSemantics::Backtracking)).margin, "it told the two apart before");
        assert_eq!(unknown.regime, Regime::Recovery);
    }

    proptest! {
        /// Any signature gets advice, and the nearest regime is never farther than another; nonsense does not panic.
        // covers: CYC-091
        #[test]
        fn any_signature_gets_the_nearest_regime(
            density in prop_oneof![Just(f64::NAN), -2.0..3.0_f64],
            uncertainty in -2.0..3.0_f64,
            observability in -2.0..3.0_f64,
            kind in 0..5_usize,
        ) {
            let kinds = [RepairSemantics::Local, RepairSemantics::Backtracking, RepairSemantics::Evidence, RepairSemantics::Mixed];
            let repair = kinds.get(kind).copied();
            let signature = WorkflowSignature {
                prerequisite_density: density, state_uncertainty: uncertainty, observability, repair,
            };
            let advice = advise(&signature);
            let own = distance(&signature, &advice.regime.signature());
            prop_assert!(Regime::ALL.iter().all(|other| own <= distance(&signature, &other.signature()) + 1e-12));
            prop_assert!(advice.margin >= 0.0 && advice.regime != advice.next);
            prop_assert!(!advice.recommended.is_empty());
        }
    }
}
