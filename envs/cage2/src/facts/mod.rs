//! Scenario2's hard data: hosts, subnets, images, decoys, exploits, worth.
//!
//! Source: CybORG 2.1, CAGE Challenge 2 (2022), `Scenario2`. Plain tables of facts in our own schema.

mod images;
mod kind;
mod tables;

pub use kind::{KINDS, Kind};
pub use tables::{
    DECOY_KINDS, DECOYS, Decoy, DecoyFacts, EXPLOITS, ExploitFacts, HOST_FACTS, HostFacts, PortSet, SUBNET_HOSTS,
    TOP_FIRST, confidentiality_tenths,
};

/// How many hosts the scenario has.
pub const HOST_COUNT: usize = 13;

/// The hosts, in *scenario order*: the order of every loop, of the table, the vector and the actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the scenario's own")]
pub enum Host {
    Defender,
    Enterprise0,
    Enterprise1,
    Enterprise2,
    OpHost0,
    OpHost1,
    OpHost2,
    OpServer0,
    User0,
    User1,
    User2,
    User3,
    User4,
}

/// All hosts in scenario order.
pub const HOSTS: [Host; HOST_COUNT] = [
    Host::Defender,
    Host::Enterprise0,
    Host::Enterprise1,
    Host::Enterprise2,
    Host::OpHost0,
    Host::OpHost1,
    Host::OpHost2,
    Host::OpServer0,
    Host::User0,
    Host::User1,
    Host::User2,
    Host::User3,
    Host::User4,
];

impl Host {
    /// Position in scenario order.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The host at `index` of scenario order, if there is one.
    #[must_use]
    pub fn from_index(index: usize) -> Option<Self> {
        HOSTS.get(index).copied()
    }

    /// The scenario's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; HOST_COUNT] = [
            "Defender",
            "Enterprise0",
            "Enterprise1",
            "Enterprise2",
            "Op_Host0",
            "Op_Host1",
            "Op_Host2",
            "Op_Server0",
            "User0",
            "User1",
            "User2",
            "User3",
            "User4",
        ];
        NAMES[self as usize]
    }

    /// The host of that name, exactly as the scenario writes it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        HOSTS.into_iter().find(|host| host.name() == name)
    }

    /// The subnet it is in.
    #[must_use]
    #[inline]
    pub const fn subnet(self) -> Subnet {
        match self as u8 {
            0..=3 => Subnet::Enterprise,
            4..=7 => Subnet::Operational,
            _ => Subnet::User,
        }
    }

    /// Its machine image.
    #[must_use]
    pub const fn image(self) -> &'static Image {
        match self {
            Self::Defender => &images::DEFENDER,
            Self::Enterprise0 | Self::OpHost0 | Self::OpHost1 | Self::OpHost2 => &images::GATEWAY,
            Self::Enterprise1 | Self::Enterprise2 => &images::INTERNAL,
            Self::OpServer0 => &images::OP_SERVER,
            Self::User0 | Self::User1 => &images::WINDOWS_A,
            Self::User2 => &images::WINDOWS_B,
            Self::User3 => &images::LINUX_A,
            Self::User4 => &images::LINUX_B,
        }
    }

    /// Its operating system.
    #[must_use]
    #[inline]
    pub const fn os(self) -> Os {
        match self {
            Self::Enterprise1 | Self::Enterprise2 | Self::User0 | Self::User1 | Self::User2 => Os::Windows,
            _ => Os::Linux,
        }
    }

    /// The one bit of this host in a set of hosts.
    #[must_use]
    #[inline]
    pub const fn bit(self) -> u16 {
        1 << self as u8
    }

    /// The host whose address an escalation on this host reveals.
    #[must_use]
    pub const fn linked(self) -> Option<Self> {
        match self {
            Self::User1 | Self::User2 => Some(Self::Enterprise1),
            Self::User3 | Self::User4 => Some(Self::Enterprise0),
            Self::Enterprise2 => Some(Self::OpServer0),
            _ => None,
        }
    }
}

/// The hosts whose name contains "Enterprise": a red session on any opens the Operational subnet.
pub const ENTERPRISE_HOSTS: u16 = 0b1110;

/// The hosts whose name contains "Op".
pub const OPERATIONAL_HOSTS: u16 = 0b1111_0000;

/// The subnets, in scenario order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the scenario's own")]
pub enum Subnet {
    Enterprise,
    Operational,
    User,
}

/// All subnets in scenario order.
pub const SUBNETS: [Subnet; 3] = [Subnet::Enterprise, Subnet::Operational, Subnet::User];

impl Subnet {
    /// The scenario's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Enterprise => "Enterprise",
            Self::Operational => "Operational",
            Self::User => "User",
        }
    }

    /// Its hosts in *subnet order*, which differs from scenario order.
    #[must_use]
    #[inline]
    pub const fn hosts(self) -> &'static [Host] {
        SUBNET_HOSTS[self as usize]
    }
}

