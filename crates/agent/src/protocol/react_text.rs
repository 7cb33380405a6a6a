//! The protocol of lines (BOG-041), read with the precedence of BOG-042, anchored to lines.
//!
//! 1. The last line that begins with `Answer:`; the text behind it, up to the next line that begins with another marker, is the
//!    answer. Its first line is the action; what follows is for the environment to look at, so that a second action is not
//!    passed over. What follows a line `Observation:` that follows a tool or an answer is not read: the host writes
//!    that line, and a stop sequence would have cut there.
//! 2. Else the first line that begins with `Tool:`; the name ends at the next colon, bracket or blank, the input at the next
//!    line that begins with a marker, or at the end. A trailing `PAUSE` may be missing.
//! 3. Else `Action:` with or without `Action Input:`, a call or an answer between tags, a JSON object that says one of both, or
//!    `Answer:` behind the end of a sentence in the last line.
//! 4. Else the raw text.
//!
//! Markers count in any case and in the languages of `reading/words.yaml`, with Markdown, list signs and numbers before them. A
//! heading `# Answer` and a row `| Answer | x |` are such a line where there is no other.
//! Thoughts between tags are not part of the text ([`bare`]).

use super::{Expects, Input, Reply, ReplyContent, ToolUse, action_text, followed, json};
use crate::reading::tags::{self, Tagged};
use crate::reading::{Marker, bare, lenient, undecorated, words};
use gimbal_messages::Tier;

/// Reads the text of a reply.
#[must_use]
pub fn read(text: &str, expects: Expects) -> Reply {
    if let Some(reply) = published(text, expects) {
        return reply;
    }
    let body = unlaid(bare(text));
    marked(&body, expects)
        .or_else(|| tagged(&body, expects))
        .or_else(|| json::objects(&body, expects))
        .or_else(|| within(&body))
        .unwrap_or_else(|| Reply::raw(&body, expects))
}

/// The form that prompts ask for and grammars let through, to the letter; a blank line may stand behind the thought.
fn published(text: &str, expects: Expects) -> Option<Reply> {
    let (thought, last) = text.strip_prefix("Thought: ")?.split_once('\n')?;
    let thought = thought.trim().to_owned();
    let last = last.strip_prefix('\n').unwrap_or(last);
    if let Some(answer) = last.strip_prefix("Answer: ").filter(|answer| !answer.contains('\n')) {
        let (trimmed, plain) = (answer.trim(), undecorated(answer.trim()));
        // Tokens that end a turn are in no answer.
        if plain.contains("<|") || plain.contains("</") || plain.contains("<end_of_turn>") {
            return None;
        }
        if expects == Expects::Action && (plain.starts_with(['{', '[', '<', '\\']) || words().marker(plain).is_some()) {
            return None;
        }
        let led = expects == Expects::Action && words().after_lead(plain).is_some();
        let tier = if plain == answer && !led { Tier::Direct } else { Tier::Normalised };
        let text = if expects == Expects::Action { plain } else { trimmed };
        return (!plain.is_empty()).then(|| Reply::new(thought, ReplyContent::Answer(text.to_owned()), tier));
    }
    let call = last.strip_prefix("Tool: ")?.strip_suffix("\nPAUSE").filter(|call| !call.contains('\n'))?;
    let (name, input) = call.split_once(": ").unwrap_or((call, ""));
    let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let call = ToolUse { name: name.to_owned(), input: Input::Text(input.trim().to_owned()) };
    is_name.then(|| Reply::new(thought, ReplyContent::Use(call), Tier::Direct))
}

/// Where no line has the marker of an answer: one heading `# Answer`, or one row `| Answer | x |` of a table, as such a line.
fn unlaid(text: String) -> String {
    let is_answer = |marker: Option<(Marker, &str)>| matches!(marker, Some((Marker::Answer, _)));
    if !text.contains(['#', '|']) || text.lines().any(|line| is_answer(words().marker(line))) {
        return text;
    }
    let names_it = |word: &str| is_answer(words().marker(&format!("{}:", word.trim_matches([' ', '*', '_', '`']))));
    let marked = |line: &str| {
        let line = line.trim();
        if let Some(heading) = line.strip_prefix('#') {
            return names_it(heading.trim_start_matches('#')).then(|| "Answer:".to_owned());
        }
        let (name, value) = line.strip_prefix('|')?.strip_suffix('|')?.split_once('|')?;
        (names_it(name) && !value.contains('|')).then(|| format!("Answer: {}", value.trim()))
    };
    let lines: Vec<(&str, Option<String>)> = text.lines().map(|line| (line, marked(line))).collect();
    if lines.iter().filter(|(_, marked)| marked.is_some()).count() != 1 {
        return text;
    }
    lines.into_iter().map(|(line, marked)| marked.unwrap_or_else(|| line.to_owned())).collect::<Vec<_>>().join("\n")
}

