//! Tests of the triage environment.

mod corpus;
