#pragma once

#include <string>

#include "bench/report.hpp"

namespace edgewise::app {

/// A self-contained HTML page with curves, limits, crossovers and all numbers. Well-formed XML, no scripts.
std::string to_page(const BenchReport& report);

/// The tables of the page: crossovers and measurements.
std::string to_tables(const BenchReport& report);

}  // namespace edgewise::app
