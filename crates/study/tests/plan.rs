//! Everything that can be wrong with a study is found before anything is played, with its place and how to fix it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use common::{TestModels, plan, plan_of, registry};
use gimbal_study::plan::estimate::estimate;
use gimbal_study::plan::matrix::matrix;
use gimbal_study::plan::schema::schema;
use gimbal_study::plan::{Options, ready};
use gimbal_study::registry::Library;

const STUDY: &str = "study: good
environment: { name: corridor, horizon: 6 }
architectures:
  - { base: learner }
  - { base: policy, policy: walk }
roles:
  - { default: picker }
  - { default: { model: dear, decoding: constrained } }
episodes: { tasks: { split: test }, runs: 2 }
limits: { episode: { tokens: 400000 }, study: { cost: 20.00 } }
baseline: policy:walk
";

fn problem(from: &str, to: &str) -> String {
    assert!(STUDY.contains(from), "{from}");
    match plan_of(&STUDY.replace(from, to), &Options::default()) {
        Err(problems) => problems.to_string(),
        Ok(_) => panic!("`{to}` was accepted"),
    }
}

// covers: BOG-145, SH-06
#[test]
fn a_policy_without_a_model_is_planned_once() {
    let plan = plan(STUDY);
    let ids: Vec<&str> = plan.cells.iter().map(|cell| cell.info.id.as_str()).collect();
    assert_eq!(ids, ["learner | picker", "learner | dear (constrained)", "policy:walk"]);
    assert_eq!(plan.episodes(), 24);
    assert_eq!(plan.cells[0].info.planned, 8);
    let kinds: Vec<&str> = plan.cells.iter().map(|cell| cell.info.kind.label()).collect();
    assert_eq!(kinds, ["scripted", "scripted", "baseline"]);
}

fn ids(plan: &gimbal_study::plan::Plan) -> Vec<&str> {
    plan.cells.iter().map(|cell| cell.info.id.as_str()).collect()
}

/// The roles of a study are those of all its architectures: one that an architecture never asks makes no cell of its own, and
/// its model is in no key.
// covers: SH-06
#[test]
fn roles_that_nobody_asks_make_no_second_cell() {
    let text = STUDY
        .replace("  - { base: learner }", "  - { base: learner }\n  - { base: panel }")
        .replace(
            "  - { default: picker }\n  - { default: { model: dear, decoding: constrained } }\n",
            "  - { default: picker, panelist: picker }\n  - { default: picker, panelist: parrot }\n  - { default: dear, panelist: parrot }\n",
        )
        .replace("limits: { episode: { tokens: 400000 }, study: { cost: 20.00 } }\n", "");
    let merged = plan(&text);
    assert_eq!(ids(&merged), ["learner | picker", "learner | dear", "panel | picker", "panel | parrot", "policy:walk"]);
    let said: Vec<&String> = merged.warnings.iter().filter(|words| words.contains("each played once")).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(
        said[0],
        "`learner` on `corridor 6`: 3 combinations of roles and faults are 2 cells, each played once: it asks the \
         models of default alone"
    );
    // What is never asked may change, and nothing that was played is lost.
    let other = plan(&text.replace("{ default: dear, panelist: parrot }", "{ default: dear, panelist: picker }"));
    let key =
        |plan: &gimbal_study::plan::Plan, id: &str| plan.cells.iter().find(|cell| cell.info.id == id).unwrap().key;
    assert_eq!(key(&merged, "learner | dear"), key(&other, "learner | dear"));
    assert_eq!(merged.cells[0].info.models.len(), 1, "a table names who answers, and nobody else");
}

