//! A play of a game: state, observation, admissible commands.

use std::sync::Arc;

use super::commands::{Command, Commands, MOST_ARGUMENTS};
use super::facts::Facts;
use super::game::Game;
use super::join::Lasting;
use super::predicates::Place;
use super::render::{EMPTY_SCOPE, Writer};
use super::rules::{Action, Role};
use super::view::{Binding, UNBOUND, View};
use crate::grammar::Piece;

/// What is seen after a command that is not admissible.
pub const NOTHING_HAPPENS: &str = "Nothing happens.";

/// What a command led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stepped {
    /// Whether the command was admissible.
    pub accepted: bool,
    /// Whether the goal holds now.
    pub won: bool,
}

impl Stepped {
    /// One when won, else 0.
    #[must_use]
    pub const fn score(self) -> u32 {
        self.won as u32
    }

    /// A game ends when it is won, and only then.
    #[must_use]
    pub const fn done(self) -> bool {
        self.won
    }
}

/// Matches of a plan that stay the same, by what they depend on.
#[derive(Clone, Debug, Default)]
struct Memo {
    /// Key, and where its commands are in `commands`; sorted by key.
    places: Vec<(u32, u32, u32)>,
    /// In the order of texts, for each key apart.
    commands: Vec<u64>,
    /// How many texts there were when they were put in order.
    texts: usize,
}

/// A play. A step allocates nothing, but where a command is met for the first time in this play.
///
/// # Examples
/// ```
/// use gimbal_alfworld::home::{Dials, Household};
/// use gimbal_alfworld::Play;
///
/// let household = Household::generate(&Dials::default(), 7)?;
/// let mut play = Play::new(household.game()?.into());
/// assert!(play.observation().starts_with("You come into a house"));
/// let first = play.command(0).map(str::to_owned);
/// let stepped = play.step("no such command");
/// assert!(!stepped.accepted && play.observation() == "Nothing happens.");
/// assert_eq!(play.command(0).map(str::to_owned), first);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Play {
    game: Arc<Game>,
    state: Facts,
    commands: Commands,
    memos: Vec<Memo>,
    /// By code points of the texts; see [`Commands::ordered`].
    admissible: Vec<u64>,
    observation: String,
    won: bool,
    steps: u64,
    /// Commands that plans met now.
    met: Vec<u32>,
    /// Lists that last, and all commands but those of the longest of them.
    lasting: Vec<Found>,
    few: Vec<u64>,
}

/// A list of commands in a memo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    memo: usize,
    start: usize,
    end: usize,
}

impl Game {
    /// Changes facts as an action says, whether it can be done or not.
    pub(crate) fn carry_out(&self, action: u16, arguments: &[u16; MOST_ARGUMENTS], state: &mut Facts) {
        let command = Command { action, text: 0, arguments: *arguments };
        apply(self, &self.rules.actions[usize::from(action)], &command, state);
    }

    /// The text of an action with its arguments.
    pub(crate) fn command_text(&self, action: u16, arguments: &[u16; MOST_ARGUMENTS], state: &Facts) -> String {
        let command = Command { action, text: 0, arguments: *arguments };
        template(self, &self.rules.actions[usize::from(action)], &command.binding(), self.view(state))
    }
}

impl Play {
    /// A play at the start of a game.
    #[must_use]
    pub fn new(game: Arc<Game>) -> Self {
        let mut state = game.first.clone();
        for (predicate, live) in game.rules.predicates.all.iter().zip(&game.live) {
            if *live && predicate.place.moving && predicate.place.binary {
                state.relation_mut(predicate.place.index).reserve(64);
            }
        }
        let memos = game.rules.actions.iter().map(|action| action.joins.len()).sum();
        let mut play = Self {
            game,
            state,
            commands: Commands::default(),
            memos: vec![Memo::default(); memos],
            admissible: Vec::with_capacity(128),
            observation: String::with_capacity(1024),
            won: false,
            steps: 0,
            met: Vec::with_capacity(128),
            lasting: Vec::with_capacity(32),
            few: Vec::with_capacity(128),
        };
        play.begin();
        play
    }

    /// Back to the start.
    pub fn reset(&mut self) {
        self.state.clone_from(&self.game.first);
        self.begin();
    }

    fn begin(&mut self) {
        self.steps = 0;
        self.observation.clear();
        let writer = Writer { game: &self.game, view: self.game.view(&self.state) };
        let intro = [Piece::Symbol(self.game.rules.grammar.intro)];
        writer.write(&intro, &mut EMPTY_SCOPE.clone(), &mut self.observation);
        self.look_around();
    }

    /// The game.
    #[must_use]
    pub const fn game(&self) -> &Arc<Game> {
        &self.game
    }

