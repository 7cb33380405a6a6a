//! Episodes and cells that stand apart: cut by a limit, ended by a limit of the study, under injected faults.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::support;

use gimbal_analysis::{
    Analysis, BaselineChoice, Cell, CellInfo, EpisodeRow, Kind, Loss, Options, Rows, Stop, Table, tables,
};
use gimbal_bog::{Grids, protocol};
use support::{cell, episode};

fn against(name: &str) -> Options {
    Options { baseline: Some(BaselineChoice::Configuration(name.into())), resamples: 200, ..Options::default() }
}

fn stopped(row: EpisodeRow, stop: Stop) -> EpisodeRow {
    EpisodeRow { stop, ..row }
}

fn notes(table: &Table) -> String {
    table.notes.join("\n")
}

/// `obs` is played to its end; `hist+net` is cut in three of five seeds, and `network` in all.
fn cut_rows() -> Rows {
    let names = ["obs", "hist+net", "network"];
    let cells = names.map(|name| CellInfo { planned: 5, ..cell(name, name, Some("m")) }).to_vec();
    let mut episodes = Vec::new();
    for run in 0..5 {
        episodes.push(episode("obs", run, -90_000 - 1_000 * i64::from(run), 1_000, 100));
        let own = episode("hist+net", run, -100_000 - 3_000 * i64::from(run), 2_000, 100);
        let cut = EpisodeRow { return_thousandths: 0, steps: 1, ..own.clone() };
        episodes.push(match run {
            0 | 1 => own,
            2 | 3 => stopped(cut, Stop::ModelCallBudget),
            _ => stopped(cut, Stop::TokenBudget),
        });
        episodes.push(stopped(episode("network", run, 0, 50, 10), Stop::TimeBudget));
    }
    Rows { cells, episodes }
}

/// What a limit cut enters no mean, interval, rate or pair, and every headline table says so.
// covers: BOG-162, BOG-168
#[test]
fn episodes_that_a_limit_cuts_are_counted_apart() {
    let rows = cut_rows();
    let analysis = Analysis::new(&rows, &against("obs")).unwrap();
    let [obs, cut, none] = analysis.cells.as_slice() else { panic!("three cells") };
    assert_eq!((obs.cuts(), obs.episodes), (0, 5));
    assert_eq!((cut.cuts(), cut.episodes), (3, 2));
    assert_eq!(cut.cut, [(Stop::ModelCallBudget, 2), (Stop::TokenBudget, 1)]);
    assert!((cut.returns.unwrap().mean + 101.5).abs() < 1e-9, "of the two that count");
    assert_eq!(cut.catastrophic.unwrap().of, 2);
    assert_eq!((none.returns, none.success, none.tokens, none.efficient), (None, None, None, None));
    assert_eq!(none.stops, [(Stop::TimeBudget, 5)], "stops count everything");
    let paired = analysis.comparisons[0].paired.unwrap();
    assert_eq!((paired.difference.n, paired.unmatched), (2, 3));
    assert_eq!(analysis.comparisons[1].paired, None, "no environment in which both count");

    let main = tables::main(&analysis);
    let cells = main.to_text(300);
    assert!(cells.contains("3 of 5 cut") && cells.contains("5 of 5 cut"), "{cells}");
    let note = "hist+net on m: 3 of 5 by model_call_budget, token_budget; network on m: 5 of 5 by time_budget";
    let mut all = vec![main, tables::paired(&analysis).unwrap(), tables::spread(&analysis)];
    all.extend(["t3", "t24", "t25", "outcomes"].map(|key| support::table(key, &rows, &analysis)));
    for table in &all {
        assert!(notes(table).contains(note), "{}: {}", table.key, notes(table));
    }
    let gaps = tables::gaps(&analysis).unwrap();
    let row = |name: &str| gaps.rows.iter().position(|row| row[0] == Cell::text(name)).unwrap();
    let column = |key: &str| gaps.columns.iter().position(|column| column.key == key).unwrap();
    let at = |name: &str, key: &str| gaps.cell(row(name), column(key)).clone();
    assert_eq!((at("hist+net", "cut"), at("hist+net", "missing")), (Cell::Integer(3), Cell::Integer(0)));
    assert!(!notes(&gaps).contains("Running the study again"), "nothing is played again: {}", notes(&gaps));
}

