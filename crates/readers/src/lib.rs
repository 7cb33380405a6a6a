//! Players by rule that are given a request as a language model is given it, and nothing else.
//!
//! A reader parses the prompt's own text ([`kit`]) and answers in the form that the prompt asks for. It holds no state between
//! requests and knows no environment's code: what a prompt does not say, it cannot know, and it says what it missed. What
//! readers reach shows what a request is worth to one fixed player; it is not evidence about language models.

pub mod ballots;
pub mod control;
mod defence;
pub mod filings;
pub mod gullible;
pub mod household;
pub mod kit;
pub mod layers;
pub mod search;
pub mod textcraft;
pub mod triage;

use std::sync::Arc;

use gimbal_core::chat::InformationKind;
use gimbal_model::reader::{Page, Reader, Readers, Reply};

/// Behaviour of all readers: raised when one of them answers a request otherwise than before.
const VERSION: u32 = 5;

/// A player of one environment.
struct Player {
    name: &'static str,
    /// What it does, in words for a list.
    about: &'static str,
    /// Whether a prompt is of its environment.
    knows: fn(&kit::Sheet<'_>) -> bool,
    reply: fn(&kit::Sheet<'_>) -> Reply,
}

/// The players, each asked in this order whether it knows a prompt: a new one is a row here.
const PLAYERS: [Player; 6] = [
    Player {
        name: "consensus",
        about: "an agent of a game by ballots: takes the middle of what it was told",
        knows: ballots::knows,
        reply: ballots::reply,
    },
    Player {
        name: "triage",
        about: "the player of evidence packets: lists all facts, weighs signs and explanations",
        knows: triage::knows,
        reply: triage::reply,
    },
    Player {
        name: "textcraft",
        about: "the player of crafting tasks",
        knows: textcraft::knows,
        reply: textcraft::reply,
    },
    Player {
        name: "alfworld",
        about: "the player of household tasks",
        knows: household::knows,
        reply: household::reply,
    },
    Player {
        name: "finance_agent",
        about: "the player of questions about filings",
        knows: filings::knows,
        reply: filings::reply,
    },
    // It knows advisers of any environment by the form of their answers, so that it comes last.
    Player {
        name: "defender",
        about: "the defender of a network: fixes what has changed, else watches",
        knows: defence::knows,
        reply: defence::reply,
    },
];

/// The readers of this program, by name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Library;

impl Readers for Library {
    fn named(&self, name: &str) -> Option<Arc<dyn Reader>> {
        if name == "careful" {
            return Some(Arc::new(Careful));
        }
        match PLAYERS.iter().find(|player| player.name == name) {
            Some(player) => Some(Arc::new(Only(player.reply))),
            None => gullible::Gullible::named(name).map(|reader| Arc::new(reader) as Arc<dyn Reader>),
        }
    }

    fn list(&self) -> Vec<(&'static str, &'static str)> {
        let of_any = [
            ("careful", "a careful player of any environment, by what the prompt says"),
            ("gullible", "as careful, but falls for instructions in what it is shown; gullible-0.5: for half of them"),
            ("wary", "as careful, but plans no action that what it is shown asks for"),
        ];
        of_any.into_iter().chain(PLAYERS.iter().map(|player| (player.name, player.about))).collect()
    }
}

/// Whether a player knows the environment of a prompt.
#[must_use]
pub fn is_known(page: &Page<'_>) -> bool {
    player_of(&kit::Sheet::read(page)).is_some()
}

/// The player whose environment a prompt mentions.
fn player_of(sheet: &kit::Sheet<'_>) -> Option<&'static Player> {
    PLAYERS.iter().find(|player| (player.knows)(sheet))
}

/// Picks the player by what the prompt says.
struct Careful;

impl Reader for Careful {
    fn version(&self) -> u32 {
        VERSION
    }

    fn reply(&self, page: &Page<'_>) -> Reply {
        careful(&kit::Sheet::read(page))
    }
}

/// The careful player's answer.
fn careful(sheet: &kit::Sheet<'_>) -> Reply {
    if let Some(summary) = control::summary(sheet) {
        return summary;
    }
    if layers::knows(sheet) {
        return layers::reply(sheet, player);
    }
    search::reply(sheet, player).unwrap_or_else(|| player(sheet))
}

/// The answer of the player whose environment the prompt mentions.
fn player(sheet: &kit::Sheet<'_>) -> Reply {
    if let Some(known) = player_of(sheet) {
        return (known.reply)(sheet);
    }
    sheet.miss(InformationKind::Role, "words of an environment that this reader knows");
    sheet.say("")
}

/// One player, whatever the prompt says.
struct Only(fn(&kit::Sheet<'_>) -> Reply);

impl Reader for Only {
    fn version(&self) -> u32 {
        VERSION
    }

    fn reply(&self, page: &Page<'_>) -> Reply {
        let sheet = kit::Sheet::read(page);
        if layers::knows(&sheet) {
            return layers::reply(&sheet, self.0);
        }
        let known = control::summary(&sheet).or_else(|| search::reply(&sheet, self.0));
        known.unwrap_or_else(|| self.0(&sheet))
    }
}
