#pragma once

#include <fstream>
#include <string>

/// @file
/// Files to be read, whose paths come from users: links in a circle, names that are too long, folders without
/// permission. (The functions of std::filesystem throw other errors for these.)
namespace edgewise {

/// Opens a file. Throws DataError, with the path and the reason, for a folder and for what cannot be opened.
std::ifstream open_file(const std::string& path);

/// Whether the path leads to a file that is no device, pipe, socket or folder. False if that cannot be found out.
bool is_regular_file(const std::string& path);

/// Whether the path leads to something. False if that cannot be found out.
bool is_there(const std::string& path);

}  // namespace edgewise
