//! Figures in stored texts: tables whose cells are on lines of their own, and whole-number arithmetic on them.

/// A text, line by line.
pub(super) struct Text<'a> {
    lines: Vec<&'a str>,
}

/// A figure in tenths of its unit; brackets make it negative.
pub(super) fn figure(text: &str) -> Option<i64> {
    let text = text.trim();
    let negative = text.starts_with('(') && text.ends_with(')');
    let bare: String = text.chars().filter(|letter| letter.is_ascii_digit() || *letter == '.').collect();
    let odd = text.chars().any(|letter| !(letter.is_ascii_digit() || "()$,.%".contains(letter)));
    if odd || bare.is_empty() {
        return None;
    }
    let (whole, part) = bare.split_once('.').unwrap_or((&bare, "0"));
    let tenth = part.chars().next().and_then(|digit| digit.to_digit(10)).unwrap_or(0);
    let value = whole.parse::<i64>().ok()? * 10 + i64::from(tenth);
    Some(if negative { -value } else { value })
}

impl<'a> Text<'a> {
    pub fn of(text: &'a str) -> Self {
        Self { lines: text.lines().map(str::trim).filter(|line| !line.is_empty()).collect() }
    }

    pub fn lines(&self) -> &[&'a str] {
        &self.lines
    }

    /// The cells of the first row with this name in the table whose caption holds `caption`.
    pub fn row(&self, caption: &str, name: &str) -> Vec<i64> {
        let Some(start) = self.lines.iter().position(|line| line.contains(caption)) else { return Vec::new() };
        // The name may head a column before it names the row.
        let cells = |at: usize| self.lines[at + 1..].iter().map_while(|line| figure(line)).collect::<Vec<i64>>();
        let places = (start + 1..self.lines.len()).filter(|at| self.lines[*at] == name);
        places.map(cells).find(|cells| !cells.is_empty()).unwrap_or_default()
    }

    /// The same, by year: the first numbers under the caption are years.
    pub fn by_year(&self, caption: &str, name: &str) -> Vec<(i64, i64)> {
        let Some(start) = self.lines.iter().position(|line| line.contains(caption)) else { return Vec::new() };
        let years: Vec<i64> = self.lines[start + 1..].iter().map_while(|line| line.parse::<i64>().ok()).collect();
        years.into_iter().zip(self.row(caption, name)).collect()
    }

    /// The figure of a year.
    pub fn of_year(&self, caption: &str, name: &str, year: i64) -> Option<i64> {
        self.by_year(caption, name).into_iter().find(|(known, _)| *known == year).map(|(_, value)| value)
    }

    /// The first line that holds all words.
    pub fn line(&self, words: &[&str]) -> Option<&'a str> {
        self.lines.iter().copied().find(|line| words.iter().all(|word| line.contains(word)))
    }

    /// The part from a word to where the next text begins.
    pub fn part(&self, word: &str, next: &str) -> Self {
        let start = self.lines.iter().position(|line| line.contains(word)).unwrap_or(0);
        let end = self.lines[start..].iter().skip(1).position(|line| line.contains(next));
        let end = end.map_or(self.lines.len(), |end| start + 1 + end);
        Self { lines: self.lines[start..end].to_vec() }
    }
}

/// The figures in a sentence, in tenths, in order.
pub(super) fn figures_in(text: &str) -> Vec<i64> {
    text.split_whitespace()
        .map(|word| word.trim_matches(|letter: char| !letter.is_ascii_digit()))
        .filter(|word| !word.is_empty())
        .filter_map(figure)
        .collect()
}

/// `number / by`, rounded half away from zero.
pub(super) fn rounded(number: i128, by: i128) -> i128 {
    if by == 0 {
        return 0;
    }
    let (number, by) = if by < 0 { (-number, -by) } else { (number, by) };
    if number >= 0 { (number + by / 2) / by } else { (number - by / 2) / by }
}

/// Tenths as text: `12345` as `1,234.5`.
pub(super) fn tenths(value: i128) -> String {
    let whole = (value.unsigned_abs() / 10).to_string();
    let mut out = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    format!("{}{out}.{}", if value < 0 { "-" } else { "" }, value.unsigned_abs() % 10)
}

/// Hundredths as text, without commas.
pub(super) fn hundredths(value: i128) -> String {
    format!("{}{}.{:02}", if value < 0 { "-" } else { "" }, value.unsigned_abs() / 100, value.unsigned_abs() % 100)
}

/// A share in percent with one decimal.
pub(super) fn percent(part: i64, whole: i64) -> String {
    tenths(rounded(i128::from(part) * 1000, i128::from(whole))).replace(',', "")
}

#[cfg(test)]
mod tests {
    use super::{Text, figure, figures_in, hundredths, percent, tenths};

    #[test]
    fn tables_are_read_row_by_row() {
        let text = Text::of(
            "Statements (in millions)\n2024\n2023\nRevenue\n1,234.5\n1,000.0\nCost of revenue\n(12.0)\n9.1\nEnd",
        );
        assert_eq!(text.by_year("Statements", "Revenue"), [(2024, 12345), (2023, 10000)]);
        assert_eq!(text.of_year("Statements", "Cost of revenue", 2024), Some(-120));
        assert_eq!(text.row("Other", "Revenue"), Vec::<i64>::new());
        assert_eq!(figure("word 5"), None);
        assert_eq!(figures_in("revenue of $1,234.5 million and 41.5% for Q3"), [12345, 415, 30]);
        assert_eq!(
            (tenths(12345).as_str(), hundredths(655).as_str(), percent(1, 3).as_str()),
            ("1,234.5", "6.55", "33.3")
        );
    }
}
