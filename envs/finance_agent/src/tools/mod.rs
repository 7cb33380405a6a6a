//! The five tools: their schemas, the calls that fit them, and the texts that they reply with.
//!
//! Names and arguments are those of the work (its appendix B); texts and errors are those of the harness it names, version
//! 1.0, or of version 1.1 as an option.

pub mod python;
mod specs;
pub mod template;
pub mod texts;

use std::collections::BTreeMap;

use gimbal_core::{Rejection, RejectionKind, ToolCall, nearest};
use gimbal_messages::records::filings::Source;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use specs::specs;
use template::Ranges;

/// Search over filings.
pub const EDGAR_SEARCH: &str = "finance_agent_edgar_search";
/// Search of the web.
pub const WEB_SEARCH: &str = "finance_agent_google_web_search";
/// Fetches a page and stores its text.
pub const PARSE_PAGE: &str = "finance_agent_parse_html_page";
/// Asks a model about stored texts.
pub const RETRIEVE: &str = "finance_agent_retrieve_information";
/// Gives the answer.
pub const FINAL_ANSWER: &str = "finance_agent_final_answer";
/// All tools, in the work's order.
pub const TOOLS: [&str; 5] = [EDGAR_SEARCH, WEB_SEARCH, PARSE_PAGE, RETRIEVE, FINAL_ANSWER];
/// Largest page and most results that a search takes.
const MOST: u64 = 10_000;
/// What all names begin with; it may be left out where a person or a model writes an action.
pub const PREFIX: &str = "finance_agent_";

/// Whose texts and argument forms the tools have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Version {
    /// The harness of 2025-09, whose tools the work names.
    #[default]
    #[serde(rename = "v1.0")]
    V10,
    /// The harness of 2026-04.
    #[serde(rename = "v1.1")]
    V11,
}

/// The last day that the harness knows of: later ends of a search are set to it (version 1.1).
pub const LAST_DAY: &str = "2025-04-07";

/// The name of the words of a search over filings.
#[must_use]
pub const fn query_name(version: Version) -> &'static str {
    match version {
        Version::V10 => "query",
        Version::V11 => "search_query",
    }
}

/// A call that fits the schema of its tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Search over filings.
    Edgar(EdgarSearch),
    /// Search of the web.
    Web {
        /// Words.
        query: String,
    },
    /// Fetches and stores.
    Parse {
        /// Address.
        url: String,
        /// Key.
        key: String,
    },
    /// Asks about stored texts.
    Retrieve {
        /// Prompt with keys in double braces.
        prompt: String,
        /// Parts of documents.
        ranges: Ranges,
    },
    /// Gives the answer.
    Answer {
        /// The answer.
        answer: String,
        /// Its sources.
        sources: Vec<Source>,
    },
}

/// Arguments of a search over filings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgarSearch {
    /// Words.
    pub query: String,
    /// Forms.
    pub form_types: Vec<String>,
    /// Central index keys.
    pub ciks: Vec<String>,
    /// First day.
    pub start_date: Option<String>,
    /// Last day.
    pub end_date: Option<String>,
    /// Page, from 1.
    pub page: u64,
    /// Rows that are shown.
    pub top_n: usize,
}

impl Call {
    /// Reads a call against the tools' schemas.
    ///
    /// # Errors
    /// A rejection: no such tool, a missing or unknown argument, a value of the wrong type.
    pub fn read(call: &ToolCall, version: Version) -> Result<Self, Rejection> {
        let arguments = &call.arguments;
        let tool = TOOLS.into_iter().find(|tool| *tool == call.tool).ok_or_else(|| {
            let known: Vec<String> = TOOLS.map(python::quote).to_vec();
            let hint = nearest::hint(&call.tool, TOOLS);
            let text = format!("Tool '{}' not found. Available tools: [{}]{hint}", call.tool, known.join(", "));
            Rejection::new(RejectionKind::UnknownTool, text)
        })?;
        let arguments = Arguments { tool, arguments };
        match tool {
            EDGAR_SEARCH => {
                let query = query_name(version);
                arguments.only(&[query, "form_types", "ciks", "start_date", "end_date", "page", "top_n_results"])?;
                let most = if version == Version::V11 { 100 } else { 10 };
                Ok(Self::Edgar(EdgarSearch {
                    query: arguments.text(query)?,
                    form_types: arguments.list("form_types")?,
                    ciks: arguments.list("ciks")?,
                    start_date: arguments.maybe_text("start_date")?,
                    end_date: arguments.maybe_text("end_date")?,
                    page: arguments.count("page", 1)?,
                    top_n: usize::try_from(arguments.count("top_n_results", most)?).unwrap_or(usize::MAX),
                }))
            }
            WEB_SEARCH => {
                arguments.only(&["search_query"])?;
                Ok(Self::Web { query: arguments.text("search_query")? })
            }
            PARSE_PAGE => {
                arguments.only(&["url", "key"])?;
                Ok(Self::Parse { url: arguments.text("url")?, key: arguments.text("key")? })
            }
            RETRIEVE => {
                arguments.only(&["prompt", "input_character_ranges"])?;
                let ranges = Ranges::read(arguments.get("input_character_ranges"), version)
                    .map_err(|why| arguments.bad("input_character_ranges", &why))?;
                Ok(Self::Retrieve { prompt: arguments.text("prompt")?, ranges })
            }
            _ => {
                arguments.only(&["answer", "sources"])?;
                Ok(Self::Answer { answer: arguments.text("answer")?, sources: arguments.sources()? })
            }
        }
    }
}

