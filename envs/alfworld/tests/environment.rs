//! Games behind the seams: what a stage, a study and an architecture meet.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::future::Future;
use std::task::{Context, Poll, Waker};

use gimbal_alfworld::Alfworld;
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Catalogue, Environment, Milli, Observation, RejectionKind, Reply, Rng, TaskId, ToolCall, Transition,
};
use serde_json::{Value, json};

/// This environment never waits: a future is ready at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the environment waited"),
    }
}

fn family() -> Alfworld {
    Alfworld::over(None)
}

fn open(options: Value) -> Box<dyn Environment> {
    family().open(&options).unwrap()
}

fn reset(environment: &mut dyn Environment, task: &str) -> Observation {
    now(environment.reset(&TaskId(task.to_owned()), 0)).unwrap()
}

fn step(environment: &mut dyn Environment, call: &ToolCall) -> Transition {
    match now(environment.call(call)).unwrap() {
        Reply::Step(transition) => transition,
        Reply::Ask(_) => panic!("this environment asks nobody"),
    }
}

fn say(environment: &mut dyn Environment, command: &str) -> Transition {
    step(environment, &ToolCall::with("select_command", &[("command", command)]))
}

fn choices(environment: &dyn Environment, tool: &str) -> Vec<String> {
    environment.choices(tool, "command").unwrap().into_iter().map(|choice| choice.into_owned()).collect()
}

// covers: CYC-036, CYC-R09
#[test]
fn four_tools_share_the_commands_and_their_literals_follow_the_state() {
    let mut environment = open(json!({}));
    reset(&mut *environment, "generated/3");
    let names: Vec<&str> = environment.tools().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["select_command", "manage_inventory", "explore", "manipulate_object"]);
    for tool in environment.tools().iter() {
        assert_eq!(tool.required().collect::<Vec<_>>(), ["command"]);
        assert_eq!(tool.parameters["properties"]["reasoning"]["type"], "string");
    }
    let told = told(&*environment);
    for form in ["take <object> from <receptacle>", "put <object> in/on <receptacle>"] {
        assert!(told.contains(&format!("manage_inventory command=\"{form}\"")), "{told}");
    }
    // A form is in the glossary, and no second time in a tool.
    assert!(environment.tools().iter().all(|tool| !tool.description.contains('<')));
    let mut seen = [0_usize; 3];
    for turn in 0..200 {
        let all = choices(&*environment, "select_command");
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
        let parts: Vec<Vec<String>> =
            ["manage_inventory", "explore", "manipulate_object"].map(|tool| choices(&*environment, tool)).to_vec();
        // Every command but `help` belongs to one of the three, and to one only.
        let mut together: Vec<String> = parts.concat();
        together.push("help".to_owned());
        together.sort();
        assert_eq!(together, all);
        seen.iter_mut().zip(&parts).for_each(|(seen, part)| *seen = (*seen).max(part.len()));
        for (tool, part) in ["manage_inventory", "explore", "manipulate_object"].iter().zip(&parts) {
            for command in part {
                let call = ToolCall::with(tool, &[("command", command)]);
                assert_eq!(environment.parse(&environment.render(&call)), Ok(call));
            }
        }
        let command = all[(turn * 7) % all.len()].clone();
        if say(&mut *environment, &command).done.is_some() {
            reset(&mut *environment, "generated/3");
        }
    }
    assert!(seen.iter().all(|most| *most > 0), "{seen:?}");
    for (offered, tools) in [("select", 1), ("split", 3)] {
        let mut environment = open(json!({ "tools": offered }));
        reset(&mut *environment, "generated/3");
        assert_eq!(environment.tools().len(), tools);
        assert_eq!(environment.brief().glossary.len(), tools);
        let idle = environment.brief().idle.clone();
        step(&mut *environment, &idle);
    }
}

/// What the brief says about the actions.
fn told(environment: &dyn Environment) -> String {
    environment.brief().glossary.iter().map(|entry| format!("{} {}\n", entry.description, entry.usage)).collect()
}

