//! How fast a model is here, beside what the library alone reaches on the same file, and what prefix reuse saves.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gimbal_core::{Digest, Grammar, Rng};
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::token::LlamaToken;
use serde::Serialize;

use super::engine::{Engine, EngineInfo, backend};
use super::error::EmbeddedError;
use super::generation::{GenerateRequest, Generation, Prompt};
use super::settings::EngineSettings;

/// Batch size of the library's own bench program.
const LIBRARY_BATCH: u32 = 512;

/// What to measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchOptions {
    /// Prompt lengths in tokens.
    pub lengths: Vec<u32>,
    /// Tokens decoded after each prompt.
    pub decode: u32,
    /// Rounds. In each, ours and the library's take turns at going first; medians are reported.
    pub rounds: u32,
    /// Whether to measure the library alone as well.
    pub library: bool,
    /// Turns of the agent loop; without it, it is left out.
    pub turns: Option<u32>,
}

impl Default for BenchOptions {
    fn default() -> Self {
        Self { lengths: vec![500, 1500], decode: 64, rounds: 5, library: true, turns: Some(10) }
    }
}

/// Tokens a second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rates {
    /// Of a cold prompt.
    pub prefill: f64,
    /// Of tokens one after another behind it.
    pub decode: f64,
}

/// Rates at one prompt length.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BenchRow {
    /// Tokens of the prompt.
    pub length: u32,
    /// Ours: queue, chunks, sampling and all. Medians over the rounds.
    pub engine: Rates,
    /// Ours under a grammar of one token at a time, so that every token needs a mask: tokens a second, median.
    pub constrained: f64,
    /// The library alone, with its own bench's batch size and without sampling. Medians over the rounds.
    pub library: Option<Rates>,
    /// Ours over the library's, round by round, since both of one round meet the same load; medians. 1 is equal.
    pub ratio: Option<Rates>,
}

/// The agent loop: prompts that go on where the last one ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoopRow {
    /// Calls.
    pub turns: u32,
    /// Tokens of the first prompt.
    pub first_prompt: u32,
    /// Tokens of the last prompt.
    pub last_prompt: u32,
    /// Prompt tokens of all turns but the first.
    pub prompt_tokens: u64,
    /// Prompt tokens that were reused when warm.
    pub reused_tokens: u64,
    /// Milliseconds of all prompts but the first, each cold.
    pub cold_ms: f64,
    /// Milliseconds of the same, one after another.
    pub warm_ms: f64,
    /// Cold over warm.
    pub factor: f64,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BenchReport {
    /// The model and its settings.
    pub model: EngineInfo,
    /// By prompt length.
    pub rows: Vec<BenchRow>,
    /// Prefix reuse.
    pub agent_loop: Option<LoopRow>,
}

impl BenchReport {
    /// The report as lines for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        use std::fmt::Write as _;
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{} ({}, {} threads, chunk {}, {})",
            self.model.name,
            self.model.sha256.short(),
            self.model.threads,
            self.model.chunk,
            self.model.target
        );
        let _ = writeln!(
            text,
            "{:>6} {:>14} {:>10} {:>12} | {:>14} {:>10} | {:>7} {:>7}",
            "prompt", "prefill tok/s", "decode", "constrained", "library alone", "decode", "prefill", "decode"
        );
        for row in &self.rows {
            let _ = write!(
                text,
                "{:>6} {:>14.1} {:>10.1} {:>12.1}",
                row.length, row.engine.prefill, row.engine.decode, row.constrained
            );
            if let (Some(library), Some(ratio)) = (row.library, row.ratio) {
                let _ = write!(
                    text,
                    " | {:>14.1} {:>10.1} | {:>6.0}% {:>6.0}%",
                    library.prefill,
                    library.decode,
                    100.0 * ratio.prefill,
                    100.0 * ratio.decode
                );
            }
            text.push('\n');
        }
        if let Some(row) = &self.agent_loop {
            let _ = writeln!(
                text,
                "agent loop of {} turns, prompts of {} to {} tokens: {:.0} ms cold, {:.0} ms with prefix reuse: {:.1} times faster",
                row.turns, row.first_prompt, row.last_prompt, row.cold_ms, row.warm_ms, row.factor
            );
        }
        text
    }
}

