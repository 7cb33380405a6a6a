//! The case of Tab. 22 as an episode: three layers want three things at step 3, and at step 7 Reflex wants to write a file anew (CTHA-134).

use std::sync::Arc;

use gimbal_messages::Record;
use gimbal_messages::records::temporal::{LayerDecided, LayerViolated, SubgoalReached};
use gimbal_model::{Models, ModelsConfig};
use gimbal_study::plan::{self, Options};
use gimbal_study::read::trace::{self, Reader};
use gimbal_study::read::verify;
use gimbal_study::registry::Registry;
use gimbal_study::run::RunFolder;
use gimbal_study::runner::{self, Settings};
use gimbal_study::stage::Cancel;
use gimbal_testkit::environments::repository::Repository;
use serde_json::json;

use super::{policy, scored};
use crate::common::TestFiles;
use crate::debate::answer;

/// What each layer says, one answer after the other; the last one again where it is asked more often.
type Script = Vec<(&'static str, Vec<String>)>;

/// A plan of subgoals in an order, each with when it is met.
fn plan(subgoals: &[(&str, &str, &str)], constraints: &[&str]) -> String {
    let mut before: Option<&str> = None;
    let subgoals: Vec<serde_json::Value> = subgoals
        .iter()
        .map(|(id, description, met)| {
            let needs: Vec<&str> = before.replace(id).into_iter().collect();
            json!({ "id": id, "description": description, "success_criteria": met, "dependencies": needs })
        })
        .collect();
    answer(&json!({ "goal_id": "issue", "subgoals": subgoals, "priority": 1.0, "constraints": constraints }))
}

/// The next actions of Tactical, neither urgent nor sure.
fn ordered(actions: &[&str], reached: &[&str]) -> String {
    answer(&json!({
        "action_sequence": actions, "working_memory_update": "", "reached": reached, "urgency": 0.1, "confidence": 0.3,
        "summary": "in order"
    }))
}

fn constrained() -> Script {
    let analyze = ("analyze", "Read auth.py and views.py", "both were read");
    let auth = ("modify_auth", "Edit four lines of auth.py", "subject_state(auth.py).state is edited");
    let views = ("modify_views", "Edit four lines of views.py", "subject_state(views.py).state is edited");
    let test = ("test", "Run the test", "the test passes");
    let order = ["forbid EditBoth", "forbid Edit views.py"];
    let reads = |file: &str| scored(&format!("Read file={file}"), 0.2, 0.6);
    let edits = |file: &str| scored(&format!("Edit file={file}"), 0.5, 0.8);
    let next = |file: &str| ordered(&[&format!("Edit file={file}")], &[]);
    vec![
        ("institutional", vec![policy(&json!({ "rules": [] }))]),
        // The same is seen three times in a row: it is asked again at step 4, and then about the redesign.
        (
            "strategic",
            vec![
                plan(&[analyze, auth], &order),
                plan(&[analyze, auth], &order),
                plan(&[auth], &order),
                plan(&[views, test], &[]),
            ],
        ),
        (
            "tactical",
            vec![
                ordered(&["Read file=auth.py", "Read file=views.py"], &[]),
                next("views.py"),
                ordered(&["Read file=auth.py"], &[]),
                ordered(&["Read file=auth.py"], &["analyze"]),
                next("auth.py"),
                ordered(&["Edit file=views.py", "Test"], &[]),
            ],
        ),
        (
            "reflex",
            vec![
                reads("auth.py"),
                reads("views.py"),
                scored("EditBoth", 0.2, 0.4),
                reads("auth.py"),
                reads("auth.py"),
                reads("auth.py"),
                scored("Redesign file=auth.py", 0.9, 0.9),
                edits("auth.py"),
                edits("views.py"),
                scored("Test", 0.5, 0.8),
            ],
        ),
    ]
}

fn free() -> Script {
    let wants = |action: &str| format!("Thought: my part\nAnswer: This comes next. Do: {action}");
    let says = |text: &str| format!("Thought: my part\nAnswer: {text}");
    vec![
        ("institutional", vec![says("Go on as you do.")]),
        (
            "strategic",
            vec![
                says("auth.py comes first. Forbid: EditBoth"),
                says("Four lines of auth.py are wrong. Forbid: Redesign *"),
            ],
        ),
        (
            "tactical",
            vec![
                wants("Read file=auth.py"),
                wants("Edit file=views.py"),
                wants("Read file=auth.py"),
                wants("Edit file=auth.py"),
            ],
        ),
        (
            "reflex",
            [
                "Read file=auth.py",
                "Read file=views.py",
                "EditBoth",
                "Read file=auth.py",
                "Read file=auth.py",
                "Read file=auth.py",
                "Redesign file=auth.py",
                "Wait",
            ]
            .map(wants)
            .to_vec(),
        ),
    ]
}

/// Plays the case, and returns its records and how a person reads it.
struct Case {
    decided: Vec<LayerDecided>,
    violated: Vec<LayerViolated>,
    reached: Vec<SubgoalReached>,
    story: String,
}

async fn case(configuration: &str, script: Script) -> Case {
    let mut files = TestFiles::default();
    for (layer, says) in &script {
        let mut rules: Vec<serde_json::Value> =
            says.iter().enumerate().map(|(call, text)| json!({ "when": { "call": call }, "say": text })).collect();
        rules.push(json!({ "say": says.last().unwrap() }));
        files.0.insert(format!("scripted/case-{layer}.yaml"), json!({ "rules": rules }).to_string());
    }
    let files = || TestFiles(files.0.clone());
    let roles: Vec<String> = script.iter().map(|(layer, _)| format!("{layer}: scripted/case-{layer}")).collect();
    let study = format!(
        "study: case\nenvironment: {{ name: repository }}\narchitectures: [{{ base: temporal, configuration: {configuration}, tactical_period: 2 }}]\n\
         roles: [{{ {} }}]\nepisodes: {{ tasks: {{ split: test }}, runs: 1, seed: 1 }}\n",
        roles.join(", ")
    );
    let registry = Registry {
        environments: vec![Arc::new(Repository)],
        architectures: gimbal_architectures::kinds(),
        learned: Some(Arc::new(super::notes::Embedders)),
    };
    let models = || Models::new(ModelsConfig { scripts: Arc::new(files()), ..ModelsConfig::default() });
    let study = plan::parse(&study, "study.yaml").unwrap_or_else(|problems| panic!("{problems}"));
    let plan = plan::resolve(study, &Options::default(), &registry, &models(), &files());
    let plan = plan.unwrap_or_else(|problems| panic!("{problems}"));
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("case");
    let summary =
        runner::run(Arc::new(plan), Arc::new(models()), Settings::new(&root), Cancel::default(), |_| {}).await.unwrap();
    assert_eq!(summary.lost, 0);
    let folder = RunFolder::open(&root).unwrap();
    assert_eq!(verify(&folder, &registry.records()).unwrap().problems, Vec::<String>::new());
    let mut found = Case { decided: Vec::new(), violated: Vec::new(), reached: Vec::new(), story: String::new() };
    let episode = trace::find(&folder, "0").unwrap();
    let mut reader = Reader::open(&folder, &episode).unwrap();
    for event in reader.events().to_vec() {
        let gimbal_core::event::Body::Note(note) = event.body else { continue };
        let data = reader.text(&note.data).unwrap();
        match note.kind.as_str() {
            LayerDecided::KIND => found.decided.push(LayerDecided::read(&data).unwrap()),
            LayerViolated::KIND => found.violated.push(LayerViolated::read(&data).unwrap()),
            SubgoalReached::KIND => found.reached.push(SubgoalReached::read(&data).unwrap()),
            _ => {}
        }
    }
    found.story = reader.story(false, &registry).unwrap();
    found
}

/// The story without what a clock or the folder decides, and without what models read.
fn lines(story: &str, step: u32) -> String {
    let from = story.split_once(&format!("== step {step} ==")).unwrap().1;
    let own = from.split("\n== step").next().unwrap();
    let told = [
        "reflex wants",
        "tactical wants",
        "conflict:",
        "verdict",
        "violation:",
        "carried out",
        "subgoal",
        "commitment",
        "strategic was",
        "reward",
        "reflex ->",
        "strategic ->",
        "tactical ->",
        "fallback",
    ];
    own.lines().filter(|line| told.iter().any(|begin| line.starts_with(begin))).collect::<Vec<_>>().join("\n")
}

// covers: CTHA-070, CTHA-134
#[tokio::test]
async fn under_contracts_a_plan_decides_step_3_and_a_redesign_is_held_back_at_step_7() {
    let case = case("ctha", constrained()).await;
    // Step 3: three parties exclude one another two by two, and the plan is kept: nothing is edited out of order.
    let third = &case.decided[2];
    let layers: Vec<(&str, &str)> =
        third.conflicts.iter().map(|one| (one.faster.as_str(), one.slower.as_str())).collect();
    assert!(layers.contains(&("reflex", "strategic")) && layers.contains(&("tactical", "strategic")), "{third:?}");
    assert!(layers.contains(&("reflex", "tactical")), "{third:?}");
    assert_eq!((third.call.as_str(), third.caller.as_deref()), ("Wait", None));
    assert!(third.carried_out.is_empty());
    // Step 7: what binds the task goes to the planner, who does not name it.
    let held = &case.violated[0];
    assert_eq!((held.step, held.kind.as_str(), held.text.as_str()), (7, "binding", "Redesign file=auth.py"));
    assert_eq!(
        (held.carried_out, held.over.as_deref(), held.instead.as_str()),
        (false, Some("strategic"), "escalation")
    );
    assert_eq!(case.violated.len(), 1);
    // Then four lines are edited, and subgoals are met by the tracker's answers, one of them by Tactical's word.
    let calls: Vec<&str> = case.decided.iter().map(|one| one.call.as_str()).collect();
    assert_eq!(calls[7..], ["Edit file=auth.py", "Edit file=views.py", "Test"]);
    let reached: Vec<(&str, &str)> = case.reached.iter().map(|one| (one.subgoal.as_str(), one.by.as_str())).collect();
    assert_eq!(reached, [("analyze", "word"), ("modify_auth", "query"), ("modify_views", "query")]);
    assert!(case.story.contains("ended: solved"), "{}", case.story);
    insta::assert_snapshot!("the-case-step-3", lines(&case.story, 3));
    insta::assert_snapshot!("the-case-step-7", lines(&case.story, 7));
}

// covers: CTHA-134
#[tokio::test]
async fn without_contracts_the_last_action_written_is_carried_out_at_both_steps() {
    let case = case("unconstrained", free()).await;
    let (third, seventh) = (&case.decided[2], &case.decided[6]);
    assert_eq!((third.call.as_str(), third.caller.as_deref()), ("EditBoth", Some("reflex")));
    let against: Vec<&str> = third.carried_out.iter().map(|one| one.slower.as_str()).collect();
    assert!(against.contains(&"tactical") && against.contains(&"strategic"), "{third:?}");
    assert_eq!(seventh.call, "Redesign file=auth.py");
    assert!(case.story.contains("ended: horizon"), "{}", case.story);
    insta::assert_snapshot!("the-case-free-step-3", lines(&case.story, 3));
    insta::assert_snapshot!("the-case-free-step-7", lines(&case.story, 7));
}
