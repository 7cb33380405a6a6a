//! The case of Tab. 22, step 3 and step 7, as plain data through proposals, conflicts and the arbiter (CTHA-134).

use std::collections::BTreeSet;

use gimbal_core::{Milli, ToolCall};
use gimbal_temporal::arbiter::{Arbiter, Scene, Verdict};
use gimbal_temporal::authority::{Authority, Category, Decision, Reason};
use gimbal_temporal::commitments::{Commitment, Commitments};
use gimbal_temporal::conflict::{Cause, Detector};
use gimbal_temporal::contracts::Plan;
use gimbal_temporal::{Directive, Layer, Proposal};
use serde_json::json;

fn edit(file: &str) -> ToolCall {
    ToolCall::with("edit", &[("file", file)])
}

fn resolve(proposals: &[Proposal], commitments: &[&Commitment]) -> Verdict {
    let idle = ToolCall::bare("wait");
    let scene = Scene { idle: &idle, open: &|_| true, stops: &|_| false };
    Arbiter::default().resolve(proposals, commitments, &[], &scene)
}

// covers: CTHA-134
#[test]
fn at_step_3_three_layers_want_three_things_and_a_plan_leaves_one() {
    // Without contracts: each layer says which file comes first, and Reflex takes both at once.
    let first = |layer: Layer, file: &str| {
        Proposal::directive(
            layer,
            Directive { id: "order".to_owned(), text: format!("{file} first"), ..Directive::default() },
        )
        .making("first file", file)
    };
    let both = Proposal::call(Layer::Reflex, ToolCall::bare("edit_both"))
        .using("auth.py", true)
        .using("views.py", true)
        .making("first file", "both");
    let free = [first(Layer::Strategic, "auth.py"), first(Layer::Tactical, "views.py"), both];
    let found = Detector::default().find(&free.iter().collect::<Vec<_>>());
    assert_eq!(found.conflicts.len(), 3);
    assert!(found.conflicts.iter().all(|one| one.causes == BTreeSet::from([Cause::Effect("first file".to_owned())])));
    // The arbiter leaves the slowest one's order, and no edit.
    let verdict = resolve(&free, &[]);
    assert_eq!((verdict.masked.len(), verdict.composed.directives.len()), (2, 1));
    assert_eq!(verdict.composed.directives[0].0, Layer::Strategic);
    assert_eq!(verdict.composed.call, ToolCall::bare("wait"));

    // With a plan: subgoals in order, so that Tactical and Reflex take up the first.
    let one = |id: &str, needs: &[&str]| json!({ "id": id, "description": id, "success_criteria": "done", "dependencies": needs });
    let plan = Plan::read(&json!({
        "goal_id": "issue", "priority": 0.8,
        "subgoals": [one("analyze", &[]), one("modify_auth", &["analyze"]), one("modify_views", &["modify_auth"]), one("test", &["modify_views"])],
        "constraints": ["only read *"]
    }))
    .unwrap();
    let mut table = Commitments::new();
    table.set_plan(Layer::Strategic, &plan, &BTreeSet::new(), 3, 3);
    let live: Vec<&Commitment> = table.live(3).collect();
    let read = ToolCall::with("read", &[("file", "auth.py")]);
    let bound = [Proposal::call(Layer::Tactical, read.clone()), Proposal::call(Layer::Reflex, read.clone())];
    let verdict = resolve(&bound, &live);
    assert!(verdict.early);
    assert_eq!((verdict.composed.call, verdict.composed.caller), (read, Some(Layer::Reflex)));
    assert_eq!(verdict.composed.directives.len(), 2);
    // What Reflex wanted before is against the plan now.
    let early = Proposal::call(Layer::Reflex, edit("auth.py")).scored(Milli(200), Milli(200));
    assert_eq!(resolve(&[early], &live).composed.call, ToolCall::bare("wait"));
}

// covers: CTHA-065, CTHA-134
#[test]
fn at_step_7_a_redesign_by_reflex_goes_to_the_planner_and_four_lines_do_not() {
    let authority = Authority::published();
    let layers = Layer::of_count(4);
    let edits = [Decision::new(Category::ToolInvocation, "edit auth.py 42 45")];
    let redesign = Decision::new(Category::PlanRevision, "redesign auth.py");
    let projected = authority.project(Layer::Reflex, layers, &redesign, &edits);
    assert_eq!((projected.decision.category, projected.decision.to), (Category::Escalation, Some(Layer::Strategic)));
    let kept = authority.project(Layer::Reflex, layers, &edits[0], &edits);
    assert_eq!((kept.decision, kept.reason), (edits[0].clone(), Reason::Kept));
}
