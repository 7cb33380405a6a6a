//! The values that calls may carry now, as an agent that acts many times is told them (CYC-032, CYC-036): a list after the
//! latest message under the protocols of text, narrowed schemas under native calls.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gimbal_core::{EpisodeStopped, Stage, ToolCall, ToolSpec};
use minijinja::Value;
use serde_json::Value as Json;

use super::halt;
use super::session::AgentSession;
use crate::Protocol;
use crate::persona::Sourced;
use crate::prompt;

/// The required parameters of a tool, each with its values where these are all there are.
struct Closed {
    spec: ToolSpec,
    parameters: Vec<(String, Option<Vec<String>>)>,
}

impl Closed {
    async fn of(stage: &dyn Stage, spec: &ToolSpec, change: bool) -> Self {
        let mut parameters = Vec::new();
        for name in spec.required() {
            let listed = enumerated(spec, name);
            let values =
                if change || listed.is_some() { stage.choices(&spec.name, name).await.or(listed) } else { None };
            parameters.push((name.to_owned(), values));
        }
        Self { spec: spec.clone(), parameters }
    }

    /// The values of the only parameter, where there is one and its values are known.
    fn only(&self) -> Option<(&str, &[String])> {
        match self.parameters.as_slice() {
            [(name, Some(values))] => Some((name, values)),
            _ => None,
        }
    }

    /// Whether a call of it can be made now.
    fn possible(&self) -> bool {
        self.parameters.iter().all(|(_, values)| values.as_ref().is_none_or(|values| !values.is_empty()))
    }
}

/// The texts that a schema lists for a parameter.
fn enumerated(spec: &ToolSpec, parameter: &str) -> Option<Vec<String>> {
    let values = spec.parameters.get("properties")?.get(parameter)?.get("enum")?.as_array()?;
    values.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}

/// The values of a tool that other tools with fewer values take too: listing these would say them twice.
fn said_elsewhere(all: &[Closed], at: usize) -> BTreeSet<&String> {
    let Some((name, values)) = all[at].only() else { return BTreeSet::new() };
    let narrower = all.iter().enumerate().filter_map(|(other, tool)| {
        let (other_name, others) = tool.only()?;
        let fewer = others.len() < values.len() || (others.len() == values.len() && other > at);
        (other != at && other_name == name && fewer).then_some(others)
    });
    narrower.flatten().collect()
}

