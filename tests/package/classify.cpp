#include <edgewise/edgewise.hpp>
#include <iostream>
#include <string>

using namespace edgewise;

/// Who will buy? Learns from a network of friends, step by step.
/// Usage: classify FOLDER   (it has friends.csv and people.csv, with the columns "buys" and "split")
int classify(const std::string& folder) {
  // The node table says who exists; an edge to anyone else is an error that gives its line.
  const io::NodeTable people = io::read_node_table(folder + "/people.csv");
  io::EdgeListResult friends = io::read_edge_list(folder + "/friends.csv", {.known_nodes = &people.names});
  const graph::Graph graph(std::move(friends.names), std::move(friends.edges),
                           {.direction = graph::Direction::directed});

  // The labels, the split, and the features. The encoder of the columns is fitted on the training rows only.
  const data::Labels labels = data::read_labels(people, {.columns = {"buys"}});
  const data::Split split = data::split_from_column(people, "split");
  const auto training_nodes = data::nodes_with_role(split, data::Role::train);
  const auto encoder = data::NodeEncoder::fit(people, training_nodes, {.excluded = {"buys", "split"}});
  const data::Features features = encoder.encode(people);

  // The model determines how the graph is prepared; the data determines the widths of the model.
  const json::Value config =
      nn::gat({.graph = {{.self_loops = true, .weight_as_feature = true}}, .hidden = 32, .heads = 4});
  const graph::FrozenGraph frozen = graph::freeze(graph, nn::graph_options_of(config));
  nn::Model model(config,
                  {.inputs = static_cast<int>(features.columns()),
                   .outputs = static_cast<int>(labels.names.size()),
                   .edge_features = static_cast<int>(frozen.edge_features.cols())},
                  /*seed=*/1);

  train::FitHooks hooks;
  hooks.on_epoch = [](const train::EpochRecord& record) {
    if (record.epoch % 50 == 0) std::cout << "epoch " << record.epoch << ": loss " << record.loss << '\n';
  };
  const train::Report report = train::fit(model, features, labels, frozen, split, {.seed = 1}, hooks);
  for (const auto& [name, value] : report.test) std::cout << "test " << name << ' ' << value << '\n';

  const Matrix probabilities = train::predict(model, features, frozen, labels.task, report.scaler);
  io::write_predictions("predictions.csv", graph.names(), {.columns = labels.names, .values = probabilities});
  return 0;
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: classify FOLDER\n";
    return 2;
  }
  try {
    return classify(arguments[1]);
  } catch (const Error& error) {  // anything a user can cause, as one line that says where
    std::cerr << "classify: " << error.what() << '\n';
    return 1;
  }
}
