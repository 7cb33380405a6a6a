//! One action out of an answer: models explain themselves behind it, number it, or write its parts on lines of their own.
//!
//! The action is the first line. What follows it, on the line or below, is a remark, unless it names another action:
//! then the answer names two, and neither is taken. Words and tags without meaning at its end are ignored.

mod reader;
mod table;
mod words;

use std::fmt::Display;

use gimbal_core::{Rejection, RejectionKind, Remark, remark};

use words::{counted, item, turned};
pub use words::{linked, says_nothing, word_of};

/// Why no action can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem<E> {
    /// The answer cannot be read.
    Unread(E),
    /// A row of the table that it begins with cannot be read.
    Row {
        /// Its place below the names, from 1.
        number: usize,
        /// Its cells.
        row: String,
        /// Why it cannot be read.
        error: E,
    },
    /// It names two actions.
    Two(String, String),
    /// The words behind an action take it back.
    TakenBack {
        /// The action, as written.
        action: String,
        /// The words behind it.
        remark: String,
    },
    /// The words behind an action make it depend on something.
    Depends {
        /// The action, as written.
        action: String,
        /// The words behind it.
        remark: String,
    },
}

/// Most characters of a text that a message repeats.
const SHOWN: usize = 80;

impl<E: Display> Problem<E> {
    /// What is wrong with an answer that can be read and is not taken.
    ///
    /// # Errors
    /// Why the answer cannot be read, if it cannot.
    pub fn message(self) -> Result<String, E> {
        match self {
            Self::Unread(error) => Err(error),
            Self::Row { number, row, error } => {
                Ok(format!("row {number} of the table (`{}`) is not read as an action: {error}", shown(&row)))
            }
            Self::Two(first, second) => Ok(format!(
                "the answer names more than one action (`{}` and `{}`); write exactly one",
                shown(&first),
                shown(&second)
            )),
            Self::TakenBack { action, remark } => Ok(format!(
                "the words behind `{}` take it back (`{}`); write one action and nothing behind it",
                shown(&action),
                shown(&remark)
            )),
            Self::Depends { action, remark } => Ok(format!(
                "the words behind `{}` leave open whether it is meant (`{}`), and an action is carried out at once; \
                 write one action without a condition",
                shown(&action),
                shown(&remark)
            )),
        }
    }
}

impl Problem<Rejection> {
    /// The rejection of the answer.
    #[must_use]
    pub fn rejection(self) -> Rejection {
        let kind = if let Self::Row { error, .. } = &self { error.kind } else { RejectionKind::Unreadable };
        self.message().map_or_else(|error| error, |message| Rejection::new(kind, message))
    }
}

fn shown(text: &str) -> String {
    text.trim().chars().take(SHOWN).collect()
}

/// Lines that may hold the parts of one action.
const PARTS: usize = 4;

/// Reads one action. `read` reads a text that is an action and nothing else, `begins` says whether a word is the name of an
/// action, and `second` reads a line or clause as the other action that it may name.
///
/// # Errors
/// What `read` says of the first line, that there are two, or that the action is not meant.
pub fn one<T: PartialEq, E>(
    text: &str,
    read: impl Fn(&str) -> Result<T, E>,
    begins: impl Fn(&str) -> bool,
    second: impl Fn(&str) -> Option<T>,
) -> Result<T, Problem<E>> {
    reader::Reader { read: &read, begins: &begins, second: &second }.one(text)
}

/// Two actions that one line names, where an environment would take any line for one command.
pub fn several<T: PartialEq>(
    text: &str,
    begins: impl Fn(&str) -> bool,
    second: impl Fn(&str) -> Option<T>,
) -> Option<(String, String)> {
    let line = text.trim().lines().next().unwrap_or_default();
    let mut first: Option<(T, &str)> = None;
    for clause in line.split([',', ';']).flat_map(|clause| clause.split(". ")).map(|clause| linked(item(clause))) {
        let Some(action) = second(clause).filter(|_| begins(word_of(clause))) else { continue };
        match &first {
            Some((known, written)) if *known != action => return Some(((*written).to_owned(), clause.to_owned())),
            Some(_) => {}
            None => first = Some((action, clause)),
        }
    }
    None
}

/// One action with a remark behind a comma, in an environment whose actions hold commas themselves. `read` reads actions that are known to be
/// right, and `names` says whether a clause begins with something that an action is about. `None` if there is no such action.
pub fn before_comma<T, E>(
    text: &str,
    read: impl Fn(&str) -> Result<T, E>,
    names: impl Fn(&str) -> bool,
) -> Option<Result<T, Problem<E>>> {
    let line = item(text.trim().lines().next()?);
    let commas = line.match_indices([',', '\u{ff0c}']);
    let (action, head, remark) = commas.take(PARTS).find_map(|(at, _)| {
        let (head, remark) = line.split_at(at);
        Some((read(head).ok()?, head, remark))
    })?;
    let clause = turned(remark.trim_start_matches([',', '\u{ff0c}']), &|_| false);
    let is_another = clause.starts_with(|first: char| first.is_ascii_digit()) || names(counted(clause));
    Some(match judged(action, head, remark) {
        Ok(_) if is_another => Err(Problem::Two(head.to_owned(), clause.to_owned())),
        judged => judged,
    })
}

