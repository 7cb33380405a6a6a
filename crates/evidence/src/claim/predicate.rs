//! The closed list of predicates, with their written form.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::text::as_text;
use crate::{Class, Entity};

/// What an assertion states of the facts that it cites.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// `class CLASS`: each of them is of this class.
    Class(Class),
    /// `count N`: together they stand for at least so many observed records.
    Count(u64),
    /// `field NAME=VALUE`: each of them has this field with this value.
    Field {
        /// Name of the field, see [`crate::Fact::field`].
        name: String,
        /// Its value, as found.
        value: String,
    },
    /// `mentions TEXT`: each of them has the text in one of its attributes, in capital or small letters.
    Mentions(String),
    /// `about KIND:NAME`: each of them is about this entity.
    About(Entity),
    /// `same_actor`: all of them have one and the same actor.
    SameActor,
    /// `same_object`: all of them have one and the same object.
    SameObject,
    /// `in_order`: they happened in the order in which they are cited.
    InOrder,
    /// `within N`: they happened within so many seconds.
    Within(u64),
    /// `absent CLASS`: the packet has no fact of this class about anything that they are about.
    Absent(Class),
    /// `explained`: those that a person stated cover all the others: by entity, and by time where they name a window.
    Explained,
    /// `means TEXT`: what code cannot check. It can be said and is never entailed.
    Means(String),
}

/// A text that is not a predicate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is no predicate: {why} (known: {})", Predicate::FORMS.join(", "))]
pub struct NotAPredicate {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
}

impl Predicate {
    /// The written forms, for prompts and errors.
    pub const FORMS: [&'static str; 12] = [
        "class CLASS",
        "count N",
        "field NAME=VALUE",
        "mentions TEXT",
        "about KIND:NAME",
        "same_actor",
        "same_object",
        "in_order",
        "within SECONDS",
        "absent CLASS",
        "explained",
        "means TEXT",
    ];

    /// The first word of the written form.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Class(_) => "class",
            Self::Count(_) => "count",
            Self::Field { .. } => "field",
            Self::Mentions(_) => "mentions",
            Self::About(_) => "about",
            Self::SameActor => "same_actor",
            Self::SameObject => "same_object",
            Self::InOrder => "in_order",
            Self::Within(_) => "within",
            Self::Absent(_) => "absent",
            Self::Explained => "explained",
            Self::Means(_) => "means",
        }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::Class(class) | Self::Absent(class) => write!(f, " {class}"),
            Self::Count(number) | Self::Within(number) => write!(f, " {number}"),
            Self::Field { name, value } => write!(f, " {name}={value}"),
            Self::Mentions(text) | Self::Means(text) => write!(f, " {text}"),
            Self::About(entity) => write!(f, " {entity}"),
            Self::SameActor | Self::SameObject | Self::InOrder | Self::Explained => Ok(()),
        }
    }
}

impl FromStr for Predicate {
    type Err = NotAPredicate;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |why: String| NotAPredicate { text: text.to_owned(), why };
        let trimmed = text.trim();
        let (name, rest) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
        let rest = rest.trim();
        let number = || rest.parse::<u64>().map_err(|_| wrong(format!("`{rest}` is no whole number")));
        let words = || {
            if rest.is_empty() {
                Err(wrong("it says nothing behind its first word".to_owned()))
            } else {
                Ok(rest.to_owned())
            }
        };
        let class = || rest.parse::<Class>().map_err(|error| wrong(error.to_string()));
        let alone = |predicate: Self| {
            if rest.is_empty() { Ok(predicate) } else { Err(wrong(format!("`{rest}` is too much"))) }
        };
        match name {
            "class" => class().map(Self::Class),
            "count" => number().map(Self::Count),
            "field" => match rest.split_once('=') {
                Some((name, value)) if !name.trim().is_empty() => {
                    Ok(Self::Field { name: name.trim().to_owned(), value: value.trim().to_owned() })
                }
                _ => Err(wrong("a field is written NAME=VALUE".to_owned())),
            },
            "mentions" => words().map(Self::Mentions),
            "about" => rest.parse().map(Self::About).map_err(|error: crate::NotAnEntity| wrong(error.to_string())),
            "same_actor" => alone(Self::SameActor),
            "same_object" => alone(Self::SameObject),
            "in_order" => alone(Self::InOrder),
            "within" => number().map(Self::Within),
            "absent" => class().map(Self::Absent),
            "explained" => alone(Self::Explained),
            "means" => words().map(Self::Means),
            other => Err(wrong(format!("there is no predicate `{other}`"))),
        }
    }
}

as_text!(Predicate);
