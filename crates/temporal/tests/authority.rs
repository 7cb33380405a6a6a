//! Scopes, and the projection of decisions onto them.

use gimbal_core::{Milli, RejectionKind};
use gimbal_temporal::Layer;
use gimbal_temporal::authority::{Authority, Category, Decision, Exclusion, Permission, Reason, Scope};
use proptest::prelude::*;

fn decide(layer: Layer, category: Category) -> Permission {
    Authority::published().permission(layer, &Decision::new(category, "x"))
}

// covers: CTHA-060, CTHA-061
#[test]
fn each_layer_may_decide_what_the_table_permits_and_nothing_else() {
    for layer in Layer::of_count(4) {
        for category in Category::ALL {
            let permitted = category.home() == Some(*layer) || category == Category::Idle;
            assert_eq!(decide(*layer, category) == Permission::Permitted, permitted, "{layer} {}", category.name());
        }
    }
    assert_eq!(decide(Layer::Reflex, Category::PolicyUpdate), Permission::Forbidden);
    assert_eq!(decide(Layer::Reflex, Category::StepOrdering), Permission::Outside);
    assert_eq!(decide(Layer::Strategic, Category::ToolInvocation), Permission::Forbidden);
    assert_eq!(decide(Layer::Institutional, Category::ImmediateResponse), Permission::Forbidden);
    let published = Authority::published();
    let phrases: Vec<usize> =
        Layer::of_count(4).iter().map(|layer| published.scope(*layer).unwrap().excludes.len()).collect();
    assert_eq!(phrases, [4, 3, 3, 3]);
}

// covers: CTHA-060
#[test]
fn a_decision_of_the_right_kind_on_another_time_scale_is_untimely() {
    let mut slow = Decision::new(Category::ToolInvocation, "train");
    slow.span = Some((Milli(3_600_000), Milli(7_200_000)));
    let authority = Authority::published();
    assert_eq!(authority.permission(Layer::Reflex, &slow), Permission::Untimely);
    slow.span = Some((Milli(0), Milli(7_200_000)));
    assert_eq!(authority.permission(Layer::Reflex, &slow), Permission::Permitted);
}

// covers: CTHA-062
#[test]
fn the_nearest_decision_is_of_the_same_kind_then_of_nearest_words_then_first_in_order() {
    let authority = Authority::published();
    let mut slow = Decision::new(Category::ToolInvocation, "restore user1");
    slow.span = Some((Milli(3_600_000), Milli(3_600_000)));
    let calls: Vec<Decision> = ["analyse user1", "restore user3", "restore user2", "monitor"]
        .map(|content| Decision::new(Category::ToolInvocation, content))
        .to_vec();
    let projected = authority.project(Layer::Reflex, Layer::of_count(4), &slow, &calls);
    assert_eq!(projected.decision.content, "restore user2");
    assert_eq!((projected.distance.category, projected.distance.content), (0, 1));
    let rejection = projected.rejection(Layer::Reflex).unwrap();
    assert_eq!(rejection.kind, RejectionKind::Forbidden);
    assert!(rejection.message.contains("another time scale") && rejection.message.contains("`restore user2`"));
}

// covers: CTHA-062, CTHA-065
#[test]
fn what_belongs_to_another_layer_is_handed_to_it() {
    let authority = Authority::published();
    let project = |layer: Layer, layers: &[Layer], category: Category| {
        let decided = Decision::new(category, "redesign");
        let projected = authority.project(layer, layers, &decided, &[]);
        assert_eq!(projected.decision.content, if projected.decision.to.is_some() { "redesign" } else { "" });
        (projected.decision.category, projected.decision.to)
    };
    let four = Layer::of_count(4);
    assert_eq!(project(Layer::Reflex, four, Category::PlanRevision), (Category::Escalation, Some(Layer::Strategic)));
    assert_eq!(
        project(Layer::Reflex, four, Category::PolicyUpdate),
        (Category::Escalation, Some(Layer::Institutional))
    );
    assert_eq!(project(Layer::Strategic, four, Category::ToolInvocation), (Category::Delegation, Some(Layer::Reflex)));
    // Without the owner, the layer next to it gets the decision; alone, a layer does nothing.
    assert_eq!(project(Layer::Reflex, Layer::of_count(2), Category::PolicyUpdate).1, Some(Layer::Strategic));
    assert_eq!(project(Layer::Reflex, Layer::of_count(1), Category::PlanRevision), (Category::Idle, None));
}

