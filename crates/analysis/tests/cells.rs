//! From rows to summaries and comparisons: worked examples.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::support;

use gimbal_analysis::calibration::{Forecast, brier, expected_calibration_error, reliability};
use gimbal_analysis::{
    Analysis, AnalysisError, BaselineChoice, Cell, CellDecoding, CellInfo, EpisodeRow, Options, RoleUsage, Rows, Stop,
    Thresholds, TokenUse, tables,
};
use support::{against, cell, episode, read_csv, study};

#[track_caller]
fn near(ours: f64, wanted: f64) {
    assert!((ours - wanted).abs() < 1e-9, "{ours} is not {wanted}");
}

/// Numbers worked by hand on two cells of two episodes.
// covers: BOG-160, BOG-161, BOG-162, BOG-163, BOG-164, BOG-165, BOG-166, BOG-171
#[test]
fn a_small_study_by_hand() {
    let mut rows = Rows { cells: vec![cell("o", "obs", Some("m")), cell("n", "obs+net", Some("m"))], episodes: vec![] };
    rows.episodes = vec![
        episode("o", 0, -200_000, 9_000, 1_000),
        episode("o", 1, -100_000, 7_000, 3_000),
        episode("n", 0, -40_000, 11_000, 1_000),
        episode("n", 1, -60_000, 18_000, 2_000),
    ];
    let judge =
        RoleUsage { role: "judge".into(), environment: true, called: TokenUse { input: 5_000, ..TokenUse::default() } };
    let helper = RoleUsage {
        role: "analyst".into(),
        environment: false,
        called: TokenUse { input: 1_000, output: 1_000, ..TokenUse::default() },
    };
    rows.episodes[3].usage.extend([judge, helper]);
    let analysis = Analysis::new(&rows, &against("obs")).unwrap();
    let [obs, net] = analysis.cells.as_slice() else { panic!("two cells") };
    near(obs.returns.unwrap().mean, -150.0);
    near(obs.returns.unwrap().sd.unwrap(), 70.710_678_118_654_76);
    near(obs.returns.unwrap().min, -200.0);
    // Strictly below -150: one of two.
    near(obs.catastrophic.unwrap().share, 0.5);
    near(net.tokens_in.unwrap().mean, 15_000.0);
    near(net.tokens_out.unwrap().mean, 2_000.0);
    // (12 + 22) / 2 kTok: sub-agents count, the judge that the environment asked does not.
    near(net.tokens.unwrap().mean, 17_000.0);
    assert_eq!(net.environment_called.total(), 5_000);
    near(net.rpts.unwrap(), 100.0 / 17.0);
    assert_eq!(obs.rpts, None, "a baseline has no RPTS against itself");
    near(net.shifted.unwrap(), (225.0 - 50.0) / 17.0);
    // Two episodes a cell: no interval, and no mark of efficiency.
    assert_eq!((obs.efficient, net.efficient, obs.returns.unwrap().interval()), (None, None, None));
    // 32 tool calls an episode, one of them the fallback's own.
    near(net.invalid.share().unwrap(), 2.0 / 31.0);
    near(net.fallback.share().unwrap(), 1.0 / 30.0);
    near(net.latency_p50_ms.unwrap(), 5.5);
    let [comparison] = analysis.comparisons.as_slice() else { panic!("one comparison") };
    let paired = comparison.paired.unwrap();
    near(paired.difference.mean, 100.0);
    assert_eq!((paired.outcome.wins, paired.outcome.losses), (2, 0));
    near(comparison.marginal_percent.unwrap(), 100.0 * 100.0 / 150.0);
}

/// Returns at the threshold are not below it, and a tie is equal after rounding to 0.1.
// covers: BOG-164, BOG-169
#[test]
fn thresholds_are_strict_and_ties_are_rounded() {
    let mut rows = Rows { cells: vec![cell("a", "a", Some("m")), cell("b", "b", Some("m"))], episodes: vec![] };
    for (run, (first, second)) in
        [(-150_000, -150_001), (-13_140, -13_060), (-13_149, -13_151), (-50, 0)].into_iter().enumerate()
    {
        rows.episodes.push(episode("a", run as u32, first, 1, 1));
        rows.episodes.push(episode("b", run as u32, second, 1, 1));
    }
    let analysis = Analysis::new(&rows, &against("b")).unwrap();
    assert_eq!(analysis.cells[0].catastrophic.unwrap().count, 0);
    assert_eq!(analysis.cells[1].catastrophic.unwrap().count, 1);
    let outcome = analysis.comparisons[0].paired.unwrap().outcome;
    // -150.0/-150.0 tie, -13.1/-13.1 tie, -13.1/-13.2 win, -0.1/0.0 loss.
    assert_eq!((outcome.wins, outcome.ties, outcome.losses), (1, 2, 1));
}

