//! Files of personas, studies and runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gimbal_agent::Persona;
use gimbal_analysis::printable::{is_hidden, printable, printable_lines};
use gimbal_core::{FileError, Files, delta};
use gimbal_study::run::frame::{HEAD_BYTES, frame as written, head, matches};
use gimbal_study::run::ledger::{self, Opened};

use super::{owned, text};

const CORE: &str = "personas/planner/core.yaml";

/// The project's personas, read once, with one file replaced.
struct With<'a>(&'a str);

fn shipped() -> &'static BTreeMap<String, String> {
    static FILES: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    fn walk(folder: &Path, name: &str, out: &mut BTreeMap<String, String>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), format!("{name}/{}", entry.file_name().to_string_lossy()));
            if path.is_dir() {
                walk(&path, &name, out);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                out.insert(name, text);
            }
        }
    }
    FILES.get_or_init(|| {
        let mut files = BTreeMap::new();
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
        walk(&root.join("personas"), "personas", &mut files);
        files
    })
}

impl Files for With<'_> {
    fn read(&self, path: &str) -> Result<Option<(String, String)>, FileError> {
        let text = if path == CORE { Some(self.0) } else { shipped().get(path).map(String::as_str) };
        Ok(text.map(|text| (text.to_owned(), path.to_owned())))
    }

    fn list(&self, folder: &str) -> Vec<String> {
        shipped().keys().filter(|path| path.starts_with(folder)).cloned().collect()
    }
}

pub fn personas() -> Vec<Vec<u8>> {
    let core = include_str!("../../../../personas/planner/core.yaml");
    let looped = core.replacen("{{ goal }}", "{% for a in range(90) %}{{ a|upper }}{% endfor %}", 1);
    owned(&[core, &looped])
}

pub fn persona(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Err(problem) = Persona::load("planner", &With(text)) {
        assert!(!problem.to_string().is_empty());
    }
}

pub fn suites() -> Vec<Vec<u8>> {
    owned(&[include_str!("../../../../attacks/suite.yaml")])
}

pub fn suite(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    match gimbal_study::attacks::Suite::parse(text, "suite.yaml") {
        Ok(suite) => assert_eq!(suite.digest(), suite.clone().digest()),
        Err(problem) => assert!(problem.to_string().starts_with("suite.yaml"), "{problem}"),
    }
}

pub fn studies() -> Vec<Vec<u8>> {
    owned(&[
        include_str!("../../../../studies/quickstart.yaml"),
        include_str!("../../../../studies/faults.yaml"),
        include_str!("../../../../studies/bog.yaml"),
        SESSIONS,
    ])
}

/// Sections that no shipped study has.
const SESSIONS: &str = "\
study: sessions
environment: cage2
architectures: [{ base: react, artefacts: { graph: other.yaml, arbiter: ~ } }]
artefacts: { arbiter: weights.bin, graph: graphs/a.yaml }
episodes: { trials: { number: 3, over: seeds }, runs: 2 }
prepare: []
";

pub fn study(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Err(problem) = gimbal_study::plan::parse(text, "study.yaml") {
        assert!(!problem.to_string().is_empty());
    }
}

pub fn frames() -> Vec<Vec<u8>> {
    vec![written(0, u64::MAX, b"{\"at\":0}\n"), written(7, 41, &[b'x'; 300])]
}

pub fn frame(bytes: &[u8]) {
    if let Some(head) = head(bytes) {
        let _ = matches(&head, &bytes[HEAD_BYTES..]);
    }
}

pub fn lines() -> Vec<Vec<u8>> {
    let opened = Opened { before: None, file: 1, run: "r".to_owned() };
    let sent = serde_json::json!({
        "row": "sent", "attempt": 0, "at": 1, "call": 0, "episode": "0".repeat(64), "lane": 0, "model": "m", "role": "r", "try": 0
    });
    [ledger::line(0, &opened).0, ledger::line(1, &sent).0].map(|line| line[..line.len() - 1].to_vec()).to_vec()
}

/// What is read is written alike.
pub fn line(bytes: &[u8]) {
    let again = |line: Vec<u8>| line[..line.len() - 1].to_vec();
    if let Some(row) = ledger::parse(bytes) {
        assert_eq!(ledger::parse(&again(ledger::line(0, &row).0)), Some(row));
    }
    if let Some(opened) = ledger::parse_opened(bytes) {
        assert_eq!(ledger::parse_opened(&again(ledger::line(0, &opened).0)), Some(opened));
    }
}

const SOURCES: [&[u8]; 2] = [b"one source\nof some lines\n", b"another"];

pub fn deltas() -> Vec<Vec<u8>> {
    let texts: [&[u8]; 2] = [b"one source\nof other lines\n", b"something else, at length"];
    texts.iter().filter_map(|text| delta::encode(text, &SOURCES)).collect()
}

pub fn delta(bytes: &[u8]) {
    if let Some(text) = delta::decode(bytes, &SOURCES, 1 << 16) {
        assert!(text.len() <= 1 << 16);
    }
}

pub fn names() -> Vec<Vec<u8>> {
    owned(&["a name", "=1+1", "\u{202e}txt.exe", "\u{1b}[31mred", "{\"key\": \"value\"}\r\n"])
}

/// Nothing hidden comes through.
pub fn name(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    assert!(!printable(&text).chars().any(is_hidden));
    let lines = printable_lines(&text).replace("\r\n", "\n");
    assert!(lines.chars().all(|letter| !is_hidden(letter) || matches!(letter, '\n' | '\t')));
}
