#include "edgewise/core/json_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "edgewise/core/error.hpp"

namespace edgewise::json {

std::string_view name_of(FieldType type) {
  constexpr std::string_view kNames[] = {"boolean", "integer", "number", "text",   "list",
                                         "file",    "folder",  "table",  "tables", "object"};
  return kNames[static_cast<std::size_t>(type)];
}

void refuse(const Value& object, std::string_view member, std::string_view expected) {
  const Value* value = object.find(member);
  if (value == nullptr) throw UsageError(fmt::format("{}: \"{}\": {}", object.path(), member, expected));
  const std::string path = value->path().empty() ? std::string(member) : value->path();
  throw UsageError(fmt::format("{}: {}, got {}", path, expected, dump(*value)));
}

const Value& section(const Value& object, std::string_view member) {
  static const Value kEmpty{Object{}};
  const Value* found = object.find(member);
  return found != nullptr && !found->is_null() ? *found : kEmpty;
}

int read_choice(const Value& object, std::string_view member, const std::vector<std::string>& names, int fallback) {
  const Value* value = object.find(member);
  if (value == nullptr) return fallback;
  const auto found = value->is_string() ? std::ranges::find(names, value->as_string()) : names.end();
  if (found == names.end()) refuse(object, member, fmt::format("expected one of {}", fmt::join(names, ", ")));
  return static_cast<int>(found - names.begin());
}

std::int64_t read_integer(const Value& object, std::string_view name, std::int64_t fallback, std::int64_t smallest,
                          std::int64_t largest) {
  const std::int64_t value = object.get(name, fallback);
  if (value >= smallest && value <= largest) return value;
  const bool is_unbounded = largest >= std::numeric_limits<int>::max();
  refuse(object, name,
         is_unbounded ? fmt::format("expected an integer of at least {}", smallest)
                      : fmt::format("expected an integer from {} to {}", smallest, largest));
}

double read_number(const Value& object, std::string_view name, double fallback, double smallest, double largest) {
  const double value = object.get(name, fallback);
  if (!(value >= smallest && value <= largest))
    refuse(object, name, fmt::format("expected a number in [{}, {}]", smallest, largest));
  return value;
}

float read_float(const Value& object, std::string_view name, float fallback) {
  const auto value = static_cast<float>(object.get(name, static_cast<double>(fallback)));
  if (!std::isfinite(value)) refuse(object, name, "expected a number within the range of floats");
  return value;
}

std::vector<std::string> Texts::read(const Value& object, std::string_view name, const std::vector<std::string>&) {
  const Value* found = object.find(name);
  if (found == nullptr || found->is_null()) return {};
  if (found->is_string()) return {found->as_string()};
  return found->as_strings();
}

namespace {

/// Throws UsageError for a file that is there twice under one name.
FileList named_files(const Value& object, std::string_view member,
                     const std::vector<std::pair<std::string, std::string>>& named) {
  for (auto one = named.begin(); one != named.end(); ++one)
    if (std::find(named.begin(), one, *one) != one)
      refuse(object, member, fmt::format("expected each file once, got \"{}={}\" twice", one->first, one->second));
  return FileList(named);
}

}  // namespace

FileList Tables::read(const Value& object, std::string_view name, const FileList&) {
  std::vector<std::pair<std::string, std::string>> named;
  if (const Value* found = object.find(name); found != nullptr && found->is_object()) {
    for (const auto& [key, value] : found->as_object())
      for (std::string& file : Texts::read(*found, key, {})) named.emplace_back(key, std::move(file));
    return named_files(object, name, named);
  }
  const std::vector<std::string> files = Texts::read(object, name, {});
  for (const std::string& file : files)
    if (auto one = parse_named_file(file)) named.push_back(std::move(*one));
  if (!named.empty() && named.size() < files.size())
    refuse(object, name, "expected a name for each file or for none, such as people=people.csv");
  if (!named.empty()) return named_files(object, name, named);
  for (auto file = files.begin(); file != files.end(); ++file)
    if (std::find(files.begin(), file, *file) != file)
      refuse(object, name, fmt::format("expected each file once, got \"{}\" twice", *file));
  return files.size() == 1 ? FileList(files.front()) : FileList(files);
}

Value Tables::write(const FileList& files) {
  if (files.empty()) return {};
  if (files.has_names()) {
    Value named = Object{};
    for (const std::string& name : files.names()) named.set(name, write(files.of(name)));
    return named;
  }
  return files.size() == 1 ? Value(files.front()) : Value(files.files());
}

float Probability::read(const Value& object, std::string_view name, float fallback) {
  const float value = read_float(object, name, fallback);
  if (!(value >= 0 && value < 1)) refuse(object, name, "expected a probability of at least 0 and below 1");
  return value;
}

float AboveZero::read(const Value& object, std::string_view name, float fallback) {
  const float value = read_float(object, name, fallback);
  if (!(value > 0)) refuse(object, name, "expected a number above 0");
  return value;
}

}  // namespace edgewise::json
