#include "edgewise/train/loop/sampling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/nn/presets.hpp"

namespace edgewise::train {
namespace {

constexpr const char* kUsage = "expected fan-outs such as 15,10, clusters:64/4 or walks:3000x2";

[[noreturn]] void refuse_sample(const std::string& text, const char* expected = kUsage) {
  throw UsageError(fmt::format("training.sample: {}, got \"{}\"", expected, text));
}

/// Whole numbers from 1 on between the `separator`s; nothing if there is something else.
std::optional<std::vector<std::uint32_t>> numbers_of(std::string_view text, char separator) {
  std::vector<std::uint32_t> numbers;
  while (true) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 1 || number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return numbers;
    if (text.front() != separator) return std::nullopt;
    text.remove_prefix(1);
  }
}

/// The two numbers of "name:ASB", where S is the separator; nothing for a text that begins otherwise.
std::optional<std::pair<std::uint32_t, std::uint32_t>> pair_of(const std::string& text, std::string_view name,
                                                               char separator) {
  if (!text.starts_with(name)) return std::nullopt;
  const auto numbers = numbers_of(std::string_view(text).substr(name.size()), separator);
  if (!numbers || numbers->size() != 2) refuse_sample(text);
  return std::pair((*numbers)[0], (*numbers)[1]);
}

/// Whether a model of this preset, with its defaults, can be trained on samples.
bool can_be_sampled(const std::string& preset) {
  const std::optional<nn::PresetTraits> traits = nn::find_preset(preset);
  if (!traits || traits->writes || !traits->uses_graph) return false;
  return nn::Model(json::Object{{"preset", preset}}, {.inputs = 1, .outputs = 1}, 0).sampled_steps().has_value();
}

}  // namespace

Sampling read_sampling(const std::string& text, bool replace, std::int64_t batch_size) {
  if (replace && (text.starts_with("clusters:") || text.starts_with("walks:")))
    throw UsageError(
        fmt::format("training.replace: is for sampled neighbours, such as {} 15,10", setting("training.sample")));
  if (const auto clusters = pair_of(text, "clusters:", '/')) {
    const auto [count, at_once] = *clusters;
    if (count < at_once || count % at_once != 0)
      refuse_sample(text, "expected a number of clusters that those at once divide, as in clusters:64/4");
    return graph::ClusterSampling{.clusters = count, .at_once = at_once};
  }
  if (const auto walks = pair_of(text, "walks:", 'x'))
    return graph::WalkSampling{.roots = walks->first, .length = walks->second};
  const auto fan_outs = numbers_of(text, ',');
  if (!fan_outs) refuse_sample(text);
  return graph::NeighbourSampling{.fan_outs = *fan_outs,
                                  .replace = replace,
                                  .batch_size = static_cast<std::size_t>(batch_size)};
}

std::unique_ptr<graph::Sampler> make_sampler(graph::EdgeRows whole, const Sampling& sampling) {
  if (const auto* clusters = std::get_if<graph::ClusterSampling>(&sampling)) {
    const std::size_t nodes = whole.node_count();
    if (clusters->clusters > nodes)
      throw UsageError(
          fmt::format("training.sample: expected at most as many clusters as the {} nodes, got {}", nodes,
                      clusters->clusters));
    return graph::sample_clusters(std::move(whole), *clusters);
  }
  if (const auto* walks = std::get_if<graph::WalkSampling>(&sampling))
    return graph::sample_walks(std::move(whole), *walks);
  return graph::sample_neighbours(std::move(whole), std::get<graph::NeighbourSampling>(sampling));
}

void check_sampling(const Sampling& sampling, const nn::Model& model) {
  const std::optional<std::size_t> steps = model.sampled_steps();
  if (!steps) {
    std::vector<std::string> names = nn::preset_names();
    std::erase_if(names, [](const std::string& name) { return !can_be_sampled(name); });
    throw UsageError(fmt::format("training.sample: the model does not only follow edges, as {} do by default; it sees "
                                 "all nodes, their order or another mask",
                                 fmt::join(names, ", ")));
  }
  const auto* neighbours = std::get_if<graph::NeighbourSampling>(&sampling);
  if (neighbours == nullptr || neighbours->fan_outs.size() == 1 || neighbours->fan_outs.size() == *steps) return;
  throw UsageError(fmt::format("training.sample: expected {}, one for each step of the model along the edges, or one "
                               "for all, got {}",
                               counted(*steps, "fan-out"), neighbours->fan_outs.size()));
}

}  // namespace edgewise::train
