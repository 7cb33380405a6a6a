//! A made-up study of controllers: walks over graphs from a fixed generator.
#![allow(dead_code)]

use gimbal_analysis::{CellDecoding, CellInfo, Generator, Kind, RoleModel, Stop, Thresholds};
use gimbal_cyc::cyclic::evidence::{Evidence, Figures, Judged, Reached, RubricItem};
use gimbal_cyc::cyclic::{
    Act, Cycles, Effect, Fold, Graph, GraphEdge, GraphNode, Planned, Routed, Segment, SegmentStop, Setup, Spend,
    Trajectory,
};

pub const NODES: [&str; 5] = ["Locate", "Take", "Clean", "Place", "Verify"];

/// A graph of so many nodes with a criterion for every way; specialists have one tool each.
pub fn graph(id: &str, source: &str, ways: &str, nodes: usize, specialists: bool) -> Graph {
    let names: Vec<String> = (0..nodes)
        .map(|place| NODES.get(place).map_or_else(|| format!("Subtask {place}"), |name| (*name).to_owned()))
        .collect();
    let node = |(place, name): (usize, &String)| GraphNode {
        name: name.clone(),
        goal: format!("{name} what is needed"),
        tools: if specialists {
            vec![if place % 2 == 0 { "explore" } else { "manipulate" }.to_owned()]
        } else {
            Vec::new()
        },
        suggested: Vec::new(),
    };
    let edge = |from: &String, to: &String| GraphEdge {
        from: from.clone(),
        to: to.clone(),
        criterion: format!("when {from} is done or has failed and {to} is what helps"),
    };
    Graph {
        id: id.to_owned(),
        source: source.to_owned(),
        entry: names[0].clone(),
        nodes: names.iter().enumerate().map(node).collect(),
        edges: names.iter().flat_map(|from| names.iter().map(move |to| edge(from, to))).collect(),
        ways: ways.to_owned(),
        planner: String::new(),
        shots: String::new(),
    }
}

