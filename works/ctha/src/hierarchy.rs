//! Tables of hierarchies that were played: coordination, conflicts by pair, messages, active layers (CTHA-092, CTHA-095, CTHA-110 to 116).

use gimbal_analysis::columns::{count, interval, label, number, share};
use gimbal_analysis::metrics::ratio;
use gimbal_analysis::tables::labelled;
use gimbal_analysis::{Analysis, Cell, CellSummary, Column, ColumnKind, Summary, Table};
use gimbal_view::work::{Context, Item, Undeclared};

use crate::layers::{CAUSES, CellLayers, Figures, LAYERS, Layers, OUTCOMES};

/// The analysis, and the cells that have hierarchies with what their layers did.
type Played<'a> = (&'a Analysis, Vec<(&'a CellSummary, &'a CellLayers)>);

/// The cells that have hierarchies, in the study's order.
pub(crate) fn cells<'a>(context: &Context<'a>) -> Result<Played<'a>, Undeclared> {
    let (analysis, layers) = (context.analysis()?, context.fold::<Layers>(&LAYERS)?);
    let with = |summary: &'a CellSummary| Some((summary, layers.of(&summary.info.id)?));
    Ok((analysis, analysis.cells.iter().filter_map(with).filter(|(_, layers)| !layers.episodes.is_empty()).collect()))
}

/// The mean of a figure a step over episodes, with its interval.
fn rate(
    episodes: &CellLayers,
    of: impl Fn(&Figures) -> u32,
    confidence: f64,
) -> (Option<f64>, Option<gimbal_analysis::Interval>) {
    let shares: Vec<f64> = episodes
        .episodes
        .iter()
        .filter(|(_, _, one)| one.steps > 0)
        .map(|(_, _, one)| f64::from(of(one)) / f64::from(one.steps))
        .collect();
    let summary = Summary::of(&shares, confidence);
    (summary.as_ref().map(|one| one.mean), summary.as_ref().and_then(Summary::interval))
}

fn sum(layers: &CellLayers, of: impl Fn(&Figures) -> u64) -> u64 {
    layers.episodes.iter().map(|(_, _, one)| of(one)).sum()
}

/// How the layers got along.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn coordination(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, cells) = cells(context)?;
    let confidence = analysis.options.confidence;
    let columns = vec![
        count("episodes", "Episodes", "n", "Episodes with layers"),
        share(
            "conflicts",
            "Conflicts",
            "conflicts",
            "Share of steps in which proposals or commitments exclude one another (Eq. 23)",
        ),
        interval("conflicts_ci", "Interval", "conflicts", 3, "Interval of the mean over episodes"),
        share(
            "carried_out",
            "Carried out",
            "conflicts",
            "Share of steps whose call contradicts what another layer wants or holds and has not given up",
        ),
        share("attempted", "Attempted", "violations", "Decisions beyond a layer's authority, a step"),
        share("violated", "Carried out", "violations", "Those that were carried out, a step"),
        share(
            "overridden",
            "Faster over slower",
            "violations",
            "Share of those carried out in which a faster layer does what a slower one excludes",
        ),
        share(
            "failures",
            "Failed steps",
            "failures",
            "Share of steps with a contradiction or a violation carried out, or a message that its default replaces",
        ),
        interval("failures_ci", "Interval", "failures", 3, "Interval of the mean over episodes"),
        number(
            "cascades",
            "Cascades",
            "failures",
            2,
            "Runs of at least three failed steps that begin with a conflict, an episode",
        ),
    ];
    let mut rows = Vec::new();
    for (summary, layers) in cells {
        let (conflicts, conflicts_ci) = rate(layers, |one| one.conflicts, confidence);
        let (failures, failures_ci) = rate(layers, |one| one.failures, confidence);
        let violated = sum(layers, |one| u64::from(one.violated));
        rows.push((
            summary,
            vec![
                Cell::count(layers.episodes.len() as u64),
                Cell::share(conflicts),
                Cell::interval(conflicts_ci),
                Cell::share(rate(layers, |one| one.carried_out, confidence).0),
                Cell::share(rate(layers, |one| one.violations, confidence).0),
                Cell::share(rate(layers, |one| one.violated, confidence).0),
                Cell::share(ratio(sum(layers, |one| u64::from(one.overridden)), violated)),
                Cell::share(failures),
                Cell::interval(failures_ci),
                Cell::number(ratio(sum(layers, |one| u64::from(one.cascades)), layers.episodes.len() as u64)),
            ],
        ));
    }
    let notes = vec![
        "After an arbiter no contradiction is carried out by construction: that this column is zero there is no finding. What it costs is in the \
         returns."
            .to_owned(),
        "The same detectors watch a hierarchy without contracts: what its layers forbid is read from lines of their free text.".to_owned(),
        "A cascade is defined here; the work names the measure and gives no definition (CTHA-114).".to_owned(),
    ];
    Ok(labelled(analysis, (item.key, item.title), columns, rows, notes))
}

