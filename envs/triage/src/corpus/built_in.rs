//! The files of the project's own scenarios.

macro_rules! files {
    ($($scene:literal,)*) => {
        /// The place of each file and its text.
        pub(super) const FILES: &[(&str, &str)] = &[
            $((
                concat!("envs/triage/scenarios/", $scene, "/scenario.yaml"),
                include_str!(concat!("../../scenarios/", $scene, "/scenario.yaml")),
            ),)*
        ];
    };
}

files! {
    "dev/ssh_guessing",
}