/// A fault that is never injected makes no cell; one that is injected into an architecture beside it does.
// covers: SH-08
#[test]
fn faults_that_are_never_injected_make_no_second_cell() {
    let faults = "faults:\n  - none\n  - { name: diverted, routing.diverted: 0.5 }\n  - { name: lost, message.lost: 0.5 }\n  - { name: stale, tool.stale: 0.5 }\n";
    let text = STUDY
        .replace("  - { base: learner }", "  - { base: learner }\n  - { base: panel }")
        .replace("  - { default: { model: dear, decoding: constrained } }\n", "");
    let merged = plan(&format!("{text}{faults}"));
    assert_eq!(ids(&merged), ["learner", "learner | stale", "panel", "panel | lost", "panel | stale", "policy:walk"]);
    let said = merged.warnings.join("\n");
    assert!(said.contains("`learner` on `corridor 6`: 4 combinations of roles and faults are 2 cells"), "{said}");
    assert!(
        said.contains("`diverted` is never injected into it (control never goes from one part of it to another)"),
        "{said}"
    );
    assert!(said.contains("`lost` is never injected into it (it sends no message between agents)"), "{said}");
    assert!(said.contains("(nothing in it sees a prompt)"), "{said}");
    // Without a variant that is injected the cell is played all the same, under no name that would claim a fault.
    let alone = plan(&format!("{text}faults:\n  - {{ name: diverted, routing.diverted: 0.5 }}\n"));
    assert_eq!(ids(&alone), ["learner", "panel", "policy:walk"]);
    let same = |id: &str| merged.cells.iter().find(|cell| cell.info.id == id).unwrap().key;
    assert_eq!(alone.cells[0].key, same("learner"));
}

/// What two entries of a study come to without being written alike is refused: one of them is a mistake.
#[test]
fn two_models_that_are_the_same_are_refused() {
    let said = problem("model: dear, decoding: constrained", "model: slow, decoding: free");
    assert!(said.contains("differ in their names only"), "{said}");
}

/// One environment on two splits is two rows, each with its split in its name and in its keys.
// covers: CYC-101
#[test]
fn splits_of_one_environment_are_told_apart() {
    let several = "environment:\n  - { name: corridor, horizon: 6, tasks: { split: test } }\n  - { name: corridor, horizon: 6, tasks: { split: train } }";
    let text = STUDY.replace("environment: { name: corridor, horizon: 6 }", several);
    let both = plan(&text);
    let names: Vec<&str> = both.cells.iter().map(|cell| cell.info.environment.as_str()).collect();
    assert_eq!((names[0], names[3]), ("corridor 6 test", "corridor 6 train"));
    assert!(both.cells.iter().zip(both.cells.iter().skip(3)).all(|(one, other)| one.key != other.key));
    let one = plan(STUDY);
    assert_eq!(one.cells[0].info.environment, "corridor 6");
    assert!(one.cells[0].identity()["environment"].get("split").is_none(), "keys of other studies stay what they were");
    let twice = STUDY.replace(
        "environment: { name: corridor, horizon: 6 }",
        "environment: [{ name: corridor, horizon: 6 }, { name: corridor, horizon: 6 }]",
    );
    let said = plan_of(&twice, &Options::default()).err().unwrap().to_string();
    assert!(said.contains("duplicate cell"), "{said}");
}

/// Keys are hashed from parts that cells share; the whole value is what a run folder keeps and `verify` hashes.
#[test]
fn the_key_of_a_cell_is_the_hash_of_its_whole_identity() {
    let faults = "faults:\n  - { name: noisy, model.malformed: 0.1 }\nepisodes: { tasks: { split: test }, runs: 2, trials: { number: 2, over: seeds } }";
    let other = STUDY.replace("episodes: { tasks: { split: test }, runs: 2 }", faults);
    for text in [STUDY, &other] {
        let plan = plan(text);
        for cell in &plan.cells {
            assert_eq!(cell.key, gimbal_study::plan::Cell::hash(&cell.identity()), "{}", cell.info.id);
        }
    }
}

