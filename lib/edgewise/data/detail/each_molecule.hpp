#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/core/parallel.hpp"
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

/// `of_molecule(molecule)`, or for a reaction `of_reaction(parsed)`, for each row.
template <class OfMolecule, class OfReaction>
MoleculeTexts each_molecule(std::span<const std::string> texts, const OfMolecule& of_molecule,
                            const OfReaction& of_reaction) {
  return each_row(texts, [&](const std::string& text, std::string& problem) {
    if (io::is_reaction(text)) {
      const io::ParsedReaction parsed = io::parse_reaction(text);
      problem = parsed.problem;
      return problem.empty() ? of_reaction(parsed) : std::string();
    }
    const io::ParsedMolecule parsed = io::parse_smiles(text);
    problem = parsed.problem;
    return parsed.molecule ? of_molecule(*parsed.molecule) : std::string();
  });
}

}  // namespace edgewise::data::detail
