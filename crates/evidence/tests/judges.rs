//! Judges against their published rules, over the whole grid.

use gimbal_core::Milli;
use gimbal_evidence::judge::sweep::{Counts, PUBLISHED, Range, grid, thousandths};
use gimbal_evidence::judge::{
    Arithmetic, Band, Certainty, ClaimScore, Judge, Positions, Side, Verdict, Weighing, judge_claims,
};
use proptest::prelude::*;

fn at(architect: i64, skeptic: i64) -> Positions {
    Positions { architect: Milli(architect), skeptic: Milli(skeptic), ..Positions::default() }
}

/// Every pair of hundredths.
fn all_pairs() -> impl Iterator<Item = (i64, i64)> {
    (0..=100).flat_map(|architect| (0..=100).map(move |skeptic| (architect * 10, skeptic * 10)))
}

fn differ(one: impl Fn(&Positions) -> Verdict, other: impl Fn(&Positions) -> Verdict) -> usize {
    all_pairs()
        .filter(|(architect, skeptic)| one(&at(*architect, *skeptic)) != other(&at(*architect, *skeptic)))
        .count()
}

/// The printed functions, in floats.
fn printed_v1(architect: f64, skeptic: f64) -> Verdict {
    match (architect, skeptic) {
        (architect, skeptic) if architect >= 0.7 && skeptic < 0.5 => Verdict::ThreatConfirmed,
        (architect, skeptic) if skeptic >= 0.7 && architect < 0.5 => Verdict::ThreatDismissed,
        _ => Verdict::Inconclusive,
    }
}

fn printed_v2(architect: f64, skeptic: f64) -> Verdict {
    let delta = (architect - skeptic).abs();
    let dominant = architect.max(skeptic);
    if architect > 0.85 {
        Verdict::ThreatConfirmed
    } else if skeptic > 0.85 {
        Verdict::ThreatDismissed
    } else if delta > 0.15 && dominant > 0.60 {
        if architect > skeptic { Verdict::ThreatConfirmed } else { Verdict::ThreatDismissed }
    } else {
        Verdict::Inconclusive
    }
}

// covers: ARES-060, ARES-061, ARES-062
#[test]
fn the_published_judges_hold_on_the_whole_grid_in_floats() {
    for (architect, skeptic) in all_pairs() {
        let floats = (format!("{}", architect as f64 / 1000.0), format!("{}", skeptic as f64 / 1000.0));
        let (a, s): (f64, f64) = (floats.0.parse().unwrap(), floats.1.parse().unwrap());
        let positions = at(architect, skeptic);
        assert_eq!(Judge::V1.verdict(&positions, Arithmetic::FloatCompat), printed_v1(a, s), "V1 at {floats:?}");
        assert_eq!(Judge::V2.verdict(&positions, Arithmetic::FloatCompat), printed_v2(a, s), "V2 at {floats:?}");
    }
}

// covers: ARES-061, ARES-R10
#[test]
fn floats_and_thousandths_differ_at_38_points_of_v2_and_nowhere_in_v1() {
    let differing = |judge: Judge| {
        differ(
            move |positions| judge.verdict(positions, Arithmetic::Exact),
            move |positions| judge.verdict(positions, Arithmetic::FloatCompat),
        )
    };
    assert_eq!((differing(Judge::V1), differing(Judge::V2)), (0, 38));
    let pair = at(750, 600);
    assert_eq!(Judge::V2.verdict(&pair, Arithmetic::Exact), Verdict::Inconclusive);
    assert_eq!(Judge::V2.verdict(&pair, Arithmetic::FloatCompat), Verdict::ThreatConfirmed);
    let pair = at(700, 550);
    assert_eq!(Judge::V2.verdict(&pair, Arithmetic::FloatCompat), Verdict::Inconclusive);
}

// covers: ARES-060
#[test]
fn the_corners_of_v1() {
    let cases = [
        ((700, 499), Verdict::ThreatConfirmed),
        ((700, 500), Verdict::Inconclusive),
        ((699, 0), Verdict::Inconclusive),
        ((499, 700), Verdict::ThreatDismissed),
        ((500, 700), Verdict::Inconclusive),
        ((1000, 1000), Verdict::Inconclusive),
        ((0, 0), Verdict::Inconclusive),
    ];
    for ((architect, skeptic), expected) in cases {
        assert_eq!(Judge::V1.verdict(&at(architect, skeptic), Arithmetic::Exact), expected, "{architect} {skeptic}");
    }
}

