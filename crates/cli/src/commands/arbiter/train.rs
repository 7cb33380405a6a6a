//! `gimbal arbiter train`.

use std::path::{Path, PathBuf};

use gimbal_core::Digest;
use gimbal_neural::data::Part;
use gimbal_neural::net::Card;
use gimbal_neural::train::{TrainError, Trainer};
use gimbal_neural::{Body, Preset};

use super::{millionths, read, split, text};
use crate::args::{Left, TrainArgs, WeightForm};
use crate::commands::write_bytes;
use crate::exit::Failure;
use crate::stdio::message;

/// Trains a network, or goes on with a training that was interrupted.
pub fn train(options: &TrainArgs) -> Result<(), Failure> {
    let preset: Preset = options.preset.parse().map_err(|error| Failure::Usage(format!("--preset: {error}")))?;
    let mut settings = preset.settings(options.seed);
    if let Some(epochs) = options.epochs {
        settings.epochs = epochs;
    }
    let text = text(&options.conflicts)?;
    let mut data = read(&options.conflicts, &text)?;
    let mut changes = Vec::new();
    if options.without.contains(&Left::Context) && data.header.context > 0 {
        data = data.without_context();
        changes.push("without the context".to_owned());
    }
    let has_actions = data.header.place(gimbal_neural::data::ACTION).is_some();
    let uses_actions = matches!(settings.body, Body::Encoder { table, .. } if table > 0);
    if uses_actions && (options.without.contains(&Left::Actions) || !has_actions) {
        settings.body = settings.body.without_actions();
        let why = if has_actions { "" } else { ": the conflicts hold none" };
        changes.push(format!("without the table of actions{why}"));
    }
    if !matches!(settings.body, Body::Encoder { table, .. } if table > 0) {
        data = data.without_actions();
    }
    for column in &options.mask {
        data = data.masked(column).ok_or_else(|| {
            let known: Vec<&str> = data.header.columns.iter().map(String::as_str).collect();
            let hint = gimbal_core::nearest::hint_among(column, &known);
            Failure::Usage(format!("--mask: there is no column `{column}`{hint}"))
        })?;
        changes.push(format!("0 in the column {column}"));
    }
    let split = split(&options.held, &data)?;
    changes.extend(split.environments.iter().map(|name| format!("held out: environment {name}")));
    changes.extend(split.noise.iter().map(|noise| format!("held out: noise {noise}")));
    if options.published_mix {
        data = data.published_mix();
        changes.push("matters weighted to the published mix".to_owned());
    }
    let (mut training, mut validation) = (data.part(&split, Part::Train), data.part(&split, Part::Validation));
    if options.shuffle_labels {
        (training, validation) = (training.shuffled(options.seed), validation.shuffled(options.seed.wrapping_add(1)));
        changes.push("labels shuffled".to_owned());
    }
    if let Some(most) = options.most {
        training = training.first(most);
        changes.push(format!("at most {most} conflicts"));
    }
    for change in &changes {
        message(change);
    }
    let card = Card {
        preset: preset.name().to_owned(),
        data: Digest::of(text.as_bytes()).to_string(),
        changes,
        ..Card::default()
    };
    let mut trainer = Trainer::new(settings, training, validation, card).map_err(failed)?;
    message(&format!("{} network, {} parameters", trainer.spec().body.name(), trainer.spec().parameters()));
    let checkpoint = beside(&options.out);
    resume(&mut trainer, &checkpoint)?;
    while !trainer.is_done() {
        let epoch = trainer.epoch().map_err(failed)?;
        write_bytes(&checkpoint, &trainer.checkpoint().map_err(failed)?)?;
        message(&format!(
            "epoch {}: training loss {}, validation loss {}",
            epoch.epoch,
            millionths(epoch.training_loss),
            millionths(epoch.validation_loss)
        ));
    }
    let bytes = trainer.weights(options.form == WeightForm::Q8_0).map_err(failed)?;
    write_bytes(&options.out, &bytes)?;
    gimbal_report::files::remove(&checkpoint).map_err(Failure::external)?;
    message(&format!("{}: {} bytes written", options.out.display(), bytes.len()));
    Ok(())
}

/// The checkpoint's place: beside the weights.
fn beside(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_os_string();
    name.push(".checkpoint");
    out.with_file_name(name)
}

fn resume(trainer: &mut Trainer, checkpoint: &Path) -> Result<(), Failure> {
    match std::fs::read(checkpoint) {
        Ok(bytes) => {
            let place = checkpoint.display();
            trainer.resume(&bytes).map_err(|error| Failure::Usage(format!("{place}: {error}")))?;
            message(&format!("goes on after epoch {}, from {place}", trainer.history().len()));
            Ok(())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Failure::External(format!("{}: cannot be read: {error}", checkpoint.display()))),
    }
}

pub fn failed(error: TrainError) -> Failure {
    match error {
        TrainError::Tensor(_) | TrainError::Thread(_) => Failure::external(error),
        _ => Failure::usage(error),
    }
}
