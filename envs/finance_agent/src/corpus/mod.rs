//! A synthetic corpus: fictitious companies, their filings, pages about them, and questions with known answers.
//!
//! Everything follows from a seed. Hosts end in `.example`, which no resolver knows: addresses of documents are the same
//! in every process, and the fetcher maps them to wherever the corpus is served.

mod amounts;
mod asked;
mod companies;
mod filings;
mod index;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use asked::{Asked, OF_EACH};
pub use index::Index;

use crate::html;
use crate::query::{Query, QueryError};
use companies::{Company, company};

/// Host of the archive of filings.
pub const HOST: &str = "www.sec.example";
/// Host of the archive's own full-text search.
pub const SEARCH_HOST: &str = "efts.sec.example";
/// Host of the search service over filings.
pub const API_HOST: &str = "api.sec-api.example";
/// Host of the web search service.
pub const SERP_HOST: &str = "serp.example";
/// The domain below which everything is served.
pub const DOMAIN: &str = ".example";

/// What decides a corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Spec {
    /// Seed of names and figures.
    pub seed: u64,
    /// Number of companies.
    pub companies: u32,
}

impl Spec {
    /// Fewest and most companies.
    pub const COMPANIES: (u32, u32) = (3, 60);
}

impl Default for Spec {
    fn default() -> Self {
        Self { seed: 2025, companies: 12 }
    }
}

/// A corpus that cannot be made.
#[derive(Debug, Error)]
pub enum CorpusError {
    /// The search library refused.
    #[error("the corpus cannot be indexed: {0}; this is a fault of the program")]
    Index(#[from] rusqlite::Error),
}

/// A filed document.
#[derive(Clone, Debug)]
pub struct Filed {
    /// Accession number of its filing.
    pub accession: String,
    /// Central index key of the company.
    pub cik: u64,
    /// Name of the company.
    pub company: String,
    /// Trading symbol.
    pub ticker: String,
    /// Industry code.
    pub sector: String,
    /// State of the principal offices.
    pub state: String,
    /// Form of the filing.
    pub form: String,
    /// Type of the document: the form, or an exhibit's.
    pub kind: String,
    /// What it is.
    pub description: String,
    /// Name of its file.
    pub file: String,
    /// Day of filing, yyyy-mm-dd.
    pub filed: String,
    /// End of the period that it reports on, yyyy-mm-dd.
    pub period: String,
    /// Its place in the filing, from 1.
    pub sequence: u32,
    /// Its address.
    pub url: String,
    /// Path of the address.
    pub path: String,
    /// The page.
    pub html: String,
}

/// A page that is not a filing.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its address.
    pub url: String,
    /// Title.
    pub title: String,
    /// What a search shows of it.
    pub snippet: String,
    /// Day, yyyy-mm-dd.
    pub date: String,
    /// Name of the site.
    pub source: String,
    /// The page.
    pub html: String,
}

/// A document that holds what a question asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gold {
    /// Accession number of the filing.
    pub accession: String,
    /// Central index key.
    pub cik: u64,
    /// Name of the company.
    pub company: String,
    /// Day of filing.
    pub filed: String,
    /// Form of the filing.
    pub form: String,
    /// Type of the document.
    pub kind: String,
    /// Address.
    pub url: String,
}

impl Gold {
    fn of(filed: &Filed) -> Self {
        Self {
            accession: filed.accession.clone(),
            cik: filed.cik,
            company: filed.company.clone(),
            filed: filed.filed.clone(),
            form: filed.form.clone(),
            kind: filed.kind.clone(),
            url: filed.url.clone(),
        }
    }
}

/// What to search filings by, beside the words.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Forms; all if empty. An amendment (`10-K/A`) is asked for by its own name.
    pub forms: Vec<String>,
    /// Central index keys; all if empty.
    pub ciks: Vec<u64>,
    /// First day, yyyy-mm-dd.
    pub start: Option<String>,
    /// Last day, yyyy-mm-dd.
    pub end: Option<String>,
}

/// The corpus.
#[derive(Debug)]
pub struct Corpus {
    spec: Spec,
    filings: Vec<Filed>,
    pages: Vec<Page>,
    questions: Vec<Asked>,
    by_url: BTreeMap<String, Held>,
    filed: Index,
    web: Index,
}

#[derive(Clone, Copy, Debug)]
enum Held {
    Filing(usize),
    Page(usize),
}

impl Corpus {
    /// Makes the corpus of a seed.
    ///
    /// # Errors
    /// When it cannot be indexed.
    pub fn new(spec: Spec) -> Result<Self, CorpusError> {
        let count = spec.companies.clamp(Spec::COMPANIES.0, Spec::COMPANIES.1);
        let companies: Vec<Company> = (0..count).map(|number| company(spec.seed, number)).collect();
        let filings: Vec<Filed> = companies.iter().flat_map(filings::filings).collect();
        let pages: Vec<Page> = companies.iter().flat_map(pages).collect();
        let questions = asked::questions(&companies, &filings);
        let mut by_url: BTreeMap<String, Held> =
            filings.iter().enumerate().map(|(at, filed)| (filed.url.clone(), Held::Filing(at))).collect();
        by_url.extend(pages.iter().enumerate().map(|(at, page)| (page.url.clone(), Held::Page(at))));
        let texts: Vec<String> = filings.iter().map(|filed| html::text_of(&filed.html)).collect();
        let filed = Index::of(texts.iter().map(String::as_str))?;
        let texts: Vec<String> = pages.iter().map(|page| html::text_of(&page.html)).collect();
        let web = Index::of(texts.iter().map(String::as_str))?;
        Ok(Self { spec, filings, pages, questions, by_url, filed, web })
    }

