//! Actions as text: a tool's name and its arguments.
//!
//! Written as `tool name="text", list=["a"], number=3`; read also with brackets around the arguments, with `:` for `=`,
//! with other quotes, as one JSON object, without the tools' common prefix, and with the first required argument bare.

use std::collections::BTreeMap;

use gimbal_core::{Rejection, RejectionKind, ToolCall, ToolSpec, nearest};
pub use gimbal_env_kit::named::render;
use gimbal_env_kit::{answer, named};
use serde_json::Value;

use crate::tools::{FINAL_ANSWER, PREFIX, TOOLS};

/// Longest action in bytes: more is not an action.
const LONGEST: usize = 1 << 20;

/// Reads an action. Remarks behind it are passed over where it is whole without them; two actions are refused. The final answer
/// takes all that follows.
///
/// # Errors
/// A rejection that says what was wrong and what would be right.
pub fn parse(text: &str, tools: &[ToolSpec]) -> Result<ToolCall, Rejection> {
    let whole = single(text, tools);
    let is_answer = |call: &ToolCall| call.tool == FINAL_ANSWER;
    if whole.as_ref().is_ok_and(is_answer) || !text.trim().contains('\n') && whole.is_ok() {
        return whole;
    }
    let read =
        |text: &str| single(text, tools).and_then(|call| if is_answer(&call) { Err(example_only()) } else { Ok(call) });
    let begins = |word: &str| find(word, tools).is_ok();
    match answer::one(text, read, begins, |text| single(text, tools).ok()) {
        Ok(call) => Ok(call),
        Err(answer::Problem::Unread(_)) => whole,
        Err(problem) => Err(problem.rejection()),
    }
}

fn example_only() -> Rejection {
    Rejection::new(RejectionKind::Unreadable, format!("write an action as in `{}`", example()))
}

/// Reads a text that is one action and nothing else.
fn single(text: &str, tools: &[ToolSpec]) -> Result<ToolCall, Rejection> {
    let unreadable = |why: String| Rejection::new(RejectionKind::Unreadable, why);
    let (name, rest) = named::head(text, LONGEST)?;
    if name.is_empty() {
        let known = TOOLS.join(", ");
        return Err(unreadable(format!(
            "an action begins with the name of a tool (known: {known}), as in `{}`",
            example()
        )));
    }
    let tool = find(name, tools)?;
    let rest = named::unbracketed(rest, &['.']);
    if let Some(arguments) = named::object(rest) {
        return Ok(ToolCall { tool: tool.name.clone(), arguments });
    }
    let arguments = arguments(rest, tool).map_err(unreadable)?;
    Ok(ToolCall { tool: tool.name.clone(), arguments })
}

fn example() -> String {
    format!("{} url=\"https://www.sec.gov/...\", key=\"report\"", TOOLS[2])
}

fn find<'a>(name: &str, tools: &'a [ToolSpec]) -> Result<&'a ToolSpec, Rejection> {
    let same = |tool: &&ToolSpec| {
        let short = tool.name.strip_prefix(PREFIX).unwrap_or(&tool.name);
        tool.name.eq_ignore_ascii_case(name) || short.eq_ignore_ascii_case(name)
    };
    tools.iter().find(same).ok_or_else(|| {
        let known: Vec<String> = tools.iter().map(|tool| crate::tools::python::quote(&tool.name)).collect();
        let hint = nearest::hint(name, tools.iter().map(|tool| tool.name.as_str()));
        Rejection::new(
            RejectionKind::UnknownTool,
            format!("Tool '{name}' not found. Available tools: [{}]{hint}", known.join(", ")),
        )
    })
}

