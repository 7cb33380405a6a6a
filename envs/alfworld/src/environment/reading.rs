//! Calls and texts as models write them.

use gimbal_core::{Rejection, RejectionKind, ToolCall, nearest};
use gimbal_env_kit::{answer, grammar};

use super::loaded::Loaded;
use super::settings::Offered;
use super::tail::{self, Tail};
use super::tools::{self, COMMAND, REASONING, TOOLS, Tool};
use crate::engine::Play;

/// Longest command that is looked at; no admissible one comes near it.
const LONGEST: usize = 1_000;

/// The command of a call, if the call fits its tool: without what follows a possible command and asks for nothing.
pub fn read(call: &ToolCall, loaded: &Loaded, play: &Play, offered: Offered) -> Result<String, Rejection> {
    let command = check(call, loaded, play, offered)?.trim();
    match cut(command, loaded, play)?.and_then(|at| play.command(at)) {
        Some(possible) => {
            check(&ToolCall::with(&call.tool, &[(COMMAND, possible)]), loaded, play, offered).map(str::to_owned)
        }
        None => Ok(command.to_owned()),
    }
}

/// The place of the possible command that a text holds beside words that ask for nothing.
///
/// # Errors
/// When a second action follows it.
fn cut(text: &str, loaded: &Loaded, play: &Play) -> Result<Option<usize>, Rejection> {
    if play.find(text).is_some() {
        return Ok(None);
    }
    match tail::of(text, loaded, play) {
        Tail::Other => Ok(None),
        Tail::Harmless(at) => Ok(Some(at)),
        Tail::Second(first, second) => Err(two(first, second)),
        Tail::Unmeant(problem) => Err(problem.rejection()),
    }
}

fn two(first: &str, second: &str) -> Rejection {
    answer::Problem::Two(first.to_owned(), second.to_owned()).rejection()
}

/// The command of a call as it is written, if the call fits its tool.
fn check<'c>(call: &'c ToolCall, loaded: &Loaded, play: &Play, offered: Offered) -> Result<&'c str, Rejection> {
    let Some(tool) = Tool::offered(offered).find(|tool| tool.name() == call.tool) else {
        let names: Vec<&str> = Tool::offered(offered).map(Tool::name).collect();
        let hint = nearest::hint(&call.tool, names.iter().copied());
        let message = format!("there is no tool `{}`{hint}; there are: {}", call.tool, names.join(", "));
        return Err(Rejection::new(RejectionKind::UnknownTool, message));
    };
    if let Some(other) = call.arguments.keys().find(|name| *name != COMMAND && *name != REASONING) {
        let message = format!("`{}` takes no argument `{other}`; it takes `{COMMAND}`", call.tool);
        return Err(Rejection::new(RejectionKind::UnknownArgument, message));
    }
    let Some(value) = call.arguments.get(COMMAND) else {
        let message = format!("`{}` needs the argument `{COMMAND}`: the command to carry out", call.tool);
        return Err(Rejection::new(RejectionKind::MissingArgument, message));
    };
    let Some(command) = value.as_str() else {
        let message = format!("`{COMMAND}` of `{}` must be a text: the command to carry out", call.tool);
        return Err(Rejection::new(RejectionKind::BadValue, message));
    };
    if command.len() > LONGEST {
        let message = format!("`{COMMAND}` is longer than {LONGEST} bytes; no command is");
        return Err(Rejection::new(RejectionKind::BadValue, message));
    }
    if fits(tool, command.trim(), loaded, play) {
        return Ok(command);
    }
    let forms = tools::forms(tool, &loaded.game.rules, &loaded.lexicon).join("; ");
    let message = format!("`{}` is no command of `{}`, which takes: {forms}", command.trim(), call.tool);
    Err(Rejection::new(RejectionKind::BadValue, message))
}

/// Whether a command is one that the tool takes, possible now or not.
fn fits(tool: Tool, command: &str, loaded: &Loaded, play: &Play) -> bool {
    if tool == Tool::Select {
        return true;
    }
    match play.find(command).and_then(|at| play.role(at)) {
        Some(role) => tool.takes(role),
        None => loaded.game.rules.actions.iter().any(|action| {
            let beginning = tools::beginning(action);
            tool.takes(action.role) && !beginning.is_empty() && command.starts_with(beginning)
        }),
    }
}

