//! Recordings of our own: written, replayed, spoilt, refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use gimbal_cage2::bench::{BenchActions, BenchOptions, Generator, bench};
use gimbal_cage2::checksum::Observe;
use gimbal_cage2::options::REDS;
use gimbal_cage2::policy::{POLICIES, PolicyKind};
use gimbal_cage2::recording::{Lines, RecordOptions, Recorded, record, record_actions};
use gimbal_cage2::replay::{ChecksumView, DrawSource, ReplayOptions, ReplayReport, replay, replay_all};
use gimbal_cage2::{Action, Green, Options, Red};

fn run(file: &Path, draws: DrawSource) -> ReplayReport {
    replay(&ReplayOptions { files: vec![file.to_owned()], draws, checksum: None }).unwrap()
}

fn recorded(what: &RecordOptions) -> String {
    let mut out = Vec::new();
    record(what, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn short() -> String {
    let options = Options { green: Green::Scan, horizon: 20, ..Options::default() };
    recorded(&RecordOptions { options, policy: PolicyKind::Random, episodes: 2, seed: 77 })
}

#[test]
fn what_is_recorded_replays_from_tape_and_from_seed() {
    let folder = tempfile::tempdir().unwrap();
    for red in REDS {
        for green in [Green::Sleep, Green::Scan] {
            for policy in POLICIES {
                let options = Options { red, green, horizon: 40 };
                let text = recorded(&RecordOptions { options, policy, episodes: 2, seed: 1234 });
                let path = write(folder.path(), "own.jsonl", &text);
                for draws in [DrawSource::Tape, DrawSource::Seed] {
                    let report = run(&path, draws);
                    assert_eq!((report.counts.episodes, report.counts.steps, report.unrecorded), (2, 80, Some(0)));
                    assert!(report.agrees(), "{:?}", report.first);
                }
            }
        }
    }
}

#[test]
fn recordings_of_the_original_are_written_again_byte_for_byte() {
    let Some(files) = common::traces() else { return };
    let mut count = 0;
    for file in files {
        let mut lines = Lines::open(&file).unwrap();
        let mut original = String::new();
        let mut episode = None;
        let mut actions = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            let fields: Vec<String> = line.fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            original.push_str(&format!("{{{}}}\n", fields.join(",")));
            match line.kind {
                Recorded::Reset => {
                    let horizon = line.whole("horizon").unwrap().unwrap() as u32;
                    let options = Options { red: line.red().unwrap(), green: line.green().unwrap(), horizon };
                    let ep = line.whole("ep").unwrap().unwrap() as u32;
                    episode = Some((
                        options,
                        ep,
                        line.seed().unwrap().unwrap().small().unwrap(),
                        line.text("policy").unwrap(),
                    ));
                }
                Recorded::Step => {
                    let blue = line.json("blue").unwrap().unwrap();
                    let blue = blue.as_list().unwrap();
                    let action = usize::try_from(blue[0].as_whole().unwrap()).ok().and_then(Action::from_index);
                    actions.push((action, blue[1].as_text().unwrap().to_owned()));
                }
                _ => {
                    let (options, ep, seed, policy) = episode.take().unwrap();
                    let mut own = Vec::new();
                    record_actions(options, ep, seed, &policy, &actions, &mut own).unwrap();
                    // Python writes small reals as 5e-05, we as 5e-5.
                    let own = String::from_utf8(own).unwrap().replace("e-5", "e-05").replace("e-6", "e-06");
                    assert!(own == original, "episode {ep} of {}", file.display());
                    original.clear();
                    actions.clear();
                    count += 1;
                }
            }
        }
    }
    println!("{count} episodes");
}

#[test]
fn gzipped_recordings_are_known_by_their_first_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packed");
    let mut packed = flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::fast());
    packed.write_all(short().as_bytes()).unwrap();
    packed.finish().unwrap();
    let report = run(&path, DrawSource::Seed);
    assert_eq!((report.counts.steps, report.mismatches), (40, 0));
}

