//! The same requests through an OpenAI-compatible server that is not ours: llama.cpp's, as `scripts/real-server` starts it.
//! Its address is in `GIMBAL_REAL_SERVER`; where that is not set, the test says so and passes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

mod agents;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use gimbal_core::{
    CallContext, ChatRequest, Completion, Digest, Grammar, Message, ModelError, ModelErrorKind, Sampling, Speaker,
    UsageSource, Wire,
};
use gimbal_model::remote::Dialect;
use gimbal_model::{Endpoint, Models, ModelsConfig};
use serde_json::{Value, json};

#[derive(Default)]
struct Rows(Mutex<Vec<Result<Completion, ModelError>>>);

impl Wire for Rows {
    fn sent(&self, _: &ChatRequest, _: bool) -> Result<u64, ModelError> {
        Ok(0)
    }

    fn received(&self, _: u64, outcome: &Result<Completion, ModelError>) -> Result<(), ModelError> {
        self.0.lock().unwrap().push(outcome.clone());
        Ok(())
    }
}

fn request(words: &str, grammar: Option<Grammar>) -> ChatRequest {
    let messages = [(Speaker::System, "You answer in a few words."), (Speaker::User, words)];
    ChatRequest {
        messages: messages.into_iter().map(|(speaker, text)| Arc::new(Message::new(speaker, text))).collect(),
        grammar: grammar.map(Arc::new),
        sampling: Sampling { max_output_tokens: 48, seed: Some(1), ..Sampling::default() },
        ..ChatRequest::default()
    }
}

/// The endpoint of the server.
fn endpoints(base: &str) -> BTreeMap<String, Endpoint> {
    let endpoint = Endpoint { base: base.to_owned(), key_variable: None, grammar: Some(Dialect::Llamacpp) };
    [("llamacpp".to_owned(), endpoint)].into()
}

/// What the server answers outside the chat endpoint; `None` where it has no such path.
async fn ask(base: &str, path: &str, body: Value) -> Option<Value> {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let root = base.strip_suffix("/v1").unwrap_or(base);
    let answer = client.post(format!("{root}{path}")).header("content-type", "application/json");
    let answer = answer.body(body.to_string()).send().await.ok().filter(|answer| answer.status().is_success())?;
    serde_json::from_str(&answer.text().await.ok()?).ok()
}

/// What the server itself counts of a text, in either server's way; `None` where it offers no such count.
async fn counted(base: &str, text: &str) -> Option<u64> {
    if let Some(answer) = ask(base, "/tokenize", json!({ "content": text })).await {
        return answer["tokens"].as_array().map(|tokens| tokens.len() as u64);
    }
    ask(base, "/extras/tokenize/count", json!({ "input": text })).await?["count"].as_u64()
}

#[tokio::test]
async fn a_server_that_is_not_ours_answers_and_counts_as_we_read_it() {
    let Ok(base) = std::env::var("GIMBAL_REAL_SERVER") else {
        println!("skipped: GIMBAL_REAL_SERVER is not set; `scripts/real-server` starts a server and sets it");
        return;
    };
    let models = Models::new(ModelsConfig { endpoints: endpoints(&base), ..ModelsConfig::default() });
    let context_of_server = models.survey("llamacpp/served").await;
    println!("context: {context_of_server:?}");
    let model = models.open("llamacpp/served").unwrap();
    let rows = Rows::default();
    let ask = async |call: u64, request: &ChatRequest| {
        let context = CallContext { wire: &rows, episode: Digest::of(b"e"), call, seed: 1, hint: None };
        model.complete(request, &context).await
    };
    let free = match ask(0, &request("Name a colour.", None)).await {
        Ok(completion) => completion,
        Err(error) if error.kind == ModelErrorKind::Truncated => {
            panic!("48 tokens did not do for a colour: {error:?}")
        }
        Err(error) => panic!("{error:?}"),
    };
    assert_eq!(free.usage.source, UsageSource::Reported);
    assert!(free.usage.input > 10 && free.usage.output > 0 && free.provider.note.is_none(), "{free:?}");
    if let Some(own) = counted(&base, &free.text).await {
        println!("free: {:?}: reported {}, counted {own}", free.text, free.usage.output);
        // The end of a text is a token, and a tokenizer may put one before it.
        assert!(free.usage.output.abs_diff(own) <= 2, "reported {}, counted {own}", free.usage.output);
    }
    let choices = ["Restore hostname=\"User1\"".to_owned(), "Monitor".to_owned()];
    let picked = ask(1, &request("What now?", Some(Grammar::Choice(choices.to_vec())))).await.unwrap();
    assert!(choices.iter().any(|choice| **choice == *picked.text), "{}", picked.text);
    let pattern = "Thought: [a-z ]{1,40}\\nAnswer: (Wait|Go on)";
    let shaped = ask(2, &request("What now?", Some(Grammar::Regex(pattern.to_owned())))).await.unwrap();
    assert!(regex::Regex::new(&format!("^{pattern}$")).unwrap().is_match(&shaped.text), "{}", shaped.text);
    for completion in [&picked, &shaped] {
        let own = counted(&base, &completion.text).await;
        println!("{:?}: reported {}, counted {own:?}", completion.text, completion.usage.output);
        // Under a grammar the model may write a text in smaller pieces than the tokenizer cuts it into, one for each byte at
        // worst: what it wrote is what is paid for.
        let (reported, bytes) = (completion.usage.output, completion.text.len() as u64);
        assert!(own.is_none_or(|own| reported + 2 >= own) && reported <= bytes + 2, "{completion:?}");
    }
    #[cfg(feature = "embedded")]
    if let Ok(weights) = std::env::var("GIMBAL_REAL_WEIGHTS") {
        let ours = models.open(&format!("local/{weights}")).unwrap();
        let context = CallContext { wire: &rows, episode: Digest::of(b"e"), call: 3, seed: 1, hint: None };
        let ours = ours.complete(&request("Name a colour.", None), &context).await.unwrap();
        println!("in the program: {:?}: {} + {} tokens", ours.text, ours.usage.input, ours.usage.output);
        println!("at the server:  {:?}: {} + {} tokens", free.text, free.usage.input, free.usage.output);
        // The same weights, template and messages.
        assert_eq!(ours.usage.input, free.usage.input);
    }
    let totals = models.totals()["llamacpp/served"];
    assert_eq!((totals.calls, totals.usage_missing, totals.unknown), (3, 0, 0));
    assert!(rows.0.lock().unwrap().len() >= 3);
}
