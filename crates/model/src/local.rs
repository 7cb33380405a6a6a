//! The embedded model behind the registry's door.

use gimbal_core::Digest;
use serde_json::json;

use crate::config::ModelsConfig;
use crate::error::SetupError;
use crate::facts::{ModelFacts, ModelKind};
use crate::gguf;
use crate::price::Price;
use crate::weights::{self, KnownModel, WeightsError};

/// What is known of `local/<what>`: of weights that are not there yet, what the registry says.
///
/// The header of a user's own file is read here already, so that a plan refuses what a run could not open. Known weights
/// are what their hash says.
pub(crate) fn describe(name: &str, what: &str, config: &ModelsConfig) -> Result<ModelFacts, SetupError> {
    let own = header(name, what)?;
    let (digest, known): (Option<Digest>, Option<&KnownModel>) = match weights::locate(what, &cache()?) {
        Ok(located) => (Some(located.sha256), located.known),
        Err(error) => match weights::known(what) {
            Ok(known) => (known.sha256.parse().ok(), Some(known)),
            Err(_) => return Err(refuse(name, &error)),
        },
    };
    let plumbing = match known {
        Some(known) => (!known.evidence).then(|| known.verdict.to_string()),
        None => None,
    };
    Ok(ModelFacts {
        name: name.to_owned(),
        kind: ModelKind::Embedded,
        plumbing,
        weights: digest,
        key_variable: None,
        key_present: false,
        price: Some(Price::free()),
        concurrency: 1,
        wants_hints: false,
        // A template that never names them has no place for them; a file without one cannot show any.
        tools: known.map_or_else(
            || own.and_then(|own| own.chat_template).is_some_and(|template| gguf::takes_tools(&template)),
            |known| known.tools,
        ),
        identity: json!({ "engine": engine(config)?, "weights": digest }),
    })
}

/// The header of a file of the user's own, which is refused where it is not a sound model. One that is missing is
/// reported where it is looked for.
fn header(name: &str, what: &str) -> Result<Option<gguf::Header>, SetupError> {
    let path = std::path::Path::new(what);
    if !weights::is_path(what) || !path.is_file() {
        return Ok(None);
    }
    let refused = |error: &dyn std::fmt::Display| SetupError::Header(format!("model `{name}`: {what}: {error}"));
    let header = gguf::check(path).map_err(|error| refused(&error))?;
    // A template that fails for every conversation would fail in each episode, one by one.
    #[cfg(feature = "embedded")]
    if let Some(error) = header.chat_template.as_deref().and_then(crate::embedded::unusable) {
        return Err(refused(&error));
    }
    Ok(Some(header))
}

/// Whether the weights are there and the program can open them.
pub(crate) fn ready(name: &str, what: &str) -> Result<(), SetupError> {
    if cfg!(not(feature = "embedded")) {
        return Err(not_built_in(name));
    }
    weights::locate(what, &cache()?).map(|_| ()).map_err(|error| refuse(name, &error))
}

/// Opens the weights.
#[cfg(feature = "embedded")]
pub(crate) fn open(
    name: &str,
    what: &str,
    config: &ModelsConfig,
) -> Result<crate::embedded::EmbeddedModel, SetupError> {
    use crate::embedded::EmbeddedModel;

    let located = weights::locate(what, &cache()?).map_err(|error| refuse(name, &error))?;
    EmbeddedModel::open(&located, &settings(config)?)
        .map_err(|error| SetupError::Weights(format!("model `{name}`: {error}")))
}

/// Says that this program has no embedded model.
#[cfg(not(feature = "embedded"))]
pub(crate) fn open(name: &str, _: &str, _: &ModelsConfig) -> Result<crate::scripted::Script, SetupError> {
    Err(not_built_in(name))
}

/// Conversations that are kept at once: as many as a hierarchy has roles. With one, every change of the speaker computes the whole
/// prompt again. In the reproducible mode the number changes time and memory, and nothing else.
#[cfg(feature = "embedded")]
const CONVERSATIONS: u32 = 4;

#[cfg(feature = "embedded")]
fn settings(config: &ModelsConfig) -> Result<crate::embedded::EngineSettings, SetupError> {
    use crate::embedded::{EngineSettings, Mode};

    let settings = EngineSettings::from_environment().map_err(|error| SetupError::Settings(error.to_string()))?;
    let mode = if config.reproducible { Mode::Reproducible } else { Mode::Fast };
    let threads = config.threads.unwrap_or(settings.threads);
    Ok(EngineSettings { mode, threads, conversations: CONVERSATIONS, ..settings })
}

/// The settings that can decide the tokens: they belong to the identity.
#[cfg(feature = "embedded")]
fn engine(config: &ModelsConfig) -> Result<serde_json::Value, SetupError> {
    let settings = settings(config)?;
    Ok(json!({
        "chunk": settings.chunk, "context": settings.context, "mode": settings.mode, "threads": settings.threads,
    }))
}

#[cfg(not(feature = "embedded"))]
fn engine(config: &ModelsConfig) -> Result<serde_json::Value, SetupError> {
    Ok(json!({ "mode": if config.reproducible { "reproducible" } else { "fast" }, "threads": config.threads }))
}

fn cache() -> Result<weights::Cache, SetupError> {
    weights::Cache::from_environment().map_err(|error| SetupError::Weights(error.to_string()))
}

fn refuse(name: &str, error: &WeightsError) -> SetupError {
    let message = format!("model `{name}`: {error}");
    if matches!(error, WeightsError::Unknown { .. }) { SetupError::Name(message) } else { SetupError::Weights(message) }
}

fn not_built_in(name: &str) -> SetupError {
    SetupError::Weights(format!(
        "model `{name}`: this program was built without the embedded model: build it with the feature `embedded`, or name \
         another model"
    ))
}
