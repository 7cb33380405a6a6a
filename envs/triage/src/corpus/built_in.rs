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
    "dev/admin_account",
    "dev/cloud_upload",
    "dev/directory_replication",
    "dev/encoded_shell",
    "dev/filtered_ports",
    "dev/guess_then_outflow",
    "dev/long_names",
    "dev/lsass_open",
    "dev/night_copy",
    "dev/night_sudo",
    "dev/password_reset",
    "dev/patch_day",
    "dev/port_sweep",
    "dev/routine_branch",
    "dev/routine_desk",
    "dev/routine_web",
    "dev/sensor_off",
    "dev/service_install",
    "dev/slow_guesses",
    "dev/ssh_guessing",
    "dev/steady_calls",
    "dev/task_short_life",
    "dev/windows_guessing",
    "test/account_spray",
    "test/banner_probe",
    "test/beat_with_parent",
    "test/desktop_sweep",
    "test/event_consumer",
    "test/excluded_folder",
    "test/fetched_program",
    "test/job_table",
    "test/peer_management",
    "test/pool_port",
    "test/provisioning",
    "test/remote_tool",
    "test/routine_build",
    "test/routine_campus",
    "test/routine_clinic",
    "test/sampled_burst",
    "test/session_takeover",
    "test/shadow_copies",
    "test/studio_upload",
    "test/sweep_and_logon",
    "test/transfer_job",
    "test/two_places",
    "test/typing_errors",
    "test/weak_tickets",
    "test/web_shell",
}
