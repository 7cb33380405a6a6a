//! Lines of syslog: RFC 3164 without a year, or RFC 5424.

use gimbal_core::Digest;

use super::{Record, rfc3339};
use crate::scenario::{Frame, Script};

/// Names of months as RFC 3164 writes them.
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// Facilities: security messages, cron, kernel, daemons.
const AUTHENTICATION: u8 = 10;
const CRON: u8 = 9;
const KERNEL: u8 = 0;
const DAEMON: u8 = 3;
/// Severity of what is informational.
const INFORMATION: u8 = 6;

pub(super) fn render(script: &Script, records: Vec<Record<'_>>) -> Result<Vec<u8>, String> {
    let mut out = String::new();
    for mut record in records {
        let line = record.step.line.as_deref().ok_or("a step of a syslog source needs `line`")?;
        let line = record.values.fill(line, &mut record.rng)?;
        let (program, message) =
            line.split_once(": ").ok_or_else(|| format!("`{line}`: expected `PROGRAM: MESSAGE`"))?;
        let pid = 700 + number(script, program, message, &mut record) % 31_000;
        let time = rfc3339(record.micros);
        let has_number = !matches!(program, "kernel" | "sudo" | "su");
        match script.frame {
            Frame::Rfc3164 => {
                let month = time.get(5..7).and_then(|month| month.parse::<usize>().ok()).unwrap_or(1);
                let month = MONTHS.get(month.saturating_sub(1)).copied().unwrap_or("Jan");
                let day = time.get(8..10).unwrap_or("01").trim_start_matches('0');
                let clock = time.get(11..19).unwrap_or("00:00:00");
                let number = if has_number { format!("[{pid}]") } else { String::new() };
                out.push_str(&format!("{month} {day:>2} {clock} {} {program}{number}: {message}\n", record.host));
            }
            Frame::Rfc5424 => {
                let facility = match program {
                    "sshd" | "sudo" | "su" | "useradd" | "usermod" | "userdel" | "passwd" | "gpasswd" => AUTHENTICATION,
                    "CRON" | "crontab" => CRON,
                    "kernel" => KERNEL,
                    _ => DAEMON,
                };
                let priority = facility * 8 + INFORMATION;
                let number = if has_number { pid.to_string() } else { "-".to_owned() };
                out.push_str(&format!("<{priority}>1 {time} {} {program} {number} - - {message}\n", record.host));
            }
        }
    }
    Ok(out.into_bytes())
}

/// The number of the process that logs. A server has one for each connection: lines about one account, at the same turn of their steps,
/// are of one connection.
fn number(script: &Script, program: &str, message: &str, record: &mut Record<'_>) -> u64 {
    let after = message.split_once("for user ").or_else(|| message.split_once(" for ")).map(|(_, after)| after);
    let account = after.and_then(|after| after.split([' ', '(']).next()).filter(|_| program == "sshd");
    account.map_or_else(
        || record.rng.next_u64(),
        |account| {
            let parts = [program.as_bytes(), record.host.as_bytes(), account.as_bytes()];
            let turn = u64::from(record.values.index) + script.seed;
            Digest::of_parts(&[&parts.concat(), &turn.to_be_bytes()]).head()
        },
    )
}
