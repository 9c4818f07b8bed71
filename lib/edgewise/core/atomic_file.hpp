#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace edgewise {

/// Looks whether a file could be made at `path`, so that long work does not end in a name that cannot be written.
/// Throws DataError when it is a directory, or its folder does not exist or cannot be written to.
void check_writable(const std::string& path);

/// Writes `path` whole or not at all: `write` fills a temporary file beside it, which is flushed to the disk and then
/// renamed. What stood at `path` before is kept until that moment, and for good when anything fails.
/// Throws DataError when the file cannot be made, written or renamed.
void write_file_atomically(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace edgewise
