//! Records of the Linux audit system, as the daemon writes them.

use std::fmt::Write as _;

use super::Record;
use crate::scenario::{Execution, Script};

pub(super) fn render(script: &Script, records: Vec<Record<'_>>) -> Result<Vec<u8>, String> {
    let mut out = String::new();
    for (serial, mut record) in (4_000 + script.seed % 900..).zip(records) {
        let stamp = format!("audit({}.{:03}:{serial})", record.micros / 1_000_000, record.micros / 1_000 % 1_000);
        if let Some(exec) = &record.step.exec {
            execution(&mut out, &stamp, exec, &mut record)?;
            continue;
        }
        let lines = record.step.line.as_deref().ok_or("a step of an audit source needs `exec` or `line`")?;
        let lines = record.values.fill(lines, &mut record.rng)?;
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (kind, rest) = line.split_once(' ').ok_or_else(|| format!("`{line}`: expected `KIND FIELDS`"))?;
            let _ = writeln!(out, "type={kind} msg={stamp}: {rest}");
        }
    }
    Ok(out.into_bytes())
}

/// The records of one program that starts: the call, its arguments, the folder and the title.
fn execution(out: &mut String, stamp: &str, exec: &Execution, record: &mut Record<'_>) -> Result<(), String> {
    let argv = record.values.fill(&exec.argv, &mut record.rng)?;
    let arguments = arguments(&argv);
    let (pid, parent) = (2_000 + record.rng.below(28_000), 900 + record.rng.below(1_000));
    let Execution { exe, uid, user, cwd, .. } = exec;
    let name = exe.rsplit('/').next().unwrap_or(exe);
    // Writing to a text cannot fail.
    let _ = writeln!(
        out,
        "type=SYSCALL msg={stamp}: arch=c000003e syscall=59 success=yes exit=0 a0=55d0 a1=55d1 a2=55d2 a3=8 items=2 \
         ppid={parent} pid={pid} auid=4294967295 uid={uid} gid={uid} euid={uid} suid={uid} fsuid={uid} egid={uid} \
         sgid={uid} fsgid={uid} tty=(none) ses=4294967295 comm=\"{name}\" exe=\"{exe}\" key=\"exec\"\u{1d}\
         ARCH=x86_64 SYSCALL=execve AUID=\"unset\" UID=\"{user}\" GID=\"{user}\" EUID=\"{user}\""
    );
    let _ = write!(out, "type=EXECVE msg={stamp}: argc={}", arguments.len());
    for (index, argument) in arguments.iter().enumerate() {
        let _ = write!(out, " a{index}={}", value(argument));
    }
    out.push('\n');
    let _ = writeln!(out, "type=CWD msg={stamp}: cwd=\"{cwd}\"");
    let title = arguments.join("\0");
    let title: String = title.bytes().map(|byte| format!("{byte:02X}")).collect();
    let _ = writeln!(out, "type=PROCTITLE msg={stamp}: proctitle={title}");
    Ok(())
}

/// A value as the audit system writes it: in quotation marks, or as hexadecimal digits where it has blanks or quotation marks.
fn value(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
    if is_plain { format!("\"{text}\"") } else { text.bytes().map(|byte| format!("{byte:02X}")).collect() }
}

/// Arguments with blanks between them; `'…'` holds blanks together.
fn arguments(text: &str) -> Vec<String> {
    let (mut arguments, mut current, mut quoted, mut begun) = (Vec::new(), String::new(), false, false);
    for letter in text.chars() {
        match letter {
            '\'' => (quoted, begun) = (!quoted, true),
            ' ' if !quoted => {
                if begun {
                    arguments.push(std::mem::take(&mut current));
                }
                begun = false;
            }
            letter => {
                current.push(letter);
                begun = true;
            }
        }
    }
    if begun {
        arguments.push(current);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::{arguments, value};

    #[test]
    fn arguments_and_values_are_written_as_the_system_writes_them() {
        assert_eq!(arguments("sh -c 'id; ls /'  x"), ["sh", "-c", "id; ls /", "x"]);
        assert_eq!(value("/bin/sh"), "\"/bin/sh\"");
        assert_eq!(value("a b"), "612062");
    }
}
