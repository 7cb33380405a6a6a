//! A verdict for people and programs: text, Markdown, JSON lines, a page, and a timeline. Each sentence points at facts, and the head of the
//! packet is part of every form.

mod authenticators;
mod gaps;
mod hits;
mod html;
mod places;
mod played;
mod unasked;
mod words;

use std::fmt::Write as _;

use gimbal_core::Milli;
use serde_json::{Value, json};

pub use gaps::{Gaps, Skipped};
pub use places::Places;
pub use played::{Played, RoundConfidences};
pub use unasked::UnreadLogons;
pub use words::{line, time};

use crate::judge::Verdict;
use crate::rules::{Outcome, Position};
use crate::{Class, Fact, FactId, Packet, Selection};
use words::question;

/// A verdict with the packet that it is about.
#[derive(Clone, Copy, Debug)]
pub struct Triage<'a> {
    /// The packet.
    pub packet: &'a Packet,
    /// The verdict.
    pub outcome: &'a Outcome,
    /// How it was played; `None` if rules spoke for both sides and no model was asked.
    pub played: Option<&'a Played>,
    /// What was read, or should have been, and is in no fact that a side could use.
    pub gaps: &'a Gaps,
    /// Where packet and telemetry are.
    pub places: &'a Places,
}

impl Triage<'_> {
    /// For a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { packet, outcome, .. } = self;
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{}  confidence {}{}  (judge: {})",
            outcome.verdict,
            self.confidence(),
            self.balance("  "),
            outcome.judge
        );
        let _ =
            writeln!(out, "packet {}  {} facts  head {}", packet.header().packet, packet.facts().len(), packet.head());
        let _ = writeln!(out, "root {}", packet.root());
        if packet.header().left_out.count.0 > 0 {
            let _ = writeln!(out, "{}", self.left_out());
        }
        for missing in self.missing() {
            let _ = writeln!(out, "{missing}");
        }
        if !outcome.architect.techniques.is_empty() {
            let _ = writeln!(out, "{}: {}", self.techniques(), outcome.architect.techniques.join(", "));
        }
        for line in self.played.iter().flat_map(|played| played.lines()) {
            let _ = writeln!(out, "{line}");
        }
        if let Some(caution) = self.caution() {
            let _ = writeln!(out, "{caution}");
        }
        if let Some(words) = self.narration() {
            let _ = writeln!(out, "\n{}", words.trim());
        }
        for (title, position) in [("Architect", &outcome.architect), ("Skeptic", &outcome.skeptic)] {
            let _ = writeln!(out, "\n{title}, confidence {}", position.confidence);
            if position.assertions.is_empty() {
                let _ = writeln!(out, "  asserts nothing");
            }
            for assertion in &position.assertions {
                let _ = writeln!(out, "  {}", self.sentence(assertion));
                for fact in assertion.facts.iter().filter_map(|id| packet.fact(*id)) {
                    let _ = writeln!(out, "    {}", line(fact));
                }
            }
        }
        if !outcome.skeptic.unknowns.is_empty() {
            let _ = writeln!(out, "\n{}", self.open());
            for unknown in &outcome.skeptic.unknowns {
                let _ = writeln!(out, "  {}", question(unknown));
            }
        }
        for (place, hit) in self.hit_lines().iter().enumerate() {
            let _ = if place == 0 { writeln!(out, "\n{}\n  {hit}", hits::TITLE) } else { writeln!(out, "  {hit}") };
        }
        if let Some((sentence, command)) = self.raw() {
            let _ = writeln!(out, "\n{sentence}\n  {command}");
        }
        out
    }

    /// The balance of the claims behind a separator; empty under a judge over confidences.
    fn balance(&self, separator: &str) -> String {
        self.outcome.balance.map(|balance| format!("{separator}balance {balance}")).unwrap_or_default()
    }

    /// For a document.
    #[must_use]
    pub fn markdown(&self) -> String {
        let Self { packet, outcome, .. } = self;
        let mut out = String::new();
        let _ = writeln!(out, "# {}\n", outcome.verdict);
        let _ = writeln!(out, "Confidence {}{}, judge `{}`.", self.confidence(), self.balance(", "), outcome.judge);
        let _ = writeln!(
            out,
            "Packet `{}` with {} facts, head `{}`, root `{}`.",
            packet.header().packet,
            packet.facts().len(),
            packet.head(),
            packet.root()
        );
        if !outcome.architect.techniques.is_empty() {
            let _ = writeln!(out, "{}: {}.", self.techniques(), outcome.architect.techniques.join(", "));
        }
        for missing in self.missing() {
            let _ = writeln!(out, "\n{}", escaped(&missing));
        }
        for line in self.played.iter().flat_map(|played| played.lines()) {
            let _ = writeln!(out, "\n{}", escaped(&line));
        }
        if let Some(caution) = self.caution() {
            let _ = writeln!(out, "{caution}");
        }
        if let Some(words) = self.narration() {
            let _ = writeln!(out, "\n{}", escaped(words.trim()));
        }
        for (title, position) in [("Architect", &outcome.architect), ("Skeptic", &outcome.skeptic)] {
            let _ = writeln!(out, "\n## {title}, confidence {}\n", position.confidence);
            for assertion in &position.assertions {
                let _ = writeln!(out, "- {}", escaped(&self.sentence(assertion)));
            }
        }
        if !outcome.skeptic.unknowns.is_empty() {
            let _ = writeln!(out, "\n## {}\n", self.open());
            for unknown in &outcome.skeptic.unknowns {
                let _ = writeln!(out, "- {}", escaped(&question(unknown)));
            }
        }
        for (place, hit) in self.hit_lines().iter().enumerate() {
            let head = if place == 0 { format!("\n## {}\n\n", hits::TITLE) } else { String::new() };
            let _ = writeln!(out, "{head}- {}", escaped(hit));
        }
        let _ = writeln!(out, "\n## Facts that are cited\n");
        for fact in self.cited() {
            let _ = writeln!(out, "- {}", escaped(&line(fact)));
        }
        if let Some((sentence, command)) = self.raw() {
            let _ = writeln!(out, "\n{sentence}\n\n```sh\n{command}\n```");
        }
        out
    }

    /// One JSON object on each line: the verdict, each assertion with the ids of its facts, hits of rules of others, the sources, and the facts
    /// that are cited.
    #[must_use]
    pub fn json_lines(&self) -> Vec<Value> {
        let Self { packet, outcome, .. } = self;
        let mut lines = vec![json!({
            "record": "verdict", "verdict": outcome.verdict, "confidence": outcome.confidence.to_f64(), "judge": outcome.judge,
            "balance": outcome.balance.map(Milli::to_f64),
            "packet": packet.header().packet, "head": packet.head(), "root": packet.root(), "facts": packet.facts().len(), "in_no_fact": self.gaps.in_no_fact,
            "complete": self.gaps.is_none(), "damaged": self.gaps.damaged, "not_collected": self.gaps.not_collected,
            "unclassified": self.gaps.unclassified, "undated": self.gaps.undated, "taken_undated": self.gaps.taken_undated,
            "unread_logons": self.gaps.unread_logons.count,
            "unread_logon_example": self.gaps.unread_logons.example.as_ref().map(|(id, at)| json!({ "fact": id, "locator": at })), "without_data": self.gaps.without_data, "selection": packet.header().selection,
            "no_telemetry": self.gaps.no_telemetry.iter().map(|input| json!({ "input": input.name, "why": input.why })).collect::<Vec<_>>(),
            "skipped": self.gaps.skipped.iter().map(|input| json!({ "input": input.name, "why": input.why })).collect::<Vec<_>>(),
            "missing": self.missing().collect::<Vec<_>>(), "idle_statements": self.idle(),
            "architect": outcome.architect.confidence.to_f64(), "skeptic": outcome.skeptic.confidence.to_f64(),
            "techniques": outcome.architect.techniques, "unknowns": outcome.skeptic.unknowns,
        })];
        lines.extend(self.played.map(Played::json));
        for (role, position) in [("architect", &outcome.architect), ("skeptic", &outcome.skeptic)] {
            lines.extend(position.assertions.iter().map(|assertion| {
                json!({
                    "record": "assertion", "role": role, "kind": assertion.kind, "predicate": assertion.predicate,
                    "facts": assertion.facts, "confidence": assertion.confidence.to_f64(),
                    "interpretation": assertion.interpretation, "check": packet.entails(assertion),
                })
            }));
        }
        lines.extend(self.hit_objects());
        lines.extend(packet.header().sources.iter().map(|source| json!({ "record": "source", "source": source })));
        lines.extend(self.cited().map(|fact| json!({ "record": "fact", "fact": fact, "sentence": line(fact) })));
        lines
    }

    /// Rows of a timeline, as timeline tools import them: time, what the time means, message, fact, role of the side that cites it. Facts
    /// without a time in UTC come last, by the clock of their source if it has one.
    #[must_use]
    pub fn timeline(&self) -> Vec<TimelineRow> {
        let cites = |position: &Position, id: FactId| position.cited().binary_search(&id).is_ok();
        // Facts are in order of time already, those without one at the end.
        self.packet
            .facts()
            .iter()
            .map(|fact| TimelineRow {
                datetime: fact.time.as_ref().map(|time| time.utc.to_string()).unwrap_or_default(),
                clock: if fact.time.is_some() { String::new() } else { time(fact).unwrap_or_default() },
                timestamp_desc: fact.class.to_string(),
                message: line(fact),
                fact: fact.id,
                cited_by: match (cites(&self.outcome.architect, fact.id), cites(&self.outcome.skeptic, fact.id)) {
                    (true, true) => "architect and skeptic",
                    (true, false) => "architect",
                    (false, true) => "skeptic",
                    (false, false) => "",
                },
            })
            .collect()
    }

    /// What techniques are headed by: models name none.
    const fn techniques(&self) -> &'static str {
        if self.played.is_some() { "ATT&CK (of rules that take the facts which the Architect cites)" } else { "ATT&CK" }
    }

    /// What open questions are headed by: they are of the rules.
    const fn open(&self) -> &'static str {
        if self.played.is_some() { "What would settle it, by rule" } else { "What would settle it" }
    }

    fn narration(&self) -> Option<&str> {
        self.played.and_then(|played| played.narration.as_deref())
    }

    /// What no side could see or use, a sentence each.
    pub fn missing(&self) -> impl Iterator<Item = String> {
        let dismissal = match self.outcome.verdict {
            Verdict::ThreatDismissed => ". The dismissal says nothing about what is missing",
            Verdict::Inconclusive | Verdict::ThreatConfirmed => "",
        };
        let unused = self.gaps.sentence().map(|what| format!("NOT SEEN: {what}{dismissal}."));
        let beside = self.gaps.beside_it().map(|what| format!("NO TELEMETRY: {what}."));
        self.narrowed().into_iter().chain(self.dropped()).chain(unused).chain(beside).chain(self.idle_statements())
    }

    /// What was asked for of what was read; `None` if it was all of it.
    fn narrowed(&self) -> Option<String> {
        let Selection { since, until, entity, .. } = &self.packet.header().selection;
        let mut asked = Vec::new();
        asked.extend(since.map(|since| format!("--since {since}")));
        asked.extend(until.map(|until| format!("--until {until}")));
        asked.extend(entity.as_ref().map(|entity| format!("--entity {entity}")));
        let asked = (!asked.is_empty()).then(|| asked.join(" "))?;
        // The part is the whole where no record has a time: then nothing was left out by it.
        Some(match self.gaps.not_asked_for() {
            None => format!("A PART OF WHAT WAS READ, as asked for: {asked}. Nothing is said of the rest."),
            Some(what) => {
                format!("NOT ONLY WHAT WAS ASKED FOR ({asked}): {what}. Nothing is said of what was left out.")
            }
        })
    }

    /// How many records no side could see, because the packet had its most facts; `None` if every record is in a fact.
    fn dropped(&self) -> Option<String> {
        let count = self.gaps.in_no_fact;
        let dismissal = match self.outcome.verdict {
            Verdict::ThreatDismissed => ". No side saw them, and the dismissal says nothing about them",
            Verdict::Inconclusive | Verdict::ThreatConfirmed => "",
        };
        (count > 0).then(|| {
            format!("RECORDS IN NO FACT, neither by themselves nor counted: {count}{dismissal}. The packet has its most facts: raise --max-facts, or read less (--since, --until, --entity)")
        })
    }

    /// How many records have no fact of their own.
    fn left_out(&self) -> String {
        match self.packet.header().left_out.count.0 {
            1 => "1 record has no fact of its own; facts that give a count include it".to_owned(),
            count => format!("{count} records have no fact of their own; facts that give a count include them"),
        }
    }

    /// Stated facts that cover no observed fact, of those that could explain one.
    fn idle(&self) -> Vec<FactId> {
        let could =
            |fact: &&Fact| fact.class.is_context() && !matches!(fact.class, Class::History | Class::NotCollected);
        let observed =
            || self.packet.facts().iter().filter(|fact| !fact.class.is_context() && !fact.class.is_opinion());
        let is_idle = |context: &&Fact| !observed().any(|fact| crate::claim::covers(context, fact));
        self.packet.facts().iter().filter(could).filter(is_idle).map(|fact| fact.id).collect()
    }

    /// What is said of them: a name that is written in another way, or a window that times without a year are in none of.
    fn idle_statements(&self) -> Option<String> {
        let ids: Vec<String> = self.idle().iter().map(ToString::to_string).collect();
        let no_year = self.packet.facts().iter().any(|fact| fact.clock.is_some());
        let hint = if no_year {
            format!("; times without a year lie in no window ({})", gaps::GIVE_THE_YEAR)
        } else {
            String::new()
        };
        (!ids.is_empty()).then(|| {
            format!(
                "EXPLAINS NOTHING HERE: {}. No observed fact is about what is stated there, in its window{hint}",
                ids.join(", ")
            )
        })
    }

    /// What a dismissal does not say.
    fn caution(&self) -> Option<&'static str> {
        let silent = self.outcome.verdict == Verdict::ThreatDismissed && self.outcome.architect.assertions.is_empty();
        let by_rule = self.played.is_none();
        if silent && !by_rule {
            return Some("The Architect asserts nothing. That is all that this dismissal says.");
        }
        silent.then_some("No rule holds over these facts. That is all that this dismissal says: attacks that no rule knows look the same.")
    }

    /// The facts that either side cites, and those that open questions are about.
    fn cited(&self) -> impl Iterator<Item = &Fact> {
        let mut ids = [self.outcome.architect.cited(), self.outcome.skeptic.cited()].concat();
        ids.extend(self.outcome.skeptic.unknowns.iter().flat_map(|unknown| &unknown.facts));
        ids.sort_unstable();
        ids.dedup();
        ids.into_iter().filter_map(|id| self.packet.fact(id))
    }
}

/// A row of a timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineRow {
    /// The time, RFC 3339 in UTC; empty if the fact has none.
    pub datetime: String,
    /// The time by the clock of a source that names no year, with question marks in the place of the year; else empty.
    pub clock: String,
    /// What the time means: the class of the fact.
    pub timestamp_desc: String,
    /// The fact in a line.
    pub message: String,
    /// Its id.
    pub fact: FactId,
    /// Which side cites it.
    pub cited_by: &'static str,
}

/// A text without what Markdown would read as its own.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '&') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}
