//! What `gimbal persona show` prints has the members of what is sent: the first prompts of every agent are compared with its requests.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;
use crate::routing::PlannerOf;
use crate::shown_as_sent::{self, Play, Scene, block_on, environments, play_scene, scenes};

use std::collections::{BTreeMap, BTreeSet};

use common::Canned::Says;
use common::{TestFiles, Workshop};
use gimbal_agent::shown::{FirstPrompts, OfferedAction, ShownEnvironment};
use gimbal_agent::{Family, Placed, prompt};
use gimbal_architectures::control::{CallResult, Summariser, SummariserKind, Won, WorkSegment};
use gimbal_architectures::{cyclic, dag, families};
use gimbal_core::{Architecture, Block, ToolCall, yaml};
use gimbal_messages::records::control;
use serde_json::{Value, json};

/// A request as it is compared: the system message and the first message of the user.
type Request = (String, String);

/// The JSON objects of a text, one on a line.
fn objects(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| serde_json::from_str(line.trim()).ok()).filter(Value::is_object).collect()
}

fn keys(object: &Value) -> BTreeSet<&str> {
    object.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

/// The names of the members at every depth; those of the items of a list count once.
fn paths(value: &Value, at: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let path = format!("{at}.{key}");
                paths(value, &path, found);
                found.insert(path);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| paths(item, at, found)),
        _ => {}
    }
}

/// The tags that stand alone on a line.
fn tags(text: &str) -> BTreeSet<&str> {
    text.lines().map(str::trim).filter(|line| line.starts_with('<') && line.ends_with('>')).collect()
}

/// The messages of an agent: that of its preview, those of its requests, and the texts that describe them.
#[derive(Default)]
struct Compared {
    shown: Vec<Value>,
    sent: Vec<Value>,
    system: String,
    /// Tags of the preview, and whether a request has all of them.
    tags: Vec<String>,
    is_tagged: bool,
}

impl Compared {
    /// Takes in a preview and what was sent to an agent with its system message; whether anything was.
    fn take(&mut self, prompts: &FirstPrompts, requests: &[Request]) -> bool {
        let system = prompt::joined(&prompts.system);
        let own: Vec<&str> = requests.iter().filter(|(own, _)| *own == system).map(|(_, user)| user.as_str()).collect();
        let asked: Vec<&str> =
            prompts.user.iter().filter(|part| part.name != "block").map(|part| part.text.as_str()).collect();
        let asked = asked.join("\n");
        self.shown = objects(&asked);
        self.system = system;
        let wanted = self.shown.first().map(keys).unwrap_or_default();
        for text in &own {
            // Blocks may hold objects too: the message is the one that has most in common with what is shown.
            let found = objects(text).into_iter().max_by_key(|object| keys(object).intersection(&wanted).count());
            self.sent.extend(found);
        }
        self.tags = tags(&asked).into_iter().map(str::to_owned).collect();
        self.is_tagged |= own.iter().any(|text| tags(text).is_superset(&tags(&asked)));
        !own.is_empty()
    }

    /// What of the preview no request has and no text of the persona names, and what every request has and the preview lacks.
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if !self.is_tagged {
            problems.push(format!("no request has the tags {:?}", self.tags));
        }
        let Some(shown) = self.shown.first() else { return problems };
        let (mut known, mut found) = (BTreeSet::new(), BTreeSet::new());
        self.sent.iter().for_each(|value| paths(value, "", &mut known));
        paths(shown, "", &mut found);
        let is_told =
            |path: &str| self.system.contains(&format!("\"{}\"", path.rsplit('.').next().unwrap_or_default()));
        // A list that is empty in every request says nothing of its items.
        let is_empty = |path: &str| {
            let parent = path.rsplit_once('.').map_or("", |(parent, _)| parent);
            !known.iter().any(|other| other.strip_prefix(parent).is_some_and(|rest| rest.starts_with('.')))
        };
        let unknown: Vec<&String> = found.difference(&known).filter(|path| !is_told(path) && !is_empty(path)).collect();
        if !unknown.is_empty() {
            problems.push(format!("no request has the members {unknown:?}"));
        }
        let always = self.sent.iter().map(keys).reduce(|all, one| all.intersection(&one).copied().collect());
        let missing: Vec<&str> = always.unwrap_or_default().difference(&keys(shown)).copied().collect();
        if !missing.is_empty() {
            problems.push(format!("every request has the members {missing:?}"));
        }
        problems
    }
}

