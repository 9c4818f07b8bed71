#pragma once

#include "edgewise/attention/detail/pieces.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::attention::detail {

/// The tables of rows [H * D] that a pass reads, as they are stored; nullptr where there is none.
struct StoredTables {
  const float* query = nullptr;            ///< [destinations]
  const float* key = nullptr;              ///< [sources]
  const float* value = nullptr;            ///< [sources]
  const float* output_gradient = nullptr;  ///< [destinations]
};

/// The tables that the rows of a piece read their own rows from: as they were given, but rounded in bfloat16.
template <Storage kStorage>
const StoredTables& own_tables(const StoredTables& given, const StoredTables& stored) {
  return kStorage == Storage::float32 ? given : stored;
}

/// Room for copies of tables, the thread's own.
inline Eigen::VectorXf& copy_room() {
  static thread_local Eigen::VectorXf room;
  return room;
}

/// Copies of tables, interleaved or in bfloat16 or both, one after another in `copy_room`, which is kept from call to
/// call, so that a step allocates nothing; the copies of one call are gone with the next.
template <Layout kLayout, Storage kStorage>
class StoredCopies {
 public:
  StoredCopies(const HeadShape& shape, std::size_t rows) : vectors_{shape}, free_(room(rows * row_floats())) {}

  const float* add(const float* table, std::size_t rows) {
    if (table == nullptr) return nullptr;
    constexpr std::size_t kGrain = 256;
    float* copy = free_;
    parallel_for(rows, kGrain, [&](std::size_t begin, std::size_t end) {
      const auto columns = static_cast<std::size_t>(vectors_.columns());
      for (std::size_t row = begin; row < end; ++row) store(table + row * columns, copy + row * row_floats());
    });
    free_ += rows * row_floats();
    return copy;
  }

 private:
  std::size_t row_floats() const { return static_cast<std::size_t>(vectors_.template stored_columns<kStorage>()); }
  void store(const float* row, float* copy) const {
    if constexpr (kLayout.is_interleaved) {
      using Rows = InterleavedRows<kLayout>;
      const typename Rows::Row interleaved = Rows::interleave(Rows::load(row));
      vectors_.template store_row<kStorage>(copy, [&](int v) { return interleaved[v]; });
    } else {
      vectors_.template store_row<kStorage>(copy, [&](int v) { return vectors_.load(row, v); });
    }
  }
  static float* room(std::size_t floats) {
    Eigen::VectorXf& room = copy_room();
    if (static_cast<std::size_t>(room.size()) < floats) {
      room.resize(static_cast<Eigen::Index>(floats));
      ask_for_large_pages(room.data(), floats * sizeof(float));
    }
    return room.data();
  }

  RowVectors<kLayout> vectors_;
  float* free_;
};

/// The tables as they are gathered: themselves, or copies. The forward pass, without a gradient, gathers no queries, but
/// in bfloat16 it reads the rounded ones.
template <Layout kLayout, Storage kStorage>
StoredTables stored(const HeadShape& shape, const graph::FrozenGraph& graph, const StoredTables& tables) {
  constexpr bool kRounds = kStorage == Storage::bfloat16;
  if constexpr (!kRounds && !kLayout.is_interleaved) return tables;
  const std::size_t sources = graph.source_count(), destinations = graph.destination_count();
  const bool is_value_the_key = tables.value == tables.key;
  const float* query = kRounds || tables.output_gradient != nullptr ? tables.query : nullptr;
  const auto rows = [](const float* table, std::size_t count) { return table == nullptr ? 0 : count; };
  StoredCopies<kLayout, kStorage> copies(shape, rows(query, destinations) + rows(tables.key, sources) +
                                                    (is_value_the_key ? 0 : sources) +
                                                    rows(tables.output_gradient, destinations));
  StoredTables copied;
  copied.query = copies.add(query, destinations);
  copied.key = copies.add(tables.key, sources);
  copied.value = is_value_the_key ? copied.key : copies.add(tables.value, sources);
  copied.output_gradient = copies.add(tables.output_gradient, destinations);
  return copied;
}

/// The two ends of the edges of a graph, gone through some columns at a time where that is worth it.
inline EdgeEnds ends_in_blocks(const HeadShape& shape, const graph::FrozenGraph& graph, Storage storage) {
  const std::size_t row_bytes = static_cast<std::size_t>(shape.columns()) * (storage == Storage::float32 ? 4 : 2);
  return {graph, shape, columns_at_once(graph.incoming, graph.source_count(), row_bytes),
          columns_at_once(graph.outgoing, graph.destination_count(), row_bytes)};
}

/// Whether rows in float32 are worth being interleaved: the copies that it takes cost as much as is saved along some
/// twenty edges a row. In bfloat16 there are copies anyway.
inline bool interleaving_pays(const graph::FrozenGraph& graph, Storage storage) {
  constexpr std::size_t kLongRow = 32;
  return storage == Storage::bfloat16 || graph.incoming.slots() >= kLongRow * graph.destination_count();
}

/// Calls `body` with the tables as `storage` has them, and a layout and the storage as constants:
/// body.operator()<kLayout, kStorage>(tables). With kMayInterleave the layout is interleaved where that is possible and
/// pays.
template <bool kMayInterleave = false, class Body>
void with_stored(const HeadShape& shape, const graph::FrozenGraph& graph, Storage storage, const StoredTables& tables,
                 Body&& body) {
  const auto call = [&]<Layout kLayout, Storage kStorage>() {
    body.template operator()<kLayout, kStorage>(stored<kLayout, kStorage>(shape, graph, tables));
  };
  const auto in_float32 = [&](auto layout) { call.template operator()<layout(), Storage::float32>(); };
  const auto in_bfloat16 = [&](auto layout) { call.template operator()<layout(), Storage::bfloat16>(); };
  const bool rounds = storage == Storage::bfloat16;
  if constexpr (kMayInterleave)
    if (can_interleave(shape) && interleaving_pays(graph, storage))
      return rounds ? with_interleaved_layout(shape, in_bfloat16) : with_interleaved_layout(shape, in_float32);
  rounds ? with_common_layout(shape, in_bfloat16) : with_layout(shape, in_float32);
}

}  // namespace edgewise::attention::detail
