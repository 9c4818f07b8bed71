#include "edgewise/train/loop/beam_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/nn/kept_rows.hpp"

namespace edgewise::train {
namespace {

using graph::Node;

constexpr std::int32_t kMark = 0;

/// A hypothesis that goes on.
struct Open {
  std::size_t pair = 0;
  std::vector<Node> rows = {};  ///< Those it consists of, counted over all steps.
  std::vector<std::int32_t> tokens = {};
  double log_probability = 0;
};

struct Continuation {
  std::size_t from;  ///< An open hypothesis.
  std::int32_t token;
  double log_probability;
};

bool is_better(const Continuation& a, const Continuation& b) { return a.log_probability > b.log_probability; }

/// The search for some sources side by side.
class Search {
 public:
  Search(nn::Model& model, PairSide source, const SearchOptions& options)
      : model_(model), source_(std::move(source)), rows_(source_), options_(options), found_(source_.size()) {
    add_source_masks(model, source_.offsets, masks_);
    for (std::size_t pair = 0; pair < source_.size(); ++pair) open_.push_back({.pair = pair});
  }

  std::vector<std::vector<Hypothesis>> run() {
    while (!open_.empty()) step();
    for (std::vector<Hypothesis>& found : found_) {
      std::ranges::stable_sort(found, std::ranges::greater(), &Hypothesis::score);
      found.resize(std::min(found.size(), options_.beam));
    }
    return std::move(found_);
  }

 private:
  std::size_t longest(std::size_t pair) const {
    return options_.longest > 0 ? options_.longest : 2 * source_.size_of(pair) + 20;
  }

  /// From the new rows to what they may attend to.
  graph::FrozenGraph mask(Node columns, const auto& columns_of) const {
    graph::Csr incoming;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      columns_of(i, incoming.columns);
      incoming.offsets.push_back(incoming.columns.size());
    }
    return graph::freeze(std::move(incoming), columns);
  }

  /// The log probabilities of the next tokens of all open hypotheses.
  autograd::Variable forward() {
    PairSide last{.columns = model_.shape().inputs};
    kept_.previous.clear();
    for (Open& open : open_) {
      const std::int32_t token = open.tokens.empty() ? kMark : open.tokens.back();
      last.add({&token, 1});
      if (!open.rows.empty()) kept_.previous.push_back(open.rows.back());
      open.rows.push_back(written_++);
    }
    masks_["causal"] = mask(written_, [&](std::size_t i, std::vector<Node>& columns) {
      columns.insert(columns.end(), open_[i].rows.begin(), open_[i].rows.end());
    });
    masks_["source"] = mask(source_.offsets.back(), [&](std::size_t i, std::vector<Node>& columns) {
      for (Node row = source_.offsets[open_[i].pair]; row < source_.offsets[open_[i].pair + 1]; ++row)
        columns.push_back(row);
    });
    tape_.reset(false);
    const graph::FrozenGraph no_edges;
    nn::ForwardContext context = make_context({.tape = tape_}, no_edges, masks_);
    context.node_sets[kSource] = rows_.on(tape_);
    context.kept = &kept_;
    last_ = std::make_unique<PairSide>(std::move(last));
    last_rows_ = std::make_unique<SideRows>(*last_);
    const autograd::Variable outputs = model_.forward(context, last_rows_->on(tape_));
    ++kept_.step;
    for (auto row : outputs.value().rowwise()) {
      const float most = row.maxCoeff();
      const float log_sum = most + std::log((row.array() - most).exp().sum());
      if (!std::isfinite(log_sum)) throw NumericalError("search: the logits of the model are not finite");
      row.array() -= log_sum;
    }
    return outputs;
  }

  /// Adds the best continuations of one hypothesis, as many as can matter. Most tokens are passed by in blocks, of
  /// which not even the most probable is among them.
  void add_continuations(std::size_t from, const auto& log_probabilities, std::vector<Continuation>& to) const {
    constexpr Eigen::Index kBlock = 64;
    std::vector<Continuation> best;
    const auto continuation = [&](Eigen::Index token, float log_probability) {
      return Continuation{from, static_cast<std::int32_t>(token),
                          open_[from].log_probability + static_cast<double>(log_probability)};
    };
    const auto matters = [&](const Continuation& one) {
      return best.size() <= options_.beam || is_better(one, best.back());
    };
    for (Eigen::Index begin = 0; begin < log_probabilities.cols(); begin += kBlock) {
      const auto block = log_probabilities.segment(begin, std::min(kBlock, log_probabilities.cols() - begin));
      if (!matters(continuation(begin, block.maxCoeff()))) continue;
      for (Eigen::Index i = 0; i < block.cols(); ++i) {
        const Continuation one = continuation(begin + i, block(i));
        if (!matters(one)) continue;
        best.insert(std::ranges::upper_bound(best, one, is_better), one);
        if (best.size() > options_.beam + 1) best.pop_back();
      }
    }
    to.insert(to.end(), best.begin(), best.end());
  }

