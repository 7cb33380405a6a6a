//! Figures of an episode, from its records.

use gimbal_analysis::episode::Episode;
use gimbal_analysis::stored_records::{RecordState, StoredRecord};
use gimbal_ctha::layers::{Figures, Layers};
use gimbal_messages::Record;
use gimbal_messages::records::temporal::{Clash, LayerAsked, LayerDecided, LayerSent, LayerViolated, StoreRefused};

fn clash(slower: &str, cause: &str, kept: Option<&str>) -> Clash {
    let (faster, slower) = ("reflex".to_owned(), slower.to_owned());
    Clash { faster, slower, causes: vec![cause.to_owned()], kept: kept.map(str::to_owned) }
}

fn decided(step: u32, conflicts: Vec<Clash>, carried_out: Vec<Clash>) -> LayerDecided {
    let early = conflicts.is_empty();
    let active = vec!["tactical".to_owned(), "reflex".to_owned()];
    let (arbiter, call, caller) = ("greedy".to_owned(), "Wait".to_owned(), Some("reflex".to_owned()));
    LayerDecided { step, arbiter, parties: 2, conflicts, comparisons: 1, early, call, caller, carried_out, active }
}

#[derive(Default)]
struct Fed(Layers);

impl Fed {
    fn add<R: Record>(&mut self, record: &R) {
        let episode = Episode { cell: "c", task: "t", ..Episode::default() };
        let record = StoredRecord { kind: R::KIND, data: &record.data().to_string() };
        self.0.on_record(&episode, &record).unwrap();
    }

    fn end(&mut self) {
        self.0.on_end(&Episode { cell: "c", task: "t", ..Episode::default() }, "over");
    }
}

// covers: CTHA-092, CTHA-095, CTHA-110, CTHA-112, CTHA-113, CTHA-114, CTHA-116, CTHA-R07, CTHA-R19
#[test]
fn conflicts_violations_failures_and_cascades_of_an_episode() {
    let mut fed = Fed::default();
    let sent = |outcome: &str| LayerSent {
        step: 1,
        from: "strategic".to_owned(),
        to: "tactical".to_owned(),
        kind: "plan".to_owned(),
        outcome: outcome.to_owned(),
        changes: std::collections::BTreeMap::new(),
        refusal: None,
        bytes: 50,
        text: String::new(),
    };
    let asked = |step: u32, layer: &str, cached: bool| LayerAsked {
        step,
        layer: layer.to_owned(),
        why: "period".to_owned(),
        cached,
    };
    // Step 1: a message that is replaced by its default; no conflict.
    fed.add(&asked(1, "strategic", false));
    fed.add(&sent("default"));
    fed.add(&decided(1, Vec::new(), Vec::new()));
    // Steps 2 to 4: a conflict, and failures from there on: one cascade.
    let over = || vec![clash("tactical", "call", None)];
    fed.add(&asked(2, "strategic", true));
    fed.add(&decided(2, over(), over()));
    fed.add(&decided(3, over(), over()));
    fed.add(&decided(4, Vec::new(), Vec::new()));
    let violated = |carried_out: bool| LayerViolated {
        step: 4,
        layer: "reflex".to_owned(),
        kind: "policy".to_owned(),
        text: "Wait".to_owned(),
        carried_out,
        over: carried_out.then(|| "institutional".to_owned()),
        instead: String::new(),
    };
    fed.add(&violated(true));
    fed.add(&violated(false));
    // Step 5: a conflict that the arbiter resolves.
    fed.add(&decided(5, vec![clash("strategic", "directive plan/a", Some("strategic"))], Vec::new()));
    fed.end();
    let layers = fed.0.of("c").unwrap();
    let expected = Figures {
        steps: 5,
        conflicts: 3,
        carried_out: 2,
        violations: 2,
        violated: 1,
        overridden: 1,
        failures: 4,
        cascades: 1,
        early: 2,
        active: 1,
        cached: 1,
        messages: 1,
        bytes: 50,
        defaults: 1,
        comparisons: 5,
        parties: 10,
    };
    assert_eq!(layers.episodes, [("t".to_owned(), 0, expected)]);
    assert_eq!((layers.failures.clone(), layers.reached.clone()), (vec![1, 1, 1, 1, 0], vec![1; 5]));
    let pair = |slower: &str| layers.pairs[&("reflex".to_owned(), slower.to_owned())];
    assert_eq!((pair("tactical").conflicts, pair("tactical").causes, pair("tactical").kept), (2, [0, 0, 0, 2], [0, 0]));
    assert_eq!((pair("strategic").causes, pair("strategic").kept), ([0, 0, 1, 0], [0, 1]));
}

// covers: CTHA-003
#[test]
fn a_store_that_could_not_be_read_is_counted_among_what_the_default_replaces() {
    let mut fed = Fed::default();
    let (store, why, held) = ("policies".to_owned(), "found a text".to_owned(), "\"x\"".to_owned());
    fed.add(&StoreRefused { step: 1, store, why, bytes: 3, held });
    fed.add(&decided(1, Vec::new(), Vec::new()));
    fed.end();
    let layers = fed.0.of("c").unwrap();
    let store = layers.messages["store of earlier trials"];
    assert_eq!((store.outcomes, store.bytes), ([0, 0, 1, 0, 0], 3));
    // It is not a message of this episode: no layer failed.
    assert_eq!(
        (layers.episodes[0].2.messages, layers.episodes[0].2.defaults, layers.episodes[0].2.failures),
        (0, 0, 0)
    );
}
