//! Memory for the transposition table: zeroed by the system page by page as it is used, on huge pages where offered.
#![allow(unsafe_code)]

use bytemuck::{Zeroable, allocation::try_zeroed_slice_box};

use super::table::Bucket;

// SAFETY: a bucket is nothing but atomic integers, for which all zeros is a value.
unsafe impl Zeroable for Bucket {}

/// `count` empty buckets, or `None` when the memory is not to be had.
pub(super) fn empty_buckets(count: usize) -> Option<Box<[Bucket]>> {
    let mut buckets = try_zeroed_slice_box::<Bucket>(count).ok()?;
    advise_huge_pages(&mut buckets);
    Some(buckets)
}

/// Asks the system to back `region` with huge pages; has no effect on its contents and none where unsupported.
fn advise_huge_pages<T>(region: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        const HUGE_PAGE: usize = 2 << 20;
        let start = (region.as_mut_ptr() as usize).next_multiple_of(HUGE_PAGE);
        let end = (region.as_mut_ptr() as usize + size_of_val(region)) & !(HUGE_PAGE - 1);
        if end > start {
            // SAFETY: the range lies within memory owned by `region`; the advice changes how pages are backed, not
            // what they hold. Failure is harmless and ignored.
            unsafe {
                libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = region;
}