    /// What decided it.
    #[must_use]
    pub const fn spec(&self) -> Spec {
        self.spec
    }

    /// All documents, filing by filing.
    #[must_use]
    pub fn filings(&self) -> &[Filed] {
        &self.filings
    }

    /// The pages that are not filings.
    #[must_use]
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// The questions.
    #[must_use]
    pub fn questions(&self) -> &[Asked] {
        &self.questions
    }

    /// The page at an address.
    #[must_use]
    pub fn page(&self, url: &str) -> Option<&str> {
        self.by_url.get(url).map(|held| match held {
            Held::Filing(at) => self.filings[*at].html.as_str(),
            Held::Page(at) => self.pages[*at].html.as_str(),
        })
    }

    /// Documents that match, best first, then the newest. Without words everything that the filter lets through, newest
    /// first.
    ///
    /// # Errors
    /// When the search library refuses.
    pub fn search(&self, query: &str, filter: &Filter) -> Result<Vec<(&Filed, i64)>, CorpusError> {
        let scores = scores(&self.filed, query, self.filings.len())?;
        let passes = |filed: &Filed| {
            (filter.forms.is_empty() || filter.forms.iter().any(|form| form.eq_ignore_ascii_case(&filed.form)))
                && (filter.ciks.is_empty() || filter.ciks.contains(&filed.cik))
                && filter.start.as_ref().is_none_or(|start| filed.filed >= *start)
                && filter.end.as_ref().is_none_or(|end| filed.filed <= *end)
        };
        let mut found: Vec<(&Filed, i64)> = scores
            .into_iter()
            .map(|(at, score)| (&self.filings[at], score))
            .filter(|(filed, _)| passes(filed))
            .collect();
        found.sort_by(|(one, score), (other, other_score)| {
            let newest = other.filed.cmp(&one.filed);
            other_score
                .cmp(score)
                .then(newest)
                .then(one.accession.cmp(&other.accession))
                .then(one.sequence.cmp(&other.sequence))
        });
        Ok(found)
    }

    /// Pages of the web that hold words of the query, best first. A web search takes any of the words.
    ///
    /// # Errors
    /// When the search library refuses.
    pub fn web(&self, query: &str, most: usize) -> Result<Vec<&Page>, CorpusError> {
        let words: Vec<Query> =
            crate::query::words(query).into_iter().take(32).map(|word| Query::Phrase(vec![word])).collect();
        let mut found: Vec<(usize, i64)> = self.web.find(&Query::Or(words))?.into_iter().collect();
        found.sort_by_key(|(at, score)| (std::cmp::Reverse(*score), *at));
        Ok(found.into_iter().take(most).map(|(at, _)| &self.pages[at]).collect())
    }
}

fn scores(index: &Index, query: &str, count: usize) -> Result<BTreeMap<usize, i64>, CorpusError> {
    match Query::parse(query) {
        Ok(query) => index.find(&query),
        Err(QueryError::Empty) => Ok((0..count).map(|at| (at, 0)).collect()),
        Err(QueryError::Long | QueryError::Deep) => Ok(BTreeMap::new()),
    }
}

/// Pages about a company on the web: its profile, and news of its deal and of its officer.
fn pages(company: &Company) -> Vec<Page> {
    let slug = company.name.to_lowercase().replace(' ', "-");
    let page = |url: String, title: String, date: &str, source: &str, text: String| Page {
        html: filings::page(&title, &format!("<h1>{title}</h1>\n<p>{text}</p>\n<p>{date}</p>\n")),
        snippet: text.chars().take(160).collect(),
        url,
        title,
        date: date.to_owned(),
        source: source.to_owned(),
    };
    vec![
        page(
            format!("https://www.tradeprofiles.example/{slug}"),
            format!("{} ({}) company profile", company.name, company.ticker),
            "2025-01-15",
            "Trade Profiles",
            format!(
                "{} {}. Based in {}, {}. Its filings are found under the central index key {:010}; annual reports are on form 10-K, \
                 results and guidance in exhibits of form 8-K.",
                company.name, company.sector.what, company.city, company.state, company.cik
            ),
        ),
        page(
            format!("https://news.ledgerwire.example/{slug}-to-acquire"),
            format!("{} to buy {}", company.name, company.deal.target),
            company.deal.announced,
            "Ledger Wire",
            format!(
                "{} has agreed to buy {}. Terms are in the press release that it furnished on form 8-K. Analysts had expected a higher price.",
                company.name, company.deal.target
            ),
        ),
        page(
            format!("https://news.ledgerwire.example/{slug}-finance-chief"),
            format!("{} changes its finance chief", company.name),
            "2024-11-20",
            "Ledger Wire",
            format!(
                "{} of {} is to step down as Chief Financial Officer; a successor has been named.",
                company.former_cfo, company.name
            ),
        ),
    ]
}
