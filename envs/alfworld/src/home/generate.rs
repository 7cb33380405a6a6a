//! New households from a seed. Each can be solved by construction: all things lie where they may be put, what a task
//! needs is there, and nothing that was done makes another thing impossible.

use gimbal_parity::Fast;
use serde::{Deserialize, Serialize};

use super::household::{Furniture, Household, HouseholdTask, SCHEMA, TASK_KINDS, TaskKind, Thing};
use super::tables::{MAKES, Make, ROOMS, Room, SORTS, Sort};
use crate::error::{Fault, GameError};

/// How large and how difficult a household is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dials {
    /// Rooms, 1 to 8.
    pub rooms: u32,
    /// Pieces of furniture, 4 to 60: how far one may have to search.
    pub receptacles: u32,
    /// Of a hundred pieces of furniture so many can be opened, 0 to 100: what is in them is seen only then.
    pub closed: u32,
    /// Of a hundred pieces so many are reached together with another one, 0 to 100.
    pub together: u32,
    /// Things that the task is not about, 0 to 100.
    pub distractors: u32,
    /// Of a hundred distractors so many are of the kind that the task is about, 0 to 100.
    pub lookalikes: u32,
    /// The kind of task; any if none.
    pub task: Option<TaskKind>,
}

impl Default for Dials {
    fn default() -> Self {
        Self { rooms: 1, receptacles: 16, closed: 40, together: 20, distractors: 16, lookalikes: 10, task: None }
    }
}

impl Dials {
    /// Whether all are within their bounds.
    ///
    /// # Errors
    /// With the dial that is not, and its bounds.
    pub fn check(&self) -> Result<(), GameError> {
        let dials = [
            ("rooms", self.rooms, 1, 8),
            ("receptacles", self.receptacles, 4, 60),
            ("closed", self.closed, 0, 100),
            ("together", self.together, 0, 100),
            ("distractors", self.distractors, 0, 100),
            ("lookalikes", self.lookalikes, 0, 100),
        ];
        match dials.iter().find(|(_, value, least, most)| !(least..=most).contains(&value)) {
            None => Ok(()),
            Some((name, value, least, most)) => {
                let found = format!("{name} = {value}");
                Err(Fault::Unexpected { found, wanted: format!("a number from {least} to {most}") }.at("household"))
            }
        }
    }
}

