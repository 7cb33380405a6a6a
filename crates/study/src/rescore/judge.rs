//! The judges: plain code, and a model that is asked about each item.

use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::{
    CallContext, ChatModel, ChatRequest, Completion, Digest, ModelError, Sampling, Usage, UsageSource, Wire, seed,
};
use tokio::task::JoinSet;

use super::file::{Outcome, Row, Verdicts};
use super::{Answered, RescoreError};
use crate::stage::Cancel;

/// Longest reply that is kept, in characters.
const REPLY: usize = 2_000;

/// The outcome of asking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judging {
    /// Questions that were asked now.
    pub asked: u64,
    /// Questions that had been answered before.
    pub known: u64,
    /// Why nothing more was asked, where a failure will last or the work was cancelled.
    pub stopped: Option<String>,
}

/// The hash of what is judged: answer and item.
fn of_code(answered: &Answered, item: &str) -> Digest {
    Digest::of_parts(&[b"offline", answered.answer.as_deref().unwrap_or_default().as_bytes(), item.as_bytes()])
}

/// Judges all answers by plain code.
///
/// # Errors
/// When a verdict cannot be written.
pub fn by_code(answers: &[Answered], verdicts: &mut Verdicts) -> Result<Vec<Vec<Outcome>>, RescoreError> {
    let (mut all, mut fresh) = (Vec::with_capacity(answers.len()), Vec::new());
    for answered in answers {
        let Some(answer) = &answered.answer else {
            all.push(Vec::new());
            continue;
        };
        let passed = answered.exam.offline(answer);
        let outcomes: Vec<Outcome> =
            passed.iter().map(|passed| if *passed { Outcome::Passed } else { Outcome::Failed }).collect();
        for ((number, item), outcome) in (0_u32..).zip(answered.exam.items()).zip(&outcomes) {
            let asked = of_code(answered, &item);
            if verdicts.known(answered.key, number, asked) != Some(outcome) {
                let (episode, outcome) = (answered.key, outcome.clone());
                let row = Row { episode, item: number, asked, outcome, reply: String::new(), input: 0, output: 0 };
                fresh.push(row);
            }
        }
        all.push(outcomes);
    }
    verdicts.add(fresh)?;
    Ok(all)
}

/// A question that must be asked.
struct Open {
    place: usize,
    item: u32,
    asked: Digest,
    request: ChatRequest,
}

/// Asks a model about every item of every answer that it was not asked about before, at most `jobs` at once; `told` hears
/// of every answer.
///
/// # Errors
/// When a verdict cannot be written.
pub async fn by_model(
    answers: &[Answered],
    (model, sampling): (&Arc<dyn ChatModel>, &Sampling),
    verdicts: &mut Verdicts,
    (jobs, cancel): (usize, &Cancel),
    told: impl Fn(u64, u64),
) -> Result<(Vec<Vec<Outcome>>, Judging), RescoreError> {
    let mut judging = Judging::default();
    let mut all: Vec<Vec<Option<Outcome>>> = Vec::with_capacity(answers.len());
    let mut open = Vec::new();
    for (place, answered) in answers.iter().enumerate() {
        let items = answered.exam.items().len();
        let mut outcomes = vec![None; if answered.answer.is_some() { items } else { 0 }];
        for (number, outcome) in (0_u32..).zip(&mut outcomes) {
            let answer = answered.answer.as_deref().unwrap_or_default();
            let Some(ask) = answered.exam.ask(number as usize, answer) else { continue };
            let texts: Vec<&[u8]> = ask.messages.iter().map(|message| message.text.as_bytes()).collect();
            let asked = Digest::of_parts(&texts);
            match verdicts.known(answered.key, number, asked) {
                Some(known) => {
                    judging.known += 1;
                    *outcome = Some(known.clone());
                }
                None => {
                    let messages = ask.messages.into_iter().map(Arc::new).collect();
                    let request = ChatRequest { messages, sampling: sampling.clone(), ..ChatRequest::default() };
                    open.push(Open { place, item: number, asked, request });
                }
            }
        }
        all.push(outcomes);
    }
    let due = open.len() as u64;
    let mut waiting = open.into_iter();
    let mut running = JoinSet::new();
    loop {
        while running.len() < jobs.max(1) && judging.stopped.is_none() {
            if cancel.asked() {
                judging.stopped = Some("interrupted".to_owned());
                break;
            }
            let Some(next) = waiting.next() else { break };
            let key = answers[next.place].key;
            running.spawn(ask(Arc::clone(model), key, next));
        }
        let Some(done) = running.join_next().await else { break };
        let Ok((next, completion, used)) = done else { continue };
        judging.asked += 1;
        let answered = &answers[next.place];
        let (outcome, reply) = match &completion {
            Ok(completion) => {
                let outcome = match answered.exam.read(&completion.text) {
                    Some(true) => Outcome::Passed,
                    Some(false) => Outcome::Failed,
                    None => Outcome::Unclear,
                };
                (outcome, completion.text.chars().take(REPLY).collect())
            }
            Err(error) if error.kind.is_infrastructure() => {
                if error.lasting {
                    judging.stopped.get_or_insert(error.message.clone());
                }
                (Outcome::Provider(error.kind.name().to_owned()), String::new())
            }
            Err(error) => {
                let partial = error.partial.as_deref().unwrap_or_default();
                (Outcome::Unanswered(error.kind.name().to_owned()), partial.chars().take(REPLY).collect())
            }
        };
        let (input, output) = used;
        all[next.place][next.item as usize] = Some(outcome.clone());
        let row = Row { episode: answered.key, item: next.item, asked: next.asked, outcome, reply, input, output };
        verdicts.add(vec![row])?;
        told(judging.asked, due);
    }
    // What was not asked has no verdict, and is due next time.
    let fill = |outcome: Option<Outcome>| outcome.unwrap_or_else(|| Outcome::Provider("not_asked".to_owned()));
    Ok((all.into_iter().map(|outcomes| outcomes.into_iter().map(fill).collect()).collect(), judging))
}

async fn ask(
    model: Arc<dyn ChatModel>,
    episode: Digest,
    open: Open,
) -> (Open, Result<Completion, ModelError>, (u64, u64)) {
    let counter = Counter::default();
    let number = u64::from(open.item);
    let parts: [&[u8]; 3] = [b"rescore", &episode.0, &number.to_be_bytes()];
    // Apart from what was asked at play: a cache must not take one for the other.
    let scope = Digest::of_parts(&[b"rescore", &episode.0]);
    let context = CallContext { wire: &counter, episode: scope, call: number, seed: seed::derive(&parts), hint: None };
    let outcome = model.complete(&open.request, &context).await;
    let used = *counter.0.lock().unwrap_or_else(PoisonError::into_inner);
    (open, outcome, used)
}

/// Counts the tokens of every attempt.
#[derive(Default)]
struct Counter(Mutex<(u64, u64)>);

impl Wire for Counter {
    fn sent(&self, _: &ChatRequest, _: bool) -> Result<u64, ModelError> {
        Ok(0)
    }

    fn received(&self, _: u64, outcome: &Result<Completion, ModelError>) -> Result<(), ModelError> {
        let usage: Option<Usage> = match outcome {
            Ok(completion) => Some(completion.usage),
            Err(error) => error.usage.filter(|usage| usage.source != UsageSource::Missing),
        };
        if let Some(usage) = usage {
            let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *counted = (counted.0.saturating_add(usage.input), counted.1.saturating_add(usage.output));
        }
        Ok(())
    }
}
