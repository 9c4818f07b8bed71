#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "edgewise/core/spill_file.hpp"

/// @file
/// Files to be read, whose paths come from users: links in a circle, names that are too long, folders without
/// permission. (The functions of std::filesystem throw other errors for these.)
namespace edgewise {

/// Standard input, where a path is expected.
inline constexpr const char* kStandardInput = "-";

/// While it exists, this thread can open a pipe (and standard input) as often as a file: the first time, all that comes
/// out of it is copied to a temporary file, which ends with this object. Within another one, it uses the copies of
/// that.
class CopiesOfPipes {
 public:
  CopiesOfPipes();
  CopiesOfPipes(const CopiesOfPipes&) = delete;
  CopiesOfPipes& operator=(const CopiesOfPipes&) = delete;
  ~CopiesOfPipes();

 private:
  friend std::string path_to_open(const std::string& path);
  using Pipe = std::pair<std::uint64_t, std::uint64_t>;  // its device and its number there
  const SpillFile& copy_of(const std::string& path, const Pipe& pipe);

  std::map<Pipe, SpillFile> copies_;
  CopiesOfPipes* outer_;
};

/// Where to open what is at a path that someone gave: for a pipe the path of its copy, if there are copies. All files
/// of users are opened through this. Throws DataError if the copy cannot be made.
std::string path_to_open(const std::string& path);

/// Opens a file. Throws DataError, with the path and the reason, for a folder and for what cannot be opened.
std::ifstream open_file(const std::string& path);

/// Whether the path leads to a file that is no device, pipe, socket or folder. False if that cannot be found out.
bool is_regular_file(const std::string& path);

/// Whether the path leads to something. False if that cannot be found out.
bool is_there(const std::string& path);

}  // namespace edgewise
