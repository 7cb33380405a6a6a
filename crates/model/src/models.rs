//! The models of a run, by name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gimbal_core::ChatModel;
use serde_json::json;

use crate::config::{self, ModelsConfig};
use crate::error::SetupError;
use crate::facts::{ModelFacts, ModelKind, UNLIMITED};
use crate::layers::{AtOnce, Attempt, Cache, CacheProblem, Gate, Limited, Meter, Retry, Totals};
use crate::local;
use crate::name::ModelName;
use crate::noisy::NoisyExpert;
use crate::price::Price;
use crate::reader::{self, ReaderModel};
use crate::remote::{Provider, Remote, Survey};
use crate::replay::{Player, Recorder};
use crate::scripted::Script;
use crate::traits::Known;

/// The models of a run. A model is opened once and shared by all who name it.
pub struct Models {
    config: ModelsConfig,
    opened: Mutex<BTreeMap<String, Opened>>,
    surveys: Mutex<BTreeMap<String, Arc<Survey>>>,
    problems: Arc<Mutex<Vec<CacheProblem>>>,
}

/// A model with its layers, and the gate of a remote one.
type Layered = (Box<dyn ChatModel>, Option<Arc<Gate>>);

struct Opened {
    model: Arc<dyn ChatModel>,
    totals: Arc<Mutex<Totals>>,
    gate: Option<Arc<Gate>>,
}

impl Models {
    /// The models that these settings give.
    #[must_use]
    pub fn new(config: ModelsConfig) -> Self {
        Self { config, opened: Mutex::default(), surveys: Mutex::default(), problems: Arc::default() }
    }

    /// What is known of a model by its name. Reads scripts, recordings and the hash of weights that are there; never the
    /// network.
    ///
    /// # Errors
    /// When the name, the script or the recording cannot be read.
    pub fn describe(&self, name: &str) -> Result<ModelFacts, SetupError> {
        let own = |kind, plumbing: &str, identity| ModelFacts {
            name: name.to_owned(),
            kind,
            plumbing: Some(plumbing.to_owned()),
            weights: None,
            key_variable: None,
            key_present: false,
            price: Some(Price::free()),
            concurrency: UNLIMITED,
            wants_hints: kind == ModelKind::Noisy,
            tools: true,
            identity,
        };
        match ModelName::parse(name)? {
            ModelName::Remote { provider, id } => {
                let variable = config::key_variable(&self.config, name, provider);
                Ok(ModelFacts {
                    name: name.to_owned(),
                    kind: ModelKind::Remote,
                    plumbing: None,
                    weights: None,
                    key_present: self.config.environment.get(&variable).is_some(),
                    key_variable: Some(variable),
                    price: self.config.prices.get(name).cloned(),
                    concurrency: self.config.rate(name).most(),
                    wants_hints: false,
                    tools: true,
                    identity: self.identity(name, provider, &id),
                })
            }
            ModelName::Local(what) => local::describe(name, &what, &self.config),
            ModelName::Scripted(script) => {
                let script = Script::find(&script, &*self.config.scripts)?;
                let note = "scripted: rules answer, and no language model";
                Ok(own(ModelKind::Scripted, note, json!({ "model": name, "script": script.digest() })))
            }
            ModelName::Noisy(noise) => {
                let note = "noisy expert: shows what the scaffolding does with errors, and nothing of a language model";
                Ok(own(ModelKind::Noisy, note, json!({ "model": "noisy", "noise": noise.identity() })))
            }
            ModelName::Reader(reader) => {
                let version = reader::find(&reader, &*self.config.readers)?.version();
                let identity = json!({ "model": name, "version": version });
                Ok(ModelFacts { plumbing: None, ..own(ModelKind::Reader, "", identity) })
            }
            ModelName::Replay(folder) => {
                let recording = Player::open(&folder)?.digest()?;
                let note = "replayed: answers recorded before";
                Ok(own(ModelKind::Replayed, note, json!({ "model": "replay", "recording": recording })))
            }
        }
    }

    /// What is known of a remote model's server: which grammars it enforces, which settings it takes, how much fits.
    /// None of models that are not remote ones.
    #[must_use]
    pub fn known(&self, name: &str) -> Option<Known> {
        matches!(ModelName::parse(name), Ok(ModelName::Remote { .. })).then(|| self.config.known(name))
    }

    /// Asks the server of a remote model how much its context holds, where it reports that free of charge, and returns the
    /// tokens. The bound of every output is cut to what fits from then on.
    pub async fn survey(&self, name: &str) -> Option<u64> {
        let Ok(ModelName::Remote { provider, id }) = ModelName::parse(name) else { return None };
        let survey = self.survey_of(name);
        survey.ask(name, provider, &id, &self.config).await;
        survey.context()
    }

    fn survey_of(&self, name: &str) -> Arc<Survey> {
        let mut surveys = self.surveys.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(surveys.entry(name.to_owned()).or_default())
    }

