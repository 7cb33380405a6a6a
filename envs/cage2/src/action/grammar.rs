//! The tolerant action grammar: what a person or a model may write for an action (BOG-032, BOG-035).

use gimbal_core::nearest;
use gimbal_env_kit::answer;
use gimbal_env_kit::grammar::{self, Arguments, arguments};
use thiserror::Error;

use super::{Action, KINDS, Kind};
use crate::facts::HOSTS;
use crate::names::Names;

/// Why a text is not a legal action. Each message says what was wrong and what would be right.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ActionError {
    /// There is no text.
    #[error("the action is empty; write one such as `Monitor` or `Restore hostname=<hostname>`")]
    Empty,
    /// There is a text, and no name at its beginning.
    #[error(
        "`{0}` does not begin with the name of an action; write one such as `Monitor` or `Restore hostname=<hostname>`"
    )]
    Nameless(String),
    /// The name of the glossary was copied with its placeholder. No decoy is named here either (BOG-025).
    #[error(
        "`{0}` is no action as it stands: SERVICE stands for the name of a service; write `Decoy` with the name of a \
         service right behind it, then `hostname=<hostname>` with the name of a host"
    )]
    Placeholder(String),
    /// No action has this name. The message names what every prompt explains and no kind of decoy, not even for a
    /// misspelling: agents are to find them out, and their mistakes must not teach them (BOG-025, BOG-R09).
    #[error(
        "there is no action `{name}`{hint} actions are Monitor, Analyse, Remove, Restore and DecoySERVICE, where SERVICE \
         is the name of a service"
    )]
    UnknownAction {
        /// What was written.
        name: String,
        /// The nearest name, if one is close, and the word that begins the list.
        hint: String,
    },
    /// The action needs a host.
    #[error("`{action}` needs a host; write `{action} hostname=<hostname>` with the name of a host")]
    MissingHost {
        /// The action.
        action: String,
    },
    /// No host has this name.
    #[error("there is no host `{host}`{hint} are named as they were shown to you")]
    UnknownHost {
        /// What was written.
        host: String,
        /// The nearest name, if one is close, and the word that begins what follows.
        hint: String,
    },
    /// The action takes no such parameter.
    #[error("`{action}` takes no parameter `{parameter}`; {hint}")]
    UnknownParameter {
        /// The action.
        action: String,
        /// What was written.
        parameter: String,
        /// What would be right.
        hint: String,
    },
    /// More than one action.
    #[error("{0}")]
    TwoActions(String),
    /// More than one host.
    #[error("`{action}` takes one host at a time, not `{first}` and `{second}`; name one")]
    TwoHosts {
        /// The action.
        action: String,
        /// The first.
        first: String,
        /// The second.
        second: String,
    },
}

/// Reads an action: its name, then a host, bare or as `hostname=…`, quoted or not, also in brackets.
///
/// # Errors
/// What was wrong and what would be right.
pub fn parse(text: &str, names: &Names) -> Result<Action, ActionError> {
    let read = |text: &str| {
        let (name, rest) = split(text)?;
        let mut arguments = arguments(rest);
        if is_stem(name) && arguments.iter().any(|(_, value)| value.eq_ignore_ascii_case(SERVICE)) {
            return Err(ActionError::Placeholder(format!("{STEM} {SERVICE}")));
        }
        let name = joined(name, &mut arguments, names).unwrap_or(name);
        read_parts(name, &arguments, names)
    };
    let begins = |word: &str| Verb::of(word, names).is_some() || is_stem(word);
    answer::one(text, read, begins, |text| read(text).ok())
        .map_err(|problem| problem.message().map_or_else(|error| error, ActionError::TwoActions))
}

/// Reads an action as the published artifact does: `Ok(None)` is an action that slips through its checks and
/// that the simulator takes as invalid.
///
/// # Errors
/// Unknown names, and decoys without a host.
pub fn parse_as_artifact(text: &str, names: &Names) -> Result<Option<Action>, ActionError> {
    let (name, rest) = split(text)?;
    lenient_parts(name, &arguments(rest), names)
}

