#include "edgewise/autograd/part.hpp"

#include <algorithm>
#include <array>

#include "edgewise/autograd/detail/elementwise.hpp"

namespace edgewise::autograd {
namespace {

ConstMatrixMap rows_of(Variable own) { return {own.value().data(), own.rows(), own.cols()}; }

Variable recorded_with_halo(Part& part, Variable own) {
  const Eigen::Index size = own.rows() * own.cols(), halo = part.halo_rows(), cols = own.cols();
  Variable all = own.tape().make(own.rows() + halo, cols, own.needs_gradient());
  const float* from = own.value().data();
  float* to = all.value().data();
  detail::for_each_block(size, [&](Eigen::Index begin, Eigen::Index count) {
    std::copy_n(from + begin, count, to + begin);
  });
  part.fetch_halo({from, own.rows(), cols}, {to + size, halo, cols});
  all.tape().on_backward(all, [&part, own, all, size, halo, cols] {
    const float* upstream = all.gradient().data();
    detail::add_gradient(own, [&](Eigen::Index begin, Eigen::Index count) {
      return Eigen::Map<const Eigen::ArrayXf>(upstream + begin, count);
    });
    part.return_halo({upstream + size, halo, cols}, own.gradient());
  });
  return all;
}

}  // namespace

Variable with_halo(Part& part, Variable own) {
  if (own.rows() == part.all_rows()) return own;
  Tape& tape = own.tape();
  if (tape.is_recording()) return recorded_with_halo(part, own);
  return tape.constant(part.see(std::array{rows_of(own)})[0]);
}

std::pair<Variable, Variable> with_halo(Part& part, Variable own, Variable others) {
  Tape& tape = own.tape();
  if (own.rows() == part.all_rows() || tape.is_recording()) {
    const Variable first = with_halo(part, own);
    return {first, with_halo(part, others)};
  }
  const std::vector<ConstMatrixMap> seen = part.see(std::array{rows_of(own), rows_of(others)});
  return {tape.constant(seen[0]), tape.constant(seen[1])};
}

}  // namespace edgewise::autograd
