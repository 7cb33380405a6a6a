//! The environments whose requests are read, each with one task: those of the project's list, whether or not a reader can play them.

use std::sync::Arc;

use gimbal_alfworld::Alfworld;
use gimbal_core::{Catalogue, Limits, TaskId};
use gimbal_env_kit::workbench::{Given, Setup, Workbench};
use gimbal_model::reader::Page;
use gimbal_readers::is_known;
use gimbal_study::faults::Faults;
use serde_json::{Value, json};

use super::common::{Cell, READER};

/// The player of environments that no reader knows: the environment's own expert, where it has one.
const EXPERT: &str = "noisy/1.0";

/// How far the reader comes in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It defends until the horizon.
    Horizon,
    /// It wins, alone and under a controller.
    Win,
    /// It does not win, or nobody says that it does: only the first calls are played.
    Start,
}

/// An environment with one task to play.
pub struct Place {
    /// Name for files and stumbles. It begins with the environment's own name.
    pub name: &'static str,
    pub family: Arc<dyn Catalogue>,
    pub options: Value,
    pub reach: Reach,
    /// The model that plays.
    pub player: &'static str,
    /// The split of the task; the first one that has tasks where it is empty.
    split: &'static str,
    /// Place of the task among those of the split: of filings a question with figures in its answer, which a verifier is asked about.
    task: usize,
}

impl Place {
    /// The first task of an environment with its default options.
    pub fn of(family: Arc<dyn Workbench>) -> Self {
        let setup = Setup::read(&*family, Given::default()).unwrap();
        let mut place = Self {
            name: family.name(),
            options: setup.options(),
            family,
            reach: Reach::Start,
            player: EXPERT,
            split: "",
            task: 0,
        };
        if place.is_known() {
            place.player = READER;
        }
        place
    }

    /// The task, or the one at another place of the split.
    pub fn task(&self, other: Option<usize>) -> TaskId {
        let mut splits = self.family.splits().iter().filter(|split| self.split.is_empty() || **split == self.split);
        let all = splits.find_map(|split| self.family.tasks(split, &self.options).ok().filter(|all| !all.is_empty()));
        all.unwrap().remove(other.unwrap_or(self.task))
    }

    /// Whether a reader knows the environment by the first request of an agent.
    fn is_known(&self) -> bool {
        let mut cell = Cell::new("react", json!({}), "json", false);
        cell.player = self.player;
        let (task, limits) = (self.task(None), Limits { tool_calls: Some(1), ..Limits::default() });
        // A thread of its own: the caller may be in a runtime.
        let asked = std::thread::scope(|scope| {
            let play = || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                let faults = Faults::default();
                let played = cell.session(&*self.family, &self.options, (&task, 4), (false, limits, &faults));
                runtime.block_on(played).remove(0).1
            };
            scope.spawn(play).join().unwrap()
        });
        asked.first().is_some_and(|one| is_known(&Page::of(&one.request)))
    }
}

/// The places of an environment of whose reader more is known, or whose tasks are long; empty if its place by default is enough.
fn chosen(family: &Arc<dyn Workbench>) -> Vec<Place> {
    let of = |name, options, split, reach| {
        let family = Arc::clone(family) as Arc<dyn Catalogue>;
        Place { name, family, options, split, task: 0, reach, player: READER }
    };
    // Generated households: those of published files depend on what is at hand.
    let household =
        |name, options| Place { family: Arc::new(Alfworld::over(None)), ..of(name, options, "generated", Reach::Win) };
    match family.name() {
        name @ "cage2" => vec![of(name, json!({ "red": "b_line", "horizon": 7 }), "train", Reach::Horizon)],
        name @ "yawning_titan" => vec![of(name, json!({ "horizon": 7 }), "train", Reach::Horizon)],
        name @ "textcraft" => vec![of(name, Value::Null, "depth-3-test", Reach::Win)],
        name @ "alfworld" => vec![
            household(name, json!({ "tools": "split" })),
            household("alfworld-2.1.1", json!({ "wording": "2.1.1" })),
        ],
        name @ "finance_agent" => vec![Place { task: 1, ..of(name, json!({}), "synthetic", Reach::Win) }],
        name @ "triage" => vec![of(name, json!({}), "dev", Reach::Win)],
        // A reader plays one agent of the game of agreement, and not alone for all to its end.
        name @ "consensus" => vec![of(name, json!({}), "dev", Reach::Start)],
        _ => Vec::new(),
    }
}

pub fn all() -> Vec<Place> {
    let places = |family: Arc<dyn Workbench>| match chosen(&family) {
        none if none.is_empty() => vec![Place::of(family)],
        chosen => chosen,
    };
    gimbal_environments::all().into_iter().flat_map(places).collect()
}

/// The places in which the reader comes so far.
pub fn reached(reach: Reach) -> Vec<Place> {
    all().into_iter().filter(|place| place.reach == reach).collect()
}
