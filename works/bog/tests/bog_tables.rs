//! The first work's tables from rows shaped like its own.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::support;

use gimbal_analysis::{Cell, EpisodeRow, Rows, Table};
use gimbal_bog::Bog;
use gimbal_view::work::Needs;
use support::paper::{analysis, facts, paper_rows};

fn made(rows: &Rows, key: &str) -> Table {
    let analysis = analysis(rows);
    support::table(key, rows, &analysis)
}

fn all(rows: &Rows) -> Vec<Table> {
    let analysis = analysis(rows);
    let axes = support::testing::tables(&Bog).filter(|item| !item.in_report && item.needs == Needs::RESULTS);
    axes.filter(|item| !["replication", "second-environment"].contains(&item.key))
        .map(|item| support::table(item.key, rows, &analysis))
        .collect()
}

fn column(table: &Table, key: &str) -> usize {
    table.columns.iter().position(|column| column.key == key).unwrap_or_else(|| panic!("{key} in {}", table.key))
}

fn number(table: &Table, row: usize, key: &str) -> f64 {
    match table.cell(row, column(table, key)) {
        Cell::Number(value) => *value,
        Cell::Share(value) => 100.0 * value,
        Cell::Integer(value) => *value as f64,
        other => panic!("{key}: {other:?}"),
    }
}

fn row(table: &Table, label: &str) -> usize {
    table.rows.iter().position(|row| row[0] == Cell::Text(label.to_owned())).unwrap_or_else(|| panic!("{label}"))
}

/// Our own rows have the printed means, SDs and tokens, so that our tables must show what the work prints.
// covers: BOG-162, BOG-163, BOG-166, BOG-167, BOG-190, BOG-192
#[test]
fn matrices_show_the_printed_numbers() {
    let (rows, facts) = (paper_rows(), facts());
    let tables = all(&rows);
    let table = |key: &str| tables.iter().find(|table| table.key == key).unwrap();
    for cell in &facts.cells {
        let near = |key: &str, part: &str, printed: f64, half: f64| {
            let table = table(key);
            let ours = number(table, row(table, &cell.configuration), &format!("{}.{part}", cell.model));
            assert!((ours - printed).abs() <= half, "{key} {part} {}: {ours} {printed}", cell.configuration);
        };
        near("t3", "mean", cell.mean, 0.001);
        near("t3", "sd", cell.sd, 0.001);
        near("t3", "kilotokens", cell.kilotokens, 0.001);
        near("t6", "sd", cell.sd, 0.001);
        near("t22", "sd", cell.sd, 0.001);
        near("t24", "half_width", cell.half_width, 0.1);
        near("t34", "episodes", f64::from(cell.episodes), 0.0);
        if let Some(printed) = cell.rpts {
            near("t4", "rpts", printed, 0.011);
        }
        let efficiency = table("efficiency");
        let place = efficiency.rows.iter().position(|row| {
            row[0] == Cell::Text(cell.model.clone()) && row[1] == Cell::Text(cell.configuration.clone())
        });
        let ours = number(efficiency, place.unwrap(), "shifted_efficiency");
        assert!((ours - cell.shifted_efficiency).abs() < 1e-3, "{ours} {}", cell.shifted_efficiency);
    }
    // Tab. 34 and the abstract: 3,475 episodes, 104,250 steps, 283.9M tokens.
    let note = &table("t34").notes[0];
    assert!(note.starts_with("In all 3475 episodes, 104250 steps, 2839"), "{note}");
}

