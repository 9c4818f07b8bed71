#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/core/workspace.hpp"

/// @file
/// Reverse-mode differentiation on a tape of whole-matrix operations. An operation is a free function that creates its
/// result with `Tape::make`, fills it, and records with `Tape::on_backward` a lambda that adds to the gradients of its
/// inputs. Every operation throws UsageError, naming both shapes, if an argument has the wrong shape.
namespace edgewise::autograd {

class Tape;

/// A weight that outlives the tape. `gradient` has the shape of `value`; `Tape::backward` adds to it.
struct Parameter {
  std::string name;
  Matrix value;
  Matrix gradient;
  /// Factor of weight decay and L2; 0 for biases of normalisations and the like.
  float decay = 1;
  /// Whether it is a constant on the tape, which training does not change.
  bool is_frozen = false;

  Parameter(std::string parameter_name, Matrix initial)
      : name(std::move(parameter_name)),
        value(std::move(initial)),
        gradient(Matrix::Zero(value.rows(), value.cols())) {}
};

/// Gradients of parameters that are kept apart from `Parameter::gradient`, such as those of one part of a sum.
class ParameterGradients {
 public:
  /// Zeros at first; stays where it is.
  Matrix& of(const Parameter& parameter);
  void set_zero();

 private:
  std::map<const Parameter*, Matrix> gradients_;
};

/// Memory for large buffers other than the heap.
class BufferSource {
 public:
  virtual ~BufferSource() = default;
  /// 64-byte aligned; valid as long as this lives, or until it is given back.
  virtual float* take(std::size_t bytes) = 0;
  virtual void give_back(float* data, std::size_t bytes) = 0;
};

/// Uninitialised floats, 64-byte aligned; large buffers use large pages if the system has them.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t capacity);
  Buffer(BufferSource& source, std::size_t capacity);
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), capacity_(other.capacity_), is_borrowed_(other.is_borrowed_) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(is_borrowed_, other.is_borrowed_);
    return *this;
  }
  ~Buffer() {
    if (!is_borrowed_) ::operator delete(data_, std::align_val_t{64});
  }

  bool is_set() const { return data_ != nullptr; }
  float* data() const { return data_; }
  std::size_t capacity() const { return capacity_; }
  /// Whether it is from a BufferSource.
  bool is_borrowed() const { return is_borrowed_; }
  bool contains(const float* value) const { return value >= data_ && value < data_ + capacity_; }

 private:
  float* data_ = nullptr;
  std::size_t capacity_ = 0;
  bool is_borrowed_ = false;
};

/// Free buffers by capacity. They let every training step but the first run without allocations, and a gradient that is
/// no longer needed pass its buffer on to the next.
class BufferPool {
 public:
  /// Without a source, buffers come from the heap.
  explicit BufferPool(BufferSource* source = nullptr) : source_(source) {}
  /// A buffer of at least `count` floats.
  Buffer take(std::size_t count);
  void give_back(Buffer buffer);
  /// As `give_back`, but a buffer of the source returns to it, with its memory.
  void let_go(Buffer buffer);

  /// How many buffers were allocated so far, and the bytes of those that remain.
  std::size_t allocations() const { return allocations_; }
  std::size_t bytes() const { return bytes_; }

 private:
  BufferSource* source_;
  std::map<std::size_t, std::vector<Buffer>> free_;
  std::size_t allocations_ = 0;
  std::size_t bytes_ = 0;
};

namespace detail {

/// A trivially copyable closure, stored in place.
class Closure {
 public:
  template <class F>
  void set(const F& function) {
    static_assert(sizeof(F) <= sizeof(storage_), "capture less, or a pointer to it");
    static_assert(std::is_trivially_copyable_v<F> && std::is_trivially_destructible_v<F>,
                  "capture Variables, pointers and numbers only: an Eigen::Map is not trivially copyable");
    new (storage_) F(function);
    call_ = [](std::byte* storage) { (*std::launder(reinterpret_cast<F*>(storage)))(); };
  }
  void clear() { call_ = nullptr; }
  bool is_set() const { return call_ != nullptr; }
  void operator()() { call_(storage_); }

