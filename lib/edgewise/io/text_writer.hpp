#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace edgewise::io {

/// Result file formats, by file extension, which may be followed by ".gz".
enum class ResultFormat {
  csv,         ///< .csv
  json_lines,  ///< .jsonl or .ndjson: one JSON object per line
  graphml,     ///< .graphml
  dot,         ///< .dot or .gv
  gml,         ///< .gml
};

/// Throws UsageError listing the supported extensions for any other.
ResultFormat result_format(const std::string& path);

/// Whether the name is that of a table: CSV or JSON Lines.
bool names_table(std::string_view path);

/// Writes a text file atomically (`write_file_atomically`), compressed if the name ends in .gz.
void write_text(const std::string& path, const std::function<void(std::ostream&)>& write);

/// The field as is, or quoted if the CSV reader would not otherwise return the same text.
std::string csv_field(std::string_view text);

/// A quoted JSON string.
std::string json_string(std::string_view text);

/// A number with as many digits as needed to read back the same value; a non-finite value becomes `otherwise`.
std::string number_text(float value, const char* otherwise = "");

}  // namespace edgewise::io
