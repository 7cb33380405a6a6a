//! What proposer and valuer are asked, and what experts in their places would say.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{Block, Decoding, EpisodeStopped, Hint, LaneId, Milli, ToolCall};
use gimbal_messages::{Form, bounded, spaced, typed};
use serde_json::{Value, json};

use super::messages::{Appraisal, Proposals};
use super::search::{Present, Search, in_words};
use super::settings::Batching;
use super::tree::{ROOT, Step};
use super::{Episode, Lats};
use crate::shared::asking::{MessageRequest, Shape};

/// How much of an answer that cannot be used goes back to the model, in characters.
const BROKEN: usize = 2_000;
/// Longest result of a simulated action that is shown, in characters.
const RESULT: usize = 1_200;
/// Most possible actions of a simulated state that are listed.
const LISTED: usize = 200;
/// Other answers of an expert.
const OTHERS: usize = 8;
/// Value of what an expert would do, and of anything else.
const VALUED: (f64, f64) = (0.9, 0.3);

/// A proposal: the action as it is shown, and its call or why it is none.
type Proposed = (String, Result<ToolCall, String>);

impl Lats {
    /// The actions that the proposer names at a node, without those that were refused before; each once.
    ///
    /// # Errors
    /// What stopped the episode.
    pub(super) async fn propose(
        &self,
        search: &mut Search<'_>,
        episode: &Episode,
        at: usize,
        (present, refused): (&Present, &BTreeMap<String, String>),
    ) -> Result<Vec<Proposed>, EpisodeStopped> {
        // Free text is long: one such action is as much as a mask holds, so that each is asked for by itself.
        let held = search.stage.role(self.proposer.role()).is_some_and(|role| role.decoding == Decoding::Constrained);
        let (calls, wanted) = match self.proposals {
            Batching::Together if held && search.stage.brief().free_arguments => (self.width, 1),
            Batching::Together => (1, self.width),
            Batching::Apart => (self.width, 1),
        };
        let blocks = self.blocks(search, episode, at, present).await?;
        let mut proposed: Vec<Proposed> = Vec::new();
        for _ in 0..calls {
            let already: Vec<&str> = proposed.iter().map(|(action, _)| action.as_str()).collect();
            // Where literals are all there is, no more can be wanted than are left of them.
            let closed = search.stage.brief().literals_change && !present.legal.is_empty();
            let wanted = if closed { wanted.min(left(&present.legal, (&already, refused))) } else { wanted };
            if wanted == 0 || !search.charge() {
                break;
            }
            let mut told = self.told(search, episode, at);
            told["wanted"] = json!(wanted);
            if !already.is_empty() {
                told["already"] = json!(already);
            }
            if !refused.is_empty() {
                let why = refused.iter().map(|(action, why)| json!({ "action": action, "why": why }));
                told["refused"] = why.collect();
            }
            let expert = present.expert.as_ref().map(|(_, action)| proposing(action, present, &already, wanted));
            for action in self.actions(search, (&blocks, &told), present, (wanted, expert)).await? {
                let read = read_action(search, present, &action).await;
                let same = |known: &Proposed| match (&known.1, &read) {
                    (Ok(known), Ok(read)) => known == read,
                    _ => known.0 == action,
                };
                if !proposed.iter().any(same) && !refused.contains_key(&action) {
                    let shown = match &read {
                        Ok(call) => search.stage.render(call).await,
                        Err(_) => action,
                    };
                    proposed.push((shown, read));
                }
            }
        }
        Ok(proposed)
    }

    /// One answer of the proposer: action texts, at most as many as were wanted.
    async fn actions(
        &self,
        search: &Search<'_>,
        (blocks, told): (&[Block], &Value),
        present: &Present,
        (wanted, expert): (usize, Option<Hint>),
    ) -> Result<Vec<String>, EpisodeStopped> {
        let message = spaced(told);
        let (calls, texts): (Vec<ToolCall>, Vec<String>) = present.legal.iter().cloned().unzip();
        let shown: Vec<&str> = blocks.iter().map(|block| &*block.text).chain([message.as_str()]).collect();
        let shown = present.expert.is_none().then_some(&shown[..]);
        let action = self.proposer.session(search.stage).await?.action_form(&calls, &texts, shown);
        let asked = MessageRequest {
            agent: &self.proposer,
            lane: LaneId::MAIN,
            blocks,
            who: "proposer",
            target: "",
            message: &message,
            shape: Shape::Contract(&self.reading.proposals),
            form: Form::object(&[("actions", Form::array(&action, 1, wanted))]),
            expert,
            longest: BROKEN,
            mask: true,
        };
        let read = asked.ask(search.stage, |value| {
            let Proposals { actions } = typed(value)?;
            let actions = actions.iter().map(|action| action.trim()).filter(|action| !action.is_empty());
            let actions: Vec<String> = actions.map(str::to_owned).collect();
            if actions.is_empty() { Err("`actions` names no action".to_owned()) } else { Ok(actions) }
        });
        let mut actions = read.await?.unwrap_or_default();
        actions.truncate(wanted);
        Ok(actions)
    }

