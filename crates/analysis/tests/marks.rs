//! Marks that works put on cells: every table shows them, and says once what they mean.

use gimbal_analysis::{Analysis, CellMark, Options, tables};

use crate::support::study;

#[test]
fn every_table_shows_the_mark_of_a_work() {
    let rows = study();
    let plain = Analysis::new(&rows, &Options::default()).unwrap();
    let mark = CellMark { name: "late".to_owned(), episodes: 2, of: 8, note: "played after dark.".to_owned() };
    let marked = plain.clone().with_marks(&[("alpha/large/0".to_owned(), vec![mark])].into());
    for (table, unmarked) in tables::all(&marked).iter().zip(tables::all(&plain)) {
        let Some(mark) = table.columns.iter().position(|column| column.key == "mark") else { continue };
        assert_eq!(table.shown(0, mark), "late 2 of 8", "{}", table.key);
        assert_eq!(unmarked.shown(0, mark), "–", "{}", table.key);
        assert!((1..table.rows.len()).all(|row| !table.shown(row, mark).contains("late")), "{}", table.key);
        assert_eq!(table.notes.iter().filter(|note| *note == "late: played after dark.").count(), 1, "{}", table.key);
    }
    let screen = tables::essential(&tables::main(&marked), &marked);
    assert!(screen.to_text(200).contains("late 2 of 8"));
    assert!(screen.notes.iter().any(|note| note.starts_with("late: ")), "{:?}", screen.notes);
    assert!(!tables::main(&plain).notes.iter().any(|note| note.contains("late")));
}
