//! Figures in running text: amounts, rates and multiples, as exact decimal numbers.
//!
//! A figure is read with its currency, its scale word and its sign, so that `$3.25 billion`, `3,250 million` and
//! `$3,250,000,000` are one value. Years, days of a month, names of forms (`10-K`) and quarters (`Q3`) are not figures.
//! Everything is whole-number arithmetic: the same text gives the same answer on every machine.

use std::ops::Range;

/// What a figure measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// A bare number.
    Plain,
    /// An amount of money.
    Money,
    /// A share or rate; basis points are held as hundredths of a percent.
    Percent,
    /// A multiple, such as `1.8x`.
    Times,
}

/// The currency that is written at an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Currency {
    /// Dollars of the United States: `$`, `US$`, `USD`, `dollars`, `cents`.
    Dollar,
    /// `€`, `EUR`, `euros`.
    Euro,
    /// `£`, `GBP`.
    Pound,
    /// `¥`, `JPY`, `yen`.
    Yen,
    /// A dollar of another country, by the letters before its sign: `NT$`.
    Other([u8; 3]),
}

/// A figure and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Its bytes in the text, with sign, currency, unit and scale word.
    pub place: Range<usize>,
    /// Its digits as one whole number, with its sign.
    pub mantissa: i128,
    /// The power of ten of its last digit, scale word and basis points included.
    pub exponent: i32,
    /// What it measures.
    pub measure: Measure,
    /// Its currency, where one is written.
    pub currency: Option<Currency>,
    /// Whether a scale word (`million`) or a full count of digits fixes its size; a bare table cell leaves it open.
    pub scaled: bool,
}

/// More digits than any amount has; longer runs of digits are identifiers.
const MOST_DIGITS: usize = 24;
/// Significant digits from which a rounded figure may stand for the exact one.
const ENOUGH_DIGITS: u32 = 3;
/// Significant digits that must agree where the scale is left open.
const ENOUGH_OPEN: u32 = 4;

impl Figure {
    /// Number of significant digits as written; one for 0.
    #[must_use]
    pub fn digits(&self) -> u32 {
        self.mantissa.unsigned_abs().checked_ilog10().map_or(1, |log| log + 1)
    }

    /// The same figure in a unit that is `power` powers of ten larger.
    #[must_use]
    pub fn scaled_by(&self, power: i32) -> Self {
        Self { exponent: self.exponent + power, scaled: true, ..self.clone() }
    }

    /// Whether the two agree as far as both are written: they differ by at most half a unit of the coarser one's last
    /// digit, and that one has enough digits to tell. Signs are left to the caller.
    #[must_use]
    pub fn close(&self, other: &Self) -> bool {
        let least = self.exponent.min(other.exponent);
        let align = |figure: &Self| {
            let power = 10_i128.checked_pow(u32::try_from(figure.exponent - least).ok()?)?;
            figure.mantissa.checked_abs()?.checked_mul(power)
        };
        let (Some(one), Some(two)) = (align(self), align(other)) else { return false };
        let difference = (one - two).abs();
        if difference == 0 {
            return true;
        }
        let coarser = if self.exponent >= other.exponent { self } else { other };
        let unit = u32::try_from(coarser.exponent - least).ok().and_then(|power| 10_i128.checked_pow(power));
        coarser.digits() >= ENOUGH_DIGITS && unit.is_some_and(|unit| difference.saturating_mul(2) <= unit)
    }

