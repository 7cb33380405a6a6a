//! Tab. 9, 10 and 13 to 18: cells of cyclic control, their transitions, the size of their graphs, their movement.

use crate::cyclic::{Control, Moments};
use crate::cyclic::{Entry, Transition};
use gimbal_analysis::columns::{count, number};
use gimbal_analysis::{Cell, Column, ColumnKind, Table};

use super::frame::{Frame, RATES, VISITS, compared, environment_column, spread, spread_cells};

fn is_cyclic(entry: Entry<'_>, specialists: bool) -> bool {
    let condition = &entry.measures.condition;
    compared(entry) && condition.control.is_cyclic() && condition.specialists == specialists
}

/// Tab. 9 and 10 (CYC-060, 061, 081, 083).
pub fn sweep(frame: &Frame<'_>, specialists: bool) -> Table {
    let role = |key, title, help| Column::new(key, title, "roles", ColumnKind::Text, help);
    let mut columns = vec![
        role("planner", "Planner", "Model of the planner"),
        role("executor", "Executor", "Model that acts"),
        role("router", "Router", "Model of analyser and router"),
    ];
    columns.extend(spread("sr", "SR", "sr", 1, "Share of won episodes").into_iter().map(|column| column.unit("%")));
    columns.extend(spread("tc", "TC", "tc", 1, "Tool calls of won episodes"));
    columns.push(number("str", "STR", "tc", 1, "SR in percent over TC"));
    columns.extend(spread("ats", "ATS", "ats", 1, "Visits of won episodes"));
    columns.extend(spread("aus", "AUS", "aus", 1, "Different subtasks of won episodes"));
    columns.extend(spread("asr", "ASR", "asr", 1, "Revisits of won episodes"));
    let mut table = frame.by_cell(
        columns,
        |entry| is_cyclic(entry, specialists),
        |entry| {
            let own = entry.measures;
            let named = |model: &Option<String>| Cell::text(model.clone().unwrap_or_default());
            let mut cells =
                vec![named(&own.condition.planner), named(&own.condition.executor), named(&own.condition.router)];
            cells.extend(spread_cells(own.success));
            cells.extend(spread_cells(own.won.calls));
            cells.push(Cell::number(own.success_to_calls));
            for moments in [own.won.visits, own.won.unique, own.won.revisits] {
                cells.extend(spread_cells(moments));
            }
            cells
        },
    );
    table.notes.splice(0..0, [RATES.to_owned(), VISITS.to_owned()]);
    table
}

/// Tab. 13 and 14 (CYC-062, R03).
pub fn transitions(frame: &Frame<'_>, specialists: bool) -> Table {
    let mut columns: Vec<Column> =
        spread("sr", "SR", "sr", 1, "Share of won episodes").into_iter().map(|column| column.unit("%")).collect();
    columns.extend([
        count("ut_all", "UT all", "ut", "Different pairs of subtasks by name over all episodes"),
        count("ut_won", "UT won", "ut", "Those of won episodes"),
        count("ut_never", "UT never won", "ut", "The rest"),
        count("graphs", "Graphs", "graphs", "Different graphs in force"),
        count("nodes", "Nodes", "graphs", "Most subtasks of one graph"),
        count("square", "n²", "graphs", "Transitions that such a graph can have"),
        count("ut_one", "UT one graph", "graphs", "Most different transitions of a single graph"),
        count("ut_by_graph", "UT by graph", "graphs", "Different transitions by graph, summed"),
    ]);
    let mut table = frame.by_cell(
        columns,
        |entry| is_cyclic(entry, specialists),
        |entry| {
            let counts = entry.measures.transitions;
            let numbers = [
                counts.all,
                counts.won,
                counts.never_won,
                counts.graphs,
                counts.most_nodes,
                counts.most_nodes * counts.most_nodes,
                counts.most_of_one_graph,
                counts.by_graph,
            ];
            let success = spread_cells(entry.measures.success);
            success.into_iter().chain(numbers.map(|number| Cell::count(number as u64))).collect()
        },
    );
    table.notes.insert(0, "Transitions count self-loops. UT counts pairs of names over all runs, so that several graphs can have more than n² together; a single one cannot.".to_owned());
    table
}

