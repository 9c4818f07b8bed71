#include "edgewise/nn/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/version.hpp"
#include "edgewise/nn/config.hpp"

namespace edgewise::nn {

namespace {

using NamedMatrices = std::vector<std::pair<std::string, Matrix*>>;

/// Everything that is stored of one of several models: parameters, then state.
void add_stored(Model& model, std::size_t index, NamedMatrices& matrices) {
  const std::string prefix = index == 0 ? "" : fmt::format("ensemble.{}.", index);
  for (autograd::Parameter* parameter : model.parameters())
    matrices.emplace_back(prefix + parameter->name, &parameter->value);
  for (const auto& [name, matrix] : model.state()) matrices.emplace_back(prefix + name, matrix);
}

NamedMatrices stored(std::span<Model* const> models) {
  NamedMatrices matrices;
  for (std::size_t i = 0; i < models.size(); ++i) add_stored(*models[i], i, matrices);
  return matrices;
}

std::size_t stored_count(Model& model) { return model.parameters().size() + model.state().size(); }

const std::string& metadata(const std::string& path, const io::Safetensors& content, const char* name) {
  const std::string* text = content.find_metadata(name);
  if (text == nullptr) {
    throw ModelError(fmt::format("{}: not an Edgewise model: \"{}\" is missing in its metadata", path, name));
  }
  return *text;
}

constexpr int kMostModels = 1000;

/// A number of at least 1.
int to_number(const std::string& path, const char* name, const std::string& text) {
  int number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure == std::errc() && end == text.data() + text.size() && number >= 1) return number;
  throw ModelError(fmt::format("{}: expected a number as \"{}\"", path, name));
}

void check_format(const std::string& path, const std::string& text) {
  const int format = to_number(path, "edgewise.format", text);
  if (format > kModelFormat) {
    throw ModelError(fmt::format("{}: has format {}; this version reads up to {}: use a newer one", path, format,
                                 kModelFormat));
  }
}

int read_size(const json::Value& shape, const char* name) {
  const std::int64_t size = shape.at(name).as_integer();
  if (size < 0 || size > std::numeric_limits<int>::max()) {
    throw ModelError(fmt::format("{}.{}: expected a size, got {}", shape.path(), name, size));
  }
  return static_cast<int>(size);
}

ModelShape read_shape(const json::Value& value) {
  ModelShape shape{.inputs = read_size(value, "inputs"),
                   .outputs = read_size(value, "outputs"),
                   .edge_features = read_size(value, "edge_features")};
  // Members added by later versions.
  if (value.find("pair_features") != nullptr) shape.pair_features = read_size(value, "pair_features");
  if (const json::Value* sets = value.find("node_sets"))
    for (const json::Value& set : sets->as_array())
      shape.node_sets.push_back({set.at("name").as_string(), read_size(set, "columns")});
  if (const json::Value* masks = value.find("masks"))
    for (const json::Value& mask : masks->as_array())
      shape.masks.push_back({mask.at("name").as_string(), mask.at("rows").as_string(), mask.at("columns").as_string(),
                             read_size(mask, "features")});
  return shape;
}

json::Value to_json(const ModelShape& shape) {
  json::Value value = json::Object{{"inputs", shape.inputs},
                                   {"outputs", shape.outputs},
                                   {"edge_features", shape.edge_features},
                                   {"pair_features", shape.pair_features}};
  json::Array sets, masks;
  for (const NodeSetShape& set : shape.node_sets)
    sets.emplace_back(json::Object{{"name", set.name}, {"columns", set.columns}});
  for (const MaskShape& mask : shape.masks)
    masks.emplace_back(
        json::Object{{"name", mask.name}, {"rows", mask.rows}, {"columns", mask.columns}, {"features", mask.features}});
  if (!sets.empty()) value.set("node_sets", std::move(sets));
  if (!masks.empty()) value.set("masks", std::move(masks));
  return value;
}

void fill(const std::string& path, const io::Safetensors& content, const std::string& name, Matrix& matrix) {
  const io::Tensor* tensor = content.find(name);
  if (tensor == nullptr) throw ModelError(fmt::format("{}: tensor \"{}\" is missing", path, name));
  if (tensor->shape != std::vector<std::int64_t>{matrix.rows(), matrix.cols()}) {
    throw ModelError(fmt::format("{}: tensor \"{}\": expected shape [{}, {}]", path, name, matrix.rows(),
                                 matrix.cols()));
  }
  std::ranges::copy(tensor->values, matrix.data());
  if (!matrix.allFinite()) throw ModelError(fmt::format("{}: tensor \"{}\" holds NaN or infinities", path, name));
}

json::Value parse_metadata(const std::string& path, const io::Safetensors& content, const char* name) {
  const std::string origin = fmt::format("{}: {}", path, name);
  return without_storage(json::parse(metadata(path, content, name), origin)).rooted_at(origin);
}

LoadedModel make_model(const std::string& path, const io::Safetensors& content) {
  const json::Value config = parse_metadata(path, content, "edgewise.model");
  const json::Value shape = parse_metadata(path, content, "edgewise.shape");
  json::Value sections = parse_metadata(path, content, "edgewise.sections");
  sections.as_object();
  if (config.find("preset") != nullptr)
    throw ModelError(fmt::format("{}: expected blocks, got a preset", config.path()));
  std::uint64_t elements = 0;
  for (const io::Tensor& tensor : content.tensors) elements += tensor.values.size();
  const ModelShape sizes = read_shape(shape);
  LoadedModel loaded{Model(config, sizes, 0, elements), {}, std::move(sections)};
  const std::string* count_text = content.find_metadata("edgewise.models");
  const int count = count_text == nullptr ? 1 : to_number(path, "edgewise.models", *count_text);
  if (count > kMostModels) throw ModelError(fmt::format("{}: {} models are more than {}", path, count, kMostModels));
  const auto models = static_cast<std::uint64_t>(count);
  if ((count > 1 && stored_count(loaded.model) * models > content.tensors.size()) ||
      loaded.model.parameter_count() * models > elements)
    throw ModelError(fmt::format("{}: {} models, but tensors for fewer", path, count));
  for (int i = 1; i < count; ++i) loaded.others.emplace_back(config, sizes, 0, elements);
  return loaded;
}

}  // namespace

