//! No input panics, loses a record, or breaks a bound.

use gimbal_evidence::extract::{
    ExtractError, FlowReader, Format, ReadOptions, Sink, Stats, read_argus, read_auditd, read_context,
    read_flow_capture, read_flow_datagram, read_nfdump, read_syslog, read_syslog_json, read_zeek, read_zeek_json,
};
use proptest::prelude::*;

use super::made::{FIELDS, V5, message, packet, pcap, pcapng, record, set, template, v5};
use super::{Facts, Found, in_year};

fn options() -> ReadOptions {
    in_year(2026)
}

/// Reads bytes in every format, and checks each fact against the bounds of packets.
fn read_all(bytes: &[u8]) {
    type Read = fn(&[u8], &ReadOptions, &mut dyn Sink) -> Result<Stats, ExtractError>;
    let readers: [Read; 9] = [
        |bytes, options, sink| read_syslog(bytes, options, sink),
        |bytes, options, sink| read_syslog_json(bytes, options, sink),
        |bytes, options, sink| read_auditd(bytes, options, sink),
        |bytes, options, sink| read_zeek(bytes, options, sink),
        |bytes, options, sink| read_zeek_json(bytes, options, sink),
        |bytes, options, sink| read_argus(bytes, options, sink),
        |bytes, options, sink| read_nfdump(bytes, options, sink),
        |bytes, options, sink| read_flow_capture(bytes, options, sink),
        |bytes, options, sink| read_flow_datagram(bytes, options, sink),
    ];
    for read in readers {
        let mut facts = Facts::default();
        match read(bytes, &options(), &mut facts) {
            Ok(stats) => drop(Found::of(|sink| {
                assert_eq!(read(bytes, &options(), sink).ok().as_ref(), Some(&stats));
                Ok(stats)
            })),
            Err(error) => assert!(matches!(error, ExtractError::Format { .. }), "{error}"),
        }
    }
    let _ = Format::detect(bytes);
    let _ = read_context(bytes, &options(), &mut Facts::default());
}

/// Good inputs of each format.
fn good() -> Vec<Vec<u8>> {
    let flow =
        V5 { source: [10, 0, 0, 7], target: [10, 0, 0, 8], target_port: 80, packets: 1, octets: 40, protocol: 17 };
    let export = |version: u16| {
        let learn = if version == 9 { 0 } else { 2 };
        let records = [record([10, 0, 0, 8], 22, 1, 1), record([10, 0, 0, 9], 22, 1, 1)].concat();
        message(version, 1, 0, &[set(learn, &template(256, &FIELDS)), set(256, &records)])
    };
    let packets = [packet([192, 0, 2, 1], 1, &export(9)), packet([192, 0, 2, 1], 1, &export(10))];
    let texts = [
        "Mar 28 09:00:01 web01 sshd[5]: Failed password for invalid user a from 1.2.3.4 port 5 ssh2\n",
        "<165>1 2003-10-11T22:14:15.003Z h a 8 ID47 [e@1 x=\"1\\\"011\"][b] An event\n",
        "Mar 28 09:00:01 web01 sudo: bob : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/ls\n",
        "Mar 28 09:00:01 web01 kernel: x IN=a OUT= SRC=1.2.3.4 DST=1.2.3.5 PROTO=TCP DPT=5\n",
        "type=EXECVE msg=audit(1.2:3): argc=2 a0=\"sh\" a1[0]=6C73 a1[1]=6C73\ntype=EOE msg=audit(1.2:3): \n",
        "type=USER_LOGIN msg=audit(1.2:3): pid=1 msg='op=login acct=\"root\" addr=192.0.2.7 res=failed'\n",
        "{\"SyslogMessage\":\"<Event><System><EventID>1</EventID></System><Data Name=\\\"Image\\\">/x</Data></Event>\"}\n",
        "{\"_COMM\":\"sshd\",\"MESSAGE\":[70,97],\"__REALTIME_TIMESTAMP\":\"1774688401000000\"}\n",
        "{\"host\":{\"name\":\"a\"},\"message\":\"Mar 28 09:00:01 web01 su[5]: x\",\"@timestamp\":\"2026-03-28T09:00:05Z\"}\n",
        "{\"winlog\":{\"event_id\":4625,\"channel\":\"Security\",\"event_data\":{\"IpAddress\":\"1.2.3.4\"}},\"time\":\"1.5\"}\n",
        "#fields\tts\tid.orig_h\tid.resp_h\n1.5\t10.0.0.1\t10.0.0.2\n",
        "{\"ts\":1.5,\"id.orig_h\":\"10.0.0.1\",\"id.resp_h\":\"10.0.0.2\"}\n",
        "StartTime,Dur,Proto,SrcAddr,DstAddr\n2018/12/18 14:00:00.5,0.1,tcp,10.0.0.1,::1\n",
        "inventory:\n  - host: a\n    addresses: [10.0.0.1]\n",
    ];
    let texts = texts.map(|text| text.as_bytes().to_vec());
    let binary = [v5(1, &[flow; 2]), export(9), export(10), pcap(&packets), pcapng(&packets)];
    texts.into_iter().chain(binary).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // covers: ARES-014
    #[test]
    fn random_bytes_are_read_by_every_reader(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read_all(&bytes);
    }

    // covers: ARES-014
    #[test]
    fn changed_inputs_are_read_by_every_reader(which in 0_usize..19, at in any::<prop::sample::Index>(), byte: u8, cut: bool) {
        let mut bytes = good()[which].clone();
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] = byte;
        }
        read_all(&bytes);
    }

    // covers: ARES-014
    #[test]
    fn payloads_in_any_order_and_state_are_read(payloads in proptest::collection::vec((14_usize..17, any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let good = good();
        drop(Found::of(|sink| {
            let mut flows = FlowReader::new(&ReadOptions::default(), sink);
            for (which, at, byte) in &payloads {
                let mut bytes = good[*which].clone();
                let at = at.index(bytes.len());
                bytes[at] = *byte;
                flows.payload(None, &bytes)?;
            }
            flows.finish()
        }));
    }
}

#[test]
fn empty_sources_and_long_lines_are_bounded() {
    assert_eq!(Found::of(|sink| read_syslog(&b""[..], &options(), sink)).stats, Stats::default());
    let mut text = vec![b'x'; 3 << 20];
    text.extend_from_slice(b"\nMar 28 09:00:01 web01 x: after\n");
    let found = Found::of(|sink| read_syslog(&text[..], &options(), sink));
    assert_eq!((found.facts[0].action.as_str(), found.stats.damaged, found.stats.parsed), ("too_large", 1, 1));
    let bytes = b"Mar 28 09:00:01 web01 x: caf\xe9\n";
    assert_eq!(Found::of(|sink| read_syslog(&bytes[..], &options(), sink)).only().attributes["message"], "caf\u{fffd}");
}
