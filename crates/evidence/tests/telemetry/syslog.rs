//! Syslog lines: which message becomes which fact (ARES-012).

use gimbal_evidence::extract::{
    ExtractError, Extraction, Format, IssueKind, Observed, ReadOptions, Stats, read_syslog, read_syslog_json,
};
use gimbal_evidence::{Class, NewFact, Selection};

use super::{Facts, Found, in_year, line};

fn lines(text: &str) -> Found {
    Found::of(|sink| read_syslog(text.as_bytes(), &in_year(2026), sink))
}

fn one(program: &str, message: &str) -> NewFact {
    lines(&format!("Mar 28 09:00:01 web01 {program}: {message}\n")).only().clone()
}

/// Each message, and what is read from it.
fn agree(program: &str, cases: &[(&str, &str)]) {
    for (message, expected) in cases {
        assert_eq!(line(&one(program, message)), *expected, "{message}");
    }
}

// covers: ARES-012
#[test]
fn messages_of_ssh_servers_are_read() {
    agree(
        "sshd[581]",
        &[
            (
                "Accepted publickey for vagrant from 1.2.3.4 port 56296 ssh2: RSA SHA256:1M4R",
                "logon | publickey accepted | address:1.2.3.4 | account:vagrant",
            ),
            (
                "Failed password for invalid user a b from 5.6.7.8 port 1 ssh2",
                "logon_failed | password refused | address:5.6.7.8 | account:a b",
            ),
            (
                "message repeated 5 times: [ Failed password for root from 5.6.7.8 port 1 ssh2]",
                "logon_failed | password refused | address:5.6.7.8 | account:root",
            ),
            (
                "Invalid user pascal from 35.188.49.176 port 53502",
                "logon_failed | unknown account | address:35.188.49.176 | account:pascal",
            ),
            ("Invalid user  from 5.6.7.8", "logon_failed | unknown account | address:5.6.7.8 | -"),
            ("input_userauth_request: invalid user x [preauth]", "ssh_event | unknown account | - | account:x"),
            (
                "Connection closed by authenticating user root 206.81.24.125 port 45362 [preauth]",
                "logon_failed | connection closed | address:206.81.24.125 | account:root",
            ),
            (
                "Connection closed by 173.234.31.186 [preauth]",
                "ssh_event | connection closed | address:173.234.31.186 | -",
            ),
            ("Connection reset by 10.0.0.1 port 9 [preauth]", "ssh_event | connection reset | address:10.0.0.1 | -"),
            (
                "Disconnected from invalid user ftp 92.255.85.135 port 26138 [preauth]",
                "logon_failed | disconnected | address:92.255.85.135 | account:ftp",
            ),
            ("Disconnected from user bob 10.0.0.1 port 9", "ssh_event | disconnected | address:10.0.0.1 | account:bob"),
            (
                "Received disconnect from 52.80.34.196: 11: Bye Bye [preauth]",
                "ssh_event | disconnect received | address:52.80.34.196 | -",
            ),
            (
                "Received disconnect from 52.80.34.196 port 5:11: Bye Bye [preauth]",
                "ssh_event | disconnect received | address:52.80.34.196 | -",
            ),
            (
                "error: maximum authentication attempts exceeded for root from 10.0.0.1 port 9 ssh2 [preauth]",
                "logon_failed | too many attempts | address:10.0.0.1 | account:root",
            ),
            (
                "Did not receive identification string from 10.0.0.1 port 9",
                "ssh_event | no identification | address:10.0.0.1 | -",
            ),
            (
                "Bad protocol version identification 'GET / HTTP/1.1' from 10.0.0.1 port 9",
                "ssh_event | protocol version refused | address:10.0.0.1 | -",
            ),
            (
                "banner exchange: Connection from 10.0.0.1 port 9: invalid format",
                "ssh_event | banner refused | address:10.0.0.1 | -",
            ),
            (
                "error: kex_exchange_identification: Connection closed by remote host",
                "ssh_event | key exchange failed | - | -",
            ),
            (
                "Unable to negotiate with 2001:db8::1 port 45626: no matching key exchange method found.",
                "ssh_event | negotiation failed | address:2001:db8::1 | -",
            ),
            (
                "reverse mapping checking getaddrinfo for ns.example [173.234.31.186] failed - POSSIBLE BREAK-IN ATTEMPT!",
                "ssh_event | reverse lookup failed | address:173.234.31.186 | -",
            ),
            (
                "refused connect from example.com (192.168.1.1)",
                "ssh_event | connection refused | address:192.168.1.1 | -",
            ),
            (
                "Close session: user ansible from 192.168.1.1 port 34928 id 0",
                "session_closed | session closed | address:192.168.1.1 | account:ansible",
            ),
            (
                "User root from 10.0.0.1 not allowed because not listed in AllowUsers",
                "logon_failed | account not allowed | address:10.0.0.1 | account:root",
            ),
            (
                "PAM 2 more authentication failures; logname= uid=0 euid=0 tty=ssh ruser= rhost=10.0.0.1  user=root",
                "logon_failed | more authentication failures | address:10.0.0.1 | account:root",
            ),
            (
                "pam_unix(sshd:session): session opened for user bob(uid=1000) by (uid=0)",
                "session_opened | session opened | - | account:bob",
            ),
            (
                "pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=host.example  user=root",
                "logon_failed | authentication failure | host:host.example | account:root",
            ),
            (
                "pam_sss(sshd:auth): received for user bob: 7 (Authentication failure)",
                "logon_failed | authentication failure | - | account:bob",
            ),
            ("pam_sss(sshd:auth): received for user bob: 9 (no server)", "message | logged | service:sshd | -"),
            ("something new", "message | logged | service:sshd | -"),
            ("kbdint: wrong password", "message | logged | service:sshd | -"),
            ("kbdint: password rejected", "message | told of a logon | service:sshd | -"),
        ],
    );
}

