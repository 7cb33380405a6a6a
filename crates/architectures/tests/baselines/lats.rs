//! A tree search in branches: what is asked, what is simulated, what is played.

use gimbal_core::{Catalogue, Stop};
use gimbal_messages::records::search::{Expanded, Reflected, Searched};
use gimbal_messages::records::stage::Branched;
use gimbal_testkit::environments::corridor::CorridorFamily;
use serde_json::{Value, json};

use super::{evening, experts, light, play, told};
use crate::common::TestFiles;
use crate::debate::{Court, Played, answer, build_of};

fn actions(actions: &[String]) -> String {
    answer(&json!({ "actions": actions }))
}

fn values(values: &[f64]) -> String {
    answer(&json!({ "values": values }))
}

fn wait() -> String {
    "Wait".to_owned()
}

fn searched(played: &Played) -> Vec<Searched> {
    played.records::<Searched>()
}

/// One expansion in every step: two actions, and their values.
fn once(settings: Value) -> Court {
    let mut whole = json!({ "iterations": 1, "width": 2 });
    whole.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    evening("lats", whole)
}

// covers: CTHA-131
#[tokio::test]
async fn the_best_first_action_is_played_and_what_was_simulated_is_counted_apart() {
    let proposed = [1, 2, 3, 4].map(|lamp| actions(&[wait(), light(lamp)]));
    // What reaches the goal needs no value: of the last two actions one is asked about.
    let valued = [vec![values(&[0.2, 0.8]); 3], vec![values(&[0.1])]].concat();
    let played = play(once(json!({})).says("proposer", proposed).says("valuer", valued)).await;
    assert_eq!((played.outcome.stop, played.outcome.steps, played.outcome.spent.tool_calls), (Stop::Solved, 4, 4));
    let found = searched(&played);
    let moves: Vec<Option<String>> = found.iter().map(|one| one.played.clone()).collect();
    assert_eq!(moves, [1, 2, 3, 4].map(|lamp| Some(light(lamp))));
    assert_eq!(found[3].stopped, "solved");
    assert_eq!((found[0].nodes, found[0].depth, found[0].answers, found[0].stopped.as_str()), (2, 1, 2, "iterations"));
    let first = &found[0].first[1];
    assert_eq!((first.action.clone(), first.visits, first.value.0), (light(1), 1, 800));
    let branched = &played.records::<Branched>()[0];
    assert_eq!((branched.branches, branched.calls), (4 * 3, 4 * 2), "the present and two children in each step");
    let expanded = &played.records::<Expanded>()[0];
    assert!(expanded.path.is_empty() && expanded.tried.iter().all(|one| one.outcome == "simulated"));
    assert_eq!(expanded.tried[1].value.unwrap().0, 800);
}

// covers: CTHA-131
#[tokio::test]
async fn a_way_to_the_goal_that_a_branch_finds_is_taken_at_once() {
    let settings = json!({ "depth": 4, "iterations": 20, "exploration": 0.2 });
    let played = play(experts("lats", settings, false)).await;
    assert_eq!((played.outcome.stop, played.outcome.steps, played.outcome.fallbacks), (Stop::Solved, 4, 0));
    let found = searched(&played);
    assert_eq!(found.iter().map(|one| one.stopped.as_str()).collect::<Vec<_>>(), ["solved"; 4]);
    assert_eq!(found.iter().map(|one| one.depth).collect::<Vec<_>>(), [4, 3, 2, 1]);
    // What comes after a simulated action is proposed with the action and its result in sight.
    let deeper = &told(&played, "proposer")[1];
    assert!(deeper.contains("\"simulated\": [{\"action\": \"Light lamp=lamp_1\", \"result\": \"{"), "{deeper}");
    assert!(deeper.contains("\"reward\": \"-1.0\""), "{deeper}");
}

// covers: CTHA-131
#[tokio::test]
async fn answers_bound_a_step_and_every_form_of_answers_plays() {
    for (settings, most) in [
        (json!({ "answers": 1 }), 1),
        (json!({ "answers": 2 }), 2),
        (json!({ "answers": 5, "iterations": 50, "depth": 8 }), 5),
        (json!({ "proposals": "apart", "values": "apart", "answers": 4 }), 4),
    ] {
        for protocol in ["react-text", "json", "native-tools"] {
            for constrained in [false, true] {
                let mut settings = settings.clone();
                settings["protocol"] = json!(protocol);
                let played = play(experts("lats", settings.clone(), constrained)).await;
                assert_eq!(played.outcome.stop, Stop::Solved, "{settings}");
                let found = searched(&played);
                assert!(found.iter().all(|one| one.answers <= most), "{settings}: {found:?}");
                let asked: u32 = found.iter().map(|one| one.answers).sum();
                assert_eq!(played.requests.len(), asked as usize, "{settings}: no repair was needed");
            }
        }
    }
}

#[tokio::test]
async fn proposals_apart_are_told_what_was_proposed_already() {
    let court = once(json!({ "proposals": "apart", "values": "apart", "width": 3 }));
    let first = [[light(1)], [light(1)], [light(2)]].map(|one| actions(&one));
    let played = play(court.says("proposer", first).says("valuer", [values(&[0.3]), values(&[0.9])])).await;
    let asked = told(&played, "proposer");
    assert!(!asked[0].contains("\"already\":"), "{}", asked[0]);
    assert!(asked[1].contains("\"already\": [\"Light lamp=lamp_1\"]"), "{}", asked[1]);
    let found = &searched(&played)[0];
    assert_eq!((found.nodes, found.answers, found.played.clone()), (2, 5, Some(light(2))), "the same twice is one");
}

