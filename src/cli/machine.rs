//! What this machine has.

/// Physical memory in MiB (or the limit of the container), where it can be told.
pub fn memory_mib() -> Option<u64> {
    let physical = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib / 1024)
    });
    let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse::<u64>().ok())
        .map(|bytes| bytes >> 20);
    physical.into_iter().chain(limit).min()
}
