//! What architectures over packets of evidence share: the packet of an episode, and the rules of the agents by rule.

use std::sync::Arc;

use gimbal_core::{Digest, EpisodeStopped, Files, Kept, Stage, yaml};
use gimbal_evidence::Packet;
use gimbal_evidence::rules::RuleSet;

/// Kind of the material that is argued about.
pub(crate) const PACKET: &str = "packet";
/// Rules of the agents by rule.
const RULES: &str = "rules/triage.yaml";

/// The packet in the brief of the episode.
pub(crate) fn packet(stage: &dyn Stage) -> Result<Packet, EpisodeStopped> {
    let brief = stage.brief();
    let material = brief.materials.iter().find(|material| material.kind == PACKET);
    let material =
        material.ok_or_else(|| EpisodeStopped::lasting("the brief of this task has no material of kind `packet`"))?;
    let name = &material.name;
    Packet::read(material.text.as_bytes())
        .map_err(|error| EpisodeStopped::lasting(format!("the material `{name}` is not a packet: {error}")))
}

/// The rules of the agents by rule, read once for all architectures that are built from the same file.
pub(crate) fn rules(files: &dyn Files) -> Result<Arc<RuleSet>, String> {
    static KNOWN: Kept<RuleSet> = Kept::new(4);
    let found = files.read(RULES).map_err(|error| error.to_string())?;
    let (text, place) = found.ok_or_else(|| format!("the file {RULES} is missing: agents by rule need it"))?;
    KNOWN.get(Digest::of(text.as_bytes()), || {
        let rules: RuleSet = yaml::read(&text, &place).map_err(|error| error.to_string())?;
        rules.check().map_err(|error| format!("{place}: {error}"))?;
        Ok(rules)
    })
}
