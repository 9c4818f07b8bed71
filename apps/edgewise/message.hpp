#pragma once

#include <string>
#include <string_view>

#include "edgewise/core/json.hpp"

/// @file
/// All terminal output of the programs.
namespace edgewise::app {

/// To be called first. Opens the null device in place of closed standard descriptors, so that no other file gets their
/// numbers, and ignores SIGPIPE and SIGXFSZ, so that a broken pipe or a file size limit is a write error and does not
/// kill the process.
void prepare_process();

/// Writes a line to standard error. Never throws; a line that cannot be written is lost. Control characters are
/// escaped, line ends become blanks, and lines are cut at 2000 characters.
void say(std::string_view line) noexcept;

/// The text as `say` would write it.
std::string one_line(std::string_view text);

/// Writes to standard error without escaping, for text that moves the cursor. Never throws.
void write_error(std::string_view text) noexcept;

/// Writes any number of lines to standard output, with control characters escaped. Throws DataError when it cannot be
/// written.
void print_text(std::string_view text);

/// Writes data for another program to standard output, unescaped; on a terminal it is escaped as by `print_text`.
/// Throws DataError when it cannot be written.
void print_data(std::string_view text);

/// Writes an object as one line to standard output. Throws DataError when it cannot be written.
void print_json(const json::Value& object);

}  // namespace edgewise::app
