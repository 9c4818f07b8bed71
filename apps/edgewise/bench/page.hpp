#pragma once

#include <string>

#include "bench/report.hpp"

namespace edgewise::app {

/// A self-contained HTML page with the answer, curves, limits, crossovers and all numbers.
std::string to_page(const BenchReport& report);

/// What the measurements come to, in a sentence.
std::string answer_of(const BenchReport& report);

/// The tables of the page: crossovers and measurements.
std::string to_tables(const BenchReport& report);

}  // namespace edgewise::app
