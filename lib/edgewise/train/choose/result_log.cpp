#include "edgewise/train/choose/result_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/input_file.hpp"
#include "edgewise/core/setting.hpp"

namespace edgewise::train {

namespace {

constexpr const char* kFilesMark = "files_mark";

}  // namespace

ResultLog::ResultLog(std::string path, const ResultLogFormat& format, const ResultSource& source)
    : path_(std::move(path)), format_(format), about_(source.about) {
  if (path_.empty()) return;
  check_writable(path_);
  files_mark_ = fingerprint_of(source.files);
  read();
}

void ResultLog::read() {
  if (!is_there(path_)) return;
  try {
    read(json::parse_file(path_));
  } catch (const UsageError& error) {
    throw DataError(fmt::format("{}: is not a log of a {}: {}", path_, format_.about, error.what()));
  }
}

void ResultLog::read(const json::Value& file) {
  if (const std::string schema = file.at("schema").as_string(); schema != format_.schema)
    throw UsageError(fmt::format("expected the schema {}, got {}", format_.schema, schema));
  if (!(file.at(format_.about) == about_))
    throw DataError(fmt::format("{}: is of another {}; give {} another name, or use the flags of that one", path_,
                                format_.about, setting("log")));
  const json::Value* mark = file.find(kFilesMark);
  if (mark == nullptr || !(*mark == json::Value(files_mark_)))
    throw DataError(
        fmt::format("{}: is of files that have changed since; give {} another name", path_, setting("log")));
  const json::Array own = std::exchange(results_, file.at(format_.list).as_array());
  for (const json::Value& result : results_) format_.check(result);
  if (own == results_) return;
  for (const json::Value& result : own) take(result);
}

const json::Value* ResultLog::find(const json::Object& key) const {
  const auto is_it = [&](const json::Value& result) {
    return std::ranges::all_of(key, [&](const auto& member) { return result.at(member.first) == member.second; });
  };
  const auto found = std::ranges::find_if(results_, is_it);
  return found == results_.end() ? nullptr : &*found;
}

/// Adds the result unless it is there.
void ResultLog::take(const json::Value& result) {
  json::Object key;
  for (const char* member : format_.key) key.emplace_back(member, result.at(member));
  if (find(key) == nullptr) results_.push_back(result);
}

void ResultLog::add(const json::Value& result) {
  if (path_.empty()) return take(result);
  change_file(path_, [&] {
    read();
    take(result);
    const json::Value file = json::Object{
        {"schema", format_.schema}, {format_.about, about_}, {kFilesMark, files_mark_}, {format_.list, results_}};
    write_file_atomically(path_, [&](std::ostream& out) { out << json::dump_pretty(file) << '\n'; });
  });
}

}  // namespace edgewise::train
