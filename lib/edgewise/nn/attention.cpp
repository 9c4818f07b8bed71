#include "edgewise/nn/attention.hpp"

#include "edgewise/nn/dot_product.hpp"
#include "edgewise/nn/gat.hpp"
#include "edgewise/nn/gatv2.hpp"

namespace edgewise::nn {

namespace {

std::unique_ptr<Block> make_attention(const AttentionOptions& options, BuildContext& context) {
  switch (options.score) {
    case attention::Score::gat:
      return make_gat(options, context);
    case attention::Score::gatv2:
    case attention::Score::bahdanau:
      return make_gatv2(options, context);
    case attention::Score::dot_product:
      break;
  }
  return make_dot_product(options, context);
}

}  // namespace

Attention::Attention(const AttentionOptions& options, BuildContext& context)
    : block_(make_attention(options, context)) {}

}  // namespace edgewise::nn
