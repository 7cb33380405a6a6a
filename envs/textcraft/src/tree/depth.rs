//! How deep items lie, and the tasks that follow from it.

use super::{RecipeId, Task, Tree};
use crate::names::NameId;
use crate::table::TableError;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Never,
    /// On the way down: to meet it again is a circle.
    Open,
    Done,
}

/// One name on the way down.
struct Frame {
    name: NameId,
    /// The recipe and the input that come next.
    recipe: usize,
    input: usize,
    /// The depth of the recipe so far, and the least of those before it.
    deepest: u32,
    least: u32,
}

fn recipes(tree: &Tree, name: NameId) -> &[RecipeId] {
    let own = tree.recipes_of(name);
    if own.is_empty() { tree.recipes_of_tag(name) } else { own }
}

/// The longest chain of recipes.
const LONGEST: u32 = 200;

/// The depth of every name: over its recipes the least, over a recipe's inputs the largest, plus one.
pub(super) fn depths(tree: &Tree) -> Result<Vec<u32>, TableError> {
    let count = tree.names().len();
    let mut depths = vec![0; count];
    // The longest way down, by any recipe.
    let mut longest = vec![0_u32; count];
    let mut seen = vec![Seen::Never; count];
    for start in 0..count as NameId {
        if seen[usize::from(start)] != Seen::Never {
            continue;
        }
        let fresh = |name| Frame { name, recipe: 0, input: 0, deepest: 0, least: u32::MAX };
        let mut way = vec![fresh(start)];
        seen[usize::from(start)] = Seen::Open;
        while let Some(frame) = way.last_mut() {
            let at = usize::from(frame.name);
            let Some(recipe) = recipes(tree, frame.name).get(frame.recipe) else {
                depths[at] = if frame.recipe == 0 { 0 } else { frame.least };
                seen[at] = Seen::Done;
                way.pop();
                continue;
            };
            let Some(input) = tree.recipe(*recipe).inputs.get(frame.input) else {
                frame.least = frame.least.min(frame.deepest);
                (frame.recipe, frame.input, frame.deepest) = (frame.recipe + 1, 0, 0);
                continue;
            };
            match seen[usize::from(input.name)] {
                Seen::Done => {
                    frame.deepest = frame.deepest.max(depths[usize::from(input.name)] + 1);
                    frame.input += 1;
                    longest[at] = longest[at].max(longest[usize::from(input.name)] + 1);
                    if longest[at] > LONGEST {
                        let item = tree.names().id(frame.name).to_owned();
                        return Err(TableError::TooDeep { place: tree.place().to_owned(), item, most: LONGEST });
                    }
                }
                Seen::Never => {
                    seen[usize::from(input.name)] = Seen::Open;
                    let name = input.name;
                    way.push(fresh(name));
                }
                Seen::Open => return Err(circle(tree, &way, input.name)),
            }
        }
    }
    Ok(depths)
}

/// Names shown of a long circle.
const SHOWN: usize = 12;

fn circle(tree: &Tree, way: &[Frame], again: NameId) -> TableError {
    let from = way.iter().position(|frame| frame.name == again).unwrap_or_default();
    let steps: Vec<String> = way[from..]
        .iter()
        .map(|frame| {
            let recipe = recipes(tree, frame.name).get(frame.recipe).map(|recipe| tree.recipe(*recipe).line);
            format!("`{}` (line {}) takes", tree.names().id(frame.name), recipe.unwrap_or_default())
        })
        .collect();
    let more = if steps.len() > SHOWN { format!(" ... {} more ...", steps.len() - SHOWN) } else { String::new() };
    let chain = format!("{}{more} `{}`", steps[..steps.len().min(SHOWN)].join(" "), tree.names().id(again));
    TableError::Cycle { place: tree.place().to_owned(), chain }
}

/// Items of two steps and more, deepest first, else in the order of their first recipes.
pub(super) fn tasks(tree: &Tree) -> Vec<Task> {
    let deep = tree.craftable().iter().map(|goal| Task { goal: *goal, depth: tree.depth(*goal) });
    let mut tasks: Vec<Task> = deep.filter(|task| task.depth >= 2).collect();
    tasks.sort_by_key(|task| std::cmp::Reverse(task.depth));
    tasks
}
