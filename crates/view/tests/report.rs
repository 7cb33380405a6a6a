//! The report of a run, in every form.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::support;

use gimbal_analysis::{CellDecoding, CellInfo, Generator, Kind, Options, Rows};
use gimbal_view::{Meta, Report, sentence};
use support::drawing::{untitled, words};
use support::{cell, decodings, episode, large, medium, meta, options, quickstart};

fn report(rows: &Rows, baseline: &str) -> Report {
    Report::build(rows, meta("context"), &options(baseline)).unwrap()
}

/// Tags of a document must close in order: a small reader that knows the elements without an end.
#[track_caller]
fn assert_balanced(markup: &str) {
    const VOID: [&str; 3] = ["meta", "br", "!doctype"];
    let mut open: Vec<String> = Vec::new();
    let mut rest = markup;
    while let Some(start) = rest.find('<') {
        let end = rest[start..].find('>').map(|end| start + end).expect("a tag ends");
        let tag = &rest[start + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "quotes in <{tag}>");
        let name: String = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap().to_owned();
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(closed), "near {}", &rest[..end.min(200)]);
        } else if !tag.ends_with('/') && !VOID.contains(&name.as_str()) {
            open.push(name.clone());
        }
        // The style sheet is not markup.
        rest = if name == "style" && !tag.starts_with('/') {
            &rest[rest.find("</style>").unwrap()..]
        } else {
            &rest[end + 1..]
        };
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

/// Nothing is fetched from anywhere and nothing runs: no address, no script, no handler.
#[track_caller]
fn assert_self_contained(page: &str) {
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for foreign in [
        "http:",
        "https:",
        "//",
        "<script",
        "<link",
        "<img",
        "<iframe",
        "<object",
        "@import",
        "src=",
        "href=",
        "javascript:",
        " onload",
        " onclick",
        " onerror",
    ] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert_eq!(page.matches("url(").count(), page.matches("url(#gap)").count() + page.matches("url(#scale)").count());
}

// covers: SH-09
#[test]
fn the_page_of_a_first_run() {
    let report = report(&quickstart(), "observation");
    let page = report.html();
    assert_balanced(&page);
    assert_self_contained(&page);
    for part in [
        "Results by cell",
        "id=\"heatmap\"",
        "id=\"frontier\"",
        "id=\"differences\"",
        "id=\"distribution\"",
        "plumbing",
        "Prices in force",
        "2026-11-01",
        "gimbal run studies/context.yaml",
    ] {
        assert!(page.contains(part), "{part}");
    }
    insta::assert_snapshot!("page", page.replace(include_str!("../src/page.css"), "/* page.css */\n"));
    insta::assert_snapshot!("brief", report.brief(120));
    insta::assert_snapshot!("markdown", report.markdown());
}

// covers: SH-09
#[test]
fn figures_of_a_first_run() {
    for figure in report(&quickstart(), "observation").figures {
        assert_balanced(&figure.svg);
        insta::assert_snapshot!(figure.name, figure.svg);
    }
}

/// The same rows in another order give the same bytes in every form.
// covers: SH-09
#[test]
fn bytes_do_not_depend_on_the_order_of_episodes() {
    let rows = medium();
    let mut shuffled = rows.clone();
    let mut generator = Generator::new(9);
    for index in (1..shuffled.episodes.len()).rev() {
        shuffled.episodes.swap(index, generator.below(index as u64 + 1) as usize);
    }
    let (a, b) = (report(&rows, "observation"), report(&shuffled, "observation"));
    assert_eq!(a.html(), b.html());
    assert_eq!((a.csv(), a.text(100), a.markdown(), a.json()), (b.csv(), b.text(100), b.markdown(), b.json()));
}

/// What the heat map shows is what the table holds.
// covers: BOG-162, SH-09
#[test]
fn the_heat_map_shows_the_means_of_the_table() {
    let report = report(&large(), "obs");
    let map = &report.figures[0].svg;
    for cell in report.analysis.cells.iter().filter_map(|cell| cell.returns) {
        let mean = format!(">{:.1}<", cell.mean).replace('-', "\u{2212}");
        assert!(map.contains(&mean), "{mean}");
    }
    assert_eq!(map.matches("no episodes").count(), 1, "the cell that was never played is a gap");
}

