//! How far an altered message spreads, what hierarchies take, and where the time goes: from records and rows.

use gimbal_analysis::episode::Episode;
use gimbal_analysis::name::Name;
use gimbal_analysis::stored_records::{ModelCall, RecordState, StoredRecord};
use gimbal_analysis::{ComponentTime, EpisodeRow, RoleLedger, RoleUsage, TokenUse};
use gimbal_core::Digest;
use gimbal_ctha::effort::{CellEffort, Effort, successes_a_million, trials_to};
use gimbal_ctha::latency::CellTime;
use gimbal_ctha::spread::{OccurrenceKind, Spread};
use gimbal_messages::Record;
use gimbal_messages::records::temporal::{LayerAsked, LayerDecided, LayerSent};
use gimbal_temporal::Layer;

#[derive(Default)]
struct Fed<S>(S);

impl<S: RecordState> Fed<S> {
    fn add<R: Record>(&mut self, cell: &str, record: &R) {
        let episode = Episode { cell, task: "t", ..Episode::default() };
        let record = StoredRecord { kind: R::KIND, data: &record.data().to_string() };
        self.0.on_record(&episode, &record).unwrap();
    }

    fn call(&mut self, cell: &str, call: &ModelCall) {
        self.0.on_call(&Episode { cell, task: "t", ..Episode::default() }, call);
    }

    fn end(&mut self, cell: &str) {
        self.0.on_end(&Episode { cell, task: "t", ..Episode::default() }, "over");
    }
}

fn sent(step: u32, (from, to): (&str, &str), text: &str) -> LayerSent {
    LayerSent {
        step,
        from: from.to_owned(),
        to: to.to_owned(),
        kind: "summary".to_owned(),
        outcome: "as_written".to_owned(),
        changes: std::collections::BTreeMap::new(),
        refusal: None,
        bytes: text.len() as u64,
        text: text.to_owned(),
    }
}

fn decided(step: u32, call: &str) -> LayerDecided {
    LayerDecided {
        step,
        arbiter: "greedy".to_owned(),
        parties: 3,
        conflicts: Vec::new(),
        comparisons: 2,
        early: true,
        call: call.to_owned(),
        caller: Some("reflex".to_owned()),
        carried_out: Vec::new(),
        active: vec!["reflex".to_owned()],
    }
}

fn call(step: u32, role: &str, request: &str, reply: &str) -> ModelCall {
    let (request, reply) = (Digest::of(request.as_bytes()), Digest::of(reply.as_bytes()));
    ModelCall { step, role: role.to_owned(), request, reply }
}

/// Two steps of an episode: what Reflex reports in the first, what Tactical sees and says in the second, and what is done.
fn episode(fed: &mut Fed<Spread>, cell: &str, [report, seen, said, done]: [&str; 4]) {
    fed.call(cell, &call(1, "reflex", "first", "a"));
    fed.add(cell, &sent(1, ("reflex", "tactical"), report));
    fed.add(cell, &decided(1, "a"));
    fed.call(cell, &call(2, "tactical", seen, said));
    fed.call(cell, &call(2, "reflex", "second", "b"));
    fed.add(cell, &sent(2, ("tactical", "strategic"), said));
    fed.add(cell, &decided(2, done));
    fed.end(cell);
}

// covers: CTHA-111
#[test]
fn one_altered_message_is_followed_through_requests_answers_messages_and_calls() {
    let mut fed = Fed::<Spread>::default();
    episode(&mut fed, "plain", ["lit", "sees lit", "go on", "b"]);
    episode(&mut fed, "read", ["dark", "sees dark", "go back", "c"]);
    episode(&mut fed, "unread", ["dark", "sees dark", "go on", "b"]);
    episode(&mut fed, "contained", ["lit", "sees lit", "go on", "b"]);
    let spread = &fed.0;
    let reach = |cell: &str| spread.reach(cell, "plain").remove(0).1;
    let read = reach("read");
    let tactical = Some(Layer::Tactical);
    // The altered message itself is not counted; the call of its own step is behind it, and the same.
    assert_eq!((read.of(OccurrenceKind::Request, tactical), read.of(OccurrenceKind::Request, None)), ((1, 1), (2, 1)));
    assert_eq!((read.of(OccurrenceKind::Answer, tactical), read.of(OccurrenceKind::Message, None)), ((1, 1), (1, 1)));
    assert_eq!((read.of(OccurrenceKind::Call, None), read.amplification()), ((2, 1), 2));
    let unread = reach("unread");
    assert_eq!((unread.of(OccurrenceKind::Request, tactical), unread.amplification()), ((1, 1), 0));
    // What projection takes back has arrived nowhere.
    let contained = reach("contained");
    assert_eq!((contained.arrived, contained.of(OccurrenceKind::Request, None)), (false, (0, 0)));
    assert!(spread.reach("nobody", "plain").is_empty());
}

