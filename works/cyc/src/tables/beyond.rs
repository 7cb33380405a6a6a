//! What the work asks for and does not have: lost episodes beside won ones, cost of routing, failure modes, bottlenecks.

use std::collections::BTreeMap;

use crate::cyclic::Control;
use crate::cyclic::detect::Signal;
use crate::cyclic::evidence::Bottleneck;
use crate::cyclic::{Entry, Part};
use gimbal_analysis::columns::{count, number, share, words};
use gimbal_analysis::{Cell, Column, ColumnKind, Table};

use super::frame::{Frame, mean, spread, spread_cells};

fn is_played(entry: Entry<'_>) -> bool {
    entry.measures.condition.control != Control::Other && entry.measures.episodes > 0
}

/// Won, lost and all episodes, one row each: figures of won episodes alone hide what failure costs.
pub fn groups(frame: &Frame<'_>) -> Table {
    let mut columns = vec![words("group", "Episodes", "group", "Which episodes"), count("n", "n", "group", "How many")];
    columns.extend(spread("tc", "TC", "tc", 1, "Tool calls, refused ones too"));
    columns.extend(spread("ats", "ATS", "ats", 1, "Visits"));
    columns.extend(spread("aus", "AUS", "aus", 1, "Different subtasks"));
    columns.extend(spread("asr", "ASR", "asr", 1, "Revisits"));
    columns.extend(spread("tokens", "Tokens", "tokens", 0, "Tokens, prompt and completion"));
    columns.extend(
        spread("seconds", "Wall", "wall", 1, "Longest chain of waiting for models")
            .into_iter()
            .map(|column| column.unit("s")),
    );
    columns.push(number("model_calls", "Model calls", "wall", 1, "Model calls of all roles"));
    let mut rows = Vec::new();
    for entry in frame.board.entries().filter(|entry| is_played(*entry) && !entry.measures.hardly_acted) {
        let own = entry.measures;
        for (name, group) in [("won", &own.won), ("lost", &own.lost), ("all", &own.all)] {
            let mut row = frame.label_cells(entry);
            row.extend([Cell::text(name), Cell::count(group.episodes as u64)]);
            for moments in [group.calls, group.visits, group.unique, group.revisits, group.tokens, group.seconds] {
                row.extend(spread_cells(moments));
            }
            row.push(mean(group.model_calls));
            rows.push(row);
        }
    }
    let notes = vec![
        "The work's TC, ATS and ASR are of won episodes alone; lost ones show what failure costs. Wall time depends on the machine and is never compared by tests."
            .to_owned(),
    ];
    frame.table(frame.labels().into_iter().chain(columns).collect(), rows, notes)
}

/// Decisions, their prompts and their errors (CYC-015, 068, 069, 097).
pub fn routing(frame: &Frame<'_>) -> Table {
    let columns = vec![
        number("nodes", "Nodes", "work", 1, "Mean subtasks of a graph"),
        count("decisions", "Decisions", "work", "Routing decisions"),
        number("candidates", "Candidates", "work", 1, "Mean candidates of a decision: at most the number of subtasks"),
        number("input", "Prompt", "tokens", 0, "Mean prompt tokens of the router for a decision").unit("tokens"),
        number("per_episode", "Prompt an episode", "tokens", 0, "Mean prompt tokens of the router over an episode")
            .unit("tokens"),
        share("share", "Share", "tokens", "Share of all prompt tokens"),
        count("cached", "Cached", "tokens", "Decisions that were taken from earlier ones without asking"),
        count("ahead", "Ahead", "tokens", "Decisions that an earlier call had made along with its own"),
        count("ruled", "Ruled", "tokens", "Decisions that a state machine made without a router"),
        count("repaired", "Repaired", "errors", "Decisions that named no subtask at first"),
        count("hallucinations", "Hallucinated", "errors", "Decisions that named none after a repair: control stayed"),
        share("fruitful", "Fruitful", "revisits", "Share of revisits that brought a state not seen before"),
    ];
    frame.by_cell(
        columns,
        |entry| entry.measures.routing.decisions > 0,
        |entry| {
            let own = entry.measures;
            vec![
                Cell::number(own.nodes),
                Cell::count(own.routing.decisions),
                Cell::number(own.routing.candidates),
                Cell::number(own.routing.input),
                mean(own.all.router_input),
                Cell::share(own.routing.share_of_input),
                Cell::count(own.routing.cached),
                Cell::count(own.routing.ahead),
                Cell::count(own.routing.ruled),
                Cell::count(own.routing.repaired),
                Cell::count(own.routing.hallucinations),
                Cell::share(own.fruitful_revisits),
            ]
        },
    )
}

/// Failure modes, one row each that shows in a cell (CYC-094, CYC-099).
pub fn signals(frame: &Frame<'_>) -> Table {
    let columns = [
        words("signal", "Failure mode", "signal", "Which"),
        count("episodes", "Episodes", "count", "Episodes in which it shows"),
        share("share", "Share", "count", "Of the cell's episodes"),
        count("won", "Won", "count", "Those of them that were won"),
        count("findings", "Findings", "count", "How often it shows"),
        count("segments", "Segments", "count", "Segments that it covers"),
        words("example", "First place", "place", "Task, run and segments"),
    ];
    let (mut rows, mut met) = (Vec::new(), Vec::new());
    for entry in frame.board.entries() {
        for signal in Signal::ALL {
            let Some(sums) = entry.measures.signals.get(&signal) else { continue };
            if !met.contains(&signal) {
                met.push(signal);
            }
            let mut row = frame.label_cells(entry);
            row.extend([
                Cell::text(signal.key()),
                Cell::count(sums.episodes),
                Cell::share(Some(sums.episodes as f64 / entry.measures.episodes.max(1) as f64)),
                Cell::count(sums.won),
                Cell::count(sums.findings),
                Cell::count(sums.segments),
                Cell::text(&sums.example),
            ]);
            rows.push(row);
        }
    }
    met.sort_unstable();
    let mut notes: Vec<String> =
        met.into_iter().map(|signal| format!("{}: {}.", signal.key(), signal.rule())).collect();
    notes.extend(without_goals(frame));
    frame.table(frame.labels().into_iter().chain(columns).collect(), rows, notes)
}