#[tokio::test]
async fn what_cannot_be_done_is_said_once_and_then_the_idle_call_is_made() {
    let nonsense = || actions(&["Light lamp=lamp_9".to_owned(), "Dance".to_owned()]);
    let played = play(once(json!({})).says("proposer", [nonsense(), nonsense()])).await;
    let asked = told(&played, "proposer");
    assert!(asked[1].contains("\"refused\": [{\"action\": \"Dance\""), "{}", asked[1]);
    let found = &searched(&played)[0];
    assert_eq!((found.nodes, found.answers, found.played.clone()), (0, 2, None));
    assert!(played.records::<Expanded>()[0].tried.iter().all(|one| one.outcome == "refused"));
    assert!(played.outcome.fallbacks >= 1);
    assert_eq!(played.outcome.stop, Stop::Horizon);
}

// covers: CTHA-131
#[tokio::test]
async fn simulated_rewards_decide_where_the_model_s_value_has_no_weight() {
    // The last lamp earns nothing less, every other step costs one: the branch knows what the valuer does not.
    let proposed = [actions(&[light(1)]), actions(&[light(2)]), actions(&[light(3)]), actions(&[wait(), light(4)])];
    let court = once(json!({ "value_weight": 0.0 })).says("proposer", proposed);
    let played = play(court.says("valuer", vec![values(&[0.9]); 4])).await;
    assert_eq!((played.outcome.stop, played.outcome.steps), (Stop::Solved, 4));
    assert_eq!(searched(&played)[3].stopped, "solved");
}

// covers: CTHA-131
#[tokio::test]
async fn failed_paths_are_looked_back_on_and_the_note_stands_in_later_requests() {
    let settings = json!({ "reflections": 1, "iterations": 3, "width": 1, "depth": 3, "kept": 1 });
    let court = Court::new(settings).of("lats").on("test-0");
    let proposed = vec![actions(&["wait".to_owned()]); 9];
    let note = answer(&json!({ "reflection": "Walk at once." }));
    let court = court.says("proposer", proposed).says("valuer", vec![values(&[0.5]); 9]);
    let court = court.says("reflector", vec![note; 9]);
    let played = court.play_in(&CorridorFamily as &dyn Catalogue, json!({ "horizon": 3, "slip_percent": 0 })).await;
    let notes = played.records::<Reflected>();
    assert_eq!((notes[0].about.as_str(), notes[0].ended.as_str(), notes[0].kept), ("leaf", "no step is left", 1));
    assert_eq!(notes.len(), 3, "one in each step");
    let looked = told(&played, "reflector");
    assert!(looked[0].contains("\"simulated\": true") && looked[0].contains("\"most_tokens\": 128"), "{}", looked[0]);
    let asked = told(&played, "proposer");
    assert!(!asked[2].contains("Walk at once.") && asked[3].contains("\"notes\": [\"Walk at once.\"]"), "{}", asked[3]);
    assert_eq!(searched(&played)[0].answers, 3 + 2 + 1, "proposals, values of what goes on, a reflection");
}

#[test]
fn settings_are_bounded_and_a_simulator_is_needed() {
    let kinds = gimbal_architectures::kinds();
    let kind = kinds.iter().find(|kind| kind.name() == "lats").unwrap();
    let refused = |settings: Value| kind.build(&settings, &TestFiles::default()).err().unwrap();
    for (key, value) in [
        ("width", json!(0)),
        ("width", json!(17)),
        ("depth", json!(65)),
        ("iterations", json!(0)),
        ("answers", json!(0)),
        ("kept", json!(0)),
        ("reflections", json!(17)),
        ("exploration", json!(-1.0)),
        ("value_weight", json!(1.5)),
    ] {
        let error = refused(json!({ key: value }));
        assert_eq!(error.key, key, "{error}");
    }
    assert!(refused(json!({ "widht": 3 })).to_string().contains("did you mean `width`?"));
    assert!(
        refused(json!({ "valuer": { "persona": "proposer" } })).to_string().contains("with the message `appraisal`")
    );
    let needs = build_of("lats", &json!({})).needs();
    assert!(needs.simulator && needs.messages && needs.roles == ["proposer", "valuer"], "{needs:?}");
    let dossier = gimbal_testkit::environments();
    let unforkable = dossier.iter().find(|family| family.name() == "counter").unwrap();
    assert!(needs.unmet(&unforkable.offers()).contains(&"it needs an environment that can be forked".to_owned()));
    let with = build_of("lats", &json!({ "reflections": 1 })).needs();
    assert_eq!(with.roles, ["proposer", "reflector", "valuer"]);
    let validator = jsonschema::validator_for(&kind.schema()).unwrap();
    assert!(validator.is_valid(&json!({ "width": 2, "answers": 4, "proposals": "apart" })));
    assert!(!validator.is_valid(&json!({ "proposals": "alone" })));
}

// covers: CTHA-131, CTHA-132
#[test]
fn every_shipped_configuration_can_be_built_and_no_two_are_the_same() {
    let all = gimbal_agent::persona::configurations(&TestFiles::default()).unwrap();
    let own: Vec<_> = all.iter().filter(|one| ["reflexion", "lats"].contains(&one.base.as_str())).collect();
    assert_eq!(own.len(), 7);
    let resolved: Vec<Value> =
        own.iter().map(|one| build_of(&one.base, &json!({ "configuration": one.name })).resolved()).collect();
    for (at, one) in resolved.iter().enumerate() {
        assert!(!resolved[..at].contains(one), "{one}");
    }
}
