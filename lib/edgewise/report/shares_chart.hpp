#pragma once

#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/report/svg_chart.hpp"

namespace edgewise::report {

/// The chart of `compare --shares`: the test metric of each model over the share of the training items, with error bars
/// of one standard deviation over the runs. `shares` is the member of that name in `edgewise.compare/1`.
Chart shares_chart(const std::string& dataset, const json::Array& shares);

}  // namespace edgewise::report
