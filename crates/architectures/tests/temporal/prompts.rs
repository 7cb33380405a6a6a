//! What each layer is told, as it is sent.

use serde_json::json;

use super::{all, hierarchy, play, told};
use gimbal_messages::records::temporal::LayerAsked;

// covers: CTHA-005, CTHA-042
#[tokio::test]
async fn requests_of_all_layers() {
    for (name, settings) in [
        ("contracts", json!({ "layers": 5 })),
        ("free", json!({ "layers": 5, "contracts": false, "authority": false, "arbiter": "last" })),
    ] {
        let mut court = hierarchy(settings);
        court.experts = true;
        let played = play(court).await;
        assert!(!all::<LayerAsked>(&played).is_empty());
        for layer in ["meta", "institutional", "strategic", "tactical", "reflex"] {
            insta::assert_snapshot!(format!("{name}_{layer}"), told(&played, layer, 0));
        }
        insta::assert_snapshot!(format!("{name}_tactical_later"), told(&played, "tactical", 1));
    }
}
