//! Observations and tables, as the original prints them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use common::python;
use gimbal_cage2::draws::{Fast, Mersenne};
use gimbal_cage2::recording::{Json, Lines, Recorded, node_from_json};
use gimbal_cage2::{Action, Green, Names, Options, Red, Simulator};

/// Two observations as Python printed them from the original simulator.
const PRINTED: [(&str, &str); 2] = [
    (
        "{'success': <TrinaryEnum.UNKNOWN: 2>, 'User4': {'Processes': [{'Connections': [{'local_port': 25, 'remote_port': 49270, 'local_address': IPv4Address('10.0.132.17'), 'remote_address': IPv4Address('10.0.132.26')}]}, {'PID': 7085, 'Connections': [{'local_port': 50413, 'remote_port': 4444, 'local_address': IPv4Address('10.0.132.17'), 'remote_address': IPv4Address('10.0.132.26')}]}], 'Interface': [{'IP Address': IPv4Address('10.0.132.17')}], 'System info': {'Hostname': 'User4', 'OSType': <OperatingSystemType.LINUX: 3>, 'OSDistribution': <OperatingSystemDistribution.UBUNTU: 8>, 'OSVersion': <OperatingSystemVersion.U18_04_3: 6>, 'Architecture': <Architecture.x64: 2>}}}",
        r#"{"success":"UNKNOWN","User4":{"Processes":[{"Connections":[{"local_port":25,"remote_port":49270,"local_address":"10.0.132.17","remote_address":"10.0.132.26"}]},{"PID":7085,"Connections":[{"local_port":50413,"remote_port":4444,"local_address":"10.0.132.17","remote_address":"10.0.132.26"}]}],"Interface":[{"IP Address":"10.0.132.17"}],"System info":{"Hostname":"User4","OSType":"LINUX","OSDistribution":"UBUNTU","OSVersion":"U18_04_3","Architecture":"x64"}}}"#,
    ),
    (
        "{'success': <TrinaryEnum.TRUE: 1>, 'User4': {'Files': [{'Path': '/tmp/', 'Known Path': <Path.TEMP: 5>, 'File Name': 'cmd.sh', 'Known File': <FileType.UNKNOWN: 1>, 'Density': 0.9, 'Signed': False}]}}",
        r#"{"success":"TRUE","User4":{"Files":[{"Path":"/tmp/","Known Path":"TEMP","File Name":"cmd.sh","Known File":"UNKNOWN","Density":0.9,"Signed":false}]}}"#,
    ),
];

#[test]
fn printed_observations_are_equal_byte_for_byte() {
    for (text, json) in PRINTED {
        let node = node_from_json(&Json::parse(json).unwrap());
        assert_eq!(node.to_python(), text);
        assert_eq!(node.to_json(), json);
        assert_eq!(python::read(text).unwrap(), node);
    }
}

/// One form of an observation in all others: typed, JSON, text, and back.
fn forms_agree<D>(simulator: &Simulator<D>)
where
    D: gimbal_cage2::draws::Draws,
{
    let names = Names::original();
    let node = simulator.observation(&names);
    let (mut text, mut json) = (Vec::new(), Vec::new());
    simulator.write_observation(&names, &mut text);
    simulator.write_observation_json(&names, &mut json);
    let (text, json) = (String::from_utf8(text).unwrap(), String::from_utf8(json).unwrap());
    assert_eq!(node.to_python(), text);
    assert_eq!(node.to_json(), json);
    assert_eq!(python::read(&text).unwrap(), node);
    assert_eq!(node_from_json(&Json::parse(&json).unwrap()), node);
    let red = simulator.red_observation(&names);
    let mut json = Vec::new();
    simulator.write_red_observation_json(&names, &mut json);
    assert_eq!(red.to_json().as_bytes(), json);
    assert_eq!(node_from_json(&Json::parse(&red.to_json()).unwrap()), red);
}

#[test]
fn all_forms_of_an_observation_agree() {
    let mut choice = Fast::new(3);
    for red in [Red::BLine, Red::Meander] {
        let options = Options { red, green: Green::Scan, horizon: 60 };
        let mut simulator = Simulator::new(options, Fast::new(0));
        for seed in 0..40 {
            simulator.reset(seed);
            forms_agree(&simulator);
            while !simulator.done() {
                simulator.step(Action::from_index(choice.below(146) as usize));
                forms_agree(&simulator);
            }
        }
    }
}

#[test]
fn recorded_observations_print_parse_back_and_equal_their_json() {
    let Some(files) = common::traces() else { return };
    let mut count = 0;
    for file in files {
        let mut lines = Lines::open(&file).unwrap();
        while let Some(line) = lines.next_line().unwrap() {
            if line.kind == Recorded::End {
                continue;
            }
            let raw = line.raw("blue_obs").unwrap();
            let node = node_from_json(&Json::parse(raw).unwrap());
            assert_eq!(node.to_json(), raw);
            assert_eq!(python::read(&node.to_python()).unwrap(), node);
            count += 1;
        }
    }
    println!("{count} observations");
    assert!(count >= 57_750 + 946);
}

#[test]
fn the_table_is_printed_as_prettytable_prints_it() {
    let fixture = Json::parse(include_str!("fixtures/table.json")).unwrap();
    let seed = u64::try_from(fixture.get("seed").unwrap().as_whole().unwrap()).unwrap();
    let options = Options { red: Red::Meander, ..Options::default() };
    let mut simulator = Simulator::new(options, Mersenne::new(0));
    simulator.reset(seed);
    for index in fixture.get("actions").unwrap().as_list().unwrap() {
        let index = usize::try_from(index.as_whole().unwrap()).unwrap();
        simulator.step(Action::from_index(index));
    }
    let vector: String = simulator.vector_bits().iter().map(u8::to_string).collect();
    assert_eq!(Some(vector.as_str()), fixture.get("vector").unwrap().as_text());
    let mut table = String::new();
    simulator.write_table(&Names::original(), &mut table);
    assert_eq!(table, fixture.get("table").unwrap().as_text().unwrap());
    for row in simulator.table() {
        assert!(table.contains(&row.address.to_string()));
    }
}

#[test]
fn at_reset_the_vector_is_0_and_all_hosts_are_listed() {
    let mut simulator = Simulator::new(Options::default(), Fast::new(0));
    simulator.reset(5);
    assert_eq!(simulator.vector(), 0);
    let node = simulator.observation(&Names::original());
    assert_eq!(node.entries().count(), 14);
    assert_eq!(simulator.reward_tenths(), 0);
}
