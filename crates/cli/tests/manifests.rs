//! What every environment says of its tools.

use std::path::PathBuf;
use std::sync::Arc;

use gimbal_core::manifest::parameters;
use gimbal_core::{
    CallFacts, Catalogue, Environment, Manifest, Reply, Rng, Scope, TaskId, ToolCall, ToolSpec, legal_calls,
};
use gimbal_env_kit::manifest;
use gimbal_env_kit::workbench::Workbench;
use gimbal_temporal::contracts::Criterion;
use serde_json::{Value, json};

/// States that are looked at, for each of an environment's options.
const STATES: usize = 50;
/// Most legal calls of a state that are looked at.
const CALLS: usize = 400;

/// The environments of the program, each with its options by default and those that change its tools.
fn families() -> Vec<(Arc<dyn Catalogue>, Vec<Value>)> {
    let of = |family: Arc<dyn Workbench>| {
        let mut all = vec![json!({})];
        all.extend(further(family.name()));
        (family as Arc<dyn Catalogue>, all)
    };
    gimbal_environments::all().into_iter().map(of).collect()
}

/// Options of an environment that change its tools, beside the default.
fn further(environment: &str) -> Vec<Value> {
    match environment {
        "cage2" => vec![json!({ "names": "neutral" })],
        "yawning_titan" => vec![json!({ "names": "shuffled" })],
        "textcraft" => vec![json!({ "tools": "unified" })],
        "alfworld" => {
            let mut all = vec![json!({ "tools": "select" }), json!({ "tools": "split" })];
            if let Some(games) = data().map(|data| data.join("alfworld/games").display().to_string()) {
                all.extend([json!({ "games": games }), json!({ "games": games, "wording": "2.1.1" })]);
            }
            all
        }
        "finance_agent" => vec![json!({ "texts": "v1.1" })],
        _ => Vec::new(),
    }
}

/// The folder of published data, if it is at hand.
fn data() -> Option<PathBuf> {
    let set = std::env::var_os("GIMBAL_DATA").map(PathBuf::from);
    let data = set.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference")));
    if data.join("alfworld/games").is_dir() {
        return Some(data);
    }
    println!("skipped: no published games in {}", data.display());
    None
}

/// Begins the first task that the environment has.
async fn reset(family: &dyn Catalogue, options: &Value, environment: &mut dyn Environment) {
    let task = family.splits().iter().find_map(|split| family.tasks(split, options).ok()?.into_iter().next());
    environment.reset(&task.unwrap(), 0).await.unwrap();
}

/// Every environment with each of its options, at the beginning of its first task.
pub async fn begun() -> Vec<(Arc<dyn Catalogue>, Value, Box<dyn Environment>)> {
    let mut begun = Vec::new();
    for (family, all) in families() {
        for options in all {
            let options = family.resolve(&options).unwrap();
            let mut environment = family.open(&options).unwrap();
            reset(&*family, &options, &mut *environment).await;
            begun.push((Arc::clone(&family), options, environment));
        }
    }
    begun
}

/// Prompts tell agents to copy from a list where that is all there is: who takes any number or any text must say so in its brief.
#[tokio::test]
async fn an_environment_whose_calls_have_any_number_says_so() {
    for (family, options, environment) in begun().await {
        let brief = environment.brief();
        let is_any = |schema: &Value| schema["type"] == "integer" && schema.get("enum").is_none();
        let properties = |tool: &ToolSpec| tool.parameters["properties"].as_object().cloned().unwrap_or_default();
        let by_schema = environment.tools().iter().any(|tool| properties(tool).values().any(is_any));
        let by_command = legal_calls(&*environment, CALLS).iter().any(|call| brief.manifest.any_number(call).is_some());
        assert!(brief.lists_examples() || !(by_schema || by_command), "{} {options}", family.name());
    }
}

/// A plan holds graphs against the tools of an environment that was opened and not reset.
#[tokio::test]
async fn the_names_of_tools_are_known_before_an_episode_begins() {
    for (family, all) in families() {
        for options in all {
            let options = family.resolve(&options).unwrap();
            let mut environment = family.open(&options).unwrap();
            let names = |environment: &dyn Environment| -> Vec<String> {
                environment.tools().iter().map(|tool| tool.name.clone()).collect()
            };
            let before = names(&*environment);
            reset(&*family, &options, &mut *environment).await;
            assert_eq!(before, names(&*environment), "{} {options}", family.name());
        }
    }
}

