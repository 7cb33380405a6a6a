//! The shipped studies of the three axes, played as far as this machine can.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

use crate::common;

use common::Place;

fn shipped(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../studies/{name}.yaml", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

// covers: BOG-180, BOG-233
#[test]
fn the_twelve_configurations_play_in_both_environments_by_yaml_alone() {
    let place = Place::new();
    place.write("second-environment.yaml", &shipped("second-environment"));
    let run =
        ["run", "second-environment.yaml", "--limit", "1", "--only", "noisy/0.9", "--progress", "quiet", "--no-report"];
    place.gimbal(&run).good();
    let said = place.gimbal(&["verify", "second-environment", "--json"]).good().json();
    assert_eq!((said["episodes"].as_u64(), said["problems"].as_array().unwrap().len()), (Some(36), 0));
    let table = place.gimbal(&["report", "second-environment", "--table", "second-environment"]).good().out;
    for environment in ["cage2 b_line 30", "yawning_titan"] {
        assert!(table.contains(environment), "{table}");
    }
}

// covers: BOG-131, BOG-132
#[test]
fn the_local_grid_plays_every_cell_that_needs_no_weights() {
    let place = Place::new();
    place.write("bog-local.yaml", &shipped("bog-local"));
    let run = ["run", "bog-local.yaml", "--limit", "1", "--only", "noisy/", "--progress", "quiet", "--no-report"];
    place.gimbal(&run).good();
    let said = place.gimbal(&["verify", "bog-local", "--json"]).good().json();
    assert_eq!((said["episodes"].as_u64(), said["problems"].as_array().unwrap().len()), (Some(39), 0));
    // Every role of the hierarchy has rows of its own in the ledger.
    let roles = place.gimbal(&["report", "bog-local", "--table", "roles", "--format", "csv"]).good().out;
    for role in ["planner", "analyst", "chooser"] {
        assert!(roles.lines().any(|line| line.starts_with("hier-delib,") && line.contains(role)), "{roles}");
    }
}

/// n-shot as the work has it: task-specific graphs on training tasks, summaries of what was won, frozen in a file, shown to
/// the planner on test tasks. No executor and no router ever sees one, and only the cell with them does.
// covers: CYC-020, CYC-022, CYC-023, CYC-082
#[test]
fn summaries_of_training_reach_the_planner_on_test_tasks_and_nobody_else() {
    let place = Place::new();
    let study = |name: &str, split: &str, architectures: &str| {
        format!(
            "study: {name}\nenvironment: {{ name: textcraft, tasks: {{ split: {split}, limit: 5 }} }}\narchitectures:\n{architectures}roles: {{ default: 'noisy/0.9' }}\nepisodes: {{ seed: 5 }}\n"
        )
    };
    let plain = "  - { base: cyclic, name: plain, graph: planner, local_calls: 5 }\n";
    place.write("train.yaml", &study("train", "depth-3-train", plain));
    place.gimbal(&["run", "train.yaml", "--progress", "quiet", "--no-report"]).good();
    std::fs::create_dir_all(place.path().join("shots")).unwrap();
    place.gimbal(&["graph", "shots", "train", "--most", "3", "--out", "shots/learned.yaml"]).good();
    let frozen = std::fs::read_to_string(place.path().join("shots/learned.yaml")).unwrap();
    let shots: Vec<&str> = frozen.lines().filter_map(|line| line.trim().strip_prefix("- \"Task: ")).collect();
    assert_eq!(shots.len(), 3, "{frozen}");
    let marks: Vec<&str> = shots.iter().map(|shot| shot.split(". ").next().unwrap()).collect();
    let with = "  - { base: cyclic, name: shots, graph: planner, local_calls: 5, shots: learned }\n";
    place.write("test.yaml", &study("test", "depth-3-test", &format!("{plain}{with}")));
    place.gimbal(&["run", "test.yaml", "--config", ".", "--progress", "quiet", "--no-report"]).good();
    let (mut planners, mut others) = (0, 0);
    for episode in 0..10 {
        let number = episode.to_string();
        let events = place.gimbal(&["trace", "test", &number, "--json"]).good().out;
        let cell = place.gimbal(&["trace", "test", &number]).good().out;
        let taught = cell.starts_with("shots/");
        assert!(taught || cell.starts_with("plain/"), "{cell}");
        for line in events.lines() {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            let called = &event["body"]["model_called"];
            let Some(role) = called["role"].as_str() else { continue };
            let call = called["call"].to_string();
            // The planner's call, the first of an executor and the first of the router are read in full.
            let first = role == "planner" || cell.contains(&format!("call {call} to {role}: 0 earlier messages kept"));
            if !first || others > 60 && role != "planner" {
                continue;
            }
            let prompt = place.gimbal(&["trace", "test", &number, "--call", &call]).good().out;
            let shown = marks.iter().filter(|mark| prompt.contains(**mark)).count();
            if role == "planner" {
                assert_eq!(shown, if taught { 3 } else { 0 }, "{prompt}");
                planners += 1;
            } else {
                assert_eq!(shown, 0, "{role}: {prompt}");
                others += 1;
            }
        }
    }
    assert!(planners >= 10 && others >= 20, "{planners} {others}");
}

/// The work's studies with its own models resolve, role by role; generated households and synthetic questions are used instead of
/// its games and questions. None is played: no provider is asked.
// covers: CYC-021, CYC-054, CYC-080, CYC-081, CYC-084, CYC-085, CYC-052
#[test]
fn the_studies_of_the_third_work_resolve_with_its_models() {
    let place = Place::new();
    for (name, environment) in
        [("cyc-textcraft", "textcraft"), ("cyc-alfworld", "alfworld"), ("cyc-finance", "finance_agent")]
    {
        let text = shipped(name).replace("split: unseen ", "split: generated ");
        // Scenarios of triage are the program's own in every split but one.
        let text = if ["triage", "consensus"].iter().any(|name| text.contains(name)) {
            text
        } else {
            text.replace("split: test }", "split: synthetic-test }")
        };
        assert!(!text.contains("temperature:"), "{name}: the default is meant");
        assert!(text.contains("runs: 3,"), "{name}: three seeds a configuration");
        place.write(&format!("{name}.yaml"), &text);
        let said = place.gimbal(&["run", &format!("{name}.yaml"), "--dry-run"]);
        for word in ["openai/gpt-4o-mini", "openai/gpt-5-mini", "Gen-Cyc", "diverted"] {
            assert!(said.out.contains(word), "{name}, {word}: {} {}", said.out, said.err);
        }
        let row = |start: &str| said.out.lines().any(|line| line.contains(start));
        assert!(
            row("ReAct | openai/gpt-4o-mini ") && row("DepDAG | openai/gpt-4o-mini planner=openai/gpt-5-mini"),
            "{}",
            said.out
        );
        // One agent has no roles beside its own, and nothing that could be diverted.
        let agents = said.out.lines().filter(|line| line.contains("ReAct |")).count();
        assert_eq!(agents, if name == "cyc-textcraft" { 6 } else { 2 }, "{}", said.out);
        assert!(said.out.lines().all(|line| !line.contains("ReAct |") || !line.contains("diverted")), "{}", said.out);
        // Which graph Gen-Cyc plays is the planner's: both tiers must plan one first.
        for model in ["gpt-4o-mini", "gpt-5-mini"] {
            let mend =
                format!("`gimbal graph plan {environment} --model openai/{model} --name {environment}-by-{model}`");
            assert!(said.err.contains(&mend), "{name}: {}", said.err);
        }
    }
    let depths = place.gimbal(&["run", "cyc-textcraft.yaml", "--dry-run"]).out;
    for depth in ["textcraft depth-2-test | ReAct", "textcraft depth-3-test | ReAct", "textcraft depth-4-test | ReAct"]
    {
        assert!(depths.contains(depth), "{depths}");
    }
    assert!(shipped("cyc-alfworld").contains("{ split: unseen }"), "all 134");
    place.write("cyc-exploration.yaml", &shipped("cyc-exploration").replace("unseen-test", "generated"));
    place.gimbal(&["run", "cyc-exploration.yaml", "--dry-run"]).good();
}

/// No shipped study plays the same episodes in two cells, and none says twice what one cell is.
// covers: SH-06
#[test]
fn no_shipped_study_of_the_fourth_work_has_a_cell_twice() {
    no_cell_twice(true);
}

// covers: SH-06
#[test]
fn no_other_shipped_study_has_a_cell_twice() {
    no_cell_twice(false);
}

/// Looks at the cells of the studies of the fourth work, whose estimates take half of the time, or at those of all others.
fn no_cell_twice(of_fourth: bool) {
    let place = Place::new();
    let folder = format!("{}/../../studies", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().trim_end_matches(".yaml").to_owned())
        .filter(|name| name.starts_with("ctha") == of_fourth)
        .collect();
    names.sort();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        let text = shipped(&name)
            .replace("split: unseen-test", "split: generated-test")
            .replace("split: unseen ", "split: generated ");
        // Scenarios of triage are the program's own.
        let text = if ["triage", "consensus"].iter().any(|name| text.contains(name)) {
            text
        } else {
            text.replace("split: test }", "split: synthetic-test }")
        };
        place.write(&format!("{name}.yaml"), &text);
        let said = place.gimbal(&["run", &format!("{name}.yaml"), "--dry-run"]).good();
        let ids: Vec<&str> = said
            .out
            .lines()
            .skip(2)
            .take_while(|line| !line.starts_with("all "))
            .filter_map(|line| line.split("  ").next())
            .collect();
        let once: std::collections::BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(ids.len(), once.len(), "{name}: {}", said.out);
        let longest = ids.iter().map(|id| id.chars().count()).max().unwrap();
        // A stack of models for four layers names four.
        let most = if name == "ctha" { 190 } else { 130 };
        assert!(longest <= most, "{name}: {longest}: {}", said.out);
    }
}

