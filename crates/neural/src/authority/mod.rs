//! The classifier of authority: whether a layer may take a decision, told from its words alone, after the fact (Eq. 22; CTHA-064).
//!
//! The work has a linear score on an embedding in one place and an MLP of three layers in another; here the MLP is the embedding and each layer has a
//! linear score on it (CTHA-R09). With 3,072 hashed features it has 2.1 million parameters, as the work prints. What it learns from is made from the
//! scopes ([`examples`]). The rule itself is `gimbal_temporal::authority`: it knows the kind of a decision where the classifier must guess it.

mod classifier;
mod compare;
pub mod examples;

pub use classifier::{Classifier, Form, WHAT};
pub use compare::{Compared, compare};
