//! The shipped personas, and what is said of broken ones.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::TestFiles;
use gimbal_agent::audit::written;
use gimbal_agent::persona::{configurations, schemas};
use gimbal_agent::prompt::{PromptContext, Question, asked, user};
use gimbal_agent::settings::SettingsError;
use gimbal_agent::tool::Finish;
use gimbal_agent::{Agent, Forbidden, Overrides, Part, Partners, Persona, Protocol, audit, sample};
use gimbal_architectures::hierarchy::messages::{AnalyseSubject, SuggestAction};
use gimbal_core::{Block, Brief};
use gimbal_messages::Delegate;

fn refused(path: &str, old: &str, new: &str) -> String {
    Persona::load("planner", &TestFiles::with(path, old, new)).unwrap_err().to_string()
}

const CORE: &str = "personas/planner/core.yaml";

/// An agent among partners of all kinds.
fn among(persona: Arc<Persona>, role: &str, overrides: &Overrides) -> Result<Agent, SettingsError> {
    const DELEGATES: [&dyn Delegate; 3] = [&AnalyseSubject, &SuggestAction, &Finish];
    let named = persona.core.contract.clone();
    let message = gimbal_architectures::messages().into_iter().find(|one| Some(one.name()) == named.as_deref());
    Agent::among(persona, role, overrides, Partners { message, delegates: &DELEGATES })
}

// covers: BOG-050
#[test]
fn a_misspelt_key_is_named_with_its_place_and_the_nearest_key() {
    let message = refused(CORE, "max_attempts: 3", "max_attemps: 3");
    assert!(message.starts_with("personas/planner/core.yaml:"), "{message}");
    assert!(
        message.contains("unknown key `max_attemps`; did you mean `max_attempts`? (known: system_message, "),
        "{message}"
    );
    let line = TestFiles::shipped(CORE).lines().position(|line| line.starts_with("max_attempts")).unwrap() + 1;
    assert!(message.contains(&format!("core.yaml:{line}:1:")), "{message}");
    let message = refused("personas/engine.yaml", "tags_notice:", "tag_notice:");
    assert!(message.contains("did you mean `tags_notice`?"), "{message}");
}

// covers: BOG-050
#[test]
fn the_place_of_an_error_is_its_own_and_not_that_of_the_same_words_above() {
    let line = |needle: &str, text: &str| text.lines().position(|line| line.contains(needle)).unwrap() + 1;
    // A comment above shows the same key and value.
    let zero = "# turns: 0 gives no answer\nturns: 0 # here\n";
    let message = refused(CORE, "turns: 10\n", zero);
    let text = TestFiles::shipped(CORE).replacen("turns: 10\n", zero, 1);
    assert_eq!(message, format!("{CORE}:{}: `turns` must be at least 1, and is 0", line("# here", &text)));
    // The same line in two texts: the rules, where `answer` is not known, come after the repair, where it is.
    let wrong = "COT_instruction: |\n  Read {{ answer }}.\n";
    let shown = "system_message: |\n  {% raw %}\n  Read {{ answer }}.\n  {% endraw %}\n";
    let files = TestFiles::with(CORE, "COT_instruction: |\n", wrong);
    let text = files.0[CORE].replacen("system_message: |\n", shown, 1);
    let last = text.lines().count() - text.lines().rev().position(|line| line.contains("{{ answer }}")).unwrap();
    assert_ne!(line("{{ answer }}", &text), last);
    let files = TestFiles(BTreeMap::from([(CORE.to_owned(), text)]));
    let message = Persona::load("planner", &files).unwrap_err().to_string();
    let place = format!("{CORE}:{last}: COT_instruction: unknown variable `answer`");
    assert!(message.starts_with(&place), "{message}");
    // A configuration whose name is part of the names of others, and is given twice.
    let named = "personas/configurations.yaml";
    let files = TestFiles::with(named, "{ name: hist+net, base", "{ name: obs, base");
    let expected = line("{ name: hist+net, base", &TestFiles::shipped(named));
    let message = configurations(&files).unwrap_err().to_string();
    assert_eq!(message, format!("{named}:{expected}: there is already a configuration `obs` above: rename one"));
}

