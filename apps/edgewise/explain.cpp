#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/io/attention.hpp"
#include "edgewise/io/text_writer.hpp"
#include "edgewise/train/metrics.hpp"
#include "edgewise/train/predict.hpp"
#include "explain_graph.hpp"
#include "model_data.hpp"

namespace edgewise::app {
namespace {

struct ExplainArguments {
  ModelArguments model;
  std::string node;
  std::string out;
  std::int64_t top = 10;
  std::int64_t row = 0;
};

/// The rows of attention: all slots, or those in which one node attends to others.
io::Attention collect(const graph::FrozenGraph& graph, const std::vector<nn::AttentionRecord>& records,
                      std::optional<graph::Node> only) {
  io::Attention attention;
  std::vector<Eigen::Index> slots;
  for (graph::Node target = 0; target < graph.destination_count(); ++target) {
    if (only && target != *only) continue;
    for (graph::EdgeIndex slot = graph.incoming.offsets[target]; slot < graph.incoming.offsets[target + 1]; ++slot) {
      attention.sources.push_back(graph.incoming.columns[slot]);
      attention.targets.push_back(target);
      attention.edges.push_back(graph.edge[slot]);
      slots.push_back(static_cast<Eigen::Index>(slot));
    }
  }
  for (const nn::AttentionRecord& record : records) attention.layers.push_back(record.weights(slots, Eigen::all));
  return attention;
}

json::Value to_json(const io::Attention& attention, const std::vector<nn::AttentionRecord>& records,
                    const graph::NodeNames& names) {
  json::Array layers;
  for (std::size_t l = 0; l < records.size(); ++l) {
    json::Array rows;
    for (std::size_t i = 0; i < attention.sources.size(); ++i) {
      json::Value row;
      row.set("source", names[attention.sources[i]]);
      const bool is_added = attention.edges[i] == graph::kAddedSelfLoop;
      row.set("edge", is_added ? json::Value() : json::Value(static_cast<std::int64_t>(attention.edges[i] + 1)));
      json::Array heads;
      for (Eigen::Index h = 0; h < attention.layers[l].cols(); ++h)
        heads.emplace_back(attention.layers[l](static_cast<Eigen::Index>(i), h));
      row.set("heads", std::move(heads));
      rows.push_back(std::move(row));
    }
    json::Value layer;
    layer.set("layer", static_cast<std::int64_t>(l + 1));
    layer.set("block", records[l].layer);
    layer.set("attends_to", std::move(rows));
    layers.push_back(std::move(layer));
  }
  return layers;
}

/// One layer for people: whom the node attends to, the mean over heads first, then each head.
std::string layer_table(const Matrix& weights, const io::Attention& attention, const graph::NodeNames& names,
                        std::int64_t top) {
  std::vector<std::size_t> order(attention.sources.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const Eigen::VectorXf means = weights.rowwise().mean();
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return means(static_cast<Eigen::Index>(a)) > means(static_cast<Eigen::Index>(b));
  });
  std::string text;
  const std::size_t shown = std::min(order.size(), static_cast<std::size_t>(top));
  for (std::size_t k = 0; k < shown; ++k) {
    const auto row = static_cast<Eigen::Index>(order[k]);
    const bool is_self = attention.sources[order[k]] == attention.targets[order[k]];
    text += fmt::format("\n  {:<24}{:>8.4f}   heads", std::string(names[attention.sources[order[k]]]) +
                                                          (is_self ? " (itself)" : ""), means(row));
    for (Eigen::Index h = 0; h < weights.cols(); ++h) text += fmt::format(" {:.3f}", weights(row, h));
  }
  if (shown < order.size()) text += fmt::format("\n  ... and {} more", order.size() - shown);
  return text;
}

json::Value prediction_of(const ModelData& loaded, const Matrix& predictions, graph::Node node) {
  json::Value value{json::Object{}};
  for (std::size_t i = 0; i < loaded.bundle.label_names.size(); ++i)
    value.set(loaded.bundle.label_names[i], predictions(node, static_cast<Eigen::Index>(i)));
  return value;
}

int explain_verb(const ExplainArguments& arguments, const Session& session) {
  if (arguments.node.empty() && arguments.out.empty() && arguments.row == 0)
    throw UsageError("explain: name a node (--node), a row of a table of molecules (--row), or a file for the attention "
                     "of all nodes (--out)");
  if (!arguments.out.empty()) {
    check_picture_path(arguments.out);
    check_writable(arguments.out);
  }
  ModelData loaded = load_model_data(session, arguments.model, Needs::features);
  if (loaded.data.graphs)
    return explain_graph(session, arguments.model.model, loaded, {arguments.row, arguments.out, arguments.top});
  if (arguments.row > 0) throw UsageError("--row: the data has nodes with names; take --node");
  if (!arguments.out.empty()) io::result_format(arguments.out);
  const graph::NodeNames& names = loaded.data.graph.names();
  std::optional<graph::Node> node;
  if (!arguments.node.empty()) {
    node = names.find(arguments.node);
    if (!node) throw UsageError(fmt::format("--node: there is no node \"{}\" in {}", arguments.node, loaded.data.name));
  }
  std::vector<nn::AttentionRecord> records;
  const Matrix predictions = train::predict(loaded.bundle.model, loaded.features, loaded.graph, loaded.bundle.task,
                                            loaded.bundle.scaler, &records);
  if (records.empty()) throw ModelError(fmt::format("{}: the model has no attention layer", arguments.model.model));
  const io::Attention attention = collect(loaded.graph, records, node);
  if (!arguments.out.empty()) io::write_attention(arguments.out, names, attention);

  json::Value object;
  object.set("schema", "edgewise.explain/1");
  object.set("model", arguments.model.model);
  object.set("dataset", loaded.data.name);
  object.set("threads", threads());
  object.set("rows", static_cast<std::int64_t>(attention.sources.size()));
  if (!arguments.out.empty()) object.set("out", arguments.out);
  std::string text;
  if (node) {
    object.set("node", arguments.node);
    object.set("prediction", prediction_of(loaded, predictions, *node));
    object.set("layers", to_json(attention, records, names));
    text = fmt::format("{}: {}", arguments.node, json::dump(object.at("prediction")));
    for (std::size_t l = 0; l < records.size(); ++l)
      text += fmt::format("\nlayer {} ({}) attends to{}", l + 1, records[l].layer,
                          layer_table(attention.layers[l], attention, names, arguments.top));
  }
  if (!arguments.out.empty())
    text += fmt::format("{}{}: attention along {} edges in {} layers", text.empty() ? "" : "\n", arguments.out,
                        attention.sources.size(), records.size());
  session.print_result(text, object);
  return kDone;
}

}  // namespace

/// edgewise explain: who paid attention to whom, per layer and head; in a molecule, which atoms and bonds got it.
void add_explain(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("explain", "Show who paid attention to whom, per layer and head");
  auto arguments = std::make_shared<ExplainArguments>();
  add_model_arguments(verb, arguments->model);
  verb.add_option("--node", arguments->node, "The node whose attention is shown");
  verb.add_option("--row", arguments->row, "The row of the table of molecules, from 1")->check(integer_in(1));
  verb.add_option("--top", arguments->top, "Neighbours to show")->check(integer_in(1))->capture_default_str();
  verb.add_option("--out", arguments->out, "Where to write it: .csv, .jsonl, .graphml, .dot; of a molecule also .svg");
  session.add_verb(verb, [arguments, &session] { return explain_verb(*arguments, session); });
}

}  // namespace edgewise::app
