#pragma once

#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "outputs.hpp"

namespace edgewise::app {

/// What a log of results is of, and what its members are called.
struct ResultLogFormat {
  const char* schema;  ///< "edgewise.tune/1".
  const char* about;   ///< The member that says what makes the results what they are; a word for messages: "search".
  const char* list;    ///< The results.
  void (*check)(const json::Value& result);  ///< Throws UsageError for what is no result.
};

/// What results follow from.
struct ResultSource {
  json::Value about;             ///< Flags and configuration.
  std::vector<NamedFile> files;  ///< That are read.
};

/// Results in a file that is written whole after each of them. Where the file is there it is gone on from.
class ResultLog {
 public:
  /// No path: nothing is written. Throws DataError for a file whose results follow from another source, or that is no
  /// such log.
  ResultLog(std::string path, const ResultLogFormat& format, const ResultSource& source);

  const std::string& path() const { return path_; }
  const json::Array& results() const { return results_; }
  /// Throws DataError when the file cannot be written.
  void add(json::Value result);

 private:
  void read(const json::Value& file);

  std::string path_;
  ResultLogFormat format_;
  json::Value about_;
  std::string files_mark_;  // of mark_of; empty without a path
  json::Array results_;
};

}  // namespace edgewise::app
