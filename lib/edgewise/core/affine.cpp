#include "edgewise/core/affine.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "edgewise/core/detail/product_blocks.hpp"

namespace edgewise {
namespace {

using detail::kFromZero;
using detail::RightFactor;
using detail::size_of;
using detail::Start;
using detail::TransposedSum;
using Eigen::Index;

template <class Map>
Index widest(std::span<const Map> maps) {
  return std::max_element(maps.begin(), maps.end(), [](const Map& a, const Map& b) { return a.outputs < b.outputs; })
      ->outputs;
}

ConstMatrixMap weight_of(const auto& map, Index inputs) { return {map.weight, inputs, map.outputs}; }

/// Where the sums of a map are among the partial sums of a block: those of the bias follow those of the weight.
struct Place {
  TransposedSum weight;
  std::size_t begin;
  std::size_t bias() const { return begin + weight.size(); }
};

/// The backward pass of maps over the same rows.
class Backward {
 public:
  Backward(const ConstMatrixRef& x, std::span<const AffineGradients> maps, MatrixMap x_gradient, Result result,
           Workspace& workspace)
      : x_(x), maps_(maps), x_gradient_(x_gradient.data()), result_(result), workspace_(workspace) {
    for (std::size_t i = 0; i < maps.size() && needs_x_gradient(); ++i)
      transposed_[i] = detail::pad_transpose(weight_of(maps[i], x.cols()), workspace);
  }

  void run() {
    std::size_t size = 0;
    for (const AffineGradients& map : maps_) size += place_of(map, 0).bias() + size_of(1, map.outputs);
    const auto rows = static_cast<std::size_t>(x_.rows());
    detail::sum_over_blocks(
        rows, detail::rows_per_sum(rows, x_.cols(), widest(maps_)), size, workspace_,
        [&](Index first, Index count, float* partial) {
          for (Index row = 0; row < count; row += detail::kSumRows)
            add_rows(first + row, std::min(detail::kSumRows, count - row), row == 0, partial);
        },
        [&](float* partial) { add_to_gradients(partial); });
  }

 private:
  bool needs_x_gradient() const { return x_gradient_ != nullptr; }
  Place place_of(const AffineGradients& map, std::size_t begin) const { return {{x_.cols(), map.outputs}, begin}; }

  void for_each_map(const auto& body) const {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      const Place place = place_of(maps_[i], begin);
      body(maps_[i], i, place);
      begin = place.bias() + size_of(1, maps_[i].outputs);
    }
  }

  /// For a map, forward was y = x W + b, so dW += x^T dy, db += the sums of dy, and dx += dy W^T.
  void add_rows(Index first, Index count, bool is_first, float* partial) const {
    for_each_map([&](const AffineGradients& map, std::size_t i, const Place& place) {
      const ConstMatrixMap dy(map.y_gradient + first * map.outputs, count, map.outputs);
      if (map.weight_gradient != nullptr)
        place.weight.add_rows(x_.middleRows(first, count), dy, is_first, partial + place.begin);
      if (map.bias_gradient != nullptr) add_sums(dy, is_first, partial + place.bias());
      if (!needs_x_gradient()) return;
      float* dx = x_gradient_ + first * x_.cols();
      const Start start = i == 0 && result_ == Result::replace ? kFromZero : Start{dx, x_.cols(), 1};
      detail::multiply_rows({dy.data(), map.outputs, 1}, transposed_[i], start, {dx, x_.cols(), x_.cols()}, count);
    });
  }

  static void add_sums(const ConstMatrixMap& dy, bool is_first, float* partial) {
    MatrixMap sums(partial, 1, dy.cols());
    if (is_first) sums.setZero();
    detail::add_rows(dy, sums);
  }

  void add_to_gradients(float* partial) const {
    for_each_map([&](const AffineGradients& map, std::size_t, const Place& place) {
      if (map.weight_gradient != nullptr)
        place.weight.add_to(partial + place.begin, MatrixMap(map.weight_gradient, x_.cols(), map.outputs));
      if (map.bias_gradient != nullptr)
        MatrixMap(map.bias_gradient, 1, map.outputs) += MatrixMap(partial + place.bias(), 1, map.outputs);
    });
  }

  const ConstMatrixRef& x_;
  std::span<const AffineGradients> maps_;
  float* x_gradient_;
  Result result_;
  Workspace& workspace_;
  std::array<RightFactor, kMaxMaps> transposed_{};
};

}  // namespace

void affine(ConstMatrixRef x, std::span<const AffineMap> maps, Workspace& workspace) {
  assert(!maps.empty() && maps.size() <= kMaxMaps);
  workspace.begin();
  std::array<RightFactor, kMaxMaps> weights;
  std::array<Start, kMaxMaps> starts;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    weights[i] = detail::pad(weight_of(maps[i], x.cols()), workspace);
    starts[i] = maps[i].bias == nullptr
                    ? kFromZero
                    : Start{detail::pad(ConstMatrixMap(maps[i].bias, 1, maps[i].outputs), workspace).data, 0, 1};
  }
  parallel_for(static_cast<std::size_t>(x.rows()), detail::rows_per_block(x.cols(), widest(maps)),
               [&](std::size_t begin, std::size_t end) {
                 const auto first = static_cast<Index>(begin), count = static_cast<Index>(end - begin);
                 for (std::size_t i = 0; i < maps.size(); ++i) {
                   const Index columns = maps[i].outputs;
                   detail::multiply_rows({x.data() + first * x.outerStride(), x.outerStride(), 1}, weights[i],
                                         starts[i], {maps[i].y + first * columns, columns, columns}, count);
                 }
               });
}

void affine_backward(ConstMatrixRef x, std::span<const AffineGradients> maps, MatrixMap x_gradient, Result result,
                     Workspace& workspace) {
  assert(!maps.empty() && maps.size() <= kMaxMaps);
  workspace.begin();
  Backward(x, maps, x_gradient, result, workspace).run();
}

}  // namespace edgewise
