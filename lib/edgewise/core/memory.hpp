#pragma once

#include <cstddef>
#include <cstdint>

namespace edgewise {

/// The size of a page of this system: 4096 on x86-64, up to 65536 elsewhere.
std::size_t page_bytes();

/// The peak resident size of this process, in MiB.
double peak_rss_mib();

/// Bytes that this process may still allocate: what the system has available, or less if the limit on its address space
/// (ulimit -v) or its control group leaves less. 2^63 if none of these is known.
std::uint64_t available_memory();

/// Requests large pages (2 MiB on x86-64) for a buffer that was not written to yet, if it is large; Linux usually
/// provides them only on request. Reading rows at random places then needs far fewer page tables in the caches.
void request_large_pages(void* data, std::size_t bytes);

}  // namespace edgewise
