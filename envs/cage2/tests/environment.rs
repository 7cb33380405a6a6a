//! The scenario behind the seams: what a stage, a study and an architecture meet.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::future::Future;
use std::task::{Context, Poll, Waker};

use gimbal_cage2::policy::POLICIES;
use gimbal_cage2::{Cage2, Names};
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

fn open(options: Value) -> Box<dyn Environment> {
    Cage2.open(&options).unwrap()
}

fn reset(environment: &mut dyn Environment, seed: u64) -> Observation {
    now(environment.reset(&TaskId("test".to_owned()), seed)).unwrap()
}

fn step(environment: &mut dyn Environment, call: &ToolCall) -> Transition {
    match now(environment.call(call)).unwrap() {
        Reply::Step(transition) => transition,
        Reply::Ask(_) => panic!("this environment asks nobody"),
    }
}

/// Every legal call, from tools and choices alone.
fn legal(environment: &dyn Environment) -> Vec<ToolCall> {
    let mut calls = Vec::new();
    for tool in environment.tools().iter() {
        match tool.required().next() {
            None => calls.push(ToolCall::bare(&tool.name)),
            Some(parameter) => {
                for choice in environment.choices(&tool.name, parameter).unwrap() {
                    calls.push(ToolCall::with(&tool.name, &[(parameter, &choice)]));
                }
            }
        }
    }
    calls
}

#[test]
fn tools_and_choices_give_the_145_actions_and_text_is_their_inverse() {
    for names in ["original", "neutral"] {
        let mut environment = open(json!({ "names": names }));
        reset(&mut *environment, 9);
        let calls = legal(&*environment);
        assert_eq!(calls.len(), 145);
        for (at, call) in calls.iter().enumerate() {
            assert_eq!(environment.parse(&environment.render(call)), Ok(call.clone()));
            if at % 30 == 0 {
                reset(&mut *environment, 9);
            }
            step(&mut *environment, call);
        }
        for tool in environment.tools().iter().filter(|tool| tool.required().next().is_some()) {
            let literals = tool.parameters["properties"]["hostname"]["enum"].as_array().unwrap();
            assert_eq!(
                literals.iter().map(|host| host.as_str().unwrap()).collect::<Vec<_>>(),
                environment.brief().subjects
            );
        }
        assert_eq!(environment.choices("Monitor", "hostname"), None);
        assert_eq!(environment.choices("Restore", "subnet"), None);
    }
}

// covers: BOG-025, BOG-062, BOG-164, BOG-166, BOG-175
#[test]
fn the_brief_explains_five_kinds_of_action_and_gives_nothing_away() {
    let mut environment = open(json!({ "horizon": 50 }));
    reset(&mut *environment, 1);
    let brief = environment.brief();
    let kinds: Vec<(&str, &str)> =
        brief.glossary.iter().map(|entry| (entry.name.as_str(), entry.kind.as_str())).collect();
    assert_eq!(
        kinds,
        [
            ("Monitor", "passive"),
            ("Remove", "reactive"),
            ("Analyse", "passive"),
            ("Restore", "reactive"),
            ("DecoySERVICE", "proactive"),
        ]
    );
    assert_eq!(brief.thresholds.catastrophic, Some(Milli(-150_000)));
    assert_eq!(brief.thresholds.success, Some(Milli(-50_000)));
    assert_eq!(brief.efficiency_shift, Some(Milli(225_000)));
    assert_eq!((brief.horizon, brief.subject.as_str(), brief.subjects.len()), (50, "host", 13));
    assert_eq!(brief.idle, ToolCall::bare("Monitor"));
    assert_eq!(brief.tool_name("subject_state"), "get_host_current_state");
    assert_eq!(brief.tool_name("subject_baseline"), "get_host_baseline_state");
    let mut shown = format!("{} {}", brief.role, brief.goal);
    for entry in &brief.glossary {
        shown.push_str(&format!(" {} {} {}", entry.name, entry.description, entry.usage));
    }
    for tool in environment.tools().iter() {
        shown.push_str(&format!(" {}", tool.description));
    }
    let shown = shown.to_lowercase();
    for word in brief.forbidden_words.iter().chain(&brief.subjects) {
        assert!(!shown.contains(&word.to_lowercase()), "{word}");
    }
    assert_eq!(brief.role.matches('.').count(), 1);
}

