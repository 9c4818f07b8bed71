#include "edgewise/io/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <limits>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/fingerprint.hpp"
#include "edgewise/core/input_file.hpp"
#include "edgewise/core/json.hpp"

namespace edgewise::io {

namespace {

static_assert(std::endian::native == std::endian::little, "the numbers of the format are little endian");

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;  // as in the reference implementation

/// Byte range of a tensor after the header.
struct Place {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

[[noreturn]] void refuse(const std::string& path, std::string_view what) {
  throw ModelError(fmt::format("{}: {}", path, what));
}

/// Size in bytes of an F32 tensor. Throws ModelError if it does not fit in 64 bits.
std::uint64_t byte_count(const std::string& path, const Tensor& tensor) {
  std::uint64_t count = sizeof(float);
  for (const std::int64_t size : tensor.shape) {
    if (size < 0) refuse(path, fmt::format("tensor \"{}\": expected sizes of at least 0, got {}", tensor.name, size));
    const auto factor = static_cast<std::uint64_t>(size);
    if (factor != 0 && count > std::numeric_limits<std::uint64_t>::max() / factor) {
      refuse(path, fmt::format("tensor \"{}\": the shape is larger than any file", tensor.name));
    }
    count *= factor;
  }
  return count;
}

Place read_place(const std::string& path, const std::string& name, const json::Value& entry) {
  const json::Array& offsets = entry.at("data_offsets").as_array();
  if (offsets.size() != 2) refuse(path, fmt::format("tensor \"{}\": expected two data_offsets", name));
  const std::int64_t begin = offsets[0].as_integer();
  const std::int64_t end = offsets[1].as_integer();
  if (begin < 0 || end < begin) {
    refuse(path, fmt::format("tensor \"{}\": data_offsets {} to {} are not a range", name, begin, end));
  }
  return {static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)};
}

struct Header {
  Safetensors content;        // values still empty
  std::vector<Place> places;  // one per tensor
};

Header read_header(const std::string& path, const json::Value& root) {
  Header header;
  for (const auto& [name, entry] : root.as_object()) {
    if (name == "__metadata__") {
      for (const auto& [key, text] : entry.as_object()) header.content.metadata.emplace_back(key, text.as_string());
      continue;
    }
    entry.allow_only({"dtype", "shape", "data_offsets"});
    const std::string& dtype = entry.at("dtype").as_string();
    if (dtype != "F32") refuse(path, fmt::format("tensor \"{}\": expected dtype F32, got {}", name, dtype));
    Tensor tensor{name, {}, {}};
    for (const json::Value& size : entry.at("shape").as_array()) tensor.shape.push_back(size.as_integer());
    const Place place = read_place(path, name, entry);
    const std::uint64_t expected = byte_count(path, tensor);
    if (place.end - place.begin != expected) {
      refuse(path, fmt::format("tensor \"{}\": its shape takes {} bytes, its data_offsets {}", name, expected,
                               place.end - place.begin));
    }
    header.content.tensors.push_back(std::move(tensor));
    header.places.push_back(place);
  }
  return header;
}

/// The tensors must cover the `size` bytes after the header, each byte exactly once.
void check_places(const std::string& path, const Header& header, std::uint64_t size) {
  std::vector<std::size_t> order(header.places.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(header.places[i].begin, header.places[i].end); });
  std::uint64_t covered = 0;
  for (const std::size_t i : order) {
    const Place& place = header.places[i];
    const std::string& name = header.content.tensors[i].name;
    if (place.end > size) {
      refuse(path, fmt::format("tensor \"{}\": ends at byte {} of {}", name, place.end, size));
    }
    if (place.begin != covered) {
      refuse(path, fmt::format("tensor \"{}\": starts at byte {}, expected {}: tensors must neither overlap nor leave "
                               "gaps", name, place.begin, covered));
    }
    covered = place.end;
  }
  if (covered != size) refuse(path, fmt::format("{} bytes after the last tensor", size - covered));
}

std::string read_header_text(const std::string& path, std::ifstream& file, std::uint64_t size) {
  if (size < kLengthBytes) refuse(path, fmt::format("not a safetensors file: {} bytes long", size));
  std::uint64_t length = 0;
  file.read(reinterpret_cast<char*>(&length), kLengthBytes);
  if (!file || length > size - kLengthBytes || length > kLongestHeader) {
    refuse(path, fmt::format("not a safetensors file: a header of {} bytes in a file of {}", length, size));
  }
  std::string text(length, '\0');
  file.read(text.data(), static_cast<std::streamsize>(length));
  if (!file) refuse(path, "ends within the header");
  if (text.empty() || text[0] != '{') refuse(path, "not a safetensors file: the header is not a JSON object");
  return text;
}

std::string checksum_of(const Safetensors& content) {
  Fingerprint fingerprint;
  const auto add = [&](const auto* values, std::size_t count) {
    fingerprint.add({reinterpret_cast<const char*>(values), count * sizeof(*values)});
  };
  for (const auto& [name, text] : content.metadata) {
    fingerprint.add(name);
    fingerprint.add(text);
  }
  for (const Tensor& tensor : content.tensors) {
    fingerprint.add(tensor.name);
    add(tensor.shape.data(), tensor.shape.size());
    add(tensor.values.data(), tensor.values.size());
  }
  return fingerprint.text();
}

/// Takes the checksum out of the metadata, and compares it.
void check_contents(const std::string& path, Safetensors& content) {
  const auto found = std::ranges::find(content.metadata, kChecksum, &std::pair<std::string, std::string>::first);
  if (found == content.metadata.end()) return;
  const std::string expected = found->second;
  content.metadata.erase(found);
  if (checksum_of(content) == expected) return;
  refuse(path,
         fmt::format("is damaged: its contents do not match its checksum (if they were changed on purpose, drop the "
                     "metadata \"{}\")",
                     kChecksum));
}

/// Throws ModelError for whatever is wrong.
Header parse_header(const std::string& path, const std::string& text) {
  try {
    return read_header(path, json::parse(text, path));
  } catch (const ModelError&) {
    throw;
  } catch (const Error& error) {  // errors in the JSON header
    throw ModelError(error.what());
  }
}

json::Value header_value(const Safetensors& content) {
  json::Object root;
  json::Object metadata;
  for (const auto& [name, text] : content.metadata) metadata.emplace_back(name, text);
  metadata.emplace_back(kChecksum, checksum_of(content));
  root.emplace_back("__metadata__", std::move(metadata));
  std::uint64_t begin = 0;
  for (const Tensor& tensor : content.tensors) {
    const std::uint64_t end = begin + tensor.values.size() * sizeof(float);
    json::Value entry;
    entry.set("dtype", "F32");
    entry.set("shape", json::Value(tensor.shape));
    entry.set("data_offsets", json::Array{begin, end});
    root.emplace_back(tensor.name, std::move(entry));
    begin = end;
  }
  return root;
}

}  // namespace

