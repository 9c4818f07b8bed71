#include "edgewise/train/model/applicability_domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/train/baselines/kernel_baseline.hpp"

namespace edgewise::train {
namespace {

using data::MoleculeBits;
using data::MoleculeProfile;

constexpr std::size_t kMostKept = 100'000;
constexpr std::size_t kKnownAtOnce = 16;
constexpr std::size_t kRareIn = 1000;  // a property of one in so many molecules is rare
constexpr char kFirstGap = '#', kLongGap = '~';  // printable characters; a quote is not among them

std::size_t rare_among(std::size_t molecules) { return molecules / kRareIn; }

std::size_t gap_limit() { return static_cast<std::size_t>(kLongGap - kFirstGap); }

/// The distances between set bits, a character each.
std::string to_text(const MoleculeBits& bits) {
  std::string text;
  std::size_t gap = 0;
  for (std::size_t bit = 0; bit < bits.size(); ++bit) {
    if (bits[bit]) {
      text += static_cast<char>(kFirstGap + static_cast<char>(gap));
      gap = 0;
    } else if (++gap == gap_limit()) {
      text += kLongGap;
      gap = 0;
    }
  }
  return text;
}

/// Throws UsageError for a text that `to_text` does not make.
MoleculeBits from_text(const std::string& text) {
  MoleculeBits bits;
  std::size_t bit = 0;
  for (const char letter : text) {
    if (letter < kFirstGap || letter > kLongGap) throw UsageError(fmt::format("no fingerprint: \"{}\"", text));
    bit += static_cast<std::size_t>(letter - kFirstGap);
    if (letter == kLongGap) continue;
    if (bit >= bits.size()) throw UsageError(fmt::format("a fingerprint of more than {} bits", bits.size()));
    bits.set(bit++);
  }
  return bits;
}

/// [rows, bits]
SparseMatrix counts_of(std::span<const MoleculeBits> rows) {
  SparseMatrix counts(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(MoleculeBits().size()));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    counts.startVec(static_cast<Eigen::Index>(row));
    for (std::size_t bit = 0; bit < rows[row].size(); ++bit)
      if (rows[row][bit]) counts.insertBack(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(bit)) = 1;
  }
  counts.finalize();
  counts.makeCompressed();
  return counts;
}

std::vector<bool> have_neighbours(const graph::Graph& graph) {
  std::vector<bool> found(graph.node_count(), false);
  const graph::EdgeList& edges = graph.edges();
  for (std::size_t e = 0; e < edges.sources.size(); ++e)
    if (edges.sources[e] != edges.targets[e]) found[edges.sources[e]] = found[edges.targets[e]] = true;
  return found;
}

}  // namespace

/// All but a few at each end.
ApplicabilityDomain::Range ApplicabilityDomain::Range::of(std::vector<int> values) {
  std::ranges::sort(values);
  const std::size_t rare = rare_among(values.size());
  return {values[rare], values[values.size() - 1 - rare]};
}

json::Value ApplicabilityDomain::Range::to_json() const { return json::Array{lowest, highest}; }

ApplicabilityDomain::Range ApplicabilityDomain::Range::from_json(const json::Value& value) {
  const json::Array& ends = value.as_array();
  if (ends.size() != 2) throw UsageError(fmt::format("{}: expected two ends", value.path()));
  const auto end = [&](std::size_t i) {
    constexpr std::int64_t kMost = 1 << 30;
    return static_cast<int>(std::clamp(ends[i].as_integer(), -kMost, kMost));
  };
  return {end(0), end(1)};
}

void DomainReport::add(std::size_t item, const std::string& reason) {
  constexpr std::size_t kLongest = 120;
  std::string& all = reasons[item];
  if (all.size() > kLongest || all.find(reason) != std::string::npos) return;
  all += all.empty() ? reason : "; " + reason;
  if (all.size() > kLongest) all += "; ...";
}

std::size_t DomainReport::unlike() const {
  return reasons.size() - static_cast<std::size_t>(std::ranges::count(reasons, ""));
}