/// Every field of every kind of line, spoilt once, is found, at its place.
#[test]
fn one_spoilt_field_is_found() {
    let text = short();
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let spoil = |at: usize, from: &str, to: &str| {
        let mut spoilt: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        assert!(spoilt[at].contains(from), "{from} is not in {}", spoilt[at]);
        // A number is spoilt by a digit behind its sign.
        let signed = format!("{from}-");
        let number =
            spoilt[at].split_once(from).and_then(|(_, rest)| rest.split_once(',')).map(|(number, _)| number.to_owned());
        spoilt[at] = if to.ends_with("check\":7") {
            spoilt[at].replacen(&number.unwrap(), "7", 1)
        } else if to.ends_with(":1") && spoilt[at].contains(&signed) {
            spoilt[at].replacen(&signed, &format!("{signed}1"), 1)
        } else {
            spoilt[at].replacen(from, to, 1)
        };
        write(folder.path(), "spoilt.jsonl", &spoilt.join("\n"))
    };
    let cases = [
        (0, "\"Enterprise\":\"10.0", "\"Enterprise\":\"10.1", "subnets", None),
        (0, "\"Defender\":\"10.0", "\"Defender\":\"10.9", "ips", None),
        (0, "\"vector\":\"0", "\"vector\":\"1", "vector", None),
        (0, "\"Timeout\":0", "\"Timeout\":1", "blue_obs", None),
        (0, "\"RED_ABSTRACT_SESSION\"", "\"SSH\"", "red_obs", None),
        (0, "\"VelociraptorServer\"", "\"velociraptor\"", "state", None),
        (3, "\"t\":2", "\"t\":3", "t", Some(2)),
        (3, "\"ep\":0", "\"ep\":1", "ep", Some(2)),
        (3, "\"blue_success\":\"", "\"blue_success\":\"X", "blue_success", Some(2)),
        (3, "\"red_success\":\"TRUE\"", "\"red_success\":\"FALSE\"", "red_success", Some(2)),
        (3, "\"green\":[\"", "\"green\":[\"x", "green", Some(2)),
        (3, "\"red\":[\"", "\"red\":[\"x", "red", Some(2)),
        (3, "\"reward\":", "\"reward\":1", "reward", Some(2)),
        (3, "\"red_reward\":", "\"red_reward\":1", "red_reward", Some(2)),
        (3, "\"scores\":{", "\"scores\":{\"User1\":[-5.0,0],", "scores", Some(2)),
        (3, "\"done\":false", "\"done\":true", "done", Some(2)),
        (3, "\"vector\":\"00", "\"vector\":\"01", "vector", Some(2)),
        (3, "\"truth\":{", "\"truth\":{\"x\":1,", "truth", Some(2)),
        (3, "\"ot_service\":null", "\"ot_service\":\"OTService\"", "red_mind", Some(2)),
        (0, "\"horizon\":20", "\"horizon\":21", "horizon", Some(20)),
        (21, "\"steps\":20", "\"steps\":21", "steps", Some(20)),
        (21, "\"ret\":", "\"ret\":1", "ret", Some(20)),
        (21, "\"error\":false", "\"error\":true", "error", Some(20)),
        (21, "\"rng_check\":", "\"rng_check\":7", "rng_check", Some(20)),
        (21, "\"parent\":null", "\"parent\":7", "state", Some(20)),
    ];
    for (at, from, to, field, step) in cases {
        let path = spoil(at, from, to);
        for draws in [DrawSource::Tape, DrawSource::Seed] {
            let report = run(&path, draws);
            let first = report.first.clone().unwrap_or_else(|| panic!("{field} of line {at} is not compared"));
            assert_eq!((first.field.as_str(), first.place.step, first.place.episode), (field, step, 0));
            assert!(first.file.ends_with("spoilt.jsonl"));
            assert_eq!(report.mismatches, 1, "{field}");
        }
    }
}

#[test]
fn the_order_of_keys_counts_and_blanks_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let text = short();
    let swapped = text.replacen(
        "\"Interface Name\":\"eth0\",\"IP Address\":\"",
        "\"IP Address\":\"eth0\",\"Interface Name\":\"",
        1,
    );
    assert_eq!(run(&write(folder.path(), "a", &swapped), DrawSource::Seed).mismatches, 1);
    let order = text.replacen("\"fsm\":0", "\"fsm\":0.0", 1);
    assert_eq!(run(&write(folder.path(), "b", &order), DrawSource::Seed).mismatches, 0);
    let wide = text.replace("\",\"", "\" , \"").replace("\":", "\" : ");
    assert_eq!(run(&write(folder.path(), "c", &wide), DrawSource::Seed).mismatches, 0);
}

