//! Whether a completion has the shape that a mask gave it.
//!
//! Every completion under a grammar, of every kind of model, is checked here by the grammar that was enforced: servers have bugs.

use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::{Completion, Grammar, ModelError, ModelErrorKind};
use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use serde_json::Value;

use crate::error::causes;

/// Compiled grammars that are kept for the next call.
const KEPT: usize = 32;

/// Bytes that the kept expressions may take together.
const KEPT_BYTES: usize = 256 << 20;

/// The grammars that the whole program keeps: a player by rule and the check of its answer compile a mask once.
static SHARED: Shapes = Shapes { compiled: Mutex::new(Vec::new()) };

/// Bytes that a compiled expression may take. A mask that repeats a long list of actions needs more than the library's own bound of 10 MB.
const COMPILED: usize = 64 << 20;

/// Checks completions; keeps the grammars that it compiled.
#[derive(Debug, Default)]
pub struct Shapes {
    compiled: Mutex<Vec<Kept>>,
}

/// A grammar and its compiled form.
type Kept = (Arc<Grammar>, Arc<Compiled>);

#[derive(Debug)]
enum Compiled {
    Schema(Box<jsonschema::Validator>),
    Choice,
    Regex(Regex),
}

impl Shapes {
    /// The one that the whole program shares.
    #[must_use]
    pub fn shared() -> &'static Self {
        &SHARED
    }

    /// The completion, if it has the shape of this grammar; white space around it is dropped. A native tool call has no shape of
    /// its own, and a text beside it is not an answer: what a server keeps to of calls is judged where they are read.
    ///
    /// # Errors
    /// [`ModelErrorKind::BadShape`] with usage and text, or [`ModelErrorKind::BadRequest`] for a grammar that cannot
    /// be read.
    pub fn check(&self, grammar: Option<&Arc<Grammar>>, mut completion: Completion) -> Result<Completion, ModelError> {
        let Some(grammar) = grammar else { return Ok(completion) };
        if !completion.calls.is_empty() {
            return Ok(completion);
        }
        let compiled = self.compiled(grammar).map_err(|why| ModelError::new(ModelErrorKind::BadRequest, why))?;
        match compiled.mismatch(grammar, completion.text.trim()) {
            None => {
                if completion.text.trim().len() < completion.text.len() {
                    completion.text = completion.text.trim().into();
                }
                Ok(completion)
            }
            Some(why) => Err(ModelError {
                usage: Some(completion.usage),
                partial: Some(completion.text),
                latency_us: completion.latency_us,
                provider: Box::new(completion.provider),
                ..ModelError::new(
                    ModelErrorKind::BadShape,
                    format!("the answer does not have the demanded shape: {why}"),
                )
            }),
        }
    }

    /// Whether `text` fits; false for a grammar that cannot be read.
    pub fn fits(&self, grammar: &Arc<Grammar>, text: &str) -> bool {
        self.compiled(grammar).is_ok_and(|compiled| compiled.mismatch(grammar, text.trim()).is_none())
    }

    /// Those of `texts` that fit, in order; none of them where the grammar cannot be read.
    pub fn fitting<'a>(&self, grammar: &Arc<Grammar>, mut texts: Vec<&'a str>) -> Vec<&'a str> {
        match self.compiled(grammar) {
            Ok(compiled) => texts.retain(|text| compiled.mismatch(grammar, text.trim()).is_none()),
            Err(_) => texts.clear(),
        }
        texts
    }

    /// How many grammars are kept.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn compiled(&self, grammar: &Arc<Grammar>) -> Result<Arc<Compiled>, String> {
        if matches!(**grammar, Grammar::Choice(_)) {
            return Ok(Arc::new(Compiled::Choice));
        }
        if let Some(found) = found(&self.compiled.lock().unwrap_or_else(PoisonError::into_inner), grammar) {
            return Ok(found);
        }
        // Not under the lock: other episodes need not wait for this grammar.
        let compiled = Arc::new(Compiled::of(grammar)?);
        let mut kept = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = found(&kept, grammar) {
            return Ok(found);
        }
        kept.push((Arc::clone(grammar), Arc::clone(&compiled)));
        let bytes = |kept: &[Kept]| kept.iter().map(|(_, compiled)| compiled.bytes()).sum::<usize>();
        while kept.len() > KEPT || (kept.len() > 1 && bytes(&kept) > KEPT_BYTES) {
            kept.remove(0);
        }
        Ok(compiled)
    }
}

