#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/attention/options.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/nn/config.hpp"

/// @file
/// JSON as an adapter over the options of layers: one table of fields per struct, from which options are read, checked
/// and written, and against which docs/models.md is tested. Defaults are those of the struct.
namespace edgewise::nn {

/// One member of a block's JSON and of its options.
template <class Options>
struct Field {
  std::string_view name;
  std::string_view doc;
  /// Throws UsageError naming the member by its path.
  void (*read)(const json::Value& config, std::string_view name, const ModelShape& shape, Options& options);
  json::Value (*write)(const Options& options);
};

namespace detail {

template <class Options, class Value>
Options options_of(Value Options::*);

}  // namespace detail

/// The field `name` of the options' member `Member`. `Kind` reads a value (`read(config, name, shape, fallback)`) and
/// writes one (`write(value)`).
template <auto Member, class Kind>
constexpr auto field(std::string_view name, std::string_view doc) {
  using Options = decltype(detail::options_of(Member));
  return Field<Options>{name, doc,
                        [](const json::Value& config, std::string_view member, const ModelShape& shape,
                           Options& options) { options.*Member = Kind::read(config, member, shape, options.*Member); },
                        [](const Options& options) -> json::Value { return Kind::write(options.*Member); }};
}

/// Throws UsageError for a member of `config` that is neither "type" nor a field, or has a wrong value.
template <class Options>
Options read_fields(const json::Value& config, std::span<const Field<Options>> fields, const ModelShape& shape) {
  std::vector<std::string_view> names = {"type"};
  for (const Field<Options>& field : fields) names.push_back(field.name);
  allow_only(config, names);
  Options options;
  for (const Field<Options>& field : fields) field.read(config, field.name, shape, options);
  return options;
}

/// {"type": type, ...}: what `read_fields` makes the same options of.
template <class Options>
json::Value write_fields(const char* type, std::span<const Field<Options>> fields, const Options& options) {
  json::Value config = json::Object{{"type", type}};
  for (const Field<Options>& field : fields) config.set(field.name, field.write(options));
  return config;
}

/// What a field is called and means, whatever its options.
struct FieldDoc {
  std::string_view name;
  std::string_view doc;
};

template <class Options>
std::vector<FieldDoc> docs_of(std::span<const Field<Options>> fields) {
  std::vector<FieldDoc> docs;
  for (const Field<Options>& field : fields) docs.push_back({field.name, field.doc});
  return docs;
}

/// @name Kinds of values
/// @{

/// Of all values, in their order; enumerations of this module have theirs beside them.
inline std::vector<std::string> names_of(attention::Normaliser) { return attention::normaliser_names(); }
inline std::vector<std::string> names_of(attention::Precision) { return attention::precision_names(); }

/// A kind that is written as it is.
template <class Value>
struct Plain {
  static json::Value write(Value value) { return value; }
};

template <>
struct Plain<float> {
  static json::Value write(float value) { return shortest(value); }
};

struct Flag : Plain<bool> {
  static bool read(const json::Value& config, std::string_view name, const ModelShape&, bool fallback) {
    return config.get(name, fallback);
  }
};

/// A width that must be there: an integer of at least 1, or "outputs".
struct Width : Plain<int> {
  static int read(const json::Value& config, std::string_view name, const ModelShape& shape, int) {
    return read_width(config, name, shape);
  }
};

/// A width that may be left out; then it is the options' default.
struct OptionalWidth : Plain<int> {
  static int read(const json::Value& config, std::string_view name, const ModelShape& shape, int fallback) {
    return read_width(config, name, shape, fallback);
  }
};

/// An integer of at least 1.
struct Count : Plain<int> {
  static int read(const json::Value& config, std::string_view name, const ModelShape&, int fallback) {
    return read_positive(config, name, fallback);
  }
};

/// "heads": an integer from 1 to kMaxHeads.
struct HeadCount : Plain<int> {
  static int read(const json::Value& config, std::string_view, const ModelShape&, int fallback) {
    return read_heads(config, fallback);
  }
};

/// In [0, 1).
struct Probability : Plain<float> {
  static float read(const json::Value& config, std::string_view name, const ModelShape&, float fallback) {
    return read_probability(config, name, fallback);
  }
};

/// Above 0.
struct AboveZero : Plain<float> {
  static float read(const json::Value& config, std::string_view name, const ModelShape&, float fallback) {
    const double value = config.get(name, static_cast<double>(fallback));
    if (!(value > 0)) refuse(config, name, "expected a number above 0");
    return static_cast<float>(value);
  }
};

/// An enumeration by the names that `names_of(E)` gives its values, in their order.
template <class E>
struct Choice {
  static E read(const json::Value& config, std::string_view name, const ModelShape&, E fallback) {
    return static_cast<E>(read_choice(config, name, names_of(E{}), static_cast<int>(fallback)));
  }
  static json::Value write(E value) { return names_of(value)[static_cast<std::size_t>(value)]; }
};

/// `Kind`, which must be there.
template <class Kind>
struct Required : Kind {
  template <class Value>
  static Value read(const json::Value& config, std::string_view name, const ModelShape& shape, Value fallback) {
    config.at(name);
    return Kind::read(config, name, shape, fallback);
  }
};

/// @}

}  // namespace edgewise::nn
