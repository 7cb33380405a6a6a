//! Events as one level of names and values. No engine is needed.

use gimbal_sigma::{Record, Tables};
use proptest::prelude::*;

use crate::support::{event, record, records};

fn fields(record: &Record) -> Vec<(String, String)> {
    record.fields().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn the_head_has_the_names_of_rules_and_the_body_its_own() {
    let record = record(&event(
        "Security",
        4624,
        "<EventData><Data Name='LogonType'> 3 </Data><Data Name='Empty'/></EventData>",
    ));
    let expected = [
        ("Channel", "Security"),
        ("Computer", "ws01.example"),
        ("Empty", ""),
        ("EventID", "4624"),
        ("EventRecordID", "7"),
        ("Keywords", "0x8000000000000000"),
        ("Level", "4"),
        ("LogonType", " 3 "),
        ("Opcode", "0"),
        ("Provider_Name", "Microsoft-Windows-Security-Auditing"),
        ("Task", "3"),
        ("UserID", "S-1-5-18"),
    ];
    assert_eq!(fields(&record), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[test]
fn data_without_a_name_are_one_field_and_the_last_of_a_name_wins() {
    let record = record(&event(
        "Windows PowerShell",
        400,
        "<EventData><Data>one</Data><Data></Data><Data>two &amp; three</Data><Binary>00</Binary><Data Name='a'>1</Data>\
         <Data Name='a'>2</Data></EventData>",
    ));
    assert_eq!(record.get("Data"), Some("one two & three"));
    assert_eq!((record.get("a"), record.get("Binary")), (Some("2"), Some("00")));
}

#[test]
fn a_named_field_takes_the_place_of_the_head_and_an_element_does_not() {
    let named = record(&event("Security", 1102, "<EventData><Data Name='Level'>mine</Data></EventData>"));
    assert_eq!(named.get("Level"), Some("mine"));
    let body = "<UserData><Event_NS xmlns='x'><Level>mine</Level><Param id='7'>v</Param><Param>w</Param></Event_NS></UserData>";
    let element = record(&event("Security", 1102, body));
    assert_eq!((element.get("Level"), element.get("Param")), (Some("4"), Some("v")));
    assert!(element.get("id").is_none(), "attributes are no fields");
}

#[test]
fn what_a_sensor_says_of_its_own_rules_is_seen_by_rules_and_in_no_fact() {
    let xml =
        event(crate::support::SYSMON, 1, "<EventData><Data Name='RuleName'>technique_id=T1003</Data></EventData>");
    assert_eq!(record(&xml).get("RuleName"), Some("technique_id=T1003"));
    let (packet, _) = crate::support::packet(&xml, None, &gimbal_evidence::Selection::default());
    assert!(packet.facts().iter().all(|fact| !fact.attributes.contains_key("RuleName")));
}

proptest! {
    #[test]
    fn values_come_back_as_written(value in "[ -~\u{e4}\u{4e2d}]{0,60}", name in "[A-Za-z][A-Za-z0-9 ]{0,12}") {
        let escaped = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let tables = Tables::windows().unwrap();
        let xml = event("Security", 1, &format!("<EventData><Data Name='{name}'>{escaped}</Data></EventData>"));
        let found = records(&xml, &tables);
        prop_assert_eq!(found.len(), 1);
        prop_assert_eq!(found[0].get(&name), Some(value.as_str()));
    }
}
