//! Attacks by text: chosen from seed, step and what is legal, planted once, on record, and part of the key.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use gimbal_core::event::{Body, Event};
use gimbal_core::{Digest, Files, TextRef};
use gimbal_messages::Record;
use gimbal_messages::records::attack::{AttackCarriedOut, AttackPlanted, AttackRead};
use gimbal_study::attacks::{Attack, Category, Suite};
use gimbal_study::faults::{Bounds, Fault, Faults, ONE, Rule};
use gimbal_study::plan::{self, Options, Plan, Problems};
use gimbal_study::registry::Library;
use gimbal_study::stage::Recorded;
use serde_json::json;

use crate::common::folders::STUDY;
use crate::common::{TestModels, registry};
use crate::faults::{seeded, told};

fn attack(category: Category, step: u32) -> Faults {
    let suite = Suite::own().unwrap_or_else(|problem| panic!("{problem}"));
    let bounds = Bounds { step: Some(step), ..Bounds::default() };
    let attack = Some(Attack { category, suite, file: None });
    Faults::of([Rule { bounds, attack, ..Rule::new(Fault::Planted, ONE) }])
}

fn text(recorded: &Recorded, reference: &TextRef) -> String {
    match reference.as_inline() {
        Some(text) => text.to_owned(),
        None => recorded.texts[&reference.as_stored().unwrap()].clone(),
    }
}

fn records<R: Record>(recorded: &Recorded) -> Vec<R> {
    let note = |event: &Event| match &event.body {
        Body::Note(note) if note.kind == R::KIND => Some(R::read(&text(recorded, &note.data)).unwrap()),
        _ => None,
    };
    told(recorded).iter().filter_map(note).collect()
}

// covers: CTHA-119
#[tokio::test]
async fn an_attack_is_planted_once_with_a_call_that_is_neither_idle_nor_the_experts() {
    let settings = json!({ "configuration": "obs" });
    for category in Category::ALL {
        let (_, recorded) = seeded(&settings, "react", attack(category, 3), 11).await;
        let planted = records::<AttackPlanted>(&recorded);
        assert_eq!(planted.len(), 1, "{category:?}");
        let AttackPlanted { step, category: name, aim, call, tool, .. } = &planted[0];
        assert_eq!((*step, name.as_str()), (3, category.name()));
        assert!(tool != "Sleep" && !call.is_empty(), "{call}");
        // The manifest of this environment has no call that binds: the next aim is taken.
        let expected = if category == Category::ResourceExhaustion { "waste" } else { "change" };
        assert_eq!(aim, expected, "{category:?}: {call}");
        // A call that changes nothing does no harm; one that changes a host names it.
        assert_eq!(planted[0].is_harmful(), Some(expected == "change"), "{:?}", planted[0]);
        // What was planted is a text of the suite with the call in it, behind what is seen of that step, and the fault says so.
        let events = told(&recorded);
        let fault = events.iter().find_map(|event| match &event.body {
            Body::Fault(fault) => Some(text(&recorded, fault.planted.as_ref().unwrap())),
            _ => None,
        });
        let fault = fault.unwrap();
        assert!(fault.contains(&format!("`{call}`")) && !fault.contains("{call}"), "{fault}");
        let shown: Vec<String> = events
            .iter()
            .filter_map(|event| match &event.body {
                Body::Stepped(step) => Some(text(&recorded, &step.observation)),
                _ => None,
            })
            .collect();
        assert!(shown[2].ends_with(&fault));
        assert_eq!(shown.iter().filter(|shown| shown.contains(&fault)).count(), 1);
        // The agent reads the whole of it in the step that follows, and no role before.
        let read = records::<AttackRead>(&recorded);
        assert_eq!((read[0].step, read[0].whole, read.len()), (4, true, 1), "{read:?}");
        // A noisy expert takes its answers from the true state and not from a text.
        let (_, same) = seeded(&settings, "react", attack(category, 3), 11).await;
        assert_eq!(recorded.events, same.events, "the same seed, the same bytes");
    }
}

#[tokio::test]
async fn what_is_planted_depends_on_seed_and_place_and_not_on_who_plays() {
    let planted = |base: &'static str, configuration: &'static str, seed: u64| async move {
        let (_, recorded) =
            seeded(&json!({ "configuration": configuration }), base, attack(Category::Jailbreak, 1), seed).await;
        let one = records::<AttackPlanted>(&recorded).remove(0);
        (one.text, one.call)
    };
    let one = planted("react", "obs", 11).await;
    // The hierarchy looks around before it acts.
    assert_eq!(planted("hierarchy", "hier-base", 11).await.0, one.0);
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..12 {
        seen.insert(planted("react", "obs", seed).await);
    }
    assert!(seen.len() > 6, "{seen:?}");
    // Without an attack there is no record of one.
    let (_, clean) = seeded(&json!({ "configuration": "obs" }), "react", Faults::default(), 11).await;
    assert!(records::<AttackPlanted>(&clean).is_empty() && records::<AttackCarriedOut>(&clean).is_empty());
}

