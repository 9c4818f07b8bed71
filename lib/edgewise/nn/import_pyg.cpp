#include "edgewise/nn/import_pyg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "edgewise/core/error.hpp"

namespace edgewise::nn {

namespace {

using io::Safetensors;
using io::Tensor;

/// Names of our parameters and of PyG's tensors after the name of their block or module; if one name ends with another,
/// the longer one comes first.
constexpr std::array<std::string_view, 23> kOurLeaves = {
    "query.weight", "query.bias",   "key.weight",    "key.bias",           "value.weight",
    "value.bias",   "output.weight", "output.bias",  "residual.weight",    "residual.bias",
    "source_vector", "destination_vector", "source_bias", "destination_bias", "attention_vector",
    "edge_weight",  "value_edge_weight", "edge_bias", "query",             "gate",
    "gain",         "weight",       "bias"};
constexpr std::array<std::string_view, 34> kPygLeaves = {
    "lin_src.weight",   "lin_dst.weight",      "lin_edge.weight", "lin_l.weight",   "lin_l.bias",    "lin_r.weight",
    "lin_r.bias",       "lin_key.weight",      "lin_key.bias",    "lin_query.weight", "lin_query.bias",
    "lin_value.weight", "lin_value.bias",      "lin_skip.weight", "lin_skip.bias",  "lin_beta.weight",
    "lin.weight",       "lin.bias",            "res.weight",      "att_src",        "att_dst",       "att_edge",
    "att_l",            "att_r",               "att",             "module.weight",  "module.bias",
    "module.running_mean", "module.running_var", "module.num_batches_tracked", "running_mean", "running_var",
    "weight",           "bias"};

/// "blocks.0" of "blocks.0.key.weight"; empty if the name does not end with a leaf.
template <std::size_t N>
std::string owner_of(const std::string& name, const std::array<std::string_view, N>& leaves) {
  for (const std::string_view leaf : leaves) {
    if (name.size() > leaf.size() && name.ends_with(leaf) && name[name.size() - leaf.size() - 1] == '.') {
      return name.substr(0, name.size() - leaf.size() - 1);
    }
  }
  return {};
}

/// Natural order: "conv2" before "conv10".
bool is_naturally_less(const std::string& a, const std::string& b) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      std::size_t a_end = i, b_end = j;
      while (a_end < a.size() && is_digit(a[a_end])) ++a_end;
      while (b_end < b.size() && is_digit(b[b_end])) ++b_end;
      if (a_end - i != b_end - j) return a_end - i < b_end - j;
      const int order = a.compare(i, a_end - i, b, j, b_end - j);
      if (order != 0) return order < 0;
      i = a_end;
      j = b_end;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

/// Copies the tensors of one module to one block, and remembers which were used and which parameters were filled.
class Import {
 public:
  Import(Model& model, const Safetensors& state, const PygModule& module) : module_(module) {
    for (autograd::Parameter* parameter : model.parameters()) {
      if (owner_of(parameter->name, kOurLeaves) == module.block) ours_[parameter->name] = &parameter->value;
    }
    for (const auto& [name, matrix] : model.state()) {
      if (name.starts_with(module.block + ".running_")) ours_[name] = matrix;
    }
    for (const Tensor& tensor : state.tensors) {
      if (owner_of(tensor.name, kPygLeaves) == module.prefix) theirs_[tensor.name] = &tensor;
    }
    if (ours_.empty()) {
      throw ModelError(fmt::format("\"{}\": the model has no such block with parameters", module.block));
    }
    if (theirs_.empty()) {
      throw ModelError(fmt::format("\"{}\": the state has no tensors of such a module", module.prefix));
    }
  }

  bool has(std::string_view leaf) const { return theirs_.contains(their_name(leaf)); }
  bool needs(std::string_view leaf) const { return ours_.contains(our_name(leaf)); }

  /// Copies torch's [outputs, inputs] to our [inputs, outputs].
  void transpose(std::string_view from, std::string_view to) {
    const Tensor& tensor = take(from);
    Matrix& matrix = fill(to);
    if (tensor.shape != std::vector<std::int64_t>{matrix.cols(), matrix.rows()}) {
      refuse_shape(tensor, fmt::format("[{}, {}]", matrix.cols(), matrix.rows()));
    }
    matrix = Eigen::Map<const Matrix>(tensor.values.data(), matrix.cols(), matrix.rows()).transpose();
  }

