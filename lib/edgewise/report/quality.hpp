#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/report/html_page.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/targets/metrics.hpp"

/// @file
/// How good predictions are, as parts of a page: tables and curves over items with known labels.
namespace edgewise::report {

/// Predictions, and the items that they are judged by.
struct Scored {
  const train::Dataset& data;  ///< With the names of the items.
  const data::Labels& labels;
  const Matrix& predictions;      ///< [items, names]
  std::vector<graph::Node> items;  ///< Those with a known label.
  std::string part;               ///< "test", "all", ...
};

/// "335 test nodes", "12 molecules".
std::string items_of(const Scored& scored);
/// "nodes", "ties", "edges", "molecules", "reactions" or "graphs".
const char* noun_of(const train::Dataset& data);

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

/// The ROC, precision-recall and reliability curves of classes or labels.
std::vector<Figure> curve_figures(const Scored& scored);

/// Figures and tables: of classes and labels the confusion matrix, the ROC, precision-recall and reliability curves; of
/// numbers the predictions beside the truth; of ties see link_quality.hpp.
std::string quality_sections(const Scored& scored);

/// Classes and labels shown in curves; the most frequent ones.
inline constexpr std::size_t kMostCurves = 6;
/// Classes shown in tables.
inline constexpr std::size_t kMostRows = 50;
/// Classes of which the whole confusion matrix is shown.
inline constexpr std::size_t kMostConfused = 20;

}  // namespace edgewise::report
