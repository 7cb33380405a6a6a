//! What a request is, by the agent that it goes to: not by the sentences of a persona.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use gimbal_agent::{Agent, Persona};
use gimbal_core::{ChatRequest, Grammar, Speaker};
use gimbal_readers::kit::{between, embedded, sections};
use serde_json::Value;

use super::common::Asked;

/// What an agent is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One action; then the conversation is over.
    Decides,
    /// Actions, in one conversation.
    Works,
    /// A message about a situation, to an agent that acts.
    Advises,
    /// A graph or a list of subtasks.
    Plans,
    /// Where control goes.
    Routes,
    /// What a segment resulted in, and what the next one should know.
    Guides,
    /// Which figures of an answer are supported.
    Verifies,
    /// What led to success in an episode.
    SumsUp,
    /// Actions of a layer.
    Orders,
    /// What a layer wants of others: a plan, a policy, a remark.
    Governs,
    /// Actions that are worth trying in a search.
    Proposes,
    /// What candidates of a search are worth.
    Values,
    /// What went wrong in an attempt.
    Reflects,
    /// What the facts of a packet show: a side of a debate, a member of a panel, and those around them.
    Weighs,
    /// A ballot of an agent in a game.
    Votes,
    /// Any other message: the rules for all requests hold.
    Answers,
    /// The same message once more, because it could not be read.
    Repairs,
    /// An answer to the environment's own tools.
    Serves,
}

/// The messages that are asked for with more than every request has: rules of their own hold for them. Any other message is [`Kind::Answers`], so
/// that a new one needs no line here.
const KINDS: &[(&str, Kind)] = &[
    ("analysis", Kind::Advises),
    ("suggestions", Kind::Advises),
    ("graph", Kind::Plans),
    ("subtasks", Kind::Plans),
    ("routing", Kind::Routes),
    ("guidance", Kind::Guides),
    ("verification", Kind::Verifies),
    ("summary", Kind::SumsUp),
    ("reflex_action", Kind::Orders),
    ("tactical_action", Kind::Orders),
    ("plan", Kind::Governs),
    ("policy", Kind::Governs),
    ("remark", Kind::Governs),
    ("proposals", Kind::Proposes),
    ("appraisal", Kind::Values),
    ("reflection", Kind::Reflects),
    ("position", Kind::Weighs),
    ("anchored_position", Kind::Weighs),
    ("audit", Kind::Weighs),
    ("estimate", Kind::Weighs),
    ("narration", Kind::Weighs),
    ("opinion", Kind::Weighs),
    ("ballot", Kind::Votes),
];

/// The kind of request for a message.
fn kind_of(message: &str) -> Kind {
    KINDS.iter().find(|(name, _)| *name == message).map_or(Kind::Answers, |(_, kind)| *kind)
}

/// The messages that rules of their own hold for.
pub fn with_own_rules() -> BTreeSet<&'static str> {
    KINDS.iter().map(|(name, _)| *name).collect()
}

/// The agents of a design, and the roles that the environment's own tools ask.
pub struct Cast {
    agents: Vec<Agent>,
    asks: Vec<String>,
}

impl Cast {
    pub fn new(agents: Vec<Agent>, asks: Vec<String>) -> Self {
        Self { agents, asks }
    }

    fn of(&self, role: &str) -> impl Iterator<Item = &Agent> {
        self.agents.iter().filter(move |agent| agent.role() == role)
    }

    /// What is asked for; why not, where no agent of the design is in this role.
    fn kind(&self, role: &str) -> Result<Kind, String> {
        if self.asks.iter().any(|own| own == role) {
            return Ok(Kind::Serves);
        }
        let mut kinds = BTreeSet::new();
        let mut found = Err(format!("no agent of the design is in the role `{role}`"));
        for agent in self.of(role) {
            let kind = match agent.message() {
                Some(message) => kind_of(message.name()),
                None if agent.settings().acting.is_some() => Kind::Works,
                None => Kind::Decides,
            };
            kinds.insert(format!("{kind:?}"));
            found = Ok(kind);
        }
        if kinds.len() > 1 { Err(format!("the role `{role}` is asked for several things: {kinds:?}")) } else { found }
    }
}

/// Whether a system message is that of the persona's request to repair a message: as far as the template has no variable.
fn repairs(persona: &Persona, system: &str) -> bool {
    let fixed = |repair: &gimbal_agent::persona::data::Repair| {
        let end = repair.system.find("{{").into_iter().chain(repair.system.find("{%")).min();
        repair.system[..end.unwrap_or(repair.system.len())].trim().to_owned()
    };
    persona.core.repair.as_ref().map(fixed).is_some_and(|begin| !begin.is_empty() && system.starts_with(&begin))
}

/// What the environment had shown when a request was made.
#[derive(Clone, Debug, Default)]
pub struct Now {
    /// The context blocks that were made last.
    pub blocks: Vec<String>,
    /// The result of the latest step; `None` before the first one.
    pub latest: Option<String>,
    /// What the role was asked before; `None` if nothing.
    pub before: Option<Before>,
}

/// The request to the same role before this one.
#[derive(Clone, Debug)]
pub struct Before {
    /// The messages that the request brought, without their tags. Those of the first one where it was asked for again.
    pub messages: Vec<String>,
    /// What was answered; `None` if there was no answer.
    pub answer: Option<String>,
}

