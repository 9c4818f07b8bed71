#include "edgewise/train/baselines/tree_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::train {
namespace {

using Eigen::Index;

constexpr std::size_t kBlockRows = 256;
constexpr std::size_t kRowsAtOnce = 32, kEntriesAtOnce = std::size_t{1} << 17;  // go down a tree side by side
// Limit for model files: not below what the baselines produce, and low enough that a row of them costs at most a few
// megabytes.
constexpr std::size_t kMaxColumns = std::size_t{1} << 20;
constexpr std::size_t kNodeNumbers = 5;  // numbers per node in JSON

void check_node(std::span<const TreeNode> tree, std::size_t place, std::size_t columns) {
  const TreeNode& node = tree[place];
  if (!std::isfinite(node.value)) throw ModelError(fmt::format("trees: expected numbers, got {}", node.value));
  if (node.column == TreeNode::kLeaf) return;
  if (node.column < 0 || static_cast<std::size_t>(node.column) >= columns)
    throw ModelError(fmt::format("trees: expected one of {} columns, got {}", columns, node.column));
  for (const std::size_t child : {node.below, node.above})
    if (child <= place || child >= tree.size())
      throw ModelError(fmt::format("trees: expected a child between {} and {}, got {}", place, tree.size(), child));
  if (node.missing != node.below && node.missing != node.above)
    throw ModelError(fmt::format("trees: expected the child {} or {}, got {}", node.below, node.above, node.missing));
}

/// Steps from the root to the farthest leaf.
std::size_t depth_of(std::span<const TreeNode> tree) {
  std::vector<std::size_t> depths(tree.size(), 0);
  for (std::size_t place = 0; place < tree.size(); ++place) {
    if (tree[place].column == TreeNode::kLeaf) continue;
    for (const std::size_t child : {tree[place].below, tree[place].above})
      depths[child] = std::max(depths[child], depths[place] + 1);
  }
  return *std::ranges::max_element(depths);
}

/// Converts to an integer of the type; ModelError if it is not one.
template <class Whole>
Whole whole_number(double number) {
  const bool fits = number >= static_cast<double>(std::numeric_limits<Whole>::min()) &&
                    number <= static_cast<double>(std::numeric_limits<Whole>::max()) && number == std::floor(number);
  if (!fits) throw ModelError(fmt::format("trees: expected a whole number, got {}", number));
  return static_cast<Whole>(number);
}

std::vector<TreeNode> read_tree(const std::vector<double>& numbers) {
  if (numbers.size() % kNodeNumbers != 0) throw ModelError("trees: expected five numbers per node");
  std::vector<TreeNode> tree;
  for (std::size_t i = 0; i < numbers.size(); i += kNodeNumbers)
    tree.push_back({.column = whole_number<std::int32_t>(numbers[i]),
                    .value = static_cast<float>(numbers[i + 1]),
                    .below = whole_number<std::uint32_t>(numbers[i + 2]),
                    .above = whole_number<std::uint32_t>(numbers[i + 3]),
                    .missing = whole_number<std::uint32_t>(numbers[i + 4])});
  return tree;
}

}  // namespace

TreeMap::TreeMap(std::size_t columns) : columns_(columns) {
  if (columns < 1 || columns > kMaxColumns) throw ModelError(fmt::format("trees: {} columns", columns));
}

void TreeMap::add_output(double bias) {
  if (!std::isfinite(bias)) throw ModelError(fmt::format("trees: expected a number, got {}", bias));
  biases_.push_back(bias);
}

void TreeMap::add_tree(std::size_t output, std::span<const TreeNode> tree) {
  if (output >= outputs()) throw ModelError(fmt::format("trees: output {} of {}", output, outputs()));
  if (tree.empty()) throw ModelError("trees: expected at least one node");
  for (std::size_t place = 0; place < tree.size(); ++place) check_node(tree, place, columns_);
  trees_.push_back(
      {.output = output, .begin = nodes_.size(), .end = nodes_.size() + tree.size(), .depth = depth_of(tree)});
  nodes_.insert(nodes_.end(), tree.begin(), tree.end());
  for (std::uint32_t place = 0; place < tree.size(); ++place) {
    const TreeNode& node = tree[place];
    const bool is_leaf = node.column == TreeNode::kLeaf;
    steps_.push_back({.column = is_leaf ? 0U : static_cast<std::uint32_t>(node.column),
                      .value = node.value,
                      .children = std::uint64_t{is_leaf ? place : node.below} << 32 | (is_leaf ? place : node.above),
                      .missing_is_below = !is_leaf && node.missing == node.below});
  }
}