/// Several episodes of one seed are averaged before pairing; seeds of one side alone take no part.
// covers: BOG-168
#[test]
fn duplicates_are_averaged_before_pairing() {
    let mut rows = Rows { cells: vec![cell("a", "a", Some("m")), cell("b", "b", Some("m"))], episodes: vec![] };
    rows.episodes = vec![
        episode("a", 0, -10_000, 1, 1),
        episode("a", 0, -30_000, 1, 1),
        episode("a", 1, -40_000, 1, 1),
        episode("a", 2, -99_000, 1, 1),
        episode("b", 0, -50_000, 1, 1),
        episode("b", 1, -60_000, 1, 1),
    ];
    let analysis = Analysis::new(&rows, &against("b")).unwrap();
    let paired = analysis.comparisons[0].paired.unwrap();
    assert_eq!((paired.difference.n, paired.unmatched), (2, 1));
    near(paired.difference.mean, (30.0 + 20.0) / 2.0);
    near(analysis.cells[0].returns.unwrap().mean, -44.75);
    assert_eq!(analysis.cells[0].rpts_interval, None, "no interval of a ratio over unmatched seeds");
    // Two seeds have no interval, so that nothing is said of zero.
    assert_eq!((paired.difference.interval(), paired.excludes_zero), (None, None));
}

/// One episode: no SD, no interval, no NaN anywhere; two equal ones: no interval of no width either.
// covers: BOG-167
#[test]
fn few_or_equal_episodes_stay_honest() {
    let mut rows = Rows {
        cells: vec![cell("a", "a", Some("m")), cell("b", "b", Some("m")), cell("c", "c", Some("m"))],
        episodes: vec![],
    };
    rows.episodes =
        vec![episode("a", 0, -13_100, 100, 10), episode("b", 0, -13_100, 100, 10), episode("b", 1, -13_100, 100, 10)];
    let analysis = Analysis::new(&rows, &against("a")).unwrap();
    let one = analysis.cells[0].returns.unwrap();
    assert_eq!((one.sd, one.interval()), (None, None));
    let equal = analysis.cells[1].returns.unwrap();
    assert_eq!((equal.sd, equal.half_width), (Some(0.0), None));
    assert_eq!(analysis.cells[2].returns, None);
    for table in tables::all(&analysis) {
        for text in [table.to_text(120), table.to_markdown(), table.to_csv(), table.to_json().to_string()] {
            assert!(
                !text.contains("NaN")
                    && !text.contains("inf,")
                    && !text.contains("null,null,null,null,null,null,null,null,null,null,null,null"),
                "{text}"
            );
        }
    }
    insta::assert_snapshot!(tables::main(&analysis).to_text(120));
}

/// Losses to infrastructure are counted apart and touch no metric.
#[test]
fn infrastructure_is_no_outcome() {
    let rows = study();
    let mut lossy = rows.clone();
    for cell in rows.cells.iter().take(2) {
        let lost = EpisodeRow {
            infrastructure: true,
            stop: Stop::Infrastructure,
            unknown_attempts: 1,
            ..episode(&cell.id, 77, -225_000, 90_000, 5)
        };
        lossy.episodes.push(lost);
    }
    let (clean, with_losses) = (
        Analysis::new(&rows, &against("observation")).unwrap(),
        Analysis::new(&lossy, &against("observation")).unwrap(),
    );
    assert_eq!(tables::main(&clean), tables::main(&with_losses));
    assert_eq!(tables::paired(&clean), tables::paired(&with_losses));
    assert_eq!(with_losses.cells[0].infrastructure, 1);
    assert_eq!(with_losses.cells[0].unknown_attempts, 1);
    assert!(tables::gaps(&clean).is_none());
    let gaps = tables::gaps(&with_losses).unwrap();
    assert_eq!(gaps.rows.len(), 2);
}

