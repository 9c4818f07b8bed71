#include "edgewise/data/catalogue.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "edgewise/core/error.hpp"
#include "edgewise/core/suggestion.hpp"
#include "edgewise/data/sha256.hpp"
#include "edgewise/io/byte_source.hpp"
#include "edgewise/io/limits.hpp"

namespace edgewise::data {
namespace {

namespace fs = std::filesystem;

bool has_catalogue(const fs::path& directory) {
  std::error_code ignored;
  return fs::exists(directory / "catalogue.json", ignored);
}

/// The folder of the program, or of the shared object that this library is linked into.
fs::path own_folder() {
  static const int kHere = 0;
  Dl_info object{};
  std::error_code ignored;
  // A program's own name may be relative to a folder that has been left.
  const bool is_found = dladdr(&kHere, &object) != 0 && fs::path(object.dli_fname).is_absolute();
  return (is_found ? fs::path(object.dli_fname) : fs::read_symlink("/proc/self/exe", ignored)).parent_path();
}

DatasetFile file_from(const json::Value& value) {
  value.allow_only({"role", "path", "sha256", "split"});
  DatasetFile file{value.at("role").as_string(), value.at("path").as_string(), value.at("sha256").as_string(),
                   value.get("split", "")};
  const fs::path path = file.path;
  if (path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end())
    throw UsageError(fmt::format("{}: expected a path below the data directory, got \"{}\"", value.path(), file.path));
  return file;
}

/// Without gzip, which does not make the same bytes of a text everywhere.
std::string sha256_of_contents(const std::string& path) {
  if (!path.ends_with(".gz")) return sha256_of_file(path);
  io::ByteSource source(path);
  std::string contents;
  std::array<char, 1 << 16> part;
  while (const std::size_t count = source.read(part.data(), part.size())) {
    contents.append(part.data(), count);
    if (contents.size() > io::limits().text_bytes)
      throw DataError(fmt::format("{}: is larger than {} MiB", path, io::limits().text_bytes >> 20));
  }
  return sha256(contents);
}

PublishedResult result_from(const json::Value& value) {
  value.allow_only({"model", "metric", "value", "reference", "protocol", "verified"});
  return {value.at("model").as_string(),     value.at("metric").as_string(),   value.at("value").as_string(),
          value.at("reference").as_string(), value.at("protocol").as_string(), value.get("verified", false)};
}

CatalogueSet dataset_from(const json::Value& value) {
  value.allow_only({"name",     "title",          "task",           "shipped",   "format", "label",   "id",
                    "directed", "normalise_rows", "duplicate_rows", "split",     "splits", "metric",  "source",
                    "licence",  "files",          "counts",         "published", "smiles", "targets", "reading"});
  CatalogueSet dataset;
  dataset.name = value.at("name").as_string();
  dataset.title = value.at("title").as_string();
  dataset.task = value.at("task").as_string();
  dataset.shipped = value.get("shipped", false);
  dataset.format = value.at("format").as_string();
  dataset.label = value.get("label", "");
  dataset.id = value.get("id", "");
  dataset.smiles = value.get("smiles", "");
  if (const json::Value* reading = value.find("reading")) dataset.reading = *reading;
  if (const json::Value* targets = value.find("targets")) dataset.targets = targets->as_strings();
  dataset.directed = value.get("directed", false);
  dataset.normalise_rows = value.get("normalise_rows", false);
  dataset.keeps_first_duplicate = value.get("duplicate_rows", "refuse") == "keep_first";
  dataset.split = value.at("split").as_string();
  dataset.splits = value.at("splits").as_strings();
  dataset.metric = value.at("metric").as_string();
  dataset.source = value.at("source").as_string();
  dataset.licence = value.at("licence").as_string();
  for (const json::Value& file : value.at("files").as_array()) dataset.files.push_back(file_from(file));
  for (const auto& [what, count] : value.at("counts").as_object())
    dataset.counts.emplace_back(what, static_cast<std::size_t>(count.as_integer()));
  for (const json::Value& result : value.at("published").as_array()) dataset.published.push_back(result_from(result));
  return dataset;
}

/// Small if one name contains the other, else the edit distance.
std::size_t distance(std::string_view wanted, std::string_view name) {
  const auto holds = [](std::string_view whole, std::string_view part) {
    return whole.find(part) != std::string_view::npos;
  };
  const bool is_part = wanted.size() >= 3 && (holds(name, wanted) || holds(wanted, name));
  return is_part ? 1 : edit_distance(wanted, name);
}

}  // namespace

std::optional<std::size_t> CatalogueSet::count(std::string_view what) const {
  for (const auto& [name, value] : counts)
    if (name == what) return value;
  return std::nullopt;
}

const DatasetFile* CatalogueSet::file(std::string_view role, std::string_view split_name) const {
  const auto found = std::find_if(files.begin(), files.end(), [&](const DatasetFile& file) {
    return file.role == role && (split_name.empty() || file.split == split_name);
  });
  return found == files.end() ? nullptr : &*found;
}

Catalogue read_catalogue(const std::string& directory) {
  const json::Value root = json::parse_file((fs::path(directory) / "catalogue.json").string());
  root.allow_only({"version", "datasets"});
  if (root.at("version").as_integer() != 1)
    throw UsageError(fmt::format("{}: version {} of the catalogue is not supported; expected 1", root.path(),
                                 root.at("version").as_integer()));
  Catalogue catalogue{directory, {}};
  for (const json::Value& value : root.at("datasets").as_array()) {
    CatalogueSet dataset = dataset_from(value);
    for (const CatalogueSet& other : catalogue.datasets)
      if (other.name == dataset.name)
        throw UsageError(fmt::format("{}: the data set \"{}\" is listed twice", root.path(), dataset.name));
    catalogue.datasets.push_back(std::move(dataset));
  }
  return catalogue;
}

std::string default_catalogue_directory() {
  if (const char* directory = std::getenv("EDGEWISE_DATASETS"); directory != nullptr && *directory != '\0')
    return directory;
  const fs::path parent = own_folder().parent_path();
  for (const char* below : {"datasets", "share/edgewise/datasets"})
    if (has_catalogue(parent / below)) return parent / below;
  return has_catalogue(EDGEWISE_SOURCE_DATASETS) ? EDGEWISE_SOURCE_DATASETS : EDGEWISE_INSTALLED_DATASETS;
}

std::vector<std::string> default_data_directories() {
  std::vector<std::string> directories;
  const char* variable = std::getenv("EDGEWISE_DATA");
  std::string_view rest = variable == nullptr ? "" : variable;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) directories.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return directories;
}

