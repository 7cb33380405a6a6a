//! Audit records: the records of one event give one fact (ARES-012).

use gimbal_evidence::extract::{ReadOptions, read_auditd};

use super::{Found, line};

fn read(text: &str) -> Found {
    Found::of(|sink| read_auditd(text.as_bytes(), &ReadOptions::default(), sink))
}

const EXECVE: &str = concat!(
    "type=SYSCALL msg=audit(1684329817.579:2995): arch=c000003e syscall=59 success=yes exit=0 pid=27032 uid=1000 comm=\"sh\" ",
    "exe=\"/bin/dash\" key=(null)\n",
    "type=SYSCALL msg=audit(1684329817.580:2996): arch=c000003e syscall=42 success=yes exit=0 pid=7 uid=0 comm=\"nc\" exe=\"/bin/nc\"\n",
    "type=EXECVE msg=audit(1684329817.579:2995): argc=3 a0=\"sh\" a1=\"-c\" a2=6C73202D6C\n",
    "type=SOCKADDR msg=audit(1684329817.580:2996): saddr=02000050C0000207000000000000000000\n",
    "type=CWD msg=audit(1684329817.579:2995): cwd=\"/root\"\n",
    "type=EOE msg=audit(1684329817.579:2995): \n",
);

// covers: ARES-012
#[test]
fn records_of_an_event_are_one_fact_even_when_events_interleave() {
    let found = read(EXECVE);
    let lines: Vec<String> = found.facts.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "process_started | execve | account:#1000 | process:/bin/dash (27032)",
            "connection | connect | process:/bin/nc (7) | address:192.0.2.7",
        ]
    );
    let [exec, connect] = &found.facts[..] else { panic!("two facts") };
    assert_eq!(exec.locator.as_ref().unwrap().at, "lines 1-6");
    assert_eq!((exec.attributes["command"].as_str(), exec.attributes["CWD.cwd"].as_str()), ("sh -c ls -l", "/root"));
    assert_eq!(exec.time.as_ref().unwrap().utc.to_string(), "2023-05-17T13:23:37.579000Z");
    assert_eq!(connect.attributes["port"], "80");
    assert_eq!((found.stats.seen, found.stats.parsed, found.stats.emitted), (6, 6, 2));
}

// covers: ARES-012
#[test]
fn programs_and_failed_calls_are_read() {
    let cases = [
        (
            "type=USER_LOGIN msg=audit(1.2:3): pid=1 uid=0 msg='op=login acct=\"root\" addr=192.0.2.7 res=failed'",
            "logon_failed | login refused | address:192.0.2.7 | account:root",
        ),
        (
            "type=USER_CMD msg=audit(1.2:3): pid=1 uid=1000 msg='cwd=\"/\" cmd=6C73202D6C res=success'",
            "command_as_other | sudo | account:#1000 | -",
        ),
        (
            "type=ADD_USER msg=audit(1.2:3): pid=1 uid=0 msg='op=add-user acct=\"eve\" exe=\"/usr/sbin/useradd\" res=success'",
            "account_created | account created | account:#0 | account:eve",
        ),
        (
            "type=SERVICE_STOP msg=audit(1.2:3): pid=1 uid=0 msg='unit=auditd comm=\"systemd\" res=success'",
            "service_changed | stopped | account:#0 | service:auditd",
        ),
        (
            "type=SYSCALL msg=audit(1.2:3): arch=c000003e syscall=59 success=no exit=-2 pid=7 uid=0 comm=\"perl\" exe=\"/usr/bin/perl\"",
            "syscall | execve failed | process:/usr/bin/perl (7) | -",
        ),
        (
            "type=SYSCALL msg=audit(1.2:3): arch=c000003e syscall=999 success=yes pid=7 comm=\"x\" exe=\"/x\"",
            "syscall | syscall 999 | process:/x (7) | -",
        ),
        (
            "type=CRED_ACQ msg=audit(1.2:3): pid=1 uid=0 msg='acct=\"root\" exe=\"/usr/sbin/sshd\" res=success'",
            "message | cred_acq | process:/usr/sbin/sshd (1) | account:root",
        ),
        ("type=AUOMS_ audit(1.2:3): acct=root", "message | auoms_ | - | account:root"),
        ("type=\u{8} msg=audit(1.2:3): res=no", "message | record failed | - | -"),
        ("type=\u{1F512}\u{1F512} msg=audit(1.2:3): a=1", "message | record | - | -"),
    ];
    for (record, expected) in cases {
        assert_eq!(line(read(record).only()), expected, "{record}");
    }
    let deleted = read(concat!(
        "node=web01 type=SYSCALL msg=audit(1.2:3): arch=c000003e syscall=87 success=yes pid=7 uid=0 exe=\"/bin/rm\"\n",
        "node=web01 type=PATH msg=audit(1.2:3): item=0 name=\"/tmp\" nametype=PARENT\n",
        "node=web01 type=PATH msg=audit(1.2:3): item=1 name=\"/tmp/x\" nametype=DELETE\n",
    ));
    assert_eq!(line(deleted.only()), "file_deleted | unlink | process:/bin/rm (7) | file:/tmp/x");
    assert_eq!(deleted.only().entities[0].to_string(), "host:web01");
}

#[test]
fn events_that_wait_are_bounded_and_none_is_lost() {
    let mut text = String::new();
    for event in 0..5_000 {
        text.push_str(&format!(
            "type=SYSCALL msg=audit(1.2:{event}): arch=c000003e syscall=59 success=yes pid={event} exe=\"/x\"\n"
        ));
    }
    let found = read(&text);
    assert_eq!(found.facts.len(), 5_000);
    assert_eq!(found.facts[4_999].attributes["event"], "4999");
    let broken = read("type=SYSCALL msg=audit(1.2\n");
    assert_eq!(line(broken.only()), "damaged | malformed | - | -");
}