// covers: ARES-012
#[test]
fn logons_at_other_servers_are_read() {
    agree(
        "dropbear[7]",
        &[
            (
                "Bad password attempt for 'root' from 198.51.100.7:40000",
                "logon_failed | password refused | address:198.51.100.7 | account:root",
            ),
            (
                "Bad password attempt for 'a' from 10.9.9.9:1' from [2001:db8::1]:40000",
                "logon_failed | password refused | address:2001:db8::1 | account:a' from 10.9.9.9:1",
            ),
            (
                "Login attempt for nonexistent user from 198.51.100.7:40000",
                "logon_failed | unknown account | address:198.51.100.7 | -",
            ),
            (
                "Password auth succeeded for 'root' from 198.51.100.7:41000",
                "logon | password accepted | address:198.51.100.7 | account:root",
            ),
            (
                "Pubkey auth succeeded for 'bob' with ssh-ed25519 key SHA256:x from 10.0.0.8:5",
                "logon | publickey accepted | address:10.0.0.8 | account:bob",
            ),
            ("Child connection from 198.51.100.7:40000", "ssh_event | connection opened | address:198.51.100.7 | -"),
        ],
    );
    agree(
        "dovecot",
        &[
            (
                "imap-login: Disconnected (auth failed, 1 attempts in 2 secs): user=<info>, method=PLAIN, rip=198.51.100.7, lip=10.0.0.5, session=<a0>",
                "logon_failed | password refused | address:198.51.100.7 | account:info",
            ),
            (
                "imap-login: Login: user=<x>, method=PLAIN, rip=10.9.9.9>, method=PLAIN, rip=198.51.100.7, lip=10.0.0.5, mpid=33",
                "logon | login accepted | address:198.51.100.7 | account:x>, method=PLAIN, rip=10.9.9.9",
            ),
            ("imap(info)<7><a>: Logged out in=1 out=2", "message | logged | service:dovecot | -"),
        ],
    );
    agree(
        "vsftpd[7]",
        &[
            (
                "[bob] FAIL LOGIN: Client \"198.51.100.7\"",
                "logon_failed | password refused | address:198.51.100.7 | account:bob",
            ),
            ("[bob] OK LOGIN: Client \"198.51.100.7\"", "logon | login accepted | address:198.51.100.7 | account:bob"),
        ],
    );
    agree(
        "postfix/smtpd[7]",
        &[(
            "warning: unknown[198.51.100.7]: SASL LOGIN authentication failed: UGFzc3dvcmQ6, sasl_username=info",
            "logon_failed | authentication failure | address:198.51.100.7 | account:info",
        )],
    );
    agree(
        "proftpd[7]",
        &[("USER bob: Login failed: Incorrect password", "message | told of a logon | service:proftpd | -")],
    );
}