    /// Whether `given` states what `self` asks for: measures that fit, and sizes that agree, where one side may have
    /// left out the scale of its table (thousands, millions, billions) or the sign of a percentage.
    #[must_use]
    pub fn stated_by(&self, given: &Self) -> bool {
        use Measure::{Money, Percent, Plain, Times};
        if let (Some(asked), Some(other)) = (self.currency, given.currency)
            && asked != other
        {
            return false;
        }
        match (self.measure, given.measure) {
            (Percent, Percent) | (Times, Times | Plain) | (Plain, Times) => self.close(given),
            (Percent, Plain) => given.exponent < 0 && (self.close(given) || self.close(&given.scaled_by(2))),
            (Plain, Percent) => self.exponent < 0 && (self.close(given) || self.scaled_by(2).close(given)),
            (Money | Plain, Money | Plain) => {
                self.close(given)
                    || (self.scaled != given.scaled
                        && self.digits().min(given.digits()) >= ENOUGH_OPEN
                        && [-9, -6, -3, 3, 6, 9].into_iter().any(|power| self.scaled_by(power).close(given)))
            }
            _ => false,
        }
    }

    /// The value in plain digits, for messages and for comparing across texts: `-10.9%`, `3250000000`.
    #[must_use]
    pub fn text(&self) -> String {
        let (mut mantissa, mut exponent) = (self.mantissa, self.exponent);
        while exponent < 0 && mantissa % 10 == 0 && mantissa != 0 {
            (mantissa, exponent) = (mantissa / 10, exponent + 1);
        }
        let mut digits = mantissa.unsigned_abs().to_string();
        if exponent >= 0 {
            digits.extend(std::iter::repeat_n('0', if mantissa == 0 { 0 } else { exponent as usize }));
        } else {
            let decimals = exponent.unsigned_abs() as usize;
            while digits.len() <= decimals {
                digits.insert(0, '0');
            }
            digits.insert(digits.len() - decimals, '.');
        }
        let sign = if mantissa < 0 { "-" } else { "" };
        let unit = match self.measure {
            Measure::Percent => "%",
            Measure::Times => "x",
            Measure::Plain | Measure::Money => "",
        };
        format!("{sign}{digits}{unit}")
    }
}

/// The figures of a text, in order.
#[must_use]
pub fn figures(text: &str) -> Vec<Figure> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = text.get(at..).and_then(|rest| rest.find(|letter: char| letter.is_ascii_digit())) {
        let start = at + offset;
        let body = body_end(text, start);
        if let Some(figure) = read(text, start, body) {
            at = figure.place.end.max(body);
            found.push(figure);
        } else {
            at = skipped(text, start, body);
        }
    }
    found
}

/// Years and quarters of a text: `2024` for `FY24`, `FY 2024`, `Q4'24` or `2024`, and `q4`; sorted, each once.
#[must_use]
pub fn periods(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digits = &text[at..end];
        let before = text[..at].trim_end_matches(' ');
        let tail = last_word(before).to_ascii_lowercase();
        let attached = before.len() == at;
        match digits.len() {
            4 if is_year(digits) && bytes.get(end).is_none_or(|next| *next != b'%') => found.push(digits.to_owned()),
            2 if tail == "fy" || (attached && before.ends_with(['\'', '\u{2019}'])) => {
                found.push(format!("20{digits}"))
            }
            1 if attached && tail == "q" => found.push(format!("q{digits}")),
            _ => {}
        }
        at = end;
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn is_year(digits: &str) -> bool {
    digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"))
}

fn last_word(text: &str) -> &str {
    let start = text
        .rfind(|letter: char| !letter.is_ascii_alphabetic())
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    &text[start..]
}

/// The end of digits with commas between groups of three and at most one decimal point.
fn body_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = start + digits(start);
    if at - start <= 3 {
        while bytes.get(at) == Some(&b',') && digits(at + 1) == 3 {
            at += 4;
        }
    }
    if bytes.get(at) == Some(&b'.') && digits(at + 1) > 0 {
        at += 1 + digits(at + 1);
    }
    at
}

/// Where to look on after digits that are not figures: dates such as `2024-06-30` are left as a whole.
fn skipped(text: &str, start: usize, body: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = body.max(start + 1);
    if is_year(&text[start..body]) {
        while bytes.get(at) == Some(&b'-') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            at = body_end(text, at + 1);
        }
    }
    at
}

