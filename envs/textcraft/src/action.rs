//! What agents write: tools and their arguments as the work publishes them (CYC-031), and the commands behind them.

use gimbal_core::{Rejection, RejectionKind, ToolCall, ToolSpec, nearest};
use gimbal_env_kit::{answer, grammar};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::command::{self, Command};
use crate::count::Count;
use crate::menu::Menu;

/// Tells what is carried.
pub const INVENTORY: &str = "textcraft_inventory";
/// Uses a recipe once.
pub const CRAFT: &str = "textcraft_craft";
/// Takes raw items.
pub const GET_ITEM: &str = "textcraft_get_item";
/// Any command as a text.
pub const SELECT: &str = "textcraft_select_command";

/// Argument of [`GET_ITEM`]: what.
pub const ITEM: &str = "item_name";
/// Argument of [`GET_ITEM`]: how many.
pub const COUNT: &str = "num_total_items_needed";
/// Argument of [`CRAFT`].
pub const CRAFTING: &str = "crafting_command";
/// Argument of [`SELECT`].
pub const COMMAND: &str = "command";
/// Argument of all but [`INVENTORY`]: why. The environment makes nothing of it. One text, as requests ask for it and masks hold it.
pub const REASONING: &str = "reasoning";

/// Which tools an agent is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Toolset {
    /// All four.
    #[default]
    All,
    /// One for each kind of command, and none that takes any text.
    Separate,
    /// The one that takes any command.
    Unified,
}

impl Toolset {
    /// The names of the tools.
    #[must_use]
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::All => &[INVENTORY, GET_ITEM, CRAFT, SELECT],
            Self::Separate => &[INVENTORY, GET_ITEM, CRAFT],
            Self::Unified => &[SELECT],
        }
    }

    /// Whether it holds a tool.
    #[must_use]
    pub fn has(self, tool: &str) -> bool {
        self.names().contains(&tool)
    }
}

/// The tools of an episode, with its literals; the glossary of the brief describes them.
#[must_use]
pub fn tools(toolset: Toolset, menu: &Menu) -> Vec<ToolSpec> {
    toolset.names().iter().map(|name| spec(name, menu)).collect()
}

fn spec(name: &str, menu: &Menu) -> ToolSpec {
    let reasoning = |about: &str| json!({ "type": "string", "description": about });
    let (properties, required): (Value, &[&str]) = match name {
        INVENTORY => (json!({}), &[]),
        CRAFT => (
            json!({
                REASONING: reasoning("Your thought: which item to craft now, and why."),
                CRAFTING: { "type": "string", "enum": menu.possible, "description": "The crafting command." },
            }),
            &[CRAFTING],
        ),
        GET_ITEM => (
            json!({
                REASONING: reasoning("Your thought: which item to get now, and why."),
                ITEM: { "type": "string", "enum": menu.names, "description": "Name of the item." },
                COUNT: {
                    "type": "integer", "minimum": 1, "examples": menu.counts,
                    "description": "How many to get."
                },
            }),
            &[ITEM, COUNT],
        ),
        _ => (
            json!({
                REASONING: reasoning("Your thought: which command to carry out now, and why."),
                COMMAND: {
                    "type": "string",
                    "description": "The command, in the form that the usage of its action shows."
                },
            }),
            &[COMMAND],
        ),
    };
    ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false
        }),
    }
}

/// The call that takes so many of an item.
#[must_use]
pub fn get_item(item: &str, count: u64) -> ToolCall {
    let mut call = ToolCall::with(GET_ITEM, &[(ITEM, item)]);
    call.arguments.insert(COUNT.to_owned(), count.into());
    call
}

fn refused(kind: RejectionKind, message: String) -> Rejection {
    Rejection::new(kind, message)
}

/// The command of a call; none for a call that this environment does not have.
#[must_use]
pub fn command_of(call: &ToolCall) -> Option<String> {
    match call.tool.as_str() {
        INVENTORY => Some("inventory".to_owned()),
        CRAFT => call.string(CRAFTING).map(str::to_owned),
        SELECT => call.string(COMMAND).map(str::to_owned),
        GET_ITEM => {
            let count = call.arguments.get(COUNT)?;
            let count = count.as_str().map_or_else(|| count.to_string(), str::to_owned);
            Some(["get ", &count, " ", call.string(ITEM)?].concat())
        }
        _ => None,
    }
}

