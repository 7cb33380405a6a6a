//! The encoder: pre-norm blocks of attention among the parties of a conflict, then a head.

use super::parts::{Linear, Norm, Scratch, Tensors};
use crate::kernels::{dot, gelu};
use crate::math::softmax;

#[derive(Clone, Debug)]
pub(super) struct Encoder {
    width: usize,
    heads: usize,
    blocks: Vec<Block>,
    norm: Norm,
    head: Linear,
    pub(super) score: Linear,
    pub(super) outcome: Linear,
}

#[derive(Clone, Debug)]
struct Block {
    norm1: Norm,
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    norm2: Norm,
    up: Linear,
    down: Linear,
}

impl Encoder {
    pub(super) fn new(blocks: usize, width: usize, heads: usize, tensors: &mut Tensors) -> Self {
        let mut block = |block: usize| {
            let name = |part: &str| format!("block.{block}.{part}");
            Block {
                norm1: tensors.norm(&name("norm1")),
                query: tensors.linear(&name("query")),
                key: tensors.linear(&name("key")),
                value: tensors.linear(&name("value")),
                output: tensors.linear(&name("output")),
                norm2: tensors.norm(&name("norm2")),
                up: tensors.linear(&name("up")),
                down: tensors.linear(&name("down")),
            }
        };
        let blocks = (0..blocks).map(&mut block).collect();
        let (norm, head) = (tensors.norm("norm"), tensors.linear("head"));
        Self { width, heads, blocks, norm, head, score: tensors.linear("score"), outcome: tensors.linear("outcome") }
    }

    /// Takes the vectors in `state` through the blocks and the head, into `one`. `counts` are the parties of each conflict: attention does not
    /// go beyond it.
    pub(super) fn forward(&self, counts: &[usize], scratch: &mut Scratch) {
        for block in &self.blocks {
            block.norm1.apply(&scratch.state, &mut scratch.normed);
            block.query.apply(&scratch.normed, &mut scratch.query, &mut scratch.spare);
            block.key.apply(&scratch.normed, &mut scratch.key, &mut scratch.spare);
            block.value.apply(&scratch.normed, &mut scratch.value, &mut scratch.spare);
            self.attend(counts, scratch);
            block.output.apply(&scratch.one, &mut scratch.two, &mut scratch.spare);
            add(&mut scratch.state, &scratch.two);
            block.norm2.apply(&scratch.state, &mut scratch.normed);
            block.up.apply(&scratch.normed, &mut scratch.one, &mut scratch.spare);
            gelu(&mut scratch.one);
            block.down.apply(&scratch.one, &mut scratch.two, &mut scratch.spare);
            add(&mut scratch.state, &scratch.two);
        }
        self.norm.apply(&scratch.state, &mut scratch.normed);
        self.head.apply(&scratch.normed, &mut scratch.one, &mut scratch.spare);
        gelu(&mut scratch.one);
    }

    /// Attention within each conflict: from `query`, `key` and `value` into `one`.
    fn attend(&self, counts: &[usize], scratch: &mut Scratch) {
        let Scratch { query, key, value, shares, one, .. } = scratch;
        let (width, size) = (self.width, self.width / self.heads);
        let scale = 1.0 / (size as f32).sqrt();
        one.clear();
        one.resize(query.len(), 0.0);
        let mut begun = 0;
        for count in counts {
            let end = (begun + count).min(query.len() / width);
            for head in 0..self.heads {
                let part = |party: usize| party * width + head * size..party * width + (head + 1) * size;
                for party in begun..end {
                    shares.clear();
                    let own = &query[part(party)];
                    shares.extend((begun..end).map(|other| dot(own, &key[part(other)]) * scale));
                    softmax(shares);
                    let sum = &mut one[part(party)];
                    for (share, other) in shares.iter().zip(begun..end) {
                        for (sum, value) in sum.iter_mut().zip(&value[part(other)]) {
                            *sum += share * value;
                        }
                    }
                }
            }
            begun = end;
        }
    }
}

fn add(sums: &mut [f32], values: &[f32]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}
