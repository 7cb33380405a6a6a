//! The plain game: starts, rounds, votes, outcomes.

use gimbal_consensus::game::{Ballot, Game, Setup, Starts, Strategy, Vote};
use gimbal_messages::records::consensus::{Ended, Outcome};
use proptest::prelude::*;

fn setup(seed: u64, agents: usize, adversaries: usize, strategy: Strategy, rounds: usize) -> Setup {
    Setup::draw(seed, Starts::Uniform, (agents, adversaries), strategy, (false, rounds))
}

fn all(game: &Game, value: impl Fn(usize) -> u8, vote: Vote) -> Vec<Option<Ballot>> {
    (0..game.setup().agents()).map(|agent| Some(Ballot::of(value(agent), vote))).collect()
}

#[test]
fn two_thirds_of_all_agents_end_a_game_and_one_vote_less_does_not() {
    for (agents, needed) in [(3, 2), (4, 3), (8, 6), (16, 11)] {
        let mut game = Game::new(setup(1, agents, 0, Strategy::Silent, 50));
        assert_eq!(game.setup().needed(), needed);
        let start = game.setup().start(0);
        let votes = |stops: usize| -> Vec<Option<Ballot>> {
            let vote = |agent| if agent < stops { Vote::Stop } else { Vote::Continue };
            (0..agents).map(|agent| Some(Ballot::of(start, vote(agent)))).collect()
        };
        game.play(&votes(needed - 1));
        assert_eq!(game.ended(), None);
        game.play(&votes(needed));
        let ended = game.ended().unwrap();
        assert_eq!((ended.outcome, ended.stopped, ended.agreed, ended.rounds), (Outcome::Valid, true, true, 2));
        assert_eq!(ended.value, Some(u32::from(start)));
        // Nothing happens any more.
        game.play(&votes(0));
        assert_eq!(game.rounds().len(), 2);
    }
}

#[test]
fn validity_and_liveness_are_told_apart() {
    let end = |value: &dyn Fn(&Game, usize) -> u8, vote: Vote| -> Ended {
        let mut game = Game::new(setup(3, 4, 0, Strategy::Silent, 3));
        while game.ended().is_none() {
            let ballots = all(&game, |agent| value(&game, agent), vote);
            game.play(&ballots);
        }
        game.ended().unwrap().clone()
    };
    let of = |ended: Ended| (ended.outcome, ended.stopped, ended.agreed, ended.from_start);
    let start = |game: &Game, _| game.setup().start(0);
    let own = |game: &Game, agent| game.setup().start(agent);
    let foreign =
        |game: &Game, _| (0..=50).find(|value| (0..4).all(|agent| game.setup().start(agent) != *value)).unwrap();
    assert_eq!(of(end(&start, Vote::Stop)), (Outcome::Valid, true, true, true));
    assert_eq!(of(end(&foreign, Vote::Stop)), (Outcome::Invalid, true, true, false));
    assert_eq!(of(end(&own, Vote::Stop)), (Outcome::Invalid, true, false, false));
    // Agreement without an end is not a consensus.
    assert_eq!(of(end(&start, Vote::Continue)), (Outcome::None, false, true, true));
    assert_eq!(of(end(&own, Vote::Continue)), (Outcome::None, false, false, false));
}

#[test]
fn an_agent_without_a_ballot_keeps_its_value_and_goes_on() {
    let mut game = Game::new(setup(5, 4, 0, Strategy::Silent, 50));
    game.play(&[Some(Ballot::of(9, Vote::Stop)), None, None, None]);
    assert_eq!((game.stated(0), game.stated(1)), (9, game.setup().start(1)));
    game.play(&[]);
    assert_eq!(game.stated(0), 9);
    assert_eq!(game.rounds()[1].votes, [Vote::Continue; 4]);
}

#[test]
fn each_strategy_does_what_its_name_says() {
    for strategy in Strategy::SCRIPTED {
        let mut game = Game::new(setup(11, 8, 2, strategy, 50));
        for _ in 0..4 {
            game.play(&[]);
        }
        let adversaries: Vec<usize> = (0..8).filter(|agent| game.setup().is_adversary(*agent)).collect();
        assert_eq!(adversaries.len(), 2);
        for agent in adversaries {
            let start = game.setup().start(agent);
            // What it told each agent, by round.
            let told: Vec<Vec<Option<u8>>> =
                game.rounds().iter().map(|round| round.told.iter().map(|told| told[agent]).collect()).collect();
            let votes: Vec<Vote> = game.rounds().iter().map(|round| round.votes[agent]).collect();
            let expected = if strategy == Strategy::StopEarly { Vote::Stop } else { Vote::Continue };
            assert_eq!(votes, [expected; 4]);
            match strategy {
                Strategy::Silent => assert!(told.iter().flatten().all(Option::is_none)),
                Strategy::Equivocating => {
                    assert!(told.iter().all(|round| round.iter().any(|value| *value != round[0])), "{told:?}");
                }
                Strategy::Drifting => {
                    for (round, values) in told.iter().enumerate() {
                        assert!(values.iter().all(|value| *value == Some(((usize::from(start) + round) % 51) as u8)));
                    }
                }
                Strategy::StopEarly => assert!(told.iter().flatten().all(|value| *value == Some(start))),
                Strategy::Played => {}
            }
        }
    }
}