#[test]
fn the_same_seed_and_calls_give_the_same_episode() {
    for options in [json!({}), json!({ "red": "meander", "green": "scan", "draws": "mersenne", "names": "neutral" })] {
        let play = || {
            let mut environment = open(options.clone());
            let mut seen = vec![(reset(&mut *environment, 7), environment.state(), environment.situation())];
            let calls = legal(&*environment);
            let mut choice = Rng::stream(3, "calls");
            for _ in 0..30 {
                let transition = step(&mut *environment, choice.choose(&calls).unwrap());
                seen.push(((*transition.observation).clone(), environment.state(), environment.situation()));
            }
            seen
        };
        let first = play();
        assert_eq!(first, play());
        let mut states: Vec<_> = first.iter().map(|(_, state, _)| *state).collect();
        states.sort_unstable();
        states.dedup();
        assert_eq!(states.len(), 31);
    }
}

#[test]
fn first_observations_are_small_changes_of_one_another() {
    use gimbal_core::delta;
    let mut environment = open(json!({}));
    let one = reset(&mut *environment, 1);
    for seed in 2..20 {
        let other = reset(&mut *environment, seed);
        for (one, other) in [(&*one.text, &*other.text), (&*one.data.text(), &*other.data.text())] {
            let change = delta::encode(other.as_bytes(), &[one.as_bytes()]).unwrap();
            assert!(change.len() * 6 < other.len(), "{} of {}", change.len(), other.len());
        }
    }
}

// covers: BOG-002
#[test]
fn an_observation_is_text_and_the_same_as_data() {
    use gimbal_cage2::draws::Fast;
    use gimbal_cage2::{Action, Options, Simulator};
    let mut environment = open(json!({}));
    let mut alone = Simulator::new(Options::default(), Fast::new(0));
    let mut observation = reset(&mut *environment, 77);
    alone.reset(77);
    for index in 0..31 {
        let node = alone.observation(&Names::original());
        assert_eq!(observation.text, node.to_python());
        assert_eq!(observation.data, serde_json::from_str::<Value>(&node.to_json()).unwrap());
        if index == 30 {
            break;
        }
        let action = Action::from_index(7 * index % 145).unwrap();
        let call = environment.parse(&action.to_string()).unwrap();
        let transition = step(&mut *environment, &call);
        let tenths = alone.step(action);
        assert_eq!(transition.reward, Milli::from_tenths(i64::from(tenths)));
        assert_eq!(transition.done, (index == 29).then_some(EnvironmentStop::Horizon));
        observation = (*transition.observation).clone();
    }
    assert_eq!(environment.state().0, alone.digest());
    let late = now(environment.call(&ToolCall::bare("Monitor"))).unwrap_err();
    assert_eq!(late.kind, RejectionKind::NotNow);
}

// covers: BOG-035
#[test]
fn a_rejection_names_the_fault_and_changes_nothing() {
    let mut environment = open(json!({}));
    reset(&mut *environment, 5);
    let before = environment.state();
    let cases = [
        (ToolCall::bare("Misinform"), RejectionKind::UnknownTool),
        (ToolCall::bare("Restore"), RejectionKind::MissingArgument),
        (ToolCall::with("Restore", &[("hostname", "User9")]), RejectionKind::BadValue),
        (ToolCall::with("Restore", &[("subnet", "User1")]), RejectionKind::UnknownArgument),
        (ToolCall::with("Monitor", &[("hostname", "User1")]), RejectionKind::UnknownArgument),
    ];
    for (call, kind) in cases {
        let rejection = now(environment.call(&call)).unwrap_err();
        assert_eq!(rejection.kind, kind, "{}", rejection.message);
        assert_eq!(environment.state(), before);
    }
    let mut number = ToolCall::bare("Restore");
    number.arguments.insert("hostname".to_owned(), json!(4));
    assert_eq!(now(environment.call(&number)).unwrap_err().kind, RejectionKind::BadValue);
    let mut odd = ToolCall::with("Restore", &[("hostname", "User1")]);
    odd.arguments.insert("x".to_owned(), json!(1));
    assert_eq!(now(environment.call(&odd)).unwrap_err().kind, RejectionKind::UnknownArgument);
    assert_eq!(environment.parse("  ").unwrap_err().kind, RejectionKind::Unreadable);
    assert_eq!(environment.parse("Fly User1").unwrap_err().kind, RejectionKind::UnknownTool);
}