    /// What is said of the children of a node, in their order: by the end of the episode where there is one, else by the valuer; `None` if neither says
    /// anything.
    ///
    /// # Errors
    /// What stopped the episode.
    pub(super) async fn appraise(
        &self,
        search: &mut Search<'_>,
        episode: &Episode,
        at: usize,
        (children, present): (&[usize], &Present),
    ) -> Result<Vec<Option<Milli>>, EpisodeStopped> {
        let runs_on = search.stage.brief().runs_on;
        let known = |child: &usize| match search.tree.node(*child).step.ended {
            Some(EnvironmentStop::Solved) => Some(Milli(1000)),
            Some(EnvironmentStop::Failed | EnvironmentStop::Broken) => Some(Milli::ZERO),
            // Where the environment runs on, its last step is not a failure.
            Some(EnvironmentStop::Horizon) => Some(if runs_on { Milli(500) } else { Milli::ZERO }),
            Some(EnvironmentStop::Answered) | None => None,
        };
        let mut values: Vec<Option<Milli>> = children.iter().map(known).collect();
        let asked: Vec<usize> = (0..children.len()).filter(|place| values[*place].is_none()).collect();
        let groups: Vec<Vec<usize>> = match self.values {
            Batching::Together => vec![asked],
            Batching::Apart => asked.into_iter().map(|place| vec![place]).collect(),
        };
        for group in groups.into_iter().filter(|group| !group.is_empty()) {
            if !search.charge() {
                break;
            }
            let candidates: Vec<&Step> = group.iter().map(|place| &search.tree.node(children[*place]).step).collect();
            let found = self.values_of(search, episode, at, (&candidates, present)).await?;
            for (place, value) in group.into_iter().zip(found) {
                values[place] = Some(value);
            }
        }
        Ok(values)
    }

    /// One answer of the valuer: a value for each candidate; none at all where it cannot be used.
    async fn values_of(
        &self,
        search: &Search<'_>,
        episode: &Episode,
        at: usize,
        (candidates, present): (&[&Step], &Present),
    ) -> Result<Vec<Milli>, EpisodeStopped> {
        let [_, context] = &self.contexts;
        let blocks =
            crate::shared::seen_blocks::blocks(search.stage, LaneId::MAIN, episode.first.as_ref(), context).await?;
        let mut told = self.told(search, episode, at);
        let numbered = candidates.iter().zip(1_u32..).map(|(step, number)| {
            let mut shown = shown(step);
            shown["number"] = json!(number);
            shown
        });
        told["candidates"] = numbered.collect();
        let expert = present.expert.as_ref().map(|(call, _)| valuing(call, candidates));
        let (message, count) = (spaced(&told), candidates.len());
        let asked = MessageRequest {
            agent: &self.valuer,
            lane: LaneId::MAIN,
            blocks: &blocks,
            who: "valuer",
            target: "",
            message: &message,
            shape: Shape::Contract(&self.reading.appraisal),
            form: Form::object(&[("values", Form::array(&Form::share(), count, count))]),
            expert,
            longest: BROKEN,
            mask: true,
        };
        let read = asked.ask(search.stage, |value| {
            let Appraisal { values } = typed(value)?;
            let values: Vec<Milli> = values.into_iter().map(Milli::from_f64).collect();
            let found = values.len();
            if found == count {
                return Ok(values);
            }
            Err(format!("`values` has {found} numbers; there are {count} candidates, and each needs one"))
        });
        Ok(read.await?.unwrap_or_default())
    }

    /// What both are told about a node.
    fn told(&self, search: &Search<'_>, episode: &Episode, at: usize) -> Value {
        let (path, horizon) = (search.tree.path(at), search.stage.brief().horizon);
        let step = search.step + search.tree.node(at).depth;
        let mut told = json!({ "step": step, "steps_left": horizon.saturating_sub(step - 1) });
        if !path.is_empty() {
            told["simulated"] = path.into_iter().map(shown).collect();
        }
        if !episode.notes.is_empty() {
            told["notes"] = json!(episode.notes);
        }
        told
    }

    /// What the proposer sees beside the request. Where literals are all there is and change, nobody can act who is not shown them (CYC-036).
    async fn blocks(
        &self,
        search: &Search<'_>,
        episode: &Episode,
        at: usize,
        present: &Present,
    ) -> Result<Vec<Block>, EpisodeStopped> {
        let (stage, [context, _]) = (search.stage, &self.contexts);
        let mut blocks =
            crate::shared::seen_blocks::blocks(stage, LaneId::MAIN, episode.first.as_ref(), context).await?;
        if crate::shared::seen_blocks::told_once(&stage.brief()) {
            let possible = if at == ROOT {
                self.proposer.session(stage).await?.possible_actions(stage).await?
            } else {
                listed(present).map(Arc::from)
            };
            blocks.extend(possible.map(crate::shared::seen_blocks::possible));
        }
        Ok(blocks)
    }
}

