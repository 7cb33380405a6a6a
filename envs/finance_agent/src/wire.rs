//! The services' replies: what the corpus says in their formats, and what is read out of them.
//!
//! | service | request | reply |
//! |---|---|---|
//! | search over filings | POST `{query, formTypes, ciks, startDate, endDate, page}`, key in `Authorization` | `{total, filings}` |
//! | the archive's own search | GET `q, forms, dateRange, startdt, enddt, ciks, from`, contact in `User-Agent` | Elasticsearch hits |
//! | web search | GET `engine=google, q, num, api_key` | `{search_parameters, organic_results}` |

use serde_json::{Map, Value, json};

use crate::corpus::{Corpus, CorpusError, Filed, Filter};

/// Documents on a page of either search.
pub const PAGE: usize = 100;
/// The count above which a total is a lower bound.
const COUNTED: usize = 10_000;

/// What a search asks for, as the tool's arguments say it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Words.
    pub query: String,
    /// Forms; all if empty.
    pub forms: Vec<String>,
    /// Central index keys; all if empty.
    pub ciks: Vec<String>,
    /// First day.
    pub start: Option<String>,
    /// Last day.
    pub end: Option<String>,
    /// Page, from 1.
    pub page: u64,
}

impl Search {
    fn filter(&self) -> Filter {
        let number = |cik: &String| cik.trim().trim_start_matches('0').parse().ok();
        // A key that is not a number is nobody's.
        let ciks: Vec<u64> = self.ciks.iter().map(|cik| number(cik).unwrap_or(u64::MAX)).collect();
        Filter { forms: self.forms.clone(), ciks, start: self.start.clone(), end: self.end.clone() }
    }

    fn page_of<'a, T>(&self, found: &'a [T]) -> &'a [T] {
        let from = usize::try_from(self.page.max(1) - 1).unwrap_or(usize::MAX).saturating_mul(PAGE).min(found.len());
        &found[from..found.len().min(from + PAGE)]
    }

    /// As the search service over filings is asked.
    #[must_use]
    pub fn to_api(&self) -> Value {
        let mut body = Map::new();
        body.insert("query".to_owned(), json!(self.query));
        let optional = [
            ("formTypes", (!self.forms.is_empty()).then(|| json!(self.forms))),
            ("ciks", (!self.ciks.is_empty()).then(|| json!(self.ciks))),
            ("startDate", self.start.as_ref().map(|day| json!(day))),
            ("endDate", self.end.as_ref().map(|day| json!(day))),
        ];
        body.extend(optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        body.insert("page".to_owned(), json!(self.page.max(1)));
        Value::Object(body)
    }

    /// Reads what [`Search::to_api`] writes.
    ///
    /// # Errors
    /// What is wrong with the body.
    pub fn from_api(body: &Value) -> Result<Self, String> {
        let text = |name: &str| match body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
            Some(other) => Err(format!("`{name}` is {other}; it must be a text")),
        };
        let list = |name: &str| match body.get(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| match item {
                    Value::String(text) => Ok(text.clone()),
                    Value::Number(number) => Ok(number.to_string()),
                    other => Err(format!("`{name}` holds {other}; it must be a list of texts")),
                })
                .collect(),
            Some(other) => Err(format!("`{name}` is {other}; it must be a list")),
        };
        let page = match body.get("page") {
            None | Some(Value::Null) => 1,
            Some(Value::String(text)) => {
                text.parse().map_err(|_| format!("`page` is `{text}`; it must be a number"))?
            }
            Some(page) => page.as_u64().ok_or_else(|| format!("`page` is {page}; it must be a number from 1"))?,
        };
        let query = text("query")?.ok_or("`query` is missing")?;
        let (start, end) = (text("startDate")?, text("endDate")?);
        Ok(Self { query, forms: list("formTypes")?, ciks: list("ciks")?, start, end, page })
    }

    /// As the archive's own search is asked: the parameters of its address.
    #[must_use]
    pub fn to_archive(&self) -> Vec<(&'static str, String)> {
        let mut pairs = vec![("q", self.query.clone())];
        if !self.forms.is_empty() {
            pairs.push(("forms", self.forms.join(",")));
        }
        if self.start.is_some() || self.end.is_some() {
            pairs.push(("dateRange", "custom".to_owned()));
            pairs.push(("startdt", self.start.clone().unwrap_or_else(|| "2001-01-01".to_owned())));
            pairs.extend(self.end.clone().map(|end| ("enddt", end)));
        }
        if !self.ciks.is_empty() {
            let padded: Vec<String> = self.ciks.iter().map(|cik| format!("{cik:0>10}")).collect();
            pairs.push(("ciks", padded.join(",")));
        }
        pairs.push(("from", ((self.page.max(1) - 1) * PAGE as u64).to_string()));
        pairs
    }

    /// Reads what [`Search::to_archive`] writes.
    #[must_use]
    pub fn from_archive(pairs: &[(String, String)]) -> Self {
        let value = |name: &str| pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let list = |name: &str| {
            let text = value(name).unwrap_or_default();
            text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
        };
        let from: u64 = value("from").and_then(|from| from.parse().ok()).unwrap_or(0);
        Self {
            query: value("q").unwrap_or_default(),
            forms: list("forms"),
            ciks: list("ciks"),
            start: value("startdt"),
            end: value("enddt"),
            page: from / PAGE as u64 + 1,
        }
    }
}

