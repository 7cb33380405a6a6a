//! Messages of pluggable authentication modules: `pam_unix(sshd:auth): authentication failure; ...`.

use super::super::fill::{machine, named};
use super::reading::Reading;
use crate::{Class, EntityKind};

/// What a message of a module says; `None` for one that no rule here knows.
pub(super) fn read(message: &str) -> Option<Reading<'_>> {
    let (module, text) = message.split_once(": ")?;
    let (module, service) = module.strip_suffix(')')?.split_once('(')?;
    let text = text.trim_start();
    let reading = if let Some(rest) = text.strip_prefix("session opened for user ") {
        let (name, by) = rest.split_once(" by ").unwrap_or((rest, ""));
        let reading = Reading::new(Class::SessionOpened, "session opened").by_account(without_number(by));
        reading.on_account(without_number(name)).with("by", by)
    } else if let Some(name) = text.strip_prefix("session closed for user ") {
        Reading::new(Class::SessionClosed, "session closed").on_account(without_number(name))
    } else if let Some(rest) = text.strip_prefix("authentication failure;") {
        failure(rest, "authentication failure")
    } else if let Some((name, error)) = text.strip_prefix("received for user ").and_then(|rest| rest.split_once(": ")) {
        // `received for user bob: 7 (Authentication failure)`: an error of PAM by its number, as pam_sss writes it.
        let (number, words) = error.split_once(" (").unwrap_or((error, ""));
        let action = match number.trim() {
            "6" => "permission denied",
            "7" => "authentication failure",
            "10" => "unknown account",
            "11" => "too many attempts",
            "13" => "account not allowed",
            _ => return None,
        };
        let words = words.trim_end().strip_suffix(')').unwrap_or(words);
        Reading::new(Class::LogonFailed, action).on_account(name).with("error", words)
    } else if let Some(name) = text.strip_prefix("password changed for ") {
        Reading::new(Class::PasswordChanged, "password changed").on_account(name.trim_end())
    } else {
        return None;
    };
    Some(reading.with("module", module).with("service", service))
}

/// A failure with its pairs: who asked (`rhost`, else `ruser`), and for which account.
pub(super) fn failure<'a>(pairs: &'a str, action: &'static str) -> Reading<'a> {
    let (mut rhost, mut ruser, mut user) = ("", "", "");
    for (name, value) in super::reading::pairs(pairs) {
        match name {
            "rhost" => rhost = value,
            "ruser" => ruser = value,
            "user" => user = value,
            _ => {}
        }
    }
    let actor = if rhost.is_empty() { named(EntityKind::Account, ruser) } else { machine(rhost) };
    Reading::new(Class::LogonFailed, action).by(actor).on_account(user).pairs(pairs)
}

/// `root(uid=0)` is `root`.
fn without_number(text: &str) -> &str {
    let text = text.trim_end();
    text.split('(').next().unwrap_or(text)
}
