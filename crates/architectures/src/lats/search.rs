//! The search of one real step: the tree, its branches, and how many answers are left.

use std::collections::BTreeMap;

use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{Branch, BranchError, EpisodeStopped, LaneId, Milli, Stage, ToolCall};
use gimbal_messages::StageExt;
use gimbal_messages::records::search::{Expanded, FirstAction, Searched, Tried};

use super::tree::{ROOT, Step, Tree, UNKNOWN};
use super::{Episode, Lats};
use crate::shared::reflector::{Account, Attempt, AttemptStep};

/// Most legal calls that are looked at in a branch.
const LEGAL: usize = 4_096;
/// How often the proposer is asked about the present where nothing that it named could be tried.
const TRIES: u32 = 2;

/// An action to play, and why.
pub(super) struct ChosenAction {
    pub call: ToolCall,
    pub why: String,
}

/// What may be done at a node.
pub(super) struct Present {
    /// Legal calls as far as literals are known, with their action texts.
    pub legal: Vec<(ToolCall, String)>,
    /// What an expert would do, with its action text.
    pub expert: Option<(ToolCall, String)>,
}

/// A search under way.
pub(super) struct Search<'a> {
    pub stage: &'a dyn Stage,
    pub step: u32,
    pub tree: Tree,
    /// Answers that were asked for, and how many may be.
    answers: u32,
    most: u32,
}

impl Search<'_> {
    /// Uses up an answer, if there is one left.
    pub(super) fn charge(&mut self) -> bool {
        let left = self.answers < self.most;
        self.answers += u32::from(left);
        left
    }
}

/// Where an action is tried.
struct Simulated {
    /// Place of the node in the tree.
    leaf: usize,
    /// The place that the node behind the action gets.
    child: usize,
    /// The depth of that node.
    depth: u32,
}

/// The branches of a search.
struct Branches {
    /// One for each node that can be expanded, by its place in the tree.
    of: Vec<Option<Box<dyn Branch>>>,
    /// Whether calls in branches are used up.
    spent: bool,
}

impl Branches {
    /// What may be done at a node.
    async fn present(&mut self, stage: &dyn Stage, at: usize) -> Present {
        let Some(branch) = self.of.get_mut(at).and_then(Option::as_mut) else {
            return Present { legal: Vec::new(), expert: None };
        };
        let (calls, own) = (branch.legal(LEGAL), branch.expert());
        let mut legal = Vec::with_capacity(calls.len());
        for call in calls {
            let action = stage.render(&call).await;
            legal.push((call, action));
        }
        let expert = match own {
            Some(call) => {
                let action = stage.render(&call).await;
                Some((call, action))
            }
            None => None,
        };
        Present { legal, expert }
    }

    /// Carries an action out in a branch of a node; the words of a refusal where it was refused.
    async fn simulate(
        &mut self,
        Simulated { leaf, child, depth }: Simulated,
        call: &ToolCall,
        action: &str,
    ) -> Result<Result<Step, String>, EpisodeStopped> {
        let mut step = Step { call: Some(call.clone()), action: action.to_owned(), ..Step::default() };
        let forked = match self.of.get_mut(leaf).and_then(Option::as_mut) {
            Some(branch) => branch.fork(u64::from(depth)),
            None => return Ok(Ok(step)),
        };
        let mut branch = match forked {
            Ok(branch) => branch,
            Err(error) => return self.not_tried(error).map(|why| why.map_or(Ok(step), Err)),
        };
        let transition = match branch.act(call).await {
            Ok(transition) => transition,
            Err(error) => return self.not_tried(error).map(|why| why.map_or(Ok(step), Err)),
        };
        step.simulated = true;
        step.ended = transition.done;
        // An answer is judged where no agent sees it: neither its reward nor what is said of it is told.
        if transition.done != Some(EnvironmentStop::Answered) {
            step.reward = Some(transition.reward);
            step.result.clone_from(&transition.observation.text);
        }
        self.of.resize_with(self.of.len().max(child + 1), || None);
        self.of[child] = transition.done.is_none().then_some(branch);
        Ok(Ok(step))
    }