fn total(count: usize) -> Value {
    json!({ "value": count.min(COUNTED), "relation": if count >= COUNTED { "gte" } else { "eq" } })
}

/// The reply of the search service over filings: one row a document.
///
/// # Errors
/// When the corpus cannot be searched.
pub fn api_reply(corpus: &Corpus, search: &Search) -> Result<Value, CorpusError> {
    let found = corpus.search(&search.query, &search.filter())?;
    let rows: Vec<Value> = search.page_of(&found).iter().map(|(filed, _)| api_row(filed)).collect();
    Ok(json!({ "total": total(found.len()), "filings": rows }))
}

fn api_row(filed: &Filed) -> Value {
    json!({
        "accessionNo": filed.accession,
        "cik": filed.cik.to_string(),
        "companyNameLong": format!("{} ({}) (CIK {:010})", filed.company, filed.ticker, filed.cik),
        "ticker": filed.ticker,
        "description": filed.description,
        "formType": filed.form,
        "type": filed.kind,
        "filingUrl": filed.url,
        "filedAt": filed.filed,
    })
}

/// The reply of the archive's own search.
///
/// # Errors
/// When the corpus cannot be searched.
pub fn archive_reply(corpus: &Corpus, search: &Search) -> Result<Value, CorpusError> {
    let found = corpus.search(&search.query, &search.filter())?;
    let hits: Vec<Value> = search
        .page_of(&found)
        .iter()
        .map(|(filed, score)| {
            json!({
                "_index": "edgar_file",
                "_id": format!("{}:{}", filed.accession, filed.file),
                "_score": *score as f64 / 1e6,
                "_source": {
                    "ciks": [format!("{:010}", filed.cik)],
                    "period_ending": filed.period,
                    "file_num": [format!("001-{:05}", filed.cik % 99_999)],
                    "display_names": [format!("{}  ({})  (CIK {:010})", filed.company, filed.ticker, filed.cik)],
                    "xsl": null,
                    "sequence": filed.sequence.to_string(),
                    "root_forms": [filed.form.trim_end_matches("/A")],
                    "file_date": filed.filed,
                    "biz_states": [filed.state],
                    "sics": [filed.sector],
                    "form": filed.form,
                    "adsh": filed.accession,
                    "film_num": [],
                    "biz_locations": [filed.state],
                    "file_type": filed.kind,
                    "file_description": filed.description,
                    "inc_states": ["DE"],
                    "items": [],
                },
            })
        })
        .collect();
    let best = found.iter().map(|(_, score)| *score).max().map(|score| score as f64 / 1e6);
    Ok(json!({
        "took": 1, "timed_out": false, "_shards": { "total": 1, "successful": 1, "skipped": 0, "failed": 0 },
        "hits": { "total": total(found.len()), "max_score": best, "hits": hits },
        "aggregations": {},
    }))
}

