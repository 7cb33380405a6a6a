//! Criteria that a tracker's query answers.

use std::collections::BTreeMap;

use gimbal_core::{ToolCall, ToolSpec};
use gimbal_temporal::contracts::{Check, Comparison, Criterion, Operator};
use proptest::prelude::*;

fn queries() -> Vec<ToolSpec> {
    vec![
        ToolSpec::of_strings("subject_state", "", &[("subject", "")]),
        ToolSpec::of_strings("quotation", "", &[("key", ""), ("text", "")]),
    ]
}

fn names() -> BTreeMap<String, String> {
    BTreeMap::from([("subject_state".to_owned(), "get_host_current_state".to_owned())])
}

fn holds(criterion: &str, answer: &str) -> Option<bool> {
    criterion.parse::<Criterion>().unwrap().checks()[0].holds(answer)
}

// covers: CTHA-048, CTHA-091
#[test]
fn a_criterion_is_a_call_to_the_tracker_and_a_comparison() {
    let calls = |text: &str| text.parse::<Criterion>().unwrap().calls(&queries(), &names());
    let state = ToolCall::with("subject_state", &[("subject", "User1")]);
    for text in [
        "subject_state(User1).current_status is clean",
        "get_host_current_state( \"User1\" ) contains clean.",
        "Subject_State(subject=User1).a.b >= 4",
    ] {
        assert_eq!(calls(text), [Some(state.clone())], "{text}");
    }
    let quoted = ToolCall::with("quotation", &[("key", "report"), ("text", "one, two")]);
    assert_eq!(calls("quotation(text=\"one, two\", key=report).found is true"), [Some(quoted)]);
    for text in [
        "state(User1) is clean",
        "subject_state() is clean",
        "subject_state(User1, User2) is clean",
        "subject_state(host=User1) is clean",
        "quotation(report, key=report) is x",
    ] {
        assert_eq!(calls(text), [None], "{text}");
    }
}

// covers: CTHA-048, CTHA-091
#[test]
fn an_answer_is_compared_with_a_text() {
    let answer = r#"{"host_name":"User1","current_status":"Baseline","holds":"pen 12, cup 1","carried":4,"share":0.25,
                     "keys":["annual report","10-K"],"found":true,"none":null,"state":{"isolated":"yes"}}"#;
    for (criterion, expected) in [
        ("q(a).current_status is baseline", Some(true)),
        ("q(a).current_status = baseline", Some(true)),
        ("q(a).current_status is not baseline", Some(false)),
        ("q(a).current_status is base", Some(false)),
        ("q(a).holds contains pen 12", Some(true)),
        ("q(a).holds contains pen 1", Some(false)),
        ("q(a).holds lacks pen 1", Some(true)),
        ("q(a).holds contains \"12, cup\"", Some(true)),
        ("q(a).holds contains \"\"", Some(false)),
        ("q(a).keys contains report", Some(true)),
        ("q(a).keys contains rep", Some(false)),
        ("q(a).carried >= 4", Some(true)),
        ("q(a).carried > 4", Some(false)),
        ("q(a).carried is 4", Some(true)),
        ("q(a).share < 0.3", Some(true)),
        ("q(a).found is true", Some(true)),
        ("q(a).state.isolated is yes", Some(true)),
        ("q(a).state contains isolated", Some(true)),
        ("q(a) contains baseline", Some(true)),
        ("q(a).absent is x", None),
        ("q(a).none is x", None),
        ("q(a).holds.inner is x", None),
        ("q(a).holds >= 4", None),
    ] {
        assert_eq!(holds(criterion, answer), expected, "{criterion}");
    }
    assert_eq!(holds("q(a) is all quiet", "All  quiet"), Some(true));
}

