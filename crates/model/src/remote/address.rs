//! Where a model is served, and with which key.

use reqwest::Url;

use super::provider::{Dialect, Provider};
use crate::config::{self, ModelsConfig};
use crate::error::SetupError;
use crate::secret::Secret;

/// Where a model is served, and with which key.
#[derive(Clone, Debug)]
pub(super) struct Address {
    /// Base address without a slash at its end.
    pub base: String,
    /// Whether it is this very machine: no proxy then.
    pub loopback: bool,
    pub key: Option<Secret>,
    pub dialect: Dialect,
}

impl Address {
    /// Looks the address up: in the study, else in the environment, else the published one.
    pub fn find(name: &str, provider: Provider, config: &ModelsConfig) -> Result<Self, SetupError> {
        let endpoint = config.endpoint(name);
        let variable = provider.base_variable();
        let base = endpoint
            .map(|endpoint| (endpoint.base.clone(), "the study's `models:` section".to_owned()))
            .or_else(|| config.environment.get(variable).map(|base| (base, format!("the variable {variable}"))))
            .or_else(|| provider.base().map(|base| (base.to_owned(), "the published address".to_owned())));
        let Some((base, origin)) = base else {
            return Err(SetupError::Address(format!(
                "model `{name}`: no base address is known: set {variable}, or give the study `models: {{ endpoints: {{ {}: {{ \
                 base: http://... }} }} }}`",
                provider.name()
            )));
        };
        let base = base.trim().trim_end_matches('/').to_owned();
        let refuse = |why: &str| {
            let message = format!("model `{name}`: the base address from {origin} {why}");
            Err(SetupError::Address(format!("{message}: write e.g. `http://localhost:8000/v1`")))
        };
        // The address itself is not shown: it may hold a password.
        let Ok(url) = Url::parse(&base) else { return refuse("is not an address") };
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return refuse("must begin with http:// or https:// and name a host");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("must not hold a name or password (set the key's variable instead)");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return refuse("must end before any `?` or `#`");
        }
        let host = url.host_str().unwrap_or_default();
        let loopback = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
        let key = Self::key(name, provider, config)?;
        let dialect = endpoint.and_then(|endpoint| endpoint.grammar).unwrap_or(provider.dialect());
        Ok(Self { base, loopback, key, dialect })
    }

    fn key(name: &str, provider: Provider, config: &ModelsConfig) -> Result<Option<Secret>, SetupError> {
        let variable = config::key_variable(config, name, provider);
        let key = config.environment.get(&variable).and_then(|key| Secret::new(&key));
        match key {
            None if provider.needs_key() => Err(SetupError::Key(format!(
                "model `{name}` needs a key: set the environment variable {variable} (keys are read from the environment \
                 only)"
            ))),
            Some(key) if !key.is_sendable() => Err(SetupError::Key(format!(
                "model `{name}`: the key in {variable} holds spaces or letters that no header can carry: set it again, \
                 without quotes or line breaks"
            ))),
            key => Ok(key),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Address;
    use crate::config::{Endpoint, Environment, ModelsConfig};
    use crate::error::SetupError;
    use crate::remote::{Dialect, Provider};

    fn config(variables: &[(&str, &str)], base: Option<&str>) -> ModelsConfig {
        let mut config = ModelsConfig { environment: Environment::of(variables), ..ModelsConfig::default() };
        if let Some(base) = base {
            let endpoint = Endpoint { base: base.to_owned(), key_variable: Some("MY_KEY".to_owned()), grammar: None };
            config.endpoints.insert("compatible".to_owned(), endpoint);
        }
        config
    }

    fn find(provider: Provider, config: &ModelsConfig) -> Result<Address, SetupError> {
        Address::find(&format!("{}/some-model", provider.name()), provider, config)
    }

    // covers: BOG-148, BOG-149
    #[test]
    fn the_study_goes_before_the_environment_and_that_before_what_is_published() {
        let found = find(Provider::OpenAi, &config(&[("OPENAI_API_KEY", "k")], None)).unwrap();
        assert_eq!((found.base.as_str(), found.loopback), ("https://api.openai.com/v1", false));
        let found = find(Provider::Vllm, &config(&[("VLLM_BASE_URL", "http://127.0.0.1:9/v1/")], None)).unwrap();
        assert_eq!((found.base.as_str(), found.loopback), ("http://127.0.0.1:9/v1", true));
        assert!(found.key.is_none());
        let variables = [("COMPATIBLE_BASE_URL", "http://other/v1"), ("MY_KEY", "private-1")];
        let found = find(Provider::Compatible, &config(&variables, Some("http://mine/v1"))).unwrap();
        assert_eq!((found.base.as_str(), found.dialect), ("http://mine/v1", Dialect::Schema));
        assert_eq!(found.key.map(|key| key.expose().to_owned()).as_deref(), Some("private-1"));
    }

    // covers: BOG-148
    #[test]
    fn refusals_say_how_to_mend_it_and_show_no_secret() {
        let missing = find(Provider::Anthropic, &config(&[], None)).unwrap_err();
        assert!(matches!(&missing, SetupError::Key(message) if message.contains("ANTHROPIC_API_KEY")));
        let missing = find(Provider::Compatible, &config(&[], None)).unwrap_err();
        assert!(matches!(&missing, SetupError::Address(message) if message.contains("COMPATIBLE_BASE_URL")));
        for (base, part) in [
            ("localhost:8000", "http://"),
            ("ftp://host/v1", "http://"),
            ("not an address", "is not an address"),
            ("http://user:hunter2@host/v1", "password"),
            ("http://host/v1?key=hunter2", "before any"),
        ] {
            let error = find(Provider::Compatible, &config(&[], Some(base))).unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains("hunter2"), "{error}");
        }
        let odd = find(Provider::OpenAi, &config(&[("OPENAI_API_KEY", "two\nlines")], None)).unwrap_err().to_string();
        assert!(odd.contains("OPENAI_API_KEY") && !odd.contains("lines\n") && !odd.contains("two"), "{odd}");
    }
}
