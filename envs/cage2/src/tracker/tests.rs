//! Every rule on observations written by hand, with names that no scenario has.

use gimbal_core::{Observation, RejectionKind, Stepped, ToolCall, Tracker};
use serde_json::{Value, json};

use super::{DecoyTable, HostBelief, HostTracker, Status};

fn first() -> Value {
    let host = |name: &str, pid: u32| {
        json!({
            "Interface": [{ "Interface Name": "eth0", "IP Address": "10.0.0.1", "Subnet": "10.0.0.0/28" }],
            "Sessions": [{ "Username": "root", "ID": pid, "PID": pid, "Agent": "Blue" }],
            "Processes": [{ "PID": pid, "Username": "root" }],
            "System info": { "Hostname": name, "OSType": "LINUX" },
        })
    };
    json!({ "success": "UNKNOWN", "Gate": host("Gate", 3), "Desk": host("Desk", 4), "Vault": host("Vault", 5) })
}

fn shell(pid: u32) -> Value {
    json!({
        "Processes": [
            { "Connections": [{ "local_port": 25, "remote_port": 50000 + pid }] },
            { "PID": pid, "Connections": [{ "local_port": 50001, "remote_port": 4444 }] },
        ],
        "Interface": [{ "IP Address": "10.0.0.1" }],
    })
}

fn scan(port: u32) -> Value {
    json!({ "Processes": [{ "Connections": [{ "local_port": port, "remote_port": 50000 }] }],
            "Interface": [{ "IP Address": "10.0.0.1" }] })
}

fn files() -> Value {
    json!({ "Files": [{ "Path": "/tmp/", "File Name": "cmd.sh", "Density": 0.9 }] })
}

fn bait(pid: u32, service: &str) -> Value {
    json!({ "Processes": [{ "PID": pid, "PPID": 1, "Service Name": service, "Username": "root" }] })
}

struct Play {
    tracker: HostTracker,
    step: u32,
}

impl Play {
    fn new() -> Self {
        let decoys = [("DecoyOak", "oak"), ("DecoyFir", "fir")];
        let pairs = decoys.map(|(tool, service)| (tool.to_owned(), service.to_owned()));
        let mut tracker = HostTracker::new(HostBelief::new(DecoyTable::new(pairs)));
        tracker.begin(&Observation { text: "{'first': 1}".to_owned(), data: first().into() });
        Self { tracker, step: 0 }
    }

    /// Takes a step: `action` as `Tool` or `Tool Host`, and what is seen of which hosts.
    fn step(&mut self, action: &str, seen: &[(&str, Value)]) -> &mut Self {
        self.because(action, None, seen)
    }

    fn because(&mut self, action: &str, justification: Option<&str>, seen: &[(&str, Value)]) -> &mut Self {
        let call = match action.split_once(' ') {
            Some((tool, host)) => ToolCall::with(tool, &[("hostname", host)]),
            None => ToolCall::bare(action),
        };
        let mut data = json!({ "success": "TRUE" });
        for (host, entry) in seen {
            data[*host] = entry.clone();
        }
        self.step += 1;
        let observation = Observation { text: format!("{{'seen': {}}}", self.step), data: data.into() };
        self.tracker.update(Stepped { step: self.step, call: &call, observation: &observation, justification });
        self
    }

    fn status(&self, name: &str) -> Status {
        self.tracker.belief().statuses().find(|(host, _)| *host == name).map(|(_, status)| status).unwrap()
    }

    fn block(&self, name: &str) -> String {
        self.tracker.block(name).unwrap()
    }

    /// The list of the status block, read back.
    fn listed(&self) -> Vec<Value> {
        let text = self.block("status");
        let (heading, list) = text.split_once('\n').unwrap();
        assert_eq!(heading, "Hosts whose status is not baseline:");
        serde_json::from_str(list).unwrap()
    }

    fn ask(&self, query: &str, host: &str) -> Value {
        let answer = self.tracker.query(&ToolCall::with(query, &[("subject", host)])).unwrap();
        serde_json::from_str(&answer).unwrap()
    }
}

