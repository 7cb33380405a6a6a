//! Which figures of an answer are in stored documents, and where (CYC-095).
//!
//! A figure counts as found where a document states it in any notation: with another scale word, or bare in a table whose
//! head says `(in millions)`. One that is not stated but follows from two supported figures of the same answer (a sum,
//! difference, ratio, growth or mean) counts as derived: a margin that was computed is in no filing.

use std::ops::Range;

use serde::Serialize;

use crate::number::{Figure, Measure, figures};

/// A place in a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    /// Key of the document.
    pub key: String,
    /// First character, counted from 0.
    pub start: usize,
    /// The character behind the last.
    pub end: usize,
    /// What is there.
    pub text: String,
}

/// What a figure of an answer is based on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "support")]
pub enum Support {
    /// It is in stored documents: the first places.
    Stored {
        /// The places.
        spans: Vec<Span>,
    },
    /// It follows from two other figures of the answer that are supported.
    Derived {
        /// Both, as they are in the answer.
        from: [String; 2],
        /// How.
        by: &'static str,
    },
    /// Nothing stored supports it.
    Missing,
}

/// A figure of an answer and what it is based on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Supported {
    /// The figure as it is in the answer.
    pub figure: String,
    /// What it is based on.
    #[serde(flatten)]
    pub support: Support,
}

/// All figures of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// In the order of the answer.
    pub figures: Vec<Supported>,
}

impl Evidence {
    /// Number of figures that are in a document.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.figures.iter().filter(|figure| matches!(figure.support, Support::Stored { .. })).count()
    }

    /// Number of figures that are in a document or follow from such.
    #[must_use]
    pub fn supported(&self) -> usize {
        self.figures.iter().filter(|figure| figure.support != Support::Missing).count()
    }

    /// Share of figures that are in a document; none for an answer without figures.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        (!self.figures.is_empty()).then(|| self.stored() as f64 / self.figures.len() as f64)
    }
}

/// Places that are listed for one figure.
const MOST_SPANS: usize = 3;

/// A document as far as its figures go: read once, asked often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Figures with the power of ten that the head of their table names.
    figures: Vec<(Figure, i32)>,
}

impl Numbers {
    /// The figures of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let heads = heads(text);
        let power = |at: usize| heads.iter().rev().find(|(head, _)| *head < at).map_or(0, |(_, power)| *power);
        Self {
            figures: figures(text)
                .into_iter()
                .map(|figure| (power(figure.place.start), figure))
                .map(|(power, figure)| (figure, power))
                .collect(),
        }
    }

    /// Bytes of the places that state a figure, at most so many.
    fn find(&self, wanted: &Figure, most: usize) -> Vec<Range<usize>> {
        self.figures
            .iter()
            .filter(|(figure, power)| {
                let open = !figure.scaled && *power != 0 && matches!(figure.measure, Measure::Plain | Measure::Money);
                states(wanted, figure) || (open && states(wanted, &figure.scaled_by(*power)))
            })
            .map(|(figure, _)| figure.place.clone())
            .take(most)
            .collect()
    }
}

/// Whether a document's figure states what an answer says. A bare small number (`5`) must not be found everywhere: it
/// must be the very number.
fn states(wanted: &Figure, stored: &Figure) -> bool {
    if wanted.digits() < 3 && wanted.measure == Measure::Plain {
        return stored.measure == Measure::Plain
            && wanted.mantissa.abs() == stored.mantissa.abs()
            && wanted.exponent == stored.exponent;
    }
    wanted.stated_by(stored)
}

/// Where heads of tables name a scale, and its power of ten.
fn heads(text: &str) -> Vec<(usize, i32)> {
    let lower = text.to_ascii_lowercase();
    let mut heads = Vec::new();
    for (words, power) in [("in thousands", 3), ("in millions", 6), ("in billions", 9)] {
        heads.extend(lower.match_indices(words).map(|(at, _)| (at, power)));
    }
    heads.sort_unstable();
    heads
}

/// What the figures of an answer are based on. Documents are given by key, text and figures.
#[must_use]
pub fn evidence<'a>(
    answer: &str,
    documents: impl IntoIterator<Item = (&'a str, &'a str, &'a Numbers)> + Clone,
) -> Evidence {
    let wanted = figures(answer);
    let mut found: Vec<Supported> = wanted
        .iter()
        .map(|figure| {
            let mut spans = Vec::new();
            for (key, text, numbers) in documents.clone() {
                let room = MOST_SPANS - spans.len();
                spans.extend(numbers.find(figure, room).into_iter().map(|place| {
                    let start = text.get(..place.start).map_or(0, |before| before.chars().count());
                    let stated = text.get(place).unwrap_or_default();
                    Span { key: key.to_owned(), start, end: start + stated.chars().count(), text: stated.to_owned() }
                }));
                if spans.len() == MOST_SPANS {
                    break;
                }
            }
            let support = if spans.is_empty() { Support::Missing } else { Support::Stored { spans } };
            Supported { figure: answer.get(figure.place.clone()).unwrap_or_default().to_owned(), support }
        })
        .collect();
    // In order, so that what was derived may support what comes after it.
    for at in 0..found.len() {
        if found[at].support != Support::Missing {
            continue;
        }
        let bases: Vec<usize> =
            (0..found.len()).filter(|other| *other != at && found[*other].support != Support::Missing).collect();
        let derived = bases.iter().find_map(|one| {
            bases.iter().filter(|other| *other != one).find_map(|other| {
                let by = derivation(&wanted[at], &wanted[*one], &wanted[*other])?;
                Some(Support::Derived { from: [*one, *other].map(|base| found[base].figure.clone()), by })
            })
        });
        if let Some(support) = derived {
            found[at].support = support;
        }
    }
    Evidence { figures: found }
}

