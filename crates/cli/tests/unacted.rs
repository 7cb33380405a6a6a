//! A controller whose model never makes a call: it plays to the end, is paid for, and measures nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

use crate::common;

use common::Place;

/// Hands every subtask back at once, and answers the router in words that name nothing.
const HANDS_BACK: &str = "\
rules:
  - when: { last: '<segment>' }
    say: I have no more to say.
  - say: |-
      Thought: done
      Tool: finish_subtask: done
      PAUSE
";

/// `textcraft` is over when its agents leave it; `cage2` goes on without them, by calls that are nobody's.
const STUDY: &str = "\
study: silent
environment:
  - { name: textcraft, tasks: { split: mixed, limit: 2 } }
  - { name: cage2, red: b_line, horizon: 4 }
architectures:
  - { base: cyclic, name: silent, graph: suggested, local_calls: 2, global_calls: 4 }
roles: [ { default: scripted/hands-back.yaml }, { default: noisy/1.0 } ]
episodes: { runs: 3, seed: 5 }
";

/// The cells of a line of CSV: a comma within quotation marks ends none.
fn cells_of(line: &str) -> Vec<String> {
    let mut quoted = false;
    let ends = |letter: char| {
        quoted ^= letter == '"';
        letter == ',' && !quoted
    };
    line.split(ends).map(|cell| cell.trim_matches('"').to_owned()).collect()
}

// covers: BOG-225, CYC-060
#[test]
fn a_controller_whose_model_never_acts_is_no_measurement() {
    let place = Place::new();
    place.write("hands-back.yaml", HANDS_BACK);
    place.write("silent.yaml", STUDY);
    place.gimbal(&["run", "silent.yaml", "--progress", "quiet", "--no-report"]).good();
    let table = |name: &str| {
        let csv = place.gimbal(&["report", "silent", "--table", name, "--format", "csv"]).good().out;
        let mut lines = csv.lines().map(cells_of);
        let head = lines.next().unwrap();
        let at = move |key: &str| head.iter().position(|column| column == key).unwrap();
        (at, lines.collect::<Vec<_>>(), csv)
    };
    let (at, rows, csv) = table("cells");
    let marks: Vec<bool> = rows.iter().map(|row| row[at("mark")].contains("hardly acted")).collect();
    let silent: Vec<bool> = rows.iter().map(|row| row[at("model")].contains("hands-back")).collect();
    assert_eq!((silent.iter().filter(|one| **one).count(), marks), (2, silent), "{csv}");
    // Lines are broken where a terminal ends.
    let text = place.gimbal(&["report", "silent"]).good().out.split_whitespace().collect::<Vec<_>>().join(" ");
    let headline = "In 2 of 4 cells with a model (scripted/hands-back.yaml) the model hardly acted";
    assert!(
        text.contains(headline) && text.contains("9 of 9 episodes, without any tool call, count as 100%"),
        "{text}"
    );
    assert!(
        text.contains("no tool call in 6 of 6 episodes") && text.contains("no tool call in 3 of 3 episodes"),
        "{text}"
    );
    // The router was asked and never answered: its messages are among the unusable ones.
    assert!(text.contains("of 100% of the messages that it was asked for nothing could be used"), "{text}");
    let said = place.gimbal(&["report", "silent", "--table", "cyc-9"]).good().out;
    assert!(said.contains("hardly acted, no measurement"), "{said}");
    let (at, rows, csv) = table("cyc-9");
    assert!(rows.len() == 4, "{csv}");
    for row in rows {
        let silent = row[at("models")].contains("hands-back");
        assert_eq!((row[at("sr")].is_empty(), row[at("mark")].contains("hardly acted")), (silent, silent), "{csv}");
    }
    let (_, rows, csv) = table("cyc-groups");
    assert!(rows.len() == 6 && !csv.contains("hands-back"), "{csv}");
}
