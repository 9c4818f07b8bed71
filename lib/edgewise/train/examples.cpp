#include "edgewise/train/examples.hpp"

#include <algorithm>

namespace edgewise::train {
namespace {

constexpr std::size_t kItemsAtOnce = 256;  // of those that are asked for one by one

}  // namespace

void evaluate_outputs(nn::Model& model, Examples& examples, std::span<const graph::Node> items, autograd::Tape& tape,
                      Matrix& outputs) {
  outputs.resize(static_cast<Eigen::Index>(examples.item_count()), model.shape().outputs);
  if (examples.gives_all()) {
    tape.reset(false);
    outputs = examples.forward(model, {.tape = tape}, items).value();
    return;
  }
  for (std::size_t begin = 0; begin < items.size(); begin += kItemsAtOnce) {
    const auto part = items.subspan(begin, std::min(kItemsAtOnce, items.size() - begin));
    tape.reset(false);
    const autograd::Variable rows = examples.forward(model, {.tape = tape}, part);
    for (std::size_t i = 0; i < part.size(); ++i)
      outputs.row(static_cast<Eigen::Index>(part[i])) = rows.value().row(static_cast<Eigen::Index>(i));
  }
}

}  // namespace edgewise::train
