//! The shipped protocol, and what a reader of protocols refuses.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use gimbal_bog::Protocol;

// covers: BOG-130, BOG-180
#[test]
fn the_shipped_protocol_names_twelve_configurations_once() {
    let protocol = Protocol::parse(&protocol_text(), "papers/protocol.yaml").unwrap();
    let names = protocol.configurations();
    assert_eq!(names.len(), 12);
    assert_eq!(protocol.ladder(), ["hist+net", "+question", "+critique", "+improve", "+COT"]);
    let distinct: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), 12);
    for name in [&protocol.baseline, &protocol.anchor, &protocol.hierarchy.plain, &protocol.hierarchy.deliberating] {
        assert!(names.contains(&name.as_str()), "{name}");
    }
    let unknown = protocol_text().replace("best_of: deliberation }", "best_of: thought }");
    let message = Protocol::parse(&unknown, "mine.yaml").unwrap_err().to_string();
    assert!(message.contains("mine.yaml") && message.contains("`thought`"), "{message}");
}

fn protocol_text() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers/protocol.yaml")).unwrap()
}
