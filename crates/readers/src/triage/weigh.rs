//! What facts show, by rules that any analyst knows: signs of an attack, and what explains them.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::Line;
use super::signs::{RULES, Rule};

/// A verdict with its reasons.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Weighed {
    pub verdict: &'static str,
    /// In percent.
    pub confidence: u64,
    pub cited: Vec<String>,
    pub why: String,
}

/// Most facts that are cited.
const MOST: usize = 20;
/// Refused logons from one place that are not typing errors.
const GUESSES: u64 = 10;
/// Accounts that one place asks for and that do not exist.
const UNKNOWN: u64 = 5;
/// Refused packets, or flows between the same two, that are not ordinary use.
const MANY: (u64, u64) = (50, 100);
/// Bytes of one flow that are much.
const LARGE: u64 = 50_000_000;

/// Facts that are a sign of an attack.
#[derive(Clone, Debug)]
pub(super) struct Sign<'a> {
    /// The step of an attack that it is: two signs of one step say no more than one.
    pub step: String,
    /// Whether it has no harmless reading of its own.
    alone: bool,
    /// Whether a stated fact can explain it.
    explicable: bool,
    pub facts: Vec<&'a Line>,
}

impl<'a> Sign<'a> {
    fn paired(step: impl Into<String>, facts: Vec<&'a Line>) -> Self {
        Self { step: step.into(), alone: false, explicable: true, facts }
    }
}

/// The signs of a packet, each with the ids of the stated facts that explain it.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading<'a>(Vec<(Sign<'a>, Vec<String>)>);

/// Reads the facts of a packet.
pub(super) fn read<'a>(lines: impl Iterator<Item = &'a Line>) -> Reading<'a> {
    let (stated, seen): (Vec<&Line>, Vec<&Line>) =
        lines.filter(|line| line.class != "not_collected").partition(|line| line.is_stated());
    let explained = signs(&seen).into_iter().map(|sign| {
        let covers = |known: &&&Line| sign.explicable && sign.facts.iter().any(|fact| known.covers(fact));
        let by = stated.iter().filter(covers).map(|known| known.id.clone()).collect();
        (sign, by)
    });
    Reading(explained.collect())
}

impl<'a> Reading<'a> {
    /// The signs that nothing explains.
    pub fn open(&self) -> Vec<&Sign<'a>> {
        self.0.iter().filter(|(_, by)| by.is_empty()).map(|(sign, _)| sign).collect()
    }

    /// The signs that stated facts explain, with the ids of these.
    pub fn explained(&self) -> impl Iterator<Item = (&Sign<'a>, &[String])> {
        self.0.iter().filter(|(_, by)| !by.is_empty()).map(|(sign, by)| (sign, by.as_slice()))
    }

    /// Whether there is no sign at all.
    pub fn is_quiet(&self) -> bool {
        self.0.is_empty()
    }

    /// How sure a threat is, from 0 to 1: a sign without a harmless reading, or signs of two steps that nothing explains.
    pub fn threat(&self) -> f64 {
        let open = self.open();
        let steps: BTreeSet<&str> = open.iter().map(|sign| sign.step.as_str()).collect();
        match steps.len() {
            _ if open.iter().any(|sign| sign.alone) => 0.9,
            0 => 0.1,
            1 => 0.5,
            _ => 0.88,
        }
    }

    /// The verdict.
    pub fn verdict(&self) -> Weighed {
        let open = self.open();
        let threat = self.threat();
        let (verdict, confidence, mut cited, why) = if threat > 0.5 {
            (
                "THREAT_CONFIRMED",
                if threat > 0.89 { 90 } else { 80 },
                ids(&open),
                "no stated fact explains what the signs show",
            )
        } else if open.is_empty() {
            let mut cited: Vec<String> = self.explained().flat_map(|(_, by)| by.to_vec()).collect();
            cited.sort_unstable();
            cited.dedup();
            cited.extend(ids(&self.0.iter().map(|(sign, _)| sign).collect::<Vec<_>>()));
            let why = if self.is_quiet() { "nothing suspicious is shown" } else { "stated facts explain all signs" };
            ("THREAT_DISMISSED", 80, cited, why)
        } else {
            ("INCONCLUSIVE", 50, ids(&open), "one sign alone decides nothing")
        };
        cited.truncate(MOST);
        Weighed { verdict, confidence, cited, why: why.to_owned() }
    }
}

