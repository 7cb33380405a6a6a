//! The first lines of an export of events: which column holds what.

use super::date::Date;

/// Separators that exports use, those of English first.
const DELIMITERS: [char; 3] = [',', ';', '\t'];
/// What PowerShell writes before the names of the columns.
const TYPE: &str = "#TYPE ";

/// How many columns Event Viewer saves, in any language; those that a reader of the log adds follow them.
const OF_VIEWER: usize = 5;
/// Most digits of the number of an event.
const DIGITS: usize = 5;

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
        DELIMITERS.into_iter().find_map(|delimiter| {
            let names = cells(line, delimiter);
            let delimiter = u8::try_from(delimiter).ok()?;
            viewer(&names, delimiter).or_else(|| named(&names, delimiter))
        })
    }

    /// The columns of an export in another language than English, by place: Event Viewer saves level (or keywords), time, source, number and task
    /// category first in all of them. `next` is the line behind the names; `None` where it has no time and no number in their places.
    pub(in super::super::super) fn by_place(line: &str, next: &str) -> Option<Self> {
        DELIMITERS.into_iter().find_map(|delimiter| {
            let (names, cells) = (cells(line, delimiter), cells(next, delimiter));
            let is_event = |cells: &[&str]| match cells {
                [_, time, source, id, _, ..] => {
                    let has_time = !matches!(Date::read(time, 0), Date::Unknown);
                    let has_id = (1..=DIGITS).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit());
                    has_time && has_id && source.contains(char::is_alphabetic)
                }
                _ => false,
            };
            let is_name = |name: &&str| name.bytes().any(|byte| !byte.is_ascii_digit());
            if !is_event(&cells) || names.len() < OF_VIEWER || !names.iter().all(is_name) {
                return None;
            }
            let placed = ["", "TimeCreated", "ProviderName", "Id", ""].into_iter().chain(std::iter::repeat(""));
            let names = placed.take(names.len()).map(str::to_owned).collect();
            Some(Self { delimiter: u8::try_from(delimiter).ok()?, names, message_follows: true })
        })
    }

    /// How many cells a row has, without a message that no column names.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }
}

/// Whether the source of a row is one that only Windows has, so that a file whose columns nobody names in English is an export of its events.
pub(in super::super::super) fn is_of_windows(row: &str) -> bool {
    DELIMITERS.into_iter().filter_map(|delimiter| cells(row, delimiter).get(2).copied()).any(|source| {
        source.starts_with("Microsoft-Windows-")
            || ["Service Control Manager", "EventLog", "PowerShell"].contains(&source)
    })
}

/// The cells of a line that has no separator within one; behind the first of those that has, they are pieces.
fn cells(line: &str, delimiter: char) -> Vec<&str> {
    let line = line.trim_end_matches(['\r', '\n']).trim_start_matches('\u{feff}');
    line.split(delimiter).map(|cell| cell.trim().trim_matches('"')).collect()
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
    use super::{Head, is_of_windows, is_type};

    #[test]
    fn columns_in_another_language_are_known_by_their_places() {
        let (english, german) = (
            "Level,Date and Time,Source,Event ID,Task Category",
            "Ebene;Datum und Uhrzeit;Quelle;Ereignis-ID;Aufgabenkategorie",
        );
        let japanese = "\u{feff}レベル,日付と時刻,ソース,イベント ID,タスクのカテゴリ,コンピューター\r\n";
        for (head, row, names) in [
            (german, "Informationen;27.10.2021 12:28:26;Microsoft-Windows-PrintService;317;Drucker;\"Der Treiber;", 5),
            (japanese, "情報,2021/10/27 12:28:26,Microsoft-Windows-Security-Auditing,4624,Logon,HOST,\"x\r\n", 6),
            (english, "Information,10/27/2021 12:28:26 PM,Microsoft-Windows-Security-Auditing,4624,Logon,x", 5),
        ] {
            let head = Head::by_place(head, row).unwrap();
            assert!(head.message_follows && head.len() == names && is_of_windows(row), "{head:?}");
            assert_eq!(head.names[..5], ["", "TimeCreated", "ProviderName", "Id", ""]);
        }
        let row = "x,27.10.2021 12:28:26,Application,317,y,z";
        assert!(!is_of_windows(row));
        for (head, row) in [
            (row, row),
            ("a,b,c,d", row),
            ("a,b,,d,e", row),
            ("a,b,3,d,e", row),
            ("a,b,c,d,e", "x,y,Application,317,z"),
            ("a,b,c,d,e", "x,27.10.2021 12:28:26,12,317,z"),
            ("a,b,c,d,e", "x,27.10.2021 12:28:26,Application,317000,z"),
            ("a,b,c,d,e", ""),
        ] {
            assert_eq!(Head::by_place(head, row), None, "{head} | {row}");
        }
    }

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