impl AgentSession<'_> {
    /// Whether the agent is told the values that its calls may carry.
    fn lists(&self) -> bool {
        self.settings().acting.is_some_and(|acting| acting.list_literals)
    }

    async fn closed(&self, stage: &dyn Stage) -> Vec<Closed> {
        let mut all = Vec::new();
        for spec in stage.tools().iter().filter(|spec| self.allows(&spec.name)) {
            all.push(Closed::of(stage, spec, self.brief().literals_change).await);
        }
        all
    }

    /// The list of the actions that are possible now; `None` under native calls, and if the environment leaves all values open.
    pub(super) async fn literals(&self, stage: &dyn Stage) -> Result<Option<Arc<str>>, EpisodeStopped> {
        if !self.lists() || self.settings().protocol == Protocol::NativeTools {
            return Ok(None);
        }
        self.possible_actions(stage).await
    }

    /// The list of the actions that are possible now, between tags, for an agent that decides afresh in every step; `None` under native calls, whose
    /// schemas are narrowed instead, where the system prompt lists the actions, and if the environment leaves all values open (CYC-036).
    ///
    /// # Errors
    /// A stop when a text cannot be filled in.
    pub async fn listed(&self, stage: &dyn Stage) -> Result<Option<Arc<str>>, EpisodeStopped> {
        let settings = self.settings();
        if settings.protocol == Protocol::NativeTools || settings.inject_action_list {
            return Ok(None);
        }
        self.possible_actions(stage).await
    }

    /// The list of the actions that are possible now, between tags, for an agent that writes actions into a message; `None` if the
    /// environment leaves all values open (CYC-036).
    ///
    /// # Errors
    /// A stop when a text cannot be filled in.
    pub async fn possible_actions(&self, stage: &dyn Stage) -> Result<Option<Arc<str>>, EpisodeStopped> {
        let persona = &self.agent.persona;
        let Some(texts) = persona.texts.engine.acting.as_ref() else { return Ok(None) };
        let all = self.closed(stage).await;
        if !all.iter().any(|tool| tool.parameters.iter().any(|(_, values)| values.is_some())) {
            return Ok(None);
        }
        let render = |text: &Sourced, more: &[(&'static str, Value)]| {
            let variables = self.prepared.variables.with(more);
            persona.templates.render(&text.text, &variables).map_err(|error| halt(error.into()))
        };
        let mut lines = Vec::new();
        for (at, tool) in all.iter().enumerate() {
            let name = &tool.spec.name;
            if !tool.possible() || !prompt::explains(self.brief(), name) {
                continue;
            }
            if tool.parameters.is_empty() {
                lines.push(stage.render(&ToolCall::bare(name)).await);
            } else if let Some((parameter, values)) = tool.only() {
                // Names of subjects belong to each action anew; a whole command is the same by whichever tool.
                let subjects = values.iter().all(|value| self.brief().knows(value));
                let elsewhere = if subjects { BTreeSet::new() } else { said_elsewhere(&all, at) };
                for value in values.iter().filter(|value| !elsewhere.contains(value)) {
                    lines.push(stage.render(&ToolCall::with(name, &[(parameter, value)])).await);
                }
            } else {
                let usage = self.brief().entry_of(name).map_or(name.as_str(), |entry| entry.usage.as_str());
                let known = tool.parameters.iter().find_map(|(name, values)| Some((name, values.as_ref()?)));
                if let Some((parameter, values)) = known {
                    let subjects =
                        !self.brief().subject.is_empty() && values.iter().all(|value| self.brief().knows(value));
                    let called = if subjects { self.brief().subject.as_str() } else { parameter.as_str() };
                    let more = [
                        ("usage", Value::from(usage)),
                        ("name", Value::from(called)),
                        ("values", Value::from(values.clone())),
                    ];
                    lines.push(render(&texts.literals_open, &more)?);
                } else {
                    // Nothing is to be copied.
                    lines.push(usage.to_owned());
                }
            }
        }
        let cap = self.settings().legal_cap as usize;
        let more = lines.len().saturating_sub(cap);
        lines.truncate(cap);
        if more > 0 {
            lines.push(render(&texts.literals_more, &[("count", Value::from(more))])?);
        }
        let change = Value::from(self.brief().literals_change);
        lines.insert(0, render(&texts.literals_heading, &[("change", change)])?);
        Ok(Some(format!("<possible_actions>\n{}\n</possible_actions>", lines.join("\n")).into()))
    }

    /// The tools for native calls, with the values that are possible now where these change; a tool with none is left out.
    pub(super) async fn narrowed(&self, stage: &dyn Stage) -> Arc<[ToolSpec]> {
        let native = self.native();
        // Who decides afresh in every step is always told; who acts many times, where its settings say so.
        let told = self.settings().acting.is_none() || self.lists();
        if native.is_empty() || !told || !self.brief().literals_change {
            return native;
        }
        let closed: BTreeMap<String, Closed> =
            self.closed(stage).await.into_iter().map(|tool| (tool.spec.name.clone(), tool)).collect();
        let narrow = |spec: &ToolSpec| {
            let Some(tool) = closed.get(&spec.name) else { return Some(spec.clone()) };
            if !tool.possible() {
                return None;
            }
            let mut spec = spec.clone();
            for (parameter, values) in &tool.parameters {
                let property = spec.parameters.get_mut("properties").and_then(|all| all.get_mut(parameter));
                if let (Some(values), Some(Json::Object(property))) = (values, property) {
                    property.insert("enum".to_owned(), values.clone().into());
                }
            }
            Some(spec)
        };
        native.iter().filter_map(narrow).collect()
    }
}
