//! The named figures: complete, inside their frames, the same bytes for the same rows, honest about gaps.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::support;

use gimbal_analysis::profile::Traces;
use gimbal_analysis::{Analysis, Rows};
use gimbal_bog::{Bog, protocol};
use gimbal_view::Output;
use proptest::prelude::*;
use support::drawn::drawing::{check, words, wrong};
use support::published;

fn drawn(rows: &Rows, traces: Option<&Traces>) -> Vec<Output> {
    let analysis = Analysis::new(rows, &support::drawn::options_without()).unwrap();
    support::figures(rows, &analysis, traces.unwrap_or(&Traces::default()))
}

/// A file that is alone says what its intervals are, and whatever else its caption says.
// covers: BOG-193, BOG-194, BOG-195
#[test]
fn a_figure_alone_names_its_intervals() {
    let rows = published::study("cage2 b_line 30");
    let traces = published::traces(&rows);
    for output in drawn(&rows, Some(&traces)) {
        let alone = words(&output.figure.alone);
        let caption = output.figure.caption.split_whitespace().collect::<Vec<_>>().join(" ");
        let escaped = caption
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;")
            .replace('\'', "&#39;");
        assert!(alone.contains(&escaped), "{}: {escaped}\n{alone}", output.key);
        let whiskers = ["f2", "f3", "f6", "f7", "f8", "f9", "f10", "f12", "f13", "f14", "f17", "f26"];
        if whiskers.contains(&output.key) {
            assert!(alone.contains("95% Student t interval"), "{}: {alone}", output.key);
        }
        if ["f5", "f18", "f25", "f29"].contains(&output.key) {
            assert!(alone.contains("95% Wilson interval"), "{}: {alone}", output.key);
        }
    }
}

/// A ratio of returns says something about degradation where both are penalties, and nowhere else.
// covers: BOG-170
#[test]
fn gains_have_no_degradation_ratio() {
    let mut rows = published::study("cage2 b_line 30");
    let f3 = |rows: &Rows| {
        let figure = drawn(rows, None).into_iter().find(|output| output.key == "f3").unwrap().figure;
        (words(&figure.svg), figure.caption)
    };
    let (svg, caption) = f3(&rows);
    assert!(svg.contains(", ×") && caption.contains("above 1 is worse"), "{caption}");
    for row in &mut rows.episodes {
        row.return_thousandths = row.return_thousandths.abs() + 1_000;
    }
    let (svg, caption) = f3(&rows);
    assert!(!svg.contains('×') && caption.contains("No degradation ratio"), "{caption}\n{svg}");
}

/// Long names of models that differ at their ends stay apart in every figure that cuts them.
#[test]
fn long_names_of_models_stay_apart() {
    let mut rows = published::study("cage2 b_line 30");
    let names = ["noisy/0.9,malformed=0.05,overconfident=0.2", "noisy/0.9,malformed=0.05,overconfident=0.4"];
    for (model, name) in ["Grok", "Qwen"].into_iter().zip(names) {
        for role in rows.cells.iter_mut().flat_map(|cell| &mut cell.models).filter(|role| role.model == model) {
            role.model = name.to_owned();
        }
    }
    let traces = published::traces(&rows);
    for output in drawn(&rows, Some(&traces)) {
        if !["f2", "f3", "f4", "f11", "f19", "f20", "f28"].contains(&output.key) {
            continue;
        }
        let svg = words(&output.figure.svg);
        for end in ["=0.2", "=0.4"] {
            assert!(svg.contains(end), "{} loses `{end}`: {svg}", output.key);
        }
    }
}

