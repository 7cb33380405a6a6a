//! `gimbal model`.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use gimbal_model::weights::{self, Cache, PullOptions};
use gimbal_model::{ChatReply, Conversation, ModelListing, ModelsSection};

use super::print_json;
use crate::args::ModelVerb;
use crate::exit::Failure;
use crate::home::Home;
use crate::interrupt;
use crate::stdio;

/// Does what was asked with models.
pub async fn model(home: &Home, verb: ModelVerb) -> Result<(), Failure> {
    match verb {
        ModelVerb::List { json } => list(json),
        ModelVerb::Pull { name, from, json } => pull(&name, from, json).await,
        ModelVerb::Chat { name, system, say, max_tokens, threads } => {
            chat(home, &name, system.as_deref(), say.as_deref(), max_tokens, threads).await
        }
        ModelVerb::Bench { name, threads, prompt, decode, rounds, turns, chunk, json } => {
            bench(&name, Measure { threads, prompt, decode, rounds, turns, chunk }, json).await
        }
    }
}

fn list(as_json: bool) -> Result<(), Failure> {
    let cache = Cache::from_environment().map_err(Failure::external)?;
    let listing = ModelListing::read(&cache, &gimbal_readers::Library);
    if as_json {
        return print_json(&listing);
    }
    println!("embedded in this program (fetch with `gimbal model pull NAME`)");
    for model in &listing.embedded {
        println!("  {:<28} {} MB, {}; {}", model.name, model.megabytes, model.licence, model.title);
        println!("  {:<28} {}", "", model.verdict);
        println!("  {:<28} {}", "", model.state);
    }
    println!("  {:<28} your own file", "local/<path>.gguf");
    println!("remote");
    for model in &listing.remote {
        let set = if model.key_set { "set" } else { "not set" };
        println!("  {:<28} key in {} ({set})", model.name, model.key_variable);
    }
    println!("no language models: for tests, dry runs and calibration");
    for script in gimbal_model::scripted::Script::built_in() {
        println!("  scripted/{script}");
    }
    println!("  scripted/<file>.yaml");
    println!("  {:<28} a correct answer, spoilt on purpose", "noisy/0.9,malformed=0.02");
    for reader in &listing.readers {
        println!("  {:<28} {}", reader.name, reader.what);
    }
    println!("  {:<28} a recording, played back", "replay/<folder>");
    Ok(())
}

async fn pull(name: &str, from: Option<std::path::PathBuf>, as_json: bool) -> Result<(), Failure> {
    let name = name.strip_prefix("local/").unwrap_or(name);
    let model = weights::known(name).map_err(Failure::usage)?;
    let options = PullOptions { from, ..PullOptions::from_environment().map_err(Failure::external)? };
    let pulled = unless_stopped(weights::pull(model, &options, &|line| stdio::message(line))).await?;
    if as_json {
        return print_json(&pulled);
    }
    for tried in &pulled.tried {
        println!("tried {tried}");
    }
    println!("{} (from {}; SHA-256 {})", pulled.path.display(), pulled.way.name(), pulled.sha256);
    println!("{}; {}", model.licence, model.verdict);
    Ok(())
}

/// Fetches the weights of a model that is named `local/...`, if they are missing.
pub async fn fetch_if_missing(name: &str) -> Result<(), Failure> {
    let Some(what) = name.strip_prefix("local/") else { return Ok(()) };
    let options = PullOptions::from_environment().map_err(Failure::external)?;
    let told = |line: &str| stdio::message(&format!("fetching {name}: {line}"));
    unless_stopped(weights::locate_or_pull(what, &options, &told)).await.map(|_| ())
}

/// A fetch, until it is done or interrupted; then what was fetched so far is removed.
async fn unless_stopped<T>(fetch: impl Future<Output = Result<T, weights::WeightsError>>) -> Result<T, Failure> {
    tokio::select! {
        done = fetch => done.map_err(Failure::external),
        Ok(()) = interrupt::requested() => Err(Failure::Interrupted),
    }
}