/// The dry run is read in lines: a role with the model of the others is not told again.
#[test]
fn labels_of_roles_are_short() {
    let text = STUDY
        .replace("  - { base: learner }\n", "  - { base: panel }\n")
        .replace("  - { default: picker }\n", "  - { default: picker, panelist: parrot }\n");
    assert_eq!(ids(&plan(&text))[..2], ["panel | parrot", "panel | dear (constrained)"]);
    let label = |roles: &[(&str, &str)]| {
        let one = |model: &str| gimbal_core::RoleSettings {
            model: model.to_owned(),
            decoding: gimbal_core::Decoding::Free,
            sampling: gimbal_core::Sampling::default(),
        };
        gimbal_study::plan::labels::roles(&roles.iter().map(|(role, model)| ((*role).to_owned(), one(model))).collect())
    };
    assert_eq!(label(&[("default", "a/x")]), "a/x");
    assert_eq!(label(&[("executor", "a/x"), ("planner", "a/x"), ("router", "a/x")]), "a/x");
    assert_eq!(label(&[("executor", "a/y"), ("planner", "a/x"), ("router", "a/y")]), "a/y planner=a/x");
    assert_eq!(label(&[("default", "a/x"), ("executor", "a/y"), ("router", "a/y")]), "a/x executor+router=a/y");
}

#[test]
fn every_mistake_is_said_with_place_and_mend() {
    let mistakes = [
        ("study: good", "studdy: good"),
        ("study: good", "study: a/b"),
        ("study: good", "study: 2024"),
        ("study: good", "study: true"),
        ("study: good", "study: a-name-of-more-than-eighty-letters-a-name-of-more-than-eighty-letters-a-name-of-more"),
        ("{ base: learner }", "{ base: learner, name: \"two\\nlines\" }"),
        ("{ base: learner }", "{ base: learner, name: \"=1+1\" }"),
        ("{ base: learner }", "{ base: learner, name: \"+1|x\" }"),
        ("{ base: learner }", "{ base: learner, axis: \"@x\" }"),
        ("horizon: 6", "horizn: 6"),
        ("horizon: 6", "horizon: soon"),
        ("name: corridor", "name: coridor"),
        ("base: learner", "base: lerner"),
        ("base: learner", "base: panel, membrs: 2"),
        ("policy: walk }", "policy: fly }"),
        ("policy: walk }", "policee: walk }"),
        ("{ default: picker }", "{ default: pickr }"),
        ("{ default: picker }", "{ judge: picker }"),
        ("{ default: picker }", "{ default: picker, defualt: picker }"),
        ("{ default: picker }", "{ default: unpriced }"),
        ("decoding: constrained", "decoding: constraind"),
        ("decoding: constrained", "temprature: 1"),
        ("decoding: constrained", "temperature: 7"),
        ("split: test", "split: tset"),
        ("runs: 2", "runs: none"),
        ("runs: 2", "runs: 0"),
        ("runs: 2", "runs: 4000000000"),
        ("runs: 2", "runs: 4000, trials: 4000000000"),
        ("tokens: 400000", "tokns: 400000"),
        ("cost: 20.00", "cost: much"),
        ("baseline: policy:walk", "baseline: policy:wlk"),
        ("baseline: policy:walk", "faults: [{ site: model }]"),
        ("  - { base: learner }", "  - { base: learner }\n  - { base: learner }"),
        ("  - { base: learner }", "  - { base: learner\n"),
    ];
    let said: Vec<String> = mistakes
        .iter()
        .map(|(from, to)| format!("{}\n    {}", to.trim(), problem(from, to).replace('\n', "\n    ")))
        .collect();
    insta::assert_snapshot!("mistakes", said.join("\n"));
}

#[test]
fn words_are_not_booleans_and_an_empty_file_is_called_empty() {
    for name in ["n", "y", "no", "on", "off"] {
        assert_eq!(plan(&STUDY.replace("study: good", &format!("study: {name}"))).study.name, name);
    }
    let plus = plan(&STUDY.replace("{ base: learner }", "{ base: learner, name: \"+question\" }"));
    assert_eq!(plus.cells[0].info.configuration, "+question");
    for empty in ["", "\n  \n", "# nothing yet\n", "~"] {
        let said = plan_of(empty, &Options::default()).err().unwrap().to_string();
        assert!(said.contains("the file is empty"), "{empty:?}: {said}");
    }
}

