//! Damaged games: each is refused with its place, what is wrong and how to fix it.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use common::{PROBLEM, game_file, game_of, households};
use gimbal_alfworld::home::{Dials, Household};
use gimbal_alfworld::replay::{ReplayOptions, Replayer};
use gimbal_alfworld::{Fault, GameError, Library, Play};
use proptest::prelude::*;
use serde_json::Value;

fn refused(file: &Value) -> GameError {
    match game_of(file) {
        Err(error) => error,
        Ok(_) => panic!("it was read"),
    }
}

/// The file with a part exchanged within one of its texts.
fn with(key: &str, from: &str, to: &str) -> Value {
    let mut file = game_file();
    let text = file[key].as_str().unwrap();
    assert!(text.contains(from), "{from}");
    file[key] = text.replacen(from, to, 1).into();
    file
}

#[test]
fn the_undamaged_file_is_played_to_its_end() {
    let game = game_of(&game_file()).unwrap();
    let walkthrough = game.walkthrough.clone();
    let mut play = Play::new(game.into());
    assert!(play.observation().contains("a fridge 1 in the kitchen 1, a shelf 2 in the kitchen 1 and a shelf 1"));
    for command in walkthrough {
        assert!(play.step(&command).accepted, "{command}: {}", play.observation());
    }
    assert!(play.won());
}

#[test]
fn a_file_cut_short_is_named_with_its_mend() {
    let whole = game_file().to_string();
    for share in [0, 1, 10, 50, 99] {
        let cut = &whole.as_bytes()[..whole.len() * share / 100];
        let error = Library::new().read(cut, None).unwrap_err();
        assert!(matches!(error.fault, Fault::NotJson(_)), "{error}");
        assert!(error.to_string().contains("cut short or damaged"), "{error}");
    }
    for key in ["pddl_domain", "grammar", "pddl_problem"] {
        let mut file = game_file();
        file.as_object_mut().unwrap().remove(key);
        assert_eq!(
            refused(&file).fault,
            Fault::Missing(["pddl_domain", "grammar", "pddl_problem"].into_iter().find(|known| *known == key).unwrap())
        );
        // A text that ends in the middle.
        let mut file = game_file();
        let text = file[key].as_str().unwrap();
        file[key] = text[..text.len() * 2 / 3].into();
        let error = refused(&file);
        assert!(error.line.is_some(), "{key}: {error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("game.tw-pddl");
    let error = Library::new().load(&nowhere).unwrap_err();
    assert!(error.to_string().contains("game.tw-pddl") && matches!(error.fault, Fault::Unreadable(_)), "{error}");
}

#[test]
fn slips_are_named_with_their_line_and_the_nearest_word() {
    let cases: [(Value, &str, &str); 12] = [
        (with("grammar", "#furniture#", "#furnitur#"), "grammar", "did you mean `furniture`?"),
        (with("grammar", "lies(t:thing", "lie(t:thing"), "grammar symbol", "did you mean `lies`?"),
        (with("grammar", "{f.name} falls", "{g.name} falls"), "grammar, action `shut`", "bound by no parameter"),
        (with("grammar", "there is #things#.", "there is [#things#."), "grammar", "a `[` needs its `]`"),
        (with("pddl_problem", "(lies Egg", "(lie Egg"), "pddl_problem, line 11", "did you mean `lies`?"),
        (
            with("pddl_problem", "(portable Egg_bar_x)", "(portable Egg_bar_x me)"),
            "pddl_problem, line 11",
            "takes 1 arguments and is given 2",
        ),
        (with("pddl_problem", "(made ?f shelf)", "(made ?f shel)"), "pddl_problem", "did you mean `shelf`?"),
        (with("pddl_problem", "(lies ?t ?f)", "(lies ?u ?f)"), "pddl_problem, line 13", "variable `?u`"),
        (with("pddl_problem", "egg - sort", "egg - sorts"), "pddl_problem, line 5", "did you mean `sort`?"),
        (
            with("pddl_domain", "(ajar ?f))\n\n (:action shut", "(ajr ?f))\n\n (:action shut"),
            "pddl_domain, line",
            "did you mean `ajar`?",
        ),
        (
            with("pddl_domain", "(:action wash", "(:action washing"),
            "grammar",
            "action `washing` of the domain has no block",
        ),
        (
            with("pddl_domain", ":effect (washed ?t)", ":effect (forall (?x - thing) (washed ?x))"),
            "pddl_domain",
            "not supported",
        ),
    ];
    for (file, place, what) in cases {
        let error = refused(&file).to_string();
        assert!(error.starts_with(place) && error.contains(what), "{place}, {what}: {error}");
    }
}

#[test]
fn parentheses_must_match() {
    for (key, text) in [
        ("pddl_problem", PROBLEM.replacen("(stands me spot_bar_9)", "(stands me spot_bar_9", 1)),
        ("pddl_problem", format!("{PROBLEM})")),
        ("pddl_problem", PROBLEM.trim_end().trim_end_matches(')').to_owned()),
        ("pddl_domain", game_file()["pddl_domain"].as_str().unwrap().trim_end().trim_end_matches(')').to_owned()),
    ] {
        let mut file = game_file();
        file[key] = text.into();
        let error = refused(&file);
        assert!(matches!(error.fault, Fault::Unbalanced(_) | Fault::Unexpected { .. }), "{error}");
        assert!(error.line.is_some() && error.place == key, "{error}");
    }
}

#[test]
fn no_depth_uses_up_the_stack_and_no_text_grows_without_end() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(200_000), close.repeat(200_000));
    let goal = "(made ?f shelf)";
    let file = with("pddl_problem", goal, &deep("(not ", ")"));
    assert_eq!(refused(&file).fault, Fault::TooDeep(100));
    let file = with("pddl_problem", goal, &"(and ".repeat(500_000));
    assert_eq!(refused(&file).fault, Fault::TooDeep(100));
    let file = with("pddl_domain", "(portable ?t)", &deep("(", ")"));
    assert_eq!(refused(&file).fault, Fault::TooDeep(100));
    // Skipped sections may be of any depth.
    assert!(game_of(&with("pddl_problem", "(:domain household)", &format!("(:domain {})", deep("(", ")")))).is_ok());
    let file =
        with("grammar", "\"rhs\": \"You come into", &format!("\"more\": {}, \"rhs\": \"You come into", deep("[", "]")));
    assert!(matches!(refused(&file).fault, Fault::NotJson(_)));
    let file = with("grammar", "#furniture#", "#intro#");
    assert_eq!(refused(&file).fault, Fault::Circle("intro".to_owned()));
    // Symbols that double thirty times over.
    let mut symbols = String::new();
    for number in 0..30 {
        symbols.push_str(&format!("\"x{number}\": [{{ \"rhs\": \"#x{0}##x{0}#\" }}],", number + 1));
    }
    symbols.push_str("\"x30\": [{ \"rhs\": \"x\" }], \"task\"");
    let file = with("grammar", "\"task\"", &symbols);
    assert!(matches!(refused(&file).fault, Fault::TooMany { .. }));
}