// covers: CYC-036
#[test]
fn every_form_of_a_command_is_spelt_once_where_the_actions_are_told() {
    for offered in ["all", "split", "select"] {
        let mut environment = open(json!({ "tools": offered }));
        reset(&mut *environment, "generated/3");
        let told = told(&*environment);
        for form in [
            "take <object> from <receptacle>",
            "put <object> in/on <receptacle>",
            "go to <receptacle>",
            "open <receptacle>",
        ] {
            assert_eq!(told.matches(form).count(), 1, "{offered}: {form} in {told}");
            // It is told as the whole action that an agent writes.
            assert!(told.contains(&format!(" command=\"{form}\"")), "{offered}: {form} in {told}");
        }
        assert!(environment.brief().literals_change, "commands are listed anew before every call");
    }
}

#[test]
fn what_fits_the_tool_is_a_step_and_what_does_not_is_refused() {
    let mut environment = open(json!({}));
    reset(&mut *environment, "generated/3");
    for command in ["dance", "go to narnia 1", "", "take egg 9 from fridge 7"] {
        assert_eq!(say(&mut *environment, command).observation.text, "Nothing happens.");
    }
    let strange = ToolCall::with("explore", &[("command", "go to narnia 1")]);
    assert_eq!(step(&mut *environment, &strange).observation.text, "Nothing happens.");
    let state = environment.state();
    let wrong = [
        (ToolCall::bare("dance"), RejectionKind::UnknownTool),
        (ToolCall::bare("explore"), RejectionKind::MissingArgument),
        (ToolCall::with("explore", &[("command", "inventory")]), RejectionKind::BadValue),
        (ToolCall::with("manage_inventory", &[("command", "go to narnia 1")]), RejectionKind::BadValue),
        (ToolCall::with("explore", &[("command", "look"), ("place", "here")]), RejectionKind::UnknownArgument),
    ];
    for (call, kind) in wrong {
        assert_eq!(now(environment.call(&call)).unwrap_err().kind, kind, "{call:?}");
    }
    let mut number = ToolCall::bare("explore");
    number.arguments.insert("command".to_owned(), 3.into());
    assert_eq!(now(environment.call(&number)).unwrap_err().kind, RejectionKind::BadValue);
    assert_eq!(environment.state(), state);
    // Thoughts are not part of the command.
    let mut call = ToolCall::with("explore", &[("command", " look ")]);
    call.arguments.insert("reasoning".to_owned(), json!(["I look.", "Then I go."]));
    assert!(step(&mut *environment, &call).observation.text.starts_with("You stand at the door"));
}

#[test]
fn commands_are_read_however_they_are_written() {
    let mut environment = open(json!({}));
    reset(&mut *environment, "generated/3");
    let command = choices(&*environment, "explore")[0].clone();
    let explore = ToolCall::with("explore", &[("command", &command)]);
    for text in [
        format!("explore command=\"{command}\""),
        format!("explore(command='{command}')"),
        format!("explore: {command}"),
        format!("Explore command={command}"),
        format!("`explore command = \"{command}\"`."),
    ] {
        assert_eq!(environment.parse(&text), Ok(explore.clone()), "{text}");
    }
    let bare = ToolCall::with("explore", &[("command", &command)]);
    for text in [command.clone(), format!("  {command}\n"), format!("\"{command}\"."), format!("`{command}`")] {
        assert_eq!(environment.parse(&text), Ok(bare.clone()), "{text}");
    }
    assert_eq!(environment.parse("go to narnia 1").unwrap().string("command"), Some("go to narnia 1"));
    assert_eq!(environment.parse("").unwrap_err().kind, RejectionKind::Unreadable);
    assert_eq!(environment.parse("I have no idea").unwrap_err().kind, RejectionKind::UnknownTool);
    assert!(environment.parse("explor command=look").unwrap_err().message.contains("did you mean `explore`?"));
    assert_eq!(environment.parse("explore").unwrap_err().kind, RejectionKind::MissingArgument);
}

/// A place to go to, one whose name goes on where the other's ends if there is one, and the environment before it.
fn at_the_door(options: Value) -> (Box<dyn Environment>, Vec<String>) {
    let mut environment = open(options);
    reset(&mut *environment, "generated/3");
    let goes: Vec<String> = choices(&*environment, environment.brief().idle.tool.as_str())
        .into_iter()
        .filter(|text| text.starts_with("go to"))
        .collect();
    (environment, goes)
}

