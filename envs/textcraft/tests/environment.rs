//! The simulator behind the seams: what a stage, a study and an architecture meet.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::future::Future;
use std::task::{Context, Poll, Waker};

use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Catalogue, Environment, Milli, Observation, RejectionKind, Reply, Rng, TaskId, ToolCall, Transition,
};
use gimbal_textcraft::TextCraft;
use gimbal_textcraft::action::{COUNT, CRAFT, CRAFTING, GET_ITEM, INVENTORY, ITEM, SELECT, get_item};
use gimbal_textcraft::policy::POLICIES;
use serde_json::{Value, json};

/// This environment never waits: a future is ready at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the environment waited"),
    }
}

fn open(options: Value) -> Box<dyn Environment> {
    TextCraft.open(&options).unwrap()
}

fn reset(environment: &mut dyn Environment, task: &str, seed: u64) -> Observation {
    now(environment.reset(&TaskId(task.to_owned()), seed)).unwrap()
}

fn step(environment: &mut dyn Environment, call: &ToolCall) -> Transition {
    match now(environment.call(call)).unwrap() {
        Reply::Step(transition) => transition,
        Reply::Ask(_) => panic!("this environment asks nobody"),
    }
}

/// Every legal call, from tools, choices and examples alone.
fn legal(environment: &dyn Environment) -> Vec<ToolCall> {
    let mut calls = Vec::new();
    for tool in environment.tools().iter() {
        let mut partial = vec![ToolCall::bare(&tool.name)];
        for parameter in tool.required() {
            let listed = |key: &str| tool.parameters["properties"][parameter][key].as_array().cloned();
            let choices = environment.choices(&tool.name, parameter);
            let choices = choices.map(|list| list.into_iter().map(|text| Value::from(text.into_owned())).collect());
            let choices: Vec<Value> =
                choices.or_else(|| listed("enum")).or_else(|| listed("examples")).unwrap_or_default();
            partial = partial
                .iter()
                .flat_map(|call| choices.iter().map(move |choice| (call.clone(), choice)))
                .map(|(mut call, choice)| {
                    call.arguments.insert(parameter.to_owned(), choice.clone());
                    call
                })
                .collect();
        }
        calls.append(&mut partial);
    }
    calls
}

fn select(command: &str) -> ToolCall {
    ToolCall::with(SELECT, &[("command", command)])
}

// covers: CYC-031, CYC-032, CYC-R06
#[test]
fn tools_are_those_of_the_work_with_literals_of_the_shown_recipes() {
    let mut environment = open(json!({}));
    let first = reset(&mut *environment, "lectern", 1);
    let names: Vec<&str> = environment.tools().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, [INVENTORY, GET_ITEM, CRAFT, SELECT]);
    let keys = |tool: usize| {
        let parameters = &environment.tools()[tool].parameters;
        parameters["properties"].as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>()
    };
    assert!(keys(0).is_empty());
    assert_eq!(keys(1), ["reasoning", "item_name", "num_total_items_needed"]);
    assert_eq!(keys(2), ["reasoning", "crafting_command"]);
    assert_eq!(keys(3), ["reasoning", "command"]);
    // One text, as requests ask for a thought and as masks hold it.
    for tool in &environment.tools()[1..] {
        assert_eq!(tool.parameters["properties"]["reasoning"]["type"], "string", "{}", tool.name);
    }
    assert_eq!(environment.tools()[1].parameters["properties"][COUNT]["minimum"], 1);
    assert_eq!(environment.tools()[1].required().collect::<Vec<_>>(), [ITEM, COUNT]);
    // Every shown command, but those that name an item in the place of one that names a kind.
    let crafts = environment.choices(CRAFT, CRAFTING).unwrap();
    let shown: Vec<&str> = first.text.lines().filter(|line| line.starts_with("craft ")).collect();
    let made = |line: &str| line.split_once(" using ").map_or_else(String::new, |(made, _)| format!("{made} using "));
    assert!(shown.iter().all(|line| crafts.iter().any(|craft| craft.starts_with(&made(line)))));
    assert!(crafts.iter().any(|craft| craft == "craft 1 bookshelf using 6 oak planks, 3 book"));
    assert!(!crafts.iter().any(|craft| craft.contains("6 bamboo")));
    // Every name in them, whether it can be got or not.
    let items = environment.choices(GET_ITEM, ITEM).unwrap();
    for name in ["lectern", "planks", "wooden slabs", "oak logs", "book"] {
        assert!(items.iter().any(|item| item == name), "{name}");
    }
    assert!(!items.iter().any(|item| item == "bamboo"));
    let in_text = items.iter().all(|item| first.text.contains(&format!(" {item}")));
    assert!(in_text && items.len() == environment.brief().subjects.len());
    for (options, tools) in [
        (json!({ "tools": "separate" }), &[INVENTORY, GET_ITEM, CRAFT][..]),
        (json!({ "tools": "unified" }), &[SELECT]),
    ] {
        let mut environment = open(options);
        reset(&mut *environment, "lectern", 1);
        assert_eq!(environment.tools().iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), tools);
        let calls = legal(&*environment);
        assert!(calls.len() > 100 && calls.len() <= 512, "{}", calls.len());
    }
}

