#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace edgewise::attention {

/// What attention reads, or the gradients of that: a matrix, a pointer to its numbers, its shape. Heads are side by
/// side in a row. D: destinations of the mask, S: its sources, H: heads, W: columns per head, F: edge features. Parts
/// after `value` may be unset: they are then not used.
template <class T>
struct Parts {
  T query{};              ///< [D, H * W]; GAT: [D, H].
  T key{};                ///< [S, H * W]; GAT: [S, H].
  T value{};              ///< [S, H * W]; may be `key`.
  T attention_vector{};   ///< [1, H * W], for GATv2 and Bahdanau; unset: all ones.
  T edge_weight{};        ///< [F, H * W]: features . edge_weight is added to the key. Not for GAT.
  T value_edge_weight{};  ///< [F, H * W]: features . value_edge_weight is added to the value.
  T edge_bias{};          ///< [F, H]: features . edge_bias is added to the score (GAT: before its LeakyReLU).

  static constexpr std::array<std::string_view, 7> kNames = {
      "query", "key", "value", "attention_vector", "edge_weight", "value_edge_weight", "edge_bias"};

  /// In the order of kNames.
  std::array<T*, 7> all() {
    return {&query, &key, &value, &attention_vector, &edge_weight, &value_edge_weight, &edge_bias};
  }

  /// The part of that name, which is one of kNames.
  T& named(std::string_view name) {
    return *all()[static_cast<std::size_t>(std::ranges::find(kNames, name) - kNames.begin())];
  }

  /// The same parts of another kind.
  template <class F>
  auto map(const F& f) const -> Parts<std::remove_cvref_t<std::invoke_result_t<F, const T&>>> {
    return {f(query), f(key), f(value), f(attention_vector), f(edge_weight), f(value_edge_weight), f(edge_bias)};
  }
};

}  // namespace edgewise::attention