// covers: ARES-061
#[test]
fn the_corners_of_v2() {
    let cases = [
        ((851, 1000), Verdict::ThreatConfirmed),
        ((850, 851), Verdict::ThreatDismissed),
        ((850, 850), Verdict::Inconclusive),
        ((601, 450), Verdict::ThreatConfirmed),
        ((600, 100), Verdict::Inconclusive),
        ((601, 451), Verdict::Inconclusive),
        ((450, 601), Verdict::ThreatDismissed),
    ];
    for ((architect, skeptic), expected) in cases {
        assert_eq!(Judge::V2.verdict(&at(architect, skeptic), Arithmetic::Exact), expected, "{architect} {skeptic}");
    }
}

// covers: ARES-R6
#[test]
fn v2_is_biased_at_225_points_and_its_symmetric_form_nowhere() {
    let biased = |judge: Judge| {
        all_pairs()
            .filter(|(architect, skeptic)| {
                let mirror = judge.verdict(&at(*skeptic, *architect), Arithmetic::Exact).mirrored();
                judge.verdict(&at(*architect, *skeptic), Arithmetic::Exact) != mirror
            })
            .count()
    };
    assert_eq!(biased(Judge::V2), 225);
    for judge in [Judge::V1, Judge::V1Extended, Judge::V2Capped, Judge::V2Symmetric] {
        assert_eq!(biased(judge), 0, "{}", judge.name());
    }
    // It changes a verdict only where both are above 0.85.
    let changed = differ(
        |positions| Judge::V2.verdict(positions, Arithmetic::Exact),
        |positions| Judge::V2Symmetric.verdict(positions, Arithmetic::Exact),
    );
    assert_eq!(changed, 225);
}

// covers: ARES-063
#[test]
fn v1_extended_counts_facts_where_v1_does_not_decide() {
    let with = |architect, skeptic, architect_facts, skeptic_facts| {
        let positions = Positions { architect_facts, skeptic_facts, ..at(architect, skeptic) };
        Judge::V1Extended.verdict(&positions, Arithmetic::Exact)
    };
    assert_eq!(with(700, 600, 5, 2), Verdict::ThreatConfirmed);
    assert_eq!(with(700, 600, 4, 2), Verdict::Inconclusive);
    assert_eq!(with(600, 700, 2, 5), Verdict::ThreatDismissed);
    assert_eq!(with(690, 600, 9, 0), Verdict::Inconclusive);
    assert_eq!(with(700, 400, 0, 9), Verdict::ThreatConfirmed);
    assert_eq!(with(700, 600, u32::MAX, u32::MAX / 2), Verdict::ThreatConfirmed);
}

// covers: ARES-064
#[test]
fn v2_capped_lets_nobody_win_outright_against_a_sure_opponent() {
    let capped = |architect, skeptic| Judge::V2Capped.verdict(&at(architect, skeptic), Arithmetic::Exact);
    assert_eq!(capped(850, 650), Verdict::ThreatConfirmed);
    assert_eq!(capped(850, 710), Verdict::Inconclusive);
    assert_eq!(capped(850, 700), Verdict::ThreatConfirmed);
    assert_eq!(capped(600, 450), Verdict::ThreatConfirmed);
    assert_eq!(capped(599, 0), Verdict::Inconclusive);
    assert_eq!(capped(950, 900), Verdict::Inconclusive);
}

#[test]
fn the_calibrated_judge_subtracts_what_each_side_always_says() {
    let judge = Judge::Calibrated { architect: Milli(550), skeptic: Milli(750) };
    let verdict = |architect, skeptic| judge.verdict(&at(architect, skeptic), Arithmetic::Exact);
    assert_eq!(verdict(550, 750), Verdict::Inconclusive);
    assert_eq!(verdict(650, 699), Verdict::ThreatConfirmed);
    assert_eq!(verdict(450, 801), Verdict::ThreatDismissed);
    assert_eq!(verdict(650, 700), Verdict::Inconclusive);
}