#[test]
fn a_played_adversary_takes_ballots_and_abstains_without_one() {
    let mut game = Game::new(setup(2, 4, 1, Strategy::Played, 50));
    let agent = (0..4).find(|agent| game.setup().is_adversary(*agent)).unwrap();
    let mut ballots = vec![None; 4];
    ballots[agent] = Some(Ballot::of(33, Vote::Stop));
    game.play(&ballots);
    game.play(&[]);
    let [first, second] = game.rounds() else { panic!() };
    assert!(first.told.iter().all(|told| told[agent] == Some(33)) && first.votes[agent] == Vote::Stop);
    assert!(second.told.iter().all(|told| told[agent].is_none()) && second.votes[agent] == Vote::Continue);
}

#[test]
fn starts_of_controls_are_alike_or_two() {
    let starts = |kind: Starts| -> std::collections::BTreeSet<u8> {
        let setup = Setup::draw(4, kind, (16, 0), Strategy::Silent, (false, 50));
        (0..16).map(|agent| setup.start(agent)).collect()
    };
    assert_eq!((starts(Starts::Alike).len(), starts(Starts::Camps).len()), (1, 2));
    assert!(starts(Starts::Uniform).len() > 8);
}

proptest! {
    #[test]
    fn more_adversaries_and_other_strategies_change_nothing_else(seed: u64, size in 0_usize..3, strategy in 0_usize..4) {
        let agents = [4, 8, 16][size];
        let base = setup(seed, agents, 0, Strategy::Silent, 50);
        let mut before: Vec<usize> = Vec::new();
        for adversaries in 0..=agents / 3 {
            let other = setup(seed, agents, adversaries, Strategy::SCRIPTED[strategy], 50);
            prop_assert!((0..agents).all(|agent| other.start(agent) == base.start(agent) && other.start(agent) <= 50));
            let now: Vec<usize> = (0..agents).filter(|agent| other.is_adversary(*agent)).collect();
            prop_assert_eq!(now.len(), adversaries);
            prop_assert!(before.iter().all(|agent| now.contains(agent)));
            before = now;
        }
    }

    /// The outcome follows from the last round and the starts alone, whatever was played.
    #[test]
    fn the_outcome_is_what_its_definition_says(
        seed: u64, adversaries in 0_usize..3, strategy in 0_usize..5,
        moves in proptest::collection::vec(proptest::collection::vec((0_u8..=50, any::<bool>()), 8), 1..6),
    ) {
        let mut game = Game::new(setup(seed, 8, adversaries, Strategy::ALL[strategy], moves.len()));
        for round in &moves {
            let ballots: Vec<Option<Ballot>> = round
                .iter()
                .map(|(value, stop)| Some(Ballot::of(*value, if *stop { Vote::Stop } else { Vote::Continue })))
                .collect();
            game.play(&ballots);
        }
        let ended = game.ended().cloned().unwrap();
        let last = game.rounds().last().unwrap();
        let stops = last.votes.iter().filter(|vote| **vote == Vote::Stop).count();
        let honest: Vec<usize> = (0..8).filter(|agent| !game.setup().is_adversary(*agent)).collect();
        let values: std::collections::BTreeSet<u8> = honest.iter().map(|agent| last.told[*agent][*agent].unwrap()).collect();
        let from_start = values.len() == 1 && honest.iter().any(|agent| values.contains(&game.setup().start(*agent)));
        prop_assert_eq!(ended.stopped, stops >= 6);
        prop_assert_eq!(ended.agreed, values.len() == 1);
        prop_assert_eq!(ended.from_start, from_start);
        let expected = if !ended.stopped { Outcome::None } else if from_start { Outcome::Valid } else { Outcome::Invalid };
        prop_assert_eq!(ended.outcome, expected);
        // What an honest agent states is the same for all.
        for round in game.rounds() {
            for from in &honest {
                prop_assert!(round.told.iter().all(|told| told[*from] == round.told[0][*from]));
            }
        }
        prop_assert_eq!(Ended::read(&ended.behind("The game is over.\n")), Some(ended));
    }
}
