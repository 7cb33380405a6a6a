//! The scenario's course and its quirks, shown in our own play. None is repaired, in any mode.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use gimbal_cage2::action::parse;
use gimbal_cage2::draws::{Draws, Fast, Mersenne};
use gimbal_cage2::facts::{HOSTS, Host, SUBNETS, Subnet};
use gimbal_cage2::recording::Json;
use gimbal_cage2::{Action, Compromised, Green, Names, Options, Red, Simulator, Trinary};

type Play = Simulator<Box<dyn Draws>>;

fn environments(red: Red, horizon: u32) -> [Play; 2] {
    let options = Options { red, green: Green::Sleep, horizon };
    [
        Simulator::new(options, Box::new(Fast::new(0)) as Box<dyn Draws>),
        Simulator::new(options, Box::new(Mersenne::new(0)) as Box<dyn Draws>),
    ]
}

fn act(environment: &mut Play, text: &str) -> i32 {
    environment.step(parse(text, &Names::original()).unwrap())
}

fn red_action(environment: &Play) -> (String, String) {
    let mut out = Vec::new();
    environment.inspect().red_action(&mut out);
    let action = Json::parse(std::str::from_utf8(&out).unwrap()).unwrap();
    let parts = action.as_list().unwrap();
    let exploit = parts[1].get("sub_action").and_then(Json::as_text).unwrap_or_default();
    (parts[0].as_text().unwrap().to_owned(), exploit.to_owned())
}

fn truth(environment: &Play) -> String {
    let mut out = Vec::new();
    environment.inspect().truth(&mut out);
    String::from_utf8(out).unwrap()
}

/// Sleeps until red holds a host, at any level.
fn until_held(environment: &mut Play, host: Host) -> bool {
    while !environment.done() {
        environment.step(Action::SLEEP);
        if environment.red_holds(host).0 {
            return true;
        }
    }
    false
}

// covers: BOG-007, BOG-001
#[test]
fn the_network_is_three_subnets_and_one_crown() {
    let count = |subnet: Subnet| HOSTS.iter().filter(|host| host.subnet() == subnet).count();
    assert_eq!(SUBNETS.map(count), [4, 4, 5]);
    assert_eq!(Host::Defender.subnet(), Subnet::Enterprise);
    let worth = HOSTS.map(gimbal_cage2::facts::confidentiality_tenths);
    assert_eq!(worth, [1, 10, 10, 10, 1, 1, 1, 10, 0, 1, 1, 1, 1]);
}

// covers: BOG-004, BOG-005, BOG-R16
#[test]
fn undisturbed_the_attack_goes_stage_by_stage_to_its_impact() {
    for mut environment in environments(Red::BLine, 30) {
        let mut straight = 0;
        for seed in 0..200 {
            environment.reset(seed);
            let mut stages = Vec::new();
            let mut failed = false;
            while !environment.done() {
                environment.step(Action::SLEEP);
                failed |= environment.red_success() != Trinary::True;
                stages.push(red_action(&environment).0);
            }
            if !failed {
                straight += 1;
                let expected = [
                    "DiscoverRemoteSystems",
                    "DiscoverNetworkServices",
                    "ExploitRemoteService",
                    "PrivilegeEscalate",
                    "DiscoverNetworkServices",
                    "ExploitRemoteService",
                    "PrivilegeEscalate",
                    "DiscoverRemoteSystems",
                    "DiscoverNetworkServices",
                    "ExploitRemoteService",
                    "PrivilegeEscalate",
                    "DiscoverNetworkServices",
                    "ExploitRemoteService",
                    "PrivilegeEscalate",
                    "Impact",
                ];
                assert_eq!(stages[..15], expected);
                assert!(stages[15..].iter().all(|stage| stage == "Impact"));
            }
        }
        assert!(straight > 100, "{straight}");
    }
}

/// Addresses, identities, the exploits that are tried and how far the attack gets differ from seed to seed.
// covers: BOG-006
#[test]
fn seeds_vary_what_is_seen_at_first_and_how_the_attack_goes() {
    for mut environment in environments(Red::BLine, 30) {
        let (mut first, mut attacks) = (Vec::new(), Vec::new());
        for seed in 0..40 {
            environment.reset(seed);
            first.push(environment.observation(&Names::original()).to_json());
            let mut attack = Vec::new();
            while !environment.done() {
                environment.step(Action::SLEEP);
                attack.push(red_action(&environment));
            }
            attacks.push(attack);
        }
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 40, "hosts and processes");
        attacks.sort_unstable();
        attacks.dedup();
        assert!(attacks.len() > 10, "{}", attacks.len());
    }
}

