#include "edgewise/train/doctor/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "edgewise/data/splits.hpp"
#include "edgewise/io/text_reader.hpp"
#include "edgewise/io/text_writer.hpp"
#include "edgewise/train/source/atom_items.hpp"
#include "edgewise/train/source/duplicate_items.hpp"

namespace edgewise::train {
namespace {

/// A label as in the file; "" if unknown.
std::string label_text(const data::Labels& labels, Eigen::Index target, graph::Node row) {
  if (!labels.has_classes()) return io::number_text(labels.targets(row, target));
  const std::int32_t label = labels.classes[row];
  return label < 0 ? "" : labels.names[static_cast<std::size_t>(label)];
}

/// For each text the first one with the same tokens; empty if all differ, or if the graphs are no texts.
std::vector<graph::Node> find_equal_texts(const Dataset& data) {
  if (!data.collection || !data.graphs || data.collection->tokens != std::vector<std::string>{"token"}) return {};
  const io::Column* tokens = data.collection->nodes.find("token");
  if (tokens == nullptr || tokens->is_numeric) return {};
  const std::vector<graph::Node>& offsets = data.graphs->offsets;
  std::map<std::vector<std::int32_t>, graph::Node> places;
  std::vector<graph::Node> first;
  for (graph::Node text = 0; text + 1 < offsets.size(); ++text) {
    std::vector<std::int32_t> codes(tokens->codes.begin() + offsets[text], tokens->codes.begin() + offsets[text + 1]);
    first.push_back(places.emplace(std::move(codes), text).first->second);
  }
  return places.size() < first.size() ? first : std::vector<graph::Node>();
}

/// Two rows of a molecule with different labels.
struct Conflict {
  graph::Node row, other;
  Eigen::Index target;
};

/// The first two different labels in the rows of a molecule.
std::optional<Conflict> conflict_of(const data::Labels& labels, std::span<const graph::Node> rows) {
  if (labels.names.empty()) return std::nullopt;
  for (Eigen::Index target = 0; target < labels.target_count(); ++target) {
    std::optional<graph::Node> known;
    for (const graph::Node row : rows) {
      const std::string text = label_text(labels, target, row);
      if (text.empty()) continue;
      if (known && label_text(labels, target, *known) != text) return Conflict{*known, row, target};
      if (!known) known = row;
    }
  }
  return std::nullopt;
}

/// "CCO" has 1.2 in line 3 and 1.5 in line 9
std::string text_of(const Conflict& conflict, const Dataset& data) {
  const auto place = [&](graph::Node row) { return data.table.place_of(row); };
  const bool is_class = data.labels.has_classes();
  const std::string of = is_class || data.labels.names.size() == 1
                             ? ""
                             : fmt::format(" for \"{}\"", data.labels.names[static_cast<std::size_t>(conflict.target)]);
  return fmt::format("{}{} has {} in {} and {} in {}", io::quote(data.graphs->smiles[conflict.row]), of,
                     label_text(data.labels, conflict.target, conflict.row), place(conflict.row),
                     label_text(data.labels, conflict.target, conflict.other), place(conflict.other));
}

}  // namespace

std::vector<std::string> repeat_notes(const Dataset& data) {
  const std::vector<graph::Node>& first = duplicate_of(data);
  if (first.empty() || !data.graphs) return {};
  std::unordered_map<graph::Node, std::vector<graph::Node>> rows_of;
  for (graph::Node row = 0; row < first.size(); ++row)
    if (data.graphs->problems[row].empty()) rows_of[first[row]].push_back(row);
  std::size_t repeated = 0, rows = 0, conflicts = 0;
  std::string example;
  for (graph::Node row = 0; row < first.size(); ++row) {
    if (first[row] != row || rows_of[row].size() < 2) continue;
    ++repeated;
    rows += rows_of[row].size();
    const std::optional<Conflict> conflict = conflict_of(data.labels, rows_of[row]);
    if (conflict && ++conflicts == 1) example = text_of(*conflict, data);
  }
  const Noun noun = data.graphs->noun();
  std::vector<std::string> notes = {
      fmt::format("{} of {} {} {} in several rows, {} in all ({}repeated measurements, other notations); a drawn "
                  "split keeps the rows of a {} together",
                  repeated, rows_of.size(), noun.many, repeated == 1 ? "is" : "are", rows,
                  data.graphs->are_reactions ? "" : "conformers, ", noun.one)};
  if (conflicts > 0)
    notes.push_back(fmt::format("{} of them {} different labels in different rows: {}", conflicts,
                                conflicts == 1 ? "has" : "have", example));
  return notes;
}

std::vector<std::string> notes_on_shared_items(const Dataset& data, const data::Split& given) {
  if (!data.graphs && !data.atoms) return {};
  const GraphItems& graphs = data.atoms ? data.atoms->molecules : *data.graphs;
  const data::Split split = data.atoms ? split_of_molecules(*data.atoms, given) : given;
  const bool are_molecules = graphs.are_molecules;
  const std::vector<graph::Node> first = are_molecules ? duplicate_of(data) : find_equal_texts(data);
  if (first.empty()) return {};
  std::vector<bool> is_trained_on(first.size(), false);
  for (std::size_t row = 0; row < first.size(); ++row)
    if (split[row] == data::Role::train) is_trained_on[first[row]] = true;
  std::vector<std::string> notes;
  for (const data::Role role : {data::Role::validation, data::Role::test}) {
    const std::vector<graph::Node> rows = data::nodes_with_role(split, role);
    const auto is_shared = [&](graph::Node row) { return is_trained_on[first[row]]; };
    const auto shared = std::ranges::find_if(rows, is_shared);
    if (shared == rows.end()) continue;
    notes.push_back(fmt::format("{} of the {} {} of the {} part are in the training part as well, such as {}: errors "
                                "look smaller than they are",
                                std::ranges::count_if(rows, is_shared), rows.size(),
                                are_molecules ? graphs.noun().many : "texts", data::role_name(role),
                                are_molecules ? io::quote(graphs.smiles[*shared])
                                              : io::quote(graphs.names[*shared])));
  }
  return notes;
}

}  // namespace edgewise::train
