#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "edgewise/autograd/tape.hpp"

namespace edgewise::optim {

/// How weight decay λ is applied.
enum class WeightDecay {
  l2,         ///< As 0.5 λ ||w||² in the loss: gradient += λ w, before the moments. As in the GAT paper.
  decoupled,  ///< w -= rate λ w, independent of the moments: AdamW (Loshchilov and Hutter 2019).
};

struct AdamOptions {
  double learning_rate = 0.005;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  WeightDecay decay = WeightDecay::l2;
  /// Also decay the parameters whose `decay` is 0 (biases, gains of normalisations).
  bool decay_all = false;
};

/// Adam (Kingma and Ba 2015, algorithm 1), with ε outside the root as in PyTorch:
///   m = β1 m + (1 - β1) g,  v = β2 v + (1 - β2) g²,  w -= rate (m / (1 - β1^t)) / (sqrt(v / (1 - β2^t)) + ε).
/// The optimiser owns the moments, but not the parameters. A step is one parallel pass over the memory and allocates
/// nothing. Elements are independent, so the bits do not depend on the number of threads.
class Adam {
 public:
  /// The parameters must outlive this and keep their shapes. Frozen ones are left out, and those frozen later do not
  /// change while they are. Throws UsageError if an option is out of range.
  Adam(std::vector<autograd::Parameter*> parameters, const AdamOptions& options = {});

  const AdamOptions& options() const { return options_; }
  /// Square root of the sum of the squares of all gradients; summed in double, over fixed chunks in order.
  double gradient_norm();
  /// One update from the gradients times `gradient_scale`; sets the gradients to zero in the same pass.
  void step(double learning_rate, double gradient_scale = 1);
  void step() { step(options_.learning_rate); }

  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }
  /// First and second moments, to be saved or restored in place: "adam.first." or "adam.second." + parameter's name.
  std::vector<std::pair<std::string, Matrix*>> state();

 private:
  struct Chunk {
    std::size_t parameter;
    Eigen::Index begin;
    Eigen::Index end;
  };

  std::vector<autograd::Parameter*> parameters_;
  AdamOptions options_;
  std::vector<Matrix> first_;
  std::vector<Matrix> second_;
  std::vector<Chunk> chunks_;
  std::vector<double> chunk_sums_;
  std::int64_t steps_ = 0;
};

/// The scale that brings gradients of this norm down to `max_norm`; 1 if they are below it, or if `max_norm` is 0 (no
/// clipping). Same as torch.nn.utils.clip_grad_norm_ (with its 1e-6).
double clip_scale(double norm, double max_norm);

}  // namespace edgewise::optim
