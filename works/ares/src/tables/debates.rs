//! Tables over what happened in debates: confidences by round, flips, gates, movement, citations.

use std::collections::BTreeMap;

use gimbal_analysis::columns::{count, label, number, share, words};
use gimbal_analysis::hypothesis::mcnemar;
use gimbal_analysis::metrics::{mean, ratio};
use gimbal_analysis::{Cell, CellSummary, Column, ColumnKind, Table};
use gimbal_evidence::judge::Verdict;

use super::frame::Frame;
use crate::cases::{Case, Gated, Side, Stance};

/// The middle of a confidence.
const MIDDLE: i64 = 500;

/// Tab. 2: confidence of each side by round (ARES-078, ARES-113 to ARES-115).
pub fn confidences(frame: &Frame<'_>) -> Table {
    let columns = vec![
        label("expected", "Expected", "where", "The expected verdict"),
        label("side", "Side", "where", "Who"),
        count("round", "Round", "where", "The round, from 1"),
        count("n", "N", "confidence", "Positions"),
        number(
            "mean",
            "Mean",
            "confidence",
            3,
            "Mean confidence: of the Architect that there is a threat, of the Skeptic that there is none",
        ),
        number("least", "Least", "confidence", 3, "The lowest"),
        number("most", "Most", "confidence", 3, "The highest"),
        number("change", "Change", "change", 3, "Mean change against the round before"),
    ];
    let mut rows = Vec::new();
    for (summary, cases) in frame.cells() {
        let mut groups: BTreeMap<(usize, Side, u32), Vec<&Stance>> = BTreeMap::new();
        for case in cases {
            let expected = Verdict::ALL.iter().position(|verdict| *verdict == case.marking.expected).unwrap_or(0);
            for stand in &case.stands {
                groups.entry((expected, stand.side, stand.round)).or_default().push(stand);
            }
        }
        for ((expected, side, round), stands) in groups {
            rows.push((summary, confidence_row(Verdict::ALL[expected], side, round, &stands)));
        }
    }
    let notes = vec![
        "The change is over those who spoke in both rounds: a debate that stops early is in the first rounds only."
            .to_owned(),
    ];
    frame.table(columns, rows, notes)
}

fn confidence_row(expected: Verdict, side: Side, round: u32, stands: &[&Stance]) -> Vec<Cell> {
    let all: Vec<f64> = stands.iter().map(|stand| stand.confidence.to_f64()).collect();
    let changes: Vec<f64> = stands
        .iter()
        .filter_map(|stand| stand.before.map(|before| stand.confidence.to_f64() - before.to_f64()))
        .collect();
    vec![
        Cell::text(expected.name()),
        Cell::text(side.name()),
        Cell::count(round.into()),
        Cell::count(all.len() as u64),
        Cell::number(mean(&all)),
        Cell::number(all.iter().copied().reduce(f64::min)),
        Cell::number(all.iter().copied().reduce(f64::max)),
        Cell::number(mean(&changes)),
    ]
}

/// A verdict before and after, each right or wrong.
#[derive(Clone, Copy)]
struct Flip<'a> {
    tier: &'a str,
    task: &'a str,
    before: bool,
    after: bool,
}

