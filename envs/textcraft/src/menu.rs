//! What may be filled in for the arguments of tools: names and commands of the shown recipes (CYC-032, CYC-R06).

use crate::command::Command;
use crate::count::push_whole;
use crate::names::NameId;
use crate::planner::Move;
use crate::scene::Scene;

/// The most commands that one shown command represents.
const MOST_FILLED: usize = 64;
/// What may join two things that a command is about. The game knows none of them: it would look for one item of the whole name.
const JOINTS: [&str; 4] = [" and ", " plus ", " & ", " + "];

/// The literals of an episode. They are fixed by what a reset shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Menu {
    /// Every name in the shown recipes, in the order of its first appearance.
    pub names: Vec<String>,
    /// The shown commands, in the order of their lines. One that takes any item of a kind is followed by those that name
    /// one: as it is shown, with the name of the kind, no inventory ever has enough for it.
    pub crafts: Vec<String>,
    /// Those of the shown commands that can ever be carried out: of one that takes any item of a kind, those that name the item
    /// stand for it. What an agent is told to choose from.
    pub possible: Vec<String>,
    /// Amounts that the shown recipes take of one thing, from the smallest: suggestions, and no bound.
    pub counts: Vec<u32>,
}

impl Menu {
    /// A command that takes a known item, and another item that it would take as well. A crafting command is left to the game.
    #[must_use]
    pub fn several(&self, text: &str) -> Option<(String, String)> {
        let line = text.trim().lines().next()?.to_lowercase();
        let joints = JOINTS.iter().flat_map(|joint| line.match_indices(joint));
        let mut places: Vec<(usize, usize)> = joints.map(|(at, joint)| (at, at + joint.len())).collect();
        places.sort_unstable();
        let is_known = |item: &str| self.names.iter().any(|name| name == item);
        places.into_iter().find_map(|(at, end)| {
            let (head, rest) = (line[..at].trim(), line[end..].trim());
            let takes = matches!(Command::read(head), Command::Get { item, .. } if is_known(item));
            let bare = rest.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ' ');
            let is_another = bare.len() < rest.len() || self.names.iter().any(|name| bare.starts_with(name.as_str()));
            (takes && is_another).then(|| (head.to_owned(), rest.to_owned()))
        })
    }

    /// The literals of a scene.
    #[must_use]
    pub fn of(scene: &Scene) -> Self {
        let tree = scene.tree();
        let mut counts: Vec<u32> =
            scene.recipes().flat_map(|recipe| tree.recipe(recipe).inputs.iter().map(|input| input.count)).collect();
        counts.sort_unstable();
        counts.dedup();
        let named = scene.names();
        let (mut crafts, mut possible) = (Vec::new(), Vec::new());
        for recipe in scene.recipes() {
            let made = tree.recipe(recipe);
            crafts.push(made.text.to_string());
            let mut filled: Vec<Vec<NameId>> = vec![Vec::new()];
            for input in made.inputs.iter().filter(|_| made.inputs.iter().any(|input| input.tag)) {
                let own = [input.name];
                let items = if input.tag { tree.members(input.name) } else { &own };
                let items: Vec<NameId> = items.iter().copied().filter(|item| named.contains(item)).collect();
                filled = filled
                    .iter()
                    .flat_map(|before| items.iter().map(|item| [before.as_slice(), &[*item]].concat()))
                    .take(MOST_FILLED)
                    .collect();
            }
            let filled = filled.into_iter().filter(|items| !items.is_empty());
            let filled: Vec<String> = filled.map(|items| Move::Craft(recipe, items.into()).text(tree)).collect();
            if filled.is_empty() {
                possible.push(made.text.to_string());
            }
            possible.extend_from_slice(&filled);
            crafts.extend(filled);
        }
        let shown = |name: NameId| tree.names().shown(name).to_owned();
        let names = named.into_iter().map(shown).collect();
        Self { names, crafts, possible, counts }
    }

    /// How many commands there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        1 + self.crafts.len() + self.names.len() * self.counts.len()
    }

    /// Whether there is none; there always is `inventory`.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the command at a place: `inventory`, then what is crafted, then what is got.
    pub fn write(&self, place: usize, out: &mut String) {
        out.clear();
        let Some(place) = place.checked_sub(1) else {
            out.push_str("inventory");
            return;
        };
        if let Some(craft) = self.crafts.get(place) {
            out.push_str(craft);
            return;
        }
        let place = place - self.crafts.len();
        let counts = self.counts.len().max(1);
        out.push_str("get ");
        push_whole(out, self.counts.get(place % counts).copied().unwrap_or(1).into());
        out.push(' ');
        out.push_str(self.names.get(place / counts).map_or("", String::as_str));
    }
}

#[cfg(test)]
mod tests {
    use super::Menu;

    // covers: BOG-032
    #[test]
    fn two_items_that_a_word_joins_are_two_actions() {
        let names = ["oak logs", "oak planks", "flint", "flint and steel", "stick"];
        let menu = Menu { names: names.map(str::to_owned).to_vec(), ..Menu::default() };
        for text in ["get 2 oak logs and 3 oak planks", "Get 2 oak logs plus 1 stick", "get 1 flint & stick"] {
            assert!(menu.several(text).is_some(), "{text}");
        }
        // The game has an item of that name, and takes a list of what is crafted from as it is.
        for text in [
            "get 1 flint and steel",
            "get 2 oak logs and no oak planks",
            "get 2 rocks and 3 oak planks",
            "craft 4 oak planks using 1 oak logs and 3 stick",
            "inventory",
            "",
        ] {
            assert_eq!(menu.several(text), None, "{text}");
        }
    }
}
