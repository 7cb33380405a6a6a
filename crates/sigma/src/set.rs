//! A set of rules, ready to be asked.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::Digest;
use rsigma_parser::{CorrelationRule, SigmaRule};

use crate::engine::{self, Collection};
use crate::folder::{RuleFiles, RuleText};
use crate::several::{self, Named, Names, enter};
use crate::{Correlation, Gate, Matcher, Record, Rule, Tables};

/// What is written where a rule does not say it.
const NOT_STATED: &str = "not stated";

/// What a rule of either type states: the two have the same members and no trait in common.
macro_rules! stated {
    ($rule:ident, $licence:ident) => {
        Stated {
            id: $rule.id.as_deref(),
            title: &$rule.title,
            level: $rule.level,
            author: $rule.author.as_deref(),
            licence: $rule.license.as_deref().or($licence),
        }
    };
}

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
    correlations: Vec<Correlation>,
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

/// What is read of files before rules are compiled.
#[derive(Default)]
struct Loading {
    candidates: Vec<Candidate>,
    /// Rules over several records, with the texts that they are in.
    several: Vec<(CorrelationRule, Rule)>,
    /// By identity: the file of the rule that has it.
    known: BTreeMap<String, String>,
    names: Names,
}

impl RuleSet {
    /// Reads rules. What cannot be used is named in [`unused`](Self::unused), and keeps no other rule from being used.
    #[must_use]
    pub fn new(files: &RuleFiles, tables: &Tables) -> Self {
        let mut set = Self {
            rules: Vec::new(),
            correlations: Vec::new(),
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
        let mut loading = Loading::default();
        for text in &files.texts {
            set.read(text, files.licence.as_deref(), tables, &mut loading);
        }
        set.compile(loading.candidates, &mut loading.names);
        set.correlate(loading.several, loading.names);
        set.unused.sort();
        set
    }

    fn read(&mut self, text: &RuleText, licence: Option<&str>, tables: &Tables, loading: &mut Loading) {
        let parsed = engine::parse(&text.text);
        let sha256 = text.sha256();
        let mut unused = |why: String| self.unused.push(Unused { path: text.path.clone(), why });
        let is_empty = parsed.rules.is_empty()
            && parsed.correlations.is_empty()
            && parsed.filters.is_empty()
            && parsed.problems.is_empty();
        parsed.problems.into_iter().for_each(&mut unused);
        if is_empty {
            unused("holds no rule".to_owned());
        }
        for title in parsed.filters {
            unused(format!(
                "`{title}` changes other rules (`filter`): it is not applied, and they are asked as they are written"
            ));
        }
        for rule in parsed.correlations {
            let about = about(&stated!(rule, licence), text, sha256);
            if let Some(before) = loading.met(&about) {
                unused(format!("`{}` has the id of a rule in {before}", about.title));
                continue;
            }
            loading.several.push((rule, about));
        }
        for rule in parsed.rules {
            let about = about(&stated!(rule, licence), text, sha256);
            let keys = [rule.id.as_deref(), rule.name.as_deref()];
            let names = engine::placeholders(&rule);
            if !names.is_empty() {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                unused(format!("`{}` leaves a list to its user: {}", about.title, names.join(", ")));
                enter(&mut loading.names, keys, &Named::Not("which leaves a list to its user".to_owned()));
                continue;
            }
            let source = engine::log_source(&rule);
            let Some(gate) = tables.gate(&source) else {
                let why = format!("which is about records that rules are not asked about ({source})");
                enter(&mut loading.names, keys, &Named::Not(why));
                *self.elsewhere.entry(source.to_string()).or_default() += 1;
                continue;
            };
            // Two rules of one identity would give the same fact twice.
            if let Some(before) = loading.met(&about) {
                unused(format!("`{}` has the id of a rule in {before}", about.title));
                continue;
            }
            loading.candidates.push(Candidate { gate: gate.clone(), rule, about });
        }
    }

    /// Compiles the rules of each gate as one collection.
    fn compile(&mut self, candidates: Vec<Candidate>, names: &mut Names) {
        let mut by_gate: BTreeMap<Gate, Vec<(usize, SigmaRule)>> = BTreeMap::new();
        let mut abouts = Vec::with_capacity(candidates.len());
        let mut keys = Vec::with_capacity(candidates.len());
        for (number, candidate) in candidates.into_iter().enumerate() {
            keys.push([candidate.rule.id.clone(), candidate.rule.name.clone()]);
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
        for (number, (about, keys)) in abouts.into_iter().zip(keys).enumerate() {
            let is_ready = !failed.contains(&number);
            let named =
                if is_ready { Named::Asked(self.rules.len()) } else { Named::Not("which cannot be asked".to_owned()) };
            enter(names, keys.each_ref().map(Option::as_deref), &named);
            self.index.push(is_ready.then_some(self.rules.len()));
            if is_ready {
                self.rules.push(about);
            }
        }
    }

    /// Takes the rules over several records whose parts are asked.
    fn correlate(&mut self, rules: Vec<(CorrelationRule, Rule)>, mut names: Names) {
        for (rule, _) in &rules {
            let named = Named::Not("which is about several records itself".to_owned());
            enter(&mut names, [rule.id.as_deref(), rule.name.as_deref()], &named);
        }
        for (rule, about) in rules {
            match several::read(&rule, self.rules.len(), &names) {
                Ok(correlation) => {
                    self.correlations.push(correlation);
                    self.rules.push(about);
                }
                Err(why) => {
                    let why = format!("`{}`, a rule over several records, is not asked: {why}", about.title);
                    self.unused.push(Unused { path: about.path, why });
                }
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

    fn correlations(&self) -> &[Correlation] {
        &self.correlations
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

impl Loading {
    /// The file of another rule with the identity of this one; notes this one's where there is none.
    fn met(&mut self, about: &Rule) -> Option<String> {
        let identity = if about.id.is_empty() { format!("{} {}", about.sha256, about.title) } else { about.id.clone() };
        match self.known.entry(identity) {
            Entry::Occupied(before) => Some(before.get().clone()),
            Entry::Vacant(place) => {
                place.insert(about.path.clone());
                None
            }
        }
    }
}

/// What a rule says of itself.
struct Stated<'r> {
    id: Option<&'r str>,
    title: &'r str,
    level: Option<rsigma_parser::Level>,
    author: Option<&'r str>,
    licence: Option<&'r str>,
}

/// What hits of a rule name.
fn about(rule: &Stated<'_>, text: &RuleText, sha256: Digest) -> Rule {
    let stated = |own: Option<&str>| own.map(str::trim).filter(|own| !own.is_empty()).map(str::to_owned);
    Rule {
        id: stated(rule.id).unwrap_or_default(),
        title: rule.title.trim().to_owned(),
        level: engine::level(rule.level),
        author: stated(rule.author).unwrap_or_else(|| NOT_STATED.to_owned()),
        licence: stated(rule.licence).unwrap_or_else(|| NOT_STATED.to_owned()),
        path: text.path.clone(),
        sha256,
    }
}
