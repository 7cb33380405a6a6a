//! The agents of a debate: one side states the signs of an attack with their facts, the other what explains them.

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;
use serde_json::{Value, json};

use super::facts::Page;
use super::weigh::{Reading, Sign, read};
use crate::kit::Sheet;

/// Most claims, and most facts of one.
const CLAIMS: (usize, usize) = (6, 12);

/// Which side a page speaks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Threat,
    Benign,
}

/// Whether the page asks for a position in a debate.
pub(super) fn asks(sheet: &Sheet<'_>) -> bool {
    sheet.adviser && sheet.asks_for(&["assertions", "confidence"])
}

/// The position of a side. It depends on the packet alone: what the other side says adds no fact.
pub(super) fn position(sheet: &Sheet<'_>) -> Reply {
    let page = Page::read(sheet);
    if page.lines.is_empty() {
        sheet.miss(InformationKind::Observation, "facts of a packet, one on each line");
    }
    let reading = read(page.lines.values());
    // The definition of the confidence says which side it is.
    let benign = sheet.system.contains("how sure you are that there is no threat");
    let side = if benign { Side::Benign } else { Side::Threat };
    let anchored = sheet.asks_for(&["changes", "conceded"]);
    let (claims, confidence) = match side {
        Side::Threat => threat(&reading),
        Side::Benign => harmless(&reading, &page),
    };
    let shown = claims.iter().take(CLAIMS.0).map(|claim| claim.shown(anchored)).collect::<Vec<_>>();
    let mut message = json!({ "assertions": shown, "confidence": confidence });
    if anchored {
        message["changes"] = json!([]);
        message["conceded"] = json!([]);
    }
    sheet.message("by the signs and by what explains them", &message)
}

/// A claim with its facts.
struct Claim {
    kind: &'static str,
    predicate: String,
    facts: Vec<String>,
    confidence: f64,
    interpretation: String,
}

impl Claim {
    fn shown(&self, anchored: bool) -> Value {
        let facts: Vec<&String> = self.facts.iter().take(CLAIMS.1).collect();
        let mut claim = json!({ "kind": self.kind, "predicate": self.predicate, "facts": facts });
        if anchored {
            claim["confidence"] = json!(self.confidence);
        }
        claim["interpretation"] = json!(self.interpretation);
        claim
    }
}

fn ids(sign: &Sign<'_>) -> Vec<String> {
    sign.facts.iter().map(|fact| fact.id.clone()).collect()
}

/// What facts of a sign have in common, as code can check it.
fn predicate(sign: &Sign<'_>) -> String {
    let facts: Vec<_> = sign.facts.iter().take(CLAIMS.1).collect();
    let first = facts.first();
    let counted: u64 = facts.iter().filter(|fact| fact.count > 1).map(|fact| fact.count).sum();
    match first {
        Some(_) if counted > 1 => format!("count {counted}"),
        Some(first) if facts.iter().all(|fact| fact.class == first.class) => format!("class {}", first.class),
        _ => format!("means {}", sign.step),
    }
}

/// The signs that nothing explains.
fn threat(reading: &Reading<'_>) -> (Vec<Claim>, f64) {
    let open = reading.open();
    let confidence = reading.threat();
    let claims = open.iter().map(|sign| Claim {
        kind: "ASSERT",
        predicate: predicate(sign),
        facts: ids(sign),
        confidence,
        interpretation: format!("a sign of an attack: {}", sign.step),
    });
    (claims.collect(), confidence)
}

/// What explains signs; where there are none, that what was seen is ordinary.
fn harmless(reading: &Reading<'_>, page: &Page) -> (Vec<Claim>, f64) {
    let confidence = 1.0 - reading.threat();
    let mut claims: Vec<Claim> = reading
        .explained()
        .map(|(sign, by)| {
            let mut facts = by.to_vec();
            facts.extend(ids(sign));
            Claim {
                kind: "ALT",
                predicate: "explained".to_owned(),
                facts,
                confidence,
                interpretation: format!("what people stated explains this: {}", sign.step),
            }
        })
        .collect();
    let ordinary = page.lines.values().find(|line| !line.is_stated());
    if let Some(line) = ordinary.filter(|_| reading.is_quiet()) {
        claims.push(Claim {
            kind: "ALT",
            predicate: format!("class {}", line.class),
            facts: vec![line.id.clone()],
            confidence,
            interpretation: "ordinary work; no fact of the packet is a sign of an attack".to_owned(),
        });
    }
    (claims, confidence)
}
