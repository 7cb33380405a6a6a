//! A household: what is where, and what to do. The form in which a generated game is kept.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::tables::{Make, Room, Sort, make_of, sort_of};
use crate::engine::{Game, Rules};
use crate::error::{Fault, GameError};
use crate::pddl::{Domain, Formula, Problem, Term, TypeId, hint};

/// The form of the files.
pub const SCHEMA: &str = "gimbal-household/1";

/// The six kinds of task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// Put a thing somewhere.
    Place,
    /// Put a clean thing somewhere.
    Clean,
    /// Put a hot thing somewhere.
    Heat,
    /// Put a cold thing somewhere.
    Cool,
    /// Put two things of a kind somewhere.
    Two,
    /// Hold a thing beside a lit lamp.
    Light,
}

/// All kinds of task.
pub const TASK_KINDS: [TaskKind; 6] =
    [TaskKind::Place, TaskKind::Clean, TaskKind::Heat, TaskKind::Cool, TaskKind::Two, TaskKind::Light];

impl TaskKind {
    /// As options and files write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Place => "place",
            Self::Clean => "clean",
            Self::Heat => "heat",
            Self::Cool => "cool",
            Self::Two => "two",
            Self::Light => "light",
        }
    }

    /// The kind of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        TASK_KINDS.into_iter().find(|kind| kind.name() == name)
    }
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HouseholdTask {
    /// The kind of task.
    pub kind: TaskKind,
    /// The kind of thing that it is about.
    pub thing: String,
    /// The kind of furniture to put it, or the kind of lamp to hold it beside.
    pub to: String,
}

/// A piece of furniture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Furniture {
    /// Kind and number: `cabinet 2`.
    pub name: String,
    /// Room and number: `kitchen 1`.
    pub room: String,
    /// From where it is reached; pieces of one spot are reached together.
    pub spot: u32,
    /// Whether it is open at first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}

/// A thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thing {
    /// Kind and number: `egg 1`.
    pub name: String,
    /// Name of the furniture that it lies in or on.
    pub at: String,
}

/// A household and a task in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Household {
    /// [`SCHEMA`].
    pub schema: String,
    /// What to do.
    pub task: HouseholdTask,
    /// What is there.
    pub furniture: Vec<Furniture>,
    /// What lies there.
    pub things: Vec<Thing>,
}

/// Bounds of a file.
const MOST_FURNITURE: usize = 500;
const MOST_THINGS: usize = 2_000;

fn wrong(what: impl Into<String>) -> GameError {
    Fault::NotHousehold(what.into()).at("household")
}

/// The rules of all households.
///
/// # Errors
/// When our own domain and words do not fit together: a bug, which the tests find.
pub fn rules() -> Result<Arc<Rules>, GameError> {
    static RULES: OnceLock<Result<Arc<Rules>, GameError>> = OnceLock::new();
    let read = || {
        let (domain, words) = (include_str!("../../facts/household.pddl"), include_str!("../../facts/household.words"));
        Rules::new(domain, words).map(|(rules, _)| Arc::new(rules))
    };
    RULES.get_or_init(read).clone()
}

/// Kind and number of a name such as `cabinet 2`.
fn numbered(name: &str) -> Result<(&str, u32), GameError> {
    let parts = name.rsplit_once(' ').and_then(|(kind, number)| Some((kind, number.parse::<u32>().ok()?)));
    parts.filter(|(_, number)| *number > 0).ok_or_else(|| {
        wrong(format!(
            "`{}` is not a name; write a kind and a number, such as `cabinet 2`",
            crate::pddl::shortened(name)
        ))
    })
}

impl Household {
    /// Reads a household from the text of a file.
    ///
    /// # Errors
    /// When it is cut short, damaged, or about things that do not exist.
    pub fn read(text: &str) -> Result<Self, GameError> {
        let household: Self = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        household.check()?;
        Ok(household)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or is not a household; the place names the file.
    pub fn load(path: &Path) -> Result<Self, GameError> {
        let shown = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|error| Fault::Unreadable(error.to_string()).at(shown.clone()))?;
        Self::read(&text).map_err(|error| error.within(&shown))
    }

