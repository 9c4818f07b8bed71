#include "edgewise/train/inputs/link_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "edgewise/autograd/reshape.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/targets/candidates.hpp"

namespace edgewise::train {
namespace {

constexpr std::uint64_t kCandidateSeed = 0x11a7e5;  // the same for all models and runs
constexpr std::uint64_t kFoldSeed = 0xf01d;
constexpr std::size_t kFolds = 10;
constexpr std::size_t kPairsAtOnce = 1 << 16;

std::vector<bool> seen_by(const data::Split& split) {
  std::vector<bool> is_seen(split.size());
  for (std::size_t tie = 0; tie < split.size(); ++tie) is_seen[tie] = split[tie] == data::Role::train;
  return is_seen;
}

void append(const Matrix& rows, Eigen::Index& next, Matrix& to) {
  to.middleRows(next, rows.rows()) = rows;
  next += rows.rows();
}

}  // namespace

LinkBatches::LinkBatches(const Dataset& data, const data::Features& features, const graph::FrozenGraph& frozen,
                         const data::Split& split, LinkFeatures alike, const LinkOptions& options)
    : data_(data),
      features_(features),
      frozen_(frozen),
      links_(*data.links),
      split_(split),
      alike_(std::move(alike)),
      options_(options),
      known_(data.graph.node_count(), links_.sources, links_.targets, links_.direction),
      candidates_(known_, links_.sides),
      seen_(data, features, frozen, alike_, seen_by(split)),
      negatives_(seen_.ties(), links_.sides) {}

void LinkBatches::check_fits(const nn::Model& model) const {
  if (!model.is_link_level())
    throw ModelError("model: it labels nodes or graphs, but the data has ties (its readout is \"links\")");
}

void LinkBatches::set_negatives(const std::string& text, const NoteHook& note) {
  if (text.empty()) return;
  const std::optional<graph::CandidateWay> way = graph::parse_candidate_way(text);
  if (way) {
    way_ = *way;
    return;
  }
  absent_ = read_absent_ties(text, data_, known_, note);
  const std::vector<graph::Node> items = data::nodes_with_role(split_, data::Role::train);
  const auto apart = std::ranges::count_if(items, [&](graph::Node tie) { return !shares_end_with_absent(tie); });
  if (apart > 0)
    note(fmt::format("{}: {} of {} training ties share no end with a pair there; they are told from drawn pairs", text,
                     apart, items.size()));
}

void LinkBatches::set_sampling(const Sampling& sampling) {
  const auto* neighbours = std::get_if<graph::NeighbourSampling>(&sampling);
  if (neighbours == nullptr)
    throw UsageError(fmt::format("training.sample: ties are learnt from samples of neighbours, such as {} 15,10",
                                 setting("training.sample")));
  sampling_ = *neighbours;
}

std::size_t LinkBatches::fold_of(graph::Node tie) const {
  return random_bits(kFoldSeed, static_cast<std::uint32_t>(tie)) % kFolds;
}

/// What the steps see that ask for a fold.
LinkGraph& LinkBatches::without_fold(std::size_t fold) {
  std::unique_ptr<LinkGraph>& graph = folds_[fold];
  if (graph != nullptr) return *graph;
  std::vector<bool> is_seen = seen_by(split_);
  for (std::size_t tie = 0; tie < is_seen.size(); ++tie)
    if (fold_of(static_cast<graph::Node>(tie)) == fold) is_seen[tie] = false;
  graph = std::make_unique<LinkGraph>(data_, features_, frozen_, alike_, is_seen);
  return *graph;
}

std::vector<std::vector<graph::Node>> LinkBatches::by_fold(std::span<const graph::Node> items) const {
  std::vector<std::vector<graph::Node>> folds(kFolds);
  for (const graph::Node tie : items) folds[fold_of(tie)].push_back(tie);
  std::erase_if(folds, [](const auto& fold) { return fold.empty(); });
  return folds;
}

LinkSample LinkBatches::training_sample(std::span<const std::string> names, std::size_t negatives, std::size_t most,
                                        std::uint64_t seed) {
  std::vector<graph::Node> items = data::nodes_with_role(split_, data::Role::train);
  Random random(seed, Stream::generate);
  shuffle(std::span(items), random);
  if (items.size() > most) items.resize(most);
  const auto ties = static_cast<Eigen::Index>(items.size());
  LinkSample sample{.numbers = Matrix(ties * static_cast<Eigen::Index>(1 + negatives),
                                      static_cast<Eigen::Index>(names.size())),
                    .ties = items.size()};
  Eigen::Index next_tie = 0, next_other = ties;
  for (const std::vector<graph::Node>& fold : by_fold(items)) {
    check_interruption();
    const LinkGraph& graph = without_fold(fold_of(fold.front()));
    append(graph.numbers(pairs_of(fold), names), next_tie, sample.numbers);
    append(graph.numbers(negatives_of(fold, negatives, seed, 0), names), next_other, sample.numbers);
  }
  return sample;
}

std::vector<graph::Node> LinkBatches::drawn_candidates(graph::Node tie, graph::LinkEnd kept, std::size_t count) const {
  return candidates_.draw(links_.sources[tie], links_.targets[tie], kept,
                          {.count = count, .seed = kCandidateSeed, .tie = tie});
}

/// Those that a tie is ranked among: all there are, in an order of its own, or so many drawn ones.
std::vector<graph::Node> LinkBatches::rivals(graph::Node tie, graph::LinkEnd kept) const {
  if (rival_count(tie, kept) == options_.candidates) return drawn_candidates(tie, kept, options_.candidates);
  std::vector<graph::Node> all = candidates_.all(links_.sources[tie], links_.targets[tie], kept);
  Random random(kCandidateSeed, Stream::shuffle, tie, kept == graph::LinkEnd::source ? 0 : 1);
  shuffle(std::span(all), random);
  return all;
}

std::size_t LinkBatches::rival_count(graph::Node tie, graph::LinkEnd kept) const {
  return std::min(options_.candidates, candidates_.count(links_.sources[tie], links_.targets[tie], kept));
}

/// Row by row as in the outputs, but for the ties themselves; a place without a candidate has the tie itself.
/// find(tie, kept): up to `count` nodes in place of the end that is not kept.
template <class Find>
NodePairs LinkBatches::candidates_of(std::span<const graph::Node> items, std::size_t count, const Find& find) const {
  NodePairs pairs;
  for (const graph::Node tie : items) {
    const graph::Node source = links_.sources[tie], target = links_.targets[tie];
    std::vector<graph::Node> targets = find(tie, graph::LinkEnd::source);
    std::vector<graph::Node> sources = find(tie, graph::LinkEnd::target);
    targets.resize(count, target);
    sources.resize(count, source);
    for (const graph::Node other : targets) pairs.add(source, other);
    for (const graph::Node other : sources) pairs.add(other, target);
  }
  return pairs;
}

LinkSample LinkBatches::sample_of(std::span<const graph::Node> items, std::span<const std::string> names,
                                  std::size_t negatives, std::uint64_t seed) {
  LinkSample sample{.numbers = Matrix(static_cast<Eigen::Index>(items.size() * (1 + 2 * negatives)),
                                      static_cast<Eigen::Index>(names.size())),
                    .ties = items.size()};
  Eigen::Index next = 0;
  append(seen_.numbers(pairs_of(items), names), next, sample.numbers);
  const bool are_usual = way_ == graph::CandidateWay::uniform && !absent_;
  const auto find = [&](graph::Node tie, graph::LinkEnd kept) { return drawn_candidates(tie, kept, negatives); };
  append(seen_.numbers(
             are_usual ? candidates_of(items, negatives, find) : negatives_of(items, 2 * negatives, seed, 0), names),
         next, sample.numbers);
  return sample;
}

const LinkMap& LinkBatches::fit_numbers(std::vector<std::string> names, std::uint64_t seed) {
  constexpr std::size_t kMostTies = 20'000;
  map_ = LinkMap::fit(names, training_sample(names, 1, kMostTies, seed).numbers);
  map_.set_negatives(options_.negatives);
  return map_;
}

std::vector<graph::Node> LinkBatches::items_to_predict() const {
  std::vector<graph::Node> items;
  for (std::size_t tie = 0; tie < split_.size(); ++tie)
    if (split_[tie] == data::Role::validation || split_[tie] == data::Role::test)
      items.push_back(static_cast<graph::Node>(tie));
  return items;
}

/// The folds, in an order drawn for each epoch, or pieces of them.
std::vector<std::vector<graph::Node>> LinkBatches::training_batches(const nn::Model&, std::vector<graph::Node> items,
                                                                    std::uint64_t seed, std::uint64_t epoch) {
  epoch_ = epoch;
  std::vector<std::vector<graph::Node>> batches = by_fold(items);
  Random random(seed, Stream::shuffle, epoch);
  shuffle(std::span(batches), random);
  if (!sampling_) return batches;
  std::vector<std::vector<graph::Node>> pieces;
  for (std::vector<graph::Node>& fold : batches) {
    shuffle(std::span(fold), random);
    for (std::size_t begin = 0; begin < fold.size(); begin += sampling_->batch_size) {
      const auto piece = std::span(fold).subspan(begin, std::min(sampling_->batch_size, fold.size() - begin));
      pieces.emplace_back(piece.begin(), piece.end());
    }
  }
  return pieces;
}

NodePairs LinkBatches::pairs_of(std::span<const graph::Node> items) const {
  NodePairs pairs;
  for (const graph::Node tie : items) pairs.add(links_.sources[tie], links_.targets[tie]);
  return pairs;
}

bool LinkBatches::shares_end_with_absent(graph::Node tie) const {
  return absent_ && !(absent_->targets(links_.sources[tie]).empty() && absent_->sources(links_.targets[tie]).empty());
}

/// A node that makes no tie with the end that is kept; nothing if there is none.
std::optional<graph::Node> LinkBatches::other_end(graph::Node tie, graph::LinkEnd kept,
                                                  std::uint64_t seed) const {
  const graph::Node source = links_.sources[tie], target = links_.targets[tie];
  if (!shares_end_with_absent(tie)) {
    const std::vector<graph::Node> drawn =
        negatives_.draw(source, target, kept, {.way = way_, .seed = seed, .tie = tie});
    return drawn.empty() ? std::nullopt : std::optional(drawn.front());
  }
  const std::span<const graph::Node> others =
      kept == graph::LinkEnd::source ? absent_->targets(source) : absent_->sources(target);
  return others.empty() ? std::nullopt : std::optional(others[seed % others.size()]);
}

NodePairs LinkBatches::negatives_of(std::span<const graph::Node> items, std::size_t count, std::uint64_t seed,
                                    std::uint64_t epoch) const {
  using graph::LinkEnd;
  NodePairs pairs;
  for (const graph::Node tie : items) {
    Random random(seed, Stream::generate, epoch, tie);
    for (std::size_t i = 0; i < count; ++i) {
      LinkEnd kept = random.below(2) == 0 ? LinkEnd::source : LinkEnd::target;
      std::optional<graph::Node> other = other_end(tie, kept, random.bits());
      if (!other) {  // this end knows everybody
        kept = kept == LinkEnd::source ? LinkEnd::target : LinkEnd::source;
        other = other_end(tie, kept, random.bits());
      }
      if (other)
        kept == LinkEnd::source ? pairs.add(links_.sources[tie], *other) : pairs.add(*other, links_.targets[tie]);
      else
        throw DataError(fmt::format("{}: both ends of a tie have ties with all {} nodes: there is nothing to tell ties "
                                    "from",
                                    data_.name, seen_.node_count()));
    }
  }
  return pairs;
}

autograd::Variable LinkBatches::forward(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items) {
  return pass.is_training ? train_on(model, pass, items) : judge(model, items, pass.tape);
}

/// Row i: the tie items[i], all of one fold, then the pairs without a tie that belong to it.
autograd::Variable LinkBatches::train_on(nn::Model& model, const PassOptions& pass,
                                         std::span<const graph::Node> items) {
  LinkGraph& graph = without_fold(fold_of(items.front()));
  const NodePairs ties = pairs_of(items), negatives = negatives_of(items, options_.negatives, pass.seed, epoch_);
  pairs_ = {};
  for (std::size_t i = 0; i < items.size(); ++i) {
    pairs_.add(ties, i);
    for (std::size_t n = 0; n < options_.negatives; ++n) pairs_.add(negatives, i * options_.negatives + n);
  }
  numbers_ = map_.apply(graph.numbers(pairs_, map_.names()));
  const autograd::Variable outputs =
      sampling_ ? graph.forward_on_sample(model, pass, pairs_, numbers_, *sampling_, epoch_)
                : graph.forward(model, pass, pairs_, numbers_);
  return autograd::reshape(outputs, static_cast<Eigen::Index>(items.size()),
                           static_cast<Eigen::Index>(1 + options_.negatives));
}

/// The pieces of one list of ties, such as those of validation, are always the same.
const LinkBatches::Judged& LinkBatches::judged_of(std::span<const graph::Node> items) {
  const auto columns = static_cast<std::size_t>(width());
  Judged& judged = judged_[items.front()];
  if (std::ranges::equal(judged.ties, items)) return judged;
  const auto find = [this](graph::Node tie, graph::LinkEnd kept) { return rivals(tie, kept); };
  const NodePairs candidates = candidates_of(items, options_.candidates, find), ties = pairs_of(items);
  judged.ties.assign(items.begin(), items.end());
  judged.pairs = {};
  for (std::size_t i = 0; i < items.size(); ++i) {
    judged.pairs.add(ties, i);
    for (std::size_t c = 0; c + 1 < columns; ++c) judged.pairs.add(candidates, i * (columns - 1) + c);
  }
  judged.numbers = map_.apply(seen_.numbers(judged.pairs, map_.names()));
  return judged;
}

void LinkBatches::blank_places_without_candidates(std::span<const graph::Node> items) {
  const auto count = static_cast<Eigen::Index>(options_.candidates);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto blank = [&](graph::LinkEnd kept, Eigen::Index first) {
      const auto there = static_cast<Eigen::Index>(rival_count(items[i], kept));
      outputs_.row(static_cast<Eigen::Index>(i)).segment(first + there, count - there).setConstant(kNobody);
    };
    blank(graph::LinkEnd::source, 1);
    blank(graph::LinkEnd::target, 1 + count);
  }
}

/// All ties that are asked for see the same, so one pass over the network serves them.
autograd::Variable LinkBatches::judge(nn::Model& model, std::span<const graph::Node> items, autograd::Tape& tape) {
  outputs_.resize(static_cast<Eigen::Index>(items.size()), width());
  const Matrix nodes = seen_.encode(model);
  const std::size_t at_once = std::max<std::size_t>(1, kPairsAtOnce / static_cast<std::size_t>(width()));
  for (std::size_t begin = 0; begin < items.size(); begin += at_once) {
    check_interruption();
    const std::span<const graph::Node> some = items.subspan(begin, std::min(at_once, items.size() - begin));
    const Judged& judged = judged_of(some);
    const Matrix logits = seen_.read_out(model, nodes, judged.pairs, judged.numbers);
    const auto rows = static_cast<Eigen::Index>(some.size());
    outputs_.middleRows(static_cast<Eigen::Index>(begin), rows) =
        (Eigen::Map<const Matrix>(logits.data(), rows, width()).array() + map_.shift()).max(kNobody + 1);
  }
  blank_places_without_candidates(items);
  return tape.constant(outputs_);
}

}  // namespace edgewise::train