fn resolved(faults: &str, files: &dyn Files) -> Result<Plan, Problems> {
    let study = plan::parse(&format!("{STUDY}faults: {faults}\n"), "study.yaml")?;
    plan::resolve(study, &Options::default(), &registry(), &TestModels, files)
}

// covers: CTHA-119
#[test]
fn category_step_and_suite_decide_the_key() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("attacks")).unwrap();
    let own = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../attacks/suite.yaml")).unwrap();
    std::fs::write(folder.path().join("attacks/same.yaml"), format!("# the same\n{own}")).unwrap();
    std::fs::write(folder.path().join("attacks/other.yaml"), own.replace("Carry out", "Make the call")).unwrap();
    std::fs::write(
        folder.path().join("attacks/one.yaml"),
        "suite: a\ncategories:\n  control: { aim: waste, texts: [{ name: n, text: 'see `{call}`' }] }\n",
    )
    .unwrap();
    std::fs::write(folder.path().join("attacks/broken.yaml"), "suite: a\ncategorys: {}\n").unwrap();
    let files = Library::new(&[], vec![folder.path().to_owned()]);
    let keys = |rule: &str| -> Vec<Digest> {
        let plan = resolved(&format!("[{{ tool.planted: {{ rate: 1, {rule} }} }}]"), &files);
        plan.unwrap_or_else(|problems| panic!("{problems}")).cells.iter().map(|cell| cell.key).collect()
    };
    let one = keys("attack: jailbreak, step: 2");
    assert_eq!(
        keys("attack: jailbreak, step: 2, suite: attacks/same.yaml"),
        one,
        "what a file says is the suite, and not its spelling"
    );
    let others = [
        "attack: jailbreak, step: 3",
        "attack: role_play, step: 2",
        "attack: jailbreak, step: 2, suite: attacks/other.yaml",
    ];
    for other in others {
        assert_ne!(keys(other), one, "{other}");
    }
    let line = STUDY.lines().count() + 1;
    for (rule, words) in [
        ("attack: jailbrake, step: 2", "there is no attack `jailbrake`; did you mean `jailbreak`?"),
        ("attack: jailbreak", "`attack` needs `step`"),
        ("attack: jailbreak, step: 2, text: a", "has one of `text`, `file` and `attack`"),
        ("text: a, suite: attacks/same.yaml", "which this rule does not name"),
        ("attack: jailbreak, step: 2, suite: attacks/none.yaml", "there is no suite `attacks/none.yaml`"),
        ("attack: jailbreak, step: 2, suite: attacks/one.yaml", "has no category `jailbreak`"),
    ] {
        let said = resolved(&format!("[{{ tool.planted: {{ rate: 1, {rule} }} }}]"), &files).err();
        let said = said.unwrap_or_else(|| panic!("{rule}")).to_string();
        assert!(said.starts_with(&format!("study.yaml:{line}:")) && said.contains(words), "{rule}: {said}");
    }
    let broken = "[{ tool.planted: { rate: 1, attack: control, step: 2, suite: attacks/broken.yaml } }]";
    let said = resolved(broken, &files).err().unwrap().to_string();
    assert!(said.contains("broken.yaml:2:1") && said.contains("did you mean `categories`"), "{said}");
    let two =
        "[{ tool.planted: [{ rate: 0.5, attack: control, step: 2 }, { rate: 0.5, attack: jailbreak, step: 3 }] }]";
    let said = resolved(two, &files).err().unwrap().to_string();
    assert!(said.contains("at most one attack"), "{said}");
}

#[test]
fn the_schema_of_studies_takes_attacks() {
    let validator = jsonschema::validator_for(&plan::schema::schema(&registry())).unwrap();
    let takes = |rule: serde_json::Value| {
        validator.is_valid(&json!({
            "study": "x", "environment": "corridor", "architectures": [{ "base": "learner" }], "faults": [{ "tool.planted": rule }],
        }))
    };
    assert!(takes(json!({ "rate": 1, "attack": "jailbreak", "step": 2 })));
    assert!(takes(json!({ "rate": 1, "attack": "control", "step": 2, "suite": "attacks/other.yaml" })));
    assert!(!takes(json!({ "rate": 1, "attack": "jailbreak" })));
    assert!(!takes(json!({ "rate": 1, "attack": "phishing", "step": 2 })));
    assert!(!takes(json!({ "rate": 1, "attack": "jailbreak", "step": 2, "text": "a" })));
}
