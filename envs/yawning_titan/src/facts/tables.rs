//! The numbers of the reward functions.
//!
//! Source: YAWNING-TITAN 2.0.1 (commit db25f453, MIT), read as facts.

/// The step by which blue lowers a vulnerability.
pub const REDUCTION: f64 = 0.2;

/// What an action costs in `standard_rewards`: `reduce_vulnerability`, `restore_node`, `make_node_safe`, `isolate`, `connect`, `scan`, `do_nothing`, `add_deceptive_node`.
pub const STANDARD_REWARDS_COST: [f64; 8] = [0.5, 1.0, 0.5, 1.0, 0.0, 0.0, -0.5, 8.0];

/// What an action costs in `experimental_rewards`: `reduce_vulnerability`, `restore_node`, `make_node_safe`, `isolate`, `connect`, `scan`, `do_nothing`, `add_deceptive_node`.
pub const EXPERIMENTAL_REWARDS_COST: [f64; 8] = [0.0, 1.0, 0.0, 10.0, 0.0, 0.0, -0.5, 2.0];

/// What an action costs in `dcbo_cost_func`: `reduce_vulnerability`, `restore_node`, `make_node_safe`, `isolate`, `connect`, `scan`, `do_nothing`, `add_deceptive_node`.
pub const DCBO_COST_FUNC_COST: [f64; 8] = [0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];

/// What it earns to clear nodes, by the share of nodes that are still compromised, in per cent.
pub const POINTS: [f64; 101] = [
    1.0, 0.996, 0.992, 0.9881, 0.9841, 0.9802, 0.9763, 0.9724, 0.9685, 0.9646, 0.9608, 0.957, 0.9531, 0.9493, 0.9455,
    0.9418, 0.938, 0.9343, 0.9305, 0.9268, 0.9231, 0.9194, 0.9158, 0.9121, 0.9085, 0.9048, 0.9012, 0.8976, 0.894,
    0.8905, 0.8869, 0.8834, 0.8799, 0.8763, 0.8728, 0.8694, 0.8659, 0.8624, 0.859, 0.8556, 0.8521, 0.8487, 0.8454,
    0.842, 0.8386, 0.8353, 0.8319, 0.8286, 0.8253, 0.822, 0.8187, 0.8155, 0.8122, 0.809, 0.8057, 0.8025, 0.7993,
    0.7961, 0.7929, 0.7898, 0.7866, 0.7835, 0.7804, 0.7772, 0.7741, 0.7711, 0.768, 0.7649, 0.7619, 0.7588, 0.7558,
    0.7528, 0.7498, 0.7468, 0.7438, 0.7408, 0.7379, 0.7349, 0.732, 0.7291, 0.7261, 0.7233, 0.7204, 0.7175, 0.7146,
    0.7118, 0.7089, 0.7061, 0.7033, 0.7005, 0.6977, 0.6949, 0.6921, 0.6894, 0.6866, 0.6839, 0.6811, 0.6784, 0.6757,
    0.673, 0.6703,
];
