#include "edgewise/train/source/node_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "edgewise/io/csv.hpp"

namespace edgewise::train {
namespace {

/// The places of source, target and the third column.
using Places = std::array<std::size_t, 3>;

/// Those in a header; nothing if the fields are not one.
std::optional<Places> places_in(std::span<const std::string_view> fields, const graph::NodeNames& names,
                                const std::string& third) {
  const auto place_of = [&](std::string_view name, std::size_t otherwise) {
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (io::equals_ignoring_case(fields[i], name)) return i;
    return otherwise;
  };
  const std::size_t none = fields.size();
  if (place_of("source", none) < none && place_of("target", none) < none)
    return Places{place_of("source", 0), place_of("target", 1), place_of(third, 2)};
  if (names.find(fields[0]) || names.find(fields[1])) return std::nullopt;
  return Places{0, 1, place_of(third, 2)};
}

graph::Node node_of(const io::CsvReader& csv, std::string_view name, const graph::NodeNames& names) {
  if (const std::optional<graph::Node> node = names.find(name)) return *node;
  throw DataError(csv.where(), fmt::format("{} is not one of the {} nodes", io::quote(name), names.size()));
}

}  // namespace

std::vector<NodePairRow> read_node_pair_rows(const std::string& path, const graph::NodeNames& names,
                                             const std::string& third) {
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
    NodePairRow row{.source = node_of(csv, fields[places[0]], names),
                    .target = node_of(csv, fields[places[1]], names),
                    .third = third.empty() ? "" : std::string(fields[places[2]]),
                    .where = csv.where()};
    if (row.source == row.target)
      throw DataError(row.where, fmt::format("expected two different nodes, found {} twice",
                                             io::quote(fields[places[0]])));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw DataError(fmt::format("{}: it names no pair of nodes", path));
  return rows;
}

NodePairs read_node_pairs(const std::string& path, const graph::NodeNames& names) {
  NodePairs pairs;
  for (const NodePairRow& row : read_node_pair_rows(path, names)) pairs.add(row.source, row.target);
  return pairs;
}

}  // namespace edgewise::train
