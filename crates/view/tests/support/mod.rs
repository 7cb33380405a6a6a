//! Made-up studies for tests and for looking at the page.
#![allow(dead_code)]

pub mod drawing;

use gimbal_analysis::{
    BaselineChoice, CellDecoding, CellInfo, EpisodeRow, Generator, Kind, Options, Rate, RoleModel, RoleUsage, Rows,
    Stop, Thresholds, TokenUse,
};
use gimbal_view::{Meta, Price, PriceTable};

pub fn options(baseline: &str) -> Options {
    Options { baseline: Some(BaselineChoice::Configuration(baseline.into())), resamples: 400, ..Options::default() }
}

pub fn options_without() -> Options {
    Options { resamples: 200, ..Options::default() }
}

pub fn cell(id: &str, configuration: &str, axis: &str, model: Option<&str>) -> CellInfo {
    CellInfo {
        id: id.into(),
        environment: "cage2 b_line 30".into(),
        configuration: configuration.into(),
        axis: Some(axis.into()),
        models: model.map(|model| RoleModel { role: "default".into(), model: model.into() }).into_iter().collect(),
        decoding: if model.is_some() { CellDecoding::Constrained } else { CellDecoding::None },
        kind: if model.is_some() { Kind::Remote } else { Kind::Baseline },
        plumbing: None,
        planned: 0,
        thresholds: Thresholds {
            catastrophic_below: Some(-150_000),
            success_above: Some(-50_000),
            shift: Some(225_000),
            ..Thresholds::default()
        },
        faults: String::new(),
        simulator: false,
        acts_by_messages: false,
    }
}

pub fn episode(cell: &str, run: u32, value: i64, tokens: u64, draw: u64) -> EpisodeRow {
    let called = TokenUse { input: tokens * 9 / 10, cached_input: tokens / 3, output: tokens / 10, reasoning: 0 };
    EpisodeRow {
        cell: cell.into(),
        environment: "cage2 b_line 30".into(),
        task: "default".into(),
        run,
        trial: 0,
        seed: u64::from(run) * 7919,
        return_thousandths: value,
        steps: 30,
        stop: Stop::Horizon,
        infrastructure: false,
        usage: if tokens > 0 { vec![RoleUsage { role: "default".into(), environment: false, called }] } else { vec![] },
        tokens_estimated: Rate::default(),
        billed: called,
        model_calls: if tokens > 0 { 30 } else { 0 },
        unbilled_calls: 0,
        tool_calls: 30 + (draw % 5) as u32,
        rejected_calls: (draw % 5) as u32,
        failed_attempts: 0,
        fallbacks: draw.is_multiple_of(7).into(),
        messages: 0,
        unusable_messages: 0,
        left_calls: 0,
        unknown_attempts: 0,
        refusals: 0,
        truncations: 0,
        bad_shapes: 0,
        outages: 0,
        turned_down: 0,
        lost_because: String::new(),
        call_latency_us: if tokens > 0 {
            (0..30).map(|call| 300_000 + (draw >> call) % 900_000).collect()
        } else {
            vec![]
        },
        critical_path_us: None,
        cost_microdollars: (tokens > 0).then_some(tokens / 4),
        instance: 0,
        ledger: Vec::new(),
        took_us: None,
        components: Vec::new(),
    }
}

/// A study of so many runs: configurations with their axis, mean and kilotokens; models with an offset and a factor.
fn grid(
    configurations: &[(&str, &str, f64, f64)],
    models: &[(&str, f64, f64)],
    policies: &[(&str, f64, f64)],
    runs: u32,
) -> Rows {
    let mut rows = Rows::default();
    let mut generator = Generator::new(5);
    let mut normal = move || (0..12).map(|_| generator.unit()).sum::<f64>() - 6.0;
    let mut draws = Generator::new(6);
    for (model, offset, factor) in models {
        for (configuration, axis, mean, kilotokens) in configurations {
            let id = format!("{model}/{configuration}");
            rows.cells.push(CellInfo { planned: runs, ..cell(&id, configuration, axis, Some(model)) });
            for run in 0..runs {
                let value = ((mean + offset + 0.45 * (mean + offset).abs() * normal()) * 10.0)
                    .round()
                    .clamp(-2258.0, -71.0) as i64;
                let tokens = (kilotokens * factor * 1000.0 * (1.0 + 0.12 * normal())).max(500.0) as u64;
                rows.episodes.push(episode(&id, run, value * 100, tokens, draws.next_u64()));
            }
        }
    }
    for (policy, mean, sd) in policies {
        rows.cells.push(CellInfo { planned: runs, ..cell(policy, policy, "policies", None) });
        for run in 0..runs {
            let value = ((mean + sd * normal()) * 10.0).round().min(-10.0) as i64;
            rows.episodes.push(episode(policy, run, value * 100, 0, 1));
        }
    }
    rows
}

