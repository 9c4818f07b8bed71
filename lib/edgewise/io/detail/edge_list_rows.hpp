#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/graph/node_names.hpp"
#include "edgewise/io/detail/edge_feature.hpp"
#include "edgewise/io/detail/edge_list_columns.hpp"
#include "edgewise/io/detail/edge_types.hpp"
#include "edgewise/io/detail/node_lookup.hpp"
#include "edgewise/io/edge_list_options.hpp"
#include "edgewise/io/edge_list_result.hpp"

namespace edgewise::io::detail {

/// Whether a text means "not known". Most names are told apart by their first byte.
class MissingNames {
 public:
  explicit MissingNames(const std::vector<std::string>& texts) : texts_(texts) {
    for (const std::string& text : texts)
      if (!text.empty()) may_begin_[static_cast<unsigned char>(text.front())] = true;
  }

  bool contains(std::string_view name) const {
    return !name.empty() && may_begin_[static_cast<unsigned char>(name.front())] &&
           std::ranges::count(texts_, name) > 0;
  }

 private:
  const std::vector<std::string>& texts_;
  std::array<bool, 256> may_begin_{};
};

/// Appends rows to the result, in batches; nodes are numbered in file order.
class EdgeListRows {
 public:
  EdgeListRows(std::string path, EdgeColumns columns, const EdgeListOptions& options, EdgeListResult& result);

  /// The rows that follow are those of another file.
  void begin_file(const std::string& path);

  void add(std::span<const std::string_view> fields, std::uint64_t line);

  /// Whether the nodes are given, and both ends of this row are among them.
  bool are_ends_known(std::span<const std::string_view> fields) const;

  void finish();

 private:
  static constexpr std::size_t kBatch = 64, kPiece = std::size_t{1} << 16;
  struct Ends {
    NodeLookup::Key source;
    NodeLookup::Key target;
    std::uint64_t line;
  };

  void hand_over();
  void add_batch();
  void require_name(std::string_view name, std::size_t column, std::uint64_t line) const;
  /// Lets the types of edges say the direction.
  void take_types();
  /// Whether an end is unknown.
  bool is_dropped(std::string_view source, std::string_view target, std::uint64_t line);
  void report_added() const;
  graph::Node node(const NodeLookup::Key& key, std::size_t column, std::uint64_t line);
  std::string hint_for(std::string_view name) const;
  [[noreturn]] void fail_unknown(std::string_view name, std::size_t column, std::uint64_t line);

  std::string path_;
  std::size_t file_ = 0;
  EdgeColumns columns_;
  bool is_header_in_doubt_;
  bool are_nodes_given_;
  EdgeListResult& result_;
  std::size_t known_nodes_;
  bool drops_;
  bool adds_;
  const std::function<void(const graph::EdgeList&)>& take_;
  MissingNames missing_;
  const std::string& nodes_header_;
  EdgeTypes types_;
  NodeLookup lookup_;
  graph::NodeNames dropped_;
  std::vector<Ends> batch_;
  std::vector<EdgeFeature> features_;
  graph::EdgeIndex rows_ = 0;
  std::uint64_t next_line_ = 0;
};

}  // namespace edgewise::io::detail
