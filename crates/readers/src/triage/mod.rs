//! A player of triage: lists the facts of a packet until all were shown, weighs them, and concludes.
//!
//! It knows the lines about facts that the page shows, how many facts there are, and how many calls are left. What a sign of an
//! attack is, and that a stated fact about the same entity explains one, is what any analyst knows (module `weigh`).

mod around;
mod debate;
mod facts;
mod panel;
mod signs;
mod weigh;

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;
use serde_json::json;

use crate::control::{self, Office, Step, Work};
use crate::kit::{Act, Sheet};
use facts::Page;
use weigh::Weighed;

/// Facts on a page of a list, as the tool's description says.
const PAGE: usize = 25;

/// Whether the prompt mentions an evidence packet.
#[must_use]
pub fn knows(sheet: &Sheet<'_>) -> bool {
    let says = |text: &str| {
        ["evidence packet", "Evidence packet", "packet of evidence"].iter().any(|words| text.contains(words))
    };
    // A chooser with the work's own prompt is told no goal, and knows the actions alone.
    let lists = ["\"list_facts\"", "\"show_fact\""].iter().all(|name| sheet.system.contains(name));
    lists || says(&sheet.system) || sheet.shown().any(says)
}

/// Answers a request.
#[must_use]
pub fn reply(sheet: &Sheet<'_>) -> Reply {
    if let Some(reply) = around::reply(sheet) {
        return reply;
    }
    if debate::asks(sheet) {
        return debate::position(sheet);
    }
    if panel::asks(sheet) {
        return panel::opinion(sheet);
    }
    control::reply(sheet, &Analyst)
}

struct Analyst;

impl Analyst {
    fn conclude(weighed: &Weighed) -> Act {
        let facts = weighed.cited.join(" ");
        let text =
            format!("conclude verdict=\"{}\", confidence={}, facts=\"{facts}\"", weighed.verdict, weighed.confidence);
        let arguments =
            [("confidence", json!(weighed.confidence)), ("facts", json!(facts)), ("verdict", json!(weighed.verdict))];
        Act::of(text, "conclude", &arguments)
    }
}

impl Office for Analyst {
    fn step(&self, sheet: &Sheet<'_>) -> Step {
        let page = Page::read(sheet);
        if page.facts.is_none() {
            sheet.miss(InformationKind::Observation, "how many facts the packet has");
        }
        let missing = page.missing(PAGE).filter(|_| page.left.is_none_or(|left| left > 1));
        if let Some(number) = missing {
            let text = format!("list_facts class=\"all\", page={number}");
            let act = Act::of(text, "list_facts", &[("class", json!("all")), ("page", json!(number))]);
            return Step::act("survey", "facts of the packet were not shown yet", vec![act]);
        }
        let weighed = weigh::read(page.lines.values()).verdict();
        Step::act("conclude", &weighed.why, vec![Self::conclude(&weighed)])
    }

    fn kinds(&self) -> &'static [(&'static str, &'static [&'static str])] {
        &[("survey", &["survey", "list the facts"]), ("conclude", &["conclude", "verdict"])]
    }

    fn tools(&self, kind: &str) -> &'static [&'static str] {
        match kind {
            "survey" => &["list_facts", "overview"],
            _ => &["conclude"],
        }
    }

    fn plan(&self) -> Vec<Work> {
        vec![
            Work::new("SURVEY", "survey", "List the facts until all of them were shown."),
            Work::new(
                "CONCLUDE",
                "conclude",
                "Conclude with the verdict that the facts support, and cite the facts that decide.",
            ),
        ]
    }

    fn state(&self, sheet: &Sheet<'_>) -> String {
        let page = Page::read(sheet);
        format!("Facts shown: {} of {}.", page.lines.len(), page.facts.unwrap_or_default())
    }
}
