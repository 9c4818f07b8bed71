#pragma once

#include <optional>
#include <string>
#include <vector>

namespace edgewise {

/// The names in a folder, including "." and "..", in no particular order; nothing, with errno set, if it cannot be
/// read. (std::filesystem::directory_iterator ends the program when memory runs out.)
std::optional<std::vector<std::string>> names_in_folder(const std::string& path);

/// Makes a folder, and those above it, unless it exists. Throws DataError.
void make_folder(const std::string& path);

}  // namespace edgewise
