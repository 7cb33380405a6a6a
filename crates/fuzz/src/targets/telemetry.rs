//! Telemetry: syslog, audit records, flows, and context.

use gimbal_evidence::extract::{
    FlowReader, Observed, ReadOptions, read_argus, read_auditd, read_context, read_flow_capture, read_flow_datagram,
    read_nfdump, read_syslog, read_syslog_json, read_zeek, read_zeek_json,
};

use super::owned;

const OPTIONS: ReadOptions = ReadOptions { strict: false, year: Some(2026), zone_minutes: None };

/// Asks each record for its place and time.
fn look(observed: &Observed<'_>) {
    assert!(!observed.action.is_empty() && observed.action.len() <= 128);
    assert!(!observed.details.place().is_empty());
    let _ = observed.details.time_found();
}

pub fn syslogs() -> Vec<Vec<u8>> {
    owned(&[
        "Mar 28 09:00:01 web01 sshd[5]: Failed password for invalid user a from 1.2.3.4 port 5 ssh2\n",
        "Mar 28 09:00:01 web01 sshd[5]: message repeated 5 times: [ Failed password for a from 1.2.3.4 port 5 ssh2]\rMar 28 09:00:01 web01 a: b\n",
        "\0\0Mar 28 09:00:01 web01 dovecot: imap-login: Login: user=<a>, method=PLAIN, rip=1.2.3.4, lip=1.2.3.5\n",
        "Mar 28 09:00:01 web01 dropbear[5]: Bad password attempt for 'a' from 1.2.3.4:5\n",
        "{\"Id\":4776,\"ProviderName\":\"Microsoft-Windows-Security-Auditing\",\"Properties\":[{\"Value\":\"a\"},{\"Value\":1},{\"Value\":{}},{}]}\n",
        "{\"EventId\":4625,\"Channel\":\"Security\",\"Payload\":\"{\\\"EventData\\\":{\\\"Data\\\":[{\\\"@Name\\\":\\\"a\\\"}]}}\"}\n",
        "<165>1 2003-10-11T22:14:15.003Z h a 8 ID47 [e@1 x=\"1\\\"011\"][b] An event\n",
        "Mar 28 09:00:01 web01 sudo: bob : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/ls\n",
        "Mar 28 09:00:01 web01 kernel: x IN=a OUT= SRC=1.2.3.4 DST=1.2.3.5 PROTO=TCP DPT=5\n",
        "{\"SyslogMessage\":\"type=AUOMS_EXECVE audit(1.2:3): syscall=execve exe=/x\",\"ProcessName\":\"auoms\"}\n",
        "{\"_COMM\":\"sshd\",\"MESSAGE\":[70,97],\"__REALTIME_TIMESTAMP\":\"1774688401000000\",\"host\":{\"name\":\"a\"}}\n",
        "{\"message\":\"Mar 28 09:00:01 web01 su[5]: x\",\"@timestamp\":\"2026-03-28T09:00:05Z\"}\n",
        "<14>Mar 28 09:00:01 relay winlogbeat[5]: {\"winlog\":{\"event_id\":4625,\"channel\":\"Security\",\"event_data\":{\"a\":1}}}\n",
        "Mar 28 09:00:01 web01 app: @cee: {\"msg\":\"x\",\"time\":1774688401,\"in\":{\"a\":[1]}}\n",
        "<14>1 - relay a - - - {\"agent\":{\"type\":\"b\"},\"message\":\"Mar 28 09:00:01 web01 su[5]: {\\\"EventID\\\":1}\"}\n",
        "{\"winlog\":{\"event_id\":4625,\"channel\":\"Security\",\"event_data\":{\"IpAddress\":\"1.2.3.4\"}},\"time\":\"1.5\"}\n",
    ])
}

pub fn syslog(bytes: &[u8]) {
    let _ = read_syslog(bytes, &OPTIONS, &mut look);
    let _ = read_syslog_json(bytes, &OPTIONS, &mut look);
}

pub fn audits() -> Vec<Vec<u8>> {
    owned(&[
        "type=SYSCALL msg=audit(1.2:3): arch=c000003e syscall=59 success=yes pid=7 uid=0 exe=\"/bin/sh\" key=(null)\n",
        "type=EXECVE msg=audit(1.2:3): argc=2 a0=\"sh\" a1[0]=6C73 a1[1]=6C73\ntype=EOE msg=audit(1.2:3): \n",
        "type=USER_LOGIN msg=audit(1.2:3): pid=1 msg='op=login acct=\"root\" addr=192.0.2.7 res=failed'\n",
        "type=SOCKADDR msg=audit(1.2:3): saddr=02000050C0000207000000000000000000\n",
    ])
}

