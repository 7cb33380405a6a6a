//! Windows events as XML, in the form that `wevtutil` prints.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::OnceLock;

use super::memory::Memory;
use super::{Record, rfc3339};
use crate::scenario::Script;

/// The templates: for each event a line `event NAME PROVIDER ID VERSION LEVEL TASK KEYWORDS`, then its fields with their defaults.
const TEMPLATES: &str = include_str!("events.txt");

/// Who logs an event.
struct Provider {
    /// The word of the templates.
    key: &'static str,
    name: &'static str,
    identifier: &'static str,
    log: &'static str,
    /// The account under which it logs; empty where events name none.
    account: &'static str,
}

/// A provider that logs as the system, in an operational log of its own.
const fn operational(key: &'static str, name: &'static str, identifier: &'static str, log: &'static str) -> Provider {
    Provider { key, name, identifier, log, account: SYSTEM }
}

/// A provider of the System log.
const fn of_system(key: &'static str, name: &'static str, identifier: &'static str) -> Provider {
    Provider { key, name, identifier, log: "System", account: SYSTEM }
}

/// A provider of the Security log.
const fn of_security(key: &'static str, name: &'static str, identifier: &'static str) -> Provider {
    Provider { key, name, identifier, log: "Security", account: "" }
}

/// The identifier of the system's account.
const SYSTEM: &str = "S-1-5-18";

/// All providers.
const PROVIDERS: [Provider; 14] = [
    of_security("auditing", "Microsoft-Windows-Security-Auditing", "54849625-5478-4994-a5ba-3e3b0328c30d"),
    of_security("eventlog", "Microsoft-Windows-Eventlog", "fc65ddd8-d6ef-4962-83d5-6e5cfe9ce148"),
    of_system("scm", "Service Control Manager", "555908d1-a6d7-4695-8e1e-26931d2012f4"),
    of_system("kernel", "Microsoft-Windows-Kernel-General", "a68ca8b7-004f-d7b6-a698-07e2de0f1f5d"),
    of_system("user32", "User32", "b0aa8734-56f7-41cc-b2f4-de228e98b946"),
    of_system("filter", "Microsoft-Windows-FilterManager", "f3c5e28e-63f6-49c7-a204-e48a1bc4b09d"),
    of_system("update", "Microsoft-Windows-WindowsUpdateClient", "945a8954-c147-4acd-923f-40c45405a658"),
    operational(
        "tasks",
        "Microsoft-Windows-TaskScheduler",
        "de7b24ea-73c8-4a09-985d-5bdadcfa9017",
        "Microsoft-Windows-TaskScheduler/Operational",
    ),
    operational(
        "defender",
        "Microsoft-Windows-Windows Defender",
        "11cd958a-c507-4ef3-b3f2-5fd9dfbd2c78",
        "Microsoft-Windows-Windows Defender/Operational",
    ),
    Provider {
        key: "powershell",
        name: "Microsoft-Windows-PowerShell",
        identifier: "a0c1853b-5c40-4b15-8766-3cf1c58f985a",
        log: "Microsoft-Windows-PowerShell/Operational",
        account: "S-1-5-21-1000-2000-3000-1104",
    },
    operational(
        "bits",
        "Microsoft-Windows-Bits-Client",
        "ef1cc15b-46c1-414e-bb95-e76b077bd51e",
        "Microsoft-Windows-Bits-Client/Operational",
    ),
    operational(
        "sysmon",
        "Microsoft-Windows-Sysmon",
        "5770385f-c22a-43e0-bf4c-06f5698ffbd9",
        "Microsoft-Windows-Sysmon/Operational",
    ),
    operational(
        "wmi",
        "Microsoft-Windows-WMI-Activity",
        "1418ef04-b0b4-4623-bf7e-d74ab47bbdaa",
        "Microsoft-Windows-WMI-Activity/Operational",
    ),
    operational(
        "sessions",
        "Microsoft-Windows-TerminalServices-LocalSessionManager",
        "5d896912-022d-40aa-a3a8-4fa5515c76d7",
        "Microsoft-Windows-TerminalServices-LocalSessionManager/Operational",
    ),
];

/// An event of a provider, with its fields in order.
struct Template {
    provider: usize,
    id: &'static str,
    version: &'static str,
    level: &'static str,
    task: &'static str,
    keywords: &'static str,
    fields: Vec<(&'static str, &'static str)>,
}

fn templates() -> &'static BTreeMap<&'static str, Template> {
    static READ: OnceLock<BTreeMap<&'static str, Template>> = OnceLock::new();
    READ.get_or_init(|| {
        let mut templates = BTreeMap::new();
        let mut name = "";
        for line in TEMPLATES.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            let mut words = line.split_whitespace();
            if let Some(head) = line.strip_prefix("event ") {
                let mut words = head.split_whitespace();
                let mut word = || words.next().unwrap_or_default();
                name = word();
                let provider = word();
                let provider = PROVIDERS.iter().position(|known| known.key == provider).unwrap_or(0);
                let keywords = |word| match word {
                    "success" => "0x8020000000000000",
                    "failure" => "0x8010000000000000",
                    _ => "0x8000000000000000",
                };
                let template = Template {
                    provider,
                    id: word(),
                    version: word(),
                    level: word(),
                    task: word(),
                    keywords: keywords(word()),
                    fields: Vec::new(),
                };
                templates.insert(name, template);
            } else if let (Some(template), Some(field)) = (templates.get_mut(name), words.next()) {
                let default = line.trim_start().get(field.len()..).unwrap_or_default().trim_start();
                template.fields.push((field, default));
            }
        }
        templates
    })
}

