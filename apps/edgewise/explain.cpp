#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/io/attention.hpp"
#include "edgewise/io/text_writer.hpp"
#include "edgewise/train/explain/attention_rows.hpp"
#include "edgewise/train/explain/node_attention.hpp"
#include "edgewise/train/use/prediction.hpp"
#include "explain_deletion.hpp"
#include "explain_graph.hpp"
#include "flags.hpp"
#include "model_data.hpp"
#include "outputs.hpp"
#include "pairs.hpp"
#include "results.hpp"

namespace edgewise::app {
namespace {

struct ExplainArguments {
  ModelArguments model;
  std::string node;
  std::string link;
  std::string out;
  std::int64_t top = 10;
  std::int64_t row = 0;
  std::string mask;
  std::string by;
  std::string of;
  std::int64_t faithfulness = 0;

  bool is_about_one() const { return !node.empty() || !link.empty() || row > 0; }
  /// By default deletion, except for what only attention has: all nodes at once, and masks.
  bool is_by_attention() const {
    if (!by.empty()) return by == "attention";
    return faithfulness == 0 && (!is_about_one() || !mask.empty());
  }
};

/// `attention` has one layer.
json::Value to_json(const io::AttentionTable& attention, const graph::NodeNames& names) {
  json::Array rows;
  for (std::size_t i = 0; i < attention.sources.size(); ++i) {
    json::Value row;
    row.set("source", names[attention.sources[i]]);
    if (!attention.tokens.empty()) row.set("token", attention.tokens[attention.sources[i]]);
    const bool is_added = attention.edges[i] == graph::kAddedSelfLoop;
    row.set("edge", is_added ? json::Value() : json::Value(static_cast<std::int64_t>(attention.edges[i] + 1)));
    json::Array heads;
    for (Eigen::Index h = 0; h < attention.layers[0].cols(); ++h)
      heads.emplace_back(attention.layers[0](static_cast<Eigen::Index>(i), h));
    row.set("heads", std::move(heads));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// One layer as text: whom the node attends to, with the mean over heads and then each head.
std::string layer_table(const io::AttentionTable& attention, const graph::NodeNames& names, std::int64_t top) {
  const Matrix& weights = attention.layers[0];
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
    const graph::Node source = attention.sources[order[k]];
    const std::string token = attention.tokens.empty() ? "" : " " + attention.tokens[source];
    const bool is_self = source == attention.targets[order[k]];
    text += fmt::format("\n  {:<24}{:>8.4f}   heads",
                        fmt::format("{}{}{}", names[source], token, is_self ? " (itself)" : ""), means(row));
    for (Eigen::Index h = 0; h < weights.cols(); ++h) text += fmt::format(" {:.3f}", weights(row, h));
  }
  if (shown < order.size()) text += fmt::format("\n  ... and {} more", order.size() - shown);
  return text;
}

/// The attention of one node in each layer, as JSON and as text.
void add_layers(const train::NodeBatches& batches, const train::AttentionRecords& records, graph::Node node,
                const graph::NodeNames& names, const std::vector<std::string>& tokens, std::int64_t top,
                json::Value& object, std::string& text) {
  json::Array layers;
  for (const nn::AttentionRecord& record : records) {
    if (!graph::parse_mask(record.mask).rule->is_between_nodes()) continue;
    io::AttentionTable attention = train::collect_rows(batches.mask(record.mask), {record}, node);
    attention.tokens = tokens;
    const auto number = static_cast<std::int64_t>(layers.size() + 1);
    layers.emplace_back(json::Object{
        {"layer", number}, {"block", record.layer}, {"mask", record.mask}, {"attends_to", to_json(attention, names)}});
    text += fmt::format("\nlayer {} ({}{}) attends to{}", number, record.layer,
                        record.mask == "edges" ? "" : ", mask " + record.mask, layer_table(attention, names, top));
  }
  object.set("layers", std::move(layers));
}

std::optional<graph::Node> find_node(const ExplainArguments& arguments, const train::Dataset& data) {
  if (arguments.node.empty()) return std::nullopt;
  const std::optional<graph::Node> node = data.find_node(arguments.node);
  if (!node) throw UsageError(fmt::format("--node: there is no node \"{}\" in {}", arguments.node, data.name));
  return node;
}

/// As a graph, with the predictions and the known labels of the nodes.
void write_attention(const std::string& path, train::ModelData& loaded, const Matrix& predictions,
                     io::AttentionTable attention) {
  const graph::NodeNames& names = loaded.data.graph.names();
  if (!io::is_graph_format(io::result_format(path))) return io::write_attention(path, names, attention);
  const io::Predictions table =
      train::prediction_table(loaded.data, loaded.trained.task, loaded.trained.label_names, predictions, {},
                              {.known = known_columns_of(loaded.trained, loaded.config, loaded.data)});
  attention.node_attributes = io::node_attributes(table, names.size());
  io::write_attention(path, names, attention);
}

int explain_nodes(const ExplainArguments& arguments, const Session& session, train::ModelData& loaded) {
  if (arguments.row > 0) throw UsageError("--row: the data has nodes with names; use --node");
  if (!arguments.out.empty()) io::result_format(arguments.out);
  const std::optional<graph::Node> node = find_node(arguments, loaded.data);
  const train::NodeAttention answer = train::attention_of_nodes(arguments.model.model, loaded, note_hook(session));
  const train::AttentionRecords& records = answer.records;
  const std::string mask = train::choose_mask(arguments.mask, records);
  const train::AttentionRecords written = train::records_over(mask, records);
  io::AttentionTable attention = train::collect_rows(answer.batches->mask(mask), written, node);
  attention.tokens = train::tokens_of(loaded.data, 0, loaded.data.graph.node_count());
  if (!arguments.out.empty()) write_attention(arguments.out, loaded, answer.predictions, attention);

  json::Value object;
  object.set("schema", "edgewise.explain/1");
  object.set("by", "attention");
  object.set("model", arguments.model.model);
  object.set("dataset", loaded.data.name);
  object.set("threads", threads());
  object.set("mask", mask);
  object.set("rows", static_cast<std::int64_t>(attention.sources.size()));
  if (!arguments.out.empty()) object.set("out", arguments.out);
  std::string text;
  if (node) {
    object.set("node", arguments.node);
    object.set("prediction", train::row_to_json(loaded.trained.label_names, answer.predictions, *node));
    text = fmt::format("{}: {}", arguments.node, json::dump(object.at("prediction")));
    add_layers(*answer.batches, records, *node, loaded.data.graph.names(), attention.tokens, arguments.top, object,
               text);
  }
  if (!arguments.out.empty())
    text += fmt::format("{}{}: attention {} {} {} in {} layers", text.empty() ? "" : "\n", arguments.out,
                        mask == "edges" ? "along" : "over", attention.sources.size(),
                        mask == "edges" ? "edges" : "pairs of " + mask, written.size());
  session.print_result(text, object);
  return kDone;
}

constexpr const char* kNoQuestion =
    "explain: name a node (--node), or a row of a table or the number of a graph (--row) if graphs have the labels, "
    "two nodes of a model of ties (--link ada,bob), a source of pairs (--text), or a file for the attention of all "
    "nodes (--by attention --out)";

/// Throws UsageError if nothing is asked, whatever the model is.
void check_asks(const ExplainArguments& arguments) {
  const bool has_text = json::find_at(arguments.model.flags, "data.text") != nullptr;
  if (!arguments.is_about_one() && !has_text && arguments.out.empty() && arguments.faithfulness == 0)
    throw UsageError(kNoQuestion);
}

/// Checks which flags go together.
void check_question(const ExplainArguments& arguments) {
  if (!arguments.by.empty() && arguments.by != "deletion" && arguments.by != "attention")
    throw UsageError(fmt::format("--by: expected deletion or attention, got \"{}\"", arguments.by));
  if (!arguments.node.empty() && arguments.row > 0)
    throw UsageError("--node, --row: name a node, or a row if graphs have the labels, not both");
  if (arguments.faithfulness > 0) {
    if (arguments.is_about_one() || !arguments.out.empty() || !arguments.by.empty())
      throw UsageError("--faithfulness: measures many items; leave out --node, --row, --out and --by");
    return;
  }
  if (!arguments.is_about_one() && (arguments.out.empty() || !arguments.is_by_attention()))
    throw UsageError(kNoQuestion);
  if (arguments.is_by_attention() && !arguments.of.empty())
    throw UsageError("--of: attention is the same for all outputs; use --by deletion");
  if (!arguments.is_by_attention() && !arguments.mask.empty())
    throw UsageError("--mask: is for attention; use --by attention");
  if (arguments.out.empty()) return;
  arguments.is_by_attention() ? check_picture_path(arguments.out) : check_effects_path(arguments.out);
  check_outputs({{"--out", arguments.out}}, {{"the model", arguments.model.model}});
}

/// The alignment of one source, given as a text or by its line.
int explain_pair_verb(const ExplainArguments& arguments, const Session& session, train::OpenModel model) {
  const bool has_text = !model.config.data.text.empty();
  if (!arguments.node.empty() || !arguments.of.empty() || arguments.faithfulness > 0 || arguments.by == "deletion")
    throw UsageError("explain: for pairs name a source (--text), or the line of one (--row)");
  if (!has_text && arguments.row == 0)
    throw UsageError("explain: name a source (--text), or the line of one (--row)");
  check_outputs({{"--out", arguments.out}}, {{"the model", arguments.model.model}});
  train::ModelData loaded = load_model_data(session, std::move(model), train::Needs::features);
  return explain_pair(session, arguments.model.model, loaded, has_text ? 1 : arguments.row, arguments.out);
}

/// Checks that what is named is what the model is about.
void check_subject(const ExplainArguments& arguments, const train::OpenModel& model) {
  if (!arguments.link.empty() && (!arguments.node.empty() || arguments.row > 0))
    throw UsageError("--link: cannot be combined with --node or --row");
  if (model.trained.links) {
    if (!arguments.of.empty()) throw UsageError("--of: a model of ties has one answer, the probability of the tie");
    if (arguments.link.empty() || arguments.is_by_attention())
      throw UsageError(fmt::format("explain: {} says which ties there are: name two nodes (--link ada,bob); they are "
                                   "explained by deletion",
                                   arguments.model.model));
  } else if (!arguments.link.empty() && model.config.data.edge_label.empty()) {
    throw UsageError(fmt::format("--link: {} is a model of neither ties nor labels of edges", arguments.model.model));
  }
}

int explain_verb(ExplainArguments arguments, const Session& session) {
  check_asks(arguments);
  const std::string& path = arguments.model.model;
  train::OpenModel model = open_model(arguments.model);
  if (model.trained.pairs) return explain_pair_verb(arguments, session, std::move(model));
  check_subject(arguments, model);
  check_question(arguments);
  if (!model.trained.links && !arguments.link.empty()) arguments.node = std::exchange(arguments.link, {});
  check_outputs({{"--out", arguments.out}}, train::input_files(model.config.data, model.config.split));
  train::ModelData loaded = train::load_row(std::move(model), arguments.row, note_hook(session));
  if (arguments.faithfulness > 0) return show_faithfulness(session, path, loaded, arguments.faithfulness);
  if (!arguments.is_by_attention())
    return explain_by_deletion(session, path, loaded,
                               {.node = arguments.node,
                                .row = arguments.row,
                                .link = arguments.link,
                                .of = arguments.of,
                                .out = arguments.out,
                                .top = arguments.top});
  if (!loaded.data.graphs) return explain_nodes(arguments, session, loaded);
  return explain_graph(session, path, loaded, {arguments.row, arguments.out, arguments.top, arguments.mask});
}

}  // namespace

/// edgewise explain: what a prediction would be without each part of what the model sees, or what gets attention.
void add_explain(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("explain", "Show what each neighbour, atom or feature adds to a prediction");
  auto arguments = std::make_shared<ExplainArguments>();
  add_model_arguments(verb, arguments->model);
  start_group(verb, "Output");
  verb.add_option("--node", arguments->node, "Node whose prediction to explain");
  verb.add_option("--link", arguments->link, "Tie, or edge with a label, to explain, by its two nodes: ada,bob");
  verb.add_option("--row", arguments->row, "Row of the table of molecules, or number of the graph, from 1")
      ->check(integer_in(1));
  verb.add_option("--by", arguments->by,
                  "deletion: the prediction without each part (the default); attention: what the model looks at");
  verb.add_option("--of", arguments->of,
                  "Class, label or target to explain; by default the predicted class, the most probable label, or the "
                  "first target");
  verb.add_option("--faithfulness", arguments->faithfulness,
                  "Measure instead, on this many items, how far predictions move without the parts that are named")
      ->check(integer_in(1));
  verb.add_option("--top", arguments->top, "Parts or neighbours to show at most")
      ->check(integer_in(1))
      ->capture_default_str();
  verb.add_option("--out", arguments->out,
                  "Where to write it: .csv, .jsonl; for a molecule .svg; attention also as .graphml, .dot, .gml");
  verb.add_option("--mask", arguments->mask, "Mask whose layers to write, if they attend over several (attention)");
  add_examples(verb, {"edgewise explain model.safetensors --node p1 --top 3",
                      "edgewise explain links.safetensors --link ada,bob",
                      "edgewise explain model.safetensors --molecules new.csv --row 7 --out molecule.svg",
                      "edgewise explain model.safetensors --by attention --out attention.graphml",
                      "edgewise explain dates.safetensors --text \"3 may 1988\" --out alignment.svg"});
  session.add_verb(verb, [arguments, &session] {
    return with_model(arguments->model, [&] { return explain_verb(*arguments, session); });
  });
}

}  // namespace edgewise::app
