#include "edgewise/train/explain/effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/suggestion.hpp"
#include "edgewise/io/mixture_text.hpp"
#include "edgewise/io/molecule_parts.hpp"
#include "edgewise/train/config/input_files.hpp"
#include "edgewise/train/explain/attention_rows.hpp"
#include "edgewise/train/source/atom_items.hpp"
#include "edgewise/train/use/prediction.hpp"

namespace edgewise::train {
namespace {

using graph::Node;

/// `nodes`: those deleted, or the ends of an edge.
void add_part(const char* kind, std::string name, std::vector<Node> nodes, Deletion deletion, Effects& effects) {
  effects.parts.push_back(
      {.kind = kind, .name = std::move(name), .deletion = std::move(deletion), .nodes = std::move(nodes)});
}

void add_node(const char* kind, std::string name, Node node, Effects& effects) {
  add_part(kind, std::move(name), {node}, {.nodes = {node}}, effects);
}

/// The nodes of a collection and of a network have names; those of other graphs have numbers.
std::vector<std::string> names_of_nodes(const Dataset& data, const Subject& subject) {
  std::vector<std::string> names;
  const bool has_names = data.collection || !data.graphs;
  for (std::size_t i = 0; i < subject.nodes().size(); ++i) {
    const Node node = subject.nodes()[i];
    const std::vector<std::string> token = tokens_of(data, node, 1);
    names.push_back(fmt::format("{}{}{}", has_names ? std::string(data.graph.names()[node]) : std::to_string(i),
                                token.empty() ? "" : " ", token.empty() ? "" : token.front()));
  }
  return names;
}

/// "0 C", "1 O"; hydrogens that are atoms follow those of the SMILES, in each of several molecules.
std::vector<std::string> names_of_atoms(const GraphItems& molecules, Node item, std::size_t count) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& smiles, std::size_t end) {
    for (const std::string& symbol : io::atom_symbols(smiles))
      names.push_back(fmt::format("{} {}", names.size(), symbol));
    while (names.size() < end) names.push_back(fmt::format("{} H", names.size()));
  };
  if (!molecules.mixtures) {
    add(molecules.smiles[item], count);
    return names;
  }
  const std::size_t first = item * molecules.mixtures->size();
  const std::vector<Node>& offsets = molecules.mixtures->offsets;
  std::size_t part = first;
  for (const io::MixturePart& one : io::split_mixture(molecules.smiles[item]).parts)
    add(one.share > 0 ? one.smiles : "", offsets[++part] - offsets[first]);
  return names;
}

void add_side_groups(const std::string& smiles, Effects& effects) {
  for (const io::SideGroup& group : io::side_groups(smiles)) {
    std::string atoms;
    for (const std::uint32_t atom : group.atoms) atoms += fmt::format("{}{}", atoms.empty() ? "" : " ", atom);
    add_part("side group", fmt::format("{} (atom{} {})", group.smiles, group.atoms.size() == 1 ? "" : "s", atoms),
             group.atoms, {.replacement = group.rest}, effects);
  }
}

/// Each of several molecules.
void add_molecules(const GraphItems& items, Effects& effects) {
  const io::MixtureText whole = io::split_mixture(items.smiles[effects.item], items.mixtures->names);
  const std::vector<Node>& offsets = items.mixtures->offsets;
  const std::size_t first = effects.item * items.mixtures->size();
  const auto is_there = [](const io::MixturePart& part) { return part.share > 0; };
  if (std::ranges::count_if(whole.parts, is_there) < 2) return;
  for (std::size_t part = 0; part < whole.parts.size(); ++part) {
    if (!is_there(whole.parts[part])) continue;
    io::MixtureText rest = whole;
    rest.parts[part].smiles.clear();
    rest.parts[part].amount.clear();
    std::vector<Node> nodes(offsets[first + part + 1] - offsets[first + part]);
    std::iota(nodes.begin(), nodes.end(), offsets[first + part] - offsets[first]);
    add_part("molecule",
             fmt::format("{} {}", io::name_of_part(whole.parts[part].place, items.mixtures->names),
                         whole.parts[part].smiles),
             std::move(nodes), {.replacement = io::write_mixture(rest.parts, rest.is_sum)}, effects);
  }
}