/// What is wrong with the preview of an agent that was asked.
fn differs(prompts: &FirstPrompts, requests: &[Request]) -> Vec<String> {
    let mut compared = Compared::default();
    assert!(compared.take(prompts, requests), "nothing was sent with this system message");
    compared.problems()
}

/// The environment of a scene as previews see it, and the blocks of its tracker.
async fn environment(scene: &Scene) -> (ShownEnvironment, BTreeMap<String, Block>) {
    let written: Value = yaml::read(scene.environment, "environment").unwrap();
    let name = written.as_str().or_else(|| written["name"].as_str()).unwrap().to_owned();
    let mut options = written.as_object().cloned().unwrap_or_default();
    options.remove("name");
    let family = environments().into_iter().find(|family| family.name() == name).unwrap();
    let options = family.resolve(&Value::Object(options)).unwrap();
    let mut environment = family.open(&options).unwrap();
    let split = if name == "consensus" { "dev" } else { "test" };
    let task = family.tasks(split, &options).unwrap().remove(0);
    let first = environment.reset(&task, 0).await.unwrap();
    let mut tracker = environment.tracker();
    tracker.begin(&first);
    let blocks = tracker.blocks().iter().filter_map(|name| {
        let text = tracker.block(name)?.into();
        Some((name.to_string(), Block { name: name.to_string(), text }))
    });
    let blocks = blocks.collect();
    (ShownEnvironment::new(&*environment, tracker.queries()).seen_first(&first.text), blocks)
}