/// How many of these actions may still be proposed.
fn left(legal: &[(ToolCall, String)], (already, refused): (&[&str], &BTreeMap<String, String>)) -> usize {
    let is_left = |action: &&str| !already.contains(action) && !refused.contains_key(*action);
    legal.iter().map(|(_, action)| action.as_str()).filter(is_left).count()
}

/// The possible actions of a simulated state.
fn listed(present: &Present) -> Option<String> {
    if present.legal.is_empty() {
        return None;
    }
    let mut lines = vec!["The actions that are possible after the simulated ones, one on each line:".to_owned()];
    lines.extend(present.legal.iter().take(LISTED).map(|(_, action)| action.clone()));
    let more = present.legal.len().saturating_sub(LISTED);
    if more > 0 {
        lines.push(format!("... and {more} more of the same kinds"));
    }
    Some(format!("<possible_actions>\n{}\n</possible_actions>", lines.join("\n")))
}

/// A simulated step as models are shown it.
fn shown(step: &Step) -> Value {
    let mut shown = json!({ "action": step.action });
    if !step.simulated {
        shown["result"] = json!("(it was not simulated)");
    } else if !step.result.is_empty() {
        shown["result"] = json!(bounded(step.result.trim(), RESULT));
    }
    if let Some(reward) = step.reward.filter(|reward| *reward != Milli::ZERO) {
        shown["reward"] = json!(reward.to_string());
    }
    if let Some(ended) = step.ended {
        shown["ended"] = json!(in_words(ended));
    }
    shown
}

/// The call of an action text: one that is legal at the node, else whatever the environment reads.
async fn read_action(search: &Search<'_>, present: &Present, action: &str) -> Result<ToolCall, String> {
    let same = |known: &str| known.trim().eq_ignore_ascii_case(action.trim());
    if let Some((call, _)) = present.legal.iter().find(|(_, known)| same(known)) {
        return Ok(call.clone());
    }
    search.stage.parse(action).await.map_err(|rejection| rejection.message)
}

/// What an expert would propose: its own action first, then others. A mistaken one leaves its own action out.
fn proposing(own: &str, present: &Present, already: &[&str], wanted: usize) -> Hint {
    let others: Vec<&str> = present
        .legal
        .iter()
        .map(|(_, action)| action.as_str())
        .filter(|action| *action != own && !already.contains(action))
        .collect();
    let say = |actions: Vec<&str>| spaced(&json!({ "actions": actions }));
    let from = |at: usize, count: usize| others.iter().cycle().skip(at).take(count.min(others.len())).copied();
    let first = (!already.contains(&own)).then_some(own);
    let answer: Vec<&str> = first.into_iter().chain(from(0, wanted - first.iter().len())).collect();
    let answer = if answer.is_empty() { vec![own] } else { answer };
    // Spread over all that is legal: neighbours in the list are much alike.
    let stride = (others.len() / OTHERS).max(1);
    let starts = (0..others.len()).step_by(stride).take(OTHERS);
    Hint { answer: say(answer), alternatives: starts.map(|at| say(from(at, wanted).collect())).collect() }
}

/// What an expert would say of candidates: what it would do itself is good. Mistaken ones say the reverse, or the same of all.
fn valuing(own: &ToolCall, candidates: &[&Step]) -> Hint {
    let (good, bad) = VALUED;
    let say = |of: &dyn Fn(bool) -> f64| {
        let values = candidates.iter().map(|step| of(step.call.as_ref() == Some(own)));
        spaced(&json!({ "values": values.collect::<Vec<f64>>() }))
    };
    Hint {
        answer: say(&|own| if own { good } else { bad }),
        alternatives: vec![say(&|own| if own { bad } else { good }), say(&|_| 0.5)],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gimbal_core::ToolCall;

    use super::left;

    #[test]
    fn what_was_proposed_or_refused_is_not_left() {
        let legal: Vec<(ToolCall, String)> =
            ["look", "go to desk 1", "inventory"].map(|text| (ToolCall::bare(text), text.to_owned())).into();
        let refused = BTreeMap::from([("inventory".to_owned(), "no".to_owned())]);
        assert_eq!(left(&legal, (&[], &BTreeMap::new())), 3);
        assert_eq!(left(&legal, (&["look"], &refused)), 1);
        assert_eq!(left(&legal, (&["look", "go to desk 1"], &refused)), 0);
    }
}
