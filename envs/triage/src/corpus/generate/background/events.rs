//! Windows: people at desks, services, tasks.

use super::{Around, fields, step};
use crate::scenario::Step;

fn event(at: f64, count: u32, every: f64, name: &str, pairs: &[(&str, &str)]) -> Step {
    Step { event: Some(name.to_owned()), fields: fields(pairs), ..step(at, count, every) }
}

/// Processes that start at a desk.
fn programs(around: &mut Around<'_>, domain: &str, user: &str, images: &[&str], every: f64) -> Vec<Step> {
    let mut steps = Vec::new();
    for image in images {
        let at = around.moment(0.6);
        let line = format!("\"{image}\"");
        steps.push(event(
            at,
            around.times(every).min(3),
            every,
            "4688",
            &[
                ("SubjectUserName", user),
                ("SubjectDomainName", domain),
                ("NewProcessName", image),
                ("CommandLine", &line),
                ("ParentProcessName", r"C:\Windows\explorer.exe"),
            ],
        ));
    }
    steps
}

/// Logons over the network and their ends.
fn sessions(around: &mut Around<'_>, domain: &str, users: &[&str], network: &str, every: f64) -> Vec<Step> {
    let mut steps = Vec::new();
    for (index, user) in users.iter().enumerate() {
        let at = around.moment(0.3);
        let address = format!("{network}.{}", 21 + 7 * index);
        let count = around.times(every).min(4);
        steps.push(event(
            at,
            count,
            every,
            "4624",
            &[("TargetUserName", user), ("TargetDomainName", domain), ("IpAddress", &address)],
        ));
        steps.push(event(
            at + every * 0.6,
            count,
            every,
            "4634",
            &[("TargetUserName", user), ("TargetDomainName", domain)],
        ));
    }
    steps
}

/// Services that change their state.
fn services(around: &mut Around<'_>, names: &[&str]) -> Vec<Step> {
    let mut steps = Vec::new();
    for name in names {
        let at = around.moment(0.8);
        steps.push(event(at, 1, 0.0, "7036", &[("param1", name), ("param2", "running")]));
        steps.push(event(at + 240.0, 1, 0.0, "7036", &[("param1", name), ("param2", "stopped")]));
    }
    steps
}

/// A desk in an office.
pub(super) fn office(around: &mut Around<'_>) -> Vec<Step> {
    let users = ["mara.quint", "jonas.feld", "petra.lohr", "emil.sand"];
    let user = around.one(&users);
    let mut steps = sessions(around, "NORTH", &users, "10.20.3", 1_500.0);
    let images = [
        r"C:\Program Files\Microsoft Office\root\Office16\OUTLOOK.EXE",
        r"C:\Program Files\Microsoft\Edge\Application\msedge.exe",
        r"C:\Program Files\Microsoft Office\root\Office16\EXCEL.EXE",
        r"C:\Windows\System32\notepad.exe",
    ];
    steps.extend(programs(around, "NORTH", user, &images, 1_800.0));
    steps.extend(services(around, &["Windows Update", "Software Protection", "Print Spooler"]));
    steps
}

/// A room of servers.
pub(super) fn servers(around: &mut Around<'_>) -> Vec<Step> {
    let users = ["svc-report", "svc-mail", "svc-index"];
    let mut steps = sessions(around, "NORTH", &users, "10.20.8", 900.0);
    let at = around.moment(0.4);
    steps.push(event(
        at,
        around.times(1_200.0).min(4),
        1_200.0,
        "task-200",
        &[
            ("TaskName", r"\Microsoft\Windows\Defrag\ScheduledDefrag"),
            ("ActionName", r"C:\Windows\System32\defrag.exe"),
        ],
    ));
    let host = around.host.to_owned();
    steps.push(event(30.0, around.times(700.0).min(4), 700.0, "4672", &[("SubjectUserName", &format!("{host}$"))]));
    steps.extend(services(around, &["Background Intelligent Transfer Service", "Windows Modules Installer"]));
    steps
}

/// Reception and treatment rooms of a clinic.
pub(super) fn clinic(around: &mut Around<'_>) -> Vec<Step> {
    let users = ["reception1", "reception2", "dr.amsel", "nurse.ilse", "lab.desk"];
    let user = around.one(&users);
    let mut steps = sessions(around, "CLINIC", &users, "172.20.6", 1_100.0);
    let images = [
        r"C:\Program Files\MediDesk\MediDesk.exe",
        r"C:\Program Files\Mozilla Firefox\firefox.exe",
        r"C:\Program Files\PACS Viewer\viewer.exe",
    ];
    steps.extend(programs(around, "CLINIC", user, &images, 1_000.0));
    let at = around.moment(0.5);
    steps.push(event(
        at,
        around.times(900.0).min(3),
        900.0,
        "5140",
        &[
            ("SubjectUserName", user),
            ("SubjectDomainName", "CLINIC"),
            ("IpAddress", "172.20.6.21"),
            ("ShareName", r"\\*\Scans"),
        ],
    ));
    steps
}

/// Control stations of a plant.
pub(super) fn plant(around: &mut Around<'_>) -> Vec<Step> {
    let users = ["shift.a", "shift.b", "hist.writer"];
    let mut steps = sessions(around, "PLANT", &users, "172.20.40", 1_300.0);
    steps.extend(services(around, &["Historian Collector", "OPC Gateway", "Time Broker"]));
    let at = around.moment(0.3);
    steps.push(event(
        at,
        around.times(600.0).min(4),
        600.0,
        "task-200",
        &[("TaskName", r"\Plant\TrendExport"), ("ActionName", r"C:\Plant\trend.exe")],
    ));
    steps
}