const CatalogueSet& find_dataset(const Catalogue& catalogue, std::string_view name) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const CatalogueSet& dataset : catalogue.datasets) {
    if (dataset.name == name) return dataset;
    near.emplace_back(distance(name, dataset.name), dataset.name);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> suggestions;
  for (const auto& [how_far, other] : near)
    if (suggestions.size() < 3 && how_far <= std::max<std::size_t>(2, name.size() / 2)) suggestions.push_back(other);
  if (suggestions.empty())
    throw UsageError(fmt::format("\"{}\" is not in the catalogue, which has {} data sets", name, near.size()));
  throw UsageError(
      fmt::format("\"{}\" is not in the catalogue; did you mean {}?", name, fmt::join(suggestions, " or ")));
}

std::optional<std::string> locate(const Catalogue& catalogue, const DatasetFile& file,
                                  std::span<const std::string> data_directories) {
  std::vector<std::string> directories = {catalogue.directory};
  directories.insert(directories.end(), data_directories.begin(), data_directories.end());
  for (const std::string& directory : directories) {
    const fs::path path = fs::path(directory) / file.path;
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path.string();
  }
  return std::nullopt;
}

std::string require_file(const Catalogue& catalogue, const CatalogueSet& dataset,
                         std::span<const std::string> data_directories, std::string_view role, std::string_view split) {
  const DatasetFile* file = dataset.file(role, split);
  if (file == nullptr)
    throw DataError(fmt::format("data set \"{}\": the catalogue names no file with the role \"{}\"", dataset.name,
                                role));
  if (const std::optional<std::string> path = locate(catalogue, *file, data_directories)) return *path;
  std::vector<std::string> directories = {catalogue.directory};
  directories.insert(directories.end(), data_directories.begin(), data_directories.end());
  throw DataError(fmt::format("data set \"{}\": {} is missing; looked in {}; set EDGEWISE_DATA to where it is",
                              dataset.name, file->path, fmt::join(directories, ", ")));
}

void check_counts(const CatalogueSet& dataset, std::span<const std::pair<std::string_view, std::size_t>> found) {
  for (const auto& [what, count] : found)
    if (const std::optional<std::size_t> expected = dataset.count(what); expected && *expected != count)
      throw DataError(fmt::format("data set \"{}\": expected {} {}, found {}; its files are not those of the catalogue",
                                  dataset.name, *expected, what, count));
}

DatasetStatus dataset_status(const Catalogue& catalogue, const CatalogueSet& dataset,
                             std::span<const std::string> data_directories) {
  DatasetStatus status{DatasetState::here, "", 0};
  for (const DatasetFile& file : dataset.files) {
    const std::optional<std::string> path = locate(catalogue, file, data_directories);
    if (!path) {
      if (status.state != DatasetState::missing) status.detail = fmt::format("{} is missing", file.path);
      status.state = DatasetState::missing;
      continue;
    }
    status.bytes += static_cast<std::size_t>(fs::file_size(*path));
    if (status.state != DatasetState::here) continue;
    if (sha256_of_contents(*path) == file.sha256) continue;
    status.state = DatasetState::damaged;
    status.detail = fmt::format("{}: the SHA-256 checksum is not that of the catalogue", *path);
  }
  return status;
}

}  // namespace edgewise::data
