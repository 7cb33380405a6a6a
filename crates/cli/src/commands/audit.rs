//! `gimbal persona audit`: no text that an agent reads may reveal the environment (BOG-025).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gimbal_agent::persona::configurations;
use gimbal_agent::{Agent, Forbidden, Origin, Part, audit, prompt};
use gimbal_architectures::control::Summariser;
use gimbal_architectures::families;
use gimbal_core::{Brief, Environment, ToolSpec};
use serde_json::{Value, json};

use super::begun::{Begun, actions, begun};
use crate::exit::Failure;
use crate::home::Home;
use crate::registry::registry;

/// Every switch on: whatever a configuration may show.
fn everything() -> Value {
    json!({
        "include_tool_raise_a_question": true,
        "include_tool_critique_the_answer": true,
        "include_tool_improve_based_on_critique": true,
        "include_COT_instruction": true,
        "add_examples": true,
        "add_tool_examples": true,
    })
}

/// An environment as prompts see it.
struct AuditedEnvironment {
    name: String,
    brief: Arc<Brief>,
    queries: Vec<ToolSpec>,
    idle: String,
    actions: Vec<String>,
    /// Names of its tools, which are published and may hold the environment's own.
    tools: Vec<String>,
    /// What this environment may show to any agent: its brief, its tools as native calls offer them, refusals.
    said: Vec<Part>,
}

impl AuditedEnvironment {
    fn of(name: &str, environment: &dyn Environment, queries: &[ToolSpec]) -> Self {
        let brief = Arc::clone(environment.brief());
        let tools: Vec<ToolSpec> = environment.tools().iter().chain(queries).cloned().collect();
        let mut said = audit::said(&brief, &tools);
        said.extend(refusals(environment));
        // Names of subjects and tools are what an agent may see.
        let tools: Vec<String> = tools.into_iter().map(|tool| tool.name).collect();
        let said = said.into_iter().map(|part| without(without(part, &brief.subjects), &tools)).collect();
        let (idle, actions) = (environment.render(&brief.idle), actions(environment));
        Self { name: name.to_owned(), queries: queries.to_vec(), idle, actions, tools, said, brief }
    }
}

/// The replies of the environment to texts that are not actions: an unknown name, a tool without what it requires, an unknown
/// literal.
fn refusals(environment: &dyn Environment) -> Vec<Part> {
    let mut texts = vec![String::new(), "x".to_owned()];
    for tool in environment.tools().iter() {
        texts.push(tool.name.clone());
        let literals: Vec<String> = tool.required().map(|parameter| format!("{parameter}=x")).collect();
        texts.push(format!("{} {}", tool.name, literals.join(" ")));
    }
    let mut parts = Vec::new();
    for text in texts {
        if let Err(refusal) = environment.parse(&text) {
            let origin = Origin { file: "refusal".to_owned(), key: format!("of `{text}`") };
            parts.push(Part { name: "refusal", origins: vec![origin], text: refusal.message });
        }
    }
    parts
}

/// A part without the names of some subjects.
fn without(mut part: Part, subjects: &[String]) -> Part {
    for subject in subjects.iter().filter(|subject| !subject.is_empty()) {
        if part.text.contains(subject.as_str()) {
            part.text = part.text.replace(subject.as_str(), "");
        }
    }
    part
}

/// The result for one agent of one configuration.
struct Line {
    environment: String,
    configuration: String,
    agent: String,
    texts: usize,
    findings: Vec<String>,
}

/// Audits whatever may be sent to the agents of all configurations, as they are and with every switch on, in every
/// environment or in the one that is named. Words that any environment forbids are looked for in all of them.
pub async fn run(home: &Home, only: Option<&str>) -> Result<(), Failure> {
    let registry = registry();
    if let Some(only) = only {
        // Refused with the known names.
        begun(only, &json!({})).await?;
    }
    let mut environments = Vec::new();
    for family in &registry.environments {
        let Begun { environment, tracker } = begun(family.name(), &json!({})).await?;
        environments.push(AuditedEnvironment::of(family.name(), &*environment, tracker.queries()));
    }
    let forbidden = Forbidden::of(environments.iter().map(|environment| &*environment.brief));
    let audited = audited(home)?;
    let mut written = BTreeMap::new();
    let mut lines = Vec::new();
    for environment in environments.iter().filter(|environment| only.is_none_or(|only| only == environment.name)) {
        let said = Texts::of(&environment.said, &forbidden);
        for (configuration, agent) in &audited {
            let persona = agent.persona();
            let own = || Texts::of(&audit::written(persona), &forbidden);
            let written: &Texts = written.entry(persona.name.clone()).or_insert_with(own);
            let prompts = Texts::of(&prompts(agent, environment)?, &forbidden);
            let found = [&prompts, written, &said].map(|texts| &texts.findings).into_iter().flatten();
            lines.push(Line {
                environment: environment.name.clone(),
                configuration: configuration.clone(),
                agent: agent.role().to_owned(),
                texts: prompts.count + written.count + said.count,
                findings: found.cloned().collect::<BTreeSet<_>>().into_iter().collect(),
            });
        }
    }
    print(&lines);
    match lines.iter().map(|line| line.findings.len()).sum::<usize>() {
        0 => Ok(()),
        bad => Err(Failure::Check(format!("{bad} words are in texts that must not contain them (BOG-025)"))),
    }
}

