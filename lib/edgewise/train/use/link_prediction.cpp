#include "edgewise/train/use/link_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <ostream>
#include <span>
#include <unordered_map>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/io/text_writer.hpp"
#include "edgewise/train/inputs/link_batches.hpp"
#include "edgewise/train/loop/ensemble.hpp"
#include "edgewise/train/loop/predict.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kPairsAtOnce = 1 << 16;

NodePairs piece_of(const NodePairs& pairs, std::size_t begin, std::size_t end) {
  NodePairs piece;
  for (std::size_t i = begin; i < end; ++i) piece.add(pairs, i);
  return piece;
}

/// Of the features that each kind of model gets.
std::vector<std::shared_ptr<const LinkFeatures>> features_of(const ModelData& loaded) {
  if (!loaded.trained.links || !loaded.data.links) throw ModelError("links: the model is not one of ties");
  report_step("reading the network");
  std::vector<std::shared_ptr<const LinkFeatures>> alike;
  for (const TrainedModel* trained : components_of(loaded.trained))
    alike.push_back(std::make_shared<const LinkFeatures>(
        link_features(loaded.data, trained->features, loaded.inputs[alike.size()].features)));
  return alike;
}

/// The last field of a row.
std::string csv_list(const PairNames& names, std::span<const graph::Node> nodes) {
  std::string text;
  for (const graph::Node node : nodes) text += fmt::format("{}{}", text.empty() ? "" : "|", names.of_source(node));
  return text.empty() ? "," : fmt::format(",{}", io::csv_field(text));
}

/// The last member of an object.
std::string json_list(const PairNames& names, std::span<const graph::Node> nodes) {
  std::string text;
  for (const graph::Node node : nodes)
    text += fmt::format("{}{}", text.empty() ? "" : ",", io::json_string(names.of_source(node)));
  return fmt::format(",\"common_neighbours\":[{}]", text);
}

}  // namespace

LinkScorer::LinkScorer(ModelData& loaded, const std::vector<bool>& is_seen)
    : LinkScorer(loaded, is_seen, features_of(loaded)) {}

LinkScorer LinkScorer::seeing(const std::vector<bool>& is_seen) const {
  AllFeatures alike;
  for (const Component& component : components_) alike.push_back(component.alike);
  return LinkScorer(loaded_, is_seen, alike);
}

LinkScorer::LinkScorer(ModelData& loaded, const std::vector<bool>& is_seen, const AllFeatures& alike)
    : loaded_(loaded) {
  std::size_t next = 0;
  for (TrainedModel* trained : components_of(loaded.trained)) {
    const ModelInput& input = loaded.inputs[next];
    auto graph = std::make_unique<LinkGraph>(loaded.data, input.features, input.graph, *alike[next], is_seen);
    Component component{.trained = trained,
                        .alike = alike[next],
                        .graph = std::move(graph),
                        .models = {&trained->model},
                        .nodes = {}};
    for (nn::Model& other : trained->other_members) component.models.push_back(&other);
    for (nn::Model* model : component.models) component.nodes.push_back(component.graph->encode(*model));
    components_.push_back(std::move(component));
    ++next;
  }
}

std::vector<float> LinkScorer::probabilities(const NodePairs& pairs) {
  std::vector<double> sums(pairs.size());
  double count = 0;
  for (Component& component : components_) {
    const LinkMap& map = *component.trained->links;
    for (std::size_t begin = 0; begin < pairs.size(); begin += kPairsAtOnce) {
      check_interruption();
      const NodePairs piece = piece_of(pairs, begin, std::min(pairs.size(), begin + kPairsAtOnce));
      const Matrix numbers = map.apply(component.graph->numbers(piece, map.names(), graph::OwnTie::omit));
      for (std::size_t m = 0; m < component.models.size(); ++m) {
        Matrix outputs = component.graph->read_out(*component.models[m], component.nodes[m], piece, numbers);
        outputs.array() += map.shift();
        const Matrix values = to_predictions(component.trained->task, outputs, {});
        check_finite(values);
        const double weight = 1.0 / static_cast<double>(component.models.size());
        for (std::size_t i = 0; i < piece.size(); ++i)
          sums[begin + i] += weight * values(static_cast<Eigen::Index>(i), 0);
      }
    }
    ++count;
  }
  std::vector<float> probabilities;
  for (const double sum : sums) probabilities.push_back(static_cast<float>(sum / count));
  return probabilities;
}

