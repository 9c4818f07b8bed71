#pragma once

#include <string>

#include "bench/report.hpp"

namespace edgewise::app {

/// One HTML page that needs nothing else: curves, limits, crossovers and all numbers. Well-formed XML, no scripts.
std::string to_page(const BenchReport& report);

/// Its tables: crossovers and measurements.
std::string to_tables(const BenchReport& report);

}  // namespace edgewise::app
