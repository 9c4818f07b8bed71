#include "edgewise/data/split_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/similar_node.hpp"
#include "edgewise/io/text_writer.hpp"

namespace edgewise::data {
namespace {

constexpr std::string_view kRoles = "train, validation (val, valid, dev), test (eval) or none";

/// Gives nodes the roles that texts say. Only all texts together tell what "eval" means.
class RoleReader {
 public:
  explicit RoleReader(std::size_t nodes) : split_(nodes, Role::none) {}

  /// False for a text that is no role.
  bool add(std::size_t node, std::string_view text) {
    const std::optional<Role> role = parse_role(text);
    if (!role) return false;
    split_[node] = *role;
    if (is_evaluation_part(text))
      evaluated_.push_back(node);
    else
      has_test_ = has_test_ || *role == Role::test;
    return true;
  }

  Split finish() {
    if (has_test_)
      for (const std::size_t node : evaluated_) split_[node] = Role::validation;
    return std::move(split_);
  }

 private:
  Split split_;
  std::vector<std::size_t> evaluated_;
  bool has_test_ = false;
};

struct SplitColumns {
  std::size_t node = 0;
  std::size_t role = 0;
  bool has_codes = false;
};

SplitColumns find_columns(const std::vector<std::string>& header, const io::CsvReader& reader) {
  const auto position = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  SplitColumns columns;
  for (const std::string_view name : {"id", "node"})
    if (position(name) < header.size()) columns.node = position(name);
  columns.has_codes = position("split_codes") < header.size();
  columns.role = position(columns.has_codes ? "split_codes" : "split");
  if (columns.role == header.size())
    throw DataError(reader.where(), "expected a column \"split\" or \"split_codes\"");
  return columns;
}

Role role_of_code(char code, const TextLocation& where) {
  switch (code) {
    case 't': return Role::train;
    case 'v': return Role::validation;
    case 'e': return Role::test;
    case '-': return Role::none;
    default: throw DataError(where, fmt::format("expected codes t, v, e and -, got {}", io::quote({&code, 1})));
  }
}

void require_train(const std::vector<Split>& splits, const std::string& path) {
  if (splits.empty()) throw DataError(fmt::format("{}: no node has a role", path));
  for (std::size_t k = 0; k < splits.size(); ++k)
    if (std::find(splits[k].begin(), splits[k].end(), Role::train) == splits[k].end())
      throw DataError(fmt::format("{}: split {} has no node to train on", path, k + 1));
}

}  // namespace

std::vector<Split> read_splits(const std::string& path, const graph::NodeNames& names) {
  io::CsvReader reader(path);
  const std::vector<std::string> usual = {"id", "node", "split", "split_codes"};
  const SplitColumns columns = find_columns(io::read_header(reader, usual, "a header with node and split"), reader);

  std::vector<Split> splits;
  std::optional<RoleReader> roles;
  std::vector<std::uint64_t> line_of(names.size(), 0);
  while (reader.next()) {
    const std::string_view name = reader.fields()[columns.node], text = reader.fields()[columns.role];
    const std::optional<graph::Node> node = names.find(name);
    if (!node) throw DataError(reader.where(), fmt::format("node {} is not in the graph{}", io::quote(name),
                                                           io::similar_node_hint(names, name)));
    if (line_of[*node] != 0)
      throw DataError(reader.where(),
                      fmt::format("node {} has a role in line {} already", io::quote(name), line_of[*node]));
    line_of[*node] = reader.line();
    if (!columns.has_codes) {
      if (!roles) roles.emplace(names.size());
      if (!roles->add(*node, text))
        throw DataError(reader.where(), fmt::format("expected {}, got {}", kRoles, io::quote(text)));
      continue;
    }
    if (splits.empty()) splits.assign(text.size(), Split(names.size(), Role::none));
    if (text.size() != splits.size())
      throw DataError(reader.where(), fmt::format("expected {} codes, got {}", splits.size(), text.size()));
    for (std::size_t k = 0; k < text.size(); ++k) splits[k][*node] = role_of_code(text[k], reader.where());
  }
  if (roles) splits.push_back(roles->finish());
  require_train(splits, path);
  return splits;
}

void write_split(const std::string& path, const graph::NodeNames& names, const Split& split) {
  if (split.size() != names.size())
    throw DataError(fmt::format("{}: {} roles for {} nodes", path, split.size(), names.size()));
  write_file_atomically(path, [&](std::ostream& out) {
    out << "node,split\n";
    for (std::size_t node = 0; node < split.size(); ++node)
      out << io::csv_field(names[static_cast<graph::Node>(node)]) << ',' << role_name(split[node]) << '\n';
  });
}

Split split_from_column(const io::NodeTable& table, std::string_view column_name) {
  const io::Column& column = table.at(column_name);
  RoleReader roles(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (const std::string text = column.text(row); !roles.add(row, text))
      throw DataError(table.where(row),
                      fmt::format("column \"{}\": expected {}, got {}", column_name, kRoles, io::quote(text)));
  Split split = roles.finish();
  if (std::find(split.begin(), split.end(), Role::train) == split.end())
    throw DataError(fmt::format("{}: column \"{}\" has no node to train on", table.file, column_name));
  return split;
}

}  // namespace edgewise::data