/// Each agent of each architecture, in the scenes in which every call is compared with what a trace shows of it.
#[test]
fn previews_have_the_members_of_requests() {
    let mut all: BTreeMap<(&str, &str, String), (bool, Compared)> = BTreeMap::new();
    for scene in &scenes() {
        let folder = tempfile::tempdir().unwrap();
        let play = Play { model: "noisy/0.8", guard: 100_000, attempts: 2, seed: 5, decoding: "free" };
        let (requests, _) = block_on(play_scene(folder.path(), scene, &play));
        let requests = requests.lock().unwrap();
        let requests: Vec<Request> = requests
            .values()
            .flatten()
            .filter(|sent| sent.messages.len() > 1)
            .map(|sent| (sent.messages[0].1.clone(), sent.messages[1].1.clone()))
            .collect();
        let (shown, blocks) = block_on(environment(scene));
        for (base, settings) in &scene.architectures {
            let family = families().into_iter().find(|family| family.name() == *base).unwrap();
            let mut settings: Value = yaml::read(&format!("{{ {settings} }}"), "settings").unwrap();
            settings["protocol"] = "react-text".into();
            settings["max_attempts"] = 2.into();
            settings["context_guard_tokens"] = 100_000.into();
            let team = family.team(&settings, &shown_as_sent::files()).unwrap();
            let blocks: Vec<Block> = team.context.iter().filter_map(|name| blocks.get(name).cloned()).collect();
            for placed in &team.agents {
                let prompts = FirstPrompts::new(&*family, placed, &shown, &blocks).unwrap();
                let who = (*base, placed.place, placed.agent.persona().name.clone());
                let (asked, compared) = all.entry(who).or_default();
                *asked |= compared.take(&prompts, &requests);
            }
        }
    }
    let told = |who: &(&str, &str, String), compared: &Compared| -> Vec<String> {
        compared.problems().into_iter().map(|what| format!("{who:?}: {what}")).collect()
    };
    let problems: Vec<String> =
        all.iter().filter(|(_, (asked, _))| *asked).flat_map(|(who, (_, compared))| told(who, compared)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    // A persona that several architectures use is asked in one of them at least.
    let personas: BTreeSet<&str> =
        all.iter().filter(|(_, (asked, _))| *asked).map(|((.., persona), _)| persona.as_str()).collect();
    let unseen: Vec<_> = all.keys().filter(|(.., persona)| !personas.contains(persona.as_str())).collect();
    assert!(unseen.is_empty(), "never asked: {unseen:?}");
}

/// The stage of a planner or summariser that plays outside of studies, and the environment that its previews see.
fn workshop() -> (Workshop, ShownEnvironment) {
    let stage = Workshop {
        seen: "The lathe hums.",
        records: &[control::KINDS],
        ..Workshop::new([Says("Well."), Says("Well.")])
    };
    let shown = ShownEnvironment {
        brief: std::sync::Arc::clone(&stage.brief),
        tools: stage.tools.to_vec(),
        first: Some(stage.seen.to_owned()),
        queries: Vec::new(),
        idle: "Wait".to_owned(),
        actions: Vec::new(),
        offered: Some(OfferedAction { tool: "Wait".to_owned(), text: "Wait".to_owned() }),
    };
    (stage, shown)
}

fn sent(stage: &Workshop) -> Vec<Request> {
    let requests = stage.requests.lock().unwrap();
    requests
        .iter()
        .map(|request| (request.messages[0].text.to_string(), request.messages[1].text.to_string()))
        .collect()
}

fn agent(family: &dyn Family, settings: &Value, place: &str) -> Placed {
    let team = family.team(settings, &TestFiles::default()).unwrap();
    team.agents.into_iter().find(|placed| placed.place == place).unwrap()
}

/// A planner of a family is shown no task.
#[tokio::test]
async fn the_planner_of_a_family_is_previewed_without_a_task() {
    for (base, planner, persona) in [
        ("cyclic", cyclic::family_planner as PlannerOf, "family-planner"),
        ("dag", dag::family_planner, "family-list-planner"),
    ] {
        let (stage, shown) = workshop();
        let planner = planner(&json!({}), &TestFiles::default()).unwrap();
        planner.play(&stage).await.unwrap();
        let family = families().into_iter().find(|family| family.name() == base).unwrap();
        let placed = agent(&*family, &family.showing("planner", persona), "planner");
        let prompts = FirstPrompts::new(&*family, &placed, &shown, &[]).unwrap();
        assert_eq!(differs(&prompts, &sent(&stage)), Vec::<String>::new(), "{persona}");
        let text = prompt::joined(&prompts.user);
        assert!(text.contains("\"size\"") && !text.contains(&*shown.brief.goal), "{text}");
    }
}

/// What a preview states of sizes and calls is what the settings say; a default is named as one.
#[test]
fn the_agents_of_a_controller_are_previewed_with_the_settings_of_their_study() {
    let (_, shown) = workshop();
    for base in ["cyclic", "dag"] {
        let family = families().into_iter().find(|family| family.name() == base).unwrap();
        let preview = |settings: &Value, place: &str| {
            let placed = agent(&*family, settings, place);
            let prompts = FirstPrompts::new(&*family, &placed, &shown, &[]).unwrap();
            (objects(&prompt::joined(&prompts.user)).remove(0), prompts.notes)
        };
        let settings = json!({ "graph": "planner", "size": [3, 5], "local_calls": 2, "global_calls": 7 });
        let (message, notes) = preview(&settings, "planner");
        assert_eq!((&message["size"], notes.len()), (&json!({ "least": 3, "most": 5 }), 0), "{base}: {notes:?}");
        assert_eq!(preview(&settings, "executor").0["calls_left"], 2, "{base}");
        assert_eq!(preview(&settings, "analyzer").0["calls_left"], 6, "{base}");
        let settings = json!({ "graph": "planner", "global_calls": 17 });
        assert_eq!(preview(&settings, "analyzer").0["calls_left"], 9, "{base}: the environment has 10 steps");
        let (message, notes) = preview(&json!({ "graph": "planner" }), "planner");
        assert_eq!(message["size"], json!({ "least": 2, "most": 12 }), "{base}");
        assert!(notes[0].contains("the default, [2, 12]") && notes[1].contains("at most 6"), "{base}: {notes:?}");
    }
}

#[tokio::test]
async fn the_summariser_is_previewed_with_the_members_of_its_request() {
    let (stage, shown) = workshop();
    let call = CallResult { call: ToolCall::bare("Wait"), result: "It hums.".to_owned() };
    let segment = WorkSegment { subtask: "LOOK".to_owned(), calls: vec![call], ..WorkSegment::default() };
    let won = Won { segments: vec![segment], ..Won::default() };
    Summariser::new(&json!({}), &TestFiles::default()).unwrap().of(won).play(&stage).await.unwrap();
    let placed = agent(&SummariserKind, &json!({}), Summariser::PLACE);
    let prompts = FirstPrompts::new(&SummariserKind, &placed, &shown, &[]).unwrap();
    assert_eq!(differs(&prompts, &sent(&stage)), Vec::<String>::new());
}