/// Native requests hold the glossary and the descriptions of tools: both say one thing of an action. A glossary entry may have more
/// behind it, such as the forms of a household's commands.
#[tokio::test]
async fn a_tool_is_described_as_its_glossary_entry_says() {
    for (family, options, environment) in begun().await {
        let (brief, name) = (environment.brief(), family.name());
        for tool in environment.tools().iter() {
            assert!(!tool.description.is_empty(), "{name} {options}: `{}` has no description", tool.name);
            let Some(entry) = brief.glossary.iter().find(|entry| entry.name == tool.name) else { continue };
            let (ours, whole) = (tool.description.as_str(), entry.description.as_str());
            assert!(whole.starts_with(ours), "{name} {options}: `{}`: {ours} / {whole}", tool.name);
            assert!(whole == ours || ["alfworld", "textcraft"].contains(&name), "{name}: {ours} / {whole}");
        }
    }
}

/// The calls that can be made now: the legal ones as far as they can be listed, and those of experts and policies.
pub fn calls(environment: &mut dyn Environment, draws: &mut Rng) -> Vec<ToolCall> {
    let mut calls = legal_calls(environment, CALLS);
    calls.extend(environment.expert().and_then(|expert| expert.next_call()));
    let policies: Vec<&str> = environment.policies().to_vec();
    for policy in policies {
        calls.extend(environment.decide(policy, draws));
    }
    calls.push(environment.brief().idle.clone());
    calls
}

/// Looks at the facts of all calls of a state. Returns how many have a use or an effect.
fn look_at(environment: &dyn Environment, calls: &[ToolCall]) -> usize {
    let manifest = &environment.brief().manifest;
    let mut telling = 0;
    for call in calls {
        let facts = manifest.of(call);
        let tool = &manifest.tools()[&call.tool];
        let filled = || {
            let effects = facts.effects.iter().flat_map(|(key, value)| [key, value]);
            facts.reads.iter().chain(&facts.writes).chain(effects)
        };
        let commands = tool.commands.iter().flat_map(|one| {
            let effects = one.effects.iter().flat_map(|(key, value)| [key, value]);
            one.reads.iter().chain(&one.writes).chain(effects)
        });
        let effects = tool.effects.iter().flat_map(|(key, value)| [key, value]);
        let written = tool.reads.iter().chain(&tool.writes).chain(effects).chain(commands);
        for name in written.flat_map(|text| parameters(text)) {
            let left = filled().find(|text| text.contains(&format!("{{{name}}}")));
            assert_eq!(left, None, "{call:?}");
        }
        if let Some(command) = tool.commands.first() {
            let text = call.string(&command.argument).unwrap();
            assert!(tool.commands.iter().any(|one| one.form.read(text).is_some()), "no form for `{text}`");
        }
        telling += usize::from(filled().next().is_some());
    }
    telling
}

async fn play(family: &dyn Catalogue, options: &Value, task: &TaskId) -> Option<(usize, usize)> {
    let mut environment = family.open(options).unwrap();
    let mut draws = Rng::stream(7, "manifests");
    let (mut looked, mut telling, mut seed) = (0, 0, 0);
    let mut over = true;
    while looked < STATES {
        if over {
            seed += 1;
            if let Err(error) = environment.reset(task, seed).await {
                println!("skipped: {} {options} {}: {error}", family.name(), task.0);
                return None;
            }
            // A tool that an episode does not offer has an entry too, and each that it offers fits.
            let offered = |name: &String| environment.tools().iter().any(|tool| tool.name == *name);
            let facts = environment.brief().manifest.tools().clone().into_iter().filter(|(name, _)| offered(name));
            let checked = manifest::check(&Manifest::new(facts.collect()), "brief", environment.tools());
            assert_eq!(checked, Ok(()), "{} {options}", family.name());
            assert!(environment.brief().seconds_per_step.is_some_and(|seconds| seconds > 0));
        }
        let calls = calls(&mut *environment, &mut draws);
        telling += look_at(&*environment, &calls);
        looked += 1;
        let call = &calls[draws.below(calls.len() as u64) as usize];
        let mut reply = environment.call(call).await;
        if let Ok(Reply::Ask(ask)) = &reply {
            reply = environment.unanswered(&ask.role, "refused").await;
        }
        over = match reply {
            Ok(Reply::Step(step)) => step.done.is_some(),
            // Free texts of an example may be refused, and then nothing has changed.
            _ => false,
        };
    }
    Some((looked, telling))
}