/// Which layers are in conflict, over what, and who is kept.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn pairs(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, cells) = cells(context)?;
    let mut columns = vec![
        label("faster", "Faster", "layers", "The faster of the two layers"),
        label("slower", "Slower", "layers", "The slower of the two layers"),
        count("conflicts", "Conflicts", "conflicts", "Conflicts between them"),
        number("a_step", "A step", "conflicts", 3, "Conflicts a step"),
    ];
    columns.extend(CAUSES.map(|cause| {
        Column::new(cause, cause, "over", ColumnKind::Integer, "Conflicts over this; one may be over several things")
    }));
    columns.push(share(
        "faster_kept",
        "Faster kept",
        "kept",
        "Share of conflicts after which the faster layer's is in effect",
    ));
    columns.push(share(
        "slower_kept",
        "Slower kept",
        "kept",
        "Share of conflicts after which the slower layer's is in effect",
    ));
    let mut rows = Vec::new();
    for (summary, layers) in cells {
        let steps = sum(layers, |one| u64::from(one.steps));
        for ((faster, slower), pair) in &layers.pairs {
            let mut row = vec![
                Cell::text(faster.as_str()),
                Cell::text(slower.as_str()),
                Cell::count(pair.conflicts),
                Cell::number(ratio(pair.conflicts, steps)),
            ];
            row.extend(pair.causes.map(Cell::count));
            row.extend(pair.kept.map(|kept| Cell::share(ratio(kept, pair.conflicts))));
            rows.push((summary, row));
        }
    }
    let notes = vec!["Without an arbiter nobody gives way, and neither layer is kept in these columns.".to_owned()];
    Ok(labelled(analysis, (item.key, item.title), columns, rows, notes))
}

/// How messages follow their contracts, and what is kept of them.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn messages(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, cells) = cells(context)?;
    let mut columns = vec![
        label("kind", "Message", "message", "Kind of message"),
        count("messages", "Messages", "message", "Messages that were sent"),
    ];
    columns.extend(
        OUTCOMES.map(|name| {
            Column::new(name, &name.replace('_', " "), "read", ColumnKind::Share(1), "Share of the messages")
        }),
    );
    columns.push(number("a_step", "A step", "size", 2, "Messages a step"));
    columns.push(number("bytes", "Bytes", "size", 0, "Mean bytes of a message as it is kept"));
    let mut rows = Vec::new();
    for (summary, layers) in cells {
        let steps = sum(layers, |one| u64::from(one.steps));
        for (kind, messages) in &layers.messages {
            let all: u64 = messages.outcomes.iter().sum();
            let mut row = vec![Cell::text(kind.as_str()), Cell::count(all)];
            row.extend(messages.outcomes.map(|count| Cell::share(ratio(count, all))));
            row.push(Cell::number(ratio(all, steps)));
            row.push(Cell::number(ratio(messages.bytes, all)));
            rows.push((summary, row));
        }
    }
    let notes = vec![
        "as written: it followed its contract; by rule: rules brought it into shape; default: nothing of it could be used; free: no contract; lost: a \
         fault took it away."
            .to_owned(),
    ];
    Ok(labelled(analysis, (item.key, item.title), columns, rows, notes))
}

/// How many layers are asked in a step, and what coordination costs without model time.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn activity(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, cells) = cells(context)?;
    let mut columns =
        vec![number("active", "Mean", "active", 2, "Mean number of layers that are asked in a step (CTHA-092)")];
    let counts: [(&'static str, &str); 5] = [("one", "1"), ("two", "2"), ("three", "3"), ("four", "4"), ("five", "5")];
    columns.extend(counts.map(|(key, title)| {
        Column::new(key, title, "active", ColumnKind::Share(1), "Share of steps in which so many layers are due")
    }));
    columns.extend([
        share("early", "Early exits", "arbiter", "Share of steps without a conflict (CTHA-082)"),
        number("parties", "Parties", "arbiter", 2, "Proposals and commitments in a step"),
        number("comparisons", "Compared", "arbiter", 2, "Pairs that were compared in a step (CTHA-095)"),
        share(
            "cached",
            "Cache hits",
            "messages",
            "Share of the times a slower layer was due at which nothing had changed (CTHA-094)",
        ),
        number("messages", "Messages", "messages", 2, "Messages a step"),
        number("bytes", "Bytes", "messages", 0, "Bytes of messages a step"),
    ]);
    let mut rows = Vec::new();
    for (summary, layers) in cells {
        let steps = sum(layers, |one| u64::from(one.steps));
        let a_step = |of: &dyn Fn(&Figures) -> u64| Cell::number(ratio(sum(layers, of), steps));
        let cached = sum(layers, |one| u64::from(one.cached));
        let slower: u64 = layers.asked.iter().filter(|((layer, _), _)| layer != "reflex").map(|(_, count)| count).sum();
        let mut row = vec![a_step(&|one| u64::from(one.active))];
        row.extend(layers.active[1..].iter().map(|count| Cell::share(ratio(*count, steps))));
        row.extend([
            Cell::share(ratio(sum(layers, |one| u64::from(one.early)), steps)),
            a_step(&|one| one.parties),
            a_step(&|one| one.comparisons),
            Cell::share(ratio(cached, slower)),
            a_step(&|one| u64::from(one.messages)),
            a_step(&|one| one.bytes),
        ]);
        rows.push((summary, row));
    }
    let notes = vec![
        "The work prints a mean of 1.8 active layers beside a distribution whose mean is 1.48 (CTHA-R07). A layer that is due and has nothing new to see \
         counts as due and not as asked."
            .to_owned(),
    ];
    Ok(labelled(analysis, (item.key, item.title), columns, rows, notes))
}

/// Why each layer was asked.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn triggers(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, cells) = cells(context)?;
    let columns = vec![
        label("layer", "Layer", "asked", "The layer"),
        label("why", "Why", "asked", "Its period, or what triggered it"),
        count("times", "Times", "asked", "How often it was due for this reason"),
        number("an_episode", "An episode", "asked", 2, "The same, an episode"),
    ];
    let mut rows = Vec::new();
    for (summary, layers) in cells {
        for ((layer, why), times) in &layers.asked {
            let an_episode = Cell::number(ratio(*times, layers.episodes.len() as u64));
            rows.push((
                summary,
                vec![Cell::text(layer.as_str()), Cell::text(why.as_str()), Cell::count(*times), an_episode],
            ));
        }
    }
    Ok(labelled(analysis, (item.key, item.title), columns, rows, Vec::new()))
}