void TreeMap::add_leaves(const float* rows, Eigen::Ref<Eigen::MatrixXd> sums) const {
  std::array<std::uint32_t, kRowsAtOnce> places;
  const auto count = static_cast<std::size_t>(sums.rows());
  for (const Tree& tree : trees_) {
    const Step* steps = steps_.data() + tree.begin;
    places.fill(0);
    std::uint32_t moved = 1;
    for (std::size_t level = 0; level < tree.depth && moved != 0; ++level) {
      moved = 0;
      const float* entries = rows;
      for (std::size_t row = 0; row < count; ++row, entries += columns_) {
        const std::uint32_t next = steps[places[row]].next(entries);
        moved |= next ^ places[row];
        places[row] = next;
      }
    }
    for (std::size_t row = 0; row < count; ++row)
      sums(static_cast<Index>(row), static_cast<Index>(tree.output)) += steps[places[row]].value;
  }
}

Matrix TreeMap::apply(const SparseMatrix& rows) const {
  if (static_cast<std::size_t>(rows.cols()) != columns_)
    throw ModelError(fmt::format("trees: expected {} columns, got {}", columns_, rows.cols()));
  Matrix result(rows.rows(), static_cast<Index>(outputs()));
  const auto at_once = static_cast<Index>(std::clamp<std::size_t>(kEntriesAtOnce / columns_, 1, kRowsAtOnce));
  parallel_for(static_cast<std::size_t>(rows.rows()), kBlockRows, [&](std::size_t begin, std::size_t end) {
    constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
    Matrix dense = Matrix::Constant(at_once, static_cast<Index>(columns_), kMissing);
    for (auto first = static_cast<Index>(begin); first < static_cast<Index>(end); first += at_once) {
      const Index count = std::min(at_once, static_cast<Index>(end) - first);
      const auto each_entry = [&](const auto& use) {
        for (Index row = 0; row < count; ++row)
          for (SparseMatrix::InnerIterator entry(rows, first + row); entry; ++entry) use(row, entry);
      };
      each_entry([&](Index row, const auto& entry) { dense(row, entry.col()) = entry.value(); });
      Eigen::MatrixXd sums = Eigen::Map<const Eigen::RowVectorXd>(biases_.data(), result.cols()).replicate(count, 1);
      add_leaves(dense.data(), sums);
      result.middleRows(first, count) = sums.cast<float>();
      each_entry([&](Index row, const auto& entry) { dense(row, entry.col()) = kMissing; });
    }
  });
  return result;
}

json::Value TreeMap::to_json() const {
  std::vector<json::Array> trees(outputs());
  for (const Tree& tree : trees_) {
    json::Array numbers;
    for (std::size_t i = tree.begin; i < tree.end; ++i) {
      const TreeNode& node = nodes_[i];
      numbers.emplace_back(std::int64_t{node.column});
      numbers.emplace_back(node.value);
      for (const std::uint32_t child : {node.below, node.above, node.missing})
        numbers.emplace_back(static_cast<std::int64_t>(child));
    }
    trees[tree.output].emplace_back(std::move(numbers));
  }
  json::Array outputs;
  for (std::size_t i = 0; i < trees.size(); ++i)
    outputs.emplace_back(json::Object{{"bias", biases_[i]}, {"trees", std::move(trees[i])}});
  return json::Object{{"columns", static_cast<std::int64_t>(columns_)}, {"outputs", std::move(outputs)}};
}

TreeMap TreeMap::from_json(const json::Value& value) {
  try {
    const std::int64_t columns = value.at("columns").as_integer();
    TreeMap map(columns < 0 ? 0 : static_cast<std::size_t>(columns));
    const json::Array& outputs = value.at("outputs").as_array();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      map.add_output(outputs[i].at("bias").as_number());
      for (const json::Value& tree : outputs[i].at("trees").as_array()) map.add_tree(i, read_tree(tree.as_numbers()));
    }
    return map;
  } catch (const UsageError& error) {
    throw ModelError(fmt::format("trees: {}", error.what()));
  }
}

}  // namespace edgewise::train
