//! The query language of full-text search (SPEC 5a): words that are all wanted, `OR`, `NOT` or `-word`, `"exact phrase"`,
//! trailing `*`, brackets. Case does not matter, but for the operators, which are written in capitals.

use thiserror::Error;

/// Longest query in bytes.
pub const LONGEST: usize = 2000;
/// Deepest nesting of brackets.
const DEEPEST: usize = 16;

/// What a document must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// These words, one after the other; a single word is a phrase of one.
    Phrase(Vec<String>),
    /// Words, the last of which may go on.
    Prefix(Vec<String>),
    /// All of these.
    And(Vec<Query>),
    /// One of these.
    Or(Vec<Query>),
    /// Not this.
    Not(Box<Query>),
}

/// Why a query is none.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum QueryError {
    /// There is no word in it.
    #[error("the query holds no word; give at least one word or \"exact phrase\"")]
    Empty,
    /// Longer than is read.
    #[error("the query is longer than {LONGEST} bytes; shorten it")]
    Long,
    /// Brackets in brackets in brackets.
    #[error("the query nests more than {DEEPEST} brackets; write it flatter")]
    Deep,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Open,
    Close,
    And,
    Or,
    Not,
    Leaf(Query),
}

impl Query {
    /// Reads a query. Quotes and brackets that are not closed end with it.
    ///
    /// # Errors
    /// When it holds no word, or is too long or too deep.
    ///
    /// # Examples
    /// ```
    /// use gimbal_finance_agent::query::Query;
    ///
    /// let query = Query::parse("\"net sales\" -restated (guid* OR outlook)")?;
    /// assert_eq!(query.to_string(), "\"net sales\" AND NOT restated AND (guid* OR outlook)");
    /// # Ok::<(), gimbal_finance_agent::query::QueryError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        if text.len() > LONGEST {
            return Err(QueryError::Long);
        }
        let tokens = tokens(text);
        let mut reader = Reader { tokens: &tokens, at: 0 };
        let mut parts = Vec::new();
        while reader.at < tokens.len() {
            parts.extend(reader.either(0)?);
            // A bracket that nothing opened.
            reader.at += usize::from(reader.at < tokens.len());
        }
        joined(parts, Self::And).ok_or(QueryError::Empty)
    }
}

/// The one, or all of several; none of none.
fn joined(mut parts: Vec<Query>, all: fn(Vec<Query>) -> Query) -> Option<Query> {
    match parts.len() {
        0 | 1 => parts.pop(),
        _ => Some(all(parts)),
    }
}

/// What is not the part; twice not is the part itself.
fn negation(part: Query) -> Query {
    match part {
        Query::Not(inner) => *inner,
        part => Query::Not(Box::new(part)),
    }
}

/// The words of a text, in lower case: runs of letters and digits, as the index takes them.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        match first {
            '(' => tokens.push(Token::Open),
            ')' => tokens.push(Token::Close),
            '-' if after.starts_with(|next: char| next.is_alphanumeric() || next == '"' || next == '(')
                && !matches!(tokens.last(), Some(Token::Not)) =>
            {
                tokens.push(Token::Not);
            }
            '"' | '\u{201c}' | '\u{201d}' => {
                let end = after.find(['"', '\u{201c}', '\u{201d}']).unwrap_or(after.len());
                let (inside, behind) = after.split_at(end);
                let phrase = words(inside);
                if !phrase.is_empty() {
                    tokens.push(Token::Leaf(Query::Phrase(phrase)));
                }
                rest = behind.chars().next().map_or("", |quote| &behind[quote.len_utf8()..]);
                continue;
            }
            _ if first.is_alphanumeric() => {
                // A word runs to the next blank, bracket or quote; a minus inside of it joins.
                let end = rest.find(|letter: char| letter.is_whitespace() || matches!(letter, '(' | ')' | '"' | ','));
                let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
                tokens.push(match word {
                    "AND" => Token::And,
                    "OR" => Token::Or,
                    "NOT" => Token::Not,
                    _ => {
                        let plain = words(word);
                        Token::Leaf(if word.ends_with('*') { Query::Prefix(plain) } else { Query::Phrase(plain) })
                    }
                });
                rest = behind;
                continue;
            }
            _ => {}
        }
        rest = after;
    }
    tokens
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl Reader<'_> {
    fn either(&mut self, depth: usize) -> Result<Option<Query>, QueryError> {
        let mut parts = Vec::new();
        loop {
            parts.extend(self.every(depth)?);
            if self.tokens.get(self.at) != Some(&Token::Or) {
                return Ok(joined(parts, Query::Or));
            }
            self.at += 1;
        }
    }

    fn every(&mut self, depth: usize) -> Result<Option<Query>, QueryError> {
        let mut parts = Vec::new();
        let mut negated = false;
        while let Some(token) = self.tokens.get(self.at) {
            let part = match token {
                Token::Or | Token::Close => break,
                Token::And => {
                    self.at += 1;
                    continue;
                }
                Token::Not => {
                    self.at += 1;
                    negated = !negated;
                    continue;
                }
                Token::Leaf(leaf) => {
                    self.at += 1;
                    Some(leaf.clone())
                }
                Token::Open => {
                    if depth == DEEPEST {
                        return Err(QueryError::Deep);
                    }
                    self.at += 1;
                    let inner = self.either(depth + 1)?;
                    self.at += usize::from(self.tokens.get(self.at) == Some(&Token::Close));
                    inner
                }
            };
            if let Some(part) = part {
                parts.push(if std::mem::take(&mut negated) { negation(part) } else { part });
            }
        }
        Ok(joined(parts, Query::And))
    }
}

