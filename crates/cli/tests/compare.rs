//! Comparing cells and episodes, and writing every figure and table.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

use crate::common;

use common::{Place, STUDY};

fn played() -> Place {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet", "--no-report"]).good();
    place
}

// covers: BOG-223
#[test]
fn two_cells_are_compared_pair_by_pair_and_step_by_step() {
    let place = played();
    let text = place.gimbal(&["compare", "small", "baseline:sleep", "baseline:random"]).good().out;
    for word in ["Matched pairs", "Trace contrast", "Restore actions", "First Restore at step", "Steps at -13 or below"]
    {
        assert!(text.contains(word), "{word}\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    assert!(text.contains('≠'), "a random policy does not sleep\n{text}");
    let json = place.gimbal(&["compare", "small", "baseline:sleep", "baseline:random", "--json"]).good().json();
    let turned = place.gimbal(&["compare", "small", "baseline:random", "baseline:sleep", "--json"]).good().json();
    let mean = |value: &serde_json::Value| value["paired"]["difference"]["mean"].as_f64().unwrap();
    assert!((mean(&json) + mean(&turned)).abs() < 1e-9);
    let pairs = json["pairs"].as_array().unwrap();
    assert_eq!((pairs.len(), json["paired"]["difference"]["n"].as_u64()), (3, Some(3)));
    for pair in pairs {
        let difference =
            pair["first"]["episode_return"].as_f64().unwrap() - pair["second"]["episode_return"].as_f64().unwrap();
        assert!((pair["difference"].as_f64().unwrap() - difference).abs() < 1e-9);
        let part = pair["divergence"]["action"].as_u64().unwrap();
        assert!((1..=5).contains(&part), "{part}");
    }
    // The traces that are shown are those of the pair that lies furthest apart, and part where it says.
    let shown = json["shown"].as_str().unwrap();
    let widest = pairs.iter().map(|pair| pair["difference"].as_f64().unwrap().abs()).fold(0.0, f64::max);
    let chosen =
        pairs.iter().find(|pair| format!("{}/{}", pair["task"].as_str().unwrap(), pair["run"]) == shown).unwrap();
    assert!((chosen["difference"].as_f64().unwrap().abs() - widest).abs() < 1e-9);
    let tool = |side: usize, step: usize| {
        json["traces"][side]["steps"][step]["action"]["arguments"].to_string()
            + json["traces"][side]["steps"][step]["action"]["tool"].as_str().unwrap()
    };
    let first = (0..5).find(|&step| tool(0, step) != tool(1, step)).unwrap() as u64 + 1;
    assert_eq!(chosen["divergence"]["action"].as_u64(), Some(first));
    let other = place.gimbal(&["compare", "small", "baseline:sleep", "baseline:random", "--json", "--pair", "train/1"]);
    assert_eq!(other.good().json()["shown"], "train/1");
}

// covers: BOG-223
#[test]
fn a_cell_does_not_differ_from_itself_and_episodes_can_be_named() {
    let place = played();
    let json = place.gimbal(&["compare", "small", "obs", "obs", "--json"]).good().json();
    assert_eq!(json["paired"]["difference"]["mean"].as_f64(), Some(0.0));
    assert!(json["pairs"].as_array().unwrap().iter().all(|pair| pair["divergence"]["action"].is_null()));
    let episodes = ["baseline:random/train/0", "baseline:sleep/train/0"];
    let json = place.gimbal(&["compare", "small", episodes[0], episodes[1], "--json"]).good().json();
    assert_eq!((json["first"].as_str(), json["second"].as_str()), (Some(episodes[0]), Some(episodes[1])));
    assert_eq!(json["pairs"].as_array().unwrap().len(), 1);
    let odd = place.gimbal(&["compare", "small", episodes[0], "baseline:sleep/train/1"]).good();
    assert!(odd.err.contains("different seeds"), "{}", odd.err);
}

// covers: BOG-223
#[test]
fn configurations_of_several_models_are_compared_model_by_model() {
    let place = Place::new();
    let roles = "  - { default: scripted/react-monitor }\n  - { default: noisy/0.9 }\n  - { default: \"noisy/0.5,malformed=0.2\" }\n";
    place.write("small.yaml", &STUDY.replace("  - { default: scripted/react-monitor }\n", roles));
    place.gimbal(&["run", "small.yaml", "--progress", "quiet", "--no-report"]).good();
    let text = place.gimbal(&["compare", "small", "obs", "hist+net"]).good().out;
    let heads: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("=== ")).collect();
    assert_eq!(heads.len(), 3, "{text}");
    for (head, model) in heads.iter().zip(["scripted/react-monitor", "noisy/0.9", "noisy/0.5,malformed=0.2"]) {
        assert!(head.ends_with(&format!(" | {model}")), "{head}");
    }
    assert_eq!(text.matches("obs minus hist+net: ").count(), 3, "{text}");
    // A policy meets every model.
    let json = place.gimbal(&["compare", "small", "baseline:sleep", "obs", "--json"]).good().out;
    let models: Vec<String> = json
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["model"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(models, ["scripted/react-monitor", "noisy/0.9", "noisy/0.5,malformed=0.2"]);
    let one = place.gimbal(&["compare", "small", "obs", "hist+net", "--model", "noisy/0.9"]).good().out;
    assert!(!one.contains("=== ") && one.starts_with("obs minus hist+net: "), "{one}");
    let wrong = place.gimbal(&["compare", "small", "obs", "hist+net", "--model", "noisy/0.8"]);
    assert!(wrong.code == 2 && wrong.err.contains("did you mean `noisy/0.9`?"), "{}", wrong.err);
    let wide = place.gimbal(&["compare", "small", "obs | noisy", "hist+net"]);
    assert!(wide.code == 2 && wide.err.contains("names several cells"), "{}", wide.err);
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_hint() {
    let place = played();
    for (arguments, words) in [
        (vec!["compare", "small", "obss", "hist+net"], "did you mean `obs`"),
        (vec!["compare", "small", "baseline:", "obs"], "names several cells"),
        (vec!["compare", "small", "obs", "baseline:sleep/train/0"], "name two cells, or two episodes"),
        (vec!["compare", "small", "obs", "hist+net", "--pair", "train/77"], "no matched pair"),
        (vec!["report", "small", "--figure", "f77"], "there is no figure `f77`"),
        (vec!["report", "small", "--table", "detector"], "did you mean `detectors`"),
        (vec!["report", "small", "--all", "--figure", "f2"], "cannot be used with"),
        (vec!["report", "small", "--all", "--format", "json"], "cannot be used with"),
    ] {
        let said = place.gimbal(&arguments);
        assert_eq!(said.code, 2, "{arguments:?}: {}", said.err);
        assert!(said.err.contains(words), "{arguments:?}: {}", said.err);
    }
}

// covers: BOG-192, BOG-193, BOG-194, BOG-195
#[test]
fn every_figure_and_table_is_written_and_shown_on_one_page() {
    let place = played();
    let list = place.gimbal(&["report", "small", "--figure", "list"]).good().out;
    assert_eq!(list.lines().count(), 29 + 8 + 8 + 5 + 1, "those of the four works, and the curves over errors");
    let svg = place.gimbal(&["report", "small", "--figure", "F2"]).good().out;
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    let said = place.gimbal(&["report", "small", "--all", "--out", "all"]).good();
    assert!(said.out.contains(" figures") && said.out.contains("nothing to draw"), "{}", said.out);
    let all = place.path().join("all");
    let read = |path: &str| std::fs::read_to_string(all.join(path)).unwrap();
    assert_eq!(read("figures/f2.svg"), svg);
    let page = read("index.html");
    let mut drawn = 0;
    for number in 1..=29 {
        let file = format!("figures/f{number}.svg");
        // A picture of nothing is not written: the page says why there is none.
        let empty =
            page.lines().any(|line| line.starts_with(&format!("<li>F{number} ")) && line.contains("nothing to draw"));
        assert_eq!(all.join(&file).exists(), !empty, "{file}");
        assert_eq!(page.contains(&file), !empty, "{file}");
        drawn += usize::from(!empty);
        assert!(empty || read(&file).starts_with("<svg"), "{file}");
    }
    assert!(drawn > 0);
    // A table without rows is not written, and the terminal names it.
    let bare =
        said.out.lines().find_map(|line| line.strip_prefix("Not written, since they have no rows in this run: "));
    let bare: Vec<&str> = bare.expect("some tables have no rows").split(", ").collect();
    for number in 1..=34 {
        let key = format!("t{number}");
        let (csv, markdown) = (format!("tables/{key}.csv"), format!("tables/{key}.md"));
        let written = !bare.contains(&key.as_str());
        assert_eq!((all.join(&csv).exists(), all.join(&markdown).exists()), (written, written), "{key}");
        assert_eq!(page.contains(&csv), written, "{key}");
        assert!(!written || read(&csv).lines().count() > 1, "{key}: a heading and rows");
    }
    for key in ["detectors", "cascade", "replication", "cells"] {
        assert_eq!(page.contains(&format!("id=\"table-{key}\"")), !bare.contains(&key), "{key}");
    }
    assert!(!bare.contains(&"detectors") && !bare.contains(&"cells"), "{bare:?}");
    assert!(!page.contains("<script") && !page.contains("http:") || page.contains("www.w3.org"));
    // A second time: the same bytes; a file of an earlier report that no figure has any more goes, a stranger stays.
    std::fs::write(all.join("figures/f2-elsewhere.svg"), "old").unwrap();
    std::fs::write(all.join("figures/mine.svg"), "mine").unwrap();
    place.gimbal(&["report", "small", "--all", "--out", "all"]).good();
    assert_eq!(read("index.html"), page);
    assert!(!all.join("figures/f2-elsewhere.svg").exists() && all.join("figures/mine.svg").exists());
}

// covers: BOG-221, BOG-225, SH-08
#[test]
fn detectors_stand_in_a_table_and_in_the_report() {
    let place = played();
    let csv = place.gimbal(&["report", "small", "--table", "detectors", "--format", "csv"]).good().out;
    for detector in ["passivity-amplification", "capability-floor"] {
        assert!(csv.contains(detector), "{csv}");
    }
    let text = place.gimbal(&["report", "small", "--no-files", "--format", "markdown"]).good().out;
    assert!(text.contains("Named failure modes and where they show"), "{text}");
}