    /// What is seen now: the first text, or what the last command led to.
    #[must_use]
    pub fn observation(&self) -> &str {
        &self.observation
    }

    /// Whether the goal holds.
    #[must_use]
    pub const fn won(&self) -> bool {
        self.won
    }

    /// Commands given since the start, those without effect included.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// The admissible commands, by code points.
    pub fn admissible(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.admissible.iter().map(|number| self.commands.text(*number as u32))
    }

    /// One of the admissible commands.
    #[must_use]
    pub fn command(&self, at: usize) -> Option<&str> {
        self.admissible.get(at).map(|number| self.commands.text(*number as u32))
    }

    /// The same with its action and arguments.
    #[must_use]
    pub fn grounded(&self, at: usize) -> Option<&Command> {
        self.admissible.get(at).map(|number| self.commands.get(*number as u32))
    }

    /// What one of the admissible commands is about.
    #[must_use]
    pub fn role(&self, at: usize) -> Option<Role> {
        self.grounded(at).map(|command| self.game.rules.actions[usize::from(command.action)].role)
    }

    /// The place of a command among the admissible ones.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<usize> {
        self.admissible.binary_search_by(|number| self.commands.text(*number as u32).cmp(text)).ok()
    }

    /// The place of an action with these arguments among the admissible ones.
    #[must_use]
    pub fn find_grounded(&self, action: u16, arguments: &[u16; MOST_ARGUMENTS]) -> Option<usize> {
        let count = self.game.rules.actions.get(usize::from(action))?.parameters;
        self.admissible.iter().position(|number| {
            let known = self.commands.get(*number as u32);
            known.action == action && known.arguments[..count] == arguments[..count]
        })
    }

    /// Carries out a command as it is typed; white space at both ends does not count.
    pub fn step(&mut self, text: &str) -> Stepped {
        match self.find(text.trim()) {
            Some(at) => self.step_at(at),
            None => {
                self.steps += 1;
                self.observation.clear();
                self.observation.push_str(NOTHING_HAPPENS);
                Stepped { accepted: false, won: self.won }
            }
        }
    }

    /// Carries out one of the admissible commands by its place; without effect if there is none.
    pub fn step_at(&mut self, at: usize) -> Stepped {
        self.steps += 1;
        self.observation.clear();
        let Some(number) = self.admissible.get(at) else {
            self.observation.push_str(NOTHING_HAPPENS);
            return Stepped { accepted: false, won: self.won };
        };
        let command = *self.commands.get(*number as u32);
        let game = &*self.game;
        let action = &game.rules.actions[usize::from(command.action)];
        apply(game, action, &command, &mut self.state);
        let mut scope = EMPTY_SCOPE;
        for (slot, variable) in &action.variables {
            scope[usize::from(*variable)] = command.arguments[usize::from(*slot)];
        }
        let writer = Writer { game, view: game.view(&self.state) };
        writer.write(&action.feedback, &mut scope, &mut self.observation);
        self.look_around();
        Stepped { accepted: true, won: self.won }
    }

    /// The admissible commands and whether the game is won, from the state.
    fn look_around(&mut self) {
        let Self { game, state, commands, memos, met, lasting, few, admissible, .. } = self;
        let view = game.view(state);
        self.won = game.goal.holds(&view, game.symbols);
        met.clear();
        lasting.clear();
        let mut number = 0;
        for (at, action) in game.rules.actions.iter().enumerate() {
            for join in &action.joins {
                let mut each = |binding: &mut Binding, out: &mut Vec<u32>| {
                    if !action.idle(join, binding, &view) {
                        let text = || template(game, action, binding, view);
                        out.push(commands.number(at as u16, action.parameters, binding, text));
                    }
                    false
                };
                match join.lasting {
                    Lasting::No => {
                        if join.possible(&view) {
                            let mut binding = UNBOUND;
                            join.run(&view, game.symbols, &mut binding, &mut |binding| each(binding, met));
                        }
                    }
                    Lasting::Always => lasting.push(memos[number].find(number, 0, |out| {
                        let mut binding = UNBOUND;
                        join.run(&view, game.symbols, &mut binding, &mut |binding| each(binding, out));
                    })),
                    Lasting::ForFirst(place) => {
                        for pair in view.table(place).relation(place.index).pairs() {
                            lasting.push(memos[number].find(number, *pair, |out| {
                                let mut binding = UNBOUND;
                                let mut run = |binding: &mut Binding| each(binding, out);
                                join.run_for(*pair, &view, game.symbols, &mut binding, &mut run);
                            }));
                        }
                    }
                }
                number += 1;
            }
        }
        // New texts move others: only now do places in their order hold.
        few.clear();
        few.extend(met.iter().map(|number| commands.ordered(*number)));
        let longest = lasting.iter().max_by_key(|found| found.end - found.start).copied();
        for found in lasting.iter().filter(|found| Some(**found) != longest) {
            few.extend_from_slice(memos[found.memo].ordered(*found, commands));
        }
        insertion_sort(few);
        let many = longest.map_or(&[][..], |found| memos[found.memo].ordered(found, commands));
        merge(many, few, admissible);
    }

    /// The facts that change, as they stand.
    #[must_use]
    pub fn state(&self) -> &Facts {
        &self.state
    }

    /// Everything that decides the rest of the play, as bytes.
    pub fn state_bytes(&self, out: &mut Vec<u8>) {
        self.state.bytes(out);
    }
}

