#include "edgewise/core/masked_product.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/parallel.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using test::random_matrix;

namespace {

using Wide = Eigen::MatrixXd;

constexpr float kProbability = 0.4F;

/// The matrix as the head with `key` sees it.
Wide dropped(const Matrix& matrix, std::uint64_t key) {
  Wide seen = matrix.cast<double>() / (1 - kProbability);
  for (Eigen::Index r = 0; r < matrix.rows(); ++r)
    for (Eigen::Index c = 0; c < matrix.cols(); ++c)
      if (random_bits(key, static_cast<std::uint32_t>(r * matrix.cols() + c)) < dropout_threshold(kProbability))
        seen(r, c) = 0;
  return seen;
}

struct Case {
  int heads;
  Eigen::Index width;
  Matrix a, b, gradient;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> bits;
  HeadMasks masks;

  Case(Eigen::Index rows, Eigen::Index columns, int head_count, Eigen::Index head_width)
      : heads(head_count),
        width(head_width),
        a(random_matrix(rows, columns, 1)),
        b(random_matrix(columns, heads * width, 2)),
        gradient(random_matrix(rows, heads * width, 3)) {
    for (int h = 0; h < heads; ++h) keys.push_back(random_key(5, Stream::dropout, static_cast<std::uint64_t>(h)));
    const auto elements = static_cast<std::size_t>(a.size());
    bits.resize(keys.size() * mask_words(elements));
    masks = draw_masks(kProbability, keys, elements, bits.data());
  }
};

struct Products {
  Matrix out, a_gradient, b_gradient;
};

/// `a_gradient` is replaced, `b_gradient` is added to ones.
Products products(const Case& c) {
  Products found{Matrix(c.gradient), Matrix(c.a), Matrix::Ones(c.b.rows(), c.b.cols())};
  multiply_masked(c.a, c.masks, c.b, found.out);
  multiply_masked_backward(c.a, c.masks, c.b, c.gradient,
                           {MatrixMap(found.a_gradient.data(), c.a.rows(), c.a.cols()), true,
                            MatrixMap(found.b_gradient.data(), c.b.rows(), c.b.cols())});
  return found;
}

void check_near(const Matrix& found, const Wide& expected) {
  REQUIRE(found.rows() == expected.rows());
  // Sums of up to 600 products.
  CHECK((found.size() == 0 || (found.cast<double>() - expected).cwiseAbs().maxCoeff() < 1e-4));
}

void check(const Case& c) {
  CAPTURE(c.heads, c.width, c.a.rows(), c.a.cols());
  Wide out(c.a.rows(), c.b.cols()), a_gradient = Wide::Zero(c.a.rows(), c.a.cols());
  Wide b_gradient = Wide::Ones(c.b.rows(), c.b.cols());
  for (int h = 0; h < c.heads; ++h) {
    const std::uint64_t key = c.keys[static_cast<std::size_t>(h)];
    const Wide seen = dropped(c.a, key), b = c.b.middleCols(h * c.width, c.width).cast<double>();
    const Wide gradient = c.gradient.middleCols(h * c.width, c.width).cast<double>();
    out.middleCols(h * c.width, c.width) = seen * b;
    b_gradient.middleCols(h * c.width, c.width) += seen.transpose() * gradient;
    a_gradient += dropped(Matrix::Ones(c.a.rows(), c.a.cols()), key).cwiseProduct(gradient * b.transpose());
  }
  const Products found = products(c);
  check_near(found.out, out);
  check_near(found.a_gradient, a_gradient);
  check_near(found.b_gradient, b_gradient);
}

}  // namespace

TEST_CASE("masked products and their gradients equal naive ones", "[core][masked_product]") {
  for (const Eigen::Index columns : {1, 7, 8, 9, 16, 17, 63, 64, 65})
    for (const auto& [heads, width] : {std::pair{1, 7}, {8, 3}, {3, 1}, {2, 4}, {2, 5}, {8, 8}, {5, 15}})
      check(Case(5, columns, heads, width));
}

TEST_CASE("masked products of many rows equal naive ones", "[core][masked_product]") {
  for (const Eigen::Index rows : {0, 1, 63, 64, 65, 600}) check(Case(rows, 20, 3, 3));
  check(Case(3, 0, 2, 3));
}

TEST_CASE("masked products can add to the gradient, or leave one out", "[core][masked_product]") {
  const Case c(70, 20, 3, 3);
  const Products expected = products(c);
  Matrix added = Matrix::Ones(70, 20), b_gradient = Matrix::Ones(20, 9);
  const MatrixMap none(nullptr, 0, 0);
  multiply_masked_backward(c.a, c.masks, c.b, c.gradient, {MatrixMap(added.data(), 70, 20), false, none});
  multiply_masked_backward(c.a, c.masks, c.b, c.gradient, {none, true, MatrixMap(b_gradient.data(), 20, 9)});
  check_near(added, (expected.a_gradient.array() + 1).matrix().cast<double>());
  CHECK(b_gradient == expected.b_gradient);
}

TEST_CASE("masked products have the same bits at any number of threads", "[core][masked_product]") {
  const Case c(1000, 20, 8, 3);
  const int before = threads();
  set_threads(1);
  const Products one = products(c);
  set_threads(3);
  const Products three = products(c);
  set_threads(before);
  CHECK(one.out == three.out);
  CHECK(one.a_gradient == three.a_gradient);
  CHECK(one.b_gradient == three.b_gradient);
}
