//! What a dismissal does not cover: records that no side saw, or that no rule asks about.

use std::collections::BTreeSet;

use super::unasked::{UnreadLogons, is_observed, unclassified, unread_logons, without_data};
use crate::rules::{RuleSet, counted_only};
use crate::{Class, FactId, Packet, Utc};

/// What was read, or should have been, and is in no fact that a side could use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Records in none of the facts, neither by themselves nor counted.
    pub in_no_fact: u64,
    /// Records that could not be read, of all sources.
    pub damaged: u64,
    /// Facts that state what was not collected in the time of the observed facts.
    pub not_collected: Vec<FactId>,
    /// Records of the sources of which none is of a class that a rule of the Architect asks about.
    pub unclassified: u64,
    /// Messages that tell of logons in words that no grammar knows. None if a model spoke, which reads messages.
    pub unread_logons: UnreadLogons,
    /// Records that are only counted, and of which a rule could hold: it asks for something in which they differ.
    pub counted_only: u64,
    /// Windows events that name nobody and nothing, because an export left their data out.
    pub without_data: u64,
    /// Facts without a time in UTC, where that leaves open what came before what: several sources were observed, or a fact has no time at all
    /// by its own source either. Within one source that names no year the order is known.
    pub undated: u64,
    /// Records without a time that were taken although `--since` or `--until` asked for a part: nothing tells whether they are in it.
    pub taken_undated: u64,
    /// Inputs that were named, or are in a folder that was, and were not read; without copies of what was.
    pub skipped: Vec<Skipped>,
    /// Files of a folder that hold no telemetry, such as documentation. They are named, and nothing is missing because of them.
    pub no_telemetry: Vec<Skipped>,
}

/// An input that was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its name, as it was met.
    pub name: String,
    /// Why it was not read.
    pub why: String,
}

impl Gaps {
    /// What is missing in a packet. `rules` are those that the Architect spoke by; `None` if a model spoke, which reads facts of every class.
    #[must_use]
    pub fn of(packet: &Packet, rules: Option<&RuleSet>) -> Self {
        let damaged = packet.header().sources.iter().map(|source| source.damaged.0).sum();
        let unclassified = rules.map_or(0, |rules| unclassified(packet, rules));
        Self {
            in_no_fact: packet.in_no_fact(),
            damaged,
            not_collected: not_collected(packet),
            unclassified,
            unread_logons: rules.map_or_else(UnreadLogons::default, |_| unread_logons(packet)),
            counted_only: rules.map_or(0, |rules| counted_only(packet, rules)),
            without_data: without_data(packet),
            undated: undated(packet),
            taken_undated: packet.header().undated.map_or(0, |records| records.0),
            skipped: Vec::new(),
            no_telemetry: Vec::new(),
        }
    }

    /// The same with inputs that were not read.
    #[must_use]
    pub fn skipping(mut self, skipped: Vec<Skipped>) -> Self {
        self.skipped = skipped;
        self
    }

    /// The same with files of a folder that hold no telemetry.
    #[must_use]
    pub fn beside(mut self, no_telemetry: Vec<Skipped>) -> Self {
        self.no_telemetry = no_telemetry;
        self
    }

