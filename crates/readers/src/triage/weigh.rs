//! What facts show, by rules that any analyst knows: signs of an attack, and what explains them.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::Line;

/// A verdict with its reasons.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Weighed {
    pub verdict: &'static str,
    /// In percent.
    pub confidence: u64,
    pub cited: Vec<String>,
    pub why: String,
}

/// Most facts that are cited.
const MOST: usize = 20;

/// How much a sign says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    /// It has no harmless reading of its own.
    Alone,
    /// Together with a sign of another step it has none.
    Paired,
}

/// Facts that are a sign of an attack.
#[derive(Clone, Debug)]
struct Sign<'a> {
    step: &'static str,
    weight: Weight,
    facts: Vec<&'a Line>,
}

/// A sign by one fact: its classes (any, where there are none), and words of which one must stand in its text, with words of which
/// one must stand there too.
struct Rule {
    step: &'static str,
    weight: Weight,
    classes: &'static [&'static str],
    words: &'static [&'static str],
    also: &'static [&'static str],
}

const STARTS: &[&str] = &["process_started", "script_run", "command_as_other", "task_run", "syscall"];
const SERVICE: &[&str] = &["service_installed"];

const RULES: &[Rule] = &[
    Rule {
        step: "credentials",
        weight: Weight::Alone,
        classes: &["process_accessed"],
        words: &["lsass"],
        also: &["0x1010", "0x1410", "0x1438", "0x143a", "0x1fffff", "0x1f1fff", "0x1f0fff", "0x1f3fff"],
    },
    Rule {
        step: "credentials",
        weight: Weight::Alone,
        classes: &["file_created"],
        words: &["lsass"],
        also: &[".dmp", ".mdmp"],
    },
    Rule {
        step: "credentials",
        weight: Weight::Alone,
        classes: &[],
        words: &["sekurlsa::", "lsadump::", "invoke-mimikatz", "mimidrv"],
        also: &[],
    },
    Rule {
        step: "credentials",
        weight: Weight::Alone,
        classes: &["directory_accessed"],
        words: &["1131f6aa-9c07-11d1-f79f-00c04fc2dcd2", "1131f6ad-9c07-11d1-f79f-00c04fc2dcd2"],
        also: &[],
    },
    Rule {
        step: "credentials",
        weight: Weight::Paired,
        classes: STARTS,
        words: &["ntds.dit", "ntdsutil", "reg save hklm\\sam", "procdump"],
        also: &[],
    },
    Rule {
        step: "roasting",
        weight: Weight::Paired,
        classes: &["ticket_requested"],
        words: &["0x17", "0x18"],
        also: &[],
    },
    Rule {
        step: "remote shell",
        weight: Weight::Alone,
        classes: STARTS,
        words: &["wmiprvse.exe"],
        also: &["cmd.exe", "powershell.exe", "mshta.exe"],
    },
    Rule {
        step: "web shell",
        weight: Weight::Alone,
        classes: STARTS,
        words: &["w3wp.exe", "httpd", "tomcat", "nginx"],
        also: &["cmd.exe", "powershell.exe", "whoami", "/bin/sh", "bash -i"],
    },
    Rule { step: "lookup", weight: Weight::Alone, classes: &[], words: &["${jndi:"], also: &[] },
    Rule {
        step: "decoded shell",
        weight: Weight::Alone,
        classes: &[],
        words: &["base64 -d", "base64 --decode"],
        also: &["sh", "bash"],
    },
    Rule {
        step: "recovery",
        weight: Weight::Alone,
        classes: &[],
        words: &["delete shadows", "shadowcopy delete"],
        also: &[],
    },
    Rule {
        step: "sensor",
        weight: Weight::Alone,
        classes: &[],
        words: &["fltmc unload", "fltmc.exe unload"],
        also: &[],
    },
    Rule {
        step: "service shell",
        weight: Weight::Alone,
        classes: SERVICE,
        words: &["%comspec%", "cmd.exe /c", "cmd /c", "powershell", "-enc", "\\\\127.0.0.1\\"],
        also: &[],
    },
    Rule {
        step: "odd service",
        weight: Weight::Paired,
        classes: SERVICE,
        words: &["\\temp\\", "\\appdata\\", "\\users\\public\\", "\\programdata\\"],
        also: &[],
    },
    Rule {
        step: "remote tool",
        weight: Weight::Paired,
        classes: SERVICE,
        words: &["psexesvc", "paexec", "remcom"],
        also: &[],
    },
    Rule { step: "odd task", weight: Weight::Paired, classes: &["task_created"], words: &[], also: &[] },
    Rule {
        step: "hidden script",
        weight: Weight::Paired,
        classes: STARTS,
        words: &[" -enc ", "-encodedcommand", "frombase64string"],
        also: &[],
    },
    Rule {
        step: "download",
        weight: Weight::Paired,
        classes: STARTS,
        words: &[
            "downloadstring",
            "downloadfile",
            "invoke-webrequest",
            "net.webclient",
            "certutil",
            "curl http",
            "wget http",
        ],
        also: &[],
    },
    Rule { step: "log cleared", weight: Weight::Paired, classes: &["log_cleared"], words: &[], also: &[] },
    Rule {
        step: "protection",
        weight: Weight::Paired,
        classes: &["security_product", "policy_changed"],
        words: &[],
        also: &[],
    },
    Rule { step: "account", weight: Weight::Paired, classes: &["account_created"], words: &[], also: &[] },
    Rule {
        step: "group",
        weight: Weight::Paired,
        classes: &["group_changed"],
        words: &["admin", "sudo", "wheel", "root"],
        also: &[],
    },
    Rule {
        step: "new credentials",
        weight: Weight::Paired,
        classes: &["logon", "explicit_logon"],
        words: &["new credentials", "seclogo"],
        also: &[],
    },
    Rule { step: "share", weight: Weight::Paired, classes: &["share_accessed"], words: &["admin$", "c$"], also: &[] },
];