ApplicabilityDomain ApplicabilityDomain::of_molecules(std::span<const std::string> smiles, bool with_novelty) {
  constexpr std::size_t kCompared = 1000;
  constexpr double kShareBelow = 0.01;
  const std::vector<MoleculeProfile> profiles = data::molecule_profiles(smiles);
  std::vector<int> sizes, parts, charges;
  std::map<std::string, std::size_t> atoms;
  for (const MoleculeProfile& profile : profiles) {
    if (!profile.is_readable()) continue;
    sizes.push_back(profile.size);
    parts.push_back(profile.parts);
    charges.push_back(profile.charge);
    for (const std::string& atom : profile.atoms) ++atoms[atom];
  }
  ApplicabilityDomain domain;
  if (sizes.empty()) return domain;
  for (const auto& [atom, count] : atoms)
    if (count > rare_among(sizes.size())) domain.atoms_.push_back(atom);
  domain.sizes_ = Range::of(sizes);
  domain.parts_ = Range::of(parts);
  domain.charges_ = Range::of(charges);
  const std::size_t step = (profiles.size() + kMostKept - 1) / kMostKept;
  for (std::size_t i = 0; i < profiles.size(); i += step)
    if (profiles[i].is_readable()) domain.add(profiles[i].bits);

  const std::size_t every = (domain.fingerprints_.size() + kCompared - 1) / kCompared;
  std::vector<double> similarities((domain.fingerprints_.size() + every - 1) / every);
  parallel_for(similarities.size(), kKnownAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const MoleculeBits& bits = domain.fingerprints_[i * every];
      similarities[i] = domain.nearest(bits, &bits);
    }
  });
  std::ranges::sort(similarities);
  domain.least_similarity_ =
      similarities[static_cast<std::size_t>(kShareBelow * static_cast<double>(similarities.size()))];
  if (!with_novelty) return domain;
  constexpr std::size_t kMostPivots = 1000;
  const SparseMatrix counts = counts_of(domain.fingerprints_);
  std::vector<graph::Node> rows(domain.fingerprints_.size());
  std::iota(rows.begin(), rows.end(), graph::Node{0});
  domain.keep_pivots(kernel_features(tanimoto_kernel(counts), rows, kMostPivots).pivots);
  return domain;
}

void ApplicabilityDomain::keep_pivots(std::vector<graph::Node> pivots) {
  std::vector<MoleculeBits> bits;
  for (const graph::Node pivot : pivots) bits.push_back(fingerprints_[pivot]);
  similar_ = KernelMap::tanimoto(counts_of(bits));
  pivots_ = std::move(pivots);
}

Matrix ApplicabilityDomain::novelty(std::span<const std::string> smiles) const {
  std::vector<MoleculeBits> bits;
  const std::vector<MoleculeProfile> profiles = data::molecule_profiles(smiles);
  for (const MoleculeProfile& profile : profiles) bits.push_back(profile.bits);
  Matrix novelty = unexplained(similar_->apply(counts_of(bits)));
  for (std::size_t row = 0; row < profiles.size(); ++row)
    if (!profiles[row].is_readable())
      novelty(static_cast<Eigen::Index>(row), 0) = std::numeric_limits<float>::quiet_NaN();
  return novelty;
}

void ApplicabilityDomain::add(const MoleculeBits& bits) {
  counts_.push_back(bits.count());
  fingerprints_.push_back(bits);
}

/// The largest Tanimoto similarity to a fingerprint other than `except`. Those with far more or fewer bits than what
/// was found already allows are passed over.
double ApplicabilityDomain::nearest(const MoleculeBits& bits, const MoleculeBits* except) const {
  const std::size_t count = bits.count();
  double best = 0;
  for (std::size_t i = 0; i < fingerprints_.size(); ++i) {
    const auto [fewer, more] = std::minmax(count, counts_[i]);
    if (static_cast<double>(fewer) <= best * static_cast<double>(more) || &fingerprints_[i] == except) continue;
    best = std::max(best, data::tanimoto(bits, fingerprints_[i]));
  }
  return best;
}

std::string ApplicabilityDomain::reason_against(const MoleculeProfile& profile, double similarity) const {
  std::string reason;
  const auto add = [&](const std::string& one) { reason += reason.empty() ? one : "; " + one; };
  for (const std::string& atom : profile.atoms)
    if (!std::ranges::binary_search(atoms_, atom)) add(fmt::format("{} is new", atom));
  const auto compare = [&](int value, const char* what, const Range& range) {
    if (!range.holds(value))
      add(fmt::format("{} {}, in training {}{}", what, value, range.lowest,
                      range.highest > range.lowest ? fmt::format(" to {}", range.highest) : ""));
  };
  compare(profile.size, "size", sizes_);
  compare(profile.parts, "parts", parts_);
  compare(profile.charge, "charge", charges_);
  if (similarity < least_similarity_)
    add(fmt::format("similarity {:.2f}, in training {:.2f}", similarity, least_similarity_));
  return reason;
}