/// As [`parse`], from name and parameters.
pub(crate) fn read_parts(name: &str, arguments: &Arguments<'_>, names: &Names) -> Result<Action, ActionError> {
    let Some(verb) = Verb::of(name, names) else { return Err(unknown_action(name, names)) };
    let Verb::On(kind) = verb else {
        return match arguments.first() {
            None => Ok(verb.plain()),
            Some((key, value)) => Err(ActionError::UnknownParameter {
                action: verb.name(names).to_owned(),
                parameter: key.unwrap_or(value).to_owned(),
                hint: format!("write `{}` alone", verb.name(names)),
            }),
        };
    };
    let action = names.kind(kind);
    let mut found: Option<&str> = None;
    for (key, value) in arguments {
        if let Some(key) = key
            && !is_host_key(key)
        {
            return Err(ActionError::UnknownParameter {
                action: action.to_owned(),
                parameter: (*key).to_owned(),
                hint: format!("write `{action} hostname=<hostname>` with the name of a host"),
            });
        }
        let says_nothing = || FILLERS.iter().any(|word| word.eq_ignore_ascii_case(value));
        if key.is_none() && says_nothing() && names.find_host(value).is_none() {
            continue;
        }
        if let Some(first) = found {
            return Err(two(action, first, value, names));
        }
        found = Some(value);
    }
    let Some(host) = found.filter(|host| !host.is_empty()) else {
        return Err(ActionError::MissingHost { action: action.to_owned() });
    };
    match names.find_host(host) {
        Some(host) => Ok(Action::on(kind, host)),
        None => {
            let hint = nearest::hint(host, HOSTS.iter().map(|host| names.host(*host)));
            Err(ActionError::UnknownHost { host: host.to_owned(), hint: then(&hint, "hosts", "Hosts") })
        }
    }
}

/// Why an action cannot take two words.
fn two(action: &str, first: &str, second: &str, names: &Names) -> ActionError {
    let words = [first, second];
    let other = || words.into_iter().find(|word| Verb::of(word, names).is_some() && names.find_host(word).is_none());
    if let Some(name) = words.into_iter().find(|word| is_placeholder(word)) {
        return ActionError::Placeholder(name.to_owned());
    }
    if let Some(other) = other() {
        let problem = answer::Problem::Two(action.to_owned(), other.to_owned());
        return problem.message().map_or_else(|error| error, ActionError::TwoActions);
    }
    ActionError::TwoHosts { action: action.to_owned(), first: first.to_owned(), second: second.to_owned() }
}

/// As [`parse_as_artifact`], from name and parameters.
pub(crate) fn lenient_parts(
    name: &str,
    arguments: &Arguments<'_>,
    names: &Names,
) -> Result<Option<Action>, ActionError> {
    let Some(verb) = Verb::of(name, names) else { return Err(unknown_action(name, names)) };
    let Verb::On(kind) = verb else { return Ok(Some(verb.plain())) };
    match host_of(arguments) {
        None if matches!(kind, Kind::Decoy(_)) => Err(ActionError::MissingHost { action: names.kind(kind).to_owned() }),
        None => Ok(None),
        Some(host) => Ok(names.find_host(host).map(|host| Action::on(kind, host))),
    }
}

/// The name and the host, as written, of an action that slipped through [`parse_as_artifact`].
pub(crate) fn slipped(text: &str, names: &Names) -> (String, Option<String>) {
    let Ok((name, rest)) = split(text) else { return (text.to_owned(), None) };
    let name = Verb::of(name, names).map_or(name, |verb| verb.name(names));
    (name.to_owned(), host_of(&arguments(rest)).map(str::to_owned))
}

/// What all names of decoys begin with.
const STEM: &str = "Decoy";
/// What replaces the rest of such a name in the glossary.
const SERVICE: &str = "SERVICE";