/// An episode that met trouble on its way is told from one that did not.
// covers: BOG-047
#[test]
fn failed_calls_are_counted_by_kind_and_their_episodes_flagged() {
    let mut rows = study();
    assert!(tables::failures(&Analysis::new(&rows, &against("observation")).unwrap()).is_none());
    let cell = rows.cells[0].id.clone();
    let mut of_cell: Vec<&mut EpisodeRow> = rows.episodes.iter_mut().filter(|row| row.cell == cell).collect();
    of_cell[0].refusals = 3;
    of_cell[1].truncations = 2;
    of_cell[1].bad_shapes = 1;
    of_cell[2].outages = 4;
    of_cell[2].turned_down = 5;
    (of_cell[2].unknown_attempts, of_cell[2].infrastructure) = (1, true);
    assert_eq!(of_cell.iter().filter(|row| row.is_flagged()).count(), 3);
    let table = tables::failures(&Analysis::new(&rows, &against("observation")).unwrap()).unwrap();
    assert_eq!(table.rows.len(), 1);
    let counts = [3, 2, 1, 4, 5, 1, 3].map(gimbal_analysis::Cell::count);
    assert_eq!(table.rows[0][table.rows[0].len() - 7..], counts);
}

/// The fallback's calls are not attempts of the model, and a refusal is one that failed.
// covers: BOG-165, BOG-225
#[test]
fn the_invalid_rate_is_of_the_models_own_attempts() {
    let rate = |change: &dyn Fn(&mut EpisodeRow)| {
        let mut row = episode("a", 0, -10_000, 1, 1);
        change(&mut row);
        let rows = Rows { cells: vec![cell("a", "a", Some("m"))], episodes: vec![row] };
        let analysis = Analysis::new(&rows, &Options::default()).unwrap();
        (analysis.cells[0].invalid.share(), tables::main(&analysis))
    };
    let play = |tool_calls: u32, rejected: u32, failed: u32, fallbacks: u32| {
        rate(&move |row| {
            (row.tool_calls, row.rejected_calls) = (tool_calls, rejected);
            (row.failed_attempts, row.fallbacks) = (failed, fallbacks);
        })
    };
    // 30 steps of three rejected attempts and a fallback each: nothing that the model did was valid.
    assert_eq!(play(120, 90, 0, 30).0, Some(1.0));
    assert_eq!(play(40, 10, 0, 0).0, Some(0.25));
    // 30 steps of three refusals each: no call of the model's at all.
    assert_eq!(play(30, 0, 90, 30).0, Some(1.0));
    assert_eq!(play(35, 5, 10, 0).0, Some(15.0 / 45.0));
    // A record without the count of refusals: nothing is known, and no 0.0% is claimed.
    let (share, table) = play(30, 0, 0, 30);
    assert_eq!(share, None);
    assert!(!table.to_text(200).contains(" 0.0%"), "{}", table.to_text(200));
    // A fallback that a budget barred was never called.
    assert_eq!(play(6, 5, 0, 2).0, Some(1.0));
}

/// What a lost episode was billed is billed all the same.
// covers: BOG-161
#[test]
fn lost_episodes_are_on_the_bill() {
    let priced = |row: EpisodeRow, micro: u64| EpisodeRow { cost_microdollars: Some(micro), ..row };
    let mut rows = Rows { cells: vec![cell("a", "a", Some("m")), cell("b", "b", Some("m"))], episodes: vec![] };
    let lost = |row: EpisodeRow| EpisodeRow { infrastructure: true, stop: Stop::Infrastructure, ..row };
    rows.episodes = vec![
        priced(episode("a", 0, -1_000, 900, 100), 2_000),
        lost(priced(episode("a", 1, 0, 400, 50), 1_000)),
        lost(priced(episode("b", 0, 0, 70, 7), 500)),
    ];
    let analysis = Analysis::new(&rows, &Options::default()).unwrap();
    let [a, b] = analysis.cells.as_slice() else { panic!("two cells") };
    assert_eq!((a.billed.total(), b.billed.total()), (1_450, 77));
    near(a.cost_total.unwrap(), 0.003);
    near(a.cost.unwrap().mean, 0.002);
    near(b.cost_total.unwrap(), 0.000_5);
    assert_eq!(a.called.total(), 1_000, "efficiency sees the counted episode alone");
    let csv = read_csv(&tables::spread(&analysis).to_csv());
    let field = |row: usize, key: &str| csv[row][csv[0].iter().position(|name| name == key).unwrap()].clone();
    assert_eq!((field(1, "billed_tokens"), field(1, "cost_total")), ("1450".to_owned(), "0.003".to_owned()));
    rows.episodes[1].cost_microdollars = None;
    assert_eq!(Analysis::new(&rows, &Options::default()).unwrap().cells[0].cost_total, None);
}

