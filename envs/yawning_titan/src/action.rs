//! The tolerant action grammar: what a person or a model may write for an action (BOG-032, BOG-035).

use gimbal_core::nearest;
use gimbal_env_kit::answer;
use gimbal_env_kit::grammar::{self, Arguments};
use thiserror::Error;

use crate::dynamics::Intent;
use crate::names::Names;
use crate::rules::Kind;

/// The parameter that names a node.
pub const NODE: &str = "node";
/// The parameter that names an edge.
pub const EDGE: &str = "edge";
/// The tool that does nothing; it is there in every mode, as every index beyond the original's space does nothing.
pub const DO_NOTHING: &str = "DoNothing";
/// The tool that scans.
pub const SCAN: &str = "Scan";
/// The tool that places a deceptive node.
pub const ADD_DECEPTIVE: &str = "AddDeceptiveNode";

/// The tool of a kind of action on one node.
#[must_use]
pub const fn tool(kind: Kind) -> &'static str {
    match kind {
        Kind::ReduceVulnerability => "ReduceVulnerability",
        Kind::Restore => "RestoreNode",
        Kind::MakeSafe => "MakeNodeSafe",
        Kind::Isolate => "IsolateNode",
        Kind::Connect => "ConnectNode",
    }
}

/// Why a text is not a legal action. Each message says what was wrong and what would be right.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ActionError {
    /// There is no text.
    #[error("the action is empty; write one of {known}, as in `{example}`")]
    Empty {
        /// The actions there are.
        known: String,
        /// An action written out.
        example: String,
    },
    /// There is a text, and no name at its beginning.
    #[error("`{text}` does not begin with the name of an action; write one of {known}, as in `{example}`")]
    Nameless {
        /// What was written, its beginning.
        text: String,
        /// The actions there are.
        known: String,
        /// An action written out.
        example: String,
    },
    /// No action has this name.
    #[error("there is no action `{name}`{hint} (known: {known})")]
    UnknownAction {
        /// What was written.
        name: String,
        /// The nearest name, if one is close.
        hint: String,
        /// The actions there are.
        known: String,
    },
    /// The action needs a parameter.
    #[error("`{action}` needs a {parameter}; write `{example}`")]
    Missing {
        /// The action.
        action: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The action written out.
        example: String,
    },
    /// Nothing has this name.
    #[error("there is no {parameter} `{value}`{hint}")]
    UnknownValue {
        /// The parameter.
        parameter: &'static str,
        /// What was written.
        value: String,
        /// The nearest name, if one is close, and how they are named.
        hint: String,
    },
    /// The node is not in play now.
    #[error("`{node}` is not in the network now; place it first")]
    NotInPlay {
        /// The node.
        node: String,
    },
    /// The action takes no such parameter.
    #[error("`{action}` takes no parameter `{parameter}`; {hint}")]
    UnknownParameter {
        /// The action.
        action: &'static str,
        /// What was written.
        parameter: String,
        /// What would be right.
        hint: String,
    },
    /// More than one action.
    #[error("{0}")]
    TwoActions(String),
    /// More than one node.
    #[error("`{action}` takes one {parameter} at a time, not `{first}` and `{second}`; name one")]
    Two {
        /// The action.
        action: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The first.
        first: String,
        /// The second.
        second: String,
    },
}

/// What can be named in an action: the tools of the mode, the nodes, the edges.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// Names of nodes.
    pub names: Names,
    /// Kinds of action on one node that are switched on.
    pub kinds: Vec<Kind>,
    /// Whether scanning is switched on.
    pub scan: bool,
    /// The edges for deceptive nodes; none if these are switched off.
    pub edges: Vec<(u16, u16)>,
}

#[derive(Clone, Copy)]
enum Verb {
    Nothing,
    Scan,
    Deceive,
    On(Kind),
}

