#include "edgewise/io/section_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "edgewise/core/error.hpp"
#include "edgewise/core/input_file.hpp"

namespace edgewise::io {
namespace {

constexpr std::string_view kSectionMagic = "EDGEWISE";
constexpr std::uint32_t kSectionVersion = 1;
constexpr std::size_t kHeaderBytes = 24, kNameBytes = 48, kEntryBytes = kNameBytes + 24;
constexpr std::uint64_t kSectionAlignment = 4096;
constexpr std::uint32_t kMostSections = 1U << 20;

std::uint32_t checksum_of(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

template <class T>
void put(std::vector<std::byte>& to, T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof(T));
}

}  // namespace

SectionFile::SectionFile(std::string path) : path_(std::move(path)) {
  const int file = open(path_to_open(path_).c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts = {};
  if (file < 0 || fstat(file, &facts) != 0) {
    const std::string reason = std::strerror(errno);
    if (file >= 0) close(file);
    throw DataError(fmt::format("{}: cannot be opened: {}", path_, reason));
  }
  size_ = S_ISREG(facts.st_mode) ? static_cast<std::uint64_t>(facts.st_size) : 0;
  void* data = size_ == 0 ? MAP_FAILED : mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (data != MAP_FAILED) data_ = static_cast<const std::byte*>(data);
  if (size_ < kHeaderBytes || data_ == nullptr || std::memcmp(data_, kSectionMagic.data(), kSectionMagic.size()) != 0) {
    if (data_ != nullptr) munmap(data, size_);
    throw DataError(fmt::format("{}: is no frozen network: expected one from edgewise data freeze", path_));
  }
  try {
    read_table();
  } catch (...) {
    munmap(data, size_);
    throw;
  }
}

SectionFile::~SectionFile() { munmap(const_cast<std::byte*>(data_), size_); }

template <class T>
T SectionFile::number_at(std::uint64_t place) const {
  T value;
  std::memcpy(&value, data_ + place, sizeof(T));
  return value;
}

void SectionFile::refuse(std::string_view section, std::string_view what) const {
  throw DataError(fmt::format("{}: the section \"{}\" {}; freeze the network again", path_, section, what));
}

void SectionFile::read_table() {
  const auto version = number_at<std::uint32_t>(8);
  const auto count = number_at<std::uint32_t>(12);
  if (version != kSectionVersion)
    throw DataError(fmt::format("{}: expected a frozen network of version {}, got version {}; freeze it again", path_,
                                kSectionVersion, version));
  const std::uint64_t bytes = std::uint64_t{count} * kEntryBytes;
  if (count > kMostSections || size_ < kHeaderBytes + bytes) refuse("table", "is cut short");
  if (checksum_of({data_ + kHeaderBytes, bytes}) != number_at<std::uint32_t>(16)) refuse("table", "was changed");
  for (std::uint64_t at = kHeaderBytes; at < kHeaderBytes + bytes; at += kEntryBytes) {
    const char* name = reinterpret_cast<const char*>(data_ + at);
    Section section{.name = std::string(name, strnlen(name, kNameBytes)),
                    .begin = number_at<std::uint64_t>(at + kNameBytes),
                    .bytes = number_at<std::uint64_t>(at + kNameBytes + 8),
                    .checksum = number_at<std::uint32_t>(at + kNameBytes + 16)};
    if (section.begin > size_ || section.bytes > size_ - section.begin) refuse(section.name, "is cut short");
    if (section.begin % kSectionAlignment != 0) refuse(section.name, "does not begin where it should");
    sections_.push_back(std::move(section));
  }
  std::ranges::sort(sections_, {}, &Section::name);
}

const SectionFile::Section* SectionFile::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(
      sections_, name, {}, [](const Section& one) -> std::string_view { return one.name; });
  return found != sections_.end() && found->name == name ? &*found : nullptr;
}

std::span<const std::byte> SectionFile::bytes(std::string_view name) const {
  const Section* section = find(name);
  if (section == nullptr) refuse(name, "is not there");
  const std::span<const std::byte> all{data_ + section->begin, section->bytes};
  const std::atomic_ref<bool> is_checked(section->is_checked);
  if (is_checked.load(std::memory_order_relaxed)) return all;
  if (checksum_of(all) != section->checksum) refuse(name, "was changed");
  is_checked.store(true, std::memory_order_relaxed);
  return all;
}

SectionWriter::SectionWriter(std::string path, const std::vector<std::string>& names)
    : path_(std::move(path)), file_(path_) {
  for (const std::string& name : names) sections_.push_back({.name = name});
  end_ = kHeaderBytes + names.size() * kEntryBytes;
}

void SectionWriter::fail() const {
  throw DataError(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
}

void SectionWriter::write(std::uint64_t place, const void* data, std::size_t bytes) {
  for (const char* at = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t written = pwrite(file_.descriptor(), at, bytes, static_cast<off_t>(place));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    at += written;
    place += static_cast<std::uint64_t>(written);
    bytes -= static_cast<std::size_t>(written);
  }
}

void SectionWriter::add(std::string_view name, std::span<const std::byte> bytes) {
  const auto section = std::ranges::find(sections_, name, &Section::name);
  if (section == sections_.end() || section->is_written || name.size() >= kNameBytes)
    throw UsageError(fmt::format("section file: \"{}\" was not announced, or is written twice", name));
  end_ = (end_ + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
  section->begin = end_;
  section->bytes = bytes.size();
  section->checksum = checksum_of(bytes);
  section->is_written = true;
  write(end_, bytes.data(), bytes.size());
  end_ += bytes.size();
}

void SectionWriter::finish() {
  std::vector<std::byte> table;
  for (const Section& section : sections_) {
    if (!section.is_written) throw UsageError(fmt::format("section file: \"{}\" was not written", section.name));
    for (std::size_t i = 0; i < kNameBytes; ++i)
      table.push_back(static_cast<std::byte>(i < section.name.size() ? section.name[i] : 0));
    put(table, section.begin);
    put(table, section.bytes);
    put(table, section.checksum);
    put(table, std::uint32_t{0});
  }
  std::vector<std::byte> header;
  for (const char letter : kSectionMagic) header.push_back(static_cast<std::byte>(letter));
  put(header, kSectionVersion);
  put(header, static_cast<std::uint32_t>(sections_.size()));
  put(header, checksum_of(table));
  put(header, std::uint32_t{0});
  write(0, header.data(), header.size());
  write(header.size(), table.data(), table.size());
  if (ftruncate(file_.descriptor(), static_cast<off_t>(end_)) != 0) fail();
  file_.finish();
}

}  // namespace edgewise::io
