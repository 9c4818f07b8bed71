#include "edgewise/data/bond_nodes.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace edgewise::data {
namespace {

using Eigen::Index;
using graph::Node;

/// Where the nodes of molecules go.
struct BondPlaces {
  std::vector<Node> offsets = {0};
  std::vector<Node> atoms;  // by atom
  std::vector<Node> bonds;  // by edge

  explicit BondPlaces(const GraphData& molecules) {
    const graph::EdgeList& edges = molecules.graph.edges();
    std::size_t bond = 0;
    Node next = 0;
    for (std::size_t m = 0; m < molecules.graph_count(); ++m) {
      const Node end = molecules.offsets[m + 1];
      for (Node atom = molecules.offsets[m]; atom < end; ++atom) atoms.push_back(next++);
      for (; bond < edges.size() && edges.sources[bond] < end; ++bond) bonds.push_back(next++);
      offsets.push_back(next);
    }
  }

  Index size() const { return offsets.back(); }
};

std::string name_of_atom(const GraphData& molecules, std::size_t molecule, Node atom) {
  return fmt::format("{}:{}", molecules.names[molecule], atom - molecules.offsets[molecule]);
}

graph::NodeNames names_with_bonds(const GraphData& molecules) {
  const graph::EdgeList& edges = molecules.graph.edges();
  graph::NodeNames names;
  std::size_t bond = 0;
  for (std::size_t m = 0; m < molecules.graph_count(); ++m) {
    const Node first = molecules.offsets[m], end = molecules.offsets[m + 1];
    for (Node atom = first; atom < end; ++atom) names.add(name_of_atom(molecules, m, atom));
    for (; bond < edges.size() && edges.sources[bond] < end; ++bond)
      names.add(fmt::format("{}-{}", name_of_atom(molecules, m, edges.sources[bond]), edges.targets[bond] - first));
  }
  return names;
}

graph::EdgeList edges_with_bonds(const graph::EdgeList& bonds, const BondPlaces& places) {
  graph::EdgeList edges;
  const auto add = [&](Node source, Node target) {
    edges.sources.push_back(source);
    edges.targets.push_back(target);
  };
  for (std::size_t bond = 0; bond < bonds.size(); ++bond)
    add(places.atoms[bonds.sources[bond]], places.atoms[bonds.targets[bond]]);
  for (std::size_t bond = 0; bond < bonds.size(); ++bond) {
    add(places.atoms[bonds.sources[bond]], places.bonds[bond]);
    add(places.atoms[bonds.targets[bond]], places.bonds[bond]);
  }
  const auto count = static_cast<Index>(bonds.size());
  edges.features = Matrix::Zero(3 * count, bonds.features.cols() + 1);
  if (bonds.features.cols() > 0) edges.features.topLeftCorner(count, bonds.features.cols()) = bonds.features;
  edges.features.rightCols(1).bottomRows(2 * count).setOnes();
  edges.feature_names = bonds.feature_names;
  edges.feature_names.emplace_back("end of a bond");
  return edges;
}

Matrix rows_of_atoms(const Matrix& columns, const BondPlaces& places) {
  Matrix rows = Matrix::Zero(places.size(), columns.cols());
  for (Index atom = 0; atom < columns.rows(); ++atom)
    rows.row(places.atoms[static_cast<std::size_t>(atom)]) = columns.row(atom);
  return rows;
}

}  // namespace

Matrix with_bond_rows(const Matrix& columns, const GraphData& molecules) {
  return rows_of_atoms(columns, BondPlaces(molecules));
}

GraphData add_bond_nodes(const GraphData& molecules) {
  const BondPlaces places(molecules);
  const graph::EdgeList& bonds = molecules.graph.edges();
  const Matrix& atoms = molecules.features.dense;
  GraphData result;
  result.name = molecules.name;
  result.names = molecules.names;
  result.labels = molecules.labels;
  result.splits = molecules.splits;
  result.offsets = places.offsets;
  result.features.names = molecules.features.names;
  result.features.names.emplace_back("is a bond");
  for (const std::string& name : bonds.feature_names) result.features.names.push_back(name);
  Matrix& rows = result.features.dense;
  rows = Matrix::Zero(places.size(), atoms.cols() + 1 + bonds.features.cols());
  rows.leftCols(atoms.cols()) = rows_of_atoms(atoms, places);
  for (std::size_t bond = 0; bond < bonds.size(); ++bond) {
    rows(places.bonds[bond], atoms.cols()) = 1;
    if (bonds.features.cols() > 0)
      rows.row(places.bonds[bond]).tail(bonds.features.cols()) = bonds.features.row(static_cast<Index>(bond));
  }
  result.graph = graph::Graph(names_with_bonds(molecules), edges_with_bonds(bonds, places));
  return result;
}

graph::NodeNames names_of_atoms(const GraphData& molecules) {
  graph::NodeNames names;
  for (std::size_t m = 0; m < molecules.graph_count(); ++m)
    for (Node atom = molecules.offsets[m]; atom < molecules.offsets[m + 1]; ++atom)
      names.add(name_of_atom(molecules, m, atom));
  return names;
}

}  // namespace edgewise::data
