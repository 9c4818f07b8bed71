#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "edgewise/core/matrix.hpp"

namespace edgewise::python {

namespace nb = nanobind;

/// A matrix of the caller, which stays in the caller's memory.
using Table = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// A new matrix, which becomes a NumPy array without a copy.
using NumpyMatrix = nb::ndarray<nb::numpy, float, nb::ndim<2>>;
using NumpyIntegers = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

/// Hands a contiguous container over to Python. `make_array(data, owner)` makes the array.
template <class Container, class MakeArray>
auto hand_over(Container container, const MakeArray& make_array) {
  auto kept = std::make_unique<Container>(std::move(container));
  Container& of = *kept;
  nb::capsule owner(kept.get(), [](void* data) noexcept { delete static_cast<Container*>(data); });
  kept.release();
  return make_array(of, owner);
}

inline NumpyMatrix to_numpy(Matrix matrix) {
  return hand_over(std::move(matrix), [](Matrix& of, const nb::capsule& owner) {
    return NumpyMatrix(of.data(), {static_cast<std::size_t>(of.rows()), static_cast<std::size_t>(of.cols())}, owner);
  });
}

inline NumpyIntegers to_numpy(std::vector<std::int64_t> numbers) {
  return hand_over(std::move(numbers), [](std::vector<std::int64_t>& of, const nb::capsule& owner) {
    return NumpyIntegers(of.data(), {of.size()}, owner);
  });
}

inline ConstMatrixMap view(const Table& table) {
  return {table.data(), static_cast<Eigen::Index>(table.shape(0)), static_cast<Eigen::Index>(table.shape(1))};
}

inline Matrix to_matrix(const Table& table) { return view(table); }

}  // namespace edgewise::python
