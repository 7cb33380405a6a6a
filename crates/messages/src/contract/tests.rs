use gimbal_core::TokenCount;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Change, ChangeKind, Contract};
use crate::{Tier, spaced};

const POSITION: &str = include_str!("../../../architectures/src/debate/contracts/position.json");
const PLAN: &str = include_str!("../../../temporal/src/contracts/plan.json");

fn position() -> Contract {
    Contract::parse("position", POSITION).unwrap()
}

fn changes(contract: &Contract, value: Value) -> (Tier, Vec<(ChangeKind, String)>) {
    let accepted = contract.accept(value, Tier::Direct).unwrap();
    let told = accepted.changes.into_iter().map(|Change { kind, place }| (kind, place)).collect();
    (accepted.tier, told)
}

fn sound() -> Value {
    json!({
        "assertions": [{ "kind": "ASSERT", "predicate": "count_at_least", "facts": ["F001", "F012"] }],
        "confidence": 0.85, "unknowns": []
    })
}

// covers: SH-03, ARES-029
#[test]
fn a_debate_message_that_follows_its_contract_stays_as_it_is() {
    let accepted = position().accept(sound(), Tier::Normalised).unwrap();
    assert_eq!((accepted.value, accepted.tier, accepted.changes.len()), (sound(), Tier::Normalised, 0));
}

// covers: SH-03, ARES-030
#[test]
fn what_nearly_fits_is_brought_into_shape_and_each_change_is_told() {
    use ChangeKind::{Clipped, Coerced, Dropped, Filled};
    let text = "x".repeat(700);
    let value = json!({
        "assertions": [{ "kind": "assert", "predicate": "p", "facts": "F001", "why": "so" }],
        "confidence": "85%", "unknowns": [text], "mood": "sure"
    });
    let (tier, told) = changes(&position(), value.clone());
    assert_eq!(tier, Tier::ByRule);
    let told: Vec<(ChangeKind, &str)> = told.iter().map(|(kind, place)| (*kind, place.as_str())).collect();
    assert_eq!(
        told,
        [
            (Dropped, "/mood"),
            (Dropped, "/assertions/0/why"),
            (Coerced, "/assertions/0/kind"),
            (Coerced, "/assertions/0/facts"),
            (Coerced, "/confidence"),
            (Clipped, "/unknowns/0"),
        ]
    );
    let (_, told) = changes(&position(), json!({ "assertions": [], "confidence": "50%" }));
    assert_eq!(told, [(Coerced, "/confidence".to_owned()), (Filled, "/unknowns".to_owned())]);
    let accepted = position().accept(value, Tier::Direct).unwrap().value;
    assert_eq!(accepted["confidence"], json!(0.85));
    assert_eq!(accepted["assertions"][0]["facts"], json!(["F001"]));
    assert_eq!(accepted["unknowns"][0].as_str().unwrap().len(), 120);
}

// covers: ARES-030
#[test]
fn what_does_not_fit_is_refused_place_by_place() {
    let refused = |value: Value| position().accept(value, Tier::Direct).unwrap_err().to_string();
    assert!(refused(json!([])).starts_with("/:"));
    assert!(refused(json!({ "assertions": [] })).contains("confidence"));
    let mut wrong = sound();
    wrong["assertions"][0]["facts"] = json!(["the first one"]);
    wrong["assertions"][0]["kind"] = json!("CLAIM");
    let text = refused(wrong);
    assert!(text.contains("/assertions/0/facts/0") && text.contains("/assertions/0/kind"), "{text}");
    let mut empty = sound();
    empty["assertions"][0]["facts"] = json!([]);
    assert!(refused(empty).contains("/assertions/0/facts"));
}

