//! Event data whose names an export left out: `Get-WinEvent | ConvertTo-Json` writes values by position (`Properties`) and the text for people
//! (`Message`). Names follow from the order of the event's template, or from the labels of its English text.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use super::super::members::{Members, text};

const SECURITY: &str = "Microsoft-Windows-Security-Auditing";
const SYSMON: &str = "Microsoft-Windows-Sysmon";

/// The first fields of an event, in the order of its template; empty where it is not known here. Earlier versions of an event end before the
/// last ones, and later versions add fields behind them.
fn order(provider: &str, id: u32) -> &'static [&'static str] {
    match (provider, id) {
        (SECURITY, 4624) => &[
            "SubjectUserSid",
            "SubjectUserName",
            "SubjectDomainName",
            "SubjectLogonId",
            "TargetUserSid",
            "TargetUserName",
            "TargetDomainName",
            "TargetLogonId",
            "LogonType",
            "LogonProcessName",
            "AuthenticationPackageName",
            "WorkstationName",
            "LogonGuid",
            "TransmittedServices",
            "LmPackageName",
            "KeyLength",
            "ProcessId",
            "ProcessName",
            "IpAddress",
            "IpPort",
        ],
        (SECURITY, 4625) => &[
            "SubjectUserSid",
            "SubjectUserName",
            "SubjectDomainName",
            "SubjectLogonId",
            "TargetUserSid",
            "TargetUserName",
            "TargetDomainName",
            "Status",
            "FailureReason",
            "SubStatus",
            "LogonType",
            "LogonProcessName",
            "AuthenticationPackageName",
            "WorkstationName",
            "TransmittedServices",
            "LmPackageName",
            "KeyLength",
            "ProcessId",
            "ProcessName",
            "IpAddress",
            "IpPort",
        ],
        (SECURITY, 4648) => &[
            "SubjectUserSid",
            "SubjectUserName",
            "SubjectDomainName",
            "SubjectLogonId",
            "LogonGuid",
            "TargetUserName",
            "TargetDomainName",
            "TargetLogonGuid",
            "TargetServerName",
            "TargetInfo",
            "ProcessId",
            "ProcessName",
            "IpAddress",
            "IpPort",
        ],
        (SECURITY, 4672) => {
            &["SubjectUserSid", "SubjectUserName", "SubjectDomainName", "SubjectLogonId", "PrivilegeList"]
        }
        (SECURITY, 4688) => &[
            "SubjectUserSid",
            "SubjectUserName",
            "SubjectDomainName",
            "SubjectLogonId",
            "NewProcessId",
            "NewProcessName",
            "TokenElevationType",
            "ProcessId",
            "CommandLine",
            "TargetUserSid",
            "TargetUserName",
            "TargetDomainName",
            "TargetLogonId",
            "ParentProcessName",
        ],
        (SECURITY, 4697) => &[
            "SubjectUserSid",
            "SubjectUserName",
            "SubjectDomainName",
            "SubjectLogonId",
            "ServiceName",
            "ServiceFileName",
            "ServiceType",
            "ServiceStartType",
            "ServiceAccount",
        ],
        (SECURITY, 4698) => {
            &["SubjectUserSid", "SubjectUserName", "SubjectDomainName", "SubjectLogonId", "TaskName", "TaskContent"]
        }
        (SECURITY, 4720 | 4722..=4726 | 4740) => {
            const ACCOUNT: &[&str] = &[
                "TargetUserName",
                "TargetDomainName",
                "TargetSid",
                "SubjectUserSid",
                "SubjectUserName",
                "SubjectDomainName",
                "SubjectLogonId",
            ];
            ACCOUNT
        }
        (SECURITY, 4728 | 4729 | 4732 | 4733 | 4756 | 4757) => &[
            "MemberName",
            "MemberSid",
            "TargetUserName",
            "TargetDomainName",
            "TargetSid",
            "SubjectUserSid",
            "SubjectUserName",
            "SubjectDomainName",
            "SubjectLogonId",
        ],
        (SECURITY, 4768) => &[
            "TargetUserName",
            "TargetDomainName",
            "TargetSid",
            "ServiceName",
            "ServiceSid",
            "TicketOptions",
            "Status",
            "TicketEncryptionType",
            "PreAuthType",
            "IpAddress",
            "IpPort",
        ],
        (SECURITY, 4769) => &[
            "TargetUserName",
            "TargetDomainName",
            "ServiceName",
            "ServiceSid",
            "TicketOptions",
            "TicketEncryptionType",
            "IpAddress",
            "IpPort",
            "Status",
        ],
        (SECURITY, 4771) => &[
            "TargetUserName",
            "TargetSid",
            "ServiceName",
            "TicketOptions",
            "Status",
            "PreAuthType",
            "IpAddress",
            "IpPort",
        ],
        (SECURITY, 4776) => &["PackageName", "TargetUserName", "Workstation", "Status"],
        ("Service Control Manager", 7045) => &["ServiceName", "ImagePath", "ServiceType", "StartType", "AccountName"],
        ("Microsoft-Windows-PowerShell", 4104) => {
            &["MessageNumber", "MessageTotal", "ScriptBlockText", "ScriptBlockId"]
        }
        _ => &[],
    }
}