/// A study for any machine plays the same tasks whether or not there are data of one's own: its splits are named.
#[test]
fn local_studies_name_their_splits() {
    for name in ["cyc-local", "cyc-embedded", "cyc-noise", "cyc-graphs", "cyc-graphs-train", "reader"] {
        let study = gimbal_core::yaml::read::<serde_json::Value>(&shipped(name), name).unwrap();
        for environment in study["environment"].as_array().unwrap() {
            assert!(environment["tasks"]["split"].is_string(), "{name}: {environment}");
        }
    }
}

/// Every study of the second work plans, and says which difference it can detect although nothing was played.
#[test]
fn studies_of_debate_say_which_difference_they_can_detect() {
    let place = Place::new();
    let folder = format!("{}/../../studies", env!("CARGO_MANIFEST_DIR"));
    let names =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.starts_with("ares")).collect();
    names.sort();
    let known = ["ares-controls", "ares-embedded", "ares-families", "ares-local", "ares-packets", "ares"];
    assert_eq!(names, known.map(|name| format!("{name}.yaml")));
    for name in names {
        let name = name.trim_end_matches(".yaml");
        place.write(&format!("{name}.yaml"), &shipped(name));
        let said = place.gimbal(&["plan", &format!("{name}.yaml"), "--no-cost", "--format", "csv"]).good().out;
        let rows: Vec<&str> = said.lines().filter(|line| line.contains(",assumed,")).collect();
        assert!(rows.len() >= 2, "{name}: {said}");
        for row in rows {
            let found = row.split(",assumed,").nth(1).and_then(|rest| rest.split(',').next()?.parse::<f64>().ok());
            assert!(found.is_some_and(|found| (0.1..0.6).contains(&found)), "{name}: {row}");
        }
    }
}

