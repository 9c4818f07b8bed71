#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "unlocked.hpp"
#include "edgewise/attention/fused/kernels.hpp"
#include "edgewise/attention/shapes.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::python {
namespace {

using graph::FrozenGraph;

using Inputs = attention::Parts<std::optional<Table>>;

Shape shape_of(const Table& table) {
  return {static_cast<std::ptrdiff_t>(table.shape(0)), static_cast<std::ptrdiff_t>(table.shape(1))};
}
std::optional<Shape> shape_if_set(const std::optional<Table>& table) {
  if (!table) return std::nullopt;
  return shape_of(*table);
}
const float* data_or_null(const std::optional<Table>& table) { return table ? table->data() : nullptr; }

void check(const FrozenGraph& mask, const Inputs& in, int heads, attention::Score score) {
  attention::check_shapes(mask, in.map(shape_if_set), heads, score);
}

/// Attention over a mask. What a pass leaves for the next ones is given to the caller, who may keep it or not.
class Attention {
 public:
  Attention(std::shared_ptr<FrozenGraph> mask, Inputs inputs, const std::string& score, const std::string& normaliser,
            std::int64_t heads, attention::ScoreOptions of_score, attention::WeightDropout dropout)
      : mask_(std::move(mask)),
        inputs_(std::move(inputs)),
        normaliser_(attention::normaliser_named(normaliser)),
        kernels_(attention::kernels(attention::score_named(score), normaliser_)) {
    check_heads("attend", heads, static_cast<std::ptrdiff_t>(inputs_.value->shape(1)));
    check(*mask_, inputs_, static_cast<int>(heads), attention::score_named(score));
    attention::check_slope(of_score.negative_slope);
    check_probability("attend", dropout.probability);
    if (inputs_.value->shape(1) == 0) throw UsageError("attend: expected values with at least one column, got 0");
    tables_ = {.heads = static_cast<int>(heads),
               .width = static_cast<int>(inputs_.value->shape(1)) / static_cast<int>(heads),
               .parts = inputs_.map(data_or_null),
               .score = of_score,
               .dropout = dropout};
  }

  Attention(const Attention&) = delete;
  Attention& operator=(const Attention&) = delete;

  /// The output [destinations, columns], and the statistics of its rows, which the other passes need.
  std::pair<NumpyMatrix, NumpyMatrix> forward() {
    Matrix output(static_cast<Eigen::Index>(mask_->destination_count()),
                  static_cast<Eigen::Index>(inputs_.value->shape(1)));
    Matrix statistics(1, static_cast<Eigen::Index>(statistics_size()));
    {
      const Unlocked unlocked;
      kernels_.forward(*mask_, tables_, output.data(), statistics.data(), workspace_);
    }
    return {to_numpy(std::move(output)), to_numpy(std::move(statistics))};
  }

  /// The weights before dropout, [edges, heads], in the order of the mask.
  NumpyMatrix weights(const Table& statistics) {
    check_statistics(statistics);
    Matrix weights(static_cast<Eigen::Index>(mask_->slot_count()), tables_.heads);
    {
      const Unlocked unlocked;
      kernels_.weights(*mask_, tables_, statistics.data(), weights.data(), workspace_);
    }
    return to_numpy(std::move(weights));
  }

  /// The gradients of the inputs named in `wanted`, in that order. `output` may be missing if `reads_output` is false.
  std::vector<NumpyMatrix> backward(const std::optional<Table>& output, const Table& statistics,
                                    const Table& output_gradient, const std::vector<std::string>& wanted) {
    const Shape shape{static_cast<std::ptrdiff_t>(mask_->destination_count()), shape_of(*inputs_.value).columns};
    check_statistics(statistics);
    check_shape("backward", "output_gradient", shape_of(output_gradient), shape);
    if (!output && reads_output(wanted)) throw UsageError("backward: expected an output, got none");
    if (output) check_shape("backward", "output", shape_of(*output), shape);
    std::vector<Matrix> made;
    made.reserve(wanted.size());
    attention::TableGradients gradients;
    for (const std::string& name : wanted) gradients.named(name) = made.emplace_back(zeros_for(name)).data();
    {
      const Unlocked unlocked;
      kernels_.backward(*mask_, tables_, output ? output->data() : output_gradient.data(), output_gradient.data(),
                        statistics.data(), gradients, workspace_);
    }
    std::vector<NumpyMatrix> arrays;
    for (Matrix& matrix : made) arrays.push_back(to_numpy(std::move(matrix)));
    return arrays;
  }

  /// Whether the gradients of these inputs depend on the output: those of the scores do, under a softmax.
  bool reads_output(const std::vector<std::string>& wanted) const {
    return normaliser_ == attention::Normaliser::softmax && std::ranges::any_of(wanted, [](const std::string& name) {
             return name != "value" && name != "value_edge_weight";
           });
  }

 private:
  std::size_t statistics_size() const {
    return attention::row_statistics_size(*mask_, tables_.heads, tables_.width);
  }
  void check_statistics(const Table& statistics) const {
    check_shape("attention", "statistics", shape_of(statistics), {1, static_cast<std::ptrdiff_t>(statistics_size())});
  }

  Matrix zeros_for(const std::string& name) {
    const Shape shape = shape_of(inputs_.named(name).value());
    return Matrix::Zero(shape.rows, shape.columns);
  }

  std::shared_ptr<FrozenGraph> mask_;
  Inputs inputs_;
  attention::Normaliser normaliser_;
  const attention::Kernels& kernels_;
  attention::Tables tables_;
  Workspace workspace_;
};

}  // namespace

void bind_attention(nb::module_& module) {
  using OptionalTable = std::optional<Table>;
  nb::class_<Attention>(module, "Attention")
      .def(
          "__init__",
          [](Attention* self, std::shared_ptr<FrozenGraph> mask, Table query, Table key, Table value,
             OptionalTable attention_vector, OptionalTable edge_weight, OptionalTable value_edge_weight,
             OptionalTable edge_bias, const std::string& score, const std::string& normaliser,
             std::int64_t heads, bool scale, float negative_slope, float dropout, std::uint64_t dropout_key) {
            new (self) Attention(std::move(mask),
                                 {std::move(query), std::move(key), std::move(value), std::move(attention_vector),
                                  std::move(edge_weight), std::move(value_edge_weight), std::move(edge_bias)},
                                 score, normaliser, heads,
                                 {.negative_slope = negative_slope, .scale = scale}, {dropout, dropout_key});
          },
          nb::arg("mask"), nb::arg("query"), nb::arg("key"), nb::arg("value"), nb::kw_only(),
          nb::arg("attention_vector") = nb::none(), nb::arg("edge_weight") = nb::none(),
          nb::arg("value_edge_weight") = nb::none(), nb::arg("edge_bias") = nb::none(), nb::arg("score"),
          nb::arg("normaliser"), nb::arg("heads"), nb::arg("scale"), nb::arg("negative_slope"),
          nb::arg("dropout") = 0.0F, nb::arg("dropout_key") = 0)
      .def("forward", &Attention::forward)
      .def("weights", &Attention::weights, nb::arg("statistics"))
      .def("backward", &Attention::backward, nb::arg("output").none(), nb::arg("statistics"),
           nb::arg("output_gradient"), nb::arg("wanted"))
      .def("reads_output", &Attention::reads_output, nb::arg("wanted"));
}

}  // namespace edgewise::python
