//! What events become facts of which class, with whom.

use gimbal_evidence::{Class, Draft, Selection};

use super::{about, data, event, facts_of_xml, only, security, sysmon, words};
use crate::support;

const SUBJECT: [(&str, &str); 3] =
    [("SubjectUserName", "eve"), ("SubjectDomainName", "CORP"), ("SubjectLogonId", "0x3e7")];

// covers: ARES-011
#[test]
fn a_logon_names_where_it_came_from_and_the_account() {
    let fields = [("TargetUserName", "bob"), ("TargetDomainName", "CORP"), ("TargetLogonId", "0x1f4c65f")];
    let rest = [("LogonType", "3"), ("WorkstationName", "-"), ("IpAddress", "::ffff:192.0.2.7"), ("IpPort", "50022")];
    let all: Vec<_> = SUBJECT.into_iter().chain(fields).chain(rest).collect();
    for (id, class) in [(4624, Class::Logon), (4625, Class::LogonFailed)] {
        let fact = only(&security(id, &all));
        let expected = (class, "network logon", "address:192.0.2.7".to_owned(), "account:CORP\\bob".to_owned());
        assert_eq!(words(&fact), expected);
        for entity in ["host:ws01.example", "account:CORP\\eve", "session:0x3e7", "session:0x1f4c65f"] {
            assert!(about(&fact).contains(&entity.to_owned()), "{entity}");
        }
        assert_eq!(fact.attributes["IpAddress"], "::ffff:192.0.2.7");
        assert_eq!(fact.attributes["Channel"], "Security");
        assert_eq!(fact.attributes["EventID"], id.to_string());
        let time = fact.time.unwrap();
        assert_eq!(time.found, "2026-03-28T09:00:01.1234567Z");
        assert_eq!(time.utc.to_string(), "2026-03-28T09:00:01.123456Z");
        assert_eq!(fact.locator.unwrap().at, "event 1 at byte 0");
    }
}

// covers: ARES-011
#[test]
fn a_process_is_started_by_its_parent_or_by_an_account() {
    let process = [("NewProcessId", "0x16d0"), ("NewProcessName", r"C:\a\b.exe"), ("ProcessId", "0x2b1c")];
    let mut all: Vec<_> = SUBJECT.into_iter().chain(process).collect();
    let fact = only(&security(4688, &all));
    assert_eq!(words(&fact).2, r"account:CORP\eve");
    assert_eq!(words(&fact).3, r"process:C:\a\b.exe (5840)");
    all.push(("ParentProcessName", r"C:\a\cmd.exe"));
    let fact = only(&security(4688, &all));
    assert_eq!(words(&fact).2, r"process:C:\a\cmd.exe (11036)");
    assert!(about(&fact).contains(&r"account:CORP\eve".to_owned()));
}

// covers: ARES-010, ARES-011
#[test]
fn the_rule_name_of_a_sensor_is_no_fact() {
    let fields = [("RuleName", "technique_id=T1003,technique_name=Dumping"), ("SourceImage", r"C:\x.exe")];
    let rest = [("SourceProcessId", "12"), ("TargetImage", r"C:\lsass.exe"), ("TargetProcessId", "600")];
    let all: Vec<_> = fields.into_iter().chain(rest).collect();
    let fact = only(&sysmon(10, &all));
    let expected = (Class::ProcessAccessed, "process opened");
    assert_eq!((fact.class, fact.action.as_str()), expected);
    assert_eq!(words(&fact).2, r"process:C:\x.exe (12)");
    assert_eq!(words(&fact).3, r"process:C:\lsass.exe (600)");
    assert!(!format!("{fact:?}").contains("T1003"));
    // The firewall's rule name is the name of a rule of the firewall.
    let firewall = event(
        "Microsoft-Windows-Windows Firewall With Advanced Security",
        "2004",
        &data(&[("RuleName", "Allow it"), ("ModifyingUser", "S-1-5-21-1")]),
    );
    let fact = only(&firewall);
    assert_eq!((fact.class, fact.attributes["RuleName"].as_str()), (Class::PolicyChanged, "Allow it"));
    assert_eq!(words(&fact).2, "account:S-1-5-21-1");
}

