#pragma once

#include <cstddef>
#include <cstdint>

namespace edgewise {

/// The largest resident size this process has had, in MiB.
double peak_rss_mib();

/// Bytes that this process may still take: what the system has free, and what the limit on its address space (ulimit
/// -v) and its control group leave. 2^63 where nothing is said.
std::uint64_t available_memory();

/// Asks for large pages (2 MiB on x86-64) under a buffer that was not written to yet, where it is large; Linux mostly
/// gives them on request only. Rows that are read at random places then need far fewer page tables in the caches.
void ask_for_large_pages(void* data, std::size_t bytes);

}  // namespace edgewise