// covers: ARES-012
#[test]
fn a_repeated_message_is_the_message_so_many_times() {
    let text =
        "Mar 28 09:00:01 a sshd[5]: message repeated 500 times: [ Failed password for root from 5.6.7.8 port 1 ssh2]\n";
    let mut times = Vec::new();
    read_syslog(text.as_bytes(), &in_year(2026), &mut |observed: &Observed<'_>| {
        times.push(observed.details.repeated())
    })
    .unwrap();
    assert_eq!(times, [500]);
    let fact = one("app[5]", "message repeated 3 times: [ something new]");
    assert_eq!(
        (line(&fact).as_str(), fact.attributes["repeated"].as_str()),
        ("message | logged | service:app | -", "3")
    );
    // No log holds so many, and no number is made up.
    let fact = one("app[5]", "message repeated 99999999999999999999999 times: [ something new]");
    assert!(!fact.attributes.contains_key("repeated") && fact.attributes["repeated_found"].starts_with("9999"));
    // As BSD writes it: the message before, of the same host.
    let text = "Mar 28 09:00:01 a sshd[5]: Failed password for root from 5.6.7.8 port 1 ssh2\n\
                Mar 28 09:00:31 a last message repeated 20 times\nMar 28 09:01:01 a syslogd: last message repeated 1 time\n\
                Mar 28 09:01:02 b last message repeated 9 times\n";
    let found = lines(text);
    let said: Vec<String> = found.facts.iter().map(line).collect();
    assert!(
        said[..3].iter().all(|said| said == "logon_failed | password refused | address:5.6.7.8 | account:root"),
        "{said:?}"
    );
    assert_eq!(found.by("repeated"), [("1".to_owned(), 1), ("20".to_owned(), 1)].into());
    assert_eq!(said[3], "message | logged | - | -");
    let json = format!("{}\n", serde_json::json!({"message": "message repeated 7 times: [ x]", "program": "app"}));
    read_syslog_json(json.as_bytes(), &in_year(2026), &mut |observed: &Observed<'_>| {
        times.push(observed.details.repeated())
    })
    .unwrap();
    assert_eq!(times, [500, 7]);
}

// covers: ARES-012
#[test]
fn a_carriage_return_ends_a_record_where_another_one_begins() {
    let of = |second: u32| {
        format!("Mar 28 09:00:{second:02} a sshd[5]: Failed password for root from 5.6.7.8 port {second} ssh2")
    };
    let found = lines(&format!("{}\r{}\r{}", of(1), of(2), of(3)));
    let at = |index: usize| found.facts[index].locator.as_ref().unwrap().at.as_str();
    assert_eq!((found.stats.parsed, found.stats.damaged), (3, 0));
    assert_eq!((at(0), at(1), at(2)), ("line 1", "line 1 part 2", "line 1 part 3"));
    assert!(found.facts.iter().all(|fact| fact.class == Class::LogonFailed));
    // Any other one is text.
    let progress = one("app", "10%\r20%\r done");
    assert_eq!(progress.attributes["message"], "10%\r20%\r done");
    // A source without any other end of lines is longer than a line may be.
    let many: Vec<String> = (0..40_000).map(|number| of(number % 60)).collect();
    let found = lines(&many.join("\r"));
    assert!(many.join("\r").len() > 2 << 20);
    assert_eq!((found.stats.parsed, found.stats.damaged), (40_000, 0));
}

