//! The layers between a caller and a provider, in one order: meter, record, cache, retry, rate, attempt, provider.
//!
//! The meter sees every call and every attempt; a recorded or cached answer never reaches the retries; a pause between
//! attempts holds no place of the rate; and the attempt is the one door through which requests leave, so that none can
//! leave without a row in the ledger. Layers that a model does not need are left out.

/// The methods of a layer's `ChatModel` that its `inner` model answers: all but `complete`. A layer that left one out would answer with the
/// method's default, such as a grammar that is not enforced.
macro_rules! through_inner {
    () => {
        fn wants_hints(&self) -> bool {
            self.inner.wants_hints()
        }

        fn tokens(&self, text: &str) -> Option<u64> {
            self.inner.tokens(text)
        }

        fn reasons_within_bound(&self) -> bool {
            self.inner.reasons_within_bound()
        }

        fn enforced(&self, request: &gimbal_core::ChatRequest) -> Option<std::sync::Arc<gimbal_core::Grammar>> {
            self.inner.enforced(request)
        }
    };
}
pub(crate) use through_inner;

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

#[cfg(test)]
mod tests {
    /// The methods that a text of Rust declares.
    fn methods(source: &str) -> Vec<&str> {
        source.lines().filter_map(|line| line.trim().strip_prefix("fn ")?.split('(').next()).collect()
    }

    /// A new method of `ChatModel` must pass through all layers: its default is that of a model, and silently wrong for a layer.
    #[test]
    fn every_method_of_a_model_passes_through_every_layer() {
        let core = include_str!("../../../core/src/chat_model.rs");
        let from = core.find("pub trait ChatModel").unwrap();
        let of_trait = methods(core[from..].split("\n}").next().unwrap());
        let own = include_str!("mod.rs");
        let of_macro = methods(own.split("pub(crate) use").next().unwrap());
        assert!(of_trait.len() > 3, "{of_trait:?}");
        assert_eq!(of_trait, of_macro);
        for (layer, source) in [
            ("attempt", include_str!("attempt.rs")),
            ("cache", include_str!("cache.rs")),
            ("meter", include_str!("meter.rs")),
            ("rate", include_str!("rate.rs")),
            ("retry", include_str!("retry.rs")),
            ("recorder", include_str!("../replay/recorder.rs")),
        ] {
            assert_eq!(source.matches("through_inner!();").count(), 1, "{layer}");
        }
    }
}
