//! Sources that are made here, one of each format that has no binary container of Windows, so that the table needs no data folder.

use std::fmt::Write as _;

use gimbal_evidence::extract::Format;

use crate::telemetry::made::{FIELDS, V5, message, packet as frame, pcap, pcapng, record, set, template, v5};

/// A source: what the table calls it, what a user would say of its format, and its bytes.
pub struct Made {
    pub name: &'static str,
    /// `None` where its first bytes tell it.
    pub told: Option<Format>,
    pub bytes: Vec<u8>,
}

/// The sources in the order of the table.
pub fn sources() -> Vec<Made> {
    let detected = |name, bytes| Made { name, told: None, bytes };
    vec![
        detected("syslog", syslog().into_bytes()),
        detected("syslog around windows events", relayed().into_bytes()),
        detected("netflow 5 in pcap", pcap(&netflow_5())),
        detected("netflow 9 in pcap", pcap(&[frame([10, 0, 0, 1], 9000, &templated(9))])),
        detected("ipfix in pcapng", pcapng(&[frame([10, 0, 0, 1], 9000, &templated(10))])),
        detected("netflow 5 datagram", v5(1_700_000_000, &[flow(443); 20])),
        detected("ipfix datagram", templated(10)),
        detected("windows events as xml", windows_xml().into_bytes()),
        detected("windows events as json lines", windows_json().into_bytes()),
        detected("windows events as delimited text", windows_csv().into_bytes()),
        detected("journal as json lines", journal().into_bytes()),
        detected("audit records", audit().into_bytes()),
        detected("zeek", zeek().into_bytes()),
        detected("zeek as json lines", zeek_json().into_bytes()),
        detected("argus", argus().into_bytes()),
        detected("nfdump", nfdump().into_bytes()),
        Made { name: "context", told: Some(Format::Context), bytes: context().into_bytes() },
    ]
}

fn lines(count: u32, write: impl Fn(&mut String, u32)) -> String {
    let mut text = String::new();
    for number in 0..count {
        write(&mut text, number);
        text.push('\n');
    }
    text
}

fn syslog() -> String {
    lines(2_000, |text, number| {
        let (minute, second, user) = (number / 60 % 60, number % 60, number % 37);
        let head = format!("Mar 28 09:{minute:02}:{second:02} gate");
        let _ = match number % 3 {
            0 => write!(
                text,
                "{head} sshd[{number}]: Failed password for u{user} from 192.0.2.{user} port 4{number} ssh2"
            ),
            1 => write!(text, "{head} CRON[{number}]: (root) CMD (run {user})"),
            _ => write!(text, "{head} app: naïve line {number}"),
        };
    })
}

/// The events of [`windows_json`] as messages of lines, every other one with the mark of an object.
fn relayed() -> String {
    let events = windows_json();
    let lines = events.lines().enumerate().map(|(number, event)| {
        let mark = if number % 2 == 0 { "@cee: " } else { "" };
        format!("<14>Mar 28 09:05:{:02} relay winlogbeat[77]: {mark}{event}\n", number % 60)
    });
    lines.collect()
}

fn flow(port: u16) -> V5 {
    V5 { source: [10, 0, 0, 7], target: [198, 51, 100, 9], target_port: port, packets: 3, octets: 1_500, protocol: 6 }
}

fn netflow_5() -> Vec<Vec<u8>> {
    (0..9).map(|port| frame([10, 0, 0, 1], 9000, &v5(1_700_000_000, &[flow(port); 20]))).collect()
}

/// A message with a template and forty flows.
fn templated(version: u16) -> Vec<u8> {
    let flows: Vec<u8> =
        (0..40_u16).flat_map(|port| record([192, 0, 2, 9], port, u64::from(port), 1_700_000_000_000)).collect();
    let templates = if version == 9 { 0 } else { 2 };
    message(version, 1_700_000_000, 3, &[set(templates, &template(256, &FIELDS)), set(256, &flows)])
}

fn windows_xml() -> String {
    let event = |number: u32| {
        format!(
            "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='Microsoft-Windows-Security-Auditing'/>\
             <EventID>4624</EventID><TimeCreated SystemTime='2026-03-28T09:00:{:02}.1234567Z'/><EventRecordID>{number}</EventRecordID>\
             <Channel>Security</Channel><Computer>ws01.example</Computer></System><EventData><Data Name='TargetUserName'>user{}</Data>\
             <Data Name='LogonType'>3</Data><Data Name='IpAddress'>192.0.2.7</Data></EventData></Event>\r\n",
            number % 60,
            number % 11
        )
    };
    (0..300).map(event).collect()
}

