//! What all layers share in a step: what is legal, what an expert would do, what was seen first.

use std::sync::Arc;

use gimbal_core::{Block, Brief, EpisodeStopped, Stage, ToolCall};

/// Most legal calls that are listed.
const MOST: usize = 4_096;

/// One step, in the present state of the environment.
pub(super) struct Turn<'a> {
    pub stage: &'a dyn Stage,
    pub brief: Arc<Brief>,
    /// Legal calls as far as literals are known, and their action texts.
    pub legal: Arc<[ToolCall]>,
    pub actions: Vec<String>,
    /// What the environment's expert would do, with its action text.
    pub expert: Option<(ToolCall, String)>,
    /// What was seen before the first step.
    pub first: &'a Option<Block>,
    pub step: u32,
}

impl<'a> Turn<'a> {
    pub(super) async fn of(stage: &'a dyn Stage, first: &'a Option<Block>, step: u32) -> Self {
        let legal = stage.legal(MOST).await;
        let mut actions = Vec::with_capacity(legal.len());
        for call in legal.iter() {
            actions.push(stage.render(call).await);
        }
        let expert = match stage.expert().await {
            Some(call) => {
                let action = stage.render(&call).await;
                Some((call, action))
            }
            None => None,
        };
        Self { stage, brief: stage.brief(), legal, actions, expert, first, step }
    }

    /// Whether the environment may take a call now, as far as its literals tell; what it refuses all the same changes nothing.
    pub(super) async fn opens(&self, call: &ToolCall) -> bool {
        if self.legal.contains(call) || *call == self.brief.idle || self.brief.free_arguments {
            return true;
        }
        let mut open = false;
        for (name, value) in &call.arguments {
            match (self.stage.choices(&call.tool, name).await, value.as_str()) {
                (Some(choices), Some(value)) if !choices.iter().any(|choice| choice == value) => return false,
                (Some(_), _) => {}
                // A value of the agent's own: the environment alone can tell.
                (None, _) => open = true,
            }
        }
        open
    }

    /// The blocks of a prompt.
    ///
    /// # Errors
    /// What stopped the episode.
    pub(super) async fn blocks(
        &self,
        lane: gimbal_core::LaneId,
        names: &[String],
    ) -> Result<Vec<Block>, EpisodeStopped> {
        crate::shared::seen_blocks::blocks(self.stage, lane, self.first.as_ref(), names).await
    }
}
