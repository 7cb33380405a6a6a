//! A problem: objects, first facts, goal. Read in one pass; only the goal becomes a tree.

use std::borrow::Cow;
use std::collections::HashMap;

use super::domain::Domain;
use super::formula::{Formula, TypeId, hint};
use super::lexer::{Lexer, Token, shortened};
use super::reader::FormulaReader;
use super::tree::Tree;
use crate::error::{Fault, GameError};
use crate::words::FastHash;

/// Where there is no symbol.
pub(crate) const NO_SYMBOL: u16 = u16::MAX;

/// Objects of one problem.
const MOST_OBJECTS: usize = 20_000;
/// First facts of one problem.
const MOST_FACTS: usize = 1_000_000;

/// A fact over the problem's objects; the second argument of a unary one repeats the first.
pub type Fact = (u16, [u16; 2]);

/// A problem, from a text or made by us.
#[derive(Clone, Debug, Default)]
pub struct Problem<'a> {
    /// Objects: names in lower case and types. Facts name them by their index here.
    pub objects: Vec<(Cow<'a, str>, TypeId)>,
    /// What holds at first.
    pub facts: Vec<Fact>,
    /// What shall hold; constants are indices into `constants`.
    pub goal: Option<Formula>,
    /// Names of the constants: those of the domain, then those of the goal alone.
    pub constants: Vec<String>,
}

impl<'a> Problem<'a> {
    /// Reads a problem of a domain; the text must be in lower case already.
    ///
    /// # Errors
    /// With the line where something is wrong.
    pub fn read(text: &'a str, domain: &Domain) -> Result<Self, GameError> {
        let mut lexer = Lexer::new("pddl_problem", text);
        let mut problem = Self { constants: domain.constants.clone(), ..Self::default() };
        let mut known: HashMap<&'a str, u16, FastHash> = HashMap::with_capacity_and_hasher(512, FastHash);
        lexer.open("`(define (problem ...`")?;
        let word = lexer.word("`define`")?;
        if word != "define" {
            return Err(lexer.unexpected(Token::Word(word), "`define`"));
        }
        loop {
            match lexer.need()? {
                Token::Close => break,
                Token::Word(word) => return Err(lexer.unexpected(Token::Word(word), "a section in parentheses")),
                Token::Open => {}
            }
            match lexer.word("the name of a section")? {
                ":objects" => problem.read_objects(&mut lexer, domain, &mut known)?,
                ":init" => problem.read_facts(&mut lexer, domain, &mut known)?,
                ":goal" => problem.read_goal(&mut lexer, domain)?,
                "problem" | ":domain" | ":requirements" | ":metric" => lexer.skip()?,
                other => {
                    let what = format!("section `{}`", shortened(other));
                    return Err(lexer.fault(Fault::Unsupported(what)));
                }
            }
        }
        lexer.end()?;
        if problem.goal.is_none() {
            let fault = Fault::Unexpected { found: "the end".to_owned(), wanted: "a `(:goal ...)`".to_owned() };
            return Err(lexer.fault(fault));
        }
        // A goal about an object that is not there is a slip of the pen.
        for name in &problem.constants[domain.constants.len()..] {
            if !known.contains_key(name.as_str()) {
                let hint = hint(name, known.keys().copied());
                return Err(lexer.fault(Fault::Unknown { what: "object", name: shortened(name), hint }));
            }
        }
        Ok(problem)
    }

    fn read_objects(
        &mut self,
        lexer: &mut Lexer<'a>,
        domain: &Domain,
        known: &mut HashMap<&'a str, u16, FastHash>,
    ) -> Result<(), GameError> {
        let mut waiting = self.objects.len();
        loop {
            match lexer.need()? {
                Token::Close => return Ok(()),
                Token::Open => return Err(lexer.unexpected(Token::Open, "the name of an object")),
                Token::Word("-") => {
                    let name = lexer.word("the name of a type")?;
                    let kind = domain.find_type(name).ok_or_else(|| {
                        let hint = hint(name, domain.types.iter().map(|(known, _)| known.as_str()));
                        lexer.fault(Fault::Unknown { what: "type", name: shortened(name), hint })
                    })?;
                    self.objects[waiting..].iter_mut().for_each(|(_, known)| *known = kind);
                    waiting = self.objects.len();
                }
                Token::Word(name) => {
                    if !known.contains_key(name) {
                        let at = self.new_object(name, TypeId::ANYTHING, lexer)?;
                        known.insert(name, at);
                    }
                }
            }
        }
    }

    fn new_object(&mut self, name: &'a str, kind: TypeId, lexer: &Lexer<'a>) -> Result<u16, GameError> {
        if self.objects.len() >= MOST_OBJECTS {
            return Err(lexer.fault(Fault::TooMany { what: "objects", limit: MOST_OBJECTS }));
        }
        self.objects.push((Cow::Borrowed(name), kind));
        Ok((self.objects.len() - 1) as u16)
    }

    fn read_facts(
        &mut self,
        lexer: &mut Lexer<'a>,
        domain: &Domain,
        known: &mut HashMap<&'a str, u16, FastHash>,
    ) -> Result<(), GameError> {
        let mut last: (&str, u16) = ("", 0);
        loop {
            match lexer.need()? {
                Token::Close => return Ok(()),
                Token::Word(word) => return Err(lexer.unexpected(Token::Word(word), "a fact in parentheses")),
                Token::Open => {}
            }
            let name = lexer.word("the name of a predicate")?;
            if matches!(name, "=" | "not") {
                // Costs play no part; what is not said does not hold anyway.
                lexer.skip()?;
                continue;
            }
            // Facts of one predicate stand together.
            if last.0 != name {
                last = (name, domain.predicate(name, lexer, lexer.at())?);
            }
            let form = &domain.predicates[usize::from(last.1)];
            let mut arguments = [0_u16; 2];
            let mut given = 0;
            loop {
                match lexer.need()? {
                    Token::Close => break,
                    Token::Open => return Err(lexer.unexpected(Token::Open, "the name of an object")),
                    Token::Word(word) => {
                        if given < form.arity {
                            arguments[given] = match known.get(word) {
                                Some(at) => *at,
                                None => {
                                    // Facts may name objects that are declared nowhere: the predicate tells their type.
                                    let at = self.new_object(word, form.types[given], lexer)?;
                                    known.insert(word, at);
                                    at
                                }
                            };
                        }
                        given += 1;
                    }
                }
            }
            if given != form.arity {
                let fault = Fault::Arity { name: name.to_owned(), declared: form.arity, given };
                return Err(lexer.fault(fault));
            }
            if form.arity == 1 {
                arguments[1] = arguments[0];
            }
            if self.facts.len() >= MOST_FACTS {
                return Err(lexer.fault(Fault::TooMany { what: "facts", limit: MOST_FACTS }));
            }
            self.facts.push((last.1, arguments));
        }
    }

    fn read_goal(&mut self, lexer: &mut Lexer<'a>, domain: &Domain) -> Result<(), GameError> {
        let tree = Tree::read(lexer)?;
        if lexer.need()? != Token::Close {
            let fault = Fault::Unexpected { found: "a second goal".to_owned(), wanted: "`)`".to_owned() };
            return Err(lexer.fault(fault));
        }
        let mut reader = FormulaReader::new(domain, lexer, std::mem::take(&mut self.constants));
        self.goal = Some(reader.formula(&tree)?);
        self.constants = reader.constants;
        Ok(())
    }
}
