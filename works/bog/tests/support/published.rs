//! A study as large as the first work's, made up so that its cells have about the published means, spreads and tokens.
#![allow(dead_code)]

use gimbal_analysis::profile::{
    Action, ActionClass, ActionFacts, AgentCount, Invocation, Profile, RoleCalls, StepProfile, Suggestion, Traces,
};
use gimbal_analysis::{CellDecoding, CellInfo, EpisodeRow, Generator, RoleUsage, Rows, TokenUse};

use gimbal_bog::printed::BogFacts;

use super::drawn::{cell, episode};

/// The facts of the first work.
pub fn facts() -> BogFacts {
    serde_saphyr::from_str(include_str!("../../../../papers/bog.yaml")).unwrap()
}

/// Sum of twelve draws: about normal.
fn normal(generator: &mut Generator) -> f64 {
    (0..12).map(|_| generator.unit()).sum::<f64>() - 6.0
}

/// Every cell with its published number of episodes, on instances that the configurations share.
pub fn study(environment: &str) -> Rows {
    let facts = facts();
    let mut rows = Rows::default();
    let mut environments = Generator::new(11);
    // Some instances are hard for everyone.
    let hardness: Vec<f64> = (0..100).map(|_| normal(&mut environments)).collect();
    let mut generator = Generator::new(23);
    for entry in &facts.cells {
        let id = format!("{environment} | {} | {}", entry.configuration, entry.model);
        let axis = facts.configurations.iter().find(|known| known.name == entry.configuration).unwrap();
        rows.cells.push(CellInfo {
            environment: environment.into(),
            planned: entry.episodes,
            decoding: CellDecoding::Free,
            ..cell(&id, &entry.configuration, &axis.axis, Some(&entry.model))
        });
        for number in 0..entry.episodes {
            let draw = 0.5 * hardness[number as usize] + 0.866 * normal(&mut generator);
            let value = (entry.mean + entry.sd * draw).clamp(entry.min, -1.2);
            let tokens = entry.kilotokens * 1000.0 * (1.0 + 0.14 * normal(&mut generator)).max(0.3);
            rows.episodes.push(played(&id, environment, number, value, tokens as u64));
        }
    }
    for (policy, mean, sd) in [("sleep", -218.0, 5.0), ("random", -154.0, 40.0)] {
        let id = format!("{environment} | {policy}");
        rows.cells.push(CellInfo {
            environment: environment.into(),
            planned: 10,
            ..cell(&id, policy, "policies", None)
        });
        for number in 0..10 {
            rows.episodes.push(played(&id, environment, number, mean + sd * normal(&mut generator), 0));
        }
    }
    rows
}

fn played(id: &str, environment: &str, number: u32, value: f64, tokens: u64) -> EpisodeRow {
    let called = TokenUse { input: tokens * 93 / 100, cached_input: 0, output: tokens * 7 / 100, reasoning: 0 };
    let usage =
        if tokens > 0 { vec![RoleUsage { role: "default".into(), environment: false, called }] } else { vec![] };
    EpisodeRow {
        environment: environment.into(),
        task: format!("instance-{}", number % 10).into(),
        run: number / 10,
        usage,
        ..episode(id, 0, (value * 10.0).round() as i64 * 100, tokens, 0)
    }
}

/// The same study with two environments, the second one a mirror with fewer cells.
pub fn two_environments() -> Rows {
    let mut rows = study("cage2 b_line 30");
    let mut second = study("yawning_titan default 30");
    second.cells.retain(|cell| cell.axis.as_deref() != Some("deliberation"));
    let known: Vec<String> = second.cells.iter().map(|cell| cell.id.clone()).collect();
    second.episodes.retain(|row| known.iter().any(|id| row.cell == *id));
    rows.cells.extend(second.cells);
    rows.episodes.extend(second.episodes);
    rows
}

/// What is left when only these cells are.
pub fn only(mut rows: Rows, keep: impl Fn(&CellInfo) -> bool) -> Rows {
    rows.cells.retain(|cell| keep(cell));
    let known: Vec<String> = rows.cells.iter().map(|cell| cell.id.clone()).collect();
    rows.episodes.retain(|row| known.iter().any(|id| row.cell == *id));
    rows
}

