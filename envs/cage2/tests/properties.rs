//! Whatever is played or written, nothing breaks, and equal seeds give equal environments.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::io::Cursor;
use std::path::Path;
use std::sync::LazyLock;

use gimbal_cage2::action::{parse, parse_as_artifact};
use gimbal_cage2::draws::{Fast, Mersenne};
use gimbal_cage2::policy::PolicyKind;
use gimbal_cage2::recording::{Json, RecordOptions, record};
use gimbal_cage2::replay::{DrawSource, ReplayOptions, replay_from};
use gimbal_cage2::{Action, Green, Names, Options, Red, Simulator};
use proptest::prelude::*;

fn options(horizon: impl Strategy<Value = u32>) -> impl Strategy<Value = Options> {
    let red = prop_oneof![Just(Red::BLine), Just(Red::Meander), Just(Red::Sleep)];
    let green = prop_oneof![Just(Green::Sleep), Just(Green::Scan)];
    (red, green, horizon).prop_map(|(red, green, horizon)| Options { red, green, horizon })
}

/// Any index; -1 and what lies beyond the list are illegal actions.
fn actions(steps: usize) -> impl Strategy<Value = Vec<Option<Action>>> {
    prop::collection::vec((0_usize..150).prop_map(Action::from_index), steps)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_play_of_any_length_holds_together(
        options in options(1_u32..1000),
        seed in any::<u64>(),
        play in actions(1000),
    ) {
        let names = Names::neutral(seed);
        let mut simulator = Simulator::new(options, Fast::new(0));
        simulator.reset(seed);
        let mut total = 0;
        let mut text = Vec::new();
        for action in play.iter().take(options.horizon as usize) {
            let reward = simulator.step(*action);
            // Four hosts of 1.0, seven of 0.1 (Defender is never held), the service, a restore.
            prop_assert!((-157..=0).contains(&reward), "{reward}");
            prop_assert!(action.is_some() || reward < 0);
            total += i64::from(reward);
            prop_assert!(simulator.vector() < 1 << 52);
            text.clear();
            simulator.write_observation(&names, &mut text);
            prop_assert!(std::str::from_utf8(&text).is_ok());
        }
        prop_assert_eq!(total, simulator.return_tenths());
        prop_assert!(simulator.done());
        let mut state = Vec::new();
        simulator.inspect().full_state(&mut state);
        simulator.inspect().truth(&mut Vec::new());
        prop_assert!(Json::parse(std::str::from_utf8(&state).unwrap()).is_ok());
    }

    #[test]
    fn equal_seeds_give_equal_environments_and_a_used_simulator_is_as_good_as_a_new_one(
        options in options(1_u32..120),
        seed in any::<u64>(),
        other in any::<u64>(),
        play in actions(120),
    ) {
        let mut used = Simulator::new(options, Mersenne::new(9));
        used.reset(other);
        for action in &play {
            used.step(*action);
        }
        let mut fresh = Simulator::new(options, Mersenne::new(0));
        used.reset(seed);
        fresh.reset(seed);
        prop_assert_eq!(used.digest(), fresh.digest());
        for action in &play {
            prop_assert_eq!(used.step(*action), fresh.step(*action));
            prop_assert_eq!(used.vector(), fresh.vector());
        }
        prop_assert_eq!(used.digest(), fresh.digest());
    }

    #[test]
    fn names_do_not_touch_the_environment(seed in any::<u64>(), play in actions(40)) {
        let names = Names::neutral(seed);
        let mut original = Simulator::new(Options::default(), Fast::new(0));
        let mut neutral = Simulator::new(Options::default(), Fast::new(0));
        original.reset(seed);
        neutral.reset(seed);
        for action in play.into_iter().flatten() {
            let read = parse(&action.render(&names), &names).unwrap();
            prop_assert_eq!(read, action);
            prop_assert_eq!(original.step(action), neutral.step(read));
            let mut text = Vec::new();
            neutral.write_observation(&names, &mut text);
            neutral.write_red_observation_json(&names, &mut text);
            let mut text = String::from_utf8(text).unwrap();
            neutral.write_table(&names, &mut text);
            for word in ["Enterprise", "Op_", "User0", "User1", "User4", "Defender", "OTService", "apache", "vsftpd"] {
                prop_assert!(!text.contains(word), "{} in {}", word, text);
            }
        }
        prop_assert_eq!(original.digest(), neutral.digest());
    }

    // covers: BOG-032
    #[test]
    fn what_is_rendered_is_read_back(index in 0_usize..145, seed in any::<u64>()) {
        let action = Action::from_index(index).unwrap();
        for names in [Names::original(), Names::neutral(seed)] {
            prop_assert_eq!(parse(&action.render(&names), &names), Ok(action));
            prop_assert_eq!(parse_as_artifact(&action.render(&names), &names), Ok(Some(action)));
            if let Some((kind, host)) = action.target() {
                let (kind, host) = (names.kind(kind), names.host(host));
                for text in [
                    format!("{kind} hostname={host}"),
                    format!("'{kind} hostname=\"{host}\"'"),
                    format!("{}(host: {})", kind.to_uppercase(), host.to_lowercase()),
                ] {
                    prop_assert_eq!(parse(&text, &names), Ok(action), "{}", text);
                }
            }
        }
    }

    #[test]
    fn no_text_breaks_the_grammar(text in any::<String>()) {
        let names = Names::original();
        if let Err(error) = parse(&text, &names) {
            prop_assert!(!error.to_string().is_empty());
        }
        let _ = parse_as_artifact(&text, &names);
    }

    #[test]
    fn no_nearly_right_text_breaks_the_grammar(
        text in "[\"'`]?(Restore|restore|DecoyApache|Monitor|Analyze|X)[ (:=,]*(host(name)?)?[ =:]*[\"']?(User[0-9]|Op_Server0)?[\"') .,;]*"
    ) {
        let _ = parse(&text, &Names::original());
        let _ = parse_as_artifact(&text, &Names::original());
    }

    #[test]
    fn no_text_breaks_the_json_reader(text in any::<String>(), deep in "[\\[{\"a:,\\]}0-9.e+\\-tfn\\\\u ]{0,60}") {
        let _ = Json::parse(&text);
        let _ = Json::parse(&deep);
    }

    /// Recordings with a piece torn out or put in anywhere are replayed or refused, and never break the replay.
    #[test]
    fn no_spoilt_recording_breaks_the_replay(
        at in any::<prop::sample::Index>(),
        length in 0_usize..40,
        piece in "[\\[\\]{}\",:0-9a-z.\\-]{0,12}",
        from_tape in any::<bool>(),
    ) {
        let text = SHORT.as_bytes();
        let from = at.index(text.len());
        let to = (from + length).min(text.len());
        let spoilt = [&text[..from], piece.as_bytes(), &text[to..]].concat();
        let draws = if from_tape { DrawSource::Tape } else { DrawSource::Seed };
        let options = ReplayOptions { files: Vec::new(), draws, checksum: None };
        let _ = replay_from(Path::new("spoilt"), Box::new(Cursor::new(spoilt)), &options);
    }
}

static SHORT: LazyLock<String> = LazyLock::new(|| {
    let options = Options { green: Green::Scan, horizon: 6, ..Options::default() };
    let what = RecordOptions { options, policy: PolicyKind::Random, episodes: 1, seed: 3 };
    let mut out = Vec::new();
    record(&what, &mut out).unwrap();
    String::from_utf8(out).unwrap()
});