#[test]
fn texts_are_the_inverse_of_legal_calls() {
    for (options, task) in [
        (json!({}), "lectern"),
        (json!({ "tools": "separate" }), "cyan_banner"),
        (json!({ "tools": "unified", "draws": "episode" }), "128"),
    ] {
        let mut environment = open(options);
        reset(&mut *environment, task, 9);
        for call in legal(&*environment) {
            let text = environment.render(&call);
            assert_eq!(environment.parse(&text), Ok(call.clone()), "{text}");
            if step(&mut *environment, &call).done.is_some() {
                reset(&mut *environment, task, 9);
            }
        }
    }
    let mut environment = open(json!({}));
    reset(&mut *environment, "lectern", 9);
    for command in ["inventory", "get 3 oak logs", "look around", " craft  x", "GET 1 stick", "", "get 0 book"] {
        let call = select(command);
        if !command.trim().is_empty() {
            assert_eq!(
                environment.parse(&environment.render(&call)),
                Ok(call.clone()),
                "{command:?} {}",
                environment.render(&call)
            );
        }
        step(&mut *environment, &call);
    }
}

#[test]
fn an_action_is_written_in_many_ways() {
    let mut environment = open(json!({}));
    reset(&mut *environment, "lectern", 1);
    for text in [
        "get 3 oak logs",
        "Get 3 Oak Logs.",
        "`get  3 oak logs`",
        "\"get 3 oak logs\"",
        "textcraft_get_item item_name=\"oak logs\", num_total_items_needed=3",
        "textcraft_get_item(item_name=oak logs, num_total_items_needed=3)",
        "TextCraft_Get_Item: num_total_items_needed: 3, item_name: oak_logs",
        "textcraft_get_item 3 oak logs",
    ] {
        assert_eq!(environment.parse(text), Ok(get_item("oak logs", 3)), "{text}");
    }
    let craft = ToolCall::with(CRAFT, &[(CRAFTING, "craft 4 oak planks using 1 oak logs")]);
    for text in [
        "craft 4 oak planks using 1 oak logs",
        "Craft 4 oak planks using 1 oak logs.",
        "textcraft_craft crafting_command=\"craft 4 oak planks using 1 oak logs\"",
        "textcraft_craft: craft 4 oak planks using 1 oak logs",
        "textcraft_craft(4 oak planks using 1 oak logs)",
    ] {
        assert_eq!(environment.parse(text), Ok(craft.clone()), "{text}");
    }
    assert_eq!(environment.parse("Inventory"), Ok(ToolCall::bare(INVENTORY)));
    // What begins like a command is left to the environment.
    let swapped = "craft 1 book using 1 leather, 3 paper";
    assert_eq!(environment.parse(swapped), Ok(select(swapped)));
    assert_eq!(environment.parse("get 1 unobtainium"), Ok(select("get 1 unobtainium")));
    assert_eq!(environment.parse("craft 3"), Ok(select("craft 3")));
    let refused = |text: &str| environment.parse(text).unwrap_err();
    assert_eq!(refused(" ").kind, RejectionKind::Unreadable);
    assert_eq!(refused("look around").kind, RejectionKind::UnknownTool);
    assert!(refused("crafts 1 book").message.contains("did you mean `craft`?"));
    assert_eq!(refused("textcraft_get_item oak logs").kind, RejectionKind::MissingArgument);
    assert_eq!(refused("textcraft_get_item 3").kind, RejectionKind::MissingArgument);
    assert_eq!(refused("textcraft_get_item item=oak, num_total_items_needed=3").kind, RejectionKind::UnknownArgument);
    assert_eq!(refused("textcraft_inventory all").kind, RejectionKind::UnknownArgument);
    assert_eq!(environment.parse("textcraft_inventory now"), Ok(ToolCall::bare(INVENTORY)));
    let mut separate = open(json!({ "tools": "separate" }));
    reset(&mut *separate, "lectern", 1);
    assert_eq!(separate.parse(swapped).unwrap_err().kind, RejectionKind::BadValue);
    assert_eq!(separate.parse("textcraft_select_command: inventory").unwrap_err().kind, RejectionKind::UnknownTool);
}

