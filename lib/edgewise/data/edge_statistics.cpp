#include "edgewise/data/edge_statistics.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <numeric>
#include <utility>

#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::data {
namespace {

using graph::Node;

constexpr float kShrinkage = 2;      // labels of 0 that each mean has beside its own
constexpr float kBiasPenalty = 3;
constexpr int kBiasSteps = 10;
constexpr int kFactors = 8;
constexpr float kFactorPenalty = 10;  // of labels whose deviation, without biases, is 1
constexpr int kFactorSteps = 8;

constexpr const char* kPaths[] = {"source to other to target", "source to other, target to other",
                                  "other to source, other to target", "target to other to source"};

std::size_t path_count(graph::Direction direction) { return direction == graph::Direction::directed ? 4 : 1; }

/// The edges ordered by their ends, without repeats, with the mean label of each.
struct DifferentEdges {
  std::vector<Node> sources, targets;
  Matrix values;

  DifferentEdges(std::span<const Node> from, std::span<const Node> to, ConstMatrixRef labels) {
    std::vector<std::size_t> order(from.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t e) { return std::pair(from[e], to[e]); });
    values.resize(labels.rows(), labels.cols());
    Eigen::Index next = 0;
    for (std::size_t begin = 0; begin < order.size();) {
      const Node source = from[order[begin]], target = to[order[begin]];
      std::size_t end = begin;
      values.row(next).setZero();
      for (; end < order.size() && from[order[end]] == source && to[order[end]] == target; ++end)
        values.row(next) += labels.row(static_cast<Eigen::Index>(order[end]));
      values.row(next++) /= static_cast<float>(end - begin);
      sources.push_back(source);
      targets.push_back(target);
      begin = end;
    }
    values.conservativeResize(next, Eigen::NoChange);
  }
};

}  // namespace

/// The ways of two steps between two nodes.
struct EdgeStatistics::Common {
  std::size_t count = 0;
  Eigen::RowVectorXf product, of_source, of_target;  ///< Means with one more of 0.
};

