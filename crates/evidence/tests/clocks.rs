//! Times without a year: within one source order and distance are known, and beside other sources nothing is.

use gimbal_evidence::extract::{Extraction, Format, ReadOptions};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::rules::{Decision, SkepticKind, single_turn};
use gimbal_evidence::triage::{Gaps, Places, Triage};
use gimbal_evidence::{Packet, Selection};

use crate::support::shipped_rules;

/// Refused logons of one address for two accounts, then an accepted one.
fn guessed(days: [&str; 3]) -> String {
    let [first, second, last] = days;
    let refused = |day: &str, second: u32, account: &str| {
        format!(
            "{day}:{second:02} gate02 sshd[{second}]: Failed password for {account} from 198.51.100.23 port 4{second:03} ssh2\n"
        )
    };
    let early: String = (44..56).map(|at| refused(first, at, if at % 2 == 0 { "root" } else { "admin" })).collect();
    let late: String = (0..3).map(|at| refused(second, at, "root")).collect();
    early
        + &late
        + &format!("{last}:09 gate02 sshd[99]: Accepted password for root from 198.51.100.23 port 5000 ssh2\n")
}

fn packet(sources: &[&str], year: Option<i16>, context: &str) -> Packet {
    let mut extraction = Extraction::new(Selection::default(), ReadOptions { year, ..ReadOptions::default() });
    for source in sources {
        extraction.read(source.as_bytes(), None, 0).unwrap();
    }
    if !context.is_empty() {
        extraction.read(context.as_bytes(), Some(Format::Context), 0).unwrap();
    }
    extraction.finish().unwrap()
}

fn verdict(packet: &Packet) -> Verdict {
    single_turn(packet, &shipped_rules(), SkepticKind::Deterministic, Decision::Claims).verdict
}

// covers: ARES-012, ARES-023
#[test]
fn the_order_within_a_source_is_known_without_a_year() {
    let log = guessed(["Mar 10 02:20", "Mar 10 02:21", "Mar 10 02:21"]);
    assert_eq!(verdict(&packet(&[&log], Some(2026), "")), Verdict::ThreatConfirmed);
    assert_eq!(verdict(&packet(&[&log], None, "")), Verdict::ThreatConfirmed);
    // Over the turn of the year.
    let log = guessed(["Dec 31 23:59", "Jan  1 00:00", "Jan  1 00:00"]);
    assert_eq!(verdict(&packet(&[&log], None, "")), Verdict::ThreatConfirmed);
    // Days apart, the guesses have nothing to do with the logon.
    let log = guessed(["Mar 10 02:20", "Mar 10 02:21", "Mar 14 09:00"]);
    assert_eq!(verdict(&packet(&[&log], None, "")), verdict(&packet(&[&log], Some(2026), "")));
    assert_ne!(verdict(&packet(&[&log], None, "")), Verdict::ThreatConfirmed);
}

// covers: ARES-005, ARES-007
#[test]
fn a_packet_with_the_clock_of_a_source_has_a_form_of_its_own_and_verifies() {
    let log = guessed(["Mar 10 02:20", "Mar 10 02:21", "Mar 10 02:21"]);
    let (with, without) = (packet(&[&log], Some(2026), ""), packet(&[&log], None, ""));
    assert_eq!(
        (with.header().version.as_str(), without.header().version.as_str()),
        ("gimbal.packet/1", "gimbal.packet/2")
    );
    assert_eq!(Packet::read(&without.to_bytes()).unwrap(), without);
    let clocks: Vec<_> = without.facts().iter().filter_map(|fact| fact.clock).collect();
    assert_eq!(clocks.len(), without.facts().len(), "counted ones too");
    assert!(clocks.is_sorted_by_key(|clock| clock.first) && without.facts().iter().all(|fact| fact.time.is_none()));
    assert!(with.facts().iter().all(|fact| fact.clock.is_none()));
    let text = String::from_utf8(without.to_bytes()).unwrap().replace("gimbal.packet/2", "gimbal.packet/1");
    assert!(Packet::read(text.as_bytes()).unwrap_err().to_string().contains("clocks of sources"));
}

// covers: ARES-131
#[test]
fn what_cannot_be_compared_is_said_with_what_to_give_and_is_not_complete() {
    let ordinary = "Mar 10 08:00:00 web01 sshd[1]: Accepted publickey for ann from 10.0.0.4 port 1 ssh2\n";
    let other = "<38>1 2026-03-10T02:00:00Z gate02 sshd 9 - - Accepted publickey for bob from 10.0.0.5 port 1 ssh2\n";
    let rules = shipped_rules();
    let gaps = |packet: &Packet| Gaps::of(packet, Some(&rules));
    assert!(gaps(&packet(&[ordinary], None, "")).is_none(), "one source has an order of its own");
    let both = packet(&[ordinary, other], None, "");
    assert_eq!(gaps(&both).undated, 1);
    assert!(gaps(&packet(&[ordinary, other], Some(2026), "")).is_none());
    let outcome = single_turn(&both, &rules, SkepticKind::Deterministic, Decision::Claims);
    let (gaps, places) = (gaps(&both), Places::default());
    let triage = Triage { packet: &both, outcome: &outcome, played: None, gaps: &gaps, places: &places };
    let lines: Vec<String> = triage.json_lines().iter().map(ToString::to_string).collect();
    for form in [triage.text(), triage.markdown(), triage.html(), lines.join("\n"), triage.missing().collect()] {
        assert!(form.contains("NOT SEEN") && form.contains("--year"), "{form}");
    }
    assert_eq!(triage.json_lines()[0]["complete"], false);
}

// covers: ARES-131
#[test]
fn times_without_a_year_lie_in_no_window() {
    let log = guessed(["Mar 10 02:20", "Mar 10 02:21", "Mar 10 02:21"]);
    let scanner = "known_scanners:\n  - {address: 198.51.100.23, name: test, from: '2026-03-10T02:00:00Z', until: '2026-03-10T03:00:00Z'}\n";
    assert_eq!(verdict(&packet(&[&log], Some(2026), scanner)), Verdict::ThreatDismissed);
    let undated = packet(&[&log], None, scanner);
    assert_eq!(verdict(&undated), Verdict::ThreatConfirmed);
    let outcome = single_turn(&undated, &shipped_rules(), SkepticKind::Deterministic, Decision::Claims);
    let (gaps, places) = (Gaps::of(&undated, None), Places::default());
    let triage = Triage { packet: &undated, outcome: &outcome, played: None, gaps: &gaps, places: &places };
    assert!(triage.text().contains("EXPLAINS NOTHING HERE") && triage.text().contains("--year"), "{}", triage.text());
}
