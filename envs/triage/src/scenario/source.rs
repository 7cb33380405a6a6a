//! Raw sources of a scenario: files by their hash, statements of a person, and scripts from which telemetry is generated.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gimbal_core::Digest;
use gimbal_evidence::extract::Format;
use serde::Deserialize;

/// Where raw bytes come from.
#[derive(Debug)]
pub(crate) enum RawSource {
    /// A file beside the scenario, or of the folder of telemetry.
    File {
        path: PathBuf,
        sha256: Digest,
        format: Format,
        /// Under which it may be used; empty for a file beside the scenario.
        licence: String,
        shift_seconds: i32,
        /// Whether it is of the folder of telemetry.
        is_data: bool,
    },
    /// Telemetry that is generated.
    Generated(Box<Script>),
    /// What a person states, as the text of a context file.
    Context(String),
}

impl RawSource {
    /// Where the bytes come from, in words.
    pub fn origin(&self) -> String {
        match self {
            Self::File { path, licence, is_data: true, .. } => format!("file {} ({licence})", path.display()),
            Self::File { path, .. } => format!("file {}", path.display()),
            Self::Generated(script) => format!("generated {}, seed {}", script.engine.format(), script.seed),
            Self::Context(_) => "statements".to_owned(),
        }
    }
}

/// In which format telemetry is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Engine {
    /// Windows events as XML.
    Windows,
    /// Lines of syslog.
    Syslog,
    /// Records of the Linux audit system.
    Auditd,
    /// NetFlow version 5 in a capture.
    NetflowV5,
    /// NetFlow version 9 in a capture.
    NetflowV9,
}

impl Engine {
    pub const fn format(self) -> Format {
        match self {
            Self::Windows => Format::WindowsXml,
            Self::Syslog => Format::Syslog,
            Self::Auditd => Format::Auditd,
            Self::NetflowV5 | Self::NetflowV9 => Format::FlowCapture,
        }
    }
}

/// The head of a line of syslog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Frame {
    /// RFC 3164, without a year.
    #[default]
    Rfc3164,
    /// RFC 5424.
    Rfc5424,
}

/// Ordinary activity around the steps.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Background {
    /// Its name; see `generate::background`.
    pub profile: String,
    /// How many minutes it lasts, from the start.
    pub minutes: u32,
}

/// What is generated: who does what when, in one format.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub engine: Engine,
    pub frame: Frame,
    pub seed: u64,
    /// The host that logs, or the address of the exporter.
    pub host: String,
    /// The time of second 0, in microseconds since 1970.
    pub start: i64,
    pub background: Option<Background>,
    pub steps: Vec<Step>,
}

/// Some records of one form.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    /// By which a twin removes it.
    #[serde(default)]
    pub label: String,
    /// Which of the generated sources it belongs to, from 0; of the steps that a twin adds.
    #[serde(default)]
    pub source: usize,
    /// Seconds after the start.
    #[serde(default)]
    pub at: f64,
    /// How many times.
    #[serde(default = "one")]
    pub count: u32,
    /// Seconds from one to the next.
    #[serde(default)]
    pub every: f64,
    /// By what share of `every` each is early or late.
    #[serde(default = "some")]
    pub jitter: f64,
    /// Lists that placeholders of these names go through, again and again.
    #[serde(default)]
    pub each: BTreeMap<String, Vec<String>>,
    /// Another host than the script's.
    #[serde(default)]
    pub host: Option<String>,
    /// A Windows event, by the name of its template.
    #[serde(default)]
    pub event: Option<String>,
    /// The fields of the event that differ from the template.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// A line of syslog, `PROGRAM: MESSAGE`; or records of the audit system, one in each line.
    #[serde(default)]
    pub line: Option<String>,
    /// A program that the audit system saw start.
    #[serde(default)]
    pub exec: Option<Execution>,
    /// A flow.
    #[serde(default)]
    pub flow: Option<FlowStep>,
}

const fn one() -> u32 {
    1
}

const fn some() -> f64 {
    0.25
}

/// A program that the audit system saw start.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Execution {
    /// The file of the program.
    pub exe: String,
    /// Its arguments with blanks between them, the name of the program first. `'…'` holds blanks together.
    pub argv: String,
    /// The number and the name of the account.
    #[serde(default = "root_number")]
    pub uid: String,
    #[serde(default = "root")]
    pub user: String,
    /// The folder.
    #[serde(default = "slash")]
    pub cwd: String,
}

fn root_number() -> String {
    "0".to_owned()
}

fn root() -> String {
    "root".to_owned()
}

fn slash() -> String {
    "/".to_owned()
}

/// Traffic in one direction, and perhaps back. Numbers are texts such as `40` or `40-90`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FlowStep {
    pub from: String,
    pub to: String,
    pub port: String,
    #[serde(default)]
    pub source_port: Option<String>,
    #[serde(default = "tcp")]
    pub protocol: String,
    #[serde(default = "single")]
    pub packets: String,
    #[serde(default = "small")]
    pub octets: String,
    /// Milliseconds from the first to the last packet.
    #[serde(default = "nothing")]
    pub millis: String,
    /// Flags of TCP, all packets together.
    #[serde(default = "whole")]
    pub flags: String,
    #[serde(default)]
    pub reply: Option<Reply>,
}

/// The way back of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    pub packets: String,
    pub octets: String,
    #[serde(default = "whole")]
    pub flags: String,
}

fn tcp() -> String {
    "tcp".to_owned()
}

fn single() -> String {
    "1".to_owned()
}

fn small() -> String {
    "60".to_owned()
}

fn nothing() -> String {
    "0".to_owned()
}

fn whole() -> String {
    "27".to_owned()
}
