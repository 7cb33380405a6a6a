//! The page: HTML, inline style, inline SVG, nothing else.

use gimbal_analysis::{Cell, ColumnKind, Table};

use crate::escape::{html, minus};
use crate::report::Report;

pub(crate) const STYLE: &str = include_str!("page.css");

impl Report {
    /// One self-contained HTML page: no script, no address outside itself.
    #[must_use]
    pub fn html(&self) -> String {
        render(self)
    }
}

fn render(report: &Report) -> String {
    let study = html(&report.meta.study);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{study}: report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    );
    header(&mut out, report);
    if let Some((main, rest)) = report.tables.split_first() {
        section(&mut out, "results", &table(main));
        figures(&mut out, report);
        for next in rest {
            section(&mut out, next.key, &table(next));
        }
    }
    prices(&mut out, report);
    reproduce(&mut out, report);
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn header(out: &mut String, report: &Report) {
    let meta = &report.meta;
    out.push_str(&format!(
        "<header>\n<p class=\"eyebrow\">Gimbal · study report</p>\n<h1>{}</h1>\n",
        html(&meta.study)
    ));
    if let Some(question) = &meta.question {
        out.push_str(&format!("<p class=\"question\">{}</p>\n", html(question)));
    }
    out.push_str(&format!(
        "<aside class=\"verdict\"><p class=\"eyebrow\">What this run can and cannot tell</p><p>{}</p></aside>\n",
        html(&report.sentence)
    ));
    let facts = report.facts();
    out.push_str("<dl class=\"facts\">\n");
    for (name, value) in &facts {
        let long = if value.chars().count() > 28 { " class=\"long\"" } else { "" };
        out.push_str(&format!("<div{long}><dt>{}</dt><dd>{}</dd></div>\n", html(name), html(value)));
    }
    out.push_str("</dl>\n</header>\n");
}

fn section(out: &mut String, id: &str, body: &str) {
    out.push_str(&format!("<section id=\"{}\">\n{body}</section>\n", html(id)));
}

/// From so many rows on a table scrolls in its own frame, under a head that stays.
const TALL: usize = 30;
/// Characters that fit side by side on a page 1200 pixels wide, and in print.
const ROOM: usize = 136;
/// Longer words than this wrap.
const LONGEST: usize = 26;

/// A table in as many blocks as its columns need, so that nothing is cut on a usual screen or on paper.
pub(crate) fn table(table: &Table) -> String {
    let table = &table.readable();
    let mut out = format!("<h2>{}</h2>\n", html(&table.title));
    let blocks = table.blocks(ROOM, LONGEST);
    for columns in &blocks {
        let mut groups: Vec<&str> = Vec::new();
        for column in columns.iter().map(|&column| &table.columns[column]) {
            if column.kind != ColumnKind::Label && !groups.contains(&column.group.as_ref()) {
                groups.push(column.group.as_ref());
            }
        }
        let name = if blocks.len() > 1 { groups.join(", ") } else { String::new() };
        block(&mut out, table, columns, &name);
    }
    if !table.notes.is_empty() {
        out.push_str("<ul class=\"notes\">\n");
        for note in &table.notes {
            out.push_str(&format!("<li>{}</li>\n", html(note)));
        }
        out.push_str("</ul>\n");
    }
    out
}

