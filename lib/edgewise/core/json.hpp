#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// @file
/// JSON as plain values. RapidJSON parses and prints; its types stay out of the public headers.
namespace edgewise::json {

class Value;
struct Place;  // core/detail/json_place.hpp
using Array = std::vector<Value>;
/// Members in the order of the text; names are unique (parsing refuses a repeated name).
using Object = std::vector<std::pair<std::string, Value>>;

/// The double with the fewest digits that converts to this float.
double shortest(float value);

/// A JSON value. The typed getters throw UsageError naming the value by its path ("blocks[1].heads: expected an
/// integer, got "many""), so that code which reads configs only states what it expects.
class Value {
 public:
  Value() = default;  // null
  Value(bool value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(float value) : data_(shortest(value)) {}
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
  bool is_number() const {
    return is_integer() || std::holds_alternative<double>(data_) || std::holds_alternative<Spelt>(data_);
  }
  bool is_string() const { return std::holds_alternative<Text>(data_); }
  bool is_array() const { return std::holds_alternative<Array>(data_); }
  bool is_object() const { return std::holds_alternative<Object>(data_); }

  bool as_bool() const;
  std::int64_t as_integer() const;
  double as_number() const;
  /// NaN for null. JSON has no NaN, so NaN is written as null.
  double as_number_or_nan() const;
  /// A number as its text spells it, if it was parsed with `Numbers::spelt`; else as `dump` writes it.
  std::string as_spelt() const;
  const std::string& as_string() const;
  const Array& as_array() const;
  const Object& as_object() const;
  /// All elements, which must be strings / numbers.
  std::vector<std::string> as_strings() const;
  std::vector<double> as_numbers() const;

  /// The member, or nullptr. Throws if this is not an object.
  const Value* find(std::string_view name) const;
  /// The member; throws if it is missing.
  const Value& at(std::string_view name) const;
  bool get(std::string_view name, bool fallback) const;
  std::int64_t get(std::string_view name, std::int64_t fallback) const;
  int get(std::string_view name, int fallback) const;
  double get(std::string_view name, double fallback) const;
  std::string get(std::string_view name, const char* fallback) const;

  /// Adds or replaces a member; turns a null into an object.
  void set(std::string_view name, Value value);

  /// Throws UsageError if the object has a member not in `known`: a misspelt option is an error, not a default.
  void allow_only(std::span<const std::string_view> known) const;
  void allow_only(std::initializer_list<std::string_view> known) const { allow_only(std::span(known)); }

  /// The location of the value, such as "config.json: blocks[1].heads". Set by `parse` and `rooted_at`.
  std::string path() const;
  /// This value, and everything in it, with the paths that they would have if they were parsed from `origin`.
  Value rooted_at(const std::string& origin) const;

  friend bool operator==(const Value& a, const Value& b);

 private:
  friend struct Builder;
  using Text = std::shared_ptr<const std::string>;
  struct Spelt {
    double value;
    Text text;

    bool operator==(const Spelt& other) const { return value == other.value; }
  };
  void put_into(std::shared_ptr<const Place> parent, std::uint32_t index);
  [[noreturn]] void expected(std::string_view what) const;

  // 56 bytes, so that a document takes a bounded number of bytes per byte of its text.
  std::variant<std::monostate, bool, std::int64_t, double, Text, Array, Object, Spelt> data_;
  std::shared_ptr<const Place> place_;  // the array or object that this was parsed in; null if it was not parsed
  std::uint32_t index_ = 0;             // among its elements or members
};

/// The member at a path such as "training.schedule.kind", or nullptr.
const Value* find_at(const Value& root, std::string_view path);
/// Adds or replaces it, creating the objects on the way. Throws UsageError if something else is there.
void set_at(Value& root, std::string_view path, Value value);

/// What parsing keeps of numbers that are not integers of 64 bits.
enum class Numbers {
  values,  ///< The nearest double.
  spelt,   ///< Also the text, such as "1e2" or "18446744073709551616", for `Value::as_spelt`.
};

/// Parses a text, in time proportional to its length and with at most about 64 bytes of memory per byte. `origin` names
/// it in messages. Throws DataError with line and column for malformed text, a repeated member name, a number out of
/// range, bytes that are not UTF-8, and nesting deeper than 256.
Value parse(std::string_view text, const std::string& origin, Numbers numbers = Numbers::values);

/// Reads and parses a file. Also throws DataError if it cannot be read or is longer than 256 MiB.
Value parse_file(const std::string& path);

/// One line; numbers have as many digits as they need to be read back unchanged. Non-finite numbers become null.
std::string dump(const Value& value);
/// Several lines, indented by two.
std::string dump_pretty(const Value& value);

}  // namespace edgewise::json
