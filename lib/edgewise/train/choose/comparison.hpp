#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/train/choose/chance.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/config/variant.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Comparing several models on the same splits: which is best, and what the graph and attention contribute.
namespace edgewise::train {

/// Share of the training labels used as input when a model with neighbour labels as input is tried.
inline constexpr double kShownLabels = 0.5;

/// The models that fit the data, from the simplest to those with attention. If less than a tenth of the nodes are
/// training nodes in the first run, a model that carries labels far, over many steps, is added at the end.
std::vector<std::string> models_to_compare(const Config& config, const Dataset& data);

/// The name of an average of models.
inline constexpr const char* kAverage = "average";

/// A model and its metric, one per run; run r of every model has the same seed and split.
struct Contender {
  Variant variant;
  std::vector<double> validation = {};
  std::vector<double> test = {};
  double seconds = 0;  ///< Over all runs.

  std::string name() const { return variant.name(); }
};

/// How much better one model is than another, over paired runs: positive if better, in the metric's own direction.
struct Difference {
  double mean = 0;
  double std = 0;  ///< Sample standard deviation; NaN for one run.
  std::size_t runs = 0;
  double margin = 0;  ///< What the mean may be by chance: two standard errors.

  bool is_clear() const;
};

/// The sample of the items with a role in a run.
Sample sample_of(const Config& config, const Dataset& data, std::int64_t run, data::Role role);

/// The sample of the test items of the first run.
Sample test_sample(const Config& config, const Dataset& data);

/// The difference on the test items, over the runs in which both metrics are defined. The margin comes from the
/// variation between runs; with fewer than 3 runs, or if it is larger and all runs share them, from `sample`, the test
/// items of one run: other runs do not show what other items would give.
Difference difference(const Contender& better, const Contender& than, const std::string& metric, const Sample& sample);

/// Index of the contender with the best mean on the validation items, the first in case of a tie. Throws UsageError if
/// there are none.
std::size_t best_of(const std::vector<Contender>& contenders, const std::string& metric);
/// The same among networks only, or among all others; nothing if there are none.
std::optional<std::size_t> best_of_kind(const std::vector<Contender>& contenders, const std::string& metric,
                                        bool is_network);

/// The contender to try again with neighbour labels as input: the best on the validation items that uses both features
/// and edges. Nothing if there is none, if there are no edges or several graphs, or if the configuration already
/// decides on labels as input.
std::optional<std::size_t> to_try_with_labels(const Config& config, const Dataset& data,
                                              const std::vector<Contender>& contenders, const std::string& metric);

/// The contender to try again with the names of neighbours as input (Inputs::words), likewise, if there is a kind of
/// nodes without columns.
std::optional<std::size_t> to_try_with_words(const Config& config, const Dataset& data,
                                             const std::vector<Contender>& contenders, const std::string& metric);

/// The contender to try again without edges, likewise, if the best of all uses edges.
std::optional<std::size_t> to_try_without_edges(const Dataset& data, const std::vector<Contender>& contenders,
                                                const std::string& metric);

/// The contender to try again with the identities of the nodes in place of their features: likewise, if label
/// propagation, which sees neither, is at least as good as the best network that uses features and edges.
std::optional<std::size_t> to_try_without_features(const Config& config, const Dataset& data,
                                                   const std::vector<Contender>& contenders,
                                                   std::optional<double> of_label_propagation,
                                                   const std::string& metric);

/// The best on the validation items and all that are less than `chance` behind it, best first.
std::vector<std::size_t> alike(const std::vector<Contender>& contenders, const std::string& metric,
                               const Sample& sample);

/// Which contenders are kept.
struct Kept {
  std::vector<std::size_t> places;    ///< One, or several that are averaged.
  /// Metric of an average that beats all, or is `as_good_as` the best; else they are indistinguishable.
  std::optional<double> average = {};
  std::optional<std::size_t> as_good_as = {};  ///< The best, if what is kept instead is as good.
};

/// What models that look at more than the item itself see, for sentences about what this adds.
struct GraphWording {
  const char* subject = "the graph";
  const char* object = "the edges";
};

/// Of data with many graphs but no edges, such as sequences, texts and grids: the other nodes.
GraphWording graph_wording(const Dataset& data);

/// Why these are kept, in a plain sentence: what the graph adds, or that it does not help. `sample` is of the
/// validation items.
std::string reason(const std::vector<Contender>& contenders, const std::string& metric, const Sample& sample,
                   const Kept& kept, const GraphWording& wording = {});

/// The conclusions in plain sentences: whether the graph helps, whether attention does, whether a baseline is as good
/// as the best model, and which model to use. `sample` is of the test items of a run.
std::vector<std::string> verdict(const std::vector<Contender>& contenders, const std::string& metric,
                                 const Sample& sample, const GraphWording& wording = {});

}  // namespace edgewise::train
