//! Small studies for tests.
#![allow(dead_code)]

use gimbal_analysis::{
    BaselineChoice, CellDecoding, CellInfo, EpisodeRow, Generator, Kind, Options, Rate, RoleModel, RoleUsage, Rows,
    Stop, Thresholds, TokenUse,
};

pub fn cell(id: &str, configuration: &str, model: Option<&str>) -> CellInfo {
    let models = model.map(|model| RoleModel { role: "default".into(), model: model.into() });
    CellInfo {
        id: id.into(),
        environment: "cage2 b_line 30".into(),
        configuration: configuration.into(),
        axis: None,
        decoding: if model.is_some() { CellDecoding::Free } else { CellDecoding::None },
        kind: if model.is_some() { Kind::Remote } else { Kind::Baseline },
        models: models.into_iter().collect(),
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

pub fn episode(cell: &str, run: u32, return_thousandths: i64, input: u64, output: u64) -> EpisodeRow {
    let called = TokenUse { input, cached_input: input / 4, output, reasoning: 0 };
    EpisodeRow {
        cell: cell.into(),
        environment: "cage2 b_line 30".into(),
        task: "default".into(),
        run,
        trial: 0,
        seed: u64::from(run) + 1000,
        return_thousandths,
        steps: 30,
        stop: Stop::Horizon,
        infrastructure: false,
        usage: if input + output > 0 {
            vec![RoleUsage { role: "default".into(), environment: false, called }]
        } else {
            vec![]
        },
        tokens_estimated: Rate::default(),
        billed: called,
        model_calls: if input > 0 { 30 } else { 0 },
        unbilled_calls: 0,
        tool_calls: 32,
        rejected_calls: 2,
        failed_attempts: 0,
        fallbacks: 1,
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
        call_latency_us: if input > 0 { vec![1_000 * u64::from(run + 1), 9_000] } else { vec![] },
        critical_path_us: None,
        cost_microdollars: None,
        instance: 0,
        ledger: Vec::new(),
        took_us: None,
        components: Vec::new(),
    }
}

/// Three configurations on two models and one policy, eight runs each.
pub fn study() -> Rows {
    let mut rows = Rows::default();
    let mut generator = Generator::new(42);
    for model in ["alpha/large", "beta/small"] {
        for (index, configuration) in ["observation", "observation, status", "status, history"].iter().enumerate() {
            let id = format!("{model}/{index}");
            rows.cells.push(CellInfo { planned: 8, ..cell(&id, configuration, Some(model)) });
            for run in 0..8 {
                let spread = (generator.unit() * 80_000.0) as i64 / 100 * 100;
                let value = -150_000 + 40_000 * index as i64 - spread;
                let tokens = 8_000 + 3_000 * index as u64 + generator.below(900);
                rows.episodes.push(episode(&id, run, value, tokens, 400 + generator.below(90)));
            }
        }
    }
    rows.cells.push(CellInfo { planned: 8, ..cell("sleep", "sleep", None) });
    for run in 0..8 {
        rows.episodes.push(episode("sleep", run, -200_000 - 1_100 * i64::from(run), 0, 0));
    }
    rows
}

/// Options that compare with this configuration.
pub fn against(name: &str) -> Options {
    Options { baseline: Some(BaselineChoice::Configuration(name.into())), ..Options::default() }
}

pub fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field, mut quoted) = (vec![], vec![], String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut field)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            other => field.push(other),
        }
    }
    records
}
