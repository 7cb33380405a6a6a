//! Matrices and their products with vectors, in f32 and in Q8_0: blocks of 32 numbers as 8-bit integers with one scale of half precision, as
//! llama.cpp writes them.
//!
//! Sums have 16 lanes that are added in one order, whatever the width of the machine's vectors; nothing is contracted. So the compiler may use wide
//! vectors, and the same bits come out. Sums of integers are exact in any order.

use crate::math::{from_half, to_half};

/// Lanes of a sum.
const LANES: usize = 16;
/// Numbers of a block.
pub const BLOCK: usize = 32;
/// Bytes of a block in a file: a scale of two bytes, then the integers.
pub const BLOCK_BYTES: usize = 2 + BLOCK;

/// Numbers of a matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// As they are.
    F32(Vec<f32>),
    /// In blocks: a scale for each, and 32 integers for each.
    Q8 {
        /// Scales, which half precision can hold.
        scales: Vec<f32>,
        /// Integers.
        quants: Vec<i8>,
    },
}

/// A matrix of `rows` x `columns`, one row for each output.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// Outputs.
    pub rows: usize,
    /// Inputs.
    pub columns: usize,
    /// Numbers.
    pub values: Values,
}

/// Vectors in blocks, made on the fly for products with matrices in blocks.
#[derive(Clone, Debug, Default)]
pub struct Quantised {
    scales: Vec<f32>,
    quants: Vec<i8>,
}

impl Values {
    /// How many numbers.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::Q8 { quants, .. } => quants.len(),
        }
    }

    /// Whether there is no number.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Numbers in blocks. Their count must be a multiple of 32; a rest is left out.
    #[must_use]
    pub fn quantised(values: &[f32]) -> Self {
        let mut made = Quantised::default();
        made.fill(values);
        // A file holds scales in half precision, so these are what counts.
        for scale in &mut made.scales {
            *scale = from_half(to_half(*scale));
        }
        Self::Q8 { scales: made.scales, quants: made.quants }
    }

    /// The numbers as f32.
    #[must_use]
    pub fn to_f32(&self) -> Vec<f32> {
        match self {
            Self::F32(values) => values.clone(),
            Self::Q8 { scales, quants } => quants
                .iter()
                .zip(scales.iter().flat_map(|scale| [*scale; BLOCK]))
                .map(|(q, s)| f32::from(*q) * s)
                .collect(),
        }
    }

    /// Adds the row at `row` of a table with `columns` columns to `sum`.
    pub fn add_row(&self, row: usize, columns: usize, sum: &mut [f32]) {
        let range = row * columns..(row + 1) * columns;
        match self {
            Self::F32(values) => {
                for (sum, value) in sum.iter_mut().zip(values.get(range).unwrap_or_default()) {
                    *sum += value;
                }
            }
            Self::Q8 { scales, quants } => {
                let quants = quants.get(range.clone()).unwrap_or_default();
                for (offset, (sum, quant)) in sum.iter_mut().zip(quants).enumerate() {
                    *sum += f32::from(*quant) * scales[(range.start + offset) / BLOCK];
                }
            }
        }
    }
}

impl Quantised {
    /// Makes blocks of numbers, in place of those before.
    fn fill(&mut self, values: &[f32]) {
        self.scales.clear();
        self.quants.clear();
        for block in values.as_chunks::<BLOCK>().0 {
            let most = block.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
            let scale = most / 127.0;
            let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
            self.scales.push(scale);
            self.quants.extend(block.iter().map(|value| {
                let scaled = value * inverse;
                // Half away from 0.
                (scaled + 0.5_f32.copysign(scaled)) as i32 as i8
            }));
        }
    }
}

impl Matrix {
    /// A matrix of f32. Numbers that are missing are 0.
    #[must_use]
    pub fn of(rows: usize, columns: usize, mut values: Vec<f32>) -> Self {
        values.resize(rows * columns, 0.0);
        Self { rows, columns, values: Values::F32(values) }
    }