/// The arguments behind a tool's name.
fn arguments(text: &str, tool: &ToolSpec) -> Result<BTreeMap<String, Value>, String> {
    let known = named::parameters(tool);
    let mut arguments = BTreeMap::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ',');
        if rest.is_empty() || rest == "." || rest == ";" {
            return Ok(arguments);
        }
        let (word, after) = rest.split_at(named::word_end(rest).unwrap_or(rest.len()));
        let value_at = after.trim_start().strip_prefix(['=', ':']).filter(|_| !word.is_empty());
        // `https:` is not a name of an argument.
        let Some(value_at) = value_at.filter(|value| known.contains(&word) || !value.starts_with("//")) else {
            // The name before the sign is lost: what follows it may be any argument's.
            if rest.starts_with('=') {
                return Err(format!("`{}` has no name before its `=`; write `name=\"value\"`", named::shortened(rest)));
            }
            // A bare value: all that is left, for the first argument that a call needs.
            let first = tool.required().next().filter(|_| arguments.is_empty());
            let Some(first) = first else {
                return Err(format!(
                    "`{}` is no argument; write `name=\"value\"` with one of: {}",
                    named::shortened(rest),
                    known.join(", ")
                ));
            };
            if let Some(behind) = behind_brackets(rest, &known) {
                return Err(format!(
                    "`{}` stands behind the action; write one action and nothing else",
                    named::shortened(behind)
                ));
            }
            let bare = rest.trim().trim_matches(['"', '\'', '\u{201c}', '\u{201d}']);
            arguments.insert(first.to_owned(), Value::from(bare));
            return Ok(arguments);
        };
        let (value, after) = value(value_at.trim_start(), &known)?;
        if arguments.insert(word.to_owned(), value).is_some() {
            return Err(format!("`{word}` is given twice"));
        }
        rest = after;
    }
}

/// What follows the closing bracket of `("text")`, where a quoted text is all that the brackets hold.
fn behind_brackets<'a>(rest: &'a str, known: &[&str]) -> Option<&'a str> {
    let (_, after) = rest.starts_with(['"', '\'', '\u{201c}']).then(|| value(rest, known).ok()).flatten()?;
    let behind = after.trim_start().strip_prefix(')')?.trim();
    (!behind.is_empty()).then_some(behind)
}

/// One value and what follows it.
fn value<'a>(text: &'a str, known: &[&str]) -> Result<(Value, &'a str), String> {
    let first = text.chars().next();
    if matches!(first, Some('"' | '[' | '{')) {
        let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        if let Some(Ok(value)) = stream.next() {
            return Ok((value, &text[stream.byte_offset()..]));
        }
    }
    match first {
        None => Ok((Value::from(""), text)),
        Some('[') => {
            // A list in another notation: the tools read it from its text.
            let end = text.find(']').ok_or_else(|| format!("`{}` is never closed", named::shortened(text)))? + 1;
            Ok((Value::from(&text[..end]), &text[end..]))
        }
        Some(quote @ ('"' | '\'' | '\u{201c}')) => {
            let closing = if quote == '\u{201c}' { '\u{201d}' } else { quote };
            let inside = &text[quote.len_utf8()..];
            let mut out = String::new();
            let mut letters = inside.char_indices();
            while let Some((at, letter)) = letters.next() {
                if letter == closing {
                    return Ok((Value::from(out), &inside[at + letter.len_utf8()..]));
                }
                if letter == '\\' {
                    match letters.next() {
                        Some((_, 'n')) => out.push('\n'),
                        Some((_, 't')) => out.push('\t'),
                        Some((_, other)) => out.push(other),
                        None => break,
                    }
                    continue;
                }
                out.push(letter);
            }
            Err(format!("`{}` is never closed with `{closing}`", named::shortened(text)))
        }
        Some(_) => {
            // A bare word, or words up to the next argument.
            let end = next_argument(text, known).unwrap_or(text.len());
            let bare = text[..end].trim_end_matches(|letter: char| letter.is_whitespace() || letter == ',');
            let value = bare.parse::<i64>().map_or_else(|_| Value::from(bare), Value::from);
            Ok((value, &text[end..]))
        }
    }
}