#[test]
fn damaged_households_are_refused_by_name() {
    let text = households(5)[1].write();
    for (from, to, what) in [
        ("gimbal-household/1", "gimbal-household/9", "its schema is"),
        ("\"kind\": \"clean\"", "\"kind\": \"clen\"", "unknown variant"),
        ("sinkbasin 1", "sinkbasn 1", "did you mean `sinkbasin`?"),
        ("\"spot\"", "\"sport\"", "unknown field"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = Household::read(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.starts_with("household") && error.contains(what), "{what}: {error}");
    }
    let error = Household::read(&text[..text.len() / 2]).unwrap_err();
    assert!(matches!(error.fault, Fault::NotHousehold(_)), "{error}");
    for dials in [Dials { rooms: 0, ..Dials::default() }, Dials { closed: 101, ..Dials::default() }] {
        assert!(Household::generate(&dials, 1).unwrap_err().to_string().contains("a number from"));
    }
}

proptest! {
    // Any damage is refused or read, and what is read can be played.
    #[test]
    fn no_damage_breaks_a_reader(
        key in prop::sample::select(vec!["pddl_domain", "grammar", "pddl_problem"]),
        at in 0.0_f64..1.0,
        length in 0_usize..40,
        put in "[ -~\\n]{0,12}",
    ) {
        let mut file = game_file();
        let text = file[key].as_str().unwrap();
        let start = (text.len() as f64 * at) as usize;
        let end = (start + length).min(text.len());
        file[key] = format!("{}{put}{}", &text[..start], &text[end..]).into();
        if let Ok(game) = game_of(&file) {
            let mut play = Play::new(game.into());
            for _ in 0..5 {
                let command = play.admissible().last().map(str::to_owned);
                if let Some(command) = command {
                    play.step(&command);
                }
            }
        }
    }
}

/// A source that breaks off.
struct Torn;

impl std::io::Read for Torn {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "corrupt gzip stream"))
    }
}

