//! What is fed, and with what.
//!
//! A target panics on a mistake of ours: a panic of the reader, or a promise that does not hold. Refusing an input is not a
//! mistake.

mod actions;
mod environments;
mod files;
mod history;
mod models;
mod neural;
mod panel;
mod sigma;
mod telemetry;
mod temporal;
mod triage;
mod windows_events;

/// A reader.
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// What it promises.
    pub about: &'static str,
    /// Good inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Reads one input.
    pub read: fn(&[u8]),
}

/// Reads bytes as text, as files are read: what is not a text is refused before.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn owned(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// All of them.
pub const TARGETS: &[Target] = &[
    Target { name: "agent-answer", about: "replies of models", seeds: models::answers, read: models::answer },
    Target {
        name: "agent-persona",
        about: "personas and their templates",
        seeds: files::personas,
        read: files::persona,
    },
    Target { name: "model-body", about: "bodies of providers", seeds: models::bodies, read: models::body },
    Target { name: "model-gguf", about: "headers of model files", seeds: models::ggufs, read: models::gguf },
    Target { name: "model-script", about: "scripts and price tables", seeds: models::scripts, read: models::script },
    Target {
        name: "neural-conflicts",
        about: "conflicts with simulated values",
        seeds: neural::conflicts,
        read: neural::conflict,
    },
    Target { name: "neural-weights", about: "weights of networks", seeds: neural::weights, read: neural::weight },
    Target {
        name: "panel-message",
        about: "answers and ballots of panels",
        seeds: panel::messages,
        read: panel::message,
    },
    Target { name: "consensus-action", about: "ballots of a round", seeds: panel::rounds, read: panel::round },
    Target { name: "consensus-end", about: "ends and options of games", seeds: panel::ends, read: panel::end },
    Target { name: "study-attacks", about: "suites of attacks", seeds: files::suites, read: files::suite },
    Target { name: "study-file", about: "study files", seeds: files::studies, read: files::study },
    Target { name: "study-frame", about: "frames of journals", seeds: files::frames, read: files::frame },
    Target { name: "study-ledger", about: "lines of the ledger", seeds: files::lines, read: files::line },
    Target { name: "study-text", about: "texts kept as changes", seeds: files::deltas, read: files::delta },
    Target { name: "table-text", about: "hidden characters in tables", seeds: files::names, read: files::name },
    Target {
        name: "alfworld-action",
        about: "action texts",
        seeds: actions::of_households,
        read: actions::of_household,
    },
    Target {
        name: "finance-agent-action",
        about: "action texts",
        seeds: actions::of_filings,
        read: actions::of_filing,
    },
    Target { name: "alfworld-game", about: "game files", seeds: environments::games, read: environments::game },
    Target {
        name: "alfworld-grammar",
        about: "grammars of games",
        seeds: environments::grammars,
        read: environments::grammar,
    },
    Target {
        name: "alfworld-household",
        about: "saved households",
        seeds: environments::households,
        read: environments::household,
    },
    Target {
        name: "alfworld-pddl",
        about: "domains and problems",
        seeds: environments::domains,
        read: environments::domain,
    },
    Target {
        name: "cage2-action",
        about: "action texts",
        seeds: environments::cage2_actions,
        read: environments::cage2_action,
    },
    Target {
        name: "cage2-recording",
        about: "recordings",
        seeds: environments::recordings,
        read: environments::cage2_recording,
    },
    Target { name: "evidence-debate", about: "records of a debate", seeds: history::debates, read: history::debate },
    Target { name: "evidence-history", about: "streams of verdicts", seeds: history::streams, read: history::stream },
    Target { name: "finance-html", about: "pages", seeds: environments::pages, read: environments::page },
    Target {
        name: "finance-judge",
        about: "answers judged offline",
        seeds: environments::judged,
        read: environments::judge,
    },
    Target { name: "finance-query", about: "queries", seeds: environments::queries, read: environments::query },
    Target { name: "finance-rubric", about: "rubrics", seeds: environments::rubrics, read: environments::rubric },
    Target {
        name: "evidence-evtx",
        about: "Windows event logs",
        seeds: windows_events::logs,
        read: windows_events::log,
    },
    Target {
        name: "evidence-events",
        about: "Windows event XML",
        seeds: windows_events::events,
        read: windows_events::event,
    },
    Target {
        name: "evidence-exports",
        about: "Windows events as delimited text",
        seeds: windows_events::exports,
        read: windows_events::export,
    },
    Target { name: "textcraft-action", about: "commands", seeds: environments::commands, read: environments::command },
    Target {
        name: "textcraft-recording",
        about: "recordings",
        seeds: environments::recordings,
        read: environments::craft_recording,
    },
    Target {
        name: "textcraft-table",
        about: "tables of recipes",
        seeds: environments::tables,
        read: environments::table,
    },
    Target {
        name: "yawning-titan-action",
        about: "action texts",
        seeds: environments::yt_actions,
        read: environments::yt_action,
    },
    Target {
        name: "yt-recording",
        about: "recordings",
        seeds: environments::recordings,
        read: environments::yt_recording,
    },
    Target { name: "debate-position", about: "messages of a debate", seeds: triage::positions, read: triage::position },
    Target { name: "triage-action", about: "action texts", seeds: triage::actions, read: triage::action },
    Target { name: "triage-scenario", about: "scenario files", seeds: triage::scenarios, read: triage::scenario },
    Target { name: "sigma-labels", about: "labels of files", seeds: sigma::labels, read: sigma::label },
    Target { name: "sigma-record", about: "events as rules see them", seeds: sigma::records, read: sigma::record },
    #[cfg(feature = "sigma")]
    Target { name: "sigma-rule", about: "Sigma rules", seeds: sigma::rules, read: sigma::rule },
    Target { name: "sigma-tables", about: "tables of log sources", seeds: sigma::tables, read: sigma::table },
    Target {
        name: "temporal-condition",
        about: "conditions of rules and rollbacks",
        seeds: temporal::conditions,
        read: temporal::condition,
    },
    Target {
        name: "temporal-criterion",
        about: "criteria of subgoals",
        seeds: temporal::criteria,
        read: temporal::criterion,
    },
    Target { name: "temporal-form", about: "forms of commands", seeds: temporal::forms, read: temporal::form },
    Target {
        name: "temporal-message",
        about: "messages between layers",
        seeds: temporal::messages,
        read: temporal::message,
    },
    Target { name: "telemetry-syslog", about: "syslog lines", seeds: telemetry::syslogs, read: telemetry::syslog },
    Target { name: "telemetry-audit", about: "audit records", seeds: telemetry::audits, read: telemetry::audit },
    Target { name: "telemetry-export", about: "NetFlow and IPFIX", seeds: telemetry::exports, read: telemetry::export },
    Target {
        name: "telemetry-capture",
        about: "captures of exports",
        seeds: telemetry::captures,
        read: telemetry::capture,
    },
    Target { name: "telemetry-table", about: "tables of flows", seeds: telemetry::tables, read: telemetry::table },
    Target {
        name: "telemetry-context",
        about: "context that a person states",
        seeds: telemetry::contexts,
        read: telemetry::context,
    },
];