void add_graph_parts(const Dataset& data, const Subject& subject, Effects& effects) {
  const bool is_molecule = data.graphs->are_molecules;
  const std::string smiles = is_molecule ? data.graphs->smiles[effects.item] : "";
  if (data.graphs->mixtures) add_molecules(*data.graphs, effects);
  const std::vector<std::string> names = is_molecule
                                             ? names_of_atoms(*data.graphs, effects.item, subject.nodes().size())
                                             : names_of_nodes(data, subject);
  if (names.size() > 1)
    for (Node node = 0; node < names.size(); ++node)
      add_node(is_molecule ? "atom" : "node", names[node], node, effects);
  for (std::size_t edge = 0; edge < subject.edges().size(); ++edge) {
    const auto [source, target] = subject.edges()[edge];
    const std::string name = is_molecule ? fmt::format("{}-{}", source, target)
                                         : fmt::format("{} - {}", names[source], names[target]);
    add_part(is_molecule ? "bond" : "edge", name, {source, target}, {.edges = {edge}}, effects);
  }
  if (is_molecule && !data.graphs->mixtures) add_side_groups(smiles, effects);
}

void add_node_parts(const Dataset& data, const Subject& subject, Effects& effects) {
  const std::vector<std::string> names = names_of_nodes(data, subject);
  std::vector<Node> others = subject.neighbours();
  if (data.collection) {
    others.resize(names.size());
    std::iota(others.begin(), others.end(), Node{0});
    std::erase(others, subject.target());
  }
  for (const Node node : others) add_node(data.collection ? "node" : "neighbour", names[node], node, effects);
}

/// The number of an atom, as its name has it: "2" of "7:2".
std::string_view number_of(const Dataset& data, Node atom) {
  const std::string_view name = data.graph.names()[atom];
  return name.substr(name.find(':') + 1);
}

/// Of an atom or a bond: the other atoms and bonds of its molecule. A bond that is a node is left out with its edge.
void add_atom_parts(const Dataset& data, const Subject& subject, Effects& effects) {
  const AtomItems& items = *data.atoms;
  const std::size_t molecule = molecule_of(items, effects.item);
  const Node first = items.molecules.offsets[molecule], atoms = items.bonds[molecule] - first;
  const std::vector<std::string> names = names_of_atoms(items.molecules, static_cast<Node>(molecule), atoms);
  for (Node atom = 0; atom < atoms; ++atom)
    if (atom != subject.target())
      add_node("atom", fmt::format("{}{}", number_of(data, first + atom), names[atom].substr(names[atom].find(' '))),
               atom, effects);
  const bool are_nodes = subject.nodes().size() > atoms;
  Node bond = atoms;  // their nodes are in the order of the edges
  for (std::size_t edge = 0; edge < subject.edges().size(); ++edge) {
    const auto [source, target] = subject.edges()[edge];
    if (std::max(source, target) >= atoms) continue;  // from an atom to the node of a bond
    Deletion deletion{.nodes = {}, .edges = {edge}};
    if (are_nodes) deletion.nodes.push_back(bond++);
    if (deletion.nodes != std::vector{subject.target()})
      add_part("bond", fmt::format("{}-{}", number_of(data, first + source), number_of(data, first + target)),
               {source, target}, std::move(deletion), effects);
  }
}

/// Some of the outputs of a model.
struct Outputs {
  std::size_t first = 0, count = 0;

  bool contains(std::size_t output) const { return output >= first && output < first + count; }
};

