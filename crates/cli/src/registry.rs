//! Everything that a study may name. A new environment or architecture is a line here.

use std::sync::Arc;

use gimbal_report::Catalogue;
use gimbal_study::registry::Registry;

use crate::exit::Failure;
use crate::workbench::{Alfworld, Cage2, FinanceAgent, TextCraft, Workbench, YawningTitan};

/// Environments and architectures of this program.
pub fn registry() -> Registry {
    Registry {
        environments: vec![
            Arc::new(gimbal_cage2::Cage2),
            Arc::new(gimbal_yawning_titan::YawningTitan),
            Arc::new(gimbal_textcraft::TextCraft),
            Arc::new(gimbal_alfworld::Alfworld::new()),
            Arc::new(gimbal_finance_agent::FinanceAgent),
        ],
        architectures: gimbal_architectures::kinds(),
    }
}

/// Tables, figures and printed numbers of this program: a new work is a word here.
pub fn catalogue() -> Catalogue {
    Catalogue::new(vec![&gimbal_bog::Bog, &gimbal_cyc::Cyc])
}

/// The workbench of an environment: what `gimbal env NAME` does with it.
pub fn workbench(name: &str) -> Result<Box<dyn Workbench>, Failure> {
    match name {
        "cage2" => Ok(Box::new(Cage2)),
        "yawning_titan" => Ok(Box::new(YawningTitan)),
        "textcraft" => Ok(Box::new(TextCraft)),
        "alfworld" => Ok(Box::new(Alfworld)),
        "finance_agent" => Ok(Box::new(FinanceAgent)),
        _ => {
            let registry = registry();
            let names: Vec<&str> = registry.environments.iter().map(|family| family.name()).collect();
            let hint = gimbal_core::nearest::hint(name, names.iter().copied());
            Err(Failure::Usage(format!("there is no environment `{name}`{hint} (known: {})", names.join(", "))))
        }
    }
}
