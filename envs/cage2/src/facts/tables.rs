//! Tables derived from the images at compile time, and the tables of decoys and exploits.

use super::{HOST_COUNT, HOSTS, Host, Image, Os, ProcessKind, Subnet, User};

/// The hosts of each subnet, in subnet order.
pub const SUBNET_HOSTS: [&[Host]; 3] = [
    &[Host::Enterprise0, Host::Enterprise1, Host::Enterprise2, Host::Defender],
    &[Host::OpServer0, Host::OpHost0, Host::OpHost1, Host::OpHost2],
    &[Host::User0, Host::User1, Host::User2, Host::User3, Host::User4],
];

/// A set of the eight ports that exploits and decoys are about; bit *i* is the port of exploit *i*.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortSet(pub u8);

impl PortSet {
    /// The set of one port; empty for a port that no exploit or decoy is about.
    #[must_use]
    #[inline]
    pub const fn of(port: u16) -> Self {
        Self(match port {
            139 => 1,
            3389 => 2,
            80 => 4,
            443 => 8,
            22 => 16,
            3390 => 32,
            25 => 64,
            21 => 128,
            _ => 0,
        })
    }

    /// Both together.
    #[must_use]
    #[inline]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether they share a port.
    #[must_use]
    #[inline]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The exploits that these open ports offer, as bits in exploit order: SQL injection wants a web port too.
    #[must_use]
    #[inline]
    pub const fn options(self) -> u8 {
        if self.0 & 0b1100 == 0 { self.0 & !32 } else { self.0 }
    }
}

/// What there is to know of an exploit.
#[derive(Clone, Copy, Debug)]
pub struct ExploitFacts {
    /// CybORG's class name.
    pub name: &'static str,
    /// The port that it attacks.
    pub port: u16,
    /// The type of process that it needs there.
    pub kind: ProcessKind,
}

/// The exploits, in the order in which options are listed.
pub const EXPLOITS: [ExploitFacts; 8] = [
    ExploitFacts { name: "EternalBlue", port: 139, kind: ProcessKind::Smb },
    ExploitFacts { name: "BlueKeep", port: 3389, kind: ProcessKind::Rdp },
    ExploitFacts { name: "HTTPRFI", port: 80, kind: ProcessKind::Webserver },
    ExploitFacts { name: "HTTPSRFI", port: 443, kind: ProcessKind::Webserver },
    ExploitFacts { name: "SSHBruteForce", port: 22, kind: ProcessKind::Ssh },
    ExploitFacts { name: "SQLInjection", port: 3390, kind: ProcessKind::Mysql },
    ExploitFacts { name: "HarakaRCE", port: 25, kind: ProcessKind::Smtp },
    ExploitFacts { name: "FTPDirectoryTraversal", port: 21, kind: ProcessKind::Femitter },
];

/// Exploits by falling weight (7, 6, 5, 4, 3, 2, 1, 0.1).
pub const TOP_FIRST: [u8; 8] = [7, 6, 5, 3, 2, 0, 1, 4];

/// The kinds of decoy, in action order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the scenario's own")]
pub enum Decoy {
    Apache,
    Femitter,
    HarakaSmpt,
    Smss,
    Sshd,
    Svchost,
    Tomcat,
    Vsftpd,
}

/// All kinds of decoy in action order.
pub const DECOY_KINDS: [Decoy; 8] = [
    Decoy::Apache,
    Decoy::Femitter,
    Decoy::HarakaSmpt,
    Decoy::Smss,
    Decoy::Sshd,
    Decoy::Svchost,
    Decoy::Tomcat,
    Decoy::Vsftpd,
];

impl Decoy {
    /// What there is to know of it.
    #[must_use]
    pub const fn facts(self) -> &'static DecoyFacts {
        &DECOYS[self as usize]
    }
}

/// What there is to know of a decoy.
#[derive(Clone, Copy, Debug)]
pub struct DecoyFacts {
    /// CybORG's action name.
    pub action: &'static str,
    /// The name under which the service is registered.
    pub service: &'static str,
    /// The name of its process.
    pub process: &'static str,
    /// The port that it opens.
    pub port: u16,
    /// The port that must be free; not always the one that it opens (Vsftpd).
    pub tested_port: u16,
    /// The type of its process.
    pub kind: ProcessKind,
    /// The operating system that it needs.
    pub os: Option<Os>,
    /// Whether its process has the property `rfi`.
    pub rfi: bool,
    /// Whether it runs as SYSTEM instead of the user of blue's session.
    pub system: bool,
}

const fn decoy(
    action: &'static str,
    service: &'static str,
    process: &'static str,
    port: u16,
    kind: ProcessKind,
    os: Option<Os>,
) -> DecoyFacts {
    let rfi = matches!(kind, ProcessKind::Webserver);
    let system = matches!(kind, ProcessKind::Femitter);
    DecoyFacts { action, service, process, port, tested_port: port, kind, os, rfi, system }
}