// covers: BOG-032, CYC-036
#[test]
fn a_possible_command_is_read_with_harmless_words_behind_it() {
    for tools in ["all", "split", "select"] {
        let (mut environment, goes) = at_the_door(json!({ "tools": tools }));
        let (go, tool) = (&goes[0], environment.brief().idle.tool.clone());
        let wanted = ToolCall::with(&tool, &[("command", go)]);
        for end in [
            "!",
            " now",
            " next",
            " first",
            ", please",
            " right now, please!",
            ", it is close",
            ",it is close",
            " in the bedroom 1",
            " in the corner, it is close and was not searched",
            " and see what is there",
            " because it is close",
            "</answer>",
        ] {
            for text in [
                format!("{go}{end}"),
                format!("G{}{end}", &go[1..]),
                format!("{tool}: {go}{end}"),
                format!("{tool} command={go}{end}"),
            ] {
                assert_eq!(environment.parse(&text), Ok(wanted.clone()), "{text}");
            }
        }
        // So is a call that no text follows.
        let call = ToolCall::with(&tool, &[("command", &format!("{go}, it is close"))]);
        let there = step(&mut *environment, &call).observation;
        assert!(there.text != "Nothing happens.", "{}", there.text);
        assert_ne!(there.data.get("effect"), Some(&json!(false)));
        assert_eq!(environment.parse("inventory, please").unwrap().string("command"), Some("inventory"));
        assert_eq!(environment.parse("look now").unwrap().string("command"), Some("look"));
    }
}

// covers: BOG-032, CYC-036
#[test]
fn a_possible_command_with_a_second_action_behind_it_is_refused() {
    let (mut environment, goes) = at_the_door(json!({}));
    let (go, other) = (&goes[0], &goes[1]);
    let place = other.trim_start_matches("go to ");
    for text in [
        format!("{go} and open it"),
        format!("{go}, then open it"),
        format!("{go}, open it"),
        format!("{go} and then look for the lamp"),
        format!("{go} in the bedroom 1 and open it"),
        format!("{go} and {other}"),
        format!("{go} and {place}"),
        format!("{go}, {place}"),
        format!("{go} or {place}"),
        format!("{go} and pick up the {place}"),
        format!("explore: {go} and open it"),
        format!("explore command=\"{go}\" and then open drawer 1"),
        format!("explore command=\"{go}\", then {other}"),
        format!("explore(command=\"{go}\") and {other}"),
    ] {
        let refusal = environment.parse(&text).unwrap_err();
        assert_eq!(refusal.kind, RejectionKind::Unreadable, "{text}");
        assert!(refusal.message.starts_with("the answer names more than one action (`"), "{text}: {refusal:?}");
        assert!(refusal.message.contains(go.as_str()), "{text}: {refusal:?}");
    }
    let state = environment.state();
    let call = ToolCall::with("explore", &[("command", &format!("{go} and open it"))]);
    assert_eq!(now(environment.call(&call)).unwrap_err().kind, RejectionKind::Unreadable);
    assert_eq!(environment.state(), state);
    // Thoughts and remarks are none.
    let wanted = ToolCall::with("explore", &[("command", go)]);
    for text in [
        format!("explore command=\"{go}\", reasoning=\"Then open it.\""),
        format!("explore command=\"{go}\" because I open it then"),
        format!("explore command=\"{go}\" and {go}"),
    ] {
        assert_eq!(environment.parse(&text), Ok(wanted.clone()), "{text}");
    }
}

// covers: CYC-036
#[test]
fn what_is_no_possible_command_with_something_behind_it_is_left_to_the_game() {
    let (mut environment, goes) = at_the_door(json!({}));
    let (go, place) = (&goes[0], goes[1].trim_start_matches("go to "));
    for text in [
        "go to narnia 1, it is close".to_owned(),
        "look around".to_owned(),
        "look under the lamp".to_owned(),
        format!("{go}0"),
        format!("{go} 2"),
        format!("{go}-{place}"),
        format!("{go} with {place}"),
    ] {
        let call = ToolCall::with("explore", &[("command", &text)]);
        let transition = step(&mut *environment, &call);
        assert_eq!(transition.observation.text, "Nothing happens.", "{text}");
        assert_eq!(environment.parse(&text).unwrap().string("command"), Some(text.as_str()));
    }
}

