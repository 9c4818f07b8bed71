#include "edgewise/train/config/input_files.hpp"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/input_file.hpp"
#include "edgewise/core/mark.hpp"
#include "edgewise/data/catalogue.hpp"
#include "edgewise/io/memory_table.hpp"
#include "edgewise/io/tu_dataset.hpp"

namespace edgewise::train {
namespace {

void add_files_of(const std::string& dataset, std::vector<NamedFile>& files) {
  const data::Catalogue catalogue = data::read_catalogue(data::default_catalogue_directory());
  const std::vector<std::string> directories = data::default_data_directories();
  for (const data::DatasetFile& file : data::find_dataset(catalogue, dataset).files)
    if (const auto path = data::locate(catalogue, file, directories))
      files.push_back({fmt::format("a file of the data set {}", dataset), *path});
}

}  // namespace

std::vector<NamedFile> input_files(const DataConfig& data, const SplitConfig& split) {
  std::vector<NamedFile> files = {{"data.graph", data.graph},       {"data.molecules", data.molecules},
                                  {"data.features", data.features}, {"data.graphs", data.graphs},
                                  {"data.texts", data.texts},       {"data.pairs", data.pairs},
                                  {"data.source_texts", data.source_texts}, {"data.target_texts", data.target_texts},
                                  {"data.source_rows", data.source_rows},   {"data.merges", data.merges},
                                  {"data.frozen", data.frozen},
                                  {"split.file", split.file}};
  for (const std::string& file : data.edges.files()) files.push_back({"data.edges", file});
  for (const std::string& file : data.nodes.files()) files.push_back({"data.nodes", file});
  if (!data.dataset.empty()) add_files_of(data.dataset, files);
  if (!data.tu.empty())
    for (std::string& file : io::tu_files(data.tu)) files.push_back({"data.tu", std::move(file)});
  return files;
}

void refuse_frozen(std::string_view purpose, const DataConfig& data) {
  if (!data.frozen.empty())
    throw UsageError(
        fmt::format("{}: {} is a frozen network; give the tables that it was made of", purpose, data.frozen));
}

std::string fingerprint(const std::vector<NamedFile>& files) {
  Mark mark;
  std::vector<char> bytes(1 << 16);
  for (const NamedFile& file : files) {
    if (const io::MemoryTable* table = io::table_in_memory(file.path)) {
      io::for_each_line(*table, [&](std::string_view line) {
        mark.add(line);
        return true;
      });
      mark.add(file.name);
      continue;
    }
    if (!is_regular_file(path_to_open(file.path))) continue;
    std::ifstream in = open_file(file.path);
    while (in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())), in.gcount() > 0)
      mark.add({bytes.data(), static_cast<std::size_t>(in.gcount())});
    mark.add(file.name);
  }
  return mark.text();
}

}  // namespace edgewise::train