    /// How the opened remote models were asked so far: requests at once, and why fewer.
    #[must_use]
    pub fn at_once(&self) -> BTreeMap<String, AtOnce> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let standing = |(name, opened): (&String, &Opened)| Some((name.clone(), opened.gate.as_ref()?.standing()));
        opened.iter().filter_map(standing).collect()
    }

    /// What to know after a run: how many requests were sent at once and why no more, counts of tokens that are estimates,
    /// and files of the cache that could not be used.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        for (name, AtOnce { most, peak, complaints, slowdowns, .. }) in self.at_once() {
            if complaints + slowdowns > 0 {
                let requests = if peak == 1 { "request" } else { "requests" };
                remarks.push(format!(
                    "`{name}`: at most {peak} {requests} at once (bound {most}); lowered {complaints} time(s) because the \
                     provider asked for fewer and {slowdowns} time(s) because answers grew slow"
                ));
            }
        }
        for (name, totals) in self.totals() {
            if totals.usage_missing > 0 && matches!(ModelName::parse(&name), Ok(ModelName::Remote { .. })) {
                remarks.push(format!(
                    "`{name}`: the tokens of {} of {} attempts are estimates by length: the provider reported none, or none \
                     that can be true",
                    totals.usage_missing, totals.attempts
                ));
            }
        }
        let problems = self.cache_problems();
        remarks
            .extend(problems.iter().take(3).map(|problem| format!("{}: {}", problem.path.display(), problem.message)));
        if problems.len() > 3 {
            remarks.push(format!("the cache had {} problems in all", problems.len()));
        }
        remarks
    }

    /// What decides a remote model's answers: its name and address, and the study's settings of it.
    fn identity(&self, name: &str, provider: Provider, id: &str) -> serde_json::Value {
        let mut identity = json!({ "model": id, "provider": provider.name() });
        if let Some((dialect, facts)) = self.config.stated(name) {
            identity["stated"] = json!({ "facts": facts, "grammar": dialect });
        }
        identity
    }

    /// Whether a model can be used now: key there, base address known, weights there.
    ///
    /// # Errors
    /// What is missing, and how to fix it.
    pub fn ready(&self, name: &str) -> Result<(), SetupError> {
        match ModelName::parse(name)? {
            ModelName::Remote { provider, .. } => self.check_remote(name, provider),
            ModelName::Local(what) => local::ready(name, &what),
            ModelName::Scripted(_) | ModelName::Noisy(_) | ModelName::Reader(_) | ModelName::Replay(_) => {
                self.describe(name).map(|_| ())
            }
        }
    }

    /// The model with its layers. Loads the weights of an embedded model, which takes a second or so.
    ///
    /// # Errors
    /// As [`Models::ready`], or when weights cannot be opened or the recording cannot be written.
    pub fn open(&self, name: &str) -> Result<Arc<dyn ChatModel>, SetupError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = opened.get(name) {
            return Ok(Arc::clone(&found.model));
        }
        let totals = Arc::new(Mutex::new(Totals::default()));
        let (layered, gate) = self.layered(name)?;
        let model: Arc<dyn ChatModel> = Arc::new(Meter::new(layered, Arc::clone(&totals)));
        opened.insert(name.to_owned(), Opened { model: Arc::clone(&model), totals, gate });
        Ok(model)
    }

    /// What was asked of every opened model so far, by name (BOG-150).
    #[must_use]
    pub fn totals(&self) -> BTreeMap<String, Totals> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let totals = |opened: &Opened| *opened.totals.lock().unwrap_or_else(PoisonError::into_inner);
        opened.iter().map(|(name, opened)| (name.clone(), totals(opened))).collect()
    }

    /// Files of the cache that could not be used or written so far.
    #[must_use]
    pub fn cache_problems(&self) -> Vec<CacheProblem> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Everything below the meter.
    fn layered(&self, name: &str) -> Result<Layered, SetupError> {
        let mut gate = None;
        let model: Box<dyn ChatModel> = match ModelName::parse(name)? {
            ModelName::Remote { provider, id } => {
                self.check_remote(name, provider)?;
                let rate = self.config.rate(name);
                let clock = || Arc::clone(&self.config.clock);
                let patience = Duration::from_millis(self.config.retry.patience_ms);
                let remote = Remote::open(name, provider, &id, &self.config, self.survey_of(name))?;
                let own = Arc::new(Gate::new(rate.most()));
                let attempt = Attempt::new(remote).noting(Arc::clone(&own));
                gate = Some(Arc::clone(&own));
                Box::new(Retry::new(Limited::new(attempt, own, rate, patience, clock()), self.config.retry, clock()))
            }
            ModelName::Local(what) => Box::new(Attempt::new(local::open(name, &what, &self.config)?)),
            ModelName::Scripted(script) => Box::new(Attempt::new(Script::find(&script, &*self.config.scripts)?)),
            ModelName::Noisy(noise) => Box::new(Attempt::new(NoisyExpert::new(noise))),
            ModelName::Reader(reader) => {
                Box::new(Attempt::new(ReaderModel(reader::find(&reader, &*self.config.readers)?)))
            }
            ModelName::Replay(folder) => Box::new(Attempt::unjudged(Player::open(&folder)?)),
        };
        let model: Box<dyn ChatModel> = match &self.config.cache {
            Some(cache) => {
                let problems = Arc::clone(&self.problems);
                // What an answer depends on besides its name, so that changed weights or scripts find no old answers.
                let identity = format!("{name} {}", self.describe(name)?.identity);
                Box::new(Cache::new(model, cache.folder.clone(), identity, problems))
            }
            None => model,
        };
        let model = match &self.config.record {
            Some(record) => Box::new(Recorder::open(model, record.folder.clone(), name.to_owned())?),
            None => model,
        };
        Ok((model, gate))
    }

    fn check_remote(&self, name: &str, provider: Provider) -> Result<(), SetupError> {
        if self.config.retry.attempts == 0 {
            return Err(SetupError::Settings("retry: `attempts` must be at least 1".to_owned()));
        }
        if self.config.rate(name).concurrency == Some(0) {
            return Err(SetupError::Settings(format!("rate of `{name}`: `concurrency` must be at least 1")));
        }
        Remote::check(name, provider, &self.config)
    }
}