// covers: CTHA-060, CTHA-070
#[tokio::test]
async fn every_tool_of_every_environment_has_facts_and_every_call_fills_them_in() {
    for (family, all) in families() {
        let mut played = 0;
        for options in &all {
            for split in family.splits() {
                let Ok(tasks) = family.tasks(split, options) else { continue };
                let Some(task) = tasks.first() else { continue };
                let Some((looked, telling)) = play(&*family, options, task).await else { continue };
                assert!(telling >= looked, "{} {options}: only {telling} calls use or change something", family.name());
                played += 1;
            }
        }
        assert!(played >= all.len().min(2), "{}: {played} played", family.name());
    }
}

fn facts(family: &dyn Catalogue) -> Manifest {
    family.open(&json!({})).unwrap().brief().manifest.clone()
}

/// Whether two calls of one step exclude one another by what they use or bring about.
fn exclude(manifest: &Manifest, one: &ToolCall, other: &ToolCall) -> bool {
    let (one, other) = (manifest.of(one), manifest.of(other));
    let uses =
        |a: &CallFacts, b: &CallFacts| a.writes.iter().any(|name| b.writes.contains(name) || b.reads.contains(name));
    let contradict = one.effects.iter().any(|(key, value)| other.effects.get(key).is_some_and(|found| found != value));
    uses(&one, &other) || uses(&other, &one) || contradict
}

// covers: CTHA-070
#[test]
fn what_excludes_what_is_what_the_rules_of_each_environment_say() {
    let of = |tool: &str, argument: &str, value: &str| ToolCall::with(tool, &[(argument, value)]);
    let cage = facts(&gimbal_cage2::Cage2);
    let on = |tool: &str, host: &str| of(tool, "hostname", host);
    assert!(exclude(&cage, &on("Remove", "User1"), &on("Restore", "User1")));
    assert!(exclude(&cage, &on("DecoyApache", "User1"), &on("Restore", "User1")));
    assert!(exclude(&cage, &on("Analyse", "User1"), &on("Restore", "User1")));
    assert!(!exclude(&cage, &on("Restore", "User1"), &on("Restore", "User2")));
    assert!(!exclude(&cage, &on("DecoyApache", "User1"), &on("Remove", "User1")));
    assert!(!exclude(&cage, &ToolCall::bare("Monitor"), &on("Analyse", "User1")));
    assert_eq!(cage.of(&on("DecoyApache", "User1")).effects["decoys of User1"], "present");
    assert_eq!(cage.of(&on("Restore", "User1")).effects["decoys of User1"], "none");

    let titan = facts(&gimbal_yawning_titan::YawningTitan);
    let node = |tool: &str, name: &str| of(tool, "node", name);
    assert!(exclude(&titan, &node("ReduceVulnerability", "n1"), &node("RestoreNode", "n1")));
    assert!(exclude(&titan, &node("IsolateNode", "n1"), &node("ConnectNode", "n1")));
    assert!(!exclude(&titan, &node("IsolateNode", "n1"), &node("MakeNodeSafe", "n1")));
    assert!(!exclude(&titan, &node("MakeNodeSafe", "n1"), &node("MakeNodeSafe", "n2")));

    let house = facts(&gimbal_alfworld::Alfworld::new());
    let does = |command: &str| of("select_command", "command", command);
    assert!(exclude(&house, &does("go to sink 1"), &of("explore", "command", "go to desk 2")));
    assert!(exclude(&house, &does("go to sink 1"), &does("take pen 1 from desk 2")));
    assert!(exclude(&house, &does("take pen 1 from desk 2"), &does("put cup 1 in/on desk 2")));
    assert!(exclude(&house, &does("heat egg 1 with oven 1"), &does("cool egg 1 with fridge 1")));
    assert!(!exclude(&house, &does("heat egg 1 with oven 1"), &does("clean cup 1 with sink 1")));
    assert!(!exclude(&house, &does("look"), &does("inventory")));
    let taken = house.of(&does("take pen 1 from desk 2"));
    assert_eq!((taken.effects["place of pen 1"].as_str(), taken.effects["hands"].as_str()), ("hands", "pen 1"));

    let craft = facts(&gimbal_textcraft::TextCraft);
    let crafts = |command: &str| of("textcraft_craft", "crafting_command", command);
    let signs = crafts("craft 3 oak sign using 6 oak planks, 1 stick");
    assert!(exclude(&craft, &signs, &crafts("craft 4 stick using 2 oak planks")));
    assert!(!exclude(&craft, &signs, &crafts("craft 1 iron ingot using 9 iron nugget")));
    assert!(!exclude(&craft, &signs, &ToolCall::bare("textcraft_inventory")));
    assert_eq!(craft.of(&signs).writes, ["item oak sign", "item oak planks", "item stick"]);

    let filings = facts(&gimbal_finance_agent::FinanceAgent);
    let page = |url: &str, key: &str| ToolCall::with("finance_agent_parse_html_page", &[("url", url), ("key", key)]);
    assert!(
        exclude(&filings, &page("a", "k"), &page("b", "k")) && !exclude(&filings, &page("a", "k"), &page("b", "l"))
    );
    let answer = |text: &str| of("finance_agent_final_answer", "answer", text);
    assert!(exclude(&filings, &answer("4 %"), &answer("5 %")));
    assert_eq!(filings.of(&answer("4 %")).scope, Scope::Plan);

    let triage = facts(&gimbal_triage::Triage);
    assert!(!exclude(&triage, &of("show_fact", "id", "F001"), &of("show_fact", "id", "F001")));
    assert_eq!(triage.of(&of("conclude", "verdict", "INCONCLUSIVE")).effects["verdict"], "INCONCLUSIVE");
    assert_eq!(triage.of(&of("conclude", "verdict", "INCONCLUSIVE")).scope, Scope::Plan);

    let rounds = facts(&gimbal_consensus::Consensus);
    assert!(exclude(&rounds, &of("round", "ballots", "a"), &of("round", "ballots", "b")));
}

