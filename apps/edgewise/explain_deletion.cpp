#include "explain_deletion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/text_writer.hpp"
#include "edgewise/report/metric_text.hpp"
#include "edgewise/train/explain/effect_picture.hpp"
#include "edgewise/train/explain/faithfulness.hpp"
#include "edgewise/train/explain/graph_attention.hpp"
#include "edgewise/train/source/atom_items.hpp"
#include "edgewise/train/source/node_pairs.hpp"
#include "edgewise/train/use/prediction.hpp"
#include "results.hpp"

namespace edgewise::app {
namespace {

bool is_svg(const std::string& path) { return path.ends_with(".svg"); }

graph::Node item_of(const train::ModelData& loaded, const DeletionQuestion& question) {
  if (loaded.data.graphs) return train::item_in_row(loaded, question.row);
  if (question.row > 0) throw UsageError("--row: the data has nodes with names; use --node");
  const std::optional<graph::Node> node = loaded.data.find_node(question.node);
  if (!node)
    throw UsageError(fmt::format("{} \"{}\" in {}",
                                 loaded.data.edges ? "--link: there is no edge" : "--node: there is no node",
                                 question.node,
                                 loaded.data.kinds ? loaded.data.kinds->kinds.front().name : loaded.data.name));
  return *node;
}

train::Effects effects_of(train::ModelData& loaded, const DeletionQuestion& question) {
  if (!loaded.data.links) return train::effects_of(loaded, item_of(loaded, question), question.of);
  const auto [source, target] = train::ends_of_link(loaded.data.pair_names(), question.link, "--link");
  return train::effects_of_link(loaded, source, target);
}

/// The known label of the answer, "" if there is none.
std::string known_text(train::ModelData& loaded, const train::Effects& effects) {
  if (effects.target) return train::has_tie(loaded.data, effects.item, *effects.target) ? "yes" : "no";
  const std::vector<io::TextColumn> columns = known_columns_of(loaded.trained, loaded.config, loaded.data);
  const std::string name = fmt::format("known_{}", loaded.trained.label_names[effects.answer]);
  for (const io::TextColumn& column : columns)
    if (column.name == "known" || column.name == name) return column.values.at(effects.item);
  return "";
}

/// What the effects are effects on.
std::string answer_text(const train::TrainedModel& trained, std::size_t answer) {
  const std::string& name = trained.label_names[answer];
  return trained.task.has_numbers() ? name : fmt::format("the probability of {}", name);
}

std::string csv_row(const train::PartEffect& part) {
  const std::string& rest = part.deletion.replacement;
  return fmt::format("{},{},{},{},{},{}", io::csv_field(part.kind), io::csv_field(part.name),
                     fmt::join(part.nodes, " "), io::number_text(static_cast<float>(part.effect)),
                     io::number_text(static_cast<float>(part.without)), rest.empty() ? "" : io::csv_field(rest));
}

/// One row per part: kind, part, nodes, effect, without, rest.
void write_table(const std::string& path, const train::Effects& effects) {
  const bool is_csv = io::result_format(path) == io::ResultFormat::csv;
  io::write_text(path, [&](std::ostream& out) {
    if (is_csv) out << "kind,part,nodes,effect,without,rest\n";
    for (const train::PartEffect& part : effects.parts)
      out << (is_csv ? csv_row(part) : json::dump(to_json(part))) << '\n';
  });
}

json::Value to_json(const train::Effects& effects) {
  json::Array parts;
  for (const train::PartEffect& part : effects.parts) parts.push_back(to_json(part));
  return parts;
}

json::Value head_of(const std::string& model, const train::ModelData& loaded) {
  return json::Object{{"schema", "edgewise.explain/1"},
                      {"model", model},
                      {"dataset", loaded.data.name},
                      {"threads", threads()}};
}

/// The parts with the largest effects, in size.
std::string part_table(const train::Effects& effects, std::int64_t top) {
  std::vector<const train::PartEffect*> order;
  for (const train::PartEffect& part : effects.parts) order.push_back(&part);
  const auto size = [](const train::PartEffect* part) {
    return std::isfinite(part->effect) ? std::abs(part->effect) : -1;
  };
  std::ranges::stable_sort(order, [&](const auto* a, const auto* b) { return size(a) > size(b); });
  const std::size_t shown = std::min(order.size(), static_cast<std::size_t>(top));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shown; ++i)
    names.push_back(printable(fmt::format("{} {}", order[i]->kind, order[i]->name), 60));
  const std::size_t width = report::width_of(names);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("\n  {:<{}}{:>+10.4f}   without it {:.4f}", names[i], width, order[i]->effect,
                        order[i]->without);
  if (shown < order.size()) text += fmt::format("\n  ... and {} more", order.size() - shown);
  return order.empty() ? "\n  nothing that can be deleted" : text;
}

/// The items to measure on, and what they are.
std::vector<graph::Node> test_items(train::ModelData& loaded, std::int64_t count, bool& are_tests) {
  const std::vector<io::TextColumn> columns = known_columns_of(loaded.trained, loaded.config, loaded.data);
  const auto split = std::ranges::find(columns, "split", &io::TextColumn::name);
  are_tests = split != columns.end();
  std::vector<graph::Node> items;
  for (graph::Node item = 0; item < loaded.data.items().size(); ++item) {
    if (are_tests && split->values[item] != "test") continue;
    if (loaded.data.graphs && loaded.data.graphs->offsets[item] == loaded.data.graphs->offsets[item + 1]) continue;
    if (loaded.data.atoms && train::targets_of(loaded.data, item).empty()) continue;
    items.push_back(item);
  }
  const std::size_t wanted = std::min(items.size(), static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < wanted; ++i) items[i] = items[items.size() * i / wanted];
  items.resize(wanted);
  return items;
}

}  // namespace

