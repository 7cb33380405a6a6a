//! Tab. 3, 11 and 12 and the repair of single faults: what faults of routing do.

use crate::cyclic::Entry;
use crate::cyclic::{Control, relative_difference, retention as kept};
use gimbal_analysis::columns::{count, number, share};
use gimbal_analysis::{Cell, Column, Table};

use super::frame::{Frame, RATES, spread, spread_cells};

fn is_faulted(entry: Entry<'_>, specialists: bool) -> bool {
    let condition = &entry.measures.condition;
    let graphs = condition.control.is_cyclic() || condition.control == Control::Dag;
    graphs && !condition.faults.is_empty() && condition.specialists == specialists
}

/// Tab. 3 (CYC-063): SRR and the calls that faults add.
pub fn retention(frame: &Frame<'_>) -> Table {
    let columns = vec![
        number("srr", "SRR", "kept", 3, "Success rate with faults over the rate without"),
        number("more_calls", "ΔTC", "kept", 1, "Tool calls of won episodes, with faults minus without"),
    ];
    let mut table = frame.by_cell(
        columns,
        |entry| is_faulted(entry, false),
        |entry| {
            let nominal = frame.board.nominal(entry).map(|nominal| nominal.measures);
            let rates = entry.measures.success.zip(nominal.and_then(|nominal| nominal.success));
            let calls = entry.measures.won.calls.zip(nominal.and_then(|nominal| nominal.won.calls));
            vec![
                Cell::number(rates.and_then(|(faulted, nominal)| kept(faulted.mean, nominal.mean))),
                Cell::difference(calls.map(|(faulted, nominal)| (faulted.mean, nominal.mean))),
            ]
        },
    );
    table.notes.insert(0, "SRR: SR with faults over SR of the same cell without; – where no episode was won without faults, or the cell without faults was not played.".to_owned());
    table
}

/// Tab. 11 and 12 (CYC-063, 064).
pub fn changes(frame: &Frame<'_>, specialists: bool) -> Table {
    let percent = |columns: Vec<Column>| columns.into_iter().map(|column| column.unit("%")).collect::<Vec<_>>();
    let mut columns = percent(spread("sr_nominal", "SR without", "without", 1, "Share of won episodes without faults"));
    columns.extend(spread("tc_nominal", "TC without", "without", 1, "Tool calls of won episodes without faults"));
    columns.extend(percent(spread("sr_faulted", "SR with", "with", 1, "Share of won episodes with faults")));
    columns.extend(spread("tc_faulted", "TC with", "with", 1, "Tool calls of won episodes with faults"));
    columns.push(number("change_sr", "ΔSR", "change", 1, "With minus without").unit("pp"));
    columns.push(number("change_tc", "ΔTC", "change", 1, "With minus without"));
    columns.push(number("relative", "Relative", "change", 1, "Size of the change of SR over SR without").unit("%"));
    let mut table = frame.by_cell(
        columns,
        |entry| is_faulted(entry, specialists),
        |entry| {
            let own = entry.measures;
            let nominal = frame.board.nominal(entry).map(|nominal| nominal.measures);
            let (rate, calls) = (nominal.and_then(|other| other.success), nominal.and_then(|other| other.won.calls));
            let mut cells = Vec::new();
            for moments in [rate, calls, own.success, own.won.calls] {
                cells.extend(spread_cells(moments));
            }
            let (rates, calls) = (own.success.zip(rate), own.won.calls.zip(calls));
            cells.push(Cell::difference(rates.map(|(with, without)| (with.mean, without.mean))));
            cells.push(Cell::difference(calls.map(|(with, without)| (with.mean, without.mean))));
            cells.push(Cell::number(rates.and_then(|(with, without)| relative_difference(with.mean, without.mean))));
            cells
        },
    );
    table.notes.insert(0, RATES.to_owned());
    table
}

/// Repair of single faults (CYC-096).
pub fn repair(frame: &Frame<'_>) -> Table {
    let mut columns = vec![
        count("struck", "Diverted", "faults", "Routing decisions that a fault diverted"),
        count("by_choice", "By choice", "faults", "After which the controller entered the wanted node by itself"),
        count(
            "by_order",
            "By order",
            "faults",
            "After which a fixed order, which has no choice, reached the wanted node",
        ),
        count("by_success", "By success", "faults", "After which the episode was won before that"),
        count("never", "Never", "faults", "Never repaired"),
        share("repaired", "Repaired", "faults", "By choice, by order or by success, of all faults"),
    ];
    columns.extend(spread("segments", "Segments", "segments", 1, "Segments until it was set right"));
    columns.extend(spread("tool_calls", "Tool calls", "tool_calls", 1, "Tool calls until then"));
    columns.extend(spread("model_calls", "Model calls", "model_calls", 1, "Model calls until then"));
    columns.extend(spread("tokens", "Tokens", "tokens", 0, "Tokens until then, prompt and completion"));
    let mut table = frame.by_cell(
        columns,
        |entry| entry.measures.repair.faults > 0,
        |entry| {
            let repair = entry.measures.repair;
            let done = repair.by_choice + repair.by_order + repair.by_success;
            let mut cells = [repair.faults, repair.by_choice, repair.by_order, repair.by_success, repair.never]
                .map(Cell::count)
                .to_vec();
            cells.push(Cell::share(Some(done as f64 / repair.faults as f64)));
            for moments in [repair.segments, repair.tool_calls, repair.model_calls, repair.tokens] {
                cells.extend(spread_cells(moments));
            }
            cells
        },
    );
    table.notes.insert(0, "From each fault until the controller by its own choice enters the node that the router had wanted, or the episode is won. A list has no choice: where it reaches that node in its order, the fault is repaired by order. Means over faults that were repaired.".to_owned());
    table
}
