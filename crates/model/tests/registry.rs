//! What is known of models by their names.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::sync::Arc;

use gimbal_core::{CallContext, ChatRequest, Completion, Digest, FileError, Files, Message, ModelError, Speaker, Wire};
use gimbal_model::{Environment, ModelKind, Models, ModelsConfig, Rate, RetryPolicy, SetupError};
use serde_json::json;

struct NoWire;

impl Wire for NoWire {
    fn sent(&self, _: &ChatRequest, _: bool) -> Result<u64, ModelError> {
        Ok(0)
    }

    fn received(&self, _: u64, _: &Result<Completion, ModelError>) -> Result<(), ModelError> {
        Ok(())
    }
}

struct Mine;

impl Files for Mine {
    fn read(&self, path: &str) -> Result<Option<(String, String)>, FileError> {
        let text = match path {
            "scripted/idle.yaml" => "rules:\n  - say: mine\n",
            "somewhere/else.yaml" => "rules:\n  - say: elsewhere\n",
            "scripted/broken.yaml" => "rules:\n  - sya: x\n",
            _ => return Ok(None),
        };
        Ok(Some((text.to_owned(), format!("data/{path}"))))
    }

    fn list(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

fn models(variables: &[(&str, &str)]) -> Models {
    Models::new(ModelsConfig {
        environment: Environment::of(variables),
        scripts: Arc::new(Mine),
        rates: [("openai/fast".to_owned(), Rate { requests_per_minute: Some(60), concurrency: Some(9) })].into(),
        ..ModelsConfig::default()
    })
}

// covers: BOG-148
#[test]
fn remote_models_are_described_without_the_network() {
    let models = models(&[("OPENAI_API_KEY", "private-value")]);
    let facts = models.describe("openai/fast").unwrap();
    assert_eq!((facts.kind, facts.key_present, facts.concurrency), (ModelKind::Remote, true, 9));
    assert_eq!((facts.key_variable.as_deref(), facts.plumbing.clone()), (Some("OPENAI_API_KEY"), None));
    assert_eq!(facts.identity, json!({ "model": "fast", "provider": "openai" }));
    assert!(facts.price.is_none(), "an unknown price is missing, and never zero");
    assert!(!format!("{facts:?}").contains("private-value"));
    models.ready("openai/fast").unwrap();
    let facts = models.describe("anthropic/claude-haiku-4-5").unwrap();
    assert_eq!((facts.key_present, facts.concurrency), (false, Rate::MOST));
    assert!(facts.price.is_some());
    let refused = models.ready("anthropic/claude-haiku-4-5").unwrap_err();
    assert!(matches!(&refused, SetupError::Key(message) if message.contains("ANTHROPIC_API_KEY")), "{refused}");
    assert_eq!(models.open("anthropic/claude-haiku-4-5").err(), Some(refused));
    assert!(models.ready("vllm/anything").is_ok(), "servers of one's own need no key");
    assert!(matches!(models.ready("compatible/x"), Err(SetupError::Address(_))));
    assert!(matches!(models.ready("gpt-4o"), Err(SetupError::Name(_))));
}

#[test]
fn models_of_our_own_cost_nothing_and_say_what_they_are() {
    let models = models(&[]);
    for (name, kind, hints) in
        [("scripted/react-monitor", ModelKind::Scripted, false), ("noisy/0.9,malformed=0.02", ModelKind::Noisy, true)]
    {
        let facts = models.describe(name).unwrap();
        assert_eq!((facts.kind, facts.wants_hints), (kind, hints));
        assert!(facts.plumbing.is_some() && facts.concurrency > 1000);
        assert_eq!(facts.price.unwrap().cost(&gimbal_core::Usage { input: 9, output: 9, ..Default::default() }), 0);
        assert_eq!(models.open(name).unwrap().wants_hints(), hints, "through all layers");
    }
    let noise = |name| models.describe(name).unwrap().identity;
    assert_eq!(noise("noisy/0.9"), noise("noisy/0.90,malformed=0"), "equal settings, equal identity");
}

#[tokio::test]
async fn scripts_of_the_user_go_before_the_built_in_ones() {
    let models = models(&[]);
    for (name, expected) in [("scripted/idle", "mine"), ("scripted/somewhere/else.yaml", "elsewhere")] {
        let context = CallContext { wire: &NoWire, episode: Digest::of(b""), call: 0, seed: 0, hint: None };
        let request =
            ChatRequest { messages: vec![Arc::new(Message::new(Speaker::User, "?"))], ..ChatRequest::default() };
        let completion = models.open(name).unwrap().complete(&request, &context).await.unwrap();
        assert_eq!(&*completion.text, expected);
    }
    let totals = models.totals();
    assert_eq!(totals["scripted/idle"].calls, 1);
    let broken = models.ready("scripted/broken").unwrap_err().to_string();
    assert!(broken.starts_with("data/scripted/broken.yaml:2:") && broken.contains("did you mean `say`"), "{broken}");
}

#[test]
fn settings_that_cannot_be_met_are_refused() {
    let config = ModelsConfig {
        environment: Environment::of(&[("OPENAI_API_KEY", "k")]),
        retry: RetryPolicy { attempts: 0, ..RetryPolicy::default() },
        ..ModelsConfig::default()
    };
    assert!(matches!(Models::new(config).ready("openai/x"), Err(SetupError::Settings(_))));
}

#[cfg(not(feature = "embedded"))]
#[test]
fn without_the_feature_a_local_model_is_refused_clearly() {
    let refused = models(&[]).ready("local/smollm2-135m").unwrap_err();
    assert!(matches!(&refused, SetupError::Weights(message) if message.contains("feature `embedded`")), "{refused}");
}
