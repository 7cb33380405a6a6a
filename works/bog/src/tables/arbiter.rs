//! What a mediator between the advisers and the one who decides is worth (BOG-234), and which of its rules did anything.

use crate::axes::{Contrast, Grid, Grids};
use crate::handled::HandledByCell;
use gimbal_analysis::hypothesis::holm;
use gimbal_analysis::paired::{PairedTest, paired_test};
use gimbal_analysis::profile::{CellTrace, Traces};
use gimbal_analysis::tables::{confidence_title, mark_notes, return_digits};
use gimbal_analysis::{Cell, Column, ColumnKind, Table};

/// For every model the paired difference with the mediator minus without, and how often each rule changed what was
/// suggested.
#[must_use]
pub fn arbiter(grids: &Grids<'_>, journals: Journals<'_>) -> Table {
    let mut found = Vec::new();
    for contrast in &grids.protocol.arbiters {
        for grid in &grids.grids {
            for model in &grid.models {
                found.extend(MediatedModel::of(grids, grid, contrast, model, journals));
            }
        }
    }
    let rules = rules(&found);
    let p: Vec<Option<f64>> = found.iter().map(|one| one.test.as_ref().and_then(PairedTest::p)).collect();
    let mut corrected = holm(&p.iter().flatten().copied().collect::<Vec<_>>()).into_iter();
    let rows = found.iter().zip(&p).map(|(one, p)| one.row(&rules, *p, p.and_then(|_| corrected.next()))).collect();
    let sides: Vec<String> = grids
        .protocol
        .arbiters
        .iter()
        .map(|contrast| format!("{} minus {}", contrast.first.label(), contrast.second.label()))
        .collect();
    let mut notes = vec![format!("{}: matched by environment, task and run.", sides.join("; "))];
    notes.push(gimbal_analysis::interval_note(grids.analysis));
    notes.push(format!("p Holm: over the {} comparisons of this table.", p.iter().flatten().count()));
    notes.push("Lists: rankings that reached the mediator; a rule counts where it changed one. gate: unsure suggestions are taken out; aggregate: confidences meet the analyst's finding; urgency: what is grave is not put off.".to_owned());
    if found.is_empty() {
        notes.insert(0, "This run has no configuration with the mediator, or not the one without it.".to_owned());
    }
    notes.extend(grids.left_out_notes());
    notes.extend(mark_notes(grids.analysis).into_iter().filter(|note| !note.starts_with("policy")));
    let title = "The mediator: what it is worth, and which rules did anything".to_owned();
    Table { key: "arbiter", title, columns: columns(grids, &rules), rows, notes }
}

/// What the journals of the same run say.
#[derive(Clone, Copy)]
pub struct Journals<'j> {
    /// Trajectories.
    pub traces: &'j Traces,
    /// Messages, and what was done about them.
    pub handled: &'j HandledByCell,
}

/// One contrast on one model.
struct MediatedModel {
    names: [String; 4],
    test: Option<PairedTest>,
    kilotokens: (Option<f64>, Option<f64>),
    episodes: u64,
    lists: u64,
    fired: Vec<(String, u64)>,
}

impl MediatedModel {
    fn of(
        grids: &Grids<'_>,
        grid: &Grid<'_>,
        contrast: &Contrast,
        model: &str,
        journals: Journals<'_>,
    ) -> Option<Self> {
        let (with, without) = (grid.resolve(&contrast.first, model)?, grid.resolve(&contrast.second, model)?);
        let (first, second) = grid.sides(with, without, model);
        let cell = grid.cell(with, model)?;
        let trace: Option<&CellTrace> = journals.traces.cell(&cell.info.id);
        let mut fired: Vec<(String, u64)> = Vec::new();
        let mut lists = 0;
        for (_, handled) in journals.handled.of(&cell.info.id) {
            if let Some(tiers) = handled.read.get(SUGGESTIONS) {
                lists += tiers.values().sum::<u64>();
            }
            for (rule, count) in &handled.arbitrated {
                match fired.iter_mut().find(|(name, _)| name == rule) {
                    Some((_, sum)) => *sum += count,
                    None => fired.push((rule.clone(), *count)),
                }
            }
        }
        Some(Self {
            names: [with, without, model, grid.environment].map(str::to_owned),
            test: paired_test(first, second, None, &grids.analysis.options),
            kilotokens: (grid.kilotokens(without, model), grid.kilotokens(with, model)),
            episodes: trace.map_or(0, |trace| trace.episodes + trace.cut),
            lists,
            fired,
        })
    }