impl Vocabulary {
    /// The names of the actions there are.
    pub fn tools(&self) -> impl Iterator<Item = &'static str> {
        let scan = self.scan.then_some(SCAN);
        let deceive = (!self.edges.is_empty()).then_some(ADD_DECEPTIVE);
        std::iter::once(DO_NOTHING).chain(scan).chain(self.kinds.iter().map(|kind| tool(*kind))).chain(deceive)
    }

    /// Reads an action: its name, then a node or edge, bare or as `node=…`, quoted or not, also in brackets.
    ///
    /// # Errors
    /// What was wrong and what would be right.
    pub fn parse(&self, text: &str) -> Result<Intent, ActionError> {
        let read = |text: &str| {
            let (name, rest) = grammar::split(text).ok_or_else(|| self.nameless(text))?;
            self.read_parts(name, &grammar::arguments(rest))
        };
        answer::one(text, read, |word| self.verb(word).is_some(), |text| read(text).ok())
            .map_err(|problem| problem.message().map_or_else(|error| error, ActionError::TwoActions))
    }

    /// As [`Vocabulary::parse`], from name and parameters.
    ///
    /// # Errors
    /// As [`Vocabulary::parse`].
    pub fn read_parts(&self, name: &str, arguments: &Arguments<'_>) -> Result<Intent, ActionError> {
        let verb = self.verb(name).ok_or_else(|| ActionError::UnknownAction {
            name: name.to_owned(),
            hint: nearest::hint(name, self.tools()),
            known: self.known(),
        })?;
        let (action, parameter) = match verb {
            Verb::Nothing | Verb::Scan => {
                let (action, intent) = match verb {
                    Verb::Scan => (SCAN, Intent::Scan),
                    _ => (DO_NOTHING, Intent::DoNothing),
                };
                return match arguments.first() {
                    None => Ok(intent),
                    Some((key, value)) => Err(ActionError::UnknownParameter {
                        action,
                        parameter: key.unwrap_or(value).to_owned(),
                        hint: format!("write `{action}` alone"),
                    }),
                };
            }
            Verb::Deceive => (ADD_DECEPTIVE, EDGE),
            Verb::On(kind) => (tool(kind), NODE),
        };
        let value = self.only(action, parameter, arguments)?;
        let unknown = |hint: String| ActionError::UnknownValue { parameter, value: value.to_owned(), hint };
        match verb {
            Verb::Deceive => self.find_edge(value).map(Intent::Deceive).ok_or_else(|| unknown(EDGES.to_owned())),
            Verb::On(kind) => {
                let node = self.names.find(value);
                node.map(|node| Intent::On(kind, node)).ok_or_else(|| {
                    let hint = nearest::hint(value, self.names.all());
                    unknown(if hint.is_empty() { format!("; nodes {NAMED}") } else { format!("{hint} Nodes {NAMED}") })
                })
            }
            Verb::Nothing | Verb::Scan => Ok(Intent::DoNothing),
        }
    }

    /// The one parameter of an action.
    fn only<'a>(
        &self,
        action: &'static str,
        parameter: &'static str,
        arguments: &Arguments<'a>,
    ) -> Result<&'a str, ActionError> {
        let mut found: Option<&str> = None;
        for (key, value) in arguments {
            if let Some(key) = key
                && !is_key(key, parameter)
            {
                return Err(ActionError::UnknownParameter {
                    action,
                    parameter: (*key).to_owned(),
                    hint: format!("write `{}`", example(action, parameter)),
                });
            }
            let says_nothing = || FILLERS.iter().any(|word| word.eq_ignore_ascii_case(value));
            if key.is_none() && says_nothing() && self.names.find(value).is_none() {
                continue;
            }
            if let Some(first) = found {
                let (first, second) = (first.to_owned(), (*value).to_owned());
                return Err(ActionError::Two { action, parameter, first, second });
            }
            found = Some(value);
        }
        found.filter(|value| !value.is_empty()).ok_or_else(|| ActionError::Missing {
            action,
            parameter,
            example: example(action, parameter),
        })
    }

    fn verb(&self, name: &str) -> Option<Verb> {
        // Words may be parted in any way, but by nothing else: `M}ake` is not a name.
        let plain = |text: &str| -> String {
            text.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
        };
        let wanted = plain(name);
        let same = |tool: &str| plain(tool) == wanted;
        if same(DO_NOTHING) {
            return Some(Verb::Nothing);
        }
        if self.scan && same(SCAN) {
            return Some(Verb::Scan);
        }
        if !self.edges.is_empty() && same(ADD_DECEPTIVE) {
            return Some(Verb::Deceive);
        }
        // `Restore` is `RestoreNode`; no two kinds differ in that word alone.
        let meant = |kind: &Kind| same(tool(*kind)) || plain(tool(*kind)).replace("node", "") == wanted;
        self.kinds.iter().copied().find(meant).map(Verb::On)
    }

    /// An edge by its name, in either direction.
    pub fn find_edge(&self, text: &str) -> Option<u16> {
        // A name may hold the sign itself: `node-0-node-1`.
        let mut parted = text.match_indices('-').map(|(at, sign)| (&text[..at], &text[at + sign.len()..]));
        let (one, other) = parted.find_map(|(one, other)| Some((self.names.find(one)?, self.names.find(other)?)))?;
        let edge = self.edges.iter().position(|edge| *edge == (one, other) || *edge == (other, one))?;
        Some(edge as u16)
    }

    /// Writes an action as [`Vocabulary::parse`] reads it; none for one that an agent has no name for.
    #[must_use]
    pub fn render(&self, intent: Intent) -> Option<String> {
        match intent {
            Intent::Scan => Some(SCAN.to_owned()),
            Intent::DoNothing | Intent::Empty(_) | Intent::Outside => Some(DO_NOTHING.to_owned()),
            Intent::On(kind, node) => Some(format!("{} {NODE}={}", tool(kind), self.names.node(node))),
            Intent::Deceive(edge) => {
                let edge = self.edges.get(edge as usize)?;
                Some(format!("{ADD_DECEPTIVE} {EDGE}={}", self.names.edge(*edge)))
            }
        }
    }

    fn nameless(&self, text: &str) -> ActionError {
        let (known, example) = (self.known(), self.example_of_any());
        let text = text.trim();
        match text.chars().any(char::is_alphanumeric) {
            true => ActionError::Nameless { text: text.chars().take(SHOWN).collect(), known, example },
            false => ActionError::Empty { known, example },
        }
    }

    fn known(&self) -> String {
        self.tools().collect::<Vec<_>>().join(", ")
    }

    fn example_of_any(&self) -> String {
        self.kinds.first().map_or_else(|| DO_NOTHING.to_owned(), |kind| example(tool(*kind), NODE))
    }
}

/// How an action is written. It names no node: whoever was shown none is not to learn of one by a mistake (BOG-025).
fn example(action: &str, parameter: &str) -> String {
    format!("{action} {parameter}={}", form(parameter))
}

/// How the value of a parameter is written.
fn form(parameter: &str) -> &'static str {
    if parameter == EDGE { "<node>-<node>" } else { "<node>" }
}

/// Ends the message for a node that there is not.
const NAMED: &str = "are named as they were shown to you";
/// Ends the message for an edge that there is not.
const EDGES: &str = "; an edge is named by two nodes that are connected, as in `<node>-<node>`, and nodes are named as they \
                     were shown to you";
/// Longest part of a text without a name that a message repeats.
const SHOWN: usize = 60;

/// Words that stand before the name of a node or an edge and say nothing.
const FILLERS: [&str; 6] = ["on", "the", "node", "edge", "at", "-"];

fn is_key(key: &str, parameter: &str) -> bool {
    let known: &[&str] =
        if parameter == NODE { &["node", "name", "node_name", "target"] } else { &["edge", "between"] };
    known.iter().any(|known| known.eq_ignore_ascii_case(key))
}