/// The action, if the words behind it let it be meant. `head` is the action as written, `remark` what follows it on its line.
///
/// # Errors
/// What the words say instead.
pub fn judged<T, E>(action: T, head: &str, remark: &str) -> Result<T, Problem<E>> {
    let said = || (head.to_owned(), remark.trim().to_owned());
    match remark::of(head, remark) {
        Remark::Explains => Ok(action),
        Remark::TakesBack => {
            let (action, remark) = said();
            Err(Problem::TakenBack { action, remark })
        }
        Remark::Depends => {
            let (action, remark) = said();
            Err(Problem::Depends { action, remark })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(String, String), String> {
        match text.split_once(' ') {
            None if text == "Wait" => Ok(("Wait".to_owned(), String::new())),
            Some(("Fix", node)) if ["a", "b"].contains(&node.trim_start_matches("node=")) => {
                Ok(("Fix".to_owned(), node.trim_start_matches("node=").to_owned()))
            }
            Some(("Fix,", "node=a")) => read("Fix a"),
            _ => Err(format!("no {text}")),
        }
    }

    fn of(text: &str) -> Result<(String, String), Problem<String>> {
        one(text, read, |word| ["fix", "wait"].contains(&word.to_lowercase().as_str()), |text| read(text).ok())
    }

    // covers: BOG-032
    #[test]
    fn remarks_do_not_count() {
        for text in [
            "Fix a",
            "Fix a\nIt is broken.",
            "Fix a (it is broken)",
            "Fix a - it is broken, and fixing helps",
            "Fix a because it is broken",
            "Fix a. It is broken",
            "1. Fix a",
            "- Fix a",
            "Fix a\n\nFix a",
            "Fix a\n---\nThis will fix what is broken. Waiting does not help.",
            "Fix\nnode=a",
            "Fix a # now",
            "Fix a to fix what is broken",
            "Fix a now",
            "Fix a!",
            "Fix a right now, please.",
            "Fix node=a</answer>",
            "<answer>Fix a</answer>",
            "Fix a first, as fix may fail",
            "Fix a - no node has changed",
            "Fix a (not b, which is well)",
            "Fix a. Do it before b fails",
            "Fix a. If it fails again, I will wait",
            "Fix a; however, it may fail",
            "Fix a\u{ff08}it is broken\u{ff09}",
            "Fix a\u{3002}",
            "Fix a Fix a",
            "Fix a, as Fix b failed",
            "Fix a because Fix b did not help",
            "Fix a (Wait was not enough)",
            "Fix a because it is broken and Fix b failed",
            "Fix a - to see whether to wait and Fix b",
            "Fix a rather than fixing b",
            "Fix a instead of Fix b",
            "Fix a, no other is broken",
            "Fix a, the broken one",
            "Fix a if possible",
            "Fix a (do not fix b)",
            "Fix a (not b)",
            "| Action | node |\n|---|:---:|\n| Fix | a |",
            "| Step | Action | Reason |\n| --- | --- | --- |\n| 1 | Fix node=a | it is broken |",
            "| Field | Value |\n|---|---|\n| Action | Fix |\n| Node | a |",
            "| Action | Fix |\n|---|---|\n| Node | `a` |",
            "| Fix | a |",
        ] {
            assert_eq!(of(text), Ok(("Fix".to_owned(), "a".to_owned())), "{text}");
        }
        for text in ["Wait now that a is well", "Wait, no alerts", "Wait once more", "Wait, nothing is broken"] {
            assert_eq!(of(text), Ok(("Wait".to_owned(), String::new())), "{text}");
        }
    }

    #[test]
    fn two_actions_are_none() {
        for text in [
            "Fix a\nFix b",
            "1. Fix a\n2. Fix b",
            "Fix a\nthen Wait",
            "Fix a (or Fix b)",
            "Fix a - then Wait",
            "Fix a. Wait",
            "Fix a\nNo, better: Wait",
            "Fix a; Fix b",
            "Fix a (not now, Wait instead)",
            "Fix a now - next Fix b",
            "Fix a, as Fix b is better",
            "Fix a; then fix the other",
            "Fix a. Fix it",
            "Fix a Fix b",
            "Fix a - no, Fix b",
            "Fix a - actually b",
            "Fix a (or rather b)",
            "Fix a (or b)",
            "Fix a\n| Fix | b |",
            "| Action | node | Reason |\n|---|---|---|\n| Fix | a | then Fix b |",
            "Fix a (maybe Fix b is better)",
            "Fix a and then Fix b",
            "Fix a because it is broken and then Fix b",
            "Fix a - Fix b failed, then Wait",
            "Fix a, the node=b",
            "Fix a, no b",
            "Fix a before Fix b",
            "Fix a rather than Wait then Fix b",
            "| Action | node |\n|---|---|\n| Fix | a |\n| Fix | b |",
        ] {
            assert!(matches!(of(text), Err(Problem::Two(..))), "{text}: {:?}", of(text));
        }
        for text in
            ["now", "!", "</a>", "Fix a not now", "Fix a and b", "Fix a Fix the other", "||", "Fixing", "", "\n"]
        {
            assert!(matches!(of(text), Err(Problem::Unread(_))), "{text}: {:?}", of(text));
        }
    }

    #[test]
    fn a_table_has_further_columns_and_no_outer_signs() {
        for text in [
            "Action | node\n--- | ---\nFix | a",
            "Action | node |\n--- | --- |\nFix | a |",
            "Step | Action | Reason\n--- | --- | ---\n1 | Fix a | it is broken",
            "Field | Value\n--- | ---\nAction | Fix\nNode | a",
            "| Action | node | Severity |\n|---|---|---|\n| Fix | a | high |",
            "| Action | Severity |\n|---|---|\n| Fix a | high |",
            "| Action | node | Evidence | Severity |\n|---|---|---|---|\n| Fix | a | two alerts | high |",
        ] {
            assert_eq!(of(text), Ok(("Fix".to_owned(), "a".to_owned())), "{text}");
        }
        for text in [
            "| Action | node | Backup |\n|---|---|---|\n| Fix | a | b |",
            "| Action | node | Backup |\n|---|---|---|\n| Fix | a | Wait |",
            "| Action | node | Backup |\n|---|---|---|\n| Fix | a | node_3 |",
            "| Action | node | Condition |\n|---|---|---|\n| Fix | a | broken |",
            "| Action | node | Approved |\n|---|---|---|\n| Fix | a | nobody |",
            "| Action | node |\n|---|---|\n| Wait | a |",
            "| Action | Severity |\n|---|---|\n| Fix | high |",
            "| Action | One | Another |\n|---|---|---|\n| Fix | a | b |",
            "| Action | node |\n|---|---|\n| Mend | a |",
            "| Action | node |\n|---|---|\n| Mend | a |\n| Fix | b |",
            "| Priority | Action |\n|---|---|\n| 1 | Fix a (no) |\n| 2 | Fix b |",
        ] {
            assert!(matches!(of(text), Err(Problem::Row { number: 1, .. })), "{text}: {:?}", of(text));
        }
        let severity = "| Action | node | Severity |\n|---|---|---|\n| Fix | a |";
        assert!(matches!(of(&format!("{severity} cancelled |")), Err(Problem::TakenBack { .. })));
        assert!(matches!(of(&format!("{severity} if broken |")), Err(Problem::Depends { .. })));
        assert!(matches!(of("Action | node\n--- | ---\nFix | a\nFix | b"), Err(Problem::Two(..))));
        assert!(matches!(of("node | state\n--- | ---\na | broken"), Err(Problem::Unread(_))));
        assert_eq!(
            of("| Action | node |\n|---|---|\n| Fix | a |\n| Mend | b |").unwrap_err().message(),
            Ok("row 2 of the table (`Mend b`) is not read as an action: no Mend node=b".to_owned())
        );
    }

    #[test]
    fn an_action_that_is_not_meant_is_not_taken() {
        let row = "| Action | node | Reason |\n|---|---|---|\n| Fix | a |";
        let (beside, below) = (format!("{row} cancelled |"), format!("{row} broken |\nNo, wait."));
        for text in [
            &beside,
            &below,
            "Fix a (no)",
            "Fix a. Not really",
            "Fix a - no, it is well",
            "Fix a (do not carry this out)",
            "Fix a (do not fix it)",
            "Fix b - not b",
            "Fix a - I mean b",
            "Fix b, not b",
        ] {
            assert!(matches!(of(text), Err(Problem::TakenBack { .. })), "{text}: {:?}", of(text));
        }
        for text in [
            "Fix a - if it is broken",
            "Fix a (unless b is worse)",
            "Fix a (or what is best)",
            "Fix a - maybe",
            "Fix a if it is broken",
            "Fix a, once it is broken",
        ] {
            assert!(matches!(of(text), Err(Problem::Depends { .. })), "{text}: {:?}", of(text));
        }
        assert_eq!(
            of("Fix a (no)").unwrap_err().message(),
            Ok("the words behind `Fix a` take it back (`(no)`); write one action and nothing behind it".to_owned())
        );
    }
}
