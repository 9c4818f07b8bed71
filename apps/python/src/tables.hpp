#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "edgewise/core/input_file.hpp"
#include "edgewise/io/memory_table.hpp"

/// @file
/// Tables of the caller, which stay in the caller's memory.
namespace edgewise::python {

namespace nb = nanobind;

class Columns {
 public:
  /// `names` are those of all columns; each of `parts` holds one, as a list of texts or an array of numbers, or as many
  /// as a matrix has. All have as many rows.
  Columns(const std::vector<std::string>& names, const nb::list& parts, std::string comment);

  const io::MemoryTable& table() const { return table_; }

 private:
  io::MemoryTable table_;
  std::vector<nb::ndarray<nb::ro, nb::device::cpu>> arrays_;
  std::deque<std::vector<std::string>> texts_;
};

/// By the paths that a configuration has in their place.
using Tables = std::map<std::string, const Columns*>;

/// While it exists, a call finds these tables, and can read a pipe as often as it needs to.
struct Inputs {
  io::TablesInMemory tables;
  CopiesOfPipes pipes;
};

Inputs in_memory(const Tables& tables);

}  // namespace edgewise::python