#[test]
fn a_wrong_tape_is_told_from_either_source() {
    let folder = tempfile::tempdir().unwrap();
    let text = short();
    for (from, to) in [
        ("\"sample\",[4096,3]", "\"sample\",[4096,4]"),
        ("[\"reset\",\"pid\",\"randrange\",[0,32768],", "[\"reset\",\"pid\",\"randrange\",[0,32768],9"),
        ("[\"reset\",\"layout\",\"choice\",[1],0],", ""),
        ("[\"reset\",\"pid\",", "[\"Blue\",\"pid\","),
    ] {
        assert!(text.contains(from));
        let path = write(folder.path(), "tape", &text.replacen(from, to, 1));
        for draws in [DrawSource::Tape, DrawSource::Seed] {
            let report = run(&path, draws);
            assert_eq!(report.first.map(|first| first.field).as_deref(), Some("tape"), "{from}");
        }
    }
}

#[test]
fn malformed_recordings_are_refused_with_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let text = short();
    let lines: Vec<&str> = text.lines().collect();
    let refused = |text: &str, draws: DrawSource| {
        let files = vec![write(folder.path(), "bad.jsonl", text)];
        replay(&ReplayOptions { files, draws, checksum: None }).unwrap_err().to_string()
    };
    let joined = |lines: &[&str]| lines.join("\n");
    let cases = [
        (lines[1].to_owned(), "bad.jsonl:1: a `step` line without"),
        (lines[21].to_owned(), "bad.jsonl:1: an `end` line without"),
        (joined(&lines[..5]), "`end` line is missing"),
        (joined(&[lines[0], lines[0]]), "bad.jsonl:2: an episode begins before"),
        ("{\"kind\":\"reset\"".to_owned(), "bad.jsonl:1: column"),
        ("\n\nnothing".to_owned(), "bad.jsonl:3: column 1"),
        ("{\"kind\":\"scene\"}".to_owned(), "unknown kind \"scene\""),
        ("{\"a\":1}".to_owned(), "has no `kind`"),
        (lines[0].replacen("\"ep\"", "\"version\":2,\"ep\"", 1), "unknown field `version`"),
        (lines[0].replacen("B_line", "C_line", 1), "`red` is `C_line`"),
        (lines[0].replacen("GreenAgent", "Agent", 1), "`green_agent` must be"),
        (lines[0].replacen("\"seed\":77", "\"seed\":\"x\"", 1), "`seed` must be"),
        (lines[0].replacen("\"seed\":77", "\"seed\":null", 1), "`seed` is missing"),
        (lines[0].replacen("\"horizon\":20", "\"horizon\":-1", 1), "`horizon` must be"),
        (lines[0].replacen("\"tape\":[[", "\"tape\":[[3,", 1), "entry 0 of `tape` is malformed"),
        (joined(&[lines[0], &lines[1].replacen("\"blue\":[", "\"blue\":[999,", 1)]), "`blue` must be"),
        (joined(&[lines[0], &lines[1].replacen("\"blue\"", "\"Blue\"", 1)]), "unknown field `Blue`"),
    ];
    for (text, expected) in cases {
        let message = refused(&text, DrawSource::Seed);
        assert!(message.contains(expected), "{message} should hold {expected}");
        assert!(message.contains("bad.jsonl"), "{message}");
    }
    let message = refused(&text.replacen("\"tape\"", "\"tape\":[],\"policy\"", 1), DrawSource::Tape);
    assert!(message.contains("bad.jsonl:1: the field `policy` is given twice"), "{message}");
    let untaped = "{\"kind\":\"reset\",\"red\":\"Sleep\",\"seed\":1}\n{\"kind\":\"end\"}";
    assert!(refused(untaped, DrawSource::Tape).contains("`tape` is missing; replay from the seed"));
    let missing = folder.path().join("nowhere.jsonl");
    let report = replay(&ReplayOptions { files: vec![missing], draws: DrawSource::Tape, checksum: None });
    assert!(report.unwrap_err().to_string().contains("nowhere.jsonl: cannot be read"));
}

#[test]
fn a_file_without_an_episode_agrees_with_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let full = write(folder.path(), "full.jsonl", &short());
    for text in ["", "\n \n"] {
        let files = vec![full.clone(), write(folder.path(), "none.jsonl", text)];
        let error = replay(&ReplayOptions { files, draws: DrawSource::Seed, checksum: None }).unwrap_err().to_string();
        assert!(error.starts_with("no episode in ") && error.contains("none.jsonl"), "{error}");
    }
}

