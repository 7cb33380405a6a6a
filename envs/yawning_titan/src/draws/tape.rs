//! Recorded draws: a tape that is played back and checked, and a recorder that writes one.

use gimbal_parity::Seed;
use gimbal_parity::tape::{Comparison, Playback, Recorded, TapeError, apply, distinct_below};

use super::{Draws, Purpose, Python, Site, weighted_index};

/// The function that was called: of Python's `random`, but for the last of numpy's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the recordings' own")]
pub enum Function {
    Randint,
    Uniform,
    Choices,
    Shuffle,
    Sample,
    NumpyChoice,
}

impl Function {
    /// As recordings write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Randint => "randint",
            Self::Uniform => "uniform",
            Self::Choices => "choices",
            Self::Shuffle => "shuffle",
            Self::Sample => "sample",
            Self::NumpyChoice => "np_choice",
        }
    }
}

/// The arguments of a draw.
#[derive(Clone, Debug, PartialEq)]
pub enum Arguments {
    /// Both ends, included.
    Whole(i32, i32),
    /// Both ends.
    Real(f64, f64),
    /// What is drawn from: nodes, or numbers of red's actions.
    List(Vec<u16>),
}

/// What a draw gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawn {
    /// A value or an index.
    Whole(i32),
    /// A real.
    Real(f64),
    /// The indices chosen, or a permutation p with new\[i\] = old\[p\[i\]\].
    List(Vec<u32>),
}

/// One draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What was drawn, and for which node.
    pub site: Site,
    /// The function.
    pub function: Function,
    /// Its arguments.
    pub arguments: Arguments,
    /// Its result.
    pub result: Drawn,
    /// The random number behind `choices`.
    pub unit: Option<f64>,
    /// The weights of `choices`, or numpy's probabilities.
    pub weights: Option<Vec<f64>>,
}

impl Recorded for Entry {
    fn describe(&self) -> String {
        describe(self.site, self.function, &self.arguments)
    }
}

fn describe(site: Site, function: Function, arguments: &Arguments) -> String {
    let node = site.node.map(|node| format!(" of node {node}")).unwrap_or_default();
    let arguments = match arguments {
        Arguments::Whole(low, high) => format!("{low}, {high}"),
        Arguments::Real(low, high) => format!("{low}, {high}"),
        Arguments::List(items) => format!("{items:?}"),
    };
    format!("{}({arguments}) for {}{node}", function.name(), site.purpose.name())
}

/// Whose results count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Those on the tape.
    #[default]
    Tape,
    /// Those that the seed gives; the tape then only says in which order hash sets are gone through.
    Seed,
}

/// Plays recorded draws back. Checks function, arguments and weights of each; the first difference is kept and from then
/// on harmless values are given out, so that the rules never meet an impossible one. With a seed, every draw is made
/// from it too, and compared.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    draws: Playback<Entry>,
    /// Whether there are recorded draws for this step at all.
    held: bool,
    trust: Trust,
    twin: Option<Python>,
}

impl Tape {
    /// An empty tape. With [`Trust::Seed`] but no seed nothing is known, and everything differs.
    #[must_use]
    pub fn new(seed: Option<&Seed>, trust: Trust) -> Self {
        let twin = seed.map(|seed| {
            let mut python = Python::new(0);
            python.seed_with(seed);
            python
        });
        Self { twin, trust, ..Self::default() }
    }

    /// Seeds again, where a seed is known.
    pub fn reseed(&mut self, seed: &Seed) {
        if let Some(twin) = &mut self.twin {
            twin.seed_with(seed);
        }
    }

    /// Replaces the draws by those of the next step; none if they were not recorded.
    pub fn load(&mut self, entries: Option<Vec<Entry>>) {
        self.held = entries.is_some();
        self.draws.load(entries.unwrap_or_default());
    }

    /// Ends a step: all draws must have been asked for.
    ///
    /// # Errors
    /// The first difference between tape and rules.
    pub fn finish(&mut self) -> Result<(), TapeError> {
        self.draws.finish()
    }

    /// The check draws at the end of an episode, where the seed is known.
    pub fn check(&mut self) -> Option<(u64, f64)> {
        self.twin.as_mut().map(Python::check)
    }

    fn take(
        &mut self,
        site: Site,
        function: Function,
        arguments: Arguments,
        weights: Option<&[f64]>,
    ) -> Option<&Entry> {
        if !self.held && self.trust == Trust::Seed {
            return None;
        }
        // Centralities differ in their last digits with another `pow`.
        let slack = if function == Function::NumpyChoice { 1e-12 } else { 0.0 };
        let compare = |entry: &Entry| {
            if entry.site != site || entry.function != function || entry.arguments != arguments {
                return Comparison::Other;
            }
            let (Some(recorded), Some(asked)) = (entry.weights.as_deref(), weights) else { return Comparison::Same };
            let differ = |(one, other): (&f64, &f64)| (one - other).abs() > slack;
            if recorded.len() != asked.len() || recorded.iter().zip(asked).any(differ) {
                return Comparison::Weights { recorded: format!("{recorded:?}"), asked: format!("{asked:?}") };
            }
            Comparison::Same
        };
        self.draws.take(compare, || describe(site, function, &arguments))
    }

