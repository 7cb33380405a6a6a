//! The loop that computes: prompt in chunks, then tokens under a grammar. Runs on the engine's own thread.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use llama_cpp_2::LlamaContextLoadError;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;

use super::error::{EmbeddedError, TokenCounts};
use super::generation::{GenerateRequest, Generation, Prompt};
use super::grammar::{Constraint, Grammars};
use super::output::Output;
use super::prefix::Prefix;
use super::sampler::Sampler;
use super::settings::EngineSettings;
use super::template::ChatTemplate;
use super::vocabulary::Vocabulary;

/// Creating contexts of one model at the same time is unsound in the library: it writes to the model.
static CREATION: Mutex<()> = Mutex::new(());

/// The only sequence of every context.
const SEQUENCE: i32 = 0;

/// What the worker was opened with.
pub(crate) struct Parts {
    pub(crate) vocabulary: Vocabulary,
    pub(crate) template: Arc<ChatTemplate>,
    pub(crate) grammars: Grammars,
    pub(crate) settings: EngineSettings,
    /// Tokens that a context holds.
    pub(crate) capacity: u32,
}

/// An opened model with its contexts.
pub(crate) struct Worker<'m> {
    backend: &'m LlamaBackend,
    model: &'m LlamaModel,
    parts: Parts,
    slots: Vec<Slot<'m>>,
    clock: u64,
}

/// One context and what it holds.
struct Slot<'m> {
    context: LlamaContext<'m>,
    batch: LlamaBatch<'static>,
    prefix: Prefix,
    chunk: usize,
    used: u64,
    last_logits: i32,
}

impl<'m> Worker<'m> {
    /// Opens the first context, so that a model that does not fit is refused at once.
    pub(crate) fn new(backend: &'m LlamaBackend, model: &'m LlamaModel, parts: Parts) -> Result<Self, EmbeddedError> {
        let mut worker = Self { backend, model, parts, slots: Vec::new(), clock: 0 };
        let first = worker.open_slot()?;
        worker.slots.push(first);
        Ok(worker)
    }

    fn open_slot(&self) -> Result<Slot<'m>, EmbeddedError> {
        let settings = &self.parts.settings;
        let threads = settings.threads as i32;
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(self.parts.capacity))
            .with_n_batch(settings.chunk)
            .with_n_ubatch(settings.chunk)
            .with_n_seq_max(1)
            .with_n_threads(threads)
            .with_n_threads_batch(threads)
            .with_swa_full(true)
            .with_no_perf(true);
        let context = new_context(self.model, self.backend, params).map_err(|error| {
            EmbeddedError::Settings(format!(
                "no context of {} tokens could be opened ({error}): free memory, or lower `context`",
                self.parts.capacity
            ))
        })?;
        Ok(Slot {
            context,
            batch: LlamaBatch::new(settings.chunk as usize, 1),
            prefix: Prefix::new(settings.mode, settings.chunk),
            chunk: settings.chunk as usize,
            used: 0,
            last_logits: 0,
        })
    }

    /// Tokens of a prompt.
    pub(crate) fn tokens_of(&self, prompt: &Prompt) -> Result<Vec<u32>, EmbeddedError> {
        prompt_tokens(&self.parts.vocabulary, &self.parts.template, prompt)
    }

    /// Computes one answer; `called_off` is asked between batches.
    pub(crate) fn generate(
        &mut self,
        request: &GenerateRequest,
        called_off: &dyn Fn() -> bool,
    ) -> Result<Generation, EmbeddedError> {
        let prompt = self.tokens_of(&request.prompt)?;
        let capacity = self.parts.capacity as usize;
        if prompt.is_empty() {
            return Err(EmbeddedError::Request("the prompt is empty".to_owned()));
        }
        if prompt.len() >= capacity {
            return Err(EmbeddedError::ContextOverflow { prompt: prompt.len() as u32, context: self.parts.capacity });
        }
        if request.sampling.max_output_tokens == 0 {
            return Err(EmbeddedError::Request("`max_output_tokens` is 0; it must be at least 1".to_owned()));
        }
        let bound = (request.sampling.max_output_tokens as usize).min(capacity - prompt.len());
        let constraint = request.grammar.as_deref().map(|grammar| self.parts.grammars.compile(grammar)).transpose()?;
        self.clock += 1;
        let (index, clock) = (self.choose(&prompt)?, self.clock);
        let slot = &mut self.slots[index];
        slot.used = clock;
        let answer = slot.answer(&self.parts.vocabulary, &prompt, bound, constraint, request, called_off);
        if matches!(answer, Err(EmbeddedError::Decode(_))) {
            slot.forget();
        }
        answer
    }

    /// The context to use: one whose conversation this prompt goes on with, else a new or the longest unused one.
    /// In the reproducible mode the choice changes the time that a call takes and nothing else.
    fn choose(&mut self, prompt: &[u32]) -> Result<usize, EmbeddedError> {
        let best = (0..self.slots.len()).max_by_key(|index| self.slots[*index].prefix.reusable(prompt)).unwrap_or(0);
        let held = self.slots[best].prefix.len();
        let goes_on = 2 * self.slots[best].prefix.reusable(prompt) >= held;
        if goes_on || self.parts.settings.conversations == 1 {
            return Ok(best);
        }
        if self.slots.len() < self.parts.settings.conversations as usize {
            let slot = self.open_slot()?;
            self.slots.push(slot);
            return Ok(self.slots.len() - 1);
        }
        Ok((0..self.slots.len()).min_by_key(|index| self.slots[*index].used).unwrap_or(0))
    }
}

