#include "edgewise/optim/adam.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::optim {
namespace {

constexpr Eigen::Index kChunk = 16384;

struct StepConstants {
  float rate;        // learning rate / (1 - β1^t)
  float root_scale;  // 1 / sqrt(1 - β2^t)
  float beta1;
  float beta2;
  float epsilon;
  float gradient_scale;
  float l2;          // λ when it is part of the gradient
  double shrinkage;  // rate λ when it is decoupled
};

void check_range(const char* name, double value, double low, double high) {
  if (!(value >= low && value < high))
    throw UsageError(fmt::format("{}: expected a number in [{}, {}), got {}", name, low, high, value));
}

void check_epsilon(double epsilon) {
  const auto used = static_cast<float>(epsilon);
  if (!(used > 0 && std::isfinite(used)))
    throw UsageError(fmt::format("epsilon: expected a finite number above 0, got {}", epsilon));
}

void update(std::size_t count, float* weight, float* gradient, float* first, float* second, float l2, float shrink,
            const StepConstants& c) {
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradient[i] * c.gradient_scale + l2 * weight[i];
    gradient[i] = 0;
    first[i] = c.beta1 * first[i] + (1 - c.beta1) * g;
    second[i] = c.beta2 * second[i] + (1 - c.beta2) * g * g;
    weight[i] = weight[i] * shrink - c.rate * first[i] / (std::sqrt(second[i]) * c.root_scale + c.epsilon);
  }
}

}  // namespace

Adam::Adam(std::vector<autograd::Parameter*> parameters, const AdamOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  check_range("learning_rate", options.learning_rate, 0, 1e6);
  check_range("weight_decay", options.weight_decay, 0, 1e6);
  check_range("beta1", options.beta1, 0, 1);
  check_range("beta2", options.beta2, 0, 1);
  check_epsilon(options.epsilon);
  std::erase_if(parameters_, [](const autograd::Parameter* parameter) { return parameter->is_frozen; });
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const Matrix& value = parameters_[p]->value;
    first_.push_back(Matrix::Zero(value.rows(), value.cols()));
    second_.push_back(Matrix::Zero(value.rows(), value.cols()));
    for (Eigen::Index begin = 0; begin < value.size(); begin += kChunk)
      chunks_.push_back({p, begin, std::min(begin + kChunk, value.size())});
  }
  chunk_sums_.resize(chunks_.size());
}

double Adam::gradient_norm() {
  parallel_chunks(chunks_.size(), [this](std::size_t i) {
    const Chunk& chunk = chunks_[i];
    const float* gradient = parameters_[chunk.parameter]->gradient.data();
    double sum = 0;
    for (Eigen::Index k = chunk.begin; k < chunk.end; ++k) sum += static_cast<double>(gradient[k]) * gradient[k];
    chunk_sums_[i] = sum;
  });
  double sum = 0;
  for (const double part : chunk_sums_) sum += part;
  return std::sqrt(sum);
}

void Adam::step(double learning_rate, double gradient_scale) {
  ++steps_;
  const bool is_l2 = options_.decay == WeightDecay::l2;
  const auto t = static_cast<double>(steps_);
  const StepConstants constants{
      .rate = static_cast<float>(learning_rate / (1 - std::pow(options_.beta1, t))),
      .root_scale = static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, t))),
      .beta1 = static_cast<float>(options_.beta1),
      .beta2 = static_cast<float>(options_.beta2),
      .epsilon = static_cast<float>(options_.epsilon),
      .gradient_scale = static_cast<float>(gradient_scale),
      .l2 = is_l2 ? static_cast<float>(options_.weight_decay) : 0.0F,
      .shrinkage = is_l2 ? 0 : learning_rate * options_.weight_decay,
  };
  // Two pointers: small enough that std::function keeps them without an allocation.
  parallel_chunks(chunks_.size(), [this, &constants](std::size_t i) {
    const Chunk& chunk = chunks_[i];
    autograd::Parameter& parameter = *parameters_[chunk.parameter];
    if (parameter.is_frozen) return;
    const float decay = parameter.decay == 0 && options_.decay_all ? 1 : parameter.decay;
    update(static_cast<std::size_t>(chunk.end - chunk.begin), parameter.value.data() + chunk.begin,
           parameter.gradient.data() + chunk.begin, first_[chunk.parameter].data() + chunk.begin,
           second_[chunk.parameter].data() + chunk.begin, decay * constants.l2,
           static_cast<float>(1 - decay * constants.shrinkage), constants);
  });
}

std::vector<std::pair<std::string, Matrix*>> Adam::state() {
  std::vector<std::pair<std::string, Matrix*>> state;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    state.emplace_back("adam.first." + parameters_[p]->name, &first_[p]);
    state.emplace_back("adam.second." + parameters_[p]->name, &second_[p]);
  }
  return state;
}

double clip_scale(double norm, double max_norm) {
  if (max_norm <= 0) return 1;
  return std::min(1.0, max_norm / (norm + 1e-6));
}

}  // namespace edgewise::optim