    fn row(&self, rules: &[String], p: Option<f64>, corrected: Option<f64>) -> Vec<Cell> {
        let [with, without, model, environment] = &self.names;
        let test = self.test.as_ref();
        let (base, own) = self.kilotokens;
        let ratio = base.zip(own).and_then(|(base, own)| gimbal_analysis::metrics::token_multiplier(base, own));
        let mut row = vec![
            Cell::text(with),
            Cell::text(without),
            Cell::text(model),
            Cell::text(environment),
            Cell::count(test.map_or(0, |test| test.basic.difference.n as u64)),
            Cell::number(test.map(|test| test.basic.difference.mean)),
            Cell::interval(test.and_then(|test| test.clustered)),
            test.map_or(Cell::Empty, |test| {
                let outcome = test.basic.outcome;
                Cell::Record(outcome.wins, outcome.ties, outcome.losses)
            }),
            Cell::number(p),
            Cell::number(corrected),
            Cell::number(ratio),
            if self.episodes > 0 { Cell::count(self.lists) } else { Cell::Empty },
        ];
        for rule in rules {
            let count = self.fired.iter().find(|(name, _)| name == rule).map_or(0, |(_, count)| *count);
            row.push(if self.episodes > 0 { Cell::count(count) } else { Cell::Empty });
        }
        row
    }
}

/// Contract of the ranking that the mediator reads.
const SUGGESTIONS: &str = "suggestions";

/// The mediator's rules in its order, then any other that a journal names.
fn rules(found: &[MediatedModel]) -> Vec<String> {
    let mut rules: Vec<String> = ["gate", "aggregate", "urgency"].map(str::to_owned).to_vec();
    for (rule, _) in found.iter().flat_map(|one| &one.fired) {
        if !rules.contains(rule) {
            rules.push(rule.clone());
        }
    }
    rules
}

fn columns(grids: &Grids<'_>, rules: &[String]) -> Vec<Column> {
    use ColumnKind::{Integer, Interval, Label, Number, Probability, Record};
    let digits = return_digits(grids.analysis);
    let label = |key, title, help| Column::new(key, title, "row", Label, help);
    let number = |key, title: &str, group, kind, help| Column::new(key, title, group, kind, help);
    let mut columns = vec![
        label("with", "With", "Configuration with the mediator"),
        label("without", "Without", "The same without it"),
        label("model", "Model", "Model"),
        label("environment", "Environment", "Environment").shown_if(grids.several_environments()),
        number("pairs", "Pairs", "difference", Integer, "Seeds that both played"),
        number("difference", "Difference", "difference", Number(digits), "Mean paired difference, with minus without"),
        number(
            "ci",
            &confidence_title(grids.analysis),
            "difference",
            Interval(digits),
            "t interval of the mean difference, robust against clusters",
        ),
        number("record", "W/T/L", "difference", Record, "Pairs won, tied (equal to 0.1) and lost"),
        number("p", "p", "difference", Probability(4), "Two-sided cluster-robust t test"),
        number("p_holm", "p Holm", "difference", Probability(4), "After Holm's correction over this table"),
        number("tokens", "Tokens", "difference", Number(2), "Tokens with over tokens without").unit("×"),
        number("lists", "Lists", "rules", Integer, "Rankings that reached the mediator, all episodes"),
    ];
    for rule in rules {
        let help = "Rankings that this rule changed, all episodes";
        columns.push(Column::new(format!("rule_{rule}"), rule, "rules", Integer, help));
    }
    columns
}
