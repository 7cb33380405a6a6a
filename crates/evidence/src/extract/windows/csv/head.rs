//! The first lines of an export of events: which column holds what.

/// Separators that exports use, those of English first.
const DELIMITERS: [char; 3] = [',', ';', '\t'];
/// What PowerShell writes before the names of the columns.
const TYPE: &str = "#TYPE ";

/// The columns of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super::super) struct Head {
    /// What separates cells.
    pub(super) delimiter: u8,
    /// Names of the columns, as JSON of the same events has them; empty for a column that says nothing of the event.
    pub(super) names: Vec<String>,
    /// Whether the message follows the named columns.
    pub(super) message_follows: bool,
}

/// The member of JSON for a column of Event Viewer. `None` for one that it does not have.
fn of_viewer(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "level" => "Level",
        "keywords" => "Keywords",
        "date and time" => "TimeCreated",
        "source" => "ProviderName",
        "event id" => "Id",
        "log" => "LogName",
        "computer" => "MachineName",
        "event record id" => "RecordId",
        "process id" => "ExecutionProcessID",
        "message" | "description" => "Message",
        "task category"
        | "operational code"
        | "user"
        | "correlation id"
        | "relative correlation id"
        | "thread id"
        | "processor id"
        | "session id"
        | "kernel time"
        | "user time"
        | "processor time" => "",
        _ => return None,
    })
}

/// The member of JSON for a column of `Get-EventLog`, where it is not the one of the same name.
fn of_event_log(name: &str) -> Option<&'static str> {
    Some(match name {
        "Source" => "ProviderName",
        "Index" => "RecordId",
        "InstanceId" | "Category" | "CategoryNumber" | "TimeWritten" | "Data" | "Site" | "Container" => "",
        _ => return None,
    })
}

impl Head {
    /// The columns that a line names: those of Event Viewer, or of events that PowerShell or another program exports. `None` for another line.
    pub(in super::super::super) fn read(line: &str) -> Option<Self> {
        let line = line.trim_end_matches(['\r', '\n']).trim_start_matches('\u{feff}');
        DELIMITERS.into_iter().find_map(|delimiter| {
            let names: Vec<&str> = line.split(delimiter).map(|name| name.trim().trim_matches('"')).collect();
            let delimiter = u8::try_from(delimiter).ok()?;
            viewer(&names, delimiter).or_else(|| named(&names, delimiter))
        })
    }

    /// How many cells a row has, without a message that no column names.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }
}

/// Whether a line says what PowerShell exported.
pub(in super::super::super) fn is_type(line: &str) -> bool {
    line.trim_start_matches('\u{feff}').starts_with(TYPE)
}

fn viewer(names: &[&str], delimiter: u8) -> Option<Head> {
    let has = |wanted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
    if !(has("Date and Time") && has("Source") && has("Event ID")) {
        return None;
    }
    let names: Vec<String> = names.iter().map(|name| of_viewer(name).unwrap_or_default().to_owned()).collect();
    let message_follows = !names.iter().any(|name| name == "Message");
    Some(Head { delimiter, names, message_follows })
}

fn named(names: &[&str], delimiter: u8) -> Option<Head> {
    let has = |wanted: &[&str]| names.iter().any(|name| wanted.contains(name));
    let is_event = has(&["Id", "EventID", "EventId"])
        && has(&["TimeCreated", "TimeGenerated"])
        && has(&["ProviderName", "LogName", "Provider", "Channel", "Source"]);
    if !is_event {
        return None;
    }
    let is_log = has(&["EventID"]) && has(&["InstanceId", "EntryType"]);
    let known = |name: &&str| of_event_log(name).filter(|_| is_log).unwrap_or(name).to_owned();
    Some(Head { delimiter, names: names.iter().map(known).collect(), message_follows: false })
}

#[cfg(test)]
mod tests {
    use super::{Head, is_type};

    #[test]
    fn heads_of_exports_are_known_and_others_are_not() {
        for line in [
            "Level,Date and Time,Source,Event ID,Task Category\r",
            "\u{feff}Keywords,Date and Time,Source,Event ID,Task Category",
            "Level\tDate and Time\tSource\tEvent ID\tTask Category",
        ] {
            let head = Head::read(line).unwrap();
            assert!(head.message_follows && head.len() == 5, "{line}");
        }
        let head = Head::read("\"Message\";\"Id\";\"ProviderName\";\"TimeCreated\"").unwrap();
        assert!(!head.message_follows && head.delimiter == b';' && head.len() == 4);
        for line in ["ts,te,td,sa,da,sp,dp,pr", "Id,Name,TimeCreated", "Date and Time,Source", "file,label", ""] {
            assert_eq!(Head::read(line), None, "{line}");
        }
        assert!(is_type("#TYPE System.Diagnostics.Eventing.Reader.EventLogRecord") && !is_type("\"#TYPE \""));
    }
}
