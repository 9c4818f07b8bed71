#include "edgewise/io/detail/xml_reader.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <exception>
#include <memory>
#include <new>

#include "edgewise/core/error.hpp"
#include "edgewise/io/byte_source.hpp"
#include "edgewise/io/limits.hpp"

namespace edgewise::io::detail {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
constexpr int kDeepestElement = 64;

struct FreeParser {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

/// Connects Expat, which is C, to handlers that may throw: an exception is held back until Expat has returned.
class Document {
 public:
  Document(const std::string& path, const XmlHandler& handler)
      : path_(path), handler_(handler), parser_(XML_ParserCreate("UTF-8")) {
    if (parser_ == nullptr) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &Document::on_start, &Document::on_end);
    XML_SetCharacterDataHandler(parser_.get(), &Document::on_text);
    XML_SetEntityDeclHandler(parser_.get(), &Document::on_entity);
    XML_SetSkippedEntityHandler(parser_.get(), &Document::on_skipped_entity);
  }

  void read() {
    ByteSource source(path_);
    std::uint64_t bytes = 0;
    for (bool is_last = false; !is_last;) {
      void* const buffer = XML_GetBuffer(parser_.get(), static_cast<int>(kBufferBytes));
      if (buffer == nullptr) throw std::bad_alloc();
      const std::size_t count = source.read(static_cast<char*>(buffer), kBufferBytes);
      is_last = count == 0;
      handler_.progress(bytes += count);
      const XML_Status status = XML_ParseBuffer(parser_.get(), static_cast<int>(count), is_last ? 1 : 0);
      if (failure_) std::rethrow_exception(failure_);
      if (status != XML_STATUS_OK) fail_as_expat();
      if (!is_last) check_tag(bytes);
    }
  }

 private:
  static Document& self(void* data) { return *static_cast<Document*>(data); }

  template <class Call>
  void guard(const Call& call) {
    if (failure_) return;
    try {
      call();
    } catch (...) {
      failure_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  static void on_start(void* data, const XML_Char* name, const XML_Char** attributes) {
    self(data).guard([&] { self(data).start(name, attributes); });
  }
  static void on_end(void* data, const XML_Char* name) {
    Document& document = self(data);
    --document.depth_;
    document.guard([&] { document.handler_.end(name); });
  }
  static void on_text(void* data, const XML_Char* text, int length) {
    self(data).guard([&] { self(data).handler_.text({text, static_cast<std::size_t>(length)}); });
  }
  static void on_entity(void* data, const XML_Char*, int, const XML_Char*, int, const XML_Char*, const XML_Char*,
                        const XML_Char*, const XML_Char*) {
    self(data).guard([&] { self(data).fail("entities are declared here, which are not read"); });
  }
  static void on_skipped_entity(void* data, const XML_Char*, int) {
    self(data).guard([&] { self(data).fail("an entity that is not declared here"); });
  }

  void start(const XML_Char* name, const XML_Char** attributes) {
    if (++depth_ > kDeepestElement) fail(fmt::format("elements are nested deeper than {} levels", kDeepestElement));
    element_.name = name;
    element_.line = line();
    element_.attributes.clear();
    for (const XML_Char** at = attributes; *at != nullptr; at += 2) element_.attributes.emplace_back(at[0], at[1]);
    handler_.start(element_);
  }

  /// Expat rescans an unfinished tag from its start whenever more of it arrives.
  void check_tag(std::uint64_t bytes) const {
    const XML_Index begin = XML_GetCurrentByteIndex(parser_.get());
    if (begin >= 0 && bytes - static_cast<std::uint64_t>(begin) > limits().line_bytes)
      fail(fmt::format("a tag that is longer than {} MiB", limits().line_bytes >> 20));
  }

  std::uint64_t line() const { return XML_GetCurrentLineNumber(parser_.get()); }
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(TextLocation{path_, line(), 0}, "not valid XML: " + what);
  }
  [[noreturn]] void fail_as_expat() const {
    const XML_Error error = XML_GetErrorCode(parser_.get());
    if (error == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
    fail(XML_ErrorString(error));
  }

  const std::string& path_;
  const XmlHandler& handler_;
  std::unique_ptr<XML_ParserStruct, FreeParser> parser_;
  XmlElement element_;
  int depth_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

const std::string_view* XmlElement::find(std::string_view attribute) const {
  for (const auto& [key, value] : attributes)
    if (key == attribute) return &value;
  return nullptr;
}

void read_xml(const std::string& path, const XmlHandler& handler) { Document(path, handler).read(); }

}  // namespace edgewise::io::detail
