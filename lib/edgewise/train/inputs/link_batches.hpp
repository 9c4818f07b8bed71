#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgewise/graph/link_candidates.hpp"
#include "edgewise/train/inputs/absent_ties.hpp"
#include "edgewise/train/inputs/link_graph.hpp"
#include "edgewise/train/inputs/link_map.hpp"
#include "edgewise/train/loop/batches.hpp"
#include "edgewise/train/loop/sampling.hpp"

namespace edgewise::train {

/// How ties are learnt and judged.
struct LinkOptions {
  std::size_t negatives = 2;     ///< Pairs without a tie for each tie, drawn in each epoch.
  std::size_t candidates = 100;  ///< Nodes for each end of a tie, among which its rank is found, if there are so many.
};

/// Pairs, of which the first `ties` are ties, and the numbers of each.
struct LinkSample {
  Matrix numbers;
  std::size_t ties = 0;

  std::size_t size() const { return static_cast<std::size_t>(numbers.rows()); }
};

/// Batches of the ties of one network. The training ties are cut into tenths at random. A step asks for one of these,
/// and sees the others alone: no tie is among its own evidence. The first output of a row is of the tie, the others are
/// of pairs without a tie in the training, in which one end is another node. Validation and test ties see all ties of
/// training, and no others; their candidates are the same for all models: LinkOptions::candidates in place of the
/// target, then as many in place of the source, none of them a known tie of any part. Where there are fewer such nodes,
/// each of them is there once.
class LinkBatches : public Batches {
 public:
  /// All must outlive this. `alike` as for LinkGraph.
  LinkBatches(const Dataset& data, const data::Features& features, const graph::FrozenGraph& frozen,
              const data::Split& split, LinkFeatures alike, const LinkOptions& options = {});

  /// Which pairs without a tie are learnt from: TrainOptions::negatives. Those of a file are drawn from it: of those
  /// that share an end with the tie; if none does, pairs are drawn, with a note. Throws as read_absent_ties.
  void set_negatives(const std::string& text, const NoteHook& note);
  /// Steps are over so many ties, and see samples of the edges around them; validation and test see all edges. Throws
  /// UsageError unless it is of neighbours.
  void set_sampling(const Sampling& sampling);
  /// Gives models these numbers of links, scaled by those of a sample of the training.
  const LinkMap& fit_numbers(std::vector<std::string> names, std::uint64_t seed);
  void set_numbers(LinkMap map) { map_ = std::move(map); }
  /// Training ties, at most so many, and pairs without a tie for each, as a step sees them.
  LinkSample training_sample(std::span<const std::string> names, std::size_t negatives, std::size_t most,
                             std::uint64_t seed);
  /// Ties of another part, beside so many pairs without a tie for each end: some of their candidates or, if
  /// set_negatives says which, such as are learnt from.
  LinkSample sample_of(std::span<const graph::Node> items, std::span<const std::string> names, std::size_t negatives,
                       std::uint64_t seed);

  const LinkGraph& seen() const { return seen_; }

  std::size_t item_count() const override { return links_.size(); }
  bool hides_items() const override { return true; }
  std::vector<graph::Node> items_to_predict() const override;
  Eigen::Index output_columns(const nn::Model&) const override { return width(); }
  void check_fits(const nn::Model& model) const override;
  std::vector<std::vector<graph::Node>> training_batches(const nn::Model& model, std::vector<graph::Node> items,
                                                         std::uint64_t seed, std::uint64_t epoch) override;
  autograd::Variable forward(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items) override;

 private:
  /// Ties and their candidates, row by row, with what the model gets of them.
  struct Judged {
    std::vector<graph::Node> ties;
    NodePairs pairs;
    Matrix numbers;
  };

  Eigen::Index width() const { return static_cast<Eigen::Index>(1 + 2 * options_.candidates); }
  std::size_t fold_of(graph::Node tie) const;
  LinkGraph& without_fold(std::size_t fold);
  std::vector<std::vector<graph::Node>> by_fold(std::span<const graph::Node> items) const;
  NodePairs pairs_of(std::span<const graph::Node> items) const;
  NodePairs negatives_of(std::span<const graph::Node> items, std::size_t count, std::uint64_t seed,
                         std::uint64_t epoch) const;
  bool shares_end_with_absent(graph::Node tie) const;
  std::optional<graph::Node> other_end(graph::Node tie, graph::LinkEnd kept, std::uint64_t seed) const;
  std::vector<graph::Node> drawn_candidates(graph::Node tie, graph::LinkEnd kept, std::size_t count) const;
  std::vector<graph::Node> rivals(graph::Node tie, graph::LinkEnd kept) const;
  std::size_t rival_count(graph::Node tie, graph::LinkEnd kept) const;
  template <class Find>
  NodePairs candidates_of(std::span<const graph::Node> items, std::size_t count, const Find& find) const;
  autograd::Variable train_on(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items);
  autograd::Variable judge(nn::Model& model, std::span<const graph::Node> items, autograd::Tape& tape);
  const Judged& judged_of(std::span<const graph::Node> items);
  void blank_places_without_candidates(std::span<const graph::Node> items);

  const Dataset& data_;
  const data::Features& features_;
  const graph::FrozenGraph& frozen_;
  const LinkItems& links_;
  const data::Split& split_;
  LinkFeatures alike_;
  LinkOptions options_;
  graph::Ties known_;  // of all parts: none of them is a candidate
  graph::LinkCandidates candidates_;
  LinkGraph seen_;
  graph::LinkCandidates negatives_;  // of the ties that are seen
  graph::CandidateWay way_ = graph::CandidateWay::uniform;
  std::optional<graph::Ties> absent_;  // in place of drawn ones
  std::optional<graph::NeighbourSampling> sampling_;
  std::map<std::size_t, std::unique_ptr<LinkGraph>> folds_;
  LinkMap map_;
  std::uint64_t epoch_ = 0;
  std::map<graph::Node, Judged> judged_;  // by the first tie of a piece: validation ties are judged in every epoch
  // Of the last pass.
  NodePairs pairs_;
  Matrix numbers_;
  Matrix outputs_;
};

}  // namespace edgewise::train
