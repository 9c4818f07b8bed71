#pragma once

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace edgewise::test {

/// The catalogue, with the shipped data sets.
inline const std::string kShipped = EDGEWISE_SOURCE_DIR "/datasets";

/// The folder of a public data set. If it is missing, a warning says what is not tested.
inline std::optional<std::string> dataset(const std::string& name) {
  const char* root = std::getenv("EDGEWISE_DATA");
  if (root != nullptr && std::filesystem::exists(std::string(root) + "/" + name)) return std::string(root) + "/" + name;
  WARN("EDGEWISE_DATA does not hold \"" << name << "\": its files are not read in this run");
  return std::nullopt;
}

}  // namespace edgewise::test
