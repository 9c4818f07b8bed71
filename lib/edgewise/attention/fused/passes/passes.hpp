#pragma once

#include "edgewise/attention/fused/passes/any_passes.hpp"
#include "edgewise/attention/fused/passes/destination_pass.hpp"
#include "edgewise/attention/fused/passes/forward.hpp"
#include "edgewise/attention/fused/passes/source_pass.hpp"

/// @file
/// The passes of a score, each compiled for the layouts of the most common models, including last layers with 8 heads
/// of up to 4 classes or one head of up to a vector of classes, and for any size.
namespace edgewise::attention::fused {

/// The layout of a pass that reads numbers of heads, but no columns.
template <class Layout>
struct HeadsOf {
  using Type = Layout;
};
template <int kHeads, int kWidth>
  requires(kHeads > 0)
struct HeadsOf<Layout<kHeads, kWidth>> {
  using Type = Layout<kHeads, kLanes>;
};

template <class Score>
class Passes : public AnyPasses {
 public:
  Passes(const Steps<Score>& normaliser, const Score& score)
      : AnyPasses({Score::kIsPerHead, Score::kHasVector, score.scale, normaliser.sums_to_one}),
        normaliser_(normaliser),
        score_(score) {}

  void attend(const Group& group, const ChunkRange& rows, float* kept) const override {
    const Problem<Score> problem{group, score_};
    with_layout_of(group, [&]<bool kHasEdges, class Layout>(const Layout& layout) {
      ForwardPass<Score, Layout, kHasEdges>(problem, layout, normaliser_, rows.traversal)
          .run(rows.first_chunk, rows.end_chunk, kept);
    });
  }

  void weigh(const Group& group, float* weights) const override {
    const Problem<Score> problem{group, score_};
    const Traversal rows{group.mask.incoming, Tiles(group.mask.incoming_chunks)};
    if (group.has_edges())
      ForwardPass<Score, AnyLayout, true>(problem, group.layout, normaliser_, rows).weights(weights);
    else
      ForwardPass<Score, AnyLayout, false>(problem, group.layout, normaliser_, rows).weights(weights);
  }

  void differentiate_sources(const Group& group, const ChunkRange& rows, const Gradients& gradients,
                             Rows<const float> statistics, const KeptNumbers& kept,
                             const PartialSums& partial) const override {
    const Problem<Score> problem{group, score_};
    with_layout_of(group, [&]<bool kHasEdges, class Layout>(const Layout& layout) {
      SourcePass<Score, Layout, kHasEdges>(problem, layout, normaliser_, rows.traversal, gradients, statistics)
          .run(rows.first_chunk, rows.end_chunk, kept, partial);
    });
  }

  void differentiate_destinations(const Group& group, Rows<float> gradient, const graph::BlockedEdges* blocks,
                                  const KeptGradients& kept, RowProgress* progress,
                                  Rows<float> unfinished) const override {
    const Problem<Score> problem{group, score_};
    with_layout_of(group, [&]<bool kHasEdges, class Layout>(const Layout& layout) {
      if constexpr (Score::kIsPerHead) {
        using Heads = typename HeadsOf<Layout>::Type;
        DestinationPass<Score, Heads, false>(problem, {layout.heads(), layout.width()}, gradient, blocks)
            .run(kept, progress, unfinished);
      } else {
        DestinationPass<Score, Layout, kHasEdges>(problem, layout, gradient, blocks).run(kept, progress, unfinished);
      }
    });
  }

 private:
  /// Calls body.operator()<kHasEdges>(layout).
  template <class Body>
  static void with_layout_of(const Group& group, const Body& body) {
    if (group.has_edges())
      with_layout<Layout<4, 16>, Layout<8, 8>, Layout<1, kLanes>>(
          group.layout, [&](const auto& layout) { body.template operator()<true>(layout); });
    else
      with_layout<Layout<4, 16>, Layout<8, 8>, Layout<1, kLanes>, Layout<4, 32>, Layout<1, 64>, Layout<8, 4>>(
          group.layout, [&](const auto& layout) { body.template operator()<false>(layout); });
  }

  const Steps<Score>& normaliser_;
  Score score_;
};

}  // namespace edgewise::attention::fused