#[test]
fn zeros_before_a_record_are_damaged_and_the_record_is_read() {
    let text = format!("{}Mar 28 09:00:01 a x: one\n\0\0Mar 28 09:00:02 a x: two\n\0\0\0", "\0".repeat(5_000));
    assert_eq!(Format::detect(text.as_bytes()), Some(Format::Syslog));
    let found = lines(&text);
    assert_eq!((found.stats.parsed, found.stats.damaged), (2, 3));
    assert!(found.stats.issues[0].what.contains("5000 bytes of zeros"));
    assert_eq!(Format::detect(&[0; 100]), None);
    let mut extraction = Extraction::new(Selection::default(), in_year(2026));
    extraction.read(text.as_bytes(), None, 0).unwrap();
    let packet = extraction.finish().unwrap();
    assert_eq!((packet.header().sources[0].format.as_str(), packet.header().sources[0].records.0), ("syslog", 2));
}

// covers: ARES-012
#[test]
fn the_name_of_an_account_cannot_forge_an_address() {
    let fact =
        one("sshd[1]", "Failed password for invalid user root from 10.9.9.9 port 1 ssh2 from 5.6.7.8 port 2 ssh2");
    assert_eq!(fact.actor.unwrap().name(), "5.6.7.8");
    assert_eq!(fact.attributes["port"], "2");
    let fact = one("sshd[1]", "Invalid user x from 10.9.9.9 from 5.6.7.8 port 2");
    assert_eq!(fact.actor.unwrap().name(), "5.6.7.8");
}

// covers: ARES-012
#[test]
fn messages_of_the_system_are_read() {
    agree(
        "sudo",
        &[
            (
                "   bob : TTY=pts/0 ; PWD=/home/bob ; USER=root ; COMMAND=/bin/sh -c a ; USER=x",
                "command_as_other | sudo | account:bob | account:root",
            ),
            (
                "bob : 3 incorrect password attempts ; TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/ls",
                "logon_failed | sudo password refused | account:bob | account:root",
            ),
            (
                "eve : user NOT in sudoers ; TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/ls",
                "logon_failed | sudo refused | account:eve | account:root",
            ),
            (
                "pam_unix(sudo:auth): authentication failure; logname=bob uid=4001 euid=0 tty=/dev/pts/12 ruser=bob rhost=  user=bob",
                "logon_failed | authentication failure | account:bob | account:bob",
            ),
            ("pam_tally2(sudo:auth): user bob (4001) tally 6, deny 5", "message | logged | service:sudo | -"),
        ],
    );
    agree(
        "su[12]",
        &[
            ("(to root) bob on pts/0", "command_as_other | su | account:bob | account:root"),
            ("FAILED SU (to root) bob on pts/0", "logon_failed | su refused | account:bob | account:root"),
            ("Successful su for news by root", "command_as_other | su | account:root | account:news"),
            ("- pts/1 bob:root", "logon_failed | su refused | account:bob | account:root"),
        ],
    );
    agree(
        "CRON[7]",
        &[("(root) CMD (cd / && run-parts)", "task_run | cron command | account:root | task:cd / && run-parts")],
    );
    agree("crontab[7]", &[("(bob) REPLACE (bob)", "task_changed | crontab replaced | account:bob | account:bob")]);
    agree(
        "systemd[1]",
        &[
            (
                "Started OpenBSD Secure Shell server.",
                "service_changed | started | - | service:OpenBSD Secure Shell server",
            ),
            ("Stopping cron.service - Regular jobs...", "service_changed | stopping | - | service:cron.service"),
            ("ssh.service: Failed with result 'exit-code'.", "service_changed | failed | - | service:ssh"),
            ("Reached target Network.", "message | logged | service:systemd | -"),
        ],
    );
    agree(
        "systemd-logind[1]",
        &[
            ("New session 5 of user bob.", "session_opened | session opened | account:bob | session:5"),
            ("Removed session 5.", "session_closed | session closed | - | session:5"),
        ],
    );
    agree(
        "useradd[1]",
        &[
            (
                "new user: name=eve, UID=1001, GID=1001, home=/home/eve, shell=/bin/bash, from=/dev/pts/0",
                "account_created | account created | - | account:eve",
            ),
            ("new group: name=eve, GID=1001", "group_changed | group created | - | -"),
            ("add 'eve' to group 'sudo'", "group_changed | member added | - | account:eve"),
        ],
    );
    agree("usermod[1]", &[("change user 'eve' password", "password_changed | password changed | - | account:eve")]);
    agree("userdel[1]", &[("delete user 'eve'", "account_deleted | account deleted | - | account:eve")]);
    agree(
        "passwd[1]",
        &[("password for 'eve' changed by 'root'", "password_changed | password changed | account:root | account:eve")],
    );
    agree(
        "gpasswd[1]",
        &[("user eve added by root to group sudo", "group_changed | member added | account:root | account:eve")],
    );
    agree(
        "kernel",
        &[(
            "[1.2] [UFW BLOCK] IN=eth0 OUT= SRC=62.34.17.168 DST=10.73.140.49 LEN=44 PROTO=TCP SPT=52220 DPT=80 SYN URGP=0",
            "packet_filtered | tcp packet | address:62.34.17.168 | address:10.73.140.49",
        )],
    );
    assert_eq!(one("useradd[1]", "add 'eve' to group 'sudo'").attributes["group"], "sudo");
    let sudo = one("sudo", "bob : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/sh -c a ; b");
    assert_eq!(sudo.attributes["command"], "/bin/sh -c a ; b");
}

