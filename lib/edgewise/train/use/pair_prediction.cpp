#include "edgewise/train/use/pair_prediction.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/train/source/pair_data.hpp"

namespace edgewise::train {
namespace {

const PairMap& map_of(const ModelData& loaded) { return *loaded.trained.pairs; }

PairSide sources_of(const ModelData& loaded) {
  return map_of(loaded).sources(*loaded.data.pairs, loaded.config.longest);
}

/// [targets, sources]: the mean over the heads of one layer, for a single pair.
Matrix mean_over_heads(const nn::AttentionRecord& record, std::size_t targets, std::size_t sources) {
  const Eigen::VectorXf means = record.weights.rowwise().mean();
  return Eigen::Map<const Matrix>(means.data(), static_cast<Eigen::Index>(targets), static_cast<Eigen::Index>(sources));
}

}  // namespace

std::vector<std::vector<Writing>> predict_pairs(ModelData& loaded, const SearchOptions& options) {
  return write(loaded.trained.model, map_of(loaded), sources_of(loaded), options);
}

std::vector<std::vector<Writing>> predict_texts(TrainedModel trained, const std::string& name,
                                                std::vector<std::string> sources, const SearchOptions& options) {
  if (!trained.pairs) throw ModelError(fmt::format("{}: the model was not trained on pairs", name));
  if (!trained.data.source_rows.empty())
    throw ModelError(fmt::format("{}: the model was trained on sources that are rows of numbers, not texts", name));
  ModelData loaded{.trained = std::move(trained)};
  loaded.config = loaded.trained.data;
  loaded.data = pairs_of_texts(loaded.config, std::move(sources));
  return predict_pairs(loaded, options);
}

AlignedWriting align_pair(ModelData& loaded, std::size_t pair, const SearchOptions& options) {
  const PairItems& pairs = *loaded.data.pairs;
  nn::Model& model = loaded.trained.model;
  const data::Vocabulary& vocabulary = map_of(loaded).target();
  if (!model.uses_mask("source"))
    throw UsageError("explain: the model does not look at its source again, so there is no alignment");
  const auto item = static_cast<graph::Node>(pair);
  const PairSide source = sources_of(loaded).select({&item, 1});
  const Hypothesis best = search(model, source, options).front().front();
  PairSide target{.columns = static_cast<int>(vocabulary.size())};
  std::vector<std::int32_t> tokens = best.tokens;
  tokens.insert(tokens.begin(), data::Vocabulary::kMark);
  target.add(tokens);
  PairBatches batches(source, target);
  std::vector<graph::Node> rows(tokens.size());
  std::iota(rows.begin(), rows.end(), graph::Node{0});
  std::vector<nn::AttentionRecord> records;
  autograd::Tape tape(false);
  batches.forward(model, {.tape = tape, .attention = &records}, rows);
  AlignedWriting result{.written = {vocabulary.decode(best.tokens), best.log_probability}, .alignment = {}};
  io::Alignment& alignment = result.alignment;
  alignment.sources = map_of(loaded).source_tokens(pairs, pair);
  for (const std::int32_t token : PairMap::next_tokens(target))
    alignment.targets.push_back(vocabulary.names()[static_cast<std::size_t>(token)]);
  for (const nn::AttentionRecord& record : records) {
    if (record.mask != kSource) continue;
    alignment.layers.push_back(record.layer);
    alignment.weights.push_back(mean_over_heads(record, alignment.targets.size(), alignment.sources.size()));
  }
  return result;
}

Metrics evaluate_pairs(ModelData& loaded, std::span<const graph::Node> items, const SearchOptions& options) {
  const PairItems& pairs = *loaded.data.pairs;
  const PairSide sources = sources_of(loaded);
  const PairSide targets = map_of(loaded).targets(pairs, loaded.config.longest);
  Metrics metrics = {{"accuracy", token_accuracy(loaded.trained.model, sources.select(items), targets.select(items))}};
  for (auto& metric : writing_metrics(loaded.trained.model, map_of(loaded), pairs, sources, items, options))
    metrics.push_back(std::move(metric));
  return metrics;
}

}  // namespace edgewise::train
