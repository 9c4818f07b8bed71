#include "edgewise/core/sparse_product.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "support/gradient_check.hpp"
#include "support/random_sparse.hpp"

using namespace edgewise;
using test::random_matrix;
using test::random_sparse;

namespace {

using Wide = Eigen::MatrixXd;

/// The matrix as head `head` sees it.
SparseMatrix dropped(const SparseMatrix& matrix, const EntryDropout& dropout, int head) {
  SparseMatrix seen = matrix;
  for (Eigen::Index i = 0; i < matrix.nonZeros(); ++i) {
    const auto element = static_cast<std::uint32_t>(i * dropout.heads + head);
    const bool is_kept = random_bits(dropout.key, element) >= dropout_threshold(dropout.probability);
    seen.valuePtr()[i] = is_kept ? matrix.valuePtr()[i] / (1 - dropout.probability) : 0;
  }
  return seen;
}

/// The expected results of `multiply_sparse` and `multiply_sparse_by_head`, in double.
Wide naive_product(const SparseMatrix& a, const EntryDropout& dropout, const Matrix& b, bool is_transposed) {
  const Eigen::Index width = b.cols() / dropout.heads;
  Wide out(is_transposed ? a.cols() : a.rows(), b.cols());
  for (int head = 0; head < dropout.heads; ++head) {
    const Wide seen = Matrix(dropped(a, dropout, head)).cast<double>();
    const Wide columns = b.middleCols(head * width, width).cast<double>();
    out.middleCols(head * width, width) = is_transposed ? Wide(seen.transpose() * columns) : Wide(seen * columns);
  }
  return out;
}

Matrix product(const CompressedRows& a, const EntryDropout& dropout, const Matrix& b, RowStart start, Matrix out) {
  if (!dropout.is_by_head()) {
    multiply_sparse(a, a.values.data(), dropout, b, start, out);
    return out;
  }
  std::vector<std::uint32_t> bits(head_mask_words(a.values.size(), dropout.heads));
  draw_head_mask(dropout, a.values.size(), bits.data());
  multiply_sparse_by_head(a, a.values.data(), dropout, bits.data(), b, start, out);
  return out;
}

void check_products(const SparseMatrix& matrix, const EntryDropout& dropout, Eigen::Index columns) {
  for (const bool is_transposed : {false, true}) {
    const CompressedRows a = is_transposed ? compressed_columns(matrix) : compressed_rows(matrix);
    const Matrix b = random_matrix(is_transposed ? matrix.rows() : matrix.cols(), columns, 2);
    const Wide expected = naive_product(matrix, dropout, b, is_transposed);
    const Matrix row = random_matrix(1, columns, 3), present = random_matrix(expected.rows(), columns, 4);
    // Sums of up to 600 products of numbers below 1 and 2.5.
    const auto check = [&](const Matrix& found, const Wide& wanted) {
      CAPTURE(dropout.heads, dropout.probability, columns, is_transposed);
      CHECK((found.size() == 0 || (found.cast<double>() - wanted).cwiseAbs().maxCoeff() < 1e-4));
    };
    using Kind = RowStart::Kind;
    check(product(a, dropout, b, {Kind::zero}, present), expected);
    check(product(a, dropout, b, {Kind::row, row.data()}, present),
          expected.rowwise() + row.row(0).cast<double>());
    check(product(a, dropout, b, {Kind::present}, present), expected + present.cast<double>());
  }
}

}  // namespace

