//! The verdict as a page of its own: nothing is loaded from elsewhere, and each sentence leads to its facts.

use std::fmt::Write as _;

use super::Triage;
use crate::claim::Assertion;
use crate::{Fact, FactId};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1d2129;background:#fff}\
h1{margin-bottom:.2rem}table{border-collapse:collapse;width:100%;font-size:.875rem}th,td{text-align:left;vertical-align:top;\
padding:.35rem .6rem;border-bottom:1px solid #d8dce3}code{font-size:.85em;overflow-wrap:anywhere}.check{color:#5a6270}\
.wrong{color:#a12a18;font-weight:600}tr:target{background:#fff3cf}\
@media(prefers-color-scheme:dark){body{color:#e6e8ec;background:#16181d}th,td{border-color:#3a3f49}.check{color:#a7adb8}\
.wrong{color:#ff9b8a}a{color:#8ab4ff}tr:target{background:#4a3f1c}}";

impl Triage<'_> {
    /// A page for a browser. Words of telemetry are text in it and never markup.
    #[must_use]
    pub fn html(&self) -> String {
        let Self { packet, outcome, .. } = self;
        let header = packet.header();
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width\">\n<title>{verdict}: packet {id}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <h1>{verdict}</h1>\n<p>Confidence {confidence}{balance}, judge <code>{judge}</code>. Packet <code>{id}</code> with {facts} facts.</p>\n\
             <p>Head <code>{head}</code>, root <code>{root}</code></p>\n",
            verdict = outcome.verdict,
            id = escaped(&header.packet),
            confidence = escaped(&self.confidence()),
            balance = self.balance(", "),
            judge = outcome.judge,
            facts = packet.facts().len(),
            head = packet.head(),
            root = packet.root(),
        );
        if header.left_out.count.0 > 0 {
            let _ = writeln!(out, "<p>{}.</p>", self.left_out());
        }
        if !outcome.architect.techniques.is_empty() {
            let techniques = outcome.architect.techniques.join(", ");
            let _ = writeln!(out, "<p>{}: {}.</p>", escaped(self.techniques()), escaped(&techniques));
        }
        for line in self.played.iter().flat_map(|played| played.lines()) {
            let _ = writeln!(out, "<p>{}</p>", escaped(&line));
        }
        for missing in self.missing() {
            let _ = writeln!(out, "<p><strong>{}</strong></p>", escaped(&missing));
        }
        if let Some(caution) = self.caution() {
            let _ = writeln!(out, "<p><strong>{}</strong></p>", escaped(caution));
        }
        if let Some(words) = self.narration() {
            let _ = writeln!(out, "<p>{}</p>", escaped(words.trim()));
        }
        for (title, position) in [("Architect", &outcome.architect), ("Skeptic", &outcome.skeptic)] {
            let _ = writeln!(out, "<h2>{title}, confidence {}</h2>", position.confidence);
            if position.assertions.is_empty() {
                let _ = writeln!(out, "<p>asserts nothing</p>");
                continue;
            }
            let _ = writeln!(out, "<ul>");
            for assertion in &position.assertions {
                self.sentence_of_page(&mut out, assertion);
            }
            let _ = writeln!(out, "</ul>");
        }
        if !outcome.skeptic.unknowns.is_empty() {
            let _ = writeln!(out, "<h2>{}</h2>\n<ul>", escaped(self.open()));
            for unknown in &outcome.skeptic.unknowns {
                let links: Vec<String> = unknown.facts.iter().map(|id| link(*id)).collect();
                let links = if links.is_empty() { String::new() } else { format!(" [{}]", links.join(" ")) };
                let _ = writeln!(out, "<li>{}{links}</li>", escaped(&unknown.text));
            }
            let _ = writeln!(out, "</ul>");
        }
        let hits = self.hit_lines();
        if !hits.is_empty() {
            let items: Vec<String> = hits.iter().map(|hit| format!("<li>{}</li>\n", escaped(hit))).collect();
            let _ = writeln!(out, "<h2>{}</h2>\n<ul>\n{}</ul>", super::hits::TITLE, items.concat());
        }
        let _ = writeln!(
            out,
            "<h2>Facts that are cited</h2>\n<table>\n<thead><tr><th>Fact</th><th>Time</th><th>What</th><th>Raw record</th></tr></thead>\n<tbody>"
        );
        for fact in self.cited() {
            self.row_of_page(&mut out, fact);
        }
        let _ = writeln!(out, "</tbody>\n</table>\n<h2>Sources</h2>\n<ul>");
        for source in &header.sources {
            let _ = writeln!(
                out,
                "<li>{}: {}, {} records, {} damaged, SHA-256 <code>{}</code></li>",
                source.id,
                escaped(&source.format),
                source.records,
                source.damaged,
                source.sha256
            );
        }
        let _ = writeln!(out, "</ul>");
        if let Some((sentence, command)) = self.raw() {
            let sentence = escaped(sentence).replace("`--packet packet.json`", "<code>--packet packet.json</code>");
            let _ = writeln!(out, "<p>{sentence} <code>{}</code></p>", escaped(&command));
        }
        let _ = writeln!(out, "</body>\n</html>");
        out
    }

    fn sentence_of_page(&self, out: &mut String, assertion: &Assertion) {
        let links: Vec<String> = assertion.facts.iter().map(|id| link(*id)).collect();
        let (class, check) = self.check(assertion);
        let _ = writeln!(
            out,
            "<li>{} {}{} [{}] <span class=\"{class}\">({})</span></li>",
            assertion.kind,
            escaped(&assertion.interpretation),
            escaped(&self.at(assertion)),
            links.join(" "),
            escaped(&check)
        );
    }

    fn row_of_page(&self, out: &mut String, fact: &Fact) {
        let time = super::words::time(fact).unwrap_or_default();
        let raw = match (&fact.locator, &fact.aggregate) {
            (Some(locator), _) => format!("{} of {}", locator.at, locator.source),
            (None, Some(aggregate)) => format!("{} records, {}", aggregate.count, aggregate.formula),
            (None, None) => String::new(),
        };
        let what = super::line(fact);
        let what = what.strip_prefix(&format!("{} ", fact.id)).unwrap_or(&what);
        let what = what.strip_prefix(&format!("{time} ")).unwrap_or(what);
        let _ = writeln!(
            out,
            "<tr id=\"{id}\"><th scope=\"row\">{id}</th><td>{time}</td><td>{}</td><td>{}</td></tr>",
            escaped(what),
            escaped(&raw),
            id = fact.id
        );
    }
}

fn link(id: FactId) -> String {
    format!("<a href=\"#{id}\">{id}</a>")
}

/// A text without markup, and without characters that change the direction of reading or stand for nothing visible.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
            }
            control if control.is_control() => out.push(' '),
            plain => out.push(plain),
        }
    }
    out
}