/// All agents that are audited, each with what its line calls its configuration: they are the same in every environment.
fn audited(home: &Home) -> Result<Vec<(String, Agent)>, Failure> {
    let mut all = Vec::new();
    let mut add = |name: &str, base: &str, settings: &Value| {
        let agents = agents(home, base, settings)?;
        all.extend(agents.into_iter().map(|agent| (name.to_owned(), agent)));
        Ok::<_, Failure>(())
    };
    for configuration in configurations(&*home.files).map_err(Failure::usage)? {
        let (name, base) = (&configuration.name, &configuration.base);
        add(name, base, &json!({ "configuration": name }))?;
        add(&format!("{name}, all on"), base, &json!({ "configuration": name, "flags": everything() }))?;
    }
    for family in families().into_iter().filter(|family| family.asks_agents()) {
        for settings in family.audited() {
            add(family.name(), family.name(), &settings)?;
        }
    }
    add(Summariser::PLACE, Summariser::PLACE, &json!({}))?;
    Ok(all)
}

/// One line an agent, in columns as wide as their longest entry.
fn print(lines: &[Line]) {
    let heads = ("environment", "configuration", "agent");
    let width = |head: &str, of: fn(&Line) -> &str| {
        lines.iter().map(|line| of(line).chars().count()).chain([head.len()]).max().unwrap_or_default()
    };
    let (one, two, three) = (
        width(heads.0, |line| &line.environment),
        width(heads.1, |line| &line.configuration),
        width(heads.2, |line| &line.agent),
    );
    println!("{:<one$}  {:<two$}  {:<three$}  texts  findings", heads.0, heads.1, heads.2);
    for line in lines {
        let words = if line.findings.is_empty() { "none".to_owned() } else { line.findings.join("; ") };
        println!(
            "{:<one$}  {:<two$}  {:<three$}  {:>5}  {words}",
            line.environment, line.configuration, line.agent, line.texts
        );
    }
}

fn agents(home: &Home, base: &str, settings: &Value) -> Result<Vec<Agent>, Failure> {
    if base == Summariser::PLACE {
        return Ok(vec![Summariser::new(settings, &*home.files).map_err(Failure::usage)?.into_agent()]);
    }
    let Some(family) = families().into_iter().find(|family| family.name() == base) else { return Ok(Vec::new()) };
    let (agents, _) = family.agents(settings, &*home.files).map_err(Failure::usage)?;
    Ok(agents.into_iter().map(|(_, agent)| agent).collect())
}

/// Some texts that an agent may be sent.
struct Texts {
    count: usize,
    /// The words in them that must not be there, each with its place.
    findings: BTreeSet<String>,
}

impl Texts {
    fn of(parts: &[Part], forbidden: &Forbidden) -> Self {
        let finding =
            |finding: audit::Finding| format!("`{}` in {} ({})", finding.word, finding.part, finding.origins[0]);
        Self { count: parts.len(), findings: audit(parts, forbidden).into_iter().map(finding).collect() }
    }
}

/// The first prompts of an agent in an environment.
fn prompts(agent: &Agent, environment: &AuditedEnvironment) -> Result<Vec<Part>, Failure> {
    let listed = if agent.settings().inject_action_list { &environment.actions[..] } else { &[] };
    let system =
        agent.show(&environment.brief, &environment.queries, &environment.idle, listed).map_err(Failure::usage)?;
    let about =
        prompt::PromptContext { brief: &environment.brief, idle: &environment.idle, tools: &[], actions: listed };
    let target = environment.brief.subjects.first().cloned().unwrap_or_default();
    let question = prompt::Question { target: &target, message: "{}" };
    let user = prompt::asked(agent.persona(), about, 2, &[], question).map_err(Failure::usage)?;
    // The list of actions is made of names of subjects, which an agent may see.
    let mut parts: Vec<Part> = system.parts.into_iter().filter(|part| part.name != "actions").collect();
    parts.extend(user.into_iter().map(|part| without(part, std::slice::from_ref(&target))));
    Ok(parts.into_iter().map(|part| without(part, &environment.tools)).collect())
}
