#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace edgewise::app {

/// Dates as people write them, all different, each with its form by ISO 8601: "tuesday, 3 may 1988", "1988-05-03".
std::vector<std::pair<std::string, std::string>> generate_dates(std::size_t count, std::uint64_t seed);

/// Writes `directory`/dates.tsv, a pair a line, creating the directory if needed. Throws DataError if the file cannot
/// be written.
void write_dates(const std::string& directory, const std::vector<std::pair<std::string, std::string>>& dates);

}  // namespace edgewise::app
