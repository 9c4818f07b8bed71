#include "edgewise/train/baselines/tree_map.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::train {
namespace {

using Eigen::Index;

constexpr std::size_t kBlockRows = 256;
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
  trees_.push_back({.output = output, .begin = nodes_.size(), .end = nodes_.size() + tree.size()});
  nodes_.insert(nodes_.end(), tree.begin(), tree.end());
}

void TreeMap::add_leaves(const float* row, Eigen::Ref<Eigen::RowVectorXd> sums) const {
  for (const Tree& tree : trees_) {
    const TreeNode* nodes = nodes_.data() + tree.begin;
    const TreeNode* node = nodes;
    while (node->column != TreeNode::kLeaf) {
      const float entry = row[node->column];
      node = nodes + (std::isnan(entry) ? node->missing : entry < node->value ? node->below : node->above);
    }
    sums[static_cast<Index>(tree.output)] += node->value;
  }
}

Matrix TreeMap::apply(const SparseMatrix& rows) const {
  if (static_cast<std::size_t>(rows.cols()) != columns_)
    throw ModelError(fmt::format("trees: rows of {} columns, and the model is made for {}", rows.cols(), columns_));
  Matrix result(rows.rows(), static_cast<Index>(outputs()));
  parallel_for(static_cast<std::size_t>(rows.rows()), kBlockRows, [&](std::size_t begin, std::size_t end) {
    constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> dense(columns_, kMissing);
    Eigen::RowVectorXd sums(result.cols());
    for (auto row = static_cast<Index>(begin); row < static_cast<Index>(end); ++row) {
      for (SparseMatrix::InnerIterator entry(rows, row); entry; ++entry)
        dense[static_cast<std::size_t>(entry.col())] = entry.value();
      sums = Eigen::Map<const Eigen::RowVectorXd>(biases_.data(), result.cols());
      add_leaves(dense.data(), sums);
      result.row(row) = sums.cast<float>();
      for (SparseMatrix::InnerIterator entry(rows, row); entry; ++entry)
        dense[static_cast<std::size_t>(entry.col())] = kMissing;
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
