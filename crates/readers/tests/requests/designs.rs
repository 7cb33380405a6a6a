//! Which designs are read in which environment: every family with its shipped configurations, wherever it fits.

use std::collections::BTreeSet;
use std::sync::Arc;

use gimbal_agent::Family;
use gimbal_agent::persona::configurations;
use gimbal_architectures::families;
use gimbal_core::Limits;
use gimbal_study::faults::{Fault, Faults, ONE};
use gimbal_testkit::plays::dispute::DisputeKind;
use serde_json::{Value, json};

use super::common::{Cell, PROTOCOLS, architecture, controllers, files, solver};
use super::places::{Place, Reach};

/// Most tool calls of an episode that only shows what its agents are told. The first trial of a session misses its goal by it.
const FEW_CALLS: u64 = 6;
/// Configurations of one agent and its advisers that are read in every form wherever they fit.
const CHOSEN: [&str; 5] = ["obs", "hist+net", "+COT", "hier-base", "hier-delib"];

/// An architecture with settings.
#[derive(Clone)]
pub struct Design {
    pub family: Arc<dyn Family>,
    /// Name for files and stumbles.
    pub name: String,
    pub settings: Value,
    /// Whether it is read in every form of answers. Others take the protocols by turns.
    pub every_form: bool,
    /// Whether the whole task is played.
    pub whole: bool,
    /// Place of its task among those of the split, where it is another one than that of the environment.
    pub task: Option<usize>,
    /// Whether figures of its answers are falsified, so that someone is asked about them.
    pub misstated: bool,
    /// Whether its prompts are those of a published work, in the words of that work.
    pub published: bool,
}

impl Design {
    fn new(family: &Arc<dyn Family>, name: &str, settings: Value) -> Self {
        let (family, name) = (Arc::clone(family), name.replace(['+', ' '], "_"));
        Self { family, name, settings, every_form: true, whole: true, task: None, misstated: false, published: false }
    }

    /// The forms of answers in which the design is read here; `turn` is its place in the order of all.
    pub fn forms(&self, turn: usize) -> Vec<Cell> {
        let all = Cell::all(self.family.name(), &self.settings).into_iter();
        all.filter(|cell| self.every_form || cell.protocol == PROTOCOLS[turn % PROTOCOLS.len()]).collect()
    }

    pub fn limits(&self) -> Limits {
        Limits { tool_calls: (!self.whole).then_some(FEW_CALLS), ..Limits::default() }
    }

    pub fn faults(&self) -> Faults {
        Faults::new(self.misstated.then_some((Fault::Misstated, ONE)))
    }

    /// Why it does not fit an environment, as the plan sees it; empty where it fits.
    pub fn unmet(&self, place: &Place) -> Vec<String> {
        let architecture = architecture(self.family.name(), &self.settings);
        let lacks = architecture.lacks(place.family.name());
        architecture.needs().unmet(&place.family.offers()).into_iter().chain(lacks).collect()
    }

    /// Whether any agent is asked.
    pub fn asks(&self) -> bool {
        !architecture(self.family.name(), &self.settings).needs().roles.is_empty()
    }
}

/// The families that ask agents, and a throw-away one that no file of the test names: a new family is read as it is.
pub fn asking() -> Vec<Arc<dyn Family>> {
    let all = families().into_iter().chain([Arc::new(DisputeKind) as Arc<dyn Family>]);
    all.filter(|family| family.asks_agents()).collect()
}

/// The designs of one family: its shipped configurations, what it is audited in, and what only shows in a whole task.
fn of(family: &Arc<dyn Family>, is_defence: bool) -> Vec<Design> {
    let flat = ["react", "hierarchy"].contains(&family.name());
    let mut all: Vec<Design> = configurations(&files())
        .unwrap()
        .into_iter()
        .filter(|known| known.base == family.name())
        .map(|known| {
            let is_on = |key: &str| known.settings.get(key) == Some(&json!(true));
            Design {
                every_form: flat && (is_defence || CHOSEN.contains(&known.name.as_str())),
                whole: flat && is_defence,
                published: is_on("strict") || is_on("artefact"),
                ..Design::new(family, &known.name, json!({ "configuration": known.name }))
            }
        })
        .collect();
    let audited = family.audited().into_iter().enumerate();
    all.extend(audited.map(|(number, settings)| {
        let name = format!("{}-{number}", family.name());
        Design { whole: flat, ..Design::new(family, &name, settings) }
    }));
    all.extend(further(family));
    all
}

/// Settings that no configuration names: one conversation for a whole task, the ways to a graph, and a gate before answers.
fn further(family: &Arc<dyn Family>) -> Vec<Design> {
    let mut gated = solver();
    gated["gate"] = "evidence".into();
    let mut all = vec![("solver-gate", "react", gated)];
    all.extend(controllers());
    all.push(("Gen-Cyc-ahead", "cyclic", json!({ "graph": "family", "batch": 3 })));
    all.push(("cyclic-gate", "cyclic", json!({ "graph": "family", "gate": "evidence" })));
    // What follows a gate, and who is asked beside a debate.
    all.push((
        "gate-open",
        "debate",
        json!({ "gate": { "low": 0, "high": 1, "certainty": "oracle" }, "narrator": "model" }),
    ));
    all.push(("beside", "debate", json!({ "configuration": "active-oracle+model", "narrator": "model" })));
    let own = all.into_iter().filter(|(_, base, _)| *base == family.name());
    let design = |name: &str, settings: Value| Design {
        whole: name != "gate-open" && name != "beside",
        // A challenger attacks the side that is surer; of the first packet both are equally sure.
        task: (name == "beside").then_some(1),
        misstated: settings.get("gate") == Some(&json!("evidence")),
        ..Design::new(family, name, settings)
    };
    own.map(|(name, _, settings)| design(name, settings)).collect()
}

/// The designs of these families that fit an environment.
pub fn fitting(families: &[Arc<dyn Family>], place: &Place) -> Vec<Design> {
    let all = families.iter().flat_map(|family| of(family, place.reach == Reach::Horizon));
    let all = all.map(|design| Design { whole: design.whole && place.reach != Reach::Start, ..design });
    all.filter(|design| design.asks() && design.unmet(place).is_empty()).collect()
}

/// The environments of the project: each is a folder.
pub fn environments() -> BTreeSet<String> {
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../envs");
    let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = folders.filter(|folder| folder.join("Cargo.toml").exists());
    named.map(|folder| folder.file_name().unwrap().to_string_lossy().into_owned()).collect()
}
