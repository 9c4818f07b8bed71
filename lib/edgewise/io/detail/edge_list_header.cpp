#include "edgewise/io/detail/edge_list_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "edgewise/io/detail/node_kinds.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io::detail {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

/// Names that are no nodes.
constexpr Names kPlain[] = {{"source", "target"}, {"src", "dst"}, {"from", "to"}, {":START_ID", ":END_ID"}};

/// Names of ends, whatever their place. Both are compared as `core_of` leaves them.
constexpr Names kRoles[] = {
    {"source", "target"}, {"source", "destination"}, {"source", "dest"}, {"source", "sink"}, {"src", "dst"},
    {"src", "dest"}, {"src", "tgt"}, {"src", "target"}, {"from", "to"}, {"origin", "destination"}, {"orig", "dest"},
    {"citing", "cited"}, {"cites", "cited"}, {"sender", "receiver"}, {"sender", "recipient"},
    {"follower", "followee"}, {"follower", "followed"}, {"follower", "following"}, {"caller", "callee"},
    {"caller", "receiver"}, {"calling", "called"}, {"payer", "payee"}, {"lender", "borrower"}, {"giver", "receiver"},
    {"donor", "recipient"}, {"rater", "ratee"}, {"rater", "rated"}, {"voter", "votee"}, {"voter", "candidate"},
    {"truster", "trustee"}, {"trustor", "trustee"}, {"ego", "alter"}, {"manager", "employee"}, {"mentor", "mentee"},
    {"reviewer", "reviewee"}, {"nominator", "nominee"}, {"predator", "prey"}, {"host", "parasite"},
    {"ligand", "receptor"}, {"regulator", "target"}, {"tf", "target"}, {"drug", "target"}, {"exporter", "importer"},
    {"winner", "loser"}, {"supplier", "customer"}, {"supplier", "consumer"}, {"client", "server"},
    {"importer", "imported"}, {"dependent", "dependency"}, {"package", "dependency"},
    {"predecessor", "successor"}, {"ancestor", "descendant"}, {"upstream", "downstream"}, {"hyponym", "hypernym"},
    {"author", "paper"}, {"user", "item"}, {"user", "movie"}, {"user", "product"}, {"customer", "product"},
    {"user", "friend"}, {"person", "friend"}, {"retweeter", "retweeted"}, {"mentioning", "mentioned"},
    {"replier", "replied"}};

/// Names of the first two columns, in this order or the other: which of them is the source, the file says.
constexpr Names kNeighbours[] = {
    {"parent", "child"}, {"head", "tail"}, {"buyer", "seller"}, {"subject", "object"}, {"start", "end"},
    {"begin", "end"}, {"first", "second"}, {"left", "right"}, {"in", "out"}, {"input", "output"}, {"u", "v"},
    {"i", "j"}, {"x", "y"}, {"a", "b"}, {"s", "t"}, {"p", "q"}, {"ego", "friend"}, {"row", "col"},
    {"row", "column"}, {"node", "neighbor"}, {"node", "neighbour"}, {"node", "link"}, {"word", "context"},
    {"team", "opponent"}, {"home", "away"}, {"gene", "disease"}, {"gene", "pathway"}, {"drug", "disease"},
    {"drug", "gene"}, {"term", "gene"}, {"mother", "child"}, {"father", "child"}, {"husband", "wife"},
    {"teacher", "student"}, {"advisor", "student"}, {"self", "other"}, {"this", "that"}, {"person", "group"},
    {"member", "group"}, {"actor", "movie"}, {"user", "group"}, {"student", "course"}, {"reporter", "partner"}};

/// What tells two names such as "gene1" and "gene2" apart.
constexpr std::pair<char, char> kCounters[] = {{'1', '2'}, {'a', 'b'}, {'x', 'y'}, {'i', 'j'}, {'0', '1'}, {'u', 'v'},
                                               {'s', 't'}};

constexpr std::string_view kAround[] = {"nodes", "node", "ids", "id", "name", "vertex", "key", "index", "idx", "label",
                                        "user", "paper", "account", "entity", "person", "protein", "gene", "number",
                                        "uid", "code", "ip", "address", "airport", "station", "country", "city"};

/// What the names of two columns of nodes have in common, wherever in the header they are.
constexpr std::string_view kNodeStems[] = {"id", "node", "vertex", "name", "protein", "gene", "user", "person",
                                           "author", "entity", "interactor", "symbol", "uniprot", "page", "paper"};

/// Letters and digits of an ASCII name, in lower case.
std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) text += c;
    if (c >= 'A' && c <= 'Z') text += static_cast<char>(c - 'A' + 'a');
    if (static_cast<unsigned char>(c) >= 0x80) text += c;
  }
  return text;
}

/// "source" for "Source Node ID".
std::string core_of(std::string_view name) {
  std::string core = plain(name);
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const std::string_view word : kAround) {
      if (core.size() <= word.size()) continue;
      const bool at_start = core.starts_with(word);
      if (!at_start && !core.ends_with(word)) continue;
      core.erase(at_start ? 0 : core.size() - word.size(), word.size());
      is_changed = true;
    }
  }
  return core;
}

