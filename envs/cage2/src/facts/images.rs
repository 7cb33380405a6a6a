//! What each kind of machine runs before anyone touches it.
//!
//! Facts of CybORG 2.1, CAGE Challenge 2, `Scenario2` (its image tables), in our own schema. They are constants and no data
//! file, because the tables that every step reads are made of them at compile time.

use super::{Image, ImageProcess, Listener, Os, ProcessKind, Properties, User, UserAccount, UserAccountId};

/// Every address of a machine.
const ANY: &str = "0.0.0.0";

/// A process; `path` is empty where the image gives none.
const fn process(pid: u16, ppid: u16, name: &'static str, user: &'static str, path: &'static str) -> ImageProcess {
    let path = if path.is_empty() { None } else { Some(path) };
    let (kind, properties) = (ProcessKind::Unknown, Properties::None);
    ImageProcess { pid, ppid, name, user, path, kind, properties, listeners: &[] }
}

impl ImageProcess {
    const fn of(self, kind: ProcessKind) -> Self {
        Self { kind, ..self }
    }

    const fn with(self, properties: Properties) -> Self {
        Self { properties, ..self }
    }

    const fn on(self, listeners: &'static [Listener]) -> Self {
        Self { listeners, ..self }
    }
}

/// A user whose group has the user's number.
const fn linux(name: &'static str, id: u16) -> UserAccount {
    UserAccount { name, gid: Some(id), uid: Some(UserAccountId::Number(id)), password: None }
}

const fn windows(name: &'static str, gid: Option<u16>, uid: &'static str) -> UserAccount {
    UserAccount { name, gid, uid: Some(UserAccountId::Text(uid)), password: None }
}

/// A user without ids.
const fn nobody(name: &'static str) -> UserAccount {
    UserAccount { name, gid: None, uid: None, password: None }
}

impl UserAccount {
    const fn secured(self, password: &'static str) -> Self {
        Self { password: Some(password), ..self }
    }
}

/// The image `velociraptor_server`.
pub(super) const DEFENDER: Image = Image {
    os: Os::Linux,
    processes: &[
        process(1, 0, "init", "root", "/sbin"),
        process(389, 1, "systemd-journald", "root", "/lib/systemd"),
        process(407, 1, "systemd-udevd", "root", "/lib/systemd"),
        process(409, 1, "lvmetad", "root", "/sbin"),
        process(560, 1, "systemd-timesyncd", "systemd+", "/lib/systemd"),
        process(790, 1, "accounts-daemon", "root", "/usr/lib/accountsservice"),
        process(802, 1, "atd", "daemon", "/usr/sbin"),
        process(803, 1, "bash", "velocir+", "/bin"),
        process(807, 1, "rsyslogd", "syslog", "/usr/sbin"),
        process(824, 1, "acpid", "root", "/usr/sbin"),
        process(825, 1, "snapd", "root", "/usr/lib/snapd"),
        process(827, 1, "dbus-daemon", "message+", "/usr/bin"),
        process(832, 803, "velociraptor.bin", "velocir+", "/usr/local/bin"),
        process(844, 1, "cron", "root", "/usr/sbin"),
        process(847, 1, "systemd-logind", "root", "/lib/systemd"),
        process(852, 1, "python3", "root", "/usr/bin"),
        process(853, 1, "lxcfs", "root", "/usr/bin"),
        process(863, 1, "polkitd", "root", "/usr/lib/policykit-1"),
        process(867, 1, "python3", "root", "/usr/bin"),
        process(875, 1, "agetty", "root", "/sbin"),
        process(884, 1, "agetty", "root", "/sbin"),
        process(1370, 1, "python3", "root", "/usr/bin"),
        process(1432, 1, "systemd-hostnamed", "root", "/lib/systemd"),
        process(2288, 879, "sshd", "root", "").of(ProcessKind::Ssh),
        process(879, 1, "sshd", "root", "/usr/sbin").of(ProcessKind::Ssh).on(&[Listener { port: 22, address: ANY }]),
        process(656, 1, "systemd-resolved", "systemd+", "/lib/systemd")
            .on(&[Listener { port: 53, address: "127.0.0.53" }, Listener { port: 53, address: "127.0.0.53" }]),
        process(634, 1, "systemd-networkd", "systemd+", "/lib/systemd")
            .on(&[Listener { port: 68, address: "10.0.11.88" }]),
    ],
    users: &[linux("root", 0), linux("ubuntu", 1000)],
    brute_forceable: None,
};

