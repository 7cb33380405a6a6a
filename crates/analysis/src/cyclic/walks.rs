//! Episodes of a run as walks over task graphs: the fold from journals to [`Cycles`].

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_core::{Questions, Stop, TaskId, TextRef};
use serde_json::Value;

use super::builder::TrajectoryBuilder;
use super::evidence::Evidence;
use super::{Cycles, Fold, Setup, TaskPart, Trajectory};
use crate::episode::{Episode, EpisodeFold, FoldError, Texts};
use crate::row::CellInfo;

/// What a walk needs of its cell, beside the events.
#[derive(Clone, Default)]
pub struct WalkCell<'q> {
    /// An episode is won when its return is above this, in thousandths.
    pub success_above: Option<i64>,
    /// Whether the tools of a node restrict its executor; `None` where the cell's settings do not say.
    pub specialists: Option<bool>,
    /// Reads answers and follows evidence, where the environment knows how.
    pub questions: Option<&'q dyn Questions>,
    /// Options of the environment, for the questions.
    pub options: Value,
    /// The part of the environment's data that each task belongs to.
    pub parts: Arc<BTreeMap<String, TaskPart>>,
}

impl Trajectory {
    /// The walk of an episode: segments, decisions, calls and their effects.
    ///
    /// # Errors
    /// When a text cannot be read, or a record does not have the form of its kind.
    pub fn read<E>(
        episode: &Episode<'_>,
        cell: &WalkCell<'_>,
        texts: &mut dyn Texts<Error = E>,
    ) -> Result<Self, FoldError<E>> {
        let mut builder = TrajectoryBuilder::new(texts, episode.asks);
        builder.follower = cell.questions.map(Questions::follower);
        builder.read(episode.events)?;
        let evidence = evidence(&mut builder, episode, cell)?;
        let left = builder.left.unwrap_or(0);
        let mut walk = builder.finish();
        if cell.specialists == Some(false) {
            // Tools of a node are a planner's suggestion then: every executor has all.
            walk.graphs.iter_mut().flat_map(|graph| &mut graph.nodes).for_each(|node| {
                node.suggested = std::mem::take(&mut node.tools);
            });
        }
        let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let (fallbacks, rejected) = (small(episode.fallbacks), small(episode.rejected));
        let own = small(episode.tool_calls).saturating_sub(fallbacks);
        Ok(Self {
            cell: episode.cell.to_owned(),
            environment: episode.environment.to_owned(),
            task: episode.task.to_owned(),
            part: cell.parts.get(episode.task).cloned(),
            run: episode.run,
            trial: episode.trial,
            instance: episode.instance,
            goal: episode.objective.map(str::to_owned),
            return_thousandths: episode.return_thousandths,
            stop: episode.stop,
            won: episode.stop == Stop::Solved
                || cell.success_above.is_some_and(|above| episode.return_thousandths > above),
            tool_calls: small(episode.tool_calls).saturating_sub(left),
            steps: episode.steps,
            fallback_steps: fallbacks,
            attempts: own.max(rejected),
            rejected,
            wall_us: episode.critical_path_us,
            evidence,
            ..walk
        })
    }

    /// What each call of an episode brought, or why it was refused: one reference for each act of its walk, in order.
    ///
    /// # Errors
    /// Those of [`Trajectory::read`].
    pub fn results<E>(episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<Vec<TextRef>, FoldError<E>> {
        let mut builder = TrajectoryBuilder::new(texts, episode.asks);
        builder.read(episode.events)?;
        Ok(builder.results)
    }
}

/// What the last observation says of the answer; where it says nothing and the environment has questions, what they say of
/// the evidence that was found.
fn evidence<E>(
    builder: &mut TrajectoryBuilder<'_, E>,
    episode: &Episode<'_>,
    cell: &WalkCell<'_>,
) -> Result<Option<Evidence>, FoldError<E>> {
    if let Some(last) = builder.last.take()
        && let Some(evidence) = Evidence::in_last(&builder.source.text(&last)?)
    {
        return Ok(Some(evidence));
    }
    let (Some(questions), Some(follower)) = (cell.questions, &builder.follower) else { return Ok(None) };
    // The controller's budget, or a list of calls that ran out, ended it before the environment could say. A question that
    // cannot be read any more leaves the place of the failure unknown.
    let exam = questions.exam(&TaskId(episode.task.to_owned()), &cell.options).ok();
    let unanswered = exam.and_then(|exam| exam.unanswered(&follower.evidence()));
    let evidence = unanswered.and_then(|text| Evidence::in_last(&text));
    Ok(Some(evidence.unwrap_or_else(Evidence::unknown)))
}

/// The fold from episodes to [`Cycles`].
pub struct CyclesFold<'q> {
    cells: BTreeMap<String, WalkCell<'q>>,
    fold: Fold,
}

impl<'q> CyclesFold<'q> {
    /// A fold over the episodes of these cells; those of other cells are left out.
    #[must_use]
    pub fn new(infos: Vec<(CellInfo, Setup)>, cells: BTreeMap<String, WalkCell<'q>>) -> Self {
        Self { cells, fold: Fold::new(infos) }
    }

    /// The cells with what their episodes did over task graphs.
    #[must_use]
    pub fn finish(self) -> Cycles {
        self.fold.finish()
    }
}

impl<E> EpisodeFold<E> for CyclesFold<'_> {
    fn wants(&self, episode: &Episode<'_>) -> bool {
        self.cells.contains_key(episode.cell)
    }

    fn needs_objectives(&self) -> bool {
        true
    }

    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        if let Some(cell) = self.cells.get(episode.cell) {
            self.fold.add(&Trajectory::read(episode, cell, texts)?);
        }
        Ok(())
    }
}
