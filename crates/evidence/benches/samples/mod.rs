//! Telemetry that benches read: made here, the same in every run.
#![allow(missing_docs, dead_code, reason = "each bench takes what it reads")]

use std::fmt::Write as _;
use std::io::Cursor;
use std::ops::Range;
use std::path::PathBuf;

use gimbal_evidence::extract::{Observed, ReadOptions, read_evtx};

/// Lines of programs as they are mixed on a server under password guessing.
pub fn syslog(lines: Range<u64>) -> String {
    let mut text = String::new();
    for line in lines {
        let (minute, second, host) = (line / 600 % 60, line / 10 % 60, line % 7);
        let message = match line % 10 {
            0 => format!(
                "sshd[{line}]: Accepted publickey for deploy from 10.0.0.{} port 50022 ssh2: RSA SHA256:abc",
                line % 250
            ),
            1 | 2 => format!(
                "sshd[{line}]: Failed password for invalid user u{line} from 203.0.113.{} port 40022 ssh2",
                line % 250
            ),
            3 => format!(
                "sshd[{line}]: Connection closed by authenticating user root 203.0.113.{} port 45362 [preauth]",
                line % 250
            ),
            4 => format!(
                "sshd[{line}]: pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=203.0.113.{}  user=root",
                line % 250
            ),
            5 => format!("CRON[{line}]: (root) CMD (cd / && run-parts --report /etc/cron.hourly)"),
            6 => "sudo:      bob : TTY=pts/0 ; PWD=/home/bob ; USER=root ; COMMAND=/bin/systemctl restart nginx"
                .to_owned(),
            7 => format!(
                "kernel: [{line}.5] [UFW BLOCK] IN=eth0 OUT= MAC=00:16 SRC=203.0.113.{} DST=10.0.0.5 LEN=44 TTL=43 PROTO=TCP SPT=52220 DPT={} WINDOW=1024 SYN",
                line % 250,
                line % 1024
            ),
            8 => "systemd[1]: Started Session of user deploy.".to_owned(),
            _ => format!("app[{line}]: request {line} took 12 ms and gave 200"),
        };
        let _ = writeln!(text, "Mar 28 09:{minute:02}:{second:02} web{host:02} {message}");
    }
    text
}

/// Messages of version 9 with 24 flows each; the first holds the template too.
pub fn netflow_9(flows: u64) -> Vec<Vec<u8>> {
    let fields: [(u16, u16); 16] = [
        (8, 4),
        (12, 4),
        (7, 2),
        (11, 2),
        (4, 1),
        (6, 1),
        (5, 1),
        (61, 1),
        (2, 8),
        (1, 8),
        (152, 8),
        (153, 8),
        (10, 4),
        (14, 4),
        (16, 4),
        (17, 4),
    ];
    let mut template = vec![1, 0, 0, 16];
    for (id, length) in fields {
        template.extend_from_slice(&id.to_be_bytes());
        template.extend_from_slice(&length.to_be_bytes());
    }
    let set = |id: u16, body: &[u8]| [&id.to_be_bytes()[..], &(4 + body.len() as u16).to_be_bytes()[..], body].concat();
    (0..flows / 24)
        .map(|number| {
            let mut records = Vec::new();
            for flow in 0..24 {
                let host = ((number * 24 + flow) % 250) as u8;
                records.extend_from_slice(&[10, 0, 0, host, 198, 51, 100, host]);
                records.extend_from_slice(&[195, 80, 1, 187, 6, 24, 0, 0]);
                for counter in [12_u64, 3_456, 1_700_000_000_000 + number, 1_700_000_000_500 + number] {
                    records.extend_from_slice(&counter.to_be_bytes());
                }
                records.extend_from_slice(&[0; 16]);
            }
            let mut bytes = vec![0, 9, 0, 2, 0, 1, 0, 0];
            bytes.extend_from_slice(&1_700_000_000_u32.to_be_bytes());
            bytes.extend_from_slice(&[0; 8]);
            if number == 0 {
                bytes.extend(set(0, &template));
            }
            bytes.extend(set(256, &records));
            bytes
        })
        .collect()
}

/// Datagrams of version 5 with 30 flows each.
pub fn netflow_5(flows: u64) -> Vec<Vec<u8>> {
    (0..flows / 30)
        .map(|number| {
            let mut bytes = vec![0, 5, 0, 30, 0, 1, 0, 0];
            bytes.extend_from_slice(&1_700_000_000_u32.to_be_bytes());
            bytes.extend_from_slice(&[0; 12]);
            for flow in 0..30 {
                let host = ((number * 30 + flow) % 250) as u8;
                bytes.extend_from_slice(&[10, 0, 0, host, 198, 51, 100, host]);
                bytes.extend_from_slice(&[0; 8]);
                bytes.extend_from_slice(&[0, 0, 0, 3, 0, 0, 5, 20, 0, 0, 39, 16, 0, 0, 78, 32]);
                bytes.extend_from_slice(&[195, 80, 1, 187, 0, 24, 6, 0, 0, 0, 0, 0, 24, 24, 0, 0]);
            }
            bytes
        })
        .collect()
}

