//! The interactive loop, with a written player.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use gimbal_cage2::draws::Fast;
use gimbal_cage2::play::play;
use gimbal_cage2::{Names, Options, Red, Simulator};

fn game(input: &str, names: &Names) -> (gimbal_cage2::play::Game, String) {
    let options = Options { red: Red::Sleep, horizon: 3, ..Options::default() };
    let mut simulator = Simulator::new(options, Fast::new(0));
    let mut out = Vec::new();
    let game = play(&mut simulator, 1, names, &mut input.as_bytes(), &mut out).unwrap();
    (game, String::from_utf8(out).unwrap())
}

#[test]
fn a_game_to_its_end() {
    let (game, text) =
        game("help\nRestore hostname=User1\n\nRestor User1\nanalyze user2\no\nmonitor\nmore", &Names::original());
    assert_eq!((game.steps, game.finished, game.total), (3, true, -1.0));
    for part in [
        "for example `Restore User1`",
        "Restore User1: TRUE, reward -1.0, return -1.0",
        "did you mean `Restore`?",
        "Analyse User2: TRUE, reward 0.0, return -1.0",
        "{'success': <TrinaryEnum.TRUE: 1>}",
        "Subnet",
        "3 steps, return -1.0",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn a_person_is_told_every_name_and_may_give_an_index() {
    let (game, text) =
        game("Misinform User1\nAnalyse Printer\nAnalyse User9\nDecoyApach User1\n145\n0\n144\n2\n", &Names::original());
    assert_eq!(game.steps, 3);
    for part in [
        "there is no action `Misinform`; the actions are Sleep, Monitor, Analyse, ",
        "DecoyHarakaSMPT",
        "there is no host `Printer`; the hosts are ",
        "`? The hosts are ",
        "did you mean `DecoyApache`? The actions are Sleep, ",
        "there is no action 145; actions are numbered from 0 to 144",
        "Sleep: ",
        "Restore User4: ",
        "Analyse Defender: ",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains("?;"));
}

#[test]
fn a_byte_that_is_no_text_does_not_end_the_game() {
    let options = Options { red: Red::Sleep, horizon: 3, ..Options::default() };
    let mut simulator = Simulator::new(options, Fast::new(0));
    let (mut out, names) = (Vec::new(), Names::original());
    let input = b"Moni\xFFtor\nMonitor\nquit\n";
    let game = play(&mut simulator, 1, &names, &mut &input[..], &mut out).unwrap();
    assert_eq!(game.steps, 1);
}

#[test]
fn it_can_be_left_and_ends_with_its_input() {
    assert_eq!(game("quit\nMonitor\n", &Names::original()).0.steps, 0);
    let (game, text) = game("Monitor\n", &Names::neutral(4));
    assert_eq!((game.steps, game.finished), (1, false));
    assert!(text.contains("Node01") && !text.contains("Enterprise"));
}