/// Whether a text begins as some command does.
fn like_a_command(text: &str, loaded: &Loaded) -> bool {
    loaded.game.rules.actions.iter().any(|action| {
        let beginning = tools::beginning(action).trim();
        !beginning.is_empty()
            && text.get(..beginning.len()).is_some_and(|start| start.eq_ignore_ascii_case(beginning))
            && text[beginning.len()..].chars().next().is_none_or(|next| !next.is_alphanumeric())
    })
}

/// Reads an action text: `tool command="..."`, `tool(command="...")`, `tool: ...`, or a bare command. Remarks behind a command
/// that is possible now are passed over, marked as such or not; two commands are refused.
pub fn parse(text: &str, loaded: &Loaded, play: &Play, offered: Offered) -> Result<ToolCall, Rejection> {
    let possible = |text: &str| {
        let call = line(text, loaded, play, offered)?;
        match call.string(COMMAND).and_then(|command| play.find(command)) {
            Some(_) => Ok(call),
            None => Err(Rejection::new(RejectionKind::Unreadable, "")),
        }
    };
    let begins = |word: &str| {
        TOOLS.iter().any(|tool| tool.name().eq_ignore_ascii_case(word))
            || loaded.game.rules.actions.iter().any(|action| {
                tools::beginning(action).split_whitespace().next().is_some_and(|first| first.eq_ignore_ascii_case(word))
            })
    };
    // A command names things by their numbers; a sentence that begins with the same word does not.
    let second = |text: &str| {
        let call = line(text, loaded, play, offered).ok()?;
        let command = call.string(COMMAND)?;
        let named = play.find(command).is_some() || command.ends_with(|last: char| last.is_ascii_digit());
        named.then_some(call)
    };
    match answer::one(text, possible, begins, second) {
        Ok(call) => return Ok(call),
        Err(answer::Problem::Unread(_) | answer::Problem::Row { .. }) => {}
        Err(problem) => return Err(problem.rejection()),
    }
    if let Some((first, other)) = answer::several(text, begins, second) {
        return Err(two(&first, &other));
    }
    let any = |text: &str| any(text, loaded, play, offered);
    answer::one(text, any, begins, second).map_err(answer::Problem::rejection)
}

/// Reads one line, be it possible now or not.
fn any(text: &str, loaded: &Loaded, play: &Play, offered: Offered) -> Result<ToolCall, Rejection> {
    let is_tool = |name: &str| TOOLS.iter().any(|tool| tool.name().eq_ignore_ascii_case(name));
    if !grammar::split(text).is_some_and(|(name, _)| is_tool(name)) {
        let possible = cut(unquoted(text), loaded, play)?;
        let command = possible.and_then(|at| Some((play.command(at)?, play.role(at))));
        return match command {
            Some((command, role)) => Ok(bare(command, role, offered)),
            None => line(text, loaded, play, offered),
        };
    }
    let mut call = line(text, loaded, play, offered)?;
    let command = read(&call, loaded, play, offered)?;
    if play.find(&command).is_some() {
        call.arguments.insert(COMMAND.to_owned(), command.into());
    }
    Ok(call)
}