pub fn zeek(flows: u64) -> String {
    let mut text = "#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tservice\tduration\torig_bytes\tresp_bytes\tconn_state\n".to_owned();
    for flow in 0..flows {
        let _ = writeln!(
            text,
            "1677024{:03}.714845\tC{flow}\t192.168.1.{}\t65164\t66.63.168.{}\t5888\ttcp\t-\t0.037629\t0\t0\tREJ",
            flow % 1000,
            flow % 250,
            flow % 199
        );
    }
    text
}

pub fn twelve(flows: u64) -> String {
    let mut text = String::new();
    for flow in 0..flows {
        let _ = writeln!(
            text,
            "2026-03-28T09:00:{:02}Z,2026-03-28T09:01:00Z,5.0,10.0.0.{},203.0.113.5,50000,443,TCP,12,3456,.AP.SF,0",
            flow % 60,
            flow % 250
        );
    }
    text
}

pub fn auditd(lines: u64) -> String {
    let mut text = String::new();
    for event in 0..lines / 4 {
        let id = format!("audit(1684329817.579:{event})");
        let _ = writeln!(
            text,
            "type=SYSCALL msg={id}: arch=c000003e syscall=59 success=yes exit=0 ppid=1 pid={event} auid=1000 uid=1000 gid=1000 tty=pts2 ses=1 comm=\"sh\" exe=\"/bin/dash\" key=(null)"
        );
        let _ = writeln!(text, "type=EXECVE msg={id}: argc=3 a0=\"sh\" a1=\"-c\" a2=6C73202D6C");
        let _ = writeln!(text, "type=CWD msg={id}: cwd=\"/root\"");
        let _ = writeln!(text, "type=EOE msg={id}: ");
    }
    text
}

/// Logons and process starts, as `wevtutil` prints them.
pub fn events(events: u64) -> String {
    let mut text = String::new();
    for number in 0..events {
        let (id, fields) = if number % 2 == 0 {
            (4624, "<Data Name='LogonType'>3</Data><Data Name='IpAddress'>192.0.2.7</Data>")
        } else {
            (4688, "<Data Name='NewProcessName'>C:\\a\\b.exe</Data><Data Name='CommandLine'>b &amp; c</Data>")
        };
        let _ = write!(
            text,
            "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider \
             Name='Microsoft-Windows-Security-Auditing' Guid='{{54849625-5478-4994-A5BA-3E3B0328C30D}}'/>\
             <EventID>{id}</EventID><Version>2</Version><Level>0</Level><Task>12544</Task><Opcode>0</Opcode>\
             <Keywords>0x8020000000000000</Keywords><TimeCreated SystemTime='2026-03-28T09:00:01.1234567Z'/>\
             <EventRecordID>{number}</EventRecordID><Correlation/><Execution ProcessID='4' ThreadID='8'/>\
             <Channel>Security</Channel><Computer>ws01.example</Computer><Security/></System><EventData>\
             <Data Name='SubjectUserSid'>S-1-5-18</Data><Data Name='SubjectUserName'>WS01$</Data>\
             <Data Name='SubjectDomainName'>EXAMPLE</Data><Data Name='SubjectLogonId'>0x3e7</Data>\
             <Data Name='TargetUserName'>user{}</Data><Data Name='TargetDomainName'>EXAMPLE</Data>{fields}\
             </EventData></Event>\r\n",
            number % 50
        );
    }
    text
}

/// Real event logs by name, each with its bytes and how many records it holds; `None` if the folder of reference data is not at hand.
pub fn logs() -> Vec<(&'static str, Vec<u8>, u64)> {
    let set = std::env::var_os("GIMBAL_DATA").map(PathBuf::from);
    let data = set.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference")));
    let log = |name: &'static str| {
        let bytes = std::fs::read(data.join(format!("telemetry/windows/benign/{name}.evtx"))).ok()?;
        let ignore = &mut |_: &Observed<'_>| {};
        let stats = read_evtx(Cursor::new(&bytes), &ReadOptions::default(), ignore).ok()?;
        Some((name, bytes, stats.parsed))
    };
    let logs: Vec<_> = ["security", "system"].into_iter().filter_map(log).collect();
    if logs.is_empty() {
        eprintln!("skipped: no reference data; set GIMBAL_DATA to the folder that holds telemetry/");
    }
    logs
}
