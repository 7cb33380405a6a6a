//! What a server reports free of charge: the size of its context.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::address::Address;
use super::provider::Provider;
use super::transport;
use crate::config::ModelsConfig;

/// Longest that is waited for a server's word on itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a server reports about a model; empty until it was asked.
#[derive(Debug, Default)]
pub struct Survey(Mutex<Option<u64>>);

impl Survey {
    /// Tokens of prompt and output together.
    #[must_use]
    pub fn context(&self) -> Option<u64> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the server: its list of models, and of llama.cpp's its properties. No answer does not count as a failure: the server may be
    /// started later, and what it cannot say is not known. Nothing of this costs tokens.
    pub async fn ask(&self, name: &str, provider: Provider, id: &str, config: &ModelsConfig) {
        let asks = matches!(
            provider,
            Provider::Vllm | Provider::LlamaCpp | Provider::Ollama | Provider::Compatible | Provider::OpenRouter
        );
        let Some(address) = Address::find(name, provider, config).ok().filter(|_| asks) else { return };
        let Ok(client) = transport::client(name, &address, config) else { return };
        let mut found = None;
        if provider == Provider::LlamaCpp || provider == Provider::Compatible {
            let root = address.base.strip_suffix("/v1").unwrap_or(&address.base);
            found = get(&client, &address, format!("{root}/props")).await.as_ref().and_then(of_properties);
        }
        if found.is_none() {
            found = get(&client, &address, format!("{}/models", address.base))
                .await
                .as_ref()
                .and_then(|list| of_models(list, id));
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }
}

/// The JSON at an address of the server, where it answers in time.
async fn get(client: &reqwest::Client, address: &Address, url: String) -> Option<Value> {
    let mut get = client.get(url).timeout(PATIENCE);
    if let Some(key) = &address.key {
        get = get.header("authorization", format!("Bearer {}", key.expose()));
    }
    let received = transport::send(get).await.ok().filter(|received| received.status == 200)?;
    serde_json::from_str(&received.body).ok()
}

/// The context of one slot of llama.cpp's server.
fn of_properties(properties: &Value) -> Option<u64> {
    let places = ["/default_generation_settings/n_ctx", "/n_ctx"];
    places.iter().find_map(|place| properties.pointer(place)?.as_u64()).filter(|context| *context > 0)
}

/// The context of a model in a list of models, as vLLM (`max_model_len`), OpenRouter (`context_length`) and llama.cpp
/// (`meta.n_ctx`) write it. What a model was trained on says nothing of what its server holds.
fn of_models(list: &Value, id: &str) -> Option<u64> {
    let all = list.get("data")?.as_array()?;
    let named = all.iter().find(|model| model.get("id").and_then(Value::as_str) == Some(id));
    let model = named.or_else(|| all.first().filter(|_| all.len() == 1))?;
    let places = ["/max_model_len", "/context_length", "/meta/n_ctx"];
    places.iter().find_map(|place| model.pointer(place)?.as_u64()).filter(|context| *context > 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{of_models, of_properties};

    #[test]
    fn the_context_is_read_where_servers_put_it() {
        let vllm = json!({ "data": [{ "id": "a", "max_model_len": 4096 }, { "id": "b", "max_model_len": 1 }] });
        assert_eq!((of_models(&vllm, "a"), of_models(&vllm, "c")), (Some(4096), None));
        let router = json!({ "data": [{ "id": "a/b", "context_length": 131_072 }] });
        assert_eq!((of_models(&router, "a/b"), of_models(&router, "alias")), (Some(131_072), Some(131_072)));
        let trained = json!({ "data": [{ "id": "a", "meta": { "n_ctx_train": 8192 } }] });
        assert_eq!(of_models(&trained, "a"), None);
        assert_eq!(of_properties(&json!({ "default_generation_settings": { "n_ctx": 2048 } })), Some(2048));
        assert_eq!(of_properties(&json!({ "error": "x" })), None);
    }
}