struct Draft {
    draws: Fast,
    rooms: Vec<(Room, u32)>,
    furniture: Vec<(&'static Make, usize, u32)>,
    things: Vec<(&'static Sort, usize)>,
}

impl Household {
    /// The household of a seed. The same seed and dials give the same household on every machine.
    ///
    /// # Errors
    /// When a dial is out of its bounds.
    pub fn generate(dials: &Dials, seed: u64) -> Result<Self, GameError> {
        dials.check()?;
        let mut draft = Draft { draws: Fast::new(seed), rooms: Vec::new(), furniture: Vec::new(), things: Vec::new() };
        let kind = dials.task.unwrap_or(TASK_KINDS[draft.below(TASK_KINDS.len())]);
        draft.draw_rooms(kind, dials.rooms);
        let (sort, to) = draft.draw_errand(kind);
        draft.furnish(kind, sort, to, dials);
        draft.place(kind, sort, to, dials);
        let to = if kind == TaskKind::Light { draft.lamp().to_owned() } else { to.name.to_owned() };
        Ok(draft.finish(HouseholdTask { kind, thing: sort.name.to_owned(), to }))
    }
}

impl Draft {
    fn below(&mut self, count: usize) -> usize {
        self.draws.below(count as u32) as usize
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.draws.below(100) < percent
    }

    fn draw_rooms(&mut self, kind: TaskKind, count: u32) {
        let first: &[Room] = match kind {
            TaskKind::Heat | TaskKind::Cool => &[Room::Kitchen],
            TaskKind::Clean => &[Room::Kitchen, Room::Bathroom],
            TaskKind::Light => &[Room::Bedroom, Room::Livingroom],
            TaskKind::Place | TaskKind::Two => &ROOMS,
        };
        let room = first[self.below(first.len())];
        self.rooms.push((room, 1));
        for _ in 1..count {
            let room = ROOMS[self.below(ROOMS.len())];
            let number = 1 + self.rooms.iter().filter(|(known, _)| *known == room).count() as u32;
            self.rooms.push((room, number));
        }
    }

    fn stands(&self, make: &Make) -> bool {
        self.rooms.iter().any(|(room, _)| make.rooms.contains(room))
    }

    /// What the task is about, and where it goes: both are found in the rooms, and a third place holds it as well.
    fn draw_errand(&mut self, kind: TaskKind) -> (&'static Sort, &'static Make) {
        let letter = match kind {
            TaskKind::Clean => Some('w'),
            TaskKind::Heat => Some('h'),
            TaskKind::Cool => Some('c'),
            _ => None,
        };
        let fits = |sort: &&Sort| {
            letter.is_none_or(|letter| sort.has(letter))
                && !sort.has('l')
                && self.rooms.iter().any(|(room, _)| sort.rooms.contains(room))
        };
        let sorts: Vec<&'static Sort> = SORTS.iter().filter(fits).collect();
        let sort = sorts[self.below(sorts.len())];
        let makes: Vec<&'static Make> = MAKES.iter().filter(|make| sort.fits(make) && self.stands(make)).collect();
        let to = makes[self.below(makes.len())];
        (sort, to)
    }

    fn put(&mut self, make: &'static Make, dials: &Dials) {
        let able: Vec<usize> = (0..self.rooms.len())
            .filter(|at| {
                let count =
                    self.furniture.iter().filter(|(known, room, _)| known.name == make.name && room == at).count();
                make.rooms.contains(&self.rooms[*at].0) && count < make.most
            })
            .collect();
        if able.is_empty() {
            return;
        }
        let room = able[self.below(able.len())];
        let beside: Vec<u32> =
            self.furniture.iter().filter(|(_, known, _)| *known == room).map(|(_, _, spot)| *spot).collect();
        let spot = if !beside.is_empty() && self.chance(dials.together) {
            beside[self.below(beside.len())]
        } else {
            self.furniture.iter().map(|(_, _, spot)| spot + 1).max().unwrap_or(0)
        };
        self.furniture.push((make, room, spot));
    }

    fn has(&self, fits: impl Fn(&Make) -> bool) -> bool {
        self.furniture.iter().any(|(make, ..)| fits(make))
    }

    fn furnish(&mut self, kind: TaskKind, sort: &Sort, to: &'static Make, dials: &Dials) {
        self.put(to, dials);
        let tool = match kind {
            TaskKind::Clean => Some("sinkbasin"),
            TaskKind::Heat => Some("microwave"),
            TaskKind::Cool => Some("fridge"),
            _ => None,
        };
        if let Some(tool) = MAKES.iter().find(|make| Some(make.name) == tool)
            && tool.name != to.name
        {
            self.put(tool, dials);
        }
        // A place for the thing to begin with, and one for a lamp.
        let other: Vec<&'static Make> =
            MAKES.iter().filter(|make| sort.fits(make) && make.name != to.name && self.stands(make)).collect();
        if !self.has(|make| make.name != to.name && sort.fits(make)) && !other.is_empty() {
            let make = other[self.below(other.len())];
            self.put(make, dials);
        }
        let flat: Vec<&'static Make> =
            MAKES.iter().filter(|make| make.holds.contains(&super::tables::Class::Lamp) && self.stands(make)).collect();
        if kind == TaskKind::Light && !self.has(|make| make.holds.contains(&super::tables::Class::Lamp)) {
            let make = flat[self.below(flat.len())];
            self.put(make, dials);
        }
        let mut tries = 0;
        while self.furniture.len() < dials.receptacles as usize && tries < 10_000 {
            tries += 1;
            let hinged = self.chance(dials.closed);
            let makes: Vec<&'static Make> =
                MAKES.iter().filter(|make| make.hinged == hinged && self.stands(make)).collect();
            if !makes.is_empty() {
                let make = makes[self.below(makes.len())];
                self.put(make, dials);
            }
        }
    }

    /// Puts a thing on furniture that may hold it, but not on that of one kind; whether there is any.
    fn drop(&mut self, sort: &'static Sort, not: Option<&str>) -> bool {
        let able: Vec<usize> = (0..self.furniture.len())
            .filter(|at| sort.fits(self.furniture[*at].0) && Some(self.furniture[*at].0.name) != not)
            .collect();
        if able.is_empty() {
            return false;
        }
        let at = able[self.below(able.len())];
        self.things.push((sort, at));
        true
    }

    fn place(&mut self, kind: TaskKind, sort: &'static Sort, to: &'static Make, dials: &Dials) {
        let not = (kind != TaskKind::Light).then_some(to.name);
        for _ in 0..if kind == TaskKind::Two { 2 } else { 1 } {
            if !self.drop(sort, not) {
                self.drop(sort, None);
            }
        }
        if kind == TaskKind::Light {
            let lamps: Vec<&'static Sort> = SORTS.iter().filter(|sort| sort.has('l')).collect();
            let lamp = lamps[self.below(lamps.len())];
            self.drop(lamp, None);
        }
        for _ in 0..dials.distractors {
            let here: Vec<&'static Sort> = SORTS
                .iter()
                .filter(|sort| self.rooms.iter().any(|(room, _)| sort.rooms.contains(room)))
                .filter(|known| known.name != sort.name)
                .collect();
            if self.chance(dials.lookalikes) {
                // Another one of the kind must not be there already.
                self.drop(sort, not);
            } else {
                let other = here[self.below(here.len())];
                self.drop(other, None);
            }
        }
    }

    fn lamp(&self) -> &'static str {
        self.things.iter().find(|(sort, _)| sort.has('l')).map_or("desklamp", |(sort, _)| sort.name)
    }

    fn finish(self, task: HouseholdTask) -> Household {
        let numbers = |names: Vec<&str>| -> Vec<String> {
            let mut seen: Vec<&str> = Vec::new();
            let number = |name: &str, seen: &mut Vec<&str>| 1 + seen.iter().filter(|known| **known == name).count();
            names
                .into_iter()
                .map(|name| {
                    let numbered = format!("{name} {}", number(name, &mut seen));
                    seen.push(name);
                    numbered
                })
                .collect()
        };
        let pieces = numbers(self.furniture.iter().map(|(make, ..)| make.name).collect());
        let things = numbers(self.things.iter().map(|(sort, _)| sort.name).collect());
        let furniture = self.furniture.iter().zip(&pieces).map(|((_, room, spot), name)| {
            let (kind, number) = self.rooms[*room];
            Furniture { name: name.clone(), room: format!("{} {number}", kind.name()), spot: *spot, open: false }
        });
        let furniture = furniture.collect();
        let things =
            self.things.iter().zip(things).map(|((_, at), name)| Thing { name, at: pieces[*at].clone() }).collect();
        Household { schema: SCHEMA.to_owned(), task, furniture, things }
    }
}
