//! One page with every named figure and every table of a run, beside their files.

use gimbal_analysis::Table;

use crate::escape::html;
use crate::kit::picture::Output;
use crate::meta::Meta;
use crate::page::{STYLE, table};

/// A self-contained page: no script, nothing from outside; figures and tables are written into it, and link to their
/// files `figures/FILE.svg`, `tables/KEY.csv` and `tables/KEY.md`.
#[must_use]
pub fn index(meta: &Meta, figures: &[Output], tables: &[Table]) -> String {
    let study = html(&meta.study);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{study}: all figures and tables</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <header>\n<p class=\"eyebrow\">Gimbal · all figures and tables</p>\n<h1>{study}</h1>\n"
    );
    if let Some(question) = &meta.question {
        out.push_str(&format!("<p class=\"question\">{}</p>\n", html(question)));
    }
    let missing: Vec<&Output> = figures.iter().filter(|output| output.missing.is_some()).collect();
    let drawn = figures.len() - missing.len();
    out.push_str(&format!(
        "<aside class=\"verdict\"><p class=\"eyebrow\">What is here</p><p>{drawn} of {} figures have something to draw, and {} tables. A figure or cell that is missing was not played; nothing is filled in.</p></aside>\n</header>\n",
        figures.len(),
        tables.len()
    ));
    contents(&mut out, figures, tables);
    for output in figures.iter().filter(|output| output.missing.is_none()) {
        figure(&mut out, output);
    }
    for entry in tables {
        let key = html(entry.key);
        out.push_str(&format!(
            "<section id=\"table-{key}\">\n{}<ul class=\"notes\"><li><a href=\"tables/{key}.csv\">tables/{key}.csv</a>, <a href=\"tables/{key}.md\">tables/{key}.md</a></li></ul>\n</section>\n",
            table(entry)
        ));
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn contents(out: &mut String, figures: &[Output], tables: &[Table]) {
    out.push_str("<section id=\"contents\">\n<h2>Contents</h2>\n<ul class=\"notes\" style=\"columns: 22rem\">\n");
    for output in figures {
        if let Some(why) = &output.missing {
            let (key, title) = (output.key.to_uppercase(), html(&output.figure.title));
            out.push_str(&format!("<li>{key} {title}: nothing to draw ({})</li>\n", html(why)));
            continue;
        }
        out.push_str(&format!(
            "<li><a href=\"#{file}\">{} {}</a></li>\n",
            output.key.to_uppercase(),
            html(&output.figure.title),
            file = html(&output.file)
        ));
    }
    for entry in tables {
        let key = html(entry.key);
        out.push_str(&format!("<li><a href=\"#table-{key}\">{key}: {}</a></li>\n", html(&entry.title)));
    }
    out.push_str("</ul>\n</section>\n");
}

fn figure(out: &mut String, output: &Output) {
    let (file, title) = (html(&output.file), html(&output.figure.title));
    out.push_str(&format!(
        "<section id=\"{file}\">\n<h2>{} {title}</h2>\n<figure>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\n{}</div>\n<figcaption>{} <a href=\"figures/{file}.svg\">figures/{file}.svg</a></figcaption>\n</figure>\n</section>\n",
        output.key.to_uppercase(),
        output.figure.svg,
        html(&output.figure.caption)
    ));
}
