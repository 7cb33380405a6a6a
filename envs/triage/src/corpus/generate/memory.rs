//! What a Windows host keeps: identifiers of accounts, sessions, numbers of processes. They are the same in all events of a script, so that
//! events about one thing can be found by it.

use std::collections::{BTreeMap, VecDeque};

use gimbal_core::Digest;

/// The number of the local security authority.
const LSASS: u64 = 652;

/// What was given out so far.
pub(super) struct Memory {
    seed: u64,
    /// How many sessions an account had, and which are open, the oldest first.
    sessions: BTreeMap<String, (u64, VecDeque<u64>)>,
    /// How many processes of an image started on a host.
    processes: BTreeMap<(String, String), u64>,
}

impl Memory {
    pub const fn new(seed: u64) -> Self {
        Self { seed, sessions: BTreeMap::new(), processes: BTreeMap::new() }
    }

    /// The value of a kind for an account or an image; `None` where there is no such kind.
    pub fn value(&mut self, what: &str, host: &str, of: &str) -> Option<String> {
        Some(match what {
            "sid" => self.sid(of),
            "logon" => self.logon(of),
            "logoff" => self.logoff(of),
            "session" => self.session(of),
            "start" => self.process(host, of, true).to_string(),
            "start16" => format!("0x{:x}", self.process(host, of, true)),
            "process" => self.process(host, of, false).to_string(),
            "process16" => format!("0x{:x}", self.process(host, of, false)),
            _ => return None,
        })
    }

    fn sid(&self, account: &str) -> String {
        match account {
            "-" => "S-1-0-0".to_owned(),
            account if account.ends_with('$') => "S-1-5-18".to_owned(),
            account => format!("S-1-5-21-1000-2000-3000-{}", 1_100 + self.drawn("sid", account, 0) % 7_000),
        }
    }

    fn logon(&mut self, account: &str) -> String {
        let (count, open) = self.sessions.entry(account.to_owned()).or_default();
        *count += 1;
        open.push_back(*count);
        let number = *count;
        self.named(account, number)
    }

    fn logoff(&mut self, account: &str) -> String {
        let number = self.sessions.get_mut(account).and_then(|(_, open)| open.pop_front()).unwrap_or(0);
        self.named(account, number)
    }

    fn session(&self, account: &str) -> String {
        // Services of the host itself have one session, always.
        if account.ends_with('$') || account == "-" {
            return "0x3e7".to_owned();
        }
        let name = account.rsplit('\\').next().unwrap_or(account);
        let number = self.sessions.get(name).and_then(|(_, open)| open.back().copied()).unwrap_or(0);
        self.named(name, number)
    }

    fn named(&self, account: &str, number: u64) -> String {
        format!("0x{:x}", 0x4_0000 + self.drawn("session", account, number) % 0xf0_0000)
    }

    fn process(&mut self, host: &str, image: &str, starts: bool) -> u64 {
        // One process from the start of the host to its end.
        if image.to_lowercase().ends_with(r"\lsass.exe") {
            return LSASS;
        }
        let count = self.processes.entry((host.to_owned(), image.to_lowercase())).or_default();
        if starts {
            *count += 1;
        }
        let count = *count;
        600 + 4 * (self.drawn(host, &image.to_lowercase(), count) % 7_000)
    }

    /// A number that the seed decides.
    fn drawn(&self, kind: &str, name: &str, number: u64) -> u64 {
        Digest::of_parts(&[&self.seed.to_be_bytes(), kind.as_bytes(), name.as_bytes(), &number.to_be_bytes()]).head()
    }
}

#[cfg(test)]
mod tests {
    use super::Memory;

    #[test]
    fn one_thing_has_one_number_in_all_events() {
        let mut memory = Memory::new(7);
        let mut of = |what: &str, of: &str| memory.value(what, "ws01", of).unwrap();
        let (first, second) = (of("logon", "ada"), of("logon", "ada"));
        assert_ne!(first, second);
        assert_eq!(of("session", "NORTH\\ada"), second);
        assert_eq!((of("logoff", "ada"), of("logoff", "ada")), (first, second));
        let started = of("start", "C:\\a.exe");
        assert_eq!(of("process", "c:\\A.exe"), started);
        assert_ne!(of("start", "C:\\a.exe"), started);
        assert_eq!((of("sid", "ada"), of("sid", "WS01$").as_str()), (of("sid", "ada"), "S-1-5-18"));
        assert!(Memory::new(7).value("colour", "a", "b").is_none());
    }
}
