//! The first work's tables from any run that has the cells (BOG-190..192): keys `t1` to `t34`.
//!
//! Rows of several environments stand in blocks, each computed within its environment. What a run does not hold is a
//! dash and a note, never an error. Table 33 is a contrast of two journals and not here.

mod context;
mod contrasts;
mod deliberation;
mod frame;
mod groups;
mod hierarchy;
mod matrices;
mod ranges;
mod texts;
mod tokens;

use crate::bog::Grids;
use crate::table::Table;

/// Keys and titles, in the work's order; `efficiency` holds tables 26 to 31 for any number of models,
/// `synergy` and `outcomes` the numbers behind figures 10 and 25.
pub const TABLES: [(&str, &str); 36] = [
    ("t1", "Layers of the system"),
    ("t2", "Overview of the study"),
    ("t3", "Mean return, SD and kilotokens: the full matrix"),
    ("t4", "Return per thousand tokens against the baseline (RPTS)"),
    ("t5", "Switches of the configurations"),
    ("t6", "Mean return and SD"),
    ("t7", "Marginal value of context"),
    ("t8", "Hierarchy without and with deliberation"),
    ("t9", "Deliberation in one agent and in a hierarchy"),
    ("t10", "Range between best and worst configuration"),
    ("t11", "Levels of deliberation, first half of the models"),
    ("t12", "Levels of deliberation, second half of the models"),
    ("t13", "What each level of deliberation gains and costs over the anchor"),
    ("t14", "Baseline against worst and best configuration"),
    ("t15", "Win rates against the anchor"),
    ("t16", "Groups of configurations"),
    ("t17", "Context: worst and best configuration"),
    ("t18", "Deliberation: worst and best configuration"),
    ("t19", "Hierarchy: worst and best configuration"),
    ("t20", "Ranks of the models"),
    ("t21", "The anchor"),
    ("t22", "SD and worst episode"),
    ("t23", "Catastrophic episodes"),
    ("t24", "Mean return with its interval"),
    ("t25", "Paired differences"),
    ("t26", "Token efficiency, first model"),
    ("t27", "Token efficiency, second model"),
    ("t28", "Token efficiency, third model"),
    ("t29", "Token efficiency, fourth model"),
    ("t30", "Token efficiency, fifth model"),
    ("t31", "Token efficiency, sixth model"),
    ("efficiency", "Token efficiency, all models"),
    ("t32", "Prompt and completion tokens of the anchor and of full deliberation"),
    ("t34", "Episodes"),
    ("synergy", "Synergy of blocks of context"),
    ("outcomes", "Outcomes, calls and waiting"),
];

/// A table by its key; `None` for a key that is not one of [`TABLES`].
#[must_use]
pub fn table(key: &str, grids: &Grids<'_>) -> Option<Table> {
    let (key, title) = TABLES.iter().find(|(known, _)| *known == key).copied()?;
    let frame = frame::Frame { key, title, grids };
    Some(match key {
        "t1" => texts::layers(&frame),
        "t2" => texts::overview(&frame),
        "t3" => matrices::full(&frame),
        "t4" => matrices::rpts(&frame),
        "t5" => texts::switches(&frame),
        "t6" => matrices::spread(&frame),
        "t7" => context::marginals(&frame),
        "t8" => hierarchy::degradation(&frame),
        "t9" => hierarchy::against_one_agent(&frame),
        "t10" => ranges::impact(&frame),
        "t11" => deliberation::levels(&frame, true),
        "t12" => deliberation::levels(&frame, false),
        "t13" => deliberation::returns_on_investment(&frame),
        "t14" => ranges::baseline(&frame),
        "t15" => deliberation::win_rates(&frame),
        "t16" => groups::groups(&frame),
        "t17" => ranges::within(&frame, 0),
        "t18" => ranges::within(&frame, 1),
        "t19" => ranges::within(&frame, 2),
        "t20" => groups::ranks(&frame),
        "t21" => groups::anchor(&frame),
        "t22" => matrices::tail(&frame),
        "t23" => matrices::catastrophic(&frame),
        "t24" => matrices::intervals(&frame),
        "t25" => contrasts::paired(&frame),
        "t32" => tokens::profile(&frame),
        "t34" => matrices::episodes(&frame),
        "synergy" => context::synergies(&frame),
        "outcomes" => groups::outcomes(&frame),
        "efficiency" => tokens::efficiency(&frame, None),
        numbered => tokens::efficiency(&frame, numbered[1..].parse::<usize>().ok().map(|number| number - 26)),
    })
}
