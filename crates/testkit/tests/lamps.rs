//! The smallest environment on `gimbal-env-kit`: played in a study, and by the verbs that every environment has.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::path::PathBuf;
use std::sync::Arc;

use gimbal_core::{Catalogue as _, EnvironmentStop, Milli};
use gimbal_env_kit::workbench::{
    self, BenchRequest, Episode, Given, ReturnsRequest, Setup, Workbench as _, by_hand, by_policy,
};
use gimbal_model::{Models, ModelsConfig};
use gimbal_study::plan::{self, Options};
use gimbal_study::read::load_rows;
use gimbal_study::registry::{Library, Registry};
use gimbal_study::run::RunFolder;
use gimbal_study::runner::{self, Settings};
use gimbal_study::stage::Cancel;
use gimbal_testkit::environments::lamps::Lamps;

/// Most lines of a whole small environment, with its brief and catalogue.
const MOST_LINES: usize = 150;

#[test]
fn a_new_environment_is_at_most_150_lines() {
    assert!(include_str!("../src/environments/lamps.rs").lines().count() <= MOST_LINES);
}

/// The files of the project.
fn project() -> Library {
    Library::new(&[], vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_policy_and_an_agent_with_the_expert_light_all_lamps() {
    let study = "study: lamps\nenvironment: { name: lamps, wind: 20 }\narchitectures:\n  - { base: baseline, policy: light }\n  \
                 - { base: react, persona: planner, context: [observation, status, history] }\n\
                 roles: [{ default: noisy/1.0 }]\nepisodes: { tasks: { split: test }, runs: 2, seed: 3 }\n";
    let registry =
        Registry { environments: vec![Arc::new(Lamps)], architectures: gimbal_architectures::kinds(), learned: None };
    let models = Models::new(ModelsConfig::default());
    let parsed = plan::parse(study, "study.yaml").unwrap();
    let plan = plan::resolve(parsed, &Options::default(), &registry, &models, &project());
    let plan = plan.unwrap_or_else(|problems| panic!("{problems}"));
    let place = tempfile::tempdir().unwrap();
    let settings = Settings::new(place.path());
    runner::run(Arc::new(plan), Arc::new(models), settings, Cancel::default(), |_| {}).await.unwrap();
    let rows = load_rows(&RunFolder::open(place.path()).unwrap()).unwrap().episodes;
    assert_eq!(rows.len(), 8, "two cells of two tasks, twice each");
    for row in rows {
        assert_eq!((row.stop.name(), row.fallbacks, row.rejected_calls), ("solved", 0, 0));
    }
}

#[test]
fn options_come_from_flags_and_settings_by_the_schema() {
    let setup = |set: &[&str]| {
        let set: Vec<String> = set.iter().map(|set| (*set).to_owned()).collect();
        Setup::read(&Lamps, Given { set: &set, ..Given::default() })
    };
    let read = setup(&["wind=30", "task=night"]).unwrap();
    assert_eq!((read.options(), read.task.as_deref()), (serde_json::json!({ "wind": 30 }), Some("night")));
    let refused = |set: &str| setup(&[set]).unwrap_err().to_string();
    assert_eq!(refused("wnd=1"), "--set wnd: `lamps` has no option `wnd`; did you mean `wind`? (known: wind)");
    assert_eq!(refused("wind"), "--set wind: write it as NAME=VALUE, such as `wind=...`");
    let misfit = "--set wind=200: options of `lamps`: `wind` is 200; give a whole number from 0 to 100";
    assert_eq!(refused("wind=200"), misfit);
}

#[test]
fn a_flag_and_a_setting_of_one_option_must_agree() {
    let flag = |value: &str| vec![("wind".to_owned(), value.to_owned())];
    let read = |flags: &[(String, String)], task: Option<&str>, set: &str| {
        Setup::read(&Lamps, Given { flags, task, set: &[set.to_owned()], ..Given::default() })
    };
    assert_eq!(read(&flag("30"), None, "wind=30").unwrap().options(), serde_json::json!({ "wind": 30 }));
    let refused = |flags: &[(String, String)], task: Option<&str>, set: &str| read(flags, task, set).unwrap_err();
    assert_eq!(
        refused(&flag("30"), None, "wind=40").to_string(),
        "`--wind 30` and `--set wind=40` give wind different values: leave one out"
    );
    assert_eq!(
        refused(&[], Some("evening"), "task=night").to_string(),
        "`--task evening` and `--set task=night` give the task different values: leave one out"
    );
    let negative = "--wind -5: options of `lamps`: `wind` is -5; give a whole number from 0 to 100";
    assert_eq!(refused(&flag("-5"), None, "task=night").to_string(), negative);
}

#[test]
fn the_flags_of_an_environment_are_its_options() {
    let flags = workbench::flags(&Lamps);
    let about = "Percent of the steps that put out a lamp (0 to 100) [default: 10]".to_owned();
    assert_eq!(flags, [workbench::Flag { name: "wind".to_owned(), about }]);
}

#[tokio::test]
async fn every_verb_that_all_environments_have_comes_by_itself() {
    let setup = Setup::default();
    assert_eq!(workbench::tasks(&Lamps, &setup).unwrap().text, "test         evening\ntest         night\n");
    let split = Setup { split: Some("tst".to_owned()), ..Setup::default() };
    assert!(workbench::tasks(&Lamps, &split).err().unwrap().to_string().contains("did you mean `test`?"));
    let shown = workbench::show(&Lamps, &setup, 0).await.unwrap();
    for part in [
        "lamps (behaviour 1), task `evening`, seed 0",
        "goal       Have all lamps burn at the same time.",
        "subjects   4 of the kind `lamp`: lamp_1, lamp_2, lamp_3, lamp_4",
        "policies   wait, light",
        "blocks     observation, history, own_history, status",
        "queries    subject_state, subject_baseline",
        "tasks      test 2",
        "  Light(lamp): Lights one lamp.",
        "  wind: 10  Percent of the steps that put out a lamp. (0 to 100)",
    ] {
        assert!(shown.text.contains(part), "{part} is not in\n{}", shown.text);
    }
    assert_eq!((&shown.json["schema"], &shown.json["policies"][1]), (&Lamps.schema(), &"light".into()));
    let calls = workbench::calls(&Lamps, &setup, 0).await.unwrap().text;
    assert_eq!(calls, "Light lamp=lamp_1\nLight lamp=lamp_2\nLight lamp=lamp_3\nLight lamp=lamp_4\nWait\n");
    let request = |policy: Option<&str>| ReturnsRequest {
        setup: Setup::default(),
        policy: policy.map(str::to_owned),
        episodes: 10,
        seed: 0,
        draws: "fast".to_owned(),
        against: None,
    };
    let found = Lamps.returns(&request(Some("light"))).await.unwrap().json;
    assert!(found["mean"].as_f64().unwrap() > -10.0 && found["episodes"] == 10, "{found}");
    let idle = Lamps.returns(&request(None)).await.unwrap().json;
    assert_eq!((&idle["mean"], &idle["sd"], &idle["policy"]), (&(-20.0).into(), &0.0.into(), &"wait".into()));
    assert_eq!(Lamps.contrast(), ["wait", "light"]);
    let bench = BenchRequest { setup, policy: "light".to_owned(), steps: 1, ..BenchRequest::default() };
    let absent = Lamps.bench(&bench).err().unwrap().to_string();
    assert_eq!(absent, "`lamps` has no verb `bench`: it has show, calls, play, returns and tasks");
}

#[tokio::test]
async fn a_policy_plays_an_episode() {
    let setup = Setup::read(&Lamps, Given { set: &["wind=0".to_owned()], ..Given::default() }).unwrap();
    let mut environment = setup.open(&Lamps).unwrap();
    let task = setup.task(&Lamps, 0).unwrap();
    let mut lines = Vec::new();
    let mut seen = |step: u32, call: &str, _: &gimbal_core::Transition| lines.push(format!("{step} {call}"));
    let episode = by_policy(&mut *environment, "light", &task, 0, &mut seen).await.unwrap();
    assert_eq!(episode, Episode { steps: 4, rejected: 0, total: Milli(-3000), ending: Some(EnvironmentStop::Solved) });
    assert_eq!(episode.to_string(), "4 steps, return -3.0, solved");
    assert_eq!(lines.last().unwrap(), "4 Light lamp=lamp_4");
    let error = by_policy(&mut *environment, "lihgt", &task, 0, &mut |_, _, _| {}).await.unwrap_err();
    assert_eq!(error.to_string(), "--policy: there is no `lihgt`; did you mean `light`? (known: wait, light)");
}

async fn hand(input: &[u8]) -> (Episode, String) {
    let setup = Setup::read(&Lamps, Given { set: &["wind=0".to_owned()], ..Given::default() }).unwrap();
    let mut environment = setup.open(&Lamps).unwrap();
    let mut output = Vec::new();
    let task = setup.task(&Lamps, 0).unwrap();
    let episode = by_hand(&mut *environment, &task, 0, &mut &*input, &mut output).await.unwrap();
    (episode, String::from_utf8(output).unwrap())
}

#[tokio::test]
async fn an_episode_is_played_by_hand_to_its_end() {
    let (episode, text) =
        hand(b"?\nhelp\nhint\nlight lamp_2\nstatus\n0\nLight(lamp=lamp_3)\nlight lamp_4\nmore\n").await;
    assert_eq!((episode.steps, episode.ending), (4, Some(EnvironmentStop::Solved)));
    for part in [
        "Have all lamps burn at the same time.",
        "    4  Wait",
        "  Light lamp=<lamp>\n    Lights one lamp.",
        "  Light lamp=lamp_1\n",
        "Light lamp=lamp_2: reward -1.0, return -1.0",
        r#"{"subject":"lamp_2","current_status":"changed","state":"lit""#,
        "step 4 of 20 > ",
        "4 steps, return -3.0, solved\n",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[tokio::test]
async fn mistakes_by_hand_are_rejected_and_cost_nothing() {
    let (episode, text) = hand(b"Ligth lamp_1\nLight\nLight lamp_9\n99\nli\xffght\n\nquit\nWait\n").await;
    assert_eq!((episode.steps, episode.ending), (0, None));
    for part in [
        "did you mean `Light`?",
        "needs the argument `lamp`",
        "`lamp` is `lamp_9`",
        "there is no call 99; calls are numbered from 0 to 4",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert_eq!(hand(b"Wait").await.0.steps, 1, "an episode ends with its input");
    assert_eq!(hand(&b"Wait\n".repeat(30)).await.0.steps, 20);
}