/// Those that are predicted of an item: of both atoms and bonds, only those of its kind.
Outputs outputs_of(const Dataset& data, const TrainedModel& trained, Node item) {
  const Outputs all{.first = 0, .count = trained.label_names.size()};
  if (!data.atoms) return all;
  const std::vector<std::string>& targets = targets_of(data, item);
  const bool is_bond = &targets == &data.reading.bond_target;
  if (targets.empty())
    throw UsageError(fmt::format("{}: expected {}, of which the model predicts values, got \"{}\"", setting("node"),
                                 is_bond ? "an atom, as 1:0" : "a bond, as 1:0-1", data.graph.names()[item]));
  const std::size_t of_atoms = data.reading.atom_target.size();
  if (targets.size() == of_atoms + data.reading.bond_target.size()) return all;
  return {.first = is_bond ? of_atoms : 0, .count = targets.size()};
}

std::size_t answer_of(const TrainedModel& trained, const Outputs& outputs, const Matrix& prediction,
                      std::string_view wanted) {
  if (!wanted.empty()) {
    const auto found = std::ranges::find(trained.label_names, wanted);
    const auto output = static_cast<std::size_t>(found - trained.label_names.begin());
    if (outputs.contains(output)) return output;
    if (found != trained.label_names.end())
      throw UsageError(fmt::format("{}: \"{}\" is predicted of {}", setting("of"), wanted,
                                   outputs.first == 0 ? "bonds, not of atoms" : "atoms, not of bonds"));
    throw UsageError(fmt::format("{}: the model predicts nothing called \"{}\"{}", setting("of"), wanted,
                                 did_you_mean(std::string(wanted), trained.label_names)));
  }
  if (trained.task.has_numbers()) return outputs.first;
  Eigen::Index most = 0;
  prediction.row(0)
      .segment(static_cast<Eigen::Index>(outputs.first), static_cast<Eigen::Index>(outputs.count))
      .maxCoeff(&most);
  return outputs.first + static_cast<std::size_t>(most);
}

}  // namespace

json::Value to_json(const PartEffect& part) {
  json::Array nodes;
  for (const graph::Node node : part.nodes) nodes.emplace_back(static_cast<std::int64_t>(node));
  json::Value value = json::Object{{"kind", part.kind},
                                   {"part", part.name},
                                   {"nodes", std::move(nodes)},
                                   {"effect", part.effect},
                                   {"without", part.without}};
  if (!part.deletion.replacement.empty()) value.set("rest", part.deletion.replacement);
  if (!part.ends.empty()) value.set("ends", part.ends);
  return value;
}

json::Value to_json(const ModelData& loaded, const Effects& effects) {
  json::Array parts;
  for (const PartEffect& part : effects.parts) parts.push_back(to_json(part));
  return json::Object{{"prediction", row_to_json(loaded.trained.label_names, effects.prediction, 0)},
                      {"of", loaded.trained.label_names[effects.answer]},
                      {"value", effects.prediction(0, static_cast<Eigen::Index>(effects.answer))},
                      {"parts", std::move(parts)}};
}

Effects effects_of(ModelData& loaded, Node item, std::string_view answer) {
  refuse_frozen("explain", loaded.data.reading);
  Subject subject(loaded, item);
  const Outputs outputs = outputs_of(loaded.data, loaded.trained, item);
  Effects effects{.item = item, .target = {}, .prediction = {}, .answer = 0, .parts = {}};
  if (loaded.data.graphs)
    add_graph_parts(loaded.data, subject, effects);
  else if (loaded.data.atoms)
    add_atom_parts(loaded.data, subject, effects);
  else
    add_node_parts(loaded.data, subject, effects);
  for (std::string& feature : subject.features()) add_part("feature", feature, {}, {.features = {feature}}, effects);
  std::vector<Deletion> deletions(1);  // of nothing
  for (const PartEffect& part : effects.parts) deletions.push_back(part.deletion);
  const Matrix values = subject.predict(deletions);
  effects.prediction = values.row(0);
  effects.answer = answer_of(loaded.trained, outputs, effects.prediction, answer);
  const auto column = static_cast<Eigen::Index>(effects.answer);
  for (std::size_t i = 0; i < effects.parts.size(); ++i) {
    PartEffect& part = effects.parts[i];
    part.without = values(static_cast<Eigen::Index>(i + 1), column);
    part.effect = values(0, column) - part.without;
  }
  return effects;
}

}  // namespace edgewise::train