// covers: CYC-036
#[test]
fn words_behind_a_possible_command_may_take_it_back() {
    let (mut environment, goes) = at_the_door(json!({}));
    let (go, place) = (&goes[0], goes[1].trim_start_matches("go to "));
    let state = environment.state();
    for (words, said) in [(", but not now", "take it back"), (" if it is near", "leave open whether it is meant")] {
        let call = ToolCall::with("explore", &[("command", &format!("{go}{words}"))]);
        let refusal = now(environment.call(&call)).unwrap_err();
        assert!(refusal.kind == RejectionKind::Unreadable && refusal.message.contains(said), "{words}: {refusal:?}");
        assert_eq!(environment.parse(&format!("{go}{words}")).unwrap_err().kind, RejectionKind::Unreadable);
    }
    assert_eq!(environment.state(), state);
    let read = environment.parse(&format!("{go}, not {place}"));
    assert_eq!(read.unwrap().string("command"), Some(go.as_str()));
}

// covers: CYC-050, CYC-051
#[test]
fn an_episode_ends_when_it_is_solved_or_after_75_calls() {
    let mut environment = open(json!({}));
    assert_eq!((environment.brief().horizon, environment.brief().segment_calls), (75, Some(15)));
    for number in 0..12 {
        let first = reset(&mut *environment, &format!("generated/{number}"));
        assert!(first.text.contains("Your task: ") && first.text.ends_with(&environment.brief().goal));
        let mut total = Milli(0);
        loop {
            let call = environment.expert().unwrap().next_call().unwrap();
            let transition = step(&mut *environment, &call);
            total = Milli(total.0 + transition.reward.0);
            if let Some(ending) = transition.done {
                assert_eq!(ending, EnvironmentStop::Solved);
                break;
            }
        }
        assert_eq!(total, Milli(1000));
        assert!(total.0 > environment.brief().thresholds.success.unwrap().0);
        assert_eq!(now(environment.call(&environment.brief().idle.clone())).unwrap_err().kind, RejectionKind::NotNow);
        assert_eq!(environment.expert().unwrap().next_call(), None);
    }
    reset(&mut *environment, "generated/0");
    for call in 1..=75 {
        let done = say(&mut *environment, "dance").done;
        assert_eq!(done, (call == 75).then_some(EnvironmentStop::Horizon));
    }
}

#[test]
fn the_expert_finds_its_way_back_and_forks_go_their_own() {
    let mut environment = open(json!({}));
    let mut draws = Rng::stream(7, "test");
    for number in 0..20 {
        reset(&mut *environment, &format!("generated/{number}"));
        let mut over = false;
        for turn in 0..60 {
            let policy = if turn < 30 && turn % 3 != 0 { "random" } else { "expert" };
            let before = (environment.state(), environment.situation());
            let fork = environment.simulator().unwrap().fork(1);
            assert_eq!((fork.state(), fork.situation()), before);
            let call = environment.decide(policy, &mut draws).unwrap();
            if step(&mut *environment, &call).done.is_some() {
                over = true;
                break;
            }
            assert_eq!((fork.state(), fork.situation()), before);
        }
        assert!(over, "generated/{number}");
    }
    for policy in ["expert", "planner", "nothing", "random"] {
        assert!(environment.policies().contains(&policy) && environment.decide(policy, &mut draws).is_some());
    }
    assert_eq!(environment.decide("greedy", &mut draws), None);
}

