//! The simulator: one command in, one reply out.

use std::sync::Arc;

use gimbal_core::Digest;

use crate::command::{self, Command};
use crate::count::Count;
use crate::inventory::Inventory;
use crate::names::{NAMESPACE, NameId};
use crate::python::push_repr;
use crate::scene::Scene;
use crate::tree::{RecipeId, Tree};

/// What a reply says (CYC-034).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// `Got ...`
    Got,
    /// `Crafted ...`
    Crafted,
    /// `Inventory: ...`
    Inventory,
    /// `Could not find <item>`: it is made, or a tag, or unknown.
    NotFound,
    /// `Could not find enough items to craft ...`
    NotEnough,
    /// `Could not find a valid recipe for ...`
    NoRecipe,
    /// `Wrong item format: ...`
    WrongFormat,
    /// `Could not execute ...`
    NotExecuted,
}

/// All of them, in order.
pub const REPLIES: [Said; 8] = [
    Said::Got,
    Said::Crafted,
    Said::Inventory,
    Said::NotFound,
    Said::NotEnough,
    Said::NoRecipe,
    Said::WrongFormat,
    Said::NotExecuted,
];

impl Said {
    /// The name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Got => "got",
            Self::Crafted => "crafted",
            Self::Inventory => "inventory",
            Self::NotFound => "not found",
            Self::NotEnough => "not enough",
            Self::NoRecipe => "no recipe",
            Self::WrongFormat => "wrong format",
            Self::NotExecuted => "not executed",
        }
    }

    /// Whether the command did what it asked for.
    #[must_use]
    pub const fn went_well(self) -> bool {
        matches!(self, Self::Got | Self::Crafted | Self::Inventory)
    }
}

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The kind of the reply.
    pub said: Said,
    /// Whether this step made the goal: reward 1, and the end of the episode. The original lets one go on, and so do we.
    pub done: bool,
}

/// One episode. Steps need no memory of their own once its buffers have grown.
#[derive(Clone, Debug)]
pub struct Simulator {
    scene: Arc<Scene>,
    aliasing: bool,
    inventory: Inventory,
    steps: u64,
    solved: bool,
    /// What a command lists: items and amounts. Kept for its memory.
    given: Vec<(Option<NameId>, Count)>,
    /// Places in `given` that a recipe has not taken yet.
    left: Vec<usize>,
}

impl Simulator {
    /// An episode at its start.
    #[must_use]
    pub fn new(scene: Arc<Scene>) -> Self {
        let (given, left) = (Vec::new(), Vec::new());
        Self { scene, aliasing: false, inventory: Inventory::default(), steps: 0, solved: false, given, left }
    }

    /// Switches the aliasing quirk: with it, `craft` also finds recipes of other items below the goal under the goal's name
    /// and under those on the way (QUIRK; the original always has it).
    #[must_use]
    pub const fn with_aliasing(mut self, aliasing: bool) -> Self {
        self.aliasing = aliasing;
        self
    }

    /// Begins another episode with the same switches; memory is kept.
    pub fn begin(&mut self, scene: &Arc<Scene>) {
        if !Arc::ptr_eq(&self.scene, scene) {
            self.scene = Arc::clone(scene);
        }
        self.inventory.clear();
        self.steps = 0;
        self.solved = false;
    }

    /// What the seed decided.
    #[must_use]
    #[inline]
    pub const fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    /// The recipe tree.
    #[must_use]
    #[inline]
    pub fn tree(&self) -> &Tree {
        self.scene.tree()
    }

    /// What is carried.
    #[must_use]
    pub const fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    /// Steps taken.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether the goal was made at some step.
    #[must_use]
    pub const fn solved(&self) -> bool {
        self.solved
    }

    /// Whether the aliasing quirk is on.
    #[must_use]
    pub const fn aliasing(&self) -> bool {
        self.aliasing
    }