// covers: BOG-170, BOG-171, BOG-174, BOG-191, BOG-R15
#[test]
fn derived_tables_show_the_printed_numbers() {
    let (rows, facts) = (paper_rows(), facts());
    let tables = all(&rows);
    let table = |key: &str| tables.iter().find(|table| table.key == key).unwrap();
    for (index, change) in facts.marginals.iter().enumerate() {
        for (model, printed) in &change.percent {
            let ours = number(table("t7"), index, &format!("{model}.percent"));
            assert!((ours - printed).abs() < 0.16, "{} to {} on {model}: {ours} {printed}", change.from, change.to);
        }
    }
    for (model, printed) in &facts.degradation.ratio {
        let ours = number(table("t8"), row(table("t8"), model), "ratio");
        assert!((ours - printed).abs() < 0.013, "{model}: {ours} {printed}");
    }
    for level in &facts.deliberation {
        for (model, printed) in &level.return_gained {
            let line = row(table("t13"), &level.configuration);
            assert!((number(table("t13"), line, &format!("{model}.return_gained")) - printed).abs() < 0.11);
            let added = number(table("t13"), line, &format!("{model}.kilotokens_added"));
            assert!((added - level.kilotokens_added[model]).abs() < 0.11);
        }
    }
    // Tab. 20 in the order Grok, Llama, Devstral, Qwen, G2.5FL, G3FP.
    let ranks = |key: &str| -> Vec<f64> {
        facts.models.iter().map(|model| number(table("t20"), row(table("t20"), model), key)).collect()
    };
    assert_eq!(ranks("context_by_mean"), [1.0, 5.0, 4.0, 3.0, 6.0, 2.0]);
    assert_eq!(ranks("deliberation_by_mean"), [1.0, 5.0, 2.0, 4.0, 6.0, 3.0]);
    assert_eq!(ranks("hierarchy_by_mean"), [3.0, 5.0, 4.0, 2.0, 6.0, 1.0]);
    assert_eq!(ranks("overall_by_mean"), [1.0, 5.0, 4.0, 3.0, 6.0, 2.0]);
    assert_ne!(ranks("hierarchy_by_best"), ranks("hierarchy_by_mean"), "the two definitions differ");
    // Tab. 16: mean and tokens of the four groups.
    for (group, mean, tokens) in [
        ("anchor (hist+net)", -95.25, 32.5),
        ("context", -113.9, 30.6),
        ("deliberation", -86.4, 106.9),
        ("hierarchy", -72.9, 162.4),
    ] {
        let line = row(table("t16"), group);
        assert!((number(table("t16"), line, "mean") - mean).abs() < 0.06, "{group}");
        assert!((number(table("t16"), line, "kilotokens") - tokens).abs() < 0.06, "{group}");
    }
}

/// Tables as a reader sees them; the twelve configurations are in one of them (BOG-180).
// covers: BOG-180, BOG-190, BOG-191, BOG-192
#[test]
fn tables_as_text() {
    let rows = paper_rows();
    let shown = |key: &str| made(&rows, key).to_text(150);
    for key in ["t1", "t2", "t3", "t5", "t8", "t9", "t14", "t16", "t18", "t20", "t23", "t25", "t32"] {
        insta::assert_snapshot!(format!("as_text_{key}"), shown(key));
    }
}

