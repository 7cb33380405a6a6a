//! `gimbal arbiter`: the network of the arbiter, from conflicts to figures.

#[cfg(feature = "arbiter-train")]
mod alone;
#[cfg(feature = "arbiter-train")]
mod authority;
mod collect;
mod stats;
mod table;
#[cfg(feature = "arbiter-train")]
mod train;
mod tune;

use std::path::Path;

use gimbal_neural::data::{MOST_BYTES, Part, Split, synthetic};
use gimbal_neural::eval::{GroupBy, evaluate, judge_together};
use gimbal_neural::{Body, Dataset, Net, NetFacts};

use super::{print_json, tables, write_file};
use crate::args::{ArbiterVerb, ConflictPart, EvalArgs, GenerateArgs, Grouping, HeldOut};
use crate::exit::Failure;
use crate::stdio::message;

/// The verbs of `gimbal arbiter`.
pub fn arbiter(verb: &ArbiterVerb) -> Result<(), Failure> {
    match verb {
        ArbiterVerb::Collect(options) => collect::collect(options),
        ArbiterVerb::Generate(options) => generate(options),
        ArbiterVerb::Stats(options) => stats::stats(options),
        ArbiterVerb::Tune(options) => tune::tune(options),
        #[cfg(feature = "arbiter-train")]
        ArbiterVerb::Train(options) => {
            alone::alone();
            train::train(options)
        }
        #[cfg(feature = "arbiter-train")]
        ArbiterVerb::Authority(options) => {
            alone::alone();
            authority::authority(options)
        }
        #[cfg(not(feature = "arbiter-train"))]
        ArbiterVerb::Train(_) | ArbiterVerb::Authority(_) => Err(Failure::Usage(
            "this program was built without training; build it with `cargo build --release --features arbiter-train`"
                .to_owned(),
        )),
        ArbiterVerb::Eval(options) => eval(options),
        ArbiterVerb::Show { weights, json } => show(weights, *json),
    }
}

fn generate(options: &GenerateArgs) -> Result<(), Failure> {
    let data = synthetic::conflicts(options.conflicts as usize, options.seed);
    write_file(&options.out, &data.write().map_err(Failure::usage)?)?;
    message(&format!("{}: {} synthetic conflicts written", options.out.display(), data.conflicts.len()));
    Ok(())
}

/// The text of a file of conflicts.
fn text(path: &Path) -> Result<String, Failure> {
    let failed = |error: std::io::Error| Failure::Usage(format!("{}: cannot be read: {error}", path.display()));
    let bytes = std::fs::metadata(path).map_err(failed)?.len();
    if bytes > MOST_BYTES as u64 {
        return Err(Failure::Usage(format!("{}: {bytes} bytes; at most {MOST_BYTES} are read", path.display())));
    }
    std::fs::read_to_string(path).map_err(failed)
}

fn read(path: &Path, text: &str) -> Result<Dataset, Failure> {
    Dataset::read(text).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

/// What is held out of data; names and levels that they do not have are refused.
fn split(held: &HeldOut, data: &Dataset) -> Result<Split, Failure> {
    for name in &held.hold_out {
        if !data.conflicts.iter().any(|conflict| conflict.environment == *name) {
            let known: std::collections::BTreeSet<&str> =
                data.conflicts.iter().map(|conflict| conflict.environment.as_str()).collect();
            let known: Vec<&str> = known.into_iter().collect();
            let hint = gimbal_core::nearest::hint_among(name, &known);
            return Err(Failure::Usage(format!("--hold-out: no conflict is of the environment `{name}`{hint}")));
        }
    }
    for noise in &held.hold_out_noise {
        if !data.conflicts.iter().any(|conflict| conflict.noise.0 == *noise) {
            return Err(Failure::Usage(format!("--hold-out-noise: no conflict has noise {noise} (thousandths)")));
        }
    }
    Ok(Split { environments: held.hold_out.clone(), noise: held.hold_out_noise.clone() })
}

fn weights(path: &Path) -> Result<Net, Failure> {
    let bytes =
        std::fs::read(path).map_err(|error| Failure::Usage(format!("{}: cannot be read: {error}", path.display())))?;
    Net::read(&bytes).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

fn eval(options: &EvalArgs) -> Result<(), Failure> {
    use gimbal_core::Scorer as _;
    let net = weights(&options.weights)?;
    let mut data = read(&options.conflicts, &text(&options.conflicts)?)?;
    data = data.seen_by(net.spec());
    net.fits(&data.header).map_err(|error| Failure::Usage(format!("{}: {error}", options.weights.display())))?;
    let split = split(&options.held, &data)?;
    if let Some(rule) = &options.rule {
        data = tune::with_rule(&data, rule)?;
    }
    if options.published_mix {
        data = data.published_mix();
    }
    let part = match options.part {
        ConflictPart::Train => data.part(&split, Part::Train),
        ConflictPart::Validation => data.part(&split, Part::Validation),
        ConflictPart::Test => data.part(&split, Part::Test),
        ConflictPart::All => data,
    };
    let mut groups = evaluate(&part, &judge_together(&part, &net));
    if groups.is_empty() {
        return Err(Failure::Usage(format!(
            "{}: this part holds no conflict with two candidates or more",
            options.conflicts.display()
        )));
    }
    let only = options.by.map(|by| match by {
        Grouping::All => GroupBy::All,
        Grouping::Environment => GroupBy::Environment,
        Grouping::Kind => GroupBy::Kind,
        Grouping::Noise => GroupBy::Noise,
    });
    groups.retain(|group| only.is_none_or(|by| group.by == by));
    tables::show(&table::figures(&groups, format!("Weights: {}.", net.identity())), options.format);
    Ok(())
}

fn show(path: &Path, as_json: bool) -> Result<(), Failure> {
    use gimbal_core::Scorer as _;
    let net = weights(path)?;
    if as_json {
        return print_json(&NetFacts::of(&net));
    }
    let (spec, card) = (net.spec(), net.card());
    let body = match spec.body {
        Body::Linear => "linear model".to_owned(),
        Body::Mlp { hidden } => format!("two hidden layers of {hidden}"),
        Body::Encoder { blocks, width, inner, heads, table } => format!(
            "encoder, {blocks} blocks of {width}, feed-forward {inner}, {heads} heads, {}",
            if table == 0 { "no table of actions".to_owned() } else { format!("{table} actions") }
        ),
    };
    println!("{}", net.identity());
    println!("{body}; {} parameters", spec.parameters());
    println!("features: {}", spec.columns.join(", "));
    println!("context: {} numbers", spec.context);
    println!(
        "trained: preset {}, seed {}, {} conflicts, {} to validate; best of {} epochs: {} with loss {}",
        card.preset,
        card.seed,
        card.trained_on,
        card.validated_on,
        card.epochs,
        card.best_epoch,
        millionths(card.validation_loss)
    );
    if !card.data.is_empty() {
        println!("conflicts: SHA-256 {}", card.data);
    }
    for change in &card.changes {
        println!("changed: {change}");
    }
    if !card.history.is_empty() {
        println!();
        tables::show(&table::history(&card.history), crate::args::TableFormat::Text);
    }
    Ok(())
}

/// Millionths as a number.
fn millionths(value: i64) -> String {
    format!("{:.4}", value as f64 / 1e6)
}