  /// Copies any shape to our row with the same number of elements.
  void row(std::string_view from, std::string_view to) {
    const Tensor& tensor = take(from);
    Matrix& matrix = fill(to);
    if (static_cast<Eigen::Index>(tensor.values.size()) != matrix.size()) {
      refuse_shape(tensor, fmt::format("{} elements", matrix.size()));
    }
    std::ranges::copy(tensor.values, matrix.data());
  }

  /// The first of `names` that exists.
  std::string_view first_of(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      if (has(name)) return name;
    }
    throw ModelError(fmt::format("\"{}\": tensor \"{}\" is missing", module_.prefix, *names.begin()));
  }

  const Tensor& take(std::string_view leaf) {
    const auto found = theirs_.find(their_name(leaf));
    if (found == theirs_.end()) throw ModelError(fmt::format("tensor \"{}\" is missing", their_name(leaf)));
    used_.insert(found->first);
    return *found->second;
  }

  /// A TransformerConv made with root_weight=False has the tensors of a skip, too, but does not use them.
  [[noreturn]] void refuse_skip() const {
    throw ModelError(
        fmt::format("tensor \"{}\": block \"{}\" has no residual: give it {{\"residual\": \"projection\"}}, or drop "
                    "\"lin_skip\" from the state of a module with root_weight=False",
                    their_name("lin_skip.weight"), module_.block));
  }

  void ignore(std::string_view leaf) { used_.insert(their_name(leaf)); }

  Matrix& fill(std::string_view leaf) {
    const auto found = ours_.find(our_name(leaf));
    if (found == ours_.end()) {
      throw ModelError(fmt::format("\"{}\": the block has no \"{}\", which module \"{}\" fills", module_.block, leaf,
                                   module_.prefix));
    }
    filled_.insert(found->first);
    return *found->second;
  }

  [[noreturn]] void refuse_shape(const Tensor& tensor, const std::string& expected) const {
    std::string found;
    for (const std::int64_t size : tensor.shape) found += fmt::format("{}{}", found.empty() ? "" : ", ", size);
    throw ModelError(fmt::format("tensor \"{}\": expected {} for block \"{}\", got [{}]", tensor.name, expected,
                                 module_.block, found));
  }

  void finish() const {
    for (const auto& [name, tensor] : theirs_) {
      if (!used_.contains(name)) {
        throw ModelError(fmt::format("tensor \"{}\": block \"{}\" has no use for it", name, module_.block));
      }
    }
    for (const auto& [name, matrix] : ours_) {
      if (!filled_.contains(name)) {
        throw ModelError(fmt::format("\"{}\": module \"{}\" has nothing to fill it with", name, module_.prefix));
      }
    }
  }

 private:
  std::string their_name(std::string_view leaf) const { return fmt::format("{}.{}", module_.prefix, leaf); }
  std::string our_name(std::string_view leaf) const { return fmt::format("{}.{}", module_.block, leaf); }