#[test]
fn an_episode_has_as_many_steps_as_its_horizon() {
    let folder = tempfile::tempdir().unwrap();
    let text = short();
    let lines: Vec<&str> = text.lines().collect();
    // The last step torn out, with the end line made to fit but for the horizon of the reset line.
    let mut cut: Vec<String> = lines[..22].iter().map(|line| (*line).to_owned()).collect();
    cut.remove(20);
    cut[20] = "{\"kind\":\"end\",\"ep\":0,\"steps\":19}".to_owned();
    let report = run(&write(folder.path(), "cut.jsonl", &cut.join("\n")), DrawSource::Seed);
    let first = report.first.unwrap();
    assert_eq!((first.field.as_str(), first.place.step), ("horizon", Some(19)));
    assert_eq!((first.expected.as_str(), first.got.as_str(), report.mismatches), ("20", "19", 1));
}

#[test]
fn a_torn_archive_is_an_error_and_not_a_short_recording() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("torn.gz");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(short().as_bytes()).unwrap();
    let bytes = packed.finish().unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let report = replay(&ReplayOptions { files: vec![path], draws: DrawSource::Seed, checksum: None });
    assert!(report.unwrap_err().to_string().contains("torn.gz"));
}

#[test]
fn fields_that_are_not_recorded_are_not_compared_but_counted() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{\"kind\":\"reset\",\"ep\":4,\"red\":\"Sleep\",\"seed\":1}\n{\"kind\":\"step\",\"blue\":[-1,\"Misinform User1\"],\"reward\":-0.1}\n{\"kind\":\"step\",\"blue\":[144],\"reward\":-1.0}\n{\"kind\":\"end\",\"ret\":-1.1}\n";
    let report = run(&write(folder.path(), "sparse", text), DrawSource::Seed);
    assert_eq!((report.counts.steps, report.mismatches), (2, 0), "{:?}", report.first);
    // Of 14, 18, 18 and 7 fields the lines hold 4, 3, 3 and 2.
    assert_eq!(report.unrecorded, Some(10 + 15 + 15 + 5));
    assert_eq!(serde_json::to_value(&report).unwrap()["unrecorded"], 45);
}

#[test]
fn a_bench_over_recorded_actions_has_the_checksum_of_the_replay() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { red: Red::Meander, green: Green::Scan, horizon: 50 };
    let text = recorded(&RecordOptions { options, policy: PolicyKind::Random, episodes: 3, seed: 5 });
    let files = vec![write(folder.path(), "own.jsonl", &text)];
    for observe in [Observe::None, Observe::Vector, Observe::Raw] {
        let actions = BenchActions::Recorded(files.clone());
        let played = bench(&BenchOptions { actions, observe: Some(observe), ..BenchOptions::default() }).unwrap();
        assert_eq!((played.steps, played.episodes), (150, 3));
        for draws in [DrawSource::Tape, DrawSource::Seed] {
            let report =
                replay(&ReplayOptions { files: files.clone(), draws, checksum: Some(observe.into()) }).unwrap();
            let checksums = report.checksums.unwrap();
            assert_eq!(checksums.played, played.checksum);
            assert_eq!(checksums.recorded, Some(checksums.played));
        }
    }
}

#[test]
fn saved_actions_of_a_bench_replay_to_its_checksums() {
    let folder = tempfile::tempdir().unwrap();
    for (draws, observe) in [(Generator::Fast, Observe::Raw), (Generator::Mersenne, Observe::Vector)] {
        let path = folder.path().join("actions.jsonl");
        let options = BenchOptions {
            steps: 100,
            draws,
            observe: Some(observe),
            save: Some(path.clone()),
            ..BenchOptions::default()
        };
        let played = bench(&options).unwrap();
        let files = vec![path.clone()];
        let asked = ReplayOptions { files, draws: DrawSource::Seed, checksum: Some(observe.into()) };
        let report = replay(&asked).unwrap();
        assert_eq!((report.counts.steps, report.counts.episodes, report.mismatches), (100, 4, 0));
        // All episodes in one chain: the number that the bench printed.
        assert_eq!(report.checksums.unwrap().played, played.checksum);
        let text = std::fs::read_to_string(&path).unwrap();
        let spoilt = text.replacen("\"actions\":[", "\"actions\":[144,", 1);
        std::fs::write(&path, spoilt).unwrap();
        let report = replay(&asked).unwrap();
        assert_eq!(report.first.unwrap().field, "checksum");
    }
}

