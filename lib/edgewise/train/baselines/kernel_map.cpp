#include "edgewise/train/baselines/kernel_map.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::train {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kBlockRows = 256;
// Limits for model files: not below what the baselines produce, and low enough that a small file costs at most a few
// megabytes.
constexpr Index kMaxColumns = Index{1} << 20;
constexpr Index kMaxSupport = 1024;

void check_columns(Index found, Index expected) {
  if (found != expected)
    throw ModelError(fmt::format("kernel: expected {} columns, got {}", expected, found));
}

/// A row of counts as column, count, column, count, ...
json::Array row_of(const SparseMatrix& counts, Index row) {
  json::Array pairs;
  for (SparseMatrix::InnerIterator entry(counts, row); entry; ++entry) {
    pairs.emplace_back(static_cast<std::int64_t>(entry.col()));
    pairs.emplace_back(entry.value());
  }
  return pairs;
}

void append_row(const std::vector<double>& pairs, Index row, SparseMatrix& counts) {
  if (pairs.size() % 2 != 0) throw UsageError("expected columns and their counts");
  counts.startVec(row);
  double before = -1;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    const double column = pairs[i], count = pairs[i + 1];
    const bool is_column =
        column > before && column < static_cast<double>(counts.cols()) && column == std::floor(column);
    if (!is_column || !(count > 0) || !std::isfinite(static_cast<float>(count)))
      throw UsageError(fmt::format("{} is not a column after {} with a count, {}", column, before, count));
    counts.insertBack(row, static_cast<Index>(column)) = static_cast<float>(count);
    before = column;
  }
}

SparseMatrix read_counts(const json::Array& rows, std::int64_t columns) {
  if (columns < 1 || columns > kMaxColumns) throw UsageError(fmt::format("{} columns", columns));
  SparseMatrix counts(static_cast<Index>(rows.size()), static_cast<Index>(columns));
  for (std::size_t row = 0; row < rows.size(); ++row)
    append_row(rows[row].as_numbers(), static_cast<Index>(row), counts);
  counts.finalize();
  return counts;
}

json::Array rows_to_json(const Matrix& values) {
  json::Array rows;
  for (Index row = 0; row < values.rows(); ++row)
    rows.emplace_back(json::Array(values.row(row).begin(), values.row(row).end()));
  return rows;
}

Matrix read_values(const json::Array& rows) {
  Matrix values;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::vector<double> numbers = rows[row].as_numbers();
    if (row == 0) values.resize(static_cast<Index>(rows.size()), static_cast<Index>(numbers.size()));
    if (static_cast<Index>(numbers.size()) != values.cols()) throw UsageError("rows of different lengths");
    for (Index i = 0; i < values.cols(); ++i)
      values(static_cast<Index>(row), i) = static_cast<float>(numbers[static_cast<std::size_t>(i)]);
  }
  if (!values.allFinite()) throw UsageError("NaN or infinities");
  return values;
}

}  // namespace

KernelMap KernelMap::tanimoto(SparseMatrix support, KernelColumns further) {
  KernelMap map;
  map.further_ = std::move(further);
  map.counts_ = std::move(support);
  map.counts_.makeCompressed();
  map.by_column_ = map.counts_;
  map.sums_ = VectorXd::Zero(map.counts_.rows());
  for (Index row = 0; row < map.counts_.rows(); ++row)
    for (SparseMatrix::InnerIterator entry(map.counts_, row); entry; ++entry) map.sums_[row] += entry.value();
  map.factorise(map.counts_);
  return map;
}

KernelMap KernelMap::gaussian(Matrix support, double width, KernelColumns further) {
  if (!(width > 0 && std::isfinite(width))) throw ModelError(fmt::format("kernel: expected a width, got {}", width));
  KernelMap map;
  map.further_ = std::move(further);
  map.values_ = std::move(support);
  map.width_ = width;
  map.factorise(map.values_);
  return map;
}

template <class Rows>
void KernelMap::factorise(const Rows& support) {
  const bool has_further = further_columns() > 0;
  if (has_further &&
      (further_.values.rows() != support.rows() || !(further_.width > 0 && std::isfinite(further_.width))))
    throw ModelError("kernel: expected further columns of all rows, and a width");
  if (support.rows() > kMaxSupport)
    throw ModelError(fmt::format("kernel: expected at most {} rows, got {}", kMaxSupport, support.rows()));
  MatrixXd kernel(support.rows(), support.rows());
  parallel_for(static_cast<std::size_t>(support.rows()), kBlockRows, [&](std::size_t begin, std::size_t end) {
    for (auto row = static_cast<Index>(begin); row < static_cast<Index>(end); ++row) {
      fill(support, row, kernel.col(row));
      scale_by_further(further_.values, row, kernel.col(row));
    }
  });
  const Eigen::LLT<MatrixXd> decomposed(kernel);
  if (support.rows() == 0 || decomposed.info() != Eigen::Success)
    throw ModelError("kernel: expected distinct rows");
  factor_ = decomposed.matrixL();
}

