//! Where a request was made: the cell, the environment, and what had been shown by then.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use gimbal_core::event::Body;
use gimbal_core::{Brief, TaskId, ToolSpec};

use super::common::{Asked, Cell, Played};
use super::letter::{Before, Cast, Letter, Now, messages};
use super::places::Place;

/// Where a request was made.
pub struct Scene {
    pub place: &'static str,
    /// Name of the cell for files and stumbles.
    pub cell: String,
    pub protocol: &'static str,
    pub constrained: bool,
    /// Whether the prompts are those of a published work, in its words.
    pub published: bool,
    /// The first observation.
    pub first: String,
    pub brief: Arc<Brief>,
    /// The environment's own tools.
    pub tools: Vec<String>,
    /// Those of them with a value that must be one of a list, now or always.
    pub closed: Vec<String>,
    /// Whether the environment's own words hold two braces, as those of a tool that fills in stored texts do.
    pub braces: bool,
    /// Ids of the facts of the brief's packet.
    pub facts: Vec<String>,
    /// Texts and schemas that were read before, by their hashes.
    pub read: RefCell<HashSet<u64>>,
}

impl Scene {
    /// The scene of an episode.
    pub async fn of(
        (place, task, seed): (&Place, &TaskId, u64),
        (cell, file, published): (&Cell, &str, bool),
        played: &Played,
    ) -> Self {
        let first = played.events().iter().find_map(|event| match &event.body {
            Body::Started(started) => Some(played.text(&started.observation)),
            _ => None,
        });
        let mut environment = place.family.open(&place.options).unwrap();
        environment.reset(task, seed).await.unwrap();
        let (brief, tools) = (Arc::clone(environment.brief()), environment.tools());
        let listed = |tool: &ToolSpec, name: &str| {
            let schema = &tool.parameters["properties"][name];
            schema.get("enum").is_some() || (brief.literals_change && environment.choices(&tool.name, name).is_some())
        };
        let closed = |tool: &&ToolSpec| tool.required().any(|name| listed(tool, name));
        let words = |tool: &ToolSpec| tool.description.contains("{{") || tool.parameters.to_string().contains("{{");
        Self {
            place: place.name,
            cell: file.to_owned(),
            protocol: cell.protocol,
            constrained: cell.constrained,
            published,
            first: first.as_deref().unwrap_or_default().trim().to_owned(),
            tools: tools.iter().map(|tool| tool.name.clone()).collect(),
            closed: tools.iter().filter(closed).map(|tool| tool.name.clone()).collect(),
            braces: tools.iter().any(words),
            facts: brief.materials.iter().flat_map(|material| facts(&material.text)).collect(),
            brief,
            read: RefCell::default(),
        }
    }

    /// Whether a text is read for the first time in this scene.
    pub fn is_new(&self, text: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        self.read.borrow_mut().insert(hasher.finish())
    }
}

/// The ids of the facts in the text of a packet.
fn facts(packet: &str) -> BTreeSet<String> {
    let ids = regex::Regex::new("\"id\": ?\"(F[0-9]+)\"").unwrap();
    ids.captures_iter(packet).map(|found| found[1].to_owned()).collect()
}

/// What had been shown when each request of an episode was made.
pub fn shown(played: &Played, cast: &Cast, asked: &[Asked]) -> Vec<Now> {
    let mut calls = calls(played);
    let mut before = BTreeMap::<&str, Before>::new();
    let mut all = Vec::new();
    for one in asked {
        // Lanes may change the order of roles, and not that of the calls to one.
        let own = calls.get_mut(&one.role).and_then(VecDeque::pop_front);
        let mut now = own.unwrap_or_else(|| panic!("a request to {} is not in the journal", one.role));
        now.before = before.get(one.role.as_str()).cloned();
        let again = Letter::of(one, (cast, &now)).is_ok_and(|letter| letter.is_repair());
        let brought = match &now.before {
            Some(before) if again => before.messages.clone(),
            _ => messages(one),
        };
        let answer = (!one.failed).then(|| one.answer.clone());
        before.insert(&one.role, Before { messages: brought, answer });
        all.push(now);
    }
    assert!(calls.values().all(VecDeque::is_empty), "the journal has calls that nobody was asked");
    all
}

/// What had been shown at each call of a journal, by role. Blocks belong to the role that is asked next in their lane, until there are others for it.
fn calls(played: &Played) -> BTreeMap<String, VecDeque<Now>> {
    let (mut made, mut blocks) = (BTreeMap::<u32, Vec<String>>::new(), BTreeMap::<(u32, String), Vec<String>>::new());
    let mut latest = None;
    let mut all = BTreeMap::<String, VecDeque<Now>>::new();
    for event in played.events() {
        match &event.body {
            Body::ContextBuilt(built) => {
                made.insert(event.lane, built.blocks.iter().map(|block| played.text(&block.text)).collect());
            }
            Body::Stepped(step) => latest = Some(played.text(&step.observation)),
            Body::ModelCalled(call) => {
                let own = blocks.entry((event.lane, call.role.clone())).or_default();
                if let Some(made) = made.remove(&event.lane) {
                    *own = made;
                }
                let now = Now { blocks: own.clone(), latest: latest.clone(), before: None };
                all.entry(call.role.clone()).or_default().push_back(now);
            }
            _ => {}
        }
    }
    all
}