/// The compiled form of a grammar among those that are kept. The same grammar is mostly the same allocation; values are compared only where it is not.
fn found(kept: &[Kept], grammar: &Arc<Grammar>) -> Option<Arc<Compiled>> {
    let same = kept.iter().find(|(known, _)| Arc::ptr_eq(known, grammar));
    same.or_else(|| kept.iter().find(|(known, _)| known == grammar)).map(|(_, found)| Arc::clone(found))
}

impl Compiled {
    fn of(grammar: &Grammar) -> Result<Self, String> {
        match grammar {
            Grammar::JsonSchema(schema) => jsonschema::validator_for(schema)
                .map(|validator| Self::Schema(Box::new(validator)))
                .map_err(|error| format!("the JSON Schema of the request cannot be read: {error}")),
            Grammar::Choice(_) => Ok(Self::Choice),
            Grammar::Regex(pattern) => whole(pattern).map(Self::Regex),
        }
    }

    /// What an expression takes; 0 of what has no long form.
    fn bytes(&self) -> usize {
        match self {
            Self::Regex(expression) => expression.memory_usage(),
            Self::Schema(_) | Self::Choice => 0,
        }
    }

    /// Why `text` does not fit, if it does not.
    fn mismatch(&self, grammar: &Grammar, text: &str) -> Option<String> {
        match (self, grammar) {
            (Self::Schema(validator), _) => match serde_json::from_str::<Value>(text) {
                Err(error) => Some(format!("it is not JSON ({error})")),
                Ok(value) => {
                    let error = validator.iter_errors(&value).next()?;
                    let place = error.instance_path().to_string();
                    let place = if place.is_empty() { "the whole".to_owned() } else { format!("`{place}`") };
                    Some(format!("{place}: {error}"))
                }
            },
            (Self::Regex(expression), Grammar::Regex(pattern)) => {
                (!expression.is_match(text)).then(|| format!("it does not match `{pattern}`"))
            }
            (Self::Regex(_), _) => None,
            (Self::Choice, Grammar::Choice(choices)) => (!choices.iter().any(|choice| choice == text))
                .then(|| format!("it is none of the {} allowed texts", choices.len())),
            (Self::Choice, _) => None,
        }
    }
}

/// A regular expression that must match a text as a whole. A mask is long, is asked once or twice, and is asked for a match only: what
/// prepares an expression for many searches (an automaton read backwards, prefilters, one pass, captures) would take most of the time.
fn whole(pattern: &str) -> Result<Regex, String> {
    let config = Regex::config()
        .which_captures(WhichCaptures::None)
        .auto_prefilter(false)
        .onepass(false)
        .hybrid(false)
        .backtrack(false)
        .nfa_size_limit(Some(COMPILED));
    Regex::builder()
        .configure(config)
        .build(&format!(r"\A(?:{pattern})\z"))
        .map_err(|error| format!("the regular expression of the request cannot be read: {}", causes(&error)))
}