/// Good and bad flips against a single turn (ARES-050, ARES-118), by tier.
pub fn flips(frame: &Frame<'_>) -> Table {
    let columns = vec![
        label("against", "Against", "where", "Which single turn it is compared with"),
        label("tier", "Tier", "where", "Tier of the scenarios"),
        count("pairs", "Pairs", "pairs", "Episodes with both verdicts"),
        count("right", "Right", "single turn right", "Pairs whose single turn is right"),
        count("bad", "Bad flips", "single turn right", "Of these, those whose conclusion is wrong"),
        share("bad_share", "Share", "single turn right", "Bad flips of those whose single turn is right"),
        count("wrong", "Wrong", "single turn wrong", "Pairs whose single turn is wrong"),
        count("good", "Good flips", "single turn wrong", "Of these, those whose conclusion is right"),
        share("good_share", "Share", "single turn wrong", "Good flips of those whose single turn is wrong"),
        Column::new(
            "p",
            "p",
            "test",
            ColumnKind::Probability(3),
            "McNemar's exact test over scenarios, each by the majority of its runs",
        ),
    ];
    let singles: Vec<(&CellSummary, &[Case])> = frame.cells().filter(|(_, cases)| is_single_turn(cases)).collect();
    let mut rows = Vec::new();
    for (summary, cases) in frame.cells() {
        let own: Vec<Flip<'_>> = cases.iter().filter(|case| goes_on(case)).filter_map(own_flip).collect();
        flip_rows(&mut rows, summary, "own first round", &own);
        let (environment, model) = (&summary.info.environment, summary.info.model_label());
        let alike =
            |single: &CellSummary| single.info.environment == *environment && single.info.model_label() == model;
        if let Some((single, singles)) = singles.iter().find(|(single, _)| alike(single))
            && single.info.id != summary.info.id
        {
            let pairs: BTreeMap<(&str, u32), &Case> =
                singles.iter().map(|case| ((case.task.as_str(), case.run), case)).collect();
            let across = cases.iter().filter_map(|case| {
                let single = pairs.get(&(case.task.as_str(), case.run))?;
                Some(Flip {
                    tier: &case.marking.tier,
                    task: &case.task,
                    before: single.is_right(),
                    after: case.is_right(),
                })
            });
            let against = single.info.configuration_label();
            flip_rows(&mut rows, summary, &against, &across.collect::<Vec<_>>());
        }
    }
    let notes = vec![
        "A good flip turns a wrong verdict of the single turn into the expected one, a bad flip the other way round."
            .to_owned(),
        format!(
            "own first round: the verdict by the same judge over the first round of the same debate, in which {}. Else the first \
             configuration of the study whose debates have one round, with the same models on the same episodes.",
            crate::first_round::words(
                frame
                    .cells()
                    .filter(|(_, cases)| cases.iter().any(goes_on))
                    .map(|(summary, cases)| (summary.info.configuration_label(), cases)),
            )
        ),
    ];
    frame.table(columns, rows, notes)
}

/// Whether all cases are single turns without a vote.
pub fn is_single_turn(cases: &[Case]) -> bool {
    cases.iter().all(|case| case.rounds() == 1 && !case.is_vote() && case.gated.is_none())
}

/// Whether anything could come after the first round: further rounds, a gate, an audit or an attack. A vote has no first round: its members
/// are single turns of their own.
fn goes_on(case: &Case) -> bool {
    !case.is_vote() && (case.rounds() > 1 || case.gated.is_some() || case.steps.iter().any(|step| step.after_rounds))
}

fn own_flip(case: &Case) -> Option<Flip<'_>> {
    let before = case.first()? == case.marking.expected;
    Some(Flip { tier: &case.marking.tier, task: &case.task, before, after: case.is_right() })
}