  PygModule module_;
  std::map<std::string, Matrix*> ours_;
  std::map<std::string, const Tensor*> theirs_;
  std::set<std::string> used_;
  std::set<std::string> filled_;
};

/// A second copy of a shared weight must be equal to the first.
void take_copy(Import& import, std::string_view copy, std::string_view original) {
  if (!import.has(copy)) return;
  if (import.take(copy).values != import.take(original).values) {
    throw ModelError(fmt::format("tensor \"{}\": expected the same as \"{}\", which the block shares",
                                 import.take(copy).name, import.take(original).name));
  }
}

/// edge_weight[f, h] = sum over d of lin_edge[h*D + d, f] * att_edge[h, d]: PyG's two maps of the edge are one here.
void import_gat_edges(Import& import) {
  const Tensor& map = import.take("lin_edge.weight");
  const Tensor& vector = import.take("att_edge");
  Matrix& weight = import.fill("edge_weight");
  const auto columns = static_cast<Eigen::Index>(vector.values.size());
  if (columns % weight.cols() != 0 || map.shape != std::vector<std::int64_t>{columns, weight.rows()}) {
    import.refuse_shape(map, fmt::format("[heads * width, {}]", weight.rows()));
  }
  const Eigen::Map<const Matrix> edge_map(map.values.data(), columns, weight.rows());
  const Eigen::Index width = columns / weight.cols();
  weight.setZero();
  for (Eigen::Index c = 0; c < columns; ++c) {
    weight.col(c / width) += vector.values[static_cast<std::size_t>(c)] * edge_map.row(c).transpose();
  }
}

void import_gat(Import& import) {
  const std::string_view weight = import.first_of({"lin.weight", "lin_src.weight", "lin_l.weight"});
  import.transpose(weight, "weight");
  take_copy(import, "lin_dst.weight", weight);
  take_copy(import, "lin_r.weight", weight);
  import.row(import.first_of({"att_src", "att_l"}), "source_vector");
  import.row(import.first_of({"att_dst", "att_r"}), "destination_vector");
  if (import.has("att_edge")) import_gat_edges(import);
  if (import.has("bias")) import.row("bias", "bias");
  if (import.has("res.weight")) import.transpose("res.weight", "residual.weight");
}

void import_gatv2(Import& import) {
  import.transpose("lin_l.weight", "key.weight");
  if (import.has("lin_l.bias")) import.row("lin_l.bias", "key.bias");
  if (import.needs("query.weight")) {
    import.transpose("lin_r.weight", "query.weight");
    if (import.has("lin_r.bias")) import.row("lin_r.bias", "query.bias");
  } else {
    take_copy(import, "lin_r.weight", "lin_l.weight");
    take_copy(import, "lin_r.bias", "lin_l.bias");
  }
  import.row("att", "attention_vector");
  if (import.has("lin_edge.weight")) import.transpose("lin_edge.weight", "edge_weight");
  if (import.has("bias")) import.row("bias", "bias");
  if (import.has("res.weight")) import.transpose("res.weight", "residual.weight");
}

void import_transformer(Import& import) {
  for (const char* name : {"query", "key", "value"}) {
    import.transpose(fmt::format("lin_{}.weight", name), fmt::format("{}.weight", name));
    const std::string bias = fmt::format("lin_{}.bias", name);
    if (import.has(bias)) import.row(bias, fmt::format("{}.bias", name));
  }
  if (import.has("lin_edge.weight")) import.transpose("lin_edge.weight", "edge_weight");
  if (import.needs("residual.weight")) {
    import.transpose("lin_skip.weight", "residual.weight");
    if (import.has("lin_skip.bias")) import.row("lin_skip.bias", "residual.bias");
  } else if (import.has("lin_skip.weight")) {
    import.refuse_skip();
  }
  if (import.has("lin_beta.weight")) import.transpose("lin_beta.weight", "gate");
}

/// LayerNorm and BatchNorm1d, which PyG's BatchNorm wraps as "module".
void import_norm(Import& import) {
  const std::string wrap = import.has("module.weight") ? "module." : "";
  import.row(wrap + "weight", "gain");
  import.row(wrap + "bias", "bias");
  if (import.needs("running_mean")) {
    import.row(wrap + "running_mean", "running_mean");
    import.row(wrap + "running_var", "running_variance");
  }
  import.ignore("module.num_batches_tracked");
}

/// Linear, and GCNConv whose weight is "lin.weight".
void import_linear(Import& import) {
  import.transpose(import.first_of({"weight", "lin.weight"}), "weight");
  if (import.has("bias")) import.row("bias", "bias");
  if (import.has("lin.bias")) import.row("lin.bias", "bias");
}

void import_module(Import& import) {
  if (import.has("lin_key.weight")) {
    import_transformer(import);
  } else if (import.has("att")) {
    import_gatv2(import);
  } else if (import.has("att_src") || import.has("att_l")) {
    import_gat(import);
  } else if (import.needs("gain")) {
    import_norm(import);
  } else {
    import_linear(import);
  }
  import.finish();
}

}  // namespace

void import_pyg(Model& model, const Safetensors& state, std::span<const PygModule> modules) {
  for (const PygModule& module : modules) {
    Import import(model, state, module);
    import_module(import);
  }
}

void import_pyg(Model& model, const Safetensors& state) {
  std::vector<std::string> blocks;
  for (const autograd::Parameter* parameter : model.parameters()) {
    const std::string block = owner_of(parameter->name, kOurLeaves);
    if (std::ranges::find(blocks, block) == blocks.end()) blocks.push_back(block);
  }
  std::vector<std::string> prefixes;
  for (const Tensor& tensor : state.tensors) {
    const std::string prefix = owner_of(tensor.name, kPygLeaves);
    if (prefix.empty()) throw ModelError(fmt::format("tensor \"{}\": not of a known module", tensor.name));
    if (std::ranges::find(prefixes, prefix) == prefixes.end()) prefixes.push_back(prefix);
  }
  std::ranges::sort(prefixes, is_naturally_less);
  if (blocks.size() != prefixes.size()) {
    throw ModelError(fmt::format("the model has {} blocks with parameters, the state {} modules: name the pairs",
                                 blocks.size(), prefixes.size()));
  }
  std::vector<PygModule> modules;
  for (std::size_t i = 0; i < blocks.size(); ++i) modules.push_back({blocks[i], prefixes[i]});
  import_pyg(model, state, modules);
}

}  // namespace edgewise::nn
