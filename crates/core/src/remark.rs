//! What the words behind an action say of it. A model explains itself behind an action, takes the action back, or makes it depend on something:
//! one place tells these apart, for the environments that read actions and for the agents that give them.

use std::sync::OnceLock;

use serde::Deserialize;

/// What the words behind an action say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// They give a reason, or say anything else: the action is meant.
    Explains,
    /// They take it back.
    TakesBack,
    /// They make it depend on something, or leave a choice: whether it is meant now is open.
    Depends,
}

/// Phrases of `remark.yaml`, as [`plain`] gives them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Phrases {
    withdrawals: Vec<String>,
    corrections: Vec<String>,
    commands: Vec<String>,
    fillers: Vec<String>,
    links: Vec<String>,
    conditions: Vec<String>,
    plans: Vec<String>,
    hedges: Vec<String>,
}

impl Phrases {
    fn each(&mut self) -> impl Iterator<Item = &mut String> {
        let lists = [
            &mut self.withdrawals,
            &mut self.corrections,
            &mut self.commands,
            &mut self.fillers,
            &mut self.links,
            &mut self.conditions,
            &mut self.plans,
            &mut self.hedges,
        ];
        lists.into_iter().flatten()
    }
}

fn phrases() -> &'static Phrases {
    static PHRASES: OnceLock<Phrases> = OnceLock::new();
    PHRASES.get_or_init(|| {
        // A test reads the file strictly.
        let mut phrases: Phrases = crate::yaml::read(include_str!("remark.yaml"), "remark.yaml").unwrap_or_default();
        phrases.each().for_each(|text| *text = plain(text));
        phrases
    })
}

/// Bytes of the longest remark that takes an action back and says nothing else.
const LONGEST: usize = 120;
/// What separates clauses, beside a hyphen between blanks.
const CLAUSES: [char; 21] = [
    ',', ';', '.', '!', '?', ':', '(', ')', '[', ']', '\u{2013}', '\u{2014}', '\u{2026}', '\u{3002}', '\u{ff01}',
    '\u{ff08}', '\u{ff09}', '\u{ff0c}', '\u{ff1a}', '\u{ff1b}', '\u{ff1f}',
];

/// What the words behind an action say of it.
#[must_use]
pub fn of(words: &str) -> Remark {
    let known = phrases();
    let remark = words.replace(" - ", ";").replace(" -- ", ";");
    let plain: Vec<String> = remark.split(CLAUSES).map(plain).filter(|clause| !clause.is_empty()).collect();
    let clauses: Vec<&str> = plain.iter().map(|clause| unlinked(clause, known)).collect();
    let holds = |list: &[String], clause: &str| list.iter().any(|known| known == clause);
    let is_filler = |clause: &str| holds(&known.fillers, clause);
    let withdraws = |clause: &str| {
        let is_command = || known.commands.iter().any(|command| begins(clause, command));
        holds(&known.withdrawals, clause) || holds(&known.corrections, clause) || is_command()
    };
    let takes_back = || {
        words.len() <= LONGEST
            && clauses.iter().any(|clause| withdraws(clause))
            && clauses.iter().all(|clause| withdraws(clause) || is_filler(clause))
    };
    // What follows a correction says what is meant instead, or why.
    let is_corrected =
        || clauses.iter().find(|clause| !is_filler(clause)).is_some_and(|clause| holds(&known.corrections, clause));
    if takes_back() || is_corrected() {
        return Remark::TakesBack;
    }
    match (plain.first(), clauses.as_slice()) {
        (Some(first), [clause, later @ ..]) if depends(first, clause, later, known) => Remark::Depends,
        _ => Remark::Explains,
    }
}