/// Tab. 15 and 17 (CYC-024): least and most over the configurations of a benchmark.
pub fn sizes(frame: &Frame<'_>, control: Control) -> Table {
    let kind = ColumnKind::Interval(1);
    let columns = vec![
        Column::new("nodes", "Nodes", "graph", kind, "Mean subtasks of a graph: least and most over configurations"),
        Column::new("words", "Words", "graph", kind, "Mean words of a criterion: least and most over configurations"),
        count("planned", "Graphs made", "made", "Graphs that a planner made in an episode"),
        count("given_up", "Given up", "made", "Episodes in which the planner made no valid graph"),
    ];
    ranges(frame, control, columns, |own| {
        let sum = |part: fn(&Entry<'_>) -> u64| Cell::count(own.iter().map(part).sum());
        vec![
            range(own, |entry| entry.measures.nodes),
            range(own, |entry| entry.measures.criterion_words),
            sum(|entry| entry.measures.planned.valid),
            sum(|entry| entry.measures.planned.failed),
        ]
    })
}

/// Tab. 16 and 18 (CYC-065): over all episodes, won or lost.
pub fn movement(frame: &Frame<'_>, control: Control) -> Table {
    let kind = ColumnKind::Interval(1);
    let columns = vec![
        Column::new(
            "self_loops",
            "Self-loops",
            "moves",
            kind,
            "Mean self-loops an episode: least and most over configurations",
        ),
        Column::new(
            "moves",
            "Moves",
            "moves",
            kind,
            "Mean moves to another subtask: least and most over configurations",
        ),
    ];
    let of = |moments: Option<Moments>| moments.map(|moments| moments.mean);
    ranges(frame, control, columns, |own| {
        vec![range(own, |entry| of(entry.measures.all.self_loops)), range(own, |entry| of(entry.measures.all.moves))]
    })
}

fn range(own: &[Entry<'_>], value: impl Fn(&Entry<'_>) -> Option<f64>) -> Cell {
    let values: Vec<f64> = own.iter().filter_map(value).collect();
    let ends = values.iter().copied().reduce(f64::min).zip(values.iter().copied().reduce(f64::max));
    Cell::interval(ends.map(|(low, high)| gimbal_analysis::Interval { low, high }))
}

fn ranges(
    frame: &Frame<'_>,
    control: Control,
    columns: Vec<Column>,
    cells: impl Fn(&[Entry<'_>]) -> Vec<Cell>,
) -> Table {
    let mut all =
        vec![environment_column(), count("configurations", "Cells", "row", "Configurations that were played")];
    all.extend(columns);
    let mut rows = Vec::new();
    for environment in frame.board.environments() {
        let own: Vec<Entry<'_>> = frame
            .board
            .entries()
            .filter(|entry| {
                let condition = &entry.measures.condition;
                compared(*entry)
                    && condition.control == control
                    && condition.environment == environment
                    && entry.measures.episodes > 0
            })
            .collect();
        if own.is_empty() {
            continue;
        }
        let mut row = vec![Cell::text(environment), Cell::count(own.len() as u64)];
        row.extend(cells(&own));
        rows.push(row);
    }
    frame.table(all, rows, vec!["Least and most of the configurations' means.".to_owned()])
}

/// Every transition by use, most used first: what a sparse graph is learned from (CYC-092).
pub fn uses(frame: &Frame<'_>) -> Table {
    const MOST: usize = 60;
    let words = |key, title, help| Column::new(key, title, "way", ColumnKind::Text, help);
    let columns = [
        words("graph", "Graph", "Beginning of the graph's hash"),
        words("from", "From", "From which subtask"),
        words("to", "To", "To which subtask"),
        count("all", "Taken", "use", "In all episodes"),
        count("won", "In won", "use", "In won episodes"),
    ];
    let (mut rows, mut more) = (Vec::new(), 0);
    for entry in frame.board.entries() {
        let cell = &frame.board.cycles.cells[entry.place];
        let mut ways: Vec<_> = cell.transitions.iter().collect();
        ways.sort_by_key(|(way, used)| (std::cmp::Reverse(used.all), *way));
        more += ways.len().saturating_sub(MOST);
        for (Transition { graph, from, to }, used) in ways.into_iter().take(MOST) {
            let mut row = frame.label_cells(entry);
            row.extend([
                Cell::text(graph),
                Cell::text(from),
                Cell::text(to),
                Cell::count(used.all),
                Cell::count(used.won),
            ]);
            rows.push(row);
        }
    }
    let mut notes = Vec::new();
    if more > 0 {
        notes.push(format!("The {MOST} most used of each cell; {more} more are left out."));
    }
    frame.table(frame.labels().into_iter().chain(columns).collect(), rows, notes)
}
