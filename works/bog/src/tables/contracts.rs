//! Messages between agents by cell and role: how they were read, and what was done about them (BOG-070, BOG-071).

use gimbal_analysis::tables::{label_cells, labels, mark_notes};
use gimbal_analysis::{Analysis, Cell, Column, ColumnKind, Table};

use crate::handled::{Handled, HandledByCell};

/// The tier of a message that could not be read: the default replaces it (BOG-070).
const DEFAULT: &str = "default";

/// Ways of reading, in the order in which they are tried, with what tables call them.
const TIERS: [(&str, &str, &str); 6] = [
    ("direct", "Direct", "Read as they stand"),
    ("normalised", "Normal.", "Read after taking off prefixes, fences and wrappings"),
    (
        "by_rule",
        "By rule",
        "Read after rules coerced types, cut what was too long, dropped members and filled in defaults",
    ),
    ("constrained", "Masked", "Read after the model was asked once more under a mask: a call that is counted"),
    ("repaired", "Repaired", "Read after the model was asked once more: a call that is counted"),
    ("raw", "Raw", "Not read: passed on as the text that they are"),
];

/// One row a cell and role that has anything to say, over all its episodes, those that a limit cut too.
#[must_use]
pub fn contracts(analysis: &Analysis, handled: &HandledByCell) -> Table {
    use ColumnKind::{Integer, Label, Share, Text};
    let column = |key, title, kind, help| Column::new(key, title, "read", kind, help);
    let mut columns = labels(analysis);
    columns.extend([
        Column::new("role", "Role", "cell", Label, "Role that spoke"),
        Column::new("contract", "Contract", "cell", Label, "Contract that its messages have to keep"),
        column("messages", "Messages", Integer, "Messages under a contract"),
    ]);
    let all = || analysis.cells.iter().flat_map(|cell| handled.of(&cell.info.id));
    let any = |tier: &str| all().any(|(_, handled)| handled.by(tier) > 0);
    let is_followed = all().any(|(_, handled)| handled.followed > 0);
    // Most agents have no contract as a schema and no mask for a repair.
    let shown = |tier: &str| !["by_rule", "constrained"].contains(&tier) || any(tier);
    columns.extend(TIERS.map(|(key, title, help)| column(key, title, Integer, help).shown_if(shown(key))));
    let done = |key, title, kind, help| Column::new(key, title, "done", kind, help);
    columns.extend([
        column("defaults", "Default", Integer, "Not read at all: replaced by the default"),
        column("default_share", "of all", Share(0), "Share of messages that fell to the default"),
        done("dropped", "Dropped", Integer, "Suggested actions that are none, taken out"),
        done("mismatched", "Mismatch", Integer, "Suggested actions about another subject, kept"),
        done("off_menu", "Off menu", Integer, "Decisions for none of the actions suggested in the step"),
        done("arbitrated", "Arbitrated", Text, "Lists of suggestions that a rule of the mediator changed, by rule"),
        done("turns_exhausted", "No answer", Integer, "Conversations that used up their turns"),
        done("followed", "Text behind", Integer, "Answers that other text follows in their message")
            .shown_if(is_followed),
    ]);
    let mut rows = Vec::new();
    for cell in &analysis.cells {
        for (role, handled) in handled.of(&cell.info.id) {
            let mut row = label_cells(cell);
            row.push(Cell::text(role));
            row.extend(numbers(handled));
            rows.push(row);
        }
    }
    let mut notes = vec![
        "Of all episodes, those that a limit cut too. A message that falls to the default is the scaffolding's word and not the agent's: where that is most of them, the cell measures the defaults.".to_owned(),
        "Dropped: suggestions that are not an action of the environment; where all are, one repair is asked for and then the default taken. Off menu: the decision was none of those suggested. No answer: a fixed text stood in its place.".to_owned(),
    ];
    if is_followed {
        notes.push("Text behind: the last `Answer:` at the head of a line is carried out, whatever other lines follow it, such as words that take it back. Where the rest of its own line takes it back and says nothing else, it is a refusal.".to_owned());
    }
    if rows.is_empty() {
        notes.insert(
            0,
            "No cell of this run has messages under a contract, or a conversation without an answer.".to_owned(),
        );
    }
    notes.extend(mark_notes(analysis));
    let title = "Messages between agents: how they were read, and what was done about them".to_owned();
    Table { key: "contracts", title, columns, rows, notes }
}

fn numbers(handled: &Handled) -> Vec<Cell> {
    let messages = handled.messages();
    // A role without a contract has no messages to read: its cell is empty and not 0.
    let known = |count: u64| if messages > 0 { Cell::count(count) } else { Cell::Empty };
    let contracts: Vec<&str> = handled.read.keys().map(String::as_str).collect();
    let rules: Vec<String> = handled.arbitrated.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
    let defaults = handled.by(DEFAULT);
    let mut row = vec![Cell::text(contracts.join(", ")), known(messages)];
    row.extend(TIERS.map(|(tier, ..)| known(handled.by(tier))));
    row.extend([
        known(defaults),
        Cell::share((messages > 0).then(|| defaults as f64 / messages as f64)),
        known(handled.dropped),
        known(handled.mismatched),
        Cell::count(handled.off_menu),
        Cell::text(rules.join(", ")),
        Cell::count(handled.turns_exhausted),
        Cell::count(handled.followed),
    ]);
    row
}
