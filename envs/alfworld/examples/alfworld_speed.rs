//! What a step, a load and a plan cost: `cargo run --release -p gimbal-alfworld --example alfworld_speed -- GAMES [STEPS]`.
#![allow(clippy::print_stdout, reason = "it prints what it measures")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use gimbal_alfworld::bench::{BenchOptions, bench};
use gimbal_alfworld::home::{Dials, Household};
use gimbal_alfworld::plan::{Task, plan};
use gimbal_alfworld::{Game, Library, Play};

fn below(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            below(&path, found)?;
        } else if path.ends_with("game.tw-pddl") {
            found.push(path);
        }
    }
    Ok(())
}

fn spread(name: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at =
        |share: f64| times.get((times.len() as f64 * share) as usize).or(times.last()).copied().unwrap_or_default();
    println!("{name}: median {:.3} ms, 95 % {:.3} ms, most {:.3} ms", at(0.5), at(0.95), at(1.0));
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next();
    let steps = arguments.next().map_or(Ok(2_000_000), |count| count.parse())?;
    let mut games: Vec<Arc<Game>> = Vec::new();
    if let Some(folder) = folder {
        let mut files = Vec::new();
        below(Path::new(&folder), &mut files)?;
        files.sort();
        let timed = |library: &Library, file: &PathBuf| -> Result<(f64, Arc<Game>), Box<dyn std::error::Error>> {
            let start = Instant::now();
            let game = Arc::new(library.load(file)?);
            let play = Play::new(Arc::clone(&game));
            let spent = start.elapsed().as_secs_f64() * 1e3;
            drop(play);
            Ok((spent, game))
        };
        let library = Library::new();
        let mut warm = Vec::new();
        for file in &files {
            let (spent, game) = timed(&library, file)?;
            warm.push(spent);
            games.push(game);
        }
        spread("load and reset, domain and grammar known", warm);
        let cold = files.iter().map(|file| timed(&Library::new(), file).map(|(spent, _)| spent));
        spread("load and reset, nothing known", cold.collect::<Result<_, _>>()?);
    } else {
        for seed in 0..50 {
            games.push(Arc::new(Household::generate(&Dials::default(), seed)?.game()?));
        }
    }
    let mut plans = Vec::new();
    for game in &games {
        let start = Instant::now();
        let moves = plan(game, &Task::new(game), Play::new(Arc::clone(game)).state());
        plans.push(start.elapsed().as_secs_f64() * 1e3);
        if moves.is_none() {
            println!("no plan: {}", game.task);
        }
    }
    spread("plan from the start, grounding included", plans);
    let report = bench(&games, BenchOptions { steps, every: 50, seed: 0 });
    println!("{} games, {report:?}", games.len());
    Ok(())
}
