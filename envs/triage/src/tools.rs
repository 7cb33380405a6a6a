//! The six tools: their schemas, and calls as they are carried out.

use gimbal_core::{Milli, Rejection, RejectionKind, ToolCall, ToolSpec, nearest};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::{FactId, Packet};
use serde_json::{Value, json};

/// Counts of the packet.
pub const OVERVIEW: &str = "overview";
/// Facts of a class, page by page.
pub const LIST_FACTS: &str = "list_facts";
/// One fact.
pub const FACT: &str = "show_fact";
/// The facts about an entity.
pub const ENTITY: &str = "show_entity";
/// The way from one entity to another.
pub const PATH: &str = "show_path";
/// The verdict.
pub const CONCLUDE: &str = "conclude";

/// Facts on a page.
pub const PAGE: usize = 25;
/// Most facts that a verdict cites.
pub const MOST_CITED: usize = 20;

/// The tools, in the order of prompts; the glossary of the brief describes them.
#[must_use]
pub fn specs() -> Vec<ToolSpec> {
    // One bound for all texts: a request states one number for them.
    let text =
        |description: &str| json!({ "type": "string", "minLength": 1, "maxLength": 512, "description": description });
    let verdicts: Vec<&str> = Verdict::ALL.iter().map(|verdict| verdict.name()).collect();
    vec![
        spec(OVERVIEW, json!({}), &[]),
        spec(
            LIST_FACTS,
            json!({
                "class": text("A class of facts as it was shown, or `all`."),
                "page": { "type": "integer", "minimum": 1, "maximum": 9999, "default": 1, "description": "The page, counted from 1." },
            }),
            &["class"],
        ),
        spec(
            FACT,
            json!({ "id": { "type": "string", "pattern": "^F[0-9]{3,6}$", "maxLength": 7, "description": "Id of the fact, such as F003." } }),
            &["id"],
        ),
        spec(ENTITY, json!({ "name": text("The entity as KIND:NAME, exactly as a fact shows it.") }), &["name"]),
        spec(
            PATH,
            json!({ "from": text("The first entity, as KIND:NAME."), "to": text("The second entity, as KIND:NAME.") }),
            &["from", "to"],
        ),
        spec(
            CONCLUDE,
            json!({
                "verdict": { "type": "string", "enum": verdicts, "description": "What the facts of the packet show." },
                "confidence": {
                    "type": "integer", "minimum": 0, "maximum": 100, "examples": [50, 70, 90],
                    "description": "How sure you are that this verdict is the right one, in percent."
                },
                "facts": {
                    "type": "string", "pattern": "^(F[0-9]{3,6}( F[0-9]{3,6}){0,19})?$", "maxLength": 160,
                    "description": "At most 20 ids of facts that the verdict depends on, with a space between them, such as F003 F017. The ones that decide come first."
                },
            }),
            &["verdict", "confidence", "facts"],
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

/// A call as it is carried out. What a look-up names need not exist: the tool's reply says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// [`OVERVIEW`].
    Overview,
    /// [`LIST_FACTS`].
    List {
        /// The class as written; `all` for every class.
        class: String,
        /// The page, from 1.
        page: usize,
    },
    /// [`FACT`], with the id as written.
    Fact(String),
    /// [`ENTITY`], with the name as written.
    Entity(String),
    /// [`PATH`], with the names as written.
    Path(String, String),
    /// [`CONCLUDE`].
    Conclude(Conclusion),
}

/// A verdict as an agent gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// The verdict.
    pub verdict: Verdict,
    /// How sure it is, from 0 to 1.
    pub confidence: Milli,
    /// The facts that it cites, each once.
    pub facts: Vec<FactId>,
}

impl Conclusion {
    /// The call that gives it. The confidence is rounded to percent.
    #[must_use]
    pub fn call(&self) -> ToolCall {
        let ids: Vec<String> = self.facts.iter().take(MOST_CITED).map(ToString::to_string).collect();
        let mut call = ToolCall::with(CONCLUDE, &[("verdict", self.verdict.name()), ("facts", &ids.join(" "))]);
        let percent = (self.confidence.0.clamp(0, 1000) + 5) / 10;
        call.arguments.insert("confidence".to_owned(), percent.into());
        call
    }
}

impl Call {
    /// Reads a call.
    ///
    /// # Errors
    /// A rejection for a tool or an argument that does not exist, is missing or has a wrong value, and for a verdict that cites a fact
    /// which the packet does not have (ARES-008).
    pub fn read(call: &ToolCall, packet: &Packet) -> Result<Self, Rejection> {
        let arguments: &[&str] = match call.tool.as_str() {
            OVERVIEW => &[],
            LIST_FACTS => &["class", "page"],
            FACT => &["id"],
            ENTITY => &["name"],
            PATH => &["from", "to"],
            CONCLUDE => &["verdict", "confidence", "facts"],
            other => {
                const TOOLS: [&str; 6] = [OVERVIEW, LIST_FACTS, FACT, ENTITY, PATH, CONCLUDE];
                let message = format!(
                    "there is no action `{other}`{} (known: {})",
                    nearest::hint(other, TOOLS),
                    TOOLS.join(", ")
                );
                return Err(Rejection::new(RejectionKind::UnknownTool, message));
            }
        };
        if let Some(other) = call.arguments.keys().find(|key| !arguments.contains(&key.as_str())) {
            let known = if arguments.is_empty() { "none".to_owned() } else { arguments.join(", ") };
            let message = format!("`{}` has no argument `{other}`; its arguments are: {known}", call.tool);
            return Err(Rejection::new(RejectionKind::UnknownArgument, message));
        }
        let text = |name: &str| text(call, name);
        Ok(match call.tool.as_str() {
            OVERVIEW => Self::Overview,
            LIST_FACTS => Self::List { class: text("class")?.to_lowercase(), page: page(call)? },
            FACT => Self::Fact(text("id")?),
            ENTITY => Self::Entity(text("name")?),
            PATH => Self::Path(text("from")?, text("to")?),
            _ => Self::Conclude(conclusion(call, packet)?),
        })
    }
}

/// An argument that is a text and not empty.
fn text(call: &ToolCall, name: &str) -> Result<String, Rejection> {
    let Some(value) = call.arguments.get(name) else {
        let message = format!("`{}` needs the argument `{name}`, a text", call.tool);
        return Err(Rejection::new(RejectionKind::MissingArgument, message));
    };
    match value {
        Value::String(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(wrong(format!("`{name}` of `{}` is {other}; give a text that is not empty", call.tool))),
    }
}

fn wrong(message: impl Into<String>) -> Rejection {
    Rejection::new(RejectionKind::BadValue, message)
}

fn page(call: &ToolCall) -> Result<usize, Rejection> {
    let Some(value) = call.arguments.get("page").filter(|value| !value.is_null()) else { return Ok(1) };
    let number = value.as_u64().or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()));
    number
        .filter(|page| (1..=9999).contains(page))
        .and_then(|page| usize::try_from(page).ok())
        .ok_or_else(|| wrong(format!("`page` of `{LIST_FACTS}` is {value}; give a whole number from 1 to 9999")))
}