/// Tags of messages in the opening of a request.
pub const MESSAGES: [&str; 13] = [
    "situation_json",
    "subtask",
    "segment",
    "work",
    "answer",
    "record",
    "request",
    "debate",
    "claims",
    "position",
    "verdict",
    "answers",
    "rounds",
];

/// The messages that the opening of a request brings.
pub fn messages(asked: &Asked) -> Vec<String> {
    let opening = asked.request.messages.iter().find(|message| message.speaker == Speaker::User);
    let all = opening.map(|opening| sections(&opening.text)).unwrap_or_default().into_iter();
    all.filter(|(tag, _)| MESSAGES.contains(tag)).map(|(_, body)| body.trim().to_owned()).collect()
}

/// A request with what the rules look at.
pub struct Letter<'a> {
    pub request: &'a ChatRequest,
    pub system: &'a str,
    /// The first user message.
    pub opening: &'a str,
    /// Everything but what the agent itself wrote.
    pub told: String,
    pub kind: Kind,
    /// What the message is about that is to be repaired; else as `kind`.
    pub about: Kind,
    /// What the environment had shown.
    pub now: &'a Now,
    /// What each persona of the role says of the form of its answers, line by line; without lines that hold values of the environment.
    pub forms: Vec<Vec<String>>,
    glossary: OnceCell<Vec<Value>>,
}

impl<'a> Letter<'a> {
    /// Reads a request.
    ///
    /// # Errors
    /// Why it cannot be said what is asked for.
    pub fn of(asked: &'a Asked, (cast, now): (&Cast, &'a Now)) -> Result<Self, String> {
        let messages = &asked.request.messages;
        let told = messages.iter().filter(|message| message.speaker != Speaker::Assistant);
        let told = told.map(|message| &*message.text).collect::<Vec<&str>>().join("\n\n");
        let system: &str =
            messages.first().filter(|message| message.speaker == Speaker::System).map_or("", |message| &message.text);
        let opening: &str =
            messages.iter().find(|message| message.speaker == Speaker::User).map_or("", |message| &message.text);
        let about = cast.kind(&asked.role)?;
        let again = cast.of(&asked.role).any(|agent| repairs(agent.persona(), system));
        let kind = if again { Kind::Repairs } else { about };
        let lines = |agent: &Agent| {
            let lines = agent.persona().core.answer_format.lines().map(str::trim);
            lines.filter(|line| !line.is_empty() && !line.contains("{{")).map(str::to_owned).collect()
        };
        let forms = cast.of(&asked.role).map(lines).collect();
        Ok(Self { request: &asked.request, system, opening, told, kind, about, now, forms, glossary: OnceCell::new() })
    }

    pub fn acts(&self) -> bool {
        matches!(self.kind, Kind::Decides | Kind::Works)
    }

    /// Whether the answer names actions of the environment, each with its values.
    pub fn names_actions(&self) -> bool {
        self.acts() || matches!(self.kind, Kind::Orders | Kind::Proposes)
    }

    /// Whether a role's request asks again for a message.
    pub fn is_repair(&self) -> bool {
        self.kind == Kind::Repairs
    }

    /// Whether the agent decides from the present state of the environment, and is asked afresh each time.
    pub fn looks_afresh(&self) -> bool {
        matches!(self.kind, Kind::Decides | Kind::Orders | Kind::Governs | Kind::Proposes | Kind::Values)
    }

    /// Whether the answer is a message to another agent or to code.
    pub fn writes(&self) -> bool {
        !self.acts() && !matches!(self.kind, Kind::Repairs | Kind::Serves)
    }

    /// Names of the tools that the agent is offered, in the text or natively.
    pub fn offered(&self) -> Vec<&str> {
        let listed = between(self.system, "tools").unwrap_or_default();
        let is_name =
            |line: &&str| !line.is_empty() && line.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        let mut all: Vec<&str> = listed.lines().filter(is_name).collect();
        all.extend(self.request.tools.iter().map(|tool| tool.name.as_str()));
        all
    }

    /// The message in a tag of the opening, where it is an object.
    pub fn message(&self, tag: &str) -> Option<Value> {
        serde_json::from_str(between(self.opening, tag)?.trim()).ok()
    }

    /// Whether a text is in what the agent is told: as it is, or as a text of a JSON message.
    pub fn says(&self, text: &str) -> bool {
        let text = text.trim();
        let quoted = Value::from(text).to_string();
        self.told.contains(text) || self.told.contains(&quoted[1..quoted.len() - 1])
    }

    /// The tools of a specialist.
    pub fn own_tools(&self) -> Option<Vec<String>> {
        let subtask = self.message("subtask")?;
        let tools = subtask.get("subtask")?.get("tools")?.as_array()?;
        Some(tools.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    }

    /// The kinds of action that the system message explains.
    pub fn glossary(&self) -> &[Value] {
        self.glossary.get_or_init(|| {
            let found = embedded(self.system).find_map(|value| value.get("actions").cloned());
            found.as_ref().and_then(Value::as_array).cloned().unwrap_or_default()
        })
    }

    pub fn grammar(&self) -> String {
        match self.request.grammar.as_deref() {
            Some(Grammar::JsonSchema(schema)) => schema.to_string(),
            Some(Grammar::Regex(regex)) => regex.replace('\\', ""),
            Some(Grammar::Choice(texts)) => texts.join("\n"),
            None => String::new(),
        }
    }
}