/// Some columns of a table, under the name of what they tell where there are several blocks.
fn block(out: &mut String, table: &Table, columns: &[usize], name: &str) {
    let tall = if table.rows.len() >= TALL { " tall" } else { "" };
    let title = html(&table.title);
    let label = if name.is_empty() {
        title
    } else {
        out.push_str(&format!("<h3>{}</h3>\n", html(name)));
        format!("{title}: {}", html(name))
    };
    out.push_str(&format!(
        "<div class=\"scroll{tall}\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">\n<table>\n<thead><tr>"
    ));
    let model = table.columns.iter().position(|column| column.key == "model");
    // A rule where another model begins.
    let part = |row: usize| row > 0 && model.is_some_and(|model| table.cell(row, model) != table.cell(row - 1, model));
    for (place, &index) in columns.iter().enumerate() {
        let column = &table.columns[index];
        let unit = column.unit.map(|unit| format!(" <small>{}</small>", html(unit))).unwrap_or_default();
        out.push_str(&format!(
            "<th scope=\"col\"{} title=\"{}\">{}{unit}</th>",
            class(table, columns, place, ""),
            html(&column.help),
            html(&column.title)
        ));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in 0..table.rows.len() {
        out.push_str(if part(row) { "<tr class=\"part\">" } else { "<tr>" });
        for (place, &index) in columns.iter().enumerate() {
            let shown = cell(table, row, index);
            let class = class(table, columns, place, &table.shown(row, index));
            if place == 0 {
                out.push_str(&format!("<th scope=\"row\"{class}>{shown}</th>"));
            } else if table.columns[index].key == "mark" && *table.cell(row, index) != Cell::Empty {
                out.push_str(&format!("<td{class}><span class=\"mark\">{shown}</span></td>"));
            } else {
                out.push_str(&format!("<td{class}>{shown}</td>"));
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}

/// Classes of a cell: numbers, words that may wrap (anywhere where one word is too long), first of a group.
fn class(table: &Table, columns: &[usize], place: usize, shown: &str) -> String {
    let column = &table.columns[columns[place]];
    let mut classes = Vec::new();
    if column.is_numeric() {
        classes.push("num");
    } else if shown.split_whitespace().any(|word| word.chars().count() > LONGEST) {
        classes.push("long");
    } else if shown.chars().count() > LONGEST {
        classes.push("words");
    }
    if place > 0 && table.columns[columns[place - 1]].group != column.group {
        classes.push("start");
    }
    if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) }
}

fn cell(table: &Table, row: usize, column: usize) -> String {
    let shown = table.shown(row, column);
    match (table.cell(row, column), table.columns[column].kind) {
        (Cell::Empty, ColumnKind::Label) => String::new(),
        (Cell::Empty, _) => "<span class=\"none\">–</span>".to_owned(),
        (Cell::Interval(..), _) => {
            let parts: Vec<String> = shown.trim_matches(['[', ']']).split(", ").map(minus).collect();
            format!("[{}]", parts.join(", "))
        }
        (Cell::Flag(true), _) => "<span class=\"yes\">yes</span>".to_owned(),
        (_, ColumnKind::Label | ColumnKind::Text) => html(&shown),
        _ => minus(&html(&shown)),
    }
}

fn figures(out: &mut String, report: &Report) {
    for (index, figure) in report.figures.iter().enumerate() {
        section(
            out,
            figure.name,
            &format!(
                "<figure>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\n{}</div>\n<figcaption><b>Figure {}. {title}.</b> {}</figcaption>\n</figure>\n",
                figure.svg,
                index + 1,
                html(&figure.caption),
                title = html(&figure.title),
            ),
        );
    }
}

fn prices(out: &mut String, report: &Report) {
    let Some(prices) = &report.meta.prices else { return };
    let price = |value: Option<f64>| {
        value.map_or("<span class=\"none\">–</span>".to_owned(), |value| html(&value.to_string()))
    };
    let rows: Vec<String> = prices
        .models
        .iter()
        .map(|entry| {
            format!(
                "<tr><th scope=\"row\">{}</th><td class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td></tr>\n",
                html(&entry.model), price(entry.input), price(entry.cached_input), price(entry.output)
            )
        })
        .collect();
    section(
        out,
        "prices",
        &format!(
            "<h2>Prices in force</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Prices in force\"><table><thead><tr><th scope=\"col\">Model</th><th scope=\"col\" class=\"num\">Prompt</th><th scope=\"col\" class=\"num\">Cached prompt</th><th scope=\"col\" class=\"num\">Completion</th></tr></thead>\n<tbody>\n{}</tbody></table></div>\n<ul class=\"notes\"><li>Dollars per million tokens, of {}, from {}; applied when reading, so another table changes no record.</li></ul>\n",
            rows.concat(),
            html(&prices.date),
            html(&prices.source),
        ),
    );
}

fn reproduce(out: &mut String, report: &Report) {
    if report.meta.commands.is_empty() {
        return;
    }
    let commands: Vec<String> = report.meta.commands.iter().map(|command| html(command)).collect();
    section(
        out,
        "reproduce",
        &format!(
            "<h2>How to get this page again</h2>\n<pre>{}</pre>\n<ul class=\"notes\"><li>The page is made from the run folder alone; the same rows give the same bytes.</li></ul>\n",
            commands.join("\n")
        ),
    );
}