/// T2 to T10 worked by hand from six cells of two episodes: nothing printed is between the rows and the tables.
// covers: BOG-162, BOG-163, BOG-170, BOG-171, BOG-190
#[test]
fn tables_two_to_ten_by_hand() {
    let mut rows = Rows::default();
    // Configuration, two returns, thousand tokens of each episode.
    let played: [(&str, [i64; 2], u64); 6] = [
        ("obs", [-100, -140], 10),
        ("obs+net", [-90, -90], 12),
        ("hist+net", [-50, -70], 20),
        ("+COT", [-20, -40], 40),
        ("hier-base", [-40, -44], 30),
        ("hier-delib", [-63, -105], 90),
    ];
    for (configuration, returns, kilotokens) in played {
        rows.cells.push(support::cell(configuration, configuration, Some("m")));
        for (run, value) in returns.into_iter().enumerate() {
            let tokens = (kilotokens * 1_000 - 500, 500);
            rows.episodes.push(support::episode(configuration, run as u32, 1_000 * value, tokens.0, tokens.1));
        }
    }
    let tables = all(&rows);
    let table = |key: &str| tables.iter().find(|table| table.key == key).unwrap();
    let at = |key: &str, configuration: &str, part: &str| {
        number(table(key), row(table(key), configuration), &format!("m.{part}"))
    };
    let near = |ours: f64, hand: f64, what: &str| assert!((ours - hand).abs() < 1e-9, "{what}: {ours} {hand}");
    let root_two = 2.0_f64.sqrt();
    for (configuration, mean, sd, kilotokens) in [
        ("obs", -120.0, 20.0 * root_two, 10.0),
        ("obs+net", -90.0, 0.0, 12.0),
        ("hist+net", -60.0, 10.0 * root_two, 20.0),
        ("+COT", -30.0, 10.0 * root_two, 40.0),
        ("hier-base", -42.0, 2.0 * root_two, 30.0),
        ("hier-delib", -84.0, 21.0 * root_two, 90.0),
    ] {
        near(at("t3", configuration, "mean"), mean, configuration);
        near(at("t3", configuration, "sd"), sd, configuration);
        near(at("t3", configuration, "kilotokens"), kilotokens, configuration);
        near(at("t6", configuration, "mean"), mean, configuration);
        near(at("t6", configuration, "sd"), sd, configuration);
        if configuration != "obs" {
            near(at("t4", configuration, "rpts"), (mean + 120.0) / kilotokens, configuration);
        }
    }
    let marginals = table("t7");
    let is = |line: &Vec<Cell>, from: &str, to: &str| line[0] == Cell::text(from) && line[1] == Cell::text(to);
    let step = marginals.rows.iter().position(|line| is(line, "obs", "obs+net")).unwrap();
    near(number(marginals, step, "m.percent"), 25.0, "30 of 120");
    let by_model = |key: &str, part: &str| number(table(key), row(table(key), "m"), part);
    for (key, part, hand) in [
        ("t8", "plain_mean", -42.0),
        ("t8", "deliberating_mean", -84.0),
        ("t8", "ratio", 2.0),
        ("t8", "token_ratio", 3.0),
        ("t9", "anchor_mean", -60.0),
        ("t9", "anchor_kilotokens", 20.0),
        ("t9", "level_mean", -30.0),
        ("t9", "level_kilotokens", 40.0),
        ("t9", "plain_mean", -42.0),
        ("t9", "deliberating_kilotokens", 90.0),
        ("t10", "worst_mean", -120.0),
        ("t10", "best_mean", -30.0),
        ("t10", "gap", 90.0),
    ] {
        near(by_model(key, part), hand, &format!("{key} {part}"));
    }
    let text = |key: &str, part: &str| table(key).cell(row(table(key), "m"), column(table(key), part)).clone();
    assert_eq!(text("t9", "level"), Cell::text("+COT"));
    assert_eq!((text("t10", "worst"), text("t10", "best")), (Cell::text("obs"), Cell::text("+COT")));
}

/// A worked pairing: T15 and T25 on two cells with an environment that one side met twice.
// covers: BOG-168, BOG-169, BOG-179
#[test]
fn pairing_by_hand() {
    let mut rows = Rows {
        cells: vec![support::cell("a", "hist+net", Some("m")), support::cell("c", "+COT", Some("m"))],
        episodes: vec![],
    };
    for (run, (anchor, cot)) in [(-100_000, -40_000), (-60_000, -60_040), (-20_000, -30_000)].into_iter().enumerate() {
        rows.episodes.push(support::episode("a", run as u32, anchor, 900, 100));
        rows.episodes.push(support::episode("c", run as u32, cot, 2_400, 100));
    }
    // The second episode of one seed: (-40 - 20) / 2 = -30 against -20.
    rows.episodes[5].return_thousandths = -40_000;
    rows.episodes.push(support::episode("c", 2, -20_000, 2_400, 100));
    let wins = made(&rows, "t15");
    assert_eq!(
        ["wins", "ties", "losses", "total"].map(|key| number(&wins, 0, key)),
        [1.0, 1.0, 1.0, 3.0],
        "won by 60, tied at 0.04, lost by 10"
    );
    assert!((number(&wins, 0, "token_multiplier") - 2.5).abs() < 1e-12);
    assert!((number(&wins, 0, "win_rate") - 100.0 / 3.0).abs() < 1e-9);
    let profile = made(&rows, "t32");
    assert!((number(&profile, 0, "base_ratio") - 9.0).abs() < 1e-12);
    assert!((number(&profile, 0, "other_ratio") - 24.0).abs() < 1e-12);
    assert_eq!(profile.cell(0, column(&profile, "rises")), &Cell::Flag(true));
}

/// The order of rows, and rows of other studies beside, change nothing.
#[test]
fn the_order_of_episodes_does_not_matter() {
    let rows = paper_rows();
    let mut turned = rows.clone();
    turned.episodes.reverse();
    turned.episodes.rotate_left(991);
    assert_eq!(all(&rows), all(&turned));
}

