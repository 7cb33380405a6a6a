//! The outer form of a grammar: `grammar :: """json""";` and `action NAME { template :: "..."; feedback :: "..."; }`.

use serde_json::{Map, Value};

use crate::error::{Fault, GameError};

/// What an action says, as written.
#[derive(Clone, Debug)]
pub struct ActionBlock {
    /// The action, as written.
    pub name: String,
    /// The command.
    pub template: Option<String>,
    /// What is seen after it.
    pub feedback: Option<String>,
}

/// A grammar with its texts still unread.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// Symbols and their rules, from all blocks.
    pub symbols: Map<String, Value>,
    /// Actions in order.
    pub actions: Vec<ActionBlock>,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Blocks {
    /// Reads the outer form and the JSON in it.
    pub fn read(text: &str) -> Result<Self, GameError> {
        let mut reader = Reader { text, at: 0 };
        let mut blocks = Self::default();
        while reader.blank() {
            match reader.word() {
                "grammar" => {
                    let value = reader.value()?;
                    reader.rules(value, &mut blocks)?;
                }
                "action" => {
                    reader.blank();
                    let name = reader.word().to_owned();
                    reader.punctuation("{")?;
                    let action = reader.action(name, &mut blocks)?;
                    blocks.actions.push(action);
                }
                "" => return Err(reader.wrong("`grammar` or `action`")),
                other => {
                    let found = format!("`{}`", crate::pddl::shortened(other));
                    return Err(reader.fault(Fault::Unexpected { found, wanted: "`grammar` or `action`".to_owned() }));
                }
            }
        }
        Ok(blocks)
    }
}

impl<'a> Reader<'a> {
    /// Skips blanks and lines of comment; whether anything follows.
    fn blank(&mut self) -> bool {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return !trimmed.is_empty();
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn word(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn punctuation(&mut self, wanted: &str) -> Result<(), GameError> {
        self.blank();
        if self.text[self.at..].starts_with(wanted) {
            self.at += wanted.len();
            return Ok(());
        }
        Err(self.wrong(&format!("`{wanted}`")))
    }

    /// `:: "text";` or `:: """text""";`
    fn value(&mut self) -> Result<&'a str, GameError> {
        self.punctuation("::")?;
        self.blank();
        let rest = &self.text[self.at..];
        let quote = if rest.starts_with("\"\"\"") { "\"\"\"" } else { "\"" };
        if !rest.starts_with(quote) {
            return Err(self.wrong("a text in `\"` or `\"\"\"`"));
        }
        let inside = &rest[quote.len()..];
        let Some(end) = inside.find(quote) else {
            return Err(self.fault(Fault::Unbalanced("a text is not closed with its quotes")));
        };
        self.at += 2 * quote.len() + end;
        self.punctuation(";")?;
        Ok(&inside[..end])
    }

    fn action(&mut self, name: String, blocks: &mut Blocks) -> Result<ActionBlock, GameError> {
        let mut action = ActionBlock { name, template: None, feedback: None };
        loop {
            self.blank();
            if self.text[self.at..].starts_with('}') {
                self.at += 1;
                return Ok(action);
            }
            match self.word() {
                "template" => action.template = Some(plain(self.value()?)),
                "feedback" => action.feedback = Some(plain(self.value()?)),
                "grammar" => {
                    let value = self.value()?;
                    self.rules(value, blocks)?;
                }
                _ => return Err(self.wrong("`template`, `feedback`, `grammar` or `}`")),
            }
        }
    }

    /// Reads a block of rules; lines that begin with `#` are comments.
    fn rules(&self, text: &str, blocks: &mut Blocks) -> Result<(), GameError> {
        let kept: String = text.split_inclusive('\n').filter(|line| !line.trim_start().starts_with('#')).collect();
        let rules: Map<String, Value> =
            serde_json::from_str(&kept).map_err(|error| self.fault(Fault::NotJson(error.to_string())))?;
        blocks.symbols.extend(rules);
        Ok(())
    }

    fn wrong(&self, wanted: &str) -> GameError {
        let found = match self.text[self.at..].chars().next() {
            Some(letter) => format!("`{}`", letter.escape_debug()),
            None => "the end of the text".to_owned(),
        };
        self.fault(Fault::Unexpected { found, wanted: wanted.to_owned() })
    }

    fn fault(&self, fault: Fault) -> GameError {
        let line = 1 + self.text.as_bytes()[..self.at].iter().filter(|byte| **byte == b'\n').count();
        GameError { place: "grammar".to_owned(), line: Some(line), fault }
    }
}

/// A text that begins on the line after its quote begins there.
fn plain(text: &str) -> String {
    let text = text.strip_prefix('\r').unwrap_or(text);
    text.strip_prefix('\n').unwrap_or(text).to_owned()
}
