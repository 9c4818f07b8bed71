#include "tables.hpp"

#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "bindings.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::python {
namespace {

using Array = nb::ndarray<nb::ro, nb::device::cpu>;

template <class Number>
bool find_numbers(const Array& array, std::size_t column, io::MemoryValues& values) {
  if (array.dtype() != nb::dtype<Number>()) return false;
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(Number));
  const std::int64_t offset = array.ndim() == 1 ? 0 : static_cast<std::int64_t>(column) * array.stride(1);
  values = io::NumbersInMemory<Number>{static_cast<const std::byte*>(array.data()) + offset * kSize,
                                       array.stride(0) * kSize};
  return true;
}

io::MemoryValues numbers_of(const Array& array, std::size_t column) {
  io::MemoryValues values;
  if (find_numbers<float>(array, column, values) || find_numbers<double>(array, column, values) ||
      find_numbers<std::int32_t>(array, column, values) || find_numbers<std::int64_t>(array, column, values))
    return values;
  throw UsageError("table: expected numbers of 32 or 64 bits");
}

}  // namespace

Columns::Columns(const std::vector<std::string>& names, const nb::list& parts, std::string comment) {
  table_.comment = std::move(comment);
  const auto add = [&](io::MemoryValues values, std::size_t rows) {
    if (table_.columns.empty()) table_.rows = rows;
    if (rows != table_.rows || table_.columns.size() == names.size())
      throw UsageError("table: expected columns of one length, and a name for each");
    table_.columns.push_back({names[table_.columns.size()], std::move(values)});
  };
  for (const nb::handle part : parts) {
    if (nb::isinstance<nb::list>(part)) {
      const std::vector<std::string>& texts = texts_.emplace_back(nb::cast<std::vector<std::string>>(part));
      add(std::span<const std::string>(texts), texts.size());
      continue;
    }
    const Array& array = arrays_.emplace_back(nb::cast<Array>(part));
    const std::size_t columns = array.ndim() == 1 ? 1 : array.shape(1);
    for (std::size_t i = 0; i < columns; ++i) add(numbers_of(array, i), array.shape(0));
  }
}

Inputs in_memory(const Tables& tables) {
  io::TablesInMemory::Tables found;
  for (const auto& [path, table] : tables) found.emplace(path, &table->table());
  return {io::TablesInMemory(std::move(found)), {}};
}

void bind_tables(nb::module_& module) {
  nb::class_<Columns>(module, "Columns")
      .def(nb::init<const std::vector<std::string>&, const nb::list&, std::string>(), nb::arg("names"),
           nb::arg("parts"), nb::arg("comment"));
}

}  // namespace edgewise::python
