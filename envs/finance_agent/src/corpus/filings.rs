//! Filings of a company as HTML: annual and quarterly reports, current reports with exhibits.

use std::fmt::Write as _;

use super::amounts::{grouped, millions, percent, quotient};
use super::companies::{Amount, Company, Director, QUARTERS, YEARS, Year};
use super::{Filed, HOST};

/// All documents of a company, by filing and in the order of their exhibits.
pub fn filings(company: &Company) -> Vec<Filed> {
    let mut maker = Maker { company, filings: Vec::new(), sequence: 0 };
    for (at, year) in YEARS.iter().enumerate().skip(1) {
        maker.annual(at, *year);
    }
    for (at, (quarter, year)) in QUARTERS.iter().enumerate() {
        if *quarter < 4 {
            maker.quarterly(at, *quarter, *year);
        }
        maker.results(at, *quarter, *year);
    }
    maker.deal();
    maker.officer();
    maker.filings
}

struct Maker<'a> {
    company: &'a Company,
    filings: Vec<Filed>,
    sequence: u32,
}

/// A document before it is filed.
struct Sheet {
    kind: String,
    description: String,
    file: String,
    title: String,
    body: String,
}

impl Maker<'_> {
    fn file(&mut self, form: &str, filed: &str, period: &str, sheets: Vec<Sheet>) {
        self.sequence += 1;
        let company = self.company;
        let accession = format!("{:010}-{}-{:06}", company.cik, &filed[2..4], self.sequence);
        for (at, sheet) in sheets.into_iter().enumerate() {
            let path = format!("/Archives/edgar/data/{}/{}/{}", company.cik, accession.replace('-', ""), sheet.file);
            self.filings.push(Filed {
                accession: accession.clone(),
                cik: company.cik,
                company: company.name.clone(),
                ticker: company.ticker.clone(),
                sector: company.sector.code.to_owned(),
                state: company.state.to_owned(),
                form: form.to_owned(),
                kind: sheet.kind,
                description: sheet.description,
                file: sheet.file,
                filed: filed.to_owned(),
                period: period.to_owned(),
                sequence: at as u32 + 1,
                url: format!("https://{HOST}{path}"),
                path,
                html: page(&sheet.title, &sheet.body),
            });
        }
    }

    fn cover(&self, form: &str, period: &str) -> String {
        let Company { name, ticker, cik, city, state, .. } = self.company;
        let what = match form {
            "10-K" => "Annual report",
            "10-Q" => "Quarterly report",
            _ => "Current report",
        };
        format!(
            "<h1>{name}</h1>\n<p>{what} under the Securities Exchange Act</p>\n<p>UNITED STATES SECURITIES AND EXCHANGE COMMISSION</p>\n<p>Form {form} for the period ended {period}</p>\n\
             <p>Commission file number 001-{:05}. Central index key {cik:010}. Principal offices in {city}, {state}.</p>\n\
             <p>Common stock, trading symbol {ticker}.</p>\n",
            cik % 99_999
        )
    }

    fn annual(&mut self, at: usize, year: u16) {
        let company = self.company;
        let Company { name, sector, employees, vendor, plant, .. } = company;
        let now = &company.years[at];
        // Figures that are told for the last year only are those of the latest report.
        let latest = at + 1 == YEARS.len();
        let mut body = self.cover("10-K", &format!("December 31, {year}"));
        let _ = writeln!(
            body,
            "<h2>Item 1. Business</h2>\n<p>{name} {}. We report three segments: {}, {} and {}.</p>",
            sector.what, sector.segments[0], sector.segments[1], sector.segments[2]
        );
        let _ = writeln!(
            body,
            "<p>Management follows these operating measures: {}, {} and {}. At the end of fiscal {year} we served {} customers.</p>",
            sector.measures[0],
            sector.measures[1],
            sector.measures[2],
            grouped(now.customers)
        );
        let (home, abroad) = if latest { *employees } else { (employees.0 * 9 / 10, employees.1 * 8 / 10) };
        let _ = writeln!(
            body,
            "<p>As of December 31, {year} we employed {} people full time, of whom {} work in the United States and {} in other \
             countries.</p>",
            grouped(home + abroad),
            grouped(home),
            grouped(abroad)
        );
        let _ = writeln!(
            body,
            "<h2>Item 1A. Risk Factors</h2>\n<p>{}</p>\n<p>Payments of our customers are cleared by one vendor, {vendor}. If {vendor} \
             could not serve us, our operations would be disrupted until another vendor takes over.</p>\n<p>Our new plant in {} may \
             cost more than planned. We expect production there to begin in {}.</p>",
            sector.risk, plant.0, plant.1
        );
        body.push_str("<h2>Item 7. Management's Discussion and Analysis</h2>\n");
        let shown: Vec<usize> = (0..=at).rev().collect();
        body.push_str(&self.statement(&shown));
        let rates: Vec<String> = shown.iter().map(|at| format!("{}%", rate(&company.years[*at]))).collect();
        body.push_str(&table("Effective tax rate", &self.heads(&shown), &[("Effective tax rate".to_owned(), rates)]));
        let bookings: Vec<String> = shown.iter().map(|at| millions(company.years[*at].bookings)).collect();
        body.push_str(&table(
            "Gross bookings (in millions)",
            &self.heads(&shown),
            &[("Gross bookings".to_owned(), bookings)],
        ));
        if latest {
            let rows: Vec<(String, Vec<String>)> = company
                .segments
                .iter()
                .map(|(segment, revenue)| ((*segment).to_owned(), vec![millions(*revenue)]))
                .collect();
            body.push_str(&table("Revenue by segment (in millions)", &[year.to_string()], &rows));
        }
        body.push_str("<h2>Item 8. Financial Statements</h2>\n");
        let line =
            |of: fn(&Year) -> Amount| shown.iter().map(|at| millions(of(&company.years[*at]))).collect::<Vec<_>>();
        body.push_str(&table(
            "Balance sheets and cash flows (in millions)",
            &self.heads(&shown),
            &[
                ("Inventory at end of year".to_owned(), line(|year| year.inventory)),
                ("Net cash provided by operating activities".to_owned(), line(|year| year.cash_flow)),
                ("Purchases of property and equipment".to_owned(), line(|year| -year.capex)),
                ("Dividends paid".to_owned(), line(|year| -year.dividends)),
            ],
        ));
        if latest {
            self.notes(&mut body, year);
        }
        let mut sheets = vec![Sheet {
            kind: "10-K".to_owned(),
            description: "ANNUAL REPORT".to_owned(),
            file: format!("{}-{year}1231.htm", company.ticker.to_lowercase()),
            title: format!("{name} 10-K {year}"),
            body,
        }];
        if latest {
            let list: String = company.subsidiaries.iter().map(|one| format!("<li>{one}</li>\n")).collect();
            sheets.push(Sheet {
                kind: "EX-21".to_owned(),
                description: "SUBSIDIARIES OF THE REGISTRANT".to_owned(),
                file: format!("{}-ex21_{year}.htm", company.ticker.to_lowercase()),
                title: format!("{name} subsidiaries"),
                body: format!("<h1>Subsidiaries of {name}</h1>\n<ol>\n{list}</ol>\n"),
            });
        }
        self.file("10-K", &format!("{}-02-2{}", year + 1, company.cik % 8), &format!("{year}-12-31"), sheets);
    }

    fn notes(&self, body: &mut String, year: u16) {
        let company = self.company;
        let due = ["2025", "2026", "2027", "2028", "Thereafter"];
        let mut rows: Vec<(String, Vec<String>)> =
            due.iter().zip(company.leases).map(|(due, amount)| ((*due).to_owned(), vec![millions(amount)])).collect();
        rows.push(("Total lease payments".to_owned(), vec![millions(company.leases.iter().sum())]));
        body.push_str(&table("Note 9. Operating lease payments due (in millions)", &["Amount".to_owned()], &rows));
        let rows: Vec<(String, Vec<String>)> = company
            .directors
            .iter()
            .map(|Director { name, fees, stock }| {
                (name.clone(), [*fees, *stock, fees + stock].map(|amount| format!("${}", grouped(amount))).to_vec())
            })
            .collect();
        let total = |of: fn(&Director) -> u64| company.directors.iter().map(of).sum::<u64>();
        let totals = [total(|one| one.fees), total(|one| one.stock), total(|one| one.fees + one.stock)];
        let mut rows = rows;
        rows.push(("Total".to_owned(), totals.map(|amount| format!("${}", grouped(amount))).to_vec()));
        let heads = ["Fees earned in cash", "Stock awards", "Total"].map(str::to_owned);
        body.push_str(&table(&format!("Item 11. Compensation of non-employee directors in {year}"), &heads, &rows));
    }

    fn heads(&self, shown: &[usize]) -> Vec<String> {
        shown.iter().map(|at| YEARS[*at].to_string()).collect()
    }

    fn statement(&self, shown: &[usize]) -> String {
        let years = &self.company.years;
        let line = |name: &str, of: fn(&Year) -> Amount| {
            (name.to_owned(), shown.iter().map(|at| millions(of(&years[*at]))).collect::<Vec<_>>())
        };
        table(
            "Consolidated statements of operations (in millions)",
            &self.heads(shown),
            &[
                line("Revenue", |year| year.revenue),
                line("Cost of revenue", |year| year.cost),
                line("Gross profit", Year::gross),
                line("Research and development", |year| year.research),
                line("Selling, general and administrative", |year| year.selling),
                line("Restructuring charges", |year| year.restructuring),
                line("Operating income", Year::operating),
                line("Interest expense", |year| year.interest),
                line("Income before income taxes", Year::pretax),
                line("Provision for income taxes", |year| year.tax),
                line("Net income", Year::net),
            ],
        )
    }

    fn quarterly(&mut self, at: usize, quarter: u8, year: u16) {
        let company = self.company;
        let now = company.quarters[at];
        let (month, day) = [(3, 31), (6, 30), (9, 30)][usize::from(quarter) - 1];
        let period = format!("{year}-{month:02}-{day}");
        let mut body = self.cover("10-Q", &period);
        let cost = now.revenue - now.revenue * now.margin / 1000;
        body.push_str(&table(
            "Condensed statements of operations (in millions)",
            &[format!("Q{quarter} {year}")],
            &[
                ("Revenue".to_owned(), vec![millions(now.revenue)]),
                ("Cost of revenue".to_owned(), vec![millions(cost)]),
                ("Gross profit".to_owned(), vec![millions(now.revenue - cost)]),
            ],
        ));
        let _ = writeln!(body, "<p>There were no material changes to our risk factors. {}</p>", company.sector.risk);
        let sheet = Sheet {
            kind: "10-Q".to_owned(),
            description: "QUARTERLY REPORT".to_owned(),
            file: format!("{}-{}.htm", company.ticker.to_lowercase(), period.replace('-', "")),
            title: format!("{} 10-Q Q{quarter} {year}", company.name),
            body,
        };
        self.file("10-Q", &format!("{year}-{:02}-0{}", month + 2, 3 + company.cik % 6), &period, vec![sheet]);
    }

    fn results(&mut self, at: usize, quarter: u8, year: u16) {
        let company = self.company;
        let now = company.quarters[at];
        let (next, next_year) = if quarter == 4 { (1, year + 1) } else { (quarter + 1, year) };
        let mut body = format!("<h1>{} Reports Results for Q{quarter} {year}</h1>\n", company.name);
        let _ = writeln!(
            body,
            "<p>{} ({}) today reported revenue of ${} million and a gross margin of {}% for Q{quarter} {year}.</p>",
            company.name,
            company.ticker,
            millions(now.revenue),
            tenths(now.margin)
        );
        let _ = writeln!(
            body,
            "<h2>Guidance for Q{next} {next_year}</h2>\n<p>We expect revenue of ${} million to ${} million and a gross margin of {}% to \
             {}% in Q{next} {next_year}.</p>",
            millions(now.promised.0),
            millions(now.promised.1),
            tenths(now.promised_margin.0),
            tenths(now.promised_margin.1)
        );
        if quarter == 4 {
            let full = &company.years[usize::from(year - YEARS[0])];
            body.push_str(&table(
                "Reconciliation of net income to adjusted EBITDA (in millions)",
                &[format!("FY {year}")],
                &[
                    ("Net income".to_owned(), vec![millions(full.net())]),
                    ("Provision for income taxes".to_owned(), vec![millions(full.tax)]),
                    ("Interest expense".to_owned(), vec![millions(full.interest)]),
                    ("Depreciation and amortization".to_owned(), vec![millions(full.depreciation)]),
                    ("Stock-based compensation expense".to_owned(), vec![millions(full.stock)]),
                    ("Restructuring charges".to_owned(), vec![millions(full.restructuring)]),
                    ("Adjusted EBITDA".to_owned(), vec![millions(full.adjusted())]),
                ],
            ));
        }
        let (filed, period) = match quarter {
            4 => (format!("{}-02-0{}", year + 1, 4 + company.cik % 5), format!("{year}-12-31")),
            _ => {
                let last = if quarter == 1 { 31 } else { 30 };
                (
                    format!("{year}-{:02}-2{}", quarter * 3 + 1, company.cik % 7),
                    format!("{year}-{:02}-{last}", quarter * 3),
                )
            }
        };
        let ticker = company.ticker.to_lowercase();
        let exhibit = format!("{ticker}-ex991_q{quarter}{year}.htm");
        let main = format!(
            "{}<h2>Item 2.02 Results of Operations and Financial Condition</h2>\n<p>On {filed} {} issued a press release with its \
             results for Q{quarter} {year}, furnished as <a href=\"{exhibit}\">Exhibit 99.1</a>.</p>\n",
            self.cover("8-K", &filed),
            company.name
        );
        self.current(&filed, &period, &format!("{ticker}-8k_q{quarter}{year}.htm"), main, Some((exhibit, body)));
    }

    fn current(&mut self, filed: &str, period: &str, file: &str, body: String, exhibit: Option<(String, String)>) {
        let name = &self.company.name;
        let mut sheets = vec![Sheet {
            kind: "8-K".to_owned(),
            description: "CURRENT REPORT".to_owned(),
            file: file.to_owned(),
            title: format!("{name} 8-K"),
            body,
        }];
        sheets.extend(exhibit.map(|(file, body)| Sheet {
            kind: "EX-99.1".to_owned(),
            description: "EXHIBIT 99.1".to_owned(),
            file,
            title: format!("{name} press release"),
            body,
        }));
        self.file("8-K", filed, period, sheets);
    }

    fn deal(&mut self) {
        let company = self.company;
        let deal = &company.deal;
        let ticker = company.ticker.to_lowercase();
        let exhibit = format!("{ticker}-ex991_deal.htm");
        let release = format!(
            "<h1>{name} to Acquire {target}</h1>\n<p>{name} ({symbol}) has agreed to acquire {target} for ${price} per share in cash, \
             which represents an equity value of ${equity} million and an enterprise value of ${enterprise} million, net debt \
             included.</p>\n<p>The transaction is expected to close within nine months.</p>\n",
            name = company.name,
            target = deal.target,
            symbol = company.ticker,
            price = quotient(i128::from(deal.price), 100, 2),
            equity = millions(deal.equity),
            enterprise = millions(deal.enterprise),
        );
        let main = format!(
            "{}<h2>Item 1.01 Entry into a Material Definitive Agreement</h2>\n<p>{} entered into a merger agreement with {}; see \
             <a href=\"{exhibit}\">Exhibit 99.1</a>.</p>\n",
            self.cover("8-K", deal.announced),
            company.name,
            deal.target
        );
        self.current(deal.announced, deal.announced, &format!("{ticker}-8k_deal.htm"), main, Some((exhibit, release)));
    }

    fn officer(&mut self) {
        let company = self.company;
        let filed = format!("2024-1{}-1{}", company.cik % 3, company.cik % 9);
        let main = format!(
            "{}<h2>Item 5.02 Departure and Appointment of Certain Officers</h2>\n<p>{} appointed {} as Chief Financial Officer. {} \
             succeeds {}, who retires.</p>\n",
            self.cover("8-K", &filed),
            company.name,
            company.new_cfo,
            company.new_cfo,
            company.former_cfo
        );
        let file = format!("{}-8k_officer.htm", company.ticker.to_lowercase());
        self.current(&filed, &filed, &file, main, None);
    }
}

/// Effective tax rate in percent at one decimal.
pub fn rate(year: &Year) -> String {
    percent(year.tax, year.pretax())
}

/// Tenths of a percent as text.
pub fn tenths(share: i64) -> String {
    quotient(i128::from(share), 10, 1)
}

/// A table with its caption; every cell on a line of its own, so that its text reads row by row.
fn table(caption: &str, heads: &[String], rows: &[(String, Vec<String>)]) -> String {
    let mut out = format!("<table>\n<caption>{caption}</caption>\n<tr>\n<th> </th>\n");
    heads.iter().for_each(|head| {
        let _ = writeln!(out, "<th>{head}</th>");
    });
    out.push_str("</tr>\n");
    for (name, cells) in rows {
        let _ = writeln!(out, "<tr>\n<td>{name}</td>");
        cells.iter().for_each(|cell| {
            let _ = writeln!(out, "<td align=\"right\">{cell}</td>");
        });
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
    out
}

/// A whole page; it carries a style and a script, as pages do.
pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>td {{ padding: 2px 6px }}</style>\n\
         <script>window.viewed = true;</script></head>\n<body>\n{body}</body></html>\n"
    )
}
