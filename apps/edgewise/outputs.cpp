#include "outputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/mark.hpp"
#include "edgewise/data/catalogue.hpp"
#include "edgewise/io/tu_dataset.hpp"

namespace edgewise::app {
namespace {

/// Whether two paths lead to the same file, or would if it existed.
bool is_same_file(const std::string& a, const std::string& b) {
  struct stat first{}, second{};
  const bool has_first = ::stat(a.c_str(), &first) == 0, has_second = ::stat(b.c_str(), &second) == 0;
  if (has_first && has_second) return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  return !has_first && !has_second && written_file(a) == written_file(b);
}

void add_files_of(const std::string& dataset, std::vector<NamedFile>& files) {
  const data::Catalogue catalogue = data::read_catalogue(data::default_catalogue_directory());
  const std::vector<std::string> directories = data::default_data_directories();
  for (const data::DatasetFile& file : data::find_dataset(catalogue, dataset).files)
    if (const auto path = data::locate(catalogue, file, directories))
      files.push_back({fmt::format("a file of the data set {}", dataset), *path});
}

}  // namespace

std::vector<NamedFile> input_files(const train::DataConfig& data, const train::SplitConfig& split) {
  std::vector<NamedFile> files = {{"data.edges", data.edges},       {"data.graph", data.graph},
                                  {"data.nodes", data.nodes},       {"data.molecules", data.molecules},
                                  {"data.features", data.features}, {"data.graphs", data.graphs},
                                  {"data.texts", data.texts},       {"split.file", split.file}};
  if (!data.dataset.empty()) add_files_of(data.dataset, files);
  if (!data.tu.empty())
    for (std::string& file : io::tu_files(data.tu)) files.push_back({"data.tu", std::move(file)});
  return files;
}

std::vector<NamedFile> input_files(const train::Config& config, const std::string& config_file) {
  std::vector<NamedFile> files = input_files(config.data, config.split);
  files.push_back({"--config", config_file});
  files.push_back({"--from", config.from});
  return files;
}

std::string mark_of(const std::vector<NamedFile>& files) {
  Mark mark;
  std::vector<char> bytes(1 << 16);
  for (const NamedFile& file : files) {
    if (!std::filesystem::is_regular_file(file.path)) continue;
    std::ifstream in(file.path, std::ios::binary);
    while (in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())), in.gcount() > 0)
      mark.add({bytes.data(), static_cast<std::size_t>(in.gcount())});
    mark.add(file.name);
  }
  return mark.text();
}

void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedFile& output = outputs[i];
    if (output.path.empty()) continue;
    if (output.path == "-") throw UsageError(fmt::format("{}: expected the name of a file, got -", output.name));
    check_writable(output.path);
    for (const NamedFile& input : inputs)
      if (!input.path.empty() && is_same_file(output.path, input.path))
        throw UsageError(
            fmt::format("{}: {} is also read ({}); give another name", output.name, output.path, input.name));
    for (std::size_t j = 0; j < i; ++j)
      if (!outputs[j].path.empty() && is_same_file(output.path, outputs[j].path))
        throw UsageError(
            fmt::format("{}: {} is also written by {}; give another name", output.name, output.path, outputs[j].name));
  }
}

}  // namespace edgewise::app
