#pragma once

#include <string>
#include <string_view>

#include "edgewise/core/json.hpp"

/// @file
/// All that our programs write to the terminal goes through here.
namespace edgewise::app {

/// To be called first: opens the null device in place of closed standard descriptors, so that no file of ours gets
/// their numbers, and makes errors of writing, not deaths, of a pipe that nobody reads and of a file that may not grow.
void prepare_process();

/// A line on standard error. Never throws: where it cannot be written, it is lost. Control characters are shown, not
/// obeyed, line ends are blanks, and what is longer than 2000 characters is cut.
void say(std::string_view line) noexcept;

/// The text of such a line.
std::string one_line(std::string_view text);

/// Standard error as it is, for what is meant to move the cursor. Never throws.
void write_error(std::string_view text) noexcept;

/// Text of any number of lines on standard output, control characters shown. Throws DataError when it cannot be
/// written.
void print_text(std::string_view text);

/// What a program reads from standard output, as it is; but to a terminal as `print_text` has it. Throws DataError when
/// it cannot be written.
void print_data(std::string_view text);

/// An object as one line on standard output. Throws DataError when it cannot be written.
void print_json(const json::Value& object);

}  // namespace edgewise::app