/// What a bench saved is read by both verbs without being told the view again.
#[test]
fn a_bench_and_its_readers_meet() {
    let folder = tempfile::tempdir().unwrap();
    for (draws, observe) in [(Generator::Fast, Observe::Raw), (Generator::Mersenne, Observe::None)] {
        let path = folder.path().join("saved.jsonl");
        let environment = Options { red: Red::Meander, horizon: 20, ..Options::default() };
        let options = BenchOptions {
            options: environment,
            steps: 70,
            draws,
            observe: Some(observe),
            seed: 9,
            save: Some(path.clone()),
            ..BenchOptions::default()
        };
        let played = bench(&options).unwrap();
        let files = vec![path];
        let own = ReplayOptions { files: files.clone(), draws: DrawSource::Tape, checksum: Some(ChecksumView::Own) };
        let report = replay(&own).unwrap();
        let checksums = report.checksums.unwrap();
        assert_eq!((&checksums.played, checksums.view), (&played.checksum, Some(observe.name())));
        let again = bench(&BenchOptions { actions: BenchActions::Recorded(files), ..BenchOptions::default() }).unwrap();
        assert_eq!((&again.checksum, again.steps, again.episodes), (&played.checksum, 70, 4));
        // The words are those of the file and not of the options that nobody gave.
        assert_eq!((again.red.as_str(), again.green.as_str(), again.horizon), ("meander", "sleep", Some(20)));
        assert_eq!((again.draws.as_str(), again.seed, again.observe), (draws.name(), Some(9), observe));
    }
}

#[test]
fn a_bench_of_several_recordings_says_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let one = |name: &str, red: Red, horizon: u32| {
        let options = Options { red, green: Green::Scan, horizon };
        write(
            folder.path(),
            name,
            &recorded(&RecordOptions { options, policy: PolicyKind::Random, episodes: 1, seed: 3 }),
        )
    };
    let files = vec![one("a", Red::BLine, 10), one("b", Red::Meander, 12)];
    let played = bench(&BenchOptions { actions: BenchActions::Recorded(files), ..BenchOptions::default() }).unwrap();
    assert_eq!((played.red.as_str(), played.green.as_str(), played.horizon), ("b_line, meander", "scan", None));
    assert_eq!((played.draws.as_str(), played.seed, played.steps), ("mersenne", Some(3), 22));
    let none = write(folder.path(), "none", "\n");
    let failed = bench(&BenchOptions { actions: BenchActions::Recorded(vec![none]), ..BenchOptions::default() });
    assert!(failed.unwrap_err().to_string().contains("no episode in "));
}

#[test]
fn files_of_different_views_are_not_folded_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let saved = |name: &str, observe: Observe| {
        let path = folder.path().join(name);
        let save = Some(path.clone());
        bench(&BenchOptions { steps: 30, observe: Some(observe), save, ..BenchOptions::default() }).unwrap();
        path
    };
    let files = vec![saved("a.jsonl", Observe::Raw), saved("b.jsonl", Observe::Vector)];
    let asked = |checksum| ReplayOptions { files: files.clone(), draws: DrawSource::Tape, checksum };
    let message = replay(&asked(Some(ChecksumView::Own))).unwrap_err().to_string();
    assert!(message.contains("b.jsonl:1: ") && message.contains("--checksum=vector"), "{message}");
    assert_eq!(replay(&asked(Some(Observe::Raw.into()))).unwrap().mismatches, 0);
    assert_eq!(replay(&asked(None)).unwrap().checksums, None);
    let actions = BenchActions::Recorded(files.clone());
    let message = bench(&BenchOptions { actions, ..BenchOptions::default() }).unwrap_err().to_string();
    assert!(message.contains("--observe raw"), "{message}");
}