/// The command of an action under a binding.
pub(super) fn template(game: &Game, action: &Action, binding: &Binding, view: View<'_>) -> String {
    let mut scope = EMPTY_SCOPE;
    for (slot, variable) in &action.variables {
        scope[usize::from(*variable)] = binding[usize::from(*slot)];
    }
    let mut text = String::new();
    Writer { game, view }.write(&action.template, &mut scope, &mut text);
    text
}

/// Puts a list in order that is short, or nearly in order.
fn insertion_sort(list: &mut [u64]) {
    for at in 1..list.len() {
        let item = list[at];
        let mut hole = at;
        while hole > 0 && list[hole - 1] > item {
            list[hole] = list[hole - 1];
            hole -= 1;
        }
        list[hole] = item;
    }
}

/// Joins a long and a short list that are in order, with each text once: of several commands with one text the first
/// stays.
fn merge(many: &[u64], few: &[u64], out: &mut Vec<u64>) {
    out.clear();
    let mut rest = many;
    for item in few {
        let (before, after) = rest.split_at(rest.partition_point(|known| known < item));
        out.extend_from_slice(before);
        out.push(*item);
        rest = after;
    }
    out.extend_from_slice(rest);
    out.dedup_by_key(|item| *item >> 32);
}

impl Memo {
    /// Finds the commands of a key, once.
    #[inline]
    fn find(&mut self, memo: usize, key: u32, find: impl FnOnce(&mut Vec<u32>)) -> Found {
        let at = match self.places.binary_search_by_key(&key, |(known, ..)| *known) {
            Ok(at) => at,
            Err(at) => {
                let start = self.commands.len();
                let mut found = Vec::new();
                find(&mut found);
                self.commands.extend(found.into_iter().map(u64::from));
                self.places.insert(at, (key, start as u32, self.commands.len() as u32));
                // Nothing is in order now.
                self.texts = usize::MAX;
                at
            }
        };
        let (_, start, end) = self.places[at];
        Found { memo, start: start as usize, end: end as usize }
    }

    /// The commands of a key, in the order of texts.
    #[inline]
    fn ordered(&mut self, found: Found, commands: &Commands) -> &[u64] {
        if self.texts != commands.texts() {
            self.texts = commands.texts();
            for number in &mut self.commands {
                *number = commands.ordered(*number as u32);
            }
            for (_, start, end) in &self.places {
                self.commands[*start as usize..*end as usize].sort_unstable();
            }
        }
        &self.commands[found.start..found.end]
    }
}

/// Changes the facts as an action says: conditions are read before, then facts go, then facts come.
pub(crate) fn apply(game: &Game, action: &Action, command: &Command, state: &mut Facts) {
    let mut binding = command.binding();
    let view = game.view(state);
    let happens = |effect: &crate::pddl::EffectForm, binding: &mut _| {
        effect.when.as_ref().is_none_or(|when| view.satisfies(when, binding, game.symbols))
    };
    // One bit an effect; the first has no condition.
    let mut which = 0_u64;
    for (at, effect) in action.effects.iter().enumerate().take(64) {
        which |= u64::from(happens(effect, &mut binding)) << at;
    }
    for adding in [false, true] {
        for (at, effect) in action.effects.iter().enumerate().take(64) {
            if which >> at & 1 == 0 {
                continue;
            }
            for (predicate, [one, other]) in if adding { &effect.adds } else { &effect.deletes } {
                let view = game.view(state);
                let (one, other) = (view.value(*one, &binding), view.value(*other, &binding));
                let known = &game.rules.predicates.all[usize::from(*predicate)];
                if game.live[usize::from(*predicate)] {
                    set(known.place, state, one, other, adding);
                }
                if let Some(negation) = known.negation {
                    let negation = &game.rules.predicates.all[usize::from(negation)];
                    set(negation.place, state, one, other, !adding);
                }
            }
        }
    }
}

fn set(place: Place, state: &mut Facts, one: u16, other: u16, holds: bool) {
    if !place.binary {
        state.set_one(place.index, one, holds);
    } else if holds {
        state.relation_mut(place.index).insert(one, other);
    } else {
        state.relation_mut(place.index).remove(one, other);
    }
}
