//! Every request of an episode, in every environment, architecture and protocol, read as a player reads it: all that is needed
//! is there, and nothing contradicts itself.
//!
//! What is read follows from the families of architectures, the shipped configurations and the environments of the project, so that a
//! new one is read by itself.
//!
//! `GIMBAL_REQUESTS=FOLDER cargo test -p gimbal-readers --test all requests::` also writes the requests there, for a person to read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;
mod changes;
mod designs;
mod letter;
mod places;
mod rules;
mod scene;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use changes::{OF_SUMMARIES, Sample};
use common::{Asked, Cell, Played};
use designs::Design;
use gimbal_agent::Family;
use gimbal_architectures::control::{CallResult, Summariser, SummariserKind, Won, WorkSegment};
use gimbal_core::event::Body;
use gimbal_core::{Grammar, TaskId, ToolCall};
use gimbal_testkit::environments::lamps::Lamps;
use letter::Cast;
pub use places::{Place, Reach, all, reached};
use rules::Broken;
use scene::{Scene, shown};
use serde_json::{Value, json};

/// Writes the requests of an episode where a folder for them is named.
pub fn keep(place: &str, cell: &str, asked: &[Asked]) {
    let Some(folder) = std::env::var_os("GIMBAL_REQUESTS").map(PathBuf::from) else { return };
    let folder = folder.join(place);
    std::fs::create_dir_all(&folder).unwrap();
    let mut out = String::new();
    for (number, Asked { role, request, answer, .. }) in asked.iter().enumerate() {
        out.push_str(&format!("################ request {number} to {role}\n"));
        for message in &request.messages {
            let answers = message.answers.as_deref().map(|id| format!(" answers {id}")).unwrap_or_default();
            out.push_str(&format!("-------- {}{answers}\n{}\n", message.speaker.name(), message.text));
            for call in &message.calls {
                out.push_str(&format!("call {} {} {}\n", call.id, call.tool, call.arguments));
            }
        }
        for tool in request.tools.iter() {
            out.push_str(&format!("-------- tool {}: {}\n{}\n", tool.name, tool.description, tool.parameters));
        }
        if let Some(grammar) = &request.grammar {
            let text = match &**grammar {
                Grammar::JsonSchema(schema) => schema.to_string(),
                Grammar::Choice(texts) => texts.join(" | "),
                Grammar::Regex(regex) => regex.clone(),
            };
            out.push_str(&format!("-------- grammar\n{text}\n"));
        }
        out.push_str(&format!("-------- answer\n{answer}\n"));
    }
    std::fs::write(folder.join(format!("{cell}.txt")), out).unwrap();
}

/// Who is asked in an episode, and in which form.
struct Reading<'a> {
    place: &'a Place,
    cell: &'a Cell,
    /// Name of the cell for files and stumbles.
    file: &'a str,
    cast: &'a Cast,
    published: bool,
}

/// Looks at the requests of an episode with every rule.
async fn look(
    reading: &Reading<'_>,
    (task, seed): (&TaskId, u64),
    (played, asked): (&Played, &[Asked]),
    broken: &mut Broken,
) {
    let Reading { place, cell, file, cast, published } = reading;
    let scene = Scene::of((place, task, seed), (cell, file, *published), played).await;
    for (one, now) in asked.iter().zip(shown(played, cast, asked)) {
        rules::check(&scene, (cast, &now), one, broken);
    }
}

