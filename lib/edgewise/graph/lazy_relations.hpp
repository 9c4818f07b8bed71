#pragma once

#include <cstdint>
#include <memory>

#include <Eigen/Core>

namespace edgewise::graph {

struct EdgeEnds;
struct FrozenGraph;
struct RelationEdges;
struct RelationSources;

/// What models of relations see of a graph (relations.hpp), made when it is first needed. Copies share it. Thread-safe.
class LazyRelations {
 public:
  LazyRelations();
  /// `relation_edges` of the graph that this is a member of.
  const RelationEdges& edges(const FrozenGraph& graph, std::uint32_t relation, Eigen::Index columns) const;
  /// `relation_sources` of it.
  const RelationSources& sources(const FrozenGraph& graph, std::uint32_t relations) const;
  /// `edge_ends` of it.
  const EdgeEnds& ends(const FrozenGraph& graph) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace edgewise::graph
