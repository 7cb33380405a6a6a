//! Whether an answer contradicts the reference answer: it says the opposite direction, or gives another figure of the
//! same measure for the same label, or has figures of the one kind that the reference states and none that agrees.

use super::claims::{listed, opposed};
use super::words::{Direction, Read, directions, stem, tokens};
use crate::number::{Figure, Measure, figures, periods};

/// Figures in a mere list from which naming the right one among them says nothing.
const SHOTGUN: usize = 3;

/// What contradicts; none if nothing does.
pub fn found(reference: &str, question: &Read<'_>, answer: &Read<'_>) -> Option<String> {
    let wanted = Read::of(reference);
    // Where every figure of the reference is in the answer, it is beside these that a rise or fall counts.
    let beside = |figure: &Figure| {
        let mut given = answer.figures.iter().filter(|given| figure.stated_by(given)).peekable();
        given.peek().is_some() && given.any(|given| !opposed(&wanted, figure, question, answer, given))
    };
    let figures_hold = !wanted.figures.is_empty() && wanted.figures.iter().all(beside);
    let turned = opposite(&wanted, answer)
        .filter(|direction| !figures_hold || matches!(direction, Direction::Beat | Direction::Miss));
    if let Some(direction) = turned {
        return Some(format!(
            "the answer says {} where the reference says {}",
            direction.opposite().name(),
            direction.name()
        ));
    }
    if let Some(why) = lone_figure(&wanted, question, answer) {
        return Some(why);
    }
    let said: Vec<Segment<'_>> = segments(answer.text).collect();
    for segment in segments(reference) {
        let Some(label) = segment.label() else { continue };
        let [figure] = segment.figures.as_slice() else { continue };
        let same: Vec<&Segment<'_>> = said.iter().filter(|other| other.label().as_ref() == Some(&label)).collect();
        // A label that names several things (`guidance: ...` of two years) is met by one of them.
        if same.iter().any(|other| other.figures.iter().any(|rival| figure.stated_by(rival))) {
            continue;
        }
        let rival = same
            .iter()
            .find_map(|other| Some((other, other.figures.iter().find(|rival| rival.measure == figure.measure)?)));
        if let Some((other, rival)) = rival {
            let stated = segment.text.get(figure.place.clone()).unwrap_or_default();
            let rival = other.text.get(rival.place.clone()).unwrap_or_default();
            return Some(format!(
                "for {} the answer gives {rival} where the reference gives {stated}",
                label.join(" ")
            ));
        }
    }
    None
}

/// A direction that the reference says alone and the answer turns round.
fn opposite(wanted: &Read<'_>, answer: &Read<'_>) -> Option<Direction> {
    let alone = |read: &Read<'_>, direction: Direction| {
        read.directions.contains(&direction) && !read.directions.contains(&direction.opposite())
    };
    wanted.directions.iter().copied().find(|direction| alone(wanted, *direction) && alone(answer, direction.opposite()))
}

/// The reference is one figure: an answer with figures of that measure, none of which agrees, says something else.
fn lone_figure(wanted: &Read<'_>, question: &Read<'_>, answer: &Read<'_>) -> Option<String> {
    let [figure] = wanted.figures.as_slice() else { return None };
    if figure.measure == Measure::Plain && figure.digits() < 3 {
        return None;
    }
    let mut rivals = answer.figures.iter().filter(|rival| {
        rival.measure == figure.measure && !question.figures.iter().any(|asked| asked.stated_by(rival))
    });
    let first = rivals.next()?;
    let stated: Vec<&Figure> = answer.figures.iter().filter(|rival| figure.stated_by(rival)).collect();
    if let Some(own) = stated.first() {
        let many = stated.iter().map(|own| listed(answer, own)).min().unwrap_or_default();
        let text = answer.text.get(own.place.clone()).unwrap_or_default();
        return (many >= SHOTGUN).then(|| format!("{text} is one of {many} figures that the answer lists"));
    }
    let rival = answer.text.get(first.place.clone()).unwrap_or_default();
    let stated = wanted.text.get(figure.place.clone()).unwrap_or_default();
    Some(format!("the answer gives {rival} where the reference gives {stated}"))
}

/// A line or clause.
struct Segment<'a> {
    text: &'a str,
    figures: Vec<Figure>,
}

impl Segment<'_> {
    /// What the segment is about: its periods, and the first words before its figure where it is written as
    /// `label: figure`.
    fn label(&self) -> Option<Vec<String>> {
        let first = self.figures.first()?;
        let before = self.text.get(..first.place.start)?;
        let mut label = periods(before);
        if let Some((name, rest)) = before.rsplit_once([':', '='])
            && rest.trim().is_empty()
        {
            label.extend(
                tokens(name)
                    .filter(|word| word.chars().any(char::is_alphabetic) && directions(word).is_empty())
                    .map(|word| stem(&word)),
            );
        }
        label.sort_unstable();
        label.dedup();
        (!label.is_empty()).then_some(label)
    }
}

/// Lines, and clauses between semicolons or full stops.
fn segments(text: &str) -> impl Iterator<Item = Segment<'_>> {
    text.split(['\n', ';']).flat_map(|line| line.split(". ")).map(|text| Segment { text, figures: figures(text) })
}