/// A line, and the marker at its head.
struct Line<'a> {
    at: usize,
    marker: Option<(Marker, &'a str)>,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    let mut found = Vec::new();
    let mut settled = false;
    for line in text.split_inclusive('\n') {
        let marker = if words().is_pause(line) { Some((Marker::Pause, "")) } else { words().marker(line.trim_end()) };
        match marker {
            Some((Marker::Observation, _)) if settled => {
                found.push(Line { at, marker });
                return found;
            }
            Some((Marker::Tool | Marker::Answer | Marker::Action, _)) => settled = true,
            _ => {}
        }
        found.push(Line { at, marker });
        at += line.len();
    }
    found.push(Line { at, marker: None });
    found
}

/// The lines of a text, with what markers say.
struct Marked<'a> {
    text: &'a str,
    lines: Vec<Line<'a>>,
    expects: Expects,
}

impl<'a> Marked<'a> {
    fn places(&self, marker: Marker) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let is = move |line: &Line<'_>| line.marker.is_some_and(|(found, _)| found == marker);
        self.lines.iter().enumerate().filter(move |(_, line)| is(line)).map(|(place, _)| place)
    }

    /// What follows the marker of a line, up to the next line with one that ends it.
    fn content(&self, place: usize, ends: impl Fn(Marker) -> bool) -> &'a str {
        let Some((Line { marker: Some((_, rest)), .. }, later)) =
            self.lines.get(place).map(|line| (line, &self.lines[place + 1..]))
        else {
            return "";
        };
        let begin = rest.as_ptr() as usize - self.text.as_ptr() as usize;
        let mut quotes = Quotes { at: begin, open: false };
        for line in later {
            let Some((marker, _)) = line.marker else { continue };
            // Within a quoted value a line may begin with anything.
            if ends(marker) && (marker == Marker::Observation || !quotes.open_at(self.text, line.at)) {
                return self.text[begin..line.at].trim();
            }
        }
        let end = self.lines.last().map_or(self.text.len(), |line| line.at);
        self.text[begin..end.max(begin)].trim()
    }

    fn answer(&self, place: usize) -> &'a str {
        // The members of a message may bear the names of markers.
        let ends = |marker| {
            matches!(marker, Marker::Observation | Marker::Pause)
                || self.expects != Expects::Message && !matches!(marker, Marker::Input | Marker::Action)
        };
        closed_fence(self.content(place, ends))
    }

    fn thought(&self, place: usize) -> String {
        let before = self.text[..self.lines[place].at].trim();
        let bare =
            words().marker(before).filter(|(marker, _)| *marker == Marker::Thought).map_or(before, |(_, rest)| rest);
        bare.trim_matches(|letter: char| letter.is_whitespace() || matches!(letter, '*' | '`')).to_owned()
    }

    /// The use of a tool at a line, with the input that a line of its own names.
    fn call(&self, place: usize) -> Option<ToolUse> {
        let content = self.content(place, |_| true);
        let input = |place: usize| Input::Text(without_pause(self.content(place, |_| true)).to_owned());
        let is_input = |place: usize| {
            self.lines.get(place).is_some_and(|line| line.marker.is_some_and(|(marker, _)| marker == Marker::Input))
        };
        let after = (place + 1..self.lines.len())
            .find(|next| self.lines[*next].marker.is_some())
            .filter(|next| is_input(*next));
        let beside = after.or_else(|| place.checked_sub(1).filter(|before| is_input(*before)));
        let mut call = split_call(content)?;
        if let (Some(beside), Input::Text(text)) = (beside, &call.input)
            && text.is_empty()
        {
            call.input = input(beside);
        }
        Some(call)
    }
}

/// Whether a quotation is open, kept while one goes through a text.
struct Quotes {
    at: usize,
    open: bool,
}

