#![allow(clippy::print_stdout, missing_docs)]
use gimbal_yawning_titan::Scenario;
use gimbal_yawning_titan::policy::POLICIES;
use gimbal_yawning_titan::returns::{ReturnsOptions, returns};
fn main() {
    for (mode, network) in [("default", "default_18"), ("dcbo", "dcbo_base"), ("low_skill_red", "default_18_set_entry")]
    {
        for policy in POLICIES {
            let mut scenario = Scenario::of(mode, network).unwrap();
            scenario.config.set("game_rules.max_steps", &serde_json::json!(30)).unwrap();
            let r = returns(&ReturnsOptions { scenario, policy, episodes: 5000, draws: Default::default(), seed: 0 })
                .unwrap();
            println!(
                "{mode} {} mean {:.1} sd {:.1} min {:.1} max {:.1} len {:.1} reached {:.2}",
                policy.name(),
                r.mean,
                r.sd.unwrap(),
                r.min,
                r.max,
                r.length_mean,
                r.reached_max_steps
            );
        }
    }
}
