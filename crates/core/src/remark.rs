//! What the words behind an action say of it. A model explains itself behind an action, takes the action back, or makes it depend on something:
//! one place tells these apart, for the environments that read actions and for the agents that give them.

mod own;

use std::sync::OnceLock;

use own::Own;
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
    choices: Vec<String>,
    second_thoughts: Vec<String>,
    scopes: Vec<String>,
    negations: Vec<String>,
    needs: Vec<String>,
    deeds: Vec<String>,
    denials: Vec<String>,
    meanings: Vec<String>,
    joints: Vec<String>,
    pronouns: Vec<String>,
    around: Vec<String>,
    tried: Vec<String>,
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
            &mut self.choices,
            &mut self.second_thoughts,
            &mut self.scopes,
            &mut self.negations,
            &mut self.needs,
            &mut self.deeds,
            &mut self.denials,
            &mut self.meanings,
            &mut self.joints,
            &mut self.pronouns,
            &mut self.around,
            &mut self.tried,
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

/// Characters of the longest remark that takes an action back and says nothing else.
const LONGEST: usize = 120;
/// Most words of a clause that only names something.
const NAME: usize = 2;
/// What separates clauses, beside a hyphen between blanks.
const CLAUSES: [char; 21] = [
    ',', ';', '.', '!', '?', ':', '(', ')', '[', ']', '\u{2013}', '\u{2014}', '\u{2026}', '\u{3002}', '\u{ff01}',
    '\u{ff08}', '\u{ff09}', '\u{ff0c}', '\u{ff1a}', '\u{ff1b}', '\u{ff1f}',
];

/// What the words behind an action say of it. `action` is the action as it is written: words may name it again.
#[must_use]
pub fn of(action: &str, words: &str) -> Remark {
    let known = phrases();
    let own = Own::of(action, known);
    let remark = words.replace(" - ", ";").replace(" -- ", ";");
    let plain: Vec<String> = remark.split(CLAUSES).map(plain).filter(|clause| !clause.is_empty()).collect();
    let clauses: Vec<&str> = plain.iter().map(|clause| unlinked(clause, known)).collect();
    let holds = |list: &[String], clause: &str| list.iter().any(|known| known == clause);
    let is_filler = |clause: &str| holds(&known.fillers, clause);
    let withdraws = |clause: &str| {
        let is_scope = |word: &str| holds(&known.scopes, word) || (word == "anything" && !own.has_values());
        // `do not do anything else` forbids others.
        let is_command =
            || known.commands.iter().any(|command| begins(clause, command)) && !clause.split(' ').any(is_scope);
        holds(&known.withdrawals, clause) || holds(&known.corrections, clause) || is_command()
    };
    let denies = |clause: &str| own.is_denied(clause, known);
    let is_reasoned = |clause: &str| {
        let reasons = ["because", "since", "as"];
        known
            .corrections
            .iter()
            .any(|phrase| reasons.iter().any(|reason| begins(clause, &format!("{phrase} {reason}"))))
    };
    let takes_back = || {
        words.chars().count() <= LONGEST
            && clauses.iter().any(|clause| withdraws(clause))
            && clauses.iter().all(|clause| withdraws(clause) || is_filler(clause))
    };
    // Behind a name alone: `User2, not User1`.
    let is_denied_at_end = || {
        let is_short = |clause: &&str| clause.split(' ').count() <= NAME;
        clauses.split_last().is_some_and(|(last, names)| denies(last) && names.iter().all(is_short))
    };
    // What follows a correction says what is meant instead, or why; what is before it, why the action was thought of.
    let mut meant = clauses.iter().filter(|clause| !is_filler(clause));
    let is_corrected = meant
        .next()
        .is_some_and(|first| holds(&known.corrections, first) || is_reasoned(first) || denies(first))
        || meant.next_back().is_some_and(|last| withdraws(last))
        || clauses.windows(2).any(|pair| matches!(pair, ["no", "wait"] | ["wait", "no"]))
        || is_denied_at_end()
        || clauses.iter().any(|clause| {
            holds(&known.second_thoughts, clause) || own.is_forbidden(clause, known) || own.is_replaced(clause, known)
        });
    if takes_back() || is_corrected {
        return Remark::TakesBack;
    }
    match (plain.first(), clauses.as_slice()) {
        (Some(first), [clause, later @ ..]) if depends((first, clause), later, begins_sentence(words), known) => {
            Remark::Depends
        }
        _ => Remark::Explains,
    }
}