/// Whatever is missing, every table is made, has its columns, and says what it lacks.
// covers: BOG-190, BOG-191, BOG-192
#[test]
fn missing_cells_leave_gaps_and_notes() {
    let full = paper_rows();
    let keep = |keep: &dyn Fn(&gimbal_analysis::CellInfo) -> bool| -> Rows {
        let cells: Vec<_> = full.cells.iter().filter(|cell| keep(cell)).cloned().collect();
        let held = |row: &&EpisodeRow| cells.iter().any(|cell| cell.id == row.cell);
        Rows { episodes: full.episodes.iter().filter(held).cloned().collect(), cells }
    };
    let contexts = keep(&|cell| cell.axis.as_deref() == Some("context"));
    let one_lacks = keep(&|cell| cell.id != "hier-base/Qwen");
    let unplayed = Rows { episodes: Vec::new(), ..full.clone() };
    let policies = Rows {
        cells: vec![support::cell("sleep", "sleep", None)],
        episodes: vec![support::episode("sleep", 0, -1, 0, 0)],
    };
    for (rows, key, said) in [
        (&contexts, "t8", "No episode of hier-base; hier-delib: –."),
        (&one_lacks, "t8", "No episode of hier-base on Qwen: –."),
        (&unplayed, "t3", "No episode of obs; obs+hist;"),
        (&policies, "t10", "No cell of this run is played by a model."),
        (&Rows::default(), "t4", "No cell of this run is played by a model."),
    ] {
        for table in all(rows) {
            let columns = table.columns.len();
            assert!(table.rows.iter().all(|row| row.len() <= columns), "{}", table.key);
            let _ = (table.to_text(120), table.to_markdown(), table.to_csv(), table.to_json());
        }
        let notes = made(rows, key).notes.join(" ");
        assert!(notes.contains(said), "{key}: {notes}");
    }
    let table = made(&one_lacks, "t8");
    let line = row(&table, "Qwen");
    assert_eq!(table.cell(line, column(&table, "ratio")), &Cell::Empty);
    assert!((number(&table, row(&table, "Grok"), "ratio") - 1.683).abs() < 0.01, "the others stand");
    // A rank of a part against a whole is none.
    let ranks = made(&one_lacks, "t20");
    assert_eq!(ranks.cell(row(&ranks, "Qwen"), column(&ranks, "hierarchy_by_mean")), &Cell::Empty);
}

/// Rows of two environments are in blocks and never mix; a mask and a plumbing mark are shown.
#[test]
fn environments_and_decodings_are_kept_apart() {
    let first = paper_rows();
    let mut both = first.clone();
    for cell in &first.cells {
        let id = format!("other/{}", cell.id);
        both.cells.push(gimbal_analysis::CellInfo { id, environment: "elsewhere 50".into(), ..cell.clone() });
    }
    for row in &first.episodes {
        both.episodes.push(EpisodeRow {
            cell: format!("other/{}", row.cell).into(),
            environment: "elsewhere".into(),
            return_thousandths: row.return_thousandths / 2,
            ..row.clone()
        });
    }
    let (alone, table) = (made(&first, "t8"), made(&both, "t8"));
    assert_eq!(table.rows.len(), 2 * alone.rows.len());
    assert_eq!(table.rows[..6], alone.rows[..]);
    assert_eq!(table.cell(6, 1), &Cell::Text("elsewhere 50".into()));
    assert!((number(&table, 6, "plain_mean") + 8.05).abs() < 0.01);
    let matrix = made(&both, "t3");
    assert_eq!(matrix.rows.len(), 24);

    let mut masked = first.clone();
    for cell in masked.cells.iter_mut().filter(|cell| cell.models[0].model == "Qwen") {
        cell.decoding = gimbal_analysis::CellDecoding::Constrained;
        cell.plumbing = Some("too small to act".into());
    }
    let table = made(&masked, "t8");
    let line = row(&table, "Qwen (constrained)");
    assert_eq!(table.cell(line, column(&table, "mark")), &Cell::Text("plumbing".into()));
    assert!(table.notes.iter().any(|note| note.contains("too small to act")));
}
