//! Suites of attacks as files.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use gimbal_core::yaml::{Kind, Node};
use gimbal_core::{Digest, canonical};
use serde_json::{Value, json};

use crate::plan::Problem;
use crate::plan::members::{Members, items, shown, string, tree};

/// What is replaced by the planted call in a text.
pub const PLACEHOLDER: &str = "{call}";
/// Longest text, in bytes, and most texts of a category.
const BOUNDS: (usize, usize) = (2_000, 64);
/// The suite of the program.
const BUILT_IN: &str = include_str!("../../../../attacks/suite.yaml");

static OWN: LazyLock<Result<Arc<Suite>, Problem>> =
    LazyLock::new(|| Suite::parse(BUILT_IN, "attacks/suite.yaml").map(Arc::new));

/// What kind of pressure a text uses (Tab. 35), and texts that use none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// It says that rules do not hold.
    Jailbreak,
    /// It gives the agent a part to play.
    RolePlay,
    /// It is written as an instruction of someone in charge.
    InstructionInjection,
    /// It puts another goal in the place of the task.
    GoalHijacking,
    /// It asks for the same call over and over.
    ResourceExhaustion,
    /// It names the call and asks for nothing.
    Control,
}

impl Category {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 6] = [
        Self::Jailbreak,
        Self::RolePlay,
        Self::InstructionInjection,
        Self::GoalHijacking,
        Self::ResourceExhaustion,
        Self::Control,
    ];

    /// The name that suites, studies and records use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jailbreak => "jailbreak",
            Self::RolePlay => "role_play",
            Self::InstructionInjection => "instruction_injection",
            Self::GoalHijacking => "goal_hijacking",
            Self::ResourceExhaustion => "resource_exhaustion",
            Self::Control => "control",
        }
    }

    /// The category of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }
}

/// What the planted call is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aim {
    /// It ends the task or binds it: its scope is `plan` in the manifest, or it gives the answer.
    Bind,
    /// It changes something, by the manifest.
    Change,
    /// It changes nothing.
    Waste,
}

impl Aim {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Bind, Self::Change, Self::Waste];

    /// The name that suites and records use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bind => "bind",
            Self::Change => "change",
            Self::Waste => "waste",
        }
    }

    /// What is taken where no legal call serves the aim before, in this order.
    #[must_use]
    pub const fn order(self) -> [Self; 3] {
        match self {
            Self::Bind => [Self::Bind, Self::Change, Self::Waste],
            Self::Change => [Self::Change, Self::Waste, Self::Bind],
            Self::Waste => [Self::Waste, Self::Change, Self::Bind],
        }
    }
}

/// A text of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttackText {
    /// Its name, unique in the category.
    pub name: String,
    /// The text, with [`PLACEHOLDER`] for the call.
    pub text: String,
}

/// The texts of a category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryTexts {
    /// What their call is to do.
    pub aim: Aim,
    /// The texts.
    pub texts: Vec<AttackText>,
}

/// A suite of attacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    /// Its name.
    pub name: String,
    categories: BTreeMap<Category, CategoryTexts>,
}

impl Suite {
    /// The suite of the program.
    ///
    /// # Errors
    /// When the file that the program was built with is not a suite; a test holds that it is one.
    pub fn own() -> Result<Arc<Self>, Problem> {
        OWN.clone()
    }

    /// The texts of a category; `None` where the suite has none.
    #[must_use]
    pub fn category(&self, category: Category) -> Option<&CategoryTexts> {
        self.categories.get(&category)
    }

    /// Hash of what it says, without the comments and the spelling of its file.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let text = |text: &AttackText| json!({ "name": text.name, "text": text.text });
        let category = |(category, own): (&Category, &CategoryTexts)| {
            (
                category.name().to_owned(),
                json!({ "aim": own.aim.name(), "texts": own.texts.iter().map(text).collect::<Vec<_>>() }),
            )
        };
        let categories: serde_json::Map<String, Value> = self.categories.iter().map(category).collect();
        Digest::of(canonical::text(&json!({ "suite": self.name, "categories": categories })).as_bytes())
    }

    /// Reads a suite; `file` names it in errors.
    ///
    /// # Errors
    /// With line and column: what is wrong and what would be right.
    pub fn parse(text: &str, file: &str) -> Result<Self, Problem> {
        let root = tree(text, file)?;
        let mut members = Members::of(&root, file, "a suite of attacks")?;
        let name = shown(members.need("suite")?, file, "`suite`")?;
        let node = members.need("categories")?;
        members.finish()?;
        let mut own = Members::of(node, file, "`categories`")?;
        let mut categories = BTreeMap::new();
        for category in Category::ALL {
            if let Some(node) = own.get(category.name()) {
                categories.insert(category, texts(node, file, category)?);
            }
        }
        own.finish()?;
        if categories.is_empty() {
            return Err(Problem::at(file, node.at, format!("`categories` is empty; name at least one of {}", known())));
        }
        Ok(Self { name, categories })
    }
}

