//! `gimbal persona audit`: no text that an agent reads may reveal the environment (BOG-025).

use std::collections::{BTreeMap, BTreeSet};

use gimbal_agent::audit::{AuditedAgent, AuditedEnvironment, agents};
use gimbal_agent::{Forbidden, Part, audit};
use serde_json::json;

use super::begun::{Begun, begun};
use crate::exit::Failure;
use crate::home::Home;
use crate::registry::{families, registry};

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
        let Begun { environment, tracker, .. } = begun(family.name(), &json!({})).await?;
        environments.push((family.name(), AuditedEnvironment::new(&*environment, tracker.queries())));
    }
    let forbidden = Forbidden::of(environments.iter().map(|(_, environment)| environment.brief()));
    let audited = agents(&families(), &*home.files).map_err(Failure::usage)?;
    let mut written = BTreeMap::new();
    let mut lines = Vec::new();
    for (name, environment) in environments.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)) {
        let said = Texts::of(&environment.said, &forbidden);
        for AuditedAgent { configuration, agent } in &audited {
            let persona = agent.persona();
            let own = || Texts::of(&audit::written(persona), &forbidden);
            let written: &Texts = written.entry(persona.name.clone()).or_insert_with(own);
            let prompts = Texts::of(&environment.prompts(agent).map_err(Failure::usage)?, &forbidden);
            let found = [&prompts, written, &said].map(|texts| &texts.findings).into_iter().flatten();
            lines.push(Line {
                environment: (*name).to_owned(),
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