/// What was read of some designs in some environments.
#[derive(Default)]
struct Read {
    broken: Broken,
    requests: usize,
    /// Roles of each family that were asked.
    asked: BTreeMap<&'static str, BTreeSet<String>>,
    /// Roles that each family names.
    named: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Read {
    fn extend(&mut self, other: Self) {
        self.broken.extend(other.broken);
        self.requests += other.requests;
        for (all, more) in [(&mut self.asked, other.asked), (&mut self.named, other.named)] {
            for (family, roles) in more {
                all.entry(family).or_default().extend(roles);
            }
        }
    }
}

/// Plays a design in one form, and looks at its requests.
async fn read_one(place: &Place, design: &Design, (cell, spoilt): (&Cell, bool)) -> Read {
    let (task, seed, family) = (place.task(design.task), 4, design.family.name());
    let team = design.family.team(&cell.all_settings(), &common::files()).unwrap();
    let asks = place.family.offers().asks;
    let cast = Cast::new(team.into_agents(), asks.clone());
    let mask = if cell.constrained { "constrained" } else { "free" };
    let spoiled = if spoilt { "-spoilt" } else { "" };
    let mut read = Read::default();
    let named = cell.architecture().needs().roles;
    read.named.entry(family).or_default().extend(named);
    let trials =
        cell.session(&*place.family, &place.options, (&task, seed), (spoilt, design.limits(), &design.faults())).await;
    for (trial, (played, asked)) in trials.iter().enumerate() {
        let later = if trial > 0 { "-again" } else { "" };
        let file = format!("{}-{}-{mask}{spoiled}{later}", design.name, cell.protocol);
        keep(place.name, &format!("{family}-{file}"), asked);
        assert!(!asked.is_empty(), "{}: {family} {file}: nothing was asked", place.name);
        read.requests += asked.len();
        let roles = asked.iter().map(|one| one.role.clone()).filter(|role| !asks.contains(role));
        read.asked.entry(family).or_default().extend(roles);
        let reading = Reading { place, cell, file: &file, cast: &cast, published: design.published };
        look(&reading, (&task, seed), (played, asked), &mut read.broken).await;
    }
    read
}

/// Reads the designs of these families in every environment that they fit, in as many threads as there are processors.
fn read(families: &[Arc<dyn Family>], places: &[Place]) -> Read {
    let mut work = Vec::new();
    for (at, place) in places.iter().enumerate() {
        for (turn, design) in designs::fitting(families, place).into_iter().enumerate() {
            for cell in design.forms(at + turn) {
                let cell = Cell { player: place.player, ..cell };
                // A mask changes no text: requests to try again are read once.
                let spoilt = [false, true].into_iter().filter(|spoilt| !(*spoilt && cell.constrained));
                work.extend(spoilt.map(|spoilt| (place, design.clone(), cell.clone(), spoilt)));
            }
        }
    }
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Read::default()));
    let player = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        while let Some((place, design, cell, spoilt)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            let read = runtime.block_on(read_one(place, design, (cell, *spoilt)));
            all.lock().unwrap().extend(read);
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        (0..threads).for_each(|_| drop(scope.spawn(player)));
    });
    let all = all.into_inner().unwrap();
    println!("{} episodes, {} requests", work.len(), all.requests);
    all
}

fn no_stumbles(broken: &Broken) {
    let broken = broken.lines();
    assert!(broken.is_empty(), "{} stumbles:\n{}", broken.len(), broken.join("\n"));
}

/// The families of these names; with `false`, all others that ask agents.
fn families(names: &[&str], these: bool) -> Vec<Arc<dyn Family>> {
    designs::asking().into_iter().filter(|family| names.contains(&family.name()) == these).collect()
}

/// One agent, or one with advisers.
const FLAT: [&str; 2] = ["react", "hierarchy"];
/// Controllers over subtasks.
const CONTROLLERS: [&str; 2] = ["cyclic", "dag"];

// covers: BOG-054, BOG-055, BOG-061, BOG-130
#[test]
fn defenders_in_every_configuration_can_play_from_their_requests() {
    no_stumbles(&read(&families(&FLAT, true), &reached(Reach::Horizon)).broken);
}

// covers: CYC-027, CYC-036, CYC-010
#[test]
fn solvers_and_controllers_of_tasks_can_play_from_their_requests() {
    let places: Vec<Place> = all().into_iter().filter(|place| place.reach != Reach::Horizon).collect();
    no_stumbles(&read(&families(&[&FLAT[..], &CONTROLLERS].concat(), true), &places).broken);
}

#[test]
fn controllers_of_a_defence_can_play_from_their_requests() {
    no_stumbles(&read(&families(&CONTROLLERS, true), &reached(Reach::Horizon)).broken);
}

/// Whatever family there is or will be: sides of a debate, members of a panel, layers, reflectors, proposers and valuers.
#[test]
fn agents_of_every_other_family_can_answer_from_their_requests() {
    let others = families(&[&FLAT[..], &CONTROLLERS].concat(), false);
    let read = read(&others, &all());
    no_stumbles(&read.broken);
    // A role that no reader brings one family to ask is read where another family asks it; the reflector of a search has a test of its own.
    let of = |roles: BTreeMap<&str, BTreeSet<String>>| roles.into_values().flatten().collect::<BTreeSet<String>>();
    assert_eq!(of(read.named), of(read.asked), "roles that are named, and roles whose requests were read");
}