  void end(const Open& open, std::vector<std::int32_t> tokens, double log_probability) {
    const double length = static_cast<double>(tokens.size() + 1);
    found_[open.pair].push_back({.tokens = std::move(tokens),
                                 .log_probability = log_probability,
                                 .score = log_probability / length});
  }

  /// The only continuation of a hypothesis of the greatest length.
  static Continuation end_of(std::size_t from, const Open& open, const auto& log_probabilities) {
    return {from, kMark, open.log_probability + static_cast<double>(log_probabilities(kMark))};
  }

  void step() {
    check_interruption();
    const autograd::Variable outputs = forward();
    std::vector<Open> next;
    for (std::size_t begin = 0; begin < open_.size();) {
      const std::size_t pair = open_[begin].pair;
      std::vector<Continuation> continuations;
      for (; begin < open_.size() && open_[begin].pair == pair; ++begin) {
        const auto log_probabilities = outputs.value().row(static_cast<Eigen::Index>(begin));
        if (open_[begin].tokens.size() < longest(pair))
          add_continuations(begin, log_probabilities, continuations);
        else
          continuations.push_back(end_of(begin, open_[begin], log_probabilities));
      }
      std::ranges::stable_sort(continuations, is_better);
      go_on(pair, continuations, next);
    }
    open_ = std::move(next);
  }

  /// Ends or continues the hypotheses of one source. An end that is not among the `beam` best is no result.
  void go_on(std::size_t pair, const std::vector<Continuation>& continuations, std::vector<Open>& next) {
    std::vector<Open> kept;
    for (std::size_t rank = 0; rank < continuations.size() && kept.size() < options_.beam; ++rank) {
      const auto& [from, token, log_probability] = continuations[rank];
      const Open& open = open_[from];
      std::vector<std::int32_t> tokens = open.tokens;
      if (token == kMark) {
        if (rank < options_.beam) end(open, std::move(tokens), log_probability);
        continue;
      }
      tokens.push_back(token);
      kept.push_back({pair, open.rows, std::move(tokens), log_probability});
    }
    if (found_[pair].size() < options_.beam) std::ranges::move(kept, std::back_inserter(next));
  }

  nn::Model& model_;
  PairSide source_;
  SideRows rows_;
  const SearchOptions& options_;
  std::map<std::string, graph::FrozenGraph> masks_;
  std::vector<Open> open_;
  std::vector<std::vector<Hypothesis>> found_;
  autograd::Tape tape_{false};
  nn::KeptRows kept_;
  Node written_ = 0;
  std::unique_ptr<PairSide> last_;
  std::unique_ptr<SideRows> last_rows_;
};

}  // namespace

std::vector<std::vector<Hypothesis>> search(nn::Model& model, const PairSide& source, const SearchOptions& options) {
  if (options.beam == 0) throw UsageError("beam: expected at least 1, got 0");
  if (options.at_once == 0) throw UsageError("at_once: expected at least 1, got 0");
  if (model.shape() != pair_shape(source, {.columns = model.shape().inputs}))
    throw ModelError("model: not made for sources of this kind");
  for (const nn::MaskShape& mask : model.masks())
    if (mask.rows == nn::kNodes && mask.columns == nn::kNodes && mask.name != "causal")
      throw UsageError(fmt::format("model: with the mask \"{}\" it cannot write one token after another", mask.name));
  std::vector<std::vector<Hypothesis>> all;
  for (std::size_t begin = 0; begin < source.size(); begin += options.at_once) {
    std::vector<Node> pairs(std::min(options.at_once, source.size() - begin));
    std::iota(pairs.begin(), pairs.end(), static_cast<Node>(begin));
    std::ranges::move(Search(model, source.select(pairs), options).run(), std::back_inserter(all));
  }
  return all;
}

}  // namespace edgewise::train
