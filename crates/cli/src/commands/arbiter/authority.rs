//! `gimbal arbiter authority`.

use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_neural::authority::examples::examples;
use gimbal_neural::authority::{Classifier, Compared, Form, compare};
use gimbal_neural::train::classifier;
use gimbal_temporal::authority::Authority;

use super::train::failed;
use crate::args::AuthorityArgs;
use crate::commands::{tables, write_bytes};
use crate::exit::Failure;
use crate::stdio::message;

/// Examples of each kind of words that are tested on.
const TESTED: usize = 4_000;

/// Trains both forms and prints what they and the rule make of words that were seen and words that were not.
pub fn authority(options: &AuthorityArgs) -> Result<(), Failure> {
    let authority = Authority::published();
    let training = examples(options.examples as usize, false, options.seed);
    let tests = [("seen", false), ("unseen", true)]
        .map(|(name, unseen)| (name, examples(TESTED, unseen, options.seed.wrapping_add(1))));
    let mut rows = Vec::new();
    for (name, form) in [("linear", Form::LINEAR), ("MLP, 3 x 512", Form::PUBLISHED)] {
        message(&format!("{name}: {} parameters", form.parameters()));
        let bytes = classifier(form, &authority, &training, options.epochs, options.seed, true).map_err(failed)?;
        let trained = Classifier::read(&bytes).map_err(Failure::usage)?;
        if form == Form::PUBLISHED
            && let Some(path) = &options.out
        {
            write_bytes(path, &bytes)?;
            message(&format!("{}: {} bytes written", path.display(), bytes.len()));
        }
        for (words, examples) in &tests {
            let found = compare(&trained, &authority, examples);
            rows.push(row(name, words, &found, found.classifier_right, found.classifier_missed));
            if form == Form::PUBLISHED {
                rows.push(row(
                    "rule, kind of the words",
                    words,
                    &found,
                    found.rule_right,
                    found.asked - found.rule_right,
                ));
                rows.push(row(
                    "rule, kind that the form claims",
                    words,
                    &found,
                    found.claimed_right,
                    found.claimed_missed,
                ));
                let forbids = found.violations;
                rows.push(row("forbids everything", words, &found, forbids, 0));
            }
        }
    }
    tables::show(&table(rows, options), options.format);
    Ok(())
}

fn row(who: &str, words: &str, of: &Compared, right: usize, missed: usize) -> Vec<Cell> {
    let allowed = of.asked - of.violations;
    // What is wrong and no missed violation is a decision that was forbidden though the layer may take it.
    let refused = of.asked - right - missed;
    let share = |part: usize, whole: usize| Cell::share((whole > 0).then(|| part as f64 / whole as f64));
    vec![
        Cell::text(who),
        Cell::text(words),
        Cell::count(of.asked as u64),
        share(right, of.asked),
        share(missed, of.violations),
        share(refused, allowed),
    ]
}

fn table(rows: Vec<Vec<Cell>>, options: &AuthorityArgs) -> Table {
    let share = |key, title, help| Column::new(key, title, "figures", ColumnKind::Share(1), help);
    Table {
        key: "authority-classifier",
        title: "The classifier of authority beside the rule".to_owned(),
        columns: vec![
            Column::new(
                "who",
                "Who decides",
                "row",
                ColumnKind::Label,
                "A classifier, or the rule with what it is given",
            ),
            Column::new(
                "words",
                "Words",
                "row",
                ColumnKind::Label,
                "Whether tools and subjects are those of the training",
            ),
            Column::new("asked", "Asked", "row", ColumnKind::Integer, "Decisions times layers"),
            share("right", "Right", "Share of right answers"),
            share("missed", "Let through", "Share of what a layer may not do that is permitted"),
            share("refused", "Held back", "Share of what a layer may do that is forbidden"),
        ],
        rows,
        notes: vec![format!(
            "{} examples to learn from, {} epochs, seed {}. The rule is right by construction where it is given the kind that the words describe: the labels are its own.",
            options.examples, options.epochs, options.seed
        )],
    }
}