/// What a cell of the study is.
#[derive(Clone, Copy)]
pub struct Plan {
    pub environment: &'static str,
    pub name: &'static str,
    pub architecture: &'static str,
    pub source: &'static str,
    /// Planner, executor, router.
    pub models: [&'static str; 3],
    pub specialists: bool,
    pub shots: u32,
    pub fault: u64,
    /// Percent of episodes that are won.
    pub wins: u64,
}

const SMALL: [&str; 3] = ["work/4o-mini"; 3];
const MIXED: [&str; 3] = ["work/4o-mini", "work/5-mini", "work/5-mini"];

pub fn plans(environment: &'static str) -> Vec<Plan> {
    let plain = Plan {
        environment,
        name: "react",
        architecture: "react",
        source: "",
        models: SMALL,
        specialists: false,
        shots: 0,
        fault: 0,
        wins: 50,
    };
    let graph = Plan { architecture: "cyclic", source: "planner", ..plain };
    vec![
        plain,
        Plan { name: "react 5", models: ["work/5-mini"; 3], wins: 80, ..plain },
        Plan { name: "dag", architecture: "dag", source: "planner", wins: 30, ..plain },
        Plan { name: "spec", wins: 60, ..graph },
        Plan { name: "gen", source: "family", wins: 65, ..graph },
        Plan { name: "gen 4o/5/5", source: "family", models: MIXED, shots: 3, wins: 90, ..graph },
        Plan { name: "gen specialists", source: "family", specialists: true, wins: 35, ..graph },
        Plan { name: "spec diverted", fault: 50, wins: 40, ..graph },
        Plan { name: "gen diverted", source: "family", fault: 50, wins: 60, ..graph },
        Plan { name: "gen specialists diverted", source: "family", specialists: true, fault: 50, wins: 20, ..graph },
    ]
}

pub fn info(plan: &Plan) -> CellInfo {
    let roles: &[&str] = if plan.architecture == "react" { &["default"] } else { &["planner", "executor", "router"] };
    let models = roles.iter().zip(plan.models);
    CellInfo {
        id: format!("{}/{}", plan.environment, plan.name),
        environment: plan.environment.to_owned(),
        configuration: plan.name.to_owned(),
        axis: None,
        models: models.map(|(role, model)| RoleModel { role: (*role).to_owned(), model: model.to_owned() }).collect(),
        decoding: CellDecoding::Free,
        kind: Kind::Remote,
        plumbing: None,
        planned: 18,
        thresholds: Thresholds { success_above: Some(999), ..Thresholds::default() },
        faults: if plan.fault > 0 { format!("diversion {}%", plan.fault) } else { String::new() },
        simulator: false,
        acts_by_messages: false,
    }
}

fn act(generator: &mut Generator) -> Act {
    let effect = [Effect::New, Effect::New, Effect::Back, Effect::Nothing, Effect::Rejected]
        [usize::try_from(generator.below(5)).unwrap()];
    let command = ["go to desk 1", "take pencil 1 from desk 1", "move pencil 1 to shelf 1", "open drawer 2"]
        [usize::try_from(generator.below(4)).unwrap()];
    Act { tool: "do".to_owned(), arguments: format!("{{\"command\":\"{command}\"}}"), effect }
}

/// One episode.
pub fn episode(plan: &Plan, task: u32, run: u32, generator: &mut Generator) -> Trajectory {
    let won = generator.below(100) < plan.wins;
    let id = if plan.source == "planner" { format!("{:012x}", task * 31 + 7) } else { "0123456789ab".to_owned() };
    let kind = if plan.architecture == "dag" { "dag" } else { "cyclic" };
    let graph = graph(&id, plan.source, kind, 4 + usize::from(plan.source == "family"), plan.specialists);
    let names: Vec<&str> = graph.nodes.iter().map(|node| node.name.as_str()).collect();
    let cyclic = plan.architecture == "cyclic";
    let count = match plan.architecture {
        "react" => 1,
        "dag" => names.len(),
        _ => 1 + usize::try_from(generator.below(if won { 6 } else { 10 })).unwrap(),
    };
    let mut segments = Vec::new();
    let mut node = 0;
    for index in 0..count {
        let acts: Vec<Act> = (0..1 + generator.below(5)).map(|_| act(generator)).collect();
        let wanted = if cyclic { usize::try_from(generator.below(names.len() as u64)).unwrap() } else { index + 1 };
        let faulted = plan.fault > generator.below(100);
        let to = if faulted { (wanted + 1) % names.len() } else { wanted };
        let last = index + 1 == count;
        let valid = generator.below(20) > 0;
        let spend = |calls: u64, input: u64| Spend { calls, input, output: 20 * calls };
        segments.push(Segment {
            index: index as u32,
            node: if plan.architecture == "react" {
                String::new()
            } else {
                names[node.min(names.len() - 1)].to_owned()
            },
            calls: acts.len() as u32,
            ended: if last { SegmentStop::Over } else { SegmentStop::Done },
            executor: spend(acts.len() as u64, 400 * acts.len() as u64),
            router: if last { Spend::default() } else { spend(1, 300 + 40 * names.len() as u64) },
            routed: (!last).then(|| Routed {
                wanted: names[wanted].to_owned(),
                to: names[to].to_owned(),
                valid,
                repaired: !valid,
                cached: false,
                ahead: false,
                ruled: false,
                faulted,
                candidates: names.len() as u32,
            }),
            acts,
            loops_noted: 0,
            evidence_gained: None,
        });
        node = to;
    }
    let planner = if plan.source == "planner" { Spend { calls: 1, input: 900, output: 400 } } else { Spend::default() };
    let spent = segments.iter().fold(planner, |sum, segment| sum.plus(segment.executor).plus(segment.router));
    let finance = plan.environment.starts_with("finance");
    Trajectory {
        cell: format!("{}/{}", plan.environment, plan.name),
        environment: plan.environment.to_owned(),
        task: format!("part-{}/{task}", task % 2),
        part: None,
        run,
        trial: 0,
        instance: 0,
        return_thousandths: if won { 1000 } else { 0 },
        stop: match (won, finance) {
            (true, false) => Stop::Solved,
            (_, true) => Stop::Answered,
            _ => Stop::Horizon,
        },
        won,
        tool_calls: segments.iter().map(|segment| segment.calls).sum(),
        steps: segments.iter().map(|segment| segment.calls).sum(),
        fallback_steps: 0,
        attempts: segments.iter().map(|segment| segment.calls).sum(),
        rejected: 0,
        messages: 0,
        unusable_messages: 0,
        spent,
        planner,
        wall_us: spent.calls * 800_000,
        situations: Some(
            u32::try_from(4 + generator.below(if plan.architecture == "react" { 9 } else { 14 })).unwrap(),
        ),
        goal: None,
        is_question: finance,
        graphs: if plan.architecture == "react" { Vec::new() } else { vec![graph] },
        planned: (plan.source == "planner").then_some(Planned { attempts: 1, valid: true }),
        segments,
        evidence: finance.then(|| evidence(won, generator)),
        gates: Vec::new(),
    }
}

fn evidence(won: bool, generator: &mut Generator) -> Evidence {
    let station = generator.below(5);
    let item = |offline: bool, model: bool| RubricItem { offline, model: Some(model) };
    let agree = generator.below(4) > 0;
    Evidence {
        judged: Judged { items: vec![item(won, won == agree)], passed: won },
        bottleneck: Reached { matched: station > 0, opened: station > 1, retrieved: station > 2, stated: station > 3 },
        figures: Figures { stated: 3, supported: u32::try_from(generator.below(4)).unwrap(), ..Figures::default() },
        ..Evidence::default()
    }
}

/// The whole study: six tasks, three runs, of the plans that are let through.
pub fn study(environments: &[&'static str], keep: impl Fn(&Plan) -> bool) -> Cycles {
    let plans: Vec<Plan> = environments.iter().flat_map(|name| plans(name)).filter(|plan| keep(plan)).collect();
    let setup = |plan: &Plan| Setup {
        architecture: plan.architecture.to_owned(),
        source: None,
        specialists: None,
        shots: Some(plan.shots),
        ..Setup::default()
    };
    let mut fold = Fold::new(plans.iter().map(|plan| (info(plan), setup(plan))).collect());
    let mut generator = Generator::new(7);
    for plan in &plans {
        for task in 0..6 {
            for run in 0..3 {
                fold.add(&episode(plan, task, run, &mut generator));
            }
        }
    }
    fold.finish()
}

/// A sweep over the player's error rate: four controllers, with and without faults, eight tasks twice each. Of the tasks so
/// many are won, forever: all by one agent, fewer by the list, and by graphs all until the player errs much.
pub fn sweep(environments: &[&'static str]) -> Cycles {
    let mut cells = Vec::new();
    for environment in environments {
        let all = plans(environment);
        for (place, plan) in [all[0], all[2], all[3], all[4]].into_iter().enumerate() {
            for fault in [0, 50] {
                for (step, error) in [0, 300_000, 600_000].into_iter().enumerate() {
                    let won = match place {
                        0 => 8,
                        1 => 6 - step * 2 - fault / 50,
                        _ => 8 - step * place / 2,
                    };
                    let models = [["noisy/1.0"; 3], ["noisy/0.7"; 3], ["noisy/0.4"; 3]][step];
                    let plan = Plan { fault: fault as u64, models, ..plan };
                    let id = format!("{environment}/{place}/{fault}/{error}");
                    let setup = Setup {
                        architecture: plan.architecture.to_owned(),
                        source: (!plan.source.is_empty()).then(|| plan.source.to_owned()),
                        error: Some(error),
                        ..Setup::default()
                    };
                    cells.push((plan, CellInfo { id, ..info(&plan) }, setup, won));
                }
            }
        }
    }
    let mut fold = Fold::new(cells.iter().map(|(_, info, setup, _)| (info.clone(), setup.clone())).collect());
    let mut generator = Generator::new(11);
    for (plan, info, setup, wins) in &cells {
        for task in 0..8 {
            for run in 0..2 {
                let walk = episode(plan, task, run, &mut generator);
                let won = (task as usize) < *wins;
                let extra = setup.error.unwrap_or(0) / 100_000;
                fold.add(&Trajectory { cell: info.id.clone(), won, tool_calls: 4 + extra + task, ..walk });
            }
        }
    }
    fold.finish()
}