    /// The text of a file that [`Household::read`] reads.
    #[must_use]
    pub fn write(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    fn check(&self) -> Result<(), GameError> {
        if self.schema != SCHEMA {
            return Err(wrong(format!("its schema is `{}` and not `{SCHEMA}`", crate::pddl::shortened(&self.schema))));
        }
        if self.furniture.len() > MOST_FURNITURE || self.things.len() > MOST_THINGS {
            return Err(wrong(format!(
                "it has more than {MOST_FURNITURE} pieces of furniture or {MOST_THINGS} things"
            )));
        }
        let mut names = std::collections::BTreeSet::new();
        for piece in &self.furniture {
            known_make(numbered(&piece.name)?.0)?;
            let (room, _) = numbered(&piece.room)?;
            if Room::from_name(room).is_none() {
                let hint = hint(room, super::tables::ROOMS.map(Room::name));
                return Err(wrong(format!("there is no kind of room `{}`{hint}", crate::pddl::shortened(room))));
            }
            if !names.insert(piece.name.as_str()) {
                return Err(wrong(format!("there are two pieces of furniture called `{}`", piece.name)));
            }
        }
        let mut things = std::collections::BTreeSet::new();
        for thing in &self.things {
            known_sort(numbered(&thing.name)?.0)?;
            if !things.insert(thing.name.as_str()) {
                return Err(wrong(format!("there are two things called `{}`", thing.name)));
            }
            if !names.contains(thing.at.as_str()) {
                let hint = hint(&thing.at, names.iter().copied());
                let at = crate::pddl::shortened(&thing.at);
                return Err(wrong(format!("`{}` lies at `{at}`, which is not there{hint}", thing.name)));
            }
        }
        // Numbers of a kind run from one, so that the names of the game are those of the file.
        let all = names.iter().chain(&things);
        let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
        for name in all {
            let (kind, number) = numbered(name)?;
            let (count, most) = counts.entry(kind).or_default();
            (*count, *most) = (*count + 1, (*most).max(number));
        }
        if let Some((kind, _)) = counts.iter().find(|(_, (count, most))| count != most) {
            return Err(wrong(format!("the numbers of `{kind}` do not run from 1 without a gap")));
        }
        known_sort(&self.task.thing)?;
        if self.task.kind == TaskKind::Light {
            let lamp = known_sort(&self.task.to)?;
            if !lamp.has('l') {
                return Err(wrong(format!("`{}` gives no light", lamp.name)));
            }
        } else {
            known_make(&self.task.to)?;
        }
        Ok(())
    }

    /// The game of the household.
    ///
    /// # Errors
    /// When the household is not sound.
    pub fn game(&self) -> Result<Game, GameError> {
        self.check()?;
        let rules = rules()?;
        let problem = Builder::new(&rules.domain).build(self)?;
        Game::new(rules, &problem, format!("Your task: {}", self.sentence()), Vec::new())
    }
}

fn known_make(name: &str) -> Result<&'static Make, GameError> {
    make_of(name).ok_or_else(|| {
        let hint = hint(name, super::tables::MAKES.iter().map(|make| make.name));
        wrong(format!("there is no kind of furniture `{}`{hint}", crate::pddl::shortened(name)))
    })
}

fn known_sort(name: &str) -> Result<&'static Sort, GameError> {
    sort_of(name).ok_or_else(|| {
        let hint = hint(name, super::tables::SORTS.iter().map(|sort| sort.name));
        wrong(format!("there is no kind of thing `{}`{hint}", crate::pddl::shortened(name)))
    })
}

/// Makes a problem of a household, without any text between.
struct Builder<'d> {
    domain: &'d Domain,
    problem: Problem<'static>,
    known: BTreeMap<String, u16>,
}

impl<'d> Builder<'d> {
    fn new(domain: &'d Domain) -> Self {
        let problem = Problem { constants: domain.constants.clone(), ..Problem::default() };
        Self { domain, problem, known: BTreeMap::new() }
    }

    fn object(&mut self, name: &str, kind: &str) -> u16 {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let kind = self.domain.find_type(kind).unwrap_or(TypeId::NOTHING);
        self.problem.objects.push((Cow::Owned(name.to_owned()), kind));
        let at = (self.problem.objects.len() - 1) as u16;
        self.known.insert(name.to_owned(), at);
        at
    }

    fn predicate(&self, name: &str) -> Result<u16, GameError> {
        self.domain
            .find_predicate(name)
            .ok_or_else(|| Fault::UnknownPredicate { name: name.to_owned(), hint: String::new() }.at("household"))
    }

    fn fact(&mut self, name: &str, one: u16, other: u16) -> Result<(), GameError> {
        let predicate = self.predicate(name)?;
        self.problem.facts.push((predicate, [one, other]));
        Ok(())
    }

