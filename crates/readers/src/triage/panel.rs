//! A member of a panel: five answers about one packet, by the signs and by what explains them.

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;
use serde_json::{Value, json};

use super::facts::Page;
use super::weigh::read;
use crate::kit::{Sheet, plain};

/// Whether the page asks for the answers of a member of a panel.
pub(super) fn asks(sheet: &Sheet<'_>) -> bool {
    sheet.adviser && sheet.asks_for(&["answer", "finding", "gap", "next", "wild_card"])
}

/// The five answers. They depend on the packet alone.
pub(super) fn opinion(sheet: &Sheet<'_>) -> Reply {
    let page = Page::read(sheet);
    if page.lines.is_empty() {
        sheet.miss(InformationKind::Observation, "facts of a packet, one on each line");
    }
    let reading = read(page.lines.values());
    let weighed = reading.verdict();
    let asked = sheet.request(&["answer"]);
    let listed = asked.as_ref().and_then(|asked| asked["answer"].as_array());
    if listed.is_some_and(|all| all.iter().all(|answer| answer.as_str() != Some(weighed.verdict))) {
        sheet.miss(InformationKind::Names, format!("an answer that says {}", weighed.verdict));
    }
    let (gap, next) = match weighed.verdict {
        "THREAT_CONFIRMED" => ("outcome", "contain"),
        "THREAT_DISMISSED" => ("nothing", "close"),
        _ => ("permission", "ask"),
    };
    let finding = weighed.cited.first().map_or("none", String::as_str);
    let wild = reading.explained().next().map(|(sign, _)| format!("stated facts explain this sign: {}", sign.step));
    let wild = wild.or_else(|| reading.open().get(1).map(|sign| format!("a second sign: {}", sign.step)));
    let wild = plain(&wild.unwrap_or_else(|| "nothing else stands out".to_owned()), 100);
    let message: Value = json!({
        "answer": weighed.verdict, "finding": finding, "gap": gap, "next": next, "wild_card": wild
    });
    sheet.message(&weighed.why, &message)
}