/// The command of a call that fits the schema of its tool.
///
/// # Errors
/// What does not fit, and what would.
pub fn checked(call: &ToolCall, toolset: Toolset, menu: &Menu) -> Result<String, Rejection> {
    let known: &[&str] = match call.tool.as_str() {
        tool if !toolset.has(tool) => return Err(unknown_tool(tool, toolset)),
        INVENTORY => &[],
        CRAFT => &[CRAFTING],
        GET_ITEM => &[ITEM, COUNT],
        _ => &[COMMAND],
    };
    let tool = &call.tool;
    if let Some(other) = call.arguments.keys().find(|key| !known.contains(&key.as_str()) && *key != REASONING) {
        let hint = nearest::hint(other, known.iter().copied());
        let takes =
            if known.is_empty() { "takes no argument".to_owned() } else { format!("takes {}", known.join(" and ")) };
        return Err(refused(
            RejectionKind::UnknownArgument,
            format!("there is no argument `{other}`{hint}: `{tool}` {takes}"),
        ));
    }
    if let Some(missing) = known.iter().find(|key| !call.arguments.contains_key(**key)) {
        return Err(refused(RejectionKind::MissingArgument, format!("`{tool}` needs the argument `{missing}`")));
    }
    let literal = |key: &str, literals: &[String], what: &str| {
        let value = &call.arguments[key];
        let Some(text) = value.as_str() else {
            return Err(refused(RejectionKind::BadValue, format!("`{key}` of `{tool}` is {value} and must be {what}")));
        };
        if literals.iter().any(|known| known == text) {
            return Ok(());
        }
        let hint = nearest::hint(text, literals.iter().map(String::as_str));
        let message = format!("`{text}` is not {what}{hint}; `{key}` takes nothing else");
        Err(refused(RejectionKind::BadValue, message))
    };
    match call.tool.as_str() {
        CRAFT => literal(CRAFTING, &menu.crafts, "one of the crafting commands shown")?,
        GET_ITEM => {
            literal(ITEM, &menu.names, "the name of an item in the crafting commands shown")?;
            let value = &call.arguments[COUNT];
            let written = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            if Count::read(&written).is_none_or(|count| count.is_zero()) {
                let message = format!("`{COUNT}` is {value} and must be a whole number, at least 1");
                return Err(refused(RejectionKind::BadValue, message));
            }
        }
        // The original looks at the first line alone: the second command would be lost.
        SELECT
            if call.string(COMMAND).is_some_and(|command| {
                command
                    .trim_end()
                    .split_once('\n')
                    .is_some_and(|(_, next)| Command::read(next.trim()) != Command::Unknown)
            }) =>
        {
            let message = format!("`{COMMAND}` of `{tool}` holds more than one command; give one at a time");
            return Err(refused(RejectionKind::BadValue, message));
        }
        SELECT if call.string(COMMAND).is_none() => {
            let message = format!("`{COMMAND}` of `{tool}` must be the text of a command, such as `inventory`");
            return Err(refused(RejectionKind::BadValue, message));
        }
        _ => {}
    }
    command_of(call).ok_or_else(|| unknown_tool(tool, toolset))
}

fn unknown_tool(tool: &str, toolset: Toolset) -> Rejection {
    let hint = nearest::hint(tool, toolset.names().iter().copied());
    let message = format!("there is no tool `{tool}`{hint} (known: {})", toolset.names().join(", "));
    refused(RejectionKind::UnknownTool, message)
}

/// Writes a call as a text: its command. A command that another tool would be read for follows the tool's name; the only tool is written as its usage shows.
#[must_use]
pub fn render(call: &ToolCall, toolset: Toolset, menu: &Menu) -> String {
    let Some(command) = command_of(call) else {
        let arguments = call.canonical_arguments();
        return if call.arguments.is_empty() { call.tool.clone() } else { format!("{} {arguments}", call.tool) };
    };
    match parse(&command, toolset, menu) {
        Ok(read) if read == *call && toolset == Toolset::Unified && !command.contains('"') => {
            format!("{SELECT} {COMMAND}=\"{command}\"")
        }
        Ok(read) if read == *call => command,
        _ if call.tool == SELECT => [SELECT, ": ", &command].concat(),
        _ => command,
    }
}

