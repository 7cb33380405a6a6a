//! The four tools of the work, and which commands belong to which (CYC-036).

use gimbal_core::ToolSpec;
use serde_json::json;

use super::settings::Offered;
use crate::engine::{Action, Role, Rules};
use crate::grammar::{Part, Piece, Value};
use crate::scene::Lexicon;
pub use crate::words::COMMAND;

/// The parameter for thoughts, which the environment does not look at.
pub const REASONING: &str = "reasoning";

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Any command.
    Select,
    /// What is carried, taken and put.
    Inventory,
    /// Looking, going, opening.
    Explore,
    /// Cleaning, heating, cooling, switching, slicing.
    Manipulate,
}

/// All tools, in the order of the work.
pub const TOOLS: [Tool; 4] = [Tool::Select, Tool::Inventory, Tool::Explore, Tool::Manipulate];

impl Tool {
    /// As models write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Select => "select_command",
            Self::Inventory => "manage_inventory",
            Self::Explore => "explore",
            Self::Manipulate => "manipulate_object",
        }
    }

    /// The tool of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        TOOLS.into_iter().find(|tool| tool.name() == name)
    }

    /// Whether commands of this role belong to it.
    #[must_use]
    pub const fn takes(self, role: Role) -> bool {
        match self {
            Self::Select => true,
            Self::Inventory => matches!(role, Role::Inventory | Role::Take | Role::Put | Role::ExamineObject),
            Self::Explore => {
                matches!(role, Role::Look | Role::Go | Role::ExamineReceptacle | Role::Open | Role::Close)
            }
            Self::Manipulate => matches!(role, Role::Change),
        }
    }

    /// The tool for a command of this role among those offered: the one made for it, else the one for all.
    #[must_use]
    pub fn of(role: Role, offered: Offered) -> Self {
        let made = [Self::Inventory, Self::Explore, Self::Manipulate].into_iter().find(|tool| tool.takes(role));
        match offered {
            Offered::Select => Self::Select,
            Offered::All | Offered::Split => made.unwrap_or(Self::Select),
        }
    }

    /// Those that are offered.
    pub fn offered(offered: Offered) -> impl Iterator<Item = Self> {
        TOOLS.into_iter().filter(move |tool| match offered {
            Offered::All => true,
            Offered::Select => *tool == Self::Select,
            Offered::Split => *tool != Self::Select,
        })
    }
}

/// The form of an action's command: `take <object> from <receptacle>`.
#[must_use]
pub fn form(action: &Action, rules: &Rules, lexicon: &Lexicon) -> String {
    let kinds = &rules.domain.actions.iter().find(|form| form.name == action.name);
    let shown = |value: &Value| {
        let Value::First(sums) = value else { return "<...>" };
        let variable = sums.iter().flatten().find_map(|part| match part {
            Part::Name(variable) | Part::Id(variable) => Some(*variable),
            _ => None,
        });
        let slot = action.variables.iter().find(|(_, known)| Some(*known) == variable).map(|(slot, _)| *slot);
        let kind = kinds.and_then(|form| form.parameters.iter().find(|parameter| Some(parameter.slot) == slot));
        match kind {
            Some(parameter) if parameter.kind == lexicon.receptacle => "<receptacle>",
            Some(_) => "<object>",
            None => "<...>",
        }
    };
    let mut out = String::new();
    for piece in &action.template {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Value(value) | Piece::Each(value, _) => out.push_str(shown(value)),
            Piece::List(items) => {
                for item in items {
                    if let Piece::Each(value, _) | Piece::Value(value) = item {
                        out.push_str(shown(value));
                    }
                }
            }
            Piece::Symbol(_) | Piece::Task => {}
        }
    }
    out
}

/// The words that an action's command begins with.
#[must_use]
pub fn beginning(action: &Action) -> &str {
    match action.template.first() {
        Some(Piece::Text(text)) => text.as_str(),
        _ => "",
    }
}

/// The forms of the commands that a tool takes.
pub fn forms(tool: Tool, rules: &Rules, lexicon: &Lexicon) -> Vec<String> {
    rules.actions.iter().filter(|action| tool.takes(action.role)).map(|action| form(action, rules, lexicon)).collect()
}

/// The tools as a model sees them. The `brief.yaml` describes them; the forms of the commands are in the glossary alone, once.
#[must_use]
pub fn specs(offered: Offered) -> Vec<ToolSpec> {
    let of = |tool: Tool| {
        // Thoughts are free: a call without them is as good.
        let parameters = json!({
            "type": "object",
            "properties": {
                // One text, as requests ask for the thought of a call and as masks hold it. A list is read too.
                REASONING: { "type": "string", "description": "Your thought: which command to choose, and why." },
                COMMAND: { "type": "string", "description": "The command, copied exactly as it is listed." },
            },
            "required": [COMMAND],
            "additionalProperties": false,
        });
        ToolSpec { name: tool.name().to_owned(), description: String::new(), parameters }
    };
    Tool::offered(offered).map(of).collect()
}
