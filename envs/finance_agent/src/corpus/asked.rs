//! Questions about the corpus, of all nine kinds, with answers that are computed from the figures the filings show.

use super::amounts::{decimal, grouped, growth_of_three_years, millions, percent, quotient, rounded};
use super::companies::{Company, YEARS, Year};
use super::filings::{rate, tenths};
use super::{Filed, Gold};
use crate::questions::{Kind, Question};
use crate::rubric::{self, Item, Operator};

/// Questions of each kind.
pub const OF_EACH: usize = 6;

/// A question about the corpus.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The question with answer and rubric.
    pub question: Question,
    /// The documents that hold what it takes.
    pub gold: Vec<Gold>,
}

/// The questions, kind by kind in turn, so that any beginning of the list holds all kinds.
pub fn questions(companies: &[Company], filings: &[Filed]) -> Vec<Asked> {
    let mut all = Vec::with_capacity(OF_EACH * Kind::ALL.len());
    for round in 0..OF_EACH {
        for (at, kind) in Kind::ALL.into_iter().enumerate() {
            let place = (round * 5 + at * 3) % companies.len().max(1);
            if let Some(draft) = draft(kind, round, place, companies) {
                all.push(draft.finish(kind, filings));
            }
        }
    }
    all
}

/// A question in the making: its gold documents are named by company and by the start of the file's name.
struct Draft {
    text: String,
    answer: String,
    facts: Vec<String>,
    gold: Vec<(u64, String)>,
}

impl Draft {
    fn finish(self, kind: Kind, filings: &[Filed]) -> Asked {
        let mut rubric: Vec<Item> =
            self.facts.into_iter().map(|criteria| Item { operator: Operator::Correctness, criteria }).collect();
        rubric.push(Item { operator: Operator::Contradiction, criteria: self.answer.clone() });
        let gold = self.gold.iter().filter_map(|(cik, file)| {
            filings.iter().find(|filed| filed.cik == *cik && filed.file == *file).map(Gold::of)
        });
        let rubric_text = rubric::write(&rubric);
        let gold: Vec<Gold> = gold.collect();
        Asked {
            question: Question {
                text: self.text,
                answer: self.answer,
                kind,
                minutes: Some(10),
                rubric: Ok(rubric),
                rubric_text,
            },
            gold,
        }
    }
}

fn draft(kind: Kind, round: usize, place: usize, companies: &[Company]) -> Option<Draft> {
    let company = companies.get(place)?;
    let variant = round % 3;
    Some(match kind {
        Kind::QualitativeRetrieval => qualitative(company, variant),
        Kind::QuantitativeRetrieval => quantitative(company, variant),
        Kind::NumericalReasoning => numerical(company, variant),
        Kind::BeatOrMiss => beat(company, round),
        Kind::Adjustments => adjustments(company, round),
        Kind::FinancialModeling => modelling(company, round),
        Kind::MarketAnalysis => market(companies, place, round),
        Kind::Trends => trends(company, round),
        Kind::ComplexRetrieval => complex(company, round),
    })
}

fn named(company: &Company) -> String {
    format!("{} ({})", company.name, company.ticker)
}

fn annual(company: &Company) -> (u64, String) {
    (company.cik, format!("{}-20241231.htm", company.ticker.to_lowercase()))
}

fn release(company: &Company, quarter: u8, year: u16) -> (u64, String) {
    (company.cik, format!("{}-ex991_q{quarter}{year}.htm", company.ticker.to_lowercase()))
}

fn last(company: &Company) -> &Year {
    let [.., last] = &company.years;
    last
}

fn qualitative(company: &Company, variant: usize) -> Draft {
    let name = named(company);
    match variant {
        0 => Draft {
            text: format!(
                "Who was appointed Chief Financial Officer of {name} in 2024, and whom did that person succeed?"
            ),
            answer: format!(
                "{} was appointed Chief Financial Officer and succeeds {}.",
                company.new_cfo, company.former_cfo
            ),
            facts: vec![company.new_cfo.clone(), format!("succeeds {}", company.former_cfo)],
            gold: vec![(company.cik, format!("{}-8k_officer.htm", company.ticker.to_lowercase()))],
        },
        1 => {
            let measures = company.sector.measures;
            Draft {
                text: format!(
                    "Which operating measures does the management of {name} follow according to its 10-K for FY 2024?"
                ),
                answer: format!("Management follows {}, {} and {}.", measures[0], measures[1], measures[2]),
                facts: measures.map(str::to_owned).to_vec(),
                gold: vec![annual(company)],
            }
        }
        _ => Draft {
            text: format!(
                "Which vendor clears the payments of the customers of {name}, and when is production at its new plant expected to begin (10-K for FY 2024)?"
            ),
            answer: format!(
                "{} clears the payments. Production in {} is expected to begin in {}.",
                company.vendor, company.plant.0, company.plant.1
            ),
            facts: vec![company.vendor.clone(), format!("Production expected to begin in {}", company.plant.1)],
            gold: vec![annual(company)],
        },
    }
}