EdgeStatistics::EdgeStatistics(std::size_t nodes, std::span<const Node> sources, std::span<const Node> targets,
                               ConstMatrixRef values, graph::Direction direction, Factors factors)
    : is_directed_(direction == graph::Direction::directed) {
  std::vector<Node> from(sources.begin(), sources.end()), to(targets.begin(), targets.end());
  Matrix labels = values;
  if (!is_directed_) {
    from.insert(from.end(), targets.begin(), targets.end());
    to.insert(to.end(), sources.begin(), sources.end());
    labels.conservativeResize(2 * values.rows(), Eigen::NoChange);
    labels.bottomRows(values.rows()) = values;
  }
  DifferentEdges edges(from, to, labels);
  values_ = std::move(edges.values);
  std::vector<std::size_t> order(edges.sources.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  given_.edges.offsets.resize(nodes + 1);
  got_.edges.offsets.resize(nodes + 1);
  build(given_, edges.sources, edges.targets, order);
  if (is_directed_) {
    std::ranges::stable_sort(order, {}, [&](std::size_t e) { return edges.targets[e]; });
    build(got_, edges.targets, edges.sources, order);
  }
  fit_biases();
  if (factors == Factors::yes) fit_factors();
  add_beyond(given_);
  if (is_directed_) add_beyond(got_);
}

void EdgeStatistics::build(Side& side, std::span<const Node> ends, std::span<const Node> others,
                           std::span<const std::size_t> order) const {
  for (const Node end : ends) ++side.edges.offsets[end + 1];
  std::partial_sum(side.edges.offsets.begin(), side.edges.offsets.end(), side.edges.offsets.begin());
  for (const std::size_t edge : order) {
    side.edges.columns.push_back(others[edge]);
    side.labels.push_back(edge);
  }
  summarise(side);
}

void EdgeStatistics::summarise(Side& side) const {
  const auto nodes = static_cast<Eigen::Index>(side.edges.rows());
  for (Matrix* rows : {&side.mean, &side.square, &side.least, &side.most, &side.bias})
    *rows = Matrix::Zero(nodes, values_.cols());
  for (Eigen::Index node = 0; node < nodes; ++node) {
    const std::size_t begin = side.edges.offsets[node], end = side.edges.offsets[node + 1];
    for (std::size_t slot = begin; slot < end; ++slot) {
      const auto value = values_.row(static_cast<Eigen::Index>(side.labels[slot]));
      side.mean.row(node) += value;
      side.square.row(node) += value.cwiseAbs2();
      side.least.row(node) = side.least.row(node).cwiseMin(value);
      side.most.row(node) = side.most.row(node).cwiseMax(value);
    }
    const float count = static_cast<float>(end - begin) + kShrinkage;
    side.mean.row(node) /= count;
    side.square.row(node) /= count;
  }
}

/// Each side in turn explains what the other leaves.
void EdgeStatistics::fit_biases() {
  const auto step = [&](Side& side, const Side& other) {
    for (std::size_t node = 0; node < side.edges.rows(); ++node) {
      Eigen::RowVectorXf sum = Eigen::RowVectorXf::Zero(values_.cols());
      const std::size_t begin = side.edges.offsets[node], end = side.edges.offsets[node + 1];
      for (std::size_t slot = begin; slot < end; ++slot)
        sum += values_.row(static_cast<Eigen::Index>(side.labels[slot])) - other.bias.row(side.edges.columns[slot]);
      side.bias.row(static_cast<Eigen::Index>(node)) = sum / (static_cast<float>(end - begin) + kBiasPenalty);
    }
  };
  for (int i = 0; i < kBiasSteps; ++i) {
    if (is_directed_) step(got_, given_);
    step(given_, got());
  }
}

/// Each side in turn explains what biases and the other side leave, for each number by itself.
void EdgeStatistics::fit_factors() {
  constexpr std::size_t kGrain = 64;
  using Row = Eigen::Matrix<float, 1, kFactors>;
  using Square = Eigen::Matrix<float, kFactors, kFactors>;
  const auto nodes = static_cast<Eigen::Index>(given_.edges.rows());
  source_factors_ = Matrix::Zero(nodes, kFactors * values_.cols());
  target_factors_ = source_factors_;
  Random random(0, Stream::initialise);
  for (float& factor : target_factors_.reshaped()) factor = static_cast<float>(random.normal()) / kFactors;
  Matrix left = values_;  // what the biases leave
  for (std::size_t node = 0; node < given_.edges.rows(); ++node)
    for (std::size_t slot = given_.edges.offsets[node]; slot < given_.edges.offsets[node + 1]; ++slot)
      left.row(static_cast<Eigen::Index>(given_.labels[slot])) -=
          given_.bias.row(static_cast<Eigen::Index>(node)) + got().bias.row(given_.edges.columns[slot]);
  const auto count = static_cast<float>(std::max<Eigen::Index>(1, left.rows()));
  Eigen::RowVectorXf units = (left.colwise().squaredNorm() / count).cwiseSqrt();
  for (float& unit : units)
    if (!(unit > 0)) unit = 1;
  const auto step = [&](const Side& side, const Matrix& others, Matrix& own) {
    parallel_for(side.edges.rows(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t node = begin; node < end; ++node)
        for (Eigen::Index x = 0; x < left.cols(); ++x) {
          Square products = kFactorPenalty * Square::Identity();
          Row sum = Row::Zero();
          for (std::size_t slot = side.edges.offsets[node]; slot < side.edges.offsets[node + 1]; ++slot) {
            const Row other = others.block<1, kFactors>(side.edges.columns[slot], kFactors * x);
            products.noalias() += other.transpose() * other;
            sum += left(static_cast<Eigen::Index>(side.labels[slot]), x) / units[x] * other;
          }
          own.block<1, kFactors>(static_cast<Eigen::Index>(node), kFactors * x) =
              products.llt().solve(sum.transpose()).transpose();
        }
    });
  };
  for (int i = 0; i < kFactorSteps; ++i) {
    step(given_, target_factors_, source_factors_);
    step(got(), source_factors_, target_factors_);
  }
  for (Eigen::Index x = 0; x < left.cols(); ++x) source_factors_.middleCols<kFactors>(kFactors * x) *= units[x];
}

/// In an undirected network the same both ways.
float EdgeStatistics::product_of_factors(Node source, Node target, Eigen::Index number) const {
  if (source == kUnknown || target == kUnknown) return 0;
  const auto product = [&](Node one, Node other) {
    return source_factors_.block<1, kFactors>(one, kFactors * number)
        .dot(target_factors_.block<1, kFactors>(other, kFactors * number));
  };
  return is_directed_ ? product(source, target) : (product(source, target) + product(target, source)) / 2;
}

void EdgeStatistics::add_beyond(Side& side) const {
  side.beyond = Matrix::Zero(side.mean.rows(), side.mean.cols());
  for (std::size_t node = 0; node < side.edges.rows(); ++node) {
    const auto row = static_cast<Eigen::Index>(node);
    for (const Node other : side.edges.row(node)) side.beyond.row(row) += got().mean.row(other);
    side.beyond.row(row) /= static_cast<float>(side.edges.row(node).size()) + 1;
  }
}