impl Quotes {
    fn open_at(&mut self, text: &str, at: usize) -> bool {
        let mut escaped = false;
        for byte in text.as_bytes().get(self.at..at).unwrap_or_default() {
            match byte {
                b'"' if !escaped => self.open = !self.open,
                _ => {}
            }
            escaped = *byte == b'\\' && !escaped;
        }
        self.at = self.at.max(at);
        self.open
    }
}

/// Without the end of a code fence that began before.
fn closed_fence(text: &str) -> &str {
    match text.trim_end().strip_suffix("```") {
        Some(inside) if !inside.contains("```") => inside.trim_end(),
        _ => text,
    }
}

/// What markers at the heads of lines say.
fn marked(text: &str, expects: Expects) -> Option<Reply> {
    let marked = Marked { text, lines: lines(text), expects };
    let answer = marked.places(Marker::Answer).next_back();
    let tool = marked.places(Marker::Tool).next();
    let is_one_of_several =
        |call: &ToolUse| marked.places(Marker::Tool).skip(1).any(|other| marked.call(other).as_ref() != Some(call));
    if let Some(place) = answer {
        let written = marked.answer(place);
        let within_input = tool.is_some_and(|tool| {
            let pauses = |from: usize, to: usize| marked.places(Marker::Pause).any(|pause| (from..to).contains(&pause));
            tool < place && !pauses(tool, place) && pauses(place, marked.lines.len())
        });
        if tool.is_none() || !(written.is_empty() || within_input) {
            let marks = followed::marks(marked.content(place, |_| false), expects);
            return Some(Reply { marks, ..answered(marked.thought(place), written, expects) });
        }
        let place = tool?;
        let mut call = marked.call(place)?;
        let more = !within_input && is_one_of_several(&call);
        if within_input && let Input::Text(_) = &call.input {
            let ends = |marker| matches!(marker, Marker::Pause | Marker::Observation | Marker::Tool);
            call = split_call(marked.content(place, ends))?;
        }
        return Some(Reply { more, ..Reply::new(marked.thought(place), ReplyContent::Use(call), Tier::Normalised) });
    }
    if let Some(place) = tool {
        let call = marked.call(place)?;
        let more = is_one_of_several(&call);
        return Some(Reply { more, ..Reply::new(marked.thought(place), ReplyContent::Use(call), Tier::Normalised) });
    }
    if expects == Expects::Message {
        return None;
    }
    let (first, last) = (marked.places(Marker::Action).next()?, marked.places(Marker::Action).next_back()?);
    if marked.places(Marker::Input).next().is_some() || marked.places(Marker::Pause).next().is_some() {
        let call = marked.call(first)?;
        let more = first != last && marked.call(last).as_ref() != Some(&call);
        return Some(Reply { more, ..Reply::new(marked.thought(first), ReplyContent::Use(call), Tier::Normalised) });
    }
    // Two lines of this kind are a plan, or options: none of them is the answer.
    let written = marked.answer(last);
    let differ = marked.places(Marker::Action).any(|place| marked.answer(place) != written);
    (!differ && !written.is_empty()).then(|| answered(marked.thought(first), written, expects))
}

/// An answer as it was written: a text, or a call between tags.
fn answered(thought: String, written: &str, expects: Expects) -> Reply {
    if expects == Expects::Message {
        // The reader of the message takes fences off, and counts the message as normalised (BOG-070).
        return Reply::new(thought, ReplyContent::Answer(written.to_owned()), Tier::Normalised);
    }
    if let Some((Marker::Tool, rest)) = words().marker(written)
        && let Some(call) = split_call(rest)
    {
        return Reply::new(thought, ReplyContent::Use(call), Tier::Normalised);
    }
    let plain = action_text(written);
    if plain.starts_with('[')
        && let Some(serde_json::Value::Array(items)) = lenient::whole(&plain).map(|found| found.value)
        && items.iter().all(serde_json::Value::is_string)
    {
        let lines = items.iter().map(super::plain).collect::<Vec<_>>().join("\n");
        return Reply::new(thought, ReplyContent::Answer(lines), Tier::Normalised);
    }
    let called = if plain.starts_with(['{', '[']) { json::objects(&plain, expects) } else { None };
    match called.or_else(|| tagged(written, expects)) {
        Some(reply) => Reply { thought, ..reply },
        None => Reply::new(thought, ReplyContent::Answer(plain), Tier::Normalised),
    }
}