    /// Why an action was not carried out in a branch: the words of a refusal; `None` if nobody refused it.
    fn not_tried(&mut self, error: BranchError) -> Result<Option<String>, EpisodeStopped> {
        match error {
            BranchError::Rejected(rejection) => Ok(Some(rejection.message)),
            BranchError::Asks { .. } => Ok(None),
            BranchError::Spent { .. } => {
                self.spent = true;
                Ok(None)
            }
            BranchError::EpisodeStopped(halt) => Err(halt),
            error => Err(EpisodeStopped::lasting(format!("the search cannot go on: {error}"))),
        }
    }
}

impl Lats {
    /// Grows a tree from the present; the first actions, the best first.
    ///
    /// # Errors
    /// What stopped the episode; a lasting one where the environment cannot be forked.
    pub(super) async fn search(
        &self,
        stage: &dyn Stage,
        episode: &mut Episode,
    ) -> Result<Vec<ChosenAction>, EpisodeStopped> {
        let branch = match stage.branch(0).await {
            Ok(branch) => branch,
            Err(BranchError::EpisodeStopped(halt)) => return Err(halt),
            Err(error) => return Err(EpisodeStopped::lasting(format!("a tree search needs branches: {error}"))),
        };
        let (step, tree) = (stage.view().await.step, Tree::new(self.depth, self.weights));
        let most = self.answers.unwrap_or(u32::MAX);
        let mut search = Search { stage, step, tree, answers: 0, most };
        let mut branches = Branches { of: vec![Some(branch)], spent: false };
        let (mut iterations, mut reflections) = (0, 0);
        let stopped = loop {
            if search.tree.is_solved() {
                break "solved";
            }
            if branches.spent {
                break "branch_calls";
            }
            if iterations >= self.iterations {
                break "iterations";
            }
            let Some(leaf) = search.tree.leaf() else { break "exhausted" };
            if search.answers >= search.most {
                break "answers";
            }
            iterations += 1;
            let children = self.expand((&mut search, &mut branches), episode, (leaf, iterations)).await?;
            for child in children {
                let wanted = reflections < self.reflections && failed(stage, &search.tree, child);
                if wanted && self.look_back(&mut search, episode, child).await? {
                    reflections += 1;
                }
            }
        };
        Ok(conclude(&search, iterations, stopped).await)
    }