void check_effects_path(const std::string& path) {
  if (path.empty() || is_svg(path) || io::names_table(path)) return;
  throw UsageError(fmt::format("--out: {}: effects are written as .csv or .jsonl, of molecules and nodes also as .svg; "
                               "graphs are for --by attention",
                               path));
}

int explain_by_deletion(const Session& session, const std::string& model, train::ModelData& loaded,
                        const DeletionQuestion& question) {
  const bool is_graph = loaded.data.graphs.has_value();
  const bool is_molecule = is_graph && loaded.data.graphs->are_molecules;
  if (is_svg(question.out) && !train::can_be_drawn(loaded))
    throw UsageError("--out: of graphs only molecules can be drawn; use .csv or .jsonl");
  const train::Effects effects = effects_of(loaded, question);
  const std::string known = known_text(loaded, effects), about = answer_text(loaded.trained, effects.answer);
  const std::string smiles = is_molecule ? loaded.data.graphs->smiles[effects.item] : "";
  const bool is_link = effects.target.has_value();
  const std::string name = is_graph ? fmt::format("row {}", question.row) : is_link ? question.link : question.node;
  const double value = effects.prediction(0, static_cast<Eigen::Index>(effects.answer));
  if (is_svg(question.out)) {
    const std::string line = fmt::format("{}: {:.4g}{}", about, value, known.empty() ? "" : ", known: " + known);
    const std::string picture =
        train::draw(loaded, effects, {is_molecule ? fmt::format("{}, {}", name, smiles) : name, line});
    io::write_text(question.out, [&](std::ostream& out) { out << picture; });
  } else if (!question.out.empty()) {
    write_table(question.out, effects);
  }

  json::Value object = head_of(model, loaded);
  object.set("by", "deletion");
  if (is_graph)
    object.set("row", question.row);
  else
    object.set(is_link ? "link" : "node", name);
  if (is_link) {
    const train::PairNames names = loaded.data.pair_names();
    object.set("source", names.of_source(effects.item));
    object.set("target", names.of_target(*effects.target));
  }
  if (!smiles.empty()) object.set("smiles", smiles);
  object.set("prediction", train::row_to_json(loaded.trained.label_names, effects.prediction, 0));
  if (!known.empty()) object.set("known", known);
  object.set("of", loaded.trained.label_names[effects.answer]);
  object.set("value", value);
  object.set("parts", to_json(effects));
  if (!question.out.empty()) object.set("out", question.out);
  std::string text = fmt::format("{}{}: {}{}\neffect on {}: the prediction minus that without the part{}", name,
                                 smiles.empty() ? "" : fmt::format(" ({})", smiles),
                                 json::dump(object.at("prediction")), known.empty() ? "" : ", known: " + known, about,
                                 part_table(effects, question.top));
  if (!question.out.empty()) text += fmt::format("\n{}: written", question.out);
  session.print_result(text, object);
  return kDone;
}

int show_faithfulness(const Session& session, const std::string& model, train::ModelData& loaded, std::int64_t count) {
  bool are_tests = false;
  const std::vector<graph::Node> items = test_items(loaded, count, are_tests);
  const train::FaithfulnessResult result = train::faithfulness(loaded, items);
  if (result.items == 0)
    throw DataError(fmt::format("{}: no item has three parts that can be deleted", loaded.data.name));
  const bool has_sign = !loaded.trained.task.has_numbers();
  json::Array ways;
  std::string text = fmt::format(
      "{} {}, {:.1f} {} each; without a tenth of them the {}", counted(result.items, "item"),
      are_tests ? "of the test part" : "of the data", result.parts, loaded.data.graphs ? "nodes" : "neighbours",
      has_sign ? "probability of the answer falls by" : "prediction moves by");
  for (const train::Faithfulness& way : result.ways) {
    ways.push_back(json::Object{{"by", way.by}, {"change", way.change}});
    text += fmt::format("\n  {:<24}{:>10.4f}",
                        way.by == "random" ? "at random" : fmt::format("chosen by {}", way.by), way.change);
  }
  json::Value object = head_of(model, loaded);
  object.set("items", static_cast<std::int64_t>(result.items));
  object.set("parts", result.parts);
  object.set("faithfulness", std::move(ways));
  session.print_result(text, object);
  return kDone;
}

}  // namespace edgewise::app
