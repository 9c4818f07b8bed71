#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "edgewise/core/file_list.hpp"
#include "edgewise/core/json.hpp"

/// @file
/// JSON as an adapter over options, with one table of fields per struct. The table serves to read, check and write
/// options, to create command-line flags, and to test the manual. Defaults are those of the struct.
namespace edgewise::json {

/// `file`, `folder`, `table`: a name of what is read, which no output may replace; a program may have a table in memory
/// instead. `tables`: one or several, read one after the other.
enum class FieldType { boolean, integer, number, text, list, file, folder, table, tables, object };

/// "boolean", "integer", ...
std::string_view name_of(FieldType type);

/// The name and meaning of a field, independent of its options.
struct FieldDoc {
  std::string_view name;
  std::string_view doc;
  std::string_view flag = {};  ///< On the command line; empty if there is none.
  FieldType type = FieldType::text;
  std::vector<FieldDoc> fields = {};  ///< Of an object.
};

/// One member of a JSON object and of the options it is read into. `Context` is what else reading needs.
template <class Options, class... Context>
struct Field {
  std::string_view name;
  std::string_view doc;
  std::string_view flag;
  FieldType type;
  /// Throws UsageError naming the member by its path.
  void (*read)(const Value& object, std::string_view name, const Context&... context, Options& options);
  /// Returns null to omit the member.
  Value (*write)(const Options& options);
  std::vector<FieldDoc> (*fields)();
};

/// The field of the options' member `kMember`: a pointer to member, or a function from options to a reference. `Kind`
/// reads a value (`read(object, name, fallback)`, or with the context before the fallback) and writes one.
template <class Options, auto kMember, class Kind, class... Context>
constexpr Field<Options, Context...> make_field(std::string_view name, std::string_view doc,
                                                std::string_view flag = {}) {
  const auto read = [](const Value& object, std::string_view member, const Context&... context, Options& options) {
    auto& value = std::invoke(kMember, options);
    using Member = std::remove_cvref_t<decltype(value)>;
    if constexpr (requires { Kind::read(object, member, context..., value); })
      value = static_cast<Member>(Kind::read(object, member, context..., value));
    else
      value = static_cast<Member>(Kind::read(object, member, value));
  };
  const auto write = [](const Options& options) -> Value { return Kind::write(std::invoke(kMember, options)); };
  const auto fields = []() -> std::vector<FieldDoc> {
    if constexpr (requires { Kind::fields(); }) return Kind::fields();
    return {};
  };
  return {name, doc, flag, Kind::kType, read, write, fields};
}

template <class Options, class... Context>
std::vector<FieldDoc> docs_of(std::span<const Field<Options, Context...>> fields) {
  std::vector<FieldDoc> docs;
  for (const auto& field : fields) docs.push_back({field.name, field.doc, field.flag, field.type, field.fields()});
  return docs;
}

/// "config.json: blocks[1].heads: expected an integer of at least 1, got 0"
[[noreturn]] void refuse(const Value& object, std::string_view member, std::string_view expected);

/// Throws UsageError for a member of `object` that is neither a field nor in `besides`.
template <class Options, class... Context>
void allow_fields(const Value& object, std::span<const Field<Options, Context...>> fields,
                  std::initializer_list<std::string_view> besides = {}) {
  std::vector<std::string_view> names(besides);
  for (const auto& field : fields) names.push_back(field.name);
  object.allow_only(names);
}

/// The options given by the members of `object`; other members are ignored. Throws UsageError for a wrong value.
template <class Options, class... Context>
Options read_fields(const Value& object, std::span<const Field<Options, Context...>> fields,
                    const Context&... context) {
  Options options;
  for (const auto& field : fields) field.read(object, field.name, context..., options);
  return options;
}

/// Adds members to `object` from which `read_fields` restores the same options.
template <class Options, class... Context>
void write_fields(std::span<const Field<Options, Context...>> fields, const Options& options, Value& object) {
  for (const auto& field : fields) {
    Value value = field.write(options);
    if (!value.is_null()) object.set(field.name, std::move(value));
  }
}

/// An object of these members alone.
template <class Options>
Value written(std::span<const Field<Options>> fields, const Options& options) {
  Value object = Object{};
  write_fields(fields, options, object);
  return object;
}

/// The member, or an empty object if it is missing or null.
const Value& section(const Value& object, std::string_view member);

/// The index of the member's text in `names`; `fallback` if it is missing.
int read_choice(const Value& object, std::string_view member, const std::vector<std::string>& names, int fallback);

/// @name Kinds of values
/// @{

/// A kind that is written unchanged.
template <class T>
struct Plain {
  static Value write(T value) { return value; }
};

struct Flag : Plain<bool> {
  static constexpr FieldType kType = FieldType::boolean;
  static bool read(const Value& object, std::string_view name, bool fallback) { return object.get(name, fallback); }
};

/// Omitted if empty.
struct Text {
  static constexpr FieldType kType = FieldType::text;
  static std::string read(const Value& object, std::string_view name, const std::string& fallback) {
    return object.get(name, fallback.c_str());
  }
  static Value write(const std::string& text) { return text.empty() ? Value() : Value(text); }
};

struct File : Text {
  static constexpr FieldType kType = FieldType::file;
};

struct Folder : Text {
  static constexpr FieldType kType = FieldType::folder;
};

struct Table : Text {
  static constexpr FieldType kType = FieldType::table;
};

/// A string or a list of strings; omitted if empty.
struct Texts {
  static constexpr FieldType kType = FieldType::list;
  static std::vector<std::string> read(const Value& object, std::string_view name, const std::vector<std::string>&);
  static Value write(const std::vector<std::string>& texts) { return texts.empty() ? Value() : Value(texts); }
};

/// The name of a file or a list of them, written as a name if there is only one; omitted if empty. Files with names are
/// an object, {"people": "people.csv"}, or texts such as "people=people.csv".
struct Tables {
  static constexpr FieldType kType = FieldType::tables;
  static FileList read(const Value& object, std::string_view name, const FileList&);
  static Value write(const FileList& files);
};

/// One of `kNames`, an array of texts; or an enumeration by the names of its values, in order.
template <const auto& kNames>
struct OneOf : Plain<std::string> {
  static constexpr FieldType kType = FieldType::text;
  using Plain<std::string>::write;
  template <class E>
    requires std::is_enum_v<E>
  static Value write(E value) {
    return kNames[static_cast<std::size_t>(value)];
  }
  template <class E>
    requires std::is_enum_v<E>
  static E read(const Value& object, std::string_view name, E fallback) {
    const std::string text = read(object, name, std::string(kNames[static_cast<std::size_t>(fallback)]));
    return static_cast<E>(std::ranges::find(kNames, text) - std::begin(kNames));
  }
  static std::string read(const Value& object, std::string_view name, const std::string& fallback) {
    const std::string given = object.get(name, fallback.c_str());
    const std::vector<std::string> names(std::begin(kNames), std::end(kNames));
    if (given == fallback) return given;
    return names[static_cast<std::size_t>(read_choice(object, name, names, 0))];
  }
};

/// An enumeration by the names of its values, in order: `kNames()`.
template <auto kNames>
struct Choice {
  static constexpr FieldType kType = FieldType::text;
  template <class E>
  static E read(const Value& object, std::string_view name, E fallback) {
    return static_cast<E>(read_choice(object, name, kNames(), static_cast<int>(fallback)));
  }
  template <class E>
  static Value write(E value) {
    return kNames()[static_cast<std::size_t>(value)];
  }
};

std::int64_t read_integer(const Value& object, std::string_view name, std::int64_t fallback, std::int64_t smallest,
                          std::int64_t largest);
double read_number(const Value& object, std::string_view name, double fallback, double smallest, double largest);
/// The nearest float, so that ranges are checked of what is used. Throws UsageError for one that is not finite.
float read_float(const Value& object, std::string_view name, float fallback);

/// In [kMin, kMax].
template <std::int64_t kMin, std::int64_t kMax = std::numeric_limits<std::int64_t>::max()>
struct Integer {
  static constexpr FieldType kType = FieldType::integer;
  template <class T>
  static std::int64_t read(const Value& object, std::string_view name, T fallback) {
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    constexpr auto kBound = static_cast<std::int64_t>(std::min(static_cast<std::uint64_t>(kMax), kLargest));
    return read_integer(object, name, static_cast<std::int64_t>(fallback), kMin, kBound);
  }
  template <class T>
  static Value write(T value) {
    return value;
  }
};

/// In [kMin, kMax].
template <double kMin, double kMax>
struct Number : Plain<double> {
  static constexpr FieldType kType = FieldType::number;
  static double read(const Value& object, std::string_view name, double fallback) {
    return read_number(object, name, fallback, kMin, kMax);
  }
};

/// In [0, 1).
struct Probability : Plain<float> {
  static constexpr FieldType kType = FieldType::number;
  static float read(const Value& object, std::string_view name, float fallback);
};

/// Above 0.
struct AboveZero : Plain<float> {
  static constexpr FieldType kType = FieldType::number;
  static float read(const Value& object, std::string_view name, float fallback);
};

/// An object with its own fields: `kFields()`.
template <auto kFields>
struct Nested {
  static constexpr FieldType kType = FieldType::object;
  template <class Options>
  static Options read(const Value& object, std::string_view name, const Options&) {
    const Value& inner = section(object, name);
    allow_fields(inner, kFields());
    return read_fields(inner, kFields());
  }
  template <class Options>
  static Value write(const Options& options) {
    return written(kFields(), options);
  }
  static std::vector<FieldDoc> fields() { return docs_of(kFields()); }
};

/// `Kind`, but required.
template <class Kind>
struct Required : Kind {
  template <class... Arguments>
  static auto read(const Value& object, std::string_view name, const Arguments&... arguments)
    requires requires { Kind::read(object, name, arguments...); }
  {
    object.at(name);
    return Kind::read(object, name, arguments...);
  }
};

/// @}

}  // namespace edgewise::json
