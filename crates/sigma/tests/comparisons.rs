//! Hits beside verdicts. No engine is needed.

use gimbal_evidence::judge::Verdict;
use gimbal_sigma::comparison::{Compared, Labels, LabelsError, by_file, by_label, hits, test};
use gimbal_sigma::{Found, Level, Rule};

use crate::support::rule;

fn compared<'m>(file: &str, label: &str, verdict: Verdict, rules: &[&'m Rule]) -> Compared<'m> {
    Compared {
        file: file.to_owned(),
        label: (!label.is_empty()).then(|| label.to_owned()),
        verdict,
        records: 10,
        matched: rules.len() as u64,
        found: rules.iter().map(|rule| Found { rule, records: 2 }).collect(),
    }
}

fn column(csv: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let at = reader.headers().unwrap().iter().position(|header| header == name).unwrap();
    reader.records().map(|row| row.unwrap()[at].to_owned()).collect()
}

#[test]
fn the_test_counts_files_on_which_one_side_alone_is_right() {
    let (high, low, none) = (rule("high", Some(Level::High)), rule("low", Some(Level::Low)), rule("none", None));
    let (yes, no, open) = (Verdict::ThreatConfirmed, Verdict::ThreatDismissed, Verdict::Inconclusive);
    let files = [
        compared("a", "malicious", yes, &[&high]),
        compared("b", "malicious", no, &[&high, &low]),
        compared("c", "malicious", open, &[&low]),
        compared("d", "malicious", yes, &[]),
        compared("e", "benign", no, &[&low]),
        compared("f", "background", yes, &[&none]),
        compared("g", "background", yes, &[]),
        compared("h", "ambiguous", yes, &[]),
        compared("i", "", no, &[&high]),
    ];
    let table = test(&files).to_csv();
    assert_eq!(column(&table, "least"), ["any", "medium", "high", "critical"]);
    assert_eq!(column(&table, "malicious"), ["4", "4", "4", "4"]);
    assert_eq!(column(&table, "harmless"), ["3", "3", "3", "3"]);
    assert_eq!(column(&table, "rules_malicious"), ["3", "2", "2", "0"]);
    assert_eq!(column(&table, "own_malicious"), ["2", "2", "2", "2"]);
    assert_eq!(column(&table, "rules_harmless"), ["2", "0", "0", "0"]);
    assert_eq!(column(&table, "own_harmless"), ["2", "2", "2", "2"]);
    // any: hits alone right on b, c, g; own alone on d, e. medium: b, f, g against d.
    assert_eq!(column(&table, "only_rules"), ["3", "3", "3", "2"]);
    assert_eq!(column(&table, "only_own"), ["2", "1", "1", "2"]);
    let p: Vec<f64> = column(&table, "p").iter().map(|p| p.parse().unwrap()).collect();
    assert!((p[0] - 1.0).abs() < 1e-12 && (p[1] - 0.625).abs() < 1e-12, "{p:?}");
}

#[test]
fn tables_name_the_author_of_each_hit_and_count_by_label() {
    let (high, low) = (rule("high", Some(Level::High)), rule("low", Some(Level::Low)));
    let files = [
        compared("a", "malicious", Verdict::ThreatConfirmed, &[&high, &low]),
        compared("b", "malicious", Verdict::Inconclusive, &[&low]),
        compared("c", "", Verdict::ThreatDismissed, &[]),
    ];
    let table = hits(&files).to_csv();
    assert_eq!(column(&table, "file"), ["a", "a", "b"]);
    assert!(column(&table, "author").iter().all(|author| author == "A. Author, B. Author"));
    let table = by_file(&files).to_csv();
    assert_eq!(column(&table, "highest"), ["high", "low", ""]);
    assert_eq!(column(&table, "rules"), ["2", "1", "0"]);
    let table = by_label(&files).to_csv();
    assert_eq!(column(&table, "label"), ["malicious", "no label"]);
    assert_eq!(column(&table, "any"), ["2", "0"]);
    assert_eq!(column(&table, "high"), ["1", "0"]);
    assert_eq!(
        (column(&table, "confirmed"), column(&table, "dismissed")),
        (vec!["1".into(), "0".into()], vec!["0".into(), "1".into()])
    );
}

#[test]
fn labels_are_found_by_the_end_of_a_path() {
    let labels = Labels::read("file,kind,label\nwindows/a.evtx,x,malicious\na.evtx,x,benign\n", "labels.csv").unwrap();
    assert_eq!(labels.of("/data/windows/a.evtx"), Some("malicious"));
    assert_eq!(labels.of("other/a.evtx"), Some("benign"));
    assert_eq!((labels.of("ba.evtx"), labels.of("windows")), (None, None));
    let wrong = Labels::read("file,tag\na,b\n", "labels.csv").unwrap_err();
    assert!(
        matches!(wrong, LabelsError::Column { column: "label", .. }) && wrong.to_string().contains("`label`"),
        "{wrong}"
    );
    let wrong = Labels::read("file,label\na\n", "labels.csv").unwrap_err();
    assert!(matches!(wrong, LabelsError::Form { .. }), "{wrong}");
}
