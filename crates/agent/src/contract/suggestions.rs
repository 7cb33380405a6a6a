//! What the chooser answers (BOG-067).

use serde_json::{Value, json};

use super::{Tier, array, bounded};

/// How many suggestions count; the rest is passed over.
pub const MAX_SUGGESTIONS: usize = 3;

/// Longest action text.
const BOUND: usize = 300;

/// A suggested action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The action, as its world writes it.
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
        let action = item.get("action")?.as_str()?.trim();
        let confidence = confidence(item.get("confidence")?)?;
        (!action.is_empty()).then(|| Self { action: bounded(action, BOUND), confidence })
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

/// A confidence in thousandths: a number from 0 to 1, a percentage, or a word (BOG-074).
fn confidence(value: &Value) -> Option<u16> {
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
            let word = text.to_ascii_lowercase();
            let known = [
                ("very low", 100),
                ("low", 250),
                ("medium", 500),
                ("moderate", 500),
                ("high", 750),
                ("very high", 900),
            ];
            known.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
        }
        _ => None,
    }
}

fn share(number: f64) -> Option<u16> {
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
    use super::{MAX_SUGGESTIONS, Suggestion, Tier};

    // covers: BOG-067, BOG-070, BOG-074
    #[test]
    fn confidences_are_read_in_every_way_and_written_in_one() {
        let text = r#"[{"action":"Oil machine=lathe","confidence":0.8},{"action":"Wait","confidence":"high"},
            {"action":"Wait","confidence":"35%"}]"#;
        let (found, tier) = Suggestion::read(text).unwrap();
        assert_eq!(tier, Tier::Direct);
        assert_eq!(found.iter().map(|one| one.confidence).collect::<Vec<_>>(), [800, 750, 350]);
        let written = Suggestion::text(&found);
        assert_eq!(Suggestion::read(&written).unwrap(), (found.clone(), Tier::Direct));
        assert_eq!(Suggestion::message(&found)[1]["confidence"], 0.75);
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
