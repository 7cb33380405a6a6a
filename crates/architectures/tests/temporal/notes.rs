//! The semantic store of Strategic: notes are found by meaning where there is an embedder (CTHA-003).

use std::sync::Arc;

use gimbal_core::event::Body;
use gimbal_core::{Artefact, Catalogue, Embedder, Learned, Scorer};
use gimbal_testkit::environments::lamps::Lamps;
use serde_json::{Value, json};

use super::{action, hierarchy, light, plan, sequence, told};
use crate::debate::{Played, build_of};

/// Texts are the nearer to any other text, the more lamps are dark in them.
struct Dark;

impl Embedder for Dark {
    fn identity(&self) -> String {
        "dark/1".to_owned()
    }
    fn dimensions(&self) -> usize {
        1
    }
    fn embed(&self, text: &str) -> Vec<f32> {
        vec![if text.contains("lamp_1") { text.matches("dark").count() as f32 } else { 1.0 }]
    }
}

/// Every embedder that is asked for, for a hierarchy in a plan.
pub struct Embedders;

impl Learned for Embedders {
    fn scorer(&self, _: &Artefact) -> Result<Arc<dyn Scorer>, String> {
        Err("there are no scorers here".to_owned())
    }
    fn embedder(&self, _: &str) -> Result<Arc<dyn Embedder>, String> {
        Ok(Arc::new(Dark))
    }
}

/// An evening in which every step puts out a lamp, so that much is seen, and seen again.
async fn evening(settings: Value, name: &'static str) -> Played {
    let mut court = hierarchy(settings)
        .says("strategic", std::iter::repeat_n(plan(&[("a", &[])], &json!({})), 40))
        .says("tactical", std::iter::repeat_n(sequence(&["Wait"], &[]), 40))
        .says("reflex", [1, 2, 3, 4].into_iter().cycle().take(40).map(|lamp| action(&light(lamp))));
    court.embedder = Some((name, Arc::new(Dark)));
    court.play_in(&Lamps as &dyn Catalogue, json!({ "wind": 100 })).await
}

/// Steps and texts of the notes in a request of Strategic.
fn notes(request: &str) -> Vec<(u64, String)> {
    let Some((_, rest)) = request.split_once("\"notes\": ") else { return Vec::new() };
    let list = serde_json::Deserializer::from_str(rest).into_iter::<Value>().next().unwrap().unwrap();
    let note = |note: &Value| (note["step"].as_u64().unwrap(), note["text"].as_str().unwrap().to_owned());
    list.as_array().unwrap().iter().map(note).collect()
}

/// The notes of every request of Strategic.
fn shown(played: &Played) -> Vec<Vec<(u64, String)>> {
    let asked = played.requests.iter().filter(|(role, _)| role == "strategic").count();
    (0..asked).map(|at| notes(&told(played, "strategic", at))).collect()
}

/// What was seen before a step, each text with the step in which it was seen first.
fn seen(played: &Played, before: u64) -> Vec<(u64, String)> {
    let mut seen: Vec<(u64, String)> = Vec::new();
    let steps = played.events().into_iter().filter_map(|event| match event.body {
        Body::Stepped(stepped) => Some(played.text(&stepped.observation)),
        _ => None,
    });
    for (step, text) in (1..).zip(steps).filter(|(step, _)| *step < before) {
        if seen.iter().all(|(_, known)| *known != text) {
            seen.push((step, text));
        }
    }
    seen
}

// covers: CTHA-003
#[tokio::test]
async fn strategic_is_shown_the_notes_nearest_in_meaning_and_not_the_latest() {
    let near = evening(json!({ "layers": 3 }), "hashed").await;
    let late = evening(json!({ "layers": 3, "embedder": "none" }), "hashed").await;
    let mut differ = 0;
    for (played, is_near) in [(&near, true), (&late, false)] {
        for (at, found) in shown(played).into_iter().enumerate() {
            let request = told(played, "strategic", at);
            let step = request.split_once("\"step\": ").unwrap().1;
            let step: u64 = step.split(|letter: char| !letter.is_ascii_digit()).next().unwrap().parse().unwrap();
            let mut latest = seen(played, step);
            latest.reverse();
            let mut nearest = latest.clone();
            nearest.sort_by_key(|(_, text)| std::cmp::Reverse(text.matches("dark").count()));
            latest.truncate(4);
            nearest.truncate(4);
            differ += usize::from(is_near && latest != nearest);
            assert_eq!(found, if is_near { nearest } else { latest }, "step {step}");
        }
    }
    assert!(differ > 0, "{:?}", shown(&near));
    // The same seed gives the same bytes.
    let again = evening(json!({ "layers": 3 }), "hashed").await;
    assert_eq!(again.recorded.events, near.recorded.events);
    // Another embedder is taken by its name.
    let other = evening(json!({ "layers": 3, "embedder": "dark" }), "dark").await;
    assert_eq!(shown(&other), shown(&near));
}

// covers: CTHA-003
#[test]
fn a_hierarchy_with_strategic_asks_for_the_hashed_embedder_unless_another_is_named() {
    let asks = |settings: Value| build_of("temporal", &settings).needs().embedders;
    for layers in 2..=5 {
        assert_eq!(asks(json!({ "layers": layers })), ["hashed"], "{layers}");
        assert_eq!(asks(json!({ "layers": layers, "embedder": "other" })), ["other"], "{layers}");
        assert!(asks(json!({ "layers": layers, "embedder": "none" })).is_empty(), "{layers}");
    }
    assert!(asks(json!({ "layers": 1 })).is_empty());
    let names = |settings: Value| build_of("temporal", &settings).resolved()["embedder"].clone();
    assert_eq!(names(json!({})), Value::Null, "the default is in the key as the embedder itself");
    assert_eq!(
        (names(json!({ "embedder": "none" })), names(json!({ "embedder": "other" }))),
        (json!("none"), json!("other"))
    );
}