/// A limit of the study is not infrastructure, and more of it has to be allowed first.
#[test]
fn limits_of_the_study_are_told_from_infrastructure() {
    let mut rows = Rows { cells: vec![CellInfo { planned: 4, ..cell("a", "a", Some("m")) }], episodes: vec![] };
    rows.episodes.push(episode("a", 0, -1_000, 1, 1));
    for (run, stop) in [(1, Stop::StudyLimit), (2, Stop::CellLimit), (3, Stop::Infrastructure)] {
        rows.episodes.push(EpisodeRow { infrastructure: true, ..stopped(episode("a", run, 0, 1, 1), stop) });
    }
    let losses: Vec<Option<Loss>> = rows.episodes.iter().map(EpisodeRow::loss).collect();
    assert_eq!(losses, [None, Some(Loss::Limit), Some(Loss::Limit), Some(Loss::Infrastructure)]);
    let analysis = Analysis::new(&rows, &Options::default()).unwrap();
    assert_eq!((analysis.cells[0].infrastructure, analysis.cells[0].withheld), (1, 2));
    let gaps = tables::gaps(&analysis).unwrap();
    let text = gaps.to_text(200);
    assert!(text.contains("Limit") && notes(&gaps).contains("raise it first"), "{text}");
    assert!(notes(&gaps).contains("Running the study again plays what is missing"), "one is truly missing");
    let stops = tables::stops(&analysis).unwrap().to_text(200);
    assert!(stops.contains("a limit of the study or the cell: no outcome"), "{stops}");
}

/// A lost game is an outcome and reads as one; a state in which the original breaks off has a name of its own.
#[test]
fn a_lost_game_is_no_breakdown() {
    let mut rows = Rows { cells: vec![cell("a", "a", None)], episodes: vec![] };
    rows.episodes = vec![
        stopped(episode("a", 0, -1_000, 0, 0), Stop::Failed),
        stopped(episode("a", 1, -1_000, 0, 0), Stop::Failed),
        stopped(episode("a", 2, -1_000, 0, 0), Stop::Broken),
    ];
    let analysis = Analysis::new(&rows, &Options::default()).unwrap();
    assert_eq!(analysis.cells[0].episodes, 3, "both count");
    let text = tables::stops(&analysis).unwrap().to_text(200);
    assert!(text.contains("the agent lost the game: an outcome"), "{text}");
    assert!(text.contains("the original of the environment breaks off here with an error"), "{text}");
}

/// Every configuration once without faults and twice with: tables of the study stand on the first and say what they leave.
#[test]
fn cells_with_faults_do_not_pass_for_those_without() {
    let mut rows = Rows::default();
    for (place, faults) in ["heavy", "", "mild"].into_iter().enumerate() {
        for name in ["obs", "hist+net"] {
            let id = format!("{name}/{place}");
            rows.cells.push(CellInfo { faults: faults.into(), ..cell(&id, name, Some("m")) });
            for run in 0..4 {
                let value = -10_000 * (1 + place as i64) - 100 * i64::from(run);
                rows.episodes.push(episode(&id, run, value, 1_000, 10));
            }
        }
    }
    let analysis = Analysis::new(&rows, &against("obs")).unwrap();
    let protocol = protocol();
    let grids = Grids::new(&rows, &analysis, protocol);
    assert!((grids.grids[0].mean("obs", "m").unwrap() + 20.15).abs() < 1e-9, "the cell without faults");
    let note = "Left out here: 16 episodes of 4 cells with injected faults (heavy, mild); the tables `cells` and `faults` show them.";
    let mut all: Vec<Table> = ["t2", "t3", "t24", "t34"].map(|key| support::table(key, &rows, &analysis)).to_vec();
    all.extend([support::table("replication", &rows, &analysis), support::table("cascade", &rows, &analysis)]);
    for table in &all {
        assert!(table.notes.iter().any(|known| known == note), "{}: {:?}", table.key, table.notes);
    }
    // Without a clean cell the first one is there, and the tables say so.
    rows.cells.retain(|cell| !cell.faults.is_empty());
    rows.episodes.retain(|row| !row.cell.ends_with("/1"));
    let analysis = Analysis::new(&rows, &against("obs")).unwrap();
    let grids = Grids::new(&rows, &analysis, protocol);
    assert!((grids.grids[0].mean("obs", "m").unwrap() + 10.15).abs() < 1e-9);
    let notes = grids.left_out_notes().join("\n");
    assert!(
        notes.contains("With injected faults, since the run has no such cells without: 8 episodes of 2 cells (heavy)"),
        "{notes}"
    );
}

