#include "edgewise/nn/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/leading_rows.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {
namespace {

/// What a branch ends with.
struct End {
  int width;
  std::string node_set;
};

void check_ends(const json::Value& branch, const End& first, const End& found) {
  if (found.width != first.width) {
    throw UsageError(fmt::format("{}: expected {} columns, as the first branch has, got {}", branch.path(), first.width,
                                 found.width));
  }
  if (found.node_set != first.node_set) {
    throw UsageError(fmt::format("{}: expected a readout in all branches or in none", branch.path()));
  }
}

}  // namespace

NodeRows Parallel::forward(ForwardContext& context, const NodeRows& input) {
  autograd::Variable sum;
  const std::size_t first_step = context.next_step;
  std::size_t next_step = first_step;
  for (const auto& branch : branches_) {
    context.next_step = first_step;
    const autograd::Variable found = dense(branch->forward(context, input), name_);
    next_step = std::max(next_step, context.next_step);
    if (!sum.is_set()) {
      sum = found;
      continue;
    }
    const Eigen::Index rows = std::min(sum.rows(), found.rows());  // the branch of most steps gives the fewest
    sum = autograd::add(autograd::leading_rows(sum, rows), autograd::leading_rows(found, rows));
  }
  context.next_step = next_step;
  return {.dense = sum};
}

BlockTraits Parallel::traits() const {
  BlockTraits all;
  for (const auto& branch : branches_) all = in_parallel(all, branch->traits());
  return all;
}

void Parallel::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  for (const auto& branch : branches_) branch->collect_parameters(parameters);
}

void Parallel::collect_state(std::vector<std::pair<std::string, Matrix*>>& state) {
  for (const auto& branch : branches_) branch->collect_state(state);
}

std::vector<json::FieldDoc> parallel_fields() {
  return {{.name = "branches", .doc = "lists of blocks, whose results are summed", .type = json::FieldType::list}};
}

std::unique_ptr<Block> make_parallel(const json::Value& config, BuildContext& context) {
  const json::Array& configs = config.at("branches").as_array();
  if (configs.empty()) refuse(config, "branches", "expected at least one branch");
  const std::string name = context.name;
  const End start{context.width, context.node_set};
  std::vector<std::unique_ptr<Block>> branches;
  End first{};
  for (const json::Value& branch : configs) {
    context.name = fmt::format("{}.branches.{}", name, branches.size());
    context.width = start.width;
    context.node_set = start.node_set;
    branches.push_back(make_sequence(branch, context));
    const End end{context.width, context.node_set};
    if (branches.size() == 1) first = end;
    check_ends(branch, first, end);
  }
  context.name = name;
  return std::make_unique<Parallel>(std::move(branches), context);
}

}  // namespace edgewise::nn
