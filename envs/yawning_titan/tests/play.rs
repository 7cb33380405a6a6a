//! A person at the terminal.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use gimbal_yawning_titan::draws::Fast;
use gimbal_yawning_titan::play::{Game, play};
use gimbal_yawning_titan::{Scenario, Simulator};

fn game(input: &[u8]) -> (Game, String) {
    let mut simulator = Simulator::new(&Scenario::default(), Fast::new(0)).unwrap();
    let mut output = Vec::new();
    let game = play(&mut simulator, 5, &mut &*input, &mut output).unwrap();
    (game, String::from_utf8(output).unwrap())
}

#[test]
fn a_game_is_played_by_name_and_by_number() {
    let (game, output) = game(b"help\nScan\nMakeNodeSafe node_3\n1\n\nDoNothing\nquit\n");
    assert_eq!((game.steps, game.finished), (4, false));
    for text in ["ReduceVulnerability", "node_17", "from 0 to 40", "Scan: reward", "MakeNodeSafe node=node_3: reward"] {
        assert!(output.contains(text), "{text}\n{output}");
    }
}

#[test]
fn mistakes_are_named_and_cost_nothing() {
    let (game, output) = game(b"Scann\nMakeNodeSafe\n99\nMakeNodeSafe node_77\n\xff\xfe\n");
    assert_eq!(game.steps, 0);
    for text in ["did you mean `Scan`?", "needs a node", "numbered from 0 to 40", "there is no node `node_77`"] {
        assert!(output.contains(text), "{text}\n{output}");
    }
}

#[test]
fn an_episode_comes_to_its_end() {
    let (game, output) = game(&b"DoNothing\n".repeat(1000));
    assert!(game.finished && output.contains("lost, reward"));
}
