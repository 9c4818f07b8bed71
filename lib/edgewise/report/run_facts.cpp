#include "edgewise/report/run_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "edgewise/core/parallel.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/core/vector_instructions.hpp"
#include "edgewise/core/version.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/report/html_page.hpp"
#include "edgewise/report/markup.hpp"
#include "edgewise/report/scored.hpp"
#include "edgewise/train/loop/curves.hpp"
#include "edgewise/train/loop/objective.hpp"

namespace edgewise::report {
namespace {

/// A part of the items, with its name.
struct Part {
  std::string name;
  std::vector<graph::Node> items;
};

std::vector<Part> parts_of(const train::Dataset& data, const std::optional<data::Split>& split) {
  std::vector<Part> parts;
  if (!split) return {{"all", data::labelled_nodes(data.labels)}};
  for (const data::Role role : {data::Role::train, data::Role::validation, data::Role::test})
    parts.push_back({std::string(data::role_name(role)),
                     train::labelled(data.labels, data::nodes_with_role(*split, role))});
  return parts;
}

/// Labelled items by part, and of classes and labels how many there are of each.
std::string label_table(const train::Dataset& data, const std::optional<data::Split>& split) {
  const data::Labels& labels = data.labels;
  if (labels.names.empty()) return "";
  const std::vector<Part> parts = parts_of(data, split);
  Table table{.caption = fmt::format("Labelled {}{}", data.noun().many, split ? " in each part" : ""),
              .columns = {{"", true}}};
  std::vector<Cell> all = {"all"};
  for (const Part& part : parts) {
    table.columns.push_back({part.name});
    all.emplace_back(std::to_string(part.items.size()));
  }
  table.rows.push_back(std::move(all));
  if (labels.has_numbers()) return to_html(table);
  std::vector<std::vector<std::int64_t>> counts;
  for (const Part& part : parts) counts.push_back(train::positive_counts(labels, part.items));
  for (std::size_t i = 0; i < std::min(labels.names.size(), kMostRows); ++i) {
    std::vector<Cell> row = {labels.names[i]};
    for (const std::vector<std::int64_t>& of_part : counts) row.emplace_back(std::to_string(of_part[i]));
    table.rows.push_back(std::move(row));
  }
  const bool is_cut = labels.names.size() > kMostRows;
  return to_html(table) +
         (is_cut ? remark(fmt::format("The first {} of {}.", kMostRows, labels.names.size())) : "");
}

std::vector<std::string> without_repeats(const std::vector<std::string>& lines) {
  std::vector<std::string> kept;
  for (const std::string& line : lines)
    if (std::ranges::count(kept, line) == 0) kept.push_back(line);
  return kept;
}

}  // namespace

std::string data_section(const train::Dataset& data, const std::optional<data::Split>& split,
                         const std::vector<std::string>& notes) {
  std::vector<std::pair<std::string, std::string>> entries = {{"data set", escape(data.name)}};
  if (data.graphs) entries.emplace_back(std::string(data.noun().many), std::to_string(data.items().size()));
  if (data.graph.node_count() > 0) {  // else graphs were made a few at a time
    entries.emplace_back("nodes", std::to_string(data.node_count()));
    entries.emplace_back("edges", std::to_string(data.edge_count()));
  }
  if (!data.reading.label.empty()) entries.emplace_back("learnt", escape(first_of(data.reading.label)));
  std::vector<std::string> all = data.notes;
  all.insert(all.end(), notes.begin(), notes.end());
  all = without_repeats(all);
  std::string text = heading("The data") + terms(entries) + label_table(data, split);
  return text + (all.empty() ? "" : paragraph("What was noticed:") + list(all));
}

std::string repeat_section(const HowMade& how) {
  std::vector<std::pair<std::string, std::string>> entries = {{"command", code(how.command)},
                                                              {"version", kVersion},
                                                              {"built with", fmt::format("g++ {}", __VERSION__)},
                                                              {"instructions", vector_instructions()},
                                                              {"threads", std::to_string(threads())}};
  if (how.seed) entries.emplace_back("seed", std::to_string(*how.seed));
  for (const auto& [term, text] : how.more) entries.emplace_back(term, escape(text));
  std::string text = heading("To make it again") + terms(entries);
  if (!how.settings.is_null()) text += folded(how.settings_name, json::dump_pretty(how.settings));
  return text + remark("The same version with the same instructions gives the same bits, at any number of threads.");
}

}  // namespace edgewise::report