void KernelMap::fill(const SparseMatrix& counts, Index row, Eigen::Ref<VectorXd> out) const {
  out.setZero();
  double sum = 0;
  for (SparseMatrix::InnerIterator entry(counts, row); entry; ++entry) {
    sum += entry.value();
    for (decltype(by_column_)::InnerIterator other(by_column_, entry.col()); other; ++other)
      out[other.row()] += std::min(entry.value(), other.value());
  }
  for (Index i = 0; i < out.size(); ++i) {
    const double all = sum + sums_[i] - out[i];
    out[i] = all > 0 ? out[i] / all : 1;
  }
}

void KernelMap::fill(const Matrix& values, Index row, Eigen::Ref<VectorXd> out) const {
  const double scale = width_ / static_cast<double>(std::max<Index>(1, values_.cols()));
  for (Index i = 0; i < out.size(); ++i) {
    const float distance = (values.row(row) - values_.row(i)).squaredNorm();
    out[i] = std::exp(-scale * distance);
  }
}

void KernelMap::scale_by_further(const Matrix& further, Index row, Eigen::Ref<VectorXd> out) const {
  if (further_columns() == 0) return;
  const double scale = further_.width / static_cast<double>(further_columns());
  for (Index i = 0; i < out.size(); ++i)
    out[i] *= std::exp(-scale * (further.row(row) - further_.values.row(i)).squaredNorm());
}

template <class Rows>
Matrix KernelMap::features_of(const Rows& rows, const Matrix& further) const {
  check_columns(further.cols(), further_columns());
  Matrix features(rows.rows(), factor_.rows());
  parallel_for(static_cast<std::size_t>(rows.rows()), kBlockRows, [&](std::size_t begin, std::size_t end) {
    const auto first = static_cast<Index>(begin), count = static_cast<Index>(end - begin);
    MatrixXd likeness = MatrixXd::Zero(factor_.rows(), static_cast<Index>(kBlockRows));  // full block: same sums
    for (Index i = 0; i < count; ++i) {
      fill(rows, first + i, likeness.col(i));
      scale_by_further(further, first + i, likeness.col(i));
    }
    factor_.triangularView<Eigen::Lower>().solveInPlace(likeness);
    features.middleRows(first, count) = likeness.leftCols(count).transpose().cast<float>();
  });
  return features;
}

Matrix KernelMap::apply(const SparseMatrix& counts, const Matrix& further) const {
  check_columns(counts.cols(), counts_.cols());
  return features_of(counts, further);
}

Matrix KernelMap::apply(const Matrix& values, const Matrix& further) const {
  check_columns(values.cols(), values_.cols());
  return features_of(values, further);
}

Matrix unexplained(const Matrix& features) {
  return (1 - features.rowwise().squaredNorm().array()).max(0).sqrt().matrix();
}

json::Value KernelMap::to_json() const {
  json::Value value;
  json::Array support;
  if (further_columns() > 0) {
    value.set("further", rows_to_json(further_.values));
    value.set("further_width", further_.width);
  }
  if (is_tanimoto()) {
    value.set("kind", "tanimoto");
    value.set("columns", static_cast<std::int64_t>(counts_.cols()));
    for (Index row = 0; row < counts_.rows(); ++row) support.emplace_back(row_of(counts_, row));
  } else {
    value.set("kind", "gaussian");
    value.set("width", width_);
    support = rows_to_json(values_);
  }
  value.set("support", std::move(support));
  return value;
}

KernelMap KernelMap::from_json(const json::Value& value) {
  try {
    const std::string& kind = value.at("kind").as_string();
    const json::Array& support = value.at("support").as_array();
    KernelColumns further;
    if (const json::Value* columns = value.find("further"))
      further = {.values = read_values(columns->as_array()), .width = value.at("further_width").as_number()};
    if (kind == "tanimoto")
      return tanimoto(read_counts(support, value.at("columns").as_integer()), std::move(further));
    if (kind == "gaussian") return gaussian(read_values(support), value.at("width").as_number(), std::move(further));
    throw UsageError(fmt::format("unknown kind \"{}\"", kind));
  } catch (const UsageError& error) {
    throw ModelError(fmt::format("kernel: {}", error.what()));
  }
}

}  // namespace edgewise::train