// covers: CYC-067
#[test]
fn a_situation_is_place_sight_hands_and_doors_and_nothing_else() {
    let mut environment = open(json!({ "household": { "task": "clean", "closed": 100, "together": 0 } }));
    reset(&mut *environment, "generated/1");
    let start = environment.situation();
    // Looking changes nothing, though it is a step.
    let state = environment.state();
    say(&mut *environment, "look");
    say(&mut *environment, "dance");
    assert_eq!((environment.situation(), environment.state()), (start, state));
    let goes: Vec<String> =
        choices(&*environment, "explore").into_iter().filter(|command| command.starts_with("go")).collect();
    say(&mut *environment, &goes[0]);
    let there = environment.situation();
    assert_ne!(there, start);
    say(&mut *environment, &goes[1]);
    assert_ne!(environment.situation(), there);
    say(&mut *environment, &goes[0]);
    assert_eq!(environment.situation(), there);
    // An opened door is told apart from anywhere, and so is what is carried.
    let mut seen = vec![there];
    for go in &goes {
        say(&mut *environment, go);
        let open = choices(&*environment, "explore").into_iter().find(|command| command.starts_with("open"));
        if let Some(open) = open {
            say(&mut *environment, &open);
            say(&mut *environment, &goes[0]);
            assert!(!seen.contains(&environment.situation()), "{open}");
            seen.push(environment.situation());
        }
        say(&mut *environment, go);
        let take = choices(&*environment, "manage_inventory").into_iter().find(|command| command.starts_with("take"));
        if let Some(take) = take {
            let before = environment.situation();
            say(&mut *environment, &take);
            assert_ne!(environment.situation(), before);
            break;
        }
    }
}

// covers: CYC-040
#[test]
fn splits_and_tasks_need_no_data_and_say_what_is_missing() {
    let family = family();
    assert_eq!(family.splits()[..3], ["generated", "generated-train", "generated-test"]);
    let count = |split: &str| family.tasks(split, &serde_json::Value::Null).unwrap().len();
    assert_eq!((count("generated"), count("generated-train"), count("generated-test")), (100, 30, 70));
    let mut halves = [
        family.tasks("generated-train", &serde_json::Value::Null).unwrap(),
        family.tasks("generated-test", &serde_json::Value::Null).unwrap(),
    ]
    .concat();
    halves.sort();
    let mut all = family.tasks("generated", &serde_json::Value::Null).unwrap();
    all.sort();
    assert_eq!(halves, all);
    // `random.seed(42)`, `random.shuffle(list(range(100)))` of Python.
    let first: Vec<String> = family
        .tasks("generated-train", &serde_json::Value::Null)
        .unwrap()
        .into_iter()
        .take(5)
        .map(|task| task.0)
        .collect();
    assert_eq!(first, [42, 41, 91, 9, 65].map(|number| format!("generated/{number}")));
    let error = family.tasks("unseen", &serde_json::Value::Null).unwrap_err().to_string();
    // As every environment says it.
    assert!(error.contains("are not at hand: set GIMBAL_DATA to the folder that holds alfworld/"), "{error}");
    assert!(error.contains("`generated`, which needs no data"), "{error}");
    let error = family.tasks("unsen", &serde_json::Value::Null).unwrap_err().to_string();
    assert!(error.contains("did you mean `unseen`?"), "{error}");
    let mut environment = open(json!({}));
    for (task, what) in
        [("valid_unseen/x/y", "GIMBAL_DATA"), ("generated/x", "generated/17"), ("household/mine", "households")]
    {
        let error = now(environment.reset(&TaskId(task.to_owned()), 0)).unwrap_err().to_string();
        assert!(error.contains(what), "{task}: {error}");
    }
    let mut environment = open(json!({ "games": "somewhere" }));
    let error = now(environment.reset(&TaskId("../../etc".to_owned()), 0)).unwrap_err().to_string();
    assert!(error.contains("an id is a path below"), "{error}");
}