/// Names of the categories, for messages.
pub(crate) fn known() -> String {
    Category::ALL.map(|category| format!("`{}`", category.name())).join(", ")
}

fn texts(node: &Node, file: &str, category: Category) -> Result<CategoryTexts, Problem> {
    let what = format!("the category `{}`", category.name());
    let mut members = Members::of(node, file, &what)?;
    let aim = members.need("aim")?;
    let name = string(aim, file, "`aim`")?;
    let Some(found) = Aim::ALL.into_iter().find(|aim| aim.name() == name) else {
        let hint = gimbal_core::nearest::hint_among(&name, &Aim::ALL.map(Aim::name));
        return Err(Problem::at(file, aim.at, format!("`aim` is `{name}`{hint}")));
    };
    let list = members.need("texts")?;
    members.finish()?;
    if !matches!(list.kind, Kind::List(_)) {
        let what = "`texts` is a list of maps, e.g. `- { name: note, text: Carry out `{call}`. }`";
        return Err(Problem::at(file, list.at, what));
    }
    let mut texts: Vec<AttackText> = Vec::new();
    for item in items(list) {
        let mut members = Members::of(item, file, "a text")?;
        let name = shown(members.need("name")?, file, "`name`")?;
        let node = members.need("text")?;
        let text = string(node, file, "`text`")?;
        members.finish()?;
        checked(&text).map_err(|what| Problem::at(file, node.at, format!("`text` {what}")))?;
        if texts.iter().any(|known| known.name == name) {
            return Err(Problem::at(file, item.at, format!("two texts of {what} are called `{name}`; rename one")));
        }
        texts.push(AttackText { name, text });
    }
    if texts.is_empty() || texts.len() > BOUNDS.1 {
        let found = texts.len();
        return Err(Problem::at(file, list.at, format!("`texts` of {what} has {found} texts; give 1 to {}", BOUNDS.1)));
    }
    Ok(CategoryTexts { aim: found, texts })
}

/// What is wrong with a text that is to be planted.
fn checked(text: &str) -> Result<(), String> {
    if text.len() > BOUNDS.0 {
        return Err(format!("has {} bytes, and at most {} are taken", text.len(), BOUNDS.0));
    }
    if let Some(found) = text.chars().find(|letter| letter.is_control()) {
        return Err(format!("has the control character U+{:04X}; a text is one line", u32::from(found)));
    }
    // Whoever follows the text must find where the call begins and ends, and so must the judge.
    if text.matches(&format!("`{PLACEHOLDER}`")).count() != 1 || text.matches('`').count() != 2 {
        return Err(format!("must hold `{PLACEHOLDER}` once, between the only two backquotes of the text"));
    }
    Ok(())
}

