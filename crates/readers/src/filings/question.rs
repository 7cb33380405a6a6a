//! What a question about filings is about: companies, and the documents that should answer it.

/// A company as a question names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Company {
    pub name: String,
    pub ticker: String,
}

/// The companies of a question: `Name (TICK)`.
pub(super) fn companies(question: &str) -> Vec<Company> {
    let mut found: Vec<Company> = Vec::new();
    for (at, _) in question.match_indices('(') {
        let Some(ticker) = question[at + 1..].split(')').next() else { continue };
        let is_ticker = (1..=6).contains(&ticker.len()) && ticker.chars().all(|letter| letter.is_ascii_uppercase());
        if !is_ticker {
            continue;
        }
        let is_part = |word: &&str| {
            let bare = word.trim_matches(',');
            bare == "&" || bare.chars().next().is_some_and(char::is_uppercase) && !bare.ends_with("'s")
        };
        let words: Vec<&str> = question[..at].split_whitespace().collect();
        let mut name: Vec<&str> = Vec::new();
        for word in words.iter().rev() {
            if !is_part(word) || word.ends_with(',') {
                break;
            }
            name.insert(0, word);
        }
        // The first word of a sentence begins with a capital letter too.
        while name.len() > 1
            && ["Did", "Does", "Compare", "What", "Which", "Officer", "Chief", "Financial"].contains(&name[0])
        {
            name.remove(0);
        }
        let company = Company { name: name.join(" "), ticker: ticker.to_owned() };
        if !company.name.is_empty() && !found.contains(&company) {
            found.push(company);
        }
    }
    found
}

/// The later of the quarters that a question names.
pub(super) fn quarter(question: &str) -> Option<u32> {
    let quarters = question.match_indices('Q').filter_map(|(at, _)| question[at + 1..].chars().next()?.to_digit(10));
    quarters.max()
}

/// The assumed growth in percent.
pub(super) fn growth_in(question: &str) -> Option<i64> {
    question.split_once("grows by ")?.1.split('%').next()?.parse().ok()
}

/// A document that is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Need {
    pub company: Company,
    /// Form under which it is filed.
    pub form: &'static str,
    /// What its row says beside: the type of the document.
    pub kind: &'static str,
    /// First and last day of its filing.
    pub days: (String, String),
    /// Words of its text.
    pub words: &'static str,
    /// What its address should hold; empty where nothing is expected.
    pub mark: String,
}

/// The documents that should answer a question.
pub(super) fn needs(question: &str) -> Vec<Need> {
    let asks = |word: &str| question.contains(word);
    let year = ("2025-01-01", "2025-04-07");
    let one = |company: &Company, (form, kind), (first, last): (&str, &str), words, mark: &str| Need {
        company: company.clone(),
        form,
        kind,
        days: (first.to_owned(), last.to_owned()),
        words,
        mark: mark.to_owned(),
    };
    let mut all = Vec::new();
    for company in companies(question) {
        let mut add = |what, days, words, mark: &str| all.push(one(&company, what, days, words, mark));
        if asks("Chief Financial Officer") {
            add(("8-K", "8-K"), ("2024-01-01", "2024-12-31"), "appointed", "officer");
        } else if asks("acquiring") {
            add(("8-K", "EX-99.1"), ("2023-01-01", "2025-04-07"), "acquire", "deal");
        } else if asks("midpoint") {
            let last = quarter(question).unwrap_or(4);
            for quarter in [last.saturating_sub(1), last] {
                let days = match quarter {
                    1 => ("2024-04-01", "2024-06-30"),
                    2 => ("2024-07-01", "2024-09-30"),
                    3 => ("2024-10-01", "2024-12-31"),
                    _ => year,
                };
                add(("8-K", "EX-99.1"), days, "guidance", &format!("q{quarter}"));
            }
        } else if asks("adjusted EBITDA") {
            add(("8-K", "EX-99.1"), year, "guidance", "q4");
        } else {
            add(("10-K", "10-K"), year, "annual report", "");
            if asks("Exhibit 21") {
                add(("10-K", "EX-21"), year, "subsidiaries", "ex21");
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{companies, needs, quarter};

    #[test]
    fn companies_and_documents_are_read_off_the_question() {
        let names = |text: &str| companies(text).into_iter().map(|company| company.name).collect::<Vec<_>>();
        assert_eq!(names("Did Harbor Lane Foods (HLF) beat or miss?"), ["Harbor Lane Foods"]);
        assert_eq!(
            names("Compare the FY 2024 operating margin of A One (AO), B Two (BT), and rank them."),
            ["A One", "B Two"]
        );
        assert_eq!(names("Who was appointed Chief Financial Officer of North Co (NC) in 2024?"), ["North Co"]);
        let text = "Did A One (AO) beat the midpoint of its Q3 2024 revenue guidance, given with its Q2 2024 results?";
        assert_eq!(quarter(text), Some(3));
        assert_eq!(needs(text).len(), 2);
    }
}