// covers: CYC-034
#[test]
fn the_environment_answers_what_a_tool_lets_through_and_the_rest_is_rejected() {
    let mut environment = open(json!({}));
    reset(&mut *environment, "lectern", 1);
    for (call, reply) in [
        (select("look"), "Could not execute look"),
        (get_item("planks", 2), "Could not find planks"),
        (get_item("oak logs", 2), "Got 2 oak logs"),
        (ToolCall::with(CRAFT, &[(CRAFTING, "craft 4 oak planks using 1 oak logs")]), "Crafted 4 minecraft:oak_planks"),
        (ToolCall::bare(INVENTORY), "Inventory: [oak logs] (1) [oak planks] (4) "),
    ] {
        let transition = step(&mut *environment, &call);
        assert_eq!((transition.observation.text.as_str(), transition.reward, transition.done), (reply, Milli(0), None));
    }
    let before = (environment.state(), environment.situation());
    let with = |tool: &str, arguments: Value| ToolCall {
        tool: tool.to_owned(),
        arguments: arguments.as_object().unwrap().clone().into_iter().collect(),
    };
    for (call, kind, mend) in [
        (ToolCall::bare("fly"), RejectionKind::UnknownTool, "textcraft_craft"),
        (ToolCall::bare(CRAFT), RejectionKind::MissingArgument, "crafting_command"),
        (with(CRAFT, json!({ CRAFTING: "craft 1 moon using 1 cheese" })), RejectionKind::BadValue, "shown"),
        (with(CRAFT, json!({ CRAFTING: 7 })), RejectionKind::BadValue, "must be"),
        (
            with(CRAFT, json!({ CRAFTING: "craft 1 book using 3 paper, 1 lether" })),
            RejectionKind::BadValue,
            "did you mean",
        ),
        (with(GET_ITEM, json!({ ITEM: "bamboo", COUNT: 1 })), RejectionKind::BadValue, "name of an item"),
        (with(GET_ITEM, json!({ ITEM: "oak logs", COUNT: 0 })), RejectionKind::BadValue, "at least 1"),
        (with(GET_ITEM, json!({ ITEM: "oak logs", COUNT: -1 })), RejectionKind::BadValue, "at least 1"),
        (with(GET_ITEM, json!({ ITEM: "oak logs", COUNT: 1.5 })), RejectionKind::BadValue, "whole number"),
        (with(GET_ITEM, json!({ ITEM: "oak logs", COUNT: [1] })), RejectionKind::BadValue, "whole number"),
        (with(GET_ITEM, json!({ ITEM: "oak logs" })), RejectionKind::MissingArgument, COUNT),
        (with(GET_ITEM, json!({ ITEM: "oak logs", COUNT: 1, "why": 1 })), RejectionKind::UnknownArgument, "item_name"),
        (with(INVENTORY, json!({ "of": "me" })), RejectionKind::UnknownArgument, "no argument"),
        (with(SELECT, json!({ "command": null })), RejectionKind::BadValue, "text of a command"),
    ] {
        let rejection = now(environment.call(&call)).unwrap_err();
        assert!(rejection.kind == kind && rejection.message.contains(mend), "{call:?}: {rejection:?}");
        assert_eq!((environment.state(), environment.situation()), before);
    }
    let reasoned = with(GET_ITEM, json!({ ITEM: "oak logs", COUNT: "3", "reasoning": ["It is needed."] }));
    assert_eq!(step(&mut *environment, &reasoned).observation.text, "Got 3 oak logs");
}

