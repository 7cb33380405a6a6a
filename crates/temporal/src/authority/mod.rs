//! Authority: which decisions belong to which layer, and what becomes of the others (Sec. 4.4; CTHA-060 to 066).
//!
//! A decision is within a layer's authority where its kind is in the layer's scope and the layer's characteristic time is within the span of
//! the decision ([`Authority::permission`], Eq. 19). Any other decision is projected to the nearest one that is ([`Authority::project`],
//! Eq. 20). The set of decisions is discrete: the polytope of Sec. 4.1 is a picture of it and no more (CTHA-066).

mod category;
mod decision;
mod project;
mod scope;

pub use category::Category;
pub(crate) use decision::edits;
pub use decision::{Decision, Distance};
pub use project::{Projected, Reason};
pub use scope::{Authority, Exclusion, Permission, Scope, ScopeError};
