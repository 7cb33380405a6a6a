//! Triage of telemetry: scenarios with verified verdicts, as evidence packets that an agent may cite (ARES-070 to ARES-074).

/// The number of this environment's behaviour; results of different numbers must not be mixed.
pub const BEHAVIOUR: u32 = 1;