// covers: CYC-050, CYC-051
#[test]
fn an_episode_ends_with_its_goal_or_its_calls() {
    for (task, calls) in [("yellow_wool", 30), ("yellow_carpet", 50), ("cyan_banner", 100)] {
        let mut environment = open(json!({}));
        reset(&mut *environment, task, 3);
        assert_eq!((environment.brief().horizon, environment.brief().segment_calls), (calls, Some(5)));
        for call in 1..=calls {
            let transition = step(&mut *environment, &select("nonsense"));
            assert_eq!(transition.done, (call == calls).then_some(EnvironmentStop::Horizon));
        }
        let late = now(environment.call(&ToolCall::bare(INVENTORY))).unwrap_err();
        assert!(late.kind == RejectionKind::NotNow && late.message.contains("used up"));
    }
    for tools in ["all", "separate", "unified"] {
        let mut environment = open(json!({ "tools": tools }));
        for task in ["yellow_wool", "yellow_carpet", "cyan_banner", "lectern"] {
            reset(&mut *environment, task, 3);
            loop {
                let call = environment.expert().unwrap().next_call().unwrap();
                let transition = step(&mut *environment, &call);
                let solved = transition.done == Some(EnvironmentStop::Solved);
                assert_eq!(transition.reward, Milli(if solved { 1000 } else { 0 }));
                if transition.done.is_some() {
                    assert!(solved, "{tools} {task}");
                    break;
                }
            }
            assert_eq!(now(environment.call(&ToolCall::bare(INVENTORY))).unwrap_err().kind, RejectionKind::NotNow);
        }
    }
}

// covers: BOG-025, BOG-062
#[test]
fn the_brief_explains_the_tools_and_gives_nothing_away() {
    for tools in ["all", "separate", "unified"] {
        let mut environment = open(json!({ "tools": tools, "max_calls": 12 }));
        let first = reset(&mut *environment, "lectern", 1);
        let brief = environment.brief();
        let names = |list: Vec<&str>| {
            let mut list: Vec<String> = list.into_iter().map(str::to_owned).collect();
            list.sort_unstable();
            list
        };
        let tools = names(environment.tools().iter().map(|tool| tool.name.as_str()).collect());
        assert_eq!(tools, names(brief.glossary.iter().map(|entry| entry.name.as_str()).collect()));
        assert_eq!((brief.horizon, brief.subject.as_str(), &brief.goal), (12, "item", &first.text));
        // As the usage of the tool shows it.
        let idle = if tools.len() == 1 { "textcraft_select_command command=\"inventory\"" } else { "inventory" };
        assert_eq!(environment.render(&brief.idle), idle);
        assert_eq!(brief.thresholds.success, Some(Milli(999)));
        assert_eq!(brief.tool_name("subject_state"), "get_item_current_state");
        let mut shown = format!("{} {}", brief.role, brief.goal);
        for entry in &brief.glossary {
            shown.push_str(&format!(" {} {} {}", entry.name, entry.description, entry.usage));
        }
        for tool in environment.tools().iter() {
            shown.push_str(&format!(" {}", tool.description));
        }
        let shown = shown.to_lowercase();
        assert!(brief.forbidden_words.iter().all(|word| !shown.contains(&word.to_lowercase())));
    }
    // What describes the family says the same in every episode (CYC-022).
    let mut environment = open(json!({}));
    reset(&mut *environment, "lectern", 1);
    let (role, glossary) = (environment.brief().role.clone(), environment.brief().glossary.clone());
    reset(&mut *environment, "yellow_wool", 2);
    assert_eq!((&environment.brief().role, &environment.brief().glossary), (&role, &glossary));
}

