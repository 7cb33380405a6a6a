//! What a reset draws: the goal, the recipes that are shown, and the order of their lines (CYC-033).
//!
//! The original puts texts into Python sets before it draws from them, so that the chosen distractors and the order of
//! lines depend on the hash seed of its process. Here both sets are sorted first: a seed alone decides. What a set of the
//! original holds is the same in either.

use std::sync::Arc;

use gimbal_parity::{Mersenne, Seed};

use crate::names::NameId;
use crate::tree::{RecipeId, Task, Tree};

/// Distractors drawn at each input, and shown in all.
pub const DISTRACTORS: usize = 10;

/// The most entries of a walk that is followed as the original goes it. The largest of the built-in recipes has 7,672; it
/// doubles with every level.
const LONGEST_WALK: usize = 1 << 16;

/// The first line of a prompt.
pub const FIRST_LINE: &str = "Crafting commands:";

/// An episode before its first step: all that the seed decides. Shared by those who play the same.
#[derive(Clone, Debug)]
pub struct Scene {
    tree: Arc<Tree>,
    task: Task,
    /// Ranks of the texts below the goal, in order.
    core: Vec<u32>,
    /// Ranks of the texts that distractors were drawn from, in order.
    pool: Vec<u32>,
    /// Ranks of the shown texts, in the order of their lines.
    lines: Vec<u32>,
    prompt: String,
    /// Items whose lists of recipes the walk made longer, in the order of their numbers.
    grown: Vec<(NameId, Box<[RecipeId]>)>,
}

/// The place of the task that a seed plays: the seed modulo their number, as Python counts it.
#[must_use]
pub fn task_of(tree: &Tree, seed: &Seed, negative: bool) -> usize {
    let count = tree.tasks().len() as u64;
    if count == 0 {
        return 0;
    }
    let rest = seed.digits().iter().rev().fold(0_u64, |rest, digit| ((rest << 32) | u64::from(*digit)) % count);
    (if negative && rest > 0 { count - rest } else { rest }) as usize
}

impl Scene {
    /// The scene that the original's `reset(seed)` draws, in a fresh environment.
    #[must_use]
    pub fn of(tree: &Arc<Tree>, seed: u64) -> Self {
        let seed = Seed::from(seed);
        let place = task_of(tree, &seed, false);
        Self::draw(tree, place, &seed)
    }

    /// The scene of the task at `place` with the draws of a seed.
    ///
    /// # Panics
    /// When the tree has no such task.
    #[must_use]
    pub fn draw(tree: &Arc<Tree>, place: usize, seed: &Seed) -> Self {
        let task = tree.tasks()[place];
        let walk = Walk::of(tree, task.goal);
        let mut draws = Mersenne::from_seed(seed);
        let texts = tree.texts();
        let (mut in_core, mut in_pool) = (vec![false; texts.len()], vec![false; texts.len()]);
        let mut chosen = [0; DISTRACTORS];
        for recipe in &walk.core {
            in_core[tree.recipe(*recipe).rank as usize] = true;
            for input in &tree.recipe(*recipe).inputs {
                let uses = tree.uses(input.name);
                let chosen = &mut chosen[..uses.len().min(DISTRACTORS)];
                draws.sample_of(uses.len() as u32, chosen);
                for at in chosen {
                    in_pool[tree.recipe(uses[*at as usize]).rank as usize] = true;
                }
            }
        }
        let ranks = |wanted: &dyn Fn(usize) -> bool| -> Vec<u32> {
            (0..texts.len()).filter(|rank| wanted(*rank)).map(|rank| rank as u32).collect()
        };
        let core = ranks(&|rank| in_core[rank]);
        let pool = ranks(&|rank| in_pool[rank] && !in_core[rank]);
        let mut lines = core.clone();
        let chosen = &mut chosen[..pool.len().min(DISTRACTORS)];
        draws.sample_of(pool.len() as u32, chosen);
        lines.extend(chosen.iter().map(|at| pool[*at as usize]));
        draws.shuffle_all(&mut lines);
        let mut prompt = FIRST_LINE.to_owned();
        for line in &lines {
            prompt.push('\n');
            prompt.push_str(&texts[*line as usize]);
        }
        prompt.push_str("\n\n");
        prompt.push_str(&goal_line(tree, task.goal));
        Self { tree: Arc::clone(tree), task, core, pool, lines, prompt, grown: walk.grown }
    }

    /// The tree.
    #[must_use]
    #[inline]
    pub const fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// Goal and depth.
    #[must_use]
    #[inline]
    pub const fn task(&self) -> Task {
        self.task
    }

