#include "get/get.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/folder.hpp"
#include "edgewise/data/sha256.hpp"
#include "edgewise/io/text_writer.hpp"
#include "get/archive.hpp"
#include "get/planetoid.hpp"

namespace edgewise::app {
namespace {

namespace fs = std::filesystem;

/// The name of a file without its folders and without ".gz".
std::string plain_name(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name;
}

/// The file of an archive that is `file` of the catalogue; "" if there is none. Of several, that with the shortest path.
std::string find_file(const Archive& archive, const data::CatalogueSet& dataset, const data::DatasetFile& file) {
  if (archive.is_file() && dataset.files.size() == 1) return archive.names().front();
  const std::string wanted = plain_name(file.path);
  std::string found;
  for (const std::string& name : archive.names()) {
    const std::string plain = plain_name(name);
    const bool fits = plain == wanted || plain == "musae_" + wanted;
    if (fits && (found.empty() || name.size() < found.size())) found = name;
  }
  return found;
}

/// Whether data can be read without the file.
bool can_be_missing(const data::DatasetFile& file) { return file.role == "other" || file.role == "split"; }

using Contents = std::vector<std::pair<const data::DatasetFile*, std::string>>;

Contents contents_of(const data::CatalogueSet& dataset, const Archive& archive) {
  std::map<std::string, std::string> converted;
  if (dataset.format == "rows" && has_planetoid(archive, dataset.name))
    converted = planetoid_files(archive, dataset.name);
  Contents contents;
  for (const data::DatasetFile& file : dataset.files) {
    if (const auto made = converted.find(plain_name(file.path)); made != converted.end()) {
      contents.emplace_back(&file, std::move(made->second));
    } else if (const std::string name = find_file(archive, dataset, file); !name.empty()) {
      contents.emplace_back(&file, archive.read(name));
    } else if (!can_be_missing(file)) {
      const std::string or_raw = dataset.format == "rows" ? fmt::format(", or ind.{}.*", dataset.name) : "";
      throw DataError(fmt::format("{}: expected {}{} of {}, but {}", archive.path(), plain_name(file.path), or_raw,
                                  dataset.name, archive.is_file() ? "is not a zip archive" : "has no such file"));
    }
  }
  return contents;
}

}  // namespace

std::vector<WrittenFile> get_dataset(const data::CatalogueSet& dataset, const std::string& archive,
                                     const std::string& directory) {
  std::vector<WrittenFile> written;
  for (const auto& [file, text] : contents_of(dataset, Archive(archive))) {
    const fs::path path = fs::path(directory) / file->path;
    make_folder(path.parent_path().string());
    io::write_text(path.string(), [&text = text](std::ostream& out) { out << text; });
    written.push_back({path.string(), data::sha256(text) == file->sha256});
  }
  return written;
}

}  // namespace edgewise::app
