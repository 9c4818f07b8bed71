#pragma once

#include <vector>

#include "edgewise/report/html_page.hpp"
#include "edgewise/report/scored.hpp"

namespace edgewise::report {

/// The ROC, precision-recall and reliability curves of classes or labels.
std::vector<Figure> curve_figures(const Scored& scored);
/// The first two.
std::vector<Figure> ranking_figures(const Scored& scored);
Figure reliability_figure(const Scored& scored);

}  // namespace edgewise::report