/// Reads what a model writes for an action: a command, or a tool with its arguments, in quotes or brackets or not, in
/// capitals or not (BOG-032). A command that fits the literals of a tool becomes a call of it; any other text that begins
/// like a command is left to the environment to answer, where there is a tool that takes any text.
/// Remarks behind a command of known items are passed over; two commands are refused.
///
/// # Errors
/// What cannot be read, and what could be.
pub fn parse(text: &str, toolset: Toolset, menu: &Menu) -> Result<ToolCall, Rejection> {
    let known = |text: &str| {
        let call = line(text, toolset, menu)?;
        let command = command_of(&call).unwrap_or_default();
        let is_known = match Command::read(&command) {
            Command::Craft { .. } => menu.crafts.contains(&command),
            Command::Get { item, .. } => menu.names.iter().any(|known| known == item),
            Command::Inventory => command == "inventory",
            Command::Unknown => false,
        };
        if is_known && !command.contains('\n') {
            Ok(call)
        } else {
            Err(refused(RejectionKind::Unreadable, String::new()))
        }
    };
    let begins = |word: &str| {
        let word = word.to_ascii_lowercase();
        ["get", "craft", "inventory", INVENTORY, CRAFT, GET_ITEM, SELECT].contains(&word.as_str())
    };
    // A sentence that begins with the same word names no number.
    let second = |text: &str| {
        let call = line(text, toolset, menu).ok()?;
        (Command::read(&command_of(&call)?) != Command::Unknown).then_some(call)
    };
    match answer::one(text, known, begins, second) {
        Err(answer::Problem::Unread(_) | answer::Problem::Row { .. }) => {}
        read => return read.map_err(answer::Problem::rejection),
    }
    if let Some((first, other)) = answer::several(text, begins, second).or_else(|| menu.several(text)) {
        return Err(answer::Problem::Two(first, other).rejection());
    }
    let names = |clause: &str| menu.names.iter().any(|name| clause.starts_with(name.as_str()));
    if let Some(read) = answer::before_comma(text, known, names) {
        return read.map_err(answer::Problem::rejection);
    }
    answer::one(text, |text: &str| line(text, toolset, menu), begins, second).map_err(answer::Problem::rejection)
}

/// Reads one line.
fn line(text: &str, toolset: Toolset, menu: &Menu) -> Result<ToolCall, Rejection> {
    let Some((name, rest)) = grammar::split(text) else {
        return Err(refused(RejectionKind::Unreadable, format!("there is no action in it; {}", forms())));
    };
    if let Some(tool) = [INVENTORY, CRAFT, GET_ITEM, SELECT].into_iter().find(|tool| tool.eq_ignore_ascii_case(name)) {
        return match tool {
            _ if !toolset.has(tool) => Err(unknown_tool(tool, toolset)),
            SELECT => {
                // As it is written: blanks and capitals count.
                Ok(ToolCall::with(SELECT, &[(COMMAND, argument(raw_rest(text, name), COMMAND))]))
            }
            CRAFT => Ok(ToolCall::with(CRAFT, &[(CRAFTING, &literal(&menu.crafts, &tidy(argument(rest, CRAFTING))))])),
            GET_ITEM => item(rest, menu),
            _ if rest.is_empty() => Ok(ToolCall::bare(INVENTORY)),
            _ => Err(refused(
                RejectionKind::UnknownArgument,
                format!("`{INVENTORY}` takes no argument; leave out `{rest}`"),
            )),
        };
    }
    let verb = name.to_ascii_lowercase();
    if !["get", "craft", "inventory"].contains(&verb.as_str()) {
        let hint = nearest::hint(name, ["get", "craft", "inventory"]);
        let message = format!("there is no command `{name}`{hint}; {}", forms());
        return Err(refused(RejectionKind::UnknownTool, message));
    }
    let command = if rest.is_empty() { verb } else { [&verb, " ", &tidy(rest)].concat() };
    let own = match Command::read(&command) {
        Command::Inventory if command == "inventory" => Some(ToolCall::bare(INVENTORY)),
        Command::Craft { .. } => {
            let known = menu.crafts.iter().find(|known| **known == command);
            known.map(|known| ToolCall::with(CRAFT, &[(CRAFTING, known)]))
        }
        Command::Get { count, item } => {
            let known = menu.names.iter().find(|known| *known == item);
            let count =
                Count::read(count).map(|count| count.saturating()).filter(|count| (1..u64::MAX).contains(count));
            known.zip(count).map(|(item, count)| get_item(item, count))
        }
        _ => None,
    };
    match own.filter(|call| toolset.has(&call.tool)) {
        Some(call) => Ok(call),
        None if toolset.has(SELECT) => Ok(ToolCall::with(SELECT, &[(COMMAND, &command)])),
        None => {
            let hint = nearest::hint(&command, menu.crafts.iter().map(String::as_str));
            let message = format!("`{command}` is none of the commands that can be given{hint}; {}", forms());
            Err(refused(RejectionKind::BadValue, message))
        }
    }
}

