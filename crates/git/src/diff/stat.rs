//! The summary of a diff as `git format-patch` writes it above the diff: a line for each
//! file with a bar for its changes, the totals, and what was created, deleted or renamed.

use super::shown::WrittenFile;
use super::unified::quoted;
use super::{FileChange, FileStatus};
use crate::tree::Mode;

/// The width of a line.
const WIDTH: usize = 72;

/// The width of a line besides the name, the number and the bar.
const FRAME: usize = 6;

/// The narrowest bar.
const LEAST_BAR: usize = 6;

/// How wide the parts of a line are.
struct Widths {
    name: usize,
    number: usize,
    bar: usize,
    largest: usize,
}

/// The summary; empty if nothing changed.
pub fn summary(files: &[WrittenFile]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let names: Vec<String> = files
        .iter()
        .map(|file| display_name(&file.change))
        .collect();
    let widths = Widths::of(files, &names);
    let lines = files.iter().zip(&names);
    let mut text: String = lines.map(|(file, name)| widths.line(file, name)).collect();
    text.push_str(&totals(files));
    let events = files.iter().filter_map(|file| event(&file.change));
    text.extend(events);
    text
}

impl Widths {
    /// Git's own arithmetic: the bar gets up to three eighths of the line if the name
    /// needs the rest.
    fn of(files: &[WrittenFile], names: &[String]) -> Self {
        let largest = files.iter().map(changed).max().unwrap_or(0);
        let binary = files.iter().any(|file| file.binary);
        let number = match binary {
            true => largest.to_string().len().max("Bin".len()),
            false => largest.to_string().len(),
        };
        let mut bar = largest;
        let mut name = names.iter().map(String::len).max().unwrap_or(0);
        if name + number + FRAME + bar > WIDTH {
            let share = (WIDTH * 3 / 8).saturating_sub(number + FRAME);
            bar = bar.min(share.max(LEAST_BAR));
            let available = WIDTH - number - FRAME;
            match name > available - bar {
                true => name = available - bar,
                false => bar = available - name,
            }
        }
        Self {
            name,
            number,
            bar,
            largest,
        }
    }

    fn line(&self, file: &WrittenFile, name: &str) -> String {
        let name = shortened(name, self.name);
        let gap = " ".repeat(self.name.saturating_sub(name.len()));
        if file.binary {
            return format!(" {name}{gap} | {:>width$}\n", "Bin", width = self.number);
        }
        let (added, deleted) = self.bar(file);
        let bar = format!("{}{}", "+".repeat(added), "-".repeat(deleted));
        let space = if bar.is_empty() { "" } else { " " };
        let number = changed(file);
        format!(
            " {name}{gap} | {number:>width$}{space}{bar}\n",
            width = self.number
        )
    }

    fn bar(&self, file: &WrittenFile) -> (usize, usize) {
        let (added, deleted) = (file.additions, file.deletions);
        if self.largest <= self.bar {
            return (added, deleted);
        }
        let both = added > 0 && deleted > 0;
        let total = self.scaled(added + deleted).max(if both { 2 } else { 0 });
        match added < deleted {
            true => (self.scaled(added), total - self.scaled(added)),
            false => (total - self.scaled(deleted), self.scaled(deleted)),
        }
    }

    /// A number of lines as a length, at least 1 unless there are none.
    fn scaled(&self, lines: usize) -> usize {
        match lines {
            0 => 0,
            lines => 1 + lines * (self.bar - 1) / self.largest,
        }
    }
}

fn changed(file: &WrittenFile) -> usize {
    file.additions + file.deletions
}

/// A name that is too long loses its beginning, at a slash if there is one.
fn shortened(name: &str, width: usize) -> String {
    if name.len() <= width {
        return name.to_owned();
    }
    let mut start = name.len() - width.saturating_sub(3);
    while !name.is_char_boundary(start) {
        start += 1;
    }
    let rest = &name[start..];
    let rest = rest.find('/').map_or(rest, |slash| &rest[slash..]);
    format!("...{rest}")
}

