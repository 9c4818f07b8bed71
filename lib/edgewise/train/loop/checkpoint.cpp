#include "edgewise/train/loop/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/error.hpp"
#include "edgewise/io/safetensors.hpp"
#include "edgewise/nn/config.hpp"

namespace edgewise::train {
namespace {

constexpr const char* kFormat = "edgewise.checkpoint/1";
constexpr const char* kAbout = "checkpoint";
constexpr std::string_view kNotePrefix = "note.";

using NamedMatrices = std::vector<std::pair<std::string, Matrix*>>;

/// All matrices of the state, by their names in the file.
NamedMatrices matrices_of(TrainingState& state) {
  NamedMatrices all;
  std::vector<std::string> names;
  for (autograd::Parameter* parameter : state.model.parameters()) {
    all.emplace_back("model." + parameter->name, &parameter->value);
    names.push_back(parameter->name);
  }
  for (const auto& [name, matrix] : state.model.state()) {
    all.emplace_back("model." + name, matrix);
    names.push_back(name);
  }
  for (const auto& entry : state.adam.state()) all.push_back(entry);
  for (std::size_t i = 0; i < state.average.matrices().size(); ++i)
    all.emplace_back("average." + names[i], &state.average.matrices()[i]);
  for (std::size_t i = 0; i < state.kept.matrices().size(); ++i)
    all.emplace_back("kept." + names[i], &state.kept.matrices()[i]);
  return all;
}

/// The options that affect the results, excluding the number of epochs.
json::Value options_that_matter(const TrainOptions& options) {
  TrainOptions same = options;
  if (same.schedule.kind == optim::ScheduleKind::cosine && same.schedule.steps == 0)
    same.schedule.steps = same.epochs;
  same.epochs = 1;
  same.stopping.patience = 0;
  return to_json(same);
}

json::Value about(const TrainingState& state, const TrainOptions& options, const json::Value& note) {
  json::Value value;
  value.set("format", kFormat);
  value.set("epoch", state.epoch);
  value.set("adam_steps", state.adam.steps());
  value.set("has_kept", state.kept.is_set());
  value.set("schedule", state.schedule.state());
  value.set("stopping", state.stopping.state());
  value.set("options", options_that_matter(options));
  value.set("model", state.model.config());
  value.set("note", note);
  return value;
}

void write(const std::string& path, const json::Value& about, const CheckpointNote& note, io::Safetensors content) {
  for (const io::Tensor& tensor : note.tensors) {
    content.tensors.push_back(tensor);
    content.tensors.back().name.insert(0, kNotePrefix);
  }
  content.metadata.emplace_back(kAbout, json::dump(about));
  io::write_safetensors(path, content);
}

ModelError damaged(const std::string& path, const Error& error) {
  return ModelError(fmt::format("{}: the checkpoint's description is damaged: {}", path, error.what()));
}

json::Value read_about(const std::string& path, const io::Safetensors& content) {
  const std::string* text = content.find_metadata(kAbout);
  if (text == nullptr) throw ModelError(fmt::format("{}: this is not a checkpoint of Edgewise", path));
  json::Value value;
  try {
    value = nn::without_storage(json::parse(*text, path)).rooted_at(path);
    if (value.get("format", "") == kFormat) return value;
  } catch (const Error& error) {
    throw damaged(path, error);
  }
  throw ModelError(fmt::format("{}: expected a checkpoint of format {}, got \"{}\"", path, kFormat,
                               value.get("format", "")));
}

void restore_matrix(const std::string& path, const io::Safetensors& content, const std::string& name, Matrix& matrix) {
  const io::Tensor* tensor = content.find(name);
  if (tensor == nullptr) throw ModelError(fmt::format("{}: the tensor \"{}\" is missing", path, name));
  if (tensor->shape != std::vector<std::int64_t>{matrix.rows(), matrix.cols()})
    throw ModelError(fmt::format("{}: the tensor \"{}\" has shape [{}], expected [{}, {}]", path, name,
                                 fmt::join(tensor->shape, ", "), matrix.rows(), matrix.cols()));
  std::copy(tensor->values.begin(), tensor->values.end(), matrix.data());
  if (!matrix.allFinite()) throw ModelError(fmt::format("{}: the tensor \"{}\" holds NaN or infinities", path, name));
  const bool are_squares = name.starts_with("adam.second.") || name.ends_with("running_variance");
  if (are_squares && matrix.size() > 0 && matrix.minCoeff() < 0)
    throw ModelError(fmt::format("{}: the tensor \"{}\" holds negative numbers, expected squares", path, name));
}

/// A non-negative count in the description.
std::int64_t count_of(const std::string& path, const json::Value& saved, const char* name) {
  try {
    const std::int64_t count = saved.at(name).as_integer();
    if (count >= 0) return count;
    throw UsageError(fmt::format("{}: expected at least 0, got {}", name, count));
  } catch (const UsageError& error) {
    throw damaged(path, error);
  }
}

}  // namespace

void save_checkpoint(const std::string& path, TrainingState& state, const TrainOptions& options,
                     const CheckpointNote& note) {
  io::Safetensors content;
  for (const auto& [name, matrix] : matrices_of(state)) {
    if (!matrix->allFinite())
      throw NumericalError(
          fmt::format("epoch {}: {} is not finite, and so no checkpoint is saved; try a smaller learning "
                      "rate or clip the gradients",
                      state.epoch, name));
    const float* values = matrix->data();
    content.tensors.push_back({name, {matrix->rows(), matrix->cols()}, {values, values + matrix->size()}});
  }
  write(path, about(state, options, note.value), note, std::move(content));
}

void save_checkpoint(const std::string& path, const CheckpointNote& note) {
  write(path, json::Object{{"format", kFormat}, {"note", note.value}}, note, {});
}

void check_same(const std::string& path, const json::Value& saved, const json::Value& wanted, const std::string& name) {
  if (saved == wanted) return;
  if (saved.is_object() && wanted.is_object())
    for (const auto& [member, value] : wanted.as_object())
      if (const json::Value* old = saved.find(member)) check_same(path, *old, value, name + "." + member);
  throw ModelError(fmt::format("{}: the checkpoint was made with another {}: {} there, {} here", path, name,
                               json::dump(saved), json::dump(wanted)));
}

void load_checkpoint(const std::string& path, TrainingState& state, const TrainOptions& options) {
  const io::Safetensors content = io::read_safetensors(path);
  const json::Value saved = read_about(path, content);
  try {
    check_same(path, saved.at("model"), state.model.config(), "model");
    // Parsed and written again, so that options newer than the checkpoint get their defaults.
    check_same(path, to_json(parse_train_options(saved.at("options"))), options_that_matter(options), "training");
    if (saved.at("has_kept").as_bool()) state.kept.copy_from(state.model);  // to get the shapes
    for (const auto& [name, matrix] : matrices_of(state)) restore_matrix(path, content, name, *matrix);
    state.epoch = count_of(path, saved, "epoch");
    state.adam.set_steps(count_of(path, saved, "adam_steps"));
    state.schedule.restore(saved.at("schedule"));
    state.stopping.restore(saved.at("stopping"), state.epoch);
    if (state.adam.steps() < state.epoch)
      throw UsageError(fmt::format("adam_steps: expected one for each of {} epochs, got {}", state.epoch,
                                   state.adam.steps()));
  } catch (const UsageError& error) {
    throw damaged(path, error);
  }
}

std::string read_checkpoint_order(const std::string& path) {
  const json::Value about = read_about(path, io::read_safetensors(path));
  try {
    return about.at("options").get("reorder", TrainOptions{}.reorder.c_str());
  } catch (const UsageError& error) {
    throw damaged(path, error);
  }
}

bool is_checkpoint(const io::Safetensors& content) { return content.find_metadata(kAbout) != nullptr; }

CheckpointContent read_checkpoint(const std::string& path) {
  io::Safetensors file = io::read_safetensors(path);
  const json::Value about = read_about(path, file);
  const json::Value* note = about.find("note");
  if (note == nullptr) throw ModelError(fmt::format("{}: the checkpoint's description lacks its note", path));
  CheckpointContent content{.note = {*note, {}}, .epoch = {}};
  if (about.find("epoch") != nullptr) content.epoch = count_of(path, about, "epoch");
  for (io::Tensor& tensor : file.tensors) {
    if (!tensor.name.starts_with(kNotePrefix)) continue;
    tensor.name.erase(0, kNotePrefix.size());
    content.note.tensors.push_back(std::move(tensor));
  }
  return content;
}

}  // namespace edgewise::train
