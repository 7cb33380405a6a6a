//! A family of one episode: a packet that a user made and nobody has labelled. It has the tools, the tracker and the blocks of scenarios, and
//! no expected verdict: nothing is marked, and every reward is 0.

use std::path::Path;
use std::sync::LazyLock;

use gimbal_core::fit::Offers;
use gimbal_core::{Catalogue, Digest, EnvError, Environment, TaskId};
use gimbal_env_kit::catalogue;
use gimbal_env_kit::options::{Field, Options};
use gimbal_evidence::{MAX_PACKET_BYTES, Packet};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::TriageEnvironment;
use super::catalogue::Triage;

/// Its name in studies.
const NAME: &str = "packet";
/// Its one split, and its one task.
const SPLITS: [&str; 1] = ["given"];

/// The family `packet`.
#[derive(Clone, Copy, Debug, Default)]
pub struct GivenPacket;

/// The options, every default written out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Given {
    packet: Option<String>,
    head: Option<Digest>,
    max_calls: u32,
}

impl Default for Given {
    fn default() -> Self {
        Self { packet: None, head: None, max_calls: 16 }
    }
}

static OPTIONS: LazyLock<Options> = LazyLock::new(|| {
    Options::of::<Given>(
        NAME,
        vec![
            Field::text("packet", "the path of a packet", "The packet, as `gimbal evidence extract` writes it.")
                .or_null("no packet, which is refused"),
            Field::text("head", "the head that `resolve` found", "Head of the packet: another packet is refused.")
                .or_null("the head of the packet as it is"),
            Field::whole("max_calls", 1, 1000, "Calls of an episode, the one that concludes included."),
        ],
    )
});

impl Given {
    fn read(options: &Value) -> Result<Self, EnvError> {
        OPTIONS.read(options)
    }

    /// The packet, every byte verified.
    fn load(&self) -> Result<Packet, EnvError> {
        let Some(path) = &self.packet else {
            return Err(EnvError::Usage(format!("`{NAME}` needs the option `packet`: the path of a packet")));
        };
        let unreadable = |error: std::io::Error| EnvError::Data(format!("{path}: cannot be read: {error}"));
        let size = std::fs::metadata(Path::new(path)).map_err(unreadable)?.len();
        if size > MAX_PACKET_BYTES as u64 {
            return Err(EnvError::Data(format!("{path}: has {size} bytes; a packet has at most {MAX_PACKET_BYTES}")));
        }
        let bytes = std::fs::read(Path::new(path)).map_err(unreadable)?;
        let packet = Packet::read(&bytes).map_err(|error| EnvError::Data(format!("{path}: {error}")))?;
        match self.head {
            Some(head) if head != packet.head() => Err(EnvError::Data(format!(
                "{path}: the head is {}, and the run was made with {head}: a packet does not change under a run",
                packet.head()
            ))),
            _ => Ok(packet),
        }
    }
}

impl Catalogue for GivenPacket {
    fn name(&self) -> &'static str {
        NAME
    }

    fn behaviour(&self) -> u32 {
        crate::BEHAVIOUR
    }

    fn splits(&self) -> &[&'static str] {
        &SPLITS
    }

    fn tasks(&self, split: &str, options: &Value) -> Result<Vec<TaskId>, EnvError> {
        if !SPLITS.contains(&split) {
            return Err(catalogue::unknown(NAME, "split", split, &SPLITS));
        }
        let packet = Given::read(options)?.load()?;
        Ok(vec![TaskId(packet.header().packet.clone())])
    }

    fn schema(&self) -> Value {
        OPTIONS.schema()
    }

    fn resolve(&self, options: &Value) -> Result<Value, EnvError> {
        let mut given = Given::read(options)?;
        given.head = Some(given.load()?.head());
        catalogue::resolved(&given)
    }

    fn environment(&self, _resolved: &Value) -> Value {
        Value::Object(serde_json::Map::new())
    }

    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError> {
        let given = Given::read(options)?;
        Ok(Box::new(TriageEnvironment::of_packet(given.load()?, given.max_calls)?))
    }

    fn offers(&self) -> Offers {
        // A packet is looked at and argued over as that of a scenario; its baselines and its judging need a label.
        Offers { policies: Vec::new(), ..Triage.offers() }
    }
}
