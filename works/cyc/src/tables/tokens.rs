//! Tab. 8 and what cyclic control explores: against ReAct in the seeds that both played.

use crate::cyclic::Entry;
use crate::cyclic::{Control, Moments, WonTokens, exploration as situations, shared_wins};
use gimbal_analysis::columns::{count, number};
use gimbal_analysis::{Cell, Column, ColumnKind, Table};

use super::frame::{Frame, compared, mean, spread, spread_cells};

fn has_agent(frame: &Frame<'_>, entry: Entry<'_>) -> bool {
    let condition = &entry.measures.condition;
    let graphs = condition.control.is_cyclic() || condition.control == Control::Dag;
    let acted = entry.measures.episodes > 0 && !entry.measures.hardly_acted;
    compared(entry) && graphs && acted && frame.board.agent(condition).is_some()
}

/// Tab. 8 (CYC-066): one row a scope.
pub fn shared(frame: &Frame<'_>) -> Table {
    let text = |key, title, help| Column::new(key, title, "scope", ColumnKind::Text, help);
    let columns = [
        text("agent", "ReAct", "Model of the ReAct cell that it is compared with"),
        text("scope", "Scope", "Episodes that both won, or all that each won"),
        count("agent_episodes", "ReAct n", "tokens", "Episodes of ReAct"),
        count("cyclic_episodes", "Cyclic n", "tokens", "Episodes of the graph"),
        number("agent_tokens", "ReAct tokens", "tokens", 1, "Mean tokens an episode of ReAct, prompt and completion"),
        number(
            "cyclic_tokens",
            "Cyclic tokens",
            "tokens",
            1,
            "Mean tokens an episode of the graph, planner and router too",
        ),
        number("excess", "Excess", "tokens", 1, "Cyclic minus ReAct"),
        number("percent", "Relative", "tokens", 2, "Excess in percent of ReAct").unit("%"),
    ];
    let mut rows = Vec::new();
    for entry in frame.board.entries().filter(|entry| has_agent(frame, *entry)) {
        let Some(agent) = frame.board.agent(&entry.measures.condition) else { continue };
        let cells = &frame.board.cycles.cells;
        let WonTokens { both, each } = shared_wins(&cells[agent.place], &cells[entry.place]);
        for (scope, found) in [("shared wins", both), ("all wins", each)] {
            let mut row = frame.label_cells(entry);
            row.extend([Cell::text(agent.measures.condition.models()), Cell::text(scope)]);
            row.extend([
                Cell::count(found.map_or(0, |found| found.agent_episodes) as u64),
                Cell::count(found.map_or(0, |found| found.cyclic_episodes) as u64),
                Cell::number(found.map(|found| found.agent)),
                Cell::number(found.map(|found| found.cyclic)),
                Cell::number(found.map(|found| found.excess())),
                Cell::number(found.and_then(|found| found.percent())),
            ]);
            rows.push(row);
        }
    }
    let notes = vec![
        "Shared wins: episodes of the same environment, task and run that both won; all wins: all that each won. ReAct of the executor's model."
            .to_owned(),
    ];
    frame.table(frame.labels().into_iter().chain(columns).collect(), rows, notes)
}

/// Situations met (CYC-067).
pub fn exploration(frame: &Frame<'_>) -> Table {
    let mut columns = vec![
        count("pairs", "Pairs", "pairs", "Seeds that both played"),
        number("agent", "ReAct", "situations", 1, "Mean distinct situations an episode of ReAct"),
        number("cyclic", "Cyclic", "situations", 1, "Mean distinct situations an episode of the graph"),
    ];
    columns.extend(spread("difference", "Difference", "difference", 1, "Cyclic minus ReAct, over pairs"));
    columns.push(Column::new(
        "record",
        "More/same/fewer",
        "difference",
        ColumnKind::Record,
        "Pairs in which the graph met more, as many, fewer",
    ));
    let mut table = frame.by_cell(
        columns,
        |entry| has_agent(frame, entry),
        |entry| {
            let agent = frame.board.agent(&entry.measures.condition);
            let cells = &frame.board.cycles.cells;
            let pairs = agent.map(|agent| situations(&cells[agent.place], &cells[entry.place])).unwrap_or_default();
            let over = |value: &dyn Fn(&crate::cyclic::Exploration) -> f64| {
                Moments::of(&pairs.iter().map(value).collect::<Vec<f64>>())
            };
            let differences = || pairs.iter().map(crate::cyclic::Exploration::difference);
            let many = |holds: fn(i64) -> bool| differences().filter(|value| holds(*value)).count() as u64;
            let mut row = vec![
                Cell::count(pairs.len() as u64),
                mean(over(&|pair| f64::from(pair.agent))),
                mean(over(&|pair| f64::from(pair.cyclic))),
            ];
            row.extend(spread_cells(over(&|pair| pair.difference() as f64)));
            row.push(Cell::Record(many(|value| value > 0), many(|value| value == 0), many(|value| value < 0)));
            row
        },
    );
    table.notes.insert(0, "Situations: what the agent can tell apart, as the environment defines it; runs that did not count them have no pairs.".to_owned());
    table
}
