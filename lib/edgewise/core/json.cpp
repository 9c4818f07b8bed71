#include "edgewise/core/json.hpp"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "edgewise/core/error.hpp"

namespace edgewise::json {
namespace {

constexpr std::size_t kMaximalDepth = 256;

TextLocation locate(std::string_view text, std::size_t offset, const std::string& origin) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line_start = before.rfind('\n') + 1;  // npos + 1 == 0
  return {origin, 1 + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')),
          1 + before.size() - line_start};
}

std::string describe(const Value& value) {
  std::string text = dump(value);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

}  // namespace

void Value::set_paths(std::string path, std::string_view separator) {
  path_ = std::move(path);
  if (auto* array = std::get_if<Array>(&data_)) {
    for (std::size_t i = 0; i < array->size(); ++i) (*array)[i].set_paths(fmt::format("{}[{}]", path_, i), ".");
  } else if (auto* object = std::get_if<Object>(&data_)) {
    for (auto& [name, value] : *object) value.set_paths(fmt::format("{}{}{}", path_, separator, name), ".");
  }
}

Value Value::rooted_at(const std::string& origin) const {
  Value rooted = *this;
  rooted.set_paths(origin, ": ");
  return rooted;
}

/// Builds a Value from RapidJSON's events.
struct Builder : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Builder> {
  explicit Builder(const std::string& origin) { root.path_ = origin; }

  bool Null() { return put(Value()); }
  bool Bool(bool value) { return put(value); }
  bool Int(int value) { return put(static_cast<std::int64_t>(value)); }
  bool Uint(unsigned value) { return put(static_cast<std::int64_t>(value)); }
  bool Int64(std::int64_t value) { return put(value); }
  bool Uint64(std::uint64_t value) {
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return put(value);
    return put(static_cast<double>(value));
  }
  bool Double(double value) { return put(value); }
  bool String(const char* text, rapidjson::SizeType length, bool) { return put(std::string(text, length)); }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    name.assign(text, length);
    if (open.back()->find(name) == nullptr) return true;
    problem = fmt::format("the member \"{}\" stands here a second time", name);
    return false;
  }
  bool StartObject() { return enter(Object()); }
  bool EndObject(rapidjson::SizeType) { return leave(); }
  bool StartArray() { return enter(Array()); }
  bool EndArray(rapidjson::SizeType) { return leave(); }

  Value* place(Value value) {
    if (open.empty()) {
      value.path_ = root.path_;
      root = std::move(value);
      return &root;
    }
    Value& parent = *open.back();
    const std::string separator = open.size() == 1 ? ": " : ".";
    if (auto* array = std::get_if<Array>(&parent.data_)) {
      value.path_ = fmt::format("{}[{}]", parent.path_, array->size());
      return &array->emplace_back(std::move(value));
    }
    auto& object = std::get<Object>(parent.data_);
    value.path_ = parent.path_ + separator + name;
    return &object.emplace_back(name, std::move(value)).second;
  }
  bool put(Value value) { return place(std::move(value)) != nullptr; }
  bool enter(Value value) {
    if (open.size() >= kMaximalDepth) {
      problem = fmt::format("nested deeper than {} levels", kMaximalDepth);
      return false;
    }
    open.push_back(place(std::move(value)));
    return true;
  }
  bool leave() {
    open.pop_back();
    return true;
  }

  Value root;
  std::vector<Value*> open;  // the way from the root to where we are; no sibling is added while it points
  std::string name;
  std::string problem;
};

void Value::expected(std::string_view what) const {
  throw UsageError(fmt::format("{}{}expected {}, got {}", path_, path_.empty() ? "" : ": ", what, describe(*this)));
}

bool Value::as_bool() const {
  if (!is_bool()) expected("true or false");
  return std::get<bool>(data_);
}

std::int64_t Value::as_integer() const {
  if (!is_integer()) expected("an integer");
  return std::get<std::int64_t>(data_);
}

double Value::as_number() const {
  if (is_integer()) return static_cast<double>(std::get<std::int64_t>(data_));
  if (!is_number()) expected("a number");
  return std::get<double>(data_);
}

const std::string& Value::as_string() const {
  if (!is_string()) expected("a string");
  return std::get<std::string>(data_);
}

const Array& Value::as_array() const {
  if (!is_array()) expected("an array");
  return std::get<Array>(data_);
}