const CURRENCIES: [(&str, Currency); 4] =
    [("$", Currency::Dollar), ("€", Currency::Euro), ("£", Currency::Pound), ("¥", Currency::Yen)];
const CODES: [(&str, Currency); 4] =
    [("USD", Currency::Dollar), ("EUR", Currency::Euro), ("GBP", Currency::Pound), ("JPY", Currency::Yen)];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Whether a word is the name of a month, in full or short, with a capital.
fn is_month(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    word.starts_with(|first: char| first.is_ascii_uppercase())
        && (lower == "sept"
            || MONTHS.iter().any(|month| lower == *month || (lower.len() == 3 && month.starts_with(&lower))))
}

fn read(text: &str, start: usize, body: usize) -> Option<Figure> {
    let digits = &text[start..body];
    let mut place = start..body;
    let before = &text[..start];
    let after = &text[body..];
    // A name that ends in digits (`Q4`, `FY2024`, `COVID-19`) and one that begins with them (`10-K`, `2nd`).
    if before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_') {
        return None;
    }
    let (symbol, mut currency) = currency_before(before);
    let mut money = currency.is_some();
    place.start = symbol.len();
    let (symbol, mut negative) = sign(symbol, money, &mut place);
    // Brackets stand for a minus: `(149.7)`, `$(149.7)`, `(2.3)%`.
    let bracket = text[..place.start].ends_with('(') && after.trim_start_matches('%').starts_with(')');
    if bracket {
        place.start -= 1;
        if !money && let Some(rest) = text[..place.start].strip_suffix('$') {
            (money, currency, place.start) = (true, Some(Currency::Dollar), rest.len());
        }
        negative = true;
    }
    let whole = digits.bytes().filter(u8::is_ascii_digit).count();
    if whole > MOST_DIGITS {
        return None;
    }
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let mut mantissa: i128 = digits
        .bytes()
        .filter(u8::is_ascii_digit)
        .collect::<Vec<u8>>()
        .iter()
        .fold(0, |sum, digit| sum * 10 + i128::from(digit - b'0'));
    let year = is_year(digits) && !money;
    let mut suffix = suffix(if bracket { after.trim_start_matches([')']) } else { after }, money || decimals > 0, year);
    if bracket && suffix.length > 0 {
        suffix.length += 1;
    }
    // Brackets around the scale word too are a minus where a value is expected, and an aside where a noun goes before.
    let around = !bracket && suffix.length > 0 && after[suffix.length..].starts_with(')');
    if around && let Some(outside) = text[..place.start].strip_suffix('(') {
        if let Some(rest) = outside.strip_suffix('$').filter(|_| !money) {
            (money, currency, negative) = (true, Some(Currency::Dollar), true);
            place.start = rest.len();
            suffix.length += 1;
        } else if is_value_place(outside) {
            negative = true;
            place.start = outside.len();
            suffix.length += 1;
        }
    }
    if negative {
        mantissa = -mantissa;
    }
    let bare = !money && !bracket && suffix.length == 0;
    if bare && decimals == 0 {
        let plain_year = is_year(digits);
        let day = mantissa.unsigned_abs() <= 31;
        let of_day = day && is_month(last_word(symbol.trim_end_matches([' ', '.'])));
        let day_before_month = day
            && after.strip_prefix(' ').is_some_and(|rest| {
                let end = rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(rest.len());
                is_month(&rest[..end])
            });
        // `Q4'24`
        let short_year = whole == 2 && before.ends_with(['\'', '\u{2019}']);
        if plain_year || of_day || day_before_month || short_year {
            return None;
        }
    }
    if suffix.length == 0 {
        // `10-K`, `12-month`, `2nd`, `3D`
        let next = after.chars().next();
        let named = next.is_some_and(char::is_alphabetic)
            || (matches!(next, Some('-')) && after[1..].starts_with(|letter: char| letter.is_alphabetic()));
        if named && !money {
            return None;
        }
    }
    place.end = if bracket && suffix.length == 0 {
        body + 1 + usize::from(after.starts_with('%'))
    } else {
        body + suffix.length
    };
    let percent = suffix.measure == Some(Measure::Percent) || (bracket && after.starts_with('%'));
    let measure = match suffix.measure {
        _ if percent => Measure::Percent,
        Some(measure) => measure,
        None if money => Measure::Money,
        None => Measure::Plain,
    };
    let exponent = suffix.power - i32::try_from(decimals).ok()?;
    let scaled = suffix.scale || whole >= 10;
    Some(Figure { place, mantissa, exponent, measure, currency: currency.or(suffix.currency), scaled })
}

