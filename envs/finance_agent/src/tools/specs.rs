//! Schemas of the tools.

use gimbal_core::ToolSpec;
use serde_json::{Map, Value, json};

use super::{EDGAR_SEARCH, FINAL_ANSWER, PARSE_PAGE, RETRIEVE, Version, WEB_SEARCH, query_name};

/// A day as the search takes it.
const DAY: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";

/// The tools with the arguments of the work; version 1.1 names the words of a search otherwise, shows more rows and writes
/// ranges as a list. The glossary of the brief describes them.
#[must_use]
pub fn specs(version: Version) -> Vec<ToolSpec> {
    let words = json!({ "type": "string", "minLength": 1, "description": "Words that all must occur, \"exact phrases\", OR, NOT or -word, word*." });
    let mut search = Map::new();
    search.insert(query_name(version).to_owned(), words);
    let most = if version == Version::V11 { 100 } else { 10 };
    let list = |description: &str| json!({ "type": "array", "items": { "type": "string", "minLength": 1 }, "description": description });
    let day = |description: &str| json!({ "type": "string", "pattern": DAY, "description": description });
    let more = [
        ("form_types", list("Forms to search in, such as [\"10-K\", \"8-K\"]; all if left out.")),
        ("ciks", list("Central index keys of companies, which are numbers and not ticker symbols; all if left out.")),
        ("start_date", day("First day of filing, yyyy-mm-dd.")),
        ("end_date", day("Last day of filing, yyyy-mm-dd.")),
        (
            "page",
            json!({ "type": "integer", "minimum": 1, "maximum": super::MOST, "default": 1, "description": "Page of results." }),
        ),
        (
            "top_n_results",
            json!({ "type": "integer", "minimum": 1, "maximum": super::MOST, "default": most, "description": "Results to show of that page." }),
        ),
    ];
    search.extend(more.map(|(name, schema)| (name.to_owned(), schema)));
    let place = || json!({ "type": "integer", "minimum": 0 });
    let ranges = match version {
        Version::V10 => json!({
            "type": "object", "additionalProperties": { "type": "array", "items": place(), "maxItems": 2 },
            "description": "Parts of documents to read: key to [start, end] in characters, counted from 0, without the one at end; [] for the whole.",
        }),
        Version::V11 => json!({
            "type": "array", "items": {
                "type": "object", "required": ["key", "start", "end"],
                "properties": { "key": { "type": "string", "minLength": 1 }, "start": place(), "end": place() }
            },
            "description": "Parts of documents to read: key, start and end in characters, counted from 0, without the one at end.",
        }),
    };
    let source = json!({
        "type": "object", "required": ["url", "name"],
        "properties": { "url": { "type": "string", "minLength": 1 }, "name": { "type": "string" } }
    });
    let text = |description: &str| json!({ "type": "string", "minLength": 1, "description": description });
    vec![
        spec(EDGAR_SEARCH, Value::Object(search), &[query_name(version)]),
        spec(WEB_SEARCH, json!({ "search_query": text("What to search for.") }), &["search_query"]),
        spec(
            PARSE_PAGE,
            json!({ "url": text("Address of the page."), "key": text("Key to store its text under.") }),
            &["url", "key"],
        ),
        spec(
            RETRIEVE,
            json!({ "prompt": text("The question, with at least one {{key}}."), "input_character_ranges": ranges }),
            &["prompt"],
        ),
        spec(
            FINAL_ANSWER,
            json!({
                "answer": text("The answer."),
                "sources": { "type": "array", "items": source, "description": "Addresses that the answer rests on." },
            }),
            &["answer"],
        ),
    ]
}

fn spec(name: &str, properties: Value, required: &[&str]) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false
        }),
    }
}