/// The baseline is looked up within environment, model and decoding; a policy is compared with each model's baseline.
// covers: ARES-080, BOG-163, BOG-168
#[test]
fn each_model_has_its_own_baseline() {
    let analysis = Analysis::new(&study(), &against("observation")).unwrap();
    let pairs: Vec<(usize, usize)> = analysis.comparisons.iter().map(|entry| (entry.cell, entry.against)).collect();
    assert_eq!(pairs, [(1, 0), (2, 0), (4, 3), (5, 3), (6, 0), (6, 3)]);
    assert_eq!(analysis.baseline_of, [None, Some(0), Some(0), None, Some(3), Some(3), None]);
    let sleep = Analysis::new(&study(), &against("sleep")).unwrap();
    assert!(sleep.comparisons.iter().all(|entry| entry.against == 6) && sleep.comparisons.len() == 6);
    let one = Options { baseline: Some(BaselineChoice::Cell("beta/small/0".into())), ..Options::default() };
    assert_eq!(Analysis::new(&study(), &one).unwrap().comparisons.len(), 6);
}

/// A policy has no model in the paired table either; the baseline that it is measured against is shown beside it.
#[test]
fn a_policy_is_paired_under_its_own_name() {
    let analysis = Analysis::new(&study(), &against("observation")).unwrap();
    let table = tables::paired(&analysis).unwrap();
    let csv = read_csv(&table.to_csv());
    let field = |row: usize, key: &str| csv[row][csv[0].iter().position(|name| name == key).unwrap()].clone();
    for (row, model) in [(5, "alpha/large"), (6, "beta/small")] {
        assert_eq!(
            [field(row, "configuration"), field(row, "model"), field(row, "decoding")],
            ["sleep", "none", "none"]
        );
        assert_eq!(
            (field(row, "against_model"), field(row, "against_decoding")),
            (model.to_owned(), "free".to_owned())
        );
    }
    assert!(table.to_text(200).contains("observation · beta/small · free"));
    let mut alone = study();
    alone.cells.truncate(6);
    alone.episodes.retain(|row| row.cell != "sleep");
    let table = tables::paired(&Analysis::new(&alone, &against("observation")).unwrap()).unwrap();
    assert!(!table.to_text(200).contains(" · ") && table.to_csv().contains("against_model"));
}

/// A free and a constrained cell of one model are not rivals: each decoding has a frontier of its own.
// covers: BOG-172
#[test]
fn a_frontier_never_mixes_decodings() {
    let free = |id: &str| cell(id, id, Some("m"));
    let masked = |id: &str| CellInfo { decoding: CellDecoding::Constrained, ..free(id) };
    let rows = Rows {
        cells: vec![free("a"), free("b"), masked("c"), masked("d")],
        episodes: (0..3)
            .flat_map(|run| {
                let more = i64::from(run) * 1_000;
                [
                    episode("a", run, -100_000 - more, 9_000, 100),
                    episode("b", run, -110_000 - more, 9_500, 100),
                    // Cheaper and better than both free ones.
                    episode("c", run, -50_000 - more, 4_000, 100),
                    episode("d", run, -60_000 - more, 4_500, 100),
                ]
            })
            .collect(),
    };
    let analysis = Analysis::new(&rows, &Options::default()).unwrap();
    let efficient: Vec<Option<bool>> = analysis.cells.iter().map(|cell| cell.efficient).collect();
    assert_eq!(efficient, [Some(true), Some(false), Some(true), Some(false)]);
}

