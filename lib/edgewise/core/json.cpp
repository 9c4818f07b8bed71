#include "edgewise/core/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "edgewise/core/detail/json_place.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::json {
namespace {

std::string describe(const Value& value) {
  std::string text = dump(value);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

}  // namespace

double shortest(float value) {
  const std::string text = fmt::format("{}", value);
  double number = value;  // if it is not finite
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Copies via a temporary: when the variant's own copy runs out of memory, GCC 12 destroys what was never constructed.
Value::Value(const Value& other) : place_(other.place_), index_(other.index_) {
  const auto take_copy = [this](const auto& value) {
    auto copy = value;
    data_ = std::move(copy);
  };
  std::visit(take_copy, other.data_);
}

void Value::put_into(std::shared_ptr<const Place> parent, std::uint32_t index) {
  place_ = std::move(parent);
  index_ = index;
  if (!is_array() && !is_object()) return;
  const auto inside = std::make_shared<Place>(Place{.parent = place_, .index = index_, .is_array = is_array()});
  std::uint32_t i = 0;
  if (auto* array = std::get_if<Array>(&data_))
    for (Value& element : *array) element.put_into(inside, i++);
  if (auto* object = std::get_if<Object>(&data_))
    for (auto& [name, member] : *object) {
      inside->names.push_back(name);
      member.put_into(inside, i++);
    }
}

Value Value::rooted_at(const std::string& origin) const {
  const auto document = std::make_shared<Place>();
  document->names.push_back(origin);
  Value rooted = *this;
  rooted.put_into(document, 0);
  return rooted;
}

namespace {

/// "config.json: blocks: ", the prefix of messages about a value.
std::string in_front(const Value& value) {
  const std::string path = value.path();
  return path.empty() ? path : path + ": ";
}

}  // namespace

std::string Value::path() const { return place_ == nullptr ? std::string() : place_->path_of(index_); }

bool operator==(const Value& a, const Value& b) {
  const bool are_strings = a.is_string() && b.is_string();
  return are_strings ? a.as_string() == b.as_string() : a.data_ == b.data_;
}

void Value::expected(std::string_view what) const {
  throw UsageError(fmt::format("{}expected {}, got {}", in_front(*this), what, describe(*this)));
}

bool Value::as_bool() const {
  if (!is_bool()) expected("true or false");
  return std::get<bool>(data_);
}

std::int64_t Value::as_integer() const {
  if (!is_integer()) expected("an integer");
  return std::get<std::int64_t>(data_);
}

double Value::as_number_or_nan() const { return is_null() ? std::numeric_limits<double>::quiet_NaN() : as_number(); }

double Value::as_number() const {
  if (is_integer()) return static_cast<double>(std::get<std::int64_t>(data_));
  if (!is_number()) expected("a number");
  if (const auto* spelt = std::get_if<Spelt>(&data_)) return spelt->value;
  return std::get<double>(data_);
}

std::string Value::as_spelt() const {
  if (!is_number()) expected("a number");
  const auto* spelt = std::get_if<Spelt>(&data_);
  return spelt != nullptr ? *spelt->text : dump(*this);
}

const std::string& Value::as_string() const {
  if (!is_string()) expected("a string");
  return *std::get<Text>(data_);
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
  throw UsageError(fmt::format("{}\"{}\" is missing", in_front(*this), name));
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

void Value::allow_only(std::span<const std::string_view> known) const {
  for (const auto& [name, value] : as_object()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw UsageError(
        fmt::format("{}unknown member \"{}\"; known are {}", in_front(*this), name, fmt::join(known, ", ")));
  }
}

const Value* find_at(const Value& root, std::string_view path) {
  const Value* value = &root;
  for (std::size_t begin = 0, end = 0; value != nullptr && end != std::string_view::npos; begin = end + 1) {
    end = path.find('.', begin);
    value = value->is_object() ? value->find(path.substr(begin, end - begin)) : nullptr;
  }
  return value;
}

void set_at(Value& root, std::string_view path, Value value) {
  const std::size_t end = path.find('.');
  const std::string_view name = path.substr(0, end);
  if (end == std::string_view::npos) return root.set(name, std::move(value));
  const Value* old = find_at(root, name);
  Value child = old != nullptr ? *old : Value(Object{});
  set_at(child, path.substr(end + 1), std::move(value));
  root.set(name, std::move(child));
}

}  // namespace edgewise::json
