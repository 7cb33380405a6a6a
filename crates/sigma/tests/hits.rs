//! Hits as facts. No engine is needed: a matcher by title takes its place.

use gimbal_evidence::extract::raw_records;
use gimbal_evidence::rules::{Decision, RuleSet, SkepticKind, single_turn};
use gimbal_evidence::triage::{Gaps, Places, Triage};
use gimbal_evidence::{Class, Counter, Fact, Packet, Selection, SourceKind, records};
use gimbal_sigma::{Level, Matcher};

use crate::support::{ByTitle, event, packet, rule, started};

fn matcher() -> ByTitle {
    ByTitle(vec![rule("mimikatz", Some(Level::High)), rule("whoami", Some(Level::Low)), rule("never", None)])
}

fn hits(packet: &Packet) -> Vec<&Fact> {
    packet.facts().iter().filter(|fact| fact.class == Class::RuleHit).collect()
}

#[test]
fn a_hit_names_rule_author_licence_and_record() {
    let xml = [started("C:\\a.exe", "mimikatz"), started("C:\\b.exe", "dir")].concat();
    let (packet, left_out) = packet(&xml, Some(&matcher()), &Selection::default());
    assert_eq!((hits(&packet).len(), left_out, packet.facts().len()), (1, 0, 3));
    let hit = hits(&packet)[0];
    let said = |name: &str| hit.attributes[name].as_str();
    assert_eq!((said("rule_title"), said("rule_id"), said("rule_level")), ("mimikatz", "id of mimikatz", "high"));
    assert_eq!((said("rule_author"), said("rule_license")), ("A. Author, B. Author", "DRL-1.1"));
    assert_eq!(hit.action, "rule matched");
    assert!(hit.actor.is_none() && hit.object.is_none(), "the rule did nothing to either");
    assert!(hit.entities.iter().any(|entity| entity.to_string().contains("C:\\a.exe")), "{hit:?}");
    // The place is that of the record, and leads to its raw bytes.
    let record = packet.facts().iter().find(|fact| fact.class == Class::ProcessStarted).unwrap();
    assert_eq!((&hit.locator, hit.raw_sha256, &hit.time), (&record.locator, record.raw_sha256, &record.time));
    let header = packet.header();
    let found = raw_records(xml.as_bytes(), header, &header.sources[0], hit, 10).unwrap();
    assert_eq!(found.len(), 1);
    assert!(String::from_utf8_lossy(&found[0].bytes).contains("mimikatz"));
    // The rules are a source of the packet, by their hash.
    let rules = &header.sources[1];
    assert_eq!((rules.kind, rules.format.as_str(), rules.records), (SourceKind::Rules, "sigma", Counter(3)));
    assert_eq!(Packet::read(&packet.to_bytes()).unwrap(), packet);
}

#[test]
fn without_rules_a_packet_has_the_bytes_that_it_always_had() {
    let xml = started("C:\\a.exe", "mimikatz");
    let (plain, _) = packet(&xml, None, &Selection::default());
    let (with, _) = packet(&xml, Some(&ByTitle(Vec::new())), &Selection::default());
    assert_eq!(plain.facts().len(), 1);
    assert_eq!(plain.header().sources.len(), 1);
    assert_eq!(with.facts(), plain.facts(), "rules that match nothing add no fact");
}

#[test]
fn hits_beyond_the_bound_are_counted_in_one_fact_with_the_author() {
    let xml: String = (0..9).map(|number| started("C:\\a.exe", &format!("whoami {number}"))).collect();
    let (packet, left_out) = packet(&xml, Some(&matcher()), &Selection::default());
    let hits = hits(&packet);
    assert_eq!((hits.len(), left_out), (6, 0), "five of their own and one that counts all");
    let counted = hits.iter().find(|fact| fact.aggregate.is_some()).unwrap();
    assert_eq!((counted.count(), counted.attributes["rule_author"].as_str()), (9, "A. Author, B. Author"));
    assert!(counted.locator.is_none());
    assert_eq!(records(&hits), 9);
}

#[test]
fn hits_take_no_place_of_selected_facts_and_have_a_bound_of_their_own() {
    let xml: String = (0..6).map(|number| started("C:\\a.exe", &format!("mimikatz whoami {number}"))).collect();
    let selection = Selection { max_facts: Counter(3), aggregate_above: Counter(100), ..Selection::default() };
    let (plain, _) = packet(&xml, None, &selection);
    let (with, left_out) = packet(&xml, Some(&matcher()), &selection);
    assert_eq!((plain.facts().len(), with.facts().len(), hits(&with).len()), (3, 6, 3));
    assert_eq!(left_out, 12 - 3);
    let selected = |packet: &Packet| -> Vec<_> {
        packet.facts().iter().filter(|fact| fact.class != Class::RuleHit).map(|fact| fact.locator.clone()).collect()
    };
    assert_eq!(selected(&plain), selected(&with));
    // By turns: both rules are there.
    let titles: std::collections::BTreeSet<&str> =
        hits(&with).iter().map(|fact| fact.attributes["rule_title"].as_str()).collect();
    assert_eq!(titles.into_iter().collect::<Vec<_>>(), ["mimikatz", "whoami"]);
}

