//! Trains a list of networks on one file of conflicts and prints what each is worth off line:
//! `cargo run --release -p gimbal-neural --features train --example worth -- CONFLICTS FOLDER JOBS [SECONDS]`.
//!
//! A network reads the plain features, unless its line names actions or the context.
//!
//! Each line of the file JOBS is a training: a name, a preset, a seed, and what is changed (`most=N`, `mask=COLUMN`, `hold=ENVIRONMENT`,
//! `noise=THOUSANDTHS`, `epochs=N`, `with=actions`, `with=context`, `shuffled`). The calls are those of `gimbal arbiter train`, `tune` and
//! `eval`; data are read once. Weights and checkpoints are kept in the folder, so that the same command goes on where it was stopped. Rows are separated by tabs: how the training went
//! (`trained`), then the figures of each way to choose (`figures`) on the test part. `CONFLICTS:OTHER` measures on all conflicts of a second file
//! too. A training that has taken SECONDS of CPU time ends with the best weights so far. `CANDLE_NUM_THREADS=1` keeps candle to one thread.
#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use gimbal_core::Digest;
use gimbal_neural::data::{Part, Split};
use gimbal_neural::eval::{Estimate, evaluate, judge};
use gimbal_neural::net::Card;
use gimbal_neural::train::Trainer;
use gimbal_neural::tune::{self, Rule, Ruled};
use gimbal_neural::{Dataset, Net, Preset};

type Failed = Box<dyn Error>;

/// A training as a line says it.
struct Job {
    name: String,
    preset: Preset,
    seed: u64,
    most: Option<usize>,
    epochs: Option<u32>,
    masks: Vec<String>,
    split: Split,
    actions: bool,
    context: bool,
    shuffled: bool,
    changes: Vec<String>,
}

impl Job {
    fn read(line: &str) -> Result<Self, Failed> {
        let mut words = line.split_whitespace();
        let mut next = |what: &str| words.next().ok_or_else(|| format!("`{line}`: there is no {what}"));
        let (name, preset, seed) = (next("name")?.to_owned(), next("preset")?.parse()?, next("seed")?.parse()?);
        let mut job = Self {
            name,
            preset,
            seed,
            most: None,
            epochs: None,
            masks: Vec::new(),
            split: Split::default(),
            actions: false,
            context: false,
            shuffled: false,
            changes: words.clone().map(str::to_owned).collect(),
        };
        for word in words {
            match word.split_once('=') {
                Some(("most", value)) => job.most = Some(value.parse()?),
                Some(("epochs", value)) => job.epochs = Some(value.parse()?),
                Some(("mask", value)) => job.masks.push(value.to_owned()),
                Some(("hold", value)) => job.split.environments.push(value.to_owned()),
                Some(("noise", value)) => job.split.noise.push(value.parse()?),
                Some(("with", "actions")) => job.actions = true,
                Some(("with", "context")) => job.context = true,
                None if word == "shuffled" => job.shuffled = true,
                _ => return Err(format!("`{line}`: there is no change `{word}`").into()),
            }
        }
        Ok(job)
    }

    /// The data with the inputs that the line names.
    fn seen(&self, data: &Dataset) -> Dataset {
        let data = if self.actions { data.clone() } else { data.without_actions() };
        if self.context { data } else { data.without_context() }
    }

    /// The weights, from the folder where they are there already.
    fn train(&self, data: &Dataset, digest: &Digest, folder: &Path, seconds: f64) -> Result<(Vec<u8>, f64), Failed> {
        let (path, checkpoint) = (self.file(folder, "weights"), self.file(folder, "checkpoint"));
        if path.exists() {
            return Ok((std::fs::read(path)?, 0.0));
        }
        let mut settings = self.preset.settings(self.seed);
        settings.epochs = self.epochs.unwrap_or(settings.epochs);
        if !self.actions {
            settings.body = settings.body.without_actions();
        }
        let (mut training, mut validation) =
            (data.part(&self.split, Part::Train), data.part(&self.split, Part::Validation));
        if self.shuffled {
            (training, validation) = (training.shuffled(self.seed), validation.shuffled(self.seed.wrapping_add(1)));
        }
        if let Some(most) = self.most {
            training = training.first(most);
        }
        let card = Card {
            preset: self.preset.name().to_owned(),
            data: digest.to_string(),
            changes: self.changes.clone(),
            ..Card::default()
        };
        let mut trainer = Trainer::new(settings, training, validation, card)?;
        if checkpoint.exists() {
            trainer.resume(&std::fs::read(&checkpoint)?)?;
        }
        let begun = on_cpu();
        while !trainer.is_done() && (trainer.history().is_empty() || on_cpu() - begun < seconds) {
            let epoch = trainer.epoch()?;
            std::fs::write(&checkpoint, trainer.checkpoint()?)?;
            eprintln!("{}: {epoch:?}, {:.0} s of CPU", self.name, on_cpu() - begun);
        }
        let bytes = trainer.weights(true)?;
        std::fs::write(path, &bytes)?;
        std::fs::remove_file(checkpoint)?;
        Ok((bytes, on_cpu() - begun))
    }