// covers: CTHA-065
#[test]
fn a_harmful_decision_of_a_fast_layer_is_escalated_and_not_carried_out() {
    let authority = Authority::published();
    let call = Decision::new(Category::ToolInvocation, "wipe server");
    let safe = [Decision::new(Category::ToolInvocation, "wipe servers")];
    let review = |layers: &[Layer], harmful| authority.review(Layer::Reflex, layers, &call, &safe, harmful);
    let escalated = review(Layer::of_count(4), true);
    assert_eq!((escalated.decision.category, escalated.decision.to), (Category::Escalation, Some(Layer::Strategic)));
    assert_eq!(escalated.reason, Reason::Harm);
    assert!(escalated.rejection(Layer::Reflex).unwrap().message.contains("handed to strategic"));
    assert_eq!(review(Layer::of_count(1), true).decision, Decision::idle());
    assert_eq!(review(&[Layer::Reflex, Layer::Tactical], true).decision.to, Some(Layer::Tactical));
    let kept = review(Layer::of_count(4), false);
    assert_eq!((kept.decision.clone(), kept.reason, kept.rejection(Layer::Reflex)), (call, Reason::Kept, None));
}

#[test]
fn scopes_that_contradict_themselves_are_refused() {
    let scope = |permits: &[Category], excluded: &[Category]| Scope {
        layer: Layer::Reflex,
        permits: permits.to_vec(),
        excludes: vec![Exclusion { what: "w".to_owned(), categories: excluded.to_vec() }],
    };
    let both = Authority::new(vec![scope(&[Category::Idle], &[Category::Idle])]).unwrap_err().to_string();
    assert!(both.contains("`reflex`") && both.contains("`idle`"), "{both}");
    let twice = Authority::new(vec![scope(&[], &[]), scope(&[], &[])]).unwrap_err().to_string();
    assert!(twice.contains("has two"), "{twice}");
    let text = serde_json::to_string(&Authority::published()).unwrap();
    assert_eq!(serde_json::from_str::<Authority>(&text).unwrap(), Authority::published());
    assert!(serde_json::from_str::<Authority>(&text.replace("tool_invocation", "policy_update")).is_err());
}

fn any_decision() -> impl Strategy<Value = Decision> {
    let category = prop::sample::select(Category::ALL.to_vec());
    let to = prop::option::of(prop::sample::select(Layer::ALL.to_vec()));
    let span = prop::option::of((0_i64..20_000_000, 0_i64..20_000_000));
    (category, "[a-c]{0,3}", to, span).prop_map(|(category, content, to, span)| Decision {
        category,
        content,
        to,
        span: span.map(|(one, other)| (Milli(one.min(other)), Milli(one.max(other)))),
    })
}

proptest! {
    // covers: CTHA-060, CTHA-062, CTHA-065
    #[test]
    fn a_projected_decision_is_within_authority_and_stays_when_it_is_projected_again(
        layer in prop::sample::select(Layer::ALL.to_vec()), count in 1..=5_usize, decision in any_decision(),
        mut candidates in prop::collection::vec(any_decision(), 0..6), harmful in any::<bool>(),
    ) {
        let authority = Authority::published();
        let layers = Layer::of_count(count);
        let projected = authority.review(layer, layers, &decision, &candidates, harmful);
        prop_assert_eq!(authority.permission(layer, &projected.decision), Permission::Permitted);
        let again = authority.project(layer, layers, &projected.decision, &candidates);
        prop_assert_eq!(&again.decision, &projected.decision);
        prop_assert_eq!(again.reason, Reason::Kept);
        if authority.permission(layer, &decision) == Permission::Permitted && !harmful {
            prop_assert_eq!(&projected.decision, &decision);
        }
        // The order of candidates does not matter, and none within authority is nearer.
        let plain = authority.project(layer, layers, &decision, &candidates);
        for candidate in candidates.iter().filter(|one| authority.permission(layer, one) == Permission::Permitted) {
            if plain.reason != Reason::Kept {
                prop_assert!(plain.distance <= decision.distance(candidate));
            }
        }
        candidates.reverse();
        prop_assert_eq!(authority.project(layer, layers, &decision, &candidates), plain);
    }
}