#[test]
fn a_model_that_a_comma_tears_is_told_to_be_quoted() {
    let said = problem("{ default: picker }", "{ default: noisy/0.9,malformed=0.05,overconfident=0.2 }");
    assert!(said.contains("`default: \"noisy/0.9,malformed=0.05,overconfident=0.2\"`"), "{said}");
    let said = problem("{ default: picker }", "{ default: picker, judge: }");
    assert!(said.ends_with("the role `judge` names no model"), "{said}");
}

#[test]
fn zero_sessions_and_too_many_runs_name_their_options() {
    let said = |options: Options| plan_of(STUDY, &options).err().unwrap().to_string();
    assert!(said(Options { limit: Some(0), ..Options::default() }).starts_with("--limit: 0 sessions"));
    let many = said(Options { add_runs: u32::MAX, limit: Some(1), ..Options::default() });
    assert!(many.starts_with("--add-runs: ") && many.contains("at most 10000000"), "{many}");
}

#[test]
fn all_mistakes_are_said_at_once() {
    let text = STUDY.replace("base: learner", "base: lerner").replace("horizon: 6", "horizn: 6");
    let problems = plan_of(&text, &Options::default()).err().unwrap();
    assert_eq!(problems.0.len(), 2, "{problems}");
}

#[test]
fn the_command_line_narrows_and_widens_a_plan() {
    let only = Options { only: vec!["learner".to_owned()], ..Options::default() };
    assert_eq!(plan_of(STUDY, &only).unwrap().cells.len(), 2);
    let only = Options { only: vec!["lerner".to_owned()], ..Options::default() };
    let said = plan_of(STUDY, &only).err().unwrap().to_string();
    assert!(said.starts_with("--only: ") && said.contains("learner"), "{said}");
    let model = Options { model: Some("parrot".to_owned()), ..Options::default() };
    let plan = plan_of(STUDY, &model).unwrap();
    assert!(plan.cells.iter().flat_map(|cell| cell.roles.values()).all(|settings| settings.model == "parrot"));
    let more = Options { add_runs: 3, limit: Some(7), ..Options::default() };
    let plan = plan_of(STUDY, &more).unwrap();
    assert_eq!((plan.runs, plan.episodes()), (5, 21));
    assert_eq!(plan.sessions().count(), 21);
}

// covers: BOG-148
#[test]
fn keys_that_are_missing_are_named_before_the_run() {
    let plan = plan(&STUDY.replace("default: picker", "default: keyless"));
    let (pulls, missing) = ready(&plan, &TestModels);
    assert!(pulls.is_empty());
    let missing = missing.unwrap_err().to_string();
    assert_eq!(missing, "study.yaml: `keyless`: set the variable TEST_KEY");
}

#[tokio::test]
async fn a_dry_run_estimates_tokens_and_cost() {
    let estimates = estimate(&plan(STUDY), &TestModels).await.unwrap();
    assert_eq!(estimates.len(), 3);
    assert!(estimates[0].input_tokens > 0 && estimates[0].cost_microdollars == Some(0));
    assert!(estimates[1].cost_microdollars.unwrap() > 0);
    assert_eq!((estimates[2].input_tokens, estimates[2].cost_microdollars), (0, Some(0)));
}

#[test]
fn the_matrix_says_what_fits_and_why_not() {
    let settings = [("policy".to_owned(), serde_json::json!({ "policy": "walk" }))];
    let fits = matrix(&registry(), &settings, &Library::default());
    assert_eq!(fits.len(), 16);
    let unfit: Vec<String> = fits
        .iter()
        .filter(|fit| !fit.unmet.is_empty())
        .map(|fit| format!("{} x {}: {}", fit.architecture, fit.environment, fit.unmet.join("; ")))
        .collect();
    assert_eq!(
        unfit,
        [
            "policy x oracle: it needs the policy `walk` (this environment offers: none)",
            "policy x dossier: it needs the policy `walk` (this environment offers: none)",
            "policy x counter: it needs the policy `walk` (this environment offers: tick)",
        ]
    );
}

