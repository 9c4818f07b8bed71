#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// @file
/// JSON as plain values. Parsing and printing are RapidJSON's; its types stay out of the public headers.
namespace edgewise::json {

class Value;
using Array = std::vector<Value>;
/// Members in the order of the text; names are unique (a repeated name is refused when parsing).
using Object = std::vector<std::pair<std::string, Value>>;

/// A JSON value. The typed getters throw UsageError naming the value by its path ("blocks[1].heads: expected an
/// integer, got "many""), so a reader of configs only says what it wants.
class Value {
 public:
  Value() = default;  // null
  Value(bool value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(float value) : data_(static_cast<double>(value)) {}
  Value(int value) : data_(static_cast<std::int64_t>(value)) {}
  Value(std::int64_t value) : data_(value) {}
  Value(std::uint64_t value) : data_(static_cast<std::int64_t>(value)) {}
  Value(const char* value) : Value(std::string(value)) {}
  Value(std::string value) : data_(std::make_shared<const std::string>(std::move(value))) {}
  Value(std::string_view value) : Value(std::string(value)) {}
  Value(Array value) : data_(std::move(value)) {}
  Value(Object value) : data_(std::move(value)) {}
  template <class T>
  Value(const std::vector<T>& values) : data_(Array(values.begin(), values.end())) {}
  Value(const Value& other);
  Value(Value&& other) noexcept = default;
  Value& operator=(const Value& other) { return *this = Value(other); }
  Value& operator=(Value&& other) noexcept = default;
  ~Value() = default;

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_integer() const { return std::holds_alternative<std::int64_t>(data_); }
  bool is_number() const { return is_integer() || std::holds_alternative<double>(data_); }
  bool is_string() const { return std::holds_alternative<Text>(data_); }
  bool is_array() const { return std::holds_alternative<Array>(data_); }
  bool is_object() const { return std::holds_alternative<Object>(data_); }

  bool as_bool() const;
  std::int64_t as_integer() const;
  double as_number() const;
  /// NaN for null, as which it is written: JSON has no NaN.
  double as_number_or_nan() const;
  const std::string& as_string() const;
  const Array& as_array() const;
  const Object& as_object() const;
  /// Every element a string / a number.
  std::vector<std::string> as_strings() const;
  std::vector<double> as_numbers() const;

  /// The member, or nullptr. Throws when this is no object.
  const Value* find(std::string_view name) const;
  /// The member; throws when it is missing.
  const Value& at(std::string_view name) const;
  bool get(std::string_view name, bool fallback) const;
  std::int64_t get(std::string_view name, std::int64_t fallback) const;
  int get(std::string_view name, int fallback) const;
  double get(std::string_view name, double fallback) const;
  std::string get(std::string_view name, const char* fallback) const;

  /// Adds or replaces a member; makes an object of a null.
  void set(std::string_view name, Value value);

  /// Throws UsageError when the object has a member not in `known`: a misspelt option is an error, not a default.
  void allow_only(std::span<const std::string_view> known) const;
  void allow_only(std::initializer_list<std::string_view> known) const { allow_only(std::span(known)); }

  /// Where the value is, such as "config.json: blocks[1].heads". Set by `parse` and `rooted_at`.
  std::string path() const;
  /// This value, and all inside it, with the paths that they would have if they were parsed from `origin`.
  Value rooted_at(const std::string& origin) const;

  friend bool operator==(const Value& a, const Value& b);

 private:
  friend struct Builder;
  struct Place;
  using Text = std::shared_ptr<const std::string>;
  void put_into(std::shared_ptr<const Place> parent, std::uint32_t index);
  [[noreturn]] void expected(std::string_view what) const;

  // 56 bytes, so that a document takes a bounded number of bytes for each byte of its text.
  std::variant<std::monostate, bool, std::int64_t, double, Text, Array, Object> data_;
  std::shared_ptr<const Place> place_;  // the array or object that this was parsed in; null when it was not parsed
  std::uint32_t index_ = 0;             // among its elements or members
};

/// Parses a text, in time in proportion to its length and at most about 64 bytes of memory a byte. `origin` names it in
/// messages. Throws DataError with line and column for malformed text, a repeated member name, a number out of range,
/// bytes that are not UTF-8, and nesting deeper than 256.
Value parse(std::string_view text, const std::string& origin);

/// Reads and parses a file. Throws DataError also when it cannot be read or is longer than 256 MiB.
Value parse_file(const std::string& path);

/// One line, numbers with as many digits as they need to come back the same. Non-finite numbers become null.
std::string dump(const Value& value);
/// Several lines, indented by two.
std::string dump_pretty(const Value& value);

}  // namespace edgewise::json