/// The image `gateway`.
pub(super) const GATEWAY: Image = Image {
    os: Os::Linux,
    processes: &[process(1091, 1, "sshd", "root", "/usr/sbin")
        .of(ProcessKind::Ssh)
        .on(&[Listener { port: 22, address: ANY }])],
    users: &[
        linux("root", 0),
        linux("www-data", 33),
        linux("pi", 1001).secured("raspberry"),
        linux("ubuntu", 1000),
        linux("GreenAgent", 1001),
    ],
    brute_forceable: Some(User::Pi),
};

/// The image `internal`.
pub(super) const INTERNAL: Image = Image {
    os: Os::Windows,
    processes: &[
        process(3368, 5956, "sshd.exe", "sshd_server", "C:\\Program Files\\OpenSSH\\usr\\sbin")
            .of(ProcessKind::Ssh)
            .on(&[Listener { port: 22, address: ANY }]),
        process(832, 4, "svchost.exe", "SYSTEM", "").on(&[Listener { port: 135, address: ANY }]),
        process(4400, 4, "svchost.exe", "SYSTEM", "").of(ProcessKind::Rdp).on(&[Listener { port: 3389, address: ANY }]),
        process(4, 372, "smss.exe", "SYSTEM", "")
            .on(&[Listener { port: 445, address: ANY }, Listener { port: 139, address: ANY }]),
        process(3404, 4, "tomcat8.exe", "NetworkService", "")
            .of(ProcessKind::Webserver)
            .with(Properties::List)
            .on(&[Listener { port: 80, address: ANY }, Listener { port: 443, address: ANY }]),
    ],
    users: &[
        windows("Administrator", Some(0), "S-1-5-21-1983491181-1743339912-3520046837-500"),
        windows("GreenAgent", None, "S-1-5-21-1983491181-1743339912-3520046837-1019"),
        windows("vagrant", Some(0), "S-1-5-21-1983491181-1743339912-3520046837-1000").secured("vagrant"),
        nobody("SYSTEM"),
    ],
    brute_forceable: Some(User::Vagrant),
};

/// The image `op_server`.
pub(super) const OP_SERVER: Image = Image {
    os: Os::Linux,
    processes: &[
        process(1091, 1, "sshd", "root", "/usr/sbin").of(ProcessKind::Ssh).on(&[Listener { port: 22, address: ANY }]),
        process(1043, 1, "OTService", "root", "/root"),
    ],
    users: &[
        linux("root", 0),
        linux("www-data", 33),
        linux("pi", 1001).secured("raspberry"),
        linux("ubuntu", 1000),
        linux("GreenAgent", 1001),
    ],
    brute_forceable: Some(User::Pi),
};

/// The image `windows_user_1`.
pub(super) const WINDOWS_A: Image = Image {
    os: Os::Windows,
    processes: &[
        process(3368, 5956, "sshd.exe", "sshd_server", "C:\\Program Files\\OpenSSH\\usr\\sbin")
            .of(ProcessKind::Ssh)
            .on(&[Listener { port: 22, address: ANY }]),
        process(3344, 5566, "femitter.exe", "SYSTEM", "C:\\Program Files\\Femitter")
            .of(ProcessKind::Femitter)
            .on(&[Listener { port: 21, address: ANY }]),
    ],
    users: &[
        windows("Administrator", Some(0), "S-1-5-21-1983491181-1743339912-3520046837-500"),
        windows("GreenAgent", None, "S-1-5-21-1983491181-1743339912-3520046837-1019"),
        windows("vagrant", Some(0), "S-1-5-21-1983491181-1743339912-3520046837-1000").secured("vagrant"),
        nobody("SYSTEM"),
    ],
    brute_forceable: Some(User::Vagrant),
};

