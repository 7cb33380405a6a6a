//! Kept streams of verdicts, and records of debates.

use gimbal_ares::debate::Debate;
use gimbal_ares::history::{Entry, Filter, History};
use gimbal_core::{Digest, Milli};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::{Draft, Selection, Utc};

use super::text;

/// A stream of three verdicts, one of them twice.
pub fn streams() -> Vec<Vec<u8>> {
    let entry = |(number, run): (u8, &str)| {
        let time = Utc::from_micros(i64::from(number) * 1_000_000)?;
        Some(Entry {
            architecture: "debate".to_owned(),
            chain: Digest::of(&[number]),
            confidence: Milli(700),
            corpus: (number == 1).then(|| Digest::of(b"scenario")),
            key: Digest::of(&[number, 1]),
            model: String::new(),
            packet: Digest::of(b"packet"),
            run: run.to_owned(),
            task: format!("SC-{number:03}"),
            time,
            verdict: Verdict::ALL[usize::from(number) % 3],
        })
    };
    let entries: Vec<Entry> = [(0, "one"), (1, "one"), (2, "one"), (2, "two")].into_iter().filter_map(entry).collect();
    vec![kept(&History::of(entries, Filter::default())).into_bytes()]
}

/// What verifies is written again in as many lines, and verifies again.
pub fn stream(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(history) = History::verify(text) {
        let written = kept(&history);
        assert_eq!(text.lines().count(), written.lines().count());
        assert_eq!(History::verify(&written), Ok(history));
    }
}

fn kept(history: &History) -> String {
    history.json_lines().iter().map(|line| format!("{line}\n")).collect()
}

/// Records as a journal holds them, a kind and its data on each line.
pub fn debates() -> Vec<Vec<u8>> {
    vec![
        br#"asserted {"role":"architect","round":1,"claim":"A1","kind":"ASSERT","predicate":"count 5","facts":["F001"],"confidence":700,"interpretation":"","check":"entailed"}
confidence {"role":"architect","round":1,"confidence":900,"strategy":"model","fallback":false,"assertions":1,"facts":1,"new_facts":1}
verdict {"after":"round","round":1,"judge":"v2","arithmetic":"exact","architect":900,"skeptic":600,"architect_facts":1,"skeptic_facts":0,"verdict":"THREAT_CONFIRMED","certainty":900,"definition":"winner","fallback":false,"last":true}"#
            .to_vec(),
    ]
}

/// Whatever records say, a debate is drawn, or refused with a reason.
pub fn debate(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let mut debate = Debate::default();
    for line in text.lines() {
        let (kind, data) = line.split_once(' ').unwrap_or((line, ""));
        let _ = debate.add(kind, data);
    }
    let packet = Draft::new(Vec::new(), Selection::default()).freeze();
    let rules = gimbal_evidence::rules::RuleSet {
        version: 1,
        threshold: Milli(300),
        fields: std::collections::BTreeMap::new(),
        threats: Vec::new(),
        benign: Vec::new(),
    };
    let _ = debate.outcome(&packet, &rules);
    let _ = gimbal_ares::debate::drawn(&debate, "a debate", &std::collections::BTreeMap::new());
}
