#include "edgewise/io/detail/edge_feature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "edgewise/io/csv.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io::detail {
namespace {

constexpr std::size_t kMaxCategories = 1000;

}  // namespace

EdgeFeature::EdgeFeature(std::string name, bool is_categorical, const std::vector<std::string>* known,
                         std::span<const std::string> missing)
    : name_(std::move(name)),
      is_categorical_(is_categorical || known != nullptr),
      missing_(missing),
      is_undecided_(!is_categorical_),
      is_closed_(known != nullptr) {
  if (known == nullptr) return;
  texts_ = *known;
  for (std::size_t i = 0; i < texts_.size(); ++i) places_.emplace(texts_[i], static_cast<std::int32_t>(i));
  match_.emplace(*known);
}

void EdgeFeature::add(std::string_view text, const std::string& path, std::uint64_t line) {
  if (is_undecided_) decide(text, path, line);
  if (is_categorical_) return add_category(text, path, line);
  numbers_.push_back(require_number(text, path, line, name_));
}

bool EdgeFeature::is_missing(std::string_view text) const {
  return text.empty() || std::ranges::count(missing_, text) > 0;
}

/// The first value that is not missing decides. If it is a number, none may be missing before it.
void EdgeFeature::decide(std::string_view text, const std::string& path, std::uint64_t line) {
  is_undecided_ = is_missing(text);
  is_categorical_ = is_undecided_ || !is_number(text);
  if (codes_.empty()) {
    first_text_ = text;
    first_line_ = line;
  }
  if (is_categorical_ || codes_.empty()) return;
  require_number(first_text_, path, first_line_, name_);  // throws
}

void EdgeFeature::add_category(std::string_view text, const std::string& path, std::uint64_t line) {
  if (is_closed_) return add_known(text);
  if (is_missing(text)) return codes_.push_back(-1);
  const auto found = places_.find(std::string(text));
  if (found != places_.end()) return codes_.push_back(found->second);
  if (texts_.size() == kMaxCategories)
    throw DataError(TextLocation{path, line, 0},
                    fmt::format("column {}: {} is one more than {} different texts, the most that a feature of edges "
                                "may have",
                                quote(name_), quote(text), kMaxCategories));
  const auto place = static_cast<std::int32_t>(texts_.size());
  places_.emplace(text, place);
  texts_.emplace_back(text);
  codes_.push_back(place);
}

void EdgeFeature::add_known(std::string_view text) {
  const std::string value(text);
  auto found = places_.find(value);
  if (found == places_.end())
    if (const auto same = match_->find(text)) found = places_.emplace(value, static_cast<std::int32_t>(*same)).first;
  const bool is_known = found != places_.end();
  codes_.push_back(is_known ? found->second : -1);
  if (is_known)
    ++known_;
  else if (!is_missing(text))
    unseen_.add(text);
}

void EdgeFeature::check_known(const std::string& path) const {
  unseen_.check(known_, texts_, name_, TextLocation{path, 0, 0});
}

std::vector<std::string> EdgeFeature::categories() const {
  if (is_closed_) return texts_;
  std::vector<std::string> sorted = texts_;
  std::ranges::sort(sorted);
  return sorted;
}

std::vector<std::string> EdgeFeature::names() const {
  if (!is_categorical_) return {name_};
  std::vector<std::string> names;
  for (const std::string& category : categories()) names.push_back(fmt::format("{} = {}", name_, category));
  return names;
}

void EdgeFeature::write(Eigen::Index first, Matrix& features) const {
  if (!is_categorical_) {
    features.col(first) = Eigen::Map<const Eigen::VectorXf>(numbers_.data(), features.rows());
    return;
  }
  std::vector<Eigen::Index> columns(texts_.size());
  for (Eigen::Index column = first; const std::string& category : categories())
    columns[static_cast<std::size_t>(places_.at(category))] = column++;
  for (std::size_t edge = 0; edge < codes_.size(); ++edge)
    if (codes_[edge] >= 0)
      features(static_cast<Eigen::Index>(edge), columns[static_cast<std::size_t>(codes_[edge])]) = 1;
}

EdgeFeature edge_feature(const std::string& column, bool is_categorical, const Categories& categories,
                         std::span<const std::string> missing) {
  const auto known = categories.find(column);
  return {column, is_categorical, known == categories.end() ? nullptr : &known->second, missing};
}

EdgeFeatureReport write_features(std::span<const EdgeFeature> features, const std::string& path,
                                 graph::EdgeList& edges) {
  EdgeFeatureReport report;
  for (const EdgeFeature& feature : features) {
    feature.check_known(path);
    const auto first = static_cast<Eigen::Index>(edges.feature_names.size());
    if (feature.is_categorical())
      report.categories.emplace(feature.name(), feature.categories());
    else
      report.numbers.push_back(first);
    std::ranges::move(feature.names(), std::back_inserter(edges.feature_names));
    const auto end = static_cast<Eigen::Index>(edges.feature_names.size());
    report.columns.push_back({first, end - first, !feature.is_categorical()});
    report.unknown_categories += feature.unknown();
  }
  if (edges.feature_names.empty()) return report;
  edges.features.setZero(static_cast<Eigen::Index>(edges.size()),
                         static_cast<Eigen::Index>(edges.feature_names.size()));
  Eigen::Index first = 0;
  for (const EdgeFeature& feature : features) {
    feature.write(first, edges.features);
    first += static_cast<Eigen::Index>(feature.names().size());
  }
  return report;
}

}  // namespace edgewise::io::detail
