#include "edgewise/io/memory_table.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "edgewise/core/input_file.hpp"
#include "edgewise/core/text.hpp"

namespace edgewise::io {
namespace {

thread_local const TablesInMemory::Tables* tables_of_thread = nullptr;

/// As Python writes it: 0.5, 3.0, 1e-05, 1e+16.
template <class Real>
std::string_view write_real(Real value, MemoryColumn::Buffer& buffer) {
  constexpr Real kShort = static_cast<Real>(1e-4), kLong = static_cast<Real>(1e16);
  if (std::isnan(value)) return {};
  const Real size = std::abs(value);
  const bool is_fixed = size == 0 || (size >= kShort && size < kLong);
  char* const begin = buffer.data();
  char* end = std::to_chars(begin, begin + buffer.size(), value,
                            is_fixed ? std::chars_format::fixed : std::chars_format::scientific)
                  .ptr;
  const std::string_view written(begin, static_cast<std::size_t>(end - begin));
  if (is_fixed && written.find('.') == std::string_view::npos) {
    *end++ = '.';
    *end++ = '0';
  }
  return {begin, static_cast<std::size_t>(end - begin)};
}

void add_field(std::string_view text, std::string& line) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
    return;
  }
  line += '"';
  for (const char character : text) line.append(character == '"' ? 2 : 1, character);
  line += '"';
}

}  // namespace

std::optional<float> MemoryColumn::number(std::size_t row) const {
  return std::visit(
      [&](const auto& of) -> std::optional<float> {
        using Value = std::remove_cvref_t<decltype(of[row])>;
        if constexpr (std::is_same_v<Value, std::string>) {
          return std::nullopt;
        } else if constexpr (std::is_integral_v<Value>) {
          constexpr Value kExact = 9'999'999;  // whole numbers of up to seven digits
          const Value value = of[row];
          if (value > kExact || value < -kExact) return std::nullopt;
          return static_cast<float>(value);
        } else {
          const Value value = of[row];
          if (std::abs(value) > std::numeric_limits<float>::max()) return std::nullopt;
          return static_cast<float>(value);
        }
      },
      values);
}

std::string_view MemoryColumn::text(std::size_t row, Buffer& buffer) const {
  return std::visit(
      [&](const auto& of) -> std::string_view {
        using Value = std::remove_cvref_t<decltype(of[row])>;
        if constexpr (std::is_same_v<Value, std::string>) {
          return trimmed(of[row]);
        } else if constexpr (std::is_integral_v<Value>) {
          const char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), of[row]).ptr;
          return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
        } else {
          return write_real(of[row], buffer);
        }
      },
      values);
}

void for_each_line(const MemoryTable& table, const std::function<bool(std::string_view line)>& take) {
  MemoryColumn::Buffer buffer;
  std::string line;
  for (std::size_t place = 0; place <= table.rows; ++place) {
    line.clear();
    for (const MemoryColumn& column : table.columns) {
      if (&column != table.columns.data()) line += ',';
      add_field(place == 0 ? std::string_view(column.name) : column.text(place - 1, buffer), line);
    }
    line += '\n';
    if (!take(line)) return;
  }
}

TablesInMemory::TablesInMemory(Tables tables)
    : tables_(std::move(tables)), previous_(std::exchange(tables_of_thread, &tables_)) {}

TablesInMemory::~TablesInMemory() { tables_of_thread = previous_; }

const MemoryTable* table_in_memory(const std::string& path) {
  if (tables_of_thread == nullptr) return nullptr;
  const auto found = tables_of_thread->find(path);
  return found == tables_of_thread->end() ? nullptr : found->second;
}

bool can_be_read_twice(const std::string& path) {
  return table_in_memory(path) != nullptr || is_regular_file(path_to_open(path));
}

}  // namespace edgewise::io
