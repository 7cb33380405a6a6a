//! How long the blocks become.

use gimbal_cage2::options::REDS;
use gimbal_cage2::policy::{Policy, PolicyKind};
use gimbal_cage2::{Names, Options, Red};

use crate::tracker::play::{BLOCKS, Play};

/// About two sentences, as models give them.
const WHY: &str = "The host shows a process that was not there before, and nothing was done about it yet. Acting now \
                   costs less than waiting for one more step.";
const EPISODES: u64 = 10;
const POLICIES: [PolicyKind; 4] =
    [PolicyKind::Monitor, PolicyKind::Random, PolicyKind::RestoreChanged, PolicyKind::GreedyDecoysThenRestore];

/// Bytes of each block as a prompt meets it before each step: `sizes[step][block]`, the mean over episodes, and the
/// largest at all.
fn sizes(red: Red, kind: PolicyKind, horizon: u32) -> (Vec<[f64; 3]>, [usize; 3]) {
    let mut mean = vec![[0.0; 3]; horizon as usize];
    let mut largest = [0; 3];
    for seed in 0..EPISODES {
        let mut play = Play::new(Options { red, horizon, ..Options::default() }, seed, Names::original());
        let mut policy = Policy::new(kind);
        policy.reset(seed);
        for before in &mut mean {
            for (block, name) in BLOCKS.iter().enumerate() {
                let bytes = play.block(name).len();
                before[block] += bytes as f64 / EPISODES as f64;
                largest[block] = largest[block].max(bytes);
            }
            play.act(policy.act(play.simulator.vector()), Some(WHY));
        }
    }
    (mean, largest)
}

// covers: BOG-107, BOG-108
#[test]
fn blocks_stay_within_bounds_over_30_and_100_steps() {
    println!(
        "bytes before the last step (mean of {EPISODES} episodes) and the largest of all; justifications of {} bytes",
        WHY.len()
    );
    println!("{:10} {:28} {:>7} {:>16} {:>16} {:>16}", "red", "policy", "steps", BLOCKS[0], BLOCKS[1], BLOCKS[2]);
    for red in REDS {
        for kind in POLICIES {
            for horizon in [30, 100] {
                let (mean, largest) = sizes(red, kind, horizon);
                let last = mean[mean.len() - 1];
                let cells: Vec<String> = (0..3).map(|at| format!("{:>9.0} {:>6}", last[at], largest[at])).collect();
                println!("{:10} {:28} {horizon:>7} {}", red.name(), kind.name(), cells.join(" "));

                let steps = horizon as usize;
                let [observation, history, status] = largest;
                // One step's observation: what an action and one scan or attack of red give.
                assert!(observation < 3_000, "{observation}");
                // A line for every step at most: the reason, the action and what changed.
                assert!(history < 20 + steps * (WHY.len() + 120), "{history}");
                // A line for every host at most, and every action in one record at most.
                assert!(status < 60 + 13 * 160 + steps * "->DecoyHarakaSMPT".len(), "{status}");
                // What the first observation holds is never repeated.
                assert!(mean[0].iter().sum::<f64>() < 100.0);
            }
        }
    }
}

// covers: BOG-104, BOG-107
#[test]
fn a_quiet_episode_is_one_line_however_long() {
    for horizon in [30, 100] {
        let (mean, largest) = sizes(Red::Sleep, PolicyKind::Monitor, horizon);
        assert!(largest[1] <= "Steps so far:\nSteps 1-100: Monitor (no status change)".len());
        assert_eq!(largest[2], "Every host is in its baseline state.".len());
        assert!(mean[mean.len() - 1][1] - mean[1][1] <= 5.0, "only the number of the last step grows");
    }
    // Against an attacker only the steps that changed a status stand out.
    for red in [Red::BLine, Red::Meander] {
        let (_, after_30) = sizes(red, PolicyKind::Monitor, 30);
        let (_, after_100) = sizes(red, PolicyKind::Monitor, 100);
        assert!(after_100[1] < 30 * (WHY.len() + 120), "{red:?}: {after_30:?}, {after_100:?}");
    }
}
