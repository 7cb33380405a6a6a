//! The work's list: every table, every figure and the printed numbers, in reading order.

use gimbal_view::work::{Item, Make, Needs, Printed};

use crate::figures::{self, context as contexts, cost, cross, deliberation as levels, hierarchy as cascades};
use crate::figures::{outcomes, spread, system};
use crate::handled::HANDLED;
use crate::tables::arbiter::Journals;
use crate::tables::{
    Frame, arbiter, blocks, cascades as model_cascades, context, contracts, contrasts, deliberation, groups, hierarchy,
    matrices, ranges, replication,
};
use crate::tables::{texts, tokens, trace_contrast};
use crate::{detect, grids, printed};

/// A table of the grids.
macro_rules! table {
    ($key:literal, $source:literal, $title:literal, $frame:ident => $made:expr) => {
        Item {
            key: $key,
            title: $title,
            source: $source,
            needs: Needs::RESULTS,
            in_report: false,
            make: Make::Table(|context, item| {
                let $frame = Frame::of(context, item)?;
                Ok($made)
            }),
        }
    };
}

/// A table from traces, which the report of a run shows too.
macro_rules! traced {
    ($key:literal, $source:literal, $title:literal, $context:ident => $made:expr) => {
        traced!($key, $source, $title, Needs::TRACES, $context => $made)
    };
    ($key:literal, $source:literal, $title:literal, $needs:expr, $context:ident => $made:expr) => {
        Item {
            key: $key,
            title: $title,
            source: $source,
            needs: $needs,
            in_report: true,
            make: Make::Table(|$context, _| Ok($made)),
        }
    };
}

/// A figure with a drawing for each environment.
macro_rules! figure {
    ($key:literal, $source:literal, $title:literal, $draw:path) => {
        figure!($key, $source, $title, $draw, Needs::RESULTS)
    };
    ($key:literal, $source:literal, $title:literal, $draw:path, $needs:expr) => {
        Item {
            key: $key,
            title: $title,
            source: $source,
            needs: $needs,
            in_report: false,
            make: Make::Figure(|context, item| figures::outputs(context, item, $draw)),
        }
    };
}

