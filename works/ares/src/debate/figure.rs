//! One debate as claims, facts and confidences: a row for each claim, a column for each cited fact.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_analysis::episode::Episode;
use gimbal_analysis::stored_records::{RecordState, StoredRecord, Takes};
use gimbal_analysis::work_folds::FoldSource;
use gimbal_core::{Milli, RecordError};
use gimbal_messages::records::debate::{Asserted, Confidence, VerdictGiven};
use gimbal_view::kit::looks::{Look, NOTE, QUIET, STRONG, bar, hatchings, look, mark};
use gimbal_view::kit::picture::{Drawn, Picture, gap};
use gimbal_view::kit::svg::{Anchor, GRID, RULE, SMALL, Svg, WIDTH, fit, n};
use gimbal_view::work::{Context, Item, Undeclared};
use gimbal_view::{Figure, Output};

use super::Debate;
use crate::cases::Side;

/// Height of a row.
const ROW: f64 = 19.0;
/// Where the columns of facts begin, and where they end at most.
const FACTS: (f64, f64) = (322.0, 640.0);
/// Where bars of confidence begin, and their length at a confidence of 1.
const BARS: (f64, f64) = (656.0, 64.0);
/// Most columns of facts.
const COLUMNS: usize = 24;
/// Most rows: the last rounds are shown.
const ROWS: usize = 60;

/// The first debate of a run that has more than one round, or else its first one.
pub static FIRST: FoldSource = FoldSource::of_records::<First>("ares-debate");

/// One debate with the name of its episode.
#[derive(Debug, Default)]
pub struct First {
    kept: Option<(String, Debate)>,
    under_way: Option<(String, Debate)>,
}

impl First {
    /// Whether a debate is a better one to show than what is kept.
    fn wants(&self, debate: &Debate) -> bool {
        let rounds = |debate: &Debate| debate.stands.iter().map(|stand| stand.round).max().unwrap_or(0);
        self.kept.as_ref().is_none_or(|(_, kept)| rounds(kept) < 2 && rounds(debate) > 1)
    }

    /// The debate that is shown.
    fn shown(&self) -> Option<&(String, Debate)> {
        match &self.under_way {
            Some(last) if self.wants(&last.1) => Some(last),
            _ => self.kept.as_ref(),
        }
    }
}

impl RecordState for First {
    const TAKES: Takes = Takes::records(&Debate::KINDS);

    fn on_record(&mut self, episode: &Episode<'_>, record: &StoredRecord<'_>) -> Result<(), RecordError> {
        let episode = episode.name();
        if self.under_way.as_ref().is_none_or(|(name, _)| *name != episode) {
            let before = self.under_way.replace((episode, Debate::default()));
            if let Some(before) = before.filter(|(_, debate)| self.wants(debate)) {
                self.kept = Some(before);
            }
        }
        match &mut self.under_way {
            Some((_, debate)) => debate.add(record.kind, record.data),
            None => Ok(()),
        }
    }
}

/// The figure of a run.
pub fn figure(context: &Context<'_>, item: &Item) -> Result<Vec<Output>, Undeclared> {
    let first: &First = context.fold(&FIRST)?;
    let (drawn, name) = match first.shown() {
        Some((name, debate)) => (draw(debate, &BTreeMap::new()), name.as_str()),
        None => (Err("no debate over a packet".to_owned()), ""),
    };
    let (picture, missing) = match drawn {
        Ok(picture) => (picture, None),
        Err(missing) => (gap(&missing), Some(missing)),
    };
    let Picture { svg, height, caption } = picture;
    let of = if name.is_empty() { String::new() } else { format!("Episode {name}. ") };
    let figure = Figure::new(item.key, item.title.to_owned(), format!("{of}{caption}"), (&svg, height));
    Ok(vec![Output { key: item.key, environment: String::new(), file: item.key.to_owned(), figure, missing }])
}

