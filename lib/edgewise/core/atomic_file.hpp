#pragma once

#include <functional>
#include <iosfwd>
#include <string>

/// @file
/// The one door through which files are written.
namespace edgewise {

/// Checks that a file can be made or replaced at `path`, so that long work does not end in a name that cannot be
/// written. Symbolic links are followed. Throws DataError when a directory, a device, a pipe or a socket has the name,
/// the file there is write-protected, or its folder does not exist or cannot be written to.
void check_writable(const std::string& path);

/// The file that is made or replaced when `path` is written: symbolic links followed, in a form that is the same for
/// all paths to it. Throws DataError as `check_writable` does.
std::string written_file(const std::string& path);

/// Writes `path` whole or not at all: `write` fills a temporary file beside it, which is flushed to the disk and then
/// renamed; the folder is flushed last. What was at `path` before is kept until the renaming, and for good when
/// anything fails before. A symbolic link is followed, and the file it leads to is replaced; a file that is replaced
/// passes on its mode. The temporary file has a random name, is made exclusively, and is locked while it is written:
/// those that a killed process left for the same target are removed. Throws DataError for what `check_writable`
/// refuses, and when the file cannot be made, written, flushed or renamed.
void write_file_atomically(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace edgewise