/// An operating system type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Os {
    Windows,
    Linux,
}

impl Os {
    /// CybORG's member name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Windows => "WINDOWS",
            Self::Linux => "LINUX",
        }
    }

    /// The user that counts as privileged.
    #[must_use]
    #[inline]
    pub const fn superuser(self) -> User {
        match self {
            Self::Windows => User::System,
            Self::Linux => User::Root,
        }
    }

    /// The folder into which red's tools are dropped.
    #[must_use]
    pub const fn temporary_folder(self) -> &'static str {
        match self {
            Self::Windows => "C:\\temp\\",
            Self::Linux => "/tmp/",
        }
    }
}

/// A user of a session, or of a process that is not part of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the scenario's own")]
pub enum User {
    Ubuntu,
    System,
    Root,
    Pi,
    Vagrant,
    WwwData,
    NetworkService,
    GreenAgent,
}

impl User {
    /// The scenario's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ubuntu => "ubuntu",
            Self::System => "SYSTEM",
            Self::Root => "root",
            Self::Pi => "pi",
            Self::Vagrant => "vagrant",
            Self::WwwData => "www-data",
            Self::NetworkService => "NetworkService",
            Self::GreenAgent => "GreenAgent",
        }
    }

    /// Whether it is `root` or `SYSTEM`.
    #[must_use]
    #[inline]
    pub const fn privileged(self) -> bool {
        matches!(self, Self::Root | Self::System)
    }

    const fn from_image(name: &str) -> Self {
        // Only the users of attackable image processes matter here; their first letters differ.
        match name.as_bytes()[0] {
            b'S' => Self::System,
            b'r' => Self::Root,
            b'w' => Self::WwwData,
            _ => Self::NetworkService,
        }
    }
}

/// The type of a process, as exploits look for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are CybORG's own")]
pub enum ProcessKind {
    Unknown,
    Ssh,
    Rdp,
    Smb,
    Webserver,
    Femitter,
    Mysql,
    Smtp,
}

impl ProcessKind {
    /// CybORG's member name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "UNKNOWN",
            Self::Ssh => "SSH",
            Self::Rdp => "RDP",
            Self::Smb => "SMB",
            Self::Webserver => "WEBSERVER",
            Self::Femitter => "FEMITTER",
            Self::Mysql => "MYSQL",
            Self::Smtp => "SMTP",
        }
    }

    /// The version that processes of this type carry, if any.
    #[must_use]
    pub const fn version(self) -> Option<&'static str> {
        match self {
            Self::Smtp => Some("HARAKA_2_7_0"),
            _ => None,
        }
    }
}

/// How the property `rfi` (remote file inclusion) is written down; both forms occur and both count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Properties {
    /// No property.
    None,
    /// The plain text `"rfi"`.
    Text,
    /// The list `["rfi"]`.
    List,
}

/// A port on which a process listens.
#[derive(Clone, Copy, Debug)]
pub struct Listener {
    /// The port.
    pub port: u16,
    /// The address as the image writes it.
    pub address: &'static str,
}

/// A process of an image.
#[derive(Clone, Copy, Debug)]
pub struct ImageProcess {
    /// Process id.
    pub pid: u16,
    /// Parent's process id.
    pub ppid: u16,
    /// Name.
    pub name: &'static str,
    /// User name.
    pub user: &'static str,
    /// Folder, if the image gives one.
    pub path: Option<&'static str>,
    /// Type, resolved.
    pub kind: ProcessKind,
    /// The property `rfi`, and its form.
    pub properties: Properties,
    /// Where it listens.
    pub listeners: &'static [Listener],
}

/// A user id of an image: a number on Linux, a text on Windows.
#[derive(Clone, Copy, Debug)]
pub enum UserAccountId {
    /// Linux.
    Number(u16),
    /// Windows.
    Text(&'static str),
}

/// A user of an image.
#[derive(Clone, Copy, Debug)]
pub struct UserAccount {
    /// Name.
    pub name: &'static str,
    /// Group id, if any.
    pub gid: Option<u16>,
    /// User id, if any.
    pub uid: Option<UserAccountId>,
    /// Password, if the image sets one.
    pub password: Option<&'static str>,
}

/// A kind of machine.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// Operating system.
    pub os: Os,
    /// Processes; their order matters.
    pub processes: &'static [ImageProcess],
    /// Users, in image order.
    pub users: &'static [UserAccount],
    /// The user whose password can be guessed.
    pub brute_forceable: Option<User>,
}

/// The process id of the operational service.
pub const OT_SERVICE_PID: u16 = 1043;

/// The port on which red's reverse shells call home.
pub const REVERSE_SHELL_PORT: u16 = 4444;
