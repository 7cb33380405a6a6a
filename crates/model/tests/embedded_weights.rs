//! The embedded model on the real default weights, where they are cached; without them each test says that it skipped.
//! Nothing is fetched here.
#![cfg(feature = "embedded")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::sync::Arc;

use gimbal_core::{Grammar, Message, Milli, Sampling, Speaker};
use gimbal_model::embedded::{Conversation, Engine, EngineSettings, GenerateRequest, Prompt};
use gimbal_model::weights::{Cache, DEFAULT_MODEL, locate};
use serde_json::{Value, json};

fn open(settings: &EngineSettings) -> Option<Engine> {
    let located = Cache::from_environment().and_then(|cache| locate(DEFAULT_MODEL, &cache));
    match located {
        Ok(found) => Some(Engine::open(&found.path, found.sha256, settings).unwrap()),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}

fn conversation(index: usize) -> Prompt {
    let system = "You defend a small network. Answer briefly.";
    let hosts = ["User1", "User2", "Enterprise0", "Op_Server0", "Defender"];
    let mut text = format!("Step {}. ", index % 9);
    for step in 0..index % 4 {
        text.push_str(&format!("{} was scanned. ", hosts[(index + step) % hosts.len()]));
    }
    text.push_str(&format!("What about {}?", hosts[index * 3 % hosts.len()]));
    let messages = vec![Arc::new(Message::new(Speaker::System, system)), Arc::new(Message::new(Speaker::User, text))];
    Prompt::Chat { messages, tools: Arc::from([]) }
}

fn request(index: usize) -> GenerateRequest {
    let mut request = GenerateRequest::new(conversation(index), 4);
    match index % 4 {
        0 => {
            let actions = ["Remove User1", "Remove User2", "Restore Enterprise0", "Sleep"].map(str::to_owned);
            request.grammar = Some(Arc::new(Grammar::Choice(actions.to_vec())));
            request.sampling.max_output_tokens = 16;
        }
        1 => {
            request.sampling = Sampling { temperature: Milli(800), seed: Some(index as u64), ..request.sampling };
            request.to_the_bound = true;
        }
        _ => request.to_the_bound = true,
    }
    request
}

#[test]
fn real_answers_have_the_form_that_is_asked_for() {
    let Some(engine) = open(&EngineSettings::default()) else { return };
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["action", "why"],
        "properties": { "action": { "enum": ["Sleep", "Remove User1"] }, "why": { "type": "string", "maxLength": 30 } }
    });
    for index in 0..4 {
        let mut request = GenerateRequest::new(conversation(index), 100);
        request.grammar = Some(Arc::new(Grammar::JsonSchema(schema.clone())));
        let answer = engine.generate_blocking(request).unwrap();
        let value: Value = serde_json::from_str(&answer.text).unwrap();
        assert!(["Sleep", "Remove User1"].contains(&value["action"].as_str().unwrap()));
        assert!(answer.forced > 0 && answer.passes < answer.counts.completion);
    }
}

#[tokio::test]
async fn a_small_talk_makes_sense_and_reuses_its_beginning() {
    let Some(engine) = open(&EngineSettings { chunk: 16, ..EngineSettings::default() }) else { return };
    assert_eq!(engine.info().template, "chatml");
    let sampling = Sampling { max_output_tokens: 60, ..Sampling::default() };
    let mut talk = Conversation::new(Arc::new(engine), Some("You are a helpful assistant."), sampling);
    let first = talk.say("What is the capital of France?", None).await.unwrap();
    assert!(first.text.contains("Paris"), "{}", first.text);
    let second = talk.say("And what is the capital of Italy?", None).await.unwrap();
    assert!(second.text.contains("Rome"), "{}", second.text);
    assert!(second.counts.cached >= 16, "{:?}", second.counts);
    assert_eq!(talk.messages().len(), 5);
}

/// `GIMBAL_PROMPTS` sets the number of prompts (60 by default; 200 for the figures of docs/models.md).
#[test]
fn many_prompts_cold_warm_resumed_and_reordered_give_equal_tokens() {
    let settings = EngineSettings { chunk: 16, context: 512, ..EngineSettings::default() };
    let Some(engine) = open(&settings) else { return };
    let asked = std::env::var("GIMBAL_PROMPTS").ok().and_then(|count| count.parse().ok());
    let count: usize = asked.unwrap_or(60);
    let answers = |engine: &Engine, order: &mut dyn Iterator<Item = usize>, cold: bool| {
        let mut answers = vec![Vec::new(); count];
        let mut cached = 0;
        for index in order {
            if cold {
                let other =
                    GenerateRequest { to_the_bound: true, ..GenerateRequest::new(Prompt::Text("x".to_owned()), 1) };
                engine.generate_blocking(other).unwrap();
            }
            let answer = engine.generate_blocking(request(index)).unwrap();
            cached += answer.counts.cached;
            answers[index] = answer.tokens;
        }
        (answers, cached)
    };
    let (cold, none) = answers(&engine, &mut (0..count), true);
    assert_eq!(none, 0);
    let (warm, reused) = answers(&engine, &mut (0..count), false);
    assert!(reused as usize > 10 * count, "{reused}");
    drop(engine);
    let resumed = open(&settings).unwrap();
    let (second_half, _) = answers(&resumed, &mut (count / 2..count), false);
    let mut other_order: Vec<usize> = (0..count).collect();
    other_order.sort_by_key(|at| (at * 77 % 101, *at));
    let (reordered, _) = answers(&resumed, &mut other_order.into_iter(), false);
    let different =
        |other: &[Vec<u32>], from: usize| (from..count).filter(|index| cold[*index] != other[*index]).count();
    println!(
        "different from cold: warm {}, resumed {}, reordered {}",
        different(&warm, 0),
        different(&second_half, count / 2),
        different(&reordered, 0)
    );
    assert_eq!((different(&warm, 0), different(&second_half, count / 2), different(&reordered, 0)), (0, 0, 0));
    let distinct: std::collections::BTreeSet<_> = cold.into_iter().collect();
    assert!(distinct.len() > count / 10, "{}", distinct.len());
}
