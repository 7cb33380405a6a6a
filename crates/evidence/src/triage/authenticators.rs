//! Messages of programs that log people on, in words that no grammar knows. In another language than English no grammar here knows any, so
//! that a dismissal must not pass over them. What these programs say beside logons is known by its beginning, and is not a gap.

use crate::{Class, Fact};

/// Programs that log people on, as they call themselves. Names with `pam` in them count too.
const PROGRAMS: [&str; 8] = ["su", "sudo", "doas", "login", "sshd", "sshd-session", "sshd-auth", "dropbear"];

/// Modules of PAM that set up or end a session and let nobody in.
const MODULES: [&str; 20] = [
    "pam_cap",
    "pam_ck_connector",
    "pam_console",
    "pam_env",
    "pam_exec",
    "pam_gnome_keyring",
    "pam_keyinit",
    "pam_kwallet",
    "pam_kwallet5",
    "pam_lastlog",
    "pam_limits",
    "pam_loginuid",
    "pam_mail",
    "pam_mkhomedir",
    "pam_motd",
    "pam_namespace",
    "pam_selinux",
    "pam_systemd",
    "pam_umask",
    "pam_xauth",
];

/// How messages of OpenSSH, Linux-PAM and sudo begin that tell of no logon, or that come beside one that a grammar reads: the end of a
/// connection, host keys, the start of the server, an unknown account of which PAM reports the failure next.
const BESIDE_LOGONS: [&str; 50] = [
    "Attempt to write login records by non-root user",
    "Bad packet length",
    "Broken pipe",
    "Client disconnect",
    "Close session",
    "Closing connection to",
    "Connection timed out",
    "Corrupted MAC on input",
    "Could not get shadow information",
    "Could not load host key",
    "Could not write ident string",
    "Deprecated option",
    "Exit before auth",
    "Exit (",
    "Exiting on signal",
    "Forked child",
    "Host key",
    "Missing privilege separation directory",
    "No supported key exchange algorithms",
    "PAM service(",
    "Packet corrupt",
    "Postponed",
    "Protocol major versions differ",
    "Read error from remote host",
    "Read from socket failed",
    "Received SIGHUP",
    "Received signal",
    "Re-exec requested",
    "Server listening",
    "Set /proc/self/oom_score_adj",
    "Timeout before authentication",
    "Timeout, client not responding",
    "Transferred:",
    "Unsupported option",
    "User child is on pid",
    "Write failed",
    "check pass; user unknown",
    "debug",
    "kex_exchange_identification",
    "kex_protocol_error",
    "mm_",
    "no hostkeys available",
    "no matching",
    "packet_write_",
    "rexec line",
    "sshd: no hostkeys available",
    "ssh_dispatch_run_fatal",
    "subsystem request for",
    "syslogin_perform_logout",
    "unable to resolve host",
];

/// Whether a fact is a message of a program that logs people on, of which no grammar and no list here knows what it says. `None` if it is
/// of another program.
pub(super) fn is_unread(fact: &Fact) -> Option<bool> {
    if fact.class != Class::Message {
        return None;
    }
    let program = fact.attributes.get("program").map(String::as_str);
    let program = program.or_else(|| fact.actor.as_ref().map(|actor| actor.name())).unwrap_or_default();
    let message = fact.attributes.get("message").map(String::as_str);
    let is_of_one = logs_on(program) || message.is_some_and(|message| module(message).is_some());
    is_of_one.then(|| message.is_none_or(|message| !tells_of_no_logon(message)))
}

/// Whether a program logs people on, by its name: `/usr/sbin/sshd`, `su(pam_unix)`.
fn logs_on(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    let name = name.split('(').next().unwrap_or(name);
    PROGRAMS.contains(&name) || program.to_ascii_lowercase().contains("pam")
}

/// The module of PAM that wrote a message, with what it says: `pam_unix(sshd:auth): check pass; user unknown`.
fn module(message: &str) -> Option<(&str, &str)> {
    let (head, said) = message.trim_start().split_once(": ")?;
    let name = head.split('(').next().unwrap_or(head);
    name.starts_with("pam_").then_some((name, said))
}

fn tells_of_no_logon(message: &str) -> bool {
    let message = message.trim_start();
    let said = match module(message) {
        Some((name, _)) if MODULES.contains(&name) => return true,
        Some((_, said)) => said,
        None => message,
    };
    let said = said.strip_prefix("error: ").or_else(|| said.strip_prefix("fatal: ")).unwrap_or(said);
    said.trim().is_empty() || BESIDE_LOGONS.iter().any(|known| said.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::{BESIDE_LOGONS, MODULES, logs_on, tells_of_no_logon};

    #[test]
    fn programs_that_log_people_on_are_known_by_their_names() {
        for program in
            ["su", "/usr/bin/sudo", "login", "sshd", "sshd-session", "su(pam_unix)", "PAM-hardcore", "gdm-pam"]
        {
            assert!(logs_on(program), "{program}");
        }
        for program in ["", "CRON", "systemd-logind", "sshguard", "endlessh", "supervisord", "kernel"] {
            assert!(!logs_on(program), "{program}");
        }
    }

    #[test]
    fn what_they_say_beside_logons_is_told_from_what_no_grammar_knows() {
        for message in [
            "fatal: Timeout before authentication for 192.0.2.7 port 22",
            "pam_unix(sshd:auth): check pass; user unknown",
            "pam_systemd(sshd:session): Failed to create session: Connection timed out",
            "PAM service(sshd) ignoring max retries; 6 > 3",
            "fatal: Write failed: Connection reset by peer [preauth]",
            "error: Could not load host key: /etc/ssh/ssh_host_dsa_key",
            "unable to resolve host web01: Name or service not known",
        ] {
            assert!(tells_of_no_logon(message), "{message}");
        }
        for message in [
            "FEHLGESCHLAGENES SU (nach root) bob auf pts/0",
            "pam_unix(sshd:auth): Authentifizierungsfehler; logname= uid=0 rhost=192.0.2.7 user=root",
            "pam_tally2(sudo:auth): user bob (1001) tally 9, deny 3",
            "ROOT LOGIN ON tty1",
        ] {
            assert!(!tells_of_no_logon(message), "{message}");
        }
        assert!(BESIDE_LOGONS.iter().chain(&MODULES).all(|known| known.len() > 2));
    }
}
