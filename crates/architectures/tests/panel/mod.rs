//! The architecture `panel` on the real stage: members that say what a test gives them.

mod rounds;
mod tribunal;

use serde_json::{Value, json};

use crate::debate::{Court, answer};

/// A panel with these settings.
pub fn panel(settings: Value) -> Court {
    Court::new(settings).of("panel")
}

/// The five answers of a member.
pub fn opinion(verdict: &str, finding: &str, wild_card: &str) -> String {
    answer(&json!({
        "answer": verdict, "finding": finding, "gap": "permission", "next": "ask", "wild_card": wild_card
    }))
}
