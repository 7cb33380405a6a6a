//! The verdict of an episode over a packet, read from its events.

use gimbal_analysis::episode::{FoldError, Source};
use gimbal_core::event::{Body, Event};
use gimbal_core::{Digest, Milli, TextRef};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::{Marking, Packet};
use gimbal_messages::Record as _;
use gimbal_messages::records::debate::VerdictGiven;

/// Kind of the material that verdicts are about.
const PACKET: &str = "packet";
/// The tool that gives a verdict.
const CONCLUDE: &str = "conclude";

/// A verdict, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// The verdict.
    pub verdict: Verdict,
    /// How sure it is.
    pub confidence: Milli,
}

/// What an episode over a packet says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketEpisode {
    /// Head of the packet.
    pub packet: Digest,
    /// Id of the packet, where it was asked for.
    pub packet_id: Option<String>,
    /// Hash of the scenario; `None` where the packet has no label.
    pub corpus: Option<Digest>,
    /// The verdict: that of a judge where there is one, else of the last call that concludes. `None` if the episode ended without.
    pub given: Option<Given>,
}

impl PacketEpisode {
    /// Reads an episode; `None` if it is not about a packet.
    ///
    /// # Errors
    /// When a text cannot be read, or a record does not have the form of its kind.
    pub fn read<E>(events: &[Event], mut texts: Source<'_, E>, wants_id: bool) -> Result<Option<Self>, FoldError<E>> {
        let started = events.iter().find_map(|event| match &event.body {
            Body::Started(started) => started.materials.iter().find(|material| material.kind == PACKET),
            _ => None,
        });
        let Some(material) = started else { return Ok(None) };
        let packet_id = if wants_id {
            Packet::read(texts.text(&material.text)?.as_bytes()).ok().map(|read| read.header().packet.clone())
        } else {
            None
        };
        let mut episode = Self { packet: material.digest, packet_id, corpus: None, given: None };
        let mut seen: Option<&TextRef> = None;
        let mut by_judge = false;
        for (number, event) in (0..).zip(events) {
            texts.event = number;
            match &event.body {
                Body::Stepped(step) => seen = Some(&step.observation),
                Body::ToolCalled(call) if call.tool == CONCLUDE && !by_judge => {
                    episode.given = concluded(&texts.text(&call.arguments)?).or(episode.given);
                }
                Body::Note(note) if note.kind == VerdictGiven::KIND => {
                    let given: VerdictGiven = texts.record(&note.data)?;
                    if let Some(given) = judged(&given) {
                        (episode.given, by_judge) = (Some(given), true);
                    }
                }
                _ => {}
            }
        }
        if let Some(seen) = seen {
            episode.corpus = Marking::read(&texts.text(seen)?).map(|marking| marking.corpus);
        }
        Ok(Some(episode))
    }
}

/// The verdict of a judge that was concluded.
fn judged(given: &VerdictGiven) -> Option<Given> {
    let verdict = given.last.then(|| verdict(&given.verdict)).flatten()?;
    Some(Given { verdict, confidence: given.certainty })
}

/// The verdict of a call, whose confidence is in percent.
fn concluded(arguments: &str) -> Option<Given> {
    let arguments: serde_json::Value = serde_json::from_str(arguments).ok()?;
    let percent = arguments["confidence"].as_i64()?.clamp(0, 100);
    Some(Given { verdict: verdict(arguments["verdict"].as_str()?)?, confidence: Milli(percent * 10) })
}

fn verdict(name: &str) -> Option<Verdict> {
    Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_gives_a_verdict_with_its_confidence_in_percent() {
        let given = concluded(r#"{"verdict":"THREAT_CONFIRMED","confidence":80}"#).unwrap();
        assert_eq!(given, Given { verdict: Verdict::ThreatConfirmed, confidence: Milli(800) });
        assert_eq!(concluded(r#"{"verdict":"THREAT_CONFIRMED","confidence":700}"#).unwrap().confidence, Milli(1000));
        assert_eq!(concluded(r#"{"verdict":"MAYBE","confidence":80}"#), None);
        assert_eq!(concluded("{"), None);
    }

    #[test]
    fn an_episode_without_a_packet_is_not_one_of_the_stream() {
        let mut texts = |reference: &TextRef| Ok::<_, String>(reference.as_inline().unwrap_or_default().to_owned());
        assert_eq!(PacketEpisode::read(&[], Source::new(&mut texts), false).unwrap(), None);
    }
}