/// Takes a currency away from before the digits.
fn currency_before(before: &str) -> (&str, Option<Currency>) {
    for (sign, currency) in CURRENCIES {
        let Some(rest) = before.trim_end_matches(' ').strip_suffix(sign) else { continue };
        // `US$`, `NT$`
        let bare = rest.trim_end_matches(|letter: char| letter.is_ascii_uppercase());
        let letters = &rest[bare.len()..];
        return match letters.as_bytes() {
            [] | [_, _, _, _, ..] => (rest, Some(currency)),
            b"US" => (bare, Some(Currency::Dollar)),
            short => {
                let mut name = [b' '; 3];
                name[..short.len()].copy_from_slice(short);
                (bare, Some(Currency::Other(name)))
            }
        };
    }
    for (code, currency) in CODES {
        if let Some(rest) = before.strip_suffix(' ').and_then(|rest| rest.strip_suffix(code)) {
            return (rest, Some(currency));
        }
    }
    (before, None)
}

/// Whether a figure in brackets is where a value is (`Loss: (5 million)`, `was (5 million)`), not behind a noun.
fn is_value_place(outside: &str) -> bool {
    let outside = outside.trim_end_matches(' ');
    let word = last_word(outside).to_ascii_lowercase();
    outside.is_empty()
        || outside.ends_with(['\n', '\t', ':', '=', '|', ',', ';'])
        || matches!(
            word.as_str(),
            "is" | "was" | "were" | "of" | "to" | "by" | "at" | "reached" | "reported" | "totaled" | "totalled"
        )
}

/// Takes a minus away that belongs to the number and not to a range or a name.
fn sign<'a>(symbol: &'a str, money: bool, place: &mut Range<usize>) -> (&'a str, bool) {
    for minus in ["-", "\u{2212}", "\u{2013}"] {
        if let Some(rest) = symbol.strip_suffix(minus) {
            let free = !rest.ends_with(|letter: char| letter.is_alphanumeric() || letter == '%' || letter == ')');
            if free && (money || !rest.ends_with('-')) {
                place.start = rest.len();
                return (rest, true);
            }
        }
    }
    (symbol, false)
}

#[derive(Default)]
struct Suffix {
    /// Bytes after the digits that belong to the figure.
    length: usize,
    measure: Option<Measure>,
    power: i32,
    scale: bool,
    currency: Option<Currency>,
}

/// A power of ten in words.
fn scale_power(word: &str) -> Option<i32> {
    Some(match word {
        "thousand" | "thousands" => 3,
        "million" | "millions" | "mm" | "mn" => 6,
        "billion" | "billions" | "bn" => 9,
        "trillion" | "trillions" | "tn" => 12,
        _ => return None,
    })
}

/// A currency in words, and the power of ten of its unit.
fn currency_word(word: &str) -> Option<(Currency, i32)> {
    Some(match word {
        "dollar" | "dollars" | "usd" => (Currency::Dollar, 0),
        "cent" | "cents" => (Currency::Dollar, -2),
        "euro" | "euros" | "eur" => (Currency::Euro, 0),
        "gbp" => (Currency::Pound, 0),
        "yen" | "jpy" => (Currency::Yen, 0),
        _ => return None,
    })
}

/// The letters that a text begins with.
fn first_word(text: &str) -> &str {
    &text[..text.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(text.len())]
}