    /// Tries what the proposer names at a node; the children that it got.
    async fn expand(
        &self,
        (search, branches): (&mut Search<'_>, &mut Branches),
        episode: &Episode,
        (leaf, iteration): (usize, u32),
    ) -> Result<Vec<usize>, EpisodeStopped> {
        let present = branches.present(search.stage, leaf).await;
        let depth = search.tree.node(leaf).depth + 1;
        let (mut children, mut tried) = (Vec::new(), Vec::new());
        let mut refused: BTreeMap<String, String> = BTreeMap::new();
        let tries = if leaf == ROOT { TRIES } else { 1 };
        for _ in 0..tries {
            let proposed = self.propose(search, episode, leaf, (&present, &refused)).await?;
            for (action, call) in proposed {
                let outcome = match call {
                    Ok(call) => {
                        let child = search.tree.size() + 1;
                        branches.simulate(Simulated { leaf, child, depth }, &call, &action).await?
                    }
                    Err(why) => Err(why),
                };
                match outcome {
                    Ok(step) => children.push(search.tree.add(leaf, step)),
                    Err(why) => {
                        let outcome = "refused".to_owned();
                        tried.push(Tried { action: action.clone(), outcome, reward: None, ended: None, value: None });
                        refused.insert(action, why);
                    }
                }
            }
            if !children.is_empty() {
                break;
            }
        }
        search.tree.expanded(leaf);
        let values = self.appraise(search, episode, leaf, (&children, &present)).await?;
        for (child, value) in children.iter().zip(&values) {
            search.tree.back_up(*child, value.unwrap_or(UNKNOWN));
        }
        tried.extend(children.iter().zip(values).map(|(child, value)| {
            let step = &search.tree.node(*child).step;
            let outcome = if step.simulated { "simulated" } else { "not_simulated" }.to_owned();
            let ended = step.ended.map(|ending| in_words(ending).to_owned());
            Tried { action: step.action.clone(), outcome, reward: step.reward, ended, value }
        }));
        let path = search.tree.path(leaf).into_iter().map(|step| step.action.clone()).collect();
        search.stage.record(LaneId::MAIN, &Expanded { step: search.step, iteration, path, tried }).await;
        Ok(children)
    }

    /// Has the reflector look back on a simulated path that failed; whether it was asked.
    async fn look_back(
        &self,
        search: &mut Search<'_>,
        episode: &mut Episode,
        child: usize,
    ) -> Result<bool, EpisodeStopped> {
        let Some(reflector) = &self.reflector else { return Ok(false) };
        if !search.charge() {
            return Ok(false);
        }
        episode.failed += 1;
        let mut account = Account {
            attempt: episode.failed,
            goal: search.stage.brief().goal.clone(),
            ended: search.tree.node(child).step.ended.map_or("", in_words).to_owned(),
            simulated: true,
            first: crate::shared::seen_blocks::told(&search.stage.brief(), episode.first.as_ref()),
            ..Account::default()
        };
        for (step, at) in search.tree.path(child).into_iter().zip(search.step..) {
            let (action, result) = (step.action.clone(), step.result.clone());
            account.push(AttemptStep { step: at, action, result, reward: step.reward.unwrap_or_default() });
        }
        let attempt = Attempt { about: "leaf", account: &account, notes: &episode.notes, kept: self.kept };
        let note = reflector.reflect(search.stage, LaneId::MAIN, attempt).await?;
        episode.notes.extend(note);
        episode.notes.drain(..episode.notes.len().saturating_sub(self.kept));
        Ok(true)
    }
}

/// Whether a path ended without its goal.
fn failed(stage: &dyn Stage, tree: &Tree, child: usize) -> bool {
    match tree.node(child).step.ended {
        Some(EnvironmentStop::Failed | EnvironmentStop::Broken) => true,
        Some(EnvironmentStop::Horizon) => !stage.brief().runs_on,
        Some(EnvironmentStop::Solved | EnvironmentStop::Answered) | None => false,
    }
}

/// The first actions, the best first, and the record of the search.
async fn conclude(search: &Search<'_>, iterations: u32, stopped: &str) -> Vec<ChosenAction> {
    let tree = &search.tree;
    let first = tree.first().iter().map(|at| FirstAction {
        action: tree.node(*at).step.action.clone(),
        visits: tree.visits(*at),
        value: tree.value(*at),
        simulated: tree.simulated(*at),
        worth: Milli::from_f64(tree.worth(*at)),
    });
    let first: Vec<FirstAction> = first.collect();
    let ranked = tree.ranked();
    let record = Searched {
        step: search.step,
        iterations,
        nodes: u32::try_from(tree.size()).unwrap_or(u32::MAX),
        depth: tree.deepest(),
        answers: search.answers,
        stopped: stopped.to_owned(),
        played: ranked.first().map(|at| tree.node(*at).step.action.clone()),
        first,
    };
    search.stage.record(LaneId::MAIN, &record).await;
    let found = ranked.into_iter().filter_map(|at| {
        let call = tree.node(at).step.call.clone()?;
        let why = format!("the best of {} actions that were compared", tree.first().len());
        Some(ChosenAction { call, why })
    });
    found.collect()
}

/// How a simulated path ends, for models.
pub(super) const fn in_words(ending: EnvironmentStop) -> &'static str {
    match ending {
        EnvironmentStop::Solved => "the goal is reached",
        EnvironmentStop::Horizon => "no step is left",
        EnvironmentStop::Failed => "the goal can no longer be reached",
        EnvironmentStop::Answered => "an answer is given",
        EnvironmentStop::Broken => "the environment breaks off",
    }
}