/// Opens a context, one at a time in the whole program.
pub(crate) fn new_context<'m>(
    model: &'m LlamaModel,
    backend: &LlamaBackend,
    params: LlamaContextParams,
) -> Result<LlamaContext<'m>, LlamaContextLoadError> {
    let _guard = CREATION.lock().unwrap_or_else(PoisonError::into_inner);
    model.new_context(backend, params)
}

/// Tokens of a prompt as the model reads it.
pub(crate) fn prompt_tokens(
    vocabulary: &Vocabulary,
    template: &ChatTemplate,
    prompt: &Prompt,
) -> Result<Vec<u32>, EmbeddedError> {
    let mut tokens: Vec<u32> = Vec::new();
    match prompt {
        Prompt::Tokens(given) => {
            if let Some(wrong) = given.iter().find(|token| **token as usize >= vocabulary.size()) {
                return Err(EmbeddedError::Request(format!(
                    "token {wrong} does not exist: the vocabulary has {}",
                    vocabulary.size()
                )));
            }
            tokens.extend(given);
        }
        Prompt::Text(text) => {
            tokens.extend(vocabulary.opening());
            tokens.extend(vocabulary.tokenize(text, false)?);
        }
        Prompt::Chat { messages, tools } => {
            tokens.extend(vocabulary.opening());
            for segment in template.render(messages, tools, vocabulary.controls())? {
                tokens.extend(vocabulary.tokenize(&segment.text, segment.control)?);
            }
        }
    }
    Ok(tokens)
}