/// Whether the words behind another action say that it was tried before, or that it is of no use.
#[must_use]
pub fn is_tried(words: &str) -> bool {
    let words = plain(words);
    phrases().tried.iter().any(|phrase| begins(&words, phrase))
}

/// Whether a remark is a sentence of its own.
fn begins_sentence(words: &str) -> bool {
    words.trim_start().starts_with(['.', ';', '!', '\u{3002}', '\u{ff1b}'])
}

/// Whether the first clause, as it was written and without the words that link it, says on what the action depends. A sentence of its own that
/// goes on behind its condition says what comes then, and is a plan; so does one about what will be.
fn depends((written, clause): (&str, &str), later: &[&str], is_sentence: bool, known: &Phrases) -> bool {
    let begins_with = |list: &[String]| list.iter().any(|phrase| begins(clause, phrase));
    let is_choice = known.choices.iter().any(|choice| begins(written, choice)) && !begins(written, "or else");
    let is_hedge = known.hedges.iter().any(|hedge| hedge == clause);
    let has = |clause: &str, words: &[&str]| clause.split(' ').any(|word| words.contains(&word));
    let speaks_of_later = || std::iter::once(&clause).chain(later).any(|clause| has(clause, &["will", "ll", "shall"]));
    let is_past = || begins(clause, "after") && has(clause, &["was", "were", "had", "did", "failed"]);
    let goes_on = || later.first().is_some_and(|next| !["otherwise", "else"].iter().any(|word| begins(next, word)));
    let is_plan = || {
        begins_with(&known.plans) || clause == "once" || is_past() || speaks_of_later() || (is_sentence && goes_on())
    };
    is_choice || is_hedge || (begins_with(&known.conditions) && !is_plan())
}

