//! What there is in a house: kinds of rooms, furniture and things.

/// What a thing is like, as far as furniture cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Eaten.
    Food,
    /// Eaten from, or cooked with.
    Dish,
    /// Small kitchen tools.
    Tool,
    /// For washing.
    Bath,
    /// Anything that fits in a drawer.
    Small,
    /// Anything that does not.
    Large,
    /// Gives light, and stays where it is.
    Lamp,
}

/// A kind of room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Room {
    /// Kitchen.
    Kitchen,
    /// Bathroom.
    Bathroom,
    /// Bedroom.
    Bedroom,
    /// Living room.
    Livingroom,
}

/// All kinds of rooms.
pub const ROOMS: [Room; 4] = [Room::Kitchen, Room::Bathroom, Room::Bedroom, Room::Livingroom];

impl Room {
    /// As texts write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kitchen => "kitchen",
            Self::Bathroom => "bathroom",
            Self::Bedroom => "bedroom",
            Self::Livingroom => "livingroom",
        }
    }

    /// The room of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        ROOMS.into_iter().find(|room| room.name() == name)
    }
}

/// A kind of furniture.
#[derive(Clone, Copy, Debug)]
pub struct Make {
    /// One word.
    pub name: &'static str,
    /// Whether it opens and closes.
    pub hinged: bool,
    /// Where it is.
    pub rooms: &'static [Room],
    /// How many of it a room has at most.
    pub most: usize,
    /// What may be put there.
    pub holds: &'static [Class],
}

use Class::{Bath, Dish, Food, Lamp, Large, Small, Tool};
use Room::{Bathroom, Bedroom, Kitchen, Livingroom};

const ALL: &[Class] = &[Food, Dish, Tool, Bath, Small, Large];
const FLAT: &[Class] = &[Food, Dish, Tool, Bath, Small, Large, Lamp];

const fn make(name: &'static str, hinged: bool, rooms: &'static [Room], most: usize, holds: &'static [Class]) -> Make {
    Make { name, hinged, rooms, most, holds }
}

/// All kinds of furniture.
pub const MAKES: [Make; 24] = [
    make("cabinet", true, &[Kitchen, Bathroom], 20, &[Dish, Tool, Bath, Small, Food]),
    make("drawer", true, &[Kitchen, Bedroom, Livingroom], 20, &[Tool, Small, Bath]),
    make("fridge", true, &[Kitchen], 1, &[Food, Dish]),
    make("microwave", true, &[Kitchen], 1, &[Food, Dish]),
    make("safe", true, &[Bedroom, Livingroom], 2, &[Small]),
    make("laundryhamper", true, &[Bathroom, Bedroom], 2, &[Bath, Large]),
    make("wardrobe", true, &[Bedroom], 4, &[Small, Large]),
    make("sinkbasin", false, &[Kitchen, Bathroom], 2, &[Dish, Tool, Bath, Food]),
    make("countertop", false, &[Kitchen, Bathroom], 4, FLAT),
    make("stoveburner", false, &[Kitchen], 4, &[Dish]),
    make("garbagecan", false, &[Kitchen, Bathroom, Bedroom, Livingroom], 1, ALL),
    make("diningtable", false, &[Kitchen, Livingroom], 2, FLAT),
    make("shelf", false, &[Kitchen, Bathroom, Bedroom, Livingroom], 12, FLAT),
    make("towelrail", false, &[Bathroom], 3, &[Bath]),
    make("bathtub", false, &[Bathroom], 1, &[Bath]),
    make("windowsill", false, &[Kitchen, Bathroom, Bedroom, Livingroom], 3, FLAT),
    make("bed", false, &[Bedroom], 2, &[Small, Large]),
    make("desk", false, &[Bedroom, Livingroom], 3, FLAT),
    make("dresser", false, &[Bedroom, Livingroom], 2, FLAT),
    make("sidetable", false, &[Bedroom, Livingroom], 4, FLAT),
    make("sofa", false, &[Livingroom], 2, &[Small, Large]),
    make("armchair", false, &[Livingroom, Bedroom], 3, &[Small, Large]),
    make("coffeetable", false, &[Livingroom], 2, FLAT),
    make("bookcase", false, &[Livingroom, Bedroom], 3, &[Small, Large]),
];

