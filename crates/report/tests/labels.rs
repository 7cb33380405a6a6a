//! The labels of every figure: none covers another, none leaves its picture, none is cut without telling the whole.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::cyclic;
use crate::support;

use gimbal_analysis::{Analysis, Rows};
use gimbal_cyc::cyclic::Cycles;
use gimbal_cyc::routing_cost::{Line, Point, draw};
use gimbal_view::Output;
use gimbal_view::Report;
use support::drawn::drawing::{check, crowded, labels, wrong};
use support::published;

const ENVIRONMENT: &str = "cage2 b_line 30";

/// Models of one make whose names are long and differ at their ends.
fn long(number: usize) -> String {
    format!("provider-of-models/instruct-tuned-{}b-preview-2026-{number:02},temperature=0.{number}", 7 * (number + 1))
}

/// The published study under long names of models, configurations left as the protocol calls them.
fn renamed(mut rows: Rows) -> Rows {
    let mut known: Vec<String> = Vec::new();
    for role in rows.cells.iter_mut().flat_map(|cell| &mut cell.models) {
        let number = known.iter().position(|name| *name == role.model).unwrap_or_else(|| {
            known.push(role.model.clone());
            known.len() - 1
        });
        role.model = long(number);
    }
    rows
}

/// Twice as many models.
fn many() -> Rows {
    let mut rows = published::study(ENVIRONMENT);
    let mut second = published::study(ENVIRONMENT);
    second.cells.retain(|cell| !cell.models.is_empty());
    for cell in &mut second.cells {
        cell.id.push_str(" again");
        cell.models.iter_mut().for_each(|role| role.model.push_str("-turbo-preview"));
    }
    second.episodes.iter_mut().for_each(|row| row.cell = format!("{} again", row.cell).into());
    second.episodes.retain(|row| second.cells.iter().any(|cell| cell.id == row.cell));
    rows.cells.extend(second.cells);
    rows.episodes.extend(second.episodes);
    rows
}

/// Every study that is drawn here: many cells, long labels, few cells, one cell, one episode.
fn studies() -> Vec<(&'static str, Rows)> {
    let whole = || published::study(ENVIRONMENT);
    let one = |cell: &gimbal_analysis::CellInfo| {
        cell.configuration == "hist+net" && cell.models.iter().any(|role| role.model == "Grok")
    };
    vec![
        ("whole", whole()),
        ("many", many()),
        ("long names", renamed(whole())),
        ("many long names", renamed(many())),
        ("one model", published::only(whole(), |cell| cell.models.iter().all(|role| role.model == "Devstral"))),
        ("two models", published::only(whole(), |cell| cell.models.iter().all(|role| role.model.starts_with("G2.5")))),
        ("one cell", published::only(whole(), one)),
        ("one episode", published::at_most(published::only(whole(), one), 1)),
        ("two episodes a cell", published::at_most(whole(), 2)),
        ("two environments", published::two_environments()),
        ("large", support::drawn::large()),
        ("medium", support::drawn::medium()),
        ("quickstart", support::drawn::quickstart()),
        ("decodings", support::drawn::decodings()),
        ("long numbers", deep(published::study(ENVIRONMENT))),
    ]
}

