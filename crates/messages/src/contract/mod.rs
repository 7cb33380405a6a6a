//! Message types that are data: a JSON Schema of draft 7 gives the validator, the form for constrained decoding, and the rules by
//! which a value that nearly fits is brought into shape (SH-03).

mod form;
mod rules;
mod tokens;

use gimbal_core::{TokenCount, canonical};
use serde_json::Value;
use thiserror::Error;

pub use rules::{Change, ChangeKind};
pub use tokens::CountTokens;

use crate::{Form, Tier};

/// A message type.
#[derive(Debug)]
pub struct Contract {
    name: String,
    schema: Value,
    validator: jsonschema::Validator,
    form: Form,
    /// Whether it bounds tokens.
    counts: bool,
}

/// A schema that gives no contract.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("contract {name}: {place}: {what}")]
pub struct ContractError {
    /// Name of the contract.
    pub name: String,
    /// JSON pointer into the schema; `/` for the whole.
    pub place: String,
    /// What was found, and what was expected.
    pub what: String,
}

/// A value that follows a contract, and how it came to do so.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// The value.
    pub value: Value,
    /// [`Tier::ByRule`] where rules changed it, else the tier in which it was read.
    pub tier: Tier,
    /// What rules changed, in the order of the schema; what bounds in tokens changed comes last.
    pub changes: Vec<Change>,
    /// The tokens of the message as JSON text in the spacing of [`crate::spaced`], where its contract bounds tokens.
    pub tokens: Option<TokenCount>,
}

/// Why a value does not follow a contract: one line for each place, for a request to write it again.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", .0.join("; "))]
pub struct Refused(pub Vec<String>);

/// Most places that a refusal names.
const MOST: usize = 8;

impl Contract {
    /// A contract from the text of its schema.
    ///
    /// # Errors
    /// When the text is not JSON Schema of draft 7, or uses what a form cannot follow: the place and what was expected.
    pub fn parse(name: &str, text: &str) -> Result<Self, ContractError> {
        let error = |place: &str, what: String| ContractError { name: name.to_owned(), place: place.to_owned(), what };
        let schema: Value = serde_json::from_str(text).map_err(|problem| error("/", problem.to_string()))?;
        jsonschema::draft7::meta::validate(&schema)
            .map_err(|problem| error(&problem.instance_path().to_string(), problem.to_string()))?;
        let validator = jsonschema::draft7::new(&schema).map_err(|problem| error("/", problem.to_string()))?;
        let unfollowed = |problem: tokens::Unfollowed| error(&problem.place, problem.what);
        let counts = tokens::check(&schema, "").map_err(unfollowed)?;
        let form = form::of(&schema).map_err(unfollowed)?;
        Ok(Self { name: name.to_owned(), schema, validator, form, counts })
    }

    /// Its name: the one that personas, events and [`crate::Message`] use.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The schema, for prompts and native formats.
    #[must_use]
    pub const fn schema(&self) -> &Value {
        &self.schema
    }

    /// The form of a message, for constrained decoding.
    #[must_use]
    pub const fn form(&self) -> &Form {
        &self.form
    }

    /// Most characters of a text, or of each text of a list, by the place of the field, such as `subgoals/description`; `None` if the schema sets no
    /// bound.
    #[must_use]
    pub fn characters(&self, place: &str) -> Option<usize> {
        let schema = self.at(place)?;
        bound(schema.get("items").unwrap_or(schema), "maxLength")
    }

    /// Most entries of a list, by its place; `None` if the schema sets no bound.
    #[must_use]
    pub fn entries(&self, place: &str) -> Option<usize> {
        bound(self.at(place)?, "maxItems")
    }

    /// How a struct that reads a message, or an item of the list at a place, differs from the schema: members that only the schema has, and
    /// fields that only the struct has. `""` is the whole message. Nothing for a struct of the schema; tests hold both together by it.
    #[must_use]
    pub fn differs_from<T: serde::de::DeserializeOwned>(&self, place: &str) -> Vec<String> {
        let schema = if place.is_empty() { Some(&self.schema) } else { self.at(place) };
        let Some(schema) = schema else { return vec![format!("{place}: the schema has no such place")] };
        let members = schema.get("items").unwrap_or(schema).get("properties").and_then(Value::as_object);
        let members: Vec<&str> = members.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        let fields = crate::fields::<T>();
        let only =
            members.iter().filter(|name| !fields.contains(name)).map(|name| format!("{name}: no field reads it"));
        let own =
            fields.iter().filter(|name| !members.contains(name)).map(|name| format!("{name}: no member of the schema"));
        only.chain(own).collect()
    }

