//! Files that are not in their form, and raw files that are missing or changed.

use std::fs;
use std::path::Path;

use gimbal_core::Digest;
use gimbal_triage::corpus::{Corpus, CorpusError, PacketOptions};

const LINES: &str = "Mar 10 02:10:01 web01 sshd[7]: Failed password for root from 192.0.2.7 port 4242 ssh2\n";

/// A scenario over one file beside it.
fn over_file(sha256: &str) -> String {
    format!(
        "id: MY-1\ntitle: One failure\nfamily: mine\nsplits: [dev]\ntier: AMBIGUOUS\ndifficulty: 1\ncategory: credentials\n\
         expected: INCONCLUSIVE\noperator_truth: unknown\nlabel_version: 1\nrationale: One failure shows nothing.\nyear: 2026\n\
         sources:\n  - {{file: auth.log, format: syslog, sha256: {sha256}}}\n\
         criterion:\n  suspicious:\n    - {{name: failure, facts: {{class: logon_failed}}, decides: never}}\n"
    )
}

fn folder_with(scenario: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/scenario.yaml"), scenario).unwrap();
    folder
}

/// A scenario over a script of Windows events.
fn scripted(steps: &str) -> String {
    let script = format!("sources:\n  - {{engine: windows, host: a, start: 2026-01-01T00:00:00Z, steps: [{steps}]}}\n");
    over_file("").replace("sources:\n  - {file: auth.log, format: syslog, sha256: }\n", &script)
}

#[test]
fn a_raw_file_that_is_missing_or_changed_is_named_with_both_hashes() {
    let digest = Digest::of(LINES.as_bytes());
    let folder = folder_with(&over_file(&digest.to_string()));
    let corpus = Corpus::open(folder.path()).unwrap();
    let scenario = corpus.scenario("MY-1").unwrap();
    let missing = scenario.packet(None, &PacketOptions::default()).unwrap_err();
    assert!(matches!(missing, CorpusError::Io { .. }) && missing.to_string().contains("auth.log"), "{missing}");

    let raw = folder.path().join("mine/auth.log");
    fs::write(&raw, LINES).unwrap();
    let packet = scenario.packet(None, &PacketOptions::default()).unwrap();
    assert_eq!(packet.facts().len(), 1);
    assert_eq!(scenario.criterion.verdict(&packet), scenario.expected);

    fs::write(&raw, LINES.replace("root", "ruth")).unwrap();
    let changed = scenario.packet(None, &PacketOptions::default()).unwrap_err().to_string();
    let found = Digest::of(LINES.replace("root", "ruth").as_bytes());
    for part in ["auth.log", "MY-1", &digest.to_string(), &found.to_string()] {
        assert!(changed.contains(part), "{changed}");
    }
}

#[test]
fn mistakes_of_a_file_are_told_with_the_scenario_and_what_was_expected() {
    let sound = over_file(&Digest::of(LINES.as_bytes()).to_string());
    let cases = [
        ("tier: AMBIGUOUS", "tier: UNSURE", "UNSURE"),
        ("tier: AMBIGUOUS", "tier: CLEAR_THREAT", "of the tier CLEAR_THREAT is not INCONCLUSIVE"),
        ("splits: [dev]", "splits: [deev]", "did you mean `dev`"),
        ("difficulty: 1", "difficulty: 9", "expected 1 to 4"),
        ("format: syslog", "format: sysslog", "did you mean `syslog`"),
        ("file: auth.log", "file: ../auth.log", "leaves its folder"),
        ("title: One failure", "titel: One failure", "title"),
        ("class: logon_failed", "class: logon_faild", "did you mean `logon_failed`"),
        ("class: logon_failed", "class: logon_failed, after: entry", "`entry`, which is not a suspicion"),
        ("class: logon_failed", "class: logon_failed, actor: 'a*b'", "not within it"),
        ("decides: never", "decides: never, explained_by: [duty]", "`duty`, which is not an explanation"),
        ("class: logon_failed", "class: logon_failed, actor: 'account:$who'", "`$who` is not a name"),
        ("family: mine", "family: ''", "`family` is empty"),
        ("family: mine", "family: ' '", "`family` is empty"),
        ("id: MY-1", "id: ''", "`id` is empty"),
        ("rationale: One failure shows nothing.", "rationale: ''", "`rationale` is empty"),
    ];
    for (from, to, expected) in cases {
        assert!(sound.contains(from), "{from}");
        let folder = folder_with(&sound.replace(from, to));
        let error = Corpus::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains(expected), "{to}: {error}");
        // The line of the key at fault: that of the criterion for all that is in it, and of the verdict for a tier that does not allow it.
        let key = match from {
            "class: logon_failed" | "decides: never" => "criterion:",
            "tier: AMBIGUOUS" if to == "tier: CLEAR_THREAT" => "expected:",
            other => other,
        };
        let line = 1 + sound.lines().position(|line| line.contains(key)).unwrap();
        let exact = format!("scenario.yaml:{line}:");
        // What YAML itself refuses is told at the value.
        assert!(
            error.contains(&exact) || error.contains(&format!("scenario.yaml:{}:", line + 2)),
            "{to}: {exact} {error}"
        );
    }
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(Corpus::open(empty.path()), Err(CorpusError::Empty(_))));
    assert!(matches!(Corpus::open(Path::new("/nowhere/at/all")), Err(CorpusError::Io { .. })));
}