void save_model(const std::string& path, Model& model, const json::Value& sections) {
  Model* const models[] = {&model};
  save_models(path, models, sections);
}

void save_models(const std::string& path, std::span<Model* const> models, const json::Value& sections) {
  io::write_safetensors(path, to_safetensors(models, sections));
}

io::Safetensors to_safetensors(std::span<Model* const> models, const json::Value& sections) {
  if (models.empty()) throw UsageError("save_models: expected at least one model, got none");
  const ModelShape& shape = models[0]->shape();
  io::Safetensors content;
  content.metadata = {
      {"edgewise.format", std::to_string(kModelFormat)},   {"edgewise.version", kVersion},
      {"edgewise.model", json::dump(models[0]->config())}, {"edgewise.models", std::to_string(models.size())},
      {"edgewise.shape", json::dump(to_json(shape))},      {"edgewise.sections", json::dump(sections)}};
  for (const auto& [name, matrix] : stored(models)) content.tensors.push_back(io::to_tensor(name, *matrix));
  return content;
}

LoadedModel load_model(const std::string& path) { return from_safetensors(path, io::read_safetensors(path)); }

LoadedModel from_safetensors(const std::string& path, const io::Safetensors& content) {
  check_format(path, metadata(path, content, "edgewise.format"));
  try {
    LoadedModel loaded = make_model(path, content);
    std::vector<Model*> models = {&loaded.model};
    for (Model& other : loaded.others) models.push_back(&other);
    const NamedMatrices matrices = stored(models);
    for (const auto& [name, matrix] : matrices) fill(path, content, name, *matrix);
    for (const io::Tensor& tensor : content.tensors) {
      if (std::ranges::find(matrices, tensor.name, &std::pair<std::string, Matrix*>::first) == matrices.end()) {
        throw ModelError(fmt::format("{}: tensor \"{}\" is not part of the model", path, tensor.name));
      }
    }
    return loaded;
  } catch (const Error& error) {  // also of a configuration that no version writes, and of a text that is not JSON
    const std::string what = error.what();
    throw ModelError(what.starts_with(path) ? what : fmt::format("{}: {}", path, what));
  }
}

}  // namespace edgewise::nn