/// The decoys, in action order.
pub const DECOYS: [DecoyFacts; 8] = [
    decoy("DecoyApache", "apache2", "apache2", 80, ProcessKind::Webserver, None),
    decoy("DecoyFemitter", "femitter", "femitter", 21, ProcessKind::Femitter, Some(Os::Windows)),
    decoy("DecoyHarakaSMPT", "haraka", "haraka", 25, ProcessKind::Smtp, Some(Os::Linux)),
    decoy("DecoySmss", "smss", "Smss.exe", 139, ProcessKind::Smb, Some(Os::Windows)),
    decoy("DecoySSHD", "sshd", "Sshd.exe", 22, ProcessKind::Ssh, None),
    decoy("DecoySvchost", "svchost", "Svchost.exe", 3389, ProcessKind::Rdp, Some(Os::Windows)),
    decoy("DecoyTomcat", "tomcat", "Tomcat.exe", 443, ProcessKind::Webserver, None),
    // QUIRK: it opens port 80 but tests port 21.
    DecoyFacts {
        tested_port: 21,
        ..decoy("DecoyVsftpd", "vsftpd", "vsftpd", 80, ProcessKind::Webserver, Some(Os::Linux))
    },
];

/// What play needs of a host, packed.
#[derive(Clone, Copy, Debug)]
pub struct HostFacts {
    listening: [u16; 8],
    listening_count: u8,
    pids: [u16; 27],
    pid_count: u8,
    /// The listening ports as a set.
    pub ports: PortSet,
    /// Per exploit, the user of the image process that it would hit, if there is one.
    pub victims: [Option<User>; 8],
    /// The user whose password can be guessed.
    pub brute_forceable: Option<User>,
    /// The position in the image of the process that serves SSH, if any.
    pub sshd: Option<u8>,
}

impl HostFacts {
    /// The listening ports, in the order in which a scan sees them.
    #[must_use]
    #[inline]
    pub fn listening(&self) -> &[u16] {
        &self.listening[..usize::from(self.listening_count & 7)]
    }

    /// The process ids of the image.
    #[must_use]
    #[inline]
    pub fn pids(&self) -> &[u16] {
        self.pids.get(..usize::from(self.pid_count)).unwrap_or(&self.pids)
    }

    const fn of(image: &Image) -> Self {
        let mut facts = Self {
            listening: [0; 8],
            listening_count: 0,
            pids: [0; 27],
            pid_count: image.processes.len() as u8,
            ports: PortSet(0),
            victims: [None; 8],
            brute_forceable: image.brute_forceable,
            sshd: None,
        };
        let mut at = 0;
        while at < image.processes.len() {
            let process = &image.processes[at];
            facts.pids[at] = process.pid;
            let mut slot = 0;
            while slot < process.listeners.len() {
                let port = process.listeners[slot].port;
                facts.listening[facts.listening_count as usize] = port;
                facts.listening_count += 1;
                facts.ports = facts.ports.with(PortSet::of(port));
                let mut exploit = 0;
                while exploit < EXPLOITS.len() {
                    let wanted = &EXPLOITS[exploit];
                    if wanted.port == port
                        && wanted.kind as u8 == process.kind as u8
                        && facts.victims[exploit].is_none()
                    {
                        facts.victims[exploit] = Some(User::from_image(process.user));
                        if exploit == 4 {
                            facts.sshd = Some(at as u8);
                        }
                    }
                    exploit += 1;
                }
                slot += 1;
            }
            at += 1;
        }
        facts
    }
}

/// The packed facts of each host, in scenario order.
pub static HOST_FACTS: [HostFacts; HOST_COUNT] = {
    let mut all = [HostFacts::of(HOSTS[0].image()); HOST_COUNT];
    let mut at = 1;
    while at < HOST_COUNT {
        all[at] = HostFacts::of(HOSTS[at].image());
        at += 1;
    }
    all
};

/// What red's privileged hold on a host costs in a step, in tenths.
#[must_use]
#[inline]
pub const fn confidentiality_tenths(host: Host) -> i32 {
    match host {
        Host::Enterprise0 | Host::Enterprise1 | Host::Enterprise2 | Host::OpServer0 => 10,
        Host::User0 => 0,
        _ => 1,
    }
}

const _: () = {
    // The subnet tables and `Host::subnet` say the same.
    let mut at = 0;
    while at < 3 {
        let mut member = 0;
        while member < SUBNET_HOSTS[at].len() {
            assert!(SUBNET_HOSTS[at][member].subnet() as usize == at);
            member += 1;
        }
        at += 1;
    }
    assert!(matches!(Subnet::User, Subnet::User));
};
