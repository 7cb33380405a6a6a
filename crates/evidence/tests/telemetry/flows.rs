//! Flows: exports, templates, options, and tables (ARES-013).

use gimbal_evidence::extract::{
    ExtractError, FlowReader, Format, IssueKind, MAX_PAYLOAD, ReadOptions, read_argus, read_flow_datagram, read_nfdump,
    read_zeek, read_zeek_json,
};
use gimbal_evidence::{Class, NewFact};

use super::made::{FIELDS, V5, message, record, set, template, v5};
use super::{Facts, Found, line};

fn payloads(payloads: &[Vec<u8>]) -> Found {
    Found::of(|sink| {
        let mut flows = FlowReader::new(&ReadOptions::default(), sink);
        for payload in payloads {
            flows.payload(Some("192.0.2.1:2055".parse().unwrap()), payload)?;
        }
        flows.finish()
    })
}

const FLOW: V5 = V5 {
    source: [10, 0, 0, 7],
    target: [198, 51, 100, 9],
    target_port: 443,
    packets: 3,
    octets: u32::MAX,
    protocol: 6,
};

// covers: ARES-013
#[test]
fn records_of_version_5_have_addresses_times_and_counters() {
    let found = payloads(&[v5(1_700_000_000, &[FLOW, V5 { protocol: 1, ..FLOW }])]);
    assert_eq!(line(&found.facts[0]), "flow | tcp flow | address:10.0.0.7 | address:198.51.100.9");
    assert_eq!(line(&found.facts[1]), "flow | icmp flow | address:10.0.0.7 | address:198.51.100.9");
    let fact = &found.facts[0];
    assert_eq!(fact.locator.as_ref().unwrap().at, "datagram 1 record 1");
    let time = fact.time.as_ref().unwrap();
    assert_eq!((time.found.as_str(), time.utc.to_string().as_str()), ("uptime 10000", "2023-11-14T22:11:50.000000Z"));
    let of = |name: &str| fact.attributes[name].as_str();
    assert_eq!(
        (of("octetDeltaCount"), of("destinationTransportPort"), of("direction")),
        ("4294967295", "443", "outbound")
    );
    assert_eq!((of("end"), of("exporter")), ("2023-11-14T22:12:00.000000Z", "192.0.2.1:2055"));
}

// covers: ARES-013
#[test]
fn a_template_that_comes_late_is_waited_for() {
    for version in [9, 10] {
        let ids = if version == 9 { (0, 1) } else { (2, 3) };
        let data = set(
            256,
            &[record([10, 0, 0, 8], 22, u64::MAX, 1_700_000_000_000), record([10, 0, 0, 9], 22, 5, 1_700_000_000_500)]
                .concat(),
        );
        let late = [
            message(version, 1_700_000_000, 1, std::slice::from_ref(&data)),
            message(version, 1_700_000_000, 2, &[set(ids.0, &template(256, &[(8, 4)]))]),
            message(version, 1_700_000_000, 1, &[set(ids.0, &template(256, &FIELDS))]),
        ];
        let found = payloads(&late);
        assert_eq!(found.stats.damaged, 0);
        let places: Vec<&str> = found.facts.iter().map(|fact| fact.locator.as_ref().unwrap().at.as_str()).collect();
        assert_eq!(places, ["datagram 1 set 1 record 1", "datagram 1 set 1 record 2"]);
        // A counter beyond the integers of JSON keeps its digits.
        assert_eq!(found.facts[0].attributes["octetDeltaCount"], "18446744073709551615");
        assert_eq!(found.facts[1].time.as_ref().unwrap().utc.to_string(), "2023-11-14T22:13:20.500000Z");
        let never = payloads(&late[..2]);
        assert_eq!(line(never.only()), "damaged | no_template | - | -");
        assert_eq!(never.stats.issues[0].kind, IssueKind::NoTemplate);
    }
}

