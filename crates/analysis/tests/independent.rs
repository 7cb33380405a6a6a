//! Our statistics against values that SciPy computed (`fixtures/independent.py` says how).
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use gimbal_analysis::hypothesis::{benjamini_hochberg, holm, mcnemar, paired_t, sign_flip, sign_test};
use gimbal_analysis::power::{detectable_difference, paired_t_power, pairs_needed};
use gimbal_analysis::ratio::fieller;
use gimbal_analysis::resample::Bootstrap;
use gimbal_analysis::{
    EpisodeRow, FEWEST, Options, Proportion, Summary, normal_quantile, paired_test, quantile, t_cdf, t_quantile,
};
use serde_json::Value;

fn fixture() -> Value {
    serde_json::from_str(include_str!("fixtures/independent.json")).unwrap()
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|entry| entry.as_f64().unwrap()).collect()
}

fn entries<'a>(fixture: &'a Value, key: &str) -> &'a [Value] {
    let list = fixture[key].as_array().unwrap();
    assert!(!list.is_empty(), "{key}");
    list
}

#[track_caller]
fn close(ours: f64, theirs: f64, tolerance: f64, what: &str) {
    let scale = theirs.abs().max(1.0);
    assert!((ours - theirs).abs() <= tolerance * scale, "{what}: ours {ours}, theirs {theirs}");
}

// covers: BOG-167
#[test]
fn quantiles_of_t_and_normal_are_scipys() {
    let fixture = fixture();
    for entry in entries(&fixture, "t_quantiles") {
        let (p, df) = (number(entry, "p"), number(entry, "df"));
        let ours = t_quantile(p, df).unwrap();
        close(ours, number(entry, "t"), 1e-9, &format!("t {p} {df}"));
        close(t_quantile(1.0 - p, df).unwrap(), -number(entry, "t"), 1e-9, "lower tail");
        close(t_cdf(ours, df).unwrap(), p, 1e-11, "back again");
    }
    for entry in entries(&fixture, "normal_quantiles") {
        close(normal_quantile(number(entry, "p")).unwrap(), number(entry, "z"), 1e-9, "z");
    }
    for (p, df) in [(0.0, 4.0), (1.0, 4.0), (0.5, 0.0), (f64::NAN, 4.0), (0.9, f64::NAN), (-1.0, 3.0)] {
        assert_eq!(t_quantile(p, df), None, "{p} {df}");
    }
}

// covers: BOG-162, BOG-165, BOG-167, SH-07
#[test]
fn descriptions_are_scipys() {
    for sample in entries(&fixture(), "samples") {
        let values = numbers(&sample["values"]);
        let ours = Summary::of(&values, 0.95).unwrap();
        let name = sample["name"].as_str().unwrap();
        assert_eq!(ours.n as u64, sample["n"].as_u64().unwrap());
        close(ours.mean, number(sample, "mean"), 1e-13, name);
        close(ours.sd.unwrap(), number(sample, "sd"), 1e-13, name);
        for (confidence, key) in [(0.95, "half_width_95"), (0.99, "half_width_99")] {
            match Summary::of(&values, confidence).unwrap().half_width {
                Some(half) => close(half, number(sample, key), 1e-11, name),
                None => assert!(values.len() < FEWEST || number(sample, key) == 0.0, "{name}"),
            }
        }
        for (p, theirs) in sample["quantiles"].as_object().unwrap() {
            close(quantile(&values, p.parse().unwrap()).unwrap(), theirs.as_f64().unwrap(), 1e-13, name);
        }
        close(ours.min, number(&sample["quantiles"], "0.0"), 0.0, name);
        close(ours.lower_quartile, number(&sample["quantiles"], "0.25"), 1e-13, name);
        close(ours.upper_quartile, number(&sample["quantiles"], "0.75"), 1e-13, name);
    }
}

// covers: BOG-164, SH-07
#[test]
fn wilson_intervals_are_scipys() {
    for entry in entries(&fixture(), "wilson") {
        let (count, of) = (entry["count"].as_u64().unwrap(), entry["of"].as_u64().unwrap());
        let ours = Proportion::new(count, of, number(entry, "confidence")).unwrap();
        close(ours.interval.low, number(entry, "low"), 1e-10, &format!("{count}/{of}"));
        close(ours.interval.high, number(entry, "high"), 1e-10, &format!("{count}/{of}"));
    }
    assert_eq!(Proportion::new(0, 0, 0.95), None);
    assert_eq!(Proportion::new(3, 2, 0.95), None);
}

