//! Figures over cases: accuracy against cost, and against the competence of noisy experts.

use gimbal_analysis::{Analysis, Kind, Options, RoleModel, RoleUsage, TokenUse};
use gimbal_ares::Ares;
use gimbal_view::Output;
use gimbal_view::work::{Choices, Context, Inputs, Make, Work};

use crate::cases::{inputs, retreat, single};

/// Cells `NAME@COMPETENCE`, played by noisy experts, whose episodes cost so many millionths of a dollar.
fn run(cells: &[&str], cost: Option<u64>) -> Inputs {
    let mut played = Vec::new();
    for name in cells {
        let make = if name.starts_with("debate") { retreat } else { single };
        played.push((*name, vec![make("s1"), make("s2")]));
    }
    let mut inputs = inputs(&played);
    let (mut rows, _) = inputs.results.take().unwrap();
    for cell in &mut rows.cells {
        let (name, competence) = cell.id.split_once('@').unwrap();
        cell.configuration = name.to_owned();
        cell.kind = Kind::NoisyExpert;
        cell.models =
            vec![RoleModel { role: "default".to_owned(), model: format!("noisy/{competence},malformed=0.1") }];
    }
    for row in &mut rows.episodes {
        row.cost_microdollars = cost;
        let called = TokenUse { input: 900, output: 100, ..TokenUse::default() };
        row.usage = vec![RoleUsage { role: "default".into(), environment: false, called }];
    }
    let analysis = Analysis::new(&rows, &Options::default()).unwrap();
    inputs.results = Some((rows, analysis));
    inputs
}

fn figure(inputs: &Inputs, key: &str) -> Output {
    let context = Context::new(&Ares, inputs, &Choices::default());
    let item = Ares.items().iter().find(|item| item.key == key).unwrap();
    let Make::Figure(make) = item.make else { panic!("{key} is a figure") };
    make(&context, item).unwrap().remove(0)
}

// covers: ARES-077
#[test]
fn cost_is_in_dollars_where_every_pipeline_has_a_price_above_nothing() {
    for (cost, axis) in
        [(Some(2_000), "dollars an episode"), (Some(0), "agent tokens an episode"), (None, "agent tokens an episode")]
    {
        let svg = figure(&run(&["single@1.0", "debate@1.0"], cost), "ares-f5").figure.svg;
        assert!(svg.contains(axis), "{cost:?}: {svg}");
    }
}

#[test]
fn each_pipeline_has_a_panel_beside_the_single_turn_by_competence() {
    let figure = figure(&run(&["single@1.0", "debate@1.0", "single@0.6", "debate@0.6"], None), "ares-f7").figure;
    assert!(figure.svg.contains(">debate<") && !figure.svg.contains(">single<"), "{}", figure.svg);
    // Two curves of two points: the pipeline and the single turn.
    assert_eq!(figure.svg.matches("<path d=\"M").count(), 2);
    assert!(figure.svg.contains(">60<") && figure.svg.contains(">100<"));
    let once = self::figure(&run(&["single@1.0", "debate@1.0"], None), "ares-f7").figure;
    assert!(
        once.caption.contains("several competences") || once.svg.contains("several competences"),
        "{}",
        once.caption
    );
}