#[test]
fn options_are_checked_and_written_out() {
    let family = family();
    let resolved = family.resolve(&json!({ "household": { "rooms": 3 }, "wording": "2.1.1" })).unwrap();
    assert_eq!(resolved["household"]["rooms"], 3);
    assert_eq!((&resolved["max_calls"], &resolved["wording"]), (&75.into(), &"2.1.1".into()));
    assert_eq!(family.resolve(&resolved).unwrap(), resolved);
    assert!(family.environment(&resolved).get("tools").is_none());
    for (options, what) in [
        (json!({ "max_cals": 3 }), "did you mean `max_calls`?"),
        (json!({ "max_calls": 0 }), "from 1 to"),
        (json!({ "wording": "2.1" }), "known: file, 2.1.1"),
        (json!({ "tools": "alll" }), "did you mean `all`?"),
        (json!({ "household": { "room": 3 } }), "did you mean `rooms`?"),
        (json!({ "household": { "receptacles": 1 } }), "from 4 to 60"),
        (json!({ "household": { "task": "cleaning" } }), "clean"),
        (json!({ "games": 3 }), "path of a folder"),
        (json!([]), "expected a map"),
    ] {
        let error = family.resolve(&options).unwrap_err().to_string();
        assert!(error.contains(what), "{options}: {error}");
    }
}

#[test]
fn saved_households_are_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let household = &common::households(3)[2];
    std::fs::write(folder.path().join("mine.household.json"), household.write()).unwrap();
    let mut environment = open(json!({ "households": folder.path().to_str().unwrap() }));
    let first = reset(&mut *environment, "household/mine");
    assert_eq!(first.text, common::play(household).observation());
}

// covers: CYC-035, CYC-040
#[test]
fn real_games_are_tasks_in_both_wordings() {
    let Some(folder) = common::reference() else { return };
    let family = Alfworld::over(Some(folder));
    assert_eq!(family.splits()[0], "unseen");
    let count = |split: &str| family.tasks(split, &serde_json::Value::Null).unwrap().len();
    assert_eq!((count("unseen"), count("seen"), count("train")), (134, 140, 120));
    assert_eq!((count("unseen-train"), count("unseen-test")), (40, 94));
    assert_eq!((count("seen-train"), count("seen-test")), (42, 98));
    let tasks = family.tasks("unseen", &serde_json::Value::Null).unwrap();
    assert!(tasks.is_sorted());
    for (wording, put) in [("file", "move "), ("2.1.1", "put ")] {
        let mut environment = family.open(&json!({ "wording": wording })).unwrap();
        for task in tasks.iter().step_by(9) {
            let first = reset(&mut *environment, &task.0);
            assert!(first.text.ends_with(&format!("Your task is to: {}", environment.brief().goal)));
            assert_eq!(
                told(&*environment).matches(&format!("command=\"{put}<object>")).count(),
                1,
                "the form of this wording"
            );
            let mut calls = 0;
            let solved = loop {
                let call = environment.expert().unwrap().next_call().unwrap();
                calls += 1;
                match step(&mut *environment, &call).done {
                    Some(ending) => break ending == EnvironmentStop::Solved,
                    None => assert!(calls < 75),
                }
            };
            assert!(solved && calls <= 10, "{task} {wording}: {calls}");
        }
    }
}

/// What changes nothing leaves the state; what is undone leads back to the state that was.
// covers: CYC-099
#[test]
fn the_state_is_that_of_the_environment_and_not_of_the_count_of_calls() {
    let mut environment = open(json!({ "household": { "task": "clean", "closed": 100, "together": 0 } }));
    reset(&mut *environment, "generated/1");
    let goes: Vec<String> =
        choices(&*environment, "explore").into_iter().filter(|text| text.starts_with("go to")).collect();
    let mut shut = None;
    for go in &goes {
        say(&mut *environment, go);
        shut = choices(&*environment, "explore").into_iter().find(|text| text.starts_with("open"));
        if shut.is_some() {
            break;
        }
    }
    let open_it = shut.expect("a closed piece of furniture");
    let before = (environment.state(), environment.situation());
    for _ in 0..3 {
        for idle in ["look", "inventory", "help", "go to narnia 1"] {
            say(&mut *environment, idle);
            assert_eq!((environment.state(), environment.situation()), before, "{idle}");
        }
    }
    say(&mut *environment, &open_it);
    let opened = environment.state();
    assert_ne!(opened, before.0);
    say(&mut *environment, &open_it);
    assert_eq!(environment.state(), opened, "open already");
    say(&mut *environment, &open_it.replace("open", "close"));
    assert_eq!(environment.state(), before.0, "shut again: where it was");
    // Gone to twice: the second time nothing happens; and back from elsewhere it is the same place.
    say(&mut *environment, &goes[0]);
    let (first, told) = (environment.state(), environment.situation());
    say(&mut *environment, &goes[0]);
    assert_eq!((environment.state(), environment.situation()), (first, told));
    say(&mut *environment, &goes[1]);
    assert_ne!(environment.state(), first);
    say(&mut *environment, &goes[0]);
    assert_eq!(environment.state(), first);
}

