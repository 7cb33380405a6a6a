//! One action out of an answer: models explain themselves behind it, number it, or write its parts on lines of their own.
//!
//! The action is the first line. What follows it, on the line or below, is a remark, unless it names another action:
//! then the answer names two, and neither is taken. Words and tags without meaning at its end are ignored.

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
/// Words at the end of an action that add nothing, because every action is carried out at once.
const TAILS: [&str; 9] = ["now", "next", "first", "please", "immediately", "instead", "again", "right", "asap"];
/// Words that refer to what was named before.
const PRONOUNS: [&str; 5] = ["it", "this", "that", "them", "both"];
/// Most words of a clause in which another action is looked for.
const CLAUSE_WORDS: usize = 8;
/// What parts the clauses of a remark.
const CLAUSES: [char; 8] = [',', ';', '.', '(', ')', ':', '\u{2014}', '"'];
/// Lines that may hold the parts of one action.
const PARTS: usize = 4;

/// Reads one action. `read` reads a text that is an action and nothing else, `begins` says whether a word is the name of an
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
    let read = |text: &str| match (read(text), trimmed(text)) {
        (Err(_), bare) if !bare.is_empty() && bare.len() < text.trim().len() => read(bare),
        (read, _) => read,
    };
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_rule(line)).collect();
    let [first, later @ ..] = lines.as_slice() else { return read(text).map_err(Problem::Unread) };
    let named = |clause: &str| begins(word_of(clause));
    // Another action in a text that should be a remark.
    let other = |action: &T, line: &str| {
        let mut found = None;
        for clause in std::iter::once(line).chain(line.split(CLAUSES)) {
            let clause = trimmed(linked(item(opened(item(clause)))));
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
        // `to remove it` says what for, unless it names another action in full.
        let purpose = mark.ends_with("to ");
        let other = |clause: &str| {
            let bare = linked(clause);
            let whole = || within(bare, &second);
            match named(bare).then(whole)? {
                Some(other) => (other != action).then(|| bare.to_owned()),
                // `may fail` is nothing that an action could be carried out on; `then remove it` is.
                None => (!purpose && (is_next(clause, bare) || is_on_it(bare))).then(|| bare.to_owned()),
            }
        };
        return match remark.split(CLAUSES).find_map(|clause| other(clause.trim())) {
            Some(clause) => Err(Problem::Two(head.to_owned(), clause)),
            None if withdraws(remark) => Err(Problem::Unread(error)),
            None => settled(action),
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

/// The action that a clause names in full, or with words behind it.
fn within<T>(clause: &str, second: impl Fn(&str) -> Option<T>) -> Option<T> {
    let ends = clause.match_indices(char::is_whitespace).map(|(end, _)| end).skip(1).take(CLAUSE_WORDS);
    second(clause)
        .or_else(|| second(trimmed(clause)))
        .or_else(|| ends.into_iter().find_map(|end| second(&clause[..end])))
}

/// Whether the words before an action say that it comes after another one.
fn is_next(clause: &str, bare: &str) -> bool {
    clause[..clause.len() - bare.len()]
        .split(|letter: char| !letter.is_alphanumeric())
        .any(|word| is_one(word, &["then"]))
}

/// Whether an action is meant for what was named before.
fn is_on_it(clause: &str) -> bool {
    clause.split_whitespace().nth(1).is_some_and(|word| is_one(word_of(word), &PRONOUNS))
}

/// Whether a remark takes the action back or makes it depend on something.
#[must_use]
pub fn withdraws(remark: &str) -> bool {
    is_one(word_of(remark), &WITHDRAWALS)
}

/// Whether only words without meaning follow an action.
#[must_use]
pub fn says_nothing(words: &str) -> bool {
    words.split(|letter: char| !letter.is_alphanumeric()).all(|word| word.is_empty() || is_one(word, &TAILS))
}

fn is_one(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Without closing tags, signs and words without meaning at the end.
fn trimmed(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let mut shorter = text.trim_end_matches([' ', ',', '!', '.', ';']);
        shorter = untagged(shorter).unwrap_or(shorter);
        if let Some((head, _)) = shorter.rsplit_once([' ', ',']).filter(|(_, word)| is_one(word, &TAILS)) {
            shorter = head;
        }
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter.trim();
    }
}

/// Without a tag that opens it.
fn opened(text: &str) -> &str {
    let inside = text.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    inside.filter(|(name, _)| name.chars().all(char::is_alphabetic)).map_or(text, |(_, rest)| rest)
}

/// Without a closing tag, and its opening one if it is there.
fn untagged(text: &str) -> Option<&str> {
    let (head, name) = text.strip_suffix('>')?.rsplit_once("</")?;
    let is_name =
        !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-'));
    let inner = || head.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>');
    is_name.then(|| inner().unwrap_or(head).trim())
}

/// Whether a line is only drawn.
fn is_rule(line: &str) -> bool {
    line.chars().all(|letter| matches!(letter, '-' | '=' | '*' | '_' | '`' | '~' | '|'))
}

/// The first word.
#[must_use]
pub fn word_of(text: &str) -> &str {
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
#[must_use]
pub fn linked(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let word = word_of(text);
        if word.is_empty() || !is_one(word, &LINKS) {
            return text;
        }
        let at = text.find(word).unwrap_or(0);
        text = text[at + word.len()..].trim_start_matches([' ', ',', ':']);
    }
}

/// Where a remark may begin: the text before it, the separator, and the remark; the earliest first.
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
            "Fix a now",
            "Fix a!",
            "Fix a right now, please.",
            "Fix node=a</answer>",
            "<answer>Fix a</answer>",
            "Fix a first, as fix may fail",
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
            "Fix a now - next Fix b",
            "Fix a, as Fix b failed",
            "Fix a; then fix the other",
            "Fix a. Fix it",
        ] {
            assert!(matches!(of(text), Err(Problem::Two(..))), "{text}: {:?}", of(text));
        }
        for text in [
            "now",
            "!",
            "</a>",
            "Fix a not now",
            "Fix a (no)",
            "Fix a - if it is broken",
            "Fix a and b",
            "Fixing",
            "",
            "\n",
            "Fix a. Not really",
        ] {
            assert!(matches!(of(text), Err(Problem::Unread(_))), "{text}: {:?}", of(text));
        }
    }
}
