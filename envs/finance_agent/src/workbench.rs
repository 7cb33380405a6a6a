//! What `gimbal env finance_agent` does beside what every environment can.

use std::sync::Arc;

use gimbal_core::EnvError;
use gimbal_env_kit::workbench::{Output, ServeRequest, Verb, Workbench};

use crate::corpus::{API_HOST, Corpus, HOST, SEARCH_HOST, SERP_HOST, Spec};
use crate::environment::{FinanceAgent, Settings};
use crate::questions;
use crate::server::{KEY, Loopback};

impl Workbench for FinanceAgent {
    fn written(&self) -> &[Verb] {
        &[Verb::Serve]
    }

    fn contrast(&self) -> [String; 2] {
        ["nothing", "expert"].map(str::to_owned)
    }

    fn serve_options(&self) -> &[&'static str] {
        &["corpus", "companies"]
    }

    fn serve(&self, request: &ServeRequest) -> Result<Output, EnvError> {
        let settings = Settings::read(&request.setup.options())?;
        let corpus = Corpus::new(Spec { seed: settings.corpus, companies: settings.companies })
            .map_err(|error| EnvError::Data(error.to_string()))?;
        if let Some(file) = &request.questions {
            let all: Vec<_> = corpus.questions().iter().map(|asked| asked.question.clone()).collect();
            std::fs::write(file, questions::write(&all))
                .map_err(|error| EnvError::Usage(format!("{}: cannot be written: {error}", file.display())))?;
            return Ok(Output::text(format!("{} questions in {}\n", all.len(), file.display())));
        }
        let (filings, pages) = (corpus.filings().len(), corpus.pages().len());
        let server =
            Loopback::start(Arc::new(corpus), request.port).map_err(|error| EnvError::Service(error.to_string()))?;
        let text = format!(
            "http://{} serves {filings} documents and {pages} pages until Ctrl-C\n  \
             POST /full-text-search          as {API_HOST}, header `Authorization: {KEY}`\n  \
             GET  /LATEST/search-index?q=    as {SEARCH_HOST}, header `User-Agent` with a contact\n  \
             GET  /search?q=&api_key={KEY}  as {SERP_HOST}\n  \
             GET  /Archives/edgar/data/...   as {HOST}\n",
            server.address()
        );
        Ok(Output { running: Some(Box::new(server)), ..Output::text(text) })
    }
}