#[test]
fn the_schema_names_what_there_is() {
    let text = schema(&registry()).to_string();
    for word in ["corridor", "slip_percent", "panel", "members", "max_output_tokens"] {
        assert!(text.contains(word), "{word}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "[a-z:{}\\[\\]\n ,#&*!|>'\"%@-]{0,120}") {
        let _ = gimbal_study::plan::parse(&text, "study.yaml");
    }
}

/// The schema as an editor uses it.
fn validator(registry: &gimbal_study::registry::Registry) -> jsonschema::Validator {
    jsonschema::validator_for(&schema(registry)).unwrap()
}

/// A study as an editor sees it; the parser keeps places, and an editor does not.
fn plain(text: &str) -> serde_json::Value {
    serde_saphyr::from_str(text).unwrap()
}

/// Where the parser sets a bound, the schema sets the same one: at the bound both agree, and beyond it.
// covers: SH-06
#[test]
fn schema_and_parser_set_the_same_bounds() {
    let validator = validator(&registry());
    let long = "x".repeat(80);
    let longer = "x".repeat(81);
    let name = |name: &str| format!("{{ base: learner, name: {name} }}");
    let cases = [
        ("study: good", format!("study: {long}"), format!("study: {longer}")),
        ("study: good", "study: a.b".to_owned(), "study: .a".to_owned()),
        ("study: good", "study: a-b_c".to_owned(), "study: a/b".to_owned()),
        ("study: good", "study: '2024'".to_owned(), "study: ''".to_owned()),
        ("{ base: learner }", name("\"+question two\""), name("\"+1|x\"")),
        ("{ base: learner }", name("\"a=1\""), name("\"=1\"")),
        ("{ base: learner }", name("\"a-b\""), name("\"-b\"")),
        ("{ base: learner }", name("é"), name("\"two\\nlines\"")),
        ("{ base: learner }", name("\"a@b\""), name("\"@b\"")),
        ("decoding: constrained", "temperature: 2".to_owned(), "temperature: 2.001".to_owned()),
        ("decoding: constrained", "top_p: 1".to_owned(), "top_p: 1.001".to_owned()),
        ("decoding: constrained", "max_output_tokens: 1".to_owned(), "max_output_tokens: 0".to_owned()),
        ("decoding: constrained", "seed: 0".to_owned(), "seed: -1".to_owned()),
        ("runs: 2", "runs: 1".to_owned(), "runs: 0".to_owned()),
        ("runs: 2", "runs: 2, trials: 1".to_owned(), "runs: 2, trials: 0".to_owned()),
        ("split: test", "limit: 1".to_owned(), "limit: 0".to_owned()),
        ("split: test", "split: test".to_owned(), "split: ''".to_owned()),
        ("tokens: 400000", "tokens: 1".to_owned(), "tokens: 0".to_owned()),
        ("cost: 20.00", "cost: 1000000000".to_owned(), "cost: 1000000001".to_owned()),
        ("cost: 20.00", "cost: 0".to_owned(), "cost: -0.01".to_owned()),
        ("baseline: policy:walk", "prepare: []".to_owned(), "prepare: [x]".to_owned()),
        ("baseline: policy:walk", "faults: []".to_owned(), "faults: [x]".to_owned()),
        (
            "baseline: policy:walk",
            "faults: [none, { name: x, tool.stale: 1 }]".to_owned(),
            "faults: [{ tool.stale: 1.01 }]".to_owned(),
        ),
        ("baseline: policy:walk", "faults: { tool.stale: 0 }".to_owned(), "faults: { tool.stalled: 0 }".to_owned()),
    ];
    for (from, within, beyond) in cases {
        for (to, good) in [(within, true), (beyond, false)] {
            assert!(STUDY.contains(from), "{from}");
            let text = STUDY.replace(from, &to);
            let parsed = gimbal_study::plan::parse(&text, "study.yaml");
            assert_eq!(parsed.is_ok(), good, "{to}: {parsed:?}");
            let wrong: Vec<String> = validator.iter_errors(&plain(&text)).map(|error| error.to_string()).collect();
            assert_eq!(wrong.is_empty(), good, "{to}: {wrong:?}");
        }
    }
}