    /// What a reset says: commands and goal.
    #[must_use]
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// The shown commands, in the order of their lines.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.lines.iter().map(|rank| &*self.tree.texts()[*rank as usize])
    }

    /// The commands below the goal, in the order of their texts: each is shown.
    pub fn core(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.core.iter().map(|rank| &*self.tree.texts()[*rank as usize])
    }

    /// The commands that distractors were drawn from, in the order of their texts: at most ten are shown.
    pub fn pool(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.pool.iter().map(|rank| &*self.tree.texts()[*rank as usize])
    }

    /// The recipes of the shown commands, in the order of their lines; of those that read the same the first.
    pub fn recipes(&self) -> impl Iterator<Item = RecipeId> + '_ {
        self.lines.iter().map(|rank| self.tree.first_of(*rank))
    }

    /// The names in the shown commands, items and tags, each once, in the order of their first appearance (CYC-R06).
    #[must_use]
    pub fn names(&self) -> Vec<NameId> {
        let mut seen = vec![false; self.tree.names().len()];
        let mut names = Vec::new();
        for recipe in self.recipes() {
            let recipe = self.tree.recipe(recipe);
            for name in std::iter::once(recipe.output).chain(recipe.inputs.iter().map(|input| input.name)) {
                if !std::mem::replace(&mut seen[usize::from(name)], true) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// The recipes that `craft` looks through for an item: its own, and with the aliasing quirk those that the walk of the
    /// reset put behind them.
    #[must_use]
    #[inline]
    pub fn recipes_of(&self, item: NameId, aliasing: bool) -> &[RecipeId] {
        if aliasing && let Ok(at) = self.grown.binary_search_by_key(&item, |(name, _)| *name) {
            return &self.grown[at].1;
        }
        self.tree.recipes_of(item)
    }
}

/// The last line of a prompt.
#[must_use]
pub fn goal_line(tree: &Tree, goal: NameId) -> String {
    ["Goal: ", &objective(tree, goal)].concat()
}

/// What is to be made, as a sentence.
#[must_use]
pub fn objective(tree: &Tree, goal: NameId) -> String {
    ["craft ", tree.names().shown(goal), "."].concat()
}

/// The recursive walk below a goal.
///
/// QUIRK: the original appends to the very lists that it goes through, those of the tree. The walk repeats recipes, and
/// after it an item's list holds recipes of other items.
struct Walk {
    /// What the walk returns, with repeats.
    core: Vec<RecipeId>,
    grown: Vec<(NameId, Box<[RecipeId]>)>,
}

/// The stored lists as far as the walk has touched them.
struct Lists<'a> {
    tree: &'a Tree,
    /// By name.
    lists: Vec<Option<Vec<RecipeId>>>,
    /// Names on the way down.
    open: Vec<bool>,
    entries: usize,
}

impl Walk {
    fn of(tree: &Tree, goal: NameId) -> Self {
        let count = tree.names().len();
        let mut lists = Lists { tree, lists: vec![None; count], open: vec![false; count], entries: 0 };
        let core = match lists.walk(goal) {
            Some(_) => lists.lists[usize::from(goal)].clone().unwrap_or_default(),
            // Too many repeats to follow: every recipe once, in the order of the way down.
            None => {
                lists.lists.iter_mut().for_each(|list| *list = None);
                lists.once(goal)
            }
        };
        let mut grown = Vec::new();
        for (name, list) in lists.lists.iter().enumerate() {
            let own = tree.recipes_of(name as NameId);
            if let Some(list) = list.as_ref().filter(|list| !own.is_empty() && list.len() > own.len()) {
                let mut seen = vec![false; tree.recipes().len()];
                let fresh = |recipe: &&RecipeId| !std::mem::replace(&mut seen[**recipe as usize], true);
                // Only the first of equal recipes is ever found.
                grown.push((name as NameId, list.iter().filter(fresh).copied().collect()));
            }
        }
        Self { core, grown }
    }
}

impl Lists<'_> {
    fn list(&mut self, name: NameId) -> &mut Vec<RecipeId> {
        let tree = self.tree;
        self.lists[usize::from(name)].get_or_insert_with(|| {
            let own = tree.recipes_of(name);
            if own.is_empty() { tree.recipes_of_tag(name).to_vec() } else { own.to_vec() }
        })
    }

    /// Grows the list of a name; none if there would be more entries than can be followed. False for a name that is
    /// already on the way.
    fn walk(&mut self, name: NameId) -> Option<bool> {
        if std::mem::replace(&mut self.open[usize::from(name)], true) {
            return Some(false);
        }
        let mut at = 0;
        // The list grows under our feet.
        while let Some(recipe) = self.list(name).get(at).copied() {
            at += 1;
            for place in 0..self.tree.recipe(recipe).inputs.len() {
                let below = self.tree.recipe(recipe).inputs[place].name;
                if self.walk(below)? {
                    let more = self.list(below).clone();
                    self.entries += more.len();
                    if self.entries > LONGEST_WALK {
                        return None;
                    }
                    self.list(name).extend(more);
                }
            }
        }
        self.open[usize::from(name)] = false;
        Some(true)
    }

    /// All recipes below a name, each once. The lists grow by what lies below, as they do in a walk.
    fn once(&mut self, name: NameId) -> Vec<RecipeId> {
        if let Some(known) = &self.lists[usize::from(name)] {
            return known.clone();
        }
        let mut found = self.list(name).clone();
        let mut seen = vec![false; self.tree.recipes().len()];
        found.iter().for_each(|recipe| seen[*recipe as usize] = true);
        for at in 0..found.len() {
            for place in 0..self.tree.recipe(found[at]).inputs.len() {
                let below = self.tree.recipe(found[at]).inputs[place].name;
                let fresh = |recipe: &RecipeId| !std::mem::replace(&mut seen[*recipe as usize], true);
                let more: Vec<RecipeId> = self.once(below).into_iter().filter(fresh).collect();
                found.extend(more);
            }
        }
        self.lists[usize::from(name)] = Some(found.clone());
        found
    }
}