std::optional<std::size_t> place_of(std::span<const std::string> names, std::string_view name) {
  const auto found = std::ranges::find_if(names, [&](const std::string& n) { return equals_ignoring_case(n, name); });
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::optional<Endpoints> find_pair(std::span<const std::string> names, std::span<const Names> pairs) {
  for (const auto& [source, target] : pairs) {
    const auto first = place_of(names, source), second = place_of(names, target);
    if (first && second) return Endpoints(*first, *second);
  }
  return std::nullopt;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

/// What two names such as "gene1" and "gene2", "geneA" and "geneB" share before the counter that tells them apart;
/// nothing if they differ in any other way.
std::optional<std::string> shared_stem(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || std::ranges::none_of(a, is_letter)) return std::nullopt;
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin());
  if (x == a.end() || !std::equal(x + 1, a.end(), y + 1)) return std::nullopt;
  const std::string first = plain({x, x + 1}), second = plain({y, y + 1});
  if (first.empty() || second.empty() || std::ranges::count(kCounters, std::pair(first[0], second[0])) == 0)
    return std::nullopt;
  const bool is_apart = x == a.begin() || !is_letter(*(x - 1)) || (is_capital(*x) && !is_capital(*(x - 1)));
  if (is_letter(*x) && !is_apart) return std::nullopt;
  return plain({a.begin(), x});
}

bool ends_with_node(const std::string& stem) {
  return std::ranges::any_of(kNodeStems, [&](std::string_view word) { return stem.ends_with(word); });
}

/// The first two names from `begin` on, or any two about nodes, that differ by a counter.
std::optional<Endpoints> find_counted(std::span<const std::string> names, std::size_t begin, bool are_leading) {
  const std::size_t end = are_leading ? std::min(names.size(), begin + 2) : names.size();
  for (std::size_t i = begin; i < end; ++i)
    for (std::size_t j = i + 1; j < end; ++j)
      if (const auto stem = shared_stem(names[i], names[j]); stem && (are_leading || ends_with_node(*stem)))
        return Endpoints(i, j);
  return std::nullopt;
}

bool are_neighbours(std::string_view a, std::string_view b) {
  return std::ranges::any_of(kNeighbours, [&](const Names& names) {
    return (names.first == a && names.second == b) || (names.first == b && names.second == a);
  });
}

/// Whether this holds for a field of these columns after the first row.
template <class Is>
bool any_other_name(const EdgeListSample& sample, const Endpoints& ends, Is is) {
  return std::any_of(sample.rows.begin() + 1, sample.rows.end(), [&](const SampleRow& row) {
    return std::ranges::any_of(std::array{ends.first, ends.second}, [&](std::size_t column) {
      return column < row.fields.size() && is(plain(row.fields[column]));
    });
  });
}

/// Whether these two fields of the first row look like names of columns, and no other row has such names.
bool are_names_of_columns(std::span<const std::string> first, const Endpoints& ends, const EdgeListSample& sample) {
  const std::string source = plain(first[ends.first]), target = plain(first[ends.second]);
  const std::string stem = shared_stem(first[ends.first], first[ends.second]).value_or("");
  return !any_other_name(sample, ends, [&](const std::string& name) {
    if (name == source || name == target) return true;
    const bool has_stem = !stem.empty() && name.size() > stem.size() && name.starts_with(stem);
    return has_stem && (name.size() == stem.size() + 1 || (name[stem.size()] >= '0' && name[stem.size()] <= '9'));
  });
}

/// Whether all other rows, of which there are some, have numbers in this column.
bool has_numbers_below(const EdgeListSample& sample, std::size_t column) {
  constexpr std::size_t kFewestRows = 4;
  return sample.rows.size() > kFewestRows &&
         std::all_of(sample.rows.begin() + 1, sample.rows.end(), [&](const SampleRow& row) {
           return column < row.fields.size() && is_number(row.fields[column]);
         });
}

std::size_t first_named(std::span<const std::string> header) {
  const bool is_unnamed = !header.empty() && (header[0].empty() || header[0] == fmt::format("{}1", kUnnamedColumn));
  return is_unnamed ? 1 : 0;
}

}  // namespace

std::optional<Endpoints> find_endpoints(std::span<const std::string> all) {
  constexpr std::size_t kMostNames = 50;  // compared with each other
  const std::span header = all.first(std::min(all.size(), kMostNames));
  const std::size_t begin = first_named(header);
  if (const auto usual = find_pair(all, kPlain)) return usual;
  if (const auto leading = find_counted(header, begin, true)) return leading;
  std::vector<std::string> cores;
  std::ranges::transform(header, std::back_inserter(cores), core_of);
  if (const auto roles = find_pair(cores, kRoles)) return roles;
  if (const auto counted = find_counted(header, begin, false)) return counted;
  if (cores.size() > begin + 1 && (are_neighbours(cores[begin], cores[begin + 1]) ||
                                   are_neighbours(plain(header[begin]), plain(header[begin + 1])) ||
                                   name_two_kinds(header[begin], header[begin + 1])))
    return Endpoints(begin, begin + 1);
  return std::nullopt;
}

bool names_columns(std::span<const std::string> first, std::span<const std::string_view> second,
                   const EdgeListSample& sample) {
  if (find_pair(first, kPlain)) return true;
  if (first.size() > 2 && first.front().empty()) return true;  // the corner over row numbers of pandas and R
  if (std::any_of(first.begin(), first.end(), is_number)) return false;
  if (second.size() > 1) {
    const bool are_numbers = is_number(second[0]) && is_number(second[1]);
    if (are_numbers || std::any_of(second.begin() + 2, second.end(), is_number)) return true;
    if (has_numbers_below(sample, 0) || has_numbers_below(sample, 1)) return true;
  }
  if (second.empty())  // no row tells them from names of nodes
    return find_counted(first, 0, false) || (first.size() > 1 && name_two_kinds(first[0], first[1]));
  const auto ends = find_endpoints(first);
  return ends && are_names_of_columns(first, *ends, sample);
}

}  // namespace edgewise::io::detail