// covers: BOG-168, SH-07
#[test]
fn tests_of_no_difference_are_scipys() {
    let fixture = fixture();
    for entry in entries(&fixture, "sign_tests") {
        let (wins, losses) = (entry["wins"].as_u64().unwrap(), entry["losses"].as_u64().unwrap());
        close(sign_test(wins, losses), number(entry, "p"), 1e-10, &format!("sign {wins} {losses}"));
        close(mcnemar(losses, wins), number(entry, "p"), 1e-10, "both ways");
    }
    assert!((sign_test(0, 0) - 1.0).abs() < f64::EPSILON);

    let paired = &fixture["paired_t"];
    let (first, second) = (numbers(&paired["first"]), numbers(&paired["second"]));
    let differences: Vec<f64> = first.iter().zip(&second).map(|(a, b)| a - b).collect();
    let summary = Summary::of(&differences, 0.95).unwrap();
    close(summary.mean, number(paired, "mean"), 1e-12, "paired mean");
    close(summary.half_width.unwrap(), number(paired, "half_width_95"), 1e-11, "paired interval");
    close(paired_t(summary.mean, summary.sd.unwrap(), summary.n).unwrap(), number(paired, "p"), 1e-10, "paired t");

    let flips = &fixture["sign_flip"];
    let differences = numbers(&flips["differences"]);
    close(sign_flip(&differences, 0, 0).unwrap(), number(flips, "p"), 1e-12, "exact flips");

    let corrected = holm(&numbers(&fixture["holm"]["p"]));
    for (ours, theirs) in corrected.iter().zip(numbers(&fixture["holm"]["adjusted"])) {
        close(*ours, theirs, 1e-14, "Holm");
    }
}

/// Beyond 16 pairs flips are drawn; on whole numbers the exact p follows from counting sums, and the drawn one lies
/// within four Monte Carlo errors.
// covers: SH-07
#[test]
fn drawn_sign_flips_agree_with_the_exact_distribution() {
    let differences: Vec<f64> = (0..40).map(|index| f64::from(index % 9) - 3.0).collect();
    let largest: i64 = differences.iter().map(|value| value.abs() as i64).sum();
    let mut ways = vec![0.0_f64; 2 * largest as usize + 1];
    ways[largest as usize] = 1.0;
    for value in &differences {
        let step = value.abs() as usize;
        let mut next = vec![0.0; ways.len()];
        for (index, share) in ways.iter().enumerate().filter(|(_, share)| **share > 0.0) {
            next[index + step] += share / 2.0;
            next[index - step] += share / 2.0;
        }
        ways = next;
    }
    let observed = differences.iter().sum::<f64>().abs() as i64;
    let exact: f64 = ways
        .iter()
        .enumerate()
        .filter(|(index, _)| (*index as i64 - largest).abs() >= observed)
        .map(|(_, share)| share)
        .sum();
    let drawn = sign_flip(&differences, 40_000, 11).unwrap();
    assert!((drawn - exact).abs() < 4.0 * (exact * (1.0 - exact) / 40_000.0).sqrt(), "drawn {drawn}, exact {exact}");
    assert_eq!(sign_flip(&differences, 1_000, 5), sign_flip(&differences, 1_000, 5));
}

// covers: SH-07
#[test]
fn fieller_is_the_set_that_the_t_test_does_not_reject() {
    for entry in entries(&fixture(), "fieller") {
        let pairs: Vec<(f64, f64)> = numbers(&entry["above"]).into_iter().zip(numbers(&entry["below"])).collect();
        let ours = fieller(&pairs, number(entry, "confidence")).unwrap();
        close(ours.low, number(entry, "low"), 1e-9, "low");
        close(ours.high, number(entry, "high"), 1e-9, "high");
    }
    assert_eq!(fieller(&[(1.0, 2.0)], 0.95), None, "one pair");
    assert_eq!(fieller(&[(1.0, 2.0), (2.0, -2.0), (3.0, 0.1)], 0.95), None, "denominator around zero");
}

