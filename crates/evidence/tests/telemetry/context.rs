//! Context: what a person states.

use gimbal_evidence::Class;
use gimbal_evidence::extract::{ExtractError, ReadOptions, read_context};

use super::{Facts, Found, line};

const CONTEXT: &str = "\
# Agreed with operations.
inventory:
  - host: web01.example.
    addresses: [10.0.0.5, 2001:DB8::5]
    services: [nginx]
    owner: web team
change_windows:
  - ticket: CHG-17
    from: 2026-03-28T08:00:00Z
    until: 2026-03-28T10:00:00Z
    covers: [host:web01.example, account:deploy]
known_scanners:
  - address: 10.0.0.9
    note: weekly
known_accounts:
  - account: deploy
    hosts: [web01]
history:
  - statement: deploy logs on every night
    about: account:deploy
not_collected:
  - source: Security log of ws01
    from: 2026-03-28T00:00:00+01:00
    until: 2026-03-29T00:00:00Z
";

#[test]
fn each_entry_is_one_fact() {
    let found = Found::of(|sink| read_context(CONTEXT.as_bytes(), &ReadOptions::default(), sink));
    let lines: Vec<String> = found.facts.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "inventory | listed | - | host:web01.example",
            "change_window | announced | - | -",
            "known_scanner | known | - | address:10.0.0.9",
            "known_account | known | - | account:deploy",
            "history | stated | - | -",
            "not_collected | not collected | - | -",
        ]
    );
    let entities: Vec<String> = found.facts[0].entities.iter().map(ToString::to_string).collect();
    assert_eq!(entities, ["address:10.0.0.5", "address:2001:db8::5", "service:nginx"]);
    assert_eq!(found.facts[1].entities[0].to_string(), "host:web01.example");
    assert_eq!(found.facts[1].attributes["covers"], "host:web01.example, account:deploy");
    assert_eq!(found.facts[1].locator.as_ref().unwrap().at, "line 8");
    let time = found.facts[5].time.as_ref().unwrap();
    assert_eq!(
        (time.found.as_str(), time.utc.to_string().as_str()),
        ("2026-03-28T00:00:00+01:00", "2026-03-27T23:00:00.000000Z")
    );
    assert!(found.facts.iter().all(|fact| fact.class.is_context() && fact.class != Class::Other));
}

#[test]
fn the_raw_record_of_an_entry_is_its_lines() {
    let mut raw = Vec::new();
    let mut sink = |observed: &gimbal_evidence::extract::Observed<'_>| {
        raw.push(String::from_utf8(observed.raw.to_vec()).unwrap());
    };
    read_context(CONTEXT.as_bytes(), &ReadOptions::default(), &mut sink).unwrap();
    assert_eq!(raw[2], "  - address: 10.0.0.9\n    note: weekly");
}

#[test]
fn mistakes_are_named_with_their_line() {
    let error = |text: &str| {
        let refused = read_context(text.as_bytes(), &ReadOptions::default(), &mut Facts::default()).unwrap_err();
        assert!(matches!(refused, ExtractError::Context(_)), "{refused}");
        refused.to_string()
    };
    for (text, expected) in [
        ("inventry: []\n", "context:1:1: unknown key `inventry`; did you mean `inventory`?"),
        ("inventory:\n  - hots: x\n", "context:2:5: unknown key `hots`; did you mean `host`?"),
        ("inventory:\n  - owner: x\n", "context:2:5: the key `host` is missing"),
        ("known_scanners:\n  - address: gate\n", "context:2:14: `gate` is not an address"),
        ("change_windows:\n  - ticket: A\n", "context:2:5: an entry of `change_windows` needs `from` and `until`"),
        ("history:\n  - statement: a\n    from: monday\n", "context:3:11: `monday` is not a time"),
        (
            "not_collected:\n  - source: a\n    from: 2026-03-29T00:00:00Z\n    until: 2026-03-28T00:00:00Z\n",
            "context:4:12: `until` lies before `from`",
        ),
        ("- a\n", "context:1:1: a map is expected here"),
        ("inventory: 3\n", "context:1:12: `inventory` is a list"),
        (
            "change_windows:\n  - ticket: A\n    from: 2026-03-28T00:00:00Z\n    until: 2026-03-29T00:00:00Z\n    covers: [host:a, hots:gate02]\n",
            "context:5:22: `hots:gate02` names no entity: expected KIND:NAME, with KIND one of host, account, process",
        ),
        (
            "change_windows:\n  - ticket: A\n    from: 2026-03-28T00:00:00Z\n    until: 2026-03-29T00:00:00Z\n    covers: gate02\n",
            "context:5:13: `gate02` names no entity",
        ),
        ("history:\n  - statement: a\n    about: hots:gate02\n", "context:3:12: `hots:gate02` names no entity"),
    ] {
        let found = error(text);
        assert!(found.starts_with(expected), "{found}");
    }
}