#[test]
fn exporters_and_domains_keep_their_templates_apart() {
    let learn = |domain| message(10, 1, domain, &[set(2, &template(256, &FIELDS))]);
    let data = message(10, 1, 1, &[set(256, &record([10, 0, 0, 8], 22, 1, 1))]);
    let read = |from: &str, domain| {
        Found::of(|sink| {
            let mut flows = FlowReader::new(&ReadOptions::default(), sink);
            flows.payload(Some(from.parse().unwrap()), &learn(domain))?;
            flows.payload(Some("192.0.2.1:2055".parse().unwrap()), &data)?;
            flows.finish()
        })
    };
    assert_eq!(read("192.0.2.1:2055", 1).only().class, Class::Flow);
    assert_eq!(read("192.0.2.1:2055", 2).only().class, Class::Damaged);
    assert_eq!(read("192.0.2.9:2055", 1).only().class, Class::Damaged);
}

// covers: ARES-013
#[test]
fn options_speak_of_the_exporter_and_lengths_may_vary() {
    let mut options = 257_u16.to_be_bytes().to_vec();
    options.extend_from_slice(&[0, 4, 0, 4, 0, 1, 0, 4, 0, 34, 0, 4]);
    let sampled = payloads(&[message(9, 1_700_000_000, 0, &[set(1, &options), set(257, &[0, 0, 0, 7, 0, 0, 0, 100])])]);
    let fact = sampled.only();
    assert_eq!(line(fact), "message | exporter options | address:192.0.2.1 | -");
    assert_eq!((fact.attributes["scope.system"].as_str(), fact.attributes["samplingInterval"].as_str()), ("7", "100"));
    let fields = template(300, &[(8, 4), (12, 4), (82, u16::MAX), (0x8000 | 12, 2)]);
    let fields = [fields, 4242_u32.to_be_bytes().to_vec()].concat();
    let mut long = vec![10, 0, 0, 1, 10, 0, 0, 2, 255, 1, 44];
    long.extend(std::iter::repeat_n(b'x', 300));
    long.extend_from_slice(&[0xab, 0xcd]);
    let body = [vec![10, 0, 0, 3, 10, 0, 0, 4, 3, b'e', b't', b'h', 0, 1], long].concat();
    let found = payloads(&[message(10, 1_700_000_000, 0, &[set(2, &fields), set(300, &body)])]);
    let names: Vec<usize> = found.facts.iter().map(|fact| fact.attributes["interfaceName"].len()).collect();
    assert_eq!(names, [3, 300]);
    assert_eq!(found.facts[1].attributes["element 4242.12"], "abcd");
}

#[test]
fn damage_is_named_and_what_came_before_it_is_kept() {
    let whole = v5(1_700_000_000, &[FLOW, FLOW]);
    let cut = payloads(&[whole[..whole.len() - 1].to_vec()]);
    assert_eq!(cut.facts.iter().map(|fact| fact.class).collect::<Vec<_>>(), [Class::Flow, Class::Damaged]);
    assert_eq!(cut.stats.issues[0].kind, IssueKind::Truncated);
    let lying = message(10, 1, 0, &[set(2, &template(256, &FIELDS)), vec![1, 0, 0xff, 0xff]]);
    assert_eq!(payloads(&[lying]).stats.issues[0].kind, IssueKind::Truncated);
    let empty = message(10, 1, 0, &[set(2, &template(256, &[(8, 0)])), set(256, &[1, 2, 3, 4])]);
    assert_eq!(payloads(&[empty]).stats.issues[0].kind, IssueKind::Malformed);
    let unknown = payloads(&[vec![0, 8, 0, 1]]);
    assert!(unknown.stats.issues[0].what.contains("expected 5, 7, 9 or 10"));
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    let stopped = read_flow_datagram(&[0_u8, 5][..], &strict, &mut Facts::default()).unwrap_err();
    assert!(matches!(&stopped, ExtractError::Record(issue) if issue.kind == IssueKind::Truncated), "{stopped}");
}

