//! The nearest known name, for messages that say how to fix a misspelling.

/// The known name that is closest to `name` in edit distance (case does not count), if any is close: at most a third of
/// its letters differ. Else the one of whose words (`system` of `system_message`) the same is true, if it is the only one.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let away = |part: &str| strsim::damerau_levenshtein(&wanted, &part.to_lowercase());
    let close = |part: &str, distance: usize| distance * 3 <= part.chars().count().max(3);
    let known: Vec<&str> = known.into_iter().collect();
    let whole = known.iter().map(|candidate| (away(candidate), *candidate)).min_by_key(|(distance, _)| *distance);
    if let Some((distance, candidate)) = whole
        && close(candidate, distance)
    {
        return Some(candidate);
    }
    // Short words are close to anything.
    let mut words = known.into_iter().filter(|candidate| {
        candidate
            .split(['_', '-'])
            .any(|word| word.len() >= 4 && word.len() < candidate.len() && close(word, away(word)))
    });
    words.next().filter(|_| words.next().is_none())
}

/// A half-sentence to append to a message: `; did you mean "horizon"?`, or nothing.
#[must_use]
pub fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// Most names that a message lists.
const LISTED: usize = 30;

/// The end of a message about an unknown name, with what was meant and the names that exist:
/// `; did you mean "horizon"? (known: horizon, red)`.
#[must_use]
pub fn hint_among(name: &str, known: &[&str]) -> String {
    let more = known.len().saturating_sub(LISTED);
    let listed = if known.is_empty() { "none".to_owned() } else { known[..known.len() - more].join(", ") };
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} (known: {listed}{more})", hint(name, known.iter().copied()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_names_that_exist_are_listed_up_to_a_bound() {
        assert_eq!(super::hint_among("horizn", &["red", "horizon"]), "; did you mean `horizon`? (known: red, horizon)");
        assert_eq!(super::hint_among("colour", &["red"]), " (known: red)");
        assert_eq!(super::hint_among("colour", &[]), " (known: none)");
        let many: Vec<String> = (0..33).map(|number| format!("n{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(super::hint_among("colour", &many).ends_with(", n28, n29 and 3 more)"));
    }

    #[test]
    fn finds_what_was_meant() {
        assert_eq!(super::nearest("horizn", ["red", "horizon"]), Some("horizon"));
        assert_eq!(super::nearest("USER1", ["User1", "User2"]), Some("User1"));
        assert_eq!(super::nearest("colour", ["red", "horizon"]), None);
        assert_eq!(super::nearest("systm", ["rules", "system_message"]), Some("system_message"));
        assert_eq!(super::nearest("models", ["model_calls", "model_tokens"]), None);
        assert_eq!(super::hint("contxt", ["context"]), "; did you mean `context`?");
    }
}
