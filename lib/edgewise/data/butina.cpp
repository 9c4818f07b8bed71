#include "edgewise/data/butina.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "edgewise/core/parallel.hpp"

namespace edgewise::data {
namespace {

constexpr std::uint32_t kInNone = std::numeric_limits<std::uint32_t>::max();

/// Tells molecules that are similar enough, most of them by the numbers of their bits alone.
class Likeness {
 public:
  Likeness(std::span<const MoleculeBits> molecules, double similarity) : molecules_(molecules), least_(similarity) {
    for (const MoleculeBits& bits : molecules) counts_.push_back(static_cast<double>(bits.count()));
  }

  bool holds(std::size_t a, std::size_t b) const {
    const auto [fewer, more] = std::minmax(counts_[a], counts_[b]);
    return fewer >= least_ * more && tanimoto(molecules_[a], molecules_[b]) >= least_;
  }

 private:
  std::span<const MoleculeBits> molecules_;
  double least_;
  std::vector<double> counts_;
};

}  // namespace

std::vector<std::uint32_t> butina_clusters(std::span<const MoleculeBits> molecules, double similarity) {
  const std::size_t rows = molecules.size();
  const Likeness are_alike(molecules, similarity);
  std::vector<std::size_t> neighbours(rows, 0);
  constexpr std::size_t kRows = 64;
  parallel_for(rows, kRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      for (std::size_t other = 0; other < rows; ++other) neighbours[row] += are_alike.holds(row, other) ? 1 : 0;
  });
  std::vector<std::uint32_t> order(rows), centres(rows, kInNone);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t row) { return neighbours[row]; });
  for (const std::uint32_t centre : order) {
    if (centres[centre] != kInNone) continue;
    for (std::size_t row = 0; row < rows; ++row)
      if (centres[row] == kInNone && (row == centre || are_alike.holds(centre, row))) centres[row] = centre;
  }
  return centres;
}

std::vector<std::uint32_t> butina_clusters(std::span<const std::string> smiles) {
  constexpr double kSimilarity = 0.4;
  std::vector<MoleculeBits> molecules;
  for (const MoleculeProfile& profile : molecule_profiles(smiles)) molecules.push_back(profile.bits);
  return butina_clusters(molecules, kSimilarity);
}

}  // namespace edgewise::data