impl Rule {
    fn takes(&self, line: &Line) -> bool {
        let has = |words: &[&str]| words.is_empty() || words.iter().any(|word| line.text.contains(word));
        (self.classes.is_empty() || self.classes.contains(&line.class.as_str())) && has(self.words) && has(self.also)
    }
}

/// Weighs the facts of a packet.
pub(super) fn weigh<'a>(lines: impl Iterator<Item = &'a Line>) -> Weighed {
    let lines: Vec<&Line> = lines.collect();
    let stated: Vec<&Line> = lines.iter().copied().filter(|line| line.is_stated()).collect();
    let seen: Vec<&Line> =
        lines.iter().copied().filter(|line| !line.is_stated() && line.class != "not_collected").collect();
    let signs = signs(&seen);
    let mut explaining: BTreeSet<String> = BTreeSet::new();
    let mut open: Vec<&Sign<'_>> = Vec::new();
    for sign in &signs {
        let covering: Vec<&&Line> =
            stated.iter().filter(|known| sign.facts.iter().any(|fact| known.covers(fact))).collect();
        if covering.is_empty() {
            open.push(sign);
        } else {
            explaining.extend(covering.iter().map(|known| known.id.clone()));
        }
    }
    let ids = |signs: &[&Sign<'_>]| {
        let mut ids: Vec<String> = Vec::new();
        for fact in signs.iter().flat_map(|sign| &sign.facts) {
            if !ids.contains(&fact.id) {
                ids.push(fact.id.clone());
            }
        }
        ids
    };
    let steps: BTreeSet<&str> = open.iter().map(|sign| sign.step).collect();
    let alone = open.iter().any(|sign| sign.weight == Weight::Alone);
    let (verdict, confidence, mut cited, why) = if alone || steps.len() > 1 {
        ("THREAT_CONFIRMED", if alone { 90 } else { 80 }, ids(&open), "no stated fact explains what the signs show")
    } else if open.is_empty() {
        let mut cited: Vec<String> = explaining.iter().cloned().collect();
        cited.extend(ids(&signs.iter().collect::<Vec<_>>()));
        let why = if signs.is_empty() { "nothing suspicious is shown" } else { "stated facts explain all signs" };
        ("THREAT_DISMISSED", 80, cited, why)
    } else {
        ("INCONCLUSIVE", 50, ids(&open), "one sign alone decides nothing")
    };
    cited.truncate(MOST);
    Weighed { verdict, confidence, cited, why: why.to_owned() }
}

fn signs<'a>(lines: &[&'a Line]) -> Vec<Sign<'a>> {
    let mut signs = Vec::new();
    for rule in RULES {
        let facts: Vec<&Line> = lines.iter().copied().filter(|line| rule.takes(line)).collect();
        if !facts.is_empty() {
            signs.push(Sign { step: rule.step, weight: rule.weight, facts });
        }
    }
    guesses(lines, &mut signs);
    sweeps(lines, &mut signs);
    signs
}

/// How many records facts stand for: those that count others, or single ones.
fn records(facts: &[&Line]) -> u64 {
    let counted: u64 = facts.iter().filter(|fact| fact.count > 1).map(|fact| fact.count).sum();
    counted.max(facts.iter().filter(|fact| fact.count == 1).count() as u64)
}

/// Many refused logons from one place, and one that was accepted from there afterwards.
fn guesses<'a>(lines: &[&'a Line], signs: &mut Vec<Sign<'a>>) {
    let mut refused: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.class == "logon_failed" && !line.actor.is_empty()) {
        refused.entry(&line.actor).or_default().push(line);
    }
    for (actor, facts) in refused {
        let accounts: BTreeSet<&str> = facts.iter().map(|fact| fact.object.as_str()).collect();
        if records(&facts) < 10 && accounts.len() < 5 {
            continue;
        }
        let begun = facts.iter().filter_map(|fact| fact.second).fold(f64::MAX, f64::min);
        let entered: Vec<&Line> = lines
            .iter()
            .copied()
            .filter(|line| line.class == "logon" && line.actor == actor && line.second.is_some_and(|at| at > begun))
            .collect();
        signs.push(Sign { step: "guesses", weight: Weight::Paired, facts });
        if !entered.is_empty() {
            signs.push(Sign { step: "entry", weight: Weight::Paired, facts: entered });
        }
    }
}

/// One address that reaches very many others, or very many ports of one.
fn sweeps<'a>(lines: &[&'a Line], signs: &mut Vec<Sign<'a>>) {
    const TRAFFIC: [&str; 3] = ["flow", "connection", "packet_filtered"];
    let mut reached: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in lines.iter().filter(|line| TRAFFIC.contains(&line.class.as_str()) && !line.actor.is_empty()) {
        reached.entry(&line.actor).or_default().push(line);
    }
    for facts in reached.into_values() {
        let of = |pick: &dyn Fn(&Line) -> Option<String>| {
            facts.iter().filter_map(|line| pick(line)).collect::<BTreeSet<_>>().len()
        };
        let targets = of(&|line| Some(line.object.clone()));
        let ports = of(&|line| line.fields.get("target_port").or_else(|| line.fields.get("dst_port")).cloned());
        if targets >= 15 || ports >= 12 {
            signs.push(Sign { step: "sweep", weight: Weight::Paired, facts });
        }
    }
}