    /// Products with the vectors in `input`, one after the other, into `output`: for each vector its `rows` outputs, with `bias` added at the
    /// end. `spare` is used for vectors in blocks.
    pub fn apply(&self, input: &[f32], bias: &[f32], output: &mut Vec<f32>, spare: &mut Quantised) {
        let count = input.len().checked_div(self.columns).unwrap_or_default();
        output.clear();
        output.resize(count * self.rows, 0.0);
        if output.is_empty() {
            return;
        }
        match &self.values {
            Values::F32(values) => wide::f32(values, input, self.columns, self.rows, output),
            Values::Q8 { scales, quants } => {
                wide::fill(spare, input);
                wide::q8(quants, scales, spare, self.columns, self.rows, output);
            }
        }
        if !bias.is_empty() {
            for row in output.chunks_exact_mut(self.rows) {
                for (sum, bias) in row.iter_mut().zip(bias) {
                    *sum += bias;
                }
            }
        }
    }
}

/// The inner product of two vectors.
#[inline(always)]
#[must_use]
pub fn dot(one: &[f32], other: &[f32]) -> f32 {
    let [sum] = dots(one, [other]);
    sum
}

/// Inner products of one vector with several.
#[inline(always)]
fn dots<const N: usize>(row: &[f32], others: [&[f32]; N]) -> [f32; N] {
    let mut sums = [[0.0_f32; LANES]; N];
    let (chunks, rest) = row.as_chunks::<LANES>();
    let parts = others.map(|other| other[..row.len()].as_chunks::<LANES>());
    for (place, chunk) in chunks.iter().enumerate() {
        for (sum, part) in sums.iter_mut().zip(&parts) {
            let other = &part.0[place];
            for lane in 0..LANES {
                sum[lane] += chunk[lane] * other[lane];
            }
        }
    }
    for (sum, part) in sums.iter_mut().zip(&parts) {
        for (lane, (one, other)) in rest.iter().zip(part.1).enumerate() {
            sum[lane] += one * other;
        }
    }
    sums.map(|mut sum| {
        let mut half = LANES / 2;
        while half > 0 {
            for lane in 0..half {
                sum[lane] += sum[lane + half];
            }
            half /= 2;
        }
        sum[0]
    })
}

#[inline(always)]
fn product_f32(values: &[f32], input: &[f32], columns: usize, rows: usize, output: &mut [f32]) {
    let vectors: Vec<&[f32]> = input.chunks_exact(columns).collect();
    for (row, weights) in values.chunks_exact(columns).enumerate() {
        // Two at once read each weight once. Four took more than twice as long: their sums do not fit into registers.
        let (twos, one) = vectors.as_chunks::<2>();
        for (group, two) in twos.iter().enumerate() {
            for (offset, sum) in dots(weights, *two).into_iter().enumerate() {
                output[(group * 2 + offset) * rows + row] = sum;
            }
        }
        for vector in one {
            output[twos.len() * 2 * rows + row] = dot(weights, vector);
        }
    }
}

#[inline(always)]
fn product_q8(quants: &[i8], scales: &[f32], input: &Quantised, columns: usize, rows: usize, output: &mut [f32]) {
    let blocks = columns / BLOCK;
    let weights = quants.as_chunks::<BLOCK>().0;
    let inputs = input.quants.as_chunks::<BLOCK>().0;
    let count = inputs.len().checked_div(blocks).unwrap_or_default();
    for row in 0..rows {
        let own = row * blocks..(row + 1) * blocks;
        let (weights, scales) = (&weights[own.clone()], &scales[own]);
        for vector in 0..count {
            let its = vector * blocks..(vector + 1) * blocks;
            let (others, other_scales) = (&inputs[its.clone()], &input.scales[its]);
            let mut sum = 0.0_f32;
            for block in 0..blocks {
                let mut whole = 0_i32;
                for (one, other) in weights[block].iter().zip(&others[block]) {
                    whole += i32::from(*one) * i32::from(*other);
                }
                sum += whole as f32 * (scales[block] * other_scales[block]);
            }
            output[vector * rows + row] = sum;
        }
    }
}

#[inline(always)]
fn gelu_all(values: &mut [f32]) {
    for value in values {
        *value = crate::math::gelu(*value);
    }
}

/// GELU of every number.
pub fn gelu(values: &mut [f32]) {
    wide::gelu(values);
}

