//! Weights from a model hub over HTTP.

use std::path::PathBuf;
use std::time::Duration;

use super::assemble::Assembly;
use super::cache::Cache;
use super::error::WeightsError;
use super::registry::KnownModel;
use crate::error::causes;

/// Environment variable with the base address of the hub.
pub const HUB_VARIABLE: &str = "GIMBAL_HUB";

/// Base address used without it.
pub const DEFAULT_HUB: &str = "https://huggingface.co";

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Longest silence of the server.
const SILENCE: Duration = Duration::from_secs(60);

/// Downloads the file and puts it into its place.
pub(crate) async fn fetch(
    cache: &Cache,
    model: &KnownModel,
    base: &str,
    workshop: &std::path::Path,
) -> Result<PathBuf, WeightsError> {
    let Some(hub) = &model.hub else {
        return Err(WeightsError::Way("no hub is known to carry this model".to_owned()));
    };
    let address = format!("{}/{}/resolve/{}/{}", base.trim_end_matches('/'), hub.repository, hub.revision, hub.file);
    let fail = |why: String| WeightsError::Way(format!("{address}: {why}"));
    // Fails when a provider is in place already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .read_timeout(SILENCE)
        .user_agent(concat!("gimbal/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| fail(causes(&error)))?;
    let mut response = client.get(&address).send().await.map_err(|error| fail(causes(&error)))?;
    if !response.status().is_success() {
        return Err(fail(format!("the server answered {}", response.status())));
    }
    if let Some(length) = response.content_length().filter(|length| *length != model.bytes) {
        return Err(fail(format!("the file has {length} bytes, but {} are expected", model.bytes)));
    }
    let mut assembly = Assembly::new(cache, model, workshop)?;
    while let Some(bytes) = response.chunk().await.map_err(|error| fail(causes(&error)))? {
        assembly.add(&bytes)?;
    }
    assembly.finish(model, std::path::Path::new(&address))
}