/// A model under two decodings has two panels, told apart by name, and a stepped line in each.
#[test]
fn cells_that_differ_in_their_faults_alone_are_named_apart() {
    let mut noisy = cell("b", "plain", "context", Some("m"));
    noisy.faults = "lossy".to_owned();
    let cells = vec![cell("a", "plain", "context", Some("m")), noisy];
    let episodes = (0..3)
        .flat_map(|run| [("a", -10_000), ("b", -90_000)].map(|(id, value)| episode(id, run, value, 5_000, 1)))
        .collect();
    let report = report(&Rows { cells, episodes }, "plain");
    for name in ["heatmap", "distribution"] {
        let figure = report.figures.iter().find(|figure| figure.name == name).unwrap();
        assert!(figure.svg.contains("plain | lossy") && figure.svg.contains(">plain<"), "{}", figure.svg);
    }
}

/// A single episode that reaches tens decides the digits of the table; the means of the figure are smaller.
#[test]
fn a_figure_has_the_digits_of_the_table() {
    let cells = vec![cell("a", "plain", "context", Some("m")), cell("b", "other", "context", Some("m"))];
    let values = [("a", [-12_000, -3_250, -1_500]), ("b", [-2_125, -1_500, -4_000])];
    let episodes = values.iter().flat_map(|(id, values)| {
        (0..).zip(values).map(|(run, value)| episode(id, run, *value, 5_000, 1)).collect::<Vec<_>>()
    });
    let report = report(&Rows { cells, episodes: episodes.collect() }, "plain");
    let table = report.tables[0].to_text(200);
    assert!(table.contains("-5.6") && !table.contains("-5.58"), "{table}");
    for (name, shown) in [("heatmap", "−5.6"), ("differences", "+3.0")] {
        let figure = report.figures.iter().find(|figure| figure.name == name).unwrap();
        let drawn = words(&figure.svg);
        assert!(drawn.contains(shown), "{name}: {drawn}");
        assert!(!drawn.contains("5.58") && !drawn.contains("3.04"), "{name}: {drawn}");
    }
}

#[test]
fn the_frontier_has_a_panel_for_each_decoding() {
    let report = report(&decodings(), "hierarchy: observation");
    let frontier = report.figures.iter().find(|figure| figure.name == "frontier").unwrap();
    for title in ["noisy/0.9,malformed=0.02 · free<", "noisy/0.9,malformed=0.02 · constrained<"] {
        assert_eq!(untitled(&frontier.svg).matches(title).count(), 1, "{title}");
    }
    assert_eq!(frontier.svg.matches("class=\"front\"").count(), 2);
    let heatmap = untitled(&report.figures[0].svg);
    assert_eq!((heatmap.matches(" · free<").count(), heatmap.matches(" · constrained<").count()), (1, 1));
    assert_eq!(heatmap.matches("noisy expert<").count(), 6, "every tile carries its mark");
    for name in ["differences", "distribution"] {
        let figure = report.figures.iter().find(|figure| figure.name == name).unwrap();
        let rows = if name == "differences" { 4 } else { 6 };
        assert_eq!(untitled(&figure.svg).matches("· noisy expert<").count(), rows, "no mark is cut off in {name}");
    }
}

