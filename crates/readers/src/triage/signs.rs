//! Signs that one fact shows by its class and words.

/// A sign by one fact: its classes (any, where there are none), and words of which one must be in its text, with words of which one
/// must be there too. Words are in small letters.
pub(super) struct Rule {
    /// The step of an attack.
    pub step: &'static str,
    /// Whether it has no harmless reading of its own.
    pub alone: bool,
    /// Whether a stated fact can explain it.
    pub explicable: bool,
    pub classes: &'static [&'static str],
    pub words: &'static [&'static str],
    pub also: &'static [&'static str],
}

const fn paired(
    step: &'static str,
    classes: &'static [&'static str],
    words: &'static [&'static str],
    also: &'static [&'static str],
) -> Rule {
    Rule { step, alone: false, explicable: true, classes, words, also }
}

const fn unexplained(step: &'static str, classes: &'static [&'static str], words: &'static [&'static str]) -> Rule {
    Rule { step, alone: false, explicable: false, classes, words, also: &[] }
}

const fn alone(
    step: &'static str,
    classes: &'static [&'static str],
    words: &'static [&'static str],
    also: &'static [&'static str],
) -> Rule {
    Rule { step, alone: true, explicable: false, classes, words, also }
}

const STARTS: &[&str] = &["process_started", "script_run", "command_as_other", "task_run", "syscall"];
const SERVICE: &[&str] = &["service_installed"];

pub(super) const RULES: &[Rule] = &[
    paired("memory of logons", &["process_accessed"], &["lsass"], &[]),
    alone("dump of logons", &["file_created"], &["lsass"], &[".dmp", ".mdmp"]),
    alone("credential tool", &[], &["sekurlsa::", "lsadump::", "invoke-mimikatz", "mimidrv"], &[]),
    alone("hives", STARTS, &["save hklm\\sam", "save hklm\\security"], &[]),
    paired("directory copied", STARTS, &["ntds.dit", "ntdsutil", "procdump"], &[]),
    paired("replication", &["directory_accessed"], &["1131f6aa-", "1131f6ad-"], &[]),
    paired("weak ticket", &["ticket_requested"], &["0x17", "0x18"], &[]),
    alone("remote shell", STARTS, &["wmiprvse.exe"], &["cmd.exe", "powershell.exe", "mshta.exe"]),
    alone(
        "web shell",
        STARTS,
        &["w3wp.exe", "httpd", "tomcat"],
        &["cmd.exe", "powershell.exe", "whoami", "/bin/sh", "bash -i"],
    ),
    alone("lookup", &[], &["${jndi:"], &[]),
    alone("recovery", STARTS, &["delete shadows", "shadowcopy delete"], &[]),
    paired("remote service", SERVICE, &["psexesvc", "paexec", "remcom"], &[]),
    paired("shell of a remote service", STARTS, &["psexesvc.exe"], &[]),
    paired(
        "odd service",
        SERVICE,
        &["\\temp\\", "\\appdata\\", "\\users\\public\\", "\\programdata\\", "powershell", "cmd.exe", "%comspec%"],
        &[],
    ),
    paired("task", &["task_created"], &[], &[]),
    paired("hidden script", STARTS, &[" -enc ", "-encodedcommand", "frombase64string"], &[]),
    paired(
        "download",
        STARTS,
        &["downloadstring", "downloadfile", "invoke-webrequest", "net.webclient", "certutil"],
        &[],
    ),
    unexplained("public folder", &["process_started"], &["\\users\\public\\"]),
    unexplained("log cleared", &["log_cleared"], &[]),
    unexplained("logging stopped", &["service_changed"], &["system logging service"]),
    unexplained("detection", &["security_product"], &["detection"]),
    paired("sensor", &["service_changed"], &["filter driver unloaded", "windows defender"], &[]),
    paired("audit", &["policy_changed"], &["audit policy changed"], &[]),
    paired("account", &["account_created"], &[], &[]),
    unexplained("second root", &["account_created"], &["uid=0", "\"0\""]),
    unexplained("administrators of the domain", &["group_changed"], &["domain admins"]),
    paired("reset", &["password_changed"], &["reset"], &[]),
    paired("root", &["command_as_other"], &["sudo"], &["account:root"]),
    paired("new credentials", &["logon", "explicit_logon"], &["new credentials", "seclogo"], &[]),
    paired("share", &["share_accessed"], &["admin$", "c$"], &[]),
];
