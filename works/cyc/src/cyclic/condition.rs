//! What a cell plays in a study of controllers: control, exposure of tools, shots, models by role.

use gimbal_messages::records::control::{PLANNER, ROUTERS};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use gimbal_analysis::CellInfo;
use gimbal_analysis::work_folds::RunCell;

/// How a cell is controlled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// One agent with all tools (CYC-026).
    React,
    /// Forward-only subtasks (CYC-025).
    Dag,
    /// A cyclic graph that is made for every task (CYC-020).
    Spec,
    /// A cyclic graph that is made once and used again (CYC-021).
    Gen,
    /// A cyclic graph of which no episode says where it came from.
    Cyclic,
    /// Anything else.
    #[default]
    Other,
}

impl Control {
    /// Those of the work, in its order.
    pub const COMPARED: [Self; 4] = [Self::React, Self::Dag, Self::Spec, Self::Gen];

    /// What it is called in tables.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::React => "ReAct",
            Self::Dag => "DepDAG",
            Self::Spec => "Spec-Cyc",
            Self::Gen => "Gen-Cyc",
            Self::Cyclic => "Cyclic",
            Self::Other => "other",
        }
    }

    /// Machine name.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::React => "react",
            Self::Dag => "dag",
            Self::Spec => "spec",
            Self::Gen => "gen",
            Self::Cyclic => "cyclic",
            Self::Other => "other",
        }
    }

    /// Whether a cyclic graph is in force.
    #[must_use]
    pub const fn is_cyclic(self) -> bool {
        matches!(self, Self::Spec | Self::Gen | Self::Cyclic)
    }
}

/// What the plan says of a cell; journals say the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// Name of the architecture.
    pub architecture: String,
    /// Where its graphs come from (`planner`, `family`, ...), if the settings say so.
    pub source: Option<String>,
    /// Whether executors are restricted to tools of their node, if the settings say so.
    pub specialists: Option<bool>,
    /// Summaries of won episodes that the planner reads (CYC-023), if the settings say so.
    pub shots: Option<u32>,
    /// In millionths, how likely an answer of the player is not the competent one, where every role of the agent plays with
    /// the same known error rate.
    pub error: Option<u32>,
    /// Whether final answers pass a gate on their evidence (CYC-095).
    pub gated: bool,
}

impl Setup {
    /// The part of a cell that its settings determine; journals give the rest.
    #[must_use]
    pub fn of(cell: &RunCell<'_>) -> Self {
        let architecture = &cell.identity["architecture"];
        let settings = &architecture["settings"];
        // A name, or an object whose key is the name and whose value is what the graph is made of.
        let source = &settings["source"];
        let source = source.as_str().or_else(|| source.as_object()?.keys().next().map(String::as_str));
        let shots = &settings["shots"];
        let shots = shots.as_array().map(|list| list.len() as u64).or_else(|| shots.as_u64());
        Self {
            architecture: architecture["base"].as_str().unwrap_or_default().to_owned(),
            source: source.map(str::to_owned),
            specialists: settings["specialist"].as_bool(),
            shots: shots.and_then(|count| u32::try_from(count).ok()),
            error: cell.error,
            gated: is_on(&settings["gate"]),
        }
    }
}

/// Whether a setting that is off, a name or an object is on.
fn is_on(setting: &Value) -> bool {
    match setting {
        Value::Null => false,
        Value::Bool(on) => *on,
        Value::String(name) => !["", "none", "off"].contains(&name.as_str()),
        _ => true,
    }
}

/// What the file of a graph names as its maker where no model made it.
const BY_HAND: &str = "hand";

/// What a cell plays.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Condition {
    /// Environment with its options.
    pub environment: String,
    /// How it is controlled.
    pub control: Control,
    /// Whether executors are restricted to tools of their node.
    pub specialists: bool,
    /// Summaries that the planner reads.
    pub shots: u32,
    /// Model of the planner, where there is one.
    pub planner: Option<String>,
    /// Whether the graph was written by hand and no model planned it.
    #[serde(default)]
    pub by_hand: bool,
    /// Name of the summaries that the planner of a given graph read; empty for none.
    #[serde(default)]
    pub graph_shots: String,
    /// Model that acts.
    pub executor: Option<String>,
    /// Model of the router, or of the analyser of a forward-only list.
    pub router: Option<String>,
    /// Injected faults as the study calls them; empty for none.
    pub faults: String,
    /// The player's error rate in millionths, where it is known and one for all roles.
    #[serde(default)]
    pub error: Option<u32>,
    /// Whether final answers pass a gate on their evidence (CYC-095).
    #[serde(default)]
    pub gated: bool,
}

