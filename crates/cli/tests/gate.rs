//! The gate before final answers as a user plays it: with invented figures, with a lying verifier, in every process alike.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

use crate::common;

use common::Place;
use gimbal_cyc::cyclic::{Trajectory, TrajectoryFold};
use gimbal_study::plan::Stored;
use gimbal_study::read::{self, Episodes};
use gimbal_study::registry::Registry;
use gimbal_study::run::RunFolder;

const STUDY: &str = "\
study: gated
environment: { name: finance_agent, reader: extract }
architectures:
  - { base: react, name: react, persona: solver, conversation: episode, context: [observation], global_calls: 9, gate: evidence }
  - { base: dag, name: dag, graph: suggested, local_calls: 9, global_calls: 9, gate: evidence }
  - { base: cyclic, name: cyclic, graph: suggested, global_calls: 9, gate: evidence }
roles:
  - { default: noisy/1.0, verifier: scripted/vouch-for-nothing }
  - { default: noisy/1.0, verifier: noisy/0 }
faults: [none, { name: always, answer.misstated: 1 }]
episodes: { tasks: [s02, s11], runs: 1 }
";

fn walks(place: &Place, run: &str) -> Vec<Trajectory> {
    let folder = RunFolder::open(&place.path().join("runs").join(run)).unwrap();
    let stored = Stored::read(&folder).unwrap();
    let mut walks = Vec::new();
    let registry = Registry::default();
    let mut fold = TrajectoryFold::new(&read::run_cells(&stored, &registry), |walk| walks.push(walk));
    Episodes::of(&folder, &stored).pass(|_| true, &mut [&mut fold]).unwrap();
    walks
}

fn played(place: &Place, file: &str, text: &str, more: &[&str]) {
    place.write(file, text);
    place.gimbal(&[&["run", file, "--progress", "quiet", "--no-report"], more].concat()).good();
}

// covers: CYC-095
#[test]
fn invented_figures_are_held_back_and_supported_ones_pass() {
    let place = Place::new();
    played(&place, "gated.yaml", STUDY, &[]);
    let walks = walks(&place, "gated");
    assert_eq!(walks.len(), 24);
    for walk in &walks {
        let name = walk.name();
        assert!(walk.tool_calls <= 9, "{name}");
        if name.contains("always") {
            assert!(!walk.won, "{name}");
            let held = walk.gates.iter().filter(|gate| gate.held).count();
            assert_eq!((held, walk.gates.len()), (2, 3), "{name}: {:?}", walk.gates);
            assert!(walk.gates[2].overruled() && walk.stop.name() == "answered", "{name}");
            // What a verifier made up appears nowhere.
            assert!(walk.gates.iter().all(|gate| gate.verified == 0), "{name}: {:?}", walk.gates);
        } else {
            assert!(walk.won && walk.gates.len() == 1 && walk.gates[0].passed, "{name}: {:?}", walk.gates);
        }
    }
    let lied: u32 = walks.iter().flat_map(|walk| &walk.gates).map(|gate| gate.claimed).sum();
    assert!(lied > 0, "the second verifier vouches for everything");
    // In another process, on one worker: the same to the byte.
    let digest = place.gimbal(&["digest", "gated"]).good().out;
    let again = Place::new();
    played(&again, "gated.yaml", STUDY, &["--jobs", "1", "--only", "react"]);
    played(&again, "gated.yaml", STUDY, &["--jobs", "1"]);
    assert_eq!(again.gimbal(&["digest", "gated"]).good().out, digest);
    let said = place.gimbal(&["verify", "gated", "--json"]).good().json();
    assert_eq!(said["problems"].as_array().unwrap().len(), 0);
    let table = place.gimbal(&["report", "gated", "--table", "cyc-evidence", "--format", "csv"]).good().out;
    for column in ["held", "before", "after", "claimed", "verified", "gold", "stored", "gained"] {
        assert!(table.lines().next().unwrap().contains(column), "{column}: {table}");
    }
}

// covers: CYC-050, CYC-095
#[test]
fn a_model_that_answers_with_nonsense_stays_within_its_budgets() {
    let place = Place::new();
    let answer = r#"finance_agent_final_answer answer="It was $987,654.32 million.""#;
    place.write("stubborn.yaml", &format!("rules:\n  - say: |-\n      Thought: so it is\n      Answer: {answer}\n"));
    place.write("mad.yaml", "rules:\n  - say: 42 million, 43%, who knows?\n");
    let study = STUDY
        .replace("study: gated", "study: mad")
        .replace("gate: evidence", "gate: evidence, gate_refusals: 50")
        .replace("noisy/1.0, verifier: scripted/vouch-for-nothing", "scripted/stubborn.yaml")
        .replace("noisy/1.0, verifier: noisy/0", "scripted/mad.yaml")
        .replace("faults: [none, { name: always, answer.misstated: 1 }]\n", "");
    played(&place, "mad-study.yaml", &study, &[]);
    let walks = walks(&place, "mad");
    assert_eq!(walks.len(), 12);
    for walk in walks {
        assert!(!walk.won && walk.tool_calls <= 9, "{}: {} {}", walk.name(), walk.tool_calls, walk.stop.name());
        // Held back until no call is left: then there is no other answer to come.
        let last = usize::from(walk.stop.name() == "answered");
        let through = walk.gates.iter().filter(|gate| !gate.held).count();
        assert!(through == last && walk.gates.last().is_none_or(|gate| gate.held == (last == 0)), "{}", walk.name());
    }
}

// covers: CYC-095
#[test]
fn an_environment_without_answers_is_refused_by_the_plan() {
    let place = Place::new();
    let study = STUDY
        .replace("{ name: finance_agent, reader: extract }", "{ name: textcraft }")
        .replace("[s02, s11]", "{ limit: 1 }");
    place.write("none.yaml", &study);
    for verb in ["plan", "run"] {
        let said = place.gimbal(&[verb, "none.yaml"]);
        assert_eq!(said.code, 2, "{}", said.err);
        assert!(said.err.contains("a call that ends the task with an answer"), "{}", said.err);
    }
    let said = place.gimbal(&["persona", "show", "verifier"]).good().out;
    assert!(said.contains("check the figures of an answer"), "{said}");
}