fn file(bytes: &[u8]) -> Found {
    Found::of(|sink| read_flow_datagram(bytes, &ReadOptions::default(), sink))
}

// covers: ARES-013
#[test]
fn all_datagrams_of_a_file_are_read() {
    let fives = v5(1_700_000_000, &[FLOW; 30]).repeat(60);
    assert!(fives.len() > MAX_PAYLOAD);
    let found = file(&fives);
    assert_eq!((found.stats.parsed, found.stats.damaged), (1_800, 0));
    assert_eq!(found.facts[1_799].locator.as_ref().unwrap().at, "datagram 60 record 30");
    // The template is in the first message only.
    let flow = record([192, 0, 2, 9], 443, 9, 1_700_000_000_000);
    for (version, of_template) in [(9, 0), (10, 2)] {
        let data = message(version, 1, 0, &[set(256, &flow)]);
        let bytes = [message(version, 1, 0, &[set(of_template, &template(256, &FIELDS))]), data.repeat(2_500)].concat();
        assert!(bytes.len() > 2 * MAX_PAYLOAD);
        let found = file(&bytes);
        assert_eq!((found.stats.parsed, found.stats.damaged), (2_500, 0), "version {version}");
    }
    let mixed = [v5(1, &[FLOW]), message(9, 1, 0, &[set(0, &template(256, &FIELDS)), set(256, &flow)]), v5(2, &[FLOW])];
    assert_eq!((file(&mixed.concat()).stats.parsed, file(&mixed.concat()).stats.damaged), (3, 0));
    // One payload of a capture may hold several, too.
    assert_eq!(payloads(&[mixed.concat()]).stats.parsed, 3);
}

#[test]
fn what_is_behind_a_datagram_and_is_none_is_damaged() {
    let whole = v5(1_700_000_000, &[FLOW, FLOW]);
    for (behind, damaged) in
        [(&b""[..], 0), (&[0, 0], 0), (&[0, 0, 0, 0], 1), (&[7], 1), (b"\0\x05\0\x1e", 1), (b"text", 1)]
    {
        for found in [file(&[&whole, behind].concat()), payloads(&[[&whole, behind].concat()])] {
            assert_eq!((found.stats.parsed, found.stats.damaged), (2, damaged), "{behind:?}");
        }
    }
    // Where the next one would begin is not known: one record says that nothing more is read.
    let lost = file(&[whole, vec![0xff; 3 * MAX_PAYLOAD]].concat());
    assert_eq!((lost.stats.parsed, lost.stats.damaged), (2, 2));
    assert!(lost.stats.issues[1].what.contains("nothing behind it is read"));
    let zeros = file(&vec![0; MAX_PAYLOAD + 1]);
    assert_eq!((zeros.stats.parsed, zeros.stats.damaged), (0, 2));
}

/// A template may say any length. No record is then made up: what is there is too short, or the set is damaged, and the next set is read.
#[test]
fn a_template_that_lies_about_lengths_gives_no_record_that_is_not_there() {
    let honest = [set(2, &template(257, &FIELDS)), set(257, &record([192, 0, 2, 9], 443, 9, 1_700_000_000_000))];
    for (fields, padding) in [
        // Far longer than any set.
        (vec![(8, 65_000), (12, 65_000)], 40),
        // A little longer than the record that follows.
        (vec![(8, 4), (12, 4), (2, 8), (1, 200)], 32),
        // A variable length that points beyond the end.
        (vec![(8, 4), (82, u16::MAX)], 0),
    ] {
        let mut body = vec![0xff; 20 + padding];
        body[4] = 0xfe;
        let sets = [vec![set(2, &template(256, &fields)), set(256, &body)], honest.to_vec()].concat();
        let found = payloads(&[message(10, 1, 0, &sets)]);
        let flows: Vec<_> = found.facts.iter().filter(|fact| fact.class == Class::Flow).collect();
        assert_eq!(flows.len(), 1, "{fields:?}: {:?}", found.stats.issues);
        assert_eq!(flows[0].object.as_ref().unwrap().to_string(), "address:192.0.2.9", "{fields:?}");
    }
}

