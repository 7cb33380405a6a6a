//! Folds over episodes keep sums: what they hold does not grow with the number of episodes, and an error names its event.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_analysis::Stop;
use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError};
use gimbal_analysis::profile::{ActionFacts, TraceFold};
use gimbal_analysis::recovery::RecoveryFold;
use gimbal_analysis::stored_records::{ModelCall, RecordState, StoredRecord, Takes};
use gimbal_analysis::work_folds::{FoldSource, WorkFolds};
use gimbal_core::event::{Body, Event, Fault, ModelCalled, Note, StepTaken, ToolCalled};
use gimbal_core::{Digest, Milli, RecordError, TextRef};

/// The events of an episode: a call, an injected fault, two steps. Rewards differ from one to the next.
fn events(number: u64) -> Vec<Event> {
    let text = TextRef::inline;
    let called = ModelCalled {
        call: 0,
        extends: Vec::new(),
        grammar: text(""),
        kept: 0,
        messages: Vec::new(),
        outcome: "completed".to_owned(),
        output_tokens: 10,
        prompt_tokens: 100,
        reply: text("y"),
        role: "default".to_owned(),
        sampling: text("{}"),
        tools: text(""),
    };
    let act = || ToolCalled { arguments: text(r#"{"host":"a"}"#), justification: text(""), tool: "Restore".to_owned() };
    let stepped = |reward: i64| {
        Body::Stepped(StepTaken {
            observation: text(""),
            reward: Milli(reward),
            state: Digest::of(&number.to_le_bytes()),
        })
    };
    let fault = Fault { index: 0, kind: "malformed".to_owned(), planted: None, site: "model".to_owned() };
    let bodies = [
        (1, Body::ModelCalled(called)),
        (1, Body::ToolCalled(act())),
        (1, stepped(-100 * (number as i64 % 7))),
        (2, Body::Fault(fault)),
        (2, Body::ToolCalled(act())),
        (2, stepped(-100)),
    ];
    bodies.into_iter().map(|(step, body)| Event { body, lane: 0, step }).collect()
}

fn texts(reference: &TextRef) -> Result<String, String> {
    reference.as_inline().map(str::to_owned).ok_or_else(|| format!("{reference} is not here"))
}

/// Passes so many episodes to the fold, one at a time.
fn fold(fold: &mut dyn EpisodeFold<String>, episodes: u64) {
    for number in 0..episodes {
        let events = events(number);
        let run = u32::try_from(number).unwrap();
        let episode = Episode {
            cell: "obs",
            environment: "corridor",
            task: "default",
            run,
            instance: run % 10,
            stop: Stop::Horizon,
            events: &events,
            ..Episode::default()
        };
        assert!(fold.wants(&episode));
        fold.add(&episode, &mut texts).unwrap();
    }
}

#[test]
fn folds_do_not_grow_with_episodes() {
    let traces = |episodes| {
        let mut traces = TraceFold::new(BTreeMap::from([("obs".to_owned(), ActionFacts::default())]));
        fold(&mut traces, episodes);
        let traces = traces.finish();
        assert_eq!(traces.cell("obs").unwrap().episodes, episodes);
        format!("{traces:?}").len()
    };
    let recoveries = |episodes| {
        let mut recoveries = RecoveryFold::new(BTreeSet::from(["obs".to_owned()]));
        fold(&mut recoveries, episodes);
        let recoveries = recoveries.finish();
        assert_eq!(recoveries.of("obs").map(|of| of.tally.injected).sum::<u64>(), episodes);
        format!("{recoveries:?}").len()
    };
    // Longer numbers alone: a hundred times as many episodes are not twice as much text.
    let (few, many) = (traces(100), traces(10_000));
    assert!(many < few + few / 2, "{few} {many}");
    let (few, many) = (recoveries(100), recoveries(10_000));
    assert!(many < few + few / 2, "{few} {many}");
}

#[test]
fn a_fold_wants_the_journals_of_its_cells_alone() {
    let other = Episode { cell: "network", ..Episode::default() };
    let traces = TraceFold::new(BTreeMap::from([("obs".to_owned(), ActionFacts::default())]));
    assert!(!EpisodeFold::<String>::wants(&traces, &other));
    let recoveries = RecoveryFold::new(BTreeSet::from(["obs".to_owned()]));
    assert!(!EpisodeFold::<String>::wants(&recoveries, &other));
}

#[test]
fn errors_name_the_event_or_are_those_of_the_texts() {
    let note = |kind: &str, data: TextRef| {
        let body = Body::Note(Note { data, kind: kind.to_owned() });
        vec![events(0)[0].clone(), Event { body, lane: 0, step: 1 }]
    };
    let mut traces = TraceFold::new(BTreeMap::from([("obs".to_owned(), ActionFacts::default())]));
    let damaged = note("parsed", TextRef::inline("{}"));
    let episode = Episode { cell: "obs", events: &damaged, ..Episode::default() };
    let error = traces.add(&episode, &mut texts).unwrap_err();
    assert!(matches!(error, FoldError::Record { event: 1, .. }), "{error}");
    let gone = note("voted", TextRef::stored(Digest::of(b"gone")));
    let episode = Episode { cell: "obs", events: &gone, ..Episode::default() };
    let mut records = WorkFolds::new([&VOTES], &[]);
    let error = records.add(&episode, &mut texts).unwrap_err();
    assert!(matches!(&error, FoldError::Text(why) if why.ends_with("is not here")), "{error}");
    let unread = note("voted", TextRef::inline("\"x\""));
    let episode = Episode { cell: "obs", events: &unread, ..Episode::default() };
    let error = records.add(&episode, &mut texts).unwrap_err();
    assert!(matches!(error, FoldError::Record { event: 1, .. }), "{error}");
}

/// A state that keeps each record, to show which ones come.
#[derive(Default)]
struct Votes {
    sum: u64,
    seen: Vec<String>,
}

impl RecordState for Votes {
    const TAKES: Takes = Takes::records(&["voted"]).and_calls();

    fn on_record(&mut self, episode: &Episode<'_>, record: &StoredRecord<'_>) -> Result<(), RecordError> {
        let error =
            |error: std::num::ParseIntError| RecordError { kind: "voted", key: String::new(), why: error.to_string() };
        self.sum += record.data.parse::<u64>().map_err(error)?;
        self.seen.push(format!("{} {} {}", episode.cell, episode.name(), record.data));
        Ok(())
    }

    fn on_call(&mut self, _episode: &Episode<'_>, call: &ModelCall) {
        self.seen.push(format!("call of {}", call.role));
    }
}

static VOTES: FoldSource = FoldSource::of_records::<Votes>("votes");

/// A state that takes in last observations alone.
#[derive(Default)]
struct Ends(Vec<String>);

impl RecordState for Ends {
    const TAKES: Takes = Takes::records(&[]).and_last_observation();

    fn on_end(&mut self, episode: &Episode<'_>, observation: &str) {
        self.0.push(format!("{} {observation}", episode.run));
    }
}

static ENDS: FoldSource = FoldSource::of_records::<Ends>("ends");

#[test]
fn records_calls_and_last_observations_reach_the_states_that_take_them_in_order() {
    let note = |kind: &str, data: &str| Event {
        body: Body::Note(Note { data: TextRef::inline(data), kind: kind.to_owned() }),
        lane: 0,
        step: 1,
    };
    let mut all = vec![note("voted", "1"), note("other", "2")];
    all.extend(events(0));
    all.push(note("voted", "3"));
    let episode = Episode { cell: "obs", task: "t", run: 4, trial: 1, events: &all, ..Episode::default() };
    let mut records = WorkFolds::new([&VOTES, &VOTES, &ENDS], &[]);
    records.add(&episode, &mut texts).unwrap();
    let states = records.finish();
    let votes = states.get::<Votes>(&VOTES).unwrap();
    assert_eq!((votes.sum, votes.seen.join(", ").as_str()), (4, "obs obs/t/4/1 1, call of default, obs obs/t/4/1 3"));
    assert_eq!(states.get::<Ends>(&ENDS).unwrap().0, ["4 "]);
    assert!(states.get::<Votes>(&ENDS).is_none());
    assert!(!EpisodeFold::<String>::wants(&WorkFolds::new([], &[]), &episode), "no source, no journal");
}