/// Measures. Blocks for as long as it takes; run nothing beside it.
///
/// # Errors
/// As [`Engine::open`] and [`Engine::generate_blocking`].
pub fn bench(
    path: &Path,
    sha256: Digest,
    settings: &EngineSettings,
    options: &BenchOptions,
) -> Result<BenchReport, EmbeddedError> {
    let engine = Engine::open(path, sha256, settings)?;
    let library = if options.library {
        Some(
            LlamaModel::load_from_file(backend()?, path, &LlamaModelParams::default())
                .map_err(|error| EmbeddedError::Settings(error.to_string()))?,
        )
    } else {
        None
    };
    let mut rows = Vec::new();
    for length in &options.lengths {
        rows.push(row(&engine, library.as_ref(), settings, *length, options)?);
    }
    let agent_loop = options.turns.map(|turns| agent_loop(&engine, turns.max(2))).transpose()?;
    Ok(BenchReport { model: engine.info().clone(), rows, agent_loop })
}

/// Random tokens: what they say does not matter for the time.
fn tokens(vocabulary: u32, length: u32, stream: u64) -> Vec<u32> {
    let mut rng = Rng::stream(stream, "bench");
    (0..length).map(|_| rng.below(u64::from(vocabulary)) as u32).collect()
}

fn row(
    engine: &Engine,
    library: Option<&LlamaModel>,
    settings: &EngineSettings,
    length: u32,
    options: &BenchOptions,
) -> Result<BenchRow, EmbeddedError> {
    let vocabulary = engine.info().vocabulary;
    let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let mut constrained = Vec::new();
    for round in 0..options.rounds.max(1) {
        let prompt = tokens(vocabulary, length, u64::from(length) << 32 | u64::from(round));
        let alone = || -> Result<Option<Rates>, EmbeddedError> {
            library.map(|model| library_rates(model, &prompt, settings.threads, options.decode)).transpose()
        };
        // In turn, so that neither side always meets the caches that the other left.
        let first = if round % 2 == 0 { alone()? } else { None };
        let answer = run(engine, prompt.clone(), options.decode)?;
        let second = if round % 2 == 1 { alone()? } else { None };
        let prefill = f64::from(answer.counts.prompt - answer.counts.cached) / answer.prefill.as_secs_f64();
        let own = Rates { prefill, decode: f64::from(answer.passes) / answer.decode.as_secs_f64() };
        ours.push(own);
        if let Some(library) = first.or(second) {
            theirs.push(library);
            ratios.push(Rates { prefill: own.prefill / library.prefill, decode: own.decode / library.decode });
        }
        constrained.push(constrained_rate(engine, prompt, options.decode)?);
    }
    Ok(BenchRow {
        length,
        engine: medians(&ours).unwrap_or(Rates { prefill: 0.0, decode: 0.0 }),
        constrained: median(constrained).unwrap_or(0.0),
        library: medians(&theirs),
        ratio: medians(&ratios),
    })
}

fn medians(rates: &[Rates]) -> Option<Rates> {
    let of = |part: fn(&Rates) -> f64| median(rates.iter().map(part).collect());
    Some(Rates { prefill: of(|rates| rates.prefill)?, decode: of(|rates| rates.decode)? })
}

/// The middle value, or the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = values.get(middle).copied()?;
    Some(if values.len() % 2 == 1 { upper } else { f64::midpoint(values[middle - 1], upper) })
}

/// Tokens a second where each token must be one of many that a grammar allows.
fn constrained_rate(engine: &Engine, prompt: Vec<u32>, decode: u32) -> Result<f64, EmbeddedError> {
    let letters = Grammar::Regex(format!("[a-zA-Z ,.]{{{}}}", 64 * decode));
    let request = GenerateRequest {
        to_the_bound: true,
        grammar: Some(Arc::new(letters)),
        ..GenerateRequest::new(Prompt::Tokens(prompt), decode)
    };
    let answer = engine.generate_blocking(request)?;
    Ok(f64::from(answer.passes) / answer.decode.as_secs_f64())
}