#[test]
fn a_fact_has_host_process_and_the_message_as_it_stands() {
    let fact = lines("<38>Mar 28 09:00:01 web01 sshd[581]: Accepted password for bob from 1.2.3.4 port 5 ssh2\n")
        .only()
        .clone();
    let entities: Vec<String> = fact.entities.iter().map(ToString::to_string).collect();
    assert_eq!(entities, ["host:web01", "process:sshd (581)"]);
    let time = fact.time.unwrap();
    assert_eq!(
        (time.found.as_str(), time.utc.to_string().as_str()),
        ("Mar 28 09:00:01", "2026-03-28T09:00:01.000000Z")
    );
    assert_eq!((fact.attributes["facility"].as_str(), fact.attributes["severity"].as_str()), ("4", "6"));
    assert_eq!(fact.attributes["message"], "Accepted password for bob from 1.2.3.4 port 5 ssh2");
}

#[test]
fn both_forms_of_syslog_are_read_and_structured_data_are_attributes() {
    let found = lines(concat!(
        "<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog 8 ID47 [e@1 eventID=\"1011\"] An event\n",
        "2023-08-17T16:55:35.689651+02:00 mono endlessh[34256]: ACCEPT host=::ffff:1.2.3.4\n",
        "\n",
        "no time at all\n",
    ));
    assert_eq!(found.facts[0].attributes["e@1.eventID"], "1011");
    assert_eq!(found.facts[1].time.as_ref().unwrap().utc.to_string(), "2023-08-17T14:55:35.689651Z");
    assert_eq!((found.stats.seen, found.stats.parsed, found.stats.dropped, found.stats.damaged), (4, 2, 1, 1));
    assert_eq!(found.facts[2].class, Class::Damaged);
    assert_eq!((found.stats.issues[0].at.as_str(), found.stats.issues[0].kind), ("line 4", IssueKind::Malformed));
}

// covers: ARES-012
#[test]
fn without_a_year_times_are_left_out_and_one_issue_says_so() {
    let text = "Mar 28 09:00:01 web01 x: a\nMar 28 09:00:02 web01 x: b\n2026-03-28T09:00:03Z web01 x: c\n";
    let found = Found::of(|sink| read_syslog(text.as_bytes(), &ReadOptions::default(), sink));
    assert_eq!(found.facts.iter().filter(|fact| fact.time.is_some()).count(), 1);
    assert_eq!((found.stats.issues.len(), found.stats.damaged), (1, 0));
    assert_eq!(found.stats.issues[0].kind, IssueKind::Time);
}

#[test]
fn years_pass_and_clocks_that_run_backwards_stay() {
    let text = "Dec 31 23:59:59 a x: 1\nJan  1 00:00:01 a x: 2\nJan  1 00:00:00 a x: 3\nDec 31 23:59:58 a x: late\n";
    let times: Vec<String> =
        lines(text).facts.iter().map(|fact| fact.time.as_ref().unwrap().utc.to_string()[..19].to_owned()).collect();
    assert_eq!(times, ["2026-12-31T23:59:59", "2027-01-01T00:00:01", "2027-01-01T00:00:00", "2026-12-31T23:59:58"]);
}

