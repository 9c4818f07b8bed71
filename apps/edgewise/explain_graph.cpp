#include "explain_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/io/attention.hpp"
#include "edgewise/io/text_writer.hpp"
#include "edgewise/train/explain/graph_attention.hpp"
#include "edgewise/train/use/prediction.hpp"

namespace edgewise::app {
namespace {

bool is_picture(const std::string& path) { return path.ends_with(".svg"); }

void write_picture(const GraphQuestion& question, const train::ModelData& loaded,
                   const train::GraphAttention& answer) {
  if (!loaded.data.graphs->are_molecules)
    throw UsageError("--out: only molecules can be drawn; use .csv, .jsonl, .graphml or .dot");
  const std::vector<std::string> title = {
      fmt::format("row {}, {}", question.row, loaded.data.graphs->smiles[answer.item]),
      json::dump(train::row_to_json(loaded.trained.label_names, answer.prediction, 0))};
  const std::string picture = train::draw(loaded, answer, title).value();
  io::write_text(question.out, [&](std::ostream& out) { out << picture; });
}

void write_file(const GraphQuestion& question, const train::ModelData& loaded, const train::GraphAttention& answer) {
  if (question.out.empty()) return;
  if (is_picture(question.out)) return write_picture(question, loaded, answer);
  io::write_attention(question.out, answer.names, train::collect_rows(loaded.data, answer, question.mask));
}

json::Value to_json(const train::GraphAttention& answer) {
  json::Array edges;
  for (std::size_t i = 0; i < answer.ends.size(); ++i)
    edges.push_back(json::Object{{"source", static_cast<std::int64_t>(answer.ends[i].first)},
                                 {"target", static_cast<std::int64_t>(answer.ends[i].second)},
                                 {"attention", answer.summary.edges[i]}});
  return json::Object{{"nodes", answer.summary.nodes}, {"edges", std::move(edges)}};
}

/// The number of characters of a text in UTF-8.
std::size_t character_count(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

/// The parts of the graph with the most attention; `kind` and `labels` say what they are.
std::string part_table(const train::GraphAttention& answer, const char* kind, const std::vector<std::string>& labels,
                       std::int64_t top) {
  std::vector<std::size_t> order(answer.summary.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return answer.summary.nodes[a] > answer.summary.nodes[b];
  });
  std::string text = fmt::format("\nshare of the {}, by {}",
                                 answer.summary.is_by_readout ? "readout's attention" : "attention along edges", kind);
  const std::size_t shown = std::min(order.size(), static_cast<std::size_t>(top));
  std::size_t width = 8;
  for (const std::string& label : labels) width = std::max(width, character_count(label) + 2);
  for (std::size_t k = 0; k < shown; ++k)
    text += fmt::format("\n  {:<{}}{:>8.4f}", labels[order[k]], width, answer.summary.nodes[order[k]]);
  if (shown < order.size()) text += fmt::format("\n  ... and {} more", order.size() - shown);
  return text;
}

}  // namespace

void check_picture_path(const std::string& path) {
  if (!is_picture(path)) io::result_format(path);
}

int explain_graph(const Session& session, const std::string& model, train::ModelData& loaded,
                  const GraphQuestion& question) {
  const graph::Node item = train::item_in_row(loaded, question.row);
  const train::GraphAttention answer = train::attention_of_graph(model, loaded, item, note_hook(session));
  const std::vector<std::string>& tokens = answer.tokens;
  write_file(question, loaded, answer);

  json::Value object;
  object.set("schema", "edgewise.explain/1");
  object.set("by", "attention");
  object.set("model", model);
  object.set("dataset", loaded.data.name);
  object.set("threads", threads());
  object.set("row", question.row);
  const std::vector<std::string>& smiles = loaded.data.graphs->smiles;
  if (!smiles.empty()) object.set("smiles", smiles[item]);
  object.set("prediction", train::row_to_json(loaded.trained.label_names, answer.prediction, 0));
  object.set("is_by_readout", answer.summary.is_by_readout);
  if (!tokens.empty()) object.set("tokens", tokens);
  object.set("attention", to_json(answer));
  if (!question.out.empty()) object.set("out", question.out);
  std::string text = fmt::format("row {}{}: {}", question.row, smiles.empty() ? "" : " (" + smiles[item] + ")",
                                 json::dump(object.at("prediction")));
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < answer.summary.nodes.size(); ++i)
    labels.push_back(fmt::format("{}{}{}", answer.names[static_cast<graph::Node>(i)], tokens.empty() ? "" : " ",
                                 tokens.empty() ? "" : tokens[i]));
  text += part_table(answer, loaded.data.collection ? "node" : "atom or node (from 0)", labels, question.top);
  if (!question.out.empty()) text += fmt::format("\n{}: written", question.out);
  session.print_result(text, object);
  return kDone;
}

}  // namespace edgewise::app
