//! How far one altered message spreads: the same episode with and without it, call by call (CTHA-111).
//!
//! A study plays each episode twice, once with a fault that alters one message (`message.altered`, bounded to a sender and a step). Two
//! such episodes are alike up to that message. From there on each place (a layer's requests, its answers, its messages, and the call that is
//! made, step by step) is the same in both or not. Requests say how far the alteration is seen, answers and calls what it changes.

use std::collections::BTreeMap;

use gimbal_analysis::columns::{count, label, number, share};
use gimbal_analysis::episode::Episode;
use gimbal_analysis::metrics::ratio;
use gimbal_analysis::stored_records::{ModelCall, RecordState, StoredRecord, Takes};
use gimbal_analysis::tables::labelled;
use gimbal_analysis::work_folds::FoldSource;
use gimbal_analysis::{Cell, Column, ColumnKind, Summary, Table};
use gimbal_core::{Digest, RecordError};
use gimbal_messages::Record;
use gimbal_messages::records::temporal::{LayerDecided, LayerSent};
use gimbal_temporal::Layer;
use gimbal_view::work::{Context, Item, Undeclared};

use crate::figures::Asked;
use crate::pairs;

/// Calls, messages and decisions in their order.
pub static SPREAD: FoldSource = FoldSource::of_records::<Spread>("ctha-spread");

/// Layers of the mean error over drawn maps that is given beside the table.
const DEPTH: usize = 4;

/// What happens in an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OccurrenceKind {
    /// A request to a layer.
    Request,
    /// Its answer.
    Answer,
    /// A message of a layer, as it arrived.
    Message,
    /// The call that is made; of no layer.
    Call,
}

/// One thing that happened, by a hash of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Occurrence {
    what: OccurrenceKind,
    layer: Option<Layer>,
    step: u32,
    content: Digest,
}

/// The place of an episode in its cell: task, run, trial.
pub type Place = (String, u32, u32);

/// Events of all episodes, by cell.
#[derive(Debug, Default)]
pub struct Spread {
    cells: BTreeMap<String, BTreeMap<Place, Vec<Occurrence>>>,
    now: Vec<Occurrence>,
}

/// What became of the places behind an altered message: how many there are, and how many differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpreadCounts {
    /// Whether the alteration arrived: projection may have taken it back.
    pub arrived: bool,
    /// By what and by layer: places, and those that differ.
    pub places: BTreeMap<(OccurrenceKind, Option<Layer>), (u64, u64)>,
}

impl SpreadCounts {
    /// Places of a kind, of one layer or of all, and those that differ.
    #[must_use]
    pub fn of(&self, what: OccurrenceKind, layer: Option<Layer>) -> (u64, u64) {
        let of = self.places.iter().filter(|((one, whose), _)| *one == what && (layer.is_none() || *whose == layer));
        of.fold((0, 0), |sum, (_, one)| (sum.0 + one.0, sum.1 + one.1))
    }

    /// Later messages and calls that differ: what one altered message became.
    #[must_use]
    pub fn amplification(&self) -> u64 {
        self.of(OccurrenceKind::Message, None).1 + self.of(OccurrenceKind::Call, None).1
    }
}

impl Spread {
    /// How far the alteration spreads in each episode that both cells have.
    #[must_use]
    pub fn reach(&self, altered: &str, plain: &str) -> Vec<(Place, SpreadCounts)> {
        let (Some(altered), Some(plain)) = (self.cells.get(altered), self.cells.get(plain)) else { return Vec::new() };
        let both = altered.iter().filter_map(|(place, events)| Some((place, events, plain.get(place)?)));
        both.map(|(place, altered, plain)| (place.clone(), reach(altered, plain))).collect()
    }
}