// covers: BOG-008
#[test]
fn the_service_can_be_stopped_once_only() {
    for mut environment in environments(Red::BLine, 100) {
        environment.reset(3);
        let mut stopped = false;
        while !environment.done() {
            let reward = if stopped { act(&mut environment, "Sleep") } else { environment.step(Action::SLEEP) };
            if reward <= -100 {
                stopped = true;
                // Blue acts first: the step of the restore is already free of the ten.
                assert!(act(&mut environment, "Restore Op_Server0") > -100);
                break;
            }
        }
        assert!(stopped);
        let mut impacts = 0;
        while !environment.done() {
            let reward = act(&mut environment, "Sleep");
            assert!(reward > -100);
            impacts += u32::from(red_action(&environment).0 == "Impact" && environment.red_success() == Trinary::True);
        }
        assert!(impacts > 10);
        assert!(truth(&environment).contains("\"ot\":[true,false,null]"));
    }
}

// covers: BOG-009
#[test]
fn remove_always_says_true_and_never_touches_ssh_or_root() {
    let mut ssh = 0;
    for mut environment in environments(Red::BLine, 60) {
        for seed in 0..60 {
            environment.reset(seed);
            if until_held(&mut environment, Host::Enterprise0) {
                ssh += 1;
                act(&mut environment, "Remove Enterprise0");
                assert_eq!(environment.success(), Trinary::True);
                assert!(environment.red_holds(Host::Enterprise0).0);
                assert_ne!(environment.table()[Host::Enterprise0.index()].compromised, Compromised::No);
            }
        }
        environment.reset(1);
        act(&mut environment, "Remove Defender");
        assert_eq!(environment.success(), Trinary::True);
    }
    assert!(ssh > 20, "{ssh}");
}

// covers: BOG-009
#[test]
fn vsftpd_can_be_stacked_and_then_blocks_apache() {
    for mut environment in environments(Red::Sleep, 30) {
        environment.reset(2);
        for _ in 0..5 {
            act(&mut environment, "DecoyVsftpd Enterprise0");
            assert_eq!(environment.success(), Trinary::True);
        }
        act(&mut environment, "DecoyApache Enterprise0");
        assert_eq!(environment.success(), Trinary::False);
        act(&mut environment, "Restore Enterprise0");
        act(&mut environment, "DecoyApache Enterprise0");
        assert_eq!(environment.success(), Trinary::True);
        // Beside the real port 80 too.
        act(&mut environment, "DecoyVsftpd User3");
        assert_eq!(environment.success(), Trinary::True);
    }
}

