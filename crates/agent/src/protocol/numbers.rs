//! Numbers of calls that may be any, whatever numbers the legal calls hold.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use gimbal_core::{Manifest, ToolCall, ToolSpec};
use gimbal_messages::{Form, escape, range};
use serde_json::{Value, json};

/// What says that a number of a call may be any: the schema of its tool, where an argument is any whole number, or what the environment says of the
/// form of a command.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'a> {
    /// The tools of the calls.
    pub specs: &'a [ToolSpec],
    /// The facts of the environment's tools.
    pub manifest: &'a Manifest,
}

/// A number of a call that may be any of a range.
struct AnyNumber {
    /// The argument that it is, or that holds it.
    argument: String,
    /// The number of this call.
    digits: String,
    range: RangeInclusive<u64>,
    /// Whether the argument is a command in words.
    in_command: bool,
}

impl Numbers<'_> {
    /// The numbers that an argument of a tool may be, where its schema says that it is a whole number and lists no values.
    pub(super) fn of_argument(self, tool: &str, name: &str) -> Option<RangeInclusive<u64>> {
        let spec = self.specs.iter().find(|spec| spec.name == tool)?;
        let schema = spec.parameters.get("properties")?.get(name)?;
        let is_number = schema.get("type") == Some(&json!("integer")) && schema.get("enum").is_none();
        is_number.then(|| range::of_schema(schema))
    }

    /// The first number of a call that may be any.
    fn of(self, call: &ToolCall) -> Option<AnyNumber> {
        let own = call.arguments.iter().filter(|(_, value)| value.is_u64()).find_map(|(name, value)| {
            let range = self.of_argument(&call.tool, name)?;
            Some(AnyNumber { argument: name.clone(), digits: value.to_string(), range, in_command: false })
        });
        own.or_else(|| {
            let (argument, digits) = self.manifest.any_number(call)?;
            let range = range::of_schema(&json!({ "minimum": 1 }));
            Some(AnyNumber { argument: argument.to_owned(), digits, range, in_command: true })
        })
    }
}

/// Calls, separated by whether they hold a number that may be any.
pub(super) struct Counted<'a> {
    /// Those without such a number.
    pub calls: Vec<ToolCall>,
    /// These as they are written.
    pub texts: Vec<String>,
    /// Forms of the others, each with the name of its tool; the name is empty for the form of a whole text.
    pub forms: Vec<(&'a str, Form)>,
}

/// The calls without those that hold any whole number, and these as expressions.
pub(super) fn counted(listed: &[ToolCall], written: &[String], numbers: Numbers<'_>) -> Counted<'static> {
    let (mut calls, mut texts, mut seen, mut forms) = (Vec::new(), Vec::new(), BTreeSet::new(), Vec::new());
    // Most tools share one range of numbers.
    let mut latest: Option<(RangeInclusive<u64>, String)> = None;
    let mut number_in = |call: &ToolCall, text: &'_ str| {
        let AnyNumber { digits, range, .. } = numbers.of(call)?;
        let (before, after) = around(text, &digits)?;
        if latest.as_ref().is_none_or(|(known, _)| *known != range) {
            latest = Some((range.clone(), range::whole_numbers(*range.start(), *range.end())?));
        }
        let numbers = latest.as_ref().map_or("", |(_, numbers)| numbers);
        let longest = text.len() + range.end().to_string().len();
        Some((format!("{}{numbers}{}", escape(before), escape(after)), longest))
    };
    for (call, text) in listed.iter().zip(written) {
        let Some((regex, longest)) = number_in(call, text) else {
            calls.push(call.clone());
            texts.push(text.clone());
            continue;
        };
        if seen.insert(regex.clone()) {
            forms.push(("", Form::closed(regex, Value::Null, longest)));
        }
    }
    Counted { calls, texts, forms }
}

/// The calls without those whose only argument is a command that holds any whole number, and these as arguments of their tools.
pub(super) fn counted_commands<'a>(listed: &'a [ToolCall], written: &[String], numbers: Numbers<'_>) -> Counted<'a> {
    let (mut calls, mut texts) = (Vec::new(), Vec::new());
    let mut commands: BTreeMap<(&str, String), (BTreeSet<String>, usize)> = BTreeMap::new();
    let number_in = |call: &ToolCall| {
        let found = numbers.of(call).filter(|found| found.in_command && call.arguments.len() == 1)?;
        let (before, after) = around(call.string(&found.argument)?, &found.digits)?;
        let whole = range::whole_numbers(*found.range.start(), *found.range.end())?;
        let longest = before.len() + found.range.end().to_string().len() + after.len();
        Some((found.argument, format!("{}{whole}{}", escape(before), escape(after)), longest))
    };
    for (call, text) in listed.iter().zip(written) {
        if let Some((argument, regex, longest)) = number_in(call) {
            let known = commands.entry((&call.tool, argument)).or_default();
            known.0.insert(regex);
            known.1 = known.1.max(longest);
        } else {
            calls.push(call.clone());
            texts.push(text.clone());
        }
    }
    let forms = commands.into_iter().map(|((tool, argument), (regexes, longest))| {
        let texts = regexes.into_iter().collect::<Vec<_>>().join("|");
        let schema = json!({ "type": "string", "pattern": format!("^({texts})$") });
        let longest = tool.len() + argument.len() + longest + 16;
        let command = Form::closed(format!("\"({texts})\""), schema, longest);
        (tool, Form { longest, ..Form::object(&[(&argument, command)]) })
    });
    Counted { calls, texts, forms: forms.collect() }
}

/// The calls without those that differ from an earlier one in nothing but a number that may be any: a mask takes every number of one of them.
pub fn distinct_but_for_numbers<'c>(
    calls: impl Iterator<Item = &'c ToolCall>,
    numbers: Numbers<'_>,
) -> Vec<&'c ToolCall> {
    let mut seen = BTreeSet::new();
    let is_new = |call: &&ToolCall| {
        let mut key = (*call).clone();
        for (name, value) in &mut key.arguments {
            if value.is_u64() && numbers.of_argument(&call.tool, name).is_some() {
                *value = Value::Null;
            }
        }
        if let Some(found) = numbers.of(call).filter(|found| found.in_command)
            && let Some((before, after)) = call.string(&found.argument).and_then(|text| around(text, &found.digits))
        {
            key.arguments.insert(found.argument, json!([before, after]));
        }
        seen.insert((key.tool.clone(), key.canonical_arguments()))
    };
    calls.filter(is_new).collect()
}

/// The text before and behind a number, where it is a word of its own in the text.
fn around<'t>(text: &'t str, number: &str) -> Option<(&'t str, &'t str)> {
    let mut found = text.match_indices(number).map(|(at, _)| (&text[..at], &text[at + number.len()..]));
    let apart = |edge: Option<char>| edge.is_none_or(|letter| !letter.is_alphanumeric());
    found.find(|(before, after)| apart(before.chars().next_back()) && apart(after.chars().next()))
}