const Object& Value::as_object() const {
  if (!is_object()) expected("an object");
  return std::get<Object>(data_);
}

std::vector<std::string> Value::as_strings() const {
  std::vector<std::string> strings;
  for (const Value& element : as_array()) strings.push_back(element.as_string());
  return strings;
}

std::vector<double> Value::as_numbers() const {
  std::vector<double> numbers;
  for (const Value& element : as_array()) numbers.push_back(element.as_number());
  return numbers;
}

const Value* Value::find(std::string_view name) const {
  for (const auto& [key, value] : as_object())
    if (key == name) return &value;
  return nullptr;
}

const Value& Value::at(std::string_view name) const {
  if (const Value* value = find(name)) return *value;
  throw UsageError(fmt::format("{}{}\"{}\" is missing", path_, path_.empty() ? "" : ": ", name));
}

bool Value::get(std::string_view name, bool fallback) const {
  const Value* value = find(name);
  return value ? value->as_bool() : fallback;
}

std::int64_t Value::get(std::string_view name, std::int64_t fallback) const {
  const Value* value = find(name);
  return value ? value->as_integer() : fallback;
}

int Value::get(std::string_view name, int fallback) const {
  const Value* value = find(name);
  if (!value) return fallback;
  const std::int64_t number = value->as_integer();
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
    value->expected("an integer of 32 bits");
  return static_cast<int>(number);
}

double Value::get(std::string_view name, double fallback) const {
  const Value* value = find(name);
  return value ? value->as_number() : fallback;
}

std::string Value::get(std::string_view name, const char* fallback) const {
  const Value* value = find(name);
  return value ? value->as_string() : std::string(fallback);
}

void Value::set(std::string_view name, Value value) {
  if (is_null()) data_ = Object();
  if (!is_object()) expected("an object");
  auto& object = std::get<Object>(data_);
  const auto member = std::find_if(object.begin(), object.end(), [&](const auto& m) { return m.first == name; });
  if (member != object.end())
    member->second = std::move(value);
  else
    object.emplace_back(std::string(name), std::move(value));
}

void Value::push(Value value) {
  if (is_null()) data_ = Array();
  if (!is_array()) expected("an array");
  std::get<Array>(data_).push_back(std::move(value));
}

void Value::allow_only(std::initializer_list<std::string_view> known) const {
  for (const auto& [name, value] : as_object()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw UsageError(fmt::format("{}{}unknown member \"{}\"; known are {}", path_, path_.empty() ? "" : ": ", name,
                                 fmt::join(known, ", ")));
  }
}

Value parse(std::string_view text, const std::string& origin) {
  Builder builder(origin);
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  constexpr unsigned kFlags = rapidjson::kParseFullPrecisionFlag | rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseIterativeFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (result) return std::move(builder.root);
  const std::string problem =
      builder.problem.empty() ? rapidjson::GetParseError_En(result.Code()) : builder.problem;
  throw DataError(locate(text, result.Offset(), origin), "not valid JSON: " + problem);
}

Value parse_file(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw DataError(fmt::format("{}: is a directory, expected a file", path));
  std::ifstream in(path, std::ios::binary);
  if (!in) throw DataError(fmt::format("{}: cannot be read", path));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) throw DataError(fmt::format("{}: reading failed", path));
  return parse(text.str(), path);
}

namespace {

template <class Writer>
void write(const Value& value, Writer& writer) {
  if (value.is_null()) {
    writer.Null();
  } else if (value.is_bool()) {
    writer.Bool(value.as_bool());
  } else if (value.is_integer()) {
    writer.Int64(value.as_integer());
  } else if (value.is_number()) {
    if (std::isfinite(value.as_number()))
      writer.Double(value.as_number());
    else
      writer.Null();
  } else if (value.is_string()) {
    writer.String(value.as_string().data(), static_cast<rapidjson::SizeType>(value.as_string().size()));
  } else if (value.is_array()) {
    writer.StartArray();
    for (const Value& element : value.as_array()) write(element, writer);
    writer.EndArray();
  } else {
    writer.StartObject();
    for (const auto& [name, member] : value.as_object()) {
      writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
      write(member, writer);
    }
    writer.EndObject();
  }
}

}  // namespace

std::string dump(const Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  write(value, writer);
  return {buffer.GetString(), buffer.GetSize()};
}

std::string dump_pretty(const Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  write(value, writer);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace edgewise::json
