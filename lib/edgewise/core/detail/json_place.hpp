#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace edgewise::json {

/// An array or object that contains parsed values. The path of a value is built only when a message needs it.
struct Place {
  std::shared_ptr<const Place> parent;  // null for the document, whose only name is its origin
  std::uint32_t index = 0;              // in the parent
  bool is_array = false;
  std::vector<std::string> names = {};  // of the members of an object

  std::string path_of(std::uint32_t i) const {
    if (parent == nullptr) return names.front();
    const std::string path = parent->path_of(index);
    if (is_array) return fmt::format("{}[{}]", path, i);
    return path + (parent->parent == nullptr ? ": " : ".") + names[i];
  }
};

}  // namespace edgewise::json
