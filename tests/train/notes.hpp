#pragma once

#include <string>

namespace edgewise::test {

/// A train::NoteHook for tests of something else.
inline void ignore_note(const std::string&) {}

}  // namespace edgewise::test