/// Fields that Windows writes in hexadecimal digits, and an export as numbers.
const HEXADECIMAL: &[&str] = &[
    "Status",
    "SubStatus",
    "SubjectLogonId",
    "TargetLogonId",
    "NewProcessId",
    "ProcessId",
    "TicketOptions",
    "TicketEncryptionType",
];

/// Fields with their names.
pub(super) type Fields = Vec<(String, String)>;

/// The fields of an event by position (`Properties`); empty where there are none, or the order is not known.
pub(super) fn by_position(members: &Members, provider: &str, id: u32) -> Fields {
    let names = order(provider, id);
    let Some(values) = members.get("Properties").and_then(Value::as_array).filter(|_| !names.is_empty()) else {
        return Vec::new();
    };
    let value = |position: usize, property: &Value| {
        let value = property.get("Value").unwrap_or(property);
        let name = names.get(position).copied().unwrap_or_default();
        match value.as_i64() {
            Some(number) if HEXADECIMAL.contains(&name) => hexadecimal(number),
            // An identifier of an account is an object with a value of its own.
            _ => text(value.get("Value").unwrap_or(value)).unwrap_or_default().into_owned(),
        }
    };
    let named = values.iter().enumerate().map(|(position, property)| {
        (names.get(position).copied().unwrap_or_default().to_owned(), value(position, property))
    });
    named.collect()
}

/// A number as Windows writes it; a negative one has 32 bits.
fn hexadecimal(number: i64) -> String {
    match i32::try_from(number) {
        Ok(small) => format!("0x{small:x}"),
        Err(_) => format!("0x{number:x}"),
    }
}

/// The fields that the English text of an event names; empty where it names none that is known.
pub(super) fn by_text(message: &str, provider: &str, id: u32) -> Fields {
    if provider == "Microsoft-Windows-PowerShell" && id == 4104 {
        return script(message).into_iter().collect();
    }
    let (mut section, mut fields, mut seen) = (Section::Other, Vec::new(), HashSet::new());
    for line in message.lines() {
        let Some((label, value)) = line.split_once(':') else { continue };
        let (is_inner, label, value) = (label.starts_with(['\t', ' ']), label.trim(), value.trim());
        if provider == SYSMON {
            let is_name = !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if is_name && !value.is_empty() && seen.insert(label.to_owned()) {
                fields.push((label.to_owned(), value.to_owned()));
            }
            continue;
        }
        if value.is_empty() {
            if !is_inner || Section::of(label) != Section::Other {
                section = Section::of(label);
            }
            continue;
        }
        // The first one counts: a command line may hold any text, and comes last.
        if let Some(name) = name_of(section, label, provider, id).filter(|name| seen.insert((*name).to_owned())) {
            fields.push((name.to_owned(), value.to_owned()));
        }
    }
    fields
}

/// The text of an event without the rule of the sensor: it is an opinion of whoever configured it, and names the attack at times.
pub(super) fn without_rule<'a>(message: Cow<'a, str>, provider: &str) -> Cow<'a, str> {
    let is_rule = |line: &&str| line.trim_start().starts_with("RuleName:");
    if provider != SYSMON || !message.lines().any(|line| is_rule(&line)) {
        return message;
    }
    Cow::Owned(message.split_inclusive('\n').filter(|line| !is_rule(line)).collect())
}

/// The script of `Creating Scriptblock text (1 of 1):`, up to what is said about it.
fn script(message: &str) -> Option<(String, String)> {
    let (_, rest) = message.strip_prefix("Creating Scriptblock text (")?.split_once("):")?;
    let text = rest.rsplit_once("ScriptBlock ID:").map_or(rest, |(text, _)| text).trim();
    (!text.is_empty()).then(|| ("ScriptBlockText".to_owned(), text.to_owned()))
}

/// A part of the text of an event: whom its labels are about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Subject,
    Target,
    Member,
    Other,
}

impl Section {
    fn of(head: &str) -> Self {
        match head {
            "Subject" | "Creator Subject" => Self::Subject,
            "New Logon"
            | "Account For Which Logon Failed"
            | "Account Whose Credentials Were Used"
            | "Target Account"
            | "New Account"
            | "Account That Was Locked Out"
            | "Account Information"
            | "Target Subject"
            | "Group" => Self::Target,
            "Member" => Self::Member,
            _ => Self::Other,
        }
    }
}

