//! Blue's table, typed and as the challenge prints it.

use std::net::Ipv4Addr;

use crate::dynamics::{Activity, Compromised, State};
use crate::facts::{HOSTS, Host};
use crate::names::Names;

/// A row of blue's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlueRow {
    /// The host.
    pub host: Host,
    /// The first address of its /28 subnet.
    pub subnet: Ipv4Addr,
    /// Its address.
    pub address: Ipv4Addr,
    /// Its traffic in the last step.
    pub activity: Activity,
    /// What is believed of it.
    pub compromised: Compromised,
}

pub(crate) fn rows(state: &State) -> [BlueRow; 13] {
    HOSTS.map(|host| row(state, host))
}

fn row(state: &State, host: Host) -> BlueRow {
    BlueRow {
        host,
        subnet: Ipv4Addr::from_bits(state.blocks[host.subnet() as usize]),
        address: Ipv4Addr::from_bits(state.addresses[host.index()]),
        activity: state.table.activity(host),
        compromised: state.table.compromised(host),
    }
}

/// Appends the table in the manner of PrettyTable: columns centred, sorted by host name.
pub(crate) fn write_table(state: &State, names: &Names, out: &mut String) {
    let mut lines = vec![["Subnet", "IP Address", "Hostname", "Activity", "Compromised"].map(str::to_owned)];
    for host in names.sorted_hosts() {
        let row = row(state, *host);
        lines.push([
            format!("{}/28", row.subnet),
            row.address.to_string(),
            names.host(*host).to_owned(),
            row.activity.name().to_owned(),
            row.compromised.name().to_owned(),
        ]);
    }
    let widths: [usize; 5] =
        std::array::from_fn(|column| lines.iter().map(|line| line[column].len()).max().unwrap_or_default());
    let rule = |out: &mut String| {
        for width in widths {
            out.push('+');
            out.extend(std::iter::repeat_n('-', width + 2));
        }
        out.push('+');
    };
    rule(out);
    out.push('\n');
    for (at, line) in lines.iter().enumerate() {
        for (cell, width) in line.iter().zip(widths) {
            out.push_str("| ");
            centre(cell, width, out);
            out.push(' ');
        }
        out.push_str("|\n");
        if at == 0 {
            rule(out);
            out.push('\n');
        }
    }
    rule(out);
}

fn centre(cell: &str, width: usize, out: &mut String) {
    let spare = width - cell.len();
    // An odd blank goes to the right of texts of odd length and to the left of others.
    let left = if spare % 2 == 1 && cell.len().is_multiple_of(2) { spare / 2 + 1 } else { spare / 2 };
    out.extend(std::iter::repeat_n(' ', left));
    out.push_str(cell);
    out.extend(std::iter::repeat_n(' ', spare - left));
}