/// Reads one line.
fn line(text: &str, loaded: &Loaded, play: &Play, offered: Offered) -> Result<ToolCall, Rejection> {
    let written = text.trim();
    // Exactly a command: nothing in it is taken for quotes or brackets.
    if let Some(at) = play.find(written) {
        return Ok(bare(written, play.role(at), offered));
    }
    let Some((name, rest)) = grammar::split(written) else {
        let message = "there is no action in the text; write a tool and a command, such as explore command=\"look\"";
        return Err(Rejection::new(RejectionKind::Unreadable, message));
    };
    if let Some(tool) = TOOLS.into_iter().find(|tool| tool.name().eq_ignore_ascii_case(name)) {
        let arguments = grammar::arguments(rest);
        if let Some((Some(key), _)) =
            arguments.iter().find(|(key, _)| key.is_some_and(|key| key != COMMAND && key != REASONING))
        {
            let message = format!("`{}` takes no argument `{key}`; it takes `{COMMAND}`", tool.name());
            return Err(Rejection::new(RejectionKind::UnknownArgument, message));
        }
        let named = arguments.iter().find(|(key, _)| *key == Some(COMMAND));
        // Words behind a command in quotes are a remark, unless they ask for more.
        let behind: Vec<&str> =
            arguments.iter().skip_while(|(key, _)| *key != Some(COMMAND)).skip(1).map_while(bare_word).collect();
        let behind = behind.join(" ");
        let command = match named {
            // A command without its quotes runs to the end of the text.
            Some((_, value)) if rest.contains(['"', '\'', '`', '\u{201c}']) => {
                if let Some(second) = tail::behind(&behind, value, loaded, play) {
                    return Err(two(value, second));
                }
                // Where a parameter follows, its value is a remark of another kind.
                if behind.split_whitespace().next().is_some() && arguments.last().is_some_and(|(key, _)| key.is_none())
                {
                    let after = rest.split_once(value).map_or("", |(_, after)| after);
                    answer::judged((), value, after).map_err(answer::Problem::rejection)?;
                }
                (*value).to_owned()
            }
            Some(_) => rest.split_once(['=', ':']).map_or(rest, |(_, value)| value).trim().to_owned(),
            None => unquoted(rest).to_owned(),
        };
        if command.is_empty() {
            let message = format!("`{}` needs a command, such as {} command=\"...\"", tool.name(), tool.name());
            return Err(Rejection::new(RejectionKind::MissingArgument, message));
        }
        let call = ToolCall::with(tool.name(), &[(COMMAND, &command)]);
        check(&call, loaded, play, offered)?;
        return Ok(call);
    }
    let command = unquoted(written);
    // Commands are in small letters; models begin them as sentences.
    let small = command.to_lowercase();
    let command = if play.find(command).is_none() && play.find(&small).is_some() { small.as_str() } else { command };
    if let Some(at) = play.find(command) {
        return Ok(bare(command, play.role(at), offered));
    }
    // The tool that was made for such a command is meant: an agent may have that one only.
    let mut made = Tool::offered(offered).filter(|tool| *tool != Tool::Select);
    if let Some(tool) = made.find(|tool| fits(*tool, command, loaded, play)).filter(|_| command.len() <= LONGEST) {
        return Ok(ToolCall::with(tool.name(), &[(COMMAND, command)]));
    }
    if like_a_command(command, loaded) && command.len() <= LONGEST && offered != Offered::Split {
        return Ok(bare(command, None, offered));
    }
    let names: Vec<&str> = Tool::offered(offered).map(Tool::name).collect();
    let hint = nearest::hint(name, names.iter().copied());
    let message = format!("there is no tool `{}`{hint}; there are: {}", crate::pddl::shortened(name), names.join(", "));
    Err(Rejection::new(RejectionKind::UnknownTool, message))
}

/// A parameter without a key.
fn bare_word<'a>((key, word): &(Option<&'a str>, &'a str)) -> Option<&'a str> {
    key.is_none().then_some(*word)
}

/// The call for a command that was written without a tool.
fn bare(command: &str, role: Option<crate::engine::Role>, offered: Offered) -> ToolCall {
    let tool = role.map_or(Tool::Select, |role| Tool::of(role, offered));
    ToolCall::with(tool.name(), &[(COMMAND, command)])
}

/// A text without its outer quotes and a closing full stop.
fn unquoted(text: &str) -> &str {
    let mut inner = text.trim();
    loop {
        let shorter = inner.strip_suffix(['.', ';']).unwrap_or(inner).trim();
        let shorter = shorter.trim_matches(['"', '\'', '`', '\u{201c}', '\u{201d}']).trim();
        if shorter.len() == inner.len() {
            return inner;
        }
        inner = shorter;
    }
}

/// The text of a call.
pub fn render(call: &ToolCall) -> String {
    match call.string(COMMAND) {
        // Quotes that the command itself does not hold.
        Some(command) if command.contains('"') => format!("{} {COMMAND}='{command}'", call.tool),
        Some(command) => format!("{} {COMMAND}=\"{command}\"", call.tool),
        None => call.tool.clone(),
    }
}
