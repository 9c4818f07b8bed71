#pragma once

#include <span>
#include <string_view>

#include "edgewise/core/check.hpp"
#include "edgewise/core/json_fields.hpp"
#include "edgewise/nn/config.hpp"

/// @file
/// The fields of layer options. Reading them takes the shape of the model: a width may be that of its outputs.
namespace edgewise::nn {

template <class Options>
using Field = json::Field<Options, ModelShape>;

namespace detail {

template <class Options, class Value>
Options options_of(Value Options::*);

}  // namespace detail

template <auto kMember, class Kind>
constexpr auto field(std::string_view name, std::string_view doc) {
  return json::make_field<decltype(detail::options_of(kMember)), kMember, Kind, ModelShape>(name, doc);
}

/// Throws UsageError for a member of `config` that is neither "type" nor a field, or has a wrong value.
template <class Options>
Options read_fields(const json::Value& config, std::span<const Field<Options>> fields, const ModelShape& shape) {
  json::allow_fields(config, fields, {"type"});
  return json::read_fields(config, fields, shape);
}

/// {"type": type, ...}, from which `read_fields` restores the same options.
template <class Options>
json::Value write_fields(const char* type, std::span<const Field<Options>> fields, const Options& options) {
  json::Value config = json::Object{{"type", type}};
  json::write_fields(fields, options, config);
  return config;
}

/// A required width: an integer of at least 1, or "outputs".
struct Width : json::Plain<int> {
  static constexpr json::FieldType kType = json::FieldType::integer;
  static int read(const json::Value& config, std::string_view name, const ModelShape& shape, int) {
    return read_width(config, name, shape);
  }
};

/// An optional width; by default that of the options.
struct OptionalWidth : json::Plain<int> {
  static constexpr json::FieldType kType = json::FieldType::integer;
  static int read(const json::Value& config, std::string_view name, const ModelShape& shape, int fallback) {
    return read_width(config, name, shape, fallback);
  }
};

/// An integer of at least 1.
using Count = json::Integer<1>;

/// "heads".
using HeadCount = json::Integer<1, kMaxHeads>;

using json::AboveZero;
using json::Choice;
using json::Flag;
using json::Probability;
using json::Required;

}  // namespace edgewise::nn
