#include "edgewise/autograd/tape.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::autograd {
namespace {

constexpr std::size_t kZeroGrain = std::size_t{1} << 15;
constexpr std::size_t kCopiedRows = 256;  // a chunk
constexpr std::size_t kSmallestBuffer = 64;
constexpr std::size_t kSmallestBorrowed = std::size_t{1} << 10;  // a page

/// Up to a quarter more, so that matrices of similar size share buffers; unused pages cost nothing.
std::size_t rounded_up(std::size_t count) {
  if (count <= kSmallestBuffer) return kSmallestBuffer;
  const std::size_t step = std::bit_floor(count - 1) / 4;
  return (count + step - 1) / step * step;
}

template <class Body>
void for_each_piece(const MatrixMap& matrix, const Body& body) {
  parallel_for(static_cast<std::size_t>(matrix.size()), kZeroGrain, body);
}

}  // namespace

Buffer::Buffer(std::size_t capacity)
    : data_(static_cast<float*>(::operator new(capacity * sizeof(float), std::align_val_t{64}))), capacity_(capacity) {
  request_large_pages(data_, capacity * sizeof(float));
}

Buffer::Buffer(BufferSource& source, std::size_t capacity)
    : data_(source.take(capacity * sizeof(float))), capacity_(capacity), is_borrowed_(true) {}

Matrix& ParameterGradients::of(const Parameter& parameter) {
  const auto [found, is_new] = gradients_.try_emplace(&parameter);
  if (is_new) found->second = Matrix::Zero(parameter.value.rows(), parameter.value.cols());
  return found->second;
}

void ParameterGradients::set_zero() {
  for (auto& [parameter, gradient] : gradients_) gradient.setZero();
}

/// Takes the smallest free buffer of at least `capacity` and less than twice that. If there is none, a new one replaces
/// a free one of more than half the size, so that batches of all sizes end up sharing the buffers of the largest.
Buffer BufferPool::take(std::size_t count) {
  const std::size_t capacity = rounded_up(count);
  const auto pop = [](std::vector<Buffer>& free) {
    Buffer buffer = std::move(free.back());
    free.pop_back();
    return buffer;
  };
  const auto first = free_.lower_bound(capacity);
  for (auto larger = first; larger != free_.end() && larger->first < 2 * capacity; ++larger)
    if (!larger->second.empty()) return pop(larger->second);
  for (auto smaller = first;
       source_ == nullptr && smaller != free_.begin() && 2 * std::prev(smaller)->first > capacity;) {
    if ((--smaller)->second.empty()) continue;
    bytes_ -= pop(smaller->second).capacity() * sizeof(float);
    break;
  }
  ++allocations_;
  bytes_ += capacity * sizeof(float);
  return source_ != nullptr && capacity >= kSmallestBorrowed ? Buffer(*source_, capacity) : Buffer(capacity);
}

void BufferPool::give_back(Buffer buffer) {
  const std::size_t capacity = buffer.capacity();
  free_[capacity].push_back(std::move(buffer));
}

void BufferPool::let_go(Buffer buffer) {
  if (!buffer.is_borrowed()) return give_back(std::move(buffer));
  bytes_ -= buffer.capacity() * sizeof(float);
  source_->give_back(buffer.data(), buffer.capacity() * sizeof(float));
}

void Variable::refuse_unset() { throw UsageError("expected a variable on a tape, got one that is not set"); }

DenseRows::operator Variable() const {
  if (!rows_.is_set() || table() == nullptr) return rows_;
  detail::Node& node = *rows_.node_;
  const float* table = std::exchange(node.table, nullptr);
  node.value_buffer = tape().pool_.take(static_cast<std::size_t>(node.rows * node.cols));
  node.value = node.value_buffer.data();
  const auto columns = static_cast<std::size_t>(node.cols);
  parallel_for(node.selected.size(), kCopiedRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::copy_n(table + node.selected[i] * columns, columns, node.value + i * columns);
  });
  return rows_;
}

GradientTarget Variable::gradient_target() const {
  if (!needs_gradient()) throw UsageError("gradient: the variable has none");
  const bool is_empty = node_->gradient == nullptr;
  if (is_empty) {
    node_->gradient_buffer = tape_->pool_.take(static_cast<std::size_t>(node_->rows * node_->cols));
    node_->gradient = node_->gradient_buffer.data();
  }
  return {{node_->gradient, node_->rows, node_->cols}, is_empty};
}

MatrixMap Variable::gradient() const {
  const GradientTarget target = gradient_target();
  if (target.is_empty)
    for_each_piece(target.gradient, [gradient = node_->gradient](std::size_t begin, std::size_t end) {
      std::fill(gradient + begin, gradient + end, 0.0F);
    });
  return target.gradient;
}

