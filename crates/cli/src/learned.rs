//! The learned parts of this program: networks from artefacts, and embedders by name.

use std::sync::Arc;

use gimbal_core::{Artefact, Embedder, Learned, Scorer, nearest};
use gimbal_neural::data::Header;
use gimbal_neural::data::labelled::header;
use gimbal_neural::{Hashed, Net};
use gimbal_temporal::rollout::COLUMNS;

/// Networks of arbiters, and the hashed embedder.
#[derive(Clone, Copy, Debug)]
pub struct Networks;

impl Learned for Networks {
    fn scorer(&self, artefact: &Artefact) -> Result<Arc<dyn Scorer>, String> {
        let net = Net::read(&artefact.bytes).map_err(|error| error.to_string())?;
        // Rows of another width would be taken for zeros. A network may have been made without actions, without a context, or without either.
        let collected = header();
        let context = if net.spec().context == 0 { 0 } else { collected.context };
        let columns: Vec<&str> = collected.columns.iter().map(String::as_str).collect();
        let columns = if net.spec().action().is_none() { &COLUMNS[..] } else { &columns };
        net.fits(&Header::new(columns, context, &[])).map_err(|error| error.to_string())?;
        Ok(Arc::new(net))
    }

    fn embedder(&self, name: &str) -> Result<Arc<dyn Embedder>, String> {
        if name == Hashed::NAME {
            return Ok(Arc::new(Hashed));
        }
        let hint = nearest::hint(name, [Hashed::NAME]);
        Err(format!("there is no embedder `{name}`{hint} (known: {})", Hashed::NAME))
    }
}
