//! Words and parentheses of a PDDL text.

use crate::error::{Fault, GameError};

/// A token: where it begins, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// `(`
    Open,
    /// `)`
    Close,
    /// Anything else up to white space or a parenthesis.
    Word(&'a str),
}

/// Reads tokens one after another; comments run from `;` to the end of the line.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    place: &'static str,
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// A reader at the start of `text`, which is called `place` in errors. The text must be in lower case already.
    pub const fn new(place: &'static str, text: &'a str) -> Self {
        Self { place, text, at: 0 }
    }

    /// Where the next token is looked for.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// The next token; none at the end.
    #[inline]
    pub fn token(&mut self) -> Option<Token<'a>> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at)? {
                b'(' => {
                    self.at += 1;
                    return Some(Token::Open);
                }
                b')' => {
                    self.at += 1;
                    return Some(Token::Close);
                }
                b';' => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                }
                byte if byte.is_ascii_whitespace() || *byte == 0x0B => self.at += 1,
                _ => {
                    let start = self.at;
                    while let Some(byte) = bytes.get(self.at)
                        && !matches!(byte, b'(' | b')' | b';' | b' ' | b'\n' | b'\t' | b'\r' | 0x0B | 0x0C)
                    {
                        self.at += 1;
                    }
                    // All stops are ASCII, so the word begins and ends between characters.
                    return Some(Token::Word(&self.text[start..self.at]));
                }
            }
        }
    }

    /// The next token, which must be there.
    pub fn need(&mut self) -> Result<Token<'a>, GameError> {
        self.token().ok_or_else(|| self.fault(Fault::Unbalanced("the text ends before its last `)`")))
    }

    /// An opening parenthesis.
    pub fn open(&mut self, wanted: &str) -> Result<(), GameError> {
        match self.need()? {
            Token::Open => Ok(()),
            other => Err(self.unexpected(other, wanted)),
        }
    }

    /// A word.
    pub fn word(&mut self, wanted: &str) -> Result<&'a str, GameError> {
        match self.need()? {
            Token::Word(word) => Ok(word),
            other => Err(self.unexpected(other, wanted)),
        }
    }

    /// Goes past everything up to the parenthesis that closes an already opened one.
    pub fn skip(&mut self) -> Result<(), GameError> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.need()? {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                Token::Word(_) => {}
            }
        }
        Ok(())
    }

    /// Nothing may follow.
    pub fn end(&mut self) -> Result<(), GameError> {
        match self.token() {
            None => Ok(()),
            Some(Token::Close) => Err(self.fault(Fault::Unbalanced("there is a `)` too many"))),
            Some(other) => Err(self.unexpected(other, "the end of the text")),
        }
    }

    /// The fault at the token that was read last.
    pub fn fault(&self, fault: Fault) -> GameError {
        self.fault_at(self.at, fault)
    }

    /// The fault at a position.
    pub fn fault_at(&self, at: usize, fault: Fault) -> GameError {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        GameError { place: self.place.to_owned(), line: Some(line), fault }
    }

    /// A token that is not the wanted one.
    pub fn unexpected(&self, found: Token<'_>, wanted: &str) -> GameError {
        let found = match found {
            Token::Open => "`(`".to_owned(),
            Token::Close => "`)`".to_owned(),
            Token::Word(word) => format!("`{}`", shortened(word)),
        };
        self.fault(Fault::Unexpected { found, wanted: wanted.to_owned() })
    }
}

/// A word as an error shows it.
pub fn shortened(word: &str) -> String {
    match word.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}
