#include "get/archive.hpp"

#include <fmt/format.h>
#include <minizip/unzip.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "edgewise/core/error.hpp"
#include "edgewise/io/limits.hpp"

namespace edgewise::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 100'000;

void check_size(const std::string& path, std::uint64_t bytes) {
  if (bytes > io::limits().text_bytes)
    refuse(path, fmt::format("is larger than {} MiB", io::limits().text_bytes >> 20));
}

/// A name that leads out of the archive is a trap for programs that unpack it. Nothing is unpacked here, but whoever
/// made it has nothing good to offer.
void check_name(const std::string& archive, const std::string& name) {
  const fs::path path(name);
  const bool leads_out = path.is_absolute() || std::ranges::find(path, fs::path("..")) != path.end() ||
                         name.find('\\') != std::string::npos;
  if (leads_out) refuse(archive, fmt::format("has a file whose name leads out of it: \"{}\"", name));
}

bool is_gzip(std::string_view bytes) { return bytes.size() > 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

struct Inflater {
  z_stream stream{};
  ~Inflater() { inflateEnd(&stream); }
};

/// Text without gzip, if it has any; concatenated members form one text.
std::string unpacked(const std::string& path, std::string bytes) {
  if (!is_gzip(bytes)) return bytes;
  Inflater inflater;
  z_stream& stream = inflater.stream;
  if (inflateInit2(&stream, 15 + 16) != Z_OK) refuse(path, "cannot be decompressed");
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 1 << 16> part;
  int status = Z_OK;
  while (stream.avail_in > 0 || status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END) refuse(path, "damaged or truncated gzip data");
    text.append(part.data(), part.size() - stream.avail_out);
    check_size(path, text.size());
    if (status != Z_STREAM_END) continue;
    if (stream.avail_in == 0) break;
    inflateReset(&stream);
  }
  return text;
}

std::string read_file(const std::string& path) {
  std::error_code failure;
  const std::uintmax_t size = fs::file_size(path, failure);
  if (failure) refuse(path, "cannot be read: " + failure.message());
  check_size(path, size);
  std::string bytes(size, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) refuse(path, "cannot be read");
  return bytes;
}

std::string first_bytes(const std::string& path) {
  std::array<char, 512> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  return {begin.data(), static_cast<std::size_t>(file.gcount())};
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  fs::recursive_directory_iterator place(folder, failure);
  for (; !failure && place != fs::recursive_directory_iterator(); place.increment(failure)) {
    if (place->is_regular_file(failure)) names.push_back(fs::path(place->path()).lexically_relative(folder).string());
    if (names.size() > kMostFiles) refuse(folder, fmt::format("has more than {} files", kMostFiles));
  }
  if (failure) refuse(folder, "cannot be read: " + failure.message());
  return names;
}

}  // namespace

void refuse(const std::string& label, const std::string& problem) {
  throw DataError(fmt::format("{}: {}", label, problem));
}

struct Archive::Zip {
  explicit Zip(const std::string& path) : file(unzOpen64(path.c_str())) {
    if (file == nullptr) refuse(path, "is a damaged or truncated zip");
  }
  Zip(const Zip&) = delete;
  Zip& operator=(const Zip&) = delete;
  ~Zip() { unzClose(file); }

  unzFile file;
};

Archive::Archive(const std::string& path) : path_(path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) refuse(path, "no such file or folder");
  if (fs::is_directory(status)) {
    names_ = files_below(path);
    return;
  }
  if (!fs::is_regular_file(status)) refuse(path, "is no file or folder");
  const std::string begin = first_bytes(path);
  const bool is_tar = begin.size() > 262 && std::string_view(begin).substr(257, 5) == "ustar";
  if (is_tar || path.ends_with(".tgz") || path.ends_with(".tar.gz") || begin.starts_with("7z"))
    refuse(path, "expected a zip, a folder, or a single file: unpack it, and pass the folder");
  if (!begin.starts_with("PK")) {
    if (path.ends_with(".zip")) refuse(path, "is not a zip archive");
    is_file_ = true;
    names_ = {fs::path(path).filename().string()};
    return;
  }
  zip_ = std::make_unique<Zip>(path);
  int result = unzGoToFirstFile(zip_->file);
  for (; result == UNZ_OK; result = unzGoToNextFile(zip_->file)) {
    std::array<char, 4096> name{};
    unz_file_info64 info{};
    if (unzGetCurrentFileInfo64(zip_->file, &info, name.data(), name.size() - 1, nullptr, 0, nullptr, 0) != UNZ_OK)
      refuse(path, "is a damaged or truncated zip");
    check_name(path, name.data());
    if (!std::string_view(name.data()).ends_with('/')) names_.emplace_back(name.data());
    if (names_.size() > kMostFiles) refuse(path, fmt::format("has more than {} files", kMostFiles));
  }
  if (result != UNZ_END_OF_LIST_OF_FILE) refuse(path, "is a damaged or truncated zip");
}

Archive::~Archive() = default;

std::string Archive::read(const std::string& name) const {
  if (!zip_) {
    const std::string path = is_file_ ? path_ : (fs::path(path_) / name).string();
    return unpacked(path, read_file(path));
  }
  const std::string label = fmt::format("{}: {}", path_, name);
  unz_file_info64 info{};
  if (unzLocateFile(zip_->file, name.c_str(), 1) != UNZ_OK ||
      unzGetCurrentFileInfo64(zip_->file, &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
    refuse(label, "cannot be found");
  if ((info.flag & 1U) != 0) refuse(label, "is encrypted");
  check_size(label, info.uncompressed_size);
  if (unzOpenCurrentFile(zip_->file) != UNZ_OK) refuse(label, "is damaged, or compressed in an unknown way");
  std::string bytes;
  std::array<char, 1 << 16> part;
  int count = 0;
  while ((count = unzReadCurrentFile(zip_->file, part.data(), part.size())) > 0) {
    bytes.append(part.data(), static_cast<std::size_t>(count));
    check_size(label, bytes.size());
  }
  if (unzCloseCurrentFile(zip_->file) != UNZ_OK || count < 0 || bytes.size() != info.uncompressed_size)
    refuse(label, "is damaged or truncated");
  return unpacked(label, std::move(bytes));
}

}  // namespace edgewise::app