 private:
  alignas(std::max_align_t) std::byte storage_[384];
  void (*call_)(std::byte*) = nullptr;
};

struct Node {
  float* value = nullptr;
  float* gradient = nullptr;  // set on first use in a backward pass, reset once `backward` has run
  Eigen::Index rows = 0;
  Eigen::Index cols = 0;
  bool needs_gradient = false;
  const float* table = nullptr;  // for rows of it that are not copied yet: only DenseRows refers to such a node
  std::span<const std::uint32_t> selected;
  Buffer value_buffer;
  Buffer gradient_buffer;
  Closure backward;
  Node* sibling = nullptr;  // the previous result of an operation with several; for the first, the last
};

}  // namespace detail

/// Where an operation puts the gradient of an input.
struct GradientTarget {
  MatrixMap gradient;
  bool is_empty;  ///< If true, the values are undefined and must all be replaced; otherwise add to them.
};

/// A handle to a matrix on the tape, valid until `Tape::reset`. Cheap to copy.
class Variable {
 public:
  Variable() = default;

  /// False for a Variable that means "none"; everything else then throws UsageError.
  bool is_set() const { return node_ != nullptr; }
  Eigen::Index rows() const { return node().rows; }
  Eigen::Index cols() const { return node().cols; }
  MatrixMap value() const { return {node().value, node_->rows, node_->cols}; }
  bool needs_gradient() const { return node().needs_gradient; }
  /// The gradient to add to; zeros on first use. Only in a backward pass; throws UsageError unless `needs_gradient()`.
  MatrixMap gradient() const;
  /// As `gradient`, but without the zeros.
  GradientTarget gradient_target() const;
  Tape& tape() const { return node(), *tape_; }

 private:
  friend class DenseRows;
  friend class Tape;
  Variable(Tape* tape, detail::Node* node) : tape_(tape), node_(node) {}

  detail::Node& node() const {
    if (node_ == nullptr) refuse_unset();
    return *node_;
  }
  [[noreturn]] static void refuse_unset();

  Tape* tape_ = nullptr;
  detail::Node* node_ = nullptr;
};

/// A matrix on the tape, or rows of a table that nothing has copied yet (Tape::selected_rows). Such rows have no values
/// to read before they become a Variable. An operation that takes Variables therefore gets them copied, before any of
/// its threads starts.
class DenseRows {
 public:
  DenseRows() = default;
  DenseRows(Variable rows) : rows_(rows) {}  // NOLINT: each Variable is dense rows

  Eigen::Index rows() const { return rows_.rows(); }
  Eigen::Index cols() const { return rows_.cols(); }
  bool needs_gradient() const { return rows_.needs_gradient(); }
  Tape& tape() const { return rows_.tape(); }
  /// Of rows that are not copied yet: where the table begins, and which rows they are. Otherwise nullptr.
  const float* table() const { return rows_.node().table; }
  std::span<const std::uint32_t> selected() const { return rows_.node().selected; }
  /// Copies the rows, once.
  operator Variable() const;  // NOLINT: what an operation takes

 private:
  Variable rows_;
};

/// Records operations in order and runs them backwards. Not thread-safe; operations are parallel internally.
class Tape {
 public:
  /// If `is_recording` is false, as in evaluation, nothing can be differentiated and no gradient buffer is allocated.
  explicit Tape(bool is_recording = true) : is_recording_(is_recording) {}
  /// For one of several passes in turn: the gradients of parameters go to `gradients`, and operations share
  /// `workspace`. Without a source, buffers come from the heap.
  Tape(ParameterGradients& gradients, Workspace& workspace, BufferSource* source = nullptr)
      : is_recording_(true), gradients_(&gradients), pool_(source), workspace_(&workspace) {}
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// Forgets what was recorded and keeps the buffers. All Variables of this tape become invalid.
  void reset();
  /// As `reset`, and sets whether later operations are recorded.
  void reset(bool is_recording);
  bool is_recording() const { return is_recording_; }