/// Two bootstraps with different generators agree to their Monte Carlo error: an end of a 95% interval has one of
/// about 1% of the interval's width at 200,000 and 20,000 resamples; 4% is allowed.
// covers: SH-07
#[test]
fn bootstrap_intervals_are_scipys_within_resampling_error() {
    let bootstrap = Bootstrap { resamples: 20_000, seed: 3, confidence: 0.95 };
    for entry in entries(&fixture(), "bootstrap") {
        let values: Vec<Vec<f64>> = entry["values"].as_array().unwrap().iter().map(numbers).collect();
        let ours = match values.as_slice() {
            [one] => bootstrap.mean(one).unwrap(),
            [above, below] => {
                bootstrap.ratio(&above.iter().copied().zip(below.iter().copied()).collect::<Vec<_>>()).unwrap()
            }
            _ => panic!("one or two samples"),
        };
        for (ends, key) in [(ours.percentile, "percentile"), (ours.bca, "BCa")] {
            let theirs = numbers(&entry[key]);
            let allowed = 0.04 * (theirs[1] - theirs[0]);
            assert!(
                (ends.low - theirs[0]).abs() < allowed && (ends.high - theirs[1]).abs() < allowed,
                "{} {key}: {ends:?} {theirs:?}",
                entry["name"]
            );
        }
        let error = number(entry, "standard_error");
        assert!((ours.standard_error - error).abs() < 0.03 * error, "{} {}", ours.standard_error, error);
    }
}

// covers: SH-07
#[test]
fn power_and_detectable_differences_are_scipys() {
    let fixture = fixture();
    for entry in entries(&fixture, "power") {
        let n = entry["n"].as_u64().unwrap() as usize;
        let (difference, sd, alpha) = (number(entry, "difference"), number(entry, "sd"), number(entry, "alpha"));
        let ours = paired_t_power(n, difference, sd, alpha).unwrap();
        close(ours, number(entry, "power"), 1e-7, &format!("power {n} {difference}"));
    }
    for entry in entries(&fixture, "detectable") {
        let n = entry["n"].as_u64().unwrap() as usize;
        let (sd, power, alpha) = (number(entry, "sd"), number(entry, "power"), number(entry, "alpha"));
        let ours = detectable_difference(n, sd, power, alpha).unwrap();
        close(ours, number(entry, "difference"), 1e-6, &format!("detectable {n}"));
        // The fewest pairs for that difference are those that it was made for.
        assert_eq!(pairs_needed(ours * 1.000_001, sd, power, alpha), Some(n));
    }
    assert_eq!(paired_t_power(1, 1.0, 1.0, 0.05), None);
    assert_eq!(paired_t_power(5, 1.0, 0.0, 0.05), None);
    assert_eq!(detectable_difference(5, 1.0, 0.04, 0.05), None, "less power than the level");
    assert_eq!(pairs_needed(0.0, 1.0, 0.8, 0.05), None, "no number of pairs finds nothing");
}

// covers: SH-07
#[test]
fn corrections_for_many_tests_are_scipys() {
    for entry in entries(&fixture(), "benjamini_hochberg") {
        let ours = benjamini_hochberg(&numbers(&entry["p"]));
        for (ours, theirs) in ours.iter().zip(numbers(&entry["adjusted"])) {
            close(*ours, theirs, 1e-14, "Benjamini and Hochberg");
        }
    }
    assert_eq!(benjamini_hochberg(&[]), Vec::<f64>::new());
}

/// Runs of one task are a cluster where several tasks were played: the sandwich estimate of a regression on a constant.
// covers: BOG-168, SH-07
#[test]
fn cluster_robust_intervals_are_those_of_a_regression() {
    for entry in entries(&fixture(), "clustered") {
        let groups: Vec<u64> =
            entry["groups"].as_array().unwrap().iter().map(|group| group.as_u64().unwrap()).collect();
        let row = |index: usize, value: f64| EpisodeRow {
            task: groups[index].to_string().into(),
            run: index as u32,
            return_thousandths: (1000.0 * value).round() as i64,
            ..EpisodeRow::default()
        };
        let differences = numbers(&entry["differences"]);
        let first: Vec<EpisodeRow> = differences.iter().enumerate().map(|(index, value)| row(index, *value)).collect();
        let second: Vec<EpisodeRow> = (0..first.len()).map(|index| row(index, 0.0)).collect();
        let (first, second): (Vec<&EpisodeRow>, Vec<&EpisodeRow>) = (first.iter().collect(), second.iter().collect());
        let ours = paired_test(&first, &second, None, &Options::default()).unwrap();
        let clustered = ours.clustered.unwrap();
        close(ours.basic.difference.mean, number(entry, "mean"), 1e-9, "mean");
        close(clustered.width() / 2.0, number(entry, "half_width"), 1e-6, "half width");
        close(ours.p_clustered.unwrap(), number(entry, "p"), 1e-6, "p");
    }
}