#[test]
fn what_cannot_be_answered_is_said_with_place_and_mend() {
    let rows = study();
    let message = |rows: &Rows, options: &Options| Analysis::new(rows, options).unwrap_err().to_string();
    insta::assert_snapshot!(message(&rows, &against("obsrvation")));
    let mut stray = rows.clone();
    stray.episodes[3].cell = "elsewhere".into();
    insta::assert_snapshot!(message(&stray, &Options::default()));
    let twice = Rows { cells: vec![CellInfo { ..cell("a", "x", None) }; 2], episodes: vec![] };
    assert_eq!(
        Analysis::new(&twice, &Options::default()).unwrap_err(),
        AnalysisError::DuplicateCell { cell: "a".into() }
    );
    let odd = Options { confidence: 95.0, ..Options::default() };
    insta::assert_snapshot!(message(&rows, &odd));
}

/// Forecasts of a known reliability table.
// covers: SH-07
#[test]
fn calibration_by_hand() {
    let forecast = |stated, happened| Forecast { stated, happened };
    let list =
        [forecast(0.9, true), forecast(0.8, true), forecast(0.7, false), forecast(0.1, false), forecast(0.2, true)];
    near(brier(&list).unwrap(), (0.01 + 0.04 + 0.49 + 0.01 + 0.64) / 5.0);
    let bins = reliability(&list, 2, 0.95);
    assert_eq!(bins.iter().map(|bin| (bin.observed.count, bin.observed.of)).collect::<Vec<_>>(), [(1, 2), (2, 3)]);
    near(expected_calibration_error(&list, 2).unwrap(), (2.0 * 0.35 + 3.0 * (0.8 - 2.0 / 3.0)) / 5.0);
    assert_eq!(brier(&[forecast(1.2, true)]), None);
    assert_eq!(brier(&[]), None);
}

/// One value has no spread, and two say little of it: tables, and what figures are drawn from, have a dash. From three on an interval
/// and the mark of efficiency are there.
// covers: BOG-167, BOG-172
#[test]
fn fewer_than_three_episodes_have_no_interval_and_no_mark() {
    let play = |episodes: u32| {
        let cells = vec![cell("a", "a", Some("m")), cell("b", "b", Some("m"))];
        let rows = (0..episodes).flat_map(|run| {
            let more = i64::from(run) * 1_000;
            [
                episode("a", run, -100_000 - more, 10_000 + u64::from(run), 1_000),
                episode("b", run, -50_000 - 2 * more, 20_000 + u64::from(run), 1_000),
            ]
        });
        Analysis::new(&Rows { cells, episodes: rows.collect() }, &against("a")).unwrap()
    };
    for episodes in 1..=4 {
        let analysis = play(episodes);
        let told = episodes >= 3;
        for cell in &analysis.cells {
            assert_eq!(cell.returns.unwrap().interval().is_some(), told, "{episodes}");
            assert_eq!(cell.tokens.unwrap().interval().is_some(), told, "{episodes}");
            assert_eq!(cell.catastrophic.unwrap().told().is_some(), told, "{episodes}");
            assert_eq!(cell.efficient, told.then_some(true), "{episodes}");
        }
        assert_eq!(analysis.comparisons[0].paired.unwrap().difference.interval().is_some(), told, "{episodes}");
        let main = tables::main(&analysis);
        let at = |key: &str| main.columns.iter().position(|column| column.key == key).unwrap();
        for key in ["ci", "pareto"] {
            assert_eq!(*main.cell(0, at(key)) == Cell::Empty, !told, "{key} of {episodes}");
        }
        let spread = tables::all(&analysis).into_iter().find(|table| table.key == "spread").unwrap();
        for (place, column) in spread.columns.iter().enumerate() {
            let interval = matches!(column.kind, gimbal_analysis::ColumnKind::Interval(_));
            assert!(told || !interval || *spread.cell(0, place) == Cell::Empty, "{} of {episodes}", column.key);
        }
        let legend = main.notes.iter().any(|note| note.contains("Fewer than 3 episodes have no interval"));
        assert_eq!(legend, !told, "{:?}", main.notes);
    }
}

