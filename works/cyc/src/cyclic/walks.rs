//! Episodes of a run as walks over task graphs: the fold from journals to [`Cycles`].

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError, Texts};
use gimbal_analysis::work_folds::{FoldSource, RunCell, TaskPart, WorkFold};
use gimbal_core::{Event, Questions, Stop, TaskId, TextRef};
use serde_json::Value;

use super::builder::TrajectoryBuilder;
use super::evidence::Evidence;
use super::{Board, Cycles, Fold, Setup, Trajectory};

/// Cells with what their episodes did over task graphs, and their measures: a [`Board`].
pub const CYCLES: FoldSource = FoldSource {
    name: "cycles",
    applies: |cells| cells.iter().any(|cell| cell.has_graph),
    start: |cells| Box::new(CyclesFold::new(cells)),
};

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

impl<'q> WalkCell<'q> {
    /// Of a cell of a run.
    #[must_use]
    pub fn of(cell: &RunCell<'q>) -> Self {
        Self {
            success_above: cell.info.thresholds.success_above,
            specialists: Setup::of(cell).specialists,
            questions: cell.questions,
            options: cell.identity["environment"]["options"].clone(),
            parts: Arc::clone(&cell.parts),
        }
    }

    /// Of the cells of a run, by id.
    fn all(cells: &[RunCell<'q>]) -> BTreeMap<String, Self> {
        cells.iter().map(|cell| (cell.info.id.clone(), Self::of(cell))).collect()
    }
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
            is_question: cell.questions.is_some(),
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
/// the evidence that was found. A record that cannot be read is an error at the event of its observation.
fn evidence<E>(
    builder: &mut TrajectoryBuilder<'_, E>,
    episode: &Episode<'_>,
    cell: &WalkCell<'_>,
) -> Result<Option<Evidence>, FoldError<E>> {
    let event = builder.last.as_ref().map_or(0, |last| last.event);
    let read = |text: &str| Evidence::in_last(text).map_err(|error| FoldError::Record { event, error });
    if let Some(last) = builder.last.take()
        && let Some(evidence) = read(&builder.source.text(&last.text)?)?
    {
        return Ok(Some(evidence));
    }
    let (Some(questions), Some(follower)) = (cell.questions, &builder.follower) else { return Ok(None) };
    // The controller's budget, or a list of calls that ran out, ended it before the environment could say. A question that
    // cannot be read any more leaves the place of the failure unknown.
    let exam = questions.exam(&TaskId(episode.task.to_owned()), &cell.options).ok();
    let unanswered = exam.and_then(|exam| exam.unanswered(&follower.evidence()));
    let evidence = unanswered.map_or(Ok(None), |text| read(&text))?;
    Ok(Some(evidence.unwrap_or_else(Evidence::unknown)))
}

/// The walk of one episode from its events alone: segments, decisions, calls and their effects. What its run folder knows
/// (cell, environment, task, run, stop, whether it was won) is left at its default. `objective` is what its brief says that is to be
/// reached; `asks` are roles that the environment asks.
///
/// # Errors
/// Those of `texts`, or when a record does not have the form of its kind.
pub fn walk_of<E>(
    events: &[Event],
    texts: &mut dyn Texts<Error = E>,
    objective: Option<&str>,
    asks: &[String],
) -> Result<Trajectory, FoldError<E>> {
    let episode = Episode { asks, events, objective, ..Episode::default() };
    Trajectory::read(&episode, &WalkCell::default(), texts)
}

/// Hands on the walk of every episode, one at a time.
pub struct TrajectoryFold<'q, F> {
    cells: BTreeMap<String, WalkCell<'q>>,
    bare: WalkCell<'q>,
    each: F,
}

impl<'q, F: FnMut(Trajectory)> TrajectoryFold<'q, F> {
    /// A fold over the episodes of these cells.
    #[must_use]
    pub fn new(cells: &[RunCell<'q>], each: F) -> Self {
        Self { cells: WalkCell::all(cells), bare: WalkCell::default(), each }
    }
}

impl<E, F: FnMut(Trajectory)> EpisodeFold<E> for TrajectoryFold<'_, F> {
    fn needs_objectives(&self) -> bool {
        true
    }

    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        let cell = self.cells.get(episode.cell).unwrap_or(&self.bare);
        (self.each)(Trajectory::read(episode, cell, texts)?);
        Ok(())
    }
}

/// What each call of the last episode that was read brought, or why it was refused: one text for each act of its walk, in order.
#[derive(Clone, Debug, Default)]
pub struct ResultFold {
    /// The texts; `None` until an episode was read.
    pub results: Option<Vec<String>>,
}

impl<E> EpisodeFold<E> for ResultFold {
    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        let results = Trajectory::results(episode, texts)?;
        let read = results.iter().map(|result| texts.text(result).map(Cow::into_owned));
        self.results = Some(read.collect::<Result<Vec<String>, E>>().map_err(FoldError::Text)?);
        Ok(())
    }
}

/// The fold from episodes to [`Cycles`].
pub struct CyclesFold<'q> {
    cells: BTreeMap<String, WalkCell<'q>>,
    fold: Fold,
}

impl<'q> CyclesFold<'q> {
    /// A fold over the episodes of these cells; those of other cells are left out.
    #[must_use]
    pub fn new(cells: &[RunCell<'q>]) -> Self {
        let infos = cells.iter().map(|cell| (cell.info.clone(), Setup::of(cell))).collect();
        Self { cells: WalkCell::all(cells), fold: Fold::new(infos) }
    }

    /// The cells with what their episodes did over task graphs.
    #[must_use]
    pub fn cycles(self) -> Cycles {
        self.fold.finish()
    }
}

impl WorkFold for CyclesFold<'_> {
    fn finish(self: Box<Self>) -> Box<dyn Any> {
        Box::new(Board::new(self.cycles()))
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use gimbal_analysis::episode::FoldError;
    use gimbal_core::event::{Body, StepTaken};
    use gimbal_core::{Digest, Event, Milli, TextRef};

    use super::{Trajectory, walk_of};

    /// An episode whose observations are these.
    fn walk(observations: &[&str]) -> Result<Trajectory, FoldError<Infallible>> {
        let step = |text: &&str| {
            let observation = TextRef::inline(text);
            Body::Stepped(StepTaken { observation, reward: Milli(0), state: Digest::of(text.as_bytes()) })
        };
        let events: Vec<Event> = observations.iter().map(|text| Event { body: step(text), lane: 0, step: 1 }).collect();
        walk_of(&events, &mut |text: &TextRef| Ok(text.as_inline().unwrap_or_default().to_owned()), None, &[])
    }

    // covers: CYC-095
    #[test]
    fn a_record_behind_the_last_observation_that_cannot_be_read_is_an_error_with_its_place() {
        assert_eq!(walk(&["a page", "over"]).unwrap().evidence, None);
        let error = walk(&["a page", "Thank you.\nepisode record: {\"audit\":{\"gold\":[]}}"]).unwrap_err();
        let FoldError::Record { event, error } = error;
        assert_eq!((event, error.key.as_str()), (1, "audit"));
        assert!(error.why.starts_with("missing field `matched`"), "{error}");
    }
}
