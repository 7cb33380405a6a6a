//! Words that name the action itself again: they forbid it, deny what it is about, or say what was meant instead of it.

use super::{Phrases, begins, plain};

/// What an action is called and what it is about, as far as its text shows it.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// The word that it begins with, and the word that a command in quotes begins with.
    verbs: Vec<String>,
    /// Names of its parameters, and the further words of a name such as `MakeNodeSafe`.
    names: Vec<String>,
    /// The other words.
    about: Vec<String>,
}

impl Own {
    /// What an action shows that is written like this.
    pub(super) fn of(action: &str, known: &Phrases) -> Self {
        let action = action.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        let end = action.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(action.len());
        let (name, rest) = action.split_at(end);
        let mut parts = words(&parted(name)).into_iter();
        let verb = parts.next().unwrap_or_default();
        let mut own = Self { verbs: vec![plain(name), verb], names: parts.collect(), about: Vec::new() };
        if let Some((_, command)) = rest.split_once(['"', '\u{201c}']) {
            own.verbs.extend(words(command).into_iter().next());
        }
        for part in rest.split_inclusive(['=', ':']) {
            // The word before the sign is the name of a parameter.
            let (values, name) = match part.strip_suffix(['=', ':']) {
                Some(part) => part.trim_end().rsplit_once([' ', ',', '(', '{', '[']).unwrap_or(("", part.trim_end())),
                None => (part, ""),
            };
            own.about.extend(words(values));
            own.names.extend(words(name));
        }
        own.verbs.retain(|verb| !verb.is_empty());
        let verbs = &own.verbs;
        own.about.retain(|word| !holds(&known.around, word) && !verbs.contains(word));
        own
    }

    /// Whether an action is about anything.
    pub(super) const fn has_values(&self) -> bool {
        !self.about.is_empty()
    }

    /// Whether a clause forbids the action by its own name: `do not restore it`.
    pub(super) fn is_forbidden(&self, clause: &str, known: &Phrases) -> bool {
        let words = words(&widened(clause));
        let end = words.iter().position(|word| holds(&known.joints, word)).unwrap_or(words.len());
        let words = &words[..end];
        let passive = words.iter().any(|word| word == "be");
        let is_own = |word: &String| self.verbs.iter().any(|verb| is_form(word, verb, passive));
        let is_deed = |word: &String| known.deeds.iter().any(|verb| is_form(word, verb, passive));
        let is_need = |word: &String| holds(&known.needs, word);
        // `no restore yet` is a fact; `no restore needed` is not.
        let needs = words.iter().any(is_need);
        let is_no = |word: &String| holds(&known.negations, word) || (needs && word == "no");
        let Some(at) = words.iter().position(is_no) else { return false };
        let names_it =
            words[at..].iter().any(|word| is_own(word) || is_deed(word)) || (needs && words.iter().any(is_own));
        let is_named = |word: &String| is_no(word) || is_need(word) || is_own(word) || is_deed(word);
        let rest: Vec<&String> = words.iter().filter(|word| !is_named(word) && !self.is_around(word, known)).collect();
        names_it && (rest.is_empty() || self.is_about(&rest))
    }

    /// Whether a clause denies what the action is about: `not User1`.
    pub(super) fn is_denied(&self, clause: &str, known: &Phrases) -> bool {
        let words = words(&widened(clause));
        let Some((first, rest)) = words.split_first() else { return false };
        let end = rest.iter().position(|word| holds(&known.joints, word)).unwrap_or(rest.len());
        let rest = self.bare(&rest[..end], known);
        holds(&known.denials, first) && !rest.is_empty() && self.is_about(&rest)
    }

    /// Whether a clause says that something else was meant: `I mean User2`.
    pub(super) fn is_replaced(&self, clause: &str, known: &Phrases) -> bool {
        let clause = widened(clause);
        let said = known.meanings.iter().find(|phrase| begins(&clause, phrase));
        let Some(rest) = said.and_then(|phrase| clause.strip_prefix(phrase.as_str())) else { return false };
        let words = words(rest);
        // `I mean it`, `I mean that it is broken`.
        if words.first().is_none_or(|word| holds(&known.pronouns, word)) {
            return false;
        }
        let rest = self.bare(&words, known);
        !rest.is_empty() && !self.is_about(&rest)
    }

    /// The words that may name something else than the action does.
    fn bare<'w>(&self, words: &'w [String], known: &Phrases) -> Vec<&'w String> {
        let is_verb = |word: &String| self.verbs.iter().any(|verb| is_form(word, verb, false));
        words.iter().filter(|word| !is_verb(word) && !self.is_around(word, known)).collect()
    }

    /// Whether a word names nothing.
    fn is_around(&self, word: &String, known: &Phrases) -> bool {
        self.names.contains(word) || holds(&known.around, word) || holds(&known.pronouns, word)
    }

    /// Whether the words are found in the action, one behind the other.
    fn is_about(&self, words: &[&String]) -> bool {
        self.about.windows(words.len()).any(|own| own.iter().eq(words.iter().copied()))
    }
}

fn holds(list: &[String], word: &str) -> bool {
    list.iter().any(|known| known == word)
}

/// Words in small letters.
fn words(text: &str) -> Vec<String> {
    plain(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// A name in its parts: `MakeNodeSafe` is `Make Node Safe`.
fn parted(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut small = false;
    for letter in name.chars() {
        if small && letter.is_uppercase() {
            out.push(' ');
        }
        small = letter.is_lowercase();
        out.push(letter);
    }
    out
}

/// A text with blanks between words of Chinese or Japanese and others.
fn widened(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    let mut last: Option<char> = None;
    for letter in text.chars() {
        let is_edge = |before: char| (before >= '\u{3000}') != (letter >= '\u{3000}');
        if letter != ' ' && last.is_some_and(|before| before != ' ' && is_edge(before)) {
            out.push(' ');
        }
        out.push(letter);
        last = Some(letter);
    }
    out
}

/// Whether a word is a form of a verb: itself, with `ing`, as a noun (`isolation`, `removal`), or, in the passive, as a participle. British and
/// American spelling are one.
fn is_form(word: &str, verb: &str, passive: bool) -> bool {
    let (word, verb) = (word.replace('z', "s"), verb.replace('z', "s"));
    let stem = verb.strip_suffix('e').unwrap_or(&verb);
    let Some(end) = word.strip_prefix(stem) else { return false };
    // `getting`, `scanned`.
    let doubled = stem.chars().next_back().and_then(|last| end.strip_prefix(last)).unwrap_or(end);
    word == verb
        || ["ing", "ion", "ation", "al", "is"].contains(&end)
        || doubled == "ing"
        || (passive && ["ed", "en", "n"].contains(&doubled))
}
