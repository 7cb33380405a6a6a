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

/// A server that logs in German: no grammar reads its refusals, and one accepted key must not hide them.
// covers: ARES-012
#[test]
fn messages_of_programs_that_log_people_on_are_a_gap_in_whatever_words() {
    let ordinary = "Mar 10 08:00:00 web01 CRON[1]: (root) CMD (run-parts /etc/cron.hourly)\n\
                    Mar 10 08:00:01 web01 sshd[1]: Accepted publickey for bob from 10.0.0.8 port 5 ssh2\n\
                    Mar 10 08:00:02 web01 sshd[2]: fatal: Timeout before authentication for 10.0.0.9 port 6\n\
                    Mar 10 08:00:03 web01 sshd[2]: pam_unix(sshd:auth): check pass; user unknown\n";
    assert!(gaps_of(ordinary).is_none(), "{:?}", gaps_of(ordinary));
    let refused: String = (0..9)
        .map(|second| {
            format!(
                "Mar 10 08:01:{second:02} web01 sshd[9]: pam_unix(sshd:auth): Authentifizierungsfehler; rhost=192.0.2.7 user=konto{second}\n"
            )
        })
        .collect();
    let su = "Mar 10 08:02:00 web01 su[7]: FEHLGESCHLAGENES SU (nach root) bob auf pts/0\n".repeat(3);
    let gaps = gaps_of(&format!("{ordinary}{refused}{su}"));
    let found = &gaps.unread_logons;
    assert!(!gaps.is_none() && found.in_unknown_words == found.count, "{gaps:?}");
    // Two of the messages of sshd are known to tell of no logon, and the fact that counts those which differ counts these two too.
    assert_eq!(found.count, 12, "{gaps:?}");
    let said = gaps.sentence().unwrap();
    let (id, at) = found.example.as_ref().unwrap();
    assert!(said.contains("or are of programs that log people on"), "{said}");
    assert!(
        said.contains("written by \"sshd\", \"su\"") && said.contains(&format!("such as {id}, {} of S1", at.at)),
        "{said}"
    );
    let alone = gaps_of(&format!("{ordinary}{}", su.lines().next().unwrap()));
    assert!(alone.sentence().unwrap().contains("1 message of a program that logs people on is in words"), "{alone:?}");
}

fn windowed(text: &str, year: Option<i16>, since: Option<&str>) -> (Packet, Outcome) {
    let selection = Selection { since: since.map(|since| since.parse().unwrap()), ..Selection::default() };
    let options = gimbal_evidence::extract::ReadOptions { year, ..Default::default() };
    let mut extraction = Extraction::new(selection, options);
    extraction.read(text.as_bytes(), None, 0).unwrap();
    let packet = extraction.finish().unwrap();
    let outcome = single_turn(&packet, &shipped_rules(), SkepticKind::Deterministic, Decision::Claims);
    (packet, outcome)
}

// covers: ARES-005
#[test]
fn a_window_that_nothing_can_be_held_against_is_said_and_counted() {
    let log = "Mar 10 08:00:00 web01 sshd[1]: Accepted publickey for bob from 10.0.0.8 port 5 ssh2\nbroken\n"
        .to_owned()
        + &"Mar 10 08:00:01 web01 app[1]: ready\n".repeat(9);
    let since = Some("2026-03-10T09:00:00Z");
    let (packet, outcome) = windowed(&log, None, since);
    // Nothing is lost, and nothing is chosen: 10 records have no time, and a damaged one can have none.
    assert_eq!(packet.header().undated, Some(gimbal_evidence::Counter(10)));
    assert_eq!(packet.header().version, "gimbal.packet/2");
    assert_eq!(Packet::read(&packet.to_bytes()).unwrap(), packet);
    let gaps = Gaps::of(&packet, Some(&shipped_rules()));
    assert_eq!((gaps.taken_undated, gaps.is_none()), (10, false));
    let triage = Triage { packet: &packet, outcome: &outcome, played: None, gaps: &gaps, places: &Places::default() };
    let said = "10 records without a time were taken whatever";
    for form in [triage.text(), triage.markdown(), triage.html()] {
        assert!(form.contains("NOT ONLY WHAT WAS ASKED FOR") && form.contains(said), "{form}");
        assert!(!form.contains("A PART OF WHAT WAS READ"), "{form}");
    }
    let verdict = &triage.json_lines()[0];
    assert_eq!((&verdict["taken_undated"], &verdict["complete"]), (&10.into(), &false.into()), "{verdict}");
    // With the year the window holds; without a window nothing is counted, and the file is what it was.
    let (dated, _) = windowed(&log, Some(2026), since);
    assert_eq!((dated.header().undated, Gaps::of(&dated, None).taken_undated), (None, 0));
    let (whole, _) = windowed(&log, None, None);
    assert_eq!(whole.header().undated, None);
    assert!(!String::from_utf8(whole.to_bytes()).unwrap().contains("undated"));
    // A count that is taken away is found.
    let text = String::from_utf8(packet.to_bytes()).unwrap();
    assert!(Packet::read(text.replace("\"undated\":\"10\",", "").as_bytes()).is_err());
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