#[test]
fn sets_that_wait_are_bounded() {
    let mut datagrams = Vec::new();
    for id in 256..3_000 {
        datagrams.push(message(10, 1, 0, &[set(id, &[0; 16])]));
    }
    let found = payloads(&datagrams);
    assert_eq!(found.facts.len(), 2_744);
    assert_eq!(found.stats.issues.len(), 100);
    // The oldest are given up first.
    assert_eq!(found.facts[0].locator.as_ref().unwrap().at, "datagram 1 set 1");
}

#[test]
fn templates_are_bounded() {
    let fields: Vec<(u16, u16)> = vec![(1, 1); 15_000];
    let datagrams: Vec<Vec<u8>> =
        (0..80).map(|domain| message(10, 1, domain, &[set(2, &template(256, &fields))])).collect();
    let found = payloads(&datagrams);
    assert_eq!(found.stats.dropped, 80);
    assert!((5..20).contains(&found.facts.len()), "{}", found.facts.len());
    assert!(found.facts.iter().all(|fact| fact.action == "too_large"));
    // A domain that sends its template again takes no more room.
    assert_eq!(payloads(&vec![datagrams[0].clone(); 200]).facts.len(), 0);
}

#[test]
fn counts_agree_with_those_of_another_reader() {
    let ids = [(9_u16, 0_u16), (10, 2)];
    for (version, learn) in ids {
        let records: Vec<u8> =
            (0..20).flat_map(|port| record([10, 0, 0, 8], port, u64::from(port), 1_700_000_000_000)).collect();
        let payload = message(version, 1_700_000_000, 1, &[set(learn, &template(256, &FIELDS)), set(256, &records)]);
        let ours = payloads(std::slice::from_ref(&payload));
        let mut other = netflow_parser::NetflowParser::default();
        let parsed = other.parse_bytes(&payload);
        assert!(parsed.is_ok());
        let text = format!("{:?}", parsed.packets);
        let theirs = text.matches("Ip4Addr(10.0.0.8)").count();
        assert_eq!(ours.facts.len(), theirs, "version {version}");
    }
}

fn only(found: &Found) -> &NewFact {
    assert_eq!(found.stats.damaged, 0);
    found.only()
}

// covers: ARES-013
#[test]
fn tables_of_flows_are_read_by_head_or_by_position() {
    let options = ReadOptions::default();
    let read = |text: &str| Found::of(|sink| read_nfdump(text.as_bytes(), &options, sink));
    let by_head = "Start_Time,End Time,Duration,Src IP,Dst IP,Src Port,dport,Proto,Packets,Bytes,Flags,ToS\n";
    let row = "2026-03-28T09:00:00Z,2026-03-28T09:00:05Z,5.0,10.0.0.1,203.0.113.5,50000,443,TCP,12,18446744073709551615,.AP.SF,0\n";
    for text in [format!("{by_head}{row}"), row.to_owned()] {
        assert_eq!(Format::detect(text.as_bytes()), Some(Format::Nfdump));
        let found = read(&text);
        let fact = only(&found);
        assert_eq!(line(fact), "flow | tcp flow | address:10.0.0.1 | address:203.0.113.5");
        assert_eq!(fact.attributes["direction"], "outbound");
        assert_eq!(fact.attributes["ended"], "2026-03-28T09:00:05.000000Z");
        assert!(fact.attributes.values().any(|value| value == "18446744073709551615"));
    }
    let nfdump = concat!(
        "ts,te,td,sa,da,sp,dp,pr,flg,ipkt,ibyt\n",
        "2026-03-28 09:00:00,2026-03-28 09:00:05,5.000,203.0.113.5,10.0.0.1,50000,443,UDP,......,12,3456\n",
        "Summary\n",
        "flows,bytes,packets\n",
        "1,3456,12\n",
    );
    let found = read(nfdump);
    assert_eq!(only(&found).attributes["direction"], "inbound");
    assert_eq!(found.stats.dropped, 4);
    let wrong = read_nfdump("a,b\n1,2\n".as_bytes(), &options, &mut Facts::default()).unwrap_err();
    assert!(matches!(wrong, ExtractError::Format { format: Format::Nfdump, .. }), "{wrong}");
}

