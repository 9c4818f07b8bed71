#include "result_log.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::app {

namespace {

constexpr const char* kFilesMark = "files_mark";

}  // namespace

ResultLog::ResultLog(std::string path, const ResultLogFormat& format, const ResultSource& source)
    : path_(std::move(path)), format_(format), about_(source.about) {
  if (path_.empty()) return;
  files_mark_ = mark_of(source.files);
  if (!std::filesystem::exists(path_)) return;
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
    throw DataError(fmt::format("{}: is of another {}; give --log another name, or use the flags of that one", path_,
                                format_.about));
  const json::Value* mark = file.find(kFilesMark);
  if (mark == nullptr || !(*mark == json::Value(files_mark_)))
    throw DataError(fmt::format("{}: is of files that have changed since; give --log another name", path_));
  results_ = file.at(format_.list).as_array();
  for (const json::Value& result : results_) format_.check(result);
}

void ResultLog::add(json::Value result) {
  results_.push_back(std::move(result));
  if (path_.empty()) return;
  const json::Value file = json::Object{
      {"schema", format_.schema}, {format_.about, about_}, {kFilesMark, files_mark_}, {format_.list, results_}};
  write_file_atomically(path_, [&](std::ostream& out) { out << json::dump_pretty(file) << '\n'; });
}

}  // namespace edgewise::app
