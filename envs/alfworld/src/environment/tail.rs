//! What follows a command that is possible now. The game knows whole commands only: to any other text it says that
//! nothing happens, and the call is spent.

use gimbal_core::Rejection;
use gimbal_env_kit::answer;

use super::loaded::Loaded;
use super::tools;
use crate::engine::Play;

/// What a text is that is not a possible command itself.
#[derive(Debug, PartialEq, Eq)]
pub enum Tail<'t> {
    /// No possible command with something harmless behind it: the game answers, as to any text.
    Other,
    /// A possible command, by its place, with words behind it that ask for nothing.
    Harmless(usize),
    /// A possible command, and a second action behind it.
    Second(&'t str, &'t str),
    /// A possible command, and words behind it that take it back or make it depend on something.
    Unmeant(answer::Problem<Rejection>),
}

/// What parts the clauses behind a command.
const MARKS: [char; 12] = [',', ';', ':', '.', '!', '?', '(', ')', '"', '`', '\u{2013}', '\u{2014}'];
/// What leads to a second action without a mark.
const JOINTS: [&str; 3] = [" and ", " then ", " or "];
/// What may stand before a name.
const ARTICLES: [&str; 4] = ["the", "a", "an", "to"];

/// What follows the longest possible command that a text begins with.
pub fn of<'t>(text: &'t str, loaded: &Loaded, play: &Play) -> Tail<'t> {
    let begins = |command: &str| {
        let head = text.get(..command.len()).filter(|head| head.eq_ignore_ascii_case(command));
        head.is_some_and(|head| ends(&text[head.len()..]))
    };
    let found = play.admissible().enumerate().filter(|(_, command)| begins(command)).max_by_key(|(_, text)| text.len());
    let Some((at, command)) = found else { return Tail::Other };
    let (head, rest) = text.split_at(command.len());
    if rest.trim().is_empty() {
        return Tail::Other;
    }
    let reader = Reader { loaded, play, command };
    let (attached, clauses) = rest.find(MARKS).map_or((rest, ""), |end| rest.split_at(end));
    let mut joined = parted(attached).into_iter();
    let phrase = joined.next().unwrap_or_default();
    let joined: Vec<&str> = joined.collect();
    let clauses = || clauses.split(MARKS).flat_map(|clause| clause.split(" - ")).map(str::trim);
    if let Some(second) = joined.iter().find_map(|clause| reader.joined(clause)) {
        return Tail::Second(head, second);
    }
    if let Some(second) = clauses().find_map(|clause| reader.second(clause)) {
        return Tail::Second(head, second);
    }
    match answer::judged((), head, rest) {
        Err(problem) => Tail::Unmeant(problem),
        Ok(()) if reader.is_harmless(phrase) => Tail::Harmless(at),
        Ok(()) => Tail::Other,
    }
}

/// The second action in words that follow a command in quotes.
pub fn behind<'t>(words: &'t str, command: &str, loaded: &Loaded, play: &Play) -> Option<&'t str> {
    let bare = answer::linked(words);
    let reader = Reader { loaded, play, command };
    let known = || play.find(bare).is_some();
    (reader.is_new(bare) && reader.is_verb(bare) && (bare.len() < words.trim().len() || known())).then_some(bare)
}

/// A text in parts: the words before the first joint, and those behind each.
fn parted(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((at, joint)) = JOINTS.iter().filter_map(|joint| Some((rest.find(joint)?, joint))).min() {
        parts.push(&rest[..at]);
        // The blank behind a joint may be the one before the next: `and then`.
        rest = &rest[at + joint.len() - 1..];
    }
    parts.push(rest);
    parts
}

/// Whether a name cannot go on with this text.
fn ends(rest: &str) -> bool {
    let mut letters = rest.chars();
    match letters.next() {
        None => true,
        Some(first) if first.is_whitespace() => true,
        Some(first) => MARKS.contains(&first) && letters.next().is_none_or(|next| !next.is_ascii_digit()),
    }
}

/// Words by blanks and marks.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).filter(|word| !word.is_empty())
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

struct Reader<'a> {
    loaded: &'a Loaded,
    play: &'a Play,
    /// The command that was found.
    command: &'a str,
}

impl Reader<'_> {
    /// The second action that a clause behind `and` or `then` asks for: it begins as a command does, or names a thing.
    fn joined<'t>(&self, clause: &'t str) -> Option<&'t str> {
        let bare = answer::linked(clause);
        let numbered = || words(bare).next().is_some_and(is_number) || !self.things(bare).is_empty();
        (self.is_new(bare) && (self.is_verb(bare) || numbered())).then_some(bare)
    }

    /// The second action that a clause of its own asks for: it begins as a command does, or with a thing.
    fn second<'t>(&self, clause: &'t str) -> Option<&'t str> {
        let bare = answer::linked(clause);
        if bare.len() < clause.len()
            && JOINTS.iter().any(|joint| joint.trim().eq_ignore_ascii_case(answer::word_of(clause)))
        {
            return self.joined(clause);
        }
        let first = words(bare).find(|word| !ARTICLES.iter().any(|article| article.eq_ignore_ascii_case(word)));
        let begins = || self.things(bare).first().is_some_and(|(name, _)| Some(*name) == first);
        (self.is_new(bare) && (self.is_verb(bare) || begins())).then_some(bare)
    }

    /// Whether a clause says anything but the command again.
    fn is_new(&self, clause: &str) -> bool {
        !clause.trim_end_matches(MARKS).trim().eq_ignore_ascii_case(self.command)
    }

    /// Whether a clause begins with a word that a command begins with.
    fn is_verb(&self, clause: &str) -> bool {
        let word = answer::word_of(clause);
        self.loaded.game.rules.actions.iter().any(|action| {
            tools::beginning(action).split_whitespace().next().is_some_and(|first| first.eq_ignore_ascii_case(word))
        })
    }

    /// The things in a text, as name and number, that some possible command names and the found one does not.
    fn things<'t>(&self, text: &'t str) -> Vec<(&'t str, &'t str)> {
        let named = |command: &str, thing: (&str, &str)| {
            let same = |(name, number): (&str, &str)| name.eq_ignore_ascii_case(thing.0) && number == thing.1;
            words(command).zip(words(command).skip(1)).any(same)
        };
        let pairs = words(text).zip(words(text).skip(1)).filter(|(_, number)| is_number(number));
        let new = pairs.filter(|pair| !named(self.command, *pair));
        new.filter(|pair| self.play.admissible().any(|command| named(command, *pair))).collect()
    }

    /// Whether the words right behind a command ask for nothing: they say when, or where what the command names is.
    fn is_harmless(&self, phrase: &str) -> bool {
        let whole = self.command.ends_with(|last: char| last.is_ascii_digit());
        let number = || words(phrase).next().is_some_and(is_number);
        answer::says_nothing(phrase) || (whole && !number() && self.things(phrase).is_empty())
    }
}