fn percent(counts: &Counts) -> [f64; 3] {
    Verdict::ALL.map(|verdict| (counts.share(verdict) * 1000.0).round() / 10.0)
}

/// The table of verdicts over the published ranges: confirmed, dismissed, inconclusive in percent.
// covers: ARES-113, ARES-114, ARES-115, ARES-R10
#[test]
fn the_published_ranges_give_the_known_table() {
    let table = |judge: Judge, arithmetic| {
        PUBLISHED.map(|phase| percent(&grid(&judge, arithmetic, phase.architect, phase.skeptic, Milli(10)).unwrap()))
    };
    for arithmetic in Arithmetic::ALL {
        let v1 = table(Judge::V1, arithmetic);
        assert_eq!(v1[0], [0.0, 0.0, 100.0]);
        assert_eq!(v1[1], [0.0, 16.1, 83.9]);
        assert_eq!(v1[2], [0.0, 0.0, 100.0]);
    }
    assert_eq!(table(Judge::V2, Arithmetic::Exact)[1], [0.0, 64.5, 35.5]);
    assert_eq!(table(Judge::V2, Arithmetic::Exact)[2], [64.5, 6.8, 28.7]);
    assert_eq!(table(Judge::V2, Arithmetic::FloatCompat)[1].map(f64::round), [0.0, 67.0, 33.0]);
    assert_eq!(table(Judge::V2, Arithmetic::FloatCompat)[2].map(f64::round), [66.0, 7.0, 28.0]);
    assert_eq!(table(Judge::V2, Arithmetic::FloatCompat)[0].map(f64::round), [95.0, 1.0, 4.0]);
}

// covers: ARES-116, ARES-117
#[test]
fn the_two_cases_that_debate_is_said_to_have_saved_follow_from_v1() {
    // SC-016 ends at 0.94 against 0.44. SC-011's Skeptic goes from 0.80 to 0.60: dismissed before, if the Architect is below 0.5,
    // and inconclusive after, whatever the Architect says below 0.7 or above.
    assert_eq!(Judge::V1.verdict(&at(940, 440), Arithmetic::Exact), Verdict::ThreatConfirmed);
    for architect in (0..500).step_by(10) {
        assert_eq!(Judge::V1.verdict(&at(architect, 800), Arithmetic::Exact), Verdict::ThreatDismissed);
    }
    for architect in (0..=1000).step_by(10) {
        assert_eq!(Judge::V1.verdict(&at(architect, 600), Arithmetic::Exact), Verdict::Inconclusive);
    }
}

// covers: ARES-048, ARES-049
#[test]
fn certainty_has_two_meanings_and_the_band_holds_its_ends() {
    let positions = at(900, 401);
    assert_eq!(Certainty::Winner.of(Verdict::ThreatConfirmed, &positions), Milli(900));
    assert_eq!(Certainty::Winner.of(Verdict::ThreatDismissed, &positions), Milli(401));
    assert_eq!(Certainty::Winner.of(Verdict::Inconclusive, &positions), Milli(650));
    for verdict in Verdict::ALL {
        assert_eq!(Certainty::Margin.of(verdict, &positions), Milli(499));
    }
    // What is concluded is how sure the judge is of its verdict: confidences far apart speak against an inconclusive one.
    assert_eq!(Certainty::Margin.of_given(Verdict::Inconclusive, &positions), Milli(501));
    assert_eq!(Certainty::Margin.of_given(Verdict::ThreatConfirmed, &positions), Milli(499));
    assert_eq!(Certainty::Winner.of_given(Verdict::Inconclusive, &positions), Milli(650));
    let band = Band::default();
    let inside: Vec<bool> = [349, 350, 650, 651].map(|value| band.holds(Milli(value))).to_vec();
    assert_eq!(inside, [false, true, true, false]);
}

fn claim(side: Side, confidence: i64, facts: u32, survives: bool) -> ClaimScore {
    ClaimScore { side, confidence: Milli(confidence), facts, survives }
}

