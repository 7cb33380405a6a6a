//! What the verifier answers: the stored words that figures of an answer are based on (CYC-095).

use gimbal_agent::reading::{keyed, object};
use gimbal_core::Brief;
use gimbal_messages::{Form, Message, bounded};
use serde_json::{Value, json};

/// Most claims of a message, and most quotations of a claim; the rest is passed over.
const ITEMS: usize = 32;
/// Longest text.
const BOUND: usize = 1_000;

/// Words that are said to be in a stored text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Key of the stored text.
    pub key: String,
    /// The words.
    pub text: String,
}

/// What a figure is said to be based on. It is a claim and nothing more: whether the words are there is for code to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The figure, as it is in the answer.
    pub figure: String,
    /// Whether it is said to be supported.
    pub supported: bool,
    /// What it is based on.
    pub quotes: Vec<Quote>,
    /// How it follows from that.
    pub how: String,
}

impl Claim {
    /// Reads what a verifier wrote: `{"figures": [{figure, supported, quotes: [{key, quote}], how}]}`. Claims that name no
    /// figure are passed over; none if the message is not such an object at all.
    #[must_use]
    pub fn read(text: &str) -> Option<Vec<Self>> {
        let (members, _) = object(text)?;
        let claims = keyed(members.get("figures")?.clone())?;
        Some(claims.as_array()?.iter().filter_map(Self::of).take(ITEMS).collect())
    }

    fn of(item: &Value) -> Option<Self> {
        let text =
            |item: &Value, key: &str| item.get(key).and_then(Value::as_str).map(|text| bounded(text.trim(), BOUND));
        let quotes = item.get("quotes").and_then(Value::as_array).into_iter().flatten();
        let quote = |item: &Value| Some(Quote { key: text(item, "key")?, text: text(item, "quote")? });
        Some(Self {
            figure: text(item, "figure").filter(|figure| !figure.is_empty())?,
            supported: item.get("supported").is_some_and(says_yes),
            quotes: quotes.filter_map(quote).take(ITEMS).collect(),
            how: text(item, "how").unwrap_or_default(),
        })
    }

    /// The message of claims.
    #[must_use]
    pub fn message(claims: &[Self]) -> Value {
        let claim = |claim: &Self| {
            let quotes: Vec<Value> =
                claim.quotes.iter().map(|quote| json!({ "key": quote.key, "quote": quote.text })).collect();
            json!({ "figure": claim.figure, "supported": claim.supported, "quotes": quotes, "how": claim.how })
        };
        json!({ "figures": claims.iter().map(claim).collect::<Vec<_>>() })
    }

    /// The form of a message about these figures, with quotations from the texts under these keys.
    #[must_use]
    pub fn form(figures: &[String], keys: &[String]) -> Form {
        let quote = Form::object(&[("key", Form::word(keys)), ("quote", Form::text(1, 160))]);
        let verdict = Form::flag();
        let claim = Form::object(&[
            ("figure", Form::word(figures)),
            ("supported", verdict),
            ("quotes", Form::array(&quote, 0, 2)),
            ("how", Form::text(0, 120)),
        ]);
        Form::object(&[("figures", Form::array(&claim, 1, figures.len().clamp(1, ITEMS)))])
    }
}

/// Whether a value says yes. A verdict that cannot be read supports nothing.
fn says_yes(value: &Value) -> bool {
    match value {
        Value::Bool(yes) => *yes,
        Value::String(text) => matches!(text.trim().to_ascii_lowercase().as_str(), "true" | "yes" | "supported"),
        _ => false,
    }
}

/// The message `verification`. The request brings its form: it depends on the figures.
#[derive(Debug)]
pub struct Verification;

impl Message for Verification {
    fn name(&self) -> &'static str {
        "verification"
    }

    fn request(&self, brief: &Brief, _target: &str) -> Value {
        let passage = json!({ "key": "(a key)", "text": "(lines of the stored text)" });
        json!({
            "question": brief.goal, "answer": "(the answer)", "figures": ["(a figure)"], "stored": ["(a key)"],
            "passages": [passage],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Claim, Quote};

    // covers: CYC-095
    #[test]
    fn a_claim_is_read_as_it_is_written_and_nothing_else_is() {
        let claim = Claim {
            figure: "41.2%".to_owned(),
            supported: true,
            quotes: vec![Quote { key: "10-K".to_owned(), text: "gross profit 412 of 1,000".to_owned() }],
            how: "412 over 1,000".to_owned(),
        };
        let message = Claim::message(std::slice::from_ref(&claim));
        assert_eq!(Claim::read(&message.to_string()), Some(vec![claim.clone()]));
        let shouted = message.to_string().replace("\"figure", "\"Figure").replace("\"quote", "\"QUOTE");
        assert_eq!(Claim::read(&shouted), Some(vec![claim]), "{shouted}");
        for nothing in ["all figures are right", "[]", r#"{"figures": "all"}"#, ""] {
            assert_eq!(Claim::read(nothing), None, "{nothing}");
        }
        let partial = r#"{"figures": [7, {"supported": true}, {"figure": "5%", "supported": "perhaps", "quotes": [{"key": "a"}]}]}"#;
        let read = Claim::read(partial).unwrap();
        assert_eq!((read.len(), read[0].supported, read[0].quotes.len()), (1, false, 0));
    }
}
