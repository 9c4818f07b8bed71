#include "edgewise/train/choose/choice_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "edgewise/core/setting.hpp"

namespace edgewise::train {
namespace {

bool is_cheaper(const PlannedModel& a, const PlannedModel& b) { return a.work.total() < b.work.total(); }

/// Moves what exceeds the limit to those left out.
void leave_out(ChoicePlan& plan) {
  std::vector<PlannedModel> kept;
  double sum = 0;
  bool has_network = false;
  for (PlannedModel& model : plan.models) {
    sum += model.work.total();
    const bool is_first_network = !model.is_baseline && !has_network;
    has_network = has_network || !model.is_baseline;
    (sum <= plan.limit || is_first_network ? kept : plan.left_out).push_back(std::move(model));
  }
  plan.models = std::move(kept);
}

}  // namespace

double ChoicePlan::total() const {
  double sum = 0;
  for (const PlannedModel& model : models) sum += model.work.total();
  return sum;
}

ChoicePlan plan_choice(const Config& config, const Dataset& data, const std::vector<ModelConfig>& networks,
                       const std::vector<std::string>& baselines, double most) {
  const bool smooths = config.correct_and_smooth == Smoothing::automatic && !data.has_many_graphs() && !data.links &&
                       !data.kinds;
  std::map<std::string, int> counts;  // of models of each preset
  const auto planned = [&](const ModelConfig& model) {
    const std::string& preset = model.name();
    PlannedModel one{.variant = {.model = preset, .number = ++counts[preset]},
                     .model = model,
                     .is_baseline = model.is_baseline(),
                     .work = work_of(model, config, data)};
    if (smooths && !model.has_no_model()) one.work.edges += work_of_smoothing(data).edges;
    return one;
  };
  ChoicePlan plan;
  const auto add_baselines = [&] {
    for (const std::string& name : baselines) plan.models.push_back(planned(ModelConfig::named(name)));
  };
  if (data.links) add_baselines();
  for (const ModelConfig& model : networks) plan.models.push_back(planned(model));
  if (!data.links) add_baselines();
  const bool is_asked_for = config.model.candidates().has_value();
  const bool has_budget = !config.budget.empty();
  plan.limit = has_budget || is_asked_for ? 0 : most;
  plan.is_limited = has_budget || (plan.limit > 0 && plan.total() > plan.limit);
  plan.baselines_last = !plan.is_limited && !data.links;
  if (!plan.is_limited) return plan;
  std::ranges::stable_sort(plan.models, is_cheaper);
  if (plan.limit > 0) leave_out(plan);
  return plan;
}

Work expected_work(const ChoicePlan& plan, const Dataset& data) {
  Work work;
  for (const PlannedModel& planned : plan.models) {
    const Work one = expected_work(planned.model, planned.work, data);
    work.rows += one.rows;
    work.edges += one.edges;
  }
  return work;
}

std::string left_out_note(const ChoicePlan& plan, const Dataset& data) {
  if (plan.left_out.empty()) return "";
  std::vector<std::string> names;
  for (const PlannedModel& model : plan.left_out) names.push_back(model.name());
  const bool is_one = names.size() == 1;
  const std::string& preset = plan.left_out.front().variant.model;
  if (plan.limit == 0)
    return fmt::format("left out for lack of time: {}; a larger {} or {} {} trains {}", fmt::join(names, ", "),
                       setting("training.budget"), setting("model.preset"), preset, is_one ? "it" : "them");
  const std::size_t edges = data.graph.edge_count(), nodes = data.graph.node_count();
  return fmt::format("left out as too expensive for {} {}: {}; {} 4h or {} {} trains {}",
                     grouped(edges > 0 ? edges : nodes), edges > 0 ? "edges" : "nodes", fmt::join(names, ", "),
                     setting("training.budget"), setting("model.preset"), preset, is_one ? "it" : "them");
}

}  // namespace edgewise::train
