//! The corpus: every scenario is what its file says.

mod verified;