/// Whether a clause begins with these words.
fn begins(clause: &str, words: &str) -> bool {
    // Chinese and Japanese write no blanks between words.
    let is_wide = || words.ends_with(|last: char| last >= '\u{3000}');
    clause.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ') || is_wide())
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

    use super::{Phrases, Remark, is_tried, of, plain};

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
            " (compromised) - cancelled",
            " - it is compromised. No, wait, it is clean",
            ". It is compromised. Never mind.",
            " - compromised; scratch that, it is clean",
            " - not yet, the scan is missing",
            " (cancelled because User1 is clean)",
            " (withdrawn, see above)",
            " - on second thought, User2",
            " (rejected)",
            " (nein)",
            "\u{ff08}\u{53d6}\u{6d88}\u{ff09}",
        ] {
            assert_eq!(of("Restore hostname=User1", behind), Remark::TakesBack, "{behind}");
        }
    }

    fn read(answers: &[&str], remark: Remark) {
        for answer in answers {
            let (action, words) = answer.split_once('|').unwrap();
            assert_eq!(of(action, words), remark, "{answer}");
        }
    }

    #[test]
    fn an_action_is_taken_back_by_its_own_verb() {
        read(
            &[
                "Restore hostname=User1| (do not restore it)",
                "Restore hostname=User1| - don't restore it, it is clean",
                "Restore hostname=User1| - it is clean. Do not restore it before the scan.",
                "Restore hostname=User1|. I will not restore User1 now",
                "Restore hostname=User1| - never restore User1",
                "Restore hostname=User1| (do not restore User1 and User2)",
                "Restore hostname=User1| (do not restore the host)",
                "Restore hostname=User1| - no restore needed",
                "Restore hostname=User1| (restoring it is not necessary)",
                "Restore hostname=User1| - there is no need to restore it",
                "Restore hostname=User1| - it should not be restored yet",
                "Restore hostname=User1| - User1 can't be restored",
                "Restore hostname=User1| - avoid restoring this host",
                "Restore hostname=User1| (nicht restore)",
                "Restore hostname=User1|\u{ff08}\u{4e0d}\u{8981}restore\u{5b83}\u{ff09}",
                "Restore hostname=User1| (not necessary to do it)",
                "Analyse hostname=User1| - don't analyze it",
                "IsolateNode node=node_3| (no isolation needed)",
                "Remove hostname=User1| - removal of User1 is not necessary",
                "MakeNodeSafe node=node_3| (do not make it safe)",
                "RestoreNode node=node_3| (do not restore node_3)",
                "Monitor| - do not monitor",
                "go to safe 1| - don't go to safe 1",
                "explore command=\"go to safe 1\"| - do not go there",
                "take creditcard 1 from desk 2| (do not take creditcard 1)",
                "get 2 oak logs| (no need to get them)",
            ],
            Remark::TakesBack,
        );
        read(
            &[
                "Remove hostname=User1| - do not restore it",
                "Remove hostname=User1| (do not restore User2)",
                "Restore hostname=User1| (do not restore User2)",
                "Restore hostname=User1| (do not restore other hosts)",
                "Restore hostname=User1| - do not restore anything else",
                "Restore hostname=User1| - do not wait to restore it",
                "Restore hostname=User1| - not yet restored",
                "Restore hostname=User1| (it was never restored)",
                "Restore hostname=User1| - if I do not restore it, the attacker stays",
                "Restore hostname=User1| because it cannot restore itself",
                "Restore hostname=User1| (no restore was tried before)",
                "Restore hostname=User1| - I do not need a scan for it",
                "Restore hostname=User1| (removing it is not enough)",
                "Restore hostname=User1| - do not execute anything else",
                "Monitor| - do not do anything",
                "Monitor|. No need to do anything now",
                "Monitor| - no need to restore User1",
                "Analyse hostname=User1| - I did not analyse it yet",
                "go to safe 1| - do not go to bed 1",
                "take creditcard 1 from desk 2| (do not take creditcard 2 from desk 1)",
                "MakeNodeSafe node=node_3| (do not make node_4 safe)",
                "get 2 oak logs| - do not get more",
            ],
            Remark::Explains,
        );
    }

    #[test]
    fn an_action_is_taken_back_where_what_it_is_about_is_denied() {
        read(
            &[
                "Restore hostname=User1| (not User1)",
                "Restore hostname=User1| - not the host User1, which is clean",
                "Restore hostname=User1| (not hostname=User1 but User2)",
                "Restore hostname=User1| (User2, not User1)",
                "Restore hostname=User1| - I mean User2",
                "Restore hostname=User1|, I mean User2",
                "Restore hostname=User1| - sorry, I meant Remove User1",
                "Restore hostname=User1| (ich meine User2)",
                "Restore hostname=Op_Server0| (not op_server0)",
                "Restore hostname=User1|\u{ff08}\u{4e0d}\u{662f}User1\u{ff09}",
                "go to safe 1| - I mean bed 1",
                "go to safe 1| (not safe 1)",
                "get 2 oak logs| (not 2)",
                "MakeNodeSafe node=node_3| (not node_3)",
            ],
            Remark::TakesBack,
        );
        read(
            &[
                "Restore hostname=User1| (not User2)",
                "Restore hostname=User1| (not only User1)",
                "Restore hostname=User1| - I mean it",
                "Restore hostname=User1| - I mean User1, not User2",
                "Restore hostname=User1| (I mean that it is compromised)",
                "Restore hostname=User1| - I mean, it is clear",
                "Restore hostname=User1| - the attacker came from User0 in the last step, not User1",
                "Restore hostname=Op_Server0| (not Op_Server1)",
                "go to safe 1| (not bed 1)",
                "take creditcard 1 from desk 2| (not desk 1)",
                "get 2 oak logs| (not 3)",
                "MakeNodeSafe node=node_3| (not node_4)",
            ],
            Remark::Explains,
        );
    }

    #[test]
    fn what_was_tried_is_no_second_action() {
        for words in
            [" failed", " did not work", " didn't help.", " was not enough", " is not sufficient", " already failed"]
        {
            assert!(is_tried(words), "{words}");
        }
        for words in ["", " next", " is better", " has to be done", " was meant", " failedhost", " was not done yet"] {
            assert!(!is_tried(words), "{words}");
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
            " (not sure)",
            " - perhaps",
            " if it is broken, otherwise nothing",
            " (if User1 is compromised, which I doubt)",
            " - if the alert is real, as Analyse says",
            " as long as it is broken",
            " (nur wenn kompromittiert)",
            "\u{ff08}\u{5982}\u{679c}\u{88ab}\u{653b}\u{7834}\u{ff09}",
        ] {
            assert_eq!(of("Restore hostname=User1", behind), Remark::Depends, "{behind}");
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
            " (even if it costs a point)",
            " (once)",
            " if possible",
            " after it was exploited in the last step",
            " (if it fails, I will restore it)",
            " or else the attacker moves on",
        ] {
            assert_eq!(of("Restore hostname=User1", behind), Remark::Explains, "{behind}");
        }
    }
}