void Tape::pass_gradient(Variable from, Variable to) {
  assert(from.rows() == to.rows() && from.cols() == to.cols() && to.needs_gradient());
  if (to.node_->gradient == nullptr) {
    to.node_->gradient_buffer = std::move(from.node_->gradient_buffer);
    to.node_->gradient = to.node_->gradient_buffer.data();
    return;
  }
  for_each_piece(to.gradient(),
                 [source = from.node_->gradient, gradient = to.node_->gradient](std::size_t begin, std::size_t end) {
                   for (std::size_t i = begin; i < end; ++i) gradient[i] += source[i];
                 });
}

void Tape::reset() {
  while (used_ > 0) {
    detail::Node& node = nodes_[--used_];
    if (node.value_buffer.is_set()) pool_.give_back(std::move(node.value_buffer));
    if (node.gradient_buffer.is_set()) pool_.give_back(std::move(node.gradient_buffer));
  }
  kept_.clear();
}

void Tape::reset(bool is_recording) {
  reset();
  is_recording_ = is_recording;
}

std::vector<Buffer> Tape::take_buffers(std::size_t first, std::span<const Variable> kept) {
  assert(!is_recording_);
  std::vector<Buffer> taken;
  for (std::size_t i = first; i < used_; ++i) {
    Buffer& buffer = nodes_[i].value_buffer;
    const bool is_kept = std::ranges::any_of(
        kept, [&](Variable variable) { return variable.is_set() && buffer.contains(variable.node_->value); });
    if (buffer.is_set() && !is_kept) taken.push_back(std::exchange(buffer, Buffer()));
  }
  return taken;
}

detail::Node& Tape::next() {
  if (used_ == nodes_.size()) nodes_.emplace_back();
  detail::Node& node = nodes_[used_++];
  node.gradient = nullptr;
  node.needs_gradient = false;
  node.table = nullptr;
  node.backward.clear();
  node.sibling = nullptr;
  return node;
}

Variable Tape::constant(const Matrix& value) {
  return constant(ConstMatrixMap(value.data(), value.rows(), value.cols()));
}

Variable Tape::constant(const ConstMatrixMap& value) {
  detail::Node& node = next();
  node.value = const_cast<float*>(value.data());  // NOLINT: no operation writes to the value of an input
  node.rows = value.rows();
  node.cols = value.cols();
  return {this, &node};
}

DenseRows Tape::selected_rows(const ConstMatrixMap& table, std::span<const std::uint32_t> rows) {
  detail::Node& node = next();
  node.rows = static_cast<Eigen::Index>(rows.size());
  node.cols = table.cols();
  node.table = table.data();
  node.selected = rows;
  return Variable(this, &node);
}

Variable Tape::parameter(Parameter& parameter) {
  check_shape("parameter", "gradient", shape_of(parameter.gradient), shape_of(parameter.value));
  Variable variable = constant(parameter.value);
  if (parameter.is_frozen) return variable;
  variable.node_->needs_gradient = is_recording_;
  variable.node_->gradient = gradients_ != nullptr ? gradients_->of(parameter).data() : parameter.gradient.data();
  return variable;
}

Variable Tape::make(Eigen::Index rows, Eigen::Index cols, bool needs_gradient) {
  detail::Node& node = next();
  node.value_buffer = pool_.take(static_cast<std::size_t>(rows * cols));
  node.value = node.value_buffer.data();
  node.rows = rows;
  node.cols = cols;
  node.needs_gradient = needs_gradient && is_recording_;
  return {this, &node};
}

Variable Tape::first_rows(Variable x, Eigen::Index rows) {
  const Variable first = constant(ConstMatrixMap(x.value().data(), rows, x.cols()));
  first.node_->needs_gradient = x.needs_gradient();
  return first;
}

MatrixMap Tape::scratch(Eigen::Index rows, Eigen::Index cols) { return make(rows, cols, false).value(); }

void Tape::release_gradient(detail::Node& node) {
  node.gradient = nullptr;
  if (node.gradient_buffer.is_set()) pool_.give_back(std::move(node.gradient_buffer));
}

void Tape::backward(Variable loss) {
  check_shape("backward", "loss", shape_of(loss), {1, 1});
  if (&loss.tape() != this) throw UsageError("backward: expected a loss on this tape, got one on another");
  if (!is_recording_) throw UsageError("backward: expected a tape that records, got one without gradients");
  if (!loss.needs_gradient()) return;
  loss.gradient()(0, 0) += 1.0F;
  for (std::size_t i = used_; i-- > 0;) {
    detail::Node& node = nodes_[i];
    if (node.gradient == nullptr) continue;
    if (!node.backward.is_set()) {
      if (node.sibling != nullptr) Variable(this, node.sibling).gradient();  // so that the shared function runs
      continue;
    }
    node.backward();
    release_gradient(node);
    for (detail::Node* other = node.sibling; other != nullptr && other != &node; other = other->sibling)
      release_gradient(*other);
  }
}

}  // namespace edgewise::autograd