/// The arguments of a call, with readers that say what is wrong.
struct Arguments<'a> {
    tool: &'static str,
    arguments: &'a BTreeMap<String, Value>,
}

impl Arguments<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.arguments.get(name).filter(|value| !value.is_null())
    }

    fn only(&self, known: &[&str]) -> Result<(), Rejection> {
        match self.arguments.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(other) => {
                let hint = nearest::hint(other, known.iter().copied());
                let text = format!("`{}` takes no argument `{other}`{hint} (known: {})", self.tool, known.join(", "));
                Err(Rejection::new(RejectionKind::UnknownArgument, text))
            }
        }
    }

    fn bad(&self, name: &str, why: &str) -> Rejection {
        Rejection::new(RejectionKind::BadValue, format!("`{name}` of `{}`: {why}", self.tool))
    }

    fn maybe_text(&self, name: &str) -> Result<Option<String>, Rejection> {
        match self.get(name) {
            None => Ok(None),
            // An empty text is how a model leaves out what a schema demands.
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
            Some(_) => Err(self.bad(name, "it must be a text")),
        }
    }

    fn text(&self, name: &str) -> Result<String, Rejection> {
        match self.get(name) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(self.bad(name, "it must be a text")),
            None => {
                let text = format!("`{}` needs the argument `{name}`", self.tool);
                Err(Rejection::new(RejectionKind::MissingArgument, text))
            }
        }
    }

    /// A list of texts, also where it was written as the text of a list.
    fn list(&self, name: &str) -> Result<Vec<String>, Rejection> {
        let of = |items: &[Value]| {
            items
                .iter()
                .map(|item| match item {
                    Value::String(text) => Ok(text.clone()),
                    Value::Number(number) => Ok(number.to_string()),
                    _ => Err(self.bad(name, "it must be a list of texts")),
                })
                .collect::<Result<Vec<String>, Rejection>>()
        };
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => of(items),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(Vec::new()),
            Some(Value::String(text)) if text.trim_start().starts_with('[') => {
                match serde_json::from_str::<Vec<Value>>(&text.replace('\'', "\"")) {
                    Ok(items) => of(&items),
                    Err(_) => Err(self.bad(name, "it must be a list of texts, such as [\"10-K\", \"8-K\"]")),
                }
            }
            Some(Value::String(text)) => {
                Ok(text.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect())
            }
            Some(_) => Err(self.bad(name, "it must be a list of texts, such as [\"10-K\", \"8-K\"]")),
        }
    }

    fn count(&self, name: &str, default: u64) -> Result<u64, Rejection> {
        let found = match self.get(name) {
            None => return Ok(default),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(default),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(value) => value.as_u64(),
        };
        found
            .filter(|count| (1..=MOST).contains(count))
            .ok_or_else(|| self.bad(name, &format!("it must be a whole number from 1 to {MOST}")))
    }

    fn sources(&self) -> Result<Vec<Source>, Rejection> {
        let wrong = || self.bad("sources", "it must be a list of {\"url\", \"name\"}");
        let Some(value) = self.get("sources") else { return Ok(Vec::new()) };
        let items = match value {
            Value::String(text) if text.trim().is_empty() => return Ok(Vec::new()),
            Value::String(text) => serde_json::from_str::<Vec<Value>>(text).map_err(|_| wrong())?,
            Value::Array(items) => items.clone(),
            _ => return Err(wrong()),
        };
        let text = |item: &Value, name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
        items
            .iter()
            .map(|item| match item {
                Value::String(url) => Ok(Source { url: url.clone(), name: String::new() }),
                Value::Object(_) => {
                    let url = text(item, "url").ok_or_else(wrong)?;
                    Ok(Source { url, name: text(item, "name").unwrap_or_default() })
                }
                _ => Err(wrong()),
            })
            .collect()
    }
}