/// Tables in the work's order, then those that go beyond it; figures; printed numbers. `efficiency` holds tables 26 to 31
/// for any number of models, `synergy` and `outcomes` the numbers behind figures 10 and 25.
#[rustfmt::skip]
pub const ITEMS: &[Item] = &[
    table!("t1", "Tab. 1", "Layers of the system", frame => texts::layers(&frame)),
    table!("t2", "Tab. 2", "Overview of the study", frame => texts::overview(&frame)),
    table!("t3", "Tab. 3", "Mean return, SD and kilotokens: the full matrix", frame => matrices::full(&frame)),
    table!("t4", "Tab. 4", "Return per thousand tokens against the baseline (RPTS)", frame => matrices::rpts(&frame)),
    table!("t5", "Tab. 5", "Switches of the configurations", frame => texts::switches(&frame)),
    table!("t6", "Tab. 6", "Mean return and SD", frame => matrices::spread(&frame)),
    table!("t7", "Tab. 7", "Marginal value of context", frame => context::marginals(&frame)),
    table!("t8", "Tab. 8", "Hierarchy without and with deliberation", frame => hierarchy::degradation(&frame)),
    table!("t9", "Tab. 9", "Deliberation in one agent and in a hierarchy", frame => hierarchy::against_one_agent(&frame)),
    table!("t10", "Tab. 10", "Range between best and worst configuration", frame => ranges::impact(&frame)),
    table!("t11", "Tab. 11", "Levels of deliberation, first half of the models", frame => deliberation::levels(&frame, true)),
    table!("t12", "Tab. 12", "Levels of deliberation, second half of the models", frame => deliberation::levels(&frame, false)),
    table!("t13", "Tab. 13", "What each level of deliberation gains and costs over the anchor", frame => deliberation::returns_on_investment(&frame)),
    table!("t14", "Tab. 14", "Baseline against worst and best configuration", frame => ranges::baseline(&frame)),
    table!("t15", "Tab. 15", "Win rates against the anchor", frame => deliberation::win_rates(&frame)),
    table!("t16", "Tab. 16", "Groups of configurations", frame => groups::groups(&frame)),
    table!("t17", "Tab. 17", "Context: worst and best configuration", frame => ranges::within(&frame, 0)),
    table!("t18", "Tab. 18", "Deliberation: worst and best configuration", frame => ranges::within(&frame, 1)),
    table!("t19", "Tab. 19", "Hierarchy: worst and best configuration", frame => ranges::within(&frame, 2)),
    table!("t20", "Tab. 20", "Ranks of the models", frame => groups::ranks(&frame)),
    table!("t21", "Tab. 21", "The anchor", frame => groups::anchor(&frame)),
    table!("t22", "Tab. 22", "SD and worst episode", frame => matrices::tail(&frame)),
    table!("t23", "Tab. 23", "Catastrophic episodes", frame => matrices::catastrophic(&frame)),
    table!("t24", "Tab. 24", "Mean return with its interval", frame => matrices::intervals(&frame)),
    table!("t25", "Tab. 25", "Paired differences", frame => contrasts::paired(&frame)),
    table!("t26", "Tab. 26", "Token efficiency, first model", frame => tokens::efficiency(&frame, Some(0))),
    table!("t27", "Tab. 27", "Token efficiency, second model", frame => tokens::efficiency(&frame, Some(1))),
    table!("t28", "Tab. 28", "Token efficiency, third model", frame => tokens::efficiency(&frame, Some(2))),
    table!("t29", "Tab. 29", "Token efficiency, fourth model", frame => tokens::efficiency(&frame, Some(3))),
    table!("t30", "Tab. 30", "Token efficiency, fifth model", frame => tokens::efficiency(&frame, Some(4))),
    table!("t31", "Tab. 31", "Token efficiency, sixth model", frame => tokens::efficiency(&frame, Some(5))),
    table!("efficiency", "Tab. 26-31", "Token efficiency, all models", frame => tokens::efficiency(&frame, None)),
    table!("t32", "Tab. 32", "Prompt and completion tokens of the anchor and of full deliberation", frame => tokens::profile(&frame)),
    table!("t34", "Tab. 34", "Episodes", frame => matrices::episodes(&frame)),
    table!("synergy", "Fig. 10", "Synergy of blocks of context", frame => context::synergies(&frame)),
    table!("outcomes", "Fig. 25", "Outcomes, calls and waiting", frame => groups::outcomes(&frame)),
    traced!("t33", "Tab. 33", "Trace contrast: hierarchy with and without deliberation",
        context => trace_contrast::trace_contrast(&grids(context)?, context.traces()?)),
    traced!("cascade", "", "Deliberation cascade, model by model", context => model_cascades::cascades(&grids(context)?)),
    traced!("detectors", "", "Named failure modes and where they show",
        context => detect::table(context.analysis()?, context.traces()?)),
    traced!("contracts", "", "Messages between agents: how they were read, and what was done about them",
        Needs::RESULTS.with_fold(&HANDLED), context => contracts::contracts(context.analysis()?, context.fold(&HANDLED)?)),
    traced!("arbiter", "", "The mediator: what it is worth, and which rules did anything",
        Needs::TRACES.with_fold(&HANDLED),
        context => arbiter::arbiter(&grids(context)?, Journals { traces: context.traces()?, handled: context.fold(&HANDLED)? })),
    traced!("blocks", "", "What each block of context costs",
        context => blocks::blocks(context.analysis()?, context.traces()?)),
    table!("replication", "", "Claims and differences, model by model, with a verdict by majority",
        frame => replication::replication(&frame.grids)),
    table!("second-environment", "", "The two claims that another environment has to settle",
        frame => replication::second_environment(&frame.grids)),
    figure!("f1", "Fig. 1", "What the system is made of, and what each configuration switches on", system::architecture),
    figure!("f2", "Fig. 2", "Context: mean return by configuration and model", contexts::heat_map),
    figure!("f3", "Fig. 3", "Deliberation cascade: the hierarchy without and with deliberation", cascades::cascade),
    figure!("f4", "Fig. 4", "Cost and performance: Pareto frontiers", cost::frontiers),
    figure!("f5", "Fig. 5", "Catastrophic episodes by configuration and model", outcomes::catastrophic),
    figure!("f6", "Fig. 6", "Best configuration of each axis beside the anchor", cross::best_per_axis),
    figure!("f7", "Fig. 7", "Marginal value of context", contexts::marginal),
    figure!("f8", "Fig. 8", "What raw observations cost", contexts::raw_penalty),
    figure!("f9", "Fig. 9", "Context as a waterfall", contexts::waterfall),
    figure!("f10", "Fig. 10", "Interaction of context", contexts::interaction),
    figure!("f11", "Fig. 11", "Fingerprints of models", cross::fingerprints),
    figure!("f12", "Fig. 12", "From one deliberating agent to a deliberating hierarchy", cascades::slope),
    figure!("f13", "Fig. 13", "What deliberation in every agent of the hierarchy changes", cascades::degradation),
    figure!("f14", "Fig. 14", "Deliberation: return gained against tokens added", levels::roi),
    figure!("f15", "Fig. 15", "Strength of the anchor against what deliberation gains", levels::correlation),
    figure!("f16", "Fig. 16", "Ceiling of deliberation: where each model peaks", levels::ceiling),
    figure!("f17", "Fig. 17", "Return along the levels of deliberation", levels::progression),
    figure!("f18", "Fig. 18", "Win rates in matched seeds", cross::win_rates),
    figure!("f19", "Fig. 19", "Models head to head, each with its best configuration", cross::head_to_head),
    figure!("f20", "Fig. 20", "Ranks of models along the axes", cross::ranks),
    figure!("f21", "Fig. 21", "Cumulative distributions of the return by axis", spread::cumulative),
    figure!("f22", "Fig. 22", "Distributions of the return by axis", spread::violins),
    figure!("f23", "Fig. 23", "Shift of the distribution by deliberation", spread::ridges),
    figure!("f24", "Fig. 24", "Risk and reward", outcomes::risk),
    figure!("f25", "Fig. 25", "How episodes end", outcomes::split),
    figure!("f26", "Fig. 26", "Ladder of token cost", cost::ladder),
    figure!("f27", "Fig. 27", "Prompt and completion tokens", cost::profile),
    figure!("f28", "Fig. 28", "Growth of tokens along an episode", cost::growth, Needs::TRACES),
    figure!("f29", "Fig. 29", "Token cost against win rate", cost::against_wins),
    Item {
        key: "bog",
        title: "Printed numbers that follow from others, recomputed",
        source: "",
        needs: Needs::NONE,
        in_report: false,
        make: Make::Printed(Printed { file: printed::FILE, examine: printed::read_and_examine }),
    },
];