    fn build(mut self, household: &Household) -> Result<Problem<'static>, GameError> {
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        let names = household.furniture.iter().flat_map(|piece| [&piece.name, &piece.room]);
        let all: std::collections::BTreeSet<&String> =
            names.chain(household.things.iter().map(|thing| &thing.name)).collect();
        for name in all {
            let (kind, number) = numbered(name)?;
            let most = counts.entry(kind).or_insert(0);
            *most = (*most).max(number);
        }
        // Names number the symbols of a kind from the last to the first.
        let symbol = |name: &str| -> Result<String, GameError> {
            let (kind, number) = numbered(name)?;
            let most = counts.get(kind).copied().unwrap_or(number);
            // What the rule of names would append itself is left out.
            let base = kind.strip_suffix("basin").unwrap_or(kind);
            let tail = if base.len() < kind.len() { "_basin" } else { "" };
            Ok(format!("{base}_bar_{:05}{tail}", most.saturating_sub(number)))
        };
        let person = self.object("person", "person");
        let door = self.object("spot_bar_99999", "spot");
        self.fact("stands", person, door)?;
        for piece in &household.furniture {
            let make = known_make(numbered(&piece.name)?.0)?;
            let furniture = self.object(&symbol(&piece.name)?, "furniture");
            let kind = self.object(make.name, "make");
            let spot = self.object(&format!("spot_bar_{:05}", piece.spot % 99_999), "spot");
            let room = self.object(&symbol(&piece.room)?, "room");
            self.fact("made", furniture, kind)?;
            self.fact("placed", furniture, spot)?;
            self.fact("belongs", spot, room)?;
            if make.hinged {
                self.fact("hinged", furniture, furniture)?;
                if piece.open {
                    self.fact("ajar", furniture, furniture)?;
                }
            }
        }
        for thing in &household.things {
            let sort = known_sort(numbered(&thing.name)?.0)?;
            let object = self.object(&symbol(&thing.name)?, "thing");
            let kind = self.object(sort.name, "sort");
            let furniture = self.object(&symbol(&thing.at)?, "furniture");
            self.fact("sorted", object, kind)?;
            self.fact("lies", object, furniture)?;
            if !sort.has('l') {
                self.fact("portable", object, object)?;
            }
            let traits = [
                ('w', "washable"),
                ('h', "warmable"),
                ('c', "chillable"),
                ('s', "cuttable"),
                ('k', "sharp"),
                ('l', "switchable"),
            ];
            for (letter, name) in traits {
                if sort.has(letter) {
                    self.fact(name, object, object)?;
                }
            }
            for piece in &household.furniture {
                let make = known_make(numbered(&piece.name)?.0)?;
                if sort.fits(make) {
                    let make = self.object(make.name, "make");
                    self.fact("fits", make, kind)?;
                }
            }
        }
        self.goal(&household.task)?;
        Ok(self.problem)
    }

    fn constant(&mut self, name: &str, kind: &str) -> Term {
        self.object(name, kind);
        let known = self.problem.constants.iter().position(|known| known == name);
        let at = known.unwrap_or_else(|| {
            self.problem.constants.push(name.to_owned());
            self.problem.constants.len() - 1
        });
        Term::Constant(at as u16)
    }

    /// The goal: some things of a sort, with what was done to them, at a place.
    fn goal(&mut self, errand: &HouseholdTask) -> Result<(), GameError> {
        let kinds =
            ["thing", "furniture", "person", "spot"].map(|name| self.domain.find_type(name).unwrap_or(TypeId::NOTHING));
        let [thing, furniture, person, spot] = kinds;
        let slot = Term::Slot;
        let atom = |name: &str, one: Term, other: Term| self.predicate(name).map(|at| Formula::Atom(at, [one, other]));
        let (sorted, lies, made) = (self.predicate("sorted")?, self.predicate("lies")?, self.predicate("made")?);
        let mut parts = Vec::new();
        let mut bound = vec![(0, thing)];
        if errand.kind == TaskKind::Light {
            let lamp = [
                atom("switchable", slot(1), slot(1))?,
                atom("lit", slot(1), slot(1))?,
                atom("lies", slot(1), slot(2))?,
                atom("placed", slot(2), slot(3))?,
                atom("stands", slot(4), slot(3))?,
                atom("carries", slot(4), slot(0))?,
            ];
            bound.extend([(1, thing), (2, furniture), (3, spot), (4, person)]);
            let to = self.constant(&errand.to, "sort");
            parts.push(Formula::Atom(sorted, [slot(1), to]));
            parts.extend(lamp);
        } else {
            let done = match errand.kind {
                TaskKind::Clean => Some("washed"),
                TaskKind::Heat => Some("warmed"),
                TaskKind::Cool => Some("chilled"),
                _ => None,
            };
            let done = done.map(|name| atom(name, slot(0), slot(0))).transpose()?;
            bound.push((1, furniture));
            let to = self.constant(&errand.to, "make");
            parts.push(Formula::Atom(made, [slot(1), to]));
            parts.push(Formula::Atom(lies, [slot(0), slot(1)]));
            parts.extend(done);
        }
        let sort = self.constant(&errand.thing, "sort");
        parts.push(Formula::Atom(sorted, [slot(0), sort]));
        if errand.kind == TaskKind::Two {
            bound.push((2, thing));
            parts.push(Formula::Not(Box::new(Formula::Equal(slot(0), slot(2)))));
            parts.push(Formula::Atom(sorted, [slot(2), sort]));
            parts.push(Formula::Atom(lies, [slot(2), slot(1)]));
        }
        self.problem.goal = Some(Formula::Exists(bound, Box::new(Formula::And(parts))));
        Ok(())
    }
}
