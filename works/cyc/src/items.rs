//! The work's list: every table, every figure and the printed numbers, in reading order.

use crate::cyclic::{CYCLES, Control, SampleKind};
use gimbal_view::work::{Item, Make, Needs, Printed};

use crate::figures::{self, exploration, graph, noise as curves, regimes, trace, visits};
use crate::printed;
use crate::tables::{Frame, benchmarks, beyond, noise, overall, robustness, sweeps, tokens};

/// A table of cells with their measures; `shown` tables are in the report of a run, the others in `--all` alone.
macro_rules! table {
    ($key:literal, $source:literal, $title:literal, shown, $frame:ident => $made:expr) => {
        table!($key, $source, $title, true, $frame => $made)
    };
    ($key:literal, $source:literal, $title:literal, $frame:ident => $made:expr) => {
        table!($key, $source, $title, false, $frame => $made)
    };
    ($key:literal, $source:literal, $title:literal, $shown:literal, $frame:ident => $made:expr) => {
        Item {
            key: $key,
            title: $title,
            source: $source,
            needs: Needs::fold(&CYCLES),
            in_report: $shown,
            make: Make::Table(|context, item| {
                let $frame = Frame::of(context, item)?;
                Ok($made)
            }),
        }
    };
}

/// A figure with a drawing for each environment, or one for the whole run.
macro_rules! figure {
    ($key:literal, $source:literal, $title:literal, $context:ident, $item:ident => $made:expr) => {
        Item {
            key: $key,
            title: $title,
            source: $source,
            needs: Needs::fold(&CYCLES),
            in_report: false,
            make: Make::Figure(|$context, $item| $made),
        }
    };
}

/// Tables in the work's order, after its eighteen those that it asks for and does not have; figures; printed numbers.
#[rustfmt::skip]
pub const ITEMS: &[Item] = &[
    table!("cyc-1", "Tab. 1", "Which control for which structure of tasks", frame => overall::matrix(&frame)),
    table!("cyc-2", "Tab. 2", "ReAct, DepDAG, Spec-Cyc and Gen-Cyc without summaries", shown, frame => overall::overall(&frame)),
    table!("cyc-3", "Tab. 3", "Success kept under faults of routing, generalists", shown, frame => robustness::retention(&frame)),
    table!("cyc-4", "Tab. 4", "Tasks and episodes by benchmark", frame => benchmarks::overview(&frame)),
    table!("cyc-5", "Tab. 5", "Tasks of the crafting benchmark by part", frame => benchmarks::parts(&frame)),
    table!("cyc-6", "Tab. 6", "Tasks of the household benchmark by part", frame => benchmarks::parts(&frame)),
    table!("cyc-7", "Tab. 7", "Tasks of the finance benchmark by part", frame => benchmarks::parts(&frame)),
    table!("cyc-8", "Tab. 8", "Tokens of cyclic graphs against ReAct", shown, frame => tokens::shared(&frame)),
    table!("cyc-9", "Tab. 9", "Planner, executor and router: generalists", shown, frame => sweeps::sweep(&frame, false)),
    table!("cyc-10", "Tab. 10", "Executor and router: specialists", shown, frame => sweeps::sweep(&frame, true)),
    table!("cyc-11", "Tab. 11", "Faults of routing: specialists", shown, frame => robustness::changes(&frame, true)),
    table!("cyc-12", "Tab. 12", "Faults of routing: generalists", shown, frame => robustness::changes(&frame, false)),
    table!("cyc-13", "Tab. 13", "Unique transitions: generalists", shown, frame => sweeps::transitions(&frame, false)),
    table!("cyc-14", "Tab. 14", "Unique transitions: specialists", frame => sweeps::transitions(&frame, true)),
    table!("cyc-15", "Tab. 15", "Size of benchmark-generic graphs", frame => sweeps::sizes(&frame, Control::Gen)),
    table!("cyc-16", "Tab. 16", "Routing over benchmark-generic graphs", frame => sweeps::movement(&frame, Control::Gen)),
    table!("cyc-17", "Tab. 17", "Size of task-specific graphs", frame => sweeps::sizes(&frame, Control::Spec)),
    table!("cyc-18", "Tab. 18", "Routing over task-specific graphs", frame => sweeps::movement(&frame, Control::Spec)),
    table!("cyc-groups", "", "Won, lost and all episodes", shown, frame => beyond::groups(&frame)),
    table!("cyc-routing", "", "What routing costs", shown, frame => beyond::routing(&frame)),
    table!("cyc-repair", "", "Repair of single faults", shown, frame => robustness::repair(&frame)),
    table!("cyc-signals", "", "Failure modes of cyclic control and where they show", shown, frame => beyond::signals(&frame)),
    table!("cyc-exploration", "", "Situations met, cyclic minus ReAct", shown, frame => tokens::exploration(&frame)),
    table!("cyc-evidence", "", "Where answers from documents fail", shown, frame => beyond::evidence(&frame)),
    table!("cyc-transitions", "", "Transitions by use", frame => sweeps::uses(&frame)),
    table!("cyc-noise", "", "What becomes of each controller as its player errs more", frame => noise::noise(&frame)),
    figure!("cyc-f1", "Fig. 1", "A task graph and how it was walked",
        context, item => figures::each(context, item, graph::draw)),
    figure!("cyc-f2", "Fig. 2", "Task-specific and benchmark-generic graphs: success and cost",
        context, item => figures::each(context, item, regimes::draw)),
    figure!("cyc-f3", "Fig. 3", "Visits of won episodes: first ones and revisits",
        context, item => figures::each(context, item, visits::draw)),
    figure!("cyc-f4", "Fig. 4", "Exploration: situations met, cyclic minus ReAct",
        context, item => figures::each(context, item, exploration::draw)),
    figure!("cyc-f5", "Fig. 5", "An episode won by going back",
        context, item => figures::each(context, item, |scene| trace::draw(scene, SampleKind::WonByRevisits))),
    figure!("cyc-f6", "Fig. 6", "An episode lost to and fro",
        context, item => figures::each(context, item, |scene| trace::draw(scene, SampleKind::LostOscillating))),
    figure!("cyc-f7", "Fig. 7", "An episode lost at one subtask",
        context, item => figures::each(context, item, |scene| trace::draw(scene, SampleKind::LostInDeadEnd))),
    figure!("cyc-f8", "Fig. 8", "An episode lost by acts that lead nowhere",
        context, item => figures::each(context, item, |scene| trace::draw(scene, SampleKind::LostDrifting))),
    figure!("cyc-noise", "", "What becomes of each controller as its player errs more",
        context, item => figures::whole(context, item, curves::draw)),
    Item {
        key: "cyc",
        title: "Printed numbers that follow from others, recomputed",
        source: "",
        needs: Needs::NONE,
        in_report: false,
        make: Make::Printed(Printed { file: printed::FILE, examine: printed::read_and_examine }),
    },
];