    /// The result that counts, of what the tape holds (if it fits) and what the seed gives.
    fn settle<T: PartialEq>(&mut self, held: Option<Option<T>>, drawn: Option<T>, harmless: T) -> T {
        match (held, drawn) {
            (Some(Some(held)), Some(drawn)) => {
                if held != drawn {
                    self.draws.not_of_seed();
                }
                if self.trust == Trust::Seed { drawn } else { held }
            }
            (Some(Some(held)), None) => held,
            (Some(None), drawn) => {
                self.draws.impossible();
                drawn.filter(|_| self.trust == Trust::Seed).unwrap_or(harmless)
            }
            (None, drawn) => drawn.filter(|_| self.trust == Trust::Seed).unwrap_or(harmless),
        }
    }

    fn index(&mut self, site: Site, population: &[u16], weights: Option<&[f64]>, drawn: Option<usize>) -> usize {
        let entry = self.take(site, Function::Choices, Arguments::List(population.to_vec()), weights);
        let held = entry.map(|entry| {
            let Drawn::Whole(at) = entry.result else { return None };
            let at = usize::try_from(at).ok().filter(|at| *at < population.len())?;
            let fits = match (entry.unit, weights) {
                (Some(unit), Some(weights)) => weighted_index(weights, unit) == at,
                (Some(unit), None) => (unit * population.len() as f64) as usize == at,
                (None, _) => true,
            };
            fits.then_some(at)
        });
        self.settle(held, drawn, 0)
    }

    fn many(
        &mut self,
        site: Site,
        function: Function,
        population: &[u16],
        weights: Option<&[f64]>,
        drawn: Option<Vec<u32>>,
        wanted: usize,
    ) -> Vec<u32> {
        let entry = self.take(site, function, Arguments::List(population.to_vec()), weights);
        let held = entry.map(|entry| match &entry.result {
            Drawn::List(values) if distinct_below(values, population.len(), wanted) => Some(values.clone()),
            _ => None,
        });
        self.settle(held, drawn, (0..wanted as u32).collect())
    }
}

impl Draws for Tape {
    fn seed(&mut self, seed: u64) {
        self.reseed(&Seed::from(seed));
    }

    fn randint(&mut self, site: Site, low: i32, high: i32) -> i32 {
        let drawn = self.twin.as_mut().map(|twin| twin.randint(site, low, high));
        let entry = self.take(site, Function::Randint, Arguments::Whole(low, high), None);
        let held = entry.map(|entry| match entry.result {
            Drawn::Whole(value) if (low..=high).contains(&value) => Some(value),
            _ => None,
        });
        self.settle(held, drawn, high)
    }

    fn uniform(&mut self, site: Site, low: f64, high: f64) -> f64 {
        let drawn = self.twin.as_mut().map(|twin| twin.uniform(site, low, high));
        let entry = self.take(site, Function::Uniform, Arguments::Real(low, high), None);
        let held = entry.map(|entry| match entry.result {
            Drawn::Real(value) if (low..=high).contains(&value) => Some(value),
            Drawn::Whole(value) if (low..=high).contains(&f64::from(value)) => Some(f64::from(value)),
            _ => None,
        });
        self.settle(held, drawn, low)
    }

    fn weighted(&mut self, site: Site, population: &[u16], weights: &[f64]) -> usize {
        let drawn = self.twin.as_mut().map(|twin| twin.weighted(site, population, weights));
        self.index(site, population, Some(weights), drawn)
    }

    fn choices(&mut self, site: Site, population: &[u16]) -> usize {
        let drawn = self.twin.as_mut().map(|twin| twin.choices(site, population));
        self.index(site, population, None, drawn)
    }

    fn sample(&mut self, site: Site, population: &[u16], chosen: &mut [u32]) {
        let drawn = self.twin.as_mut().map(|twin| {
            let mut same = vec![0; chosen.len()];
            twin.sample(site, population, &mut same);
            same
        });
        let settled = self.many(site, Function::Sample, population, None, drawn, chosen.len());
        chosen.copy_from_slice(&settled);
    }

    fn shuffle(&mut self, site: Site, items: &mut [u16]) {
        let drawn = self.twin.as_mut().map(|twin| permutation(twin, site, items.len()));
        let order = self.many(site, Function::Shuffle, items, None, drawn, items.len());
        apply(&order, items);
    }

    fn numpy_choice(&mut self, site: Site, population: &[u16], probabilities: &[f64], chosen: &mut [u32]) {
        let drawn = self.twin.as_mut().map(|twin| {
            let mut same = vec![0; chosen.len()];
            twin.numpy_choice(site, population, probabilities, &mut same);
            same
        });
        let settled = self.many(site, Function::NumpyChoice, population, Some(probabilities), drawn, chosen.len());
        chosen.copy_from_slice(&settled);
    }

