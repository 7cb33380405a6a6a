//! Lists within lists, of bounded depth.

use super::lexer::{Lexer, Token};
use crate::error::{Fault, GameError};

/// Lists nest no deeper.
const DEEPEST: usize = 100;

/// A word or a list, with the place of its beginning.
#[derive(Clone, Debug)]
pub enum Tree<'a> {
    /// A word.
    Word(&'a str, usize),
    /// What is between two parentheses.
    List(Vec<Tree<'a>>, usize),
}

impl<'a> Tree<'a> {
    /// Reads one tree.
    pub fn read(lexer: &mut Lexer<'a>) -> Result<Self, GameError> {
        match lexer.need()? {
            Token::Word(word) => Ok(Self::Word(word, lexer.at())),
            Token::Close => Err(lexer.unexpected(Token::Close, "a word or a list")),
            Token::Open => Self::rest_of_list(lexer),
        }
    }

    /// Reads what follows an opening parenthesis.
    pub fn rest_of_list(lexer: &mut Lexer<'a>) -> Result<Self, GameError> {
        // A stack of our own, so that no text can use up that of the thread.
        let mut open: Vec<(Vec<Self>, usize)> = vec![(Vec::new(), lexer.at())];
        loop {
            let token = lexer.need()?;
            match token {
                Token::Open => {
                    if open.len() >= DEEPEST {
                        return Err(lexer.fault(Fault::TooDeep(DEEPEST)));
                    }
                    open.push((Vec::new(), lexer.at()));
                }
                Token::Close => {
                    let Some((items, at)) = open.pop() else {
                        return Err(lexer.fault(Fault::Unbalanced("there is a `)` too many")));
                    };
                    let list = Self::List(items, at);
                    match open.last_mut() {
                        Some((outer, _)) => outer.push(list),
                        None => return Ok(list),
                    }
                }
                Token::Word(word) => {
                    if let Some((items, _)) = open.last_mut() {
                        items.push(Self::Word(word, lexer.at()));
                    }
                }
            }
        }
    }

    /// Where it begins.
    pub const fn at(&self) -> usize {
        match self {
            Self::Word(_, at) | Self::List(_, at) => *at,
        }
    }

    /// The word, if it is one.
    pub const fn word(&self) -> Option<&'a str> {
        match self {
            Self::Word(word, _) => Some(word),
            Self::List(..) => None,
        }
    }

    /// The list, if it is one.
    pub fn list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items, _) => Some(items),
            Self::Word(..) => None,
        }
    }

    /// How an error shows it.
    pub fn shown(&self) -> String {
        match self {
            Self::Word(word, _) => format!("`{}`", super::lexer::shortened(word)),
            Self::List(items, _) => match items.first() {
                Some(Self::Word(word, _)) => format!("`({} ...)`", super::lexer::shortened(word)),
                Some(Self::List(..)) => "`((...) ...)`".to_owned(),
                None => "`()`".to_owned(),
            },
        }
    }
}