/// At most so many episodes a cell.
pub fn at_most(mut rows: Rows, most: usize) -> Rows {
    let mut seen: Vec<(String, usize)> = Vec::new();
    rows.episodes.retain(|row| {
        let place = seen.iter().position(|(cell, _)| *cell == row.cell).unwrap_or_else(|| {
            seen.push((row.cell.to_string(), 0));
            seen.len() - 1
        });
        seen[place].1 += 1;
        seen[place].1 <= most
    });
    rows
}

/// The glossary of the first work's environment.
pub fn actions() -> ActionFacts {
    let entry = |name: &str, class: &str| ActionClass { name: name.into(), class: class.into() };
    ActionFacts {
        actions: vec![
            entry("Monitor", "passive"),
            entry("Remove", "reactive"),
            entry("Analyse", "passive"),
            entry("Restore", "reactive"),
            entry("DecoySERVICE", "proactive"),
        ],
        idle: "Monitor".into(),
        harm: Some(-1_000),
        floor: Some(-13_000),
    }
}

/// A trajectory for a row: tokens that grow along the episode, remedies that come late where the return is low.
pub fn trajectory(row: &EpisodeRow, deliberates: bool, delegates: bool) -> Profile {
    let mut generator = Generator::new(row.seed ^ row.agent_tokens().total() ^ row.return_thousandths.unsigned_abs());
    let lost = row.return_thousandths < -100_000;
    let total = row.agent_tokens().total();
    let weight: u64 = (1..=30).map(|step| 20 + step).sum();
    let steps = (1..=30_u32)
        .map(|number| {
            let at_floor = lost && number > 14;
            let tool = match (at_floor, generator.unit() < 0.3) {
                (true, _) => "Monitor",
                (false, true) if lost => "DecoySSHD",
                (false, true) => "Restore",
                (false, false) => "Analyse",
            };
            let subject = (tool != "Monitor").then(|| "User4".to_owned());
            let mine = total * (20 + u64::from(number)) / weight;
            let role = if delegates { "planner" } else { "default" };
            let mut step = StepProfile {
                step: number,
                action: Some(Action { tool: tool.into(), arguments: format!("{subject:?}"), subject }),
                reward: if at_floor { -13_100 } else { -100 * i64::from(number) },
                state: generator.next_u64(),
                calls: vec![RoleCalls { role: role.into(), calls: 3, input: mine * 9 / 10, output: mine / 10 }],
                ..StepProfile::default()
            };
            if deliberates {
                let count = if at_floor { 3 } else { 1 };
                step.deliberations = vec![AgentCount { name: role.into(), count }];
            }
            if delegates && number % 2 == 0 {
                step.calls.push(RoleCalls { role: "chooser".into(), calls: 1, input: 400, output: 30 });
                step.invocations = vec![
                    Invocation { agent: "analyst".into(), messages: 2 },
                    Invocation { agent: "chooser".into(), messages: if deliberates { 8 } else { 2 } },
                ];
                step.suggestions = vec![
                    Suggestion { action: "Monitor".into(), confidence: Some(900) },
                    Suggestion { action: "Restore hostname=User4".into(), confidence: Some(700) },
                ];
            }
            step
        })
        .collect();
    Profile {
        cell: (&row.cell).into(),
        environment: (&row.environment).into(),
        task: (&row.task).into(),
        run: row.run,
        instance: row.instance,
        trial: row.trial,
        return_thousandths: row.return_thousandths,
        stop: row.stop,
        steps,
    }
}

/// The trajectories of all rows in sums.
pub fn traces(rows: &Rows) -> Traces {
    let mut traces =
        Traces::watched_by(gimbal_bog::detect::ALL.to_vec()).measuring(gimbal_bog::agents::MEASURES.to_vec());
    for row in &rows.episodes {
        let info = rows.cells.iter().find(|cell| cell.id == row.cell).unwrap();
        if info.models.is_empty() {
            continue;
        }
        let deliberates = info.configuration.starts_with('+') || info.configuration == "hier-delib";
        traces.add(&trajectory(row, deliberates, info.configuration.starts_with("hier")), &actions());
    }
    traces
}
