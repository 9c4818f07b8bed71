#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgewise/autograd/lstm.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"
#include "edgewise/nn/linear.hpp"

namespace edgewise::nn {

/// From the first node to the last, from the last to the first, or both side by side.
enum class Directions { both, forward, backward };
std::vector<std::string> direction_names();

struct LstmOptions {
  int inputs = 0;
  int width = 0;  ///< Of each direction.
  Directions directions = Directions::both;
  float dropout = 0;  ///< On the input.
  /// A mask from the graphs to another node set, whose rows it begins with, in place of zeros (forward only): h0 =
  /// tanh(s W_h + b_h) and c0 = s W_c + b_c, where s is the sum of the rows that a graph attends to.
  std::string start = {};
  MaskShape order = {.name = "readout"};
  MaskShape start_mask = {};
  int start_inputs = 0;  ///< Columns of its rows.

  int output_width() const { return directions == Directions::both ? 2 * width : width; }
  friend bool operator==(const LstmOptions&, const LstmOptions&) = default;
};

std::span<const Field<LstmOptions>> lstm_fields();

/// The long short-term memory (Hochreiter and Schmidhuber 1997, with forget gate) along the nodes of each graph in
/// their order; see autograd::lstm. The biases of the forget gates start at 1 (Jozefowicz et al. 2015).
///
/// In a step of a decoder (kept_rows.hpp) each row goes on from the state of the row that it follows.
///
/// Shapes: x [N, F]; per direction W [F, 4 width] and b [1, 4 width] (gates in the order input, forget, cell, output),
/// R [width, 4 width]; y [N, width], or twice that for both. Takes sparse input.
class Lstm : public Block {
 public:
  Lstm(const LstmOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {.reach = std::nullopt}; }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;

 private:
  struct Direction {
    autograd::Walk walk;
    LinearMap input;
    autograd::Parameter recurrent;
  };
  void add(autograd::Walk walk, BuildContext& context);
  autograd::LstmStart start(ForwardContext& context);
  autograd::Variable step(ForwardContext& context, autograd::Variable gates);

  std::string name_;
  LstmOptions options_;
  std::vector<Direction> directions_;
  std::optional<LinearMap> first_hidden_;
  std::optional<LinearMap> first_cell_;
};

/// {"type": "lstm", "width": 64, "directions": "both" | "forward" | "backward", "dropout": 0, "start": ""}
std::unique_ptr<Block> make_lstm(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
