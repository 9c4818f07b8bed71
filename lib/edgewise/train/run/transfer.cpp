#include "edgewise/train/run/transfer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/train/config/model_traits.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kNamesShown = 4;

using Tensors = std::map<std::string, const Matrix*>;

Tensors tensors_of(nn::Model& model) {
  Tensors tensors;
  for (const autograd::Parameter* parameter : model.parameters()) tensors[parameter->name] = &parameter->value;
  for (const auto& [name, matrix] : model.state()) tensors[name] = matrix;
  return tensors;
}

std::string shape_text(const Matrix& matrix) { return fmt::format("{}x{}", matrix.rows(), matrix.cols()); }

/// Copies from one model into another, tensor by tensor.
class WeightTransfer {
 public:
  WeightTransfer(nn::Model& source, nn::Model& target, bool has_same_labels)
      : from_(tensors_of(source)),
        source_outputs_(source.output_prefix()),
        target_outputs_(target.output_prefix()),
        has_same_labels_(has_same_labels) {}

  bool take(const std::string& name, Matrix& into) {
    ++count_;
    const auto found = from_.find(name);
    const bool fits = found != from_.end() && found->second->rows() == into.rows() &&
                      found->second->cols() == into.cols() && (!is_output(name) || has_same_outputs());
    if (fits)
      into = *found->second;
    else
      others_.push_back(fmt::format("{} ({})", name, shape_text(into)));
    return fits;
  }

  std::string line(const std::string& path) const {
    const std::size_t taken = count_ - others_.size();
    std::string text = fmt::format("{} of {} tensors from {}", taken, count_, path);
    if (others_.empty()) return text;
    const std::size_t shown = std::min(others_.size(), kNamesShown);
    text += fmt::format("; {}", fmt::join(others_.begin(), others_.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (shown < others_.size()) text += fmt::format(" and {} more", others_.size() - shown);
    return text + (others_.size() == 1 ? " starts afresh" : " start afresh");
  }

  const std::string& first_other() const { return others_.front(); }
  bool is_nothing() const { return others_.size() == count_; }

 private:
  bool is_output(const std::string& name) const {
    return name.starts_with(source_outputs_) || name.starts_with(target_outputs_);
  }
  bool has_same_outputs() const { return has_same_labels_ && source_outputs_ == target_outputs_; }

  Tensors from_;
  std::string source_outputs_, target_outputs_;
  bool has_same_labels_;
  std::size_t count_ = 0;
  std::vector<std::string> others_;
};

}  // namespace

std::shared_ptr<TrainedModel> load_source(const std::string& path) {
  TrainedModel trained = load_trained_model(path);
  for (TrainedModel* kind : components_of(trained)) {
    if (model_of(*kind).is_baseline()) continue;
    auto source = std::make_shared<TrainedModel>(std::move(*kind));
    source->other_components.clear();
    return source;
  }
  throw ModelError(fmt::format("{}: \"{}\" is a baseline, and training cannot start from its weights", path,
                               model_of(trained).name()));
}

json::Value reading_of(const TrainedModel& source) {
  const json::Value data = to_json(source.data);
  json::Value reading{json::Object{}};
  for (const char* member : {"atom_features", "hydrogens", "encodings", "tokens", "normalise_rows"})
    reading.set(member, data.at(member));
  for (const char* member : {"reaction_mode", "affixes", "edge_categories", "edge_scaler"})
    if (const json::Value* known = data.find(member)) reading.set(member, *known);
  return reading;
}

FeatureMap features_from(const TrainedModel& source, FeatureMap own, std::span<const std::string> excluded) {
  if (source.features.kind() != own.kind() || own.kind() == FeatureMap::Kind::ready) return own;
  for (const std::string& column : source.features.table_columns())
    if (std::ranges::count(excluded, column) > 0)
      throw UsageError(fmt::format(
          "training.from: the model uses the column \"{}\", which here is a label, a split, or ignored", column));
  return source.features;
}

DescriptorMap descriptors_from(const TrainedModel& source, DescriptorMap own) {
  if (own.names() == source.descriptors.names()) return source.descriptors;
  if (own.columns() > 0 && own.columns() == source.descriptors.columns())
    throw UsageError(fmt::format("training.from: the model was trained with the descriptors {}, but here they are {}",
                                 fmt::join(source.descriptors.names(), ", "), fmt::join(own.names(), ", ")));
  return own;
}

std::string take_weights(TrainedModel& source, const std::string& path, std::size_t member, const data::Labels& labels,
                         bool freeze, nn::Model& model) {
  const std::size_t place = member % (source.other_members.size() + 1);
  nn::Model& from = place == 0 ? source.model : source.other_members[place - 1];
  WeightTransfer transfer(from, model, source.task == labels.task && source.label_names == labels.names);
  bool is_any_trained = false;
  for (autograd::Parameter* parameter : model.parameters()) {
    parameter->is_frozen = transfer.take(parameter->name, parameter->value) && freeze;
    is_any_trained = is_any_trained || !parameter->is_frozen;
  }
  for (const auto& [name, matrix] : model.state()) transfer.take(name, *matrix);
  if (transfer.is_nothing())
    throw ModelError(fmt::format("{}: none of its tensors has the name and shape of one of the model, such as {}", path,
                                 transfer.first_other()));
  if (!is_any_trained)
    throw UsageError(
        fmt::format("training.freeze: all tensors are taken from {}, so nothing is left to train: leave out {}", path,
                    setting("training.freeze")));
  return transfer.line(path);
}

}  // namespace edgewise::train
