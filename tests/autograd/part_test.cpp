#include "edgewise/autograd/part.hpp"

#include <deque>

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

namespace {

/// A part whose halo are some of its own rows, as if it met itself.
class MirroredPart final : public Part {
 public:
  explicit MirroredPart(std::vector<Eigen::Index> halo) : halo_(std::move(halo)) {}
  std::size_t index() const override { return 0; }
  Eigen::Index all_rows() const override { return 100; }
  Eigen::Index halo_rows() const override { return static_cast<Eigen::Index>(halo_.size()); }
  void fetch_halo(ConstMatrixMap own, MatrixMap halo) override { halo = own(halo_, Eigen::all); }
  void return_halo(ConstMatrixMap halo, MatrixMap own) override {
    for (std::size_t i = 0; i < halo_.size(); ++i) own.row(halo_[i]) += halo.row(static_cast<Eigen::Index>(i));
  }
  std::vector<ConstMatrixMap> see(std::span<const ConstMatrixMap> own) override {
    std::vector<ConstMatrixMap> all;
    seen_.clear();
    for (const ConstMatrixMap& rows : own) {
      Matrix& seen = seen_.emplace_back(rows.rows() + halo_rows(), rows.cols());
      seen << rows, rows(halo_, Eigen::all);
      all.emplace_back(seen.data(), seen.rows(), seen.cols());
    }
    return all;
  }
  void forget(std::size_t, std::span<const Variable>) override {}
  void add_up(std::span<float>) override {}
  bool is_keeper() const override { return true; }

 private:
  std::vector<Eigen::Index> halo_;
  std::deque<Matrix> seen_;
};

}  // namespace

TEST_CASE("rows of a halo follow those of a part", "[autograd][part]") {
  Tape tape(GENERATE(true, false));
  MirroredPart part({2, 0});
  const Matrix x = test::random_matrix(3, 4, 1);
  const Variable all = with_halo(part, tape.constant(x));
  REQUIRE(all.rows() == 5);
  CHECK(all.value().topRows(3) == x);
  CHECK(all.value().row(3) == x.row(2));
  CHECK(all.value().row(4) == x.row(0));
  const Matrix expected = all.value();  // which is valid until the next call
  const auto [one, other] = with_halo(part, tape.constant(x), tape.constant(x.leftCols(2)));
  CHECK(one.value() == expected);
  CHECK(other.value() == expected.leftCols(2));
}

TEST_CASE("gradients of rows with a halo match central differences", "[autograd][part]") {
  MirroredPart part({2, 0, 2});
  test::check_gradient([&](Tape&, Variables v) { return with_halo(part, v[0]); }, {test::random_matrix(3, 4, 1)});
}

TEST_CASE("gradients of parameters can be kept apart", "[autograd][tape]") {
  Parameter weight("w", Matrix::Constant(1, 1, 3));
  ParameterGradients gradients;
  Workspace workspace;
  Tape tape(gradients, workspace);
  for (int pass = 1; pass <= 2; ++pass) {
    tape.reset();
    tape.backward(tape.parameter(weight));
    CHECK(gradients.of(weight)(0, 0) == static_cast<float>(pass));
  }
  CHECK(weight.gradient(0, 0) == 0);
  gradients.set_zero();
  CHECK(gradients.of(weight)(0, 0) == 0);
}
