#include "edgewise/train/model/pair_writing.hpp"

#include <numeric>
#include <unordered_map>

#include "edgewise/core/observer.hpp"
#include "edgewise/train/loop/text_metrics.hpp"

namespace edgewise::train {

std::vector<std::vector<Writing>> write(nn::Model& model, const PairMap& map, const PairSide& sources,
                                        const SearchOptions& options) {
  report_step("writing");
  std::vector<std::vector<Writing>> all;
  for (const std::vector<Hypothesis>& hypotheses : search(model, sources, options)) {
    all.emplace_back();
    for (const Hypothesis& one : hypotheses)
      all.back().push_back({.text = map.target().decode(one.tokens), .log_probability = one.log_probability});
  }
  return all;
}

double token_accuracy(nn::Model& model, const PairSide& sources, const PairSide& targets) {
  PairBatches batches(sources, targets);
  batches.check_fits(model);
  const std::vector<std::int32_t> next = PairMap::next_tokens(targets);
  std::vector<graph::Node> items(batches.item_count());
  std::iota(items.begin(), items.end(), graph::Node{0});
  autograd::Tape tape(false);
  std::size_t right = 0;
  for (const std::vector<graph::Node>& part : batches.of_evaluation(model, items)) {
    check_interruption();
    tape.reset();
    const std::vector<std::int32_t> predicted = predicted_classes(batches.forward(model, {.tape = tape}, part).value());
    for (std::size_t i = 0; i < part.size(); ++i) right += predicted[i] == next[part[i]] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(items.size());
}

Metrics writing_metrics(nn::Model& model, const PairMap& map, const PairItems& pairs, const PairSide& sources,
                        std::span<const graph::Node> items, const SearchOptions& options) {
  if (items.empty()) return {};
  std::unordered_map<std::string_view, std::size_t> places;
  std::vector<graph::Node> firsts;
  std::vector<References> references;
  for (const graph::Node item : items) {
    const auto [place, is_new] = places.emplace(pairs.texts.sources[item], references.size());
    if (is_new) {
      firsts.push_back(item);
      references.emplace_back();
    }
    references[place->second].push_back(pairs.texts.targets[item]);
  }
  std::vector<std::string> texts;
  for (const std::vector<Writing>& written : write(model, map, sources.select(firsts), options))
    texts.push_back(written.empty() ? "" : written.front().text);
  const double right = sequence_accuracy(texts, references);
  return {{"sequence_accuracy", right}, {"word_error_rate", 1 - right}, {"bleu", bleu(texts, references)}};
}

}  // namespace edgewise::train