// covers: BOG-035
#[test]
fn the_artifacts_checks_let_wrong_hosts_through_to_the_environment() {
    let mut environment = open(json!({ "validation": "artifact", "red": "sleep" }));
    reset(&mut *environment, 5);
    for text in ["Restore", "Analyse hostname=Nowhere", "Remove subnet=User"] {
        let call = environment.parse(text).unwrap();
        let transition = step(&mut *environment, &call);
        assert_eq!(transition.reward, Milli(-100), "{text}");
        assert!(transition.observation.text.starts_with("{'success': <TrinaryEnum.FALSE: 3>"), "{text}");
    }
    assert_eq!(environment.parse("DecoyApache").unwrap_err().kind, RejectionKind::MissingArgument);
    assert_eq!(now(environment.call(&ToolCall::bare("Misinform"))).unwrap_err().kind, RejectionKind::UnknownTool);
    let call = environment.parse("Restore User1").unwrap();
    assert_eq!(step(&mut *environment, &call).reward, Milli(-1000));
}

#[test]
fn neutral_names_show_nothing_of_the_original_ones_in_the_same_environment() {
    let (mut original, mut neutral) = (open(json!({})), open(json!({ "names": "neutral" })));
    let first = reset(&mut *neutral, 12);
    reset(&mut *original, 12);
    assert_eq!(neutral.state(), original.state());
    let names = Names::original();
    let mut shown = format!("{}{}{:?}", first.text, first.data, neutral.tools());
    for call in legal(&*original).into_iter().step_by(5) {
        let transition = step(&mut *original, &call);
        let action = gimbal_cage2::action::parse(&original.render(&call), &names).unwrap();
        let alias = neutral.parse(&action.render(&Names::neutral(12))).unwrap();
        let other = step(&mut *neutral, &alias);
        assert_eq!(transition.reward, other.reward);
        assert_eq!(neutral.state(), original.state());
        shown.push_str(&other.observation.text);
    }
    for host in gimbal_cage2::facts::HOSTS {
        assert!(!shown.contains(host.name()), "{}", host.name());
    }
    assert!(!shown.contains("Apache") && !shown.contains("Vsftpd") && !shown.contains("apache2"));
    assert!(!shown.contains("GreenAgent") && !shown.to_lowercase().contains("velociraptor"));
    assert!(!shown.contains("TrinaryEnum") && !shown.contains("'Blue'") && !shown.contains("\"Blue\""));
    assert!(shown.contains("{'success': <Outcome.UNKNOWN: 2>, ") && shown.contains("'Agent': 'Own'"));
    for alias in ["<SessionType.MONITOR_SERVER: 8>", "<SessionType.MONITOR_CLIENT: 7>", "'UserAgent'"] {
        assert!(shown.contains(alias), "{alias}");
    }
    let first = reset(&mut *original, 12);
    assert!(first.text.contains("<SessionType.VELOCIRAPTOR_SERVER: 8>") && first.text.contains("'GreenAgent'"));
    assert!(first.text.starts_with("{'success': <TrinaryEnum.UNKNOWN: 2>, ") && first.text.contains("'Agent': 'Blue'"));
    let hosts = neutral.brief().subjects.clone();
    reset(&mut *neutral, 13);
    assert_ne!(hosts, neutral.brief().subjects);
}

#[test]
fn every_policy_plays_an_episode_of_its_own_seed() {
    for policy in POLICIES {
        let play = |seed| {
            let mut environment = open(json!({}));
            reset(&mut *environment, 4);
            let mut draws = Rng::stream(seed, "policy");
            let mut calls = Vec::new();
            loop {
                let call = environment.decide(policy.name(), &mut draws).unwrap();
                let transition = step(&mut *environment, &call);
                calls.push(call);
                if transition.done.is_some() {
                    return calls;
                }
            }
        };
        assert_eq!(play(1), play(1));
        if policy.name().starts_with("random") {
            assert_ne!(play(1), play(2));
        }
    }
    assert_eq!(open(json!({})).decide("guess", &mut Rng::stream(1, "x")), None);
}

