#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::data {

/// How labels are kept, whatever is learnt from them.
enum class LabelShape : std::uint8_t {
  classes,  ///< One class for each item: Labels::classes.
  flags,    ///< Any number of labels for each item: Labels::targets, 0 or 1.
  numbers,  ///< One number or more for each item: Labels::targets.
};

/// "classes", "flags", "numbers".
std::string_view name_of(LabelShape shape);

/// What is learnt from labels: its name, and what labels it needs. What else a task means is in train/targets/.
struct Task {
  std::string_view name;  ///< In requests and model files; a literal.
  LabelShape shape = LabelShape::classes;
  bool takes_bounds = false;  ///< Numbers: bounds such as >5 may take the place of values.
  bool are_whole = false;     ///< Numbers: there are only whole ones.
  float least = -std::numeric_limits<float>::infinity();  ///< Numbers: there are none below.
  /// Flags, of one name: an item is judged beside candidates for its place, whose predictions follow its own.
  bool has_candidates = false;

  bool has_classes() const { return shape == LabelShape::classes; }
  bool has_flags() const { return shape == LabelShape::flags; }
  bool has_numbers() const { return shape == LabelShape::numbers; }
  bool takes(float number) const { return number >= least && (!are_whole || std::floor(number) == number); }
  /// "a whole number of at least 0": what `takes` expects.
  std::string expected() const;
  bool operator==(const Task& other) const { return name == other.name; }

  /// What is learnt from labels of a shape unless something else is asked for.
  static const Task classification, multilabel, regression;
};

inline constexpr Task Task::classification{"classification", LabelShape::classes};
inline constexpr Task Task::multilabel{"multilabel", LabelShape::flags};
inline constexpr Task Task::regression{"regression", LabelShape::numbers, true};

/// One of the tasks above; nullptr for any other name.
const Task* find_plain_task(std::string_view name);
using FindTask = const Task* (*)(std::string_view name);

/// The labels of items and their names.
struct Labels {
  Task task = Task::classification;
  std::vector<std::string> names;  ///< Classes, labels or targets.
  std::vector<std::int32_t> classes;  ///< [items], index into `names`, -1 where unknown.
  /// Of two classes, the one whose ranking is measured; nothing: the rarer one (see train::positive_class).
  std::optional<std::int32_t> positive = {};
  Matrix targets;  ///< Flags (0 or 1) and numbers: [items, names], NaN where unknown.
  /// Numbers with bounds in place of some values: [items, names], NaN where there is none, or empty without bounds.
  /// Where there is a bound, the target is NaN.
  Matrix lower_bounds = {};
  Matrix upper_bounds = {};

  /// How much each item counts in the loss; empty: all alike.
  std::vector<float> weights = {};
  /// Whether predictions of classes and labels are usually judged by how they rank the items, as those of molecules
  /// are.
  bool are_ranked = false;

  bool has_classes() const { return task.has_classes(); }
  bool has_flags() const { return task.has_flags(); }
  bool has_numbers() const { return task.has_numbers(); }
  bool has_bounds() const { return lower_bounds.size() > 0; }

  std::size_t item_count() const { return has_classes() ? classes.size() : static_cast<std::size_t>(targets.rows()); }
  /// What an item is asked for: the class, or as many labels or numbers as there are names.
  Eigen::Index target_count() const { return has_classes() ? 1 : targets.cols(); }

  /// Whether the class, or one target, of an item has a value.
  bool has_value(graph::Node item, Eigen::Index target) const {
    return has_classes() ? classes[item] >= 0 : is_number(targets, item, target);
  }
  bool has_value(graph::Node item) const {
    return any_target([&](Eigen::Index target) { return has_value(item, target); });
  }
  /// Whether anything is known about an item, or about one of its targets: a value, or a bound of it.
  bool is_known(graph::Node item, Eigen::Index target) const {
    return has_value(item, target) || is_number(lower_bounds, item, target) || is_number(upper_bounds, item, target);
  }
  bool is_known(graph::Node item) const {
    return any_target([&](Eigen::Index target) { return is_known(item, target); });
  }

 private:
  static bool is_number(const Matrix& values, graph::Node item, Eigen::Index target) {
    return values.size() > 0 && values(item, target) == values(item, target);
  }
  template <class Has>
  bool any_target(const Has& has) const {
    for (Eigen::Index target = 0; target < target_count(); ++target)
      if (has(target)) return true;
    return false;
  }
};

}  // namespace edgewise::data