    /// Carries out a command. `reply` is overwritten with what the original says; every text is a command, and one that
    /// fails changes nothing but the number of steps.
    pub fn step(&mut self, command: &str, reply: &mut String) -> Outcome {
        reply.clear();
        self.steps += 1;
        let (said, done) = match Command::read(command) {
            Command::Craft { output, inputs } => self.craft(command, output, inputs, reply),
            Command::Get { count, item } => (self.get(command, count, item, reply), false),
            Command::Inventory => {
                self.inventory.push_to(self.scene.tree().names(), reply);
                (Said::Inventory, false)
            }
            Command::Unknown => (not_executed(command, reply), false),
        };
        self.solved |= done;
        Outcome { said, done }
    }

    #[inline]
    fn get(&mut self, command: &str, count: &str, item: &str, reply: &mut String) -> Said {
        // CPython raises at numbers of so many digits; we have no reply of the original to repeat.
        let Some(count) = Count::read(count) else { return not_executed(command, reply) };
        let tree = self.scene.tree();
        let Some(found) = tree.names().find(item).filter(|found| tree.is_raw(*found)) else {
            reply.push_str("Could not find ");
            reply.push_str(item);
            return Said::NotFound;
        };
        reply.push_str("Got ");
        count.push_to(reply);
        reply.push(' ');
        reply.push_str(item);
        self.inventory.put(found, &count);
        Said::Got
    }

    fn craft(&mut self, command: &str, output: &str, inputs: &str, reply: &mut String) -> (Said, bool) {
        let Some((count, name)) = command::output(output) else { return (not_executed(command, reply), false) };
        let tree = self.scene.tree();
        self.given.clear();
        for part in inputs.split(',') {
            let part = command::trimmed(part);
            let Some((digits, item)) = command::numbered(part) else {
                reply.push_str("Wrong item format: ");
                reply.push_str(part);
                return (Said::WrongFormat, false);
            };
            let Some(count) = Count::read(digits) else { return (not_executed(command, reply), false) };
            // A tag is never carried.
            let item = tree.names().find(item).filter(|item| !tree.is_tag(*item));
            self.given.push((item, count));
        }
        let made = tree.names().find(name);
        let tag = made.is_some_and(|made| tree.is_tag(made));
        if !self.enough() {
            reply.push_str("Could not find enough items to craft ");
            if tag {
                reply.push_str("None")
            } else {
                push_id(reply, name)
            }
            return (Said::NotEnough, false);
        }
        let recipe =
            made.filter(|_| !tag).and_then(|made| find(&self.scene, self.aliasing, made, &self.given, &mut self.left));
        let Some(recipe) = recipe else {
            push_no_recipe(reply, tag, name, &count);
            return (Said::NoRecipe, false);
        };
        if !self.enough_in_all() {
            reply.push_str("Could not find enough items to craft ");
            push_id(reply, name);
            return (Said::NotEnough, false);
        }
        for (item, count) in &self.given {
            if let Some(item) = item {
                self.inventory.take(*item, count);
            }
        }
        let recipe = tree.recipe(recipe);
        let count = Count::from(u64::from(recipe.count));
        self.inventory.put(recipe.output, &count);
        reply.push_str("Crafted ");
        count.push_to(reply);
        reply.push(' ');
        push_id(reply, tree.names().id(recipe.output));
        (Said::Crafted, recipe.output == self.scene.task().goal)
    }

    /// Whether everything that is listed is carried, each entry looked at by itself.
    #[inline]
    fn enough(&self) -> bool {
        self.given
            .iter()
            .all(|(item, count)| item.and_then(|item| self.inventory.of(item)).is_some_and(|held| count <= held))
    }

    /// Whether what is listed is carried in all, where an item is listed twice. The original does not look, and breaks off
    /// when it takes the entries out; it is what a recipe that takes an item and a tag of it may come to.
    fn enough_in_all(&self) -> bool {
        let mut listed = self.given.iter().enumerate();
        listed.all(|(at, (item, _))| {
            let same = || self.given[..=at].iter().filter(|(other, _)| other == item).map(|(_, count)| count);
            if same().nth(1).is_none() {
                return true;
            }
            let mut sum = Count::default();
            same().for_each(|count| sum.add(count));
            item.and_then(|item| self.inventory.of(item)).is_some_and(|held| sum <= *held)
        })
    }