/// What is between tags, where all of them say the same.
fn tagged(text: &str, expects: Expects) -> Option<Reply> {
    if !text.contains(['<', '\\', '[']) && !text.contains("to=functions.") {
        return None;
    }
    let mut found: Vec<ReplyContent> = Vec::new();
    for tagged in tags::read(text) {
        let content = match tagged {
            Tagged::Answer(answer) if expects == Expects::Message => Some(ReplyContent::Answer(answer)),
            Tagged::Answer(answer) => Some(match json::objects(&answer, expects) {
                Some(reply) => reply.content,
                None => ReplyContent::Answer(action_text(&answer)),
            }),
            Tagged::Call(call) => {
                Some(ReplyContent::Use(ToolUse { name: call.name, input: Input::Arguments(call.arguments) }))
            }
            Tagged::Json(json) => json::objects(&json, expects).map(|reply| reply.content),
        };
        // A tag that cannot be read leaves it open what was meant.
        let content = content?;
        if !found.contains(&content) {
            found.push(content);
        }
    }
    let more = found.len() > 1;
    let first = found.into_iter().next()?;
    (!more || matches!(first, ReplyContent::Use(_)))
        .then(|| Reply { more, ..Reply::new(String::new(), first, Tier::Normalised) })
}

/// `Answer:` behind the end of a sentence in the last line, where it occurs once.
fn within(text: &str) -> Option<Reply> {
    let last = text.trim_end().lines().next_back()?;
    let mut places =
        last.match_indices("Answer:").chain(last.match_indices("Answer**:")).chain(last.match_indices("Answer:**"));
    let (at, _) = places.next()?;
    if text.matches("nswer").count() != 1 {
        return None;
    }
    let before = last[..at].trim_end_matches([' ', '*', '_']);
    let before = before.strip_suffix("Final").map_or(before, |before| before.trim_end_matches([' ', '*', '_']));
    let ended = before.ends_with(['.', '!', '\u{3002}', ';']) && before.len() < at;
    let answer = last[at + "Answer".len()..].trim_start_matches(['*', '_']).strip_prefix(':')?;
    let answer = action_text(answer);
    let thought = words().marker(before).map_or(before, |(_, rest)| rest).trim().to_owned();
    (ended && !answer.is_empty()).then(|| Reply::new(thought, ReplyContent::Answer(answer), Tier::Normalised))
}

/// The use of a tool that a text of its own says: `name: input`, `name(input)`, `name`.
#[must_use]
pub fn call(text: &str) -> Option<ToolUse> {
    split_call(text)
}

/// Name and input of a tool, as one text; none if there is no name.
fn split_call(text: &str) -> Option<ToolUse> {
    let text = without_pause(text);
    if text.starts_with('{')
        && let Some(found) = lenient::whole(text)
        && let serde_json::Value::Object(object) = found.value
    {
        return json::tool_use(object);
    }
    let line = text.lines().next().unwrap_or_default();
    let stop = line.find([':', '(']);
    let (name, input) = match stop {
        Some(at) if line[at..].starts_with('(') => {
            let inside = text[at + 1..].trim_end();
            (&text[..at], inside.strip_suffix(')').unwrap_or(inside))
        }
        Some(at) => (&text[..at], &text[at + 1..]),
        None => text.split_once(char::is_whitespace).unwrap_or((text, "")),
    };
    let name = without_pause(name).trim_matches(|letter: char| letter.is_whitespace() || "*`\"'<>[]".contains(letter));
    let input = Input::Text(without_pause(input).to_owned());
    Some(ToolUse { name: name.to_owned(), input })
}

/// `text` without white space at its ends and without the word `PAUSE` at its end.
fn without_pause(text: &str) -> &str {
    let text = text.trim();
    let Some(at) = text.len().checked_sub(5) else { return text };
    match text.get(at..) {
        Some(tail)
            if tail.eq_ignore_ascii_case("pause")
                && !text[..at].chars().next_back().is_some_and(char::is_alphanumeric) =>
        {
            text[..at].trim_end()
        }
        _ => text,
    }
}

#[cfg(test)]
#[path = "react_text_tests.rs"]
mod tests;
