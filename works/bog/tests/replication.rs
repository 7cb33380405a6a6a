//! Claims, models and environments.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::support;

use gimbal_analysis::{CellInfo, EpisodeRow, Rows};
use gimbal_bog::replication::{Majority, Outcome, OutcomeCounts, Replication, against_baseline, replications};
use gimbal_bog::{Grids, protocol};
use support::paper::{analysis, paper_rows};

fn judged(rows: &Rows) -> Vec<Replication> {
    let analysis = analysis(rows);
    replications(&protocol().claims, &Grids::new(rows, &analysis, protocol()))
}

fn find<'a>(all: &'a [Replication], claim: &str) -> &'a Replication {
    all.iter().find(|one| one.claim == claim).unwrap_or_else(|| panic!("{claim}"))
}

/// Rows with the work's means and SDs: every claim is heard, and the directions that the work prints are found.
// covers: BOG-200, BOG-201, BOG-202, BOG-203, BOG-204, BOG-205, BOG-206, BOG-207, BOG-209
#[test]
fn the_works_claims_are_found_in_rows_like_its_own() {
    let all = judged(&paper_rows());
    let expected = |claim: &str| (find(&all, claim).expected(), find(&all, claim).findings.len());
    // obs to obs+net helps five of six in direction; four by 52-76%.
    assert_eq!(expected("BOG-200"), (5, 6));
    // hier-delib is worse in mean for all six, and dearer.
    assert_eq!(expected("BOG-201a"), (6, 6));
    assert_eq!(expected("BOG-201b"), (6, 6));
    // hier-base is best of all for four models.
    assert_eq!(expected("BOG-202"), (4, 6));
    assert_eq!(expected("BOG-203"), (4, 6));
    assert_eq!(expected("BOG-204a"), (6, 6));
    assert_eq!(expected("BOG-204b"), (4, 6));
    assert_eq!(expected("BOG-205a"), (4, 6));
    assert_eq!(expected("BOG-205b"), (6, 6));
    // All but Llama gain by the plain hierarchy.
    let hierarchy = find(&all, "BOG-206");
    assert_eq!(hierarchy.expected(), 5);
    assert!(hierarchy.findings.iter().all(|finding| finding.expected == (finding.model != "Llama")));
    assert_eq!(find(&all, "BOG-207a").majority, Majority::Replicates);
    assert_eq!(find(&all, "BOG-207a").counts(), OutcomeCounts { holds: 6, fails: 0, cannot_tell: 0 });
    assert_eq!(expected("BOG-207b"), (6, 6));
    let ratio = find(&all, "BOG-201b").findings.iter().map(|finding| finding.estimate);
    assert!(ratio.clone().all(|ratio| (1.79..2.67).contains(&ratio)), "{:?}", ratio.collect::<Vec<_>>());
    let grok = find(&all, "BOG-209a").findings.iter().find(|finding| finding.model == "Grok").unwrap().estimate;
    assert!((grok - 40.3 / 69.8).abs() < 1e-3, "{grok}");
    // Cells of other work say nothing: no claim is judged without its cells.
    assert_eq!(judged(&Rows::default()), []);
}

/// The interval decides, not the estimate; and one side's interval on the wrong side is a failure.
#[test]
fn intervals_decide_and_majorities_count_models() {
    let all = judged(&paper_rows());
    for one in &all {
        for finding in &one.findings {
            let Some(interval) = finding.interval else { continue };
            assert!(interval.low <= finding.estimate && finding.estimate <= interval.high, "{} {finding:?}", one.claim);
            match finding.outcome {
                Outcome::Holds => assert!(finding.expected, "{} {finding:?}", one.claim),
                Outcome::Fails => assert!(!finding.expected || one.claim == "BOG-207b", "{} {finding:?}", one.claim),
                Outcome::CannotTell => {}
            }
        }
        let OutcomeCounts { holds, fails, cannot_tell } = one.counts();
        assert_eq!(holds + fails + cannot_tell, one.findings.len());
        if one.claim != "BOG-210" {
            assert_eq!(one.majority == Majority::Replicates, 2 * holds > one.findings.len(), "{}", one.claim);
        }
    }
    // The claim that the hierarchy suffers holds on the models whose interval says so, and on no others.
    let cascade = find(&all, "BOG-201a");
    let holding: Vec<&str> =
        cascade.findings.iter().filter(|one| one.outcome == Outcome::Holds).map(|one| one.model.as_str()).collect();
    assert_eq!(holding, ["Grok", "Llama", "Devstral"]);
    assert_eq!(cascade.majority, Majority::DirectionOnly, "three of six are no majority");
}

