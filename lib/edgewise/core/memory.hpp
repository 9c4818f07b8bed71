#pragma once

namespace edgewise {

/// The largest resident size this process has had, in MiB.
double peak_rss_mib();

}  // namespace edgewise
