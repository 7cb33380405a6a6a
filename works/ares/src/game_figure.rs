//! The figure of games of agreement: outcomes by arm.

use std::collections::BTreeSet;

use gimbal_analysis::CellSummary;
use gimbal_analysis::tables::no_evidence;
use gimbal_messages::records::consensus::Outcome;
use gimbal_view::Output;
use gimbal_view::kit::looks::{Key, Look, hatchings, legend, look};
use gimbal_view::kit::picture::Picture;
use gimbal_view::kit::stacked;
use gimbal_view::kit::svg::Svg;
use gimbal_view::work::{Context, Item, Undeclared};

use crate::groups::{GAMES, Game, Games};
use crate::tables::games::{cells, published};

/// Most bars.
const ROWS: usize = 60;

/// Shares of valid, invalid and no agreement by size, adversaries and mention.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn outcomes(context: &Context<'_>, item: &Item) -> Result<Vec<Output>, Undeclared> {
    let (analysis, games) = (context.analysis()?, context.fold::<Games>(&GAMES)?);
    let mut played: Vec<(String, &CellSummary, &[Game])> =
        cells(analysis, games).map(|(summary, games)| (arm(games), summary, games)).collect();
    // Cells of one arm beside one another, arms in the order in which the study has them.
    let mut arms: Vec<String> = Vec::new();
    for (arm, ..) in &played {
        if !arms.contains(arm) {
            arms.push(arm.clone());
        }
    }
    played.sort_by_key(|(arm, ..)| arms.iter().position(|known| known == arm));
    let environments: BTreeSet<&str> = played.iter().map(|(_, summary, _)| summary.info.environment.as_str()).collect();
    let environment = environments.into_iter().collect::<Vec<_>>().join(", ");
    let drawn = if played.is_empty() { Err("no game of agreement".to_owned()) } else { Ok(draw(&played)) };
    let said = no_evidence(played.iter().map(|(_, summary, _)| &summary.info));
    let names = (item.title.to_owned(), item.key.to_owned(), environment);
    Ok(vec![Output::of(item.key, names, drawn, said)])
}

/// What an arm is called.
fn arm(games: &[Game]) -> String {
    let Some(ended) = games.first().map(|game| &game.ended) else { return String::new() };
    let adversaries = match ended.adversaries {
        0 => "no adversary".to_owned(),
        1 => format!("1 adversary, {}", ended.strategy),
        several => format!("{several} adversaries, {}", ended.strategy),
    };
    let mentioned = if ended.mentioned { ", mentioned" } else { "" };
    format!("{} agents, {adversaries}{mentioned}", ended.agents)
}

fn draw(played: &[(String, &CellSummary, &[Game])]) -> Picture {
    let stack = |(arm, summary, games): &(String, &CellSummary, &[Game])| {
        let part = |(place, outcome): (usize, Outcome)| {
            let count = games.iter().filter(|game| game.ended.outcome == outcome).count();
            let size = 100.0 * count as f64 / games.len() as f64;
            stacked::StackPart { size, look: look(place), words: count.to_string() }
        };
        let info = &summary.info;
        let name = if info.models.is_empty() {
            info.configuration_label()
        } else {
            format!("{}, {}", info.configuration_label(), info.model_label())
        };
        stacked::Stack {
            group: arm.clone(),
            name,
            parts: Outcome::ALL.into_iter().enumerate().map(part).collect(),
            remark: games.len().to_string(),
        }
    };
    let stacks: Vec<stacked::Stack> = played.iter().take(ROWS).map(stack).collect();
    let mut svg = Svg::new();
    hatchings(&mut svg);
    let keys: Vec<(Key, Look, String)> = Outcome::ALL
        .into_iter()
        .enumerate()
        .map(|(place, outcome)| (Key::Bar, look(place), outcome.name().to_owned()))
        .collect();
    let top = legend(&mut svg, 0.0, 0.0, &keys) + 12.0;
    let mut caption = "Games that ended with a valid value of all honest agents, with anything else, or not at all. On a part: games.".to_owned();
    if played.len() > ROWS {
        caption.push_str(&format!(" {ROWS} of {} cells; the table has all.", played.len()));
    }
    if let Ok(published) = published() {
        let rates: Vec<String> = published
            .rates
            .iter()
            .filter(|rate| rate.mentioned.is_none())
            .map(|rate| {
                let size = rate.agents.map(|agents| format!(" with {agents} agents")).unwrap_or_default();
                format!("{:.1}% ({}{size})", rate.valid, rate.model)
            })
            .collect();
        caption.push_str(&format!(
            " Published for language models without adversaries: valid in {}. Policies, noisy experts and readers are not models.",
            rates.join(", ")
        ));
    }
    stacked::draw(svg, &stacks, ("% of games", "games"), top, caption)
}