// covers: BOG-050
#[test]
fn a_variable_that_does_not_exist_is_found_when_the_persona_is_read() {
    let message = refused(CORE, "Your goal: {{ goal }}", "Your goal: {{ gaol }}");
    let line = TestFiles::shipped(CORE).lines().position(|line| line.contains("Your goal")).unwrap() + 1;
    assert_eq!(
        message,
        format!(
            "personas/planner/core.yaml:{line}: system_message: unknown variable `gaol`; did you mean `goal`? (known: role, \
             goal, subject, subjects, glossary, glossary_strict, actions, lists_examples, idle, idle_is_offered, horizon, runs_on, has_answer)"
        )
    );
    // Also where no sample ever gets: in a branch that is not taken.
    let message = refused(CORE, "{{ goal }}", "{% if horizon > 999 %}{{ goall }}{% endif %}");
    assert!(message.contains("unknown variable `goall`; did you mean `goal`?"), "{message}");
    // The step changes from prompt to prompt, the system message does not.
    let message = refused(CORE, "{{ goal }}", "{{ step }}");
    assert!(message.contains("unknown variable `step`"), "{message}");
    let message = refused("personas/planner/prompt.yaml", "{{ step }}", "{{ turn }}");
    assert!(message.contains("prompt.yaml:5: opening: unknown variable `turn`"), "{message}");
    let message = refused("personas/engine.yaml", "{{ attempt }} of", "{{ atempt }} of");
    assert!(message.contains("feedback.rejected: unknown variable `atempt`; did you mean `attempt`?"), "{message}");
}

#[test]
fn templates_that_are_none_or_fail_are_refused() {
    let line = TestFiles::shipped(CORE).lines().position(|line| line.contains("Your goal")).unwrap() + 1;
    let message = refused(CORE, "Your goal: {{ goal }}", "Your goal: {{ goal / }}");
    assert!(
        message.contains(&format!("core.yaml:{line}: system_message: the template cannot be filled in: ")),
        "{message}"
    );
    let message = refused(CORE, "Your goal: {{ goal }}", "Your goal: {{ glossary[0].nonesuch }}");
    let start =
        format!("personas/planner/core.yaml:{line}: system_message: the template cannot be filled in: undefined value");
    assert!(message.starts_with(&start) && message.contains("nonesuch"), "{message}");
}

#[test]
fn values_that_cannot_be_are_refused() {
    assert!(refused(CORE, "turns: 10", "turns: 0").ends_with("`turns` must be at least 1, and is 0"));
    assert!(refused(CORE, "turns: 10", "turns: soon").contains("core.yaml:"));
    assert!(refused(CORE, "protocol: react-text", "protocol: react").contains("unknown value `react`"));
    let knowledge = "personas/planner/knowledge.yaml";
    assert!(refused(knowledge, "variable: glossary", "variable: glosary").contains("did you mean `glossary`?"));
    assert!(refused(knowledge, "    variable: glossary\n", "").contains("one of `content` and `variable` is needed"));
    let message = Persona::load("planer", &TestFiles::default()).unwrap_err().to_string();
    assert!(
        message.starts_with(
            "there is no persona `planer`; did you mean `planner`? (known: analyst, analyst-strict, analyzer, architect, architect-anchored, "
        ),
        "{message}"
    );
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let persona = Arc::new(Persona::load("planner", &TestFiles::default()).unwrap());
    let none = Overrides { turns: Some(0), ..Overrides::default() };
    assert_eq!(Agent::new(persona, "default", &none).err().unwrap(), SettingsError::Nought("turns"));
}

#[test]
fn tools_that_do_not_exist_are_refused() {
    let with = |tools: &str| refused(CORE, "tools: []", &format!("tools:\n  - {tools}"));
    assert!(with("{ critical: true }").contains("one of `query` and `delegate` is needed"));
    assert!(with("{ query: subject_state, delegate: suggest_action }").contains("and only one"));
    // One that asks someone who is not there.
    let files = TestFiles::with(CORE, "tools: []", "tools:\n  - { delegate: suggest_action }");
    let persona = Arc::new(Persona::load("planner", &files).unwrap());
    let error = Agent::new(persona, "default", &Overrides::default()).err().unwrap().to_string();
    assert!(
        error.contains("the tool `suggest_action`, which asks another agent; an agent on its own has nobody to ask")
    );
    let files = TestFiles::with(CORE, "tools: []", "tools:\n  - { delegate: sugest_action }");
    let persona = Arc::new(Persona::load("planner", &files).unwrap());
    let error = among(persona, "default", &Overrides::default()).err().unwrap().to_string();
    assert!(
        error.contains("the tool `sugest_action`, which asks another agent; did you mean `suggest_action`?"),
        "{error}"
    );
    let message = refused(CORE, "tools: []", "repair: { system: a, user: b }\ntools: []");
    assert!(message.contains("give it a `contract`"), "{message}");
}