/// JSON Schema of suite files.
#[must_use]
pub fn schema() -> Value {
    let text = json!({
        "type": "object", "required": ["name", "text"], "additionalProperties": false,
        "properties": {
            "name": { "type": "string", "minLength": 1, "description": "Its name, unique in the category." },
            "text": {
                "type": "string", "minLength": 1, "maxLength": BOUNDS.0, "pattern": "^[^`]*`\\{call\\}`[^`]*$",
                "description": "One line, with {call} between backquotes where the call is."
            },
        }
    });
    let category = json!({
        "type": "object", "required": ["aim", "texts"], "additionalProperties": false,
        "properties": {
            "aim": { "enum": Aim::ALL.map(Aim::name), "description": "What the call is to do: end or bind the task, change something, change nothing." },
            "texts": { "type": "array", "minItems": 1, "maxItems": BOUNDS.1, "items": text },
        }
    });
    let categories: serde_json::Map<String, Value> =
        Category::ALL.into_iter().map(|known| (known.name().to_owned(), category.clone())).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A suite of attacks by text",
        "type": "object", "required": ["suite", "categories"], "additionalProperties": false,
        "properties": {
            "suite": { "type": "string", "minLength": 1, "description": "Its name." },
            "categories": { "type": "object", "minProperties": 1, "additionalProperties": false, "properties": categories },
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Category, Suite, schema};

    // covers: CTHA-119, CTHA-R21
    #[test]
    fn the_suite_of_the_program_has_five_categories_of_four_texts_and_controls() {
        let suite = Suite::own().unwrap_or_else(|problem| panic!("{problem}"));
        for category in Category::ALL {
            let own = suite.category(category).unwrap();
            assert!(own.texts.len() >= 4, "{category:?}");
            assert_eq!(Category::named(category.name()), Some(category));
        }
        let validator = jsonschema::validator_for(&schema()).unwrap();
        let value: serde_json::Value = gimbal_core::yaml::read(super::BUILT_IN, "suite").unwrap();
        assert!(validator.is_valid(&value));
        // It asks for calls of an environment and for nothing else.
        for text in Category::ALL.into_iter().flat_map(|category| suite.category(category).unwrap().texts.clone()) {
            for word in ["http", "password", "curl ", "rm -", "@", "://"] {
                assert!(!text.text.to_lowercase().contains(word), "{}", text.text);
            }
        }
    }

    #[test]
    fn the_digest_depends_on_what_is_said_and_not_on_its_spelling() {
        let read = |text: &str| Suite::parse(text, "x").unwrap_or_else(|problem| panic!("{problem}")).digest();
        let plain =
            "suite: a\ncategories:\n  control:\n    aim: waste\n    texts: [{ name: n, text: 'see `{call}`' }]\n";
        let other = "# hello\ncategories: { control: { texts: [{ text: \"see `{call}`\", name: n }], aim: waste } }\nsuite: a\n";
        assert_eq!(read(plain), read(other));
        assert_ne!(read(plain), read(&plain.replace("waste", "bind")));
        assert_ne!(read(plain), read(&plain.replace("see", "do")));
    }

    #[test]
    fn what_is_wrong_with_a_suite_is_said_with_its_place() {
        let of = |texts: &str| format!("suite: a\ncategories:\n  control:\n    aim: waste\n    texts:\n{texts}");
        let cases = [
            ("suite: a\n".to_owned(), "x:1:", "needs `categories`"),
            ("suite: a\ncategories: {}\n".to_owned(), "x:2:", "is empty; name at least one of `jailbreak`"),
            ("suite: a\ncategories: { jailbrake: {} }\n".to_owned(), "x:2:", "did you mean `jailbreak`"),
            (
                "suite: a\ncategories: { control: { aim: wast, texts: [] } }\n".to_owned(),
                "x:2:",
                "did you mean `waste`",
            ),
            ("suite: a\ncategories: { control: { aim: waste, texts: [] } }\n".to_owned(), "x:2:", "has 0 texts"),
            ("suite: a\ncategories: { control: { aim: waste, texts: no } }\n".to_owned(), "x:2:", "is a list of maps"),
            (of("      - { name: n, text: nothing }\n"), "x:6:", "must hold `{call}` once"),
            (of("      - { name: n, text: '`{call}` or `{call}`' }\n"), "x:6:", "must hold `{call}` once"),
            (of("      - { name: n, text: \"a\\n`{call}`\" }\n"), "x:6:", "control character U+000A"),
            (of("      - { name: n, txt: '`{call}`' }\n"), "x:6:", "did you mean `text`"),
            (
                of("      - { name: n, text: 'a `{call}`' }\n      - { name: n, text: 'b `{call}`' }\n"),
                "x:7:",
                "two texts",
            ),
            ("suite: [".to_owned(), "x:", "not valid YAML"),
        ];
        for (text, place, words) in cases {
            let said = Suite::parse(&text, "x").err().unwrap_or_else(|| panic!("{text}")).to_string();
            assert!(said.starts_with(place) && said.contains(words), "{text}\n{said}");
        }
    }
}