/// Whether `text` fits; false for a grammar that cannot be read. Compiles the grammar for this one text; a caller that asks
/// more than once asks [`Shapes::fits`].
#[must_use]
pub fn fits(grammar: &Grammar, text: &str) -> bool {
    Compiled::of(grammar).is_ok_and(|compiled| compiled.mismatch(grammar, text.trim()).is_none())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gimbal_core::{ChatRequest, Finish, Grammar, ModelErrorKind};
    use regex::Regex;
    use serde_json::json;

    use super::{KEPT, KEPT_BYTES, Shapes, fits};
    use crate::answer;

    fn check(grammar: Grammar, text: &str) -> Result<String, (ModelErrorKind, String)> {
        let request = ChatRequest { grammar: Some(Arc::new(grammar)), ..ChatRequest::default() };
        let completion = answer::plain(&request, text, Vec::new(), Finish::Stop);
        let usage = completion.usage;
        match Shapes::default().check(request.grammar.as_ref(), completion) {
            Ok(completion) => Ok(completion.text.to_string()),
            Err(error) => {
                if error.kind == ModelErrorKind::BadShape {
                    assert_eq!(error.usage, Some(usage));
                    assert_eq!(error.partial.as_deref(), Some(text));
                }
                Err((error.kind, error.message))
            }
        }
    }

    // covers: BOG-047, SH-01
    #[test]
    fn what_does_not_fit_is_a_typed_error_with_usage() {
        let schema = Grammar::JsonSchema(json!({
            "type": "object", "required": ["n"], "properties": { "n": { "type": "integer", "maximum": 3 } }
        }));
        assert_eq!(check(schema.clone(), " {\"n\": 3}\n"), Ok("{\"n\": 3}".to_owned()));
        let (kind, message) = check(schema.clone(), "{\"n\": 4}").unwrap_err();
        assert_eq!(kind, ModelErrorKind::BadShape);
        assert!(message.contains("`/n`"), "{message}");
        assert!(check(schema, "```json\n{\"n\": 3}\n```").unwrap_err().1.contains("not JSON"));
        let choice = Grammar::Choice(vec!["Monitor".to_owned(), "Sleep".to_owned()]);
        assert!(check(choice.clone(), "Sleep").is_ok());
        assert_eq!(check(choice, "sleep").unwrap_err().0, ModelErrorKind::BadShape);
        let regex = Grammar::Regex("a|bc".to_owned());
        assert!(check(regex.clone(), "bc").is_ok());
        assert!(check(regex, "abc").is_err());
        assert_eq!(check(Grammar::Regex("(".to_owned()), "x").unwrap_err().0, ModelErrorKind::BadRequest);
    }

    #[test]
    fn broken_grammars_fit_nothing() {
        assert!(!fits(&Grammar::Regex("(".to_owned()), "("));
        assert!(!fits(&Grammar::JsonSchema(json!({ "type": "nonsense" })), "1"));
    }

    #[test]
    fn a_mask_that_repeats_a_long_list_of_actions_is_read() {
        let names: Vec<String> = (0..2000).map(|number| format!("Restore hostname={number:06}")).collect();
        let list = format!("(?:{})", names.join("|"));
        let grammar = Grammar::Regex(vec![list; 12].join("; "));
        assert!(Regex::new(&format!("^{}$", text(&grammar))).is_err(), "the library's own bound would refuse it");
        assert!(fits(&grammar, &[names[7].as_str(); 12].join("; ")));
        assert!(!fits(&grammar, &names[7]));
    }

    #[test]
    fn equal_grammars_are_compiled_once_and_the_oldest_go_first() {
        let shapes = Shapes::default();
        let grammar = |number: usize| Arc::new(Grammar::Regex(format!("a{{{number}}}")));
        for number in [1, 1, 2, 1] {
            assert!(shapes.fits(&grammar(number), &"a".repeat(number)) && !shapes.fits(&grammar(number), "b"));
        }
        assert_eq!(shapes.kept(), 2);
        (0..2 * KEPT).for_each(|number| assert!(shapes.fits(&grammar(number), &"a".repeat(number))));
        assert_eq!(shapes.kept(), KEPT);
    }

    #[test]
    fn kept_expressions_take_no_more_than_their_bound() {
        let shapes = Shapes::default();
        let list = (0..4000).map(|number| format!("Restore hostname={number:06}")).collect::<Vec<_>>().join("|");
        for times in 1..10 {
            let grammar = Arc::new(Grammar::Regex(vec![format!("(?:{list})"); times].join("; ")));
            assert!(!shapes.fits(&grammar, "Monitor"));
        }
        let kept = shapes.compiled.lock().unwrap();
        let bytes: usize = kept.iter().map(|(_, compiled)| compiled.bytes()).sum();
        assert!(bytes > 0 && bytes <= KEPT_BYTES, "{bytes}");
    }

    fn text(grammar: &Grammar) -> &str {
        match grammar {
            Grammar::Regex(pattern) => pattern,
            _ => "",
        }
    }
}
