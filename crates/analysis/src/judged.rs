//! Answers that were judged again: verdicts, success and agreement of judges, cell by cell.

use std::collections::BTreeMap;

use crate::agreement::Agreement;
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

/// Answers by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// Those that pass.
    pub passed: u64,
    /// Those that fail.
    pub failed: u64,
    /// Those with items that have no verdict, and none that fails.
    pub open: u64,
}

/// Answers whose verdict is another one than at play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Those that passed at play and fail now.
    pub lost: u64,
    /// Those that failed at play and pass now.
    pub gained: u64,
}

/// The verdicts at play on one answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct AtPlay<'a> {
    /// By item; `None` where there was no verdict.
    pub items: &'a [Option<bool>],
    /// Whether the answer passed.
    pub passed: bool,
}

/// One judge's side of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// What the judge is called.
    pub judge: String,
    /// Answers by verdict.
    pub answers: Answers,
    /// Agreement with the verdicts at play, item by item.
    pub with_play: Agreement,
    /// Answers whose verdict changed.
    pub changed: Changed,
    /// Items without a verdict, by the kind of failure.
    pub unjudged: BTreeMap<String, u64>,
    /// Prompt tokens.
    pub input: u64,
    /// Completion tokens.
    pub output: u64,
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
    /// Takes in an episode: the verdicts at play, and those of each judge now, by item.
    pub fn add(&mut self, answered: bool, play: AtPlay<'_>, now: &[Vec<Option<bool>>]) {
        self.episodes += 1;
        self.answers += u64::from(answered);
        self.passed += u64::from(play.passed);
        if !answered {
            return;
        }
        for (side, items) in self.sides.iter_mut().zip(now) {
            let verdict = Verdict::of(items);
            match verdict {
                Verdict::Passed => side.answers.passed += 1,
                Verdict::Failed => side.answers.failed += 1,
                Verdict::Open => side.answers.open += 1,
            }
            side.changed.lost += u64::from(play.passed && verdict == Verdict::Failed);
            side.changed.gained += u64::from(!play.passed && verdict == Verdict::Passed);
            agree(&mut side.with_play, play.items, items);
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
                into.answers.passed += side.answers.passed;
                into.answers.failed += side.answers.failed;
                into.answers.open += side.answers.open;
                into.changed.lost += side.changed.lost;
                into.changed.gained += side.changed.gained;
                into.input += side.input;
                into.output += side.output;
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
    one.iter().zip(other).for_each(|(one, other)| agreement.add(*one, *other));
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
        kappa(
            "kappa",
            "Kappa",
            "Agreement with the verdicts at play beyond chance; empty where chance alone gives full agreement",
        ),
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
            let judged = cell.episodes - side.answers.open;
            let of = |part: u64, whole: u64| Cell::share((whole > 0).then(|| part as f64 / whole as f64));
            rows.push(vec![
                Cell::text(&cell.cell),
                Cell::text(&side.judge),
                Cell::count(cell.episodes),
                Cell::count(cell.answers),
                Cell::count(cell.passed),
                Cell::count(side.answers.passed),
                Cell::count(side.changed.lost),
                Cell::count(side.changed.gained),
                Cell::count(side.answers.open),
                of(cell.passed, cell.episodes),
                of(side.answers.passed, judged),
                Cell::count(side.with_play.items()),
                Cell::number(side.with_play.kappa()),
                Cell::number(cell.between.kappa()),
                Cell::count(side.unjudged.values().sum()),
                Cell::text(kinds.join(", ")),
                Cell::count(side.input),
                Cell::count(side.output),
            ]);
        }
    }
    let notes = vec![
        "A failure of a provider is not a verdict: such items are counted, and asked again by the next `gimbal rescore`."
            .to_owned(),
    ];
    Table { key: KEY, title: "Answers judged again".to_owned(), columns, rows, notes }
}

#[cfg(test)]
mod tests {
    use super::{Answers, AtPlay, JudgedCell, Side, Verdict, table};

    fn at_play(items: &[Option<bool>], passed: bool) -> AtPlay<'_> {
        AtPlay { items, passed }
    }

    #[test]
    fn verdicts_success_and_agreement_are_counted_apart() {
        let side = |judge: &str| Side { judge: judge.to_owned(), ..Side::default() };
        let mut cell =
            JudgedCell { cell: "a".to_owned(), sides: vec![side("offline"), side("m")], ..JudgedCell::default() };
        let (yes, no) = (Some(true), Some(false));
        cell.add(true, at_play(&[yes, yes], true), &[vec![yes, yes], vec![yes, no]]);
        cell.add(true, at_play(&[no, yes], false), &[vec![no, yes], vec![yes, yes]]);
        cell.add(true, at_play(&[yes, no], false), &[vec![yes, no], vec![yes, None]]);
        cell.add(false, AtPlay::default(), &[Vec::new(), Vec::new()]);
        assert_eq!((cell.episodes, cell.answers, cell.passed), (4, 3, 1));
        let counted = |side: &Side| {
            let Answers { passed, failed, open } = side.answers;
            (passed, failed, open, side.changed.lost, side.changed.gained)
        };
        assert_eq!(counted(&cell.sides[0]), (1, 2, 0, 0, 0));
        assert_eq!(counted(&cell.sides[1]), (1, 1, 1, 1, 1));
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
