#include "edgewise/attention/variants.hpp"

#include <fmt/format.h>

#include <variant>

#include "edgewise/attention/detail/dense_masked.hpp"
#include "edgewise/attention/detail/dense_tiled.hpp"
#include "edgewise/attention/detail/sparse_edgewise.hpp"
#include "edgewise/attention/detail/sparse_fused.hpp"
#include "edgewise/attention/detail/stored_rows.hpp"
#include "edgewise/attention/detail/variant_inputs.hpp"
#include "edgewise/attention/options.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::attention {
namespace {

using AnyVariant =
    std::variant<detail::SparseFused, detail::SparseEdgewise, detail::DenseMasked, detail::DenseTiled>;

void check_shape(const char* name, const Matrix& matrix, std::size_t rows, int columns) {
  if (static_cast<std::size_t>(matrix.rows()) == rows && matrix.cols() == columns) return;
  throw UsageError(fmt::format("attention: {} has shape [{}, {}], expected [{}, {}]", name, matrix.rows(),
                               matrix.cols(), rows, columns));
}

void check(const graph::FrozenGraph& mask, const AttentionInputs& inputs) {
  if (inputs.heads < 1 || inputs.heads > kMaximalHeads)
    throw UsageError(fmt::format("attention: expected 1 to {} heads, got {}", kMaximalHeads, inputs.heads));
  if (inputs.width < 1)
    throw UsageError(fmt::format("attention: expected a width of at least 1, got {}", inputs.width));
  const int columns = detail::columns_of(inputs);
  const int score_columns = inputs.score == Score::additive ? inputs.heads : columns;
  check_shape("query", inputs.query, mask.destination_count(), score_columns);
  check_shape("key", inputs.key, mask.source_count(), score_columns);
  if (detail::is_value_the_key(inputs.score))
    check_shape("value", inputs.value, 0, 0);
  else
    check_shape("value", inputs.value, mask.source_count(), columns);
  if (inputs.score == Score::gatv2) check_shape("attention_vector", inputs.attention_vector, 1, columns);
}

AnyVariant make(Variant variant, Purpose purpose, const graph::FrozenGraph& mask, const AttentionInputs& inputs) {
  check(mask, inputs);
  switch (variant) {
    case Variant::sparse_fused: return detail::SparseFused(mask, inputs, purpose);
    case Variant::sparse_edgewise: return detail::SparseEdgewise(mask, inputs, purpose);
    case Variant::dense_masked: return detail::DenseMasked(mask, inputs, purpose);
    case Variant::dense_tiled: break;
  }
  return detail::DenseTiled(mask, inputs, purpose);
}

}  // namespace

std::string_view name(Score score) {
  switch (score) {
    case Score::additive: return "gat";
    case Score::gatv2: return "gatv2";
    case Score::dot_product: break;
  }
  return "dot_product";
}

std::string_view name(Variant variant) {
  switch (variant) {
    case Variant::sparse_fused: return "sparse_fused";
    case Variant::sparse_edgewise: return "sparse_edgewise";
    case Variant::dense_masked: return "dense_masked";
    case Variant::dense_tiled: break;
  }
  return "dense_tiled";
}

std::string_view name(Storage storage) { return storage == Storage::float32 ? "float32" : "bfloat16"; }

struct Attention::Implementation {
  const AttentionInputs& inputs;
  Purpose purpose;
  AnyVariant variant;
  Matrix output;
  AttentionGradients gradients;
  bool has_output = false;

  Implementation(Variant which, Purpose why, const graph::FrozenGraph& mask, const AttentionInputs& from)
      : inputs(from),
        purpose(why),
        variant(make(which, why, mask, from)),
        output(static_cast<Eigen::Index>(mask.destination_count()), detail::columns_of(from)) {}
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  ~Implementation() { detail::copy_room().resize(0); }  // whoever measures the next one's memory sees its own copies

  void clear_gradients() {
    gradients.query.setZero(inputs.query.rows(), inputs.query.cols());
    gradients.key.setZero(inputs.key.rows(), inputs.key.cols());
    if (!detail::is_value_the_key(inputs.score)) gradients.value.setZero(inputs.value.rows(), inputs.value.cols());
    if (inputs.score == Score::gatv2) gradients.attention_vector.setZero(1, detail::columns_of(inputs));
  }
};

Attention::Attention(Variant variant, Purpose purpose, const graph::FrozenGraph& mask, const AttentionInputs& inputs)
    : implementation_(std::make_unique<Implementation>(variant, purpose, mask, inputs)) {}
Attention::~Attention() = default;
Attention::Attention(Attention&&) noexcept = default;
Attention& Attention::operator=(Attention&&) noexcept = default;

const Matrix& Attention::forward() {
  std::visit([this](auto& variant) { variant.forward(implementation_->output); }, implementation_->variant);
  implementation_->has_output = true;
  return implementation_->output;
}

const AttentionGradients& Attention::backward(const Matrix& output_gradient) {
  Implementation& all = *implementation_;
  if (all.purpose != Purpose::training || !all.has_output)
    throw UsageError("attention: backward expects a forward pass with Purpose::training before it");
  check_shape("output_gradient", output_gradient, static_cast<std::size_t>(all.output.rows()),
              detail::columns_of(all.inputs));
  all.clear_gradients();
  std::visit([&](auto& variant) { variant.backward(all.output, output_gradient, all.gradients); }, all.variant);
  return all.gradients;
}

}  // namespace edgewise::attention