/// Every point of the frontiers has a name, beside it or beneath; a model without a point is named in the caption.
// covers: BOG-172, BOG-193
#[test]
fn frontiers_name_every_configuration_and_every_model() {
    let mut rows = published::study("cage2 b_line 30");
    // All on one spot: there is no room for twelve names.
    for row in &mut rows.episodes {
        row.return_thousandths = -50_000 - i64::from(row.run) * 10;
        row.usage.truncate(1);
        row.usage.iter_mut().for_each(|usage| usage.called.input = 5_000);
    }
    rows.episodes.retain(|row| !row.cell.contains("Llama"));
    let outputs = drawn(&rows, None);
    let f4 = &outputs.iter().find(|output| output.key == "f4").unwrap().figure;
    let svg = words(&f4.svg);
    let models = 5;
    for name in protocol().configurations() {
        let places = svg.split_whitespace().filter(|word| word.trim_end_matches(',') == name).count();
        // Names beside points are written twice: once as their own halo.
        assert!(places >= models, "{name}: {places}\n{svg}");
    }
    assert!(f4.caption.contains("Not drawn, since no episode with tokens counts: Llama"), "{}", f4.caption);
    assert!(wrong(&f4.svg).is_none(), "{:?}", wrong(&f4.svg));
}

/// Ranks of two models leave their axis room for its name.
// covers: BOG-194
#[test]
fn few_ranks_do_not_cut_the_name_of_their_axis() {
    let two = published::only(published::study("cage2 b_line 30"), |cell| {
        cell.models.iter().all(|role| ["Grok", "Qwen"].contains(&role.model.as_str()))
    });
    let outputs = drawn(&two, None);
    let svg = words(&outputs.iter().find(|output| output.key == "f20").unwrap().figure.svg);
    assert!(svg.contains("rank (1: highest mean return)"), "{svg}");
    let f22 = &outputs.iter().find(|output| output.key == "f22").unwrap().figure;
    assert!(!words(&f22.svg).contains('±') && f22.caption.contains("fewer than 4 models"), "{}", f22.caption);
}

// covers: BOG-193, BOG-194, BOG-195
#[test]
fn a_whole_study_has_all_twenty_nine_figures() {
    let keys: Vec<String> = support::testing::drawings(&Bog).map(|figure| figure.key.to_owned()).collect();
    assert_eq!(keys, (1..=29).map(|number| format!("f{number}")).collect::<Vec<_>>());
    let rows = published::study("cage2 b_line 30");
    let traces = published::traces(&rows);
    let outputs = drawn(&rows, Some(&traces));
    assert_eq!(outputs.len(), 29);
    for output in &outputs {
        assert_eq!(output.missing, None, "{}", output.file);
        assert_eq!(output.file, output.key);
    }
    check(&outputs, "whole");
    // Intervals stand where means do.
    let svg = |key: &str| &outputs.iter().find(|output| output.key == key).unwrap().figure.svg;
    for key in ["f3", "f6", "f8", "f10", "f12", "f13", "f14", "f17", "f26"] {
        assert!(svg(key).matches("<line").count() > 20, "{key} has whiskers");
    }
    for (_, model) in [("", "Grok"), ("", "G2.5FL")] {
        for key in ["f2", "f3", "f17", "f20", "f29"] {
            assert!(svg(key).contains(model), "{key} names {model}");
        }
    }
    // The same rows in another order give the same bytes.
    let mut turned = rows.clone();
    turned.episodes.reverse();
    assert_eq!(drawn(&turned, Some(&traces)), outputs);
}

