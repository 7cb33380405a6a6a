//! Whether a recommendation holds in what a study found (CYC-091): the recommended controller against each other one, on
//! seeds that both played, without faults and with each kind of faults.
//!
//! Rules. Compared is the share of won episodes first, then the tokens of an episode; both as paired differences over the
//! pairs (environment part, task, run, trial, player) that both controllers met, a controller's several configurations
//! averaged. Intervals are Student's t robust against clusters, at a confidence that is shared out among the comparisons
//! of one kind of faults. The recommended controller *leads* another one whose interval of success lies below 0, and
//! *trails* one whose lies above.
//!
//! * It **agrees** where the recommended controller leads every other one; or trails none and, of those that it does not
//!   lead, costs less than each with an interval that tells.
//! * It **agrees in part** where it would agree, and a further recommended controller trails one that is not recommended.
//! * It **disagrees** where it trails any.
//! * The two are **not told apart** in every other case.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::advise::Controller;
use super::fold::{CellCycles, Cycles, PlayedAt};
use super::noise::{Seen, success, summary};
use super::{Control, success_to_calls};
use gimbal_analysis::Proportion;
use gimbal_analysis::{EpisodePlace, Grouping};
use gimbal_analysis::{Interval, Summary};

/// What a study says to a recommendation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The recommended controller was the best, or as good and cheaper.
    Agrees,
    /// The recommended controller was, but another recommended one was worse than one that is not recommended.
    AgreesInPart,
    /// What was played does not tell.
    NotToldApart,
    /// Another controller was better.
    Disagrees,
    /// No recommended controller was played, or nothing to compare it with.
    NotPlayed,
}

impl Verdict {
    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::AgreesInPart => "agrees in part",
            Self::NotToldApart => "not told apart",
            Self::Disagrees => "disagrees",
            Self::NotPlayed => "not played",
        }
    }
}

/// A controller as it was measured, over its configurations and players.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Which.
    pub controller: Controller,
    /// Configurations as the study names them.
    pub configurations: Vec<String>,
    /// Whether the advice names it.
    pub recommended: bool,
    /// Share of won episodes.
    pub success: Proportion,
    /// Tool calls of won episodes.
    pub calls: Option<Summary>,
    /// Success rate in percent over these.
    pub success_to_calls: Option<f64>,
    /// Tokens of all episodes.
    pub tokens: Option<Summary>,
}

/// The recommended controller minus another one, over the seeds that both played.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Margin {
    /// The other one.
    pub other: Controller,
    /// Pairs of episodes.
    pub pairs: usize,
    /// Difference of the share of won episodes.
    pub success: Option<Interval>,
    /// Its mean.
    pub success_mean: f64,
    /// Difference of tokens an episode.
    pub tokens: Option<Interval>,
    /// Its mean.
    pub tokens_mean: f64,
}

/// What was found under one kind of faults.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stratum {
    /// Injected faults; empty for none.
    pub faults: String,
    /// Every controller that was played.
    pub measured: Vec<Measured>,
    /// The recommended controller that is judged: the first of the advice that was played.
    pub judged: Option<Controller>,
    /// It against each that the advice does not name.
    pub against: Vec<Margin>,
    /// Confidence of each of these intervals.
    pub confidence: f64,
    /// Verdict.
    pub verdict: Verdict,
    /// The verdict in one sentence.
    pub sentence: String,
}

/// What a run says to a recommendation for an environment: one entry a kind of faults, that without any first.
///
/// `environment` is the name of the environment; cells of it with any options count.
#[must_use]
pub fn check(recommended: &[Controller], cycles: &Cycles, environment: &str, confidence: f64) -> Vec<Stratum> {
    let own: Vec<(&CellCycles, Controller)> = cycles
        .cells
        .iter()
        .filter(|cell| cell.info.environment.split_whitespace().next() == Some(environment))
        .filter_map(|cell| Some((cell, controller(cell)?)))
        .filter(|(cell, _)| !cell.records.is_empty())
        .collect();
    let mut faults: Vec<&str> = Vec::new();
    for (cell, _) in &own {
        if !faults.contains(&cell.condition.faults.as_str()) {
            faults.push(&cell.condition.faults);
        }
    }
    faults.sort_by_key(|name| !name.is_empty());
    faults.into_iter().map(|faults| stratum(recommended, &own, faults, confidence)).collect()
}

