//! From a table to recipes, items and tags, in the table's order.

use super::{Input, Left, Recipe, RecipeId, Tree};
use crate::count::push_whole;
use crate::names::{MOST, NameId, Names};
use crate::table::{Fact, Table, TableError};

/// A set of names.
#[derive(Clone, Default)]
struct Set(Vec<u64>);

impl Set {
    fn has(&self, name: NameId) -> bool {
        self.0.get(usize::from(name) / 64).is_some_and(|word| word >> (name % 64) & 1 == 1)
    }

    fn add(&mut self, name: NameId) {
        let at = usize::from(name) / 64;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (name % 64);
    }

    fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own |= other);
    }
}

/// Everything but depths and tasks.
pub(super) fn build(table: &Table) -> Result<Tree, TableError> {
    let mut names = Names::default();
    let mut number = |name: &str| {
        let most = || TableError::TooMany { place: table.place.clone(), what: "names of items and tags", most: MOST };
        names.number(name).ok_or_else(most)
    };
    let mut numbered = Vec::with_capacity(table.facts.len());
    for fact in &table.facts {
        let output = number(&fact.output)?;
        let group = fact.group.as_deref().map(&mut number).transpose()?;
        let mut inputs = Vec::with_capacity(fact.inputs.len());
        for needed in &fact.inputs {
            inputs.push(Input { name: number(&needed.name)?, tag: needed.tag, count: needed.count });
        }
        numbered.push(Numbered { fact, output, group, inputs });
    }
    let count = names.len();
    let mut tree = Tree {
        place: table.place.clone(),
        names,
        recipes: Vec::new(),
        of_item: vec![Vec::new(); count],
        of_tag: vec![Vec::new(); count],
        craftable: Vec::new(),
        craftable_tags: Vec::new(),
        is_item: vec![false; count],
        is_tag: vec![false; count],
        tag_of: vec![None; count],
        members: vec![Vec::new(); count],
        uses: vec![Vec::new(); count],
        depths: Vec::new(),
        tasks: Vec::new(),
        left: Vec::new(),
        texts: Vec::new(),
        by_rank: Vec::new(),
    };
    let mut below: Vec<Option<Set>> = vec![None; count];
    for fact in numbered {
        take(&mut tree, &mut below, fact);
    }
    // A tag that no item with a recipe has is a name like any other: it can be had by asking.
    let mut served = vec![false; count];
    for item in 0..count {
        if let Some(tag) = tree.tag_of[item] {
            tree.members[usize::from(tag)].push(item as NameId);
            served[usize::from(tag)] |= !tree.of_item[item].is_empty();
        }
    }
    for recipe in &mut tree.recipes {
        for input in recipe.inputs.iter_mut().filter(|input| input.tag && !served[usize::from(input.name)]) {
            input.tag = false;
            tree.is_tag[usize::from(input.name)] = false;
            tree.is_item[usize::from(input.name)] = true;
        }
    }
    for recipes in [lists(&tree.of_item, &tree.craftable), lists(&tree.of_tag, &tree.craftable_tags)] {
        for recipe in recipes {
            for input in &tree.recipes[recipe as usize].inputs {
                tree.uses[usize::from(input.name)].push(recipe);
            }
        }
    }
    write_texts(&mut tree);
    Ok(tree)
}

fn lists(of: &[Vec<RecipeId>], order: &[NameId]) -> Vec<RecipeId> {
    order.iter().flat_map(|name| of[usize::from(*name)].iter().copied()).collect()
}

struct Numbered<'a> {
    fact: &'a Fact,
    output: NameId,
    group: Option<NameId>,
    inputs: Vec<Input>,
}

/// The laws for one recipe. `below` holds, for each item with a recipe so far, what it is made of as far as was known.
fn take(tree: &mut Tree, below: &mut [Option<Set>], numbered: Numbered<'_>) {
    let Numbered { fact, output, group, inputs } = numbered;
    for input in &inputs {
        let kind = if input.tag { &mut tree.is_tag } else { &mut tree.is_item };
        kind[usize::from(input.name)] = true;
    }
    let made = usize::from(output);
    tree.is_item[made] = true;
    if let [only] = inputs.as_slice()
        && tree.names.id(only.name).ends_with("_block")
    {
        tree.left.push((fact.line, Left::Block));
        return;
    }
    if let Some(group) = group.filter(|group| *group != output) {
        tree.is_tag[usize::from(group)] = true;
        tree.tag_of[made] = Some(group);
    }
    let mut own = below[made].take().unwrap_or_default();
    let circle = inputs.iter().any(|input| {
        if input.name == output { own.has(output) } else { known(below, input.name).is_some_and(|set| set.has(output)) }
    });
    if circle {
        below[made] = Some(own);
        tree.left.push((fact.line, Left::Circle));
        return;
    }
    for input in &inputs {
        own.add(input.name);
        if let Some(other) = known(below, input.name) {
            own.join(other);
        }
    }
    below[made] = Some(own);
    let recipe = tree.recipes.len() as RecipeId;
    if tree.of_item[made].is_empty() {
        tree.craftable.push(output);
    }
    tree.of_item[made].push(recipe);
    if let Some(group) = group {
        let list = &mut tree.of_tag[usize::from(group)];
        if list.is_empty() {
            tree.craftable_tags.push(group);
        }
        list.push(recipe);
    }
    let (count, line) = (fact.count, fact.line);
    tree.recipes.push(Recipe { output, count, inputs: inputs.into(), text: Box::default(), rank: 0, line });
}

fn known(below: &[Option<Set>], name: NameId) -> Option<&Set> {
    below[usize::from(name)].as_ref()
}

/// Texts, and their order.
fn write_texts(tree: &mut Tree) {
    let names = &tree.names;
    for recipe in &mut tree.recipes {
        let mut out = "craft ".to_owned();
        push_whole(&mut out, u64::from(recipe.count));
        out.push(' ');
        out.push_str(names.shown(recipe.output));
        for (at, input) in recipe.inputs.iter().enumerate() {
            out.push_str(if at == 0 { " using " } else { ", " });
            push_whole(&mut out, u64::from(input.count));
            out.push(' ');
            out.push_str(names.shown(input.name));
        }
        recipe.text = out.into();
    }
    let mut texts: Vec<Box<str>> = tree.recipes.iter().map(|recipe| recipe.text.clone()).collect();
    texts.sort_unstable();
    texts.dedup();
    for recipe in &mut tree.recipes {
        recipe.rank = texts.binary_search(&recipe.text).map_or(0, |rank| rank as u32);
    }
    tree.by_rank = vec![0; texts.len()];
    for (number, recipe) in tree.recipes.iter().enumerate().rev() {
        tree.by_rank[recipe.rank as usize] = number as RecipeId;
    }
    tree.texts = texts;
}