/// The printed tables of models disagree, so that models are data: three stacks, none of them a default. The length of tasks is data too.
// covers: CTHA-008, CTHA-099, CTHA-R03, CTHA-R15
#[test]
fn stacks_of_models_and_lengths_of_tasks_are_data_of_studies() {
    let place = Place::new();
    let plan = |study: &str| place.gimbal(&["plan", study]).good().out;
    let said = plan("studies/ctha.yaml");
    // Each stack names a model for each of the four layers.
    let joined = said.replace("\n  ", " ");
    let stacks: Vec<&str> =
        joined.lines().filter(|line| line.starts_with("- [") && line.contains("] institutional=")).collect();
    assert_eq!(stacks.len(), 3, "{said}");
    for stack in &stacks {
        for layer in ["institutional=", "strategic=", "tactical=", "reflex="] {
            assert!(stack.contains(layer), "{stack}");
        }
    }
    assert!(shipped("ctha").lines().any(|line| line.contains("Its tables of models disagree with one another")));
    // Without roles nobody is put into the layers' places.
    let bare = "study: bare\nenvironment: { name: cage2, horizon: 50 }\narchitectures: [{ base: temporal }]\nepisodes: { runs: 1 }\n";
    place.write("bare.yaml", bare);
    let said = place.gimbal(&["run", "bare.yaml", "--dry-run"]);
    assert!(said.code != 0 && said.err.contains("name one under `roles`"), "{} {}", said.code, said.err);
    // Tasks of fifty steps, and a study of five hundred: two settings of the same environment, and both can be planned.
    assert!(plan("studies/ctha.yaml").contains("cage2 50 "));
    assert!(shipped("ctha-stability").contains("{ name: cage2, horizon: 500,"));
    assert!(plan("studies/ctha-stability.yaml").contains("4 cells, 40 episodes"));
}
