//! Tests of the triage environment.
