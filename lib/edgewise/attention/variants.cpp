#include "edgewise/attention/variants.hpp"

#include <fmt/format.h>

#include <vector>

#include "edgewise/attention/fused/kernels.hpp"
#include "edgewise/attention/implementation.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::attention {
namespace {

int columns_of(const AttentionInputs& inputs) { return inputs.heads * inputs.width; }

const ScoreImplementations& implementations_of(const AttentionInputs& inputs) {
  return inputs.score->with[static_cast<std::size_t>(inputs.normaliser)];
}

/// The fused kernels and the memory they need.
class SparseFused : public Implementation {
 public:
  SparseFused(const graph::FrozenGraph& mask, const AttentionInputs& inputs)
      : mask_(mask),
        inputs_(inputs),
        kernels_(*implementations_of(inputs).fused),
        row_statistics_(row_statistics_size(mask, inputs.heads, inputs.width)) {}

  void forward(Matrix& output) override {
    kernels_.forward(mask_, tables(), output.data(), row_statistics_.data(), workspace_);
  }

  void backward(const Matrix& output, const Matrix& output_gradient, AttentionGradients& gradients) override {
    const ScoreEntry& score = *inputs_.score;
    const TableGradients to{
        .query = gradients.query.data(),
        .key = gradients.key.data(),
        .value = score.value_is_key ? gradients.key.data() : gradients.value.data(),
        .attention_vector = score.has_vector ? gradients.attention_vector.data() : nullptr};
    kernels_.backward(mask_, tables(), output.data(), output_gradient.data(), row_statistics_.data(), to, workspace_);
  }

 private:
  Tables tables() const {
    return {.heads = inputs_.heads,
            .width = inputs_.width,
            .parts = {.query = inputs_.query.data(),
                      .key = inputs_.key.data(),
                      .value = inputs_.score->value_is_key ? inputs_.key.data() : inputs_.value.data(),
                      .attention_vector = inputs_.score->has_vector ? inputs_.attention_vector.data() : nullptr},
            .score = inputs_.options,
            .dropout = {}};
  }

  const graph::FrozenGraph& mask_;
  const AttentionInputs& inputs_;
  const Kernels& kernels_;
  std::vector<float> row_statistics_;
  Workspace workspace_;
};

void check_shape(const char* name, const Matrix& matrix, std::size_t rows, int columns) {
  if (static_cast<std::size_t>(matrix.rows()) == rows && matrix.cols() == columns) return;
  throw UsageError(fmt::format("attention: {} has shape [{}, {}], expected [{}, {}]", name, matrix.rows(),
                               matrix.cols(), rows, columns));
}

void check(const graph::FrozenGraph& mask, const AttentionInputs& inputs) {
  if (inputs.heads < 1 || inputs.heads > kMaxHeads)
    throw UsageError(fmt::format("attention: expected 1 to {} heads, got {}", kMaxHeads, inputs.heads));
  if (inputs.width < 1)
    throw UsageError(fmt::format("attention: expected a width of at least 1, got {}", inputs.width));
  const int columns = columns_of(inputs);
  const int score_columns = inputs.score->columns(inputs.heads, inputs.width);
  check_shape("query", inputs.query, mask.destination_count(), score_columns);
  check_shape("key", inputs.key, mask.source_count(), score_columns);
  if (inputs.score->value_is_key)
    check_shape("value", inputs.value, 0, 0);
  else
    check_shape("value", inputs.value, mask.source_count(), columns);
  if (inputs.score->has_vector) check_shape("attention_vector", inputs.attention_vector, 1, columns);
}

std::unique_ptr<Implementation> make(Variant variant, Purpose purpose, const graph::FrozenGraph& mask,
                                     const AttentionInputs& inputs) {
  check(mask, inputs);
  const ScoreImplementations& implementations = implementations_of(inputs);
  switch (variant) {
    case Variant::sparse_fused: break;
    case Variant::gather_scatter: return implementations.gather_scatter(mask, inputs, purpose);
    case Variant::dense_masked: return implementations.dense_masked(mask, inputs, purpose);
    case Variant::dense_tiled: return implementations.dense_tiled(mask, inputs, purpose);
  }
  return std::make_unique<SparseFused>(mask, inputs);
}

}  // namespace

std::string_view name(Variant variant) {
  switch (variant) {
    case Variant::sparse_fused: break;
    case Variant::gather_scatter: return "gather_scatter";
    case Variant::dense_masked: return "dense_masked";
    case Variant::dense_tiled: return "dense_tiled";
  }
  return "sparse_fused";
}

struct Attention::State {
  const AttentionInputs& inputs;
  Purpose purpose;
  std::unique_ptr<Implementation> implementation;
  Matrix output;
  AttentionGradients gradients;
  bool has_output = false;

  void clear_gradients() {
    gradients.query.setZero(inputs.query.rows(), inputs.query.cols());
    gradients.key.setZero(inputs.key.rows(), inputs.key.cols());
    if (!inputs.score->value_is_key) gradients.value.setZero(inputs.value.rows(), inputs.value.cols());
    if (inputs.score->has_vector) gradients.attention_vector.setZero(1, columns_of(inputs));
  }
};

Attention::Attention(Variant variant, Purpose purpose, const graph::FrozenGraph& mask, const AttentionInputs& inputs)
    : state_(new State{inputs, purpose, make(variant, purpose, mask, inputs),
                       Matrix(static_cast<Eigen::Index>(mask.destination_count()), columns_of(inputs)), {}}) {}
Attention::~Attention() = default;
Attention::Attention(Attention&&) noexcept = default;
Attention& Attention::operator=(Attention&&) noexcept = default;

const Matrix& Attention::forward() {
  state_->implementation->forward(state_->output);
  state_->has_output = true;
  return state_->output;
}

const AttentionGradients& Attention::backward(const Matrix& output_gradient) {
  if (state_->purpose != Purpose::training || !state_->has_output)
    throw UsageError("attention: backward expects a forward pass with Purpose::training before it");
  check_shape("output_gradient", output_gradient, static_cast<std::size_t>(state_->output.rows()),
              columns_of(state_->inputs));
  state_->clear_gradients();
  state_->implementation->backward(state_->output, output_gradient, state_->gradients);
  return state_->gradients;
}

}  // namespace edgewise::attention
