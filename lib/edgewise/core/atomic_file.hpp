#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace edgewise {

/// Writes `path` whole or not at all: `write` fills a temporary file beside it, which is flushed to the disk and then
/// renamed. What stood at `path` before is kept until that moment, and for good when anything fails.
/// Throws DataError when the file cannot be made, written or renamed.
void write_file_atomically(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace edgewise