// covers: ARES-065
#[test]
fn claims_weigh_as_much_as_the_facts_they_cite() {
    use Side::{Benign, Threat};
    let cases = [
        (vec![], Verdict::Inconclusive, 0, 500),
        (vec![claim(Threat, 900, 3, true), claim(Benign, 900, 1, true)], Verdict::ThreatConfirmed, 450, 450),
        (vec![claim(Threat, 900, 3, false), claim(Benign, 900, 1, true)], Verdict::ThreatDismissed, -900, 900),
        (vec![claim(Threat, 900, 0, true)], Verdict::Inconclusive, 0, 500),
        (vec![claim(Threat, 900, 1, true), claim(Benign, 900, 1, true)], Verdict::Inconclusive, 0, 1000),
        (vec![claim(Benign, 90, 1, true)], Verdict::Inconclusive, -90, 490),
        (vec![claim(Threat, 150, 1, true)], Verdict::Inconclusive, 150, 150),
        (vec![claim(Threat, 151, 1, true), claim(Threat, 150, 9, true)], Verdict::ThreatConfirmed, 150, 150),
    ];
    for (claims, verdict, balance, confidence) in cases {
        let weighing = Weighing { verdict, balance: Milli(balance), confidence: Milli(confidence) };
        assert_eq!(judge_claims(&claims), weighing, "{claims:?}");
    }
}

#[test]
fn ranges_are_read_exactly() {
    assert_eq!("0.45-0.65".parse::<Range>().unwrap().to_string(), "0.45-0.65");
    assert_eq!("1".parse::<Range>().unwrap().to_string(), "1.00");
    assert_eq!(thousandths("0.125"), Some(Milli(125)));
    for text in ["", "0.1234", "1.1", "-0.5", "0.7-0.6", "a-b", "0.5-", "1e0", "0,5"] {
        assert!(text.parse::<Range>().is_err(), "{text}");
    }
    assert!(grid(&Judge::V1, Arithmetic::Exact, Range::WHOLE, Range::WHOLE, Milli(0)).is_err());
}

proptest! {
    // covers: ARES-062
    #[test]
    fn more_confidence_of_a_side_never_helps_the_other(
        architect in 0_i64..=1000, skeptic in 0_i64..=1000, more in 0_i64..=1000, facts in (0_u32..9, 0_u32..9),
    ) {
        let rank = |verdict| match verdict {
            Verdict::ThreatDismissed => 0,
            Verdict::Inconclusive => 1,
            Verdict::ThreatConfirmed => 2,
        };
        let more = more.max(architect);
        // An outright win of V2 against a sure opponent is not a rule of the capped one: there a higher confidence can end it.
        for judge in [Judge::V1, Judge::V1Extended, Judge::V2, Judge::V2Symmetric] {
            for arithmetic in Arithmetic::ALL {
                let verdict = |architect| {
                    let positions = Positions { architect_facts: facts.0, skeptic_facts: facts.1, ..at(architect, skeptic) };
                    rank(judge.verdict(&positions, arithmetic))
                };
                prop_assert!(verdict(architect) <= verdict(more), "{} {arithmetic:?}", judge.name());
            }
        }
    }

    #[test]
    fn an_inconclusive_verdict_is_surer_the_nearer_its_balance_is_to_nothing(near in 0_i64..=150, far in 0_i64..=150) {
        let confidence = |balance| judge_claims(&[claim(Side::Threat, balance, 1, true)]).confidence;
        let (near, far) = (near.min(far), near.max(far));
        prop_assert!(confidence(near) >= confidence(far));
        prop_assert!((Milli(150)..=Milli(1000)).contains(&confidence(far)));
    }

    #[test]
    fn a_rebutted_claim_never_counts(claims in proptest::collection::vec((any::<bool>(), 0_i64..=1000, 0_u32..5, any::<bool>()), 0..8)) {
        let claims: Vec<ClaimScore> = claims
            .into_iter()
            .map(|(threat, confidence, facts, survives)| {
                claim(if threat { Side::Threat } else { Side::Benign }, confidence, facts, survives)
            })
            .collect();
        let standing: Vec<ClaimScore> = claims.iter().filter(|claim| claim.survives).copied().collect();
        prop_assert_eq!(judge_claims(&claims), judge_claims(&standing));
    }
}
