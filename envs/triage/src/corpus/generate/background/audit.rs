//! The audit log: programs that always start.

use super::{Around, step};
use crate::scenario::{Execution, Step};

fn exec(at: f64, count: u32, every: f64, exe: &str, argv: &str, uid: &str, user: &str) -> Step {
    let exec = Execution {
        exe: exe.to_owned(),
        argv: argv.to_owned(),
        uid: uid.to_owned(),
        user: user.to_owned(),
        cwd: "/".to_owned(),
    };
    Step { exec: Some(exec), ..step(at, count, every) }
}

/// A web server.
pub(super) fn web(around: &mut Around<'_>) -> Vec<Step> {
    let hours = around.times(1_800.0).min(4);
    vec![
        exec(20.0, hours, 1_800.0, "/usr/bin/run-parts", "run-parts --report /etc/cron.hourly", "0", "root"),
        exec(140.0, hours, 1_800.0, "/usr/sbin/logrotate", "logrotate /etc/logrotate.conf", "0", "root"),
        exec(400.0, hours, 1_800.0, "/usr/bin/php8.2", "php8.2 /srv/shop/cron.php", "33", "www-data"),
        exec(640.0, hours, 1_800.0, "/usr/bin/df", "df -h /srv", "110", "monitor"),
    ]
}

/// A build machine.
pub(super) fn build(around: &mut Around<'_>) -> Vec<Step> {
    let runs = around.times(700.0).min(5);
    vec![
        exec(30.0, runs, 700.0, "/usr/bin/git", "git fetch --depth 1 origin", "1500", "runner"),
        exec(45.0, runs, 700.0, "/usr/bin/make", "make -j8 all", "1500", "runner"),
        exec(300.0, runs, 700.0, "/usr/bin/tar", "tar czf /srv/out/{hex6}.tgz dist", "1500", "runner"),
    ]
}