/// Three of three won would have the interval from 1 to 1. Equal returns measure no spread, however many they are: a dash and a note.
/// Such a cell has no mark, and takes that of others as it did.
// covers: BOG-167, BOG-172
#[test]
fn equal_returns_have_no_interval_and_no_mark() {
    for episodes in [3, 50] {
        let cells = vec![cell("a", "a", Some("m")), cell("b", "b", Some("m")), cell("c", "c", Some("m"))];
        let rows = (0..episodes).flat_map(|run| {
            let more = i64::from(run % 3) * 1_000;
            [
                episode("a", run, -50_000, 10_000, 1_000),
                episode("b", run, -60_000 - more, 20_000 + u64::from(run), 1_000),
                episode("c", run, -10_000 - more, 30_000 + u64::from(run), 1_000),
            ]
        });
        let analysis = Analysis::new(&Rows { cells, episodes: rows.collect() }, &against("a")).unwrap();
        let [same, worse, better] = &analysis.cells[..] else { panic!("three cells") };
        assert!(same.returned_the_same() && !worse.returned_the_same());
        assert_eq!((same.returns.unwrap().interval(), same.efficient), (None, None), "{episodes}");
        assert_eq!((worse.efficient, better.efficient), (Some(false), Some(true)), "{episodes}");
        assert!(worse.returns.unwrap().interval().unwrap().width() > 0.0);
        let main = tables::main(&analysis);
        let at = |key: &str| main.columns.iter().position(|column| column.key == key).unwrap();
        assert_eq!((main.cell(0, at("ci")), main.cell(0, at("pareto"))), (&Cell::Empty, &Cell::Empty));
        assert_eq!(*main.cell(0, at("sd")), Cell::Number(0.0), "what was seen is shown");
        for table in [&main, &tables::essential(&main, &analysis)] {
            assert!(
                table.notes.iter().any(|note| note.contains("equal returns measure no spread")),
                "{:?}",
                table.notes
            );
        }
    }
}

/// A study may have thousands of cells: a screen shows the first, and counts the others. What all rows share is still of all rows.
#[test]
fn a_long_table_is_cut_and_the_rest_is_counted() {
    let cells = (0..7).map(|number| cell(&format!("c{number}"), &format!("c{number}"), Some("m"))).collect();
    let mut rows = Rows { cells, episodes: vec![episode("c0", 0, -50_000, 10_000, 1_000)] };
    rows.cells[6].models[0].model = "other".to_owned();
    let main = tables::main(&Analysis::new(&rows, &Options::default()).unwrap());
    let cut = main.to_text_of(120, 4);
    assert!(cut.contains("\nc3 ") && !cut.contains("\nc4 ") && cut.contains("… and 3 more rows\n"), "{cut}");
    assert!(!cut.contains("all rows: Model: m"), "the last row has another model: {cut}");
    assert!(main.to_text_of(120, 6).contains("… and 1 more row\n"));
    assert_eq!(main.to_text_of(120, 7), main.to_text(120));
}

/// One long episode that the fallback played does not make nine of the model's own no measurement, nor do many short ones
/// of the fallback's hide behind a long one of the model's: the mean over episodes decides.
// covers: BOG-172
#[test]
fn no_cell_is_called_efficient_beside_a_better_one_without_a_mark() {
    let constrained = |id: &str| CellInfo { decoding: CellDecoding::Constrained, ..cell(id, id, Some("m")) };
    let cells = vec![cell("free", "free", Some("m")), constrained("masked"), constrained("dear")];
    let episodes = (0..10).flat_map(|run| {
        let miss = if run == 3 { 0 } else { 1_000 };
        [
            // All its returns are equal: it has no mark, and takes that of the second.
            episode("free", run, 1_000, 1_000, 100),
            episode("masked", run, miss, 2_000, 100),
            episode("dear", run, miss - 1_000, 3_000, 100),
        ]
    });
    let analysis = |episodes: Vec<EpisodeRow>| {
        Analysis::new(&Rows { cells: cells.clone(), episodes }, &Options::default()).unwrap()
    };
    let efficient = |analysis: &Analysis| analysis.cells.iter().map(|cell| cell.efficient).collect::<Vec<_>>();
    let episodes: Vec<EpisodeRow> = episodes.collect();
    assert_eq!(efficient(&analysis(episodes.clone())), [None, None, Some(false)]);
    // Dearer, the free one takes nothing.
    let dearer = episodes.into_iter().map(|row| match row.cell.as_str() {
        "free" => episode("free", row.run, 1_000, 9_000, 100),
        _ => row,
    });
    assert_eq!(efficient(&analysis(dearer.collect())), [None, Some(true), Some(false)]);
}