// covers: BOG-050, BOG-051, BOG-052, BOG-053, BOG-R07
#[test]
fn the_planner_starts_with_nothing_but_the_glossary() {
    let persona = Persona::load("planner", &TestFiles::default()).unwrap();
    let read: Vec<&str> = persona.files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(
        read,
        [
            "personas/planner/core.yaml",
            "personas/planner/prompt.yaml",
            "personas/engine.yaml",
            "personas/common.yaml",
            "personas/planner/knowledge.yaml",
            "personas/planner/reflection_knowledge.yaml",
            "personas/planner/examples.yaml",
            "personas/planner/reflection_examples.yaml",
        ]
    );
    for file in ["common", "planner/reflection_knowledge"] {
        assert!(TestFiles::shipped(&format!("personas/{file}.yaml")).ends_with("entries: []\n"));
    }
    for file in ["examples", "reflection_examples"] {
        assert!(TestFiles::shipped(&format!("personas/planner/{file}.yaml")).ends_with("examples: []\n"));
    }
    let core = &persona.core;
    assert!(!core.include_tool_raise_a_question && !core.include_tool_critique_the_answer);
    assert!(!core.include_tool_improve_based_on_critique && !core.include_cot_instruction);
    assert!(!core.add_examples && core.add_reflection_examples && core.tools.is_empty());
    assert!(!core.add_tool_examples && !core.inject_action_list);
}

#[test]
fn the_digest_follows_the_content_and_not_the_layout() {
    let digest = |files: &TestFiles| Persona::load("planner", files).unwrap().digest;
    let shipped = digest(&TestFiles::default());
    assert_eq!(digest(&TestFiles::with(CORE, "turns: 10", "# a remark\nturns:   10")), shipped);
    assert_ne!(digest(&TestFiles::with(CORE, "turns: 10", "turns: 9")), shipped);
    assert_ne!(digest(&TestFiles::with("personas/engine.yaml", "You have no tools.", "No tools.")), shipped);
    let lesson = "entries:\n  - { header: H, type: plain, content: Oil often. }";
    assert_ne!(digest(&TestFiles::with("personas/common.yaml", "entries: []", lesson)), shipped);
}

// covers: BOG-057, BOG-054
#[test]
fn knowledge_is_written_under_its_header_and_root() {
    let entries = "entries:\n  - { header: \"ABOUT {{ subject }}\", type: plain, content: \"Each {{ subject }} wears.\" }\n  \
                   - { header: PARTS, type: json, root: parts, content: [{ of: \"{{ subjects[0] }}\", count: 2 }] }";
    let files = TestFiles::with("personas/common.yaml", "entries: []", entries);
    let parts = system(&agent_of(&files, Overrides::default()));
    let knowledge = &parts.iter().find(|part| part.name == "knowledge").unwrap().text;
    let expected = "<reflection_knowledge>\nBase your reasoning on the following.\n\nABOUT machine\nEach machine wears.\n\n\
                    PARTS\n{\n  \"parts\": [\n    {\n      \"of\": \"lathe\",\n      \"count\": 2\n    }\n  ]\n}\n\nWHAT THE ACTIONS MEAN\n{\n  \"actions\": [\n";
    assert!(knowledge.starts_with(expected), "{knowledge}");
}

fn agent_of(files: &TestFiles, overrides: Overrides) -> Agent {
    Agent::new(Arc::new(Persona::load("planner", files).unwrap()), "default", &overrides).unwrap()
}

fn system(agent: &Agent) -> Vec<Part> {
    let actions = if agent.settings().inject_action_list { sample::actions() } else { Vec::new() };
    agent.show(&sample::brief(), &sample::queries(), "Wait", &actions).unwrap().parts
}

