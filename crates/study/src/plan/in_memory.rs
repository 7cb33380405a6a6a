//! Episodes of a plan that are played in memory, outside any run: nothing of them is written down.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_core::{Architecture, EpisodeStopped, TaskId};

use super::{Cell, Plan};
use crate::stage::{EpisodeSetup, MemoryRecorder, Outcome, Recorded, Role, play_episode};

impl Plan {
    /// Plays an architecture in a run of a task, in the environment of a cell and with the seed that a run would use. `change` may
    /// set faults and limits; there are none otherwise.
    ///
    /// # Errors
    /// The stop of an episode that failed for reasons outside of the agent.
    pub(crate) async fn in_memory(
        &self,
        cell: &Cell,
        architecture: &dyn Architecture,
        (task, run): (&TaskId, u32),
        (roles, change): (Arc<BTreeMap<String, Role>>, impl FnOnce(&mut EpisodeSetup)),
    ) -> Result<(Outcome, Recorded), EpisodeStopped> {
        let id = self.episode(cell, task, run, 0);
        let environment = cell.environment.family.open(&cell.environment.options);
        let environment = environment.map_err(|error| EpisodeStopped::infrastructure(error.to_string()))?;
        let mut setup = EpisodeSetup::new(id.key, task.clone(), id.seed, roles);
        setup.artefacts = Arc::clone(&cell.artefacts.given);
        setup.learned = Arc::clone(&cell.artefacts.learned);
        change(&mut setup);
        let recorder = Arc::new(MemoryRecorder::default());
        let outcome = play_episode(architecture, environment, setup, recorder.clone()).await?;
        Ok((outcome, recorder.recorded()))
    }
}
