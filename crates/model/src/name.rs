//! Names of models.

use std::path::PathBuf;

use gimbal_core::nearest;

use crate::error::SetupError;
use crate::noisy::Noise;
use crate::remote::Provider;

/// A model's name, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelName {
    /// `openai/<id>` and the like.
    Remote {
        /// Who serves it.
        provider: Provider,
        /// The model as the provider names it; may hold slashes.
        id: String,
    },
    /// `local/<weights name>` or `local/<path>.gguf`.
    Local(String),
    /// `scripted/<file or built-in name>`.
    Scripted(String),
    /// `noisy/<p>[,malformed=<q>][,overconfident=<r>]`.
    Noisy(Noise),
    /// `reader/<name>`.
    Reader(String),
    /// `replay/<folder of a recording>`.
    Replay(PathBuf),
}

const OWN: [&str; 5] = ["local", "scripted", "noisy", "reader", "replay"];

impl ModelName {
    /// Reads a name.
    ///
    /// # Errors
    /// [`SetupError::Name`] with the known families where the family does not exist, or with what is wrong after it.
    pub fn parse(name: &str) -> Result<Self, SetupError> {
        let families = || OWN.into_iter().chain(Provider::ALL.into_iter().map(Provider::name));
        let known = || families().collect::<Vec<_>>().join(", ");
        let Some((family, rest)) = name.split_once('/') else {
            return Err(SetupError::Name(format!(
                "model `{name}`: a model is written as family/name, such as `local/smollm2-135m` (families: {})",
                known()
            )));
        };
        if rest.trim().is_empty() || rest != rest.trim() {
            return Err(SetupError::Name(format!("model `{name}`: something must follow `{family}/`, without spaces")));
        }
        match family {
            "local" => Ok(Self::Local(rest.to_owned())),
            "scripted" => Ok(Self::Scripted(rest.to_owned())),
            "noisy" => Noise::parse(rest).map(Self::Noisy).map_err(|why| {
                SetupError::Name(format!(
                    "model `{name}`: {why}; write e.g. `noisy/0.9,malformed=0.02,overconfident=0.1`"
                ))
            }),
            "reader" => Ok(Self::Reader(rest.to_owned())),
            "replay" => Ok(Self::Replay(PathBuf::from(rest))),
            _ => match Provider::ALL.into_iter().find(|provider| provider.name() == family) {
                Some(provider) => Ok(Self::Remote { provider, id: rest.to_owned() }),
                None => Err(SetupError::Name(format!(
                    "model `{name}`: there is no family `{family}`{} (known: {})",
                    nearest::hint(family, families()),
                    known()
                ))),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ModelName;
    use crate::remote::Provider;

    #[test]
    fn reads_every_family() {
        let remote = |provider, id: &str| Ok(ModelName::Remote { provider, id: id.to_owned() });
        assert_eq!(ModelName::parse("openai/gpt-4o-mini"), remote(Provider::OpenAi, "gpt-4o-mini"));
        assert_eq!(ModelName::parse("openrouter/qwen/qwen3-max"), remote(Provider::OpenRouter, "qwen/qwen3-max"));
        assert_eq!(ModelName::parse("local/a/b.gguf"), Ok(ModelName::Local("a/b.gguf".to_owned())));
        assert_eq!(ModelName::parse("reader/careful"), Ok(ModelName::Reader("careful".to_owned())));
        assert!(matches!(ModelName::parse("noisy/0.9,malformed=0.02"), Ok(ModelName::Noisy(_))));
    }

    #[test]
    fn says_what_is_wrong_and_how_to_mend_it() {
        let message = |name| ModelName::parse(name).unwrap_err().to_string();
        assert!(message("openia/gpt").contains("did you mean `openai`"));
        assert!(message("gpt-4o").contains("family/name"));
        assert!(message("scripted/").contains("must follow"));
        assert!(message("noisy/1.5").contains("from 0 to 1"), "{}", message("noisy/1.5"));
    }
}
