//! What is audited: the agents of all configurations, and what each environment may show to them.

use std::sync::Arc;

use gimbal_core::{BuildError, Environment, Files, ToolSpec};
use serde_json::{Value, json};

use super::said;
use crate::Agent;
use crate::family::Family;
use crate::persona::{Origin, PersonaError, configurations};
use crate::prompt::{self, Part, PromptContext, Question};
use crate::shown::ShownEnvironment;

/// Every switch on: whatever a configuration may show.
fn all_switches() -> Value {
    json!({
        "include_tool_raise_a_question": true,
        "include_tool_critique_the_answer": true,
        "include_tool_improve_based_on_critique": true,
        "include_COT_instruction": true,
        "add_examples": true,
        "add_tool_examples": true,
    })
}

/// An agent that is audited.
pub struct AuditedAgent {
    /// The configuration that it is of, as the audit calls it.
    pub configuration: String,
    /// The agent.
    pub agent: Agent,
}

/// All agents of these families: in the named configurations, as they are and with every switch on, and in the settings that each family is
/// audited in.
///
/// # Errors
/// Which key or file is wrong, and what would be right.
pub fn agents(families: &[Arc<dyn Family>], files: &dyn Files) -> Result<Vec<AuditedAgent>, BuildError> {
    let mut all = Vec::new();
    let mut add = |name: &str, family: &dyn Family, settings: &Value| {
        let agents = family.team(settings, files)?.into_agents().into_iter();
        all.extend(agents.map(|agent| AuditedAgent { configuration: name.to_owned(), agent }));
        Ok::<_, BuildError>(())
    };
    for configuration in configurations(files).map_err(|error| BuildError::new(error.to_string()))? {
        let Some(family) = families.iter().find(|family| family.name() == configuration.base) else { continue };
        let name = &configuration.name;
        add(name, &**family, &json!({ "configuration": name }))?;
        add(&format!("{name}, all on"), &**family, &json!({ "configuration": name, "flags": all_switches() }))?;
    }
    for family in families.iter().filter(|family| family.asks_agents()) {
        for settings in family.audited() {
            add(family.name(), &**family, &settings)?;
        }
    }
    Ok(all)
}

/// An environment as prompts see it.
pub struct AuditedEnvironment {
    shown: ShownEnvironment,
    /// Names of its tools, which are published and may hold the environment's own.
    tools: Vec<String>,
    /// What this environment may show to any agent: its brief, its tools as native calls offer them, refusals.
    pub said: Vec<Part>,
}

impl AuditedEnvironment {
    /// An environment that was reset, with the queries of its tracker.
    #[must_use]
    pub fn new(environment: &dyn Environment, queries: &[ToolSpec]) -> Self {
        let shown = ShownEnvironment::new(environment, queries);
        let tools: Vec<ToolSpec> = environment.tools().iter().chain(queries).cloned().collect();
        let mut said = said(&shown.brief, &tools);
        said.extend(refusals(environment));
        // Names of subjects and tools are what an agent may see.
        let tools: Vec<String> = tools.into_iter().map(|tool| tool.name).collect();
        let said = said.into_iter().map(|part| without(without(part, &shown.brief.subjects), &tools)).collect();
        Self { shown, tools, said }
    }

    /// Its brief.
    #[must_use]
    pub fn brief(&self) -> &gimbal_core::Brief {
        &self.shown.brief
    }

    /// The first prompts of an agent here, without the names that it may see.
    ///
    /// # Errors
    /// When a text cannot be filled in.
    pub fn prompts(&self, agent: &Agent) -> Result<Vec<Part>, PersonaError> {
        let ShownEnvironment { brief, queries, idle, actions, .. } = &self.shown;
        let listed = if agent.settings().inject_action_list { &actions[..] } else { &[] };
        let system = agent.show(brief, queries, idle, listed)?;
        let target = brief.subjects.first().cloned().unwrap_or_default();
        let question = Question { target: &target, message: "{}" };
        let context = PromptContext { brief, idle, tools: &[], actions: listed };
        let user = prompt::asked(agent.persona(), context, 2, &[], question)?;
        // The list of actions is made of names of subjects, which an agent may see.
        let mut parts: Vec<Part> = system.parts.into_iter().filter(|part| part.name != "actions").collect();
        parts.extend(user.into_iter().map(|part| without(part, std::slice::from_ref(&target))));
        Ok(parts.into_iter().map(|part| without(part, &self.tools)).collect())
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