/// Whether the first clause, `written` so and `clause` without the words that link it, says on what the action depends. A sentence that goes on
/// behind its condition says what comes then, and is a plan.
fn depends(written: &str, clause: &str, later: &[&str], known: &Phrases) -> bool {
    let begins_with = |list: &[String]| list.iter().any(|phrase| begins(clause, phrase));
    let is_choice = begins(written, "or");
    let is_hedge = known.hedges.iter().any(|hedge| hedge == clause);
    let speaks_of_later = || clause.split(' ').any(|word| ["will", "ll", "shall"].contains(&word));
    let is_plan = || {
        begins_with(&known.plans)
            || speaks_of_later()
            || later.first().is_some_and(|next| !["otherwise", "else"].iter().any(|word| begins(next, word)))
    };
    is_choice || is_hedge || (begins_with(&known.conditions) && !is_plan())
}

/// Whether a clause begins with these words.
fn begins(clause: &str, words: &str) -> bool {
    clause.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// A clause without words at its head that say nothing; the last word is left.
fn unlinked<'a>(clause: &'a str, known: &Phrases) -> &'a str {
    let mut clause = clause;
    while let Some((_, rest)) = clause.split_once(' ').filter(|(word, _)| known.links.iter().any(|link| link == word)) {
        clause = rest;
    }
    clause
}

/// Letters and digits alone, in small letters, words one blank apart: so words are compared that models write in many ways.
#[must_use]
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_alphanumeric() {
            out.extend(letter.to_lowercase());
        } else if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Phrases, Remark, of, plain};

    #[test]
    fn the_file_is_read_and_holds_no_phrase_of_a_kind_twice() {
        let mut read: Phrases = crate::yaml::read(include_str!("remark.yaml"), "remark.yaml").unwrap();
        assert!(read.each().all(|text| !plain(text).is_empty()));
        let mut seen = BTreeSet::new();
        for text in read.withdrawals.iter().chain(&read.corrections).chain(&read.fillers).chain(&read.hedges) {
            assert!(seen.insert(plain(text)), "{text}");
        }
    }

    #[test]
    fn words_that_take_an_action_back() {
        for behind in [
            " (cancelled)",
            " - no, wait",
            " \u{2014} no wait",
            ". Wait, no.",
            " -- never mind",
            " // ignore this",
            " ... actually no",
            "? No",
            " [IGNORED]",
            ", I take that back",
            " (sorry, scratch that)",
            " - no, it is clean",
            "\u{ff08}no\u{ff0c}it is clean\u{ff09}",
            " - no, better hostname=User2",
            ". Never mind, it was a scan of another host",
            " (not now)",
            " - but not yet",
            ". Not really",
            " (don't)",
            " - do not do this",
            " (do not carry this out yet)",
            ": don't execute it before the scan",
        ] {
            assert_eq!(of(behind), Remark::TakesBack, "{behind}");
        }
    }

    #[test]
    fn words_that_leave_an_action_open() {
        for behind in [
            " if it is compromised",
            " - only if it is broken",
            ", but only when the scan is done",
            " unless User2 is worse",
            " (or User2)",
            " or wait",
            " once the session is gone",
            " after the next scan",
            " (maybe)",
            " - perhaps",
            " if it is broken, otherwise nothing",
        ] {
            assert_eq!(of(behind), Remark::Depends, "{behind}");
        }
    }

    #[test]
    fn reasons_and_plans_are_neither() {
        for behind in [
            "",
            " now",
            ".",
            " (wait)",
            ", not",
            " (not User2)",
            " (compromised, not yet restored)",
            " - ignore this alert, it is a scan",
            " (User0: ignore it)",
            " (on second thought this is better than Remove)",
            " (no decoys; wait no longer)",
            " (Sorry, my previous answer was malformed)",
            "; cancelled orders are left out",
            " because no other host was touched",
            " - no other action is needed",
            " - no host has changed",
            " to cancel the session of the attacker",
            ", then wait for the result",
            ". No further step is needed",
            " - do it now",
            ". Do not restore User2, it is clean",
            "; however, it may fail",
            " - but it may be too late",
            ". If it fails, I will restore it",
            ". After that I will monitor",
            " once more",
            " (maybe the attacker is on it)",
            " - not the server, which is clean",
            ". When it is back, the session is gone",
            " - actually the only host that changed",
        ] {
            assert_eq!(of(behind), Remark::Explains, "{behind}");
        }
    }
}