#[test]
fn the_same_task_seed_and_calls_give_the_same_episode() {
    for (options, differs) in
        [(json!({}), false), (json!({ "draws": "episode" }), true), (json!({ "aliasing": true }), false)]
    {
        let play = |seed: u64| {
            let mut environment = open(options.clone());
            let mut seen =
                vec![(reset(&mut *environment, "lectern", seed), environment.state(), environment.situation())];
            let mut choice = Rng::stream(3, "calls");
            for _ in 0..30 {
                let calls = legal(&*environment);
                let transition = step(&mut *environment, choice.choose(&calls).unwrap());
                seen.push(((*transition.observation).clone(), environment.state(), environment.situation()));
            }
            seen
        };
        let first = play(7);
        assert_eq!(first, play(7));
        // A new inventory is a new state; where nothing was got or made, it is that of before.
        for pair in first.windows(2) {
            let text = &pair[1].0.text;
            let brought = text.starts_with("Got") || text.starts_with("Crafted");
            assert_eq!(pair[0].1 != pair[1].1, brought, "{text}");
        }
        assert_eq!(play(8)[0].0 != first[0].0, differs);
        assert!(play(8)[0].0.text.ends_with("Goal: craft lectern."));
    }
}

#[test]
fn a_situation_is_what_is_carried_for_what_goal() {
    let mut environment = open(json!({}));
    reset(&mut *environment, "lectern", 1);
    let empty = environment.situation();
    step(&mut *environment, &ToolCall::bare(INVENTORY));
    assert_eq!(environment.situation(), empty);
    step(&mut *environment, &get_item("oak logs", 1));
    step(&mut *environment, &get_item("sugar cane", 1));
    let one = (environment.state(), environment.situation());
    reset(&mut *environment, "lectern", 1);
    step(&mut *environment, &get_item("sugar cane", 1));
    step(&mut *environment, &get_item("oak logs", 1));
    assert_eq!(environment.situation(), one.1, "the order in which things came is not seen");
    reset(&mut *environment, "bookshelf", 1);
    assert_ne!(environment.situation(), empty);
}

#[test]
fn every_policy_plays_and_a_fork_is_another_environment() {
    for policy in POLICIES {
        let play = |seed| {
            let mut environment = open(json!({}));
            reset(&mut *environment, "yellow_carpet", 4);
            let mut draws = Rng::stream(seed, "policy");
            let mut calls = Vec::new();
            loop {
                let call = environment.decide(policy.name(), &mut draws).unwrap();
                let done = step(&mut *environment, &call).done;
                calls.push(call);
                if let Some(ending) = done {
                    return (calls, ending);
                }
            }
        };
        assert_eq!(play(1), play(1));
        assert_eq!(play(1).1 == EnvironmentStop::Solved, policy.name() == "expert");
        assert_eq!(play(1) != play(2), policy.name() == "random");
    }
    let mut environment = open(json!({}));
    assert_eq!(environment.decide("guess", &mut Rng::stream(1, "x")), None);
    reset(&mut *environment, "lectern", 1);
    let mut fork = environment.simulator().unwrap().fork(1);
    assert_eq!(fork.state(), environment.state());
    step(&mut *fork, &get_item("oak logs", 1));
    assert_ne!(fork.state(), environment.state());
}

// covers: CYC-040, CYC-041
#[test]
fn the_catalogue_names_tasks_that_can_be_played() {
    let tasks = |split: &str| {
        TextCraft.tasks(split, &serde_json::Value::Null).unwrap().into_iter().map(|task| task.0).collect::<Vec<_>>()
    };
    assert_eq!(tasks("depth-4-test")[..2], ["polished_andesite_stairs", "lectern"]);
    assert_eq!(
        (tasks("test").len(), tasks("depth-2-test-5").len(), &tasks("seeds")[418]),
        (296, 23, &"418".to_owned())
    );
    let mut environment = open(json!({}));
    for split in TextCraft.splits() {
        for task in TextCraft.tasks(split, &serde_json::Value::Null).unwrap().iter().take(3) {
            reset(&mut *environment, &task.0, 0);
        }
    }
    let error = TextCraft.tasks("depth-2-tset", &serde_json::Value::Null).unwrap_err().to_string();
    assert!(error.contains("did you mean `depth-2-test`?"), "{error}");
    let error = now(environment.reset(&TaskId("lecturn".to_owned()), 0)).unwrap_err().to_string();
    assert!(error.contains("did you mean `lectern`?") && error.contains("cyan_banner"), "{error}");
    assert!(now(environment.reset(&TaskId("stick".to_owned()), 0)).is_err());
    let same = |environment: &mut dyn Environment| reset(environment, "162", 0).text.lines().last().map(str::to_owned);
    assert_eq!(reset(&mut *environment, "1000", 0).text.lines().last().map(str::to_owned), same(&mut *environment));
}