/// The drawing of one debate, for a file of its own. `names` gives the text beside the id of a fact.
///
/// # Errors
/// What the debate lacks: nobody spoke.
pub fn drawn(debate: &Debate, title: &str, names: &BTreeMap<String, String>) -> Result<Figure, String> {
    let Picture { svg, height, caption } = draw(debate, names)?;
    Ok(Figure::new("debate", title.to_owned(), caption, (&svg, height)))
}

/// A row of the drawing.
enum Row<'d> {
    /// A side with its confidence in a round.
    Side(&'d Confidence),
    /// A claim with the facts that its side had not cited before.
    Claim(&'d Asserted, BTreeSet<&'d str>),
    /// A verdict after a round.
    Verdict(&'d VerdictGiven),
}

fn rows(debate: &Debate) -> Vec<Row<'_>> {
    let mut turns: Vec<(u32, Option<u32>)> = debate.stands.iter().map(|stand| (stand.round, stand.vote)).collect();
    turns.sort_unstable();
    turns.dedup();
    let mut cited: [BTreeSet<&str>; 2] = Default::default();
    let mut rows = Vec::new();
    for (round, vote) in turns {
        for side in Side::BOTH {
            let spoken = |stand: &&Confidence| stand.role == side.name() && stand.round == round && stand.vote == vote;
            rows.extend(debate.stands.iter().filter(spoken).map(Row::Side));
            let known = &mut cited[side as usize];
            let before = known.clone();
            for claim in debate.claims(side, round, vote) {
                let new = claim.facts.iter().map(String::as_str).filter(|fact| !before.contains(fact)).collect();
                known.extend(claim.facts.iter().map(String::as_str));
                rows.push(Row::Claim(claim, new));
            }
        }
        let given = debate.verdicts.iter().filter(|verdict| verdict.round == round && verdict.vote == vote);
        rows.extend(given.filter(|verdict| !verdict.last).map(Row::Verdict));
    }
    rows.extend(debate.concluded().map(Row::Verdict));
    rows
}

fn draw(debate: &Debate, names: &BTreeMap<String, String>) -> Drawn {
    let all = rows(debate);
    if all.is_empty() {
        return Err("no debate in which a side spoke".to_owned());
    }
    let left_out = all.len().saturating_sub(ROWS);
    let rows = &all[left_out..];
    let claims = rows.iter().filter_map(|row| if let Row::Claim(claim, _) = row { Some(*claim) } else { None });
    let facts: BTreeSet<&str> = claims.flat_map(|claim| claim.facts.iter().map(String::as_str)).collect();
    let shown: Vec<&str> = facts.iter().take(COLUMNS).copied().collect();
    let column = ((FACTS.1 - FACTS.0) / shown.len().max(1) as f64).min(34.0);
    let at = |place: usize| FACTS.0 + column * (place as f64 + 0.5);
    let mut svg = Svg::new();
    hatchings(&mut svg);
    let top = head(&mut svg, &shown, at, names);
    let bottom = top + ROW * rows.len() as f64;
    for place in 0..shown.len() {
        svg.line((at(place), top), (at(place), bottom), "grid", GRID, 1.0, "");
    }
    let mut y = top;
    for row in rows {
        let middle = y + ROW / 2.0;
        match row {
            Row::Side(stand) => side(&mut svg, stand, y),
            Row::Claim(claim, new) => {
                text_of(&mut svg, debate, claim, middle);
                for (place, fact) in
                    shown.iter().enumerate().filter(|(_, fact)| claim.facts.iter().any(|id| id == *fact))
                {
                    mark(&mut svg, (at(place), middle), look_of(&claim.role), new.contains(fact));
                }
                confidence(&mut svg, claim.confidence, middle, QUIET);
            }
            Row::Verdict(verdict) => {
                svg.line((0.0, y + 1.0), (WIDTH, y + 1.0), "rule", RULE, 1.0, "");
                let words = format!("{} after {}, judge {}", verdict.verdict, verdict.after, verdict.judge);
                svg.text(4.0, middle + 4.0, Anchor::Start, STRONG, &fit(&words, STRONG.wide(), BARS.0 - 12.0));
                confidence(&mut svg, verdict.certainty, middle, look(5));
            }
        }
        y += ROW;
    }
    Ok(Picture { svg, height: bottom + 6.0, caption: caption(facts.len(), shown.len(), left_out) })
}

