#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/parallel.hpp"
#include "edgewise/io/mixture_parser.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/reaction_parser.hpp"
#include "edgewise/io/reaction_text.hpp"

namespace edgewise::data::detail {

struct MoleculeTexts {
  std::vector<std::string> texts;     ///< One per row; "" if there is a problem.
  std::vector<std::string> problems;  ///< One per row: "" if all is well, else RDKit's reason in one short line.
};

/// `text_of(text, problem)` for each row. Parallel over rows; the result does not depend on the number of threads.
template <class TextOf>
MoleculeTexts each_row(std::span<const std::string> texts, const TextOf& text_of) {
  MoleculeTexts result{std::vector<std::string>(texts.size()), std::vector<std::string>(texts.size())};
  constexpr std::size_t kRows = 64;
  parallel_for(texts.size(), kRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::string& problem = result.problems[i];
      io::run_rdkit([&] { result.texts[i] = text_of(texts[i], problem); }, problem);
    }
  });
  return result;
}

/// What a row says, a molecule, a reaction or several molecules: `of(molecule)`, or `of(parsed)` of what was parsed
/// without a problem. Returns the problem.
template <class Of>
std::string with_parsed(const std::string& text, const Of& of) {
  std::string problem;
  const auto use = [&](auto parsed) {
    problem = std::move(parsed.problem);
    if (problem.empty()) io::run_rdkit([&] { of(parsed); }, problem);
  };
  if (io::is_reaction(text)) {
    use(io::parse_reaction(text));
  } else if (io::is_mixture(text)) {
    use(io::parse_mixture(text));
  } else {
    io::ParsedMolecule parsed = io::parse_smiles(text);
    problem = std::move(parsed.problem);
    if (parsed.molecule) io::run_rdkit([&] { of(*parsed.molecule); }, problem);
  }
  return problem;
}

/// `of(molecule)`, or `of(parsed)` of a reaction or of several molecules, for each row: a text.
template <class Of>
MoleculeTexts each_molecule(std::span<const std::string> texts, const Of& of) {
  return each_row(texts, [&](const std::string& text, std::string& problem) {
    std::string made;
    problem = with_parsed(text, [&](auto& parsed) { made = of(std::as_const(parsed)); });
    return made;
  });
}

}  // namespace edgewise::data::detail
