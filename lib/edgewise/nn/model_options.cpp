#include "edgewise/nn/model_options.hpp"

#include "edgewise/nn/positions.hpp"
#include "edgewise/nn/readout.hpp"

namespace edgewise::nn {
namespace {

/// The index of the value in the names of its enumeration.
template <class E>
json::Value name_in(const std::vector<std::string>& names, E value) {
  return names[static_cast<std::size_t>(value)];
}

json::Value written(bool value) { return value; }
json::Value written(int value) { return value; }
json::Value written(double value) { return value; }
json::Value written(const std::string& value) { return value; }
json::Value written(Norm value) { return name_in(norm_names(), value); }
json::Value written(Activation value) { return name_in(activation_names(), value); }
json::Value written(GraphReadout value) { return name_in(graph_readout_names(), value); }
json::Value written(LinkKind value) { return name_in(link_kind_names(), value); }
json::Value written(LinkCommon value) { return name_in(link_common_names(), value); }
json::Value written(Aggregate value) { return name_in(aggregate_names(), value); }
json::Value written(EdgeMode value) { return name_in(edge_mode_names(), value); }
json::Value written(attention::Normaliser value) { return name_in(attention::normaliser_names(), value); }
json::Value written(PresetPositions value) { return name_in(preset_position_names(), value); }
json::Value written(PresetGlobal value) { return name_in(preset_global_names(), value); }
json::Value written(graph::Flow value) { return name_in(flow_names(), value); }
json::Value written(EdgeFeatures value) { return EdgeFeaturesKind::write(value); }

json::Value written(PresetResidual value) {
  if (value == PresetResidual::pre_norm) return "pre_norm";
  if (value == PresetResidual::post_norm) return "post_norm";
  return ResidualKind::write(static_cast<Residual>(value));
}

/// Members that are set.
struct Writer {
  template <class T>
  void operator()(const char* member, const std::optional<T>& value) {
    if (value) object.set(member, written(*value));
  }
  json::Value object;
};

}  // namespace

std::vector<std::string> norm_names() { return {"none", "layer", "batch"}; }

std::vector<std::string> graph_readout_names() {
  std::vector<std::string> names = readout_kind_names();
  names.insert(names.end(), {"attention", "query", "set2set", "links"});
  return names;
}

std::vector<std::string> preset_position_names() {
  std::vector<std::string> names = position_names();
  names.emplace_back("none");
  return names;
}

std::vector<std::string> preset_global_names() { return {"complete", "linear", "sgformer", "none"}; }

std::vector<std::string> flow_names() { return {"source_to_target", "target_to_source"}; }

json::Value preset(std::string_view name, const ModelOptions& options) {
  Writer write{json::Object{{"preset", name}}};
  if (options.graph) {
    Writer write_graph{json::Object{}};
    write_graph("flow", options.graph->flow);
    write_graph("self_loops", options.graph->self_loops);
    write_graph("edges", options.graph->edges);
    write_graph("weight_as_feature", options.graph->weight_as_feature);
    write.object.set("graph", std::move(write_graph.object));
  }
  write("hidden", options.hidden);
  write("layers", options.layers);
  write("dropout", options.dropout);
  write("input_dropout", options.input_dropout);
  write("norm", options.norm);
  write("input_norm", options.input_norm);
  write("activation", options.activation);
  write("readout", options.readout);
  write("readout_hidden", options.readout_hidden);
  write("readout_heads", options.readout_heads);
  write("readout_steps", options.readout_steps);
  write("readout_dropout", options.readout_dropout);
  write("readout_norm", options.readout_norm);
  write("descriptors", options.descriptors);
  write("components", options.components);
  write("symmetric", options.symmetric);
  write("own_encoders", options.own_encoders);
  write("cross", options.cross);
  write("link_kind", options.link_kind);
  write("common", options.common);
  write("link_numbers", options.link_numbers);
  write("heads", options.heads);
  write("output_heads", options.output_heads);
  write("expansion", options.expansion);
  write("attention_dropout", options.attention_dropout);
  write("feature_dropout", options.feature_dropout);
  write("negative_slope", options.negative_slope);
  write("dropout_per_head", options.dropout_per_head);
  write("score_bias", options.score_bias);
  write("share_weights", options.share_weights);
  write("edge_value", options.edge_value);
  write("edge_weights", options.edge_weights);
  write("residual", options.residual);
  write("edge_features", options.edge_features);
  write("edge_mode", options.edge_mode);
  write("normaliser", options.normaliser);
  write("mask", options.mask);
  write("relations", options.relations);
  write("bases", options.bases);
  write("aggregate", options.aggregate);
  write("restart", options.restart);
  write("mapping", options.mapping);
  write("weight_decay", options.weight_decay);
  write("node_dropout", options.node_dropout);
  write("positions", options.positions);
  write("global", options.global);
  write("tied", options.tied);
  return write.object;
}

}  // namespace edgewise::nn
