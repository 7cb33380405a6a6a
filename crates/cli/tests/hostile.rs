//! Names and files that mean harm: nothing that a terminal obeys is ever printed or written raw, and nothing is written
//! through a link.

use crate::common;

use common::{Place, STUDY};

/// As YAML writes it. Control characters in names are refused by the plan already.
const HOSTILE: &str = r"x\u202e\u2066\u061c\u2060\u3164\u115f\U000E0041y";

fn seen(text: &str) -> bool {
    !text.replace("\r\n", "\n").chars().any(|letter| {
        (letter.is_control() && letter != '\n' && letter != '\t')
            || matches!(
                letter,
                '\u{3164}' | '\u{115f}' | '\u{202e}' | '\u{2066}' | '\u{61c}' | '\u{2060}' | '\u{e0041}'
            )
    })
}

#[test]
fn hidden_characters_of_a_study_reach_no_terminal_page_or_table_raw() {
    let place = Place::new();
    let named = format!("{{ base: baseline, policy: random, name: \"{HOSTILE}\" }}");
    let study = STUDY.replace("{ base: baseline, policy: random }", &named);
    assert!(study.contains("\\u202e"));
    place.write("small.yaml", &study.replace("description: Does", &format!("description: \"{HOSTILE}\" #")));
    for arguments in [
        &["run", "small.yaml"][..],
        &["run", "small.yaml", "--dry-run"],
        &["plan", "small.yaml"],
        &["report", "small"],
        &["report", "small", "--format", "csv", "--no-files"],
        &["report", "small", "--format", "markdown", "--no-files"],
        &["report", "small", "--format", "html", "--no-files"],
        &["report", "small", "--format", "json", "--no-files"],
        &["report", "small", "--table", "cells"],
        &["report", "small", "--all"],
        &["trace", "small"],
        &["verify", "small"],
        &["run", "small.yaml", "--only", "\u{202e}nothing\u{1b}[2J"],
        &["report", "\u{202e}nothing\u{1b}[2J"],
    ] {
        let said = place.gimbal(arguments);
        assert!(seen(&said.out) && seen(&said.err), "{arguments:?}: {:?} {:?}", said.out, said.err);
    }
    let mut files = 0;
    let mut open = vec![place.path().join("runs/small")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let shown = |ending: &str| path.extension().is_some_and(|found| found == ending);
            if path.is_dir() {
                open.push(path);
            } else if ["html", "svg", "csv", "md", "txt", "json"].into_iter().any(shown) {
                files += 1;
                assert!(seen(&std::fs::read_to_string(&path).unwrap()), "{}", path.display());
            }
        }
    }
    assert!(files > 20, "{files} files");
    assert!(std::fs::read_to_string(place.path().join("runs/small/report.txt")).unwrap().contains("202e"));
}

#[cfg(unix)]
#[test]
fn reports_are_never_written_through_a_link() {
    let place = Place::new();
    place.write("small.yaml", STUDY);
    place.gimbal(&["run", "small.yaml"]).good();
    let (run, victim) = (place.path().join("runs/small"), place.write("victim", "mine"));
    for name in ["report.html", "report.csv", "report-cells.csv"] {
        let _ = std::fs::remove_file(run.join(name));
        std::os::unix::fs::symlink(&victim, run.join(name)).unwrap();
    }
    place.gimbal(&["report", "small"]).good();
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "mine");
    let page = std::fs::symlink_metadata(run.join("report.html")).unwrap();
    assert!(page.is_file() && page.len() > 1000);
    let left: Vec<_> = std::fs::read_dir(&run).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".new")), "{left:?}");
    // A folder that leads elsewhere is refused.
    std::fs::create_dir(place.path().join("elsewhere")).unwrap();
    for link in ["report-all", "report-all/figures"] {
        std::os::unix::fs::symlink(place.path().join("elsewhere"), run.join(link)).unwrap();
        let said = place.gimbal(&["report", "small", "--all"]);
        assert!(said.code == 3 && said.err.contains("symbolic link"), "{}", said.err);
        std::fs::remove_file(run.join(link)).unwrap();
        std::fs::create_dir_all(run.join("report-all")).unwrap();
    }
    assert_eq!(std::fs::read_dir(place.path().join("elsewhere")).unwrap().count(), 0);
}

#[test]
fn a_horizon_of_the_workbench_has_the_bound_of_studies() {
    let place = Place::new();
    for steps in ["0", "10001", "4294967295"] {
        for verb in ["play", "returns"] {
            let said = place.gimbal(&["env", "cage2", verb, "--horizon", steps]);
            assert_eq!(said.code, 2, "{verb} {steps}: {}", said.err);
            assert!(said.err.contains("give a whole number from 1 to 10000"), "{}", said.err);
        }
    }
}