/// One model, one episode a cell, two episodes, missing cells, another protocol's labels: every figure is drawn or says
/// what is missing, and never a number that was not measured.
// covers: BOG-193, BOG-194, BOG-195
#[test]
fn what_a_run_lacks_is_said_and_not_filled_in() {
    let whole = || published::study("cage2 b_line 30");
    let one = published::only(whole(), |cell| cell.models.iter().all(|role| role.model == "Qwen"));
    let outputs = drawn(&one, None);
    check(&outputs, "one model");
    let missing: Vec<&str> =
        outputs.iter().filter(|output| output.missing.is_some()).map(|output| output.key).collect();
    assert_eq!(missing, ["f19", "f20"]);
    let single = drawn(&published::at_most(whole(), 1), None);
    check(&single, "one episode");
    let f3 = &single.iter().find(|output| output.key == "f3").unwrap().figure.svg;
    assert!(!f3.contains(" ± "), "one episode has no interval");
    check(&drawn(&published::at_most(whole(), 2), None), "two episodes");
    let gaps = published::only(whole(), |cell| {
        let model = cell.models.first().map_or("", |role| role.model.as_str());
        !matches!((model, cell.configuration.as_str()), ("Grok", "hist+net" | "obs") | ("Llama", "hier-delib"))
    });
    let gaps = drawn(&gaps, None);
    check(&gaps, "gaps");
    let f3 = &gaps.iter().find(|output| output.key == "f3").unwrap().figure.svg;
    assert!(f3.contains("not played"));
    check(&drawn(&support::drawn::quickstart(), None), "other labels");
    check(&drawn(&support::drawn::decodings(), None), "other labels, two decodings");
    let empty = Rows { episodes: Vec::new(), ..whole() };
    let empty = drawn(&empty, None);
    check(&empty, "no episodes");
    let said = empty.iter().filter(|output| output.missing.is_some()).count();
    assert!(said >= 27, "{said} of 29 say what is missing");
}

// covers: BOG-193, BOG-194, BOG-195
#[test]
fn several_environments_have_a_figure_each() {
    let rows = published::two_environments();
    let traces = published::traces(&rows);
    let outputs = drawn(&rows, Some(&traces));
    assert_eq!(outputs.len(), 58);
    check(&outputs, "two environments");
    let files: std::collections::BTreeSet<&str> = outputs.iter().map(|output| output.file.as_str()).collect();
    assert_eq!(files.len(), 58);
    assert!(files.contains("f3-cage2-b-line-30") && files.contains("f3-yawning-titan-default-30"));
}

/// Small figures byte by byte.
// covers: BOG-193, BOG-194
#[test]
fn small_figures_stay_as_they_are() {
    let small = published::only(published::at_most(published::study("cage2 b_line 30"), 5), |cell| {
        cell.models.iter().all(|role| ["Devstral", "G3FP"].contains(&role.model.as_str()))
            && ["hist+net", "+COT", "hier-base", "hier-delib"].contains(&cell.configuration.as_str())
    });
    let outputs = drawn(&small, None);
    for key in ["f3", "f13", "f18", "f29"] {
        let output = outputs.iter().find(|output| output.key == key).unwrap();
        insta::assert_snapshot!(key, output.figure.svg);
    }
}

prop_compose! {
    /// Cells of the protocol and others, with strange names and any returns and tokens.
    fn any_rows()(
        cells in prop::collection::vec((0..14_usize, 0..4_usize, 0..6_usize), 1..24),
        names in prop::collection::vec("[ -~]{1,40}", 4),
        draws in prop::collection::vec((-400_000..50_000_i64, 0..600_000_u64), 24 * 6),
    ) -> Rows {
        let labels = protocol().configurations();
        let mut rows = Rows::default();
        let mut draws = draws.into_iter();
        for (label, model, episodes) in cells {
            let configuration = labels.get(label).copied().unwrap_or("a label of one's own <&>");
            let id = format!("{configuration} {model}");
            if rows.cells.iter().any(|cell| cell.id == id) {
                continue;
            }
            let name = format!("{}{model}", names[model]);
            rows.cells.push(support::drawn::cell(&id, configuration, "any", Some(&name)));
            for run in 0..episodes {
                let (value, tokens) = draws.next().unwrap();
                rows.episodes.push(support::drawn::episode(&id, run as u32, value, tokens, 1));
            }
        }
        rows
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever was played and whatever it is called, every figure is whole and inside its frame.
    // covers: BOG-193, BOG-194, BOG-195
    #[test]
    fn every_figure_of_any_rows_is_whole(rows in any_rows(), with_traces in any::<bool>()) {
        let traces = with_traces.then(|| published::traces(&rows));
        for output in drawn(&rows, traces.as_ref()) {
            let wrong = wrong(&output.figure.svg);
            prop_assert!(wrong.is_none(), "{}: {}", output.file, wrong.unwrap_or_default());
        }
    }
}