fn shown(parts: &[Part]) -> String {
    let mut out = String::new();
    for part in parts {
        let origins: Vec<String> = part.origins.iter().map(ToString::to_string).collect();
        out.push_str(&format!("[{}] {}\n{}\n\n", part.name, origins.join(" | "), part.text));
    }
    out
}

/// Every switch on.
fn everything() -> Overrides {
    let mut overrides = Overrides::default();
    let flags = &mut overrides.flags;
    flags.include_tool_raise_a_question = Some(true);
    flags.include_tool_critique_the_answer = Some(true);
    flags.include_tool_improve_based_on_critique = Some(true);
    flags.include_cot_instruction = Some(true);
    flags.add_tool_examples = Some(true);
    overrides
}

/// Every variant of the prompts that the shipped files give.
fn variants() -> Vec<(String, Agent)> {
    let tools = "tools:\n  - { query: subject_state, critical: true, examples: [{ case: \"A lathe is looked up by its name.\", thought: \"I have to know its state.\", input: lathe }] }\n  \
                 - { query: subject_baseline, description: \"The {{ subject }} as it was.\", example: \"{{ tool }}: press\" }";
    let mut variants = Vec::new();
    for protocol in [Protocol::ReactText, Protocol::NativeTools, Protocol::Json] {
        let plain = Overrides { protocol: Some(protocol), ..Overrides::default() };
        let mut full = plain.clone();
        full.flags.include_cot_instruction = Some(true);
        full.flags.add_tool_examples = Some(true);
        full.flags.inject_action_list = Some(true);
        variants.push((format!("planner-{}", protocol.name()), agent_of(&TestFiles::default(), plain)));
        variants.push((
            format!("everything-{}", protocol.name()),
            agent_of(&TestFiles::with(CORE, "tools: []", tools), full),
        ));
    }
    variants
}

// covers: BOG-054, BOG-113
#[test]
fn system_prompts() {
    for (name, agent) in variants() {
        insta::assert_snapshot!(name, shown(&system(&agent)));
    }
}

// covers: BOG-055, BOG-056, BOG-058, BOG-060, BOG-062, BOG-063, BOG-067, BOG-069, BOG-119, BOG-R06
#[test]
fn system_prompts_of_the_hierarchy() {
    for name in ["lead", "analyst", "chooser"] {
        for protocol in [Protocol::ReactText, Protocol::NativeTools, Protocol::Json] {
            let persona = Arc::new(Persona::load(name, &TestFiles::default()).unwrap());
            let full = Overrides { protocol: Some(protocol), ..everything() };
            let agent = among(persona, name, &full).unwrap();
            insta::assert_snapshot!(format!("{name}-everything-{}", protocol.name()), shown(&system(&agent)));
        }
    }
}

// covers: BOG-054
#[test]
fn parts_stand_in_the_published_order() {
    let (_, agent) = variants().into_iter().find(|(name, _)| name == "everything-react-text").unwrap();
    let names: Vec<&str> = system(&agent).iter().map(|part| part.name).collect();
    assert_eq!(
        names,
        [
            "identity",
            "tags",
            "loop",
            "answer_format",
            "tools",
            "knowledge",
            "chain_of_thought",
            "rules",
            "examples",
            "actions"
        ]
    );
    let (_, agent) = variants().into_iter().find(|(name, _)| name == "planner-react-text").unwrap();
    let names: Vec<&str> = system(&agent).iter().map(|part| part.name).collect();
    assert_eq!(names, ["identity", "tags", "loop", "answer_format", "no_tools", "knowledge", "rules"]);
}

// covers: BOG-R09
#[test]
fn every_tag_that_a_prompt_speaks_of_is_in_it() {
    let tag = regex::Regex::new("<([a-z_]+)>").unwrap();
    for (name, agent) in variants() {
        let text = agent.show(&sample::brief(), &sample::queries(), "Wait", &sample::actions()).unwrap().text();
        for found in tag.captures_iter(&text) {
            let placeholder = ["name", "machine"].contains(&&found[1]);
            assert!(placeholder || text.contains(&format!("</{}>", &found[1])), "{name}: {}", &found[1]);
        }
    }
}

