//! The table of what the detectors found.

use gimbal_analysis::profile::Traces;
use gimbal_analysis::tables::{cut_note, label_cells, labels};
use gimbal_analysis::{Analysis, Cell, Column, ColumnKind, Table};

/// Steps as ranges: `15-30, 33`.
fn ranges(steps: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for &step in steps {
        match parts.last_mut() {
            Some(last) if last.1 + 1 == step => last.1 = step,
            _ => parts.push((step, step)),
        }
    }
    let shown = |(from, to): &(u32, u32)| if from == to { from.to_string() } else { format!("{from}-{to}") };
    parts.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// The findings by cell and detector (BOG-220..222, BOG-225). A cell that no detector can judge has no row.
#[must_use]
pub fn table(analysis: &Analysis, traces: &Traces) -> Table {
    use ColumnKind::{Integer, Label, Number, Share, Text};
    let mut columns = labels(analysis);
    let column = Column::new;
    columns.extend([
        column("detector", "Detector", "detector", Label, "Failure mode"),
        column("judged", "Judged", "detector", Integer, "Episodes that can tell"),
        column("shown", "Shown", "detector", Integer, "Episodes in which it shows"),
        column("share", "Share", "detector", Share(0), "Shown out of judged"),
        column("steps", "Steps", "detector", Number(1), "Mean number of steps in which it shows, over judged episodes"),
        column("first", "First", "detector", Number(1), "Mean first step in which it shows"),
        column("example", "Episode", "example", Text, "The episode with the most such steps"),
        column("example_return", "Return", "example", Number(1), "Its return"),
        column("example_steps", "Its steps", "example", Text, "Where it shows there"),
    ]);
    let mut rows = Vec::new();
    for cell in &analysis.cells {
        let Some(trace) = traces.cell(&cell.info.id) else { continue };
        for detector in super::ALL {
            let Some(tally) = trace.detectors.of(detector.key) else { continue };
            let example = tally.examples.first();
            let mut row = label_cells(cell);
            row.extend([
                Cell::text(detector.key),
                Cell::count(tally.judged),
                Cell::count(tally.shown),
                Cell::share(Some(tally.shown as f64 / tally.judged as f64)),
                Cell::number(tally.steps.mean()),
                Cell::number(tally.first.mean()),
                Cell::text(example.map(|example| example.episode.clone()).unwrap_or_default()),
                Cell::number(example.map(|example| example.value)),
                Cell::text(example.map(|example| ranges(&example.steps)).unwrap_or_default()),
            ]);
            rows.push(row);
        }
    }
    let mut notes: Vec<String> =
        super::ALL.iter().map(|detector| format!("{}.", (detector.rule)().trim_end_matches('.'))).collect();
    if rows.is_empty() {
        notes.insert(0, "No cell has an episode that a detector can judge.".to_owned());
    }
    notes.push(
        "Remedy: an accepted action of the reactive class in the environment's glossary. Harm persists in a step whose \
         reward calls for a remedy by the environment's brief and is no better than the one before."
            .to_owned(),
    );
    if let Some(note) = cut_note(&analysis.cells) {
        notes.push(note);
        notes.push(
            "Detectors look at the steps of such episodes too: what they show until the cut, they show.".to_owned(),
        );
    }
    Table { key: "detectors", title: "Named failure modes and where they show".to_owned(), columns, rows, notes }
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn steps_are_shown_as_ranges() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[4]), "4");
        assert_eq!(ranges(&[1, 2, 3, 5, 7, 8]), "1-3, 5, 7-8");
    }
}
