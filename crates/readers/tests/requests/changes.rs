//! Each rule can fail: a request that was right is changed in one place, and the rule reports it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gimbal_core::{ChatRequest, Grammar, Speaker};
use gimbal_readers::kit::between;
use serde_json::json;

use super::common::{Asked, Cell, files};
use super::letter::{Cast, Kind, Letter, Now};
use super::rules::{self, Broken, RULES};
use super::scene::{Scene, shown};
use super::{all, designs};

/// The requests of an episode that were right.
pub struct Sample {
    pub scene: Scene,
    pub cast: Cast,
    pub asked: Vec<(Asked, Now)>,
}

/// Changes a request so that something of it is wrong.
type Change = fn(&mut Asked, &Scene, &Now);

/// A rule that must report a change, the sample to change, and the kind of request.
pub type Case = (&'static str, &'static str, Kind, Change);

/// Rewrites the messages of some speakers.
fn reword(request: &mut ChatRequest, speakers: &[Speaker], with: impl Fn(&str) -> String) {
    for message in &mut request.messages {
        if speakers.contains(&message.speaker) {
            let mut changed = (**message).clone();
            changed.text = with(&message.text).into();
            *message = Arc::new(changed);
        }
    }
}

const TOLD: [Speaker; 3] = [Speaker::System, Speaker::User, Speaker::Tool];

/// Writes a text at the end of the system message.
fn add(asked: &mut Asked, text: &str) {
    reword(&mut asked.request, &[Speaker::System], |old| format!("{old}{text}"));
}

/// Replaces a text in everything that the agent is told.
fn replace(asked: &mut Asked, old: &str, new: &str) {
    reword(&mut asked.request, &TOLD, |text| text.replace(old, new));
}

fn schema(asked: &mut Asked, schema: serde_json::Value) {
    asked.request.grammar = Some(Arc::new(Grammar::JsonSchema(schema)));
}