// covers: BOG-037, BOG-081, BOG-100, BOG-102
#[test]
fn the_first_observation_is_the_baseline_and_is_not_shown() {
    let mut play = Play::new();
    assert_eq!(play.tracker.blocks(), ["observation", "history", "own_history", "status"]);
    assert_eq!(play.block("observation"), "No observation has been made yet.");
    assert_eq!(play.block("status"), "Every host is in its baseline state.");
    assert_eq!(play.block("history"), "No step has been taken yet.");
    assert_eq!(play.block("own_history"), "No step has been taken yet.");
    assert_eq!(play.tracker.block("other"), None);
    let hosts: Vec<&str> = play.tracker.belief().statuses().map(|(host, _)| host).collect();
    assert_eq!(hosts, ["Desk", "Gate", "Vault"]);
    assert_eq!(play.ask("subject_baseline", "Gate")["baseline_state"], first()["Gate"]);
    play.step("Monitor", &[]);
    assert_eq!(play.block("observation"), "Latest observation:\n{'seen': 1}");
    // A new episode forgets the old one.
    play.step("Remove Gate", &[("Desk", shell(9))]);
    play.tracker.begin(&Observation { text: String::new(), data: json!({ "success": "UNKNOWN", "Hut": {} }).into() });
    assert_eq!(play.tracker.belief().statuses().collect::<Vec<_>>(), [("Hut", Status::Baseline)]);
    assert_eq!(play.block("observation"), "No observation has been made yet.");
    assert_eq!(play.block("history"), "No step has been taken yet.");
}

// covers: BOG-082, BOG-084, BOG-086
#[test]
fn new_processes_are_changes_and_connections_are_not() {
    let mut play = Play::new();
    play.step("Monitor", &[("Gate", scan(22)), ("Desk", shell(9))]);
    assert_eq!(play.status("Gate"), Status::Baseline);
    assert_eq!(play.status("Desk"), Status::Changed);
    // Neither a later scan nor silence takes a change back.
    play.step("Monitor", &[("Desk", scan(22))]).step("Monitor", &[]);
    assert_eq!(play.status("Desk"), Status::Changed);
    // The whole baseline does.
    play.step("Monitor", &[("Desk", first()["Desk"].clone())]);
    assert_eq!(play.status("Desk"), Status::Baseline);
    assert_eq!(play.block("status"), "Every host is in its baseline state.");
}

/// An action and what was seen of hosts then.
type ObservedAction<'a> = (&'a str, &'a [(&'a str, Value)]);

