//! A set of rules, ready to be asked.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::Digest;
use rsigma_parser::SigmaRule;

use crate::engine::{self, Collection};
use crate::folder::{RuleFiles, RuleText};
use crate::{Gate, Matcher, Record, Rule, Tables};

/// What is written where a rule does not say it.
const NOT_STATED: &str = "not stated";

/// A rule that is not asked, or a file without a rule that could be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unused {
    /// The file, relative to the folder of rules.
    pub path: String,
    /// Why.
    pub why: String,
}

/// Rules by the records that they are about. Each rule is asked only about records that its gate lets through.
pub struct RuleSet {
    rules: Vec<Rule>,
    gated: Vec<(Gate, Collection)>,
    /// By channel: the gates that know it.
    by_channel: BTreeMap<String, Vec<usize>>,
    /// By number of a candidate: its index among the rules.
    index: Vec<Option<usize>>,
    /// Rules for records that are not read, by log source.
    elsewhere: BTreeMap<String, usize>,
    unused: Vec<Unused>,
    files: usize,
    bytes: u64,
    sha256: Digest,
}

/// A rule on its way into a set.
struct Candidate {
    rule: SigmaRule,
    about: Rule,
    gate: Gate,
}

impl RuleSet {
    /// Reads rules. What cannot be used is named in [`unused`](Self::unused), and keeps no other rule from being used.
    #[must_use]
    pub fn new(files: &RuleFiles, tables: &Tables) -> Self {
        let mut set = Self {
            rules: Vec::new(),
            gated: Vec::new(),
            by_channel: BTreeMap::new(),
            index: Vec::new(),
            elsewhere: BTreeMap::new(),
            unused: Vec::new(),
            files: files.texts.len() + files.unread.len(),
            bytes: files.bytes(),
            sha256: files.digest(),
        };
        set.unused.extend(files.unread.iter().map(|file| Unused { path: file.path.clone(), why: file.what.clone() }));
        let mut candidates = Vec::new();
        let mut known = BTreeMap::new();
        for text in &files.texts {
            set.read(text, files.licence.as_deref(), tables, &mut known, &mut candidates);
        }
        set.compile(candidates);
        set.unused.sort();
        set
    }

    fn read(
        &mut self,
        text: &RuleText,
        licence: Option<&str>,
        tables: &Tables,
        known: &mut BTreeMap<String, String>,
        candidates: &mut Vec<Candidate>,
    ) {
        let parsed = engine::parse(&text.text);
        let sha256 = text.sha256();
        let mut unused = |why: String| self.unused.push(Unused { path: text.path.clone(), why });
        let is_empty = parsed.rules.is_empty() && parsed.others == 0 && parsed.problems.is_empty();
        parsed.problems.into_iter().for_each(&mut unused);
        if is_empty {
            unused("holds no rule".to_owned());
        }
        if parsed.others > 0 {
            let why = "a rule over several records, or one that changes others (`correlation`, `filter`), is not asked";
            unused(why.to_owned());
        }
        for rule in parsed.rules {
            let about = about(&rule, text, sha256, licence);
            let names = engine::placeholders(&rule);
            if !names.is_empty() {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                unused(format!("`{}` leaves a list to its user: {}", about.title, names.join(", ")));
                continue;
            }
            let source = engine::log_source(&rule);
            let Some(gate) = tables.gate(&source) else {
                *self.elsewhere.entry(source.to_string()).or_default() += 1;
                continue;
            };
            // Two rules of one identity would give the same fact twice.
            let identity = if about.id.is_empty() { format!("{sha256} {}", about.title) } else { about.id.clone() };
            if let Some(before) = known.get(&identity) {
                unused(format!("`{}` has the id of a rule in {before}", about.title));
                continue;
            }
            known.insert(identity, text.path.clone());
            candidates.push(Candidate { gate: gate.clone(), rule, about });
        }
    }

    /// Compiles the rules of each gate as one collection.
    fn compile(&mut self, candidates: Vec<Candidate>) {
        let mut by_gate: BTreeMap<Gate, Vec<(usize, SigmaRule)>> = BTreeMap::new();
        let mut abouts = Vec::with_capacity(candidates.len());
        for (number, candidate) in candidates.into_iter().enumerate() {
            by_gate.entry(candidate.gate).or_default().push((number, candidate.rule));
            abouts.push(candidate.about);
        }
        let mut failed = BTreeSet::new();
        for (gate, rules) in by_gate {
            let (collection, problems) = Collection::new(rules);
            for (number, why) in problems {
                failed.insert(number);
                let path = abouts.get(number).map(|about| about.path.clone()).unwrap_or_default();
                self.unused.push(Unused { path, why });
            }
            for channel in gate.channels() {
                self.by_channel.entry(channel.to_owned()).or_default().push(self.gated.len());
            }
            self.gated.push((gate, collection));
        }
        for (number, about) in abouts.into_iter().enumerate() {
            let is_ready = !failed.contains(&number);
            self.index.push(is_ready.then_some(self.rules.len()));
            if is_ready {
                self.rules.push(about);
            }
        }
    }

    /// Rules for records that are not read, such as those of clouds, by log source.
    #[must_use]
    pub const fn elsewhere(&self) -> &BTreeMap<String, usize> {
        &self.elsewhere
    }

    /// What is not asked, and why.
    #[must_use]
    pub fn unused(&self) -> &[Unused] {
        &self.unused
    }

    /// How many files there were.
    #[must_use]
    pub const fn files(&self) -> usize {
        self.files
    }

    /// How many bytes all files have.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A hash over all files.
    #[must_use]
    pub const fn sha256(&self) -> Digest {
        self.sha256
    }
}

impl Matcher for RuleSet {
    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn matches(&self, record: &Record) -> Vec<usize> {
        let mut numbers = Vec::new();
        for at in self.by_channel.get(record.channel()).into_iter().flatten() {
            if let Some((gate, collection)) = self.gated.get(*at)
                && gate.takes(record)
            {
                collection.matches(record, &mut numbers);
            }
        }
        let mut found: Vec<usize> =
            numbers.into_iter().filter_map(|number| self.index.get(number).copied().flatten()).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// What hits of a rule name.
fn about(rule: &SigmaRule, text: &RuleText, sha256: Digest, licence: Option<&str>) -> Rule {
    let stated = |own: Option<&str>| own.map(str::trim).filter(|own| !own.is_empty()).map(str::to_owned);
    Rule {
        id: stated(rule.id.as_deref()).unwrap_or_default(),
        title: rule.title.trim().to_owned(),
        level: engine::level(rule),
        author: stated(rule.author.as_deref()).unwrap_or_else(|| NOT_STATED.to_owned()),
        licence: stated(rule.license.as_deref().or(licence)).unwrap_or_else(|| NOT_STATED.to_owned()),
        path: text.path.clone(),
        sha256,
    }
}