/// The facts of signs, each once: of each sign the first, then the others.
fn ids(signs: &[&Sign<'_>]) -> Vec<String> {
    let first = signs.iter().filter_map(|sign| sign.facts.first());
    let others = signs.iter().flat_map(|sign| sign.facts.iter().skip(1));
    let mut ids: Vec<String> = Vec::new();
    for fact in first.chain(others) {
        if !ids.contains(&fact.id) {
            ids.push(fact.id.clone());
        }
    }
    ids
}

fn signs<'a>(lines: &[&'a Line]) -> Vec<Sign<'a>> {
    let mut signs = Vec::new();
    for rule in RULES {
        let facts: Vec<&Line> = lines.iter().copied().filter(|line| takes(rule, line)).collect();
        if !facts.is_empty() {
            signs.push(Sign {
                step: rule.step.to_owned(),
                alone: rule.alone,
                explicable: rule.explicable && !rule.alone,
                facts,
            });
        }
    }
    guesses(lines, &mut signs);
    traffic(lines, &mut signs);
    sequences(lines, &mut signs);
    signs
}

fn takes(rule: &Rule, line: &Line) -> bool {
    let has = |words: &[&str]| words.is_empty() || words.iter().any(|word| line.text.contains(word));
    (rule.classes.is_empty() || rule.classes.contains(&line.class.as_str())) && has(rule.words) && has(rule.also)
}

/// How many records facts stand for: those that count others, or single ones.
fn records(facts: &[&Line]) -> u64 {
    let counted: u64 = facts.iter().filter(|fact| fact.count > 1).map(|fact| fact.count).sum();
    counted.max(facts.iter().filter(|fact| fact.count == 1).count() as u64)
}

/// Facts of some classes by what each is keyed with.
fn groups<'a>(
    lines: &[&'a Line],
    classes: &[&str],
    key: impl Fn(&'a Line) -> (&'a str, &'a str),
) -> BTreeMap<(&'a str, &'a str), Vec<&'a Line>> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Line>> = BTreeMap::new();
    for line in lines.iter().copied().filter(|line| classes.contains(&line.class.as_str())) {
        groups.entry(key(line)).or_default().push(line);
    }
    groups
}

/// Many refused logons from one place, names that nobody has, and a logon from there afterwards.
fn guesses<'a>(lines: &[&'a Line], signs: &mut Vec<Sign<'a>>) {
    for ((actor, _), facts) in groups(lines, &["logon_failed"], |line| (line.actor.as_str(), "")) {
        let accounts: BTreeSet<&str> = facts.iter().map(|fact| fact.object.as_str()).collect();
        let unknown: Vec<&Line> = facts.iter().copied().filter(|fact| fact.text.contains("unknown account")).collect();
        let is_many = records(&facts) >= GUESSES || accounts.len() >= 5;
        if records(&unknown) >= UNKNOWN {
            signs.push(Sign::paired("names", unknown));
        }
        if !is_many || actor.is_empty() {
            continue;
        }
        let begun = facts.iter().filter_map(|fact| fact.second).fold(f64::MAX, f64::min);
        let entered: Vec<&Line> = lines
            .iter()
            .copied()
            .filter(|line| line.class == "logon" && line.actor == actor && line.second.is_some_and(|at| at > begun))
            .collect();
        signs.push(Sign::paired("guesses", facts));
        if !entered.is_empty() {
            signs.push(Sign::paired("entry", entered));
        }
    }
}