// covers: BOG-061, BOG-130, BOG-023
#[test]
fn user_prompts_of_the_six_contexts() {
    let persona = Persona::load("planner", &TestFiles::default()).unwrap();
    let brief = sample::brief();
    let environment = PromptContext { brief: &brief, idle: "Wait", tools: &[], actions: &[] };
    let all = configurations(&TestFiles::default()).unwrap();
    let names: Vec<&str> = all.iter().map(|configuration| configuration.name.as_str()).collect();
    assert_eq!(names[..6], ["obs", "obs+hist", "obs+hist+net", "obs+net", "network", "hist+net"]);
    let mut out = String::new();
    for configuration in &all[..6] {
        let context: Vec<String> = serde_json::from_value(configuration.settings["context"].clone()).unwrap();
        let blocks: Vec<Block> = persona
            .ordered(&context)
            .into_iter()
            .map(|name| Block { text: format!("(text of {name})\n").into(), name })
            .collect();
        out.push_str(&format!(
            "== {}\n{}",
            configuration.name,
            shown(&user(&persona, environment, 7, &blocks).unwrap())
        ));
    }
    insta::assert_snapshot!("contexts", out);
}

#[test]
fn empty_blocks_leave_no_gap() {
    let persona = Persona::load("planner", &TestFiles::default()).unwrap();
    let brief = sample::brief();
    let environment = PromptContext { brief: &brief, idle: "Wait", tools: &[], actions: &[] };
    let blocks = [Block { name: "observation".to_owned(), text: "".into() }];
    let parts = user(&persona, environment, 1, &blocks).unwrap();
    let text = gimbal_agent::prompt::joined(&parts);
    assert_eq!(text, "This is step 1.\n\nWhich action do you take in this step?");
}

/// A request explains the keys of its blocks that the environment has a meaning for, and no others.
#[test]
fn keys_in_the_blocks_are_explained() {
    let brief = sample::brief();
    let environment = PromptContext { brief: &brief, idle: "Wait", tools: &[], actions: &[] };
    let text = |files: &TestFiles, block: &str| {
        let persona = Persona::load("planner", files).unwrap();
        let blocks = [Block { name: "status".to_owned(), text: block.into() }];
        gimbal_agent::prompt::joined(&user(&persona, environment, 1, &blocks).unwrap())
    };
    let shipped = TestFiles::default();
    let explained = "What the keys of a status mean:\n- wear: `high`: the machine needs oil.\n\nWhich action";
    let block = r#"[{"machine":"lathe","wear":"high"}]"#;
    assert_eq!(text(&shipped, block), format!("This is step 1.\n\n{block}\n\n{explained} do you take in this step?"));
    assert!(!text(&shipped, "The wear of no machine is known.").contains("mean"));
    let silent = TestFiles::with("personas/planner/prompt.yaml", "context:", "explain_keys: false\ncontext:");
    assert!(!text(&silent, block).contains("mean"));
}

// covers: BOG-025
#[test]
fn no_prompt_gives_the_environment_away() {
    let brief = sample::brief();
    let forbidden = Forbidden::of([&brief]);
    for name in Persona::list(&TestFiles::default()) {
        let persona = Arc::new(Persona::load(&name, &TestFiles::default()).unwrap());
        let agent = among(persona, "default", &everything()).unwrap();
        let environment = PromptContext { brief: &brief, idle: "Wait", tools: &[], actions: &[] };
        let mut parts = system(&agent);
        let question = Question { target: "lathe", message: "{}" };
        parts.extend(asked(agent.persona(), environment, 1, &[], question).unwrap());
        parts.extend(written(agent.persona()));
        assert_eq!(audit(&parts, &forbidden), []);
    }
    let leaky = TestFiles::with(CORE, "Your goal:", "You are in the Sample-Workshop. Your goal:");
    let findings = audit(&system(&agent_of(&leaky, Overrides::default())), &forbidden);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].origins[0].to_string(), "personas/planner/core.yaml: system_message");
}