/// How `wanted` follows from two others, if it does.
fn derivation(wanted: &Figure, one: &Figure, two: &Figure) -> Option<&'static str> {
    use Measure::{Money, Percent, Plain, Times};
    let value = |figure: &Figure| figure.mantissa as f64 * 10_f64.powi(figure.exponent);
    let (target, a, b) = (value(wanted), value(one), value(two));
    // Bases may be rounded too: a unit of the last digit is allowed.
    let unit = 10_f64.powi(wanted.exponent);
    let near = |computed: f64| computed.is_finite() && (computed.abs() - target.abs()).abs() <= unit * 1.000_001;
    let amounts = matches!((one.measure, two.measure), (Money | Plain, Money | Plain));
    let alike = amounts || one.measure == two.measure;
    if wanted.digits() < 2 {
        return None;
    }
    match wanted.measure {
        Percent if amounts && b != 0.0 => {
            if near(100.0 * a / b) {
                return Some("ratio");
            }
            near(100.0 * (a / b - 1.0)).then_some("growth")
        }
        Percent if one.measure == Percent && two.measure == Percent => {
            if near(a - b) {
                return Some("difference");
            }
            near(f64::midpoint(a, b)).then_some("mean")
        }
        Times | Plain if amounts && b != 0.0 && wanted.exponent < 0 && near(a / b) => Some("ratio"),
        Money | Plain if alike && near(a - b) => Some("difference"),
        Money | Plain if alike && near(a + b) => Some("sum"),
        Money | Plain if alike && near(f64::midpoint(a, b)) => Some("mean"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supports(answer: &str, documents: &[(&str, &str)]) -> Evidence {
        let read: Vec<(&str, &str, Numbers)> =
            documents.iter().map(|(key, text)| (*key, *text, Numbers::of(text))).collect();
        evidence(answer, read.iter().map(|(key, text, numbers)| (*key, *text, numbers)))
    }

    // covers: CYC-095
    #[test]
    fn figures_are_found_in_any_notation_with_their_place() {
        let filing = "é Net revenue\n(in millions)\n2024\nRevenue\n1,234.5\nMargin\n41.2%\n";
        let found = supports("Revenue was $1.2345 billion and the margin 41.2%; debt $77.1 million.", &[("k", filing)]);
        let Support::Stored { spans } = &found.figures[0].support else { panic!("{found:?}") };
        let letters: Vec<char> = filing.chars().collect();
        assert_eq!(letters[spans[0].start..spans[0].end].iter().collect::<String>(), "1,234.5");
        assert_eq!((spans[0].key.as_str(), spans[0].text.as_str()), ("k", "1,234.5"));
        assert_eq!((found.stored(), found.supported(), found.figures.len()), (2, 2, 3));
        assert!((found.share().unwrap() - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(supports("No figure at all.", &[("k", filing)]).share(), None);
    }

    // covers: CYC-095
    #[test]
    fn computed_figures_rest_on_stated_ones() {
        let filing = "(in millions)\nRevenue 2024\n1,200.0\nRevenue 2023\n1,000.0\n";
        let found = supports(
            "$1,200.0 million against $1,000.0 million: growth of 20.0%, difference $200.0 million, and 77.7%.",
            &[("k", filing)],
        );
        let kinds: Vec<&str> = found
            .figures
            .iter()
            .map(|figure| match &figure.support {
                Support::Stored { .. } => "stored",
                Support::Derived { by, .. } => by,
                Support::Missing => "missing",
            })
            .collect();
        assert_eq!(kinds, ["stored", "stored", "growth", "difference", "missing"]);
        assert_eq!(found.stored(), 2);
    }

    #[test]
    fn a_small_bare_number_is_not_found_everywhere() {
        assert_eq!(supports("5 segments", &[("k", "5.0% of $5 million in 15 places")]).stored(), 0);
        assert_eq!(supports("5 segments", &[("k", "We report 5 segments")]).stored(), 1);
    }

    #[test]
    fn rounding_may_cross_a_border() {
        assert_eq!(supports("about $10.0 billion", &[("k", "$9,996,000,000")]).stored(), 1);
        assert_eq!(supports("about $2.00 billion", &[("k", "$1,996,000,000")]).stored(), 1);
    }
}
