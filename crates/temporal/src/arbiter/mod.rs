//! The arbiter: proposals and commitments in, one call and the directives that hold after it out (Sec. 4.5; CTHA-071 to 076, CTHA-082).
//!
//! What a layer may not decide is left out first. Parties that exclude one another are then masked by Algorithm 1, either as printed or in a
//! greedy form that never masks everybody ([`Mode`]). Two rules come before the score: a stop in an emergency, and policies. What is left is
//! composed: the directives, and the call of the fastest layer that may be made now; where there is none, the idle call.
//!
//! Which properties hold is searched exhaustively for up to four parties ([`search`]).

mod algorithm;
mod compose;
mod priority;
mod resolve;
pub mod search;

pub use algorithm::{Mode, Rank, Score, Tie, mask};
pub use compose::{Composed, Scene, Skip, Skipped};
pub(crate) use compose::{Composition, compose};
pub use priority::Weights;
pub use resolve::{Arbiter, Masked, Part, Party, Verdict};
