//! A play of a game: state, observation, admissible commands.

use std::sync::Arc;

use super::commands::{Command, Commands};
use super::facts::Facts;
use super::game::Game;
use super::join::Lasting;
use super::render::{EMPTY_SCOPE, Writer};
use super::predicates::Place;
use super::rules::{Action, Role};
use super::view::UNBOUND;
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
    /// One when won, else nought.
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

/// Matches of a plan that stay the same, by what they hang on.
#[derive(Clone, Debug, Default)]
struct Memo {
    /// Key, and where its commands stand in `commands`; sorted by key.
    places: Vec<(u32, u32, u32)>,
    commands: Vec<u32>,
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
/// assert!(play.observation().starts_with("-="));
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
    admissible: Vec<u32>,
    observation: String,
    won: bool,
    steps: u64,
    /// Commands of this moment in no order.
    met: Vec<u32>,
    /// Bits by rank of text, and the command of each.
    marks: Vec<u64>,
    chosen: Vec<u32>,
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
            marks: Vec::new(),
            chosen: Vec::new(),
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
        self.admissible.iter().map(|number| self.commands.text(*number))
    }

    /// One of the admissible commands.
    #[must_use]
    pub fn command(&self, at: usize) -> Option<&str> {
        self.admissible.get(at).map(|number| self.commands.text(*number))
    }

    /// The same with its action and arguments.
    #[must_use]
    pub fn grounded(&self, at: usize) -> Option<&Command> {
        self.admissible.get(at).map(|number| self.commands.get(*number))
    }

    /// What one of the admissible commands is about.
    #[must_use]
    pub fn role(&self, at: usize) -> Option<Role> {
        self.grounded(at).map(|command| self.game.rules.actions[usize::from(command.action)].role)
    }

    /// The place of a command among the admissible ones.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<usize> {
        self.admissible.binary_search_by(|number| self.commands.text(*number).cmp(text)).ok()
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
        let command = *self.commands.get(*number);
        let game = Arc::clone(&self.game);
        let action = &game.rules.actions[usize::from(command.action)];
        apply(&game, action, &command, &mut self.state);
        let mut scope = EMPTY_SCOPE;
        for (slot, variable) in &action.variables {
            scope[usize::from(*variable)] = command.arguments[usize::from(*slot)];
        }
        let writer = Writer { game: &game, view: game.view(&self.state) };
        writer.write(&action.feedback, &mut scope, &mut self.observation);
        self.look_around();
        Stepped { accepted: true, won: self.won }
    }

    /// The admissible commands and whether the game is won, from the state.
    fn look_around(&mut self) {
        let Self { game, state, commands, memos, met, .. } = self;
        let view = game.view(state);
        self.won = game.goal.holds(&view, game.symbols);
        met.clear();
        let mut memos = memos.iter_mut();
        for (at, action) in game.rules.actions.iter().enumerate() {
            let text = |binding: &[u16]| {
                let mut scope = EMPTY_SCOPE;
                for (slot, variable) in &action.variables {
                    scope[usize::from(*variable)] = binding[usize::from(*slot)];
                }
                let mut text = String::new();
                Writer { game, view }.write(&action.template, &mut scope, &mut text);
                text
            };
            for (join, memo) in action.joins.iter().zip(&mut memos) {
                let mut binding = UNBOUND;
                let mut each = |binding: &mut [u16; 16], out: &mut Vec<u32>| {
                    if !action.idle(join, binding, &view) {
                        out.push(commands.number(at as u16, action.parameters, binding, || text(&binding[..])));
                    }
                    false
                };
                match join.lasting {
                    Lasting::No => {
                        join.run(&view, game.symbols, &mut binding, &mut |binding| each(binding, met));
                    }
                    Lasting::Always => {
                        let found = memo.get(0, |out| {
                            join.run(&view, game.symbols, &mut binding, &mut |binding| each(binding, out));
                        });
                        met.extend_from_slice(found);
                    }
                    Lasting::ForFirst(predicate) => {
                        let place = view.place(predicate);
                        for pair in view.table(place).relation(place.index).pairs() {
                            let found = memo.get(*pair, |out| {
                                let mut run = |binding: &mut [u16; 16]| each(binding, out);
                                join.run_for(*pair, &view, game.symbols, &mut binding, &mut run);
                            });
                            met.extend_from_slice(found);
                        }
                    }
                }
            }
        }
        self.sort();
    }

    /// Puts what was met in the order of texts, each text once.
    fn sort(&mut self) {
        let Self { commands, met, marks, chosen, admissible, .. } = self;
        let texts = commands.texts();
        if chosen.len() < texts {
            chosen.resize(texts + 64, 0);
            marks.resize((texts + 64).div_ceil(64), 0);
        }
        // Of several with one text the first stays.
        for number in met.iter().rev() {
            let rank = commands.rank(*number);
            marks[(rank >> 6) as usize] |= 1 << (rank & 63);
            chosen[rank as usize] = *number;
        }
        admissible.clear();
        for (at, word) in marks.iter_mut().enumerate() {
            while *word != 0 {
                let rank = at * 64 + word.trailing_zeros() as usize;
                *word &= *word - 1;
                admissible.push(chosen[rank]);
            }
        }
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

impl Memo {
    /// The commands of a key, found once.
    #[inline]
    fn get(&mut self, key: u32, find: impl FnOnce(&mut Vec<u32>)) -> &[u32] {
        let at = match self.places.binary_search_by_key(&key, |(known, ..)| *known) {
            Ok(at) => at,
            Err(at) => {
                let start = self.commands.len() as u32;
                find(&mut self.commands);
                self.places.insert(at, (key, start, self.commands.len() as u32));
                at
            }
        };
        let (_, start, end) = self.places[at];
        &self.commands[start as usize..end as usize]
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