/// Whether a name is that of a decoy without its service, or with the placeholder in its place.
fn is_stem(name: &str) -> bool {
    name.eq_ignore_ascii_case(STEM) || is_placeholder(name)
}

fn is_placeholder(name: &str) -> bool {
    let head = name.get(..STEM.len()).filter(|head| head.eq_ignore_ascii_case(STEM));
    let rest = head.map(|head| name[head.len()..].trim_matches(|letter: char| !letter.is_alphanumeric()));
    rest.is_some_and(|rest| rest.eq_ignore_ascii_case(SERVICE))
}

/// The decoy whose name was written apart, `Decoy SSHD`, or whose service was given as a parameter; that word is taken from
/// the parameters.
fn joined<'a>(name: &str, arguments: &mut Vec<(Option<&str>, &str)>, names: &'a Names) -> Option<&'a str> {
    if !is_stem(name) {
        return None;
    }
    let is_service = |key: Option<&str>| key.is_none_or(|key| key.eq_ignore_ascii_case(SERVICE));
    let at = arguments.iter().position(|(key, _)| is_service(*key))?;
    let word = arguments[at].1;
    let kind = names.find_kind(&format!("{STEM}{word}")).or_else(|| names.find_kind(word))?;
    matches!(kind, Kind::Decoy(_)).then(|| {
        arguments.remove(at);
        names.kind(kind)
    })
}

fn host_of<'a>(arguments: &Arguments<'a>) -> Option<&'a str> {
    let host = arguments.iter().find(|(key, _)| key.is_none_or(is_host_key));
    host.map(|(_, host)| *host).filter(|host| !host.is_empty())
}

#[derive(Clone, Copy)]
enum Verb {
    Sleep,
    Monitor,
    On(Kind),
}

impl Verb {
    fn of(name: &str, names: &Names) -> Option<Self> {
        if name.eq_ignore_ascii_case("sleep") {
            return Some(Self::Sleep);
        }
        if name.eq_ignore_ascii_case("monitor") {
            return Some(Self::Monitor);
        }
        if name.eq_ignore_ascii_case("analyze") {
            return Some(Self::On(Kind::Analyse));
        }
        KINDS.into_iter().find(|kind| names.kind(*kind).eq_ignore_ascii_case(name)).map(Self::On)
    }

    fn plain(self) -> Action {
        if matches!(self, Self::Sleep) { Action::SLEEP } else { Action::MONITOR }
    }

    fn name(self, names: &Names) -> &str {
        match self {
            Self::Sleep => "Sleep",
            Self::Monitor => "Monitor",
            Self::On(kind) => names.kind(kind),
        }
    }
}

/// Words that stand before the name of a host and say nothing.
const FILLERS: [&str; 9] = ["on", "the", "host", "hostname", "server", "machine", "at", "for", "-"];

fn is_host_key(key: &str) -> bool {
    ["hostname", "host", "host_name"].iter().any(|known| known.eq_ignore_ascii_case(key))
}

/// No decoy is ever named: each kind that a message shows is one that the agent need not find out (BOG-025).
fn unknown_action(name: &str, names: &Names) -> ActionError {
    if is_placeholder(name) {
        return ActionError::Placeholder(name.to_owned());
    }
    let shown = KINDS.iter().filter(|kind| !matches!(kind, Kind::Decoy(_))).map(|kind| names.kind(*kind));
    let hint = nearest::hint(name, ["Sleep", "Monitor"].into_iter().chain(shown));
    ActionError::UnknownAction { name: name.to_owned(), hint: then(&hint, "the", "The") }
}

/// A hint that ends with its question mark, and the word with which the message goes on after it or without it.
fn then(hint: &str, without: &str, after: &str) -> String {
    if hint.is_empty() { format!("; {without}") } else { format!("{hint} {after}") }
}