/// The kind of furniture of a name.
#[must_use]
pub fn make_of(name: &str) -> Option<&'static Make> {
    MAKES.iter().find(|make| make.name == name)
}

/// A kind of thing.
#[derive(Clone, Copy, Debug)]
pub struct Sort {
    /// One word.
    pub name: &'static str,
    /// What furniture asks of it.
    pub class: Class,
    /// Where it is found.
    pub rooms: &'static [Room],
    /// Letters: `w` can be washed, `h` heated, `c` cooled, `s` sliced, `k` slices, `l` gives light.
    pub traits: &'static str,
}

impl Sort {
    /// Whether it has a trait, by its letter.
    #[must_use]
    pub fn has(&self, letter: char) -> bool {
        self.traits.contains(letter)
    }

    /// Whether it may be put on furniture of a kind.
    #[must_use]
    pub fn fits(&self, make: &Make) -> bool {
        make.holds.contains(&self.class)
    }
}

const fn sort(name: &'static str, class: Class, rooms: &'static [Room], traits: &'static str) -> Sort {
    Sort { name, class, rooms, traits }
}

/// All kinds of things.
pub const SORTS: [Sort; 44] = [
    sort("apple", Food, &[Kitchen], "whcs"),
    sort("bread", Food, &[Kitchen], "hcs"),
    sort("egg", Food, &[Kitchen], "whc"),
    sort("lettuce", Food, &[Kitchen], "wcs"),
    sort("potato", Food, &[Kitchen], "whcs"),
    sort("tomato", Food, &[Kitchen], "whcs"),
    sort("pear", Food, &[Kitchen], "whcs"),
    sort("bowl", Dish, &[Kitchen, Livingroom], "wc"),
    sort("cup", Dish, &[Kitchen], "whc"),
    sort("mug", Dish, &[Kitchen, Bedroom], "whc"),
    sort("pan", Dish, &[Kitchen], "wc"),
    sort("plate", Dish, &[Kitchen], "whc"),
    sort("pot", Dish, &[Kitchen], "wc"),
    sort("kettle", Dish, &[Kitchen], "w"),
    sort("glassbottle", Dish, &[Kitchen], "w"),
    sort("fork", Tool, &[Kitchen], "w"),
    sort("spoon", Tool, &[Kitchen], "w"),
    sort("knife", Tool, &[Kitchen], "wk"),
    sort("ladle", Tool, &[Kitchen], "w"),
    sort("spatula", Tool, &[Kitchen], "w"),
    sort("saltshaker", Small, &[Kitchen], ""),
    sort("peppershaker", Small, &[Kitchen], ""),
    sort("cloth", Bath, &[Bathroom], "w"),
    sort("towel", Bath, &[Bathroom], ""),
    sort("soapbar", Bath, &[Bathroom, Kitchen], "w"),
    sort("soapbottle", Bath, &[Bathroom, Kitchen], ""),
    sort("sponge", Bath, &[Bathroom, Kitchen], "w"),
    sort("candle", Small, &[Bathroom, Livingroom], ""),
    sort("toothbrush", Bath, &[Bathroom], "w"),
    sort("alarmclock", Small, &[Bedroom], ""),
    sort("book", Small, &[Bedroom, Livingroom], ""),
    sort("cellphone", Small, &[Bedroom, Livingroom], ""),
    sort("creditcard", Small, &[Bedroom, Livingroom], ""),
    sort("keychain", Small, &[Bedroom, Livingroom], ""),
    sort("laptop", Large, &[Bedroom, Livingroom], ""),
    sort("newspaper", Small, &[Livingroom], ""),
    sort("pen", Small, &[Bedroom, Livingroom], ""),
    sort("pencil", Small, &[Bedroom, Livingroom], ""),
    sort("pillow", Large, &[Bedroom, Livingroom], ""),
    sort("remotecontrol", Small, &[Livingroom], ""),
    sort("statue", Large, &[Livingroom, Bedroom], ""),
    sort("vase", Large, &[Livingroom, Bathroom], ""),
    sort("desklamp", Lamp, &[Bedroom, Livingroom], "l"),
    sort("readinglamp", Lamp, &[Livingroom, Bedroom, Kitchen], "l"),
];

/// The kind of thing of a name.
#[must_use]
pub fn sort_of(name: &str) -> Option<&'static Sort> {
    SORTS.iter().find(|sort| sort.name == name)
}
