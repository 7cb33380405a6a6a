//! A learned arbiter in play: what its scorer gets is what is kept to learn from (CTHA-077, CTHA-080).

use std::sync::{Arc, Mutex};

use gimbal_core::{Digest, Scorer};
use gimbal_temporal::rollout::{COLUMNS, LayerLabelled};
use serde_json::json;

use super::{action, all, hierarchy, light, plan, play, sequence};
use crate::debate::Played;

/// Remembers the rows that it was given. Its vectors of contexts are the bytes of their hashes.
struct Spy {
    width: usize,
    context: usize,
    rows: Mutex<Vec<Vec<Vec<f32>>>>,
}

impl Scorer for Spy {
    fn identity(&self) -> String {
        "spy".to_owned()
    }
    fn width(&self) -> usize {
        self.width
    }
    fn score(&self, parties: &[Vec<f32>]) -> Vec<i64> {
        self.rows.lock().unwrap().push(parties.to_vec());
        vec![0; parties.len()]
    }
    fn context(&self, text: &str) -> Vec<f32> {
        let hash = Digest::of(text.as_bytes()).to_string();
        hash.bytes().map(f32::from).cycle().take(self.context).collect()
    }
}

async fn played(spy: &Arc<Spy>) -> Played {
    let rollouts = json!({ "policy": "light", "futures": 2 });
    let mut court = hierarchy(json!({ "layers": 3, "arbiter": "learned", "rollouts": rollouts, "tactical_period": 1 }))
        .says("strategic", std::iter::repeat_n(plan(&[("a", &[])], &json!({})), 20))
        .says("tactical", std::iter::repeat_n(sequence(&["Wait", "Wait"], &[]), 20))
        .says("reflex", [1, 2, 3, 4].into_iter().cycle().take(20).map(|lamp| action(&light(lamp))));
    court.scorer = Some(Arc::clone(spy) as Arc<dyn Scorer>);
    play(court).await
}

// covers: CTHA-077, CTHA-080
#[tokio::test]
async fn a_scorer_gets_the_rows_that_are_kept_to_learn_from() {
    for (actions, context) in [(false, 0), (true, 0), (false, 64), (true, 64)] {
        let width = 1 + COLUMNS.len() + usize::from(actions) + context;
        let spy = Arc::new(Spy { width, context, rows: Mutex::default() });
        let played = played(&spy).await;
        let rows = spy.rows.lock().unwrap();
        let kept = all::<LayerLabelled>(&played);
        assert!(kept.len() > 1 && rows.len() == kept.len(), "{} of {}", rows.len(), kept.len());
        for (rows, kept) in rows.iter().zip(&kept) {
            let named = kept.named.as_ref().unwrap();
            assert_eq!(*rows, named.rows(&kept.labelled.parties, actions, &spy.context(&named.context)));
            assert!(rows.iter().all(|row| row.len() == width));
            // Two calls are two actions; what the parties share is the same for both.
            assert_ne!(named.actions[0], named.actions[1]);
            assert_eq!(rows[0][width - context..], rows[1][width - context..]);
        }
        let seen = |at: usize| kept[at].named.clone().unwrap().context;
        assert!(!seen(0).contains("->"), "nothing was done before the first step: {}", seen(0));
        assert!(seen(1).contains("Wait -> ") || seen(1).contains("Light "), "{}", seen(1));
        assert_eq!(seen(0).lines().next(), seen(1).lines().next(), "the goal");
        // What names nothing still names nothing.
        let plain = serde_json::to_string(&kept[1].labelled).unwrap();
        assert!(!plain.contains("lamp") && !plain.contains("Light"), "{plain}");
    }
}

// covers: CTHA-077
#[tokio::test]
async fn weights_for_other_rows_end_the_episode_with_both_numbers() {
    let spy = Arc::new(Spy { width: 7, context: 0, rows: Mutex::default() });
    let scorer = Arc::clone(&spy);
    // A lasting stop is not an outcome of an episode.
    let ended = tokio::spawn(async move { played(&scorer).await }).await.err().unwrap().into_panic();
    let why = ended.downcast_ref::<String>().unwrap();
    assert!(why.contains("reads 7 numbers of a party, and there are 33, or one more with its action"), "{why}");
    assert!(spy.rows.lock().unwrap().is_empty());
}