#[test]
fn a_recording_that_breaks_off_or_is_no_text_is_named_with_its_line() {
    use std::io::Read as _;
    let said = |bytes: &'static [u8]| {
        let mut replayer = Replayer::new(ReplayOptions { games: "nowhere".into(), variant: None });
        let source = std::io::BufReader::new(bytes.chain(Torn));
        replayer.lines(std::path::Path::new("own.jsonl.gz"), source).unwrap_err().to_string()
    };
    let torn = said(b"\n\n{\"game\": \"some");
    assert!(torn.starts_with("own.jsonl.gz:3: the file cannot be read any further"), "{torn}");
    let bytes = said(b"\n\xff{}\n");
    assert!(bytes.starts_with("own.jsonl.gz:2: not UTF-8"), "{bytes}");
}

#[test]
fn sections_of_an_action_that_are_not_known_are_refused() {
    let at = ":precondition (stands ?p ?s)\n  :effect (noticed ?p)";
    for (to, what) in [
        (":precondtion (stands ?p ?s)\n  :effect (noticed ?p)", "section `:precondtion` of action `survey`"),
        (":vars (?x - spot)\n  :effect (noticed ?p)", "section `:vars` of action `survey`"),
        (":precondition (stands ?p ?s)\n  :effects (noticed ?p)", "did you mean `:effect`?"),
        (":precondition stands\n  :effect (noticed ?p)", "a list for `:precondition` of action `survey`"),
        (":precondition (stands ?p ?s)\n  :effect", "a list for `:effect` of action `survey`"),
        (":precondition ()\n  :precondition (stands ?p ?s)\n  :effect (noticed ?p)", "one `:precondition` in action"),
    ] {
        let error = refused(&with("pddl_domain", at, to));
        assert!(error.to_string().contains(what), "{to}: {error}");
        assert!(error.place.contains("pddl_domain") && error.line.is_some(), "{error}");
    }
}

#[test]
fn conditions_with_more_matches_than_there_is_time_for_are_refused() {
    let many = with("pddl_domain", "(?p - person ?s - spot)", "(?p - person ?s - spot ?a ?b ?c ?d ?e - object)");
    let error = refused(&many);
    assert!(matches!(error.fault, Fault::TooMany { limit: 50_000, .. }) && error.place.contains("survey"), "{error}");
    let all = "(forall (?a ?b ?c ?d ?e ?f ?g ?h - object) (and (= ?a ?a) (stands ?p ?s)))";
    let deep =
        with("pddl_domain", ":precondition (stands ?p ?s)", &format!(":precondition (and (stands ?p ?s) {all})"));
    let error = refused(&deep);
    assert!(matches!(error.fault, Fault::TooMany { limit: 20_000_000, .. }), "{error}");
    let goal = "(:goal (and (forall (?a ?b ?c ?d ?e ?f ?g ?h - object) (= ?a ?a)) (exists";
    let error = refused(&with("pddl_problem", "(:goal (and (exists", goal));
    assert!(error.place.contains("goal") && matches!(error.fault, Fault::TooMany { .. }), "{error}");
}

#[test]
fn a_game_with_too_many_actions_is_played_and_not_planned_for() {
    // Nothing of this can be done at first: only the planner asks what might become possible.
    let at = ":precondition (and (stands ?p ?s) (placed ?f ?s) (hinged ?f) (ajar ?f))\n  :effect (not (ajar ?f))";
    let all = "(forall (?a ?b ?c ?d ?e ?g - object) (or (ajar ?f) (= ?a ?b) (carries ?p ?c)))";
    let to = format!(
        ":precondition (and (stands ?p ?s) (placed ?f ?s) (hinged ?f) (ajar ?f) {all})\n  :effect (not (ajar ?f))"
    );
    let game = game_of(&with("pddl_domain", at, &to)).unwrap();
    let task = gimbal_alfworld::plan::Task::new(&game);
    assert!(!task.complete);
    let play = Play::new(game.into());
    assert!(gimbal_alfworld::plan::plan(play.game(), &task, play.state()).is_none());
}