// covers: BOG-210, BOG-211, BOG-208
#[test]
fn replication_as_text() {
    let rows = paper_rows();
    let analysis = analysis(&rows);
    insta::assert_snapshot!(support::table("replication", &rows, &analysis).to_text(150));
}

/// The work's environment and one in which deliberation helps the hierarchy: each environment has its own verdict.
// covers: BOG-180
#[test]
fn a_second_environment_may_say_otherwise() {
    let first = paper_rows();
    let mut both = first.clone();
    let other = |id: &str| format!("other/{id}");
    for cell in &first.cells {
        both.cells.push(CellInfo { id: other(&cell.id), environment: "elsewhere 50".into(), ..cell.clone() });
    }
    let swapped = |cell: &str| match cell.split_once('/') {
        Some(("hier-base", model)) => format!("hier-delib/{model}"),
        Some(("hier-delib", model)) => format!("hier-base/{model}"),
        _ => cell.to_owned(),
    };
    for row in &first.episodes {
        both.episodes.push(EpisodeRow {
            cell: other(&swapped(&row.cell)).into(),
            environment: "elsewhere".into(),
            ..row.clone()
        });
    }
    let analysis = analysis(&both);
    let grids = Grids::new(&both, &analysis, protocol());
    let all = replications(&protocol().second_environment, &grids);
    let cascade: Vec<&Replication> = all.iter().filter(|one| one.claim == "cascade").collect();
    assert_eq!([cascade[0].environment.as_str(), cascade[1].environment.as_str()], ["cage2 b_line 30", "elsewhere 50"]);
    assert_eq!([cascade[0].expected(), cascade[1].expected()], [6, 0]);
    assert_eq!(cascade[1].counts().fails, 3, "what holds on three models here fails on them there");
    let cost: Vec<&Replication> = all.iter().filter(|one| one.claim == "abstraction").collect();
    // Tab. 4: obs+net is first for four models and hist+net for G3FP; +critique for G2.5FL.
    let first_on = |one: &Replication| -> Vec<String> {
        one.findings.iter().filter(|finding| finding.expected).map(|finding| finding.model.clone()).collect()
    };
    assert_eq!(first_on(cost[0]), ["Grok", "Llama", "Devstral", "Qwen", "G3FP"]);
    assert_eq!(cost[0].majority, Majority::Replicates);
    let grok = &cost[0].findings[0];
    assert_eq!((grok.first.as_str(), grok.second.as_str()), ("obs+net", "+critique"));
    assert!((grok.estimate - (2.46 - 0.72)).abs() < 0.01, "{}", grok.estimate);
    insta::assert_snapshot!(support::table("second-environment", &both, &analysis).to_text(150));
}

/// Any study of two models and a baseline: the direction is that of most models, and the verdict counts intervals.
#[test]
fn any_study_is_judged_against_its_baseline() {
    let rows = support::study();
    let analysis = analysis(&rows);
    let grids = Grids::new(&rows, &analysis, protocol());
    let all = against_baseline(&grids, "observation");
    let names: Vec<&str> = all.iter().map(|one| one.claim.as_str()).collect();
    assert_eq!(names, ["observation, status − observation", "status, history − observation"]);
    assert!(all.iter().all(|one| one.findings.len() == 2 && one.expected() == 2), "{all:?}");
    assert_eq!(all[1].majority, Majority::Replicates);
    let p: Vec<(f64, f64)> =
        all.iter().flat_map(|one| &one.findings).map(|finding| (finding.p.unwrap(), finding.p_holm.unwrap())).collect();
    assert!(p.iter().all(|(raw, adjusted)| adjusted >= raw));
    assert_eq!(against_baseline(&grids, "nothing of that name"), []);
}

#[test]
fn the_order_of_episodes_does_not_matter() {
    let rows = paper_rows();
    let mut turned = rows.clone();
    turned.episodes.reverse();
    turned.episodes.rotate_left(777);
    assert_eq!(judged(&rows), judged(&turned));
}