// covers: ARES-011
#[test]
fn every_family_of_events_has_its_class() {
    let audit = "Microsoft-Windows-Security-Auditing";
    let classes = [
        (audit, "4608", Class::SystemStarted),
        (audit, "4616", Class::ClockChanged),
        (audit, "4634", Class::Logoff),
        (audit, "4648", Class::ExplicitLogon),
        (audit, "4672", Class::PrivilegesAssigned),
        (audit, "4660", Class::FileDeleted),
        (audit, "4662", Class::DirectoryAccessed),
        (audit, "4697", Class::ServiceInstalled),
        (audit, "4698", Class::TaskCreated),
        (audit, "4699", Class::TaskDeleted),
        (audit, "4702", Class::TaskChanged),
        (audit, "4719", Class::PolicyChanged),
        (audit, "4720", Class::AccountCreated),
        (audit, "4724", Class::PasswordChanged),
        (audit, "4726", Class::AccountDeleted),
        (audit, "4740", Class::AccountChanged),
        (audit, "4732", Class::GroupChanged),
        (audit, "4769", Class::TicketRequested),
        (audit, "4778", Class::RemoteDesktop),
        (audit, "5145", Class::ShareAccessed),
        (audit, "5152", Class::PacketFiltered),
        (audit, "5156", Class::Connection),
        (audit, "4", Class::Message),
        ("Microsoft-Windows-Eventlog", "1102", Class::LogCleared),
        ("Microsoft-Windows-Eventlog", "104", Class::LogCleared),
        ("Microsoft-Windows-Eventlog", "1104", Class::LogStarted),
        ("Service Control Manager", "7045", Class::ServiceInstalled),
        ("Service Control Manager", "7040", Class::ServiceChanged),
        ("EventLog", "6005", Class::LogStarted),
        ("EventLog", "6008", Class::SystemStopped),
        ("User32", "1074", Class::SystemStopped),
        ("Microsoft-Windows-Kernel-General", "12", Class::SystemStarted),
        ("Microsoft-Windows-Kernel-Power", "41", Class::SystemStopped),
        ("Microsoft-Windows-FilterManager", "1", Class::ServiceChanged),
        ("Microsoft-Windows-Sysmon", "3", Class::Connection),
        ("Microsoft-Windows-Sysmon", "11", Class::FileCreated),
        ("Microsoft-Windows-Sysmon", "13", Class::RegistryChanged),
        ("Microsoft-Windows-Sysmon", "20", Class::Wmi),
        ("Microsoft-Windows-Sysmon", "22", Class::DnsQuery),
        ("Microsoft-Windows-PowerShell", "4104", Class::ScriptRun),
        ("PowerShell", "400", Class::ProcessStarted),
        ("Microsoft-Windows-TaskScheduler", "106", Class::TaskCreated),
        ("Microsoft-Windows-WMI-Activity", "5861", Class::Wmi),
        ("Microsoft-Windows-TerminalServices-LocalSessionManager", "21", Class::RemoteDesktop),
        ("Microsoft-Windows-TerminalServices-RemoteConnectionManager", "1149", Class::RemoteDesktop),
        ("Microsoft-Windows-WinRM", "91", Class::SessionOpened),
        ("Microsoft-Windows-Windows Defender", "1116", Class::SecurityProduct),
        ("Microsoft-Windows-Windows Defender", "9999", Class::SecurityProduct),
        ("Microsoft-Windows-Bits-Client", "59", Class::HttpRequest),
        ("Microsoft-Windows-DNS-Client", "3008", Class::DnsQuery),
        ("Microsoft-Windows-DNSServer", "541", Class::PolicyChanged),
        ("Microsoft-Windows-GroupPolicy", "5320", Class::Message),
    ];
    for (provider, id, class) in classes {
        let fact = only(&event(provider, id, "<EventData/>"));
        assert_eq!(fact.class, class, "{provider} {id}");
    }
    let other = only(&event("Microsoft-Windows-GroupPolicy", "5320", ""));
    assert_eq!(other.action, "Microsoft-Windows-GroupPolicy 5320");
    assert_eq!(words(&other).3, "host:ws01.example");
}

// covers: ARES-011
#[test]
fn actions_say_what_a_field_says() {
    let ticket = |status| security(4768, &[("TargetUserName", "bob"), ("Status", status), ("IpAddress", "::1")]);
    assert_eq!(only(&ticket("0x0")).action, "ticket-granting ticket requested");
    assert_eq!(only(&ticket("0x6")).action, "ticket refused");
    let checked = |status| security(4776, &[("TargetUserName", "bob"), ("Workstation", r"\\WS9"), ("Status", status)]);
    assert_eq!(only(&checked("0x0")).action, "credentials validated");
    assert_eq!(only(&checked("0xc000006a")).action, "credentials refused");
    assert_eq!(words(&only(&checked("0x0"))).2, "host:WS9");
    let key = sysmon(12, &[("EventType", "DeleteKey"), ("Image", r"C:\x.exe"), ("ProcessId", "3")]);
    assert_eq!(only(&key).action, "key deleted");
}