impl Slot<'_> {
    fn answer(
        &mut self,
        vocabulary: &Vocabulary,
        prompt: &[u32],
        bound: usize,
        mut constraint: Option<Constraint>,
        request: &GenerateRequest,
        called_off: &dyn Fn() -> bool,
    ) -> Result<Generation, EmbeddedError> {
        let started = Instant::now();
        let cached = self.prefill(prompt, called_off)?;
        let prefilled = Instant::now();

        let mut sampler = Sampler::new(&request.sampling, request.seed);
        let stops: &[String] = if constraint.is_some() { &[] } else { &request.stop };
        let mut output = Output::new(stops);
        let mut position = prompt.len();
        let mut waiting: Vec<u32> = Vec::new();
        let (mut forced, mut passes, mut ended) = (0u32, 0u32, 0u32);
        let counts = |output: &Output, ended: u32| TokenCounts {
            prompt: prompt.len() as u32,
            cached: cached as u32,
            completion: output.len() as u32 + ended,
        };
        loop {
            if let Some(constraint) = &mut constraint {
                let known = constraint.force()?;
                forced += known.len() as u32;
                for token in &known {
                    output.push(*token, vocabulary.bytes(*token));
                }
                waiting.extend(known);
                if output.len() > bound {
                    output.cut(bound, |token| vocabulary.bytes(token));
                    let counts = counts(&output, 0);
                    return Err(EmbeddedError::Truncated { partial: output.into_text(), counts });
                }
                if constraint.is_over() {
                    break;
                }
            }
            if output.stopped() {
                break;
            }
            if output.len() >= bound {
                let whole = constraint.as_mut().is_some_and(Constraint::is_whole);
                if whole || request.to_the_bound {
                    break;
                }
                let counts = counts(&output, 0);
                return Err(EmbeddedError::Truncated { partial: output.into_text(), counts });
            }
            if called_off() {
                return Err(EmbeddedError::Cancelled);
            }
            if !waiting.is_empty() {
                // Forced tokens are many at once, so they go in one batch as far as it holds them.
                for piece in waiting.chunks(self.chunk) {
                    self.decode(piece, position)?;
                    self.prefix.generated(position, piece);
                    position += piece.len();
                    passes += 1;
                }
                waiting.clear();
            }
            let mask = constraint.as_mut().map(Constraint::mask).transpose()?;
            let logits = self.context.get_logits_ith(self.last_logits);
            let token = sampler.pick(logits, mask.as_ref()).ok_or_else(|| {
                EmbeddedError::Grammar("no token of the model fits, or its weights give no finite logit".to_owned())
            })?;
            if vocabulary.ends(token) && !request.to_the_bound {
                ended = 1;
                break;
            }
            if let Some(constraint) = &mut constraint {
                constraint.consume(token)?;
            }
            output.push(token, vocabulary.bytes(token));
            waiting.push(token);
        }
        let counts = counts(&output, ended);
        let tokens = output.tokens().to_vec();
        let (prefill, decode) = (prefilled - started, prefilled.elapsed());
        Ok(Generation { text: output.into_text(), tokens, counts, forced, passes, prefill, decode })
    }

    /// Computes the prompt; returns how many of its tokens were still there.
    fn prefill(&mut self, prompt: &[u32], called_off: &dyn Fn() -> bool) -> Result<usize, EmbeddedError> {
        let mut reuse = self.prefix.reusable(prompt);
        // Windowed models cannot drop a part of their cache: start from nothing there.
        if reuse == 0 || self.context.kv_cache_seq_rm(SEQUENCE, Some(reuse as u32), None).is_err() {
            self.context.clear_kv_cache();
            reuse = 0;
        }
        self.prefix.truncate(reuse);
        let mut position = reuse;
        while position < prompt.len() {
            if called_off() {
                return Err(EmbeddedError::Cancelled);
            }
            // Up to the next multiple of the chunk size: positions are absolute, whatever was reused.
            let end = ((position / self.chunk + 1) * self.chunk).min(prompt.len());
            self.decode(&prompt[position..end], position)?;
            self.prefix.computed(&prompt[position..end]);
            position = end;
        }
        Ok(reuse)
    }

    /// Computes a batch from `position` on. Logits are asked for its last token always, so that equal chunks are equal
    /// graphs, be they the last of a prompt or not.
    fn decode(&mut self, tokens: &[u32], position: usize) -> Result<(), EmbeddedError> {
        self.batch.clear();
        let last = tokens.len().saturating_sub(1);
        for (index, token) in tokens.iter().enumerate() {
            self.batch
                .add(LlamaToken::new(*token as i32), (position + index) as i32, &[SEQUENCE], index == last)
                .map_err(|error| EmbeddedError::Decode(error.to_string()))?;
        }
        self.last_logits = last as i32;
        self.context.decode(&mut self.batch).map_err(|error| EmbeddedError::Decode(error.to_string()))
    }

    fn forget(&mut self) {
        self.context.clear_kv_cache();
        self.prefix.truncate(0);
    }
}
