//! Ground commands: numbered when first met, with their texts and the order of these.

use std::collections::HashMap;

use super::view::{Binding, UNBOUND};
use crate::pddl::NO_SYMBOL;
use crate::words::{FastHash, Texts};

/// Parameters of one action.
pub const MOST_ARGUMENTS: usize = 8;

/// An action with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// The action: its number in the domain.
    pub action: u16,
    /// The number of its text.
    pub(crate) text: u32,
    /// Symbols of the arguments.
    pub arguments: [u16; MOST_ARGUMENTS],
}

impl Command {
    /// The arguments as a binding of the action's first variables.
    pub(crate) fn binding(&self) -> Binding {
        let mut binding = UNBOUND;
        binding[..MOST_ARGUMENTS].copy_from_slice(&self.arguments);
        binding
    }
}

/// All commands met so far. Texts are kept in order, so that a list of commands is put in order by numbers alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Commands {
    all: Vec<Command>,
    index: HashMap<(u16, u128), u32, FastHash>,
    texts: Texts,
    /// Numbers of texts by code points of the texts.
    sorted: Vec<u32>,
    /// The place of each command's text in `sorted`.
    rank: Vec<u32>,
}

impl Commands {
    /// The number of an action under a binding of its first `count` variables; `write` gives its text if it is new.
    #[inline]
    pub fn number(&mut self, action: u16, count: usize, binding: &Binding, write: impl FnOnce() -> String) -> u32 {
        let mut arguments = [NO_SYMBOL; MOST_ARGUMENTS];
        let mut key = 0_u128;
        for (argument, value) in arguments.iter_mut().zip(binding).take(count) {
            *argument = *value;
            key = key << 16 | u128::from(*value);
        }
        if let Some(known) = self.index.get(&(action, key)) {
            return *known;
        }
        let text = self.text_number(&write());
        let number = self.all.len() as u32;
        self.all.push(Command { action, text, arguments });
        self.rank.push(self.sorted.iter().position(|known| *known == text).unwrap_or_default() as u32);
        self.index.insert((action, key), number);
        number
    }

    fn text_number(&mut self, text: &str) -> u32 {
        let place = self.sorted.binary_search_by(|known| self.texts.get(*known as usize).cmp(text));
        match place {
            Ok(at) => self.sorted[at],
            Err(at) => {
                let number = self.texts.push(text);
                self.sorted.insert(at, number);
                // All behind the new one move on by one.
                self.rank.iter_mut().filter(|rank| **rank >= at as u32).for_each(|rank| *rank += 1);
                number
            }
        }
    }

    /// How many different texts there are.
    pub fn texts(&self) -> usize {
        self.texts.len()
    }

    /// A command by its number.
    #[inline]
    pub fn get(&self, number: u32) -> &Command {
        &self.all[number as usize]
    }

    /// The text of a command.
    #[inline]
    pub fn text(&self, number: u32) -> &str {
        self.texts.get(self.all[number as usize].text as usize)
    }

    /// A command with the place of its text among all texts in the high half: in the order of texts as a number. It
    /// holds until the next new text.
    #[inline]
    pub fn ordered(&self, number: u32) -> u64 {
        u64::from(self.rank[number as usize]) << 32 | u64::from(number)
    }
}