const graph::NodeNames& LinkScorer::source_names() const {
  return loaded_.data.kinds ? loaded_.data.kinds->items : names();
}

const Matrix& LinkScorer::embeddings() const {
  for (const Component& component : components_)
    if (component.nodes.front().cols() > 0) return component.nodes.front();
  return components_.front().nodes.front();
}

Matrix judge_links(ModelData& loaded, const data::Split& split) {
  Ensemble mean;
  std::size_t next = 0;
  for (TrainedModel* trained : components_of(loaded.trained)) {
    const ModelInput& input = loaded.inputs[next++];
    LinkBatches batches(loaded.data, input.features, input.graph, split,
                        link_features(loaded.data, trained->features, input.features));
    batches.set_numbers(*trained->links);
    mean.add(predict(*trained, batches));
  }
  return mean.mean();
}

LinkTable score_links(LinkScorer& scorer, NodePairs pairs) {
  LinkTable table;
  table.probabilities = scorer.probabilities(pairs);
  table.ranks.resize(pairs.size());
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return table.probabilities[i]; });
  std::unordered_map<graph::Node, std::size_t> counts;
  for (const std::size_t i : order) table.ranks[i] = ++counts[pairs.sources[i]];
  for (std::size_t i = 0; i < pairs.size(); ++i)
    table.are_known.push_back(scorer.ties().contains(pairs.sources[i], pairs.targets[i]));
  table.pairs = std::move(pairs);
  return table;
}

void add_common_neighbours(const LinkScorer& scorer, std::size_t most, LinkTable& table) {
  if (scorer.links().has_two_sides)
    throw UsageError(fmt::format("{}: ties lead from one kind of nodes to another, so that no node has ties with both "
                                 "ends of a pair",
                                 setting("common_neighbours")));
  const graph::Ties& ties = scorer.ties();
  table.common.resize(table.pairs.size());
  for (std::size_t i = 0; i < table.pairs.size(); ++i) {
    std::vector<graph::Node>& common = table.common[i];
    std::ranges::set_intersection(ties.neighbours(table.pairs.sources[i]), ties.neighbours(table.pairs.targets[i]),
                                  std::back_inserter(common));
    std::ranges::stable_sort(common, {}, [&](graph::Node node) { return ties.degree(node); });
    common.resize(std::min(common.size(), most));
  }
}

void write_links(std::ostream& out, io::ResultFormat format, const PairNames& names, const LinkTable& table) {
  const bool is_csv = format == io::ResultFormat::csv, has_common = !table.common.empty();
  if (is_csv) out << "source,target,probability,rank,known" << (has_common ? ",common_neighbours\n" : "\n");
  for (std::size_t i = 0; i < table.pairs.size(); ++i) {
    const std::string_view source = names.of_source(table.pairs.sources[i]),
                           target = names.of_target(table.pairs.targets[i]);
    const std::string probability = io::number_text(table.probabilities[i]);
    if (is_csv)
      out << fmt::format("{},{},{},{},{}", io::csv_field(source), io::csv_field(target), probability, table.ranks[i],
                         table.are_known[i] ? "yes" : "no");
    else
      out << fmt::format("{{\"source\":{},\"target\":{},\"probability\":{},\"rank\":{},\"known\":{}",
                         io::json_string(source), io::json_string(target), probability, table.ranks[i],
                         table.are_known[i] ? "true" : "false");
    if (has_common) out << (is_csv ? csv_list(names, table.common[i]) : json_list(names, table.common[i]));
    out << (is_csv ? "\n" : "}\n");
  }
}

void write_links(const std::string& path, const PairNames& names, const LinkTable& table) {
  const io::ResultFormat format = io::result_format(path);
  io::write_text(path, [&](std::ostream& out) { write_links(out, format, names, table); });
}

}  // namespace edgewise::train
