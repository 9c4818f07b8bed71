#include "edgewise/train/config/input_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <span>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/fingerprint.hpp"
#include "edgewise/core/input_file.hpp"
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

/// Adds what the fields name that are of one of these types.
template <class Options>
void add_named(std::span<const json::Field<Options>> fields, const Options& options, std::string_view section,
               std::initializer_list<json::FieldType> types, std::vector<NamedFile>& files) {
  for (const json::Field<Options>& field : fields) {
    if (std::ranges::count(types, field.type) == 0) continue;
    const json::Value named = field.write(options);
    const std::string member = fmt::format("{}.{}", section, field.name);
    if (named.is_object())
      for (const auto& [name, file] : named.as_object())
        for (const std::string& path : json::Texts::read(named, name, {})) files.push_back({member, path});
    else if (named.is_null() || named.is_string())
      files.push_back({member, named.is_null() ? "" : named.as_string()});
    else
      for (const std::string& path : named.as_strings()) files.push_back({member, path});
  }
}

}  // namespace

std::vector<NamedFile> input_files(const DataConfig& data, const SplitConfig& split) {
  using enum json::FieldType;
  std::vector<NamedFile> files;  // their order is part of the marks that were written before
  add_named(data_fields(), data, "data", {file, table}, files);
  add_named(split_fields(), split, "split", {file}, files);
  add_named(data_fields(), data, "data", {tables}, files);
  if (!data.dataset.empty()) add_files_of(data.dataset, files);
  std::vector<NamedFile> folders;
  add_named(data_fields(), data, "data", {folder}, folders);
  for (const NamedFile& one : folders)
    if (!one.path.empty())
      for (std::string& path : io::tu_files(one.path)) files.push_back({one.name, std::move(path)});
  return files;
}

void refuse_frozen(std::string_view purpose, const DataConfig& data) {
  if (!data.frozen.empty())
    throw UsageError(
        fmt::format("{}: {} is a frozen network; give the tables that it was made of", purpose, data.frozen));
}

std::string fingerprint_of(const std::vector<NamedFile>& files) {
  Fingerprint fingerprint;
  std::vector<char> bytes(1 << 16);
  for (const NamedFile& file : files) {
    if (const io::MemoryTable* table = io::table_in_memory(file.path)) {
      io::for_each_line(*table, [&](std::string_view line) {
        fingerprint.add(line);
        return true;
      });
      fingerprint.add(file.name);
      continue;
    }
    if (!is_regular_file(path_to_open(file.path))) continue;
    std::ifstream in = open_file(file.path);
    while (in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())), in.gcount() > 0)
      fingerprint.add({bytes.data(), static_cast<std::size_t>(in.gcount())});
    fingerprint.add(file.name);
  }
  return fingerprint.text();
}

}  // namespace edgewise::train