/// An environment that is in no list, has no reader and no graph, as a new one is: its requests are read as those of all others.
#[test]
fn the_requests_of_an_environment_without_a_reader_are_read() {
    let lamps = Place::of(Arc::new(Lamps));
    assert_ne!(lamps.player, common::READER, "no reader knows it");
    let read = read(&designs::asking(), &[lamps]);
    no_stumbles(&read.broken);
    let families: Vec<&str> = read.asked.into_keys().collect();
    assert_eq!(families, ["cyclic", "dag", "dispute", "hierarchy", "lats", "react", "reflexion", "temporal"]);
}

/// Every environment of the project is in the list, and a new family has a design that fits one; both are then read by the tests above.
#[test]
fn every_environment_and_every_family_that_asks_agents_is_read() {
    let places = all();
    let read: BTreeSet<String> = places.iter().map(|place| place.family.name().to_owned()).collect();
    assert_eq!(read, designs::environments(), "environments that are read, and those of the project");
    let families = designs::asking();
    let mut unread: Vec<&str> = families.iter().map(|family| family.name()).collect();
    for place in &places {
        let fitting = designs::fitting(&families, place);
        assert!(!fitting.is_empty(), "{}: no design fits", place.name);
        unread.retain(|name| fitting.iter().all(|design| design.family.name() != *name));
    }
    assert_eq!(unread, Vec::<&str>::new(), "families that fit no environment");
    // Rules of their own are for messages that there are.
    let messages: BTreeSet<&str> = gimbal_architectures::messages().into_iter().map(|message| message.name()).collect();
    let known = letter::with_own_rules();
    assert_eq!(
        known.difference(&messages).collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "messages that nobody answers with"
    );
}

/// A simulated path that ends without its goal is looked back on, and the note is told to whoever searches on. Where the belief state does not hold
/// what was seen first, the record does.
// covers: CTHA-131
#[tokio::test]
async fn a_reflector_of_a_search_can_answer_from_its_requests() {
    let mut broken = Broken::default();
    let family = families(&["lats"], true).remove(0);
    for (mut place, is_told) in reached(Reach::Win).into_iter().zip([false, true]) {
        // No task is done in so few calls.
        place.options["max_calls"] = json!(2);
        for (cell, spoilt) in
            Cell::all("lats", &json!({ "reflections": 1 })).iter().flat_map(|cell| [(cell, false), (cell, true)])
        {
            let (task, seed) = (place.task(None), 4);
            let team = family.team(&cell.all_settings(), &common::files()).unwrap();
            let cast = Cast::new(team.into_agents(), place.family.offers().asks);
            let (played, asked) = cell.requests(&*place.family, &place.options, (&task, seed), spoilt).await;
            let mask = if cell.constrained { "constrained" } else { "free" };
            let file = format!("lats-lost-{}-{mask}{}", cell.protocol, if spoilt { "-spoilt" } else { "" });
            keep(place.name, &file, &asked);
            let reflected = asked.iter().position(|one| one.role == "reflector");
            let reflected = reflected.unwrap_or_else(|| panic!("{}: {file}: {}", place.name, played.story()));
            let tells = |one: &Asked, words: &str| one.request.messages.iter().any(|told| told.text.contains(words));
            let again = asked[reflected..].iter().any(|one| tells(one, "\"notes\": ["));
            assert!(again, "{}: {file}: a note is told: {}", place.name, played.story());
            assert_eq!(tells(&asked[reflected], "\"first_observation\": \""), is_told, "{}: {file}", place.name);
            let reading = Reading { place: &place, cell, file: &file, cast: &cast, published: false };
            look(&reading, (&task, seed), (&played, &asked), &mut broken).await;
        }
    }
    no_stumbles(&broken);
}