// covers: ARES-013
#[test]
fn tables_that_nfdump_prints_for_people_are_read() {
    let text = "Date first seen          Duration Proto      Src IP Addr:Port          Dst IP Addr:Port   Packets    Bytes Flows\n\
                2026-03-10 08:00:00.500     0.100 TCP      10.0.0.23:40000 ->   203.0.113.5:443      4.0 M    4.9 G     1\n\
                2026-03-10 08:00:01.500     0.100 TCP      10.0.0.23 443\n\
                Summary: total flows: 2, total bytes: 4.9 G\n\
                Time window: 2026-03-10 08:00:00 - 2026-03-10 08:00:01\n";
    let found = Found::of(|sink| read_nfdump(text.as_bytes(), &ReadOptions::default(), sink));
    let fact = &found.facts[0];
    assert_eq!(line(fact), "flow | tcp flow | address:10.0.0.23 | address:203.0.113.5");
    let of = |name: &str| fact.attributes[name].as_str();
    assert_eq!((of("Dst Pt"), of("Bytes"), of("direction")), ("443", "4.9 G", "outbound"));
    assert_eq!(fact.time.as_ref().unwrap().utc.to_string(), "2026-03-10T08:00:00.500000Z");
    assert_eq!((found.facts[1].class, found.stats.damaged), (Class::Damaged, 1));
}

// covers: ARES-013
#[test]
fn labels_of_tables_are_no_facts() {
    let options = ReadOptions::default();
    let zeek = concat!(
        "#separator \\x09\n#unset_field\t-\n#path\tconn\n",
        "#fields\tts\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tservice\tlabel\tdetailedlabel\n",
        "1677024003.714845\t192.168.1.107\t65164\t66.63.168.35\t5888\ttcp\t-\tMalicious\tRat\n",
        "short\trow\n",
    );
    let found = Found::of(|sink| read_zeek(zeek.as_bytes(), &options, sink));
    let keys: Vec<&str> = found.facts[0].attributes.keys().map(String::as_str).collect();
    assert_eq!(keys, ["direction", "id.orig_h", "id.orig_p", "id.resp_h", "id.resp_p", "proto", "ts"]);
    assert_eq!((found.facts[1].class, found.stats.damaged), (Class::Damaged, 1));
    let json =
        r#"{"ts":1588205199.82437,"id.orig_h":"10.0.1.6","id.resp_h":"10.0.0.4","proto":"udp","label":"Benign"}"#;
    let found = Found::of(|sink| read_zeek_json(json.as_bytes(), &options, sink));
    assert_eq!(only(&found).time.as_ref().unwrap().utc.to_string(), "2020-04-30T00:06:39.824370Z");
    assert!(!only(&found).attributes.contains_key("label"));
    let argus = concat!(
        "StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr,Dport,State,sTos,dTos,TotPkts,TotBytes,SrcBytes,SrcPkts,Label\n",
        "2018/12/18 14:00:00.075359,0.0,tcp,216.73.23.146,52691,   ->,147.32.81.57,445,S_,0,0,1,70,70,1,flow=Botnet\n",
    );
    let found = Found::of(|sink| read_argus(argus.as_bytes(), &options, sink));
    assert_eq!(line(only(&found)), "flow | tcp flow | address:216.73.23.146 | address:147.32.81.57");
    assert!(!only(&found).attributes.contains_key("Label"));
    let dns = "#separator \\x09\n#path\tdns\n";
    let refused = read_zeek(dns.as_bytes(), &options, &mut Facts::default()).unwrap_err();
    assert!(refused.to_string().contains("`dns`"), "{refused}");
}