// covers: SH-03
#[test]
fn a_plan_of_the_temporal_hierarchy_is_a_contract_too() {
    let plan = Contract::parse("plan", PLAN).unwrap();
    let value = json!({
        "goal_id": "g", "priority": "1", "deadline": "40",
        "subgoals": [{ "id": 7, "description": "d", "success_criteria": "s", "note": "nested objects are open" }],
        "rollback": { "action": "Retry" }
    });
    let (tier, told) = changes(&plan, value);
    assert_eq!(tier, Tier::ByRule);
    assert!(told.iter().all(|(kind, _)| *kind == ChangeKind::Coerced), "{told:?}");
    assert_eq!(told.len(), 4);
    let least = json!({ "goal_id": "g", "priority": 0, "subgoals": [] });
    assert_eq!(changes(&plan, least.clone()), (Tier::Direct, Vec::new()));
    let regex = regex::Regex::new(&format!("^{}$", plan.form().regex)).unwrap();
    assert!(regex.is_match(r#"{"goal_id": "g", "subgoals": [], "priority": 0.5}"#));
    assert!(regex.is_match(
        r#"{"goal_id": "g", "subgoals": [], "priority": 1.0, "deadline": null, "rollback": {"action": "abort"}}"#
    ));
    assert!(!regex.is_match(r#"{"goal_id": "g", "priority": 1.0}"#));
}

// covers: SH-03, CTHA-049
#[test]
fn an_object_with_open_names_has_a_form_and_rules() {
    let policy = Contract::parse("policy", include_str!("../../../temporal/src/contracts/policy.json")).unwrap();
    let value = json!({
        "rules": [{ "id": "r1", "condition": "always", "action": "Log" }], "thresholds": { "calls": "40" }
    });
    let (tier, told) = changes(&policy, value);
    assert_eq!(tier, Tier::ByRule);
    let places: Vec<&str> = told.iter().map(|(_, place)| place.as_str()).collect();
    assert_eq!(places, ["/rules/0/action", "/thresholds/calls"]);
    let regex = regex::Regex::new(&format!("^{}$", policy.form().regex)).unwrap();
    assert!(regex.is_match(r#"{"rules": [], "thresholds": {"calls": 40, "tokens used": 1.5}, "valid_until": null}"#));
    assert!(regex.is_match(r#"{"rules": [], "thresholds": {}}"#));
    assert!(!regex.is_match(r#"{"rules": [], "thresholds": {"calls": "many"}}"#));
}

#[test]
fn bounds_are_found_by_the_place_of_a_field() {
    let plan = Contract::parse("plan", PLAN).unwrap();
    let found = |place: &str| (plan.characters(place), plan.entries(place));
    assert_eq!(found("goal_id"), (Some(32), None));
    assert_eq!(found("subgoals"), (None, Some(10)));
    assert_eq!(found("subgoals/description"), (Some(256), None));
    assert_eq!(found("constraints"), (Some(128), Some(5)));
    assert_eq!([found("rollback/condition"), found("subgoals/none"), found("none")], [(None, None); 3]);
}

/// The contract of a schema with bounds in tokens at these places.
fn bounded(name: &str, text: &str, bounds: &[(&str, u64)]) -> Contract {
    let mut schema: Value = serde_json::from_str(text).unwrap();
    for (place, most) in bounds {
        schema.pointer_mut(place).unwrap()["maxTokens"] = json!(most);
    }
    Contract::parse(name, &schema.to_string()).unwrap()
}

/// Each letter is a token.
fn letters(text: &str) -> TokenCount {
    TokenCount { tokens: text.chars().count() as u64, exact: true }
}

// covers: SH-03
#[test]
fn texts_and_messages_are_bounded_in_tokens_as_they_are_counted() {
    let subgoal = |id: &str| json!({ "id": id, "description": "find the key", "success_criteria": "held" });
    let value = json!({
        "goal_id": "g", "subgoals": [subgoal("1"), subgoal("2"), subgoal("3")], "priority": 0.5,
        "constraints": ["no noise at all"], "deadline": 40, "rollback": { "action": "retry" }
    });
    let told = |plan: &Contract| {
        let accepted = plan.accept_within(value.clone(), Tier::Direct, &letters).unwrap();
        let places: Vec<String> =
            accepted.changes.iter().map(|change| format!("{:?} {}", change.kind, change.place)).collect();
        (accepted.value.clone(), accepted.tokens.unwrap(), accepted.tier, places.join(", "))
    };
    // A contract without such a bound counts nothing.
    assert_eq!(Contract::parse("plan", PLAN).unwrap().accept(value.clone(), Tier::Direct).unwrap().tokens, None);
    // A text is cut to its own bound.
    let (cut, tokens, tier, places) = told(&bounded("plan", PLAN, &[("/properties/constraints/items", 8)]));
    assert_eq!(
        (cut["constraints"][0].as_str(), tier, places.as_str()),
        (Some("no noise"), Tier::ByRule, "Clipped /constraints/0")
    );
    assert_eq!(tokens, letters(&spaced(&cut)));
    // A message loses what may be missing, the last first, and then the last items of its longest list.
    let whole = letters(&spaced(&value)).tokens;
    for (less, expected) in [
        (0, ""),
        (1, "Dropped /rollback"),
        (34, "Dropped /rollback, Dropped /deadline"),
        (54, "Dropped /rollback, Dropped /deadline, Dropped /constraints"),
        (100, "Dropped /rollback, Dropped /deadline, Dropped /constraints, Clipped /subgoals"),
    ] {
        let (shorter, tokens, _, places) = told(&bounded("plan", PLAN, &[("", whole - less)]));
        assert_eq!(places, expected, "{less}");
        assert!(tokens.tokens <= whole - less && tokens == letters(&spaced(&shorter)), "{less}");
    }
    // What cannot be made shorter is refused with both numbers.
    let error = bounded("plan", PLAN, &[("", 20)]).accept_within(value.clone(), Tier::Direct, &letters).unwrap_err();
    assert!(error.to_string().contains("tokens; at most 20 are allowed"), "{error}");
    // Without a tokenizer the number is an estimate, and says so.
    let accepted = bounded("plan", PLAN, &[("", 400)]).accept(value.clone(), Tier::Direct).unwrap();
    assert_eq!(accepted.tokens, Some(TokenCount::estimated(&spaced(&value))));
    assert!(!accepted.tokens.unwrap().exact);
}

#[test]
fn a_bound_in_tokens_is_of_a_text_or_of_the_whole_message() {
    let error = |place: &str, most: Value| {
        let mut schema: Value = serde_json::from_str(PLAN).unwrap();
        schema.pointer_mut(place).unwrap()["maxTokens"] = most;
        Contract::parse("plan", &schema.to_string()).unwrap_err().to_string()
    };
    assert!(error("", json!(0)).contains("contract plan: /maxTokens: a bound in tokens is a whole number above 0"));
    assert!(error("/properties/goal_id", json!("9")).contains("/properties/goal_id/maxTokens"));
    assert!(error("/properties/subgoals", json!(9)).contains("of a text"));
    assert!(error("/properties/rollback/properties/action", json!(9)).contains("without `enum`"));
}

#[test]
fn schemas_that_give_no_contract_are_refused_with_their_place() {
    let error = |text: &str| Contract::parse("c", text).unwrap_err().to_string();
    assert!(error("{").contains("contract c: /"));
    assert!(error(r#"{"type": "objekt"}"#).contains("/type"));
    assert!(error(r#"{"type": "object"}"#).contains("`properties`"));
    assert!(error(r#"{"type": "object", "properties": {"a": {"type": "array"}}}"#).contains("/properties/a/"));
    assert!(error(r#"{"type": "object", "properties": {"a": {"enum": [1]}}}"#).contains("`enum`"));
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-2.0..2.0_f64).prop_map(Value::from),
        "[ -~]{0,12}".prop_map(Value::from),
        Just(json!("F001")),
        Just(json!("ASSERT")),
    ];
    let key = prop_oneof![
        Just("assertions"),
        Just("confidence"),
        Just("facts"),
        Just("kind"),
        Just("predicate"),
        Just("other"),
        Just("a/b~c"),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
            proptest::collection::vec((key.clone(), inner), 0..6).prop_map(|members| {
                Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

proptest! {
    // covers: SH-03
    #[test]
    fn whatever_is_accepted_follows_the_schema(value in any_value()) {
        let contract = position();
        if let Ok(accepted) = contract.accept(value.clone(), Tier::Direct) {
            prop_assert!(contract.validator.is_valid(&accepted.value));
            prop_assert_eq!(accepted.tier == Tier::Direct, accepted.value == value);
            // What was brought into shape stays as it is.
            prop_assert!(contract.accept(accepted.value, Tier::Direct).unwrap().changes.is_empty());
        }
    }

    // covers: SH-03
    #[test]
    fn whatever_is_accepted_keeps_its_bounds_in_tokens(value in any_value(), text in 1..9_u64, whole in 20..90_u64) {
        let item = "/properties/assertions/items/properties/interpretation";
        let contract = bounded("position", POSITION, &[("", whole), (item, text), ("/properties/unknowns/items", text)]);
        if let Ok(accepted) = contract.accept_within(value, Tier::Direct, &letters) {
            prop_assert!(contract.validator.is_valid(&accepted.value));
            let tokens = accepted.tokens.unwrap();
            prop_assert!(tokens.tokens <= whole && tokens == letters(&spaced(&accepted.value)));
            prop_assert!(accepted.value["unknowns"].as_array().is_none_or(|said| said.iter().all(|said| letters(said.as_str().unwrap()).tokens <= text)));
            let again = contract.accept_within(accepted.value.clone(), Tier::Direct, &letters).unwrap();
            prop_assert_eq!((again.value, again.changes.len()), (accepted.value, 0));
        }
    }

    // covers: SH-03
    #[test]
    fn what_the_form_lets_through_follows_the_schema(
        kinds in proptest::collection::vec(0..3_usize, 0..4), share in 0..100_u32, said in proptest::option::of("[a-z ]{0,40}"),
    ) {
        let contract = position();
        let assertions: Vec<Value> = kinds
            .iter()
            .map(|kind| ["ASSERT", "LINK", "ALT"][*kind])
            .map(|kind| json!({ "kind": kind, "predicate": "p", "facts": ["F001", "F002"] }))
            .collect();
        let mut value = json!({ "assertions": assertions, "confidence": f64::from(share) / 100.0 });
        if let Some(said) = said {
            value["unknowns"] = json!([said]);
        }
        let text = spaced(&value);
        let regex = regex::Regex::new(&format!("^{}$", contract.form().regex)).unwrap();
        prop_assert!(regex.is_match(&text), "{text}");
        prop_assert!(contract.validator.is_valid(&value));
        prop_assert!(text.len() <= contract.form().longest);
    }
}
