//! Syslog: jobs, sessions, services.

use gimbal_core::Digest;

use super::{Around, step};
use crate::scenario::Step;

fn line(at: f64, count: u32, every: f64, text: &str) -> Step {
    Step { line: Some(text.to_owned()), ..step(at, count, every) }
}

/// The fingerprint of a person's key: the same on every day.
fn key(person: &str) -> String {
    Digest::of(person.as_bytes()).to_string()[..43].to_owned()
}

/// A farm of web servers.
pub(super) fn web(around: &mut Around<'_>) -> Vec<Step> {
    let hours = around.times(3_600.0);
    let people = ["deploy", "nadia", "ruben"];
    let mut steps = vec![
        line(17.0, hours, 3_600.0, "CRON: (root) CMD (   cd / && run-parts --report /etc/cron.hourly)"),
        line(300.0, around.times(600.0).min(6), 600.0, "CRON: (www-data) CMD (/usr/local/bin/rotate-cache)"),
        line(120.0, 1, 0.0, "systemd: Started Daily apt download activities."),
        line(126.0, 1, 0.0, "systemd: apt-daily.service: Deactivated successfully."),
        line(1_000.0, 1, 0.0, "systemd: Reloaded nginx.service - A high performance web server."),
    ];
    for (index, person) in people.iter().enumerate() {
        let at = around.moment(0.5) + 40.0;
        let address = format!("10.20.4.{}", 11 + index);
        let count = around.times(1_700.0).min(3);
        let opened = format!(
            "sshd: Accepted publickey for {person} from {address} port {{port}} ssh2: ED25519 SHA256:{}",
            key(person)
        );
        steps.push(line(at, count, 1_700.0, &opened));
        steps.push(line(
            at + 1.0,
            count,
            1_700.0,
            &format!("sshd: pam_unix(sshd:session): session opened for user {person}(uid=1001) by (uid=0)"),
        ));
        steps.push(line(
            at + 400.0,
            count,
            1_700.0,
            &format!("sshd: pam_unix(sshd:session): session closed for user {person}"),
        ));
    }
    steps
}

/// A room of build machines.
pub(super) fn build(around: &mut Around<'_>) -> Vec<Step> {
    let runs = around.times(1_200.0).min(5);
    vec![
        line(60.0, runs, 1_200.0, "systemd: Started run-{hex6}.scope - Build in a container."),
        line(700.0, runs, 1_200.0, "systemd: run-{hex6}.scope: Deactivated successfully."),
        line(95.0, runs, 1_200.0, "builder: job {1000-9999} finished in {60-900} s"),
        line(
            240.0,
            around.times(1_800.0).min(4),
            1_800.0,
            "sudo:   runner : TTY=unknown ; PWD=/srv/build ; USER=root ; COMMAND=/usr/bin/docker image prune -f",
        ),
        line(
            15.0,
            around.times(900.0).min(5),
            900.0,
            &format!(
                "sshd: Accepted publickey for runner from 172.20.9.4 port {{port}} ssh2: RSA SHA256:{}",
                key("runner")
            ),
        ),
        line(
            320.0,
            around.times(900.0).min(5),
            900.0,
            "sshd: Received disconnect from 172.20.9.4 port {port}:11: disconnected by user",
        ),
        line(500.0, 1, 0.0, "chronyd: Selected source 172.20.0.1"),
    ]
}
