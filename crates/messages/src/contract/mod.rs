//! Message types that are data: a JSON Schema of draft 7 gives the validator, the form for constrained decoding, and the rules by
//! which a value that nearly fits is brought into shape (SH-03).

mod form;
mod rules;

use gimbal_core::canonical;
use serde_json::Value;
use thiserror::Error;

pub use rules::{Change, ChangeKind};

use crate::{Form, Tier};

/// A message type.
#[derive(Debug)]
pub struct Contract {
    name: String,
    schema: Value,
    validator: jsonschema::Validator,
    form: Form,
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
    /// What rules changed, in the order of the schema.
    pub changes: Vec<Change>,
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
    /// When the text is no JSON Schema of draft 7, or uses what a form cannot follow: the place and what was expected.
    pub fn parse(name: &str, text: &str) -> Result<Self, ContractError> {
        let error = |place: &str, what: String| ContractError { name: name.to_owned(), place: place.to_owned(), what };
        let schema: Value = serde_json::from_str(text).map_err(|problem| error("/", problem.to_string()))?;
        jsonschema::draft7::meta::validate(&schema)
            .map_err(|problem| error(&problem.instance_path().to_string(), problem.to_string()))?;
        let validator = jsonschema::draft7::new(&schema).map_err(|problem| error("/", problem.to_string()))?;
        let form = form::of(&schema).map_err(|problem| error(&problem.place, problem.what))?;
        Ok(Self { name: name.to_owned(), schema, validator, form })
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

    /// The digest of the schema in canonical JSON: it belongs to what an episode was played with.
    #[must_use]
    pub fn digest(&self) -> gimbal_core::Digest {
        gimbal_core::Digest::of(canonical::text(&self.schema).as_bytes())
    }

    /// Takes a value that was read from a model's text in tier `tier`. A value that follows the schema stays as it is. Else rules coerce
    /// types, cut texts and lists to their bounds, drop members that the schema does not have and fill in defaults, and each
    /// change is told; what follows the schema then is [`Tier::ByRule`].
    ///
    /// # Errors
    /// What still does not follow the schema, place by place.
    pub fn accept(&self, value: Value, tier: Tier) -> Result<Accepted, Refused> {
        if self.validator.is_valid(&value) {
            return Ok(Accepted { value, tier, changes: Vec::new() });
        }
        let mut changed = value;
        let changes = rules::apply(&self.schema, &mut changed);
        if self.validator.is_valid(&changed) {
            return Ok(Accepted { value: changed, tier: Tier::ByRule, changes });
        }
        let problems = self.validator.iter_errors(&changed).take(MOST).map(|problem| {
            let place = problem.instance_path().to_string();
            let place = if place.is_empty() { "/".to_owned() } else { place };
            let what: String = problem.to_string().chars().take(240).collect();
            format!("{place}: {what}")
        });
        Err(Refused(problems.collect()))
    }
}

#[cfg(test)]
mod tests;
