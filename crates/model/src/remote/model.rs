//! A remote model.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, Headers, ModelIden, ServiceTarget};
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, ModelError, ModelErrorKind};
use serde_json::Value;

use super::address::Address;
use super::failure::Asked;
use super::provider::{Provider, WireFormat};
use super::{body, request};
use crate::config::{self, ModelsConfig};
use crate::facts::SetupError;

/// A remote model behind the seam.
pub struct Remote {
    name: String,
    id: String,
    provider: Provider,
    address: Address,
    key_variable: String,
    client: Client,
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote").field("name", &self.name).field("address", &self.address).finish_non_exhaustive()
    }
}

impl Remote {
    /// Whether the model can be asked: its key and base address are there.
    ///
    /// # Errors
    /// [`SetupError::Key`] or [`SetupError::Address`].
    pub fn check(name: &str, provider: Provider, config: &ModelsConfig) -> Result<(), SetupError> {
        Address::find(name, provider, config).map(|_| ())
    }

    /// A client of its own for this model. Sends nothing yet.
    ///
    /// # Errors
    /// As [`Remote::check`], or [`SetupError::Client`].
    pub fn open(name: &str, provider: Provider, id: &str, config: &ModelsConfig) -> Result<Self, SetupError> {
        if provider.wire() == WireFormat::Gemini && id.contains(['?', '#', '%']) {
            return Err(SetupError::Name(format!("model `{name}`: the name must not hold `?`, `#` or `%`")));
        }
        let address = Address::find(name, provider, config)?;
        // Another part of the program may have chosen already; then its choice stands.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .connect_timeout(config.timeouts.connect())
            .timeout(config.timeouts.whole())
            // Another host must never see the key.
            .redirect(reqwest::redirect::Policy::none())
            // Repeating is the business of a layer that meters it.
            .retry(reqwest::retry::never())
            .user_agent(concat!("gimbal/", env!("CARGO_PKG_VERSION")));
        if address.loopback {
            builder = builder.no_proxy();
        }
        let fail = |why: String| SetupError::Client(format!("model `{name}`: no HTTP client can be built: {why}"));
        let client = builder.build().map_err(|error| fail(error.to_string()))?;
        let client = Client::builder().with_reqwest(client).build().map_err(|error| fail(error.to_string()))?;
        Ok(Self {
            name: name.to_owned(),
            id: id.to_owned(),
            provider,
            address,
            key_variable: config::key_variable(config, name, provider),
            client,
        })
    }

    fn asked(&self) -> Asked<'_> {
        Asked { model: &self.name, key_variable: &self.key_variable, key: self.address.key.as_ref() }
    }

    fn target(&self) -> ServiceTarget {
        let format = self.provider.wire();
        let key = self.address.key.as_ref().map(|key| key.expose());
        ServiceTarget {
            // Unused: address and headers are given whole, so that the library never looks for keys of its own.
            endpoint: Endpoint::from_owned(format!("{}/", self.address.base)),
            auth: AuthData::RequestOverride {
                url: request::url(format, &self.address.base, &self.id),
                headers: Headers::from(request::headers(format, key)),
            },
            model: ModelIden::new(request::adapter(format), request::neutral_name(&self.id)),
        }
    }

    /// The raw body of the answer, whether or not the library could make something of it.
    async fn send(&self, request: &ChatRequest) -> Result<Value, ModelError> {
        let options = request::options(request, self.provider, self.address.dialect, &self.id);
        let sent = self.client.exec_chat(self.target(), request::conversation(request), Some(&options)).await;
        match sent {
            Ok(response) => response.captured_raw_body.ok_or_else(|| {
                self.asked().error(ModelErrorKind::BadResponse, "the raw body of the answer was not kept", None)
            }),
            Err(genai::Error::ChatResponseGeneration { response_body, .. }) => Ok(*response_body),
            Err(error) => Err(self.asked().failure(&error)),
        }
    }
}

#[async_trait]
impl ChatModel for Remote {
    async fn complete(&self, request: &ChatRequest, _: &CallContext<'_>) -> Result<Completion, ModelError> {
        let start = Instant::now();
        let answer = self.send(request).await;
        let latency_us = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        let asked = self.asked();
        let mut answer = answer.map_err(|error| ModelError { latency_us, ..error })?;
        // First of all, so that no part of the answer leaves this room with the key in it (BOG-148).
        if let Some(key) = asked.key {
            body::take_out(&mut answer, key);
        }
        let read = body::read(self.provider.wire(), &answer).without(asked.key);
        read.outcome(asked.scrub(&answer.to_string()), latency_us).map_err(|error| ModelError {
            message: format!("{}: {}", self.name, asked.excerpt(&error.message)),
            partial: error.partial.map(|partial| Arc::from(asked.scrub(&partial))),
            ..error
        })
    }
}
