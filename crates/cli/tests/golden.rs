//! Packets do not depend on language, zone, threads, or the order and names of files.

use std::path::{Path, PathBuf};

use crate::common::{Place, Said};

fn data() -> Option<PathBuf> {
    let data = std::env::var("GIMBAL_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference").to_owned());
    let folder = PathBuf::from(data).join("telemetry");
    if folder.join("labels.csv").is_file() {
        return Some(folder);
    }
    eprintln!("skipped: no telemetry/labels.csv in the data folder; set GIMBAL_DATA to compare real files");
    None
}

fn lines(user: &str, count: u32) -> String {
    (0..count)
        .map(|line| {
            format!(
                "Mar 28 09:00:{:02} gate sshd[{line}]: Failed password for {user} from 192.0.2.{} port 1 ssh2\n",
                line % 60,
                line % 9
            )
        })
        .collect()
}

fn extract(place: &Place, files: &[&Path], variables: &[(&str, &str)]) -> String {
    let mut command = place.command();
    command.args(["evidence", "extract", "--year", "2026"]).args(files);
    for (name, value) in variables {
        command.env(name, value);
    }
    let said: Said = command.output().unwrap().into();
    said.good().out
}

/// One packet of these files, whatever else differs.
fn all_the_same(place: &Place, files: &[&Path]) {
    let expected = extract(place, files, &[]);
    for variables in [
        &[("TZ", "Asia/Kathmandu"), ("LC_ALL", "tr_TR.UTF-8")][..],
        &[("TZ", "America/St_Johns"), ("LANG", "de_DE.UTF-8"), ("LC_NUMERIC", "de_DE.UTF-8")],
        &[("TOKIO_WORKER_THREADS", "1"), ("RAYON_NUM_THREADS", "1")],
        &[("TOKIO_WORKER_THREADS", "16"), ("RAYON_NUM_THREADS", "16"), ("TZ", "UTC"), ("LC_ALL", "C")],
    ] {
        assert!(extract(place, files, variables) == expected, "{files:?} {variables:?}");
    }
    let mut turned: Vec<&Path> = files.to_vec();
    turned.reverse();
    assert!(extract(place, &turned, &[("TZ", "Pacific/Auckland")]) == expected, "{turned:?}");
    turned.rotate_left(1);
    assert!(extract(place, &turned, &[]) == expected, "{turned:?}");
}

// covers: ARES-006, ARES-010
#[test]
fn a_packet_depends_on_nothing_but_the_bytes_of_its_sources() {
    let place = Place::new();
    let files = [("a.log", lines("root", 90)), ("b.log", lines("ann", 40)), ("c.log", lines("bob", 7))];
    let paths: Vec<PathBuf> = files.iter().map(|(name, text)| place.write(name, text)).collect();
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    all_the_same(&place, &paths);
    // A folder with the same files under other names is the same packet.
    let expected = extract(&place, &paths, &[]);
    std::fs::create_dir(place.path().join("folder")).unwrap();
    for (number, (_, text)) in files.iter().rev().enumerate() {
        place.write(&format!("folder/{number}.txt"), text);
    }
    assert!(extract(&place, &[Path::new("folder")], &[]) == expected);
}

// covers: ARES-006, ARES-010
#[test]
fn packets_of_real_files_depend_on_nothing_else_either() {
    let Some(folder) = data() else { return };
    let place = Place::new();
    let files = [
        "windows/attack/ID10-Mimikatz_LSASS_process_dump.evtx",
        "netflow/ctu_ssh_bruteforce.v9.pcap",
        "syslog/ssh-bf.log",
    ];
    let paths: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    all_the_same(&place, &paths.iter().map(PathBuf::as_path).collect::<Vec<_>>());
}

#[test]
fn a_file_of_ten_gigabytes_that_is_no_packet_is_refused_unread() {
    let place = Place::new();
    let path = place.path().join("large.json");
    // It takes no room: nothing is written.
    std::fs::File::create(&path).unwrap().set_len(10 << 30).unwrap();
    let path = path.to_str().unwrap();
    for arguments in [&["evidence", "verify", path][..], &["evidence", "show", path]] {
        let said = place.gimbal(arguments);
        assert!(
            said.code == 2 && said.err.contains("a packet has at most"),
            "{arguments:?}: {} {}",
            said.code,
            said.err
        );
    }
    let said = place.gimbal(&["evidence", "extract", path]);
    assert!(said.code == 2 && said.err.contains("no known format"), "{} {}", said.code, said.err);
}
