//! One reader for the read-only queries of belief states (BOG-063, BOG-064).

use gimbal_core::{Rejection, RejectionKind, ToolCall, ToolSpec, nearest};

/// The query for what is currently known of one subject.
pub const SUBJECT_STATE: &str = "subject_state";
/// The query for what was expected of one subject at the start.
pub const SUBJECT_BASELINE: &str = "subject_baseline";
/// The argument that names a subject.
pub const SUBJECT: &str = "subject";

/// An argument of a query: its name, and what it is, as in "the name of one host".
pub type Argument = (&'static str, &'static str);

/// The two queries that every environment with subjects answers. `about` describes the argument, `state` and `baseline`
/// the queries.
#[must_use]
pub fn of_subjects(about: &str, state: &str, baseline: &str) -> [ToolSpec; 2] {
    let parameters = [(SUBJECT, about)];
    [
        ToolSpec::of_strings(SUBJECT_STATE, state, &parameters),
        ToolSpec::of_strings(SUBJECT_BASELINE, baseline, &parameters),
    ]
}

/// The rejection of a query that does not exist.
#[must_use]
pub fn unknown(call: &ToolCall, specs: &[ToolSpec]) -> Rejection {
    let known: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let hint = nearest::hint(&call.tool, known.iter().copied());
    let message = format!("there is no query `{}`{hint} (known: {})", call.tool, known.join(", "));
    Rejection::new(RejectionKind::UnknownTool, message)
}

/// The arguments of a query, all of them strings and all required.
///
/// # Errors
/// A rejection for an argument that does not exist, is missing, or is not a string.
pub fn arguments<const N: usize>(call: &ToolCall, wanted: [Argument; N]) -> Result<[&str; N], Rejection> {
    let query = &call.tool;
    if let Some(other) = call.arguments.keys().find(|given| wanted.iter().all(|(name, _)| given != name)) {
        let names = wanted.map(|(name, _)| name).join("`, `");
        let known = if N == 1 { "its only argument is" } else { "its arguments are" };
        let message = format!("`{query}` takes no argument `{other}`; {known} `{names}`");
        return Err(Rejection::new(RejectionKind::UnknownArgument, message));
    }
    let mut found = [""; N];
    for (place, (name, what)) in found.iter_mut().zip(wanted) {
        let Some(value) = call.arguments.get(name) else {
            let message = format!("`{query}` needs the argument `{name}`: {what}");
            return Err(Rejection::new(RejectionKind::MissingArgument, message));
        };
        *place = value.as_str().ok_or_else(|| {
            let message = format!("`{name}` of `{query}` must be a string, {what}, and is {value}");
            Rejection::new(RejectionKind::BadValue, message)
        })?;
    }
    Ok(found)
}

/// What the subjects of an environment are called in rejections.
#[derive(Clone, Copy, Debug)]
pub struct Nouns {
    /// One of them, such as `host`.
    pub one: &'static str,
    /// Several of them, such as `hosts`.
    pub many: &'static str,
    /// The argument, such as `the name of one host`.
    pub argument: &'static str,
}

/// The subject that a query names, in any case of letters.
///
/// # Errors
/// A rejection for wrong arguments, and for a name that no subject has: it gives the nearest name, or all of them.
pub fn subject<'a, T>(
    call: &ToolCall,
    nouns: Nouns,
    subjects: &'a [T],
    name_of: impl Fn(&'a T) -> &'a str,
) -> Result<&'a T, Rejection> {
    let [name] = arguments(call, [(SUBJECT, nouns.argument)])?;
    let name = name.trim();
    let exact = subjects.iter().find(|subject| name_of(subject) == name);
    exact.or_else(|| subjects.iter().find(|subject| name_of(subject).eq_ignore_ascii_case(name))).ok_or_else(|| {
        let names = || subjects.iter().map(&name_of);
        let hint = nearest::nearest(name, names()).map_or_else(
            || format!("; {} are: {}", nouns.many, names().collect::<Vec<_>>().join(", ")),
            |near| format!("; the nearest name is `{near}`"),
        );
        Rejection::new(RejectionKind::BadValue, format!("there is no {} `{name}`{hint}", nouns.one))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOUNS: Nouns = Nouns { one: "host", many: "hosts", argument: "the name of one host" };

    fn asked(arguments: serde_json::Value) -> Result<String, String> {
        let hosts = ["User1".to_owned(), "Server".to_owned()];
        let arguments = arguments.as_object().cloned().unwrap();
        let call = ToolCall { tool: SUBJECT_STATE.to_owned(), arguments: arguments.into_iter().collect() };
        subject(&call, NOUNS, &hosts, |host| host).cloned().map_err(|rejection| rejection.message)
    }

    #[test]
    fn a_subject_is_found_in_any_case_of_letters() {
        assert_eq!(asked(json!({ "subject": " user1 " })), Ok("User1".to_owned()));
    }

    #[test]
    fn a_rejection_says_what_was_expected() {
        assert_eq!(asked(json!({})).unwrap_err(), "`subject_state` needs the argument `subject`: the name of one host");
        assert_eq!(
            asked(json!({ "subject": 7 })).unwrap_err(),
            "`subject` of `subject_state` must be a string, the name of one host, and is 7"
        );
        assert_eq!(
            asked(json!({ "host": "User1" })).unwrap_err(),
            "`subject_state` takes no argument `host`; its only argument is `subject`"
        );
        assert_eq!(
            asked(json!({ "subject": "User2" })).unwrap_err(),
            "there is no host `User2`; the nearest name is `User1`"
        );
        assert_eq!(asked(json!({ "subject": "?" })).unwrap_err(), "there is no host `?`; hosts are: User1, Server");
        let specs = of_subjects("Name.", "State.", "Baseline.");
        let unknown = unknown(&ToolCall::bare("subject_stat"), &specs).message;
        assert_eq!(
            unknown,
            "there is no query `subject_stat`; did you mean `subject_state`? (known: subject_state, subject_baseline)"
        );
    }

    #[test]
    fn several_arguments_come_in_the_order_that_is_asked_for() {
        let call = ToolCall::with("quotation", &[("text", "41 %"), ("key", "a")]);
        assert_eq!(arguments(&call, [("key", "a key"), ("text", "a text")]).unwrap(), ["a", "41 %"]);
    }
}