/// What a cell is controlled by, in the words of the selection matrix.
fn controller(cell: &CellCycles) -> Option<Controller> {
    if cell.condition.gated || cell.records.iter().any(|record| !record.gates.is_empty()) {
        return Some(Controller::GatedWorkflow);
    }
    match cell.condition.control {
        Control::React => Some(Controller::React),
        Control::Dag => Some(Controller::StaticDag),
        Control::Spec | Control::Gen | Control::Cyclic => Some(Controller::over(cell.graphs.values())),
        Control::Other => None,
    }
}

/// A seed that a player met: what the episodes of two controllers are paired by.
type SeedKey<'a> = (&'a str, &'a str, u32, u32, String);

/// Means of won and of tokens over the configurations of a controller, and the cluster.
#[derive(Default)]
struct Pooled {
    instance: u32,
    episodes: f64,
    won: f64,
    tokens: f64,
}

fn pooled<'a>(cells: &[&'a CellCycles]) -> BTreeMap<SeedKey<'a>, Pooled> {
    let mut met: BTreeMap<SeedKey<'a>, Pooled> = BTreeMap::new();
    for cell in cells {
        // Who plays: of several roles the one that acts, whom every controller has.
        let player = cell.condition.executor.clone().unwrap_or_default();
        for record in &cell.records {
            let PlayedAt { environment, task, run, trial } = record.place();
            let entry = met.entry((environment, task, run, trial, player.clone())).or_default();
            entry.instance = record.instance;
            entry.episodes += 1.0;
            entry.won += f64::from(u8::from(record.won));
            entry.tokens += record.spent.tokens() as f64;
        }
    }
    met
}

/// Fewest seeds of a comparison. By chance alone, five differences have the same sign more often than once in twenty.
const FEWEST: usize = 6;

fn stratum(recommended: &[Controller], own: &[(&CellCycles, Controller)], faults: &str, confidence: f64) -> Stratum {
    let mut by_controller: BTreeMap<Controller, Vec<&CellCycles>> = BTreeMap::new();
    // Where the fallback played in the model's place there is nothing to compare.
    let has_faults = |cell: &CellCycles| cell.condition.faults == faults;
    // One agent routes nothing: what never strikes it makes no cell of its own, and its cells without faults stand for it.
    let agent = own.iter().any(|(cell, controller)| *controller == Controller::React && has_faults(cell));
    let stands_in = |cell: &CellCycles, controller: Controller| {
        !agent && controller == Controller::React && cell.condition.faults.is_empty()
    };
    let measures = |cell: &CellCycles, controller: Controller| {
        (has_faults(cell) || stands_in(cell, controller)) && !cell.hardly_acted()
    };
    for (cell, controller) in own.iter().filter(|(cell, controller)| measures(cell, *controller)) {
        by_controller.entry(*controller).or_default().push(cell);
    }
    let measured: Vec<Measured> = by_controller
        .iter()
        .filter_map(|(controller, cells)| measured(*controller, cells, recommended, confidence))
        .collect();
    let judged = recommended.iter().copied().find(|controller| by_controller.contains_key(controller));
    let others: Vec<Controller> =
        by_controller.keys().copied().filter(|controller| !recommended.contains(controller)).collect();
    let shared = 1.0 - (1.0 - confidence) / others.len().max(1) as f64;
    let against: Vec<Margin> = match judged {
        Some(judged) => {
            let first = pooled(&by_controller[&judged]);
            others.iter().filter_map(|other| compare(&first, *other, &by_controller[other], shared)).collect()
        }
        None => Vec::new(),
    };
    // Where nobody won an episode there is nothing to be as good at.
    let lost = !against.is_empty() && measured.iter().all(|one| one.success.share <= 0.0);
    let few = against.iter().map(|other| other.pairs).min().is_some_and(|pairs| pairs < FEWEST);
    let verdict = if lost || few { Verdict::NotToldApart } else { verdict(&against) };
    // What is second on the list is recommended too: it must not lose.
    let seconds: Vec<Controller> = recommended
        .iter()
        .copied()
        .filter(|controller| Some(*controller) != judged && by_controller.contains_key(controller))
        .collect();
    let apart = 1.0 - (1.0 - confidence) / (others.len() * seconds.len()).max(1) as f64;
    let (mut lost_by, mut behind): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for second in &seconds {
        let own = pooled(&by_controller[second]);
        for other in others.iter().filter_map(|other| compare(&own, *other, &by_controller[other], apart)) {
            let (points, named) = (100.0 * other.success_mean, other.other.name());
            if below(other.success) {
                lost_by.push(format!("{} won less than {named} ({points:+.1} points)", second.name()));
            } else if other.success_mean < 0.0 {
                behind.push(format!("{} is not told apart from {named} ({points:+.1} points)", second.name()));
            }
        }
    }
    let verdict = if verdict == Verdict::Agrees && !lost_by.is_empty() { Verdict::AgreesInPart } else { verdict };
    let sentence = if lost {
        "Not told apart: no controller won an episode.".to_owned()
    } else if few {
        format!("Not told apart: fewer than {FEWEST} seeds that both played tell nothing.")
    } else {
        let of_others = [lost_by, behind].concat();
        let also = if of_others.is_empty() {
            String::new()
        } else {
            format!(" Of the other recommended controllers {}.", list(&of_others))
        };
        sentence(recommended, judged, &against, verdict) + &also
    };
    Stratum { faults: faults.to_owned(), measured, judged, against, confidence: shared, verdict, sentence }
}

