#include "edgewise/train/loop/sampled_batches.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/serial_thread.hpp"
#include "edgewise/graph/permutation.hpp"
#include "edgewise/train/loop/row_source.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kBatchesAhead = 2;

}  // namespace

/// Draws the batches of an epoch in their order: when they are asked for if there is one thread, otherwise ahead in a
/// thread of its own.
class SampledBatches::Drawer {
 public:
  Drawer(std::unique_ptr<graph::Sampler> sampler, std::unique_ptr<RowSource> source)
      : sampler_(std::move(sampler)), source_(std::move(source)) {}
  ~Drawer() { stop(); }

  /// Plans an epoch in steps of `steps` steps along the edges; `hidden` are the nodes whose labels are not shown.
  const std::vector<graph::SampleBatch>& begin(std::span<const graph::Node> items, std::size_t steps,
                                               std::uint64_t seed, std::uint64_t epoch,
                                               std::span<const graph::Node> hidden) {
    stop();
    source_->hide(hidden);
    batches_ = sampler_->batches(items, seed, epoch);
    steps_ = steps;
    seed_ = seed;
    epoch_ = epoch;
    taken_ = 0;
    if (threads() > 1) thread_ = std::jthread([this](const std::stop_token& token) { draw_ahead(token); });
    return batches_;
  }

  /// The next batch. It stays as it is until the next call.
  const graph::Sample& next() {
    const std::size_t index = taken_++;
    if (!thread_.joinable()) {
      current_ = draw(index, std::move(current_));
      return current_.sample;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    spare_.push_back(std::move(current_));
    changed_.wait(lock, [&] { return !ready_.empty() || failure_ != nullptr; });
    if (ready_.empty()) std::rethrow_exception(failure_);
    current_ = std::move(ready_.front());
    ready_.pop_front();
    changed_.notify_all();
    return current_.sample;
  }

  const graph::SampleBatch& batch() const { return batches_[taken_ - 1]; }
  nn::NodeRows rows(autograd::Tape& tape) const { return source_->on(tape, current_.rows); }

 private:
  struct Drawn {
    graph::Sample sample;
    TakenRows rows;
  };

  Drawn draw(std::size_t index, Drawn drawn) {
    drawn.sample = sampler_->draw(batches_[index], steps_, seed_, epoch_);
    source_->take(drawn.sample.nodes, drawn.rows);
    return drawn;
  }

  Drawn take_spare() {
    if (spare_.empty()) return {};
    Drawn drawn = std::move(spare_.back());
    spare_.pop_back();
    return drawn;
  }

  void draw_ahead(const std::stop_token& token) {
    const SerialThread serial;
    try {
      for (std::size_t index = 0; index < batches_.size(); ++index) {
        Drawn drawn;
        {
          std::unique_lock<std::mutex> lock(mutex_);
          changed_.wait(lock, token, [&] { return ready_.size() < kBatchesAhead; });
          if (token.stop_requested()) return;
          drawn = take_spare();
        }
        drawn = draw(index, std::move(drawn));
        const std::lock_guard<std::mutex> lock(mutex_);
        ready_.push_back(std::move(drawn));
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      failure_ = std::current_exception();
      changed_.notify_all();
    }
  }

  void stop() {
    if (thread_.joinable()) {
      thread_.request_stop();
      thread_.join();
    }
    ready_.clear();
    failure_ = nullptr;
  }

  std::unique_ptr<graph::Sampler> sampler_;
  std::unique_ptr<RowSource> source_;
  std::vector<graph::SampleBatch> batches_;
  std::size_t steps_ = 0;
  std::uint64_t seed_ = 0, epoch_ = 0;
  std::size_t taken_ = 0;
  Drawn current_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Drawn> ready_;
  std::vector<Drawn> spare_;  // whose memory is used again
  std::exception_ptr failure_;
  std::jthread thread_;
};

SampledBatches::SampledBatches(const Sampling& sampling, const data::Features& features,
                               const graph::FrozenGraph& graph, std::vector<graph::Node> order, MaskedLabels labels,
                               GraphLayout layout)
    : sampling_(sampling),
      all_(std::make_unique<NodeBatches>(features, graph, order, std::move(layout), labels)),
      labels_(std::move(labels)),
      order_(std::move(order)),
      place_(graph::inverse(order_)),
      drawer_(std::make_unique<Drawer>(make_sampler(graph, sampling),
                                       std::make_unique<TableRows>(features, labels_.columns))) {}

SampledBatches::SampledBatches(const Sampling& sampling, std::shared_ptr<const data::FrozenNetwork> network,
                               const graph::FreezeOptions& options, PartHolding holding)
    : sampling_(sampling),
      network_(network),
      all_(std::make_unique<PartBatches>(std::move(network), std::move(holding))),
      drawer_(std::make_unique<Drawer>(make_sampler(data::edge_rows_of(*network_, options), sampling),
                                       std::make_unique<FrozenRows>(*network_))) {}

SampledBatches::~SampledBatches() = default;

void SampledBatches::check_fits(const nn::Model& model) const {
  all_->check_fits(model);
  check_sampling(sampling_, model);
}

std::vector<std::vector<graph::Node>> SampledBatches::training_batches(const nn::Model& model,
                                                                       std::vector<graph::Node> items,
                                                                       std::uint64_t seed, std::uint64_t epoch) {
  if (labels_.columns > 0) items = draw_hidden(labels_, std::move(items), seed, epoch);
  if (!place_.empty())
    for (graph::Node& item : items) item = place_[item];
  const std::size_t steps = model.sampled_steps().value_or(0);
  items_.clear();
  for (const graph::SampleBatch& batch : drawer_->begin(items, steps, seed, epoch, items)) {
    items_.emplace_back(batch.items().begin(), batch.items().end());
    if (!order_.empty())
      for (graph::Node& item : items_.back()) item = order_[item];
  }
  next_ = 0;
  return items_;
}

autograd::Variable SampledBatches::forward(nn::Model& model, const PassOptions& pass,
                                           std::span<const graph::Node> items) {
  if (!pass.is_training) return all_->forward(model, pass, items);
  if (next_ >= items_.size() || !std::ranges::equal(items, items_[next_]))
    throw UsageError("sampled batches: expected the batches of an epoch in their order");
  ++next_;
  const graph::Sample& sample = drawer_->next();
  nn::ForwardContext context{
      .tape = pass.tape, .is_training = true, .seed = pass.seed, .step = pass.step, .sample = &sample};
  return model.forward(context, drawer_->rows(pass.tape));
}

std::span<const float> SampledBatches::loss_weights() const {
  return next_ == 0 ? std::span<const float>() : drawer_->batch().weights;
}

}  // namespace edgewise::train