/// 9 of 10 solved: the t interval alone would reach beyond a rate of 1.
// covers: BOG-167
#[test]
fn intervals_stay_within_what_a_return_can_be() {
    let bounded = |least_return, most_return| {
        let thresholds = Thresholds { least_return, most_return, ..Thresholds::default() };
        let cells = ["a", "b"].map(|id| CellInfo { thresholds, ..cell(id, id, Some("m")) });
        let rows = (0..10).flat_map(|run| {
            [
                episode("a", run, 1_000 * i64::from(run != 3), 1_000, 100),
                episode("b", run, 1_000 * i64::from(run == 3), 10, 1),
            ]
        });
        let rows = Rows { cells: cells.to_vec(), episodes: rows.collect() };
        let options = Options { baseline: Some(BaselineChoice::Cell("b".to_owned())), ..Options::default() };
        let analysis = Analysis::new(&rows, &options).unwrap();
        let is_cut = gimbal_analysis::interval_note(&analysis).contains("end where a return cannot lie");
        assert_eq!(is_cut, least_return.is_some());
        let paired = analysis.comparisons[0].paired.unwrap().difference.interval().unwrap();
        (
            analysis.cells[0].returns.unwrap().interval().unwrap(),
            analysis.cells[1].returns.unwrap().interval().unwrap(),
            paired,
        )
    };
    let (high, low, apart) = bounded(Some(0), Some(1_000));
    assert_eq!((high.high, low.low, apart.high), (1.0, 0.0, 1.0));
    let (free, _, _) = bounded(None, None);
    assert!(free.high > 1.0 && free.low == high.low);
    // What was returned beyond a bound shows that it is none.
    assert!(bounded(Some(0), Some(900)).0.high > 1.0);
}

// covers: BOG-225
#[test]
fn whether_a_model_acted_is_decided_by_the_mean_over_episodes() {
    let acted = |plays: &[(u32, u32, u32)]| {
        let rows = plays.iter().zip(0..).map(|((steps, fallbacks, episodes), group)| {
            (0..*episodes).map(move |run| EpisodeRow {
                steps: *steps,
                fallbacks: *fallbacks,
                tool_calls: *steps,
                rejected_calls: 0,
                failed_attempts: 0,
                ..episode("a", 100 * group + run, -10_000, 1_000, 100)
            })
        });
        let rows = Rows { cells: vec![cell("a", "a", Some("m"))], episodes: rows.flatten().collect() };
        Analysis::new(&rows, &Options::default()).unwrap()
    };
    // 200 of 245 steps are the fallback's, and nine of ten episodes are the model's.
    let long = acted(&[(200, 200, 1), (5, 0, 9)]);
    assert!(!long.cells[0].hardly_acted() && long.cells[0].fallback.share().unwrap() > 0.8);
    // 9 of 209 steps are the fallback's, and nine of ten episodes are.
    let short = acted(&[(200, 0, 1), (1, 1, 9)]);
    assert!(short.cells[0].hardly_acted() && short.cells[0].fallback.share().unwrap() < 0.1);
    // At the threshold, and in episodes without a step there is nothing to count.
    assert!(acted(&[(10, 5, 3)]).cells[0].hardly_acted() && !acted(&[(10, 4, 3)]).cells[0].hardly_acted());
    assert!(acted(&[(10, 5, 3), (0, 0, 5)]).cells[0].hardly_acted());
    // An episode in which models were asked and no tool was called was not acted in.
    let silent = acted(&[(10, 0, 3), (0, 0, 3)]);
    assert_eq!((silent.cells[0].fallback_mean, silent.cells[0].without_call.count), (Some(0.5), 3));
    assert!(silent.cells[0].hardly_acted() && !acted(&[(10, 0, 4), (0, 0, 3)]).cells[0].hardly_acted());
}
