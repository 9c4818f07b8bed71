#pragma once

#include <functional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/config/input_files.hpp"

/// @file
/// The results of long work in a file, so that it can be continued.
namespace edgewise::train {

/// The kind of a log, and the names of its members.
struct ResultLogFormat {
  const char* schema;  ///< "edgewise.tune/1".
  const char* about;   ///< The member with what the results depend on; also used in messages: "search".
  const char* list;    ///< The member with the results.
  std::vector<const char*> key;  ///< The members of a result that tell it from all others.
  std::function<void(const json::Value& result)> check;  ///< Throws UsageError unless it is a result.
};

/// What results depend on.
struct ResultSource {
  json::Value about;             ///< The configuration, and what else the results depend on.
  std::vector<NamedFile> files;  ///< Input files.
};

/// Results in a file that is rewritten after each result. If the file exists, its results are read and added to, also
/// those that other processes add meanwhile.
class ResultLog {
 public:
  /// Without a path nothing is written. Throws as `check_writable` does, and DataError for a file whose results have
  /// another source, or that is not such a log.
  ResultLog(std::string path, const ResultLogFormat& format, const ResultSource& source);

  const json::Array& results() const { return results_; }
  /// The result with these members, or nullptr.
  const json::Value* find(const json::Object& key) const;
  /// Throws DataError when the file cannot be written, or has become that of another source.
  void add(const json::Value& result);

 private:
  void read();
  void read(const json::Value& file);
  void take(const json::Value& result);

  std::string path_;
  ResultLogFormat format_;
  json::Value about_;
  std::string files_mark_;  // from fingerprint_of; empty without a path
  json::Array results_;
};

}  // namespace edgewise::train
