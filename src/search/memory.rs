//! Memory for the transposition table, on huge pages where the system offers them.
#![allow(unsafe_code)]

use super::table::Bucket;

/// `count` empty buckets, or `None` when the memory is not to be had.
pub(super) fn empty_buckets(count: usize) -> Option<Box<[Bucket]>> {
    let mut buckets: Vec<Bucket> = Vec::new();
    buckets.try_reserve_exact(count).ok()?;
    // Before the first touch: pages that are there already stay small.
    advise_huge_pages(buckets.as_ptr() as usize, count * size_of::<Bucket>());
    // SAFETY: there is room for `count` buckets, and a bucket is nothing but atomic integers, for which all zeros is a
    // value.
    unsafe {
        buckets.as_mut_ptr().write_bytes(0, count);
        buckets.set_len(count);
    }
    Some(buckets.into_boxed_slice())
}

/// Asks the system to back an allocation of this program, given by address and size, with huge pages; has no effect on
/// its contents and none where unsupported.
fn advise_huge_pages(address: usize, size: usize) {
    #[cfg(target_os = "linux")]
    {
        const HUGE_PAGE: usize = 2 << 20;
        let start = address.next_multiple_of(HUGE_PAGE);
        let end = (address + size) & !(HUGE_PAGE - 1);
        if end > start {
            // SAFETY: the range lies within memory owned by the caller; the advice changes how pages are backed, not
            // what they hold. Failure is harmless and ignored.
            unsafe {
                libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (address, size);
}
