//! The two sources of a replay's draws, behind one face.

use crate::draws::{Draws, Entry, Mersenne, Recorder, Tape};
use crate::recording::{Line, ReadError};

/// A source whose draws can be compared with a recording.
pub(super) trait Source: Draws {
    /// The source for an episode with this `reset` line.
    fn open(line: &Line<'_>) -> Result<Self, ReadError>
    where
        Self: Sized;

    /// Before a reset or step, with its recorded draws.
    fn before(&mut self, tape: Option<Vec<Entry>>, line: &Line<'_>) -> Result<(), ReadError>;

    /// After it: where draws and tape part, as (expected, got).
    fn after(&mut self) -> Option<(String, String)>;

    /// The check draw at the end of an episode, where the seed is known.
    fn check_draw(&mut self) -> Option<u64>;
}

/// The recorded tape; with the seed beside it, each draw is proven twice.
pub(super) struct FromTape(Tape);

/// CPython's generator from the recorded seed.
pub(super) struct FromSeed {
    recorder: Recorder<Mersenne>,
    tape: Option<Vec<Entry>>,
}

impl Source for FromTape {
    fn open(line: &Line<'_>) -> Result<Self, ReadError> {
        Ok(Self(Tape::new(line.seed()?.as_ref())))
    }

    fn before(&mut self, tape: Option<Vec<Entry>>, line: &Line<'_>) -> Result<(), ReadError> {
        let tape = tape.ok_or_else(|| line.error("`tape` is missing; replay from the seed (`--draws seed`)"))?;
        self.0.load(tape);
        Ok(())
    }

    fn after(&mut self) -> Option<(String, String)> {
        self.0.finish().err().map(|error| ("\"the recorded draws\"".to_owned(), format!("{:?}", error.to_string())))
    }

    fn check_draw(&mut self) -> Option<u64> {
        self.0.shadow().map(|shadow| shadow.getrandbits(64))
    }
}

impl Source for FromSeed {
    fn open(line: &Line<'_>) -> Result<Self, ReadError> {
        match line.seed()? {
            Some(seed) => Ok(Self { recorder: Recorder::new(Mersenne::from_seed(&seed)), tape: None }),
            None => Err(line.error("`seed` is missing; replay from the tape (`--draws tape`)")),
        }
    }

    fn before(&mut self, tape: Option<Vec<Entry>>, _: &Line<'_>) -> Result<(), ReadError> {
        self.tape = tape;
        Ok(())
    }

    fn after(&mut self) -> Option<(String, String)> {
        let drawn = self.recorder.take();
        let tape = self.tape.take()?;
        if tape == drawn {
            return None;
        }
        let text = |entries: &[Entry]| {
            let mut out = Vec::new();
            crate::recording::write_tape(entries, &mut out);
            String::from_utf8_lossy(&out).into_owned()
        };
        Some((text(&tape), text(&drawn)))
    }

    fn check_draw(&mut self) -> Option<u64> {
        Some(self.recorder.inner().getrandbits(64))
    }
}

macro_rules! pass_on {
    ($source:ty, $inner:tt) => {
        impl Draws for $source {
            fn seed(&mut self, seed: u64) {
                self.$inner.seed(seed);
            }
            fn choice(&mut self, site: crate::draws::Site, count: u32) -> u32 {
                self.$inner.choice(site, count)
            }
            fn choices(&mut self, site: crate::draws::Site, count: u32) -> u32 {
                self.$inner.choices(site, count)
            }
            fn random(&mut self, site: crate::draws::Site) -> f64 {
                self.$inner.random(site)
            }
            fn randrange(&mut self, site: crate::draws::Site, start: u32, stop: u32) -> u32 {
                self.$inner.randrange(site, start, stop)
            }
            fn sample(&mut self, site: crate::draws::Site, count: u32, chosen: &mut [u32]) {
                self.$inner.sample(site, count, chosen);
            }
            fn shuffle(&mut self, site: crate::draws::Site, items: &mut [u8]) {
                self.$inner.shuffle(site, items);
            }
        }
    };
}

pass_on!(FromTape, 0);
pass_on!(FromSeed, recorder);