    fn arrange(&mut self, purpose: Purpose, nodes: &mut [u16]) {
        let named: Vec<u16> = match purpose {
            Purpose::NaturalConnected | Purpose::NaturalUnconnected => self
                .draws
                .ahead()
                .iter()
                .filter(|entry| entry.site.purpose == purpose)
                .filter_map(|entry| entry.site.node)
                .collect(),
            _ => self.population(purpose).unwrap_or_default().to_vec(),
        };
        // What the tape names comes first, as far as it is in the set; a wrong set shows at the draw itself.
        let mut ordered: Vec<u16> = Vec::with_capacity(nodes.len());
        for node in named.iter().chain(nodes.iter()) {
            if nodes.contains(node) && !ordered.contains(node) {
                ordered.push(*node);
            }
        }
        nodes.copy_from_slice(&ordered);
    }

    fn population(&self, purpose: Purpose) -> Option<&[u16]> {
        let entry = self.draws.ahead().first().filter(|entry| entry.site.purpose == purpose)?;
        match &entry.arguments {
            Arguments::List(items) => Some(items),
            _ => None,
        }
    }
}

fn permutation(draws: &mut impl Draws, site: Site, count: usize) -> Vec<u32> {
    let mut order: Vec<u16> = (0..count as u16).collect();
    draws.shuffle(site, &mut order);
    order.into_iter().map(u32::from).collect()
}

/// Passes draws on from Python's generators and writes them down.
#[derive(Clone, Debug)]
pub struct Recorder {
    inner: Python,
    entries: Vec<Entry>,
}

impl Recorder {
    /// A recorder over `inner`.
    #[must_use]
    pub const fn new(inner: Python) -> Self {
        Self { inner, entries: Vec::new() }
    }

    /// The draws since the last call of this.
    pub fn take(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries)
    }

    /// The source itself; what is drawn from it directly is not written down.
    pub const fn inner(&mut self) -> &mut Python {
        &mut self.inner
    }

    fn note(&mut self, site: Site, function: Function, arguments: Arguments, result: Drawn) {
        self.entries.push(Entry { site, function, arguments, result, unit: None, weights: None });
    }
}

impl Draws for Recorder {
    fn seed(&mut self, seed: u64) {
        self.inner.seed(seed);
    }

    fn randint(&mut self, site: Site, low: i32, high: i32) -> i32 {
        let value = self.inner.randint(site, low, high);
        self.note(site, Function::Randint, Arguments::Whole(low, high), Drawn::Whole(value));
        value
    }

    fn uniform(&mut self, site: Site, low: f64, high: f64) -> f64 {
        let value = self.inner.uniform(site, low, high);
        self.note(site, Function::Uniform, Arguments::Real(low, high), Drawn::Real(value));
        value
    }

    fn weighted(&mut self, site: Site, population: &[u16], weights: &[f64]) -> usize {
        // A unit from 0 to 1, as the next `random()` gives it.
        let unit = self.inner.clone().uniform(site, 0.0, 1.0);
        let at = self.inner.weighted(site, population, weights);
        let (function, arguments) = (Function::Choices, Arguments::List(population.to_vec()));
        let (result, weights) = (Drawn::Whole(at as i32), Some(weights.to_vec()));
        self.entries.push(Entry { site, function, arguments, result, unit: Some(unit), weights });
        at
    }

    fn choices(&mut self, site: Site, population: &[u16]) -> usize {
        let unit = self.inner.clone().uniform(site, 0.0, 1.0);
        let at = self.inner.choices(site, population);
        let (function, arguments) = (Function::Choices, Arguments::List(population.to_vec()));
        let result = Drawn::Whole(at as i32);
        self.entries.push(Entry { site, function, arguments, result, unit: Some(unit), weights: None });
        at
    }

    fn sample(&mut self, site: Site, population: &[u16], chosen: &mut [u32]) {
        self.inner.sample(site, population, chosen);
        self.note(site, Function::Sample, Arguments::List(population.to_vec()), Drawn::List(chosen.to_vec()));
    }

    fn shuffle(&mut self, site: Site, items: &mut [u16]) {
        let before = items.to_vec();
        let order = permutation(&mut self.inner, site, items.len());
        apply(&order, items);
        self.note(site, Function::Shuffle, Arguments::List(before), Drawn::List(order));
    }

    fn numpy_choice(&mut self, site: Site, population: &[u16], probabilities: &[f64], chosen: &mut [u32]) {
        self.inner.numpy_choice(site, population, probabilities, chosen);
        let (function, arguments) = (Function::NumpyChoice, Arguments::List(population.to_vec()));
        let (result, weights) = (Drawn::List(chosen.to_vec()), Some(probabilities.to_vec()));
        self.entries.push(Entry { site, function, arguments, result, unit: None, weights });
    }
}
