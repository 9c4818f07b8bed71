#include "edgewise/train/use/domain_report.hpp"

#include <string>
#include <vector>

namespace edgewise::train {
namespace {

/// The texts that are what a model of the items takes; "" for the others.
std::vector<std::string> readable_texts(const GraphItems& items) {
  std::vector<std::string> texts = items.smiles;
  for (std::size_t row = 0; row < items.problems.size(); ++row)
    if (!items.problems[row].empty()) texts[row].clear();
  return texts;
}

/// What is said of each molecule, for each of its nodes.
DomainReport spread_over_atoms(const DomainReport& molecules, std::span<const graph::Node> offsets) {
  DomainReport report;
  for (std::size_t m = 0; m + 1 < offsets.size(); ++m) {
    const std::size_t nodes = offsets[m + 1] - offsets[m];
    report.similarity.insert(report.similarity.end(), nodes, molecules.similarity[m]);
    report.reasons.insert(report.reasons.end(), nodes, molecules.reasons[m]);
  }
  return report;
}

}  // namespace

DomainReport domain_report_of(const TrainedModel& trained, const Dataset& data) {
  const ApplicabilityDomain& domain = trained.applicability_domain;
  const GraphItems* molecules = data.molecules();
  const bool are_molecules = molecules != nullptr;
  if (data.frozen || domain.is_empty() || domain.is_of_molecules() != are_molecules || (data.graphs && !are_molecules))
    return {};
  DomainReport report = are_molecules ? domain.compare(readable_texts(*molecules)) : domain.compare(data.graph);
  if (data.atoms) return spread_over_atoms(report, molecules->offsets);
  if (data.kinds) report.reasons.resize(data.items().size());  // the first nodes
  const auto add = [&](std::size_t item, const std::string& reason) { report.add(item, reason); };
  for (const TrainedModel* kind : components_of(trained))
    are_molecules ? kind->descriptors.find_unlike(data.table, add) : kind->features.find_unlike(data, add);
  return report;
}

}  // namespace edgewise::train
