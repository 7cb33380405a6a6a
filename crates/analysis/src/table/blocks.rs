//! How a wide table is broken into blocks that repeat the labels.

use super::{ColumnKind, Table, printable};

/// Characters between two columns.
pub(super) const GAP: usize = 2;

/// Width of each column in characters; words count for no more than `longest`.
pub(super) fn widths(table: &Table, longest: usize) -> Vec<usize> {
    table
        .columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let cell = |row: usize| {
                let length = length(&printable(&table.shown(row, index)));
                if column.is_numeric() { length } else { length.min(longest) }
            };
            let widest = (0..table.rows.len()).map(cell).max().unwrap_or(0);
            widest.max(length(&printable(&column.heading())))
        })
        .collect()
}

/// The columns of each block: the labels, then as many whole groups as fit; a group that is too wide by itself is cut
/// where it must be. Among the ways with as few blocks, the one whose widest block is narrowest: no lone column drags
/// the labels of the whole table behind it.
pub(super) fn blocks(table: &Table, width: usize, longest: usize) -> Vec<Vec<usize>> {
    let widths = widths(table, longest);
    let is_label = |column: &usize| table.columns[*column].kind == ColumnKind::Label;
    let (labels, rest): (Vec<usize>, Vec<usize>) = (0..table.columns.len()).partition(is_label);
    let label_width: usize = labels.iter().map(|&column| widths[column] + GAP).sum();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for column in rest {
        match groups.last_mut() {
            Some(group) if table.columns[group[0]].group == table.columns[column].group => group.push(column),
            _ => groups.push(vec![column]),
        }
    }
    let room = width.saturating_sub(label_width);
    let mut blocks = pack(&groups, &widths, room);
    if blocks.is_empty() {
        blocks.push(Vec::new());
    }
    // Groups that fit as a whole stay whole.
    let whole = groups.iter().map(|group| size(group, &widths)).filter(|size| *size <= room).max().unwrap_or(0);
    let narrower = (whole.max(1)..room).find_map(|narrow| {
        let packed = pack(&groups, &widths, narrow);
        (packed.len() == blocks.len()).then_some(packed)
    });
    let blocks = narrower.unwrap_or(blocks);
    blocks.into_iter().map(|block| labels.iter().copied().chain(block).collect()).collect()
}

/// Width of columns side by side.
fn size(columns: &[usize], widths: &[usize]) -> usize {
    (columns.iter().map(|&column| widths[column] + GAP).sum::<usize>()).saturating_sub(GAP)
}

/// As many whole groups a block as fit.
fn pack(groups: &[Vec<usize>], widths: &[usize], room: usize) -> Vec<Vec<usize>> {
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    for group in groups {
        match blocks.last_mut() {
            Some(block) if size(block, widths) + GAP + size(group, widths) <= room => block.extend(group),
            _ => {
                let mut block = Vec::new();
                for &column in group {
                    if !block.is_empty() && size(&block, widths) + GAP + widths[column] > room {
                        blocks.push(std::mem::take(&mut block));
                    }
                    block.push(column);
                }
                blocks.push(block);
            }
        }
    }
    blocks
}

pub(super) fn length(text: &str) -> usize {
    text.chars().count()
}