#[test]
fn a_fork_has_the_same_state_and_a_future_of_its_own() {
    for draws in ["fast", "mersenne"] {
        let mut environment = open(json!({ "draws": draws, "horizon": 100 }));
        reset(&mut *environment, 21);
        for _ in 0..6 {
            step(&mut *environment, &ToolCall::bare("Sleep"));
        }
        let before = environment.state();
        let future = |name: u64| {
            let mut fork = environment.simulator().unwrap().fork(name);
            assert_eq!(fork.state(), before);
            (0..20).map(|_| step(&mut *fork, &ToolCall::bare("Monitor")).observation.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(future(1), future(1));
        assert_ne!(future(1), future(2));
        assert_eq!(environment.state(), before);
        let expert = environment.expert().unwrap().next_call().unwrap();
        assert!(now(environment.call(&expert)).is_ok());
    }
}

#[test]
fn options_are_resolved_or_refused_with_their_mend() {
    let resolved = Cage2.resolve(&json!({})).unwrap();
    let defaults = json!({
        "red": "b_line", "green": "sleep", "horizon": 30, "names": "original", "validation": "full", "draws": "fast"
    });
    assert_eq!(resolved, defaults);
    assert_eq!(Cage2.resolve(&Value::Null).unwrap(), defaults);
    let neutral = Cage2.resolve(&json!({ "names": "neutral", "validation": "artifact" })).unwrap();
    assert_eq!(Cage2.environment(&neutral), Cage2.environment(&resolved));
    assert_ne!(Cage2.environment(&Cage2.resolve(&json!({ "red": "sleep" })).unwrap()), Cage2.environment(&resolved));
    let refused = |options: Value| Cage2.resolve(&options).unwrap_err().to_string();
    assert!(refused(json!({ "horizn": 3 })).contains("did you mean `horizon`?"));
    assert!(refused(json!({ "red": "b_lin" })).contains("did you mean `b_line`?"));
    assert!(refused(json!({ "horizon": 0 })).contains("give a whole number from 1 to"));
    assert!(refused(json!({ "horizon": "long" })).contains("options of `cage2`"));
    for value in [json!(-3), json!("ten"), json!(2.5), json!(10_001), json!(null), json!(4_294_967_297_u64)] {
        let message = refused(json!({ "horizon": value }));
        assert!(message.contains(&format!("`horizon` is {value}; give a whole number from 1 to 10000")), "{message}");
    }
    assert!(refused(json!({ "draws": 7 })).contains("`draws` is 7 (known: fast, mersenne)"));
    assert!(refused(json!({ "red": { "b_line": null } })).contains("`red` is {"));
    let all = json!({
        "red": "sleep", "green": "scan", "horizon": 50, "names": "neutral", "validation": "artifact", "draws": "mersenne"
    });
    assert_eq!(Cage2.resolve(&all).unwrap(), all);
    assert!(refused(json!(3)).contains("expected a map"));
    let schema = Cage2.schema();
    for (key, value) in defaults.as_object().unwrap() {
        assert_eq!(&schema["properties"][key]["default"], value);
    }
}

#[test]
fn the_family_offers_what_its_environments_have() {
    let environment = open(json!({}));
    let offers = Cage2.offers();
    assert_eq!(offers.policies, environment.policies());
    let tracker = environment.tracker();
    for block in &offers.blocks {
        assert!(tracker.blocks().contains(&block.as_str()));
    }
    let queries: Vec<&str> = tracker.queries().iter().map(|query| query.name.as_str()).collect();
    assert_eq!(offers.queries, queries);
    assert_eq!(offers.simulator, environment.simulator().is_some());
    for split in Cage2.splits() {
        let tasks = Cage2.tasks(split, &serde_json::Value::Null).unwrap();
        assert_eq!(tasks.len(), 1);
        let mut environment = open(json!({}));
        assert!(now(environment.reset(&tasks[0], 1)).is_ok());
    }
    assert!(Cage2.tasks("tset", &serde_json::Value::Null).unwrap_err().to_string().contains("did you mean `test`?"));
    let mut environment = open(json!({}));
    assert!(now(environment.reset(&TaskId("scenario1".to_owned()), 1)).is_err());
}

// covers: BOG-001
#[test]
fn with_cpythons_generator_a_seed_gives_the_originals_episode() {
    // The first random identities and the return of a recorded episode of the original (seed 1000000, asleep).
    let mut environment = open(json!({ "draws": "mersenne" }));
    let first = reset(&mut *environment, 1_000_000);
    assert_eq!(first.data["Defender"]["Interface"][0]["IP Address"], json!("10.0.44.222"));
    assert_eq!(first.data["User0"]["Sessions"][0]["PID"], json!(28_038));
    let rewards: Vec<i64> = (0..8).map(|_| step(&mut *environment, &ToolCall::bare("Sleep")).reward.0).collect();
    assert_eq!(rewards, [0, 0, -100, -100, -100, -100, -1100, -1100]);
}