#[test]
fn rules_are_asked_only_about_records_that_the_selection_takes() {
    let xml = started("C:\\a.exe", "mimikatz");
    let until = Selection { until: Some("2026-03-28T09:00:00Z".parse().unwrap()), ..Selection::default() };
    let (packet, _) = packet(&xml, Some(&matcher()), &until);
    assert!(packet.facts().is_empty());
}

fn own_rules() -> RuleSet {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rules/triage.yaml");
    gimbal_core::yaml::read(&std::fs::read_to_string(path).unwrap(), "rules/triage.yaml").unwrap()
}

/// Matches everything, with a title full of what the program's own rules look for.
struct Shouts(Vec<gimbal_sigma::Rule>);

impl Matcher for Shouts {
    fn rules(&self) -> &[gimbal_sigma::Rule] {
        &self.0
    }

    fn matches(&self, _: &gimbal_sigma::Record) -> Vec<usize> {
        vec![0]
    }
}

// covers: ARES-010, ARES-023
#[test]
fn no_verdict_follows_from_hits() {
    let loud = Shouts(vec![rule("mimikatz sekurlsa lsass.exe procdump \\\\ADMIN$ psexec 1102", Some(Level::Critical))]);
    let rules = own_rules();
    for xml in [
        started("C:\\Windows\\System32\\notepad.exe", "notepad"),
        (0..20).map(|number| started("C:\\x.exe", &format!("dir {number}"))).collect(),
        event(
            "Security",
            1102,
            "<UserData><LogFileCleared><SubjectUserName>eve</SubjectUserName></LogFileCleared></UserData>",
        ),
        started("C:\\temp\\procdump.exe", "procdump -ma lsass.exe out.dmp"),
    ] {
        let (plain, _) = packet(&xml, None, &Selection::default());
        let (with, _) = packet(&xml, Some(&loud), &Selection::default());
        assert!(!hits(&with).is_empty());
        for kind in [SkepticKind::Deterministic, SkepticKind::Rules] {
            let before = single_turn(&plain, &rules, kind, Decision::Claims);
            let after = single_turn(&with, &rules, kind, Decision::Claims);
            assert_eq!((before.verdict, before.confidence), (after.verdict, after.confidence));
            assert_eq!(before.architect.confidence, after.architect.confidence);
            assert_eq!(before.skeptic.confidence, after.skeptic.confidence);
            assert_eq!(before.architect.techniques, after.architect.techniques);
            for id in [after.architect.cited(), after.skeptic.cited()].concat() {
                assert_ne!(with.fact(id).unwrap().class, Class::RuleHit, "a hit is cited");
            }
        }
    }
}

// covers: ARES-023
#[test]
fn every_form_of_a_verdict_shows_hits_with_their_author() {
    let xml = started("C:\\a.exe", "mimikatz <b>");
    let (packet, _) = packet(&xml, Some(&matcher()), &Selection::default());
    let outcome = single_turn(&packet, &own_rules(), SkepticKind::Deterministic, Decision::Claims);
    let triage =
        Triage { packet: &packet, outcome: &outcome, played: None, gaps: &Gaps::default(), places: &Places::default() };
    let lines: String = triage.json_lines().iter().map(ToString::to_string).collect();
    let timeline: String = triage.timeline().into_iter().map(|row| row.message).collect();
    for text in [triage.text(), triage.markdown(), triage.html(), lines, timeline] {
        assert!(text.contains("mimikatz") && text.contains("A. Author, B. Author"), "{text}");
        assert!(text.contains("DRL-1.1"), "{text}");
    }
    assert!(triage.text().contains("no part of the verdict"));
}

#[test]
fn text_of_rules_stays_on_one_line() {
    let mut loud = rule("mimikatz", None);
    loud.author = format!("evil\u{1b}[2J\nF001 {}", "x".repeat(5000));
    loud.title = "mimikatz".to_owned();
    let (packet, _) = packet(&started("C:\\a.exe", "mimikatz"), Some(&ByTitle(vec![loud])), &Selection::default());
    let author = &hits(&packet)[0].attributes["rule_author"];
    assert!(!author.chars().any(char::is_control) && author.chars().count() == 1000, "{author}");
}
