//! Everything that depends on names and horizon: brief, tools, decoys. Made once for all episodes that agree in them.

use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::data::Model;
use gimbal_core::{Brief, EnvError, ToolSpec};
use serde_json::Value;

use super::{Naming, Settings, brief};
use crate::action::{self, KINDS};
use crate::facts::HOSTS;
use crate::names::Names;
use crate::tracker::{DecoyTable, HOSTNAME};

/// What depends on names and horizon.
#[derive(Debug)]
pub(super) struct EpisodeInterface {
    pub names: Names,
    pub brief: Arc<Brief>,
    pub tools: Arc<[ToolSpec]>,
    pub decoys: DecoyTable,
    /// A first observation; the others are held as changes of it.
    pub model: Model,
}

impl EpisodeInterface {
    /// For an episode with this seed.
    pub fn of(settings: &Settings, seed: u64) -> Result<Arc<Self>, EnvError> {
        // The last one in the scenario's own names: an episode of one step is shorter than making it.
        static ORIGINAL: Mutex<Option<Arc<EpisodeInterface>>> = Mutex::new(None);
        let horizon = settings.horizon;
        if settings.names != Naming::Original {
            return Self::new(settings.names.of(seed), horizon).map(Arc::new);
        }
        let mut known = ORIGINAL.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(interface) = known.as_ref().filter(|interface| interface.brief.horizon == horizon) {
            return Ok(Arc::clone(interface));
        }
        let interface = Arc::new(Self::new(Names::original(), horizon)?);
        *known = Some(Arc::clone(&interface));
        Ok(interface)
    }

    fn new(names: Names, horizon: u32) -> Result<Self, EnvError> {
        let subjects = HOSTS.iter().map(|host| names.host(*host).to_owned()).collect();
        let tools = brief::FILE.described(tools(&names))?;
        let manifest = brief::manifest(&tools)?;
        let brief = Arc::new(Brief { subjects, horizon, manifest, ..brief::read()? });
        Ok(Self { brief, tools, decoys: DecoyTable::of(&names), model: Model::default(), names })
    }
}

/// The tools: every kind of action with the hosts as literals, and the two without a host. The glossary describes those that it
/// has an entry of.
fn tools(names: &Names) -> Vec<ToolSpec> {
    let hosts: Vec<&str> = HOSTS.iter().map(|host| names.host(*host)).collect();
    let mut tools = vec![ToolSpec::of_strings("Monitor", "", &[])];
    for kind in KINDS {
        let description = match kind {
            action::Kind::Decoy(_) => "Sets up a decoy of this kind of service on one host.",
            action::Kind::Analyse | action::Kind::Remove | action::Kind::Restore => "",
        };
        let mut tool = ToolSpec::of_strings(names.kind(kind), description, &[(HOSTNAME, "Name of the host.")]);
        tool.parameters["properties"][HOSTNAME]["enum"] = Value::from(hosts.clone());
        tools.push(tool);
    }
    tools.push(ToolSpec::of_strings("Sleep", "Does nothing.", &[]));
    tools
}
