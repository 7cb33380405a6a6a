//! Answers that were judged again: verdicts, success and agreement of judges, cell by cell.

use std::collections::BTreeMap;

use crate::cyclic::evidence::Agreement;
use crate::table::{Cell, Column, ColumnKind, Table};

/// Key of the table.
pub const KEY: &str = "judged-again";

/// What a judge made of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All items pass.
    Passed,
    /// An item does not.
    Failed,
    /// No item fails, and some have no verdict.
    Open,
}

impl Verdict {
    /// The verdict of these items; an answer without items passes nothing.
    #[must_use]
    pub fn of(items: &[Option<bool>]) -> Self {
        if items.contains(&Some(false)) {
            Self::Failed
        } else if items.is_empty() || items.contains(&None) {
            Self::Open
        } else {
            Self::Passed
        }
    }
}

/// One judge's side of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// What the judge is called.
    pub judge: String,
    /// Answers that pass, fail, and are left open.
    pub answers: (u64, u64, u64),
    /// Agreement with the verdicts at play, item by item.
    pub with_play: Agreement,
    /// Answers that passed at play and fail now, and the other way round.
    pub changed: (u64, u64),
    /// Items without a verdict, by the kind of failure.
    pub unjudged: BTreeMap<String, u64>,
    /// Prompt and completion tokens.
    pub tokens: (u64, u64),
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgedCell {
    /// Id of the cell.
    pub cell: String,
    /// Finished episodes.
    pub episodes: u64,
    /// Those that ended with an answer.
    pub answers: u64,
    /// Those that passed at play.
    pub passed: u64,
    /// The judges, in the same order in every cell.
    pub sides: Vec<Side>,
    /// Agreement of the first two judges with each other, item by item.
    pub between: Agreement,
}

impl JudgedCell {
    /// Takes in an episode: what was said at play (items, and whether it passed) and what each judge says now.
    pub fn add(&mut self, answered: bool, play: (&[Option<bool>], bool), now: &[Vec<Option<bool>>]) {
        self.episodes += 1;
        self.answers += u64::from(answered);
        self.passed += u64::from(play.1);
        if !answered {
            return;
        }
        for (side, items) in self.sides.iter_mut().zip(now) {
            let verdict = Verdict::of(items);
            match verdict {
                Verdict::Passed => side.answers.0 += 1,
                Verdict::Failed => side.answers.1 += 1,
                Verdict::Open => side.answers.2 += 1,
            }
            side.changed.0 += u64::from(play.1 && verdict == Verdict::Failed);
            side.changed.1 += u64::from(!play.1 && verdict == Verdict::Passed);
            agree(&mut side.with_play, play.0, items);
        }
        if let [first, second, ..] = now {
            agree(&mut self.between, first, second);
        }
    }

    /// The sum of cells.
    #[must_use]
    pub fn sum(cells: &[Self]) -> Self {
        let mut sum = Self { cell: "all".to_owned(), ..Self::default() };
        for cell in cells {
            sum.episodes += cell.episodes;
            sum.answers += cell.answers;
            sum.passed += cell.passed;
            join(&mut sum.between, &cell.between);
            for (place, side) in cell.sides.iter().enumerate() {
                if sum.sides.len() == place {
                    sum.sides.push(Side { judge: side.judge.clone(), ..Side::default() });
                }
                let into = &mut sum.sides[place];
                into.answers.0 += side.answers.0;
                into.answers.1 += side.answers.1;
                into.answers.2 += side.answers.2;
                into.changed.0 += side.changed.0;
                into.changed.1 += side.changed.1;
                into.tokens.0 += side.tokens.0;
                into.tokens.1 += side.tokens.1;
                join(&mut into.with_play, &side.with_play);
                for (kind, count) in &side.unjudged {
                    *into.unjudged.entry(kind.clone()).or_default() += count;
                }
            }
        }
        sum
    }
}

/// Takes in the items on which both said something.
fn agree(agreement: &mut Agreement, one: &[Option<bool>], other: &[Option<bool>]) {
    for pair in one.iter().zip(other) {
        match pair {
            (Some(true), Some(true)) => agreement.both += 1,
            (Some(true), Some(false)) => agreement.first += 1,
            (Some(false), Some(true)) => agreement.second += 1,
            (Some(false), Some(false)) => agreement.neither += 1,
            _ => {}
        }
    }
}

fn join(into: &mut Agreement, other: &Agreement) {
    into.both += other.both;
    into.first += other.first;
    into.second += other.second;
    into.neither += other.neither;
}