// covers: CTHA-048, CTHA-091
#[test]
fn all_checks_of_a_criterion_must_hold() {
    let criterion: Criterion = "subject_state(a).x is 1 and subject_state(b).x is 2".parse().unwrap();
    let answers = |one: Option<&str>, other: Option<&str>| [one.map(str::to_owned), other.map(str::to_owned)];
    let (right, wrong) = (Some(r#"{"x":1}"#), Some(r#"{"x":0}"#));
    assert_eq!(criterion.holds(&answers(right, Some(r#"{"x":"2"}"#))), Some(true));
    assert_eq!(criterion.holds(&answers(right, wrong)), Some(false));
    assert_eq!(criterion.holds(&answers(None, wrong)), Some(false), "one that fails decides");
    assert_eq!(criterion.holds(&answers(right, None)), None);
    assert_eq!(criterion.holds(&answers(right, Some("{}"))), None);
}

// covers: CTHA-048, CTHA-091
#[test]
fn what_is_no_criterion_is_refused_with_its_place() {
    for (text, expected) in [
        ("", "the name of a query is missing at ``"),
        ("the host is clean", "`(` is missing at `host is clean`"),
        ("q(a", "`,` or `)` is missing at ``"),
        ("q(a,)", "an argument is missing at `)`"),
        ("q(\"a) is x", "a quotation mark is not closed at `\"a) is x`"),
        ("q(a) seems fine", "a comparison is missing at `seems fine`"),
        ("q(a). is x", "the name of a member is missing at `is x`"),
        ("q(a) is", "there is no text to compare with at ``"),
        ("q(a) >= many", "a number is missing behind the comparison at ``"),
        ("q(a) is \"x\" or y", "there is more than a check at `or y`"),
        ("q(a) is x and", "the name of a query is missing at ``"),
    ] {
        let error = text.parse::<Criterion>().unwrap_err().to_string();
        assert!(error.starts_with(&format!("criterion: {expected}; write a query")), "{text}: {error}");
    }
    let many = vec!["q(a) is x"; 17].join(" and ");
    assert!(many.parse::<Criterion>().unwrap_err().to_string().contains("more than 16 checks"));
    // `and` within a text needs quotation marks.
    let salt: Criterion = "q(salt and pepper) contains \"salt and pepper\"".parse().unwrap();
    assert_eq!((salt.checks().len(), salt.checks()[0].text.as_str()), (1, "salt and pepper"));
    assert_eq!(salt.checks()[0].arguments[0].1, "salt and pepper");
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z0-9_ ]{1,8}", "[a-z\"\\\\ ,().=é]{0,8}", Just("and".to_owned()), Just("not x".to_owned())]
}

fn check() -> impl Strategy<Value = Check> {
    let comparison =
        prop_oneof![Just(Comparison::Is), Just(Comparison::IsNot), Just(Comparison::Contains), Just(Comparison::Lacks)];
    let name = || "[a-z_]{1,6}";
    let arguments = proptest::collection::vec((proptest::option::of(name()), text()), 0..3);
    let members = proptest::collection::vec(name(), 0..3);
    (name(), arguments, members, comparison, text()).prop_map(|(query, arguments, member, comparison, text)| Check {
        query,
        arguments,
        member,
        comparison,
        text,
    })
}

proptest! {
    #[test]
    fn a_criterion_is_written_and_read_again_as_the_same(checks in proptest::collection::vec(check(), 1..4)) {
        let text = Criterion::new(checks.clone()).to_string();
        let again: Criterion = text.parse().map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(again.checks(), &checks[..], "{}", text);
    }

    #[test]
    fn no_text_and_no_answer_breaks_a_criterion(text in "[qa(),.=<>\" is\\\\and0-9é]{0,40}", answer in ".{0,40}") {
        if let Ok(criterion) = text.parse::<Criterion>() {
            let again: Criterion = criterion.to_string().parse().unwrap();
            prop_assert_eq!(&again, &criterion);
            let _ = criterion.holds(&[Some(answer)]);
            let _ = criterion.calls(&queries(), &names());
        }
    }

    #[test]
    fn is_and_is_not_never_agree(value in "[a-z0-9 ]{1,8}", other in "[a-z0-9 ]{1,8}") {
        let answer = serde_json::json!({ "x": value }).to_string();
        let judged = |comparison: Comparison, text: &str| {
            let check = Check { query: "q".to_owned(), arguments: Vec::new(), member: vec!["x".to_owned()], comparison, text: text.to_owned() };
            check.holds(&answer).unwrap()
        };
        for (yes, no) in [(Comparison::Is, Comparison::IsNot), (Comparison::Contains, Comparison::Lacks)] {
            prop_assert_ne!(judged(yes, &other), judged(no, &other));
        }
        prop_assert!(judged(Comparison::Is, &value));
        prop_assert_eq!(judged(Comparison::Contains, &value), !value.trim().is_empty());
        let number = Check { query: "q".to_owned(), arguments: Vec::new(), member: vec!["x".to_owned()], comparison: Comparison::Number(Operator::AtLeast), text: "0".to_owned() };
        prop_assert_eq!(number.holds(&answer), value.trim().parse::<u64>().ok().map(|_| true));
    }
}