TEST_CASE("compressed rows and columns keep the indices of their entries", "[core][sparse_product]") {
  Matrix dense(2, 3);
  dense << 1, 0, 2,
           0, 0, 3;
  const SparseMatrix matrix = dense.sparseView();
  const CompressedRows rows = compressed_rows(matrix), columns = compressed_columns(matrix);
  using Numbers = std::vector<std::uint32_t>;
  CHECK(rows.offsets == Numbers{0, 2, 3});
  CHECK(rows.columns == Numbers{0, 2, 2});
  CHECK(rows.elements == Numbers{0, 1, 2});
  CHECK(columns.offsets == Numbers{0, 1, 1, 3});
  CHECK(columns.columns == Numbers{0, 0, 1});
  CHECK(columns.elements == Numbers{0, 1, 2});
  CHECK(columns.values == std::vector<float>{1, 2, 3});
  SparseMatrix loose(2, 3);  // not compressed
  loose.insert(0, 0) = 1;
  loose.insert(0, 2) = 2;
  loose.insert(1, 2) = 3;
  CHECK(compressed_rows(loose).columns == rows.columns);
  CHECK(compressed_columns(loose).values == columns.values);
}

TEST_CASE("sparse products equal naive ones", "[core][sparse_product]") {
  const float probability = GENERATE(0.0F, 0.6F);
  for (const Eigen::Index columns : {1, 7, 8, 9, 15, 16, 17, 33, 64, 65, 100}) {
    check_products(random_sparse(20, 30, 0.2), {probability, 12}, columns);
    check_products(random_sparse(4, 600, 0.9), {probability, 12}, columns);  // rows split into several pieces
  }
  check_products(random_sparse(70, 3000, 0.1), {probability, 12}, 64);  // a large table, several chunks
}

TEST_CASE("sparse products by head equal naive ones", "[core][sparse_product]") {
  for (const int heads : {2, 3, 8, 11, 32, 33, 70})
    for (const Eigen::Index width : {1, 3, 8, 20})
      check_products(random_sparse(9, 40, 0.4), {0.6F, 12, heads}, heads * width);
  check_products(random_sparse(70, 3000, 0.1), {0.6F, 12, 8}, 64);
}

TEST_CASE("sparse products take empty matrices", "[core][sparse_product]") {
  for (const auto& [rows, cols] : {std::pair{0, 3}, {3, 0}, {1, 3}, {0, 0}}) {
    const SparseMatrix matrix = random_sparse(rows, cols, 1);
    for (const int heads : {1, 2}) check_products(matrix, {0.5F, 1, heads}, 4);
  }
}

TEST_CASE("dropped_entries matches what the products drop", "[core][sparse_product]") {
  const SparseMatrix matrix = random_sparse(40, 300, 0.3);
  const EntryDropout dropout{0.6F, 5};
  for (const CompressedRows& a : {compressed_rows(matrix), compressed_columns(matrix)}) {
    std::vector<float> values(a.values.size());
    drop_entries(a, a.values.data(), dropout, values.data());
    const SparseMatrix expected = dropped(matrix, dropout, 0);
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == Approx(expected.valuePtr()[a.elements[i]]));
  }
}

TEST_CASE("the mask of heads drops by the hash of each element", "[core][sparse_product]") {
  constexpr std::size_t kEntries = 40000;
  const EntryDropout dropout{0.6F, 12, 8};
  std::vector<std::uint32_t> bits(head_mask_words(kEntries, dropout.heads));
  draw_head_mask(dropout, kEntries, bits.data());
  std::size_t wrong = 0;
  for (std::uint32_t i = 0; i < kEntries * 8; ++i) {
    const bool is_kept = random_bits(dropout.key, i) >= dropout_threshold(dropout.probability);
    if (is_kept != ((bits[i / 32] >> i % 32 & 1) != 0)) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("sparse products have the same bits at any number of threads", "[core][sparse_product]") {
  const SparseMatrix matrix = random_sparse(300, 400, 0.3);
  const Matrix b = random_matrix(300, 24, 2);
  const int before = threads();
  for (const int heads : {1, 8}) {
    Matrix results[2];
    for (int i = 0; i < 2; ++i) {
      set_threads(1 + 2 * i);
      results[i] = product(compressed_columns(matrix), {0.6F, 7, heads}, b, {RowStart::Kind::zero}, Matrix(400, 24));
    }
    CHECK(results[0] == results[1]);
  }
  set_threads(before);
}
