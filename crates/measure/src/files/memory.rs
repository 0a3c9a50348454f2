//! How much memory there is, so that what no memory holds is refused before it is asked for: a failed allocation would end
//! the process without a word of ours.

use std::fs;

/// The bytes that this process may still take: what the machine has, or what its limit leaves (`ulimit -v`), where the
/// system says.
pub fn available() -> Option<u64> {
    let machine = number(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")? * 1024;
    let limit = fs::read_to_string("/proc/self/limits").ok();
    let limit = limit.and_then(|limits| number(&limits, "Max address space"));
    let used = fs::read_to_string("/proc/self/status").ok();
    let used = used.and_then(|status| number(&status, "VmSize:")).unwrap_or(0) * 1024;
    Some(limit.map_or(machine, |limit| machine.min(limit.saturating_sub(used))))
}

/// The number behind a word at the start of a line; nothing if it is none, such as "unlimited".
fn number(text: &str, word: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(word))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_behind_their_words() {
        let limits = "Max cpu time   unlimited  unlimited  seconds\nMax address space   4096  unlimited  bytes\n";
        assert_eq!(number(limits, "Max address space"), Some(4096));
        assert_eq!((number(limits, "Max cpu time"), number(limits, "none")), (None, None));
        if cfg!(target_os = "linux") {
            assert!(available().unwrap() > 1 << 20);
        }
    }
}
