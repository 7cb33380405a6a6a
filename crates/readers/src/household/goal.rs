//! What the sentence of a household task asks for.

use regex::Regex;
use std::sync::OnceLock;

/// What is to be done with the object before it is put down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    Clean,
    Heat,
    Cool,
}

impl Treatment {
    /// The verb of the command.
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Heat => "heat",
            Self::Cool => "cool",
        }
    }
}

/// What is to be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Goal {
    /// Kind of object.
    pub object: String,
    /// Kind of receptacle; of light, the kind of lamp.
    pub place: String,
    pub treatment: Option<Treatment>,
    /// How many objects.
    pub count: usize,
    /// The object is to be looked at in the light of a lamp.
    pub light: bool,
}

/// Forms of the sentence: object first, then place or lamp.
const LIGHT: &str = r"(?:look at|examine|hold) (?:the |an? |some )?(\w+) (?:under|with|beside) (?:the |an? )?(\w+)";
const PLACE: [&str; 4] = [
    r"(?:put|place) (?:an? |some |two |the )?(?:clean |hot |cool |cold )?(\w+) (?:in|on|into|onto)(?: an?| the)? (\w+)",
    r"(?:clean|wash|heat|cool) (?:some |an? |the )?(\w+),? (?:and|then) (?:put|bring) it (?:in|on|to)(?: an?| the)? (\w+)",
    r"find two (\w+) and put them (?:in|on)(?: an?| the)? (\w+)",
    r"bring (?:an? |two of the )?(\w+)(?: kind)? to (?:an?|one|the) (\w+)",
];

fn forms() -> &'static (Vec<Regex>, Vec<Regex>) {
    static FORMS: OnceLock<(Vec<Regex>, Vec<Regex>)> = OnceLock::new();
    let read = |patterns: &[&str]| patterns.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect();
    FORMS.get_or_init(|| (read(&[LIGHT]), read(&PLACE)))
}

impl Goal {
    /// Reads a text that holds the sentence, e.g. after `Your task`.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.to_lowercase();
        let (light, place) = forms();
        let found = |forms: &[Regex]| {
            forms
                .iter()
                .filter_map(|form| form.captures(&text))
                .min_by_key(|found| found.get(0).map_or(0, |all| all.start()))
        };
        let (found, light) =
            found(light).map(|found| (found, true)).or_else(|| found(place).map(|found| (found, false)))?;
        let whole = &found[0];
        let treatment = [
            ("clean", Treatment::Clean),
            ("wash", Treatment::Clean),
            ("heat", Treatment::Heat),
            ("hot", Treatment::Heat),
            ("cool", Treatment::Cool),
            ("cold", Treatment::Cool),
        ];
        let says = |word: &str| whole.split(|letter: char| !letter.is_alphanumeric()).any(|known| known == word);
        let treatment =
            treatment.into_iter().find(|(word, _)| says(word)).map(|(_, treatment)| treatment).filter(|_| !light);
        let count = if says("two") { 2 } else { 1 };
        Some(Self { object: found[1].to_owned(), place: found[2].to_owned(), treatment, count, light })
    }

    /// Whether a name such as `egg 4` is of the kind of object.
    pub fn wants(&self, name: &str) -> bool {
        kind_of(name) == self.object
    }

    /// Whether a name such as `drawer 2` is of the kind of place.
    pub fn goes_to(&self, name: &str) -> bool {
        kind_of(name) == self.place
    }
}

/// The kind of a numbered name.
pub(super) fn kind_of(name: &str) -> &str {
    name.rsplit_once(' ').map_or(name, |(kind, _)| kind)
}

#[cfg(test)]
mod tests {
    use super::{Goal, Treatment};

    #[test]
    fn the_sentences_of_all_kinds_are_read() {
        let goal = |object: &str, place: &str, treatment, count, light| {
            Some(Goal { object: object.to_owned(), place: place.to_owned(), treatment, count, light })
        };
        for (text, expected) in [
            ("Your task is to: put a mug in desk.", goal("mug", "desk", None, 1, false)),
            ("put some peppershaker on drawer.", goal("peppershaker", "drawer", None, 1, false)),
            ("clean some egg and put it in microwave.", goal("egg", "microwave", Some(Treatment::Clean), 1, false)),
            ("put a hot apple in fridge.", goal("apple", "fridge", Some(Treatment::Heat), 1, false)),
            ("put a cool bread in countertop.", goal("bread", "countertop", Some(Treatment::Cool), 1, false)),
            ("find two pillow and put them in sofa.", goal("pillow", "sofa", None, 2, false)),
            ("put two cd in safe.", goal("cd", "safe", None, 2, false)),
            ("look at bowl under the desklamp.", goal("bowl", "desklamp", None, 1, true)),
            ("examine the mug with the desklamp.", goal("mug", "desklamp", None, 1, true)),
            ("wash a plate, then bring it to a shelf.", goal("plate", "shelf", Some(Treatment::Clean), 1, false)),
            ("bring two of the cup kind to one desk.", goal("cup", "desk", None, 2, false)),
            ("hold a book beside a floorlamp that is lit.", goal("book", "floorlamp", None, 1, true)),
            ("tell a story.", None),
        ] {
            assert_eq!(Goal::read(text), expected, "{text}");
        }
    }
}
