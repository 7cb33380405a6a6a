//! Flows as nfdump prints them for people (`-o line`, `long`, `extended`): columns between blanks (ARES-013).

use super::super::clock;

/// What a head of such a table names, and the columns that its rows have there. Longer names go before those that begin like them.
const NAMES: [(&str, &[Piece]); 16] = [
    ("Date first seen", &[Piece::Time("Date first seen")]),
    ("Date last seen", &[Piece::Time("Date last seen")]),
    ("Duration", &[Piece::Word("Duration")]),
    ("XEvent", &[Piece::Word("XEvent")]),
    ("Event", &[Piece::Word("Event")]),
    ("Proto", &[Piece::Word("Proto")]),
    ("Src IP Addr:Port", &[Piece::End("Src IP Addr", "Src Pt"), Piece::Arrow]),
    ("Dst IP Addr:Port", &[Piece::End("Dst IP Addr", "Dst Pt")]),
    ("Flags", &[Piece::Word("Flags")]),
    ("Tos", &[Piece::Word("Tos")]),
    ("Packets", &[Piece::Number("Packets")]),
    ("Bytes", &[Piece::Number("Bytes")]),
    ("pps", &[Piece::Number("pps")]),
    ("bps", &[Piece::Number("bps")]),
    ("Bpp", &[Piece::Number("Bpp")]),
    ("Flows", &[Piece::Number("Flows")]),
];

/// A piece of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    /// A date and a time of day.
    Time(&'static str),
    /// A word.
    Word(&'static str),
    /// A number, which may be shortened: `4.9 G`.
    Number(&'static str),
    /// An address with its port: `10.0.0.1:443`, `2001:db8::1.443`.
    End(&'static str, &'static str),
    /// `->` or `<->`.
    Arrow,
}

/// The head of such a table.
#[derive(Debug)]
pub(super) struct Head(Vec<Piece>);

impl Head {
    /// Reads the head; `None` where a line is none.
    pub fn read(line: &str) -> Option<Self> {
        let mut rest = line.trim();
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (name, of_name) = NAMES.iter().find(|(name, _)| rest.starts_with(name))?;
            pieces.extend_from_slice(of_name);
            rest = rest.get(name.len()..)?.trim_start();
        }
        let has = |name| pieces.iter().any(|piece| matches!(piece, Piece::End(address, _) if *address == name));
        (has("Src IP Addr") && has("Dst IP Addr")).then_some(Self(pieces))
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let of = |piece: &Piece| match *piece {
            Piece::Time(name) | Piece::Word(name) | Piece::Number(name) => [Some(name), None],
            Piece::End(address, port) => [Some(address), Some(port)],
            Piece::Arrow => [None, None],
        };
        self.0.iter().flat_map(move |piece| of(piece).into_iter().flatten())
    }

    /// Writes the cells of a row with a comma between them. Returns what is wrong with the row otherwise.
    pub fn row(&self, line: &str, cells: &mut String) -> Result<(), String> {
        cells.clear();
        let mut words = line.split_ascii_whitespace().peekable();
        for piece in &self.0 {
            let word = words.next().ok_or("it ends before its last column")?;
            let part = match piece {
                Piece::Arrow if matches!(word, "->" | "<->" | "<-") => continue,
                Piece::Arrow => return Err(format!("`{word}` is in the place of `->`")),
                Piece::Time(name) => {
                    let time = format!("{word} {}", words.next().unwrap_or_default());
                    clock::date_time(&time, 0).ok_or_else(|| format!("`{time}` is not a time of `{name}`"))?;
                    time
                }
                Piece::Word(_) => word.to_owned(),
                Piece::Number(_) => match words.next_if(|unit| matches!(*unit, "K" | "M" | "G" | "T")) {
                    Some(unit) => format!("{word} {unit}"),
                    None => word.to_owned(),
                },
                Piece::End(..) => {
                    let (address, port) = end(word);
                    format!("{address},{port}")
                }
            };
            if !cells.is_empty() {
                cells.push(',');
            }
            cells.push_str(&part);
        }
        match words.next() {
            Some(word) => Err(format!("`{word}` is behind its last column")),
            None => Ok(()),
        }
    }
}

/// An address and its port. The port of an address of version 6 is behind a dot.
fn end(word: &str) -> (&str, &str) {
    let separator = if word.matches(':').count() > 1 { '.' } else { ':' };
    word.rsplit_once(separator).unwrap_or((word, ""))
}

#[cfg(test)]
mod tests {
    use super::Head;

    fn row(head: &str, line: &str) -> Result<String, String> {
        let mut cells = String::new();
        Head::read(head).unwrap().row(line, &mut cells).map(|()| cells)
    }

    // covers: ARES-013
    #[test]
    fn rows_for_people_are_rows_of_cells() {
        let line = "Date first seen          Duration Proto      Src IP Addr:Port          Dst IP Addr:Port   Packets    Bytes Flows";
        let names: Vec<&str> = Head::read(line).unwrap().names().collect();
        assert_eq!(
            names,
            [
                "Date first seen",
                "Duration",
                "Proto",
                "Src IP Addr",
                "Src Pt",
                "Dst IP Addr",
                "Dst Pt",
                "Packets",
                "Bytes",
                "Flows"
            ]
        );
        let shortened =
            "2026-03-10 08:00:00.000     0.100 TCP      10.0.0.23:40000 ->      10.0.0.9:443    4.0 M    4.9 G     1";
        assert_eq!(
            row(line, shortened).unwrap(),
            "2026-03-10 08:00:00.000,0.100,TCP,10.0.0.23,40000,10.0.0.9,443,4.0 M,4.9 G,1"
        );
        let long =
            "Date first seen          Duration Proto Src IP Addr:Port Dst IP Addr:Port Flags Tos Packets Bytes Flows";
        let six = "2026-03-10 08:00:00.000 0.1 TCP 2001:db8::1.40000 -> 2001:db8::2.22 ...AP.SF 0 4 9 1";
        assert_eq!(
            row(long, six).unwrap(),
            "2026-03-10 08:00:00.000,0.1,TCP,2001:db8::1,40000,2001:db8::2,22,...AP.SF,0,4,9,1"
        );
    }

    #[test]
    fn a_row_that_does_not_fit_its_head_says_why() {
        let head = "Date first seen Duration Proto Src IP Addr:Port Dst IP Addr:Port Packets Bytes Flows";
        for (line, why) in [
            ("2026-03-10 08:00:00 0.1 TCP 10.0.0.1:1 10.0.0.2:2 1 2 3", "in the place of `->`"),
            ("2026-03-10 08:00:00 0.1 TCP 10.0.0.1:1 -> 10.0.0.2:2 1 2", "ends before"),
            ("2026-03-10 08:00:00 0.1 TCP 10.0.0.1:1 -> 10.0.0.2:2 1 2 3 4", "behind its last"),
            ("yesterday noon 0.1 TCP 10.0.0.1:1 -> 10.0.0.2:2 1 2 3", "not a time"),
        ] {
            let found = row(head, line).unwrap_err();
            assert!(found.contains(why), "{found}");
        }
        assert!(Head::read("Date first seen Duration Proto Packets").is_none());
        assert!(Head::read("Dear all, the report is attached").is_none());
    }
}