/// Twelve configurations on six models.
pub fn large() -> Rows {
    let configurations = [
        ("obs", "context", -150.0, 14.0),
        ("obs+hist", "context", -110.0, 26.0),
        ("obs+hist+net", "context", -95.0, 28.0),
        ("obs+net", "context", -62.0, 15.0),
        ("network", "context", -90.0, 14.5),
        ("hist+net", "context", -72.0, 22.0),
        ("+question", "deliberation", -85.0, 55.0),
        ("+critique", "deliberation", -72.0, 80.0),
        ("+improve", "deliberation", -78.0, 120.0),
        ("+COT", "deliberation", -52.0, 140.0),
        ("hier-base", "hierarchy", -38.0, 90.0),
        ("hier-delib", "hierarchy", -75.0, 210.0),
    ];
    let models = [
        ("vendor-a/large", 10.0, 1.2),
        ("vendor-b/maverick", -20.0, 0.9),
        ("vendor-c/dev", -5.0, 1.0),
        ("vendor-d/235b", 4.0, 0.8),
        ("vendor-e/flash-lite", -70.0, 2.1),
        ("vendor-e/flash", 12.0, 0.5),
    ];
    let policies = [("sleep", -218.0, 5.0), ("random", -154.0, 40.0), ("greedy_decoys_then_restore", -13.0, 3.0)];
    let mut rows = grid(&configurations, &models, &policies, 50);
    rows.episodes.retain(|row| {
        !(row.cell == "vendor-e/flash/hier-delib" && row.run > 24) && row.cell != "vendor-b/maverick/+improve"
    });
    rows
}

/// Six contexts on one model, ten runs, and policies.
pub fn medium() -> Rows {
    let configurations = [
        ("observation", "context", -150.0, 14.0),
        ("observation, history", "context", -110.0, 26.0),
        ("observation, status", "context", -62.0, 15.0),
        ("observation, status, history", "context", -95.0, 28.0),
        ("status", "context", -90.0, 14.5),
        ("status, history", "context", -72.0, 22.0),
    ];
    let policies = [
        ("sleep", -218.0, 5.0),
        ("random", -154.0, 40.0),
        ("random_decoy", -90.0, 30.0),
        ("restore_changed", -21.0, 4.0),
        ("remove_then_restore", -19.0, 4.0),
        ("greedy_decoys_then_restore", -13.0, 3.0),
        ("monitor", -205.0, 8.0),
    ];
    let mut rows = grid(&configurations, &[("openai/gpt-4o-mini", 0.0, 1.0)], &policies, 10);
    for lost in 0..2 {
        let mut row = episode("openai/gpt-4o-mini/status", 90 + lost, 0, 1_000, 3);
        (row.infrastructure, row.unknown_attempts, row.stop) = (true, 1, Stop::Infrastructure);
        rows.episodes.push(row);
    }
    rows
}

/// The first run of a new user: three contexts, two episodes each, a model too small to act.
pub fn quickstart() -> Rows {
    let configurations = [
        ("observation", "context", -150.0, 34.0),
        ("observation, status", "context", -140.0, 38.0),
        ("status, history", "context", -145.0, 29.0),
    ];
    let policies = [("sleep", -218.0, 5.0), ("random", -154.0, 40.0), ("restore_changed", -21.0, 4.0)];
    let mut rows = grid(&configurations, &[("local/smollm2-135m", 0.0, 1.0)], &policies, 2);
    for cell in rows.cells.iter_mut().filter(|cell| !cell.models.is_empty()) {
        cell.kind = Kind::Embedded;
        cell.plumbing =
            Some("SmolLM2-135M always answers in the right form and is too small to act as an agent".into());
    }
    rows
}

/// Stand-ins for a model under both decodings, two runs each, with long names.
pub fn decodings() -> Rows {
    let configurations = [
        ("react: observation, status, history", "context", -90.0, 14.0),
        ("react: greedy_decoys_then_restore_with_notes", "context", -70.0, 26.0),
        ("hierarchy: observation", "hierarchy", -50.0, 60.0),
    ];
    let mut rows = Rows::default();
    for (decoding, factor) in [(CellDecoding::Free, 1.0), (CellDecoding::Constrained, 0.5)] {
        let mut half = grid(&configurations, &[("noisy/0.9,malformed=0.02", 20.0 / factor - 20.0, factor)], &[], 3);
        for cell in &mut half.cells {
            cell.id = format!("{}/{}", cell.id, decoding.label());
            (cell.decoding, cell.kind) = (decoding, Kind::NoisyExpert);
        }
        for row in &mut half.episodes {
            row.cell = format!("{}/{}", row.cell, decoding.label()).into();
            row.tokens_estimated = Rate { count: 1, of: 1 };
        }
        rows.cells.extend(half.cells);
        rows.episodes.extend(half.episodes);
    }
    rows
}

pub fn meta(study: &str) -> Meta {
    Meta {
        in_progress: false,
        study: study.into(),
        question: Some("What should a CAGE-2 defender see?".into()),
        program_version: "gimbal 0.1.0".into(),
        study_hash: Some("3f1b2c9d8e7f60718293a4b5c6d7e8f90123456789abcdef0123456789abcdef".into()),
        digest: Some("9a0c77d1e2b3a4958677685940312233445566778899aabbccddeeff00112233".into()),
        facts: vec![("Environment".into(), "cage2, behaviour 1".into())],
        prices: Some(PriceTable {
            date: "2026-11-01".into(),
            source: "the providers' price pages".into(),
            models: vec![Price {
                model: "openai/gpt-4o-mini".into(),
                input: Some(0.15),
                cached_input: Some(0.075),
                output: Some(0.6),
            }],
        }),
        commands: vec![format!("gimbal run studies/{study}.yaml"), format!("gimbal report runs/{study} --format html")],
    }
}