async fn chat(
    home: &Home,
    name: &str,
    system: Option<&str>,
    say: Option<&str>,
    max_tokens: u32,
    threads: Option<usize>,
) -> Result<(), Failure> {
    let models = home.models(ModelsSection::default(), threads)?;
    models.describe(name).map_err(Failure::usage)?;
    if name.starts_with("local/") && models.ready(name).is_err() {
        fetch_if_missing(name).await?;
    }
    models.ready(name).map_err(Failure::usage)?;
    let model = models.open(name).map_err(Failure::external)?;
    let mut conversation = Conversation::new(model, system, max_tokens);
    if let Some(text) = say {
        return turn(&mut conversation, text).await;
    }
    let stdin = std::io::stdin();
    let prompts = stdin.is_terminal();
    let mut lines = stdin.lock().lines();
    loop {
        if prompts {
            print!("> ");
            std::io::stdout().flush().map_err(Failure::external)?;
        }
        match lines.next() {
            None => return Ok(()),
            Some(Err(error)) => return Err(Failure::external(error)),
            Some(Ok(line)) if line.trim().is_empty() => {}
            Some(Ok(line)) => turn(&mut conversation, &line).await?,
        }
    }
}

async fn turn(conversation: &mut Conversation, text: &str) -> Result<(), Failure> {
    match conversation.say(text).await.map_err(Failure::external)? {
        ChatReply::Answered(completion) => {
            super::print_text(&completion.text);
            let usage = completion.usage;
            eprintln!(
                "[{} in ({} cached), {} out, {:.1} s]",
                usage.input,
                usage.cached_input,
                usage.output,
                completion.latency_us as f64 / 1e6
            );
        }
        ChatReply::Failed(error) => {
            eprintln!("[{}: {error}]", error.kind.name());
            if let Some(partial) = &error.partial {
                super::print_text(partial);
            }
        }
    }
    Ok(())
}

/// What `gimbal model bench` was asked to measure.
#[cfg_attr(not(feature = "embedded"), expect(dead_code, reason = "a build without the model measures nothing"))]
struct Measure {
    threads: Option<usize>,
    prompt: Vec<u32>,
    decode: u32,
    rounds: u32,
    turns: u32,
    chunk: Option<u32>,
}

#[cfg(feature = "embedded")]
async fn bench(name: &str, measure: Measure, as_json: bool) -> Result<(), Failure> {
    use gimbal_model::embedded::{BenchOptions, EmbeddedError, EngineSettings, bench};

    let what = name.strip_prefix("local/").unwrap_or(name);
    let cache = Cache::from_environment().map_err(Failure::external)?;
    let located = weights::locate(what, &cache).map_err(Failure::usage)?;
    let mut settings = EngineSettings::from_environment().map_err(Failure::usage)?;
    if let Some(threads) = measure.threads {
        settings.threads = u32::try_from(threads).unwrap_or(u32::MAX).max(1);
    }
    settings.chunk = measure.chunk.unwrap_or(settings.chunk);
    let options = BenchOptions {
        lengths: measure.prompt,
        decode: measure.decode,
        rounds: measure.rounds,
        turns: (measure.turns > 0).then_some(measure.turns),
        ..BenchOptions::default()
    };
    let work = move || bench(&located.path, located.sha256, &settings, &options);
    let report = tokio::task::spawn_blocking(work).await.map_err(Failure::external)?.map_err(|error| match error {
        EmbeddedError::Settings(_) => Failure::usage(error),
        other => Failure::external(other),
    })?;
    if as_json {
        return print_json(&report);
    }
    print!("{}", report.text());
    Ok(())
}

#[cfg(not(feature = "embedded"))]
async fn bench(_: &str, _: Measure, _: bool) -> Result<(), Failure> {
    Err(Failure::Usage(
        "this program was built without the embedded model: build it with the feature `embedded`".to_owned(),
    ))
}