fn caption(facts: usize, shown: usize, left_out: usize) -> String {
    let mut caption = "A row for each claim, a column for each fact that is cited. A filled mark: the side cites the fact for the first time; \
                       an open one: again. Bars are confidences from 0 to 1: of a side, of a claim, of the judge's verdict. What code says of a \
                       claim follows it; a claim that the audit struck is crossed out."
        .to_owned();
    if facts > shown {
        caption += &format!(" {shown} of {facts} cited facts have a column.");
    }
    if left_out > 0 {
        caption += &format!(" The first {left_out} rows are left out.");
    }
    caption
}

/// Ids of facts above their columns, turned; beneath them the first row begins.
fn head(svg: &mut Svg, facts: &[&str], at: impl Fn(usize) -> f64, names: &BTreeMap<String, String>) -> f64 {
    let longest = facts.iter().filter_map(|fact| names.get(*fact)).map(|name| name.chars().count()).max().unwrap_or(0);
    let height = 44.0 + 5.2 * longest.min(22) as f64;
    for (place, fact) in facts.iter().enumerate() {
        let words = match names.get(*fact) {
            Some(name) => format!("{fact} {name}"),
            None => (*fact).to_owned(),
        };
        let words = fit(&words, SMALL.size, height + 24.0);
        let (x, y) = (at(place) + 3.0, height - 6.0);
        svg.raw(&format!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" class=\"muted\" fill=\"{}\" transform=\"rotate(-58 {x} {y})\">{}</text>",
            n(SMALL.size),
            SMALL.fill,
            words.markup(),
            x = n(x),
            y = n(y),
        ));
    }
    svg.text(4.0, height - 6.0, Anchor::Start, SMALL, "claims by round");
    svg.text(BARS.0, height - 6.0, Anchor::Start, SMALL, "confidence");
    height
}

fn side(svg: &mut Svg, stand: &Confidence, y: f64) {
    svg.line((0.0, y + 1.0), (WIDTH, y + 1.0), "rule", RULE, 1.0, "");
    let middle = y + ROW / 2.0;
    let vote = stand.vote.map(|vote| format!(", vote {vote}")).unwrap_or_default();
    let who = match (stand.fallback, stand.strategy.as_str()) {
        (true, _) => ", rules in the place of the model",
        (false, "model") => "",
        (false, _) => ", by rule",
    };
    let words = format!("Round {}{vote}: {}{who}", stand.round, capital(&stand.role));
    mark(svg, (9.0, middle), look_of(&stand.role), true);
    svg.text(20.0, middle + 4.0, Anchor::Start, STRONG, &fit(&words, STRONG.wide(), FACTS.0 - 26.0));
    confidence(svg, stand.confidence, middle, look_of(&stand.role));
}

fn text_of(svg: &mut Svg, debate: &Debate, claim: &Asserted, middle: f64) {
    let words = format!("{} {} {}", claim.claim, claim.kind, claim.predicate);
    let room = FACTS.0 - 100.0;
    svg.text(20.0, middle + 4.0, Anchor::Start, NOTE, &fit(&words, NOTE.size, room - 20.0));
    svg.text(FACTS.0 - 12.0, middle + 4.0, Anchor::End, SMALL, &claim.check);
    if debate.is_struck(claim) && Some(claim.round) == debate.stands.iter().map(|stand| stand.round).max() {
        svg.line((18.0, middle), (room, middle), "ink", STRONG.fill, 1.2, "");
    }
}

fn confidence(svg: &mut Svg, confidence: Milli, middle: f64, look: Look) {
    let share = (confidence.to_f64()).clamp(0.0, 1.0);
    bar(svg, (BARS.0, middle - 5.0), (share * BARS.1, 10.0), look);
    svg.text(BARS.0 + BARS.1 + 6.0, middle + 4.0, Anchor::Start, NOTE, &format!("{:.2}", confidence.to_f64()));
}

fn look_of(role: &str) -> Look {
    look(usize::from(role == Side::Skeptic.name()))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
