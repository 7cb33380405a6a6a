//! The layers between a caller and a provider, in one order: meter, record, cache, retry, rate, attempt, provider.
//!
//! The meter sees every call and every attempt; a recorded or cached answer never reaches the retries; a pause between
//! attempts holds no place of the rate; and the attempt is the one door through which requests leave, so that none can
//! leave without a row in the ledger. Layers that a model does not need are left out.

mod attempt;
mod cache;
mod clock;
mod gate;
mod meter;
mod rate;
mod retry;

pub(crate) use attempt::Attempt;
pub(crate) use cache::Cache;
pub use cache::CacheProblem;
pub use clock::{Clock, TokioClock};
pub use gate::AtOnce;
pub(crate) use gate::Gate;
pub(crate) use meter::Meter;
pub use meter::Totals;
pub(crate) use rate::Limited;
pub(crate) use retry::Retry;
