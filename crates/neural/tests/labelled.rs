//! From labelled conflicts of journals to rows that a network learns from: the rows that it gets in play.

use gimbal_core::{Embedder as _, Milli, Scorer as _, ToolCall};
use gimbal_neural::data::labelled::{Origin, Unusable, header};
use gimbal_neural::data::{ACTION, Conflict};
use gimbal_neural::{Body, Dataset, Hashed, Net, Spec};
use gimbal_temporal::arbiter::{Arbiter, Scene};
use gimbal_temporal::rollout::{COLUMNS, Choices, Contenders, Features, Labelled, LayerLabelled, Named, Recent, Rule};
use gimbal_temporal::{Layer, Proposal};

use crate::support::bytes;

/// Two calls in one step, and what each is worth.
fn record() -> LayerLabelled {
    let call = |layer: Layer, host: &str| Proposal::call(layer, ToolCall::with("Restore", &[("host", host)]));
    let proposals = [call(Layer::Reflex, "User1"), call(Layer::Tactical, "Op_Server0")];
    let wanted = Contenders { proposals: &proposals, commitments: &[] };
    let idle = ToolCall::bare("Sleep");
    let scene = Scene { idle: &idle, open: &|_| true, stops: &|_| false };
    let arbiter = Arbiter::default();
    let choices = Choices::of(&arbiter, &Rule::standard(&arbiter.authority), wanted, &scene, 16).unwrap();
    let recent = Recent { step: 3, steps_left: 8, horizon: 10, harm: 1, refusals: 0 };
    let features = Features::of(&choices, wanted, &scene, recent);
    let returns = (0..choices.candidates.len()).map(|way| vec![Milli(1000 * way as i64); 4]).collect();
    let named = Named::of(&choices, wanted, "Keep the network up\nRestore host=User1 -> restored".to_owned());
    LayerLabelled {
        step: 3,
        policy: "sleep".to_owned(),
        futures: 4,
        kind: "call".to_owned(),
        labelled: Labelled::of(&choices, features, returns).unwrap(),
        named: Some(named),
        second: None,
    }
}

fn origin() -> Origin {
    Origin { id: "e, step 3".to_owned(), environment: "cage2".to_owned(), seed: 7, noise: Milli(300) }
}

// covers: CTHA-077, CTHA-080
#[test]
fn a_collected_conflict_has_the_rows_that_a_scorer_gets_in_play() {
    let record = record();
    let (named, parties) = (record.named.as_ref().unwrap(), &record.labelled.parties);
    let conflict = Conflict::labelled(origin(), &record).unwrap();
    // What a network is given in play: its own vector of the context.
    let net = Net::read(&bytes(&Spec::of(Body::Linear, &header()), 1, false)).unwrap();
    let context = net.context(&named.context);
    assert_eq!(conflict.rows(), named.rows(parties, true, &context));
    assert_eq!(conflict.rows()[0].len(), net.width());
    assert_eq!(context, Hashed.embed(&named.context));
    assert!(context.iter().any(|value| *value != 0.0), "the column is filled");
    let actions: Vec<f32> = conflict.parties.iter().map(|party| *party.features.last().unwrap()).collect();
    assert!(actions[0] != actions[1] && actions.iter().all(|action| action.fract() == 0.0), "{actions:?}");
    // A file holds them as they are.
    let data = Dataset { header: header(), conflicts: vec![conflict] };
    assert_eq!(Dataset::read(&data.write().unwrap()).unwrap(), data);
    // Without both, the rows are those of the plain features, which name nothing.
    let plain = data.without_actions().without_context();
    assert_eq!(plain.conflicts[0].rows(), named.rows(parties, false, &[]));
    assert_eq!((plain.header.columns.as_slice(), plain.header.context), (&COLUMNS.map(str::to_owned)[..], 0));
}

// covers: CTHA-077
#[test]
fn each_network_sees_of_collected_conflicts_what_it_was_made_for() {
    let data = Dataset { header: header(), conflicts: vec![Conflict::labelled(origin(), &record()).unwrap()] };
    let shipped = Net::read(include_bytes!("../../../weights/arbiter/arbiter.weights")).unwrap();
    assert!(shipped.fits(&data.header).is_err());
    let seen = data.seen_by(shipped.spec());
    shipped.fits(&seen.header).unwrap();
    assert_eq!(seen.conflicts[0].rows()[0].len(), shipped.width());
    // The features of the shipped weights are the plain ones still.
    assert_eq!(shipped.spec().columns, COLUMNS);
    // The published encoder has both inputs to learn from.
    let published = Spec::of(Body::published(), &header());
    published.check().unwrap();
    let shapes = published.shapes();
    let rows = |name: &str| shapes.iter().find(|shape| shape.name == name).map(|shape| (shape.rows, shape.columns));
    assert_eq!((rows("actions"), rows("context")), (Some((10_000, 256)), Some((256, 384))));
    assert_eq!(data.seen_by(&published), data);
    assert_eq!(published.action(), header().place(ACTION));
}

// covers: CTHA-080
#[test]
fn records_of_older_programs_and_torn_ones_are_refused_by_name() {
    let old = LayerLabelled { named: None, ..record() };
    let text = serde_json::to_string(&old).unwrap();
    assert!(!text.contains("named"), "as an older program wrote it");
    let read: LayerLabelled = serde_json::from_str(&text).unwrap();
    let error = Conflict::labelled(origin(), &read).unwrap_err();
    assert_eq!(error, Unusable::Older("e, step 3".to_owned()));
    assert!(error.to_string().contains("play the study anew"), "{error}");
    let mut torn = record();
    torn.named.as_mut().unwrap().actions.pop();
    assert_eq!(Conflict::labelled(origin(), &torn), Err(Unusable::Torn("e, step 3".to_owned())));
    let mut torn = record();
    torn.labelled.best = 9;
    assert_eq!(Conflict::labelled(origin(), &torn), Err(Unusable::Torn("e, step 3".to_owned())));
    let mut torn = record();
    torn.labelled.by_rule.remove("greedy");
    assert_eq!(Conflict::labelled(origin(), &torn), Err(Unusable::Torn("e, step 3".to_owned())));
}
