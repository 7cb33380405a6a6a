//! The grammar of commands: matched at the start and open at the end, as the original's patterns are.

use crate::count::Count;

/// A command as its text says, before anything is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// `craft (.*) using (.*)`: what to make, and the list of what to take.
    Craft {
        /// What to make; an amount may be in front.
        output: &'a str,
        /// What to take, between commas.
        inputs: &'a str,
    },
    /// `get ([0-9]+) (.*)`.
    Get {
        /// How many, in digits.
        count: &'a str,
        /// What, as typed.
        item: &'a str,
    },
    /// `inventory`, whatever follows.
    Inventory,
    /// Nothing of these.
    Unknown,
}

const USING: &str = " using ";

impl<'a> Command<'a> {
    /// Reads a command. Case counts, nothing is trimmed, and what follows a line break is not looked at.
    #[must_use]
    #[inline]
    pub fn read(text: &'a str) -> Self {
        let line = match text.bytes().position(|byte| byte == b'\n') {
            Some(end) => &text[..end],
            None => text,
        };
        // The first pattern is greedy: the last ` using ` parts it.
        if let Some(rest) = line.strip_prefix("craft ")
            && let Some(at) = last_using(rest)
        {
            return Self::Craft { output: &rest[..at], inputs: &rest[at + USING.len()..] };
        }
        if let Some(rest) = line.strip_prefix("get ")
            && let Some((count, item)) = numbered(rest)
        {
            return Self::Get { count, item };
        }
        if line.starts_with("inventory") { Self::Inventory } else { Self::Unknown }
    }
}

#[inline]
fn last_using(text: &str) -> Option<usize> {
    let last = text.len().checked_sub(USING.len())?;
    (0..=last).rev().find(|at| text.as_bytes()[*at..].starts_with(USING.as_bytes()))
}

/// `([0-9]+) (.*)`: digits, one space, and the rest.
#[inline]
pub(crate) fn numbered(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text[digits..].strip_prefix(' ')?;
    (digits > 0).then(|| (&text[..digits], rest))
}

/// What to make: the amount in front of it, 1 without one, and the name.
///
/// `None` if the amount has more digits than CPython reads.
#[inline]
pub(crate) fn output(text: &str) -> Option<(Count, &str)> {
    match numbered(text) {
        Some((count, name)) => Some((Count::read(count)?, name)),
        None => Some((Count::from(1), text)),
    }
}

/// White space as Python's `str.strip` sees it.
#[inline]
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}

#[cfg(test)]
mod tests {
    use super::{Command, trimmed};

    // covers: CYC-034
    #[test]
    fn commands_are_matched_at_their_start() {
        let craft = |output, inputs| Command::Craft { output, inputs };
        let get = |count, item| Command::Get { count, item };
        for (text, command) in [
            ("craft 1 a using 2 b", craft("1 a", "2 b")),
            ("craft a using b using 1 c", craft("a using b", "1 c")),
            ("craft  using 1 c", craft("", "1 c")),
            ("craft  using ", craft("", "")),
            ("craft using 1 c", Command::Unknown),
            ("craft a using\n1 c", Command::Unknown),
            ("craft a using 1 c\nget 1 b using x", craft("a", "1 c")),
            ("craft a", Command::Unknown),
            ("craft", Command::Unknown),
            ("Craft 1 a using 2 b", Command::Unknown),
            (" craft 1 a using 2 b", Command::Unknown),
            ("get 3 oak logs", get("3", "oak logs")),
            ("get 007 ", get("007", "")),
            ("get 3", Command::Unknown),
            ("get 3x y", Command::Unknown),
            ("get -1 y", Command::Unknown),
            ("get  1 y", Command::Unknown),
            ("get 1 a\nb", get("1", "a")),
            ("get 1 a\rb", get("1", "a\rb")),
            ("inventory", Command::Inventory),
            ("inventoryzzz and more", Command::Inventory),
            ("Inventory", Command::Unknown),
            ("", Command::Unknown),
            ("\u{fc} using ", Command::Unknown),
            ("craft \u{fc} using \u{fc}", craft("\u{fc}", "\u{fc}")),
        ] {
            assert_eq!(Command::read(text), command, "{text:?}");
        }
        assert_eq!(trimmed("\u{1f} \u{a0}a b\u{3000}\r"), "a b");
    }
}
