//! Task graphs at the terminal: planned for a family, widened, distilled into machines, and played.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::net::TcpListener;

use common::{Place, Said, provider};
use serde_json::{Value, json};

fn graph(names: &[&str], leave_out: usize) -> String {
    let nodes: Vec<Value> = names.iter().map(|name| json!({ "name": name, "goal": format!("Do {name}.") })).collect();
    let pairs = names.iter().flat_map(|from| names.iter().map(move |to| (from, to)));
    let edges: Vec<Value> = pairs
        .skip(leave_out)
        .map(|(from, to)| json!({ "from": from, "to": to, "criterion": format!("When {from} leads on to {to}.") }))
        .collect();
    format!("Thought: so.\nAnswer: {}", json!({ "nodes": nodes, "entry": names[0], "edges": edges }))
}

fn plan(place: &Place, address: &str, more: &[&str]) -> Said {
    let mut command = place.command();
    command.env("VLLM_BASE_URL", address).args(["graph", "plan", "textcraft", "--model", "vllm/planner"]).args(more);
    command.output().unwrap().into()
}

// covers: CYC-021, CYC-002
#[test]
fn a_provider_plans_a_family_and_the_graph_keeps_where_it_came_from() {
    let place = Place::new();
    let (address, asked) = provider(vec![graph(&["LOOK", "GET", "MAKE"], 0)]);
    let said = plan(&place, &address, &["--name", "crafting", "--json"]).good();
    assert!(said.err.contains("1 call, 1200 prompt and 345 completion tokens, price unknown"), "{}", said.err);
    let told = said.json();
    assert_eq!((&told["subtasks"], &told["ways"], &told["repaired"]), (&json!(3), &json!(9), &json!(false)));
    let text = std::fs::read_to_string(place.path().join("graphs/crafting.yaml")).unwrap();
    for part in [
        "\"model\": \"vllm/planner\"",
        "\"tokens\": \"1200 prompt, 345 completion\"",
        "\"prompt\": ",
        "\"decoding\": \"free\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // One call alone leaves the house: what is compared between tasks is asked of nobody.
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 1);
    let told = asked[0]["messages"].to_string();
    assert!(
        told.contains("textcraft_craft") && !told.contains("Goal: craft") && !told.contains("first_observation"),
        "{told}"
    );
    // Studies use it by its name, and it shows how it was made.
    let shown = place.gimbal(&["graph", "show", "graphs/crafting.yaml"]).good().out;
    assert!(shown.contains("complete, 3 subtasks, 9 ways") && shown.contains("  model: vllm/planner"), "{shown}");
    place.gimbal(&["graph", "check", "graphs/crafting.yaml", "--environment", "textcraft"]).good();
}

/// A graph names tools. An option that leaves them out is a mistake of the study, which is told before anything is played.
#[test]
fn a_graph_whose_tools_an_option_leaves_out_is_refused_by_the_plan() {
    let place = Place::new();
    let graph = "{ ways: list, entry: LOOK, nodes: [{ name: LOOK, goal: Look., tools: [textcraft_inventory] }] }";
    let cases = [
        ("textcraft", "unified", "cyclic", "family", "graphs/textcraft.yaml", "textcraft_select_command)"),
        (
            "textcraft",
            "unified",
            "cyclic",
            "family-sparse",
            "graphs/textcraft-sparse.yaml",
            "textcraft_select_command)",
        ),
        ("textcraft", "unified", "dag", "family", "graphs/textcraft-list.yaml", "textcraft_select_command)"),
        (
            "textcraft",
            "unified",
            "dag",
            "textcraft-list",
            "the graph graphs/textcraft-list.yaml",
            "textcraft_select_command)",
        ),
        ("textcraft", "unified", "dag", graph, "the graph of the study", "the subtask `LOOK`"),
        ("alfworld", "select", "cyclic", "family", "graphs/alfworld.yaml", "(there are: "),
    ];
    for (environment, tools, base, from, named, known) in cases {
        let study = format!(
            "study: small\nenvironment: {{ name: {environment}, tools: {tools} }}\narchitectures:\n  - {{ base: {base}, graph: {from} }}\n\
             roles: [{{ default: scripted/refuse }}]\nepisodes: {{ tasks: {{ limit: 1 }}, runs: 1 }}\n"
        );
        place.write("small.yaml", &study);
        for arguments in [
            &["run", "small.yaml", "--dry-run"][..],
            &["run", "small.yaml", "--progress", "quiet"],
            &["plan", "small.yaml"],
        ] {
            let said = place.gimbal(arguments);
            assert_eq!(said.code, 2, "{arguments:?} {environment} {from}: {}", said.err);
            let change = format!(
                "take another `graph`, such as `suggested`, which is made of the tools that there are, or change `tools: \"{tools}\"`"
            );
            for words in ["small.yaml:4", &format!("`{base}"), named, known, "which there is not", &change] {
                assert!(said.err.contains(words), "{words}: {}", said.err);
            }
        }
        assert!(!place.path().join("runs").exists(), "nothing was begun");
        // What it says to change is enough.
        place.write("small.yaml", &study.replace(&format!("graph: {from}"), "graph: suggested"));
        place.gimbal(&["run", "small.yaml", "--dry-run"]).good();
    }
}

