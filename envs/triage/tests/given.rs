//! A packet that a user made: played as a scenario is, and marked by nobody.

use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{Catalogue, EnvError, Milli, TaskId};
use gimbal_evidence::Marking;
use gimbal_triage::corpus::{Corpus, PacketOptions};
use gimbal_triage::{GivenPacket, Triage};
use serde_json::{Value, json};

use crate::play::{act, conclude, now};

/// The packet of a scenario as a file, and its head.
fn kept() -> (tempfile::TempDir, String, String) {
    let scenario = Corpus::built_in().unwrap().scenario("SC-001").unwrap();
    let packet = scenario.packet(None, &PacketOptions::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packet.json");
    std::fs::write(&path, packet.to_bytes()).unwrap();
    (folder, path.display().to_string(), packet.head().to_string())
}

fn wrong(result: Result<Value, EnvError>) -> String {
    result.unwrap_err().to_string()
}

// covers: ARES-001
#[test]
fn a_given_packet_is_looked_at_like_a_scenario_and_marked_by_nobody() {
    let (_folder, path, head) = kept();
    let resolved = GivenPacket.resolve(&json!({ "packet": path })).unwrap();
    assert_eq!(resolved["head"], json!(head));
    let tasks = GivenPacket.tasks("given", &resolved).unwrap();
    let mut environment = GivenPacket.open(&resolved).unwrap();
    let first = now(environment.reset(&tasks[0], 7)).unwrap();
    // Beside its label nothing differs from the scenario.
    let mut scenario = Triage.open(&json!({})).unwrap();
    let seen = now(scenario.reset(&TaskId("SC-001".to_owned()), 7)).unwrap();
    assert_eq!(first.text, seen.text);
    assert_eq!(environment.tools(), scenario.tools());
    assert_eq!(environment.tracker().block("packet"), scenario.tracker().block("packet"));
    assert_eq!(environment.brief().materials[0].digest.to_string(), head);
    assert_eq!(
        (environment.brief().thresholds.success, environment.brief().reward_range),
        (None, scenario.brief().reward_range)
    );
    let end = act(&mut *environment, &conclude("THREAT_CONFIRMED", 90, "F001")).unwrap();
    assert_eq!((end.reward, end.done), (Milli::ZERO, Some(EnvironmentStop::Answered)));
    assert_eq!(
        (Marking::read(&end.observation.text), end.observation.text.as_str()),
        (None, "The verdict is recorded.")
    );
}

#[test]
fn another_packet_and_a_damaged_one_are_refused() {
    let (folder, path, head) = kept();
    assert!(wrong(GivenPacket.resolve(&json!({}))).contains("needs the option `packet`"));
    assert!(wrong(GivenPacket.resolve(&json!({ "packet": "nowhere.json" }))).contains("nowhere.json: cannot be read"));
    let other = "0".repeat(64);
    let error = wrong(GivenPacket.resolve(&json!({ "packet": path, "head": other })));
    assert!(error.contains(&head) && error.contains("does not change under a run"), "{error}");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let damaged = folder.path().join("damaged.json");
    std::fs::write(&damaged, bytes).unwrap();
    let error = wrong(GivenPacket.resolve(&json!({ "packet": damaged.display().to_string() })));
    assert!(error.contains("damaged.json: line "), "{error}");
    assert!(wrong(GivenPacket.resolve(&json!({ "packt": path }))).contains("packet"));
    let error = GivenPacket.tasks("dev", &json!({ "packet": path })).unwrap_err().to_string();
    assert!(error.contains("`packet` has no split `dev`"), "{error}");
}
