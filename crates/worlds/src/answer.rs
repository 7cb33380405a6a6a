//! One action out of an answer: models explain themselves behind it, number it, or write its parts on lines of their own.
//!
//! The action is the first line. What stands behind it, on the line or below, is a remark, unless it names another action:
//! then the answer names two, and none of them is taken.

/// Why no action can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem<E> {
    /// The answer cannot be read.
    Unread(E),
    /// It names two actions.
    Two(String, String),
}

impl<E> Problem<E> {
    /// The message for two actions, where there are two.
    ///
    /// # Errors
    /// The other problem.
    pub fn two(self) -> Result<String, E> {
        match self {
            Self::Unread(error) => Err(error),
            Self::Two(first, second) => {
                Ok(format!("the answer names more than one action (`{first}` and `{second}`); write exactly one"))
            }
        }
    }
}

/// What parts an action from a remark behind it.
const REMARKS: [&str; 24] = [
    " (",
    " - ",
    " \u{2013} ",
    " \u{2014} ",
    "\u{2014}",
    " # ",
    " // ",
    ". ",
    "; ",
    ": ",
    " because ",
    ", because ",
    " since ",
    ", since ",
    " as ",
    ", as ",
    " so that ",
    ", so ",
    " in order to ",
    " to ",
    ", to ",
    " for ",
    ", which ",
    " <",
];
/// How many remarks are looked at.
const CUTS: usize = 8;
/// Beginnings of a remark that take the action back or make it depend on something.
const WITHDRAWALS: [&str; 17] = [
    "no", "not", "never", "don't", "do", "but", "however", "unless", "if", "when", "after", "once", "wait", "maybe",
    "perhaps", "actually", "or",
];
/// Words that lead from one action to the next.
const LINKS: [&str; 16] = [
    "and",
    "or",
    "then",
    "next",
    "also",
    "finally",
    "afterwards",
    "followed",
    "by",
    "else",
    "otherwise",
    "instead",
    "secondly",
    "first",
    "alternatively",
    "plus",
];
/// What parts the clauses of a remark.
const CLAUSES: [char; 8] = [',', ';', '.', '(', ')', ':', '\u{2014}', '"'];
/// Lines that may hold the parts of one action.
const PARTS: usize = 4;

/// Reads one action. `read` reads a text that is an action and nothing else, `begins` tells whether a word is the name of an
/// action, and `second` reads a line or clause as the other action that it may name.
///
/// # Errors
/// What `read` says of the first line, or that there are two.
pub fn one<T: PartialEq, E>(
    text: &str,
    read: impl Fn(&str) -> Result<T, E>,
    begins: impl Fn(&str) -> bool,
    second: impl Fn(&str) -> Option<T>,
) -> Result<T, Problem<E>> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_rule(line)).collect();
    let [first, later @ ..] = lines.as_slice() else { return read(text).map_err(Problem::Unread) };
    let named = |clause: &str| begins(word_of(clause));
    // Another action in a text that should be a remark.
    let other = |action: &T, line: &str| {
        let mut found = None;
        for clause in std::iter::once(line).chain(line.split(CLAUSES)) {
            let clause = linked(item(clause));
            if named(clause) && second(clause).is_some_and(|other| other != *action) {
                found = Some(clause.to_owned());
                break;
            }
        }
        found
    };
    let settled = |action: T| match later.iter().find_map(|line| other(&action, line)) {
        Some(second) => Err(Problem::Two((*first).to_owned(), second)),
        None => Ok(action),
    };
    let error = match read(first) {
        Ok(action) => return settled(action),
        Err(error) => error,
    };
    let bare = item(first);
    if bare.len() < first.len()
        && let Ok(action) = read(bare)
    {
        return settled(action);
    }
    for (head, mark, remark) in cuts(bare) {
        let Ok(action) = read(head) else { continue };
        let withdrawn = WITHDRAWALS.iter().any(|word| word_of(remark).eq_ignore_ascii_case(word));
        // `to remove it` says what for, unless it names another action in full.
        let purpose = mark.ends_with("to ");
        let is_other = |clause: &&str| named(clause) && (!purpose || second(clause).is_some());
        let clause = remark.split(CLAUSES).map(|clause| linked(clause.trim())).find(is_other);
        return match clause {
            Some(clause) if second(clause).as_ref() != Some(&action) => {
                Err(Problem::Two(head.to_owned(), clause.to_owned()))
            }
            _ if withdrawn => Err(Problem::Unread(error)),
            _ => settled(action),
        };
    }
    // The parts of one action on lines of their own.
    if (1..PARTS).contains(&later.len())
        && let Ok(action) = read(&lines.join(", "))
    {
        return Ok(action);
    }
    Err(Problem::Unread(error))
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

/// Whether a line is only drawn.
fn is_rule(line: &str) -> bool {
    line.chars().all(|letter| matches!(letter, '-' | '=' | '*' | '_' | '`' | '~' | '|'))
}

/// The first word.
fn word_of(text: &str) -> &str {
    let text = text.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let end =
        text.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '\''))).unwrap_or(text.len());
    &text[..end]
}

/// Without the sign or the number of a list.
fn item(text: &str) -> &str {
    let text = text.trim().trim_start_matches(['-', '*', '>', '\u{2022}', '#']).trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text[digits..].strip_prefix(['.', ')']) {
        Some(rest) if (1..=2).contains(&digits) => rest.trim_start(),
        _ => text,
    }
}

/// Without words that lead from one action to the next.
fn linked(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let word = word_of(text);
        if word.is_empty() || !LINKS.iter().any(|link| link.eq_ignore_ascii_case(word)) {
            return text;
        }
        let at = text.find(word).unwrap_or(0);
        text = text[at + word.len()..].trim_start_matches([' ', ',', ':']);
    }
}

/// Where a remark may begin: what stands before it, what parts the two, and the remark; the earliest first.
fn cuts(text: &str) -> Vec<(&str, &str, &str)> {
    let mut cuts: Vec<(usize, usize)> = REMARKS
        .iter()
        .flat_map(|mark| text.match_indices(mark).take(CUTS).map(move |(at, _)| (at, at + mark.len())))
        .collect();
    cuts.sort_unstable();
    let parted = cuts
        .into_iter()
        .take(CUTS)
        .map(|(at, end)| (text[..at].trim_end_matches([' ', ',']), &text[at..end], text[end..].trim()));
    parted.filter(|(head, ..)| !head.is_empty()).collect()
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
        ] {
            assert_eq!(of(text), Ok(("Fix".to_owned(), "a".to_owned())), "{text}");
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
        ] {
            assert!(matches!(of(text), Err(Problem::Two(..))), "{text}: {:?}", of(text));
        }
        for text in ["Fix a (no)", "Fix a - if it is broken", "Fix a and b", "Fixing", "", "\n", "Fix a. Not really"] {
            assert!(matches!(of(text), Err(Problem::Unread(_))), "{text}: {:?}", of(text));
        }
    }
}