// covers: BOG-082, BOG-085, BOG-R17
#[test]
fn actions_lead_to_their_statuses_from_every_status() {
    let prepare: [&[ObservedAction<'_>]; 4] =
        [&[], &[("Monitor", &[("Desk", shell(9))])], &[("Remove Desk", &[])], &[("Analyse Desk", &[])]];
    for steps in prepare {
        let ready = || {
            let mut play = Play::new();
            for (action, seen) in steps {
                play.step(action, seen);
            }
            play
        };
        let now = steps.len() as u32 + 1;
        assert_eq!(ready().step("Restore Desk", &[]).status("Desk"), Status::Baseline);
        assert_eq!(ready().step("Remove Desk", &[]).status("Desk"), Status::Unknown);
        assert_eq!(ready().step("Analyse Desk", &[]).status("Desk"), Status::Analysed(now));
        assert_eq!(ready().step("Monitor", &[("Desk", shell(10))]).status("Desk"), Status::Changed);
        // What is seen in the same step is seen after the action.
        assert_eq!(ready().step("Restore Desk", &[("Desk", shell(10))]).status("Desk"), Status::Changed);
        assert_eq!(ready().step("Remove Desk", &[("Desk", shell(10))]).status("Desk"), Status::Changed);
        assert_eq!(ready().step("Remove Desk", &[("Desk", scan(22))]).status("Desk"), Status::Unknown);
        // Other hosts stay as they are.
        assert_eq!(ready().step("Restore Gate", &[]).status("Desk"), ready().status("Desk"));
    }
}

// covers: BOG-R17
#[test]
fn an_analysis_does_not_hide_a_change() {
    let mut play = Play::new();
    play.step("Analyse Desk", &[("Desk", files())]);
    assert_eq!(play.status("Desk"), Status::Analysed(1));
    let line = &play.listed()[0];
    assert_eq!(line["current_status"], "analysed at step 1");
    assert_eq!(line["compared_with_baseline"], "changed");
    // Seen before and analysed in vain: still changed.
    play.step("Monitor", &[("Gate", shell(9))]).step("Analyse Gate", &[]);
    let gate = play.listed().into_iter().find(|line| line["host_name"] == "Gate").unwrap();
    assert_eq!(gate["current_status"], "analysed at step 3");
    assert_eq!(gate["compared_with_baseline"], "changed");
    // After it was acted on and analysed in vain nothing points to a change.
    play.step("Remove Gate", &[]).step("Analyse Gate", &[]);
    let gate = play.listed().into_iter().find(|line| line["host_name"] == "Gate").unwrap();
    assert_eq!(gate["current_status"], "analysed at step 5");
    assert_eq!(gate.get("compared_with_baseline"), None);
    // A change after the analysis is a change.
    play.step("Monitor", &[("Gate", shell(11))]);
    assert_eq!(play.status("Gate"), Status::Changed);
}

// covers: BOG-086
#[test]
fn what_was_seen_already_is_no_news() {
    let mut play = Play::new();
    play.step("Monitor", &[("Desk", shell(9))]).step("Analyse Desk", &[]).step("Monitor", &[("Desk", shell(9))]);
    assert_eq!(play.status("Desk"), Status::Analysed(2));
    play.step("Monitor", &[("Desk", shell(10))]);
    assert_eq!(play.status("Desk"), Status::Changed);
    // But after its state was lost sight of, everything is.
    play.step("Remove Desk", &[]).step("Monitor", &[("Desk", shell(10))]);
    assert_eq!(play.status("Desk"), Status::Changed);
    assert!(
        play.block("history")
            .ends_with("Step 6: {\"action\":\"Monitor\",\"compared_with_baseline\":{\"Desk\":\"changed\"}}")
    );
}

// covers: BOG-083, BOG-101, BOG-103, BOG-R03
#[test]
fn the_list_tells_recency_and_what_was_done() {
    let mut play = Play::new();
    play.step("Analyse Gate", &[]).step("Remove Gate", &[]).step("DecoyOak Gate", &[]);
    play.step("Monitor", &[("Gate", shell(9)), ("Vault", shell(8))]).step("Remove Desk", &[("Gate", scan(80))]);
    assert_eq!(
        play.block("status"),
        "Hosts whose status is not baseline:\n\
         [{\"host_name\":\"Desk\",\"current_status\":\"unknown\",\"time_of_update\":\"Past\",\
         \"applied_actions_so_far\":\"Remove\"},\n \
         {\"host_name\":\"Gate\",\"current_status\":\"changed\",\"time_of_update\":\"Current\",\
         \"applied_actions_so_far\":\"Analyse->Remove->DecoyOak\"},\n \
         {\"host_name\":\"Vault\",\"current_status\":\"changed\",\"time_of_update\":\"Past\",\
         \"applied_actions_so_far\":\"none\"}]"
    );
    play.step("Restore Gate", &[]).step("Monitor", &[("Gate", shell(12))]);
    assert_eq!(play.listed()[1]["applied_actions_so_far"], "Analyse->Remove->DecoyOak->Restore");
}

// covers: BOG-066, BOG-087, BOG-088
#[test]
fn decoys_become_part_of_the_baseline_until_the_host_is_set_back() {
    let mut play = Play::new();
    play.step("DecoyOak Desk", &[("Desk", bait(70, "oak"))]);
    assert_eq!(play.status("Desk"), Status::Baseline);
    let answer = play.ask("subject_baseline", "Desk");
    assert_eq!(answer["decoys_included"], json!(["oak"]));
    let processes = answer["baseline_state"]["Processes"].as_array().unwrap();
    assert_eq!(processes.len(), 2);
    assert_eq!(processes[1], bait(70, "oak")["Processes"][0]);
    // The same service again is another process and again expected; seen later it is not a change.
    play.step("DecoyOak Desk", &[("Desk", bait(71, "oak"))]).step("Monitor", &[("Desk", bait(70, "oak"))]);
    assert_eq!(play.status("Desk"), Status::Baseline);
    assert_eq!(play.ask("subject_baseline", "Desk")["decoys_included"], json!(["oak", "oak"]));
    // Set back, the decoys are gone from the baseline, and seeing one is a change.
    play.step("Restore Desk", &[]);
    assert_eq!(play.ask("subject_baseline", "Desk")["decoys_included"], json!([]));
    play.step("Monitor", &[("Desk", bait(70, "oak"))]);
    assert_eq!(play.status("Desk"), Status::Changed);
}

// covers: BOG-087
#[test]
fn only_the_expected_service_is_taken_for_a_decoy() {
    let changed = |action: &str, seen: &[(&str, Value)]| Play::new().step(action, seen).status("Desk");
    assert_eq!(changed("DecoyOak Desk", &[("Desk", bait(70, "fir"))]), Status::Changed);
    assert_eq!(changed("DecoyElm Desk", &[("Desk", bait(70, "oak"))]), Status::Changed, "a decoy not in the table");
    assert_eq!(changed("DecoyOak Gate", &[("Desk", bait(70, "oak"))]), Status::Changed, "another host");
    let mut both = bait(70, "oak");
    both["Processes"].as_array_mut().unwrap().push(json!({ "PID": 9 }));
    assert_eq!(changed("DecoyOak Desk", &[("Desk", both)]), Status::Changed, "a shell beside the decoy");
    // A process that was there before is not the decoy's, and stays a change.
    let mut play = Play::new();
    play.step("Monitor", &[("Desk", bait(70, "oak"))]).step("DecoyOak Desk", &[("Desk", bait(70, "oak"))]);
    assert_eq!(play.status("Desk"), Status::Changed);
    assert_eq!(play.ask("subject_baseline", "Desk")["decoys_included"], json!([]));
}

// covers: BOG-104, BOG-105, BOG-106, BOG-R04
#[test]
fn a_step_with_a_status_change_is_never_folded() {
    let mut play = Play::new();
    play.because("Monitor", Some("nothing yet"), &[]).step("Sleep", &[("Gate", scan(22))]);
    play.because("Monitor", Some("waiting"), &[("Desk", shell(9)), ("Vault", shell(8))]);
    play.because("Remove Desk", Some("it has a shell"), &[]).step("Monitor", &[]);
    assert_eq!(
        play.block("history"),
        "Steps so far:\n\
         Steps 1-2: Monitor, Sleep (no status change)\n\
         Step 3: {\"action\":\"Monitor\",\"justification\":\"waiting\",\
         \"compared_with_baseline\":{\"Desk\":\"changed\",\"Vault\":\"changed\"}}\n\
         Step 4: {\"action\":\"Remove hostname=Desk\",\"justification\":\"it has a shell\"}\n\
         Step 5: Monitor (no status change)"
    );
}

// covers: BOG-063, BOG-064
#[test]
fn the_state_query_falls_back_in_order() {
    let mut play = Play::new();
    let untouched = play.ask("subject_state", "Desk");
    assert_eq!(untouched["source"], "baseline");
    assert_eq!(untouched["notice"], "no evidence of a change; this is the baseline");
    assert_eq!(untouched["state"], first()["Desk"]);
    play.step("Monitor", &[("Desk", shell(9))]);
    let seen = play.ask("subject_state", "desk");
    assert_eq!(seen["source"], "current observation");
    assert_eq!((&seen["step"], &seen["state"], &seen["current_status"]), (&json!(1), &shell(9), &json!("changed")));
    play.step("Monitor", &[]).step("Analyse Desk", &[]);
    let earlier = play.ask("subject_state", "Desk");
    assert_eq!(earlier["source"], "last recorded change");
    assert_eq!((&earlier["step"], &earlier["state"]), (&json!(1), &shell(9)));
    play.step("Remove Desk", &[]);
    let unknown = play.ask("subject_state", "Desk");
    assert_eq!(unknown["notice"], "state unknown: acted on and not observed since");
    assert_eq!((unknown.get("state"), unknown.get("source")), (None, None));
    play.step("Remove Desk", &[("Desk", scan(22))]);
    assert_eq!(play.ask("subject_state", "Desk")["source"], "current observation", "before the notice");
    play.step("Restore Desk", &[]);
    assert_eq!(play.ask("subject_state", "Desk")["source"], "baseline");
    play.step("DecoyOak Desk", &[("Desk", bait(70, "oak"))]);
    assert_eq!(play.ask("subject_state", "Desk")["source"], "current observation");
}

// covers: BOG-063
#[test]
fn queries_are_read_only_and_refuse_what_they_do_not_know() {
    let mut play = Play::new();
    play.step("Monitor", &[("Desk", shell(9))]);
    let names: Vec<&str> = play.tracker.queries().iter().map(|spec| spec.name.as_str()).collect();
    assert_eq!(names, ["subject_state", "subject_baseline"]);
    let before = (play.block("status"), play.block("history"));
    let refused = |call: ToolCall| {
        let rejection = play.tracker.query(&call).unwrap_err();
        (rejection.kind, rejection.message)
    };
    assert_eq!(
        refused(ToolCall::with("subject_state", &[("subject", "Dsk")])),
        (RejectionKind::BadValue, "there is no host `Dsk`; the nearest name is `Desk`".to_owned())
    );
    assert_eq!(
        refused(ToolCall::with("subject_baseline", &[("subject", "printer")])).1,
        "there is no host `printer`; hosts are: Desk, Gate, Vault"
    );
    assert_eq!(refused(ToolCall::bare("subject_state")).0, RejectionKind::MissingArgument);
    assert_eq!(refused(ToolCall::with("subject_state", &[("host", "Desk")])).0, RejectionKind::UnknownArgument);
    assert_eq!(refused(ToolCall::bare("subject_sate")).0, RejectionKind::UnknownTool);
    let mut number = ToolCall::bare("subject_state");
    number.arguments.insert("subject".to_owned(), json!(7));
    assert_eq!(refused(number).0, RejectionKind::BadValue);
    assert_eq!(before, (play.block("status"), play.block("history")));
}

#[test]
fn odd_observations_and_calls_do_no_harm() {
    let mut play = Play::new();
    play.step("Remove", &[]).step("Remove Nowhere", &[]).step("Dance Desk", &[("Nowhere", shell(9))]);
    assert_eq!(play.status("Nowhere"), Status::Changed, "a host that the first observation did not tell of");
    assert_eq!(play.status("Desk"), Status::Baseline);
    play.step("Monitor", &[("Desk", json!({ "Processes": "none", "Interface": 3 })), ("Gate", json!([1]))]);
    assert_eq!(play.status("Desk"), Status::Changed);
    assert_eq!(play.status("Gate"), Status::Baseline);
    for data in [Value::Null, json!([]), json!("text"), json!({})] {
        let mut tracker = HostTracker::new(HostBelief::new(DecoyTable::default()));
        let observation = Observation { text: String::new(), data: data.into() };
        tracker.begin(&observation);
        let call = ToolCall::with("Restore", &[("hostname", "Desk")]);
        tracker.update(Stepped { step: 1, call: &call, observation: &observation, justification: None });
        assert_eq!(tracker.block("status").unwrap(), "Every host is in its baseline state.");
        let rejection = tracker.query(&ToolCall::with("subject_state", &[("subject", "Desk")])).unwrap_err();
        assert_eq!(rejection.kind, RejectionKind::BadValue);
    }
}