#[test]
fn options_are_read_checked_and_written_out() {
    let resolved = TextCraft.resolve(&json!({})).unwrap();
    assert_eq!(
        resolved,
        json!({ "recipes": null, "table": null, "aliasing": false, "tools": "all", "draws": "task", "max_calls": null })
    );
    assert_eq!(TextCraft.resolve(&resolved).unwrap(), resolved);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&TextCraft.schema()["properties"]), keys(&resolved));
    for (options, mend) in [
        (json!({ "aliasin": true }), "did you mean `aliasing`?"),
        (json!({ "aliasing": "yes" }), "true or false"),
        (json!({ "tools": "al" }), "did you mean `all`?"),
        (json!({ "draws": 1 }), "known: task, episode"),
        (json!({ "max_calls": 0 }), "give a whole number from 1 to 10000, or null"),
        (json!({ "recipes": "" }), "path of a file"),
        (json!({ "recipes": "nowhere.txt" }), "nowhere.txt: cannot be read"),
        (json!({ "table": "abc" }), "leave `table` out"),
        (json!([]), "expected a map"),
    ] {
        let error = TextCraft.resolve(&options).unwrap_err().to_string();
        assert!(error.contains(mend), "{options}: {error}");
    }
    // Other recipes are known by what they say, not by where they lie.
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        json!({ "recipes": path })
    };
    let one = TextCraft.resolve(&write("one.txt", "4 plank = 1 log [planks]\n1 rod = 2 #planks\n")).unwrap();
    let same = TextCraft.resolve(&write("same.txt", "# same\n4 plank = 1 log [planks]\n1 rod = 2 #planks\n")).unwrap();
    assert_ne!(one, same);
    assert_eq!(TextCraft.environment(&one), TextCraft.environment(&same));
    let mut environment = open(one.clone());
    assert!(reset(&mut *environment, "rod", 5).text.ends_with("Goal: craft rod."));
    assert!(reset(&mut *environment, "7", 5).text.ends_with("Goal: craft rod."));
    assert!(now(environment.reset(&TaskId("lectern".to_owned()), 5)).is_err());
    write("one.txt", "3 plank = 1 log [planks]\n1 rod = 2 #planks\n");
    let error = TextCraft.resolve(&one).unwrap_err().to_string();
    assert!(error.contains("are not those of `table`"), "{error}");
}

/// What fails or only looks leaves the state; what is taken apart again leads back to it.
// covers: CYC-099
#[test]
fn the_state_is_that_of_the_environment_and_not_of_the_count_of_calls() {
    let mut environment = open(json!({}));
    reset(&mut *environment, "polished_granite", 1);
    let say =
        |environment: &mut dyn Environment, command: &str| step(environment, &select(command)).observation.text.clone();
    let start = environment.state();
    for _ in 0..3 {
        let failed = say(&mut *environment, "craft 6 diorite slab using 3 diorite");
        assert!(failed.starts_with("Could not find enough items"), "{failed}");
        assert!(say(&mut *environment, "get 1 granite slab").starts_with("Could not find"));
        assert!(say(&mut *environment, "inventory").starts_with("Inventory"));
        assert_eq!(environment.state(), start);
    }
    assert!(say(&mut *environment, "get 2 cobblestone").starts_with("Got"));
    let held = environment.state();
    assert_ne!(held, start);
    say(&mut *environment, "get 1 cobblestone");
    assert_ne!(environment.state(), held, "more of a thing is another state");
}
