//! The first work's tables against our formulas.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr, missing_docs)]

use gimbal_analysis::papers::{BogFacts, Check, Verdict, check, frontier, report, tally};

fn facts() -> BogFacts {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers/bog.yaml");
    serde_saphyr::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn of<'a>(checks: &'a [Check], table: &'a str, verdict: Verdict) -> Vec<&'a str> {
    checks
        .iter()
        .filter(|check| check.table == table && check.verdict == verdict)
        .map(|check| check.place.as_str())
        .collect()
}

/// All numbers of every table that follows from the matrix; each case that is not equal is named.
// covers: BOG-163, BOG-166, BOG-167, BOG-170, BOG-171
#[test]
fn every_derived_table_follows_and_each_miss_is_named() {
    let facts = facts();
    let checks = check(&facts).unwrap();
    let counts = tally(&checks);
    let total =
        |table: &str| counts.iter().find(|entry| entry.0 == table).map(|entry| (entry.1, entry.2, entry.3)).unwrap();

    assert_eq!(total("Tab. 4"), (65, 1, 0));
    assert_eq!(of(&checks, "Tab. 4", Verdict::Rounding), ["obs+net on Qwen"]);
    let (equal, rounding, missed) = total("Tab. 24");
    assert_eq!((equal + rounding, missed), (72, 0));
    assert_eq!(total("Tab. 26-31"), (72, 0, 0));
    let (equal, rounding, missed) = total("Tab. 7");
    assert_eq!((equal + rounding, missed), (36, 0));
    assert_eq!(total("Tab. 8"), (4, 2, 0));
    assert_eq!(
        of(&checks, "Tab. 8", Verdict::Rounding),
        ["hier-delib over hier-base on Qwen", "hier-delib over hier-base on G3FP"]
    );
    let (equal, rounding, missed) = total("Tab. 13");
    assert_eq!((equal + rounding, missed), (48, 0));
    assert_eq!(total("Tab. 15"), (6, 0, 0));
    assert_eq!(total("Tab. 23"), (72, 0, 0));
    assert_eq!(
        of(&checks, "Tab. 25", Verdict::Miss),
        [
            "hier-delib minus hier-base on G2.5FL",
            "mark of hier-delib minus hier-base on G3FP",
            "hier-base minus hist+net on G2.5FL",
        ]
    );
    insta::assert_snapshot!(report("Tables of the first work, recomputed", &checks).to_text(120));
}

/// A normal quantile instead of Student's t would not give the printed intervals: the choice of t is proved by the table.
// covers: BOG-167
#[test]
fn the_printed_intervals_are_students_and_not_normal() {
    let facts = facts();
    let normal = facts
        .cells
        .iter()
        .filter(|cell| {
            let half = |sd: f64| 1.959_963_984_540_054 * sd / f64::from(cell.episodes).sqrt();
            half(cell.sd - 0.05) <= cell.half_width + 0.05 && cell.half_width - 0.05 <= half(cell.sd + 0.05)
        })
        .count();
    assert_eq!((normal, facts.cells.len()), (2, 72));
}

/// A context configuration is on every model's frontier; the deliberating hierarchy is dominated by the plain one.
// covers: BOG-172
#[test]
fn frontiers_are_as_the_work_says() {
    let facts = facts();
    let context = facts.axis("context");
    let all: Vec<(&str, Vec<&str>)> =
        facts.models.iter().map(|model| (model.as_str(), frontier(&facts, model))).collect();
    for (model, efficient) in &all {
        assert!(efficient.iter().any(|label| context.contains(label)), "{model}");
        assert!(!efficient.contains(&"hier-delib"), "{model}");
        let (base, deliberating) = (facts.cell("hier-base", model).unwrap(), facts.cell("hier-delib", model).unwrap());
        assert!(base.kilotokens < deliberating.kilotokens && base.mean > deliberating.mean, "{model}");
    }
    assert_eq!(
        all,
        [
            ("Grok", vec!["obs", "obs+net", "network", "+critique", "hier-base"]),
            ("Llama", vec!["obs", "obs+net"]),
            ("Devstral", vec!["obs+net", "network", "+question", "hier-base"]),
            ("Qwen", vec!["obs", "obs+net", "network", "hist+net", "hier-base"]),
            ("G2.5FL", vec!["obs", "obs+hist+net", "obs+net", "+critique"]),
            ("G3FP", vec!["obs", "obs+hist", "network", "hist+net", "hier-base"]),
        ]
    );
}

/// A facts file that contradicts itself is named, not averaged over.
#[test]
fn a_spoiled_number_is_a_miss_and_a_missing_cell_an_error() {
    let mut spoiled = facts();
    spoiled.cells[6].rpts = Some(0.27);
    let checks = check(&spoiled).unwrap();
    assert_eq!(of(&checks, "Tab. 4", Verdict::Miss), ["obs+hist on Grok"]);
    spoiled.cells.remove(0);
    let message = check(&spoiled).unwrap_err().to_string();
    assert!(message.contains("configuration `obs`, model `Grok`"), "{message}");
}

/// The facts file says what the transcription of the printed tables says, number by number.
#[test]
fn the_facts_are_as_transcribed() {
    let folder = std::env::var("GIMBAL_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference").to_owned());
    let Ok(text) = std::fs::read_to_string(format!("{folder}/paper-tables.json")) else {
        eprintln!("skipped: no paper-tables.json in the data folder; set GIMBAL_DATA to compare");
        return;
    };
    let tables: serde_json::Value = serde_json::from_str(&text).unwrap();
    let tables = &tables["bogdanov"];
    let facts = facts();
    assert_eq!(facts.cells.len(), 72);
    for cell in &facts.cells {
        let (configuration, model) = (cell.configuration.as_str(), cell.model.as_str());
        let at = |table: &str, key: &str| tables[table][configuration][model][key].as_f64();
        assert_eq!(at("table3_results", "ret"), Some(cell.mean));
        assert_eq!(at("table3_results", "ktok"), Some(cell.kilotokens));
        assert_eq!(at("table6_sd1dp", "sd"), Some(cell.sd));
        assert_eq!(at("table22_sd_min", "min"), Some(cell.min));
        assert_eq!(at("table24_ci", "ci"), Some(cell.half_width));
        assert_eq!(tables["table23_catastrophic_pct"][configuration][model].as_f64(), Some(cell.catastrophic_percent));
        assert_eq!(tables["table34_episodes"][configuration][model].as_u64(), Some(u64::from(cell.episodes)));
        assert_eq!(tables["table4_rpts"][configuration][model].as_f64(), cell.rpts);
        let shifted = &tables["tables26_31_token_efficiency"][model][configuration]["g_per_ktok"];
        assert_eq!(shifted.as_f64(), Some(cell.shifted_efficiency));
    }
}