impl Condition {
    /// From the plan, and from what the episodes' graphs say where the plan is silent: a planner that gives no graph
    /// falls back on one that is not its own.
    #[must_use]
    pub fn of(info: &CellInfo, setup: &Setup, sources: &[String], specialists: bool) -> Self {
        let model = |roles: &[&str]| {
            let named = |role: &&str| info.models.iter().find(|entry| entry.role == **role);
            let other = info.models.iter().find(|entry| entry.role == "default");
            roles.iter().find_map(named).or(other).map(|entry| entry.model.clone())
        };
        let sources: Vec<&str> = match &setup.source {
            Some(source) => vec![source],
            None => sources.iter().map(String::as_str).collect(),
        };
        let control = match setup.architecture.as_str() {
            "react" => Control::React,
            "dag" => Control::Dag,
            "cyclic" if sources.contains(&"planner") => Control::Spec,
            "cyclic" if sources.is_empty() => Control::Cyclic,
            "cyclic" => Control::Gen,
            _ => Control::Other,
        };
        let graphs = control.is_cyclic() || control == Control::Dag;
        Self {
            environment: info.environment.clone(),
            control,
            specialists: setup.specialists.unwrap_or(specialists),
            shots: setup.shots.unwrap_or(0),
            planner: model(&[PLANNER]).filter(|_| graphs),
            by_hand: false,
            graph_shots: String::new(),
            executor: model(&["executor"]),
            router: model(&ROUTERS).filter(|_| graphs),
            faults: info.faults.clone(),
            error: setup.error,
            gated: setup.gated,
        }
    }

    /// With what the files of given graphs say of their maker.
    pub(crate) fn made(mut self, (planner, shots): (&str, &str)) -> Self {
        match planner {
            "" => {}
            BY_HAND => (self.by_hand, self.planner) = (true, Some("by hand".to_owned())),
            model => self.planner = Some(model.to_owned()),
        }
        self.graph_shots = shots.to_owned();
        self
    }

    /// How many summaries the planner read, as tables say it.
    #[must_use]
    pub fn shots_text(&self) -> String {
        match (self.by_hand, self.graph_shots.as_str(), self.shots) {
            (true, ..) => "no planner".to_owned(),
            (false, "", count) => count.to_string(),
            (false, name, _) => name.to_owned(),
        }
    }

    /// Models as `planner/executor/router`, the last part of each name; one name where all are the same.
    #[must_use]
    pub fn models(&self) -> String {
        let names: Vec<&str> =
            [&self.planner, &self.executor, &self.router].into_iter().flatten().map(|name| short(name)).collect();
        match names.as_slice() {
            [] => "none".to_owned(),
            [first, rest @ ..] if rest.iter().all(|name| name == first) => (*first).to_owned(),
            several => several.join("/"),
        }
    }

    /// Control with what sets it apart from the plain one.
    #[must_use]
    pub fn label(&self) -> String {
        let mut label = self.control.title().to_owned();
        if self.specialists {
            label.push_str(", specialists");
        }
        if self.shots > 0 {
            label.push_str(&format!(", {}-shot", self.shots));
        }
        if self.gated {
            label.push_str(", gated");
        }
        label
    }

    /// Whether the other cell differs in its faults alone.
    #[must_use]
    pub fn is_same_but_faults(&self, other: &Self) -> bool {
        Self { faults: String::new(), ..self.clone() } == Self { faults: String::new(), ..other.clone() }
    }
}

/// The last part of a model's name, if it says something.
pub(crate) fn short(name: &str) -> &str {
    let tail = name.rsplit('/').next().unwrap_or(name);
    if tail.chars().any(char::is_alphabetic) { tail } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimbal_analysis::{CellDecoding, Kind, RoleModel, Thresholds};

    fn info(models: &[(&str, &str)]) -> CellInfo {
        let models =
            models.iter().map(|(role, model)| RoleModel { role: (*role).to_owned(), model: (*model).to_owned() });
        CellInfo {
            id: "c".to_owned(),
            environment: "environment".to_owned(),
            configuration: "c".to_owned(),
            axis: None,
            models: models.collect(),
            decoding: CellDecoding::Free,
            kind: Kind::Remote,
            plumbing: None,
            planned: 1,
            thresholds: Thresholds::default(),
            faults: String::new(),
            simulator: false,
            acts_by_messages: false,
        }
    }

    #[test]
    fn journals_say_how_a_graph_came_about() {
        let cell = info(&[("planner", "o/4o-mini"), ("executor", "o/5-mini"), ("router", "o/5-mini")]);
        let cyclic = Setup { architecture: "cyclic".to_owned(), ..Setup::default() };
        let of = |sources: &[&str]| {
            let sources: Vec<String> = sources.iter().map(|source| (*source).to_owned()).collect();
            Condition::of(&cell, &cyclic, &sources, true)
        };
        assert_eq!(of(&["planner"]).control, Control::Spec);
        assert_eq!(of(&["artefact"]).control, Control::Gen);
        assert_eq!(of(&[]).control, Control::Cyclic);
        let said = Setup { source: Some("planner".to_owned()), ..cyclic.clone() };
        let fallen = Condition::of(&cell, &said, &["suggested".to_owned()], false);
        assert_eq!(fallen.control, Control::Spec, "the plan says so, though no planner gave a graph");
        assert_eq!(
            (of(&["file"]).models(), of(&["file"]).label()),
            ("4o-mini/5-mini/5-mini".into(), "Gen-Cyc, specialists".into())
        );
        let react = Setup { architecture: "react".to_owned(), ..Setup::default() };
        let agent = Condition::of(&info(&[("default", "o/4o-mini")]), &react, &[], false);
        assert_eq!((agent.control, agent.models(), agent.planner), (Control::React, "4o-mini".into(), None));
        let all = Condition::of(&info(&[("default", "noisy/0.1")]), &cyclic, &[], false);
        assert_eq!(all.models(), "noisy/0.1");
    }
}