/// The samples: name, environment, family, design, protocol, whether it is constrained, whether the first answer is spoilt.
type Sampled = (&'static str, &'static str, &'static str, &'static str, &'static str, bool, bool);

const SAMPLES: [Sampled; 19] = [
    ("afresh", "alfworld", "react", "network", "json", false, false),
    ("status", "cage2", "react", "obs", "json", false, false),
    ("solver", "alfworld", "react", "react-0", "react-text", false, false),
    ("native", "alfworld", "react", "react-0", "native-tools", false, false),
    ("masked", "cage2", "react", "obs", "json", true, false),
    ("hierarchy", "cage2", "hierarchy", "hier-base", "json", false, false),
    ("advice", "cage2", "hierarchy", "hier-base", "json", true, false),
    ("native advice", "cage2", "hierarchy", "hier-base", "native-tools", true, false),
    ("spoilt advice", "cage2", "hierarchy", "hier-base", "json", false, true),
    ("specialists", "textcraft", "cyclic", "Spec-Cyc_specialist", "json", false, false),
    ("layers", "cage2", "temporal", "temporal-0", "json", false, false),
    ("masked layers", "cage2", "temporal", "temporal-0", "json", true, false),
    ("spoilt layers", "alfworld", "temporal", "ctha", "react-text", false, true),
    ("spoilt search", "textcraft", "lats", "lats-0", "json", false, true),
    ("search", "textcraft", "lats", "lats-0", "json", false, false),
    ("trials", "textcraft", "reflexion", "reflexion-0", "json", false, false),
    ("debate", "triage", "debate", "debate-0", "json", false, false),
    ("seats", "consensus", "panel", "seats", "json", false, false),
    ("gate", "finance_agent", "cyclic", "cyclic-gate", "json", false, false),
];

const CASES: [Case; 58] = [
    ("a bound that is not that of the mask", "masked layers", Kind::Orders, |asked, _, _| {
        replace(asked, "at most 256 characters", "at most 120 characters");
    }),
    ("a bound that is not that of the mask", "masked layers", Kind::Orders, |asked, _, _| {
        replace(asked, "\"most_actions\": 3", "\"most_actions\": 8");
    }),
    ("a request of no known kind", "status", Kind::Decides, |asked, _, _| asked.role = "nobody".to_owned()),
    ("conversation", "status", Kind::Decides, |asked, _, _| asked.request.messages.reverse()),
    ("a schema that a provider refuses", "masked", Kind::Decides, |asked, _, _| {
        schema(asked, json!({ "type": "object", "properties": { "action": {} }, "required": ["action"] }));
    }),
    ("a name of a tool that a provider refuses", "native", Kind::Works, |asked, _, _| {
        let mut tools = asked.request.tools.to_vec();
        tools[0].name = "go to".to_owned();
        asked.request.tools = tools.into();
    }),
    ("arguments of a tool that a provider refuses", "native", Kind::Works, |asked, _, _| {
        let mut tools = asked.request.tools.to_vec();
        tools[0].parameters = json!({ "type": "object", "properties": { "all": { "type": "array" } } });
        asked.request.tools = tools.into();
    }),
    ("template", "status", Kind::Decides, |asked, _, _| add(asked, " {{ goal }}")),
    ("blank lines", "status", Kind::Decides, |asked, _, _| add(asked, "\n\n\nMore.")),
    ("empty part", "status", Kind::Decides, |asked, _, _| add(asked, "\n<examples>\n</examples>")),
    ("paragraph twice", "status", Kind::Decides, |asked, _, _| {
        let said = "What is said here is long enough to be a paragraph of its own.";
        add(asked, &format!("\n\n{said}\n\n{said}"));
    }),
    ("wording", "status", Kind::Decides, |asked, _, _| add(asked, " It comes to nought.")),
    ("contradiction", "status", Kind::Decides, |asked, _, _| add(asked, " here is news")),
    ("missing part", "status", Kind::Decides, |asked, _, _| add(asked, " Use what is in <examples>.")),
    ("form of another protocol", "status", Kind::Decides, |asked, _, _| add(asked, "\nAnswer: the action")),
    ("no form", "solver", Kind::Works, |asked, _, _| replace(asked, "\nThought:", "\nIdea:")),
    ("no grammar", "masked", Kind::Decides, |asked, _, _| asked.request.grammar = None),
    ("an object is asked for, and nothing but a part of it", "hierarchy", Kind::Advises, |asked, _, _| {
        add(asked, " Write nothing but the array.");
    }),
    ("a form that nobody was told of", "native advice", Kind::Advises, |asked, _, _| {
        replace(asked, "\"answer\"", "\"reply\"");
        schema(asked, json!({ "properties": { "answer": {} } }));
    }),
    ("plain text is asked for and an object is enforced", "advice", Kind::Advises, |asked, _, _| {
        add(asked, " Answer as plain text.");
    }),
    ("too few turns", "hierarchy", Kind::Advises, |asked, _, _| {
        add(asked, " You work in turns, with at most 2 messages for one answer.")
    }),
    ("tools are denied before actions", "native", Kind::Works, |asked, _, _| add(asked, "\nThere are no other tools.")),
    ("one call of many is called the final answer", "native", Kind::Works, |asked, _, _| {
        add(asked, " Give your final answer.");
    }),
    ("a tool that the agent lacks", "status", Kind::Decides, |asked, _, _| add(asked, " Use raise_a_question first.")),
    ("a tool that the specialist lacks", "specialists", Kind::Works, |asked, scene, _| {
        add(asked, &format!(" There are {}.", scene.tools.join(" and ")));
    }),
    ("names that nobody showed", "layers", Kind::Orders, |asked, _, _| replace(asked, "If no name was shown", "If so")),
    ("a form of a command that is not spelt once", "status", Kind::Decides, |asked, _, _| {
        reword(&mut asked.request, &[Speaker::System], |text| format!("{text}\n{text}"));
    }),
    ("the first observation is out of sight", "solver", Kind::Works, |asked, scene, _| {
        replace(asked, &scene.first, "a house");
    }),
    ("the first observation is out of sight", "afresh", Kind::Decides, |asked, scene, _| {
        replace(asked, &scene.first, "a house");
    }),
    ("the latest result is out of sight", "afresh", Kind::Decides, |asked, _, now| {
        replace(asked, now.latest.as_deref().unwrap().trim(), "Done.");
    }),
    ("possible actions", "afresh", Kind::Decides, |asked, _, _| {
        replace(asked, "<possible_actions>\n", "<actions>\n");
    }),
    ("the goal is out of sight", "status", Kind::Decides, |asked, scene, _| replace(asked, &scene.brief.goal, "it")),
    ("the goal is out of sight", "search", Kind::Values, |asked, scene, _| replace(asked, &scene.brief.goal, "it")),
    ("the goal is out of sight", "trials", Kind::Reflects, |asked, _, _| replace(asked, "Goal: ", "")),
    ("what is known now is out of sight", "status", Kind::Decides, |asked, _, now| {
        now.blocks.iter().for_each(|block| replace(asked, block.trim(), ""));
    }),
    ("a key of the status that nothing explains", "layers", Kind::Orders, |asked, _, _| {
        replace(asked, "- current_status: ", "- its status: ");
    }),
    ("what is known now is out of sight", "layers", Kind::Governs, |asked, _, now| {
        now.blocks.iter().for_each(|block| replace(asked, block.trim(), ""));
    }),
    ("the latest result is out of sight", "solver", Kind::Works, |asked, _, now| {
        replace(asked, now.latest.as_deref().unwrap().trim(), "Done.");
    }),
    ("the number of actions that are left", "solver", Kind::Works, |asked, _, _| replace(asked, " actions left.", ".")),
    ("facts of the packet are out of sight", "debate", Kind::Weighs, |asked, scene, _| {
        replace(asked, &scene.facts[0], "F");
    }),
    ("no values for any call", "native", Kind::Works, |asked, _, _| asked.request.tools = Vec::new().into()),
    ("possible actions", "solver", Kind::Works, |asked, _, _| replace(asked, "<possible_actions>\n", "<actions>\n")),
    ("an empty list of possible actions", "solver", Kind::Works, |asked, _, _| {
        reword(&mut asked.request, &[Speaker::User], |text| {
            between(text, "possible_actions").map_or(text.to_owned(), |list| text.replace(list, "none"))
        });
    }),
    ("a segment without ways", "specialists", Kind::Routes, |asked, _, _| replace(asked, "\"ways\"", "\"roads\"")),
    ("a way without goal, tools or criterion", "specialists", Kind::Routes, |asked, _, _| {
        replace(asked, "\"criterion\"", "\"when\"");
    }),
    ("a planner without tools or size", "specialists", Kind::Plans, |asked, _, _| replace(asked, "\"size\"", "\"of\"")),
    ("a request without its step", "layers", Kind::Orders, |asked, _, _| replace(asked, "\"steps_left\"", "\"left\"")),
    ("a valuer without candidates", "search", Kind::Values, |asked, _, _| replace(asked, "\"candidates\"", "\"all\"")),
    ("a proposer that is asked for nothing", "search", Kind::Proposes, |asked, _, _| {
        replace(asked, "\"wanted\"", "\"many\"");
    }),
    ("an action without its result", "search", Kind::Values, |asked, _, _| replace(asked, "\"result\"", "\"then\"")),
    ("a record without the task, the steps or how they ended", "trials", Kind::Reflects, |asked, _, _| {
        replace(asked, "\"steps\"", "\"actions\"");
    }),
    ("a verifier without question, answer, figures or passages", "gate", Kind::Verifies, |asked, _, _| {
        replace(asked, "\"passages\"", "\"pages\"");
    }),
    ("a message that is no object", "debate", Kind::Weighs, |asked, _, _| replace(asked, "<debate>\n{", "<debate>\n")),
    ("a seat without its rounds", "seats", Kind::Votes, |asked, _, _| replace(asked, "<rounds>", "<told>")),
    ("an adviser without a subject", "hierarchy", Kind::Advises, |asked, scene, _| {
        scene.brief.subjects.iter().for_each(|name| replace(asked, name, "one"));
    }),
    ("an adviser without the situation", "hierarchy", Kind::Advises, |asked, _, _| {
        asked.request.tools = Vec::new().into();
        replace(asked, "<tools>", "<toys>");
        replace(asked, "\"situation\"", "\"case\"");
    }),
    ("a repair without what was asked", "spoilt advice", Kind::Repairs, |asked, _, _| {
        replace(asked, "\"severity\"", "\"weight\"");
    }),
    ("a repair without the answer", "spoilt advice", Kind::Repairs, |asked, _, _| {
        replace(asked, "what is wanted", "it")
    }),
];

/// Rules of these cases, that each of them can fail.
pub fn missed(samples: &BTreeMap<&'static str, Sample>, cases: &[Case]) -> Vec<String> {
    let mut missed = Vec::new();
    for (rule, name, kind, change) in cases {
        let Some(Sample { scene, cast, asked }) = samples.get(name) else {
            missed.push(format!("{rule}: there is no sample {name}"));
            continue;
        };
        let is_it =
            |(asked, now): &&(Asked, Now)| Letter::of(asked, (cast, now)).is_ok_and(|letter| letter.kind == *kind);
        let report = |asked: &Asked, now: &Now| {
            scene.read.borrow_mut().clear();
            let mut broken = Broken::default();
            rules::check(scene, (cast, now), asked, &mut broken);
            broken.rules()
        };
        let mut tried = 0;
        let found = asked.iter().filter(is_it).any(|(asked, now)| {
            let mut changed = asked.clone();
            // What a conversation has not seen yet cannot be taken from it.
            if *rule == "the latest result is out of sight" && now.latest.is_none() {
                return false;
            }
            tried += 1;
            change(&mut changed, scene, now);
            !report(asked, now).contains(rule) && report(&changed, now).contains(rule)
        });
        if !found {
            missed.push(format!("{rule}: no request of {tried} in {name} ({kind:?}) is reported"));
        }
    }
    missed
}

/// Rules of the requests of a summariser, that are tried with these.
pub const OF_SUMMARIES: [Case; 3] = [
    ("a record without calls", "summary", Kind::SumsUp, |asked, _, _| replace(asked, "\"calls\"", "\"actions\"")),
    ("a call without its result", "summary", Kind::SumsUp, |asked, _, _| replace(asked, "\"result\"", "\"then\"")),
    ("a record without the task or a subtask's goal", "summary", Kind::SumsUp, |asked, _, _| {
        replace(asked, "\"goal\"", "\"aim\"");
    }),
];

async fn sample((_, place, family, design, protocol, constrained, spoilt): Sampled) -> Sample {
    let place = all().into_iter().find(|known| known.name == place).unwrap();
    let families: Vec<_> = designs::asking().into_iter().filter(|known| known.name() == family).collect();
    let known = designs::fitting(&families, &place);
    let found = known.iter().find(|known| known.name == design);
    let names = || known.iter().map(|known| known.name.as_str()).collect::<Vec<_>>().join(", ");
    let design = found.unwrap_or_else(|| panic!("{family}: no design {design} in {}", names()));
    let cells = Cell::all(design.family.name(), &design.settings).into_iter();
    let cell = cells.into_iter().find(|cell| cell.protocol == protocol && cell.constrained == constrained).unwrap();
    let team = design.family.team(&cell.all_settings(), &files()).unwrap();
    let cast = Cast::new(team.into_agents(), place.family.offers().asks);
    let (task, seed) = (place.task(design.task), 4);
    let trials =
        cell.session(&*place.family, &place.options, (&task, seed), (spoilt, design.limits(), &design.faults())).await;
    // The first answers are spoilt, and so in the first trial.
    let (played, asked) = if spoilt { trials.first() } else { trials.last() }.unwrap();
    let scene = Scene::of((&place, &task, seed), (&cell, design.name.as_str(), design.published), played).await;
    let asked = asked.iter().cloned().zip(shown(played, &cast, asked)).collect();
    Sample { scene, cast, asked }
}

#[tokio::test]
async fn each_rule_reports_a_request_that_lacks_what_it_asks_for() {
    let mut samples = BTreeMap::new();
    for sampled in SAMPLES {
        samples.insert(sampled.0, sample(sampled).await);
    }
    let allowed: Case = ("a repair without what is allowed", "spoilt advice", Kind::Repairs, |asked, _, _| {
        replace(asked, "<allowed>", "<all>");
    });
    let form: Case = ("a repair without what is allowed", "spoilt search", Kind::Repairs, |asked, _, _| {
        replace(asked, "as many as are wanted", "some");
    });
    let usage: Case = ("a repair without what is allowed", "spoilt layers", Kind::Repairs, |asked, scene, _| {
        scene.brief.glossary.iter().for_each(|entry| replace(asked, &entry.usage, "an action"));
    });
    let seen: Case = ("a repair without what is allowed", "spoilt layers", Kind::Repairs, |asked, _, now| {
        now.blocks.iter().for_each(|block| replace(asked, block.trim(), ""));
    });
    let cases: Vec<Case> = CASES.into_iter().chain([allowed, form, usage, seen]).collect();
    let missed = missed(&samples, &cases);
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    let tried: BTreeSet<&str> = cases.iter().chain(&OF_SUMMARIES).map(|(rule, ..)| *rule).collect();
    assert_eq!(tried, BTreeSet::from(RULES), "rules that are tried, and rules that there are");
}