/// Longest part of a text without a name that a message repeats.
const SHOWN: usize = 60;

/// The name and the rest.
fn split(text: &str) -> Result<(&str, &str), ActionError> {
    let nameless = || match text.trim() {
        bare if bare.chars().any(char::is_alphanumeric) => ActionError::Nameless(bare.chars().take(SHOWN).collect()),
        _ => ActionError::Empty,
    };
    grammar::split(text).ok_or_else(nameless)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match parse(text, &Names::original()) {
            Ok(action) => action.to_string(),
            Err(error) => error.to_string(),
        }
    }

    // covers: BOG-032
    #[test]
    fn many_ways_to_write_one_action() {
        for text in [
            "DecoyApache User1",
            "DecoyApache hostname=User1",
            "DecoyApache hostname=\"User1\"",
            "DecoyApache hostname='User1'",
            "DecoyApache hostname = User1",
            "DecoyApache hostname: User1",
            "DecoyApache(hostname=\"User1\")",
            "DecoyApache(User1)",
            "DecoyApache (\"User1\")",
            "\"DecoyApache hostname=User1\"",
            "'DecoyApache hostname=\"User1\"'",
            "`decoyapache USER1`",
            "  decoyAPACHE   host=user1 .",
            "\"DecoyApache\" \"User1\"",
            "\u{201c}DecoyApache User1\u{201d}",
            "DecoyApache: User1",
            "DecoyApache[User1]",
            "DecoyApache{hostname: User1}",
            "DecoyApache hostname=<User1>",
            "**DecoyApache** User1",
            "DecoyApache on host User1",
            "DecoyApache -> User1",
            "action: DecoyApache, hostname: User1",
            "action: DecoyApache\nhostname: User1",
            "DecoyApache hostname=User1 (to delay the attacker)",
            "DecoyApache User1\nIt delays whoever attacks, and I will monitor the rest.",
            "Decoy Apache User1",
            "Decoy apache hostname=User1",
            "Decoy: Apache, User1",
            "Decoy service=Apache hostname=User1",
            "DecoySERVICE service=Apache, hostname=User1",
            "Decoy DecoyApache User1",
            "DecoyApache User1 now",
            "DecoyApache hostname=User1!",
            "DecoyApache hostname=User1, please.",
            "DecoyApache hostname=User1</answer>",
            "DecoyApache hostname=User1, as Remove may fail",
            "DecoyApache hostname=User1, as Monitor changes nothing",
            "[DecoyApache hostname=User1](http://x)",
        ] {
            assert_eq!(read(text), "DecoyApache User1", "{text}");
        }
        assert_eq!(read("Restore User1, as Remove User2 may fail"), "Restore User1");
        assert_eq!(read("Decoy SSHD hostname=User1"), "DecoySSHD User1");
        assert_eq!(read("analyze Op_Server0"), "Analyse Op_Server0");
        assert_eq!(read("Monitor()"), "Monitor");
        assert_eq!(read("\"sleep\""), "Sleep");
    }

    // covers: BOG-035
    #[test]
    fn faults_are_named_with_their_fix() {
        assert_eq!(read(""), "the action is empty; write one such as `Monitor` or `Restore hostname=<hostname>`");
        assert!(read("Restor User1").contains("did you mean `Restore`?"));
        assert_eq!(
            read("Restore"),
            "`Restore` needs a host; write `Restore hostname=<hostname>` with the name of a host"
        );
        assert_eq!(
            read("Remove hostname="),
            "`Remove` needs a host; write `Remove hostname=<hostname>` with the name of a host"
        );
        assert!(read("Analyse User9").starts_with("there is no host `User9`; did you mean `User"));
        assert!(read("Analyse subnet=User").contains("takes no parameter `subnet`"));
        assert!(read("Restore User1, User2").contains("one host at a time"));
        for text in [
            "Restore User1\nRemove User2",
            "Restore User1 and Remove User2",
            "Restore User1; Monitor",
            "Restore User1 (or Remove User1)",
            "Restore User1. Then Decoy Apache User1",
        ] {
            assert!(read(text).starts_with("the answer names more than one action"), "{text}: {}", read(text));
        }
        assert_eq!(read("''"), read(""));
        assert_eq!(
            read("{\"hostname\": \"User1\"}"),
            "`{\"hostname\": \"User1\"}` does not begin with the name of an action; write one such as `Monitor` or \
             `Restore hostname=<hostname>`"
        );
        assert!(read("Analyse User9 now").starts_with("there is no host `User9`"));
        assert!(read("Restore User1 (not now)").contains("take it back (`(not now)`)"));
        for text in ["Remove hostname=User1 Remove hostname=User2", "Remove DecoyApache hostname=User1"] {
            assert!(read(text).starts_with("the answer names more than one action"), "{text}: {}", read(text));
        }
        assert!(read("Remove decoySERVICE hostname=User1").contains("SERVICE stands for the name of a service"));
        assert!(read("Monitor User1").contains("write `Monitor` alone"));
        assert!(read("Misinform User1").contains("no action `Misinform`"));
    }

    // covers: BOG-025
    #[test]
    fn a_mistake_teaches_no_names_that_the_prompt_keeps_back() {
        for names in [Names::original(), Names::neutral(3)] {
            let listed = |text: &str| {
                let message = parse(text, &names).unwrap_err().to_string();
                let shown = KINDS.iter().filter(|kind| matches!(kind, Kind::Decoy(_))).map(|kind| names.kind(*kind));
                let hosts = HOSTS.iter().map(|host| names.host(*host));
                shown.chain(hosts).filter(|name| message.contains(name)).count()
            };
            for text in [
                "DecoySERVICE x",
                "Decoy SERVICE x",
                "Decoy<SERVICE> x",
                "DecoyHarakaSMPT x",
                "DecoyApach x",
                "decoysshd2 x",
                "DecoySMB x",
                "DecoyHTTP x",
                "Decoy x",
                "Misinform x",
                "Analyse Printer",
                "",
                "Restore",
                "Analyse subnet=x",
            ] {
                assert_eq!(listed(text), 0, "{text}");
            }
        }
        for text in [
            "DecoySERVICE hostname=User1",
            "decoyservice User1",
            "Decoy SERVICE User1",
            "Decoy<SERVICE> hostname=<hostname>",
        ] {
            let message = read(text);
            assert!(message.contains("SERVICE stands for the name of a service"), "{message}");
            assert!(!message.contains("there is no action"), "{message}");
        }
        let message = read("Misinform User1");
        for entry in ["Monitor", "Analyse", "Remove", "Restore", "DecoySERVICE"] {
            assert!(message.contains(entry), "{message}");
        }
        assert_eq!(
            read("Restor User1"),
            "there is no action `Restor`; did you mean `Restore`? The actions are Monitor, Analyse, Remove, Restore and \
             DecoySERVICE, where SERVICE is the name of a service"
        );
        assert!(read("Analyse User9").ends_with("`? Hosts are named as they were shown to you"));
        assert_eq!(read("Analyse Printer"), "there is no host `Printer`; hosts are named as they were shown to you");
    }

    // covers: BOG-035
    #[test]
    fn the_artifact_lets_wrong_hosts_through() {
        let names = Names::original();
        let read = |text| parse_as_artifact(text, &names);
        assert_eq!(read("Restore"), Ok(None));
        assert_eq!(read("Analyse Nowhere"), Ok(None));
        assert_eq!(read("Monitor User1"), Ok(Some(Action::MONITOR)));
        assert_eq!(read("Restore hostname=User1"), Ok(parse("Restore User1", &names).ok()));
        assert!(matches!(read("DecoyApache"), Err(ActionError::MissingHost { .. })));
        assert!(matches!(read("Misinform User1"), Err(ActionError::UnknownAction { .. })));
    }
}