fn forms() -> &'static str {
    "write `get <number> <item>`, `craft <number> <item> using <number> <item>, ...` or `inventory`"
}

/// Single blanks, small letters.
fn tidy(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The literal that a text means, or the text.
fn literal(literals: &[String], text: &str) -> String {
    let with_verb = ["craft ", text].concat();
    let known = literals.iter().find(|known| **known == text || **known == with_verb);
    known.cloned().unwrap_or_else(|| text.to_owned())
}

/// What follows the tool's name, as it was written.
fn raw_rest<'a>(text: &'a str, name: &str) -> &'a str {
    let rest = text.find(name).map_or("", |at| &text[at + name.len()..]);
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let inside = rest.trim().strip_prefix('(').and_then(|inside| inside.strip_suffix(')'));
    inside.unwrap_or_else(|| rest.strip_prefix(' ').unwrap_or(rest))
}

/// An only argument, without its name and quotes.
fn argument<'a>(text: &'a str, key: &str) -> &'a str {
    let named = text.trim_start().strip_prefix(key).map(str::trim_start);
    let value = named.and_then(|rest| rest.strip_prefix(['=', ':'])).map_or(text, str::trim);
    let quotes = ['"', '\'', '`'];
    let quoted =
        quotes.iter().find_map(|quote| value.strip_prefix(*quote).and_then(|inside| inside.strip_suffix(*quote)));
    quoted.unwrap_or(value)
}

/// The arguments of [`GET_ITEM`], by name or by their form.
fn item(rest: &str, menu: &Menu) -> Result<ToolCall, Rejection> {
    let (mut name, mut count) = (String::new(), None);
    let mut last = None;
    for (key, value) in grammar::arguments(rest) {
        last = key.or(last);
        let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        match key {
            Some(REASONING) => {}
            Some(key) if key != ITEM && key != COUNT => {
                let hint = nearest::hint(key, [ITEM, COUNT]);
                let message = format!("there is no argument `{key}`{hint}: `{GET_ITEM}` takes {ITEM} and {COUNT}");
                return Err(refused(RejectionKind::UnknownArgument, message));
            }
            None if last == Some(REASONING) => {}
            _ if key == Some(COUNT) || (key.is_none() && digits && count.is_none()) => count = Some(value),
            _ => {
                if !name.is_empty() {
                    name.push(' ');
                }
                name.push_str(value);
            }
        }
    }
    let missing = |key: &str| {
        let message = format!("`{GET_ITEM}` needs `{ITEM}` and `{COUNT}`, and `{key}` is missing; or {}", forms());
        refused(RejectionKind::MissingArgument, message)
    };
    let count = count.ok_or_else(|| missing(COUNT))?;
    if name.is_empty() {
        return Err(missing(ITEM));
    }
    let tidied = tidy(&name).replace('_', " ");
    let name = menu.names.iter().find(|known| **known == tidied).cloned().unwrap_or(name);
    let mut call = ToolCall::with(GET_ITEM, &[(ITEM, &name)]);
    let value = count.parse::<u64>().map_or_else(|_| Value::from(count), Value::from);
    call.arguments.insert(COUNT.to_owned(), value);
    Ok(call)
}

/// The items and amounts that a crafting command lists, as far as it can be read.
pub(crate) fn listed(command: &str) -> Vec<(Count, String)> {
    let Command::Craft { inputs, .. } = Command::read(command) else { return Vec::new() };
    let parts = inputs.split(',').filter_map(|part| command::numbered(command::trimmed(part)));
    parts.filter_map(|(count, item)| Some((Count::read(count)?, item.replace('_', " ")))).collect()
}
