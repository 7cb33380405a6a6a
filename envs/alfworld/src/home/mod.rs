//! Households of our own: rules, words, a generator, and a file form. Nothing here needs any data.

mod generate;
mod household;
mod sentence;
pub mod tables;

pub use generate::Dials;
pub use household::{Furniture, Household, HouseholdTask, SCHEMA, TASK_KINDS, TaskKind, Thing, rules};