/// The name of the field that a label means.
fn name_of(section: Section, label: &str, provider: &str, id: u32) -> Option<&'static str> {
    if provider != SECURITY && !(provider == "Service Control Manager" && id == 7045) {
        return None;
    }
    let by = |subject, target, member| match section {
        Section::Subject => Some(subject),
        Section::Target => Some(target),
        Section::Member => Some(member),
        Section::Other => None,
    };
    match label {
        "Account Name" => by("SubjectUserName", "TargetUserName", "MemberName"),
        "Account Domain" | "Supplied Realm Name" => by("SubjectDomainName", "TargetDomainName", "MemberDomainName"),
        "Logon ID" => by("SubjectLogonId", "TargetLogonId", "MemberLogonId"),
        "Security ID" => by("SubjectUserSid", "TargetSid", "MemberSid"),
        "Group Name" => Some("TargetUserName"),
        "Group Domain" => Some("TargetDomainName"),
        "Logon Account" => Some("TargetUserName"),
        "Logon Type" => Some("LogonType"),
        "Workstation Name" => Some("WorkstationName"),
        "Source Workstation" => Some("Workstation"),
        "Source Network Address" | "Client Address" | "Network Address" => Some("IpAddress"),
        "Source Port" | "Client Port" | "Port" => Some("IpPort"),
        "Status" | "Result Code" | "Failure Code" | "Error Code" => Some("Status"),
        "Sub Status" => Some("SubStatus"),
        "Failure Reason" => Some("FailureReason"),
        "Service Name" => Some("ServiceName"),
        "Service File Name" if id == 7045 => Some("ImagePath"),
        "Service File Name" => Some("ServiceFileName"),
        "Service Start Type" if id == 7045 => Some("StartType"),
        "Service Account" if id == 7045 => Some("AccountName"),
        "Service Account" => Some("ServiceAccount"),
        "Ticket Options" => Some("TicketOptions"),
        "Ticket Encryption Type" => Some("TicketEncryptionType"),
        "Pre-Authentication Type" => Some("PreAuthType"),
        "New Process Name" => Some("NewProcessName"),
        "New Process ID" => Some("NewProcessId"),
        "Creator Process Name" => Some("ParentProcessName"),
        "Creator Process ID" => Some("ProcessId"),
        "Process Command Line" => Some("CommandLine"),
        "Target Server Name" => Some("TargetServerName"),
        "Task Name" => Some("TaskName"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{FieldPart, Observed, ReadOptions, read_evtx};
    use super::{by_text, hexadecimal, order};

    #[test]
    fn numbers_have_the_form_of_the_event_log() {
        for (number, expected) in [
            (-1_073_741_715, "0xc000006d"),
            (3_221_225_581, "0xc000006d"),
            (999, "0x3e7"),
            (0, "0x0"),
            (1 << 40, "0x10000000000"),
        ] {
            assert_eq!(hexadecimal(number), expected);
        }
    }

    /// The names are those of the event logs in the data folder, in their order, where the folder is present.
    #[test]
    #[allow(clippy::print_stdout, reason = "a test without its data says so")]
    fn names_are_in_the_order_of_real_events() {
        let set = std::env::var_os("GIMBAL_DATA").map(std::path::PathBuf::from);
        let data = set.unwrap_or_else(|| {
            std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference"))
        });
        let mut compared = std::collections::BTreeSet::new();
        for folder in ["telemetry/windows/attack", "telemetry/windows/benign"] {
            let Ok(files) = std::fs::read_dir(data.join(folder)) else {
                println!("skipped: no event logs in {}", data.display());
                return;
            };
            for file in
                files.filter_map(Result::ok).filter(|file| file.path().extension().is_some_and(|end| end == "evtx"))
            {
                let mut sink = |observed: &Observed<'_>| {
                    let (mut provider, mut id, mut names) = (String::new(), 0, Vec::new());
                    observed.details.fields(&mut |field| match (field.part, field.name) {
                        (FieldPart::Head, "Provider_Name") => provider = field.value.to_owned(),
                        (FieldPart::Head, "EventID") => id = field.value.parse().unwrap_or_default(),
                        (FieldPart::Head, _) => {}
                        // Some versions of 4648 write `LogonGuid` twice.
                        (_, "LogonGuid") if names.iter().any(|name| name == "LogonGuid") => {
                            names.push("TargetLogonGuid".to_owned());
                        }
                        (_, name) => names.push(name.to_owned()),
                    });
                    let known = order(&provider, id);
                    if !known.is_empty() {
                        let shared = known.len().min(names.len());
                        assert_eq!(names[..shared], known[..shared], "{provider} {id} in {}", file.path().display());
                        compared.insert((provider, id));
                    }
                };
                let file = std::fs::File::open(file.path()).unwrap();
                read_evtx(file, &ReadOptions::default(), &mut sink).unwrap();
            }
        }
        assert!(compared.len() >= 5, "{compared:?}");
    }

    #[test]
    fn the_first_line_of_a_name_counts() {
        let text = "A new process has been created.\r\n\r\nCreator Subject:\r\n\r\nProcess Information:\r\n\tNew Process Name:\tC:\\a.exe\r\n\
                    \tProcess Command Line:\ta.exe x\r\n\tNew Process Name:\tC:\\b.exe";
        let fields = by_text(text, super::SECURITY, 4688);
        assert_eq!(fields.iter().filter(|(name, _)| name == "NewProcessName").count(), 1);
        assert_eq!(fields[0].1, "C:\\a.exe");
        assert!(by_text("any: text", "other", 1).is_empty());
    }
}