pub(super) fn render(script: &Script, records: Vec<Record<'_>>) -> Result<Vec<u8>, String> {
    let mut out = String::from("<Events>\n");
    let mut memory = Memory::new(script.seed);
    for (number, mut record) in (20_000 + script.seed % 9_000..).zip(records) {
        event(&mut out, number, &mut record, &mut memory)?;
    }
    out.push_str("</Events>\n");
    Ok(out.into_bytes())
}

fn event(out: &mut String, number: u64, record: &mut Record<'_>, memory: &mut Memory) -> Result<(), String> {
    let step = record.step;
    let name = step.event.as_deref().ok_or("a step of a Windows source needs `event`")?;
    let template = templates().get(name).ok_or_else(|| {
        let known: Vec<&str> = templates().keys().copied().collect();
        format!(
            "there is no event `{name}`{} (known: {})",
            gimbal_core::nearest::hint(name, known.iter().copied()),
            known.join(", ")
        )
    })?;
    let known =
        |field: &str| field == "UserID" || template.fields.iter().any(|(name, _)| *name == field.replace(' ', "_"));
    if let Some(unknown) = step.fields.keys().find(|field| !known(field)) {
        let names: Vec<&str> = template.fields.iter().map(|(name, _)| *name).collect();
        return Err(format!("event `{name}` has no field `{unknown}` (known: UserID, {})", names.join(", ")));
    }
    let Provider { name: provider, identifier, log, account, .. } = &PROVIDERS[template.provider];
    let mut fill = |text: &str| record.values.fill(text, &mut record.rng);
    let account = step.fields.get("UserID").map_or(Ok((*account).to_owned()), |account| fill(account))?;
    let security =
        if account.is_empty() { "<Security/>".to_owned() } else { format!("<Security UserID='{account}'/>") };
    let (process, thread) = (fill("{pid}")?, fill("{pid}")?);
    // Writing to a text cannot fail.
    let _ = write!(
        out,
        "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='{provider}' \
         Guid='{{{identifier}}}'/><EventID>{}</EventID><Version>{}</Version><Level>{}</Level><Task>{}</Task>\
         <Opcode>0</Opcode><Keywords>{}</Keywords><TimeCreated SystemTime='{}'/><EventRecordID>{number}</EventRecordID>\
         <Correlation/><Execution ProcessID='{process}' ThreadID='{thread}'/><Channel>{log}</Channel>\
         <Computer>{}</Computer>{security}</System>",
        template.id,
        template.version,
        template.level,
        template.task,
        template.keywords,
        rfc3339(record.micros),
        escaped(record.host),
    );
    // The event of a cleared log has its fields in an element of its own.
    let (begin, end) = match name {
        "1102" | "system-104" => (
            "<UserData><LogFileCleared xmlns='http://manifests.microsoft.com/win/2004/08/windows/eventlog'>",
            "</LogFileCleared></UserData>",
        ),
        _ => ("<EventData>", "</EventData>"),
    };
    out.push_str(begin);
    let mut values: Vec<(String, String)> = Vec::with_capacity(template.fields.len());
    for (field, default) in &template.fields {
        let field = field.replace('_', " ");
        let given = step.fields.get(&field).map_or(*default, String::as_str);
        let value =
            if given.starts_with('@') { given.to_owned() } else { record.values.fill(given, &mut record.rng)? };
        values.push((field, value));
    }
    for index in 0..values.len() {
        let Some(asked) = values.get(index).and_then(|(_, value)| value.strip_prefix('@')) else { continue };
        let (what, of) = asked.split_once(' ').unwrap_or((asked, ""));
        let of = match of.strip_prefix('=') {
            Some(name) => name,
            None => values.iter().find(|(field, _)| field == of).map_or("", |(_, value)| value.as_str()),
        };
        let value = match what {
            "time" => Some(rfc3339(record.micros).replace('T', " ").trim_end_matches('Z').to_owned()),
            what => memory.value(what, record.host, of),
        };
        let value = value.ok_or_else(|| format!("event `{name}`: `@{what}` is not a value"))?;
        if let Some((_, place)) = values.get_mut(index) {
            *place = value;
        }
    }
    for (field, value) in values {
        let value = escaped(&value);
        if begin.starts_with("<UserData>") {
            let _ = write!(out, "<{field}>{value}</{field}>");
        } else {
            let _ = write!(out, "<Data Name='{field}'>{value}</Data>");
        }
    }
    out.push_str(end);
    out.push_str("</Event>\n");
    Ok(())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\'', "&apos;")
}

#[cfg(test)]
mod tests {
    use super::{PROVIDERS, TEMPLATES, templates};

    #[test]
    fn every_template_names_a_known_provider_and_has_fields() {
        for line in TEMPLATES.lines().filter_map(|line| line.strip_prefix("event ")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(words.len(), 7, "{line}");
            assert!(PROVIDERS.iter().any(|known| known.key == words[1]), "{line}");
            assert!(templates().contains_key(words[0]), "{line}");
        }
        assert!(templates().values().all(|template| !template.fields.is_empty()));
    }
}