/// The axis fits the models of an environment; a policy far away is at the edge with its mean.
// covers: BOG-172
#[test]
fn the_frontier_fits_the_models_and_names_what_lies_beyond() {
    let mut rows = medium();
    let frontier = |rows: &Rows| {
        let report = report(rows, "observation");
        report.figures.into_iter().find(|figure| figure.name == "frontier").unwrap()
    };
    // Models between -150 and -130 would lie in one line below a policy at -13 and above one at -218.
    for row in rows.episodes.iter_mut().filter(|row| row.cell.starts_with("openai") || row.cell == "random") {
        row.return_thousandths = -150_000 + row.return_thousandths.abs() % 20_000;
    }
    let figure = frontier(&rows);
    let report = report(&rows, "observation");
    for (policy, beyond) in [("sleep", true), ("greedy_decoys_then_restore", true), ("random", false)] {
        let mean =
            report.analysis.cells.iter().find(|cell| cell.info.configuration == policy).unwrap().returns.unwrap();
        let value = format!("· {:.1}<", mean.mean).replace('-', "\u{2212}");
        assert_eq!(figure.svg.contains(&value), beyond, "{policy} {value}");
    }
    assert_eq!(figure.svg.matches("class=\"beyond\"").count(), 2, "one above, one below");
    assert!(figure.caption.contains("a triangle at the edge"));
    // The models' means are spread over the panel.
    let heights: Vec<f64> = figure
        .svg
        .split("<circle ")
        .skip(1)
        .map(|mark| mark.split("cy=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
        .collect();
    let span =
        heights.iter().fold(f64::MIN, |most, y| most.max(*y)) - heights.iter().fold(f64::MAX, |least, y| least.min(*y));
    assert!(heights.len() >= 6 && span > 60.0, "{heights:?}");
    // Two environments never share an axis, nor a row.
    let mut two = rows.clone();
    for (cell, environment) in two.cells.iter_mut().zip(["here", "there"].into_iter().cycle()) {
        cell.environment = environment.into();
    }
    let figure = frontier(&two);
    assert_eq!(figure.svg.matches(">mean return<").count(), 2);
    assert_balanced(&figure.svg);
}

/// The page breaks a wide table into blocks: every column is there, and no row is wider than a usual screen.
// covers: SH-09
#[test]
fn no_table_of_the_page_is_wider_than_the_page() {
    for (rows, baseline) in [(large(), "obs"), (medium(), "observation"), (decodings(), "hierarchy: observation")] {
        let report = report(&rows, baseline);
        let page = report.html();
        for table in report.tables.iter().map(gimbal_analysis::Table::readable) {
            for column in &table.columns {
                assert!(page.contains(&format!("title=\"{}\">{}", column.help.replace('\'', "&#39;"), column.title)));
            }
        }
        for table in page.split("<table>").skip(1) {
            let head = table.split("</thead>").next().unwrap();
            assert!(head.matches("<th ").count() <= 16, "{head}");
        }
    }
}

/// Text and Markdown say which study this is, of what program and hash, and how to get it again.
// covers: SH-09
#[test]
fn text_and_markdown_hold_the_identity_of_the_study() {
    let report = report(&medium(), "observation");
    let meta = &report.meta;
    for said in [report.text(100), report.markdown().replace('\\', "")] {
        for part in [
            Some(&meta.study),
            meta.question.as_ref(),
            Some(&meta.program_version),
            meta.study_hash.as_ref(),
            meta.digest.as_ref(),
            meta.commands.first(),
            meta.commands.last(),
        ] {
            let part = part.unwrap();
            assert!(said.contains(part.as_str()), "{part} in {said}");
        }
        assert!(said.contains("60 of 130 planned") || said.contains("130 of 130 planned"), "{said}");
        assert!(said.contains("Lost to infrastructure"));
    }
}

fn hostile() -> String {
    "</title></svg><script>alert('x')</script>\" onload=\"y\" & `z` |\u{202e}\u{1b}[2J\u{2066}\u{61c}\u{2060}\u{e0041}\u{9b}1m".to_owned()
}

/// Every name that a file, a model or an environment can bring is shown as words.
// covers: SH-09
#[test]
fn hostile_text_stays_text_everywhere() {
    let bad = hostile();
    let mut rows = quickstart();
    for cell in &mut rows.cells {
        cell.configuration.push_str(&bad);
        cell.environment.clone_from(&bad);
        cell.axis = Some(bad.clone());
        cell.plumbing = cell.plumbing.as_ref().map(|_| bad.clone());
        for role in &mut cell.models {
            role.model.clone_from(&bad);
            role.role.clone_from(&bad);
        }
    }
    for row in &mut rows.episodes {
        (row.task, row.environment) = (bad.as_str().into(), bad.as_str().into());
    }
    let mut facts = meta(&bad);
    facts.question = Some(bad.clone());
    facts.program_version.clone_from(&bad);
    (facts.digest, facts.study_hash) = (Some(bad.clone()), Some(bad.clone()));
    facts.facts = vec![(bad.clone(), bad.clone())];
    facts.commands = vec![bad.clone()];
    if let Some(prices) = &mut facts.prices {
        (prices.date, prices.source) = (bad.clone(), bad.clone());
        prices.models[0].model.clone_from(&bad);
    }
    let name = rows.cells[0].configuration.clone();
    let report = Report::build(&rows, facts, &options(&name)).unwrap();
    let page = report.html();
    assert_balanced(&page);
    for raw in [
        "<script",
        "</svg><",
        "onload=\"",
        "\u{202e}",
        "\u{1b}",
        "\u{2066}",
        "\u{61c}",
        "\u{2060}",
        "\u{e0041}",
        "\u{9b}",
    ] {
        assert!(!page.contains(raw), "{raw:?} in the page");
    }
    for figure in &report.figures {
        assert_balanced(&figure.svg);
        assert!(!figure.svg.contains("<script") && !figure.svg.contains('\u{1b}'));
    }
    assert!(!report.markdown().contains("<script") && !report.text(120).contains('\u{1b}'));
}

/// Few, equal or missing numbers give figures without a broken coordinate.
#[test]
fn degenerate_rows_draw_clean_figures() {
    let one =
        Rows { cells: vec![cell("a", "a", "context", Some("m"))], episodes: vec![episode("a", 0, -13_100, 900, 3)] };
    let equal = Rows {
        cells: vec![cell("a", "a", "context", Some("m")), cell("b", "b", "context", Some("m"))],
        episodes: (0..8)
            .flat_map(|run| [episode("a", run, -13_100, 900, 3), episode("b", run, -13_100, 900, 3)])
            .collect(),
    };
    let silent = Rows { cells: vec![cell("a", "a", "context", Some("m"))], episodes: vec![episode("a", 0, 0, 0, 1)] };
    let many = Rows {
        cells: vec![cell("p", "p", "policies", None)],
        episodes: (0..1_000).map(|run| episode("p", run, -100 * i64::from(run % 37), 0, 1)).collect(),
    };
    let unplayed = Rows { cells: vec![cell("a", "a", "context", Some("m"))], episodes: vec![] };
    for rows in [one, equal, silent, many, unplayed, Rows::default()] {
        let report = Report::build(&rows, Meta::default(), &Options::default()).unwrap();
        assert_balanced(&report.html());
        for figure in &report.figures {
            assert!(!figure.svg.contains("NaN") && !figure.svg.contains("inf"), "{}", figure.svg);
        }
        assert!(!report.text(80).contains("NaN"));
    }
}

fn said(rows: &Rows, baseline: Option<&str>) -> String {
    let options = baseline.map_or_else(Options::default, options);
    sentence(&Report::build(rows, Meta::default(), &options).unwrap().analysis)
}

/// One sentence for each sort of run; none claims more than the run holds.
#[test]
fn sentences_claim_no_more_than_the_run_holds() {
    let mut lines = Vec::new();
    let mut say =
        |what: &str, rows: &Rows, baseline: Option<&str>| lines.push(format!("{what}:\n  {}", said(rows, baseline)));
    say("nothing played", &Rows { cells: quickstart().cells, episodes: vec![] }, None);
    say("plumbing", &quickstart(), Some("observation"));
    say("real, ten episodes", &medium(), Some("observation"));
    say("real, no baseline", &medium(), None);
    say("real, gaps", &large(), Some("obs"));
    let mut few = medium();
    few.episodes.retain(|row| row.run < 3);
    few.cells.iter_mut().for_each(|cell| cell.planned = 3);
    say("real, three episodes", &few, Some("observation"));
    let mut single = medium();
    single.episodes.retain(|row| row.run < 1);
    single.cells.iter_mut().for_each(|cell| cell.planned = 1);
    say("real, one episode", &single, Some("observation"));
    let mut scripted = medium();
    scripted.cells.iter_mut().filter(|cell| !cell.models.is_empty()).for_each(|cell| cell.kind = Kind::NoisyExpert);
    say("scripted", &scripted, Some("observation"));
    let mut mixed = medium();
    mixed.cells[5].plumbing = Some("too small".into());
    say("mixed", &mixed, Some("observation"));
    let policies: Vec<CellInfo> =
        medium().cells.into_iter().filter(|cell| cell.decoding == CellDecoding::None).collect();
    let names: Vec<String> = policies.iter().map(|cell| cell.id.clone()).collect();
    let episodes =
        medium().episodes.into_iter().filter(|row| names.iter().any(|name| *name == row.cell.as_str())).collect();
    say("policies", &Rows { cells: policies, episodes }, None);
    insta::assert_snapshot!(lines.join("\n"));
}

/// A wrong baseline is refused with the names that there are.
#[test]
fn an_unknown_baseline_is_an_error_with_a_mend() {
    let message = Report::build(&quickstart(), Meta::default(), &options("obs")).unwrap_err().to_string();
    assert!(message.contains("`obs`") && message.contains("`observation`"), "{message}");
}

/// The forms that machines read are what they say.
// covers: SH-09
#[test]
fn csv_and_json_hold_every_cell() {
    let report = report(&medium(), "observation");
    assert_eq!(report.csv().lines().count(), 1 + report.analysis.cells.len());
    assert_eq!(report.csv_of("paired").unwrap().lines().count(), 1 + report.analysis.comparisons.len());
    assert_eq!(report.csv_of("no such table"), None);
    let json = report.json();
    assert_eq!(json["tables"][0]["rows"].as_array().unwrap().len(), report.analysis.cells.len());
    let mean = json["tables"][0]["rows"][0]["mean_return"].as_f64().unwrap();
    assert!((mean - report.analysis.cells[0].returns.unwrap().mean).abs() < 1e-12);
    assert_eq!(json["sentence"].as_str().unwrap(), report.sentence);
}