/// Environments of which the run keeps no goal: `premature-act` then lacks one of its two sources.
fn without_goals(frame: &Frame<'_>) -> Option<String> {
    let mut environments: BTreeMap<&str, bool> = BTreeMap::new();
    for entry in frame.board.entries().filter(|entry| is_played(*entry)) {
        *environments.entry(&entry.measures.condition.environment).or_default() |= entry.measures.with_goal > 0;
    }
    let lacking: Vec<&str> = environments.into_iter().filter(|(_, has)| !has).map(|(name, _)| name).collect();
    (!lacking.is_empty()).then(|| {
        format!(
            "The run keeps no objective for the episodes on {}: the environment states none, or the run is older than objectives. \
             premature-act then knows the calls that end won episodes of the same task, and no words of the goal.",
            lacking.join(", ")
        )
    })
}

/// Bottlenecks of answers from documents (CYC-094, CYC-095).
pub fn evidence(frame: &Frame<'_>) -> Table {
    let mut columns = vec![
        count("answers", "Answers", "answers", "Episodes of questions; one that ended without an answer has failed"),
        count("passed", "Passed", "answers", "Answers that passed"),
        share(
            "recall",
            "Recall",
            "answers",
            "Share of episodes that retrieved the document with the answer, where it is known",
        ),
    ];
    columns.extend(Bottleneck::ALL.into_iter().map(|station| {
        Column::new(
            format!("failed.{}", station.title().replace([' ', ','], "_")),
            station.title(),
            "bottleneck",
            ColumnKind::Integer,
            "Failed episodes by the first station that they did not pass",
        )
    }));
    columns.extend([
        share("gold", "Gold read", "answers", "Recall of retrieval: share of gold documents that were read"),
        count("figures", "Figures", "figures", "Figures that the answers state"),
        share("stored", "Stored", "figures", "Share of them that are in a stored document"),
        share("supported", "Supported", "figures", "Share of them that stand there or follow from such"),
        count("items", "Items", "judges", "Rubric items that both judges judged"),
        number("kappa", "Kappa", "judges", 2, "Agreement of the two judges beyond chance"),
        count("gated", "Gate passed", "gate", "Answers that the gate let through, each figure backed"),
        count("refused", "Held back", "gate", "Answers that it held back"),
        count("overruled", "Overruled", "gate", "Answers that went through against it, its refusals being used up"),
        count("unread", "Unread", "gate", "Answers that it could not check"),
        share("held", "Held", "gate", "Share of the gated episodes in which it held an answer back"),
        share("before", "Backed first", "backed", "Share of figures of the first answers that rest on something"),
        share("after", "Backed at last", "backed", "Share of figures of the answers that went through"),
        count("claimed", "Vouched for", "verifier", "Figures in doubt that the verifier vouched for"),
        count("verified", "Verified", "verifier", "Those of them whose quotations are in a stored text"),
        count("revisits", "Revisits", "revisits", "Revisits whose evidence was followed"),
        share("fruitful", "Fruitful", "revisits", "Share of them that changed the evidence at hand"),
        number("gained", "Gained", "revisits", 2, "Mean pieces of evidence that a revisit brought"),
    ]);
    let mut table = frame.by_cell(
        columns,
        |entry| entry.measures.evidence.is_some(),
        |entry| {
            let Some(sums) = &entry.measures.evidence else { return Vec::new() };
            let share = |part: u64, of: u64| Cell::share((of > 0).then(|| part as f64 / of as f64));
            let part = |part: Part| share(part.count, part.of);
            let mut row = vec![Cell::count(sums.answers.of), Cell::count(sums.answers.count), part(sums.retrieved)];
            let failed = |station| Cell::count(sums.bottlenecks.get(&station).copied().unwrap_or(0));
            row.extend(Bottleneck::ALL.map(failed));
            let gates = &sums.gates;
            let gated = |count: u64| if gates.episodes.of > 0 { Cell::count(count) } else { Cell::Empty };
            let followed = sums.revisits.followed;
            row.extend([
                part(sums.gold),
                Cell::count(sums.figures.stated),
                share(sums.figures.stored, sums.figures.stated),
                share(sums.figures.supported, sums.figures.stated),
                Cell::count(sums.agreement.items()),
                Cell::number(sums.agreement.kappa()),
                gated(gates.passed),
                gated(gates.held),
                gated(gates.overruled),
                gated(gates.unread),
                part(gates.episodes),
                part(gates.before),
                part(gates.after),
                gated(gates.claimed),
                gated(gates.verified),
                Cell::count(followed),
                share(sums.revisits.changed, followed),
                Cell::number((followed > 0).then(|| sums.revisits.pieces as f64 / followed as f64)),
            ]);
            row
        },
    );
    table.notes.insert(0, "A failed episode is counted at the first station on the way from the query to the rubric that it did not pass.".to_owned());
    table
}
