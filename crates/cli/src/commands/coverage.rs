//! `gimbal coverage`: do the intervals hold the truth as often as they say?

use gimbal_analysis::Options;
use gimbal_analysis::coverage::{Design, Pair, coverage as count, simulated_tokens, table};

use gimbal_env_kit::workbench::Workbench;

use super::tables;
use crate::args::Coverage;
use crate::exit::Failure;
use crate::progress::Counted;
use crate::registry::{environment, registry};

/// Plays both policies on the same seeds, draws studies from their episodes, and prints the coverage.
pub async fn coverage(options: &Coverage) -> Result<(), Failure> {
    if !(options.confidence > 0.0 && options.confidence < 1.0) {
        return Err(Failure::Usage("--confidence: give a share between 0 and 1, such as 0.95".to_owned()));
    }
    let bench = environment(&options.environment)?;
    let [first, second] = bench.contrast();
    let first = options.baseline.as_deref().unwrap_or(&first);
    let second = options.policy.as_deref().unwrap_or(&second);
    let baseline = returns(&*bench, first, options).await?;
    let other = returns(&*bench, second, options).await?;
    let pairs: Vec<Pair> = baseline
        .into_iter()
        .zip(other)
        .zip(0_u64..)
        .map(|((baseline, other), index)| Pair {
            baseline,
            other,
            tokens: simulated_tokens(options.seed.wrapping_add(index), other),
        })
        .collect();
    let catastrophic_below = match options.catastrophic_below {
        Some(limit) => Some((1000.0 * limit).round() as i64),
        None => threshold(&options.environment).await?,
    };
    let analysis = Options {
        confidence: options.confidence,
        resamples: options.resamples,
        seed: options.seed,
        ..Options::default()
    };
    let mut designs: Vec<(usize, usize)> = options.runs.iter().map(|runs| (*runs, 1)).collect();
    let most = options.runs.iter().copied().max().unwrap_or_default();
    if options.tasks > 1 {
        designs.push((most / options.tasks * options.tasks, options.tasks));
    }
    let mut found = Vec::new();
    let mut progress =
        Counted::begin(format!("designs of {} simulated studies", options.studies), designs.len() as u64);
    for (runs, tasks) in designs {
        let design = Design { runs, tasks, studies: options.studies, catastrophic_below, options: analysis.clone() };
        found.extend(count(&pairs, &design).map_err(Failure::usage)?);
        progress.add(1);
    }
    drop(progress);
    let mut table = table(&found, options.confidence, pairs.len());
    table.notes.push(format!(
        "{}: baseline `{first}` against `{second}`, seeds from {}; {} studies a row.",
        options.environment, options.seed, options.studies
    ));
    tables::show(&table, options.format);
    Ok(())
}

/// Parts in which episodes are played, so that progress can be shown between them.
const PARTS: u64 = 100;

/// Returns of the episodes of a policy, in thousandths.
async fn returns(bench: &dyn Workbench, policy: &str, options: &Coverage) -> Result<Vec<i64>, Failure> {
    let mut progress = Counted::begin(format!("episodes of `{policy}` in {}", options.environment), options.pool);
    let part = options.pool.div_ceil(PARTS).max(1);
    let mut returns = Vec::new();
    let mut played = 0;
    while played < options.pool {
        // Episodes go by consecutive seeds, so that parts give the same returns as all at once.
        let (episodes, seed) = (part.min(options.pool - played), options.seed.wrapping_add(played));
        returns.extend(bench.sample(policy, episodes, seed).await.map_err(Failure::environment)?);
        played += episodes;
        progress.add(episodes);
    }
    Ok(returns)
}

/// What the environment's brief calls catastrophic, in thousandths.
async fn threshold(name: &str) -> Result<Option<i64>, Failure> {
    let registry = registry();
    let Some(family) = registry.environment(name) else { return Ok(None) };
    let mut environment = family.open(&serde_json::json!({})).map_err(Failure::external)?;
    for split in family.splits() {
        if let Some(task) = family.tasks(split, &serde_json::json!({})).map_err(Failure::environment)?.first() {
            environment.reset(task, 0).await.map_err(Failure::external)?;
            return Ok(environment.brief().thresholds.catastrophic.map(|limit| limit.0));
        }
    }
    Ok(None)
}
