#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "unlocked.hpp"
#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/bias_activation.hpp"
#include "edgewise/autograd/dropout.hpp"
#include "edgewise/autograd/head_dots.hpp"
#include "edgewise/autograd/heads.hpp"
#include "edgewise/autograd/linear.hpp"
#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/autograd/tape.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::python {
namespace {

using autograd::Variable;
using SharedMask = std::shared_ptr<graph::FrozenGraph>;
using SharedInput = std::shared_ptr<autograd::SparseInput>;

std::shared_ptr<autograd::SparseInput> sparse_input(const Table& table) {
  const ConstMatrixMap rows = view(table);
  SparseMatrix features = rows.sparseView();
  features.makeCompressed();
  return std::make_shared<autograd::SparseInput>(features);
}

std::shared_ptr<autograd::SparseInput> sparse_input_of_rows(const Integers& offsets, const Integers& columns,
                                                            const Table& values, std::size_t column_count) {
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  if (columns.size() > kMost || offsets.size() - 1 > kMost || column_count > kMost)
    throw UsageError("SparseFeatures: expected fewer than 2^31 rows, columns and entries");
  const std::vector<std::int32_t> begins(offsets.data(), offsets.data() + offsets.size());
  const std::vector<std::int32_t> indices(columns.data(), columns.data() + columns.size());
  const Eigen::Map<const SparseMatrix> features(
      static_cast<Eigen::Index>(offsets.size()) - 1, static_cast<Eigen::Index>(column_count),
      static_cast<Eigen::Index>(columns.size()), begins.data(), indices.data(), values.data());
  return std::make_shared<autograd::SparseInput>(features);
}

autograd::Rectifier rectifier_named(const std::string& name) {
  if (name == "none") return autograd::Rectifier::none;
  if (name == "relu") return autograd::Rectifier::relu;
  if (name == "elu") return autograd::Rectifier::elu;
  throw UsageError("activation: expected none, relu or elu, got " + name);
}

/// A chain of the library's operations on tensors of the caller, forward and once backward. Operations return handles.
class Step {
 public:
  explicit Step(bool is_recording) : tape_(is_recording) {}
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  /// The numbers of `table`, which must stay as they are until the step has run.
  Variable constant(Table table) {
    kept_.push_back(table);
    return tape_.constant(view(kept_.back()));
  }

  /// A copy of `table`, or of its transpose, of which `backward` returns the gradient in the shape of `table`.
  Variable input(const Table& table, bool is_transposed, bool needs_gradient) {
    inputs_.push_back({autograd::Parameter("", is_transposed ? Matrix(view(table).transpose()) : to_matrix(table)),
                       is_transposed, needs_gradient});
    inputs_.back().parameter.is_frozen = !needs_gradient;
    return tape_.parameter(inputs_.back().parameter);
  }

  Variable sparse_linear(SharedInput input, float probability, std::uint64_t key, Variable weight,
                         std::optional<Variable> bias) {
    sparse_.push_back(std::move(input));
    const Unlocked unlocked;
    const autograd::SparseFeatures all{.input = sparse_.back().get()};
    const autograd::SparseFeatures seen =
        autograd::sparse_dropout(tape_, all, {.probability = probability, .key = key});
    return autograd::sparse_linear(seen, weight, bias.value_or(Variable()));
  }

  Variable linear(Variable x, Variable weight, std::optional<Variable> bias) {
    const Unlocked unlocked;
    return autograd::linear_transposed(x, weight, bias.value_or(Variable()));
  }

  Variable dropout(Variable x, float probability, std::uint64_t key) {
    const Unlocked unlocked;
    return autograd::dropout(x, probability, key);
  }

  std::pair<Variable, Variable> head_dots(Variable x, Variable source, Variable destination, int heads) {
    const Unlocked unlocked;
    const autograd::HeadDots dots =
        autograd::head_dots(x, {.vector = source, .bias = {}}, {.vector = destination, .bias = {}}, heads);
    return {dots.source, dots.destination};
  }

  Variable attend(SharedMask mask, Variable query, Variable key, Variable value,
                  std::optional<Variable> attention_vector, std::optional<Variable> edge_weight,
                  std::optional<Variable> value_edge_weight, std::optional<Variable> edge_bias,
                  const std::string& score, int heads, float negative_slope, float dropout,
                  std::uint64_t dropout_key) {
    masks_.push_back(std::move(mask));
    const auto given = [](const std::optional<Variable>& part) { return part.value_or(Variable()); };
    const Unlocked unlocked;
    return autograd::attend(*masks_.back(),
                            {.query = query,
                             .key = key,
                             .value = value,
                             .attention_vector = given(attention_vector),
                             .edge_weight = given(edge_weight),
                             .value_edge_weight = given(value_edge_weight),
                             .edge_bias = given(edge_bias)},
                            {.heads = heads,
                             .score = attention::score_named(score),
                             .of_score = {.negative_slope = negative_slope},
                             .dropout = dropout,
                             .dropout_key = dropout_key});
  }

