#include "edgewise/train/source/pair_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/data/node_groups.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/io/pairs.hpp"
#include "edgewise/train/source/collection_data.hpp"

namespace edgewise::train {
namespace {

/// Makes the pairs the items.
void set_pairs(io::TextPairs&& read, Dataset& data) {
  const std::size_t count = read.sources.size();
  PairItems& pairs = data.pairs.emplace();
  pairs.texts = std::move(read);
  data.graph = graph::Graph(graph::NodeNames::numbered(count), {}, {});
  data.labels.names = {"target"};  // each pair has one, so that splits draw from all
  data.labels.classes.assign(count, 0);
}

/// Replaces the sources, which are names, by the rows of a table.
void read_rows(const DataConfig& config, Dataset& data) {
  if (config.source_column.empty())
    throw UsageError(fmt::format("data.source_rows: say which column holds the names of the sources ({})",
                                 setting("data.source_column")));
  io::NodeTableOptions options{.expected = "a table of rows of sources", .is_numbered = true};
  options.categorical = options.verbatim = {config.source_column};
  data::NodeGroups groups = data::group_nodes(io::read_node_table(config.source_rows, options),
                                              {.graph = config.source_column, .order = config.source_order});
  PairItems& pairs = *data.pairs;
  std::vector<const io::Column*> columns;
  for (const io::Column& column : groups.nodes.columns)
    if (column.name != config.source_column && column.name != config.source_order) {
      if (!column.is_numeric)
        throw DataError(fmt::format("{}: expected numbers in the column \"{}\"", config.source_rows, column.name));
      columns.push_back(&column);
      pairs.columns.push_back(column.name);
    }
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto group = groups.graphs.find(pairs.texts.sources[i]);
    if (!group)
      throw DataError(pairs.where(i), fmt::format("{} has no rows of the source \"{}\"", config.source_rows,
                                                  pairs.texts.sources[i]));
    for (graph::Node row = groups.offsets[*group]; row < groups.offsets[*group + 1]; ++row) rows.push_back(row);
    pairs.row_offsets.push_back(static_cast<graph::Node>(rows.size()));
  }
  pairs.rows.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t column = 0; column < columns.size(); ++column)
      pairs.rows(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)) =
          columns[column]->numbers[rows[row]];
}

io::TextPairs read_texts(const DataConfig& config, const LoadOptions& options, std::vector<std::string>& notes) {
  if (!config.pairs.empty())
    return io::read_pairs(config.pairs, options.needs_labels ? io::Targets::required : io::Targets::optional, &notes);
  if (config.source_texts.empty() || config.target_texts.empty())
    throw UsageError(fmt::format("data: the texts of pairs need both files, {} and {}", setting("data.source_texts"),
                                 setting("data.target_texts")));
  return io::read_pairs(config.source_texts, config.target_texts);
}

/// Every tenth word is tested on, and the one before it validated on.
data::Split every_tenth(const std::vector<std::string>& words) {
  const std::set<std::string> sorted(words.begin(), words.end());
  std::unordered_map<std::string, data::Role> roles;
  for (std::size_t place = 0; const std::string& word : sorted) {
    const std::size_t of_ten = place++ % 10;
    roles[word] = of_ten == 9 ? data::Role::test : of_ten == 8 ? data::Role::validation : data::Role::train;
  }
  data::Split split;
  for (const std::string& word : words) split.push_back(roles.at(word));
  return split;
}

void append(io::TextPairs&& more, io::TextPairs& all) {
  if (all.file.empty()) all.file = more.file;
  for (auto member : {&io::TextPairs::sources, &io::TextPairs::targets})
    std::ranges::move(more.*member, std::back_inserter(all.*member));
  std::ranges::move(more.lines, std::back_inserter(all.lines));
}

}  // namespace

Dataset load_pairs(const DataConfig& request, const LoadOptions& options) {
  Dataset data;
  data.reading = request;
  data.name = std::filesystem::path(request.pairs.empty() ? request.source_texts : request.pairs).filename().string();
  set_pairs(read_texts(request, options, data.notes), data);
  if (!request.source_rows.empty()) read_rows(request, data);
  return data;
}

void load_pair_set(const data::Catalogue& catalogue, const data::CatalogueSet& dataset, const LoadOptions& options,
                   Dataset& data) {
  data.name = dataset.name;
  data.reading = over_reading(dataset.reading, data.reading);
  const std::vector<std::string> directories = data::default_data_directories();
  const auto path = [&](const char* role, const std::string& split = "") {
    return data::require_file(catalogue, dataset, directories, role, split);
  };
  io::TextPairs all;
  data::Split split;
  if (dataset.file("pronunciations") != nullptr) {
    all = io::read_pronunciations(path("pronunciations"));
    split = every_tenth(all.sources);
  } else {
    for (const data::DatasetFile& file : dataset.files) {
      if (file.role != "pairs" && file.role != "sources") continue;
      append(file.role == "pairs" ? io::read_pairs(path("pairs", file.split))
                                  : io::read_pairs(path("sources", file.split), path("targets", file.split)),
             all);
      if (!file.split.empty()) split.resize(all.sources.size(), data::parse_role(file.split).value());
    }
  }
  set_pairs(std::move(all), data);
  if (!split.empty()) data.splits.push_back(std::move(split));
  if (dataset.file("rows") != nullptr) {
    DataConfig config = data.reading;
    config.source_rows = path("rows");
    read_rows(config, data);
  }
  if (options.is_for_model()) return;
  data::check_counts(dataset, std::vector<std::pair<std::string_view, std::size_t>>{{"pairs", data.pairs->size()}});
}

Dataset pairs_of_texts(const DataConfig& config, std::vector<std::string> sources) {
  Dataset data;
  data.reading = config;
  data.name = "text";
  io::TextPairs pairs;
  pairs.file = data.name;
  pairs.sources = std::move(sources);
  for (std::uint64_t line = 1; line <= pairs.sources.size(); ++line) pairs.lines.push_back(line);
  set_pairs(std::move(pairs), data);
  return data;
}

}  // namespace edgewise::train