fn totals(files: &[WrittenFile]) -> String {
    let sum = |of: fn(&WrittenFile) -> usize| files.iter().map(of).sum::<usize>();
    let (added, deleted) = (sum(|file| file.additions), sum(|file| file.deletions));
    let plural = |count| if count == 1 { "" } else { "s" };
    let mut text = format!(" {} file{} changed", files.len(), plural(files.len()));
    if added > 0 || deleted == 0 {
        text.push_str(&format!(", {added} insertion{}(+)", plural(added)));
    }
    if deleted > 0 || added == 0 {
        text.push_str(&format!(", {deleted} deletion{}(-)", plural(deleted)));
    }
    text + "\n"
}

/// A line for a file that did not only change its content.
fn event(change: &FileChange) -> Option<String> {
    let name = display_name(change);
    match (change.status, &change.old, &change.new) {
        (FileStatus::Added, _, Some(new)) => {
            Some(format!(" create mode {} {name}\n", octal(new.mode)))
        }
        (FileStatus::Deleted, Some(old), _) => {
            Some(format!(" delete mode {} {name}\n", octal(old.mode)))
        }
        (FileStatus::Renamed { similarity }, Some(old), Some(new)) => {
            let mode = match old.mode == new.mode {
                true => String::new(),
                false => format!(" mode change {} => {}\n", octal(old.mode), octal(new.mode)),
            };
            Some(format!(" rename {name} ({similarity}%)\n{mode}"))
        }
        (_, Some(old), Some(new)) if old.mode != new.mode => {
            let (old, new) = (octal(old.mode), octal(new.mode));
            Some(format!(" mode change {old} => {new} {name}\n"))
        }
        _ => None,
    }
}

fn octal(mode: Mode) -> &'static str {
    mode.octal()
}

/// The path; for a renamed file both paths, with their common parts written once.
fn display_name(change: &FileChange) -> String {
    let quoted = |path: &[u8]| String::from_utf8_lossy(&quoted(path)).into_owned();
    let (Some(old), Some(new), FileStatus::Renamed { .. }) =
        (&change.old, &change.new, change.status)
    else {
        return quoted(change.path());
    };
    let (old, new) = (quoted(&old.path), quoted(&new.path));
    if old.starts_with('"') || new.starts_with('"') {
        return format!("{old} => {new}");
    }
    renamed(&old, &new)
}

/// `a/{b => c}/d`
fn renamed(old: &str, new: &str) -> String {
    let common = old.bytes().zip(new.bytes());
    let common = common.take_while(|(old, new)| old == new).count();
    let start = old[..floor(old, common)].rfind('/').map_or(0, |at| at + 1);
    // The slash before the part that differs may also end it: `a/{ => b}/c`.
    let longest = old.len().min(new.len()) - start.saturating_sub(1).min(start);
    let ends = old.bytes().rev().zip(new.bytes().rev());
    let ends = ends
        .take_while(|(old, new)| old == new)
        .count()
        .min(longest);
    let tail = &old[ceil(old, old.len() - ends)..];
    let tail = tail.find('/').map_or("", |slash| &tail[slash..]);
    if start == 0 && tail.is_empty() {
        return format!("{old} => {new}");
    }
    let middle = |path: &str| path[start..(path.len() - tail.len()).max(start)].to_owned();
    format!(
        "{}{{{} => {}}}{tail}",
        &old[..start],
        middle(old),
        middle(new)
    )
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_paths_share_is_written_once() {
        assert_eq!(renamed("a", "b"), "a => b");
        assert_eq!(renamed("src/a.rs", "src/b.rs"), "src/{a.rs => b.rs}");
        assert_eq!(renamed("a/b/c", "a/x/c"), "a/{b => x}/c");
        assert_eq!(renamed("a/c", "a/b/c"), "a/{ => b}/c");
        assert_eq!(renamed("a/b/c", "a/c"), "a/{b => }/c");
    }

    #[test]
    fn a_long_name_loses_its_beginning() {
        assert_eq!(shortened("a/bc/def", 8), "a/bc/def");
        assert_eq!(shortened("a/bc/def", 7), ".../def");
        assert_eq!(shortened("abcdefgh", 6), "...fgh");
    }
}