EdgeStatistics::Common EdgeStatistics::common_of(const Side& from_source, Node source, const Side& from_target,
                                                 Node target) const {
  Common common;
  common.product = common.of_source = common.of_target = Eigen::RowVectorXf::Zero(values_.cols());
  if (source == kUnknown || target == kUnknown) return common;
  std::size_t a = from_source.edges.offsets[source], b = from_target.edges.offsets[target];
  const std::size_t a_end = from_source.edges.offsets[source + 1], b_end = from_target.edges.offsets[target + 1];
  while (a < a_end && b < b_end) {
    const Node one = from_source.edges.columns[a], other = from_target.edges.columns[b];
    if (one == other) {
      const auto x = values_.row(static_cast<Eigen::Index>(from_source.labels[a]));
      const auto y = values_.row(static_cast<Eigen::Index>(from_target.labels[b]));
      common.product += x.cwiseProduct(y);
      common.of_source += x;
      common.of_target += y;
      ++common.count;
    }
    a += one <= other ? 1 : 0;
    b += other <= one ? 1 : 0;
  }
  for (Eigen::RowVectorXf* mean : {&common.product, &common.of_source, &common.of_target})
    *mean /= static_cast<float>(common.count) + 1;
  return common;
}

std::vector<std::string> EdgeStatistics::names(std::span<const std::string> labels, graph::Direction direction,
                                               Factors factors) {
  const bool is_directed = direction == graph::Direction::directed;
  std::vector<std::string> names;
  const auto of_ends = [&](const std::string& what) {
    for (const char* end : {"source", "target"}) {
      names.push_back(fmt::format("{} {} {}", what, is_directed ? "given by" : "of", end));
      if (is_directed) names.push_back(fmt::format("{} got by {}", what, end));
    }
  };
  of_ends("labels");
  if (is_directed) names.emplace_back("labels of the opposite edge");
  for (std::size_t path = 0; path < path_count(direction); ++path)
    names.push_back(fmt::format("ways {}", kPaths[path]));
  for (const std::string& label : labels) {
    for (const char* what : {"mean", "mean square", "least", "most", "mean beyond"})
      of_ends(fmt::format("{}: {}", label, what));
    if (is_directed) names.push_back(fmt::format("{}: of the opposite edge", label));
    for (const char* what : {"bias of source", "bias of target"}) names.push_back(fmt::format("{}: {}", label, what));
    names.push_back(fmt::format("{}{}", label, kSumOfBiases));
    if (factors == Factors::yes) names.push_back(fmt::format("{}{}", label, kSumWithFactors));
    for (std::size_t path = 0; path < path_count(direction); ++path)
      for (const char* what : {"product", "next to source", "next to target"})
        names.push_back(fmt::format("{}: {}, {}", label, kPaths[path], what));
  }
  return names;
}

void EdgeStatistics::fill(Node source, Node target, float* row) const {
  std::vector<std::pair<const Side*, Node>> ends;
  for (const Node end : {source, target}) {
    ends.emplace_back(&given_, end);
    if (is_directed_) ends.emplace_back(&got_, end);
  }
  const auto put = [&](float value) { *row++ = value; };
  for (const auto& [side, node] : ends) put(static_cast<float>(side->count(node)));
  const bool are_known = source != kUnknown && target != kUnknown;
  std::ptrdiff_t opposite = -1;  // a row of values_
  if (is_directed_) {
    if (are_known) {
      const std::span<const Node> others = given_.edges.row(target);
      const auto found = std::ranges::lower_bound(others, source);
      if (found != others.end() && *found == source)
        opposite = static_cast<std::ptrdiff_t>(
            given_.labels[given_.edges.offsets[target] + static_cast<std::size_t>(found - others.begin())]);
    }
    put(opposite >= 0 ? 1 : 0);
  }
  std::vector<Common> paths = {common_of(given_, source, got(), target)};
  if (is_directed_) {
    paths.push_back(common_of(given_, source, given_, target));
    paths.push_back(common_of(got_, source, got_, target));
    paths.push_back(common_of(got_, source, given_, target));
  }
  for (const Common& common : paths) put(static_cast<float>(common.count));
  for (Eigen::Index x = 0; x < values_.cols(); ++x) {
    const auto of = [x](const Matrix& rows, Node node) { return node == kUnknown ? 0 : rows(node, x); };
    for (const auto member : {&Side::mean, &Side::square, &Side::least, &Side::most, &Side::beyond})
      for (const auto& [side, node] : ends) put(of(side->*member, node));
    if (is_directed_) put(opposite >= 0 ? values_(opposite, x) : 0);
    const float of_source = of(given_.bias, source), of_target = of(got().bias, target);
    for (const float bias : {of_source, of_target, of_source + of_target}) put(bias);
    if (source_factors_.cols() > 0) put(of_source + of_target + product_of_factors(source, target, x));
    for (const Common& common : paths)
      for (const Eigen::RowVectorXf* mean : {&common.product, &common.of_source, &common.of_target}) put((*mean)[x]);
  }
}

}  // namespace edgewise::data