Tensor to_tensor(std::string name, const Matrix& matrix) {
  return {std::move(name), {matrix.rows(), matrix.cols()}, {matrix.data(), matrix.data() + matrix.size()}};
}

const Tensor* Safetensors::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors, name, &Tensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

const std::string* Safetensors::find_metadata(std::string_view name) const {
  for (const auto& [key, text] : metadata) {
    if (key == name) return &text;
  }
  return nullptr;
}

Safetensors read_safetensors(const std::string& path) {
  const CopiesOfPipes copies;  // its end is sought first
  std::ifstream file = open_file(path);
  file.seekg(0, std::ios::end);
  const auto end = file.tellg();
  file.seekg(0);
  if (!file || end < 0) throw DataError(fmt::format("{}: cannot be read", path));
  const auto size = static_cast<std::uint64_t>(end);
  const std::string text = read_header_text(path, file, size);
  const std::uint64_t data_begin = kLengthBytes + text.size();
  Header header = parse_header(path, text);
  check_places(path, header, size - data_begin);
  for (std::size_t i = 0; i < header.places.size(); ++i) {
    const Place& place = header.places[i];
    std::vector<float>& values = header.content.tensors[i].values;
    values.resize((place.end - place.begin) / sizeof(float));
    file.seekg(static_cast<std::streamoff>(data_begin + place.begin));
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(place.end - place.begin));
    if (!file) throw DataError(fmt::format("{}: cannot be read", path));
  }
  check_contents(path, header.content);
  return std::move(header.content);
}

void write_safetensors(const std::string& path, const Safetensors& content) {
  std::string header = json::dump(header_value(content));
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > kLongestHeader)
    refuse(path, fmt::format("the header would have {} bytes, at most {} are possible", header.size(), kLongestHeader));
  parse_header(path, header);  // throws what the reader would
  write_file_atomically(path, [&](std::ostream& out) {
    const std::uint64_t length = header.size();
    out.write(reinterpret_cast<const char*>(&length), kLengthBytes);
    out.write(header.data(), static_cast<std::streamsize>(header.size()));
    for (const Tensor& tensor : content.tensors) {
      out.write(reinterpret_cast<const char*>(tensor.values.data()),
                static_cast<std::streamsize>(tensor.values.size() * sizeof(float)));
    }
  });
}

}  // namespace edgewise::io