    /// The schema of a field. Fields of the items of a list are named as if they were the list's own.
    fn at(&self, place: &str) -> Option<&Value> {
        place
            .split('/')
            .try_fold(&self.schema, |schema, name| schema.get("items").unwrap_or(schema).get("properties")?.get(name))
    }

    /// The digest of the schema in canonical JSON: it belongs to what an episode was played with.
    #[must_use]
    pub fn digest(&self) -> gimbal_core::Digest {
        gimbal_core::Digest::of(canonical::text(&self.schema).as_bytes())
    }

    /// Takes a value that was read from a model's text in tier `tier`. A value that follows the schema stays as it is. Else rules coerce
    /// types, cut texts and lists to their bounds, drop members that the schema does not have and fill in defaults, and each
    /// change is told; what follows the schema then is [`Tier::ByRule`]. Bounds in tokens are kept by an estimate.
    ///
    /// # Errors
    /// What still does not follow the schema, place by place.
    pub fn accept(&self, value: Value, tier: Tier) -> Result<Accepted, Refused> {
        self.accept_within(value, tier, &TokenCount::estimated)
    }

    /// The same with bounds in tokens as `count` counts them, such as [`gimbal_core::Stage::tokens`] for the role that wrote the message. A bound
    /// is the key `maxTokens` of a text or of the whole message; texts are cut to theirs, and a message that is too long loses members that
    /// may be missing, then the last items of its longest list.
    ///
    /// # Errors
    /// What still does not follow the schema, place by place; a message that is too long with nothing left to leave out.
    pub fn accept_within(&self, value: Value, tier: Tier, count: &CountTokens<'_>) -> Result<Accepted, Refused> {
        let mut accepted = self.shaped(value, tier)?;
        if !self.counts {
            return Ok(accepted);
        }
        let (tokens, changes) = tokens::apply(&self.schema, &mut accepted.value, count);
        if let Some(most) = tokens::bound(&self.schema).filter(|most| tokens.tokens > *most) {
            let about = if tokens.exact { "" } else { "about " };
            return Err(Refused(vec![format!(
                "/: the message has {about}{} tokens; at most {most} are allowed",
                tokens.tokens
            )]));
        }
        if !changes.is_empty() {
            // A text that was cut may be shorter than it must be.
            self.follows(&accepted.value)?;
            accepted.tier = Tier::ByRule;
            accepted.changes.extend(changes);
        }
        accepted.tokens = Some(tokens);
        Ok(accepted)
    }

    /// The value in the shape of the schema.
    fn shaped(&self, value: Value, tier: Tier) -> Result<Accepted, Refused> {
        if self.validator.is_valid(&value) {
            return Ok(Accepted { value, tier, changes: Vec::new(), tokens: None });
        }
        let mut changed = value;
        let changes = rules::apply(&self.schema, &mut changed);
        self.follows(&changed)?;
        Ok(Accepted { value: changed, tier: Tier::ByRule, changes, tokens: None })
    }

    /// Whether a value follows the schema.
    fn follows(&self, value: &Value) -> Result<(), Refused> {
        let problems = self.validator.iter_errors(value).take(MOST).map(|problem| {
            let place = problem.instance_path().to_string();
            let place = if place.is_empty() { "/".to_owned() } else { place };
            let what: String = problem.to_string().chars().take(240).collect();
            format!("{place}: {what}")
        });
        let problems: Vec<String> = problems.collect();
        if problems.is_empty() { Ok(()) } else { Err(Refused(problems)) }
    }
}

/// A bound that a schema sets.
fn bound(schema: &Value, key: &str) -> Option<usize> {
    schema.get(key).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok())
}

#[cfg(test)]
mod tests;
