#include "edgewise/io/detail/sparse_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "edgewise/core/setting.hpp"
#include "edgewise/io/limits.hpp"
#include "edgewise/io/similar_node.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io::detail {

SparseBuilder::SparseBuilder(std::string file, const SparseFeaturesOptions& options, Repeated repeated)
    : file_(std::move(file)), repeated_(repeated), limit_(options.features) {
  if (options.features > kMaxFeatures)
    throw UsageError(fmt::format("sparse features: {} columns asked for, at most {} are possible", options.features,
                                 kMaxFeatures));
  if (options.known_nodes == nullptr) return;
  names_ = *options.known_nodes;
  may_add_ = false;
}

void SparseBuilder::number_nodes(std::uint64_t count, const TextLocation& where) {
  if (!may_add_) return;
  if (count > limits().free_edges)
    throw DataError(where, fmt::format("nodes={}: expected at most {}; if there are more, raise the limits "
                                       "({})",
                                       count, limits().free_edges, setting("raise_limits")));
  names_ = graph::NodeNames::numbered(count);
  may_add_ = false;
}

void SparseBuilder::limit_features(std::uint64_t count, const TextLocation& where) {
  if (count > kMaxFeatures)
    throw DataError(where, fmt::format("features={}: expected at most {}", count, kMaxFeatures));
  if (limit_ != 0 && count > limit_)
    throw DataError(where, fmt::format("features={}: expected at most the {} asked for", count, limit_));
  if (limit_ == 0) limit_ = count;
}

graph::Node SparseBuilder::node(std::string_view name, const TextLocation& where) {
  if (name.empty()) throw DataError(where, "expected a node, found nothing");
  if (may_add_) return names_.add(name);
  if (const auto known = names_.find(name)) return *known;
  throw DataError(where, fmt::format("unknown node {}: it is not among the {} nodes that are given{}", quote(name),
                                     names_.size(), similar_node_hint(names_, name)));
}

void SparseBuilder::add(graph::Node node, std::uint64_t feature, float value, const TextLocation& where) {
  if (limit_ != 0 && feature >= limit_)
    throw DataError(where, fmt::format("feature {} is out of range: there are {}, counted from 0", feature, limit_));
  if (feature >= kMaxFeatures)
    throw DataError(where, fmt::format("feature {} is out of range: the largest possible is {}", feature,
                                       kMaxFeatures - 1));
  seen_ = std::max(seen_, feature + 1);
  entries_.push_back({node, static_cast<std::int32_t>(feature), value, where.line});
}

/// Sorts by node, feature, and file order; most files are already sorted.
void SparseBuilder::sort_by_row() {
  const auto before = [](const Entry& a, const Entry& b) {
    return a.node != b.node ? a.node < b.node : a.feature < b.feature;
  };
  if (!std::is_sorted(entries_.begin(), entries_.end(), before))
    std::stable_sort(entries_.begin(), entries_.end(), before);
  const auto same = [](const Entry& a, const Entry& b) { return a.node == b.node && a.feature == b.feature; };
  if (repeated_ == Repeated::once) {
    entries_.erase(std::unique(entries_.begin(), entries_.end(), same), entries_.end());
    return;
  }
  const auto twice = std::adjacent_find(entries_.begin(), entries_.end(), same);
  if (twice == entries_.end()) return;
  throw DataError({file_, (twice + 1)->line, 0},
                  fmt::format("node {} has a value for feature {} in line {} already", quote(names_[twice->node]),
                              twice->feature, twice->line));
}

SparseFeatures SparseBuilder::finish() {
  sort_by_row();
  if (entries_.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw DataError(fmt::format("{}: more than 2^31 - 1 values", file_));
  SparseFeatures result;
  const auto rows = static_cast<std::int32_t>(names_.size());
  result.matrix.resize(rows, static_cast<std::int32_t>(limit_ != 0 ? limit_ : seen_));
  result.matrix.resizeNonZeros(static_cast<std::int32_t>(entries_.size()));
  std::int32_t* offsets = result.matrix.outerIndexPtr();
  std::fill(offsets, offsets + rows + 1, 0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    ++offsets[entries_[i].node + 1];
    result.matrix.innerIndexPtr()[i] = entries_[i].feature;
    result.matrix.valuePtr()[i] = entries_[i].value;
  }
  for (std::int32_t row = 0; row < rows; ++row) offsets[row + 1] += offsets[row];
  result.names = std::move(names_);
  return result;
}

}  // namespace edgewise::io::detail
