//! What a statement of the packet explains of real lines, by the rules that the program has: what it names, and no more.

use gimbal_evidence::extract::{Extraction, Format, ReadOptions};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::rules::{Decision, Outcome, SkepticKind, single_turn};
use gimbal_evidence::{Class, Packet, Selection};

use crate::support::shipped_rules;

/// A line of RFC 5424, so many seconds after two o'clock.
fn line(second: u32, host: &str, program: &str, message: &str) -> String {
    let (minute, second) = (second / 60, second % 60);
    format!("<38>1 2026-03-10T02:{minute:02}:{second:02}Z {host} {program} 9 - - {message}\n")
}

fn refused(second: u32, host: &str, account: &str) -> String {
    line(second, host, "sshd", &format!("Failed password for {account} from 198.51.100.23 port 40000 ssh2"))
}

fn accepted(second: u32, host: &str, account: &str) -> String {
    line(second, host, "sshd", &format!("Accepted password for {account} from 198.51.100.23 port 50000 ssh2"))
}

/// Sixty refused logons in a minute, and one accepted at five minutes past.
fn guessed(host: &str, account: &str) -> String {
    (0..60).map(|second| refused(second, host, account)).collect::<String>() + &accepted(300, host, account)
}

fn packet(log: &str, context: &str) -> Packet {
    let mut extraction = Extraction::new(Selection::default(), ReadOptions::default());
    extraction.read(log.as_bytes(), None, 0).unwrap();
    if !context.is_empty() {
        extraction.read(context.as_bytes(), Some(Format::Context), 0).unwrap();
    }
    extraction.finish().unwrap()
}

fn outcome(log: &str, context: &str) -> Outcome {
    single_turn(&packet(log, context), &shipped_rules(), SkepticKind::Deterministic, Decision::Claims)
}

fn verdict(log: &str, context: &str) -> Verdict {
    outcome(log, context).verdict
}

// covers: ARES-131
#[test]
fn a_known_account_explains_what_it_does_and_not_what_is_done_to_it() {
    let root = "known_accounts:\n  - {account: root, owner: operations}\n";
    let deploy = "known_accounts:\n  - {account: deploy, owner: build team, hosts: [build01]}\n";
    assert_eq!(verdict(&guessed("gate02", "root"), root), Verdict::ThreatConfirmed);
    assert_eq!(verdict(&guessed("db01", "deploy"), deploy), Verdict::ThreatConfirmed);
    assert_eq!(verdict(&guessed("build01", "deploy"), deploy), Verdict::ThreatConfirmed, "guesses are not its act");
    // What it does is explained: a shell as root by an account that is known for it, on the host that is named.
    let shell = |host: &str, account: &str| {
        line(1, host, "sudo", &format!("  {account} : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/bash"))
    };
    assert_eq!(verdict(&shell("build01", "deploy"), ""), Verdict::Inconclusive);
    assert_eq!(verdict(&shell("build01", "deploy"), deploy), Verdict::ThreatDismissed);
    assert_eq!(verdict(&shell("db01", "deploy"), deploy), Verdict::Inconclusive, "another host");
    assert_eq!(verdict(&shell("build01", "eve"), deploy), Verdict::Inconclusive, "another account on that host");
}

// covers: ARES-131
#[test]
fn the_hosts_of_a_known_account_explain_nothing_by_themselves() {
    let made = line(1, "gate02", "useradd", "new user: name=svc2, UID=0, GID=0, home=/home/svc2, shell=/bin/bash");
    let manager = "known_accounts:\n  - {account: alice, role: account manager, hosts: [gate02]}\n";
    assert_eq!(verdict(&made, manager), Verdict::ThreatConfirmed);
}

// covers: ARES-131
#[test]
fn a_change_over_an_account_explains_its_administration_and_no_guesses() {
    let over = |account: &str| {
        format!(
            "change_windows:\n  - {{ticket: C, from: '2026-03-10T01:00:00Z', until: '2026-03-10T03:00:00Z', covers: 'account:{account}', note: new account}}\n"
        )
    };
    assert_eq!(verdict(&guessed("gate02", "root"), &over("root")), Verdict::ThreatConfirmed);
    let made = line(1, "gate02", "useradd", "new user: name=svc2, UID=0, GID=0, home=/home/svc2, shell=/bin/bash");
    assert_eq!(verdict(&made, &over("svc2")), Verdict::ThreatDismissed);
    assert_eq!(verdict(&made, &over("root")), Verdict::ThreatConfirmed);
}

// covers: ARES-131
#[test]
fn what_follows_lies_in_the_window_too_or_is_not_explained() {
    let scanner = |until: &str| {
        format!(
            "known_scanners:\n  - {{address: 198.51.100.23, name: test, from: '2026-03-10T01:00:00Z', until: '{until}'}}\n"
        )
    };
    let log = guessed("gate02", "root");
    assert_eq!(verdict(&log, &scanner("2026-03-10T02:10:00Z")), Verdict::ThreatDismissed);
    assert_eq!(verdict(&log, &scanner("2026-03-10T02:01:00Z")), Verdict::ThreatConfirmed, "the logon came after");
}

// covers: ARES-008, ARES-065
#[test]
fn the_fact_that_decides_is_cited_however_many_there_are() {
    // Twenty accounts are guessed at, and one is accepted: more facts than an assertion has room for.
    let guesses: String = (0..40).map(|second| refused(second, "gate02", &format!("user{}", second % 20))).collect();
    let log = guesses + &accepted(60, "gate02", "user7");
    let packet = packet(&log, "");
    let outcome = single_turn(&packet, &shipped_rules(), SkepticKind::Deterministic, Decision::Claims);
    let decides = packet.facts().iter().find(|fact| fact.class == Class::Logon).unwrap().id;
    assert_eq!(outcome.verdict, Verdict::ThreatConfirmed);
    assert!(outcome.architect.cited().contains(&decides), "{:?}", outcome.architect.assertions);
    for assertion in &outcome.architect.assertions {
        assert!(assertion.facts.len() <= 12);
    }
    // A window that ends before most of the guesses covers all that has room, and not all of the sign.
    let early = "known_scanners:\n  - {address: 198.51.100.23, name: test, from: '2026-03-10T02:00:00Z', until: '2026-03-10T02:00:19Z'}\n";
    let only_guesses: String = (0..40).map(|second| refused(second, "gate02", &format!("user{second}"))).collect();
    assert_ne!(verdict(&only_guesses, early), Verdict::ThreatDismissed);
}

// covers: ARES-131
#[test]
fn records_that_are_counted_together_keep_the_host_that_all_of_them_are_of() {
    let window = |host: &str| {
        format!(
            "change_windows:\n  - {{ticket: C, from: '2026-03-10T01:00:00Z', until: '2026-03-10T03:00:00Z', covers: 'host:{host}', note: test of passwords}}\n"
        )
    };
    let log = guessed("gate02", "root");
    let counted =
        |log: &str| packet(log, "").facts().iter().find(|fact| fact.aggregate.is_some()).unwrap().entities.clone();
    assert_eq!(counted(&log), ["host:gate02".parse().unwrap()]);
    assert_eq!(verdict(&log, &window("gate02")), Verdict::ThreatDismissed);
    assert_eq!(verdict(&log, &window("gate03")), Verdict::ThreatConfirmed);
    let both = guessed("gate02", "root") + &refused(59, "gate03", "root");
    assert_eq!(counted(&both), [], "one member is of another host");
    assert_eq!(verdict(&both, &window("gate02")), Verdict::ThreatConfirmed);
}