// covers: ARES-011
#[test]
fn the_type_of_an_object_decides_what_was_opened() {
    let opened = |kind, name| {
        let fields = [("ObjectType", kind), ("ObjectName", name), ("ProcessName", r"C:\x.exe"), ("ProcessId", "0xc")];
        let fact = only(&security(4663, &fields));
        (fact.class, words(&fact).3)
    };
    assert_eq!(opened("File", r"C:\a.txt"), (Class::FileAccessed, r"file:C:\a.txt".to_owned()));
    assert_eq!(
        opened("Process", r"\Device\lsass.exe"),
        (Class::ProcessAccessed, r"process:\Device\lsass.exe".to_owned())
    );
    assert_eq!(opened("Key", r"\REGISTRY\MACHINE"), (Class::FileAccessed, "host:ws01.example".to_owned()));
    let detected = data(&[("Path", r"file:_C:\a.exe;file:_C:\b.exe"), ("Threat Name", "Example")]);
    let fact = only(&event("Microsoft-Windows-Windows Defender", "1116", &detected));
    assert_eq!((fact.class, words(&fact).3), (Class::SecurityProduct, r"file:C:\a.exe".to_owned()));
}

// covers: ARES-011
#[test]
fn fields_of_user_data_and_unnamed_data_are_kept() {
    let cleared = "<UserData><LogFileCleared xmlns='x'><SubjectUserName>eve</SubjectUserName>\
                   <SubjectDomainName>CORP</SubjectDomainName><Channel>System</Channel><Error Code='5'/>\
                   </LogFileCleared></UserData>";
    let fact = only(&event("Microsoft-Windows-Eventlog", "104", cleared));
    assert_eq!(words(&fact).2, r"account:CORP\eve");
    assert_eq!(fact.attributes["Channel"], "Security");
    assert_eq!(fact.attributes["EventData.Channel"], "System");
    assert_eq!(fact.attributes["Error.Code"], "5");
    let lines = "<EventData><Data>first</Data><Data>a=1\n\tUserId=CORP\\eve\n</Data><Binary>00FF</Binary></EventData>";
    let fact = only(&event("PowerShell", "800", lines));
    assert_eq!(words(&fact).2, r"account:CORP\eve");
    assert_eq!(fact.attributes["Data"], "first");
    assert!(fact.attributes["Data.2"].starts_with("a=1\n"));
    assert_eq!(fact.attributes["Binary"], "00FF");
}

// covers: ARES-011
#[test]
fn values_keep_their_characters_and_numbers_may_be_text() {
    let fields = [("NewProcessName", r"C:\x.exe"), ("NewProcessId", "7"), ("CommandLine", "a &lt;b&gt; &amp;&#x20AC;")];
    let fact = only(&event("Microsoft-Windows-Security-Auditing", " 4688 ", &data(&fields)));
    assert_eq!(fact.class, Class::ProcessStarted);
    assert_eq!(fact.attributes["CommandLine"], "a <b> &\u{20ac}");
}

// covers: ARES-011
#[test]
fn messages_of_the_ssh_server_name_the_peer() {
    let message = |text| event("OpenSSH", "4", &data(&[("process", "sshd"), ("payload", text)]));
    let fact = only(&message("Failed password for invalid user bob from 192.0.2.9 port 60096 ssh2"));
    let expected = (Class::LogonFailed, "ssh logon", "address:192.0.2.9".to_owned(), "account:bob".to_owned());
    assert_eq!(words(&fact), expected);
    assert_eq!(only(&message("Server listening on :: port 22.")).class, Class::SshEvent);
}

// covers: ARES-011
#[test]
fn long_values_are_cut_and_facts_keep_the_rules_of_a_packet() {
    let long = "\u{20ac}".repeat(20_000);
    let many: String = (0..400).map(|at| format!("<Data Name='f{at}'>{at}</Data>")).collect();
    let odd =
        format!("<EventData><Data Name='n\u{e4}me \u{1}'>x</Data><Data Name='big'>{long}</Data>{many}</EventData>");
    let (stats, facts) = facts_of_xml(event("odd \u{7} provider", "1", &odd).as_bytes());
    assert_eq!(stats.unwrap().parsed, 1);
    let fact = &facts[0];
    assert_eq!(fact.attributes["big.length"], "60000");
    assert_eq!(fact.attributes["big"].len(), 32_766);
    assert_eq!(fact.attributes["big.sha256"].len(), gimbal_core::Digest::of(b"").to_string().len());
    assert_eq!(fact.attributes["n?me ?"], "x");
    let left_out: usize = fact.attributes["attributes_left_out"].parse().unwrap();
    assert!(left_out > 100 && fact.attributes.len() <= 256);
    let mut draft = Draft::new(vec![support::source(0)], Selection::default());
    for fact in facts {
        draft.add(fact).unwrap();
    }
}