    /// Whether nothing is missing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        let Self { in_no_fact, damaged, not_collected, unclassified, undated, skipped, no_telemetry: _, .. } = self;
        let Self { unread_logons, without_data, counted_only, taken_undated, .. } = self;
        [*in_no_fact, *damaged, *unclassified, *undated, unread_logons.count, *without_data, *counted_only] == [0; 7]
            && *taken_undated == 0
            && not_collected.is_empty()
            && skipped.is_empty()
    }

    /// The files that hold no telemetry, in a sentence; `None` if there was none.
    #[must_use]
    pub fn beside_it(&self) -> Option<String> {
        let first = self.no_telemetry.first()?;
        let name = crate::listing::quoted(&first.name, 200);
        Some(match self.no_telemetry.len() {
            1 => format!("1 file was passed over as no telemetry ({name}: {})", first.why),
            count => format!("{count} files were passed over as no telemetry (the first one: {name}: {})", first.why),
        })
    }

    /// What is here although it was not asked for, in a sentence; `None` if nothing is.
    #[must_use]
    pub fn not_asked_for(&self) -> Option<String> {
        let said = "taken whatever --since and --until say (give the year of times without one, as with --year 2026)";
        match self.taken_undated {
            0 => None,
            1 => Some(format!("1 record without a time was {said}")),
            count => Some(format!("{count} records without a time were {said}")),
        }
    }

    /// What is missing beside the records in no fact, in a sentence; `None` if nothing is.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let mut parts = Vec::new();
        match self.damaged {
            0 => {}
            1 => parts.push("1 record could not be read".to_owned()),
            count => parts.push(format!("{count} records could not be read")),
        }
        if !self.not_collected.is_empty() {
            let ids: Vec<String> = self.not_collected.iter().map(ToString::to_string).collect();
            parts.push(format!("what was not collected in the time of these facts is stated by {}", ids.join(", ")));
        }
        match self.unclassified {
            0 => {}
            1 => parts.push("the only record is of a class that no rule asks about".to_owned()),
            count => parts.push(format!("none of the {count} records is of a class that a rule asks about")),
        }
        if self.unread_logons.count > 0 {
            let names: Vec<String> =
                self.unread_logons.programs.iter().take(5).map(|name| crate::listing::quoted(name, 60)).collect();
            let first =
                self.unread_logons.example.as_ref().map(|(id, at)| format!("such as {id}, {} of {}", at.at, at.source));
            let by = (!names.is_empty()).then(|| format!("written by {}", names.join(", ")));
            let by: Vec<String> = by.into_iter().chain(first).collect();
            let by = if by.is_empty() { String::new() } else { format!(" ({})", by.join("; ")) };
            let unknown = self.unread_logons.in_unknown_words > 0;
            let (what, which) = match (self.unread_logons.count, unknown) {
                (1, false) => ("1 message tells of a logon".to_owned(), "it"),
                (1, true) => ("1 message of a program that logs people on is".to_owned(), "it"),
                (count, false) => (format!("{count} messages tell of logons"), "them"),
                (count, true) => {
                    (format!("{count} messages tell of logons, or are of programs that log people on,"), "them")
                }
            };
            parts.push(format!("{what} in words that no rule asks about{by}: look at {which} yourself"));
        }
        match self.counted_only {
            0 => {}
            count => parts.push(format!(
                "of {count} records only their number is here, and a rule asks for something in which they differ ({SHOW_MORE})"
            )),
        }
        match self.without_data {
            0 => {}
            1 => parts.push(format!("1 Windows event has no data fields, so that it names nobody ({WITH_DATA})")),
            count => parts
                .push(format!("{count} Windows events have no data fields, so that they name nobody ({WITH_DATA})")),
        }
        match self.undated {
            0 => {}
            1 => parts.push(format!(
                "1 fact has no time that can be compared with those of others ({GIVE_THE_YEAR}{YEAR_FIRST})"
            )),
            count => parts.push(format!(
                "{count} facts have no time that can be compared with those of others ({GIVE_THE_YEAR}{YEAR_FIRST})"
            )),
        }
        if let Some(first) = self.skipped.first() {
            let why = format!("{}: {}", crate::listing::quoted(&first.name, 200), first.why);
            match self.skipped.len() {
                1 => parts.push(format!("1 input was not read ({why})")),
                count => parts.push(format!("{count} inputs were not read (the first one: {why})")),
            }
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// What to do about records that are only counted.
const SHOW_MORE: &str =
    "show more of them with --aggregate-above 1000 --max-facts 1000, or choose with --since, --until, --entity";

/// What to do about events without their data.
const WITH_DATA: &str = "export them with their data, as in `wevtutil qe Security /f:XML`";

/// What to do about times without a year.
pub(super) const GIVE_THE_YEAR: &str = "give the year of times without one, as with --year 2026";

/// What to do about dates whose order of day and month nothing tells.
const YEAR_FIRST: &str = "; write dates such as 3/4/2026 with the year first";

/// Observed facts without a time in UTC, where it matters: more than one source was observed, or they have no time by their source either.
fn undated(packet: &Packet) -> u64 {
    let observed = || packet.facts().iter().filter(|fact| is_observed(fact));
    let sources: BTreeSet<crate::SourceId> =
        observed().filter_map(|fact| fact.locator.as_ref()).map(|locator| locator.source).collect();
    let several = sources.len() > 1;
    let lacks = |fact: &&crate::Fact| match fact.interval() {
        None => true,
        Some(interval) => interval.clock.is_some() && several,
    };
    observed().filter(lacks).map(|_| 1).sum()
}

/// Facts that state what was not collected, and whose interval meets that of the observed facts. Where no observed fact has a time, or a
/// bound cannot be read, nothing shows that they do not meet.
fn not_collected(packet: &Packet) -> Vec<FactId> {
    let observed = packet.facts().iter().filter(|fact| !fact.class.is_context() && !fact.class.is_opinion());
    let spans: Vec<(Utc, Utc)> = observed.filter_map(crate::Fact::span).collect();
    let window = spans.iter().map(|(first, _)| *first).min().zip(spans.iter().map(|(_, last)| *last).max());
    let meets = |fact: &&crate::Fact| {
        let bound = |name: &str| fact.attributes.get(name).and_then(|text| text.parse::<Utc>().ok());
        window.is_none_or(|(first, last)| {
            bound("from").is_none_or(|from| from <= last) && bound("until").is_none_or(|until| until >= first)
        })
    };
    let stated = packet.facts().iter().filter(|fact| fact.class == Class::NotCollected);
    stated.filter(meets).map(|fact| fact.id).collect()
}
