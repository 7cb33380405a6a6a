//! The player that reads stored texts: it answers a question from the texts after it, and from nothing else.
//!
//! Which figures a measure is made of (a margin, a growth rate, a payout ratio) is what any analyst knows.

use super::figures::{Text, figures_in, hundredths, percent, rounded, tenths};
use super::question::{companies, growth_in, quarter};

const STATEMENT: &str = "statements of operations";
const BALANCE: &str = "Balance sheets";

/// The answer to a question from texts; the lines that share most words with it where no rule fits.
pub(super) fn answer(question: &str, texts: &str) -> String {
    let text = Text::of(texts);
    by_rule(question, &text).unwrap_or_else(|| extract(question, &text))
}

fn by_rule(question: &str, text: &Text<'_>) -> Option<String> {
    let asks = |words: &[&str]| words.iter().all(|word| question.contains(word));
    let year = |name: &str, year: i64| text.of_year(STATEMENT, name, year);
    if asks(&["non-employee directors"]) {
        let [fees, _, total] = text.row("Compensation of non-employee directors", "Total").try_into().ok()?;
        let money = |value: i64| tenths(value.into()).trim_end_matches(".0").to_owned();
        return Some(format!("The total was ${}, of which ${} were fees earned in cash.", money(total), money(fees)));
    }
    if asks(&["CAGR"]) {
        let (first, last) = (year("Revenue", 2021)?, year("Revenue", 2024)?);
        return Some(format!(
            "2024 revenue: ${} million\n2021 revenue: ${} million\nCAGR: {}%",
            tenths(last.into()),
            tenths(first.into()),
            cube_growth(first, last)
        ));
    }
    if asks(&["inventory turnover"]) {
        let cost = year("Cost of revenue", 2024)?;
        let held = |year| text.of_year(BALANCE, "Inventory at end of year", year);
        let twice = held(2024)? + held(2023)?;
        return Some(format!(
            "Cost of revenue: ${} million\nAverage inventory: ${} million\nInventory turnover: {}x",
            tenths(cost.into()),
            hundredths(rounded(i128::from(twice) * 100, 20)),
            hundredths(rounded(i128::from(cost) * 200, twice.into()))
        ));
    }
    if asks(&["full-time employees"]) {
        let figures: Vec<i64> =
            figures_in(text.line(&["employed", "full time"])?).into_iter().filter(|value| *value > 0).collect();
        // The day and the year are before the counts.
        let [all, _, abroad] = figures[figures.len().checked_sub(3)?..] else { return None };
        let count = |value: i64| tenths(value.into()).trim_end_matches(".0").to_owned();
        return Some(format!("{}% ({} of {})", percent(abroad, all), count(abroad), count(all)));
    }
    if asks(&["midpoint"]) {
        return beat(question, text);
    }
    if asks(&["adjusted EBITDA"]) {
        return adjusted(question, text);
    }
    if asks(&["average of its growth rates"]) {
        return average_growth(text);
    }
    if asks(&["gross margin", "gross profit is projected"]) {
        let growth = growth_in(question)?;
        let (revenue, gross) = (i128::from(year("Revenue", 2024)?), i128::from(year("Gross profit", 2024)?));
        let share = rounded(gross * 1000, revenue);
        let next = rounded(revenue * i128::from(100 + growth), 100);
        return Some(format!(
            "Gross margin: {}%\nProjected revenue: ${} million\nProjected gross profit: ${} million",
            tenths(share),
            tenths(next),
            tenths(rounded(next * share, 1000))
        ));
    }
    if asks(&["payout ratio"]) || asks(&["operating margin"]) {
        return ranked(question, text);
    }
    if asks(&["effective tax rate"]) {
        let rates = text.by_year("Effective tax rate", "Effective tax rate");
        return yearly("The effective tax rate was", rates.into_iter().map(|(year, rate)| (year, tenths(rate.into()))));
    }
    if asks(&["take rate"]) {
        let bookings = text.by_year("Gross bookings", "Gross bookings");
        let shares = bookings.into_iter().filter_map(|(at, all)| Some((at, percent(year("Revenue", at)?, all))));
        return yearly("The take rate was", shares);
    }
    if asks(&["lease payments"]) {
        let due = |name: &str| text.row("lease payments due", name).first().copied();
        let (part, all) = (due("2025")? + due("2026")?, due("Total lease payments")?);
        let (shown, whole) = (tenths(part.into()), tenths(all.into()));
        return Some(format!(
            "${shown} million, which is {}% of lease payments of ${whole} million",
            percent(part, all)
        ));
    }
    if asks(&["largest segment", "subsidiaries"]) {
        let lines = text.lines();
        let start = lines.iter().position(|line| line.contains("Revenue by segment"))?;
        let rows =
            lines[start + 2..].chunks(2).map_while(|pair| Some((pair[0], super::figures::figure(pair.get(1)?)?)));
        let (segment, revenue) = rows.max_by_key(|(_, revenue)| *revenue)?;
        let list = lines.iter().position(|line| line.starts_with("Subsidiaries of "))?;
        let count = lines[list + 1..].iter().take_while(|line| !line.contains("Annual report")).count();
        let share = percent(revenue, year("Revenue", 2024)?);
        return Some(format!("{segment}: {share}% of revenue. Exhibit 21 lists {count} subsidiaries."));
    }
    None
}

/// Yearly growth over three years in percent with one decimal.
fn cube_growth(first: i64, last: i64) -> String {
    let ratio = last as f64 / first.max(1) as f64;
    format!("{:.1}", (ratio.cbrt() - 1.0) * 100.0)
}

