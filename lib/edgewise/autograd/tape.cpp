#include "edgewise/autograd/tape.hpp"

#include <algorithm>
#include <cassert>

#include "edgewise/core/parallel.hpp"

namespace edgewise::autograd {
namespace {

constexpr std::size_t kZeroGrain = std::size_t{1} << 15;

}  // namespace

bool Buffer::reserve(std::size_t count) {
  if (count <= capacity_) return false;
  ::operator delete(data_, std::align_val_t{64});
  data_ = nullptr;
  capacity_ = 0;
  data_ = static_cast<float*>(::operator new(count * sizeof(float), std::align_val_t{64}));
  capacity_ = count;
  return true;
}

MatrixMap Variable::gradient() const {
  assert(node_->needs_gradient);
  if (node_->gradient == nullptr) {
    const auto size = static_cast<std::size_t>(node_->rows * node_->cols);
    tape_->allocations_ += node_->gradient_buffer.reserve(std::max<std::size_t>(size, 1)) ? 1 : 0;
    node_->gradient = node_->gradient_buffer.data();
    parallel_for(size, kZeroGrain, [gradient = node_->gradient](std::size_t begin, std::size_t end) {
      std::fill(gradient + begin, gradient + end, 0.0F);
    });
  }
  return {node_->gradient, node_->rows, node_->cols};
}

void Tape::reset() {
  used_ = 0;
}

void Tape::reset(bool is_recording) {
  reset();
  is_recording_ = is_recording;
}

detail::Node& Tape::next() {
  if (used_ == nodes_.size()) {
    nodes_.emplace_back();
    ++allocations_;
  }
  detail::Node& node = nodes_[used_++];
  node.gradient = nullptr;
  node.needs_gradient = false;
  node.backward.clear();
  return node;
}

Variable Tape::constant(const Matrix& value) {
  detail::Node& node = next();
  node.value = const_cast<float*>(value.data());  // NOLINT: no operation writes to the value of an input
  node.rows = value.rows();
  node.cols = value.cols();
  return {this, &node};
}

Variable Tape::parameter(Parameter& parameter) {
  Variable variable = constant(parameter.value);
  variable.node_->needs_gradient = is_recording_;
  variable.node_->gradient = parameter.gradient.data();
  return variable;
}

Variable Tape::make(Eigen::Index rows, Eigen::Index cols, bool needs_gradient) {
  detail::Node& node = next();
  const auto size = static_cast<std::size_t>(rows * cols);
  allocations_ += node.value_buffer.reserve(std::max<std::size_t>(size, 1)) ? 1 : 0;
  node.value = node.value_buffer.data();
  node.rows = rows;
  node.cols = cols;
  node.needs_gradient = needs_gradient && is_recording_;
  return {this, &node};
}

MatrixMap Tape::scratch(Eigen::Index rows, Eigen::Index cols) { return make(rows, cols, false).value(); }

void Tape::backward(Variable loss) {
  assert(loss.rows() == 1 && loss.cols() == 1);
  if (!loss.needs_gradient()) return;
  loss.gradient()(0, 0) += 1.0F;
  for (std::size_t i = used_; i-- > 0;) {
    detail::Node& node = nodes_[i];
    if (node.backward.is_set() && node.gradient != nullptr) node.backward();
  }
}

std::size_t Tape::bytes() const {
  std::size_t floats = 0;
  for (const detail::Node& node : nodes_) floats += node.value_buffer.capacity() + node.gradient_buffer.capacity();
  return floats * sizeof(float);
}

}  // namespace edgewise::autograd