/// A file that cannot be read keeps none of the others from being checked, and no difference is lost.
#[test]
fn one_bad_file_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let text = short();
    let good = write(folder.path(), "good.jsonl", &text);
    let spoilt = write(folder.path(), "spoilt.jsonl", &text.replacen("\"fsm\":0", "\"fsm\":9", 1));
    let torn = write(folder.path(), "torn.jsonl", &text.lines().take(5).collect::<Vec<_>>().join("\n"));
    let files = vec![folder.path().join("nowhere.jsonl"), spoilt, torn, good];
    let report = replay_all(&ReplayOptions { files, draws: DrawSource::Seed, checksum: Some(Observe::Vector.into()) });
    let recorded = report.checksums.as_ref().unwrap().recorded.as_ref();
    assert_eq!((report.mismatches, report.unreadable.len(), recorded), (1, 2, None));
    assert!(
        report.unreadable[0].file.ends_with("nowhere.jsonl") && report.unreadable[0].message.contains("cannot be read")
    );
    assert!(report.unreadable[1].file.ends_with("torn.jsonl") && report.unreadable[1].message.contains("`end` line"));
    let alone = run(&write(folder.path(), "good.jsonl", &text), DrawSource::Seed);
    assert_eq!(
        (report.counts.episodes, report.counts.steps),
        (2 * alone.counts.episodes + 1, 2 * alone.counts.steps + 4)
    );
}

/// CPython takes a seed of any size, and so does the replay, from either source; the bench of the same actions too.
#[test]
fn seeds_beyond_64_bits_are_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let seed = "340282366920938463463374607431768211507";
    // An episode of a small seed is not an episode of the large one: the draws differ from the first on.
    let wrong = short().replace("\"seed\":77", &format!("\"seed\":{seed}"));
    let path = write(folder.path(), "wrong.jsonl", &wrong);
    for draws in [DrawSource::Tape, DrawSource::Seed] {
        assert_eq!(run(&path, draws).first.map(|first| first.field).as_deref(), Some("tape"));
    }
    let sparse = format!(
        "{{\"kind\":\"reset\",\"red\":\"B_line\",\"seed\":{seed},\"horizon\":2}}\n{{\"kind\":\"step\",\"blue\":[1]}}\n{{\"kind\":\"step\",\"blue\":[144]}}\n{{\"kind\":\"end\"}}\n"
    );
    let path = write(folder.path(), "sparse.jsonl", &sparse);
    let asked =
        ReplayOptions { files: vec![path.clone()], draws: DrawSource::Seed, checksum: Some(Observe::Raw.into()) };
    let report = replay(&asked).unwrap();
    let actions = BenchActions::Recorded(vec![path.clone()]);
    let played = bench(&BenchOptions { actions, observe: Some(Observe::Raw), ..BenchOptions::default() }).unwrap();
    let checksum = report.checksums.unwrap().played;
    assert_eq!((&checksum, played.seed), (&played.checksum, None));
    // Its last digits alone are another seed.
    std::fs::write(&path, sparse.replace(seed, "51")).unwrap();
    assert_ne!(replay(&asked).unwrap().checksums.unwrap().played, checksum);
    let list = format!(
        "{{\"kind\":\"actions\",\"red\":\"Sleep\",\"seed\":{seed},\"draws\":\"fast\",\"observe\":\"none\",\"actions\":[1],\"checksum\":\"\"}}"
    );
    std::fs::write(&path, list).unwrap();
    assert!(replay(&asked).unwrap_err().to_string().contains("the fast generator has at most 64 bits"));
}

#[test]
fn the_text_beside_an_index_is_checked_beside_minus_one_too() {
    let folder = tempfile::tempdir().unwrap();
    let line = |blue: &str| {
        format!(
            "{{\"kind\":\"reset\",\"red\":\"Sleep\",\"seed\":1}}\n{{\"kind\":\"step\",\"blue\":{blue}}}\n{{\"kind\":\"end\"}}\n"
        )
    };
    let found = |blue: &str| run(&write(folder.path(), "blue", &line(blue)), DrawSource::Seed);
    for good in ["[-1,\"Misinform User1\"]", "[-1]", "[-1,null]", "[144,\"Restore User4\"]"] {
        assert_eq!(found(good).mismatches, 0, "{good}");
    }
    for bad in ["[-1,\"Restore User4\"]", "[-1,\"Monitor\"]", "[144,\"Restore User3\"]"] {
        assert_eq!(found(bad).first.map(|first| first.field).as_deref(), Some("blue"), "{bad}");
    }
}

#[test]
fn a_mark_in_front_of_utf_8_is_no_part_of_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let marked = write(folder.path(), "marked.jsonl", &format!("\u{feff}{}", short()));
    assert_eq!(run(&marked, DrawSource::Seed).mismatches, 0);
}