/// An episode as a summariser is told it.
fn won(played: &Played) -> Won {
    let (mut won, mut open, mut calls) = (Won::default(), None, Vec::new());
    let (mut goals, mut at) = (Value::Null, Value::Null);
    let segment = |goals: &Value, at: &Value, calls: Vec<CallResult>, ended: &str| {
        let node = goals.as_array().unwrap().iter().find(|node| node["name"] == *at).unwrap();
        let text = |key: &str| node[key].as_str().unwrap().to_owned();
        WorkSegment { subtask: text("name"), goal: text("goal"), calls, ended: ended.to_owned() }
    };
    for event in played.events() {
        match &event.body {
            Body::ToolCalled(call) => {
                let arguments = serde_json::from_str(&played.text(&call.arguments)).unwrap();
                open = Some(ToolCall { tool: call.tool.clone(), arguments });
            }
            Body::Stepped(step) => {
                calls.extend(open.take().map(|call| CallResult { call, result: played.text(&step.observation) }));
            }
            Body::Rejected(refusal) => {
                calls.extend(open.take().map(|call| CallResult { call, result: played.text(&refusal.message) }));
            }
            Body::Note(note) if ["graph", "segment", "routed"].contains(&note.kind.as_str()) => {
                let data: Value = serde_json::from_str(&played.text(&note.data)).unwrap();
                match note.kind.as_str() {
                    "graph" => (goals, at) = (data["nodes"].clone(), data["entry"].clone()),
                    "routed" => at = data["to"].clone(),
                    _ => {
                        let done = std::mem::take(&mut calls);
                        won.segments.push(segment(&goals, &at, done, data["ended"].as_str().unwrap()));
                    }
                }
            }
            _ => {}
        }
    }
    // The call that ended the episode may stand behind the last note.
    if !calls.is_empty() {
        won.segments.push(segment(&goals, &at, calls, "over"));
    }
    won
}

/// A reader sums up an episode that a reader won, in every form of answers, at once and after an answer that nobody can use.
// covers: CYC-023
#[tokio::test]
async fn a_summariser_can_answer_from_its_requests() {
    let (mut broken, mut sample) = (Broken::default(), None);
    for place in reached(Reach::Win) {
        let (task, seed) = (place.task(None), 4);
        let worker = &Cell::all("cyclic", &json!({ "graph": "family" }))[0];
        let worked = worker.play(&*place.family, &place.options, &task, seed).await;
        assert!(worked.won(), "{}", place.name);
        let won = won(&worked);
        let names: Vec<String> = won.segments.iter().map(|segment| segment.subtask.clone()).collect();
        let mut said = Vec::new();
        for cell in Cell::all("cyclic", &json!({})) {
            let settings = json!({ "protocol": cell.protocol });
            let cast = || {
                let team = SummariserKind.team(&settings, &common::files()).unwrap();
                Cast::new(team.into_agents(), Vec::new())
            };
            let summariser = Summariser::new(&settings, &common::files()).unwrap();
            for spoilt in [false, true] {
                let work = summariser.of(won.clone());
                let (played, asked) =
                    cell.requests_of(&work, &*place.family, &place.options, (&task, seed), spoilt).await;
                let mask = if cell.constrained { "constrained" } else { "free" };
                let file = format!("summariser-{}-{mask}{}", cell.protocol, if spoilt { "-spoilt" } else { "" });
                keep(place.name, &file, &asked);
                assert_eq!(asked.len(), 1 + usize::from(spoilt), "{}: {file}", place.name);
                assert!(asked.iter().all(|one| one.role == "summariser"));
                assert!(played.notes("prompt_lacks").is_empty(), "{}: {file}", played.story());
                let known = cast();
                let reading = Reading { place: &place, cell: &cell, file: &file, cast: &known, published: false };
                look(&reading, (&task, seed), (&played, &asked), &mut broken).await;
                let scene = Scene::of((&place, &task, seed), (&cell, &file, false), &played).await;
                let shown = asked.iter().cloned().zip(shown(&played, &known, &asked)).collect();
                sample = Some(Sample { scene, cast: known, asked: shown });
                let made = work.made().unwrap();
                assert_eq!(made.problems.len(), usize::from(spoilt), "{}: {file}: {made:?}", place.name);
                said.push(made.into_summary().unwrap());
            }
        }
        assert!(names.iter().all(|name| said[0].contains(name.as_str())), "{names:?}: {}", said[0]);
        said.dedup();
        assert_eq!(said.len(), 1, "the same in every form");
    }
    no_stumbles(&broken);
    let missed = changes::missed(&sample.map(|sample| ("summary", sample)).into_iter().collect(), &OF_SUMMARIES);
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
