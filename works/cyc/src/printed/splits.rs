//! Tab. 1 (what the selection matrix recommends) and Tab. 4-7 (tasks and splits).

use crate::cyclic::advise::{Level, WorkflowSignature, advise};
use gimbal_analysis::papers::Check;

use super::CycFacts;

/// How many of the recommended controllers our own function names for the regime's signature, which must be all.
pub(super) fn regimes(facts: &CycFacts, checks: &mut Vec<Check>) {
    for regime in &facts.regimes {
        let advice = advise(&WorkflowSignature {
            prerequisite_density: Level::share(regime.density),
            state_uncertainty: Level::share(regime.uncertainty),
            observability: Level::share(regime.observability),
            repair: Some(regime.repair),
        });
        let named = regime.recommended.iter().filter(|controller| advice.recommended.contains(controller)).count();
        let named = if advice.regime == regime.name { named as f64 } else { 0.0 };
        let place = format!("controllers advised for {}", regime.name.name());
        checks.push(Check::judge("Tab. 1", place, regime.recommended.len() as f64, 0, named, (named, named)));
    }
}

/// Splits add up, percentages are those of the counts, and what is printed again is the same.
pub(super) fn counts(facts: &CycFacts, checks: &mut Vec<Check>) {
    let mut exact = |table: &str, place: String, printed: u32, value: f64| {
        checks.push(Check::judge(table, place, f64::from(printed), 0, value, (value, value)));
    };
    for entry in &facts.benchmarks {
        let (name, total) = (&entry.name, f64::from(entry.total));
        let tested: u32 = entry.test.iter().sum();
        for table in ["Tab. 4", &entry.again] {
            exact(table, format!("total of {name}"), entry.total, f64::from(entry.train + tested));
        }
        if let Some([train, test]) = entry.percent {
            exact("Tab. 4", format!("training percent of {name}"), train, 100.0 * f64::from(entry.train) / total);
            exact("Tab. 4", format!("test percent of {name}"), test, 100.0 * f64::from(tested) / total);
        }
        if !entry.partitions.is_empty() {
            let parts: u32 = entry.partitions.iter().sum();
            exact(&entry.again, format!("test set of {name} in parts"), tested, f64::from(parts));
        }
    }
}