/// What is wrong with a picture. Where the variable `GIMBAL_FIGURES` names a folder, the picture is written there too, to be
/// looked at.
fn faults(study: &str, name: &str, svg: &str) -> Vec<String> {
    if let Some(folder) = std::env::var_os("GIMBAL_FIGURES") {
        let folder = std::path::Path::new(&folder).join(study.replace(' ', "-"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.svg")), svg).unwrap();
    }
    wrong(svg).into_iter().chain(crowded(svg)).map(|wrong| format!("{study}, {name}: {wrong}")).collect()
}

/// A study whose numbers are long.
fn deep(mut rows: Rows) -> Rows {
    for row in &mut rows.episodes {
        row.return_thousandths *= 4_321;
        for used in &mut row.usage {
            used.called.input *= 2_000;
        }
    }
    rows
}

fn drawn(rows: &Rows) -> Vec<Output> {
    let analysis = Analysis::new(rows, &support::drawn::options_without()).unwrap();
    let traces = published::traces(rows);
    support::figures(rows, &analysis, &traces)
}

/// Every figure of cyclic control.
fn of_cyc(cycles: &Cycles) -> Vec<Output> {
    crate::cyc_support::figures(cycles)
}

/// All that is wrong, over all studies, so that one look shows it.
fn complain(all: Vec<String>) {
    assert!(all.is_empty(), "{} complaints\n{}", all.len(), all.join("\n"));
}

/// A number that is none is found where a number is drawn; a name may hold the same letters.
#[test]
fn a_drawn_number_that_is_none_is_found() {
    let drawn = |inside: &str| wrong(&format!("<svg width=\"9\" height=\"9\" aria-label=\"of inf\">{inside}</svg>"));
    for inside in [
        "<line x1=\"NaN\" y1=\"0\" x2=\"1\" y2=\"1\"/>",
        "<path d=\"M1,2L-inf,3\"/>",
        "<g transform=\"translate(1 -0)\"></g>",
        "<text x=\"1\" y=\"9\" font-size=\"1\">NaN</text>",
        "<text x=\"1\" y=\"9\" font-size=\"1\">inf %</text>",
    ] {
        assert!(drawn(inside).is_some_and(|found| found.starts_with("holds ")), "{inside}");
    }
    assert_eq!(drawn("<text x=\"1\" y=\"9\" font-size=\"1\">RoNaN</text>"), None);
}

// covers: BOG-193, BOG-194, BOG-195
#[test]
fn labels_of_the_named_figures_keep_apart() {
    let mut all = Vec::new();
    for (name, rows) in studies() {
        for output in drawn(&rows) {
            all.extend(faults(name, &output.file, &output.figure.svg));
            all.extend(faults(name, &format!("{}-alone", output.file), &output.figure.alone));
        }
    }
    complain(all);
}

// covers: SH-09
#[test]
fn labels_of_a_report_keep_apart() {
    let mut all = Vec::new();
    for (name, rows) in studies() {
        let report = Report::build(&rows, support::drawn::meta("labels"), &support::drawn::options_without()).unwrap();
        for figure in &report.figures {
            all.extend(faults(name, figure.name, &figure.svg));
            all.extend(faults(name, &format!("{}-alone", figure.name), &figure.alone));
        }
    }
    complain(all);
}

// covers: CYC-100
#[test]
fn labels_of_the_figures_of_control_keep_apart() {
    let long = "alfworld generated-test, goals=placed+cleaned+heated, tools=split";
    let studies: Vec<(&str, Cycles)> = vec![
        ("whole", cyclic::study(&["household unseen"], |_| true)),
        ("two", cyclic::study(&["household unseen", "crafting depth 2"], |_| true)),
        ("one cell", cyclic::study(&["household unseen"], |plan| plan.name == "gen")),
        ("long", cyclic::study(&[long], |_| true)),
        ("sweep", cyclic::sweep(&["household unseen"])),
        ("sweep of four", cyclic::sweep(&[long, "crafting depth 2, tools=split", "finance synthetic-test", "fourth"])),
    ];
    let mut all = Vec::new();
    for (name, cycles) in &studies {
        for output in of_cyc(cycles) {
            all.extend(faults(name, &output.file, &output.figure.svg));
            all.extend(faults(name, &format!("{}-alone", output.file), &output.figure.alone));
        }
    }
    let point = |subtasks: f64, factor: f64| Point {
        subtasks,
        a_decision: 300.0 + factor * subtasks,
        an_episode: 3000.0 + 10.0 * factor * subtasks,
    };
    let line = |name: &str, factor: f64| Line {
        name: name.to_owned(),
        points: [5.0, 50.0, 200.0].map(|subtasks| point(subtasks, factor)).to_vec(),
    };
    let lines = ["complete", "the 8 nearest ways", "cached", "batches of 4"].map(|name| line(name, name.len() as f64));
    let figure = draw("Routing", "What the router reads.", &lines);
    all.extend(crowded(&figure.alone).into_iter().map(|wrong| format!("routing: {wrong}")));
    complain(all);
}

/// In a study of the work's own size no label is cut at all.
// covers: BOG-193, BOG-194, BOG-195, CYC-100
#[test]
fn no_label_of_a_study_like_the_works_is_cut() {
    let cycles = cyclic::study(&["household unseen"], |_| true);
    let sweep = cyclic::sweep(&["household unseen", "crafting depth 2", "finance synthetic-test"]);
    let outputs = drawn(&published::study(ENVIRONMENT))
        .into_iter()
        .chain(of_cyc(&cycles).into_iter().filter(|output| ["cyc-f1", "cyc-f2"].contains(&output.key)))
        .chain(of_cyc(&sweep).into_iter().filter(|output| output.key == "cyc-noise"));
    for output in outputs {
        let cut: Vec<String> =
            labels(&output.figure.svg).into_iter().filter(|label| label.titled).map(|label| label.words).collect();
        assert!(cut.is_empty(), "{}: {cut:?}", output.file);
    }
}

/// A name that is cut is shown in full under the pointer.
#[test]
fn a_cut_name_is_told_in_full() {
    let outputs = drawn(&renamed(published::study(ENVIRONMENT)));
    let f12 = &outputs.iter().find(|output| output.key == "f12").unwrap().figure.svg;
    let whole = labels(f12).into_iter().find(|label| label.titled).expect("names are longer than there is room");
    assert!(whole.words.contains('…') && f12.contains("</title>"), "{whole:?}");
    let told: Vec<&str> = f12.split("<title>").skip(1).filter_map(|part| part.split("</title>").next()).collect();
    assert!(told.iter().all(|name| name.starts_with("provider-of-models/") && !name.contains('…')), "{told:?}");
    check(&outputs, "long names");
}

/// The checker sees what it is for.
#[test]
fn the_checker_finds_collisions_cuts_and_what_leaves_the_picture() {
    let picture = |texts: &str| format!("<svg width=\"100\" height=\"50\">{texts}</svg>");
    let text = |x: f64, y: f64, words: &str| format!("<text x=\"{x}\" y=\"{y}\" font-size=\"10\">{words}</text>");
    let leaves = |texts: &str| wrong(&picture(texts)).is_some_and(|wrong| wrong.contains("leaves"));
    let good = picture(&format!("{}{}", text(2.0, 12.0, "one"), text(2.0, 24.0, "two")));
    assert!(crowded(&good).is_empty(), "{:?}", crowded(&good));
    let close = picture(&format!("{}{}", text(2.0, 12.0, "one"), text(10.0, 15.0, "two")));
    assert_eq!(crowded(&close).len(), 1);
    assert!(leaves(&text(90.0, 20.0, "much too long")) && !leaves(&text(10.0, 20.0, "short")));
    assert_eq!(crowded(&picture(&text(2.0, 20.0, "cut…"))).len(), 1);
    assert!(crowded(&picture(&text(2.0, 20.0, "<title>cut short</title>cut…"))).is_empty());
    let turned =
        "<text transform=\"translate(8 25) rotate(-90)\" text-anchor=\"middle\" font-size=\"10\">returns</text>";
    assert!(crowded(&picture(turned)).is_empty(), "{:?}", crowded(&picture(turned)));
    assert_eq!(crowded(&picture(&format!("{turned}{}", text(3.0, 25.0, "x")))).len(), 1);
}