    /// A hash of the true state: the task, what is carried and whether the goal was made. The number of steps is the
    /// episode's, and the order in which things came is how the inventory is told: neither is part of the environment.
    #[must_use]
    pub fn state(&self) -> Digest {
        let (prompt, carried) = (self.scene.prompt().as_bytes(), self.carried());
        let flags = [u8::from(self.solved), u8::from(self.aliasing)];
        Digest::of_parts(&[b"textcraft/state", prompt, carried.as_bytes(), &flags])
    }

    /// A hash of what an agent can tell apart: the goal and what is carried, in whatever order it came (CYC-067).
    #[must_use]
    pub fn situation(&self) -> Digest {
        let goal = self.tree().names().id(self.scene.task().goal);
        Digest::of_parts(&[b"textcraft/situation", goal.as_bytes(), self.carried().as_bytes()])
    }

    /// The inventory as `id count` lines in the order of names, without what is held 0 times.
    fn carried(&self) -> String {
        let names = self.tree().names();
        let mut entries: Vec<(NameId, &Count)> = self.inventory.iter().filter(|(_, count)| !count.is_zero()).collect();
        entries.sort_unstable_by_key(|(item, _)| names.id(*item));
        let mut out = String::new();
        for (item, count) in entries {
            out.push_str(names.id(item));
            out.push(' ');
            count.push_to(&mut out);
            out.push('\n');
        }
        out
    }
}

#[cold]
fn not_executed(command: &str, reply: &mut String) -> Said {
    reply.clear();
    reply.push_str("Could not execute ");
    reply.push_str(command);
    Said::NotExecuted
}

/// The first recipe of an item that takes exactly what is given: its inputs in order each take the first of the given
/// entries that fits, whose amount must be equal, and nothing may remain.
#[inline]
fn find(
    scene: &Scene,
    aliasing: bool,
    made: NameId,
    given: &[(Option<NameId>, Count)],
    left: &mut Vec<usize>,
) -> Option<RecipeId> {
    let tree = scene.tree();
    scene.recipes_of(made, aliasing).iter().copied().find(|recipe| {
        let recipe = tree.recipe(*recipe);
        if recipe.inputs.len() != given.len() {
            return false;
        }
        left.clear();
        left.extend(0..given.len());
        recipe.inputs.iter().all(|input| {
            let fits =
                |item: NameId| if input.tag { tree.tag_of(item) == Some(input.name) } else { item == input.name };
            let Some(place) = left.iter().position(|at| given[*at].0.is_some_and(fits)) else { return false };
            let at = left.remove(place);
            given[at].1 == Count::from(u64::from(input.count))
        })
    })
}

/// An id as the original writes it.
#[inline]
fn push_id(out: &mut String, name: &str) {
    out.push_str(NAMESPACE);
    push_underscored(out, name);
}

/// A name with `_` for every space.
#[inline]
fn push_underscored(out: &mut String, name: &str) {
    for (at, word) in name.split(' ').enumerate() {
        if at > 0 {
            out.push('_');
        }
        out.push_str(word);
    }
}

#[cold]
fn push_no_recipe(out: &mut String, tag: bool, name: &str, count: &Count) {
    let id = NAMESPACE.chars().chain(name.chars().map(|c| if c == ' ' { '_' } else { c }));
    out.push_str("Could not find a valid recipe for ItemTagWithCount(item_tag=ItemTag(tag=");
    if tag {
        push_repr(out, id);
        out.push_str(", item_id=None");
    } else {
        out.push_str("None, item_id=");
        push_repr(out, id);
    }
    out.push_str("), count=");
    count.push_to(out);
    out.push(')');
}