  /// Refers to `value`, which must outlive its use on the tape.
  Variable constant(const Matrix& value);
  Variable constant(const ConstMatrixMap& value);
  /// Rows of `table` [N, C], which may repeat: [rows, C], a constant. They are copied for the first operation that
  /// needs it; sums along edges and the first of them do not. Both arguments must outlive the record.
  DenseRows selected_rows(const ConstMatrixMap& table, std::span<const std::uint32_t> rows);
  /// Refers to the parameter; its gradient goes to `parameter.gradient`. A frozen one is a constant.
  /// Throws UsageError if the gradient does not have the shape of the value.
  Variable parameter(Parameter& parameter);
  /// A result to be filled by the caller; its values are undefined.
  Variable make(Eigen::Index rows, Eigen::Index cols, bool needs_gradient);
  /// The first `rows` rows of `x`, in its own memory. The caller records what passes the gradient on.
  Variable first_rows(Variable x, Eigen::Index rows);
  /// Memory that an operation keeps for its backward pass or needs for a moment. Uninitialised; valid until `reset`.
  MatrixMap scratch(Eigen::Index rows, Eigen::Index cols);
  /// Takes over what an operation refers to in its backward pass, such as indices; valid until `reset`.
  template <class T>
  const T& keep(T value) {
    auto kept = std::make_shared<const T>(std::move(value));
    kept_.push_back(kept);
    return *kept;
  }
  /// How many results were made since the last `reset`.
  std::size_t size() const { return used_; }
  /// In a pass that is not recorded: the memory of the results from the first-th on, but of those kept. They become
  /// invalid once it returns by `let_go`.
  std::vector<Buffer> take_buffers(std::size_t first, std::span<const Variable> kept);
  void let_go(Buffer buffer) { pool_.let_go(std::move(buffer)); }
  /// Memory that an operation needs while it runs, forward or backward.
  Workspace& workspace() { return workspace_ != nullptr ? *workspace_ : own_workspace_; }

  /// `function()` runs in `backward` if something downstream has given `result` a gradient.
  template <class F>
  void on_backward(Variable result, const F& function) {
    if (is_recording_ && result.node_->needs_gradient) result.node_->backward.set(function);
  }

  /// As `on_backward`, for an operation with several results, created in this order. Either all of them need a gradient
  /// or none. `function()` runs if any of them was given a gradient, and may then use the gradients of all.
  template <class F>
  void on_backward(std::span<const Variable> results, const F& function) {
    on_backward(results.front(), function);
    results.front().node_->sibling = results.back().node_;
    for (std::size_t i = 1; i < results.size(); ++i) results[i].node_->sibling = results[i - 1].node_;
  }

  /// Passes the gradient of `from` on to `to`, which has the same shape. This must end the backward function of `from`.
  /// If `to` has no gradient yet, it takes over the buffer itself.
  void pass_gradient(Variable from, Variable to);

  /// Adds d loss / d parameter to every parameter's gradient. `loss` is [1, 1]. Gradients of intermediate results are
  /// not kept. A loss that depends on no parameter changes nothing. Throws UsageError if `loss` has another shape or is
  /// on another tape, or if the tape does not record.
  void backward(Variable loss);

  /// How often a buffer was allocated since the tape was created: constant from the second step on.
  std::size_t allocations() const { return pool_.allocations(); }
  std::size_t bytes() const { return pool_.bytes(); }

 private:
  friend class DenseRows;
  friend class Variable;
  detail::Node& next();
  void release_gradient(detail::Node& node);

  bool is_recording_;
  ParameterGradients* gradients_ = nullptr;  // if not those of the parameters themselves
  std::deque<detail::Node> nodes_;  // addresses stay valid as it grows
  std::size_t used_ = 0;
  BufferPool pool_;
  std::vector<std::shared_ptr<const void>> kept_;
  Workspace own_workspace_;
  Workspace* workspace_ = nullptr;  // if not its own
};

}  // namespace edgewise::autograd
