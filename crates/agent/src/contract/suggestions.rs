//! What the chooser answers (BOG-067).

use serde_json::{Value, json};

use super::{Tier, array};
use crate::reading::words;

/// How many suggestions count; the rest is passed over.
pub const MAX_SUGGESTIONS: usize = 3;

/// Longest action, in characters. Environments whose actions hold whole answers with their sources need several hundred. A longer
/// one is no suggestion, and none is cut: the part that is left might be an action that was not meant.
const BOUND: usize = 4_000;

/// A suggested action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The action, as its environment writes it.
    pub action: String,
    /// How sure the adviser is, in thousandths from 0 to 1000.
    pub confidence: u16,
}

impl Suggestion {
    /// What stands in the place of suggestions that cannot be read (BOG-070).
    #[must_use]
    pub fn default_of(idle: &str) -> Self {
        Self { action: idle.to_owned(), confidence: 100 }
    }

    /// Reads what a chooser wrote: at most [`MAX_SUGGESTIONS`], in its order. None if there is not one that holds an
    /// action and a confidence.
    #[must_use]
    pub fn read(text: &str) -> Option<(Vec<Self>, Tier)> {
        let (items, tier) = array(text)?;
        let found: Vec<Self> = items.iter().filter_map(Self::of).take(MAX_SUGGESTIONS).collect();
        (!found.is_empty()).then_some((found, tier))
    }

    fn of(item: &Value) -> Option<Self> {
        let action = ACTIONS.iter().find_map(|key| item.get(*key))?;
        let action = action.as_str()?.trim();
        let confidence = CONFIDENCES.iter().find_map(|key| item.get(*key));
        let confidence = confidence.and_then(confidence_of)?;
        let is_bounded = action.char_indices().nth(BOUND).is_none();
        (!action.is_empty() && is_bounded).then(|| Self { action: action.to_owned(), confidence })
    }

    /// The message of suggestions.
    #[must_use]
    pub fn message(suggestions: &[Self]) -> Value {
        suggestions
            .iter()
            .map(|one| json!({ "action": one.action, "confidence": f64::from(one.confidence) / 1000.0 }))
            .collect()
    }

    /// The message as text, in the spacing that grammars have.
    #[must_use]
    pub fn text(suggestions: &[Self]) -> String {
        super::spaced(&Self::message(suggestions))
    }
}

/// Names of the member that holds the action.
const ACTIONS: [&str; 4] = ["action", "suggested_action", "suggestion", "action_name"];
/// Names of the member that holds the confidence.
const CONFIDENCES: [&str; 5] = ["confidence", "confidence_score", "score", "probability", "certainty"];

/// A confidence in thousandths: a number from 0 to 1, a percentage, or a word (BOG-074). A whole number above 1 is a percentage
/// where it can be one.
fn confidence_of(value: &Value) -> Option<u16> {
    match value {
        Value::Number(number) => share(number.as_f64()?),
        Value::String(text) => {
            let text = text.trim();
            if let Some(percent) = text.strip_suffix('%') {
                return share(percent.trim().parse::<f64>().ok()? / 100.0);
            }
            if let Ok(number) = text.parse::<f64>() {
                return share(number);
            }
            if let Some((part, whole)) = text.split_once('/') {
                let (part, whole) = (part.trim().parse::<f64>().ok()?, whole.trim().parse::<f64>().ok()?);
                return (whole > 0.0).then(|| part / whole).and_then(share);
            }
            words().confidence(text)
        }
        _ => None,
    }
}

fn share(number: f64) -> Option<u16> {
    // From 10 to 100 no other unit than a hundredth is meant; what lies between is a mark out of five or ten, or a slip.
    let number = if (10.0..=100.0).contains(&number) { number / 100.0 } else { number };
    // In range, so the cast cannot lose anything but the fraction.
    (0.0..=1.0).contains(&number).then(|| (number * 1000.0).round() as u16)
}

/// The suggestions of a chooser who puts `first` first and `others` behind it.
pub(crate) fn competent(first: &str, others: &[&str]) -> Vec<Suggestion> {
    let rest = others.iter().copied().zip([450, 200]);
    std::iter::once((first, 900))
        .chain(rest)
        .map(|(action, confidence)| Suggestion { action: action.to_owned(), confidence })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{BOUND, MAX_SUGGESTIONS, Suggestion, Tier};

    // covers: BOG-067, BOG-070, BOG-074
    #[test]
    fn confidences_are_read_in_every_way_and_written_in_one() {
        let text = r#"[{"action":"Oil machine=lathe","confidence":0.8},{"action":"Wait","confidence":"high"},
            {"action":"Wait","confidence":"35%"}]"#;
        let others = r#"[{"action":"Wait","confidence":85},{"action":"Wait","confidence":"8/10"},{"action":"Wait","score":"0.4"}]"#;
        let (others, _) = Suggestion::read(others).unwrap();
        assert_eq!(others.iter().map(|one| one.confidence).collect::<Vec<_>>(), [850, 800, 400]);
        let (found, tier) = Suggestion::read(text).unwrap();
        assert_eq!(tier, Tier::Direct);
        assert_eq!(found.iter().map(|one| one.confidence).collect::<Vec<_>>(), [800, 750, 350]);
        let written = Suggestion::text(&found);
        assert_eq!(Suggestion::read(&written).unwrap(), (found.clone(), Tier::Direct));
        assert_eq!(Suggestion::message(&found)[1]["confidence"], 0.75);
    }

    // covers: BOG-067
    #[test]
    fn an_action_is_whole_or_no_suggestion() {
        let suggest = |letters: usize| {
            let action = format!("Say text=\"{}\"", "ä".repeat(letters));
            (action.clone(), Suggestion::read(&Suggestion::text(&[Suggestion { action, confidence: 900 }])))
        };
        for letters in [1, 300, 3_000] {
            let (action, read) = suggest(letters);
            assert_eq!(read.unwrap().0[0].action, action);
        }
        assert_eq!(suggest(BOUND).1, None, "never a part of it");
    }

    #[test]
    fn what_holds_no_suggestion_is_none() {
        for text in [
            "",
            "Wait",
            "[]",
            "[1, 2]",
            r#"[{"action": "Wait"}]"#,
            r#"[{"action": "", "confidence": 1}]"#,
            r#"[{"action": "Wait", "confidence": 7}]"#,
            r#"[{"action": "Wait", "confidence": -0.1}]"#,
        ] {
            assert_eq!(Suggestion::read(text), None, "{text}");
        }
        let many = format!("[{}]", [r#"{"action": "Wait", "confidence": 0.5}"#; 9].join(","));
        assert_eq!(Suggestion::read(&many).unwrap().0.len(), MAX_SUGGESTIONS);
    }
}
