#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace edgewise::io {

/// The formats of our result files, by the end of the file's name, in front of an optional ".gz".
enum class ResultFormat {
  csv,         ///< .csv
  json_lines,  ///< .jsonl or .ndjson: one JSON object a line
  graphml,     ///< .graphml
  dot,         ///< .dot or .gv
};

/// Throws UsageError that lists the known ends for another one.
ResultFormat result_format(const std::string& path);

/// Writes a text file whole or not at all (`write_file_atomically`), packed when the name ends in .gz.
void write_text(const std::string& path, const std::function<void(std::ostream&)>& write);

/// The field as it is, or in quotes where the CSV reader would not give the same text back otherwise.
std::string csv_field(std::string_view text);

/// A JSON string with its quotes.
std::string json_string(std::string_view text);

/// A number with as many digits as it needs to be read back the same; what is not finite becomes `otherwise`.
std::string number_text(float value, const char* otherwise = "");

}  // namespace edgewise::io
