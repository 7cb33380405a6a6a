//! Grammars of the seam as automata over the model's tokens.

use gimbal_core::Grammar;
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{InferenceCapabilities, SimpleVob};
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value, json};

use super::error::EmbeddedError;
use super::vocabulary::Vocabulary;

/// Compiles grammars for one vocabulary.
pub(crate) struct Grammars(ParserFactory);

impl Grammars {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Result<Self, EmbeddedError> {
        let capabilities = InferenceCapabilities { ff_tokens: true, ..Default::default() };
        let slices = llguidance::earley::SlicedBiasComputer::general_slices();
        let mut factory = ParserFactory::new(&vocabulary.environment(), capabilities, &slices)
            .map_err(|error| EmbeddedError::Settings(format!("the grammar engine refuses this vocabulary: {error}")))?;
        factory.quiet();
        Ok(Self(factory))
    }

    /// A matcher at the beginning of the text.
    pub(crate) fn compile(&self, grammar: &Grammar) -> Result<Constraint, EmbeddedError> {
        let source = source(grammar)?;
        let matcher = Matcher::new(self.0.create_parser(source));
        match matcher.get_error() {
            Some(error) => Err(EmbeddedError::Grammar(format!("{}: {error}", describe(grammar)))),
            None => Ok(Constraint(matcher)),
        }
    }
}

/// The grammar in the engine's language.
fn source(grammar: &Grammar) -> Result<TopLevelGrammar, EmbeddedError> {
    match grammar {
        Grammar::JsonSchema(schema) => Ok(TopLevelGrammar::from_json_schema(compact(schema))),
        Grammar::Regex(pattern) => Ok(TopLevelGrammar::from_regex(pattern)),
        Grammar::Choice(choices) => {
            if choices.is_empty() || choices.iter().any(String::is_empty) {
                return Err(EmbeddedError::Grammar(
                    "a choice list must hold at least one text, and no empty one".to_owned(),
                ));
            }
            // One terminal, so that a choice that begins another one stays possible until the turn ends.
            let quoted: Vec<String> = choices.iter().map(|choice| Value::from(choice.as_str()).to_string()).collect();
            Ok(TopLevelGrammar::from_lark(format!("start: CHOICE\nCHOICE: {}\n", quoted.join(" | "))))
        }
    }
}

/// The schema, asking for JSON without free white space: a small model may otherwise fill its budget with it, and
/// separators could not be forced. A schema that sets `x-guidance` itself is left alone.
fn compact(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(object) = schema.as_object_mut() {
        object.entry("x-guidance").or_insert_with(|| json!({ "whitespace_flexible": false }));
    }
    schema
}

fn describe(grammar: &Grammar) -> String {
    match grammar {
        Grammar::JsonSchema(_) => "JSON Schema".to_owned(),
        Grammar::Choice(choices) => format!("list of {} choices", choices.len()),
        Grammar::Regex(pattern) => format!("regular expression `{pattern}`"),
    }
}

/// A grammar at some point of the text.
pub(crate) struct Constraint(Matcher);

impl Constraint {
    /// Tokens that must come next whatever the model thinks; already consumed.
    pub(crate) fn force(&mut self) -> Result<Vec<u32>, EmbeddedError> {
        let tokens = self.0.consume_ff_tokens();
        self.fault()?;
        Ok(tokens)
    }

    /// Which tokens may come next.
    pub(crate) fn mask(&mut self) -> Result<SimpleVob, EmbeddedError> {
        self.0.compute_mask_or_eos().map_err(|error| EmbeddedError::Grammar(error.to_string()))
    }

    /// Takes a sampled token.
    pub(crate) fn consume(&mut self, token: u32) -> Result<(), EmbeddedError> {
        self.0.consume_token(token).map_err(|error| EmbeddedError::Grammar(error.to_string()))
    }

    /// Whether nothing may follow.
    pub(crate) fn is_over(&self) -> bool {
        self.0.is_stopped()
    }

    /// Whether the text so far is whole.
    pub(crate) fn is_whole(&mut self) -> bool {
        self.0.is_stopped() && !self.0.is_error() || self.0.is_accepting().unwrap_or(false)
    }

    fn fault(&self) -> Result<(), EmbeddedError> {
        self.0.get_error().map_or(Ok(()), |error| Err(EmbeddedError::Grammar(error)))
    }
}