fn reach(altered: &[Occurrence], plain: &[Occurrence]) -> SpreadCounts {
    let from = altered.iter().zip(plain).position(|(one, other)| one != other);
    let Some(from) = from else {
        // One of them may be longer; else the alteration did not arrive.
        return SpreadCounts { arrived: altered.len() != plain.len(), places: BTreeMap::new() };
    };
    let group = |events: &[Occurrence]| {
        let mut groups: BTreeMap<(OccurrenceKind, Option<Layer>, u32), Vec<Digest>> = BTreeMap::new();
        for event in events.iter().skip(from + 1) {
            groups.entry((event.what, event.layer, event.step)).or_default().push(event.content);
        }
        groups
    };
    let (altered, plain) = (group(altered), group(plain));
    let mut places: BTreeMap<(OccurrenceKind, Option<Layer>), (u64, u64)> = BTreeMap::new();
    let only_plain = plain.keys().filter(|key| !altered.contains_key(*key));
    for key in altered.keys().chain(only_plain) {
        let place = places.entry((key.0, key.1)).or_default();
        place.0 += 1;
        place.1 += u64::from(altered.get(key) != plain.get(key));
    }
    SpreadCounts { arrived: true, places }
}

impl RecordState for Spread {
    const TAKES: Takes = Takes::records(&[LayerSent::KIND, LayerDecided::KIND]).and_calls().and_last_observation();

    fn on_record(&mut self, _episode: &Episode<'_>, record: &StoredRecord<'_>) -> Result<(), RecordError> {
        match record.kind {
            LayerSent::KIND => {
                let LayerSent { step, from, kind, outcome, text, .. } = LayerSent::read(record.data)?;
                let content = Digest::of_parts(&[kind.as_bytes(), outcome.as_bytes(), text.as_bytes()]);
                self.now.push(Occurrence { what: OccurrenceKind::Message, layer: layer(&from), step, content });
            }
            LayerDecided::KIND => {
                let LayerDecided { step, call, .. } = LayerDecided::read(record.data)?;
                let content = Digest::of(call.as_bytes());
                self.now.push(Occurrence { what: OccurrenceKind::Call, layer: None, step, content });
            }
            _ => {}
        }
        Ok(())
    }

    fn on_call(&mut self, _episode: &Episode<'_>, call: &ModelCall) {
        if let Some(whose) = layer(&call.role) {
            let of = |what, content| Occurrence { what, layer: Some(whose), step: call.step, content };
            self.now.extend([of(OccurrenceKind::Request, call.request), of(OccurrenceKind::Answer, call.reply)]);
        }
    }

    fn on_end(&mut self, episode: &Episode<'_>, _observation: &str) {
        let events = std::mem::take(&mut self.now);
        if !events.is_empty() {
            let place = (episode.task.to_owned(), episode.run, episode.trial);
            self.cells.entry(episode.cell.to_owned()).or_default().insert(place, events);
        }
    }
}

fn layer(name: &str) -> Option<Layer> {
    Layer::ALL.into_iter().find(|layer| layer.name() == name)
}