/// The plural of a noun is not always the noun with an `s`.
#[test]
fn the_plural_is_that_of_the_subject() {
    let fixed = regex::Regex::new(r"\}\}e?s\b").unwrap();
    let brief = Brief { subject: "entity".to_owned(), ..sample::brief() };
    let mut said = 0;
    for name in Persona::list(&TestFiles::default()) {
        let persona = Arc::new(Persona::load(&name, &TestFiles::default()).unwrap());
        let agent = among(persona, "default", &everything()).unwrap();
        for part in agent.show(&brief, &sample::queries(), "Wait", &sample::actions()).unwrap().parts {
            assert!(!part.text.contains("entitys"), "{name}: {}", part.text);
            said += usize::from(part.text.contains("several entities"));
        }
        for part in written(agent.persona()) {
            assert!(!fixed.is_match(&part.text), "{:?}: {}", part.origins, part.text);
        }
    }
    assert_eq!(said, 1, "the strict lead");
}

/// A noun of the environment has the article that it asks for, in every text; of other nouns no text of a template knows the first letter.
#[test]
fn the_article_is_that_of_the_subject() {
    let wrong = regex::Regex::new(r"\b([aA] (item|entity)|[aA]n (host|user))").unwrap();
    let fixed = regex::Regex::new(r"\b[aA]n? \{\{").unwrap();
    let mut said = 0;
    for subject in ["item", "entity", "host", "user"] {
        let brief = Brief { subject: subject.to_owned(), ..sample::brief() };
        let right = format!("{} {subject}", if ["item", "entity"].contains(&subject) { "an" } else { "a" });
        for name in Persona::list(&TestFiles::default()) {
            for protocol in [Protocol::ReactText, Protocol::NativeTools, Protocol::Json] {
                let persona = Arc::new(Persona::load(&name, &TestFiles::default()).unwrap());
                let full = Overrides { protocol: Some(protocol), ..everything() };
                let agent = among(persona, "default", &full).unwrap();
                let mut parts = agent.show(&brief, &sample::queries(), "Wait", &sample::actions()).unwrap().parts;
                let environment = PromptContext { brief: &brief, idle: "Wait", tools: &[], actions: &[] };
                let question = Question { target: "lathe", message: "{}" };
                parts.extend(asked(agent.persona(), environment, 1, &[], question).unwrap());
                for part in &parts {
                    assert_eq!(wrong.find(&part.text).map(|found| found.as_str()), None, "{name}: {}", part.text);
                    said += part.text.to_lowercase().matches(&right).count();
                }
                for part in written(agent.persona()) {
                    assert!(!fixed.is_match(&part.text), "{:?}: {}", part.origins, part.text);
                }
            }
        }
    }
    assert!(said > 40, "{said}");
}

// covers: BOG-025
#[test]
fn texts_that_no_first_prompt_shows_are_looked_at_too() {
    let forbidden = Forbidden::of([&sample::brief()]);
    for (path, old, key) in [
        ("personas/engine.yaml", "You raised this question:", "deliberation.raise_a_question.reply"),
        ("personas/engine.yaml", "You have raised all", "deliberation.raise_a_question.over_budget"),
        ("personas/engine.yaml", "Your reasoning was:", "deliberation.critique_the_answer.reply"),
        (
            "personas/engine.yaml",
            "Proceed on this basis with",
            "deliberation.improve_based_on_critique.improved_thought",
        ),
        ("personas/engine.yaml", "It was rejected:", "feedback.rejected"),
        ("personas/engine.yaml", "you declined", "feedback.refusal"),
        ("personas/engine.yaml", "There is no tool named", "observations.unknown_tool"),
        ("personas/engine.yaml", "This call was not used.", "observations.not_used"),
        ("personas/engine.yaml", "NO ANSWER", "no_answer"),
        ("personas/engine.yaml", "You write your answer at once", "protocols.native-tools.adviser.loop_without_tools"),
        ("personas/chooser/core.yaml", "You turn a text into", "repair.system"),
        ("personas/chooser/core.yaml", "Turn this text", "repair.user"),
    ] {
        let leaky = TestFiles::with(path, old, &format!("SampleWorkshop {old}"));
        let persona = Persona::load("chooser", &leaky).unwrap();
        let found: Vec<String> =
            audit(&written(&persona), &forbidden).iter().map(|finding| finding.origins[0].to_string()).collect();
        assert_eq!(found, [format!("{path}: {key}")]);
    }
}