DomainReport ApplicabilityDomain::compare(std::span<const std::string> smiles) const {
  DomainReport result;
  if (!is_of_molecules()) return result;
  result.similarity.assign(smiles.size(), std::numeric_limits<float>::quiet_NaN());
  result.reasons.resize(smiles.size());
  parallel_for(smiles.size(), kKnownAtOnce, [&](std::size_t begin, std::size_t end) {
    const std::vector<MoleculeProfile> profiles = data::molecule_profiles(smiles.subspan(begin, end - begin));
    for (std::size_t i = begin; i < end; ++i) {
      const MoleculeProfile& profile = profiles[i - begin];
      if (!profile.is_readable()) continue;
      const double similarity = nearest(profile.bits);
      result.similarity[i] = static_cast<float>(similarity);
      result.reasons[i] = reason_against(profile, similarity);
    }
  });
  return result;
}

ApplicabilityDomain ApplicabilityDomain::of_nodes(const graph::Graph& graph, std::span<const graph::Node> training) {
  constexpr std::size_t kFew = 100;
  const std::vector<bool> found = have_neighbours(graph);
  ApplicabilityDomain domain;
  domain.has_nodes_ = true;
  const auto isolated =
      static_cast<std::size_t>(std::ranges::count_if(training, [&](graph::Node node) { return !found[node]; }));
  domain.has_isolated_ = isolated * kFew > training.size();
  return domain;
}

DomainReport ApplicabilityDomain::compare(const graph::Graph& graph) const {
  DomainReport result;
  result.reasons.resize(graph.node_count());
  if (!has_nodes_ || has_isolated_) return result;
  const std::vector<bool> found = have_neighbours(graph);
  for (std::size_t node = 0; node < found.size(); ++node)
    if (!found[node]) result.reasons[node] = "no neighbours";
  return result;
}

json::Value ApplicabilityDomain::to_json() const {
  json::Value value;
  if (!is_of_molecules()) {
    value.set("isolated_nodes", has_isolated_);
    return value;
  }
  json::Array fingerprints;
  for (const MoleculeBits& bits : fingerprints_) fingerprints.emplace_back(to_text(bits));
  value.set("fingerprints", std::move(fingerprints));
  value.set("atoms", atoms_);
  value.set("sizes", sizes_.to_json());
  value.set("parts", parts_.to_json());
  value.set("charges", charges_.to_json());
  value.set("least_similarity", least_similarity_);
  const std::vector<std::int64_t> numbers(pivots_.begin(), pivots_.end());
  if (has_novelty()) value.set("pivots", json::Array(numbers.begin(), numbers.end()));
  return value;
}

ApplicabilityDomain ApplicabilityDomain::from_json(const json::Value& value) {
  try {
    ApplicabilityDomain domain;
    if (const json::Value* isolated = value.find("isolated_nodes")) {
      domain.has_nodes_ = true;
      domain.has_isolated_ = isolated->as_bool();
      return domain;
    }
    for (const json::Value& text : value.at("fingerprints").as_array()) {
      domain.add(from_text(text.as_string()));
    }
    domain.atoms_ = value.at("atoms").as_strings();
    if (!std::ranges::is_sorted(domain.atoms_)) throw UsageError("atoms: expected them in order");
    domain.sizes_ = Range::from_json(value.at("sizes"));
    domain.parts_ = Range::from_json(value.at("parts"));
    domain.charges_ = Range::from_json(value.at("charges"));
    domain.least_similarity_ = value.at("least_similarity").as_number();
    if (const json::Value* pivots = value.find("pivots")) {
      std::vector<graph::Node> rows;
      for (const json::Value& pivot : pivots->as_array()) {
        const std::int64_t row = pivot.as_integer();
        if (row < 0 || row >= static_cast<std::int64_t>(domain.fingerprints_.size()))
          throw UsageError(fmt::format("pivots: {} of {} molecules", row, domain.fingerprints_.size()));
        rows.push_back(static_cast<graph::Node>(row));
      }
      domain.keep_pivots(std::move(rows));
    }
    return domain;
  } catch (const UsageError& error) {
    throw ModelError(fmt::format("known_ground: {}", error.what()));
  }
}

}  // namespace edgewise::train