/// Criteria that trackers answer, `{}` being the first subject, with what they say before the first step where it is the same in every task.
const CRITERIA: [(&str, &str, Option<bool>); 13] = [
    ("cage2", "subject_state({}).current_status is baseline", None),
    ("cage2", "get_host_current_state({}).current_status is not changed", None),
    ("cage2", "subject_baseline({}).decoys_included contains nothing", Some(false)),
    ("yawning_titan", "subject_state({}).state.compromised is false", None),
    ("yawning_titan", "subject_state({}).current_status is baseline", None),
    ("alfworld", "subject_state({}).current_status is not baseline", Some(false)),
    ("textcraft", "subject_state({}).carried >= 1", Some(false)),
    ("finance_agent", "subject_state({}).found >= 1 and evidence(\"41 %\").supported is true", Some(false)),
    ("finance_agent", "quotation(report, \"net income\").found is true", Some(false)),
    ("triage", "subject_state({}).facts_shown >= 0", Some(true)),
    ("triage", "quotation(F001, \"no such words\").found is true", Some(false)),
    ("consensus", "subject_baseline({}).agent is {}", Some(true)),
    ("consensus", "subject_state({}).agent is not {}", Some(false)),
];

// covers: CTHA-048, CTHA-091
#[tokio::test]
async fn trackers_answer_criteria_without_a_model() {
    let mut judged = 0;
    for (family, all) in families() {
        let Some((task, options)) = all.iter().find_map(|options| {
            let split = family.splits().iter().find_map(|split| family.tasks(split, options).ok())?;
            Some((split.first()?.clone(), options))
        }) else {
            continue;
        };
        let mut environment = family.open(options).unwrap();
        let first = match environment.reset(&task, 1).await {
            Ok(first) => first,
            Err(error) => {
                println!("skipped: {}: {error}", family.name());
                continue;
            }
        };
        let mut tracker = environment.tracker();
        tracker.begin(&first);
        let brief = environment.brief();
        let subject = brief.subjects.first().map_or("", String::as_str);
        for (_, text, expected) in CRITERIA.iter().filter(|(name, ..)| *name == family.name()) {
            let quoted = serde_json::to_string(subject).unwrap();
            let criterion: Criterion = text.replace("{}", &quoted).parse().unwrap();
            let calls = criterion.calls(tracker.queries(), &brief.tool_names);
            let answers: Vec<Option<String>> =
                calls.iter().map(|call| tracker.query(call.as_ref().unwrap()).ok()).collect();
            let holds = criterion.holds(&answers);
            assert!(holds.is_some(), "{}: {criterion}: {answers:?}", family.name());
            assert!(expected.is_none() || holds == *expected, "{}: {criterion}: {answers:?}", family.name());
            judged += 1;
        }
    }
    assert!(judged > 8, "{judged}");
}
