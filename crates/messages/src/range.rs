//! Whole numbers from one bound to another: as a schema states the bounds, and as a regular expression.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

/// Largest number where a schema names none.
const LARGEST: u64 = 999_999_999;

/// The numbers that a schema of a whole number lets through, as far as a mask goes: no number below 0.
#[must_use]
pub fn of_schema(schema: &Value) -> RangeInclusive<u64> {
    let named = |key: &str| schema.get(key).and_then(Value::as_u64);
    named("minimum").unwrap_or(0)..=named("maximum").unwrap_or(LARGEST).min(LARGEST)
}

/// The schema of the numbers of a range.
#[must_use]
pub fn schema(range: &RangeInclusive<u64>) -> Value {
    json!({ "type": "integer", "minimum": range.start(), "maximum": range.end() })
}

/// The decimal texts of the whole numbers from `least` to `most`, without leading zeros; `None` if the range is empty.
#[must_use]
pub fn whole_numbers(least: u64, most: u64) -> Option<String> {
    if least > most {
        return None;
    }
    let mut parts = Vec::new();
    let mut from = least;
    loop {
        // One expression for each number of digits.
        let digits = from.to_string();
        let nines = "9".repeat(digits.len()).parse::<u64>().unwrap_or(u64::MAX);
        let to = nines.min(most);
        parts.push(same_length(&digits, &to.to_string()));
        if to == most {
            return Some(format!("({})", parts.join("|")));
        }
        from = to + 1;
    }
}

/// The numbers from `from` to `to`, both of the same number of digits.
fn same_length(from: &str, to: &str) -> String {
    let (Some(first), Some(last)) = (from.chars().next(), to.chars().next()) else { return String::new() };
    let (low, high) = (&from[1..], &to[1..]);
    let rest = low.len();
    if first == last {
        return format!("{first}{}", same_length(low, high));
    }
    let (lowest, highest) = ("0".repeat(rest), "9".repeat(rest));
    let any = match rest {
        0 => String::new(),
        1 => "[0-9]".to_owned(),
        rest => format!("[0-9]{{{rest}}}"),
    };
    let mut parts = Vec::new();
    // The first digits below and above which every continuation is in the range.
    let (mut begin, mut end) = (first as u8, last as u8);
    if low != lowest {
        parts.push(format!("{first}{}", same_length(low, &highest)));
        begin += 1;
    }
    let above = (high != highest).then(|| format!("{last}{}", same_length(&lowest, high)));
    if above.is_some() {
        end -= 1;
    }
    if begin < end {
        parts.push(format!("[{}-{}]{any}", char::from(begin), char::from(end)));
    } else if begin == end {
        parts.push(format!("{}{any}", char::from(begin)));
    }
    parts.extend(above);
    if parts.len() == 1 { parts.remove(0) } else { format!("({})", parts.join("|")) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::whole_numbers;

    #[test]
    fn an_empty_range_has_no_numbers() {
        assert_eq!(whole_numbers(2, 1), None);
        assert_eq!(whole_numbers(7, 7).as_deref(), Some("(7)"));
        assert_eq!(whole_numbers(1, 10_000).as_deref(), Some("([1-9]|[1-9][0-9]|[1-9][0-9]{2}|[1-9][0-9]{3}|10000)"));
        assert!(whole_numbers(0, u64::MAX).is_some());
    }

    proptest! {
        #[test]
        fn a_text_fits_where_its_number_is_in_the_range(
            least in 0_u64..3_000, width in 0_u64..3_000, number in 0_u64..7_000,
        ) {
            let most = least + width;
            let regex = Regex::new(&format!("^{}$", whole_numbers(least, most).unwrap())).unwrap();
            for number in [number, least, most, least.saturating_sub(1), most + 1] {
                prop_assert_eq!(regex.is_match(&number.to_string()), (least..=most).contains(&number), "{}", number);
            }
            let padded = format!("0{number}");
            prop_assert!(!regex.is_match(&padded));
        }
    }
}