fn quantitative(company: &Company, variant: usize) -> Draft {
    let name = named(company);
    match variant {
        0 => {
            let total: u64 = company.directors.iter().map(|director| director.fees + director.stock).sum();
            let fees: u64 = company.directors.iter().map(|director| director.fees).sum();
            Draft {
                text: format!(
                    "What did {name} pay its non-employee directors in 2024 in total, and how much of it in cash fees?"
                ),
                answer: format!(
                    "The total was ${}, of which ${} were fees earned in cash.",
                    grouped(total),
                    grouped(fees)
                ),
                facts: vec![format!("total of ${}", grouped(total)), format!("${} fees in cash", grouped(fees))],
                gold: vec![annual(company)],
            }
        }
        1 => {
            let deal = &company.deal;
            let price = quotient(i128::from(deal.price), 100, 2);
            Draft {
                text: format!(
                    "At what price is {name} acquiring {}? Give price per share, equity value and enterprise value.",
                    deal.target
                ),
                answer: format!(
                    "${price} per share, an equity value of ${} million and an enterprise value of ${} million.",
                    millions(deal.equity),
                    millions(deal.enterprise)
                ),
                facts: vec![
                    format!("${price} per share"),
                    format!("equity value of ${} million", millions(deal.equity)),
                    format!("enterprise value of ${} million", millions(deal.enterprise)),
                ],
                gold: vec![(company.cik, format!("{}-ex991_deal.htm", company.ticker.to_lowercase()))],
            }
        }
        _ => {
            let count = grouped(last(company).customers);
            Draft {
                text: format!("How many customers did {name} serve at the end of fiscal 2024?"),
                answer: format!("{count} customers."),
                facts: vec![format!("{count} customers")],
                gold: vec![annual(company)],
            }
        }
    }
}

fn numerical(company: &Company, variant: usize) -> Draft {
    let name = named(company);
    let [first, .., before, now] = &company.years;
    match variant {
        0 => {
            let growth = growth_of_three_years(first.revenue, now.revenue);
            Draft {
                text: format!("What was the three-year CAGR of the revenue of {name} from FY 2021 to FY 2024?"),
                answer: format!(
                    "2024 revenue: ${} million\n2021 revenue: ${} million\nCAGR: {growth}%",
                    millions(now.revenue),
                    millions(first.revenue)
                ),
                facts: vec![
                    format!("2024 revenue: ${} million", millions(now.revenue)),
                    format!("2021 revenue: ${} million", millions(first.revenue)),
                    format!("CAGR: {growth}%"),
                ],
                gold: vec![annual(company)],
            }
        }
        1 => {
            // Twice the average, so that nothing is rounded on the way.
            let turnover = quotient(i128::from(now.cost) * 2, i128::from(now.inventory + before.inventory), 2);
            let average = quotient(i128::from(now.inventory + before.inventory), 20, 2);
            Draft {
                text: format!(
                    "What was the inventory turnover of {name} in FY 2024 (cost of revenue over average inventory)?"
                ),
                answer: format!(
                    "Cost of revenue: ${} million\nAverage inventory: ${average} million\nInventory turnover: {turnover}x",
                    millions(now.cost)
                ),
                facts: vec![
                    format!("Cost of revenue: ${} million", millions(now.cost)),
                    format!("Average inventory: ${average} million"),
                    format!("Inventory turnover: {turnover}x"),
                ],
                gold: vec![annual(company)],
            }
        }
        _ => {
            let (home, abroad) = company.employees;
            let share = percent(abroad as i64, (home + abroad) as i64);
            Draft {
                text: format!(
                    "What share of the full-time employees of {name} worked outside of the United States as of December 31, 2024?"
                ),
                answer: format!("{share}% ({} of {})", grouped(abroad), grouped(home + abroad)),
                facts: vec![format!("{share}%")],
                gold: vec![annual(company)],
            }
        }
    }
}

