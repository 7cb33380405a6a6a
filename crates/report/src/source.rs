//! What a report is made from: a run, the works, and the choices of the user.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_analysis::profile::Tokenizer;
use gimbal_analysis::work_folds::RunCell;
use gimbal_model::Price;
use gimbal_study::plan::Stored;
use gimbal_study::registry::Registry;
use gimbal_study::run::RunFolder;
use gimbal_view::work::Item;

use crate::catalogue::{Catalogue, Listed};

/// Choices of the user.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Configuration or cell that differences are taken against, in place of the study's.
    pub baseline: Option<String>,
    /// Which configuration is what, in place of the protocol of a work; of the type of the work that reads it.
    pub protocol: Option<Arc<dyn Any + Send + Sync>>,
    /// Prices by model for the table `rescored`, in place of those in force when the study ran.
    pub prices: Option<BTreeMap<String, Price>>,
    /// Counts the tokens of blocks of context, in place of an estimate by length.
    pub tokenizer: Option<Tokenizer>,
}

/// A run with all that its report is made from.
#[derive(Clone, Copy)]
pub struct Source<'s> {
    /// The run.
    pub folder: &'s RunFolder,
    /// The study as the run stored it.
    pub stored: &'s Stored,
    /// Environments that can follow the evidence of answers; an empty registry leaves that part out.
    pub registry: &'s Registry,
    /// Standard tables and registered works.
    pub catalogue: &'s Catalogue,
    /// Choices of the user.
    pub options: &'s Options,
}

impl Source<'_> {
    /// The items of the works that `wanted` accepts, in the order of the catalogue.
    pub(crate) fn chosen(&self, wanted: impl Fn(&Item) -> bool) -> Vec<Listed> {
        self.catalogue.items().filter(|listed| wanted(listed.item)).collect()
    }
}

/// Whether a run of these cells has what an item is about.
pub(crate) fn applies(item: &Item, cells: &[RunCell<'_>]) -> bool {
    item.needs.fold.is_none_or(|fold| (fold.applies)(cells))
}