#[test]
fn an_id_is_given_once() {
    let scenario = over_file(&Digest::of(LINES.as_bytes()).to_string());
    let folder = folder_with(&scenario);
    fs::create_dir(folder.path().join("other")).unwrap();
    fs::write(folder.path().join("other/scenario.yaml"), &scenario).unwrap();
    let error = Corpus::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("other/scenario.yaml:1: scenario `MY-1`"), "{error}");
    assert!(error.contains("mine/scenario.yaml:1 has this id too; ids are given once"), "{error}");
    let twin = format!(
        "{scenario}twins:\n  - id: MY-1\n    tier: AMBIGUOUS\n    expected: INCONCLUSIVE\n    rationale: The same.\n"
    );
    let line = 1 + scenario.lines().count() + 1;
    let error = Corpus::read(&twin, "mine.yaml").unwrap_err().to_string();
    assert!(error.starts_with(&format!("mine.yaml:{line}: scenario `MY-1`: mine.yaml:1 has this id too")), "{error}");
}

#[test]
fn a_script_has_bounds() {
    for (step, expected) in [
        ("{event: '4624', count: 4000000000, every: 0}", "more than 50000 records"),
        ("{event: '4624', at: 1.0e+300}", "from 0 to 31 days"),
        ("{event: '4624', at: -5}", "from 0 to 31 days"),
        ("{event: '4624', at: .nan}", "from 0 to 31 days"),
        ("{event: '4624', count: 40000, every: 3600}", "31 days after the start"),
        ("{event: '4624', jitter: 7}", "a share from 0 to 1"),
    ] {
        let folder = folder_with(&scripted(step));
        let error = Corpus::open(folder.path()).unwrap_err().to_string();
        // A number that JSON does not have hides the tree of the file, and its lines.
        let line = if step.contains(".nan") { 1 } else { 14 };
        let place = format!("scenario.yaml:{line}: scenario `MY-1`");
        assert!(error.contains(expected) && error.contains(&place), "{step}: {error}");
    }
}

#[test]
fn a_background_lasts_at_most_a_month() {
    let lasting = |minutes: u64| {
        let background = format!("steps: [], background: {{profile: office, minutes: {minutes}}}");
        let folder = folder_with(&scripted("").replace("steps: []", &background));
        Corpus::open(folder.path()).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(lasting(31 * 24 * 60), Ok(()));
    for minutes in [31 * 24 * 60 + 1, u64::from(u32::MAX)] {
        let error = lasting(minutes).unwrap_err();
        let expected = format!("its background lasts {minutes} minutes; expected at most 31 days");
        assert!(error.contains(&expected) && error.contains("MY-1"), "{error}");
    }
}

#[test]
fn a_script_that_no_engine_has_is_an_error_and_no_panic() {
    let made = |steps: &str| {
        let folder = folder_with(&scripted(steps));
        let corpus = Corpus::open(folder.path()).unwrap();
        corpus.all()[0].packet(None, &PacketOptions::default()).unwrap_err().to_string()
    };
    let unknown = made("{event: '4264'}");
    assert!(unknown.contains("there is no event `4264`") && unknown.contains("scenario.yaml:14: "), "{unknown}");
    assert!(made("{event: '4624', fields: {TargetUserNam: x}}").contains("no field `TargetUserNam`"));
    assert!(made("{line: 'sshd: x'}").contains("needs `event`"));
    assert!(made("{event: '4624', fields: {TargetUserName: '{who}'}}").contains("{who}"));
}