fn run(engine: &Engine, prompt: Vec<u32>, decode: u32) -> Result<Generation, EmbeddedError> {
    let request = GenerateRequest { to_the_bound: true, ..GenerateRequest::new(Prompt::Tokens(prompt), decode) };
    engine.generate_blocking(request)
}

/// The library alone: prompt in its own batch size, then one token after another, no sampling.
fn library_rates(model: &LlamaModel, prompt: &[u32], threads: u32, decode: u32) -> Result<Rates, EmbeddedError> {
    let fail = |error: &dyn std::fmt::Display| EmbeddedError::Decode(error.to_string());
    let needed = prompt.len() as u32 + decode;
    let params = LlamaContextParams::default()
        .with_n_ctx(NonZeroU32::new(needed))
        .with_n_batch(LIBRARY_BATCH)
        .with_n_ubatch(LIBRARY_BATCH)
        .with_n_threads(threads as i32)
        .with_n_threads_batch(threads as i32)
        .with_no_perf(true);
    let mut context = super::worker::new_context(model, backend()?, params).map_err(|error| fail(&error))?;
    let mut batch = LlamaBatch::new(LIBRARY_BATCH as usize, 1);
    let mut position = 0;
    let started = Instant::now();
    for piece in prompt.chunks(LIBRARY_BATCH as usize) {
        batch.clear();
        for token in piece {
            let last = position + 1 == prompt.len() as i32;
            batch.add(LlamaToken::new(*token as i32), position, &[0], last).map_err(|error| fail(&error))?;
            position += 1;
        }
        context.decode(&mut batch).map_err(|error| fail(&error))?;
    }
    context.synchronize();
    let prefill = started.elapsed();
    let started = Instant::now();
    for step in 0..decode {
        batch.clear();
        let token = prompt[step as usize % prompt.len()];
        batch.add(LlamaToken::new(token as i32), position, &[0], true).map_err(|error| fail(&error))?;
        context.decode(&mut batch).map_err(|error| fail(&error))?;
        context.synchronize();
        position += 1;
    }
    let rate = |count: f64, time: Duration| count / time.as_secs_f64();
    Ok(Rates { prefill: rate(prompt.len() as f64, prefill), decode: rate(f64::from(decode), started.elapsed()) })
}

/// Turns of an agent: a system prompt of 900 tokens, and 72 new tokens in each turn.
fn agent_loop(engine: &Engine, turns: u32) -> Result<LoopRow, EmbeddedError> {
    const NEW: u32 = 72;
    let vocabulary = engine.info().vocabulary;
    let room = engine.info().context;
    let first = 900.min(room / 2);
    let new = NEW.min((room - first) / (turns + 1));
    let prompts = |stream: u64| -> Vec<Vec<u32>> {
        let whole = tokens(vocabulary, first + turns * new, stream);
        (0..turns).map(|turn| whole[..(first + turn * new) as usize].to_vec()).collect()
    };
    let decode = 4;
    let mut cold = Duration::ZERO;
    for (turn, prompt) in (0u64..).zip(prompts(1)).skip(1) {
        // Another conversation in between leaves nothing to reuse.
        run(engine, tokens(vocabulary, 1, 100 + turn), 1)?;
        cold += run(engine, prompt, decode)?.prefill;
    }
    let mut warm = Duration::ZERO;
    let (mut prompt_tokens, mut reused_tokens) = (0, 0);
    for (turn, prompt) in prompts(2).into_iter().enumerate() {
        let answer = run(engine, prompt, decode)?;
        if turn > 0 {
            warm += answer.prefill;
            prompt_tokens += u64::from(answer.counts.prompt);
            reused_tokens += u64::from(answer.counts.cached);
        }
    }
    let (cold, warm) = (cold.as_secs_f64() * 1000.0, warm.as_secs_f64() * 1000.0);
    Ok(LoopRow {
        turns,
        first_prompt: first,
        last_prompt: first + (turns - 1) * new,
        prompt_tokens,
        reused_tokens,
        cold_ms: cold,
        warm_ms: warm,
        factor: cold / warm,
    })
}