/// Where the next `name=` of the tool begins.
fn next_argument(text: &str, known: &[&str]) -> Option<usize> {
    known
        .iter()
        .flat_map(|name| text.match_indices(name).map(move |(at, _)| (at, name.len())))
        .filter(|(at, length)| {
            let apart = text[..*at].ends_with(|letter: char| letter.is_whitespace() || letter == ',');
            apart && text[at + length..].trim_start().starts_with('=')
        })
        .map(|(at, _)| at)
        .min()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::tools::{EDGAR_SEARCH, PARSE_PAGE, RETRIEVE, Version, specs};

    fn read(text: &str) -> Result<ToolCall, Rejection> {
        parse(text, &specs(Version::V10))
    }

    // covers: BOG-032
    #[test]
    fn one_action_is_written_in_many_ways() {
        let expected = ToolCall {
            tool: EDGAR_SEARCH.to_owned(),
            arguments: [
                ("query".to_owned(), json!("net sales")),
                ("form_types".to_owned(), json!(["10-K"])),
                ("page".to_owned(), json!(2)),
            ]
            .into(),
        };
        for text in [
            "finance_agent_edgar_search query=\"net sales\", form_types=[\"10-K\"], page=2",
            "edgar_search(query='net sales', form_types=[\"10-K\"], page = 2).",
            "`Edgar_Search: query: \u{201c}net sales\u{201d} form_types: [\"10-K\"] page: 2`",
            "edgar_search {\"query\": \"net sales\", \"form_types\": [\"10-K\"], \"page\": 2}",
            "edgar_search query=net sales form_types=[\"10-K\"] page=2",
        ] {
            assert_eq!(read(text).as_ref(), Ok(&expected), "{text}");
        }
        let page = read("parse_html_page url=https://a.example/x?y=1&z=2, key=doc 1").unwrap();
        assert_eq!(page, ToolCall::with(PARSE_PAGE, &[("url", "https://a.example/x?y=1&z=2"), ("key", "doc 1")]));
        assert_eq!(read("parse_html_page https://a.example/").unwrap().string("url"), Some("https://a.example/"));
        assert_eq!(
            read("final_answer The margin: 5%, as asked.").unwrap(),
            ToolCall::with(FINAL_ANSWER, &[("answer", "The margin: 5%, as asked.")])
        );
        assert_eq!(read("edgar_search query=\"x\", form_types=['8-K']").unwrap().string("form_types"), Some("['8-K']"));
        let prompt = read("retrieve_information prompt=\"What? {{a}}\"").unwrap();
        assert_eq!(prompt, ToolCall::with(RETRIEVE, &[("prompt", "What? {{a}}")]));
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_mend() {
        for (text, kind, said) in [
            ("", RejectionKind::Unreadable, "begins with the name of a tool"),
            ("edgar query=x", RejectionKind::UnknownTool, "Available tools: ['finance_agent_edgar_search'"),
            ("parse_html_page url=\"a\", key=\"b", RejectionKind::Unreadable, "never closed"),
            ("parse_html_page url=\"a\" url=\"b\"", RejectionKind::Unreadable, "given twice"),
            ("parse_html_page url=\"a\" and more", RejectionKind::Unreadable, "is no argument"),
            ("edgar_search(=\"net sales\")", RejectionKind::Unreadable, "has no name before its `=`"),
            (
                "final_answer(\"It rose.\")\n{\"tool\": \"edgar_search\"}",
                RejectionKind::Unreadable,
                "behind the action",
            ),
        ] {
            let rejection = read(text).unwrap_err();
            assert_eq!(rejection.kind, kind, "{text}");
            assert!(rejection.message.contains(said), "{text}: {}", rejection.message);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(query in "\\PC{0,30}", forms in prop::collection::vec("\\PC{0,8}", 0..3), page in 1_i64..9) {
            let call = ToolCall {
                tool: EDGAR_SEARCH.to_owned(),
                arguments: [("query".to_owned(), json!(query)), ("form_types".to_owned(), json!(forms)), ("page".to_owned(), json!(page))].into(),
            };
            prop_assert_eq!(read(&render(&call)), Ok(call));
        }

        #[test]
        fn no_text_breaks_it(text in "(edgar_search|final_answer|parse_html_page)?[ a-z=:,\"'\\[\\](){}\\\\]{0,40}") {
            if let Ok(call) = read(&text) {
                prop_assert_eq!(read(&render(&call)), Ok(call));
            }
        }
    }
}
