//! The reward functions (SPEC 10). Additions are made in the original's order: they are exact to the last bit.

use super::{Executed, Intent, State};
use crate::facts::tables::{DCBO_COST_FUNC_COST, EXPERIMENTAL_REWARDS_COST, POINTS, STANDARD_REWARDS_COST};
use crate::rules::{Kind, RewardFunction};

/// What a reward compares with: after red's turn, before blue's.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    compromised: f64,
    seen: f64,
    isolated: f64,
    vulnerability: f64,
}

impl State {
    pub(super) fn before(&self, intent: Intent) -> Sums {
        match self.rules.function {
            RewardFunction::OnePerTimestep
            | RewardFunction::Zero
            | RewardFunction::SafeNodesGiveRewards
            | RewardFunction::NumNodesSafe
            | RewardFunction::DcboCost => Sums::default(),
            _ => self.sums(matches!(intent, Intent::On(Kind::ReduceVulnerability | Kind::Restore, _))),
        }
    }

    /// Sums over the nodes, in node order; that of vulnerabilities only where it is asked for.
    fn sums(&self, vulnerabilities: bool) -> Sums {
        Sums {
            compromised: self.count(&self.compromised) as f64,
            seen: self.count(&self.view) as f64,
            isolated: self.count(&self.isolated) as f64,
            vulnerability: if vulnerabilities { self.total_vulnerability() } else { 0.0 },
        }
    }

    pub(super) fn reward_of(&self, before: &Sums, found: usize) -> f64 {
        let did = self.did;
        let nodes = self.now.order().len() as f64;
        let after = self.sums(matches!(did, Executed::ReduceVulnerability | Executed::Restore));
        let fixed = matches!(did, Executed::MakeSafe | Executed::Restore);
        let points = || POINTS[(100.0 * after.compromised / nodes).round_ties_even() as usize];
        match self.rules.function {
            RewardFunction::Standard => self.standard(before, &after, found, points),
            RewardFunction::Experimental => {
                let mut reward = -EXPERIMENTAL_REWARDS_COST[did as usize];
                if fixed {
                    if before.seen > after.seen {
                        reward += points();
                    } else if before.compromised <= after.compromised {
                        reward -= 1.0;
                    }
                }
                if did == Executed::DoNothing {
                    reward -= 0.5 * after.compromised;
                }
                let unseen = after.compromised - after.seen;
                reward - 0.01 * (unseen * unseen)
            }
            RewardFunction::PunishBadActions => {
                let mut reward = 0.0;
                if did == Executed::DoNothing {
                    reward -= 0.5 * after.compromised;
                }
                if fixed && before.compromised == after.compromised {
                    reward -= 0.2 * before.compromised;
                }
                if did == Executed::ReduceVulnerability && before.vulnerability == after.vulnerability {
                    reward -= 1.0;
                }
                if did == Executed::AddDeceptiveNode && self.full {
                    reward -= 5.0;
                }
                reward
            }
            RewardFunction::OnePerTimestep => 0.1,
            RewardFunction::Zero => 0.0,
            RewardFunction::SafeNodesGiveRewards => nodes - after.compromised,
            RewardFunction::NumNodesSafe => (nodes - after.compromised) / nodes,
            RewardFunction::DcboCost => -(10.0 * after.compromised + DCBO_COST_FUNC_COST[did as usize]),
        }
    }

    fn standard(&self, before: &Sums, after: &Sums, found: usize, points: impl Fn() -> f64) -> f64 {
        let did = self.did;
        let nodes = self.now.order().len() as f64;
        let fixed = matches!(did, Executed::MakeSafe | Executed::Restore);
        // Isolating costs what isolated nodes cost.
        let mut reward = if did == Executed::Isolate { 0.0 } else { -STANDARD_REWARDS_COST[did as usize] };
        reward -= after.isolated;
        if did == Executed::DoNothing {
            reward -= 0.2 * after.compromised;
        }
        if did == Executed::Connect {
            reward += if after.isolated < before.isolated { 5.0 } else { -5.0 };
        }
        if before.compromised > after.compromised {
            reward += points();
        }
        let share = after.compromised / nodes;
        if !fixed && share > 0.3 {
            reward = reward - share + 0.3;
        }
        if fixed && before.compromised == after.compromised {
            reward -= 3.0;
        }
        let lowered = did == Executed::ReduceVulnerability;
        if (lowered || did == Executed::Restore) && before.vulnerability == after.vulnerability {
            reward -= 0.5;
        }
        if did == Executed::Scan {
            reward += if found >= 5 { 2.5 } else { 0.5 * found as f64 };
        }
        if lowered && !self.rules.ignores_defences {
            reward += (before.vulnerability - after.vulnerability) * 4.0;
        }
        if did == Executed::AddDeceptiveNode && self.full {
            reward -= 5.0;
        }
        reward
    }
}