/// The image `windows_user_2`.
pub(super) const WINDOWS_B: Image = Image {
    os: Os::Windows,
    processes: &[
        process(4, 372, "smss.exe", "SYSTEM", "")
            .of(ProcessKind::Smb)
            .on(&[Listener { port: 445, address: ANY }, Listener { port: 139, address: ANY }]),
        process(832, 4, "svchost.exe", "SYSTEM", "").on(&[Listener { port: 135, address: ANY }]),
        process(4400, 4, "svchost.exe", "NetworkService", "")
            .of(ProcessKind::Rdp)
            .on(&[Listener { port: 3389, address: ANY }]),
    ],
    users: &[
        windows("Administrator", Some(0), "S-1-5-21-1983491181-1743339912-3520046837-500"),
        windows("GreenAgent", None, "S-1-5-21-1983491181-1743339912-3520046837-1019"),
        windows("vagrant", Some(0), "S-1-5-21-1983491181-1743339912-3520046837-1000").secured("vagrant"),
        nobody("SYSTEM"),
    ],
    brute_forceable: Some(User::Vagrant),
};

/// The image `linux_user_1`.
pub(super) const LINUX_A: Image = Image {
    os: Os::Linux,
    processes: &[
        process(1100, 1, "apache2", "www-data", "/usr/sbin")
            .of(ProcessKind::Webserver)
            .with(Properties::Text)
            .on(&[Listener { port: 80, address: ANY }]),
        process(1101, 1, "mysql", "root", "/etc/init.d")
            .of(ProcessKind::Mysql)
            .on(&[Listener { port: 3389, address: ANY }]),
        process(1100, 1, "apache2", "www-data", "/usr/sbin")
            .of(ProcessKind::Webserver)
            .with(Properties::Text)
            .on(&[Listener { port: 443, address: ANY }]),
        process(1102, 1, "smtp", "root", "/usr/sbin").of(ProcessKind::Smtp).on(&[Listener { port: 25, address: ANY }]),
    ],
    users: &[
        linux("root", 0),
        linux("www-data", 33),
        linux("pi", 1001).secured("raspberry"),
        linux("ubuntu", 1000),
        linux("GreenAgent", 1001),
    ],
    brute_forceable: Some(User::Pi),
};

/// The image `linux_user_2`.
pub(super) const LINUX_B: Image = Image {
    os: Os::Linux,
    processes: &[
        process(1091, 1, "sshd", "root", "/usr/sbin").of(ProcessKind::Ssh).on(&[Listener { port: 22, address: ANY }]),
        process(1100, 1, "apache2", "www-data", "/usr/sbin")
            .of(ProcessKind::Webserver)
            .with(Properties::Text)
            .on(&[Listener { port: 80, address: ANY }]),
        process(1101, 1, "mysql", "root", "/etc/init.d")
            .of(ProcessKind::Mysql)
            .on(&[Listener { port: 3390, address: ANY }]),
        process(1100, 1, "apache2", "www-data", "/usr/sbin")
            .of(ProcessKind::Webserver)
            .with(Properties::Text)
            .on(&[Listener { port: 443, address: ANY }]),
        process(1102, 1, "smtp", "root", "/usr/sbin").of(ProcessKind::Smtp).on(&[Listener { port: 25, address: ANY }]),
    ],
    users: &[
        linux("root", 0),
        linux("www-data", 33),
        linux("pi", 1001).secured("raspberry"),
        linux("ubuntu", 1000),
        linux("GreenAgent", 1001),
    ],
    brute_forceable: Some(User::Pi),
};
