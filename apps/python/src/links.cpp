#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/train/use/link_suggestions.hpp"
#include "jobs.hpp"
#include "model.hpp"
#include "tables.hpp"

namespace edgewise::python {
namespace {

/// Pairs of nodes by their names, row by row.
struct Links {
  std::vector<std::string> sources, targets;
  std::vector<float> probabilities;
  std::vector<std::size_t> ranks;
  std::vector<bool> are_known;
  std::vector<std::string> notes = {};
};

Links with_names(train::LinkTable table, const train::PairNames& names) {
  Links links{.sources = {},
              .targets = {},
              .probabilities = std::move(table.probabilities),
              .ranks = std::move(table.ranks),
              .are_known = std::move(table.are_known)};
  for (std::size_t pair = 0; pair < table.pairs.size(); ++pair) {
    links.sources.emplace_back(names.of_source(table.pairs.sources[pair]));
    links.targets.emplace_back(names.of_target(table.pairs.targets[pair]));
  }
  return links;
}

graph::Node found_in_pair(std::optional<graph::Node> node, const std::string& name, const std::string& one_of) {
  if (!node) throw UsageError(fmt::format("pairs: \"{}\" is not {}", name, one_of));
  return *node;
}

/// Calls ask(scorer), which gives a table, with a model of ties on the data of `over`.
template <class Ask>
Links ask_about_links(const Model& model, const std::string& over, const Tables& tables, const Ask& ask) {
  const Inputs found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  std::vector<std::string> notes;
  train::OpenModel open = train::open_model(model.restore(), request_of(model, over));
  if (!open.trained.links)
    throw ModelError(fmt::format("{}: the model says what nodes or graphs are, not which ties there are", model.name));
  train::ModelData loaded = train::load_model_data(std::move(open), train::Needs::features, into(notes));
  train::LinkScorer scorer(loaded);
  Links links = with_names(ask(scorer), scorer.pair_names());
  links.notes = std::move(notes);
  return links;
}

Links score(const Model& model, const std::string& over, const Tables& tables, const std::vector<std::string>& sources,
            const std::vector<std::string>& targets) {
  return ask_about_links(model, over, tables, [&](train::LinkScorer& scorer) {
    const train::PairNames names = scorer.pair_names();
    train::NodePairs pairs;
    for (std::size_t pair = 0; pair < sources.size(); ++pair) {
      pairs.add(found_in_pair(names.source(sources[pair]), sources[pair], names.one_of_sources()),
                found_in_pair(names.target(targets[pair]), targets[pair], names.one_of_targets()));
      if (pairs.sources.back() == pairs.targets.back())
        throw UsageError(fmt::format("pairs: \"{}\" beside itself, expected two different nodes", sources[pair]));
    }
    return train::score_links(scorer, std::move(pairs));
  });
}

/// To the nodes `wanted`, or to all.
Links suggest(const Model& model, const std::string& over, const Tables& tables,
              const std::optional<std::vector<std::string>>& wanted, std::int64_t top) {
  if (top < 1) throw UsageError(fmt::format("top: expected 1 or more, got {}", top));
  return ask_about_links(model, over, tables, [&](train::LinkScorer& scorer) {
    train::SuggestionOptions options{.top = static_cast<std::size_t>(top)};
    if (wanted) options.nodes = find_all("nodes_to_predict", *wanted, scorer.source_names());
    return train::suggest_links(scorer, options).table;
  });
}

}  // namespace

void bind_links(nb::module_& module, nb::class_<Model>& model) {
  model
      .def("score_links", &score, nb::arg("over"), nb::arg("tables"), nb::arg("sources"), nb::arg("targets"))
      .def("suggest", &suggest, nb::arg("over"), nb::arg("tables"), nb::arg("wanted").none(), nb::arg("top"));
  nb::class_<Links>(module, "Links")
      .def_ro("sources", &Links::sources)
      .def_ro("targets", &Links::targets)
      .def_ro("probabilities", &Links::probabilities)
      .def_ro("ranks", &Links::ranks)
      .def_ro("known", &Links::are_known)
      .def_ro("notes", &Links::notes);
}

}  // namespace edgewise::python