/// `(in millions)`, `in thousands`: bytes and power of ten.
fn in_scale(rest: &str) -> Option<(usize, i32)> {
    let inner = rest.strip_prefix('(').unwrap_or(rest);
    let word_at = inner.strip_prefix("in ")?;
    let word = first_word(word_at);
    let power = scale_power(word).filter(|_| word.ends_with('s'))?;
    let brackets = rest.len() - inner.len();
    let closed = word_at[word.len()..].starts_with(')');
    (brackets == 0 || closed).then(|| (brackets * 2 + "in ".len() + word.len(), power))
}

/// Unit and scale that follow the digits; `year` for digits that are a year's, which have neither scale nor currency
/// behind them but by a word of their own.
fn suffix(after: &str, sized: bool, year: bool) -> Suffix {
    let blanks = after.len() - after.trim_start_matches([' ', '\u{a0}']).len();
    let rest = &after[blanks..];
    if blanks <= 1 && rest.starts_with('%') {
        return Suffix { length: blanks + 1, measure: Some(Measure::Percent), ..Suffix::default() };
    }
    if let Some((length, power)) = in_scale(rest).filter(|_| blanks == 1 && !year) {
        return Suffix { length: blanks + length, power, scale: true, ..Suffix::default() };
    }
    let hyphen = usize::from(blanks == 0 && rest.starts_with('-'));
    let word_at = &rest[hyphen..];
    let end = word_at.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(word_at.len());
    let (word, length) = (&word_at[..end], blanks + hyphen + end);
    // Digits right behind the letters make it a name.
    if word.is_empty() || blanks > 1 || word_at[end..].starts_with(|letter: char| letter.is_ascii_digit()) {
        return Suffix::default();
    }
    let of = |power: i32| {
        // `3.25 billion euros`
        let tail = &word_at[end..];
        let named = tail.strip_prefix(' ').map_or("", first_word);
        match currency_word(&named.to_ascii_lowercase()).filter(|(_, unit)| *unit == 0) {
            Some((currency, _)) => Suffix {
                length: length + 1 + named.len(),
                measure: Some(Measure::Money),
                power,
                scale: true,
                currency: Some(currency),
            },
            None => Suffix { length, power, scale: true, ..Suffix::default() },
        }
    };
    let percent = |length, power| Suffix { length, measure: Some(Measure::Percent), power, ..Suffix::default() };
    let lower = word.to_ascii_lowercase();
    if let Some(power) = scale_power(&lower) {
        return of(power);
    }
    if let Some((currency, power)) = currency_word(&lower).filter(|_| !year) {
        let (measure, currency) = (Some(Measure::Money), Some(currency));
        return Suffix { length, measure, power, scale: false, currency };
    }
    match lower.as_str() {
        "percent" => percent(length, 0),
        "percentage" if word_at[end..].trim_start().starts_with("point") => {
            let tail = &word_at[end..];
            let point = tail.len() - tail.trim_start().len();
            let word = tail[point..].find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(tail.len() - point);
            percent(length + point + word, 0)
        }
        "bps" | "bp" => percent(length, -2),
        "basis" if word_at[end..].trim_start().starts_with("point") => {
            let tail = &word_at[end..];
            let point = tail.len() - tail.trim_start().len();
            let word = tail[point..].find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(tail.len() - point);
            percent(length + point + word, -2)
        }
        "x" if blanks == 0 => Suffix { length, measure: Some(Measure::Times), ..Suffix::default() },
        "times" => Suffix { length, measure: Some(Measure::Times), ..Suffix::default() },
        "k" if blanks == 0 && hyphen == 0 && sized => of(3),
        "m" if blanks == 0 && hyphen == 0 && sized => of(6),
        "b" if blanks == 0 && hyphen == 0 && sized => of(9),
        "t" if blanks == 0 && hyphen == 0 && sized => of(12),
        _ => Suffix::default(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<String> {
        figures(text).iter().map(Figure::text).collect()
    }

    fn one(text: &str) -> Figure {
        let mut found = figures(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        found.remove(0)
    }

    #[test]
    fn figures_are_read_with_currency_scale_and_sign() {
        for (text, expected) in [
            ("$3.25 Billion", "3250000000"),
            ("1,234,567 shares", "1234567"),
            ("EBITDA Loss: $(149.7) Million", "-149700000"),
            ("-10.9%", "-10.9%"),
            ("(2.3)%", "-2.3%"),
            ("80bps beat", "0.8%"),
            ("26.1 basis points", "0.261%"),
            ("6.55x", "6.55x"),
            ("US$25.0B", "25000000000"),
            ("NT$ 835,152", "835152"),
            ("1.5 percentage points", "1.5%"),
            ("a charge of \u{2212}$12.5 million", "-12500000"),
            ("($149.7 million)", "-149700000"),
            ("Loss: $(149.7 million)", "-149700000"),
            ("the price ($149.7 million)", "149700000"),
            ("105 cents", "1.05"),
            ("3,250 (in millions)", "3250000000"),
            ("3.25 billion euros", "3250000000"),
        ] {
            assert_eq!(texts(text), [expected], "{text}");
        }
        assert_eq!(texts("between 4 to 6 percent"), ["4", "6%"]);
        assert_eq!(texts("45% (102,000/228,000)"), ["45%", "102000", "228000"]);
    }

    #[test]
    fn dates_forms_and_quarters_are_no_figures() {
        for text in [
            "2024 (in millions)",
            "FY 2024",
            "Q4'24 of FY2023",
            "the 10-K",
            "June 30, 2024",
            "2024-06-30",
            "30 June 2024",
            "Item 1A",
            "2nd",
        ] {
            assert_eq!(texts(text), [""; 0], "{text}");
        }
        assert_eq!(texts("decreased 5 marketing 12 on May 7"), ["5", "12"]);
        assert_eq!(periods("Q4'24 and FY23, FY 2022; 2021"), ["2021", "2022", "2023", "2024", "q4"]);
    }

    #[test]
    fn one_value_is_written_in_many_ways() {
        let agree = |one_text: &str, two: &str| one(one_text).stated_by(&one(two));
        for (wanted, given) in [
            ("$3.25 Billion", "$3,250,000,000"),
            ("$3.25 Billion", "3,250 million"),
            ("2,865,507", "$2,865.5 million"),
            ("$14,426,266,000", "$14.4 billion"),
            ("80bps", "0.8%"),
            ("0.83", "83%"),
            ("12.7%", "12.7"),
            ("22.9%", "22.87%"),
            ("$1.05", "105 cents"),
            ("€3.25 billion", "EUR 3,250 million"),
            ("US$3.25 billion", "3,250 million dollars"),
        ] {
            assert!(agree(wanted, given), "{wanted} | {given}");
        }
        for (wanted, given) in [
            ("$3.25 Billion", "$3.26 billion"),
            ("22.9%", "23%"),
            ("26.1bps", "26bps"),
            ("12.7%", "$12.7"),
            ("45%", "45"),
            ("$1.5 billion", "$1.5 million"),
            ("€3.25 billion", "$3.25 billion"),
            ("€3.25 billion", "3.25 billion dollars"),
            ("NT$835 million", "$835 million"),
        ] {
            assert!(!agree(wanted, given), "{wanted} | {given}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reader(text in "\\PC{0,80}") {
            for figure in figures(&text) {
                prop_assert!(text.get(figure.place.clone()).is_some());
                prop_assert!(figure.close(&figure));
            }
            let _ = periods(&text);
        }

        #[test]
        fn every_amount_agrees_with_itself_in_every_scale(units in 1_i64..999_999_999) {
            let plain = format!("${units},000").replace(",000", "000");
            let millions = format!("${}.{:03} million", units / 1000, units % 1000);
            prop_assert!(one(&plain).stated_by(&one(&millions)), "{} {}", plain, millions);
        }
    }
}