fn windows_json() -> String {
    lines(300, |text, number| {
        let (second, user, id) = (number % 60, number % 11, if number % 4 == 0 { 4625 } else { 4624 });
        let _ = write!(
            text,
            r#"{{"@timestamp":"2026-03-28T09:00:{second:02}.123Z","winlog":{{"event_id":"{id}","channel":"Security","computer_name":"ws01.example","record_id":{number},"provider_name":"Microsoft-Windows-Security-Auditing","event_data":{{"TargetUserName":"user{user}","LogonType":"3","IpAddress":"192.0.2.7"}}}}}}"#
        );
    })
}

fn windows_csv() -> String {
    let rows = lines(300, |text, number| {
        let (day, second, user) = (1 + number / 20, number % 60, number % 11);
        let _ = write!(
            text,
            "Audit Failure,3/{day}/2026 9:00:{second:02} AM,Microsoft-Windows-Security-Auditing,4625,Logon,\"An account failed to log on.\r\n\r\n\
             Logon Type:\t\t\t3\r\n\r\nAccount For Which Logon Failed:\r\n\tAccount Name:\t\tuser{user}\r\n\r\n\
             Network Information:\r\n\tSource Network Address:\t192.0.2.7\r\n\"\r"
        );
    });
    format!("Keywords,Date and Time,Source,Event ID,Task Category\r\n{rows}")
}

fn journal() -> String {
    lines(300, |text, number| {
        let (time, user) = (1_774_688_401 + number, number % 7);
        let _ = write!(
            text,
            r#"{{"__REALTIME_TIMESTAMP":"{time}000000","_HOSTNAME":"gate","SYSLOG_IDENTIFIER":"sshd","_PID":"{number}","MESSAGE":"Failed password for u{user} from 192.0.2.{user} port 4{number} ssh2"}}"#
        );
    })
}

fn audit() -> String {
    lines(400, |text, number| {
        let (event, user) = (number / 2, number % 5);
        let head = format!("msg=audit(1774688401.{:03}:{event})", event % 1000);
        let _ = if number % 2 == 0 {
            write!(
                text,
                "type=SYSCALL {head}: arch=c000003e syscall=59 success=yes exit=0 ppid=1 pid={event} auid=100{user} uid=0 comm=\"sh\" exe=\"/bin/sh\""
            )
        } else {
            write!(text, "type=EXECVE {head}: argc=2 a0=\"sh\" a1=2D63")
        };
    })
}

fn zeek() -> String {
    let head = "#separator \\x09\n#unset_field\t-\n#path\tconn\n#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tduration\torig_bytes\tresp_bytes\tconn_state\n";
    let rows = lines(200, |text, number| {
        let _ = write!(
            text,
            "17746884{:02}.5\tC{number}\t10.0.0.{}\t5{number:04}\t198.51.100.9\t{}\ttcp\t0.{number}\t{number}\t-\tSF",
            number % 60,
            number % 9,
            number % 13
        );
    });
    head.to_owned() + &rows
}

fn zeek_json() -> String {
    lines(200, |text, number| {
        let (second, host, port) = (number % 60, number % 9, number % 13);
        let _ = write!(
            text,
            r#"{{"ts":17746884{second:02}.5,"uid":"C{number}","id.orig_h":"10.0.0.{host}","id.orig_p":5{number:04},"id.resp_h":"198.51.100.9","id.resp_p":{port},"proto":"udp","orig_bytes":{number}}}"#
        );
    })
}

fn argus() -> String {
    let head =
        "StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr,Dport,State,sTos,dTos,TotPkts,TotBytes,SrcBytes,SrcPkts,Label\n";
    let rows = lines(200, |text, number| {
        let (second, host, port) = (number % 60, number % 9, number % 13);
        let _ = write!(
            text,
            "2026/03/28 09:00:{second:02}.075359,0.{number},tcp,10.0.0.{host},5{number:04},   ->,198.51.100.9,{port},S_RA,0,0,2,134,70,1,"
        );
    });
    head.to_owned() + &rows
}

fn nfdump() -> String {
    let rows = lines(200, |text, number| {
        let (second, host, port) = (number % 60, number % 9, number % 13);
        let _ = write!(
            text,
            "2026-03-28 09:00:{second:02},2026-03-28 09:01:{second:02},60.0,10.0.0.{host},198.51.100.9,5{number:04},{port},UDP,......,{number},1{number}"
        );
    });
    "ts,te,td,sa,da,sp,dp,pr,flg,ipkt,ibyt\n".to_owned() + &rows
}

fn context() -> String {
    "inventory:\n  - host: gate\n    addresses: [10.0.0.5, 2001:DB8::5]\n    services: [sshd]\n    owner: network team\n\
     change_windows:\n  - ticket: CHG-17\n    from: 2026-03-28T08:00:00Z\n    until: 2026-03-28T10:00:00Z\n    covers: [host:gate]\n\
     known_scanners:\n  - address: 10.0.0.9\n    note: weekly\n\
     not_collected:\n  - source: Security log of ws01\n    from: 2026-03-28T00:00:00+01:00\n    until: 2026-03-29T00:00:00Z\n"
        .to_owned()
}
