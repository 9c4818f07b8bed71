#include "edgewise/train/source/node_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/graph/link_candidates.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/kind_columns.hpp"
#include "edgewise/io/text_writer.hpp"

namespace edgewise::train {
namespace {

/// The places of source, target and the third column.
using Places = std::array<std::size_t, 3>;

/// Those in a header; nothing if the fields are not one.
std::optional<Places> places_in(std::span<const std::string_view> fields, const PairNames& names,
                                const std::string& third) {
  const auto place_of = [&](std::string_view name, std::size_t otherwise) {
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (io::equals_ignoring_case(fields[i], name)) return i;
    return otherwise;
  };
  const std::size_t none = fields.size();
  if (place_of("source", none) < none && place_of("target", none) < none)
    return Places{place_of("source", 0), place_of("target", 1), place_of(third, 2)};
  if (const auto kinds = names.find_columns(std::vector<std::string>(fields.begin(), fields.end())))
    return Places{kinds->first, kinds->second, place_of(third, 2)};
  if (names.source(fields[0]) || names.target(fields[1])) return std::nullopt;
  if (const auto ends = io::find_ends(std::vector<std::string>(fields.begin(), fields.end())))
    return Places{ends->first, ends->second, place_of(third, 2)};
  if (!third.empty() && place_of(third, none) < none) return Places{0, 1, place_of(third, 2)};
  return std::nullopt;
}

graph::Node known_end(const io::CsvReader& csv, std::string_view name, std::optional<graph::Node> node,
                      const std::string& one_of) {
  if (node) return *node;
  throw DataError(csv.where(), fmt::format("{} is not {}", io::quote(name), one_of));
}

/// What a field of a CSV file says.
std::string unquoted(std::string_view field) {
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return std::string(field);
  std::string text(field.substr(1, field.size() - 2));
  for (std::size_t place = text.find("\"\""); place != text.npos; place = text.find("\"\"", place + 1))
    text.erase(place, 1);
  return text;
}

}  // namespace

std::optional<graph::Node> PairNames::find(const std::string& kind, std::string_view name,
                                           std::uint8_t other_side) const {
  std::optional<graph::Node> node = names_->find(kind + std::string(name));
  if (!node && name.starts_with(kind)) node = names_->find(name);
  return node && !sides_.empty() && sides_[*node] == other_side ? std::nullopt : node;
}

std::optional<graph::Node> PairNames::source(std::string_view name) const {
  return find(source_, name, graph::kTargetSide);
}

std::optional<graph::Node> PairNames::target(std::string_view name) const {
  return find(target_, name, graph::kSourceSide);
}

std::optional<std::pair<std::size_t, std::size_t>> PairNames::find_columns(std::span<const std::string> header) const {
  if (source_.empty()) return std::nullopt;
  const auto kind_of = [](std::string_view prefix) { return prefix.substr(0, prefix.size() - 1); };
  return io::find_kinds(header, kind_of(source_), kind_of(target_));
}

std::string PairNames::one_of(const std::string& kind, const char* direction) const {
  if (!sides_.empty()) return fmt::format("one of the nodes that ties lead {}", direction);
  if (kind.empty()) return fmt::format("one of the {} nodes", names_->size());
  return fmt::format("one of the {}", kind.substr(0, kind.size() - 1));
}

std::uint64_t pair_key(graph::Node source, graph::Node target, bool is_directed) {
  if (!is_directed && target < source) std::swap(source, target);
  return std::uint64_t{source} << 32 | target;
}

std::string name_of_link(const PairNames& nodes, graph::Node source, graph::Node target) {
  return fmt::format("{},{}", io::csv_field(nodes.of_source(source)), io::csv_field(nodes.of_target(target)));
}

std::pair<graph::Node, graph::Node> ends_of_link(const PairNames& nodes, std::string_view link, std::string_view what) {
  const std::size_t first = link.find(',');
  if (first == link.npos)
    throw UsageError(fmt::format("{}: expected two nodes, such as ada,bob, got {}", what, io::quote(link)));
  for (std::size_t comma = first; comma != link.npos; comma = link.find(',', comma + 1)) {
    const auto source = nodes.source(unquoted(link.substr(0, comma)));
    const auto target = nodes.target(unquoted(link.substr(comma + 1)));
    if (source && target) return {*source, *target};
  }
  const std::string source = unquoted(link.substr(0, first)), target = unquoted(link.substr(first + 1));
  if (!nodes.source(source))
    throw UsageError(fmt::format("{}: {} is not {}", what, io::quote(source), nodes.one_of_sources()));
  throw UsageError(fmt::format("{}: {} is not {}", what, io::quote(target), nodes.one_of_targets()));
}

std::vector<NodePairRow> read_node_pair_rows(const std::string& path, const PairNames& names,
                                             const std::string& third, bool can_be_loops) {
  io::CsvReader csv(path);
  std::vector<NodePairRow> rows;
  Places places = {0, 1, 2};
  for (bool is_first = true; csv.next(); is_first = false) {
    const auto fields = csv.fields();
    const std::size_t needed = third.empty() ? 2 : 3;
    if (fields.size() < needed)
      throw DataError(csv.where(), fmt::format("expected two nodes, source and target{}, found {} {}",
                                               third.empty() ? "" : fmt::format(", and the {}", third), fields.size(),
                                               fields.size() == 1 ? "field" : "fields"));
    if (is_first)
      if (const auto header = places_in(fields, names, third)) {
        places = *header;
        continue;
      }
    const std::size_t last = std::max({places[0], places[1], third.empty() ? 0 : places[2]});
    if (last >= fields.size())
      throw DataError(csv.where(),
                      fmt::format("expected {} fields, as in the header, found {}", last + 1, fields.size()));
    const std::string_view source = fields[places[0]], target = fields[places[1]];
    NodePairRow row{.source = known_end(csv, source, names.source(source), names.one_of_sources()),
                    .target = known_end(csv, target, names.target(target), names.one_of_targets()),
                    .third = third.empty() ? "" : std::string(fields[places[2]]),
                    .where = csv.where()};
    if (row.source == row.target && !can_be_loops)
      throw DataError(row.where, fmt::format("expected two different nodes, found {} twice",
                                             io::quote(source)));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw DataError(fmt::format("{}: it names no pair of nodes", path));
  return rows;
}

data::Split read_pair_split(const std::string& path, const PairNames& nodes, std::span<const std::uint64_t> keys,
                            const PairSplit& options) {
  struct OfPair {
    std::size_t items = 0;
    std::vector<data::Role> roles = {};
    std::size_t given = 0;  // of these, to the items before
    TextLocation last = {};
  };
  std::unordered_map<std::uint64_t, OfPair> pairs;
  for (const std::uint64_t key : keys) ++pairs[key].items;
  for (const NodePairRow& row : read_node_pair_rows(path, nodes, "split", options.can_be_loops)) {
    const auto place = pairs.find(pair_key(row.source, row.target, options.is_directed));
    const std::string name = name_of_link(nodes, row.source, row.target);
    if (place == pairs.end())
      throw DataError(row.where, fmt::format("{} is not one of the {} {}", name, pairs.size(), options.noun));
    OfPair& pair = place->second;
    if (pair.roles.size() == pair.items)
      throw DataError(row.where, fmt::format("{}{} is there {}", name, options.is_directed ? "" : ", or its reverse,",
                                             pair.items == 1 ? "twice" : "more often than among the edges"));
    const std::optional<data::Role> role = data::parse_role(row.third);
    if (!role)
      throw DataError(row.where, fmt::format("expected train, validation, test or none, found \"{}\"", row.third));
    pair.roles.push_back(*role);
    pair.last = row.where;
  }
  data::Split split;
  for (const std::uint64_t key : keys) {
    OfPair& pair = pairs.at(key);
    if (pair.roles.size() > 1 && pair.roles.size() < pair.items)
      throw DataError(pair.last, fmt::format("expected one row for the {} edges between these nodes, or one for "
                                                   "each, found {}",
                                                   pair.items, pair.roles.size()));
    split.push_back(pair.roles.empty()      ? data::Role::none
                    : pair.roles.size() > 1 ? pair.roles[pair.given++]
                                            : pair.roles.front());
  }
  return split;
}

NodePairs read_node_pairs(const std::string& path, const PairNames& names) {
  NodePairs pairs;
  for (const NodePairRow& row : read_node_pair_rows(path, names)) pairs.add(row.source, row.target);
  return pairs;
}

}  // namespace edgewise::train
