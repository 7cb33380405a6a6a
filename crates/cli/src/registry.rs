//! Everything that a study may name: the lists of environments (`gimbal-environments`), architectures (`gimbal-architectures`) and works.

use std::sync::Arc;

use gimbal_agent::Family;
use gimbal_env_kit::workbench::Workbench;
use gimbal_report::Catalogue;
use gimbal_study::registry::Registry;

use crate::exit::Failure;
use crate::learned::Networks;

/// All whose agents are shown and audited: the architectures, and agents beside them.
pub fn families() -> Vec<Arc<dyn Family>> {
    gimbal_architectures::shown()
}

/// The controller whose router chooses among the ways of a graph: the first architecture that has one.
pub fn router() -> Result<Arc<dyn Family>, Failure> {
    let found = gimbal_architectures::families().into_iter().find(|family| family.has_router());
    found.ok_or_else(|| Failure::Usage("there is no architecture with a router".to_owned()))
}

/// Environments and architectures of this program.
pub fn registry() -> Registry {
    Registry {
        environments: gimbal_environments::all()
            .into_iter()
            .map(|family| family as Arc<dyn gimbal_core::Catalogue>)
            .collect(),
        architectures: gimbal_architectures::kinds(),
        learned: Some(Arc::new(Networks)),
    }
}

/// Tables, figures and printed numbers of this program: a new work is a word here.
pub fn catalogue() -> Catalogue {
    Catalogue::new(vec![&gimbal_bog::Bog, &gimbal_ares::Ares, &gimbal_cyc::Cyc, &gimbal_ctha::Ctha])
}

/// The environment of that name, with its verbs.
pub fn environment(name: &str) -> Result<Arc<dyn Workbench>, Failure> {
    let mut families = gimbal_environments::all();
    let Some(place) = families.iter().position(|family| family.name() == name) else {
        let names: Vec<&str> = families.iter().map(|family| family.name()).collect();
        let hint = gimbal_core::nearest::hint(name, names.iter().copied());
        return Err(Failure::Usage(format!("there is no environment `{name}`{hint} (known: {})", names.join(", "))));
    };
    Ok(families.swap_remove(place))
}
