//! Huge pages for the transposition table, where the system offers them.
#![allow(unsafe_code)]

/// Asks the system to back `region` with huge pages; has no effect on its contents and none where unsupported.
pub(super) fn advise_huge_pages<T>(region: &mut [std::mem::MaybeUninit<T>]) {
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
