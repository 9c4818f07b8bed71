#include "edgewise/io/feature_lists.hpp"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <vector>

#include "edgewise/core/detail/json_allocator.hpp"
#include "edgewise/io/byte_source.hpp"
#include "edgewise/io/detail/sparse_builder.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

/// RapidJSON input stream over a ByteSource that also tracks line and column.
class JsonStream {
 public:
  using Ch = char;

  explicit JsonStream(const std::string& path) : source_(path), buffer_(std::size_t{1} << 16) {
    fill();
    if (end_ >= 3 && std::string_view(buffer_.data(), 3) == "\xef\xbb\xbf") at_ = 3;
  }

  /// RapidJSON treats NUL as the end, so the file must not contain any.
  Ch Peek() const { return at_ < end_ ? buffer_[at_] : '\0'; }
  Ch Take() {
    if (at_ == end_) return '\0';
    const Ch character = buffer_[at_++];
    ++offset_;
    if (character == '\n') {
      ++line_;
      line_start_ = offset_;
    }
    if (at_ == end_) fill();
    return character;
  }
  std::size_t Tell() const { return offset_; }
  TextLocation where() const { return {source_.path(), line_, offset_ - line_start_ + 1}; }
  bool is_at_end() const { return at_ == end_; }

  // Part of the output stream interface; never called.
  Ch* PutBegin() { return nullptr; }
  void Put(Ch) {}
  void Flush() {}
  std::size_t PutEnd(Ch*) { return 0; }

 private:
  void fill() {
    at_ = 0;
    end_ = source_.read(buffer_.data(), buffer_.size());
  }

  ByteSource source_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::size_t offset_ = 0;
  std::uint64_t line_ = 1;
  std::size_t line_start_ = 0;
};

/// Handles RapidJSON's events; anything but {"node": [feature, ...]} stops it with `problem`.
struct Handler : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Handler> {
  Handler(JsonStream& input, detail::SparseBuilder& sparse) : stream(input), builder(sparse) {}

  bool Default() { return refuse(); }
  bool Uint(unsigned feature) { return Uint64(feature); }
  bool Uint64(std::uint64_t feature) {
    if (depth != 2) return refuse();
    builder.add(node, feature, 1.0f, stream.where());
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    const std::string_view name(text, length);
    node = builder.node(name, stream.where());
    if (node >= is_done.size()) is_done.resize(2 * static_cast<std::size_t>(node) + 16, false);
    if (is_done[node]) {
      problem = fmt::format("the node {} appears here a second time", quote(name));
      return false;
    }
    return is_done[node] = true;
  }
  bool StartObject() { return depth == 0 ? ++depth : refuse(); }
  bool EndObject(rapidjson::SizeType) { return depth--; }
  bool StartArray() { return depth == 1 ? ++depth : refuse(); }
  bool EndArray(rapidjson::SizeType) { return depth--; }

  bool refuse() {
    problem = depth == 0   ? "expected an object {\"node\": [feature, ...], ...}"
              : depth == 1 ? "expected a list of features, [feature, ...]"
                           : "expected a feature's number from 0";
    return false;
  }

  JsonStream& stream;
  detail::SparseBuilder& builder;
  int depth = 0;
  graph::Node node = 0;
  std::vector<bool> is_done;
  std::string problem;
};

}  // namespace

SparseFeatures read_feature_lists(const std::string& path, const SparseFeaturesOptions& options) {
  JsonStream stream(path);
  detail::SparseBuilder builder(path, options, detail::SparseBuilder::Repeated::once);
  Handler handler(stream, builder);
  rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, edgewise::detail::JsonAllocator> reader;
  constexpr unsigned kFlags = rapidjson::kParseValidateEncodingFlag | rapidjson::kParseIterativeFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, handler);
  if (!result)
    throw DataError(stream.where(), "not a list of features: " + (handler.problem.empty()
                                                                      ? rapidjson::GetParseError_En(result.Code())
                                                                      : handler.problem));
  if (!stream.is_at_end()) throw DataError(stream.where(), "a NUL byte where the text should end");
  return builder.finish();
}

}  // namespace edgewise::io