/// Probes, series between the same two, and large flows.
fn traffic<'a>(lines: &[&'a Line], signs: &mut Vec<Sign<'a>>) {
    for (_, facts) in groups(lines, &["packet_filtered"], |line| (line.actor.as_str(), "")) {
        if records(&facts) >= MANY.0 {
            let actor = facts[0].actor.clone();
            let entered =
                lines.iter().copied().filter(|line| line.class == "logon" && line.actor == actor).collect::<Vec<_>>();
            signs.push(Sign::paired("probe", facts));
            if !entered.is_empty() {
                signs.push(Sign::paired("entry", entered));
            }
        }
    }
    for ((actor, _), facts) in groups(lines, &["flow"], |line| (line.actor.as_str(), line.object.as_str())) {
        if records(&facts) >= MANY.1 {
            signs.push(Sign::paired(format!("series from {actor}"), facts));
        }
    }
    for ((actor, _), facts) in groups(lines, &["flow"], |line| (line.actor.as_str(), "")) {
        let bytes = |line: &&Line| {
            let found = ["octetDeltaCount", "bytes", "orig_bytes"].iter().find_map(|name| line.fields.get(*name));
            found.and_then(|text| text.parse::<u64>().ok()).is_some_and(|bytes| bytes >= LARGE)
        };
        let large: Vec<&Line> = facts.into_iter().filter(bytes).collect();
        if !large.is_empty() {
            signs.push(Sign::paired(format!("large flow from {actor}"), large));
        }
    }
}

/// Facts that follow each other: what was created and is gone, a file by whoever read the memory of logons, a shell behind a decoder.
fn sequences<'a>(lines: &[&'a Line], signs: &mut Vec<Sign<'a>>) {
    let of = |class: &str| lines.iter().copied().filter(|line| line.class == class).collect::<Vec<_>>();
    for (made, gone, step) in
        [("account_created", "account_deleted", "account gone"), ("task_created", "task_deleted", "task gone")]
    {
        let gone: Vec<&Line> = of(gone)
            .into_iter()
            .filter(|gone| of(made).iter().any(|made| made.object == gone.object && within(made, gone, 900.0)))
            .collect();
        if !gone.is_empty() {
            signs.push(Sign { explicable: false, ..Sign::paired(step, gone) });
        }
    }
    let readers: BTreeSet<&str> = of("process_accessed")
        .into_iter()
        .filter(|line| line.text.contains("lsass"))
        .map(|line| line.actor.as_str())
        .collect();
    let dumps: Vec<&Line> =
        of("file_created").into_iter().filter(|line| readers.contains(line.actor.as_str())).collect();
    if !dumps.is_empty() {
        signs.push(Sign::paired("dump", dumps));
    }
    let started = of("process_started");
    let decoded: Vec<&Line> = started.iter().copied().filter(|line| line.object.contains("base64")).collect();
    let shells: Vec<&Line> = started
        .iter()
        .copied()
        .filter(|line| line.object.contains("dash") || line.object.contains("/sh"))
        .filter(|line| decoded.iter().any(|first| first.actor == line.actor && within(first, line, 10.0)))
        .collect();
    if !decoded.is_empty() {
        signs.push(Sign::paired("decoded", decoded));
    }
    if !shells.is_empty() {
        signs.push(Sign::paired("decoded shell", shells));
    }
    let replicating: BTreeSet<&str> = of("directory_accessed")
        .into_iter()
        .filter(|line| line.text.contains("1131f6a"))
        .map(|line| line.actor.as_str())
        .collect();
    let logons: Vec<&Line> = of("logon")
        .into_iter()
        .filter(|line| replicating.contains(line.object.as_str()) && line.actor.starts_with("address:"))
        .collect();
    if !logons.is_empty() {
        signs.push(Sign::paired("logon of who replicates", logons));
    }
    let reset = of("password_changed");
    let outside: Vec<&Line> = of("logon")
        .into_iter()
        .filter(|line| {
            is_outside(&line.actor)
                && reset.iter().any(|reset| reset.object == line.object && within(reset, line, f64::MAX))
        })
        .collect();
    if !outside.is_empty() {
        signs.push(Sign { explicable: false, ..Sign::paired("logon from outside", outside) });
    }
}

fn within(first: &Line, then: &Line, seconds: f64) -> bool {
    first.second.zip(then.second).is_some_and(|(first, then)| then >= first && then - first <= seconds)
}

/// Whether an address is none of a private network.
fn is_outside(actor: &str) -> bool {
    let Some(address) = actor.strip_prefix("address:").filter(|address| address.contains('.')) else { return false };
    !["10.", "192.168.", "127.", "172.16.", "172.17.", "172.18.", "172.19.", "172.2", "172.30.", "172.31."]
        .iter()
        .any(|start| address.starts_with(start))
}