pub fn audit(bytes: &[u8]) {
    let _ = read_auditd(bytes, &OPTIONS, &mut look);
}

/// A template with one record, as version 9 and as IPFIX, and a record of version 5.
pub fn exports() -> Vec<Vec<u8>> {
    let template = [1, 0, 0, 3, 0, 8, 0, 4, 0, 12, 0, 4, 0, 82, 0xff, 0xff];
    let record = [10, 0, 0, 1, 10, 0, 0, 2, 3, b'e', b't', b'h'];
    let sets = |id: u8| [&[0, id, 0, 20][..], &template[..], &[1, 0, 0, 16][..], &record[..]].concat();
    let version_9 = [&[0, 9, 0, 2][..], &[0; 16][..], &sets(0)[..]].concat();
    let ipfix = [&[0, 10, 0, 52][..], &[0; 12][..], &sets(2)[..]].concat();
    let version_5 = [&[0, 5, 0, 1][..], &[0; 20][..], &[7; 48][..]].concat();
    vec![version_9, ipfix, version_5]
}

pub fn export(bytes: &[u8]) {
    let mut sink = look;
    let mut flows = FlowReader::new(&OPTIONS, &mut sink);
    // The second time, templates of the first are known.
    for _ in 0..2 {
        let _ = flows.payload(None, bytes);
    }
    let _ = flows.finish();
    // As a file that holds it, a second one, and half of a third.
    let _ = read_flow_datagram(&[bytes, bytes, &bytes[..bytes.len() / 2]].concat()[..], &OPTIONS, &mut look);
}

pub fn captures() -> Vec<Vec<u8>> {
    let head = [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 101, 0, 0, 0];
    let captures = exports().into_iter().map(|payload| {
        let length = u8::try_from(payload.len()).unwrap_or(u8::MAX);
        let packet = [
            &[
                0x45,
                0,
                0,
                28 + length,
                0,
                1,
                0,
                0,
                64,
                17,
                0,
                0,
                10,
                0,
                0,
                9,
                10,
                0,
                0,
                8,
                1,
                2,
                8,
                7,
                0,
                8 + length,
                0,
                0,
            ][..],
            &payload[..],
        ]
        .concat();
        [&head[..], &[0; 8][..], &[28 + length, 0, 0, 0, 28 + length, 0, 0, 0][..], &packet[..]].concat()
    });
    captures.collect()
}

pub fn capture(bytes: &[u8]) {
    let _ = read_flow_capture(bytes, &OPTIONS, &mut look);
}

pub fn tables() -> Vec<Vec<u8>> {
    owned(&[
        "#separator \\x09\n#fields\tts\tid.orig_h\tid.resp_h\tlabel\n1.5\t10.0.0.1\t10.0.0.2\tx\n",
        "{\"ts\":1.5,\"id.orig_h\":\"10.0.0.1\",\"id.resp_h\":\"10.0.0.2\"}\n",
        "StartTime,Dur,Proto,SrcAddr,DstAddr\n2018/12/18 14:00:00.5,0.1,tcp,10.0.0.1,::1\n",
        "2026-03-28T09:00:00Z,2026-03-28T09:00:05Z,5.0,10.0.0.1,203.0.113.5,1,443,TCP,12,34,.AP.SF,0\n",
    ])
}

pub fn table(bytes: &[u8]) {
    let _ = read_zeek(bytes, &OPTIONS, &mut look);
    let _ = read_zeek_json(bytes, &OPTIONS, &mut look);
    let _ = read_argus(bytes, &OPTIONS, &mut look);
    let _ = read_nfdump(bytes, &OPTIONS, &mut look);
}

pub fn contexts() -> Vec<Vec<u8>> {
    owned(&[
        "inventory:\n  - host: a\n    addresses: [10.0.0.1]\n",
        "change_windows:\n  - ticket: C\n    from: 2026-03-28T08:00:00Z\n    until: 2026-03-28T10:00:00Z\n    covers: [host:a]\n",
    ])
}

pub fn context(bytes: &[u8]) {
    let _ = read_context(bytes, &OPTIONS, &mut look);
}
