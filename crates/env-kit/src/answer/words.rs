//! Words and signs of an answer: what separates, leads on, or says nothing.

/// What parts an action from a remark behind it.
const REMARKS: [&str; 77] = [
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
    "\u{ff08}",
    "\u{3002}",
    "\u{ff1b}",
    "\u{ff0c}\u{56e0}\u{4e3a}",
    "\u{ff0c}\u{7531}\u{4e8e}",
    "\u{ff0c}\u{4ee5}",
    "\u{ff0c}because ",
    " weil ",
    ", weil ",
    ", denn ",
    " car ",
    ", car ",
    " parce que ",
    ", parce que ",
    " porque ",
    ", porque ",
    " now that ",
    ", now that ",
    " given ",
    ", given ",
    " before ",
    ", before ",
    " after ",
    ", after ",
    " if ",
    ", if ",
    ", only if ",
    " unless ",
    ", unless ",
    " once ",
    ", once ",
    " until ",
    ", until ",
    " when ",
    ", when ",
    ", or ",
    ", no ",
    ", not ",
    ", nothing ",
    ", none ",
    ", the ",
    ", it ",
    ", this ",
    ", there ",
    ", all ",
    ", every ",
    ", still ",
    ", but ",
    ", although ",
    REJECTED[0],
    REJECTED[1],
    REJECTED[2],
    REJECTED[3],
];
/// What begins a remark whose first clause names what is not chosen.
const REJECTED: [&str; 4] = [" rather than ", ", rather than ", " instead of ", ", instead of "];
/// What leads, within a clause, to the next action.
const JOINTS: [&str; 3] = [" and ", " then ", " or "];
/// Words of a clause that says what an action is for, or what may come later.
const PURPOSES: [&str; 10] = ["to", "will", "ll", "can", "could", "would", "should", "may", "might", "must"];
/// How many remarks are looked at.
const CUTS: usize = 8;
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
/// Words that turn from one action to another.
const TURNS: [&str; 14] = [
    "no", "nope", "but", "however", "actually", "wait", "maybe", "perhaps", "rather", "better", "sorry", "oops",
    "even", "only",
];
/// Whether what follows a mark is not chosen.
pub(super) fn is_rejected(mark: &str) -> bool {
    REJECTED.contains(&mark)
}

/// The parts of a clause behind words that lead to the next action. Behind words of a purpose or a plan, as in `to find it and remove it`, the
/// clause goes on with that.
pub(super) fn joined(clause: &str) -> impl Iterator<Item = &str> {
    let is_meant_for =
        |before: &str| before.split(|letter: char| !letter.is_alphanumeric()).any(|word| is_one(word, &PURPOSES));
    let joints = JOINTS.iter().flat_map(move |joint| clause.match_indices(joint));
    joints
        .filter(move |(at, _)| !is_meant_for(&clause[..*at]))
        .map(move |(at, joint)| clause[at + joint.len()..].trim())
}

/// Whether only words without meaning follow an action.
#[must_use]
pub fn says_nothing(words: &str) -> bool {
    words.split(|letter: char| !letter.is_alphanumeric()).all(|word| word.is_empty() || is_one(word, &TAILS))
}

pub(super) fn is_one(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Without closing tags, signs and words without meaning at the end.
pub(super) fn trimmed(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let mut shorter = text.trim_end_matches([' ', ',', '!', '.', ';']);
        shorter = untagged(shorter).unwrap_or(shorter);
        let ends = |(head, word): &(&str, &str)| is_one(word, &TAILS) && !head.ends_with(" not");
        // `not now` takes the action back.
        if let Some((head, _)) = shorter.rsplit_once([' ', ',']).filter(ends) {
            shorter = head;
        }
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter.trim();
    }
}

/// Without a tag that opens it.
pub(super) fn opened(text: &str) -> &str {
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
pub(super) fn is_rule(line: &str) -> bool {
    line.chars().all(|letter| matches!(letter, '-' | '=' | '*' | '_' | '`' | '~' | '|' | ':' | ' '))
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
pub(super) fn item(text: &str) -> &str {
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
    without(text, |word| is_one(word, &LINKS))
}

/// Without words at the end that lead to the next action.
pub(super) fn unlinked(text: &str) -> &str {
    let mut text = text.trim();
    while let Some((head, _)) = text.rsplit_once([' ', ',']).filter(|(_, word)| word.is_empty() || is_one(word, &LINKS))
    {
        text = head.trim_end_matches(&[' ', ','][..]);
    }
    text
}

/// Without words that lead, or turn, from one action to another; the name of an action stays.
pub(super) fn turned<'t>(text: &'t str, begins: &impl Fn(&str) -> bool) -> &'t str {
    without(text, |word| is_one(word, &LINKS) || (is_one(word, &TURNS) && !begins(word)))
}

/// Without words that say how many.
pub(super) fn counted(text: &str) -> &str {
    const COUNTS: [&str; 12] =
        ["a", "an", "the", "one", "two", "three", "four", "five", "six", "some", "more", "another"];
    without(text, |word| is_one(word, &COUNTS))
}

/// Without words at the head that say nothing.
fn without(text: &str, says_nothing: impl Fn(&str) -> bool) -> &str {
    let mut text = text.trim();
    loop {
        let word = word_of(text);
        if word.is_empty() || !says_nothing(word) {
            return text;
        }
        let at = text.find(word).unwrap_or(0);
        text = text[at + word.len()..].trim_start_matches([' ', ',', ':']);
    }
}

/// Where a remark may begin: the text before it, the separator, and the remark; the earliest first.
pub(super) fn cuts(text: &str) -> Vec<(&str, &str, &str)> {
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
