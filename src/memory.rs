//! Memory for large tables, on huge pages where the system offers them.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, handle_alloc_error};

use bytemuck::Zeroable;

/// `count` zeros, or `None` when the memory is not to be had.
pub(crate) fn zeroed_slice<T: Zeroable>(count: usize) -> Option<Box<[T]>> {
    let mut values: Vec<T> = Vec::new();
    values.try_reserve_exact(count).ok()?;
    // Before the first touch: pages that are there already stay small.
    advise_huge_pages(values.as_ptr() as usize, count * size_of::<T>());
    // SAFETY: there is room for `count` values, and all zeros is a value of the type.
    unsafe {
        values.as_mut_ptr().write_bytes(0, count);
        values.set_len(count);
    }
    Some(values.into_boxed_slice())
}

/// Size and alignment of a huge page on the systems that offer them.
const HUGE_PAGE: usize = 2 << 20;

/// A value of zeros. To lie on huge pages it must be aligned to them.
pub(crate) fn zeroed_box<T: Zeroable>() -> Box<T> {
    let layout = Layout::new::<T>();
    assert!(layout.size() > 0);
    // SAFETY: the layout is not empty; the memory has it, and holds a value once it is zeroed.
    unsafe {
        let memory = alloc(layout);
        if memory.is_null() {
            handle_alloc_error(layout);
        }
        advise_huge_pages(memory as usize, layout.size());
        memory.write_bytes(0, layout.size());
        Box::from_raw(memory.cast())
    }
}

/// Asks the system to back an allocation of this program, given by address and size, with huge pages; has no effect on
/// its contents and none where unsupported.
fn advise_huge_pages(address: usize, size: usize) {
    #[cfg(target_os = "linux")]
    {
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
    let _ = (address, size, HUGE_PAGE);
}