/// The same functions compiled twice: for every machine of a kind, and for those with vectors of 256 bits. The second is not another function: the
/// compiler may not change the order of sums nor contract products and sums.
mod wide {
    use super::{Quantised, gelu_all, product_f32, product_q8};

    macro_rules! twice {
        ($name:ident, $plain:expr, ($($argument:ident: $type:ty),*)) => {
            pub fn $name($($argument: $type),*) {
                #[cfg(target_arch = "x86_64")]
                {
                    #[target_feature(enable = "avx2")]
                    fn wide($($argument: $type),*) {
                        $plain($($argument),*);
                    }
                    if is_x86_feature_detected!("avx2") {
                        #[expect(unsafe_code, reason = "a function for a kind of processor can be called on that kind only")]
                        // SAFETY: the processor has been asked.
                        return unsafe { wide($($argument),*) };
                    }
                }
                $plain($($argument),*);
            }
        };
    }

    twice!(f32, product_f32, (values: &[f32], input: &[f32], columns: usize, rows: usize, output: &mut [f32]));
    twice!(q8, product_q8, (quants: &[i8], scales: &[f32], input: &Quantised, columns: usize, rows: usize, output: &mut [f32]));
    twice!(gelu, gelu_all, (values: &mut [f32]));
    twice!(fill, Quantised::fill, (spare: &mut Quantised, input: &[f32]));
}

#[cfg(test)]
mod tests {
    use gimbal_core::Rng;

    use super::{Matrix, Quantised, Values, dot, product_f32, product_q8};

    fn numbers(count: usize, rng: &mut Rng) -> Vec<f32> {
        (0..count).map(|_| (rng.unit() * 2.0 - 1.0) as f32).collect()
    }

    /// Wide vectors, groups of vectors and single ones give the same bits.
    #[test]
    fn products_have_one_order_of_summation() {
        let mut rng = Rng::stream(1, "kernels");
        for (rows, columns, count) in [(3, 64, 7), (5, 96, 4), (2, 256, 1), (4, 32, 3)] {
            let weights = numbers(rows * columns, &mut rng);
            let input = numbers(count * columns, &mut rng);
            let matrix = Matrix::of(rows, columns, weights.clone());
            let (mut output, mut spare) = (Vec::new(), Quantised::default());
            matrix.apply(&input, &[], &mut output, &mut spare);
            let mut plain = vec![0.0; rows * count];
            product_f32(&weights, &input, columns, rows, &mut plain);
            assert_eq!(output, plain);
            for (vector, one) in input.chunks(columns).enumerate() {
                for (row, weights) in weights.chunks(columns).enumerate() {
                    assert_eq!(output[vector * rows + row], dot(weights, one));
                    let exact: f64 = weights.iter().zip(one).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                    assert!((f64::from(dot(weights, one)) - exact).abs() < 1e-5);
                }
            }
            let blocks = Matrix { values: Values::quantised(&weights), ..matrix };
            let mut eight = Vec::new();
            blocks.apply(&input, &[], &mut eight, &mut spare);
            let Values::Q8 { scales, quants } = &blocks.values else { panic!("blocks were asked for") };
            product_q8(quants, scales, &spare, columns, rows, &mut plain);
            assert_eq!(eight, plain);
            for (eight, full) in eight.iter().zip(&output) {
                assert!((eight - full).abs() < 0.1, "{eight} is far from {full}");
            }
        }
    }

    #[test]
    fn blocks_hold_numbers_to_half_a_step() {
        let values = numbers(64, &mut Rng::stream(2, "kernels"));
        let back = Values::quantised(&values).to_f32();
        for (value, back) in values.iter().zip(&back) {
            assert!((value - back).abs() <= 0.5 / 127.0 + 1e-3);
        }
        assert_eq!(Values::quantised(&[0.0; 32]).to_f32(), [0.0; 32]);
        let mut sum = vec![1.0; 32];
        Values::quantised(&values).add_row(1, 32, &mut sum);
        assert_eq!(sum, back[32..].iter().map(|value| 1.0 + value).collect::<Vec<_>>());
    }
}
