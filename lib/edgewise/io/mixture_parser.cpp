#include "edgewise/io/mixture_parser.hpp"

#include <GraphMol/RWMol.h>
#include <fmt/format.h>

#include <utility>

namespace edgewise::io {

ParsedMixture parse_mixture(const std::string& text, std::span<const std::string> names) {
  const MixtureText mixture = split_mixture(text, names);
  ParsedMixture result{
      .parts = {}, .is_sum = mixture.is_sum, .has_amounts = mixture.has_amounts, .problem = mixture.problem};
  for (const MixturePart& part : mixture.parts) {
    ParsedMixture::Part& made = result.parts.emplace_back();
    if (part.smiles.empty() || !result.problem.empty()) continue;
    ParsedMolecule parsed = parse_smiles(part.smiles);
    if (!parsed.problem.empty())
      result.problem = fmt::format("{}: {}", name_of_part(part.place, names), parsed.problem);
    if (part.share == 0) continue;
    made.parsed = std::move(parsed);
    made.share = part.share;
  }
  return result;
}

}  // namespace edgewise::io
