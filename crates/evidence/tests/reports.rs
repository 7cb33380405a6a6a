//! Reports of a verdict: each sentence leads to its facts, and what no side could use is said.

use gimbal_evidence::extract::Extraction;
use gimbal_evidence::rules::{Decision, Outcome, SkepticKind, single_turn};
use gimbal_evidence::triage::{Gaps, Places, Triage};
use gimbal_evidence::{Packet, Selection};

use crate::support::shipped_rules;
use crate::telemetry::in_year;

/// Guessed passwords, a broken line, and a statement on what was not collected.
fn case(with_context: bool) -> (Packet, Outcome) {
    let mut log: String = (0..30)
        .map(|second| {
            format!("Mar 28 09:00:{second:02} gate sshd[4]: Failed password for root from 192.0.2.7 port 5{second:03} ssh2\n")
        })
        .collect();
    log += "Mar 28 09:00:40 gate sshd[4]: Accepted password for root from 192.0.2.7 port 50999 ssh2\nbroken\n";
    let mut extraction = Extraction::new(Selection::default(), in_year(2026));
    extraction.read(log.as_bytes(), None, 0).unwrap();
    if with_context {
        let context =
            "not_collected:\n  - {source: ws01, from: '2026-03-28T09:00:40Z', until: '2026-03-28T10:00:00Z'}\n";
        extraction.read(context.as_bytes(), Some(gimbal_evidence::extract::Format::Context), 0).unwrap();
    }
    let packet = extraction.finish().unwrap();
    let outcome = single_turn(&packet, &shipped_rules(), SkepticKind::Deterministic, Decision::Claims);
    (packet, outcome)
}

#[test]
fn open_questions_lead_to_the_facts_that_they_are_about() {
    let (packet, outcome) = case(true);
    let gaps = Gaps::of(&packet, Some(&shipped_rules()));
    let triage = Triage { packet: &packet, outcome: &outcome, played: None, gaps: &gaps, places: &Places::default() };
    let [first, second] = &outcome.skeptic.unknowns[..] else { panic!("{:?}", outcome.skeptic.unknowns) };
    assert!(first.text.contains("address:192.0.2.7") && !first.facts.is_empty(), "{first:?}");
    assert!(second.text.contains("not collected") && second.facts == gaps.not_collected, "{second:?}");
    let (text, page) = (triage.text(), triage.html());
    for unknown in [first, second] {
        let ids: Vec<String> = unknown.facts.iter().map(ToString::to_string).collect();
        assert!(text.contains(&format!("{} [{}]", unknown.text, ids.join(" "))), "{text}");
        for id in &ids {
            assert!(
                page.contains(&format!("<a href=\"#{id}\">")) && page.contains(&format!("<tr id=\"{id}\">")),
                "{id}"
            );
        }
    }
    let verdict = &triage.json_lines()[0];
    assert_eq!(verdict["unknowns"][1]["facts"], serde_json::json!(gaps.not_collected), "{verdict}");
    assert_eq!(verdict["unknowns"][0]["text"], first.text.as_str());
}

#[test]
fn gaps_are_counted_apart_and_said_in_every_form() {
    let (packet, outcome) = case(true);
    let rules = shipped_rules();
    let gaps = Gaps::of(&packet, Some(&rules));
    assert_eq!((gaps.in_no_fact, gaps.damaged, gaps.not_collected.len(), gaps.unclassified), (0, 1, 1, 0));
    let triage = Triage { packet: &packet, outcome: &outcome, played: None, gaps: &gaps, places: &Places::default() };
    for form in [triage.text(), triage.markdown(), triage.html()] {
        assert!(form.contains("NOT SEEN: 1 record could not be read; what was not collected"), "{form}");
    }
    // The interval ends where the facts begin, or begins where they end: it meets them. Without the statement there is none.
    assert!(Gaps::of(&case(false).0, Some(&rules)).not_collected.is_empty());
    // A model reads facts of every class; rules that ask about none of them do not.
    let nothing = gimbal_evidence::rules::RuleSet { threats: Vec::new(), ..rules };
    assert_eq!(Gaps::of(&packet, Some(&nothing)).unclassified, 31);
    assert_eq!(Gaps::of(&packet, None).unclassified, 0);
}

fn gaps_of(text: &str) -> Gaps {
    let mut extraction = Extraction::new(Selection::default(), in_year(2026));
    extraction.read(text.as_bytes(), None, 0).unwrap();
    Gaps::of(&extraction.finish().unwrap(), Some(&shipped_rules()))
}

/// One ordinary logon beside them does not make messages read.
#[test]
fn logons_in_words_that_no_rule_asks_about_are_a_gap() {
    let ordinary = "Mar 10 08:00:00 web01 sshd[1]: Accepted publickey for bob from 10.0.0.8 port 5 ssh2\n\
                    Mar 10 08:00:01 web01 dbus-daemon[1]: Failed to activate service 'org.freedesktop.login1': timed out\n\
                    Mar 10 08:00:02 web01 app[1]: ready\n";
    assert!(gaps_of(ordinary).is_none());
    let told: String = (0..60)
        .map(|second| {
            format!("Mar 10 08:01:{second:02} web01 proftpd[1]: USER root (Login failed): Incorrect password\n")
        })
        .collect();
    let gaps = gaps_of(&format!("{ordinary}{told}"));
    assert_eq!((gaps.unread_logons.count, gaps.is_none()), (60, false));
    let said = gaps.sentence().unwrap();
    assert!(
        said.contains("60 messages tell of logons in words that no rule asks about (written by")
            && said.contains("proftpd"),
        "{said}"
    );
}

#[test]
fn windows_events_without_their_data_are_a_gap() {
    let event = |second: u32, rest: &str| {
        format!(
            "{{\"Id\":4625,\"ProviderName\":\"Microsoft-Windows-Security-Auditing\",\"LogName\":\"Security\",\"MachineName\":\"DC01\",\
             \"TimeCreated\":\"2026-03-10T08:00:{second:02}Z\"{rest}}}\n"
        )
    };
    let bare: String =
        (0..30).map(|second| event(second, ",\"Message\":\"Fehler beim Anmelden eines Kontos.\"")).collect();
    let gaps = gaps_of(&bare);
    assert_eq!((gaps.without_data, gaps.is_none()), (30, false));
    assert!(gaps.sentence().unwrap().contains("30 Windows events have no data fields"), "{:?}", gaps.sentence());
    let named = "\"EventID\":4625,\"Channel\":\"Security\",\"Hostname\":\"ws01\",\"EventTime\":\"2026-03-10 08:00:01\",\"TargetUserName\":\"bob\"";
    assert_eq!(gaps_of(&format!("{{{named}}}\n")).without_data, 0);
}

#[test]
fn a_report_ends_with_the_command_for_the_raw_record() {
    let (packet, outcome) = case(false);
    let say = |packet_file: Option<&str>, files: &[&str]| {
        let places = Places {
            packet: packet_file.map(str::to_owned),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
        };
        let gaps = Gaps::default();
        Triage { packet: &packet, outcome: &outcome, played: None, gaps: &gaps, places: &places }.text()
    };
    let said = say(Some("out/p.json"), &["auth.log", "my site.yaml"]);
    assert!(said.ends_with("here\n  gimbal evidence raw F001 out/p.json auth.log 'my site.yaml'\n"), "{said}");
    let said = say(None, &["-"]);
    assert!(
        said.ends_with("add `--packet packet.json`, then\n  gimbal evidence raw F001 packet.json FILE\n"),
        "{said}"
    );
}