/// One row a cell and judge, and below them the sums.
#[must_use]
pub fn table(cells: &[JudgedCell]) -> Table {
    let count = |key: &'static str, title: &str, group: &'static str, help: &str| {
        Column::new(key, title, group, ColumnKind::Integer, help)
    };
    let kappa =
        |key: &'static str, title: &str, help: &str| Column::new(key, title, "kappa", ColumnKind::Number(2), help);
    let share = |key: &'static str, title: &str, help: &str| Column::new(key, title, "sr", ColumnKind::Share(1), help);
    let columns = vec![
        Column::new("cell", "Cell", "cell", ColumnKind::Label, "Which cell"),
        Column::new("judge", "Judge", "cell", ColumnKind::Label, "Who judged again"),
        count("episodes", "Episodes", "answers", "Finished episodes"),
        count("answers", "Answers", "answers", "Those that ended with an answer; the others succeed under no judge"),
        count("old", "Passed then", "verdicts", "Answers that passed at play"),
        count("new", "Passed now", "verdicts", "Answers that pass now"),
        count("lost", "Lost", "verdicts", "Answers that passed then and fail now"),
        count("gained", "Gained", "verdicts", "Answers that failed then and pass now"),
        count("open", "Open", "verdicts", "Answers with items that have no verdict, and none that fails"),
        share("sr_old", "SR then", "Share of episodes that succeeded at play"),
        share("sr_new", "SR now", "Share of episodes that succeed now; open ones are left out"),
        count("items", "Items", "kappa", "Items judged at play and now"),
        kappa("kappa", "Kappa", "Agreement with the verdicts at play beyond chance; none where chance alone agrees"),
        kappa("between", "Kappa of both", "Agreement of the two judges beyond chance"),
        count("unjudged", "Unjudged", "failures", "Items without a verdict"),
        Column::new("why", "Why", "failures", ColumnKind::Text, "Kinds of failure, and how often"),
        count("input", "Prompt", "tokens", "Prompt tokens of the judge, of this and earlier goes").unit("tokens"),
        count("output", "Completion", "tokens", "Completion tokens").unit("tokens"),
    ];
    let sum = (cells.len() > 1).then(|| JudgedCell::sum(cells));
    let mut rows = Vec::new();
    for cell in cells.iter().chain(&sum) {
        for side in &cell.sides {
            let kinds: Vec<String> = side.unjudged.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
            let judged = cell.episodes - side.answers.2;
            let of = |part: u64, whole: u64| Cell::share((whole > 0).then(|| part as f64 / whole as f64));
            rows.push(vec![
                Cell::text(&cell.cell),
                Cell::text(&side.judge),
                Cell::count(cell.episodes),
                Cell::count(cell.answers),
                Cell::count(cell.passed),
                Cell::count(side.answers.0),
                Cell::count(side.changed.0),
                Cell::count(side.changed.1),
                Cell::count(side.answers.2),
                of(cell.passed, cell.episodes),
                of(side.answers.0, judged),
                Cell::count(side.with_play.items()),
                Cell::number(side.with_play.kappa()),
                Cell::number(cell.between.kappa()),
                Cell::count(side.unjudged.values().sum()),
                Cell::text(kinds.join(", ")),
                Cell::count(side.tokens.0),
                Cell::count(side.tokens.1),
            ]);
        }
    }
    let notes = vec![
        "A failure of a provider is no verdict: such items are counted, and asked again by the next `gimbal rescore`."
            .to_owned(),
    ];
    Table { key: KEY, title: "Answers judged again".to_owned(), columns, rows, notes }
}

#[cfg(test)]
mod tests {
    use super::{JudgedCell, Side, Verdict, table};

    #[test]
    fn verdicts_success_and_agreement_are_counted_apart() {
        let side = |judge: &str| Side { judge: judge.to_owned(), ..Side::default() };
        let mut cell =
            JudgedCell { cell: "a".to_owned(), sides: vec![side("offline"), side("m")], ..JudgedCell::default() };
        let (yes, no) = (Some(true), Some(false));
        cell.add(true, (&[yes, yes], true), &[vec![yes, yes], vec![yes, no]]);
        cell.add(true, (&[no, yes], false), &[vec![no, yes], vec![yes, yes]]);
        cell.add(true, (&[yes, no], false), &[vec![yes, no], vec![yes, None]]);
        cell.add(false, (&[], false), &[Vec::new(), Vec::new()]);
        assert_eq!((cell.episodes, cell.answers, cell.passed), (4, 3, 1));
        assert_eq!((cell.sides[0].answers, cell.sides[0].changed), ((1, 2, 0), (0, 0)));
        assert_eq!((cell.sides[1].answers, cell.sides[1].changed), ((1, 1, 1), (1, 1)));
        assert_eq!((cell.sides[0].with_play.items(), cell.sides[0].with_play.kappa()), (6, Some(1.0)));
        assert_eq!((cell.between.both, cell.between.first, cell.between.second, cell.between.neither), (3, 1, 1, 0));
        let shown = table(&[cell.clone(), JudgedCell { cell: "b".to_owned(), ..cell }]);
        assert_eq!(shown.rows.len(), 6);
        let at = |key: &str| shown.columns.iter().position(|column| column.key == key).unwrap();
        assert_eq!(shown.shown(4, at("cell")), "all");
        assert_eq!(
            (shown.shown(0, at("sr_old")), shown.shown(0, at("sr_new"))),
            ("25.0%".to_owned(), "25.0%".to_owned())
        );
        assert_eq!(shown.shown(1, at("sr_new")), "33.3%", "what is open is left out");
        assert_eq!(Verdict::of(&[]), Verdict::Open);
    }
}