fn conclusion(call: &ToolCall, packet: &Packet) -> Result<Conclusion, Rejection> {
    let written = text(call, "verdict")?;
    let bare = written.replace([' ', '-'], "_");
    let Some(verdict) = Verdict::ALL.into_iter().find(|verdict| verdict.name().eq_ignore_ascii_case(&bare)) else {
        let names = Verdict::ALL.map(Verdict::name);
        let hint = nearest::hint(&bare, names);
        return Err(wrong(format!("`verdict` is `{written}`{hint} (known: {})", names.join(", "))));
    };
    let confidence = confidence(call)?;
    let Some(cited) = call.arguments.get("facts") else {
        let message = format!(
            "`{CONCLUDE}` needs the argument `facts`: ids of facts with a space between them, or an empty text"
        );
        return Err(Rejection::new(RejectionKind::MissingArgument, message));
    };
    let Some(cited) = cited.as_str() else {
        return Err(wrong(format!(
            "`facts` is {cited}; give the ids as one text with a space between them, such as \"F003 F017\""
        )));
    };
    let facts = ids(cited, packet)?;
    if facts.is_empty() && verdict == Verdict::ThreatConfirmed {
        return Err(wrong("THREAT_CONFIRMED needs at least one fact in `facts` that shows the threat"));
    }
    Ok(Conclusion { verdict, confidence, facts })
}

/// A confidence in percent. With a point, it is a part of 1.
fn confidence(call: &ToolCall) -> Result<Milli, Rejection> {
    let Some(value) = call.arguments.get("confidence") else {
        let message = format!("`{CONCLUDE}` needs the argument `confidence`, a whole number of percent from 0 to 100");
        return Err(Rejection::new(RejectionKind::MissingArgument, message));
    };
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let (bare, percent) = match text.trim().strip_suffix('%') {
        Some(bare) => (bare.trim(), true),
        None => (text.trim(), !text.contains('.')),
    };
    let number = bare.parse::<f64>().ok().filter(|number| number.is_finite());
    let milli = number.map(|number| Milli::from_f64(if percent { number / 100.0 } else { number }));
    milli
        .filter(|milli| (0..=1000).contains(&milli.0))
        .ok_or_else(|| wrong(format!("`confidence` is {value}; give a whole number of percent from 0 to 100")))
}

/// The ids in a text, each once.
///
/// # Errors
/// A rejection that names the texts that are not ids of facts in the packet.
pub fn ids(text: &str, packet: &Packet) -> Result<Vec<FactId>, Rejection> {
    let mut known: Vec<FactId> = Vec::new();
    let mut unknown: Vec<&str> = Vec::new();
    for word in words(text) {
        match id(word, packet) {
            Some(id) if !known.contains(&id) => known.push(id),
            Some(_) => {}
            None => unknown.push(word),
        }
    }
    if !unknown.is_empty() {
        return Err(wrong(format!("the packet has no fact {}; {}", unknown.join(", "), range(packet))));
    }
    if known.len() > MOST_CITED {
        return Err(wrong(format!("`facts` has {} ids; give at most {MOST_CITED}, the ones that decide", known.len())));
    }
    Ok(known)
}

/// The words of a list of ids.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty() && !word.eq_ignore_ascii_case("and"))
}

/// The id that a word is, whatever its letters and zeros, where the packet has the fact.
pub(crate) fn id(word: &str, packet: &Packet) -> Option<FactId> {
    let digits = word.strip_prefix(['F', 'f'])?;
    let number: u32 =
        digits.parse().ok().filter(|number| *number > 0 && digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    let id = FactId::at(number - 1);
    packet.fact(id).map(|fact| fact.id)
}

/// Which ids there are.
pub(crate) fn range(packet: &Packet) -> String {
    match packet.facts().last() {
        Some(last) => format!("its facts are F001 to {}", last.id),
        None => "it has no facts".to_owned(),
    }
}