impl std::fmt::Display for Query {
    /// The query as [`Query::parse`] reads it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |f: &mut std::fmt::Formatter<'_>, parts: &[Self], by: &str| {
            for (at, part) in parts.iter().enumerate() {
                f.write_str(if at == 0 { "" } else { by })?;
                match part {
                    Self::And(_) | Self::Or(_) => write!(f, "({part})")?,
                    _ => write!(f, "{part}")?,
                }
            }
            Ok(())
        };
        match self {
            // A lone operator word is quoted, so that it stays a word.
            Self::Phrase(words) if words.len() == 1 && !matches!(words[0].as_str(), "and" | "or" | "not") => {
                f.write_str(&words[0])
            }
            Self::Phrase(words) => write!(f, "\"{}\"", words.join(" ")),
            Self::Prefix(words) => write!(f, "{}*", words.join(".")),
            Self::And(parts) => list(f, parts, " AND "),
            Self::Or(parts) => list(f, parts, " OR "),
            Self::Not(part) => match &**part {
                Self::And(_) | Self::Or(_) => write!(f, "NOT ({part})"),
                _ => write!(f, "NOT {part}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> String {
        Query::parse(text).map_or_else(|error| error.to_string(), |query| query.to_string())
    }

    #[test]
    fn the_language_of_the_service_is_read() {
        for (text, expected) in [
            ("substantial doubt", "substantial AND doubt"),
            ("\"substantial doubt\" OR \"material weakness\"", "\"substantial doubt\" OR \"material weakness\""),
            ("a OR b c", "a OR (b AND c)"),
            ("(a OR b) c", "(a OR b) AND c"),
            ("revenue -restated NOT draft", "revenue AND NOT restated AND NOT draft"),
            ("guid* 2024", "guid* AND 2024"),
            ("S&P non-GAAP", "\"s p\" AND \"non gaap\""),
            ("a AND AND b OR", "a AND b"),
            ("\"never closed phrase", "\"never closed phrase\""),
            ("((a) b", "a AND b"),
            (") a ) b (", "a AND b"),
            ("-(a OR b)", "NOT (a OR b)"),
            ("-(-(a", "a"),
            ("\"or\" and", "\"or\" AND \"and\""),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_query_is_refused() {
        for text in ["", "  ", "\"\"", "AND OR", "()", "***"] {
            assert_eq!(Query::parse(text), Err(QueryError::Empty), "{text}");
        }
        assert_eq!(Query::parse(&"a ".repeat(1001)), Err(QueryError::Long));
        assert_eq!(Query::parse(&"(".repeat(40)), Err(QueryError::Deep));
    }

    proptest! {
        #[test]
        fn what_is_read_is_written_and_read_again(text in "[a-c\" ()*-]{0,24}|(AND|OR|NOT|a|b*| |\\(|\\)|-){0,12}") {
            if let Ok(query) = Query::parse(&text) {
                let written = query.to_string();
                prop_assert_eq!(Query::parse(&written), Ok(query), "{}", written);
            }
        }
    }
}