#[test]
fn the_shipped_files_fit_their_schemas_and_misspelt_ones_do_not() {
    let schemas: BTreeMap<&str, serde_json::Value> =
        schemas::all().into_iter().map(|file| (file.name, file.schema)).collect();
    let of = |path: &str| -> serde_json::Value { serde_saphyr::from_str(&TestFiles::shipped(path)).unwrap() };
    for (schema, path) in [
        ("persona-core", CORE),
        ("persona-core", "personas/lead/core.yaml"),
        ("persona-core", "personas/analyst/core.yaml"),
        ("persona-core", "personas/chooser/core.yaml"),
        ("persona-prompt", "personas/planner/prompt.yaml"),
        ("persona-knowledge", "personas/planner/knowledge.yaml"),
        ("persona-knowledge", "personas/common.yaml"),
        ("persona-examples", "personas/planner/examples.yaml"),
        ("engine", "personas/engine.yaml"),
        ("configurations", "personas/configurations.yaml"),
    ] {
        let validator = jsonschema::validator_for(&schemas[schema]).unwrap();
        let mut value = of(path);
        assert!(validator.is_valid(&value), "{path}: {:?}", validator.iter_errors(&value).next());
        value["mispelt"] = true.into();
        assert!(!validator.is_valid(&value), "{path}");
    }
}

#[test]
fn a_template_that_grows_without_bound_is_refused_when_the_persona_is_read() {
    let nested = |depth: usize, inner: &str| {
        let loops: String = (0..depth).map(|depth| format!("{{% for a{depth} in range(1000) %}}")).collect();
        format!("{loops}{inner}{}", "{% endfor %}".repeat(depth))
    };
    let doubled: String = (0..60).map(|_| "{% set goal = goal ~ goal %}").collect();
    let replaced =
        format!("{{{{ 'x'{} }}}}", "|replace('x', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')".repeat(8));
    let joined = format!("{{{{ range(1000)|join('{}') }}}}", "y".repeat(1000));
    for (text, said) in [
        (nested(4, "x"), "more than 20000 steps"),
        (nested(1, &"long ".repeat(200)), "more than 524288 bytes"),
        (doubled, "templates have no `set`"),
        (replaced, "`replace` gives more than 131072 bytes"),
        (joined, "`join` gives more than 131072 bytes"),
        ("{{ range(999999999) }}".to_owned(), "`range` gives more than 1000 numbers"),
        ("{{ 'x' * 999999999 }}".to_owned(), "templates have no operator `*`"),
        (format!("{{{{ goal{} }}}}", "|upper".repeat(9999)), "more than 8 filters"),
        (format!("{{{{ {}goal{} }}}}", "(".repeat(9999), ")".repeat(9999)), "cannot be filled in"),
        ("{{ goal|tojson }}".to_owned(), "tojson"),
    ] {
        let message = refused(CORE, "{{ goal }}", &text);
        assert!(message.starts_with("personas/planner/core.yaml:") && message.contains(said), "{said}: {message}");
        assert!(message.len() < 2000, "{message}");
    }
}

/// Many architectures name few personas: each is compiled once, and anew as soon as a word of it changes.
#[test]
fn a_persona_is_compiled_once_for_all_who_name_it() {
    let files = TestFiles::default();
    let first = Persona::shared("planner", &files).unwrap();
    assert!(Arc::ptr_eq(&first, &Persona::shared("planner", &TestFiles::default()).unwrap()));
    assert_eq!(first.digest, Persona::load("planner", &files).unwrap().digest);
    assert_ne!(first.digest, Persona::shared("solver", &files).unwrap().digest);
    for path in [CORE, "personas/planner/prompt.yaml", "personas/engine.yaml"] {
        let text = format!("{}\n# another word\n", TestFiles::shipped(path));
        let changed = TestFiles(BTreeMap::from([(path.to_owned(), text)]));
        assert!(!Arc::ptr_eq(&first, &Persona::shared("planner", &changed).unwrap()), "{path}");
    }
    // A broken one is refused each time.
    for _ in 0..2 {
        Persona::shared("planner", &TestFiles::with(CORE, "max_attempts: 3", "max_attemps: 3")).unwrap_err();
    }
}