  Variable mean_over_heads(Variable x, int heads) {
    const Unlocked unlocked;
    return autograd::mean_over_heads(x, heads);
  }

  Variable add(Variable a, Variable b) {
    const Unlocked unlocked;
    return autograd::add(a, b);
  }

  Variable bias_activation(Variable x, std::optional<Variable> bias, const std::string& activation, float probability,
                           std::uint64_t key) {
    const Unlocked unlocked;
    return autograd::bias_activation(x, bias.value_or(Variable()), rectifier_named(activation), {probability, key});
  }

  NumpyMatrix value(Variable x) { return to_numpy(Matrix(x.value())); }

  /// The gradients of the inputs that need one, in their order, if that of `result` is `gradient`.
  std::vector<NumpyMatrix> backward(Variable result, const Table& gradient) {
    check_shape("backward", "gradient", {static_cast<std::ptrdiff_t>(gradient.shape(0)),
                                         static_cast<std::ptrdiff_t>(gradient.shape(1))},
                shape_of(result));
    {
      const Unlocked unlocked;
      for (Input& input : inputs_) input.parameter.gradient.setZero();
      const Variable end = tape_.make(1, 1, result.needs_gradient());
      end.value()(0, 0) = 0;
      const float* numbers = gradient.data();
      tape_.on_backward(end, [result, numbers] {
        result.gradient() += ConstMatrixMap(numbers, result.rows(), result.cols());
      });
      tape_.backward(end);
    }
    std::vector<NumpyMatrix> gradients;
    for (const Input& input : inputs_) {
      const Matrix& gradient_of_copy = input.parameter.gradient;
      if (input.needs_gradient)
        gradients.push_back(to_numpy(input.is_transposed ? Matrix(gradient_of_copy.transpose()) : gradient_of_copy));
    }
    return gradients;
  }

 private:
  struct Input {
    autograd::Parameter parameter;
    bool is_transposed;
    bool needs_gradient;
  };

  autograd::Tape tape_;
  std::deque<Table> kept_;
  std::deque<Input> inputs_;
  std::vector<SharedInput> sparse_;
  std::vector<SharedMask> masks_;
};

}  // namespace

void bind_step(nb::module_& module) {
  nb::class_<autograd::SparseInput>(module, "SparseInput")
      .def_prop_ro("rows", &autograd::SparseInput::rows)
      .def_prop_ro("columns", &autograd::SparseInput::columns)
      .def_prop_ro("entries", [](const autograd::SparseInput& input) { return input.by_row.entries(); });
  module.def("sparse_input", &sparse_input, nb::arg("table"));
  module.def("sparse_input_of_rows", &sparse_input_of_rows, nb::arg("offsets"), nb::arg("columns"), nb::arg("values"),
             nb::arg("column_count"));
  nb::class_<Variable>(module, "Variable");
  nb::class_<Step>(module, "Step")
      .def(nb::init<bool>(), nb::arg("is_recording"))
      .def("constant", &Step::constant, nb::arg("table"))
      .def("input", &Step::input, nb::arg("table"), nb::arg("is_transposed"), nb::arg("needs_gradient"))
      .def("sparse_linear", &Step::sparse_linear, nb::arg("input"), nb::arg("probability"), nb::arg("key"),
           nb::arg("weight"), nb::arg("bias").none())
      .def("linear", &Step::linear, nb::arg("x"), nb::arg("weight"), nb::arg("bias").none())
      .def("dropout", &Step::dropout, nb::arg("x"), nb::arg("probability"), nb::arg("key"))
      .def("head_dots", &Step::head_dots, nb::arg("x"), nb::arg("source"), nb::arg("destination"), nb::arg("heads"))
      .def("attend", &Step::attend, nb::arg("mask"), nb::arg("query"), nb::arg("key"), nb::arg("value"), nb::kw_only(),
           nb::arg("attention_vector") = nb::none(), nb::arg("edge_weight") = nb::none(),
           nb::arg("value_edge_weight") = nb::none(), nb::arg("edge_bias") = nb::none(), nb::arg("score"),
           nb::arg("heads"), nb::arg("negative_slope"), nb::arg("dropout"), nb::arg("dropout_key"))
      .def("mean_over_heads", &Step::mean_over_heads, nb::arg("x"), nb::arg("heads"))
      .def("add", &Step::add, nb::arg("a"), nb::arg("b"))
      .def("bias_activation", &Step::bias_activation, nb::arg("x"), nb::arg("bias").none(), nb::arg("activation"),
           nb::arg("probability"), nb::arg("key"))
      .def("value", &Step::value, nb::arg("x"))
      .def("backward", &Step::backward, nb::arg("result"), nb::arg("gradient"));
}

}  // namespace edgewise::python