/// Where each decoy can be laid on a fresh host.
// covers: BOG-010
#[test]
fn decoys_fit_where_port_and_system_allow() {
    let fits = |decoy: &str| -> Vec<&str> {
        let [mut environment, _] = environments(Red::Sleep, 30);
        environment.reset(4);
        let laid = |host: &Host| {
            act(&mut environment, &format!("{decoy} {}", host.name()));
            environment.success() == Trinary::True
        };
        let mut laid = laid;
        HOSTS.iter().filter(|host| laid(host)).map(|host| host.name()).collect()
    };
    let linux = ["Defender", "Enterprise0", "Op_Host0", "Op_Host1", "Op_Host2", "Op_Server0"];
    let with = |more: &[&'static str]| [&linux[..], more].concat();
    assert_eq!(fits("DecoyApache"), with(&["User0", "User1", "User2"]));
    assert_eq!(fits("DecoyTomcat"), with(&["User0", "User1", "User2"]));
    assert_eq!(fits("DecoyFemitter"), ["Enterprise1", "Enterprise2", "User2"]);
    assert_eq!(fits("DecoyHarakaSMPT"), linux);
    assert_eq!(fits("DecoySmss"), ["User0", "User1"]);
    assert_eq!(fits("DecoySvchost"), ["User0", "User1"]);
    assert_eq!(fits("DecoySSHD"), ["User2", "User3"]);
    assert_eq!(fits("DecoyVsftpd"), with(&["User3", "User4"]));
}

#[test]
fn eternal_blue_never_works_on_the_enterprise_hosts() {
    let mut tried = 0;
    for mut environment in environments(Red::BLine, 60) {
        for seed in 0..300 {
            environment.reset(seed);
            while !environment.done() {
                let before: Vec<bool> = HOSTS.iter().map(|host| environment.red_holds(*host).0).collect();
                environment.step(Action::SLEEP);
                let (_, exploit) = red_action(&environment);
                let enterprise = before[Host::User1.index()] || before[Host::User2.index()];
                if exploit == "EternalBlue" && enterprise && environment.red_success() == Trinary::False {
                    tried += 1;
                    // It leaves no trace at all.
                    assert_eq!(environment.observation(&Names::original()).entries().count(), 1);
                }
            }
        }
    }
    assert!(tried > 10, "{tried}");
}

// covers: BOG-011
#[test]
fn reds_first_session_survives_and_costs_nothing() {
    for mut environment in environments(Red::Meander, 60) {
        environment.reset(8);
        assert_eq!(environment.red_holds(Host::User0), (true, true));
        assert_eq!(act(&mut environment, "Restore User0"), -10);
        assert_eq!(environment.red_holds(Host::User0), (true, true));
        assert_eq!(environment.red_success(), Trinary::True);
    }
}

// covers: BOG-012
#[test]
fn analyse_calls_any_dropped_file_privileged() {
    let mut user_level = 0;
    for mut environment in environments(Red::BLine, 40) {
        for seed in 0..60 {
            environment.reset(seed);
            for host in [Host::Enterprise1, Host::Enterprise2] {
                if until_held(&mut environment, host)
                    && !environment.red_holds(host).1
                    && truth(&environment).contains("cmd.exe")
                {
                    let files = |environment: &Play| {
                        let name = host.name();
                        environment
                            .observation(&Names::original())
                            .get(name)
                            .and_then(|entry| entry.get("Files").cloned())
                    };
                    act(&mut environment, &format!("Analyse {}", host.name()));
                    if files(&environment).is_some() {
                        user_level += 1;
                        assert_eq!(environment.table()[host.index()].compromised, Compromised::Privileged);
                    }
                }
            }
        }
    }
    assert!(user_level > 10, "{user_level}");
}

#[test]
fn an_attack_on_defender_fails_and_marks_it_all_the_same() {
    let mut marked = 0;
    for mut environment in environments(Red::Meander, 100) {
        for seed in 0..20 {
            environment.reset(seed);
            while !environment.done() {
                environment.step(Action::SLEEP);
                assert!(!environment.red_holds(Host::Defender).0);
            }
            marked += u32::from(environment.table()[Host::Defender.index()].compromised == Compromised::User);
        }
    }
    assert!(marked > 20, "{marked}");
}

// covers: BOG-009
#[test]
fn monitor_sees_what_is_seen_anyway() {
    for [mut one, mut other] in [environments(Red::BLine, 30), environments(Red::Meander, 30)].map(|pair| {
        let [fast, _] = pair;
        [fast.fork(Box::new(Fast::new(0)) as Box<dyn Draws>), fast]
    }) {
        one.reset(6);
        other.reset(6);
        while !one.done() {
            assert_eq!(one.step(Action::MONITOR), other.step(Action::SLEEP));
            assert_eq!(one.vector(), other.vector());
            let names = Names::original();
            let (with, without) = (one.observation(&names).to_json(), other.observation(&names).to_json());
            assert_eq!(with.replace("TRUE", "UNKNOWN"), without.replace("TRUE", "UNKNOWN"));
        }
    }
}

#[test]
fn an_illegal_action_does_nothing_and_costs_a_tenth() {
    for mut environment in environments(Red::Sleep, 5) {
        environment.reset(1);
        let before = environment.observation(&Names::original());
        assert_eq!(environment.step(None), -1);
        assert_eq!(environment.success(), Trinary::False);
        assert_ne!(environment.observation(&Names::original()), before);
        assert_eq!(environment.reward(), -0.1);
    }
}
