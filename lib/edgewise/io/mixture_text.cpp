#include "edgewise/io/mixture_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

constexpr std::string_view kOrdered = " & ", kSum = " + ";

/// A SMILES does not start with a digit, so that what does is an amount before a blank.
MixturePart mixture_part(std::string_view text) {
  MixturePart part;
  const bool has_amount = !text.empty() && text.front() != '[' && text.find_first_of("0123456789.") == 0;
  const std::size_t blank = has_amount || text.starts_with("-") ? text.find(' ') : text.npos;
  if (blank != text.npos) {
    part.amount = text.substr(0, blank);
    text.remove_prefix(blank + 1);
  }
  if (text != kNoMolecule) part.smiles = text;
  return part;
}

/// How messages call a molecule, and its amount.
struct PartName {
  std::string molecule, amount;
};

/// Sets the amount of a part; without amounts 1 if it is there. Returns the problem.
std::string read_part(const MixturePart& part, const PartName& name, bool has_amounts, double& amount) {
  const bool is_absent = part.smiles.empty();
  if (part.smiles.find(kOrdered) != part.smiles.npos || part.smiles.find(kSum) != part.smiles.npos)
    return fmt::format("{}: expected one SMILES", name.molecule);
  amount = is_absent || has_amounts ? 0 : 1;
  if (!has_amounts || (is_absent && part.amount.empty())) return "";
  if (part.amount.empty()) return fmt::format("{}: no amount, but a molecule", name.amount);
  const bool is_number = parse_number(part.amount, amount) == NumberFault::none;
  if (!is_number || amount < 0)
    return fmt::format("{}: expected a number of at least 0, got {}", name.amount, quote(part.amount));
  return is_absent && amount > 0 ? fmt::format("{}: an amount, but no molecule", name.amount) : "";
}

/// Puts the parts of a sum in an order that does not depend on how their SMILES are written.
void sort_parts(std::vector<MixturePart>& parts) {
  using Key = std::tuple<std::string, std::string, std::size_t>;
  std::vector<Key> keys;
  for (std::size_t i = 0; i < parts.size(); ++i)
    keys.emplace_back(canonical_text(parts[i].smiles), parts[i].amount, i);
  std::ranges::sort(keys);
  std::vector<MixturePart> sorted;
  for (const Key& key : keys) sorted.push_back(std::move(parts[std::get<2>(key)]));
  parts = std::move(sorted);
}

bool has_amount(const MixturePart& part) { return !part.amount.empty(); }

PartName name_of(std::size_t place, std::size_t count, std::span<const std::string> names) {
  const std::string molecule = name_of_part(place, names);
  return {molecule, names.size() > count ? names[count + place] : fmt::format("amount of {}", molecule)};
}

}  // namespace

std::string write_mixture(std::span<const MixturePart> parts, bool is_sum) {
  std::string text;
  for (const MixturePart& part : parts) {
    if (!text.empty()) text += is_sum ? kSum : kOrdered;
    if (!part.amount.empty()) text += part.amount + ' ';
    text += part.smiles.empty() ? std::string(kNoMolecule) : part.smiles;
  }
  return '{' + text + '}';
}

std::string set_shares(std::span<MixturePart> parts, std::span<const std::string> names) {
  const auto is_absent = [](const MixturePart& part) { return part.smiles.empty(); };
  const bool has_amounts = names.size() > parts.size() || std::ranges::any_of(parts, has_amount);
  std::vector<double> amounts(parts.size(), 0);
  double sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const PartName name = name_of(parts[i].place, parts.size(), names);
    if (std::string problem = read_part(parts[i], name, has_amounts, amounts[i]); !problem.empty()) return problem;
    sum += amounts[i];
  }
  if (std::ranges::all_of(parts, is_absent)) return "no molecule in the row";
  if (sum == 0) return "all amounts are 0";
  if (std::isinf(sum)) return "the sum of the amounts is too large";
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i].share = static_cast<float>(has_amounts ? amounts[i] / sum : amounts[i]);
  return "";
}

MixtureText split_mixture(std::string_view text, std::span<const std::string> names) {
  MixtureText mixture;
  if (!is_mixture(text) || !text.ends_with('}')) {
    mixture.problem = "expected several molecules, as {CCO & O}";
    return mixture;
  }
  const std::string_view inner = text.substr(1, text.size() - 2);
  mixture.is_sum = inner.find(kSum) != inner.npos;
  const std::string_view separator = mixture.is_sum ? kSum : kOrdered;
  for (std::size_t begin = 0; begin <= inner.size();) {
    const std::size_t end = std::min(inner.find(separator, begin), inner.size());
    mixture.parts.push_back(mixture_part(inner.substr(begin, end - begin)));
    mixture.parts.back().place = mixture.parts.size() - 1;
    begin = end + separator.size();
  }
  mixture.has_amounts = std::ranges::any_of(mixture.parts, has_amount);
  if (!names.empty() && names.size() != mixture.parts.size()) {
    mixture.problem = fmt::format("expected {} molecules, got {}", names.size(), mixture.parts.size());
    return mixture;
  }
  if (mixture.is_sum) sort_parts(mixture.parts);
  mixture.problem = set_shares(mixture.parts, names);
  return mixture;
}

std::string name_of_part(std::size_t place, std::span<const std::string> names) {
  return place < names.size() ? names[place] : fmt::format("molecule {}", place + 1);
}

}  // namespace edgewise::io