#[test]
fn a_graph_that_is_missing_is_a_usage_error_and_a_wrong_one_a_failed_check() {
    let place = Place::new();
    place.write("wrong.yaml", "entry: NOWHERE\nnodes: []\nedges: []\n");
    let missing = place.gimbal(&["graph", "check", "missing.yaml"]);
    assert_eq!(missing.code, 2, "{}", missing.err);
    assert!(
        missing.err.contains("there is no graph `missing.yaml`") && missing.err.contains("(known: "),
        "{}",
        missing.err
    );
    let wrong = place.gimbal(&["graph", "check", "wrong.yaml"]);
    assert!(wrong.code == 1 && wrong.err.contains("wrong.yaml:"), "{} {}", wrong.code, wrong.err);
    let both = place.gimbal(&["graph", "check", "missing.yaml", "wrong.yaml"]);
    assert_eq!(both.code, 1, "{}", both.err);
    assert!(both.err.contains("missing.yaml") && both.err.contains("wrong.yaml:"), "{}", both.err);
}

// covers: CYC-002, CYC-021
#[test]
fn what_a_provider_writes_that_is_no_graph_is_mended_once_and_never_replaced() {
    let place = Place::new();
    let many: Vec<String> = (0..200).map(|number| format!("N{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for (bad, says) in [
        (graph(&["LOOK", "GET", "MAKE"], 1), "the way from `LOOK` to `LOOK` is missing"),
        (graph(&["ALL"], 0), "1 subtasks; from 3 to 9"),
        (graph(&many, 40_000), "200 subtasks; from 3 to 9"),
        ("Sorry, I would rather not.".to_owned(), "no JSON object"),
    ] {
        let (address, asked) = provider(vec![bad.clone(), graph(&["LOOK", "GET", "MAKE"], 0)]);
        let said = plan(&place, &address, &["--json"]).good();
        assert!(said.err.contains(says) && said.err.contains("2 calls, 2400 prompt"), "{}", said.err);
        assert_eq!(said.json()["repaired"], true);
        assert!(
            asked.lock().unwrap()[1]["messages"]
                .to_string()
                .contains(says.trim_matches('`').split('`').next().unwrap())
        );
        let (address, _) = provider(vec![bad]);
        let said = plan(&place, &address, &["--name", "never"]);
        assert_eq!(said.code, 1, "{}", said.err);
        assert!(said.err.contains("the planner gave no graph") && said.err.contains(says), "{}", said.err);
        assert!(!place.path().join("graphs/never.yaml").exists(), "nothing is left of it");
    }
    // A provider that does not answer is an infrastructure failure, not a mistake of the planner.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let mut command = place.command();
    command.env("VLLM_BASE_URL", nobody).args(["graph", "plan", "textcraft", "--model", "vllm/planner"]);
    let said: Said = command.output().unwrap().into();
    assert_eq!(said.code, 3, "{}", said.err);
}

// covers: CYC-021, CYC-022, CYC-086
#[test]
fn a_family_is_planned_offline_and_hangs_on_no_task() {
    let place = Place::new();
    for (environment, splits) in [
        ("textcraft", ["train", "depth-4"]),
        ("alfworld", ["generated-train", "generated-test"]),
        ("finance_agent", ["synthetic-train", "synthetic-test"]),
    ] {
        let texts = splits
            .map(|split| place.gimbal(&["graph", "plan", environment, "--split", split, "--size", "2..9"]).good().out);
        assert_eq!(texts[0], texts[1], "{environment}: the same bytes whichever task it is");
        place.write("planned.yaml", &texts[0]);
        place.gimbal(&["graph", "check", "planned.yaml", "--environment", environment]).good();
    }
    let list = place.gimbal(&["graph", "plan", "textcraft", "--kind", "list", "--size", "2..9"]).good().out;
    assert!(list.contains("ways: list"), "{list}");
    for (arguments, says) in [
        (vec!["--size", "9..3"], "expected LEAST..MOST from 1 to 200"),
        (vec!["--size", "3..201"], "from 1 to 200"),
        (vec!["--name", "../up"], "--name: `../up`"),
        (vec!["--split", "trian"], "no split `trian`"),
        (vec!["--model", "noisy/2"], "noisy/2"),
        (vec!["--shots", "none"], "there is no file shots/none.yaml"),
        (vec!["--options", "[]"], "--options: expected a JSON object"),
    ] {
        let said = place.gimbal(&[&["graph", "plan", "textcraft"], arguments.as_slice()].concat());
        assert_eq!(said.code, 2, "{}", said.err);
        assert!(said.err.contains(says), "{}", said.err);
    }
    let said = place.gimbal(&["graph", "plan", "textcarft"]);
    assert!(said.code == 2 && said.err.contains("textcraft"), "{}", said.err);
}

// covers: CYC-069, CYC-092, CYC-097, CYC-R08
#[test]
fn what_routing_costs_is_shown_against_the_number_of_subtasks() {
    let place = Place::new();
    let arguments = ["graph", "cost", "cage2", "--nodes", "5,40", "--episodes", "1"];
    let told = place.gimbal(&[&arguments[..], &["--json"]].concat()).good().json();
    let of = |routing: &str, subtasks: u64, key: &str| {
        let all = told["measured"].as_array().unwrap();
        let one = all.iter().find(|one| one["routing"] == routing && one["subtasks"] == subtasks).unwrap();
        (one[key].as_f64().unwrap(), one["decisions"].as_f64().unwrap())
    };
    let per_decision = |routing: &str, subtasks| of(routing, subtasks, "input").0 / of(routing, subtasks, "input").1;
    // What is shown beside the ways, the first observation above all, does not grow.
    assert!(per_decision("all ways", 40) > per_decision("all ways", 5) + 1500.0, "all ways grow with the subtasks");
    assert!(per_decision("top 8", 40) < 1.2 * per_decision("top 8", 5), "a few do not");
    assert!(of("batches of 4", 40, "calls").0 < of("all ways", 40, "calls").0, "batches ask less often");
    assert!(told["measured"].as_array().unwrap().iter().all(|one| one["calls"].as_u64() <= one["decisions"].as_u64()));
    let said = place.gimbal(&[&arguments[..], &["--figure", "cost.svg"]].concat()).good();
    assert!(said.out.contains("widened"), "{}", said.out);
    let figure = std::fs::read_to_string(place.path().join("cost.svg")).unwrap();
    assert!(figure.contains("subtasks of the graph") && figure.contains("top 8, cached, batches of 4"));
    assert_eq!(said.out, place.gimbal(&arguments).good().out, "the same bytes again");
    let said = place.gimbal(&["graph", "cost", "textcraft", "--nodes", "201"]);
    assert!(said.code == 2 && said.err.contains("1..=200"), "{}", said.err);
}

/// A run of the complete graph on training tasks, with specialists: one who has all tools wins within few segments, and
/// leaves few decisions to learn from.
fn trained() -> Place {
    let place = Place::new();
    let study = "\
study: train
environment: { name: textcraft, tasks: { split: train, limit: 12 } }
architectures: [{ base: cyclic, name: Complete, graph: family, exposure: specialist, local_calls: 15 }]
roles: [{ default: 'noisy/0.9,malformed=0.02' }]
faults: [none, { name: diverted, routing.diverted: 0.3 }]
episodes: { runs: 1, seed: 7 }
";
    place.write("train.yaml", study);
    place.gimbal(&["run", "train.yaml", "--progress", "quiet", "--no-report"]).good();
    place
}

// covers: CYC-092, CYC-093
#[test]
fn a_machine_is_distilled_from_a_run_and_plays_other_tasks_without_a_router() {
    let place = trained();
    std::fs::create_dir(place.path().join("graphs")).unwrap();
    let said =
        place.gimbal(&["graph", "distil", "train", "--as", "machine", "--out", "graphs/textcraft-machine.yaml"]).good();
    assert!(said.err.contains("rules cover"), "{}", said.err);
    let shown = place.gimbal(&["graph", "show", "graphs/textcraft-machine.yaml"]).good().out;
    assert!(shown.contains("machine, ") && shown.contains("rule 1: ") && shown.contains("run: train"), "{shown}");
    place.gimbal(&["graph", "check", "graphs/textcraft-machine.yaml", "--environment", "textcraft"]).good();
    let dot = place.gimbal(&["graph", "show", "graphs/textcraft-machine.yaml", "--as", "dot"]).good().out;
    assert!(dot.contains("label=\"1: "), "{dot}");
    let study = "\
study: other
environment: { name: textcraft, tasks: { split: test, limit: 8 } }
architectures:
  - { base: cyclic, name: Complete, graph: family, exposure: specialist, local_calls: 15 }
  - { base: cyclic, name: Machine, graph: family-machine, exposure: specialist, local_calls: 15 }
  - { base: cyclic, name: Alone, graph: family-machine, exposure: specialist, otherwise: usual, local_calls: 15 }
roles: [{ default: noisy/1.0 }]
episodes: { runs: 1, seed: 9 }
";
    place.write("other.yaml", study);
    let mut command = place.command();
    command.args(["--config", ".", "run", "other.yaml", "--progress", "quiet", "--no-report"]);
    Said::from(command.output().unwrap()).good();
    let table = place.gimbal(&["report", "other", "--table", "cyc-routing", "--format", "csv"]).good().out;
    let head: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let at = |key: &str| head.iter().position(|column| *column == key).unwrap_or_else(|| panic!("{key}: {head:?}"));
    let row = |name: &str| -> Vec<String> {
        let line = table.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {table}"));
        line.split(',').map(str::to_owned).collect()
    };
    let number = |name: &str, key: &str| row(name)[at(key)].parse::<f64>().unwrap();
    assert!(number("Complete", "input") > 100.0, "{table}");
    assert_eq!(number("Complete", "ruled"), 0.0);
    assert!(number("Machine", "ruled") > 0.8 * number("Machine", "decisions"), "{table}");
    assert!(number("Machine", "input") < 0.3 * number("Complete", "input"), "{table}");
    assert_eq!(number("Alone", "ruled"), number("Alone", "decisions"), "{table}");
    assert_eq!(number("Alone", "input"), 0.0, "no token of a router");
}

/// What an environment that runs on does after a controller is done is none of the controller's calls.
// covers: CYC-050, CYC-060
#[test]
fn the_rest_of_an_environment_that_runs_on_counts_for_nobody() {
    let place = Place::new();
    let study = "\
study: rest
environment: { name: cage2, red: b_line, horizon: 30 }
architectures:
  - { base: react, name: r, persona: solver, conversation: episode, context: [observation], global_calls: 5 }
  - { base: dag, name: d, graph: suggested, global_calls: 5, local_calls: 2 }
  - { base: cyclic, name: c, graph: suggested, global_calls: 5, local_calls: 2 }
roles: [{ default: noisy/1.0 }]
episodes: { runs: 2, seed: 9 }
";
    place.write("rest.yaml", study);
    place.gimbal(&["run", "rest.yaml", "--progress", "quiet", "--no-report"]).good();
    let table = |name: &str| {
        let csv = place.gimbal(&["report", "rest", "--table", name, "--format", "csv"]).good().out;
        let mut lines = csv.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        (lines.next().unwrap(), lines.collect::<Vec<_>>())
    };
    let (head, rows) = table("cyc-groups");
    let at = |key: &str| head.iter().position(|column| column == key).unwrap();
    let all: Vec<f64> =
        rows.iter().filter(|row| row[at("group")] == "all").map(|row| row[at("tc")].parse().unwrap()).collect();
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|calls| *calls <= 5.0), "{rows:?}");
    let steps = place.gimbal(&["trace", "rest", "0"]).good().out;
    assert!(steps.contains("horizon"), "{steps}");
    let said = place.gimbal(&["advise", "cage2", "--tasks", "1", "--against", "rest"]).good().out;
    assert!(said.contains("Not told apart: fewer than 6 seeds"), "{said}");
    place.gimbal(&["verify", "rest"]).good();
}
