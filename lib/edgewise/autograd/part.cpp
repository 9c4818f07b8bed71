#include "edgewise/autograd/part.hpp"

#include <algorithm>

#include "edgewise/autograd/detail/elementwise.hpp"

namespace edgewise::autograd {

Variable with_halo(Part& part, Variable own) {
  if (own.rows() == part.all_rows()) return own;
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

}  // namespace edgewise::autograd