    fn file(&self, folder: &Path, kind: &str) -> PathBuf {
        folder.join(format!("{}.{kind}", self.name))
    }
}

/// CPU time of this process in seconds, where the system says; 0 elsewhere.
fn on_cpu() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let texts = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("schedstat")).ok());
    texts.filter_map(|text| text.split_whitespace().next()?.parse::<f64>().ok()).sum::<f64>() / 1e9
}

fn read(path: &str) -> Result<(Dataset, Digest), Failed> {
    let text = std::fs::read_to_string(path)?;
    let data = Dataset::read(&text).map_err(|error| format!("{path}: {error}"))?;
    Ok((data, Digest::of(text.as_bytes())))
}

/// The same data with the choices of a rule.
fn with_tuned(data: &Dataset, rule: &Rule) -> Result<Dataset, Failed> {
    Ok(data.with_rule("tuned", &Ruled::of(&data.header)?.choices(data, rule)?))
}

fn shown(estimate: Option<Estimate>) -> String {
    let Some(estimate) = estimate else { return "\t\t".to_owned() };
    let (low, high) = estimate.interval.unwrap_or((f64::NAN, f64::NAN));
    format!("{:.5}\t{low:.5}\t{high:.5}", estimate.value)
}

fn figures(job: &Job, part: &str, data: &Dataset, net: &Net) {
    for group in evaluate(data, &judge(data, net)) {
        for chooser in &group.choosers {
            let outcomes = group
                .outcomes
                .map_or_else(String::new, |one| format!("{:.4}\t{:.4}\t{:?}", one.brier, one.base_brier, one.auc));
            println!(
                "figures\t{}\t{part}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{outcomes}",
                job.name,
                group.by.name(),
                group.key,
                chooser.name,
                group.conflicts,
                group.episodes,
                group.untied,
                shown(chooser.accuracy),
                shown(chooser.regret),
                shown(chooser.closed)
            );
        }
    }
}

fn main() -> Result<(), Failed> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [conflicts, folder, jobs, rest @ ..] = arguments.as_slice() else {
        return Err("expected CONFLICTS[:OTHER] FOLDER JOBS [SECONDS]".into());
    };
    let seconds = rest.first().map_or(Ok(f64::INFINITY), |seconds| seconds.parse::<f64>())?;
    let (conflicts, other) =
        conflicts.split_once(':').map_or((conflicts.as_str(), None), |(one, two)| (one, Some(two)));
    let (data, digest) = read(conflicts)?;
    let other = other.map(read).transpose()?;
    let folder = Path::new(folder);
    std::fs::create_dir_all(folder)?;
    let mut tuned: BTreeMap<String, Rule> = BTreeMap::new();
    for line in std::fs::read_to_string(jobs)?.lines().filter(|line| !line.trim().is_empty()) {
        let job = Job::read(line)?;
        let mut data = job.seen(&data);
        for column in &job.masks {
            data = data.masked(column).ok_or_else(|| format!("there is no column `{column}`"))?;
        }
        let key = format!("{:?}", job.split);
        if !tuned.contains_key(&key) {
            let found = tune::tune(&data.part(&job.split, Part::Train), 5, 1)?;
            println!("tuned\t{key}\t{}\t{:.4}\t{:.4}", serde_json::to_string(&found.rule)?, found.before, found.left);
            tuned.insert(key.clone(), found.rule);
        }
        let begun = Instant::now();
        let (bytes, seconds) = job.train(&data, &digest, folder, seconds)?;
        let net = Net::read(&bytes)?;
        let card = net.card();
        println!(
            "trained\t{}\t{}\t{}\t{}\t{}\t{:.6}\t{}\t{}\t{seconds:.0}\t{:.0}",
            job.name,
            card.preset,
            card.seed,
            card.epochs,
            card.best_epoch,
            card.validation_loss as f64 / 1e6,
            card.trained_on,
            card.validated_on,
            begun.elapsed().as_secs_f64()
        );
        let rule = &tuned[&key];
        figures(&job, "validation", &with_tuned(&data.part(&job.split, Part::Validation), rule)?, &net);
        figures(&job, "test", &with_tuned(&data.part(&job.split, Part::Test), rule)?, &net);
        if let Some((other, _)) = &other {
            figures(&job, "other", &with_tuned(&job.seen(other), rule)?, &net);
        }
    }
    Ok(())
}
