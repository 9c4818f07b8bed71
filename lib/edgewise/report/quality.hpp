#pragma once

#include <span>
#include <string>

#include "edgewise/report/scored.hpp"

/// @file
/// How good predictions are, as parts of a page: tables and curves over items with known labels.
namespace edgewise::report {

/// What the score comes to, in a sentence: beside a prediction that looks at no item, which is that of `from`, and
/// beside what may be chance. `score`: as it is printed; `value`: the same as a number; `deviations`: as for
/// train::evaluate.
struct Answer {
  std::string model;
  std::string metric;
  std::string score;
  double value;
  std::span<const graph::Node> from;
  std::span<const double> deviations;
};
std::string answer_of(const Scored& scored, const Answer& answer);

/// Figures and tables: of classes and labels the confusion matrix, the ROC, precision-recall and reliability curves; of
/// numbers the predictions beside the truth; of ties see link_quality.hpp.
std::string quality_sections(const Scored& scored);

}  // namespace edgewise::report
