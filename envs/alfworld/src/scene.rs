//! What an agent can tell apart: where it is, what lies there, what it carries, what is open.

use crate::engine::{Facts, Game, Play, Role};
use crate::error::{Fault, GameError};
use crate::pddl::{Domain, TypeId};

/// The predicates and types of a domain by what they stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lexicon {
    stands: u16,
    placed: u16,
    lies: u16,
    carries: u16,
    hinged: u16,
    open: u16,
    /// The type of furniture.
    pub receptacle: TypeId,
    /// The type of things.
    pub object: TypeId,
}

/// Names in the published domain and in ours.
const NAMES: [(&str, [&str; 2]); 6] = [
    ("where the agent is", ["atlocation", "stands"]),
    ("where a receptacle is", ["receptacleatlocation", "placed"]),
    ("what is in a receptacle", ["inreceptacle", "lies"]),
    ("what the agent carries", ["holds", "carries"]),
    ("what can be opened", ["openable", "hinged"]),
    ("what is open", ["opened", "ajar"]),
];

impl Lexicon {
    /// The lexicon of a domain.
    ///
    /// # Errors
    /// When it declares no predicate for one of them.
    pub fn of(domain: &Domain) -> Result<Self, GameError> {
        let mut found = [0_u16; 6];
        for (place, (what, names)) in found.iter_mut().zip(NAMES) {
            let known = names.iter().find_map(|name| domain.find_predicate(name));
            let missing = || Fault::NoRole { what, known: names.join(", ") }.at("pddl_domain");
            *place = known.ok_or_else(missing)?;
        }
        let [stands, placed, lies, carries, hinged, open] = found;
        let kind = |predicate: u16, at: usize| {
            let types = &domain.predicates[usize::from(predicate)].types;
            types.get(at).copied().unwrap_or(TypeId::NOTHING)
        };
        Ok(Self { receptacle: kind(placed, 0), object: kind(lies, 0), stands, placed, lies, carries, hinged, open })
    }

    fn pairs<'a>(game: &'a Game, state: &'a Facts, predicate: u16) -> &'a crate::engine::Relation {
        let view = game.view(state);
        let place = view.place(predicate);
        view.table(place).relation(place.index)
    }

    fn one(game: &Game, state: &Facts, predicate: u16, symbol: u16) -> bool {
        let view = game.view(state);
        view.holds(view.place(predicate), symbol, symbol)
    }

    /// All receptacles that can be reached somewhere, in the order of symbols.
    #[must_use]
    pub fn receptacles(&self, game: &Game) -> Vec<u16> {
        let mut all: Vec<u16> =
            Self::pairs(game, &game.first, self.placed).pairs().iter().map(|pair| (*pair >> 16) as u16).collect();
        all.dedup();
        all
    }

    /// The receptacles within reach.
    #[must_use]
    pub fn here(&self, play: &Play) -> Vec<u16> {
        let (game, state) = (play.game(), play.state());
        let stands = Self::pairs(game, state, self.stands);
        let spots = stands.pairs().iter().map(|pair| *pair as u16);
        let placed = Self::pairs(game, state, self.placed);
        spots.flat_map(|spot| placed.of_second(spot).iter().map(|pair| *pair as u16)).collect()
    }

    /// Whether a receptacle opens and closes, and if so whether it is open.
    #[must_use]
    pub fn opened(&self, play: &Play, receptacle: u16) -> Option<bool> {
        let (game, state) = (play.game(), play.state());
        Self::one(game, state, self.hinged, receptacle).then(|| Self::one(game, state, self.open, receptacle))
    }

    /// What lies in or on a receptacle.
    pub fn contents<'p>(&self, play: &'p Play, receptacle: u16) -> impl Iterator<Item = u16> + 'p {
        let lies = Self::pairs(play.game(), play.state(), self.lies);
        lies.of_second(receptacle).iter().map(|pair| *pair as u16)
    }

    /// What the agent carries.
    pub fn carried<'p>(&self, play: &'p Play) -> impl Iterator<Item = u16> + 'p {
        Self::pairs(play.game(), play.state(), self.carries).pairs().iter().map(|pair| *pair as u16)
    }

    /// Location, visible objects, inventory and open state of receptacles, as bytes (CYC-067).
    #[must_use]
    pub fn situation(&self, play: &Play) -> Vec<u8> {
        let mut out = Vec::with_capacity(128);
        let mut part = |symbols: &mut dyn Iterator<Item = u16>| {
            symbols.for_each(|symbol| out.extend_from_slice(&symbol.to_be_bytes()));
            out.extend_from_slice(&u16::MAX.to_be_bytes());
        };
        let here = self.here(play);
        part(&mut here.iter().copied());
        for receptacle in here.iter().filter(|receptacle| self.opened(play, **receptacle) != Some(false)) {
            part(&mut self.contents(play, *receptacle));
        }
        part(&mut self.carried(play));
        let all = self.receptacles(play.game());
        part(&mut all.into_iter().filter(|receptacle| self.opened(play, *receptacle) == Some(true)));
        out
    }
}

/// Whether a command of this role tells what lies in a receptacle.
#[must_use]
pub const fn shows_contents(role: Role) -> bool {
    matches!(role, Role::Go | Role::ExamineReceptacle | Role::Open)
}