fn flip_rows<'a>(
    rows: &mut Vec<(&'a CellSummary, Vec<Cell>)>,
    summary: &'a CellSummary,
    against: &str,
    flips: &[Flip<'_>],
) {
    if flips.is_empty() {
        return;
    }
    let mut tiers: Vec<&str> = flips.iter().map(|flip| flip.tier).collect();
    tiers.sort_unstable();
    tiers.dedup();
    let of = |tier: &str| flips.iter().filter(|flip| flip.tier == tier).copied().collect::<Vec<_>>();
    let groups = tiers.iter().map(|tier| (*tier, of(tier))).chain([("all", flips.to_vec())]);
    for (tier, flips) in groups {
        let number = |before: bool, after: bool| {
            flips.iter().filter(|flip| flip.before == before && flip.after == after).count() as u64
        };
        let (bad, good) = (number(true, false), number(false, true));
        let (right, wrong) = (bad + number(true, true), good + number(false, false));
        let row = vec![
            Cell::text(against),
            Cell::text(tier),
            Cell::count(flips.len() as u64),
            Cell::count(right),
            Cell::count(bad),
            Cell::share(ratio(bad, right)),
            Cell::count(wrong),
            Cell::count(good),
            Cell::share(ratio(good, wrong)),
            Cell::number(Some(scenario_test(&flips))),
        ];
        rows.push((summary, row));
    }
}

/// McNemar's test over scenarios: of each, the majority of its runs before and after; a tie is neither right nor wrong and left out.
fn scenario_test(flips: &[Flip<'_>]) -> f64 {
    let mut scenarios: BTreeMap<&str, [i64; 2]> = BTreeMap::new();
    for flip in flips {
        let votes = scenarios.entry(flip.task).or_default();
        votes[0] += if flip.before { 1 } else { -1 };
        votes[1] += if flip.after { 1 } else { -1 };
    }
    let only = |first: usize, second: usize| {
        scenarios.values().filter(|votes| votes[first] > 0 && votes[second] < 0).count() as u64
    };
    mcnemar(only(0, 1), only(1, 0))
}

/// What gates let stand and what they escalated (ARES-048, ARES-051, ARES-118), with both counts (ARES-R9).
pub fn gates(frame: &Frame<'_>) -> Table {
    let columns = vec![
        count("cases", "Cases", "gate", "Cases that met the gate"),
        count("escalated", "Escalated", "gate", "Of these, those that went on"),
        share("share", "Share", "gate", "Escalated of all"),
        count("kept_right", "Right", "let stand", "Cases that were let stand and are right"),
        count("kept_wrong", "Wrong", "let stand", "Cases that were let stand and are wrong"),
        count("right", "Single right", "escalated", "Escalated cases whose single turn is right"),
        count("bad", "Bad flips", "escalated", "Of these, those whose conclusion is wrong"),
        count("wrong", "Single wrong", "escalated", "Escalated cases whose single turn is wrong"),
        count("good", "Good flips", "escalated", "Of these, those whose conclusion is right"),
    ];
    let rows = frame.cells().filter_map(|(summary, cases)| {
        let gated: Vec<(&Case, Gated)> = cases.iter().filter_map(|case| Some((case, case.gated?))).collect();
        let number = |holds: &dyn Fn(&Case, Gated) -> bool| {
            Cell::count(gated.iter().filter(|(case, gate)| holds(case, *gate)).count() as u64)
        };
        let single = |case: &Case, gate: Gated| gate.single == case.marking.expected;
        let escalated = gated.iter().filter(|(_, gate)| gate.escalated).count() as u64;
        let row = vec![
            Cell::count(gated.len() as u64),
            Cell::count(escalated),
            Cell::share(ratio(escalated, gated.len() as u64)),
            number(&|case, gate| !gate.escalated && case.is_right()),
            number(&|case, gate| !gate.escalated && !case.is_right()),
            number(&|case, gate| gate.escalated && single(case, gate)),
            number(&|case, gate| gate.escalated && single(case, gate) && !case.is_right()),
            number(&|case, gate| gate.escalated && !single(case, gate)),
            number(&|case, gate| gate.escalated && !single(case, gate) && case.is_right()),
        ];
        (!gated.is_empty()).then_some((summary, row))
    });
    let rows: Vec<(&CellSummary, Vec<Cell>)> = rows.collect();
    let why = "No case of this run met a gate: no configuration that was played has one (`gate` of `debate` does).";
    let notes = rows.is_empty().then(|| why.to_owned());
    frame.table(columns, rows, notes.into_iter().collect())
}

/// How confidences move: without evidence, and away from the middle.
pub fn movement(frame: &Frame<'_>) -> Table {
    let columns = vec![
        label("side", "Side", "where", "Who"),
        count("turns", "Turns", "turns", "Turns after the first round"),
        count("moves", "Moves", "turns", "Turns whose confidence differs from the one before"),
        number("size", "Size", "turns", 3, "Mean distance of a move"),
        share(
            "unfounded",
            "Without evidence",
            "evidence",
            "Share of the distance moved in turns that cite no fact for the first time",
        ),
        share("away", "Commitment", "commitment", "Share of moves that lead away from a confidence of 0.5"),
    ];
    let mut rows = Vec::new();
    for (summary, cases) in frame.cells() {
        for side in Side::BOTH {
            let stands = cases.iter().flat_map(|case| &case.stands).filter(|stand| stand.side == side);
            let turns: Vec<(&Stance, i64, i64)> =
                stands.filter_map(|stand| Some((stand, stand.before?.0, stand.confidence.0))).collect();
            if turns.is_empty() {
                continue;
            }
            let moves: Vec<&(&Stance, i64, i64)> = turns.iter().filter(|(_, before, after)| before != after).collect();
            let distance = |(_, before, after): &(&Stance, i64, i64)| before.abs_diff(*after);
            let all: u64 = moves.iter().map(|step| distance(step)).sum();
            let without: u64 = moves.iter().filter(|(stand, ..)| stand.new_facts == 0).map(|step| distance(step)).sum();
            let away = moves.iter().filter(|(_, from, to)| (to - MIDDLE).abs() > (from - MIDDLE).abs()).count() as u64;
            let n = moves.len() as u64;
            let row = vec![
                Cell::text(side.name()),
                Cell::count(turns.len() as u64),
                Cell::count(n),
                Cell::number(ratio(all, n).map(|size| size / 1000.0)),
                Cell::share(ratio(without, all)),
                Cell::share(ratio(away, n)),
            ];
            rows.push((summary, row));
        }
    }
    let why =
        "No side of this run spoke in a second round, so that no confidence could move: single turns have one round.";
    let notes = rows.is_empty().then(|| why.to_owned());
    frame.table(columns, rows, notes.into_iter().collect())
}

/// What is cited, what is refused, and what code says of assertions (ARES-008, ARES-030).
pub fn citations(frame: &Frame<'_>) -> Table {
    let columns = vec![
        share("precision", "Precision", "conclusion", "Cited facts that decide or explain, of all cited"),
        share("recall", "Recall", "conclusion", "Facts that decide and are cited, of all that decide"),
        count("asserted", "Assertions", "assertions", "Assertions that stood, of both sides"),
        share("entailed", "Entailed", "assertions", "Those that their facts entail"),
        share("contradicted", "Contradicted", "assertions", "Those that their facts contradict"),
        share("unchecked", "Unchecked", "assertions", "Those that code cannot check"),
        number("refused", "Refused", "refused", 1, "Refusals per 100 assertions that were made"),
        words("reasons", "Reasons", "refused", "Refusals by reason"),
    ];
    let rows = frame.cells().map(|(summary, cases)| {
        let (mut cited, mut counted, mut decisive, mut met) = (0, 0, 0, 0);
        let (mut asserted, mut entailed, mut contradicted) = (0, 0, 0);
        let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
        for case in cases {
            let marking = &case.marking;
            let counts = |fact| marking.decisive.contains(fact) || marking.explaining.contains(fact);
            cited += marking.cited.len() as u64;
            counted += marking.cited.iter().filter(|fact| counts(fact)).count() as u64;
            decisive += marking.decisive.len() as u64;
            met += marking.decisive.iter().filter(|fact| marking.cited.contains(fact)).count() as u64;
            for said in case.said {
                asserted += said.asserted;
                entailed += said.entailed;
                contradicted += said.contradicted;
            }
            for (reason, count) in &case.refused {
                *reasons.entry(reason).or_default() += count;
            }
        }
        let refused: u64 = reasons.values().sum();
        let reasons: Vec<String> = reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        let row = vec![
            Cell::share(ratio(counted, cited)),
            Cell::share(ratio(met, decisive)),
            Cell::count(asserted),
            Cell::share(ratio(entailed, asserted)),
            Cell::share(ratio(contradicted, asserted)),
            Cell::share(ratio(asserted - entailed - contradicted, asserted)),
            Cell::number(ratio(100 * refused, asserted + refused)),
            Cell::text(reasons.join(", ")),
        ];
        (summary, row)
    });
    frame.table(columns, rows.collect(), Vec::new())
}