/// Exact ties share their marks, and a stand-in that weighs no context is said to.
#[test]
fn exact_ties_have_no_winner() {
    let names = ["obs", "obs+hist", "hist+net"];
    let expert = |name: &str| CellInfo { kind: Kind::NoisyExpert, ..cell(name, name, Some("noisy/0.9")) };
    let mut rows = Rows { cells: names.map(expert).to_vec(), episodes: vec![] };
    for name in names {
        rows.episodes.extend((0..4).map(|run| episode(name, run, -10_000 - 700 * i64::from(run), 1_000, 10)));
    }
    let analysis = Analysis::new(&rows, &against("obs")).unwrap();
    let table = |key: &str| support::table(key, &rows, &analysis);
    let t3 = table("t3");
    let place = t3.columns.iter().position(|column| column.key == "noisy/0.9.place").unwrap();
    assert!(t3.rows.iter().all(|row| row[place] == Cell::text("=")), "{}", t3.to_text(200));
    for key in ["t10", "t14", "t17"] {
        let text = table(key).to_text(200);
        assert_eq!(text.matches("all equal").count(), 2, "{text}");
    }
    let said = notes(&tables::main(&analysis));
    assert!(said.contains("Equal returns, episode by episode: obs, obs+hist, hist+net on noisy/0.9"), "{said}");
    // Of a reader nothing of the kind is true: it acts on what it is shown.
    let mut read = rows.clone();
    for info in &mut read.cells {
        info.kind = Kind::Reader;
    }
    let said = notes(&tables::main(&Analysis::new(&read, &against("obs")).unwrap()));
    assert!(said.contains("Equal returns of a reader, episode by episode: obs, obs+hist, hist+net on"), "{said}");
    assert!(!said.contains("does not weigh the context") && said.contains("reader: a fixed player"), "{said}");
    assert!(tables::no_evidence(&read.cells).starts_with(" Reader rows"));
    assert!(tables::no_evidence(read.cells.iter().chain(&rows.cells)).contains("noisy-expert and plumbing rows show"));
    // Two of three are equal at the top: both are named.
    for row in rows.episodes.iter_mut().filter(|row| row.cell == "hist+net") {
        row.return_thousandths -= 5_000;
    }
    let analysis = Analysis::new(&rows, &against("obs")).unwrap();
    let text = support::table("t17", &rows, &analysis).to_text(200);
    assert!(text.contains("obs = obs+hist") && text.contains("hist+net"), "{text}");
}

/// Counts are whole numbers.
#[test]
fn counts_have_no_digits_after_the_point() {
    let rows = cut_rows();
    let analysis = Analysis::new(&rows, &against("obs")).unwrap();
    let t2 = support::table("t2", &rows, &analysis);
    let number = |what: &str| t2.rows.iter().find(|row| row[0] == Cell::text(what)).unwrap()[2].clone();
    assert_eq!((number("episodes"), number("models")), (Cell::Integer(7), Cell::Integer(1)));
    assert_eq!(number("environment steps"), Cell::Integer(7 * 30));
    assert!(!t2.to_text(200).contains("7.00"), "{}", t2.to_text(200));
}
