//! The questions about filings at the workbench: thin calls into their library.

use std::io::BufReader;
use std::sync::Arc;

use gimbal_core::TaskId;
use gimbal_finance_agent::corpus::{API_HOST, Corpus, HOST, SEARCH_HOST, SERP_HOST, Spec};
use gimbal_finance_agent::questions;
use gimbal_finance_agent::server::{KEY, Loopback};
use serde_json::{Map, Value};

use super::Workbench;
use crate::args::{EnvPlay, EnvServe};
use crate::exit::Failure;

/// Questions about filings.
pub struct FinanceAgent;

/// Waits for something on a thread of its own: verbs run inside of the program's runtime, which may not be blocked.
fn apart<T: Send>(work: impl Future<Output = T> + Send) -> Result<T, Failure> {
    let wait = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::external)?;
        Ok(runtime.block_on(work))
    };
    let joined = std::thread::scope(|scope| scope.spawn(wait).join());
    joined.unwrap_or_else(|_| Err(Failure::Usage("the play broke off; this is a fault of the program".to_owned())))
}

impl Workbench for FinanceAgent {
    fn contrast(&self) -> [&'static str; 2] {
        ["nothing", "expert"]
    }

    fn play(&self, options: &EnvPlay) -> Result<(), Failure> {
        let environment = &options.environment;
        let mut settings = Map::new();
        if let Some(calls) = environment.horizon {
            settings.insert("max_calls".to_owned(), calls.into());
        }
        for setting in &environment.set {
            let (name, value) = setting.split_once('=').ok_or_else(|| {
                Failure::Usage(format!("--set {setting}: write it as NAME=VALUE, such as `reader=extract`"))
            })?;
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            settings.insert(name.trim().to_owned(), value);
        }
        if environment.red.is_some() || environment.mode.is_some() || environment.network.is_some() {
            let message = "--red, --mode, --network: finance_agent has none; set its options with --set NAME=VALUE";
            return Err(Failure::Usage(message.to_owned()));
        }
        let task = TaskId(environment.task.clone().unwrap_or_else(|| "s01".to_owned()));
        let (mut input, mut output) = (BufReader::new(std::io::stdin()), gimbal_analysis::Printable(std::io::stdout()));
        let settings = Value::Object(settings);
        let play = gimbal_finance_agent::play::play(&task, &settings, options.seed, &mut input, &mut output);
        match apart(play)? {
            Ok(reward) => {
                println!("reward {:.3}", reward as f64 / 1000.0);
                Ok(())
            }
            Err(gimbal_finance_agent::play::PlayError::Environment(error)) => Err(Failure::environment(error)),
            Err(error) => Err(Failure::external(error)),
        }
    }

    fn serve(&self, options: &EnvServe) -> Result<(), Failure> {
        let (least, most) = Spec::COMPANIES;
        if !(least..=most).contains(&options.companies) {
            return Err(Failure::Usage(format!("--companies {}: give {least} to {most}", options.companies)));
        }
        let corpus =
            Corpus::new(Spec { seed: options.corpus, companies: options.companies }).map_err(Failure::external)?;
        if let Some(file) = &options.questions {
            let all: Vec<_> = corpus.questions().iter().map(|asked| asked.question.clone()).collect();
            std::fs::write(file, questions::write(&all))
                .map_err(|error| Failure::Usage(format!("{}: cannot be written: {error}", file.display())))?;
            println!("{} questions in {}", all.len(), file.display());
            return Ok(());
        }
        let (filings, pages) = (corpus.filings().len(), corpus.pages().len());
        let server = Loopback::start(Arc::new(corpus), options.port).map_err(Failure::external)?;
        println!("http://{} serves {filings} documents and {pages} pages until Ctrl-C", server.address());
        println!("  POST /full-text-search          as {API_HOST}, header `Authorization: {KEY}`");
        println!("  GET  /LATEST/search-index?q=    as {SEARCH_HOST}, header `User-Agent` with a contact");
        println!("  GET  /search?q=&api_key={KEY}  as {SERP_HOST}");
        println!("  GET  /Archives/edgar/data/...   as {HOST}");
        apart(tokio::signal::ctrl_c())?.map_err(Failure::external)
    }
}