fn beat(company: &Company, round: usize) -> Draft {
    let name = named(company);
    // Guidance with one release, results with the next.
    let at = 1 + round % 3;
    let (quarter, next) = (at as u8, at as u8 + 1);
    let (promised, came) = (&company.quarters[at], &company.quarters[at + 1]);
    let gold = vec![release(company, quarter, 2024), release(company, next, 2024)];
    if round.is_multiple_of(2) {
        let twice = promised.promised.0 + promised.promised.1;
        let share = rounded(i128::from(2 * came.revenue - twice) * 1000, i128::from(twice));
        let word = if share > 0 { "BEAT" } else { "MISS" };
        let share = decimal(share.abs(), 1);
        Draft {
            text: format!(
                "Did {name} beat or miss the midpoint of its Q{next} 2024 revenue guidance, given with its Q{quarter} 2024 results? \
                 Express it as % BEAT or MISS."
            ),
            answer: format!(
                "{share}% {word}: revenue of ${} million against a midpoint of ${} million",
                millions(came.revenue),
                quotient(i128::from(twice), 20, 1)
            ),
            facts: vec![format!("{share}% {word}")],
            gold,
        }
    } else {
        let middle = (promised.promised_margin.0 + promised.promised_margin.1) / 2;
        let points = (came.margin - middle) * 10;
        let word = if points > 0 { "beat" } else { "miss" };
        Draft {
            text: format!(
                "By how many basis points did the Q{next} 2024 gross margin of {name} beat or miss the midpoint of the guidance given \
                 with its Q{quarter} 2024 results?"
            ),
            answer: format!(
                "{}bps {word}: {}% against a midpoint of {}%",
                points.abs(),
                tenths(came.margin),
                tenths(middle)
            ),
            facts: vec![format!("{}bps {word}", points.abs())],
            gold,
        }
    }
}

fn adjustments(company: &Company, round: usize) -> Draft {
    let (name, year) = (named(company), last(company));
    let gold = vec![release(company, 4, 2024)];
    if round.is_multiple_of(2) {
        let stock = millions(year.stock);
        return Draft {
            text: format!(
                "By how much did {name} adjust its FY 2024 net income for stock-based compensation expense to derive adjusted EBITDA, and what was adjusted EBITDA?"
            ),
            answer: format!(
                "Stock-based compensation expense: ${stock} million. Adjusted EBITDA: ${} million.",
                millions(year.adjusted())
            ),
            facts: vec![
                format!("Stock-based compensation expense: ${stock} million"),
                format!("Adjusted EBITDA: ${} million", millions(year.adjusted())),
            ],
            gold,
        };
    }
    let lines = [
        "Provision for income taxes",
        "Interest expense",
        "Depreciation and amortization",
        "Stock-based compensation expense",
        "Restructuring charges",
    ];
    Draft {
        text: format!("Which adjustments does {name} make to its FY 2024 net income to derive adjusted EBITDA?"),
        answer: lines.join(";\n"),
        facts: lines.map(str::to_owned).to_vec(),
        gold,
    }
}

fn modelling(company: &Company, round: usize) -> Draft {
    let name = named(company);
    let years = &company.years;
    let now = last(company);
    let gold = vec![annual(company)];
    if round.is_multiple_of(2) {
        // Growth of each year in tenths of a percent, as an analyst would write it down, then their mean.
        let growths: Vec<i128> = years
            .windows(2)
            .map(|pair| rounded(i128::from(pair[1].revenue - pair[0].revenue) * 1000, i128::from(pair[0].revenue)))
            .collect();
        let mean = rounded(growths.iter().sum(), growths.len() as i128);
        let next = rounded(i128::from(now.revenue) * (1000 + mean), 1000) as i64;
        let listed: Vec<String> = growths
            .iter()
            .zip(&YEARS[1..])
            .map(|(growth, year)| format!("Growth in {year}: {}%", decimal(*growth, 1)))
            .collect();
        let mut facts = listed.clone();
        facts.push(format!("Average growth: {}%", decimal(mean, 1)));
        facts.push(format!("FY 2025 revenue: ${} million", millions(next)));
        return Draft {
            text: format!(
                "Assume that the revenue of {name} grows in FY 2025 at the average of its growth rates of FY 2022, FY 2023 and FY 2024, \
                 each rounded to a tenth of a percent and their mean likewise. What would its FY 2025 revenue be?"
            ),
            answer: facts.join("\n"),
            facts,
            gold,
        };
    }
    let (share, growth) = (rounded(i128::from(now.gross()) * 1000, i128::from(now.revenue)), 8);
    let revenue = rounded(i128::from(now.revenue) * (100 + growth), 100);
    let gross = rounded(revenue * share, 1000) as i64;
    let facts = vec![
        format!("Gross margin: {}%", decimal(share, 1)),
        format!("Projected revenue: ${} million", millions(revenue as i64)),
        format!("Projected gross profit: ${} million", millions(gross)),
    ];
    Draft {
        text: format!(
            "If the revenue of {name} grows by {growth}% in the coming year and its FY 2024 gross margin, rounded to a tenth of a percent, \
             stays, what gross profit is projected?"
        ),
        answer: facts.join("\n"),
        facts,
        gold,
    }
}