// covers: CTHA-111
#[test]
fn a_layer_that_is_asked_in_one_of_the_episodes_alone_differs() {
    let mut fed = Fed::<Spread>::default();
    episode(&mut fed, "plain", ["lit", "sees lit", "go on", "b"]);
    fed.call("more", &call(1, "reflex", "first", "a"));
    fed.add("more", &sent(1, ("reflex", "tactical"), "dark"));
    fed.add("more", &decided(1, "a"));
    fed.call("more", &call(2, "strategic", "why", "so"));
    fed.end("more");
    let spread = &fed.0;
    let reach = &spread.reach("more", "plain")[0].1;
    assert_eq!(reach.of(OccurrenceKind::Request, Some(Layer::Strategic)), (1, 1));
    assert_eq!(reach.of(OccurrenceKind::Request, Some(Layer::Tactical)), (1, 1));
    assert_eq!(reach.of(OccurrenceKind::Call, None), (2, 1));
}

// covers: CTHA-095
#[test]
fn messages_comparisons_and_bytes_are_counted_against_layers_and_pairs() {
    let mut fed = Fed::<Effort>::default();
    for (step, layer) in [(1, "strategic"), (1, "reflex"), (2, "reflex")] {
        let (layer, why) = (layer.to_owned(), "period".to_owned());
        fed.add("c", &LayerAsked { step, layer, why, cached: false });
    }
    fed.add("c", &sent(1, ("strategic", "all"), "rules"));
    fed.add("c", &sent(1, ("reflex", "strategic"), "lit"));
    fed.add("c", &decided(1, "a"));
    fed.add("c", &sent(2, ("reflex", "strategic"), "dark again"));
    fed.add("c", &decided(2, "b"));
    fed.end("c");
    let effort = &fed.0;
    let expected = CellEffort {
        episodes: 1,
        steps: 2,
        layers: ["reflex", "strategic"].map(str::to_owned).into(),
        messages: (2, 1),
        comparisons: 4,
        pairs: 6,
        // The latest report takes the place of the one before.
        held: 15,
        bytes: 18,
    };
    assert_eq!(effort.of("c"), Some(&expected));
    assert_eq!(expected.deliveries(), Some(1.5));
}

// covers: CTHA-096, CTHA-117, CTHA-R08
#[test]
fn time_is_told_by_layer_and_component_and_throughput_is_a_product() {
    let part = |role: &str, called_us: u64| RoleLedger { role: role.into(), called_us, ..RoleLedger::default() };
    let component = |name: &str, nanoseconds: u64| ComponentTime { component: Name::from(name), nanoseconds, times: 1 };
    let row = |return_thousandths: i64, took_us: u64| EpisodeRow {
        steps: 2,
        return_thousandths,
        critical_path_us: Some(5_000),
        ledger: vec![part("reflex", 4_000), part("tactical", 2_000)],
        took_us: Some(took_us),
        components: vec![component("arbiter", 6_000), component("messages", 2_000)],
        ..EpisodeRow::default()
    };
    let rows = [row(0, 1_000_000), row(1_000, 3_000_000)];
    let took = CellTime::of(&rows.iter().collect::<Vec<_>>(), Some(500));
    assert_eq!((took.steps, took.model("reflex"), took.model("strategic")), (4, Some(2.0), None));
    assert_eq!(took.critical_us, Some(10_000));
    assert_eq!((took.component(&["arbiter"]), took.component(&["arbiter", "messages"])), (Some(3.0), Some(4.0)));
    // Two seconds an episode, half of them successes.
    assert_eq!((took.an_hour(), took.succeeded(), took.successes_an_hour()), (Some(1_800.0), Some(0.5), Some(900.0)));
    let silent = EpisodeRow { components: Vec::new(), took_us: None, critical_path_us: None, ..row(0, 0) };
    let took = CellTime::of(&[&silent], None);
    assert_eq!((took.component(&["arbiter"]), took.an_hour(), took.critical_us), (None, None, None));
    assert_eq!(took.successes_an_hour(), None);
}

// covers: CTHA-114, CTHA-115
#[test]
fn trials_to_a_rate_of_success_and_successes_for_tokens() {
    let row = |run: u32, trial: u32, solved: bool| EpisodeRow {
        run,
        trial,
        return_thousandths: if solved { 1_000 } else { 0 },
        usage: vec![RoleUsage {
            role: "reflex".into(),
            environment: false,
            called: TokenUse { input: 90, output: 10, ..TokenUse::default() },
        }],
        ..EpisodeRow::default()
    };
    let learns =
        [row(0, 0, false), row(1, 0, false), row(0, 1, true), row(1, 1, false), row(0, 2, true), row(1, 2, true)];
    let rows: Vec<&EpisodeRow> = learns.iter().collect();
    assert_eq!(trials_to(&rows, 500), Some(2), "half of two sessions succeed in the second trial");
    assert_eq!(trials_to(&rows, 2_000), None);
    assert_eq!(trials_to(&rows[..2], 500), None, "sessions of one trial learn nothing from another");
    // Three of six episodes of 100 tokens each.
    assert_eq!(successes_a_million(&rows, 500), Some(5_000.0));
    assert_eq!(successes_a_million(&[], 500), None);
}
