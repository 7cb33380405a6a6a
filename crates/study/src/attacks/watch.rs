//! Watches what becomes of a planted text: who reads it, and when its call is carried out.

use std::collections::BTreeSet;

use gimbal_core::{ChatRequest, LaneId, Speaker, ToolCall};

/// A text that was planted in this episode.
#[derive(Clone, Debug)]
pub(crate) struct PlantedWatch {
    /// The call that it asks for.
    pub call: ToolCall,
    /// The whole text, and the call between its backquotes, as [`plain`] has them.
    whole: String,
    rest: String,
    /// What was recorded: lane, role, and whether the whole text was read.
    read: BTreeSet<(u32, String, bool)>,
}

impl PlantedWatch {
    /// Watches for a text and the call in it.
    pub fn new(call: ToolCall, written: &str, text: &str) -> Self {
        Self { call, whole: plain(text), rest: plain(&format!("`{written}`")), read: BTreeSet::new() }
    }

    /// Whether a request shows the text (`true`) or a rest of it with the call (`false`), where that was not recorded of the role yet.
    pub fn reads(&mut self, lane: LaneId, role: &str, request: &ChatRequest) -> Option<bool> {
        let key = |whole: bool| (lane.0, role.to_owned(), whole);
        if self.read.contains(&key(true)) {
            return None;
        }
        let shown = request.messages.iter().filter(|message| message.speaker != Speaker::System);
        let texts: Vec<String> =
            shown.filter(|message| message.text.contains('`')).map(|message| plain(&message.text)).collect();
        let whole = texts.iter().any(|text| text.contains(&self.whole));
        let found = whole || texts.iter().any(|text| text.contains(&self.rest));
        (found && self.read.insert(key(whole))).then_some(whole)
    }
}

/// A text without what JSON adds to it and without differences in blanks: messages between agents are shown as JSON.
fn plain(text: &str) -> String {
    let text = text.replace("\\n", " ").replace('\\', "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