/// The rows in a reply of the search service over filings.
///
/// # Errors
/// What is wrong with the reply.
pub fn read_api(reply: &Value) -> Result<Vec<Value>, String> {
    match reply.get("filings") {
        Some(Value::Array(rows)) => Ok(rows.clone()),
        None if reply.is_object() => Ok(Vec::new()),
        _ => Err("it is no object with a list `filings`".to_owned()),
    }
}

/// The hits of the archive's own search as rows of the same form; `archive` is the host of documents.
///
/// # Errors
/// What is wrong with the reply.
pub fn read_archive(reply: &Value, archive: &str) -> Result<Vec<Value>, String> {
    let hits =
        reply.pointer("/hits/hits").and_then(Value::as_array).ok_or("it is no object with a list `hits.hits`")?;
    let mut rows = Vec::with_capacity(hits.len());
    for hit in hits {
        let text = |place: &str| hit.pointer(place).and_then(Value::as_str).unwrap_or_default();
        let (id, accession) = (text("/_id"), text("/_source/adsh"));
        let file = id.split_once(':').map(|(_, file)| file).filter(|file| !file.is_empty());
        let (Some(file), false) = (file, accession.is_empty()) else {
            return Err(format!("the hit `{}` names no document", id.chars().take(80).collect::<String>()));
        };
        let cik = text("/_source/ciks/0").trim_start_matches('0');
        let display = text("/_source/display_names/0").split_whitespace().collect::<Vec<_>>().join(" ");
        // "Name (TICK) (CIK 0000000001)"
        let ticker =
            display.split('(').nth(1).and_then(|part| part.split(')').next()).filter(|part| !part.starts_with("CIK"));
        let description = match text("/_source/file_description") {
            "" => text("/_source/file_type"),
            description => description,
        };
        rows.push(json!({
            "accessionNo": accession,
            "cik": cik,
            "companyNameLong": display,
            "ticker": ticker.unwrap_or_default(),
            "description": description,
            "formType": text("/_source/form"),
            "type": text("/_source/file_type"),
            "filingUrl": format!("https://{archive}/Archives/edgar/data/{cik}/{}/{file}", accession.replace('-', "")),
            "filedAt": text("/_source/file_date"),
        }));
    }
    Ok(rows)
}

/// The reply of the web search service.
///
/// # Errors
/// When the corpus cannot be searched.
pub fn web_reply(corpus: &Corpus, query: &str, most: usize) -> Result<Value, CorpusError> {
    let rows: Vec<Value> = corpus
        .web(query, most)?
        .into_iter()
        .enumerate()
        .map(|(at, page)| {
            let host = page.url.split('/').nth(2).unwrap_or_default();
            json!({
                "position": at + 1,
                "title": page.title,
                "link": page.url,
                "displayed_link": format!("https://{host}"),
                "snippet": page.snippet,
                "date": page.date,
                "source": page.source,
            })
        })
        .collect();
    let mut reply = json!({ "search_parameters": { "engine": "google", "q": query, "num": most.to_string() } });
    // A search without results has no such list.
    if !rows.is_empty() {
        reply["organic_results"] = Value::Array(rows);
    }
    Ok(reply)
}

/// The results in a reply of the web search service.
///
/// # Errors
/// What is wrong with the reply.
pub fn read_web(reply: &Value) -> Result<Vec<Value>, String> {
    match reply.get("organic_results") {
        Some(Value::Array(rows)) => Ok(rows.clone()),
        None if reply.is_object() => Ok(Vec::new()),
        _ => Err("it is no object with a list `organic_results`".to_owned()),
    }
}

/// Web results in the form of the harness's later version: url, title, content, score.
#[must_use]
pub fn as_v11(results: &[Value]) -> Vec<Value> {
    let count = results.len().max(1);
    let of = |result: &Value, name: &str| result.get(name).cloned().unwrap_or(Value::Null);
    results
        .iter()
        .enumerate()
        .map(|(at, result)| {
            let score = (1000 - 900 * at / count) as f64 / 1000.0;
            json!({ "url": of(result, "link"), "title": of(result, "title"), "content": of(result, "snippet"), "score": score })
        })
        .collect()
}
