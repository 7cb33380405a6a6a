//! The nearest known name, for messages that say how to mend a misspelling.

/// The known name that is closest to `name` in edit distance (case does not count), if any is close:
/// at most a third of its letters differ.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase()), candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, candidate)| *distance * 3 <= candidate.chars().count().max(3))
        .map(|(_, candidate)| candidate)
}

/// A half-sentence to append to a message: `; did you mean "horizon"?`, or nothing.
#[must_use]
pub fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn finds_what_was_meant() {
        assert_eq!(super::nearest("horizn", ["red", "horizon"]), Some("horizon"));
        assert_eq!(super::nearest("USER1", ["User1", "User2"]), Some("User1"));
        assert_eq!(super::nearest("colour", ["red", "horizon"]), None);
        assert_eq!(super::hint("contxt", ["context"]), "; did you mean `context`?");
    }
}
