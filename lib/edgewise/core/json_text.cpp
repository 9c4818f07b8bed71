#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <clocale>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <unordered_set>

#include "edgewise/core/detail/json_allocator.hpp"
#include "edgewise/core/detail/json_place.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/input_file.hpp"
#include "edgewise/core/json.hpp"

namespace edgewise::json {
namespace {

using Utf8 = rapidjson::UTF8<>;
using Buffer = rapidjson::GenericStringBuffer<Utf8, detail::JsonAllocator>;

constexpr std::size_t kMaximalDepth = 256;
constexpr std::size_t kLongestFile = std::size_t{256} << 20;

TextLocation locate(std::string_view text, std::size_t offset, const std::string& origin) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line_start = before.rfind('\n') + 1;  // npos + 1 == 0
  return {origin, 1 + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')),
          1 + before.size() - line_start};
}

/// A number too close to 0 for a double, or too large: about 0, or infinity. Independent of the locale.
double parse_extreme(const std::string& text) {
  static const locale_t kPlain = ::newlocale(LC_ALL_MASK, "C", nullptr);
  return ::strtod_l(text.c_str(), nullptr, kPlain);
}

}  // namespace

/// Builds a Value from RapidJSON's events. Children wait on a stack until their array or object ends, which is then
/// created in the right size.
struct Builder : rapidjson::BaseReaderHandler<Utf8, Builder> {
  Builder(const std::string& origin, Numbers kept) : document(std::make_shared<Place>()), numbers(kept) {
    document->names.push_back(origin);
  }

  bool Null() { return put(Value()); }
  bool Bool(bool value) { return put(value); }
  /// Avoids RapidJSON's own conversion, which reads outside its tables if many zeros follow the point. NaN, Inf and
  /// Infinity become null.
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    const char* const end = text + length;
    if (text[length - 1] == 'N' || text[length - 1] == 'f' || text[length - 1] == 'y') return put(Value());
    std::int64_t integer = 0;
    const auto whole = std::from_chars(text, end, integer);
    const std::string_view spelt(text, length);
    if (whole.ec == std::errc() && whole.ptr == end && (numbers == Numbers::values || spelt != "-0"))
      return put(integer);
    double number = 0;
    if (std::from_chars(text, end, number).ec != std::errc()) number = parse_extreme(std::string(spelt));
    if (std::isfinite(number)) return put_number(number, spelt);
    problem = rapidjson::GetParseError_En(rapidjson::kParseErrorNumberTooBig);
    return false;
  }
  bool String(const char* text, rapidjson::SizeType length, bool) { return put(std::string(text, length)); }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    std::string name(text, length);
    if (!open.back().add_name(name)) {
      problem = fmt::format("the member \"{}\" appears here a second time", name);
      return false;
    }
    place().names.push_back(std::move(name));
    return true;
  }
  bool StartObject() { return enter(false); }
  bool StartArray() { return enter(true); }
  bool EndObject(rapidjson::SizeType count) {
    Object object;
    object.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      object.emplace_back(place().names[i], std::move(waiting[waiting.size() - count + i]));
    return leave(count, std::move(object));
  }
  bool EndArray(rapidjson::SizeType count) {
    Array array(std::make_move_iterator(waiting.end() - count), std::make_move_iterator(waiting.end()));
    return leave(count, std::move(array));
  }

  /// An array or object that has not ended yet.
  struct Container {
    bool is_array = false;
    std::uint32_t children = 0;
    std::shared_ptr<Place> place;  // created with the first child
    std::vector<std::string> few_names;
    std::unordered_set<std::string> many_names;

    /// False if it is there already.
    bool add_name(const std::string& name) {
      constexpr std::size_t kFew = 16;
      if (many_names.empty()) {
        if (std::find(few_names.begin(), few_names.end(), name) != few_names.end()) return false;
        few_names.push_back(name);
        if (few_names.size() == kFew) many_names.insert(few_names.begin(), few_names.end());
        return true;
      }
      return many_names.insert(name).second;
    }
  };

  /// The place of the next child of the innermost container.
  Place& place() {
    Container& container = open.back();
    if (container.place == nullptr) {
      const auto [parent, index] = place_at(open.size() - 1);
      container.place = std::make_shared<Place>(Place{parent, index, container.is_array});
    }
    return *container.place;
  }
  /// The place of the container at this depth, or of a value outside all containers.
  std::pair<std::shared_ptr<const Place>, std::uint32_t> place_at(std::size_t depth) const {
    if (depth == 0) return {document, 0};
    return {open[depth - 1].place, open[depth - 1].children};
  }

  bool put_number(double number, std::string_view spelt) {
    Value value(number);
    if (numbers == Numbers::spelt)
      value.data_ = Value::Spelt{number, std::make_shared<const std::string>(spelt)};
    return put(std::move(value));
  }
  bool put(Value value) {
    if (!open.empty()) place();
    const auto [parent, index] = place_at(open.size());
    value.place_ = parent;
    value.index_ = index;
    if (!open.empty()) ++open.back().children;
    waiting.push_back(std::move(value));
    return true;
  }
  bool enter(bool is_array) {
    if (open.size() >= kMaximalDepth) {
      problem = fmt::format("nested deeper than {} levels", kMaximalDepth);
      return false;
    }
    if (!open.empty()) place();
    open.push_back({.is_array = is_array, .place = nullptr, .few_names = {}, .many_names = {}});
    return true;
  }
  bool leave(std::size_t count, Value value) {
    waiting.resize(waiting.size() - count);
    open.pop_back();
    return put(std::move(value));
  }

  std::shared_ptr<Place> document;
  Numbers numbers;
  std::vector<Container> open;  // the path from the root to the current position
  std::deque<Value> waiting;
  std::string problem;
};

Value parse(std::string_view text, const std::string& origin, Numbers numbers) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Builder builder(origin, numbers);
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::GenericReader<Utf8, Utf8, detail::JsonAllocator> reader;
  constexpr unsigned kFlags =
      rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag | rapidjson::kParseIterativeFlag;
  const rapidjson::ParseResult result =
      numbers == Numbers::spelt ? reader.Parse<kFlags | rapidjson::kParseNanAndInfFlag>(stream, builder)
                                : reader.Parse<kFlags>(stream, builder);
  if (result) return std::move(builder.waiting.front());
  const std::string problem = builder.problem.empty() ? rapidjson::GetParseError_En(result.Code()) : builder.problem;
  throw DataError(locate(text, result.Offset(), origin), "not valid JSON: " + problem);
}

Value parse_file(const std::string& path) {
  std::ifstream in = open_file(path);
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLongestFile)
      throw DataError(fmt::format("{}: is longer than {} MiB; is this the right file?", path, kLongestFile >> 20));
  }
  if (in.bad()) throw DataError(fmt::format("{}: reading failed", path));
  return parse(text, path);
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
  Buffer buffer;
  rapidjson::Writer<Buffer, Utf8, Utf8, detail::JsonAllocator> writer(buffer);
  write(value, writer);
  return {buffer.GetString(), buffer.GetSize()};
}

std::string dump_pretty(const Value& value) {
  Buffer buffer;
  rapidjson::PrettyWriter<Buffer, Utf8, Utf8, detail::JsonAllocator> writer(buffer);
  writer.SetIndent(' ', 2);
  write(value, writer);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace edgewise::json