fn measured(
    controller: Controller,
    cells: &[&CellCycles],
    recommended: &[Controller],
    confidence: f64,
) -> Option<Measured> {
    let records: Vec<Seen<'_>> = cells
        .iter()
        .zip(0_u32..)
        .flat_map(|(cell, number)| cell.records.iter().map(move |one| (number, one)))
        .collect();
    let won: Vec<Seen<'_>> = records.iter().copied().filter(|(_, record)| record.won).collect();
    let success = success(&records, confidence)?;
    let calls = summary(&won, confidence, |record| f64::from(record.tool_calls));
    let mut configurations: Vec<String> = Vec::new();
    for cell in cells {
        if !configurations.contains(&cell.info.configuration) {
            configurations.push(cell.info.configuration.clone());
        }
    }
    Some(Measured {
        controller,
        configurations,
        recommended: recommended.contains(&controller),
        success_to_calls: calls.and_then(|calls| success_to_calls(100.0 * success.share, calls.mean)),
        success,
        calls,
        tokens: summary(&records, confidence, |record| record.spent.tokens() as f64),
    })
}

fn compare(
    first: &BTreeMap<SeedKey<'_>, Pooled>,
    other: Controller,
    cells: &[&CellCycles],
    confidence: f64,
) -> Option<Margin> {
    let second = pooled(cells);
    let both: Vec<(&SeedKey<'_>, &Pooled, &Pooled)> =
        first.iter().filter_map(|(met, one)| Some((met, one, second.get(met)?))).collect();
    // Players of one seed depend on one another like its runs: they count as runs of their own.
    let players: BTreeSet<&str> = both.iter().map(|(met, _, _)| met.4.as_str()).collect();
    let number = |player: &str| players.iter().position(|known| *known == player).unwrap_or(0) as u32;
    let width = players.len().max(1) as u32;
    let places: Vec<EpisodePlace<'_>> = both
        .iter()
        .map(|((environment, task, run, trial, player), one, _)| EpisodePlace {
            environment,
            task,
            run: run.saturating_mul(width).saturating_add(number(player)),
            trial: *trial,
            instance: one.instance,
        })
        .collect();
    let grouping = Grouping::of_places(&places);
    let difference = |value: fn(&Pooled) -> f64| {
        let values: Vec<f64> = both.iter().map(|(_, one, two)| value(one) - value(two)).collect();
        Summary::of(&values, confidence).map(|summary| grouping.summary(summary, &values, confidence))
    };
    let won = difference(|pooled| pooled.won / pooled.episodes)?;
    let tokens = difference(|pooled| pooled.tokens / pooled.episodes)?;
    Some(Margin {
        other,
        pairs: both.len(),
        success: ends(&won),
        success_mean: won.mean,
        tokens: ends(&tokens),
        tokens_mean: tokens.mean,
    })
}

/// The interval of a difference. Differences of [`FEWEST`] seeds and more that are all equal have none by Student's t; their common
/// sign decides, as it does in the sign test.
fn ends(difference: &Summary) -> Option<Interval> {
    let point = Interval { low: difference.mean, high: difference.mean };
    difference.interval().or_else(|| (difference.n >= FEWEST && difference.is_constant()).then_some(point))
}

fn above(interval: Option<Interval>) -> bool {
    interval.is_some_and(|ends| ends.low > 0.0)
}

fn below(interval: Option<Interval>) -> bool {
    interval.is_some_and(|ends| ends.high < 0.0)
}

fn verdict(against: &[Margin]) -> Verdict {
    if against.is_empty() {
        Verdict::NotPlayed
    } else if against.iter().any(|other| below(other.success)) {
        Verdict::Disagrees
    } else if against.iter().all(|other| above(other.success) || below(other.tokens)) {
        Verdict::Agrees
    } else {
        Verdict::NotToldApart
    }
}

fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn sentence(recommended: &[Controller], judged: Option<Controller>, against: &[Margin], verdict: Verdict) -> String {
    let named = |holds: &dyn Fn(&Margin) -> bool| -> Vec<String> {
        against
            .iter()
            .filter(|other| holds(other))
            .map(|other| format!("{} ({:+.1} points)", other.other.name(), 100.0 * other.success_mean))
            .collect()
    };
    let Some(judged) = judged else {
        let wanted: Vec<String> = recommended.iter().map(|controller| controller.name().to_owned()).collect();
        return format!("Not played: the run has no {} here.", list(&wanted));
    };
    let judged = judged.name();
    let behind = named(&|other| below(other.success));
    let ahead = named(&|other| above(other.success));
    let level = named(&|other| !above(other.success) && !below(other.success));
    let agrees = if verdict == Verdict::AgreesInPart { "Agrees in part" } else { "Agrees" };
    match verdict {
        Verdict::NotPlayed => format!("Not played: the run has nothing to compare {judged} with here."),
        Verdict::Disagrees => format!("Disagrees: {judged} won less than {}.", list(&behind)),
        Verdict::Agrees | Verdict::AgreesInPart if level.is_empty() => {
            format!("{agrees}: {judged} won more than {}.", list(&ahead))
        }
        Verdict::Agrees | Verdict::AgreesInPart if ahead.is_empty() => {
            format!("{agrees}: {judged} won as much as {} for fewer tokens.", list(&level))
        }
        Verdict::Agrees | Verdict::AgreesInPart => format!(
            "{agrees}: {judged} won more than {}, and as much as {} for fewer tokens.",
            list(&ahead),
            list(&level)
        ),
        Verdict::NotToldApart => {
            let dear = against.iter().any(|other| !above(other.success) && above(other.tokens));
            let dear = if dear { ", and for more tokens" } else { "" };
            let also =
                if ahead.is_empty() { String::new() } else { format!(", though it won more than {}", list(&ahead)) };
            format!("Not told apart: {judged} won as much as {}{dear}{also}.", list(&level))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn against(other: Controller, success: (f64, f64), tokens: (f64, f64)) -> Margin {
        let ends = |(low, high): (f64, f64)| Some(Interval { low, high });
        Margin {
            other,
            pairs: 10,
            success: ends(success),
            success_mean: (success.0 + success.1) / 2.0,
            tokens: ends(tokens),
            tokens_mean: (tokens.0 + tokens.1) / 2.0,
        }
    }

    /// Better than all; as good and cheaper; as good and no cheaper; worse than one of them.
    // covers: CYC-091
    #[test]
    fn the_verdict_is_by_success_first_and_by_tokens_then() {
        let (better, level, worse) = ((0.1, 0.4), (-0.1, 0.2), (-0.4, -0.1));
        let (cheaper, dearer) = ((-90.0, -10.0), (10.0, 90.0));
        let (dag, react) = (Controller::StaticDag, Controller::React);
        let of = |others: &[Margin]| {
            let found = verdict(others);
            (found, sentence(&[Controller::CompleteCyclic], Some(Controller::CompleteCyclic), others, found))
        };
        let (found, words) = of(&[against(dag, better, dearer), against(react, better, dearer)]);
        assert_eq!(found, Verdict::Agrees);
        assert_eq!(words, "Agrees: complete-cyclic won more than static-dag (+25.0 points) and react (+25.0 points).");
        let (found, words) = of(&[against(dag, better, dearer), against(react, level, cheaper)]);
        assert_eq!(found, Verdict::Agrees);
        assert!(words.ends_with("and as much as react (+5.0 points) for fewer tokens."), "{words}");
        let (found, words) = of(&[against(dag, better, dearer), against(react, level, dearer)]);
        assert_eq!(found, Verdict::NotToldApart);
        assert_eq!(
            words,
            "Not told apart: complete-cyclic won as much as react (+5.0 points), and for more tokens, though it won more than static-dag (+25.0 points)."
        );
        let (found, words) = of(&[against(dag, better, cheaper), against(react, worse, cheaper)]);
        assert_eq!(found, Verdict::Disagrees);
        assert_eq!(words, "Disagrees: complete-cyclic won less than react (-25.0 points).");
        assert_eq!(verdict(&[]), Verdict::NotPlayed);
    }
}