#[test]
fn a_strict_reader_stops_at_the_first_damaged_line() {
    let options = ReadOptions { strict: true, ..in_year(2026) };
    let mut facts = Facts::default();
    let stopped = read_syslog("Mar 28 09:00:01 a x: 1\nbroken\n".as_bytes(), &options, &mut facts).unwrap_err();
    assert!(matches!(&stopped, ExtractError::Record(issue) if issue.at == "line 2"), "{stopped}");
    assert_eq!(facts.0.len(), 1);
}

#[test]
fn frames_agree_with_those_of_another_reader() {
    let frames = [
        "<13>Oct 11 22:14:15 mymachine su: 'su root' failed for lonvick on /dev/pts/8",
        "<34>Oct 11 22:14:15 gate sshd[99]: Accepted password for bob from 1.2.3.4 port 5 ssh2",
        "<165>1 2003-10-11T22:14:15.003Z host.example evntslog 8 ID47 [e@1 eventID=\"1011\" x=\"a b\"] An event",
        "<34>1 2003-10-11T22:14:15.003Z mymachine su - ID47 - 'su root' failed",
    ];
    for frame in frames {
        let fact = lines(frame).only().clone();
        let year = |_| 2026;
        let other = syslog_loose::parse_message_with_year_exact(frame, year, syslog_loose::Variant::Either).unwrap();
        let of = |name: &str| fact.attributes.get(name).map(String::as_str);
        assert_eq!(of("program"), other.appname, "{frame}");
        assert_eq!(of("message"), Some(other.msg), "{frame}");
        assert_eq!(of("message_id"), other.msgid, "{frame}");
        assert_eq!(fact.entities[0].name(), other.hostname.unwrap(), "{frame}");
        for element in &other.structured_data {
            for (name, value) in element.params() {
                assert_eq!(of(&format!("{}.{name}", element.id)), Some(value.as_str()), "{frame}");
            }
        }
    }
}

#[test]
fn forwarded_lines_are_read_by_what_they_hold() {
    let text = concat!(
        r#"{"Computer":"u5","ProcessName":"sshd","TimeGenerated":"2022-05-11T18:10:21.997Z","SyslogMessage":"Accepted password for bob from 1.2.3.4 port 5 ssh2"}"#,
        "\n",
        r#"{"Computer":"u5","ProcessName":"auoms","TimeGenerated":"2022-05-11T18:10:21.997Z","SyslogMessage":"type=AUOMS_EXECVE audit(1652292621.986:84138): syscall=execve success=yes pid=17790 user=tomcat uid=1001 comm=\"sh\" exe=\"/bin/sh\" proctitle=sh -c id"}"#,
        "\n",
        r#"{"Computer":"u5","ProcessName":"sysmon","TimeGenerated":"2022-05-11T18:10:20.4Z","SyslogMessage":"<Event><System><EventID>3</EventID><TimeCreated SystemTime=\"2022-05-11T18:10:20.399931000Z\"/></System><EventData><Data Name=\"RuleName\">T1071</Data><Data Name=\"Image\">/bin/a&amp;b</Data><Data Name=\"ProcessId\">7</Data><Data Name=\"DestinationIp\">10.0.0.9</Data></EventData></Event>"}"#,
        "\n{\"Computer\":\n",
    );
    let found: Found = Found::of(|sink| read_syslog_json(text.as_bytes(), &ReadOptions::default(), sink));
    let lines: Vec<String> = found.facts.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "logon | password accepted | address:1.2.3.4 | account:bob",
            "process_started | execve | account:tomcat | process:/bin/sh (17790)",
            "connection | connection | process:/bin/a&b (7) | address:10.0.0.9",
            "damaged | truncated | - | -",
        ]
    );
    // The time of the event itself counts, and the sensor's opinion does not.
    assert_eq!(found.facts[1].time.as_ref().unwrap().utc.to_string(), "2022-05-11T18:10:21.986000Z");
    assert_eq!(found.facts[1].attributes["proctitle"], "sh -c id");
    assert_eq!(found.facts[2].time.as_ref().unwrap().utc.to_string(), "2022-05-11T18:10:20.399931Z");
    assert!(!found.facts[2].attributes.contains_key("RuleName"));
    let _: &Stats = &found.stats;
}