// covers: CYC-035
#[test]
fn options_that_name_a_folder_reach_the_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    for game in ["valid_unseen/pick-a/trial-1", "valid_unseen/pick-a/trial-2", "valid_seen/heat-b/trial-1"] {
        let game = place("games").join(game);
        std::fs::create_dir_all(&game).unwrap();
        std::fs::write(game.join("game.tw-pddl"), "{}").unwrap();
    }
    std::fs::create_dir_all(place("homes")).unwrap();
    std::fs::write(place("homes").join("mine.household.json"), "{}").unwrap();
    let options = json!({ "games": place("games"), "households": place("homes") });
    let resolved = family().resolve(&options).unwrap();
    let names = |split: &str, options: &serde_json::Value| -> Vec<String> {
        family().tasks(split, options).unwrap().into_iter().map(|task| task.0).collect()
    };
    for options in [&options, &resolved] {
        assert_eq!(names("unseen", options), ["valid_unseen/pick-a/trial-1", "valid_unseen/pick-a/trial-2"]);
        assert_eq!(names("seen", options), ["valid_seen/heat-b/trial-1"]);
        assert_eq!(names("households", options), ["household/mine"]);
    }
    // An option goes before the data, and a folder that is not there is named.
    let over = Alfworld::over(Some(folder.path().to_owned()));
    let other = json!({ "households": place("none") });
    let error = over.tasks("households", &other).unwrap_err();
    assert!(matches!(error, gimbal_core::EnvError::Data(_)) && error.to_string().contains("none"), "{error}");
    assert_eq!(over.tasks("unseen", &json!({})).unwrap().len(), 2);
    assert_eq!(over.tasks("households", &json!({})).unwrap().len(), 0);
}

// covers: CYC-035
#[test]
fn the_walkthrough_is_followed_in_the_older_words_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = common::game_file();
    let (game, older) = (folder.path().join("games/small"), folder.path().join("variant_2.1.1"));
    std::fs::create_dir_all(&game).unwrap();
    std::fs::create_dir_all(&older).unwrap();
    // A way round that no planner takes.
    let mut file = file;
    let way = file["walkthrough"].as_array_mut().unwrap();
    way.insert(0, "go to shelf 1".into());
    let way: Vec<String> = way.iter().map(|command| command.as_str().unwrap().to_owned()).collect();
    std::fs::write(game.join("game.tw-pddl"), file.to_string()).unwrap();
    std::fs::write(older.join("domain.pddl"), file["pddl_domain"].as_str().unwrap()).unwrap();
    let words = file["grammar"].as_str().unwrap().replace("put ", "move ");
    assert_ne!(words, file["grammar"].as_str().unwrap());
    std::fs::write(older.join("grammar.twl2"), words).unwrap();
    for wording in ["file", "2.1.1"] {
        let options = json!({ "games": folder.path().join("games"), "wording": wording });
        let settings = gimbal_alfworld::environment::Settings::read(&options).unwrap();
        let loaded = gimbal_alfworld::environment::load("small", &settings, &gimbal_alfworld::Library::new()).unwrap();
        let put = if wording == "file" { "put " } else { "move " };
        let wanted: Vec<String> = way.iter().map(|command| command.replace("put ", put)).collect();
        assert_eq!(loaded.walkthrough, wanted);
        assert_eq!(loaded.game.walkthrough, wanted);
        let games = [loaded.game];
        let calls = |policy| gimbal_alfworld::returns::returns(&games, policy, 1, 75, 0).calls.unwrap() as usize;
        use gimbal_alfworld::returns::Policy;
        assert_eq!((calls(Policy::Expert), calls(Policy::Planner)), (wanted.len(), wanted.len() - 1), "{wording}");
    }
}
