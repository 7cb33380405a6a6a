//! Packets that are kept in files.

use gimbal_telemetry::{KeptError, fact_of, read_packet};

use crate::support::{ACCEPTED, read, reading, write};

#[test]
fn a_kept_packet_is_read_and_everything_else_says_what_it_is() {
    let place = tempfile::tempdir().unwrap();
    let log = write(place.path(), "a.log", ACCEPTED);
    let packet = read(reading(&[log]), "").unwrap().0.packet;
    let text = String::from_utf8(packet.to_bytes()).unwrap();
    let kept = write(place.path(), "packet.json", &text);
    assert_eq!(read_packet(&kept).unwrap().head(), packet.head());

    let id = packet.facts()[0].id;
    assert_eq!(fact_of(&packet, &id.to_string()).unwrap().id, id);
    let error = fact_of(&packet, "F9999").unwrap_err().to_string();
    assert!(error.contains("has no fact F9999; it has 1"), "{error}");
    assert!(fact_of(&packet, "nine").is_err());

    let proof = String::from_utf8(packet.prove(id).unwrap().to_bytes()).unwrap();
    let cases = [
        ("changed.json", text.replacen("root", "r00t", 1), "changed.json: "),
        ("proof.json", proof, "is a proof of one fact and no packet"),
        ("a.log", ACCEPTED.to_owned(), "is not a packet, which begins with"),
    ];
    for (name, text, what) in cases {
        let error = read_packet(&write(place.path(), name, &text)).unwrap_err();
        assert!(error.is_failed_check() && error.to_string().contains(what), "{error}");
    }
    let error = read_packet(&place.path().join("missing.json")).unwrap_err();
    assert!(matches!(error, KeptError::Unreadable { .. }) && !error.is_failed_check(), "{error}");
}
