//! The ways in which an answer is spoilt.

use std::sync::OnceLock;

use gimbal_core::Rng;
use regex::{Captures, Regex};

/// What a mistaken writer puts out instead of an answer, each equally likely.
const WAYS: u64 = 6;

/// `answer` without the form that the role must write: cut short, empty, another word in the place of the last one,
/// brackets lost, an apology, or a fence that never ends.
#[must_use]
pub fn malform(answer: &str, draws: &mut Rng) -> String {
    let spoilt = match draws.below(WAYS) {
        0 => {
            let letters = answer.chars().count();
            // Strictly shorter, so that something is always missing.
            let kept = draws.below(letters.max(1) as u64) as usize;
            answer.chars().take(kept).collect()
        }
        1 => String::new(),
        2 => {
            let cut = answer.trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
            format!("{}Frobnicate the-unknown-thing", answer.get(..cut).unwrap_or_default())
        }
        3 => answer.chars().filter(|letter| !matches!(letter, '{' | '}' | '[' | ']' | ':' | '"')).collect(),
        4 => "I am sorry, I am not sure which of these I should choose here.".to_owned(),
        _ => format!("```json\n{answer}"),
    };
    // An answer without brackets loses nothing with them.
    if spoilt == answer { String::new() } else { spoilt }
}

/// `answer` with every stated confidence raised to at least 0.95 (95 where it is a percentage, 950 where it is in
/// thousandths); unchanged where it states none.
#[must_use]
pub fn overstate(answer: &str) -> String {
    static STATED: OnceLock<Option<Regex>> = OnceLock::new();
    let pattern = r#"(?i)(?P<before>\bconfidence\b["'*]{0,3}\s*[:=]\s*["'*]{0,3})(?P<number>\d{1,4}(?:\.\d{1,6})?)"#;
    match STATED.get_or_init(|| Regex::new(pattern).ok()) {
        Some(stated) => stated.replace_all(answer, raise).into_owned(),
        None => answer.to_owned(),
    }
}

fn raise(found: &Captures<'_>) -> String {
    let number = &found["number"];
    let value: f64 = number.parse().unwrap_or(f64::MAX);
    let (bound, stated) = match value {
        value if value <= 1.0 => (0.95, "0.95"),
        value if value <= 100.0 => (95.0, "95"),
        _ => (950.0, "950"),
    };
    // A bare 1 is certainty, or one per cent: it is left alone.
    let raised = if value < bound { stated } else { number };
    format!("{}{raised}", &found["before"])
}

#[cfg(test)]
mod tests {
    use gimbal_core::Rng;

    use super::{malform, overstate};

    #[test]
    fn raises_every_style_of_confidence_and_nothing_else() {
        for (stated, raised) in [
            (r#"{"confidence": 0.4, "n": 0.4}"#, r#"{"confidence": 0.95, "n": 0.4}"#),
            ("Confidence: 70%", "Confidence: 95%"),
            ("confidence=730", "confidence=950"),
            (r#""confidence":0"#, r#""confidence":0.95"#),
            (r#""confidence":1"#, r#""confidence":1"#),
            ("confidence: 0.99", "confidence: 0.99"),
            ("confidence: 100", "confidence: 100"),
            ("overconfidence: none", "overconfidence: none"),
        ] {
            assert_eq!(overstate(stated), raised);
        }
    }

    #[test]
    fn a_malformed_answer_is_never_the_answer() {
        let answer = "Thought: calm.\nAnswer: {\"a\": [1]}";
        let mut draws = Rng::stream(3, "test");
        let spoilt: Vec<String> = (0..200).map(|_| malform(answer, &mut draws)).collect();
        assert!(spoilt.iter().all(|text| text != answer));
        assert!(spoilt.iter().any(String::is_empty));
    }
}