/// How far one altered message spreads, by layer.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn amplification(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, spread) = (context.analysis()?, context.fold::<Spread>(&SPREAD)?);
    let confidence = analysis.options.confidence;
    let interval = |key, help| Column::new(key, "Interval", "spread", ColumnKind::Interval(2), help);
    let columns = vec![
        label("layer", "Layer", "layer", "The layer; `all` for the episode as a whole"),
        count("pairs", "Pairs", "n", "Episodes that were played with and without the altered message"),
        share("arrived", "Arrived", "n", "Share of them in which it still differed when it arrived"),
        share(
            "requests",
            "Requests",
            "seen",
            "Share of the layer's later requests that differ: it saw the alteration, or what followed from it",
        ),
        share("answers", "Answers", "changed", "Share of its later answers that differ"),
        share("messages", "Messages", "changed", "Share of its later messages that differ"),
        share("calls", "Calls", "changed", "Share of later calls to the environment that differ"),
        number("spread", "Amplified", "spread", 2, "Later messages and calls that differ, for one altered message"),
        interval("spread_ci", "Interval of the mean over episodes"),
        number(
            "against",
            "Against baseline",
            "spread",
            2,
            "The same, minus that of the baseline's configuration in the same episodes",
        ),
        interval("against_ci", "Interval of the mean of the differences"),
    ];
    let mut rows = Vec::new();
    for summary in &analysis.cells {
        let Some(plain) = pairs::unaltered(analysis, &summary.info) else { continue };
        let reached = spread.reach(&summary.info.id, &plain.info.id);
        if reached.is_empty() {
            continue;
        }
        let of = |what: OccurrenceKind, layer: Option<Layer>| {
            let sum = reached
                .iter()
                .map(|(_, one)| one.of(what, layer))
                .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            Cell::share(ratio(sum.1, sum.0))
        };
        let pairs_played = Cell::count(reached.len() as u64);
        let arrived = reached.iter().filter(|(_, one)| one.arrived).count() as u64;
        let arrived = Cell::share(ratio(arrived, reached.len() as u64));
        let spreads: BTreeMap<&Place, f64> = reached
            .iter()
            .filter(|(_, one)| one.arrived)
            .map(|(place, one)| (place, one.amplification() as f64))
            .collect();
        let all: Vec<f64> = spreads.values().copied().collect();
        let own = Summary::of(&all, confidence);
        let against = pairs::baseline(analysis, &summary.info).and_then(|other| {
            let plain = pairs::unaltered(analysis, &other.info)?;
            let others = spread.reach(&other.info.id, &plain.info.id);
            let differences: Vec<f64> = others
                .iter()
                .filter_map(|(place, one)| Some(spreads.get(place)? - one.amplification() as f64))
                .collect();
            Summary::of(&differences, confidence)
        });
        rows.push((
            summary,
            vec![
                Cell::text("all"),
                pairs_played.clone(),
                arrived.clone(),
                of(OccurrenceKind::Request, None),
                of(OccurrenceKind::Answer, None),
                of(OccurrenceKind::Message, None),
                of(OccurrenceKind::Call, None),
                Cell::number(own.as_ref().map(|one| one.mean)),
                Cell::interval(own.as_ref().and_then(Summary::interval)),
                Cell::number(against.as_ref().map(|one| one.mean)),
                Cell::interval(against.as_ref().and_then(Summary::interval)),
            ],
        ));
        for layer in Layer::ALL {
            if reached.iter().all(|(_, one)| {
                one.of(OccurrenceKind::Request, Some(layer)).0 + one.of(OccurrenceKind::Message, Some(layer)).0 == 0
            }) {
                continue;
            }
            let mut row = vec![Cell::text(layer.name()), pairs_played.clone(), arrived.clone()];
            row.extend(
                [OccurrenceKind::Request, OccurrenceKind::Answer, OccurrenceKind::Message]
                    .map(|what| of(what, Some(layer))),
            );
            row.extend(std::iter::repeat_n(Cell::Empty, 5));
            rows.push((summary, row));
        }
    }
    let notes = vec![
        "Episodes are alike up to the altered message, which is not counted; places behind it are compared step by step, in the episodes in which it arrived. A layer that was asked, or \
         sent a message, in one of the two episodes alone differs."
            .to_owned(),
        "Requests show how far the alteration is seen. What a layer makes of it is the player's: a noisy expert reads no message, so that its answers differ \
         only where it is asked at other times."
            .to_owned(),
        numerical(),
    ];
    Ok(labelled(analysis, (item.key, item.title), columns, rows, notes))
}

/// The numerical amplification, over maps that are drawn at random.
fn numerical() -> String {
    let curves = Asked { depth: DEPTH, ..Asked::default() }.curves();
    let said = curves.iter().filter_map(|curve| {
        let growth = curve.growth.iter().find(|growth| growth.depth == DEPTH)?;
        Some(format!("{:.2} ({})", growth.error.mean, curve.name))
    });
    let said: Vec<String> = said.collect();
    format!("The numerical amplification of an error over {DEPTH} drawn maps, in the mean: {}.", said.join(", "))
}