fn yearly(head: &str, values: impl Iterator<Item = (i64, String)>) -> Option<String> {
    let mut lines: Vec<String> =
        values.filter(|(year, _)| *year >= 2022).map(|(year, value)| format!("{year}: {value}%")).collect();
    lines.sort();
    (!lines.is_empty()).then(|| format!("{head}\n{}", lines.join("\n")))
}

fn beat(question: &str, text: &Text<'_>) -> Option<String> {
    let next = quarter(question)?;
    let period = format!("Q{next} 2024");
    let promised = text.line(&["We expect revenue", &format!("in {period}")])?;
    let came = text.line(&["today reported revenue", &format!("for {period}")])?;
    let [low, high, low_margin, high_margin, ..] = figures_in(promised)[..] else { return None };
    let came = figures_in(came.split_once("reported revenue")?.1);
    let [revenue, margin, ..] = came[..] else { return None };
    if question.contains("basis points") {
        let middle = i128::from(low_margin + high_margin);
        let points = (i128::from(margin) * 2 - middle) * 5;
        let word = if points > 0 { "beat" } else { "miss" };
        return Some(format!(
            "{}bps {word}: {}% against a midpoint of {}%",
            points.abs(),
            tenths(margin.into()),
            tenths(rounded(middle, 2))
        ));
    }
    let twice = i128::from(low + high);
    let share = rounded((i128::from(revenue) * 2 - twice) * 1000, twice);
    let word = if share > 0 { "BEAT" } else { "MISS" };
    Some(format!(
        "{}% {word}: revenue of ${} million against a midpoint of ${} million",
        tenths(share.abs()),
        tenths(revenue.into()),
        tenths(rounded(twice, 2))
    ))
}

fn adjusted(question: &str, text: &Text<'_>) -> Option<String> {
    const TABLE: &str = "Reconciliation of net income";
    let row = |name: &str| text.row(TABLE, name).first().map(|value| tenths((*value).into()));
    if question.contains("stock-based compensation") {
        let (stock, all) = (row("Stock-based compensation expense")?, row("Adjusted EBITDA")?);
        return Some(format!("Stock-based compensation expense: ${stock} million. Adjusted EBITDA: ${all} million."));
    }
    let lines = text.lines();
    let start = lines.iter().position(|line| line.contains(TABLE))?;
    let from = lines[start..].iter().position(|line| *line == "Net income")? + start + 2;
    let names: Vec<&str> =
        lines[from..].iter().step_by(2).take_while(|line| **line != "Adjusted EBITDA").copied().collect();
    Some(names.join(";\n"))
}

fn average_growth(text: &Text<'_>) -> Option<String> {
    let mut years = text.by_year(STATEMENT, "Revenue");
    years.sort_unstable();
    let growths: Vec<(i64, i128)> = years
        .windows(2)
        .map(|pair| {
            let [(_, before), (year, now)] = pair else { return (0, 0) };
            (*year, rounded(i128::from(now - before) * 1000, (*before).into()))
        })
        .collect();
    let mean = rounded(growths.iter().map(|(_, growth)| growth).sum(), growths.len() as i128);
    let last = i128::from(years.last()?.1);
    let mut lines: Vec<String> =
        growths.iter().map(|(year, growth)| format!("Growth in {year}: {}%", tenths(*growth))).collect();
    lines.push(format!("Average growth: {}%", tenths(mean)));
    lines.push(format!("FY 2025 revenue: ${} million", tenths(rounded(last * (1000 + mean), 1000))));
    Some(lines.join("\n"))
}

/// Companies by a ratio, from the highest to the lowest.
fn ranked(question: &str, text: &Text<'_>) -> Option<String> {
    let mut rows = Vec::new();
    for company in companies(question) {
        let own = text.part(&format!("trading symbol {}", company.ticker), "trading symbol ");
        let of = |name: &str| own.of_year(STATEMENT, name, 2024);
        let (part, whole) = if question.contains("payout") {
            (own.of_year(BALANCE, "Dividends paid", 2024)?.abs(), of("Net income")?)
        } else {
            (of("Operating income")?, of("Revenue")?)
        };
        rows.push((rounded(i128::from(part) * 1_000_000, whole.into()), company.ticker, percent(part, whole)));
    }
    rows.sort_by_key(|(ratio, ..)| std::cmp::Reverse(*ratio));
    let lines: Vec<String> = rows.iter().map(|(_, ticker, share)| format!("{ticker}: {share}%")).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Lines of the answer where no rule fits.
const LINES: usize = 2;

fn extract(question: &str, text: &Text<'_>) -> String {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() > 3);
        // Words are compared by their beginnings: `appointed` and `appointment` mean the same here.
        words.map(|word| word.to_lowercase().chars().take(6).collect()).collect()
    };
    let wanted: std::collections::BTreeSet<String> = words(question).into_iter().collect();
    let of_lines: Vec<Vec<String>> = text.lines().iter().map(|line| words(line)).collect();
    let weight = |word: &String| 1000 / of_lines.iter().filter(|line| line.contains(word)).count().max(1);
    let weights: Vec<(&String, usize)> = wanted.iter().map(|word| (word, weight(word))).collect();
    let score = |line: &Vec<String>| -> usize {
        weights.iter().filter(|(word, _)| line.contains(word)).map(|(_, weight)| weight).sum()
    };
    let mut scored: Vec<(usize, usize)> = of_lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.len() > 4)
        .map(|(at, line)| (score(line), at))
        .filter(|(score, _)| *score > 0)
        .collect();
    scored.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
    let mut best: Vec<usize> = scored.into_iter().take(LINES).map(|(_, at)| at).collect();
    best.sort_unstable();
    let lines: Vec<&str> = best.into_iter().map(|at| text.lines()[at]).collect();
    if lines.is_empty() { "The texts do not say.".to_owned() } else { lines.join("\n") }
}
