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
const VERSION: u32 = 4;

/// The readers of this program, by name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Library;

impl Readers for Library {
    fn named(&self, name: &str) -> Option<Arc<dyn Reader>> {
        match name {
            "careful" => Some(Arc::new(Careful)),
            "alfworld" => Some(Arc::new(Only(household::reply))),
            "finance_agent" => Some(Arc::new(Only(filings::reply))),
            "textcraft" => Some(Arc::new(Only(textcraft::reply))),
            "defender" => Some(Arc::new(Only(defence::reply))),
            "triage" => Some(Arc::new(Only(triage::reply))),
            "consensus" => Some(Arc::new(Only(ballots::reply))),
            other => gullible::Gullible::named(other).map(|reader| Arc::new(reader) as Arc<dyn Reader>),
        }
    }

    fn list(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("careful", "a careful player of any environment, by what the prompt says"),
            ("gullible", "as careful, but falls for instructions in what it is shown; gullible-0.5: for half of them"),
            ("wary", "as careful, but plans no action that what it is shown asks for"),
            ("alfworld", "the player of household tasks"),
            ("finance_agent", "the player of questions about filings"),
            ("textcraft", "the player of crafting tasks"),
            ("triage", "the player of evidence packets: lists all facts, weighs signs and explanations"),
            ("consensus", "a seat of a game by ballots: takes the middle of what it was told"),
            ("defender", "the defender of a network: fixes what has changed, else watches"),
        ]
    }
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
    if ballots::knows(sheet) {
        return ballots::reply(sheet);
    }
    if triage::knows(sheet) {
        return triage::reply(sheet);
    }
    if textcraft::knows(sheet) {
        return textcraft::reply(sheet);
    }
    if household::knows(sheet) {
        return household::reply(sheet);
    }
    if defence::knows(sheet) {
        return defence::reply(sheet);
    }
    if filings::knows(sheet) {
        return filings::reply(sheet);
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