/// A part and its whole.
type Share = fn(&Year) -> (i64, i64);

fn market(companies: &[Company], place: usize, round: usize) -> Draft {
    let peers: Vec<&Company> = (0..3).map(|step| &companies[(place + step) % companies.len()]).collect();
    let names: Vec<String> = peers.iter().map(|company| named(company)).collect();
    let (what, of): (&str, Share) = if round.is_multiple_of(2) {
        ("dividend payout ratio (dividends over net income)", |year| (year.dividends, year.net()))
    } else {
        ("operating margin", |year| (year.operating(), year.revenue))
    };
    let mut ranked: Vec<(&Company, i64, i64)> = peers
        .iter()
        .map(|company| {
            let (part, whole) = of(last(company));
            (*company, part, whole)
        })
        .collect();
    ranked
        .sort_by_key(|(_, part, whole)| std::cmp::Reverse(rounded(i128::from(*part) * 1_000_000, i128::from(*whole))));
    let facts: Vec<String> = ranked
        .iter()
        .map(|(company, part, whole)| format!("{}: {}%", company.ticker, percent(*part, *whole)))
        .collect();
    Draft {
        text: format!(
            "Compare the FY 2024 {what} of {}, and rank them from highest to lowest, in percent.",
            names.join(", ")
        ),
        answer: facts.join("\n"),
        facts,
        gold: peers.iter().map(|company| annual(company)).collect(),
    }
}

fn trends(company: &Company, round: usize) -> Draft {
    let name = named(company);
    let (what, label, of): (&str, &str, fn(&Year) -> String) = if round.is_multiple_of(2) {
        ("effective tax rate", "effective tax rate", rate)
    } else {
        ("take rate (revenue over gross bookings)", "take rate", |year| percent(year.revenue, year.bookings))
    };
    let facts: Vec<String> = (1..YEARS.len()).map(|at| format!("{}: {}%", YEARS[at], of(&company.years[at]))).collect();
    Draft {
        text: format!(
            "How did the {what} of {name} develop from FY 2022 to FY 2024? Give it for each year in percent."
        ),
        answer: format!("The {label} was\n{}", facts.join("\n")),
        facts,
        gold: vec![annual(company)],
    }
}

fn complex(company: &Company, round: usize) -> Draft {
    let name = named(company);
    if round.is_multiple_of(2) {
        let total: i64 = company.leases.iter().sum();
        let [first, second, ..] = company.leases;
        let share = percent(first + second, total);
        return Draft {
            text: format!(
                "How much of the operating lease payments of {name} as of the end of FY 2024 is due in 2025 and 2026 together, in dollars and as a share of all?"
            ),
            answer: format!("${} million, which is {share}% of ${} million", millions(first + second), millions(total)),
            facts: vec![format!("${} million", millions(first + second)), format!("{share}% of lease payments")],
            gold: vec![annual(company)],
        };
    }
    let (segment, revenue) = company.segments[0];
    let share = percent(revenue, last(company).revenue);
    let count = company.subsidiaries.len();
    Draft {
        text: format!(
            "What share of FY 2024 revenue did the largest segment of {name} bring, and how many subsidiaries does Exhibit 21 of that 10-K list?"
        ),
        answer: format!("{segment}: {share}% of revenue. Exhibit 21 lists {count} subsidiaries."),
        facts: vec![format!("{segment}: {share}%"), format!("{count} subsidiaries")],
        gold: vec![annual(company), (company.cik, format!("{}-ex21_2024.htm", company.ticker.to_lowercase()))],
    }
}
