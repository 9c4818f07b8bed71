#include "edgewise/io/edge_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "edgewise/core/setting.hpp"
#include "edgewise/io/detail/edge_feature.hpp"
#include "edgewise/io/detail/edge_list_check.hpp"
#include "edgewise/io/detail/edge_list_doubts.hpp"
#include "edgewise/io/detail/edge_list_header.hpp"
#include "edgewise/io/detail/edge_list_sample.hpp"
#include "edgewise/io/detail/edge_types.hpp"
#include "edgewise/io/detail/foreign_format.hpp"
#include "edgewise/io/detail/neo4j_header.hpp"
#include "edgewise/io/detail/node_kinds.hpp"
#include "edgewise/io/node_table.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/similar_node.hpp"

namespace edgewise::io {
namespace {

using Fields = std::span<const std::string_view>;

constexpr std::array<std::string_view, 2> kWeightNames = {"weight", "value"};

constexpr std::size_t kJudgedBytes = std::size_t{1} << 16;  // judged to see what the file is

std::optional<std::size_t> find_usual(const std::vector<std::string>& names, std::string_view usual) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (equals_ignoring_case(names[i], usual)) return i;
  return std::nullopt;
}

bool names_a_wanted_column(const std::vector<std::string>& row, const EdgeListOptions& options) {
  std::vector<std::string> wanted = options.feature_columns;
  wanted.insert(wanted.end(), {options.source_column, options.target_column, options.weight_column,
                               options.preferred_source, options.preferred_target, options.preferred_weight});
  return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
    return !name.empty() && !parse_index(name) && std::find(row.begin(), row.end(), name) != row.end();
  });
}

/// `second` is the row after `first`, or empty if there is none.
bool is_header(const std::vector<std::string>& first, Fields second, const detail::EdgeListSample& sample,
               const EdgeListOptions& options) {
  if (options.header != HeaderRow::automatic) return options.header == HeaderRow::yes;
  return names_a_wanted_column(first, options) || detail::names_columns(first, second, sample) ||
         find_kinds(first, options.source_kind, options.target_kind);
}

/// The names of the columns if a comment before the first row holds them, else nothing. The first row is the current
/// record. Counts other comments like rows.
std::vector<std::string> take_commented_header(const CsvReader& reader, const detail::EdgeListSample& sample,
                                               const EdgeListOptions& options, CommentedRows& rows) {
  const std::vector<std::string> row(reader.fields().begin(), reader.fields().end());
  const auto has_known_name = [&](const std::vector<std::string>& fields) {
    return detail::find_endpoints(fields) || names_a_wanted_column(fields, options);
  };
  const bool may_have_header = options.header == HeaderRow::automatic && !is_header(row, Fields(), sample, options);
  std::vector<std::string> header;
  for (const CommentedRecord& comment : reader.commented_records()) {
    const bool is_last = &comment == &reader.commented_records().back();
    if (is_last && may_have_header && comment.could_be_header &&
        is_header(comment.fields, reader.fields(), sample, options) &&
        (has_known_name(comment.fields) || !comment.may_be_prose))
      header = comment.fields;
    else if (!comment.may_be_prose && rows.count++ == 0)
      rows.first_line = comment.line;
  }
  return header;
}

/// The meaning of each field of a row.
struct EdgeColumns {
  std::size_t source = 0;
  std::size_t target = 1;
  std::optional<std::size_t> weight;
  std::optional<std::size_t> type;
  std::vector<std::size_t> features;
  std::vector<std::string> names;
  bool are_ends_requested = false;
  bool are_ends_named = false;  // by the header, in the usual way or as preferred
};

std::optional<std::size_t> choose_weight(const std::vector<std::string>& names, bool has_header,
                                         const EdgeListOptions& options, const std::string& path) {
  if (has_header && !options.preferred_weight.empty()) {
    const auto preferred = std::ranges::find(names, options.preferred_weight);
    if (preferred != names.end()) return preferred - names.begin();
  }
  if (options.ignore_weights) return std::nullopt;
  if (!options.weight_column.empty()) return column_index(names, options.weight_column, path);
  if (!has_header) return std::nullopt;
  for (const std::string_view usual : kWeightNames) {
    const auto found = find_usual(names, usual);
    if (found && std::ranges::count(options.feature_columns, names[*found]) == 0) return found;
  }
  return std::nullopt;
}

void choose_requested_endpoints(const EdgeListOptions& options, const std::string& path, EdgeColumns& columns) {
  columns.source = column_index(columns.names, options.source_column, path);
  columns.target = column_index(columns.names, options.target_column, path);
  columns.are_ends_requested = true;
  if (columns.source == columns.target)
    throw UsageError(fmt::format("edge list: source and target are both column {}", quote(options.source_column)));
}

/// The pair of columns that the header names.
std::optional<detail::Endpoints> named_endpoints(const std::vector<std::string>& names,
                                                 const EdgeListOptions& options) {
  const auto source = std::ranges::find(names, options.preferred_source);
  const auto target = std::ranges::find(names, options.preferred_target);
  if (source != names.end() && target != names.end() && source != target)
    return detail::Endpoints(source - names.begin(), target - names.begin());
  if (const auto kinds = find_kinds(names, options.source_kind, options.target_kind)) return kinds;
  return detail::find_endpoints(names);
}

void choose_endpoints(bool has_header, const EdgeListOptions& options, const std::string& path, EdgeColumns& columns) {
  if (options.source_column.empty() != options.target_column.empty())
    throw UsageError("edge list: name both the source and the target column, or neither");
  if (!options.source_column.empty()) return choose_requested_endpoints(options, path, columns);
  if (const auto named = has_header ? named_endpoints(columns.names, options) : std::nullopt) {
    std::tie(columns.source, columns.target) = *named;
    columns.are_ends_named = true;
    return;
  }
  if (columns.names.size() < 3) return;
  std::size_t next = has_header && columns.names[0] == numbered_columns(1)[0] ? 1 : 0;  // after unnamed row numbers
  for (std::size_t* end : {&columns.source, &columns.target}) {
    while (columns.weight == next || std::ranges::count(columns.features, next) > 0) ++next;
    *end = std::min(next++, columns.names.size() - 1);
  }
}

EdgeColumns choose_columns(std::vector<std::string> names, bool has_header, const EdgeListOptions& options,
                           const std::string& path) {
  EdgeColumns columns;
  columns.names = std::move(names);
  columns.weight = choose_weight(columns.names, has_header, options, path);
  for (const std::string& name : options.feature_columns)
    columns.features.push_back(column_index(columns.names, name, path));
  choose_endpoints(has_header, options, path, columns);
  if (columns.weight == columns.source || columns.weight == columns.target) {
    if (!options.weight_column.empty())
      throw UsageError(fmt::format("edge list: the weight column {} is an endpoint", quote(options.weight_column)));
    columns.weight.reset();
  }
  return columns;
}

/// The column that may hold the types of edges, unless it has another meaning.
std::optional<std::size_t> find_types(const EdgeColumns& columns) {
  const std::optional<std::size_t> type = find_usual(columns.names, "type");
  const bool is_used = type == columns.source || type == columns.target || type == columns.weight ||
                       (type && std::ranges::count(columns.features, *type) > 0);
  return is_used ? std::nullopt : type;
}

/// Whether a text means "not known". Most names are told apart by their first byte.
class MissingNames {
 public:
  explicit MissingNames(const std::vector<std::string>& texts) : texts_(texts) {
    for (const std::string& text : texts)
      if (!text.empty()) may_begin_[static_cast<unsigned char>(text.front())] = true;
  }

  bool contains(std::string_view name) const {
    return !name.empty() && may_begin_[static_cast<unsigned char>(name.front())] &&
           std::ranges::count(texts_, name) > 0;
  }

 private:
  const std::vector<std::string>& texts_;
  std::array<bool, 256> may_begin_{};
};

EdgeListReport describe(const EdgeColumns& columns, bool has_header, Delimiter delimiter) {
  EdgeListReport report;
  report.has_header = has_header;
  report.delimiter = delimiter;
  report.source_column = columns.names[columns.source];
  report.target_column = columns.names[columns.target];
  if (columns.weight) report.weight_column = columns.names[*columns.weight];
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    const bool is_used = i == columns.source || i == columns.target || i == columns.weight ||
                         std::find(columns.features.begin(), columns.features.end(), i) != columns.features.end();
    if (!is_used) report.unused_columns.push_back(columns.names[i]);
  }
  return report;
}

constexpr std::uint32_t kNoInteger = ~std::uint32_t{0};

/// The value of an integer of up to nine digits without a leading zero, so that values and names correspond one to one;
/// otherwise kNoInteger.
std::uint32_t small_integer(std::string_view name) {
  if (name.empty() || name.size() > 9 || (name[0] == '0' && name.size() > 1)) return kNoInteger;
  std::uint32_t value = 0;
  for (const char character : name) {
    const auto digit = static_cast<unsigned char>(character - '0');
    if (digit > 9) return kNoInteger;
    value = 10 * value + digit;
  }
  return value;
}

/// Looks up the nodes of a batch of rows by name, fetching the memory of all before it looks at the first. Plain
/// integers are mostly dense, so a table indexed by value, which never exceeds a fixed multiple of the number of names
/// seen, saves the way through the hash table.
class NodeLookup {
 public:
  /// A name that waits for the others of its batch.
  struct Key {
    std::uint32_t value;  // or kNoInteger
    std::size_t hash;     // only if it is no integer
    std::size_t begin;
    std::size_t size;
  };

  NodeLookup(graph::NodeNames& names, bool may_add) : names_(names), may_add_(may_add) {}

  Key push(std::string_view name) {
    Key key{small_integer(name), 0, characters_.size(), name.size()};
    characters_.append(name);
    if (key.value == kNoInteger) {
      key.hash = graph::NodeNames::hash_of(name);
      names_.prefetch_slot(key.hash);
    } else if (key.value < by_value_.size()) {
      __builtin_prefetch(by_value_.data() + key.value);
    }
    return key;
  }
  void prefetch_start(const Key& key) const {
    if (key.value == kNoInteger) names_.prefetch_start(key.hash);
  }
  void prefetch_characters(const Key& key) const {
    if (key.value == kNoInteger) names_.prefetch_characters(key.hash);
  }
  std::string_view name(const Key& key) const { return std::string_view(characters_).substr(key.begin, key.size); }
  /// Nothing if the node is unknown but must be known.
  std::optional<graph::Node> find(const Key& key) {
    if (key.value < by_value_.size() && by_value_[key.value] != kUnknown) return by_value_[key.value];
    const bool is_integer = key.value != kNoInteger;
    const std::size_t hash = is_integer ? graph::NodeNames::hash_of(name(key)) : key.hash;
    const std::optional<graph::Node> node = may_add_ ? names_.add(name(key), hash) : names_.find(name(key), hash);
    if (node && is_integer) remember(key.value, *node);
    return node;
  }
  void end_batch() { characters_.clear(); }

 private:
  static constexpr graph::Node kUnknown = ~graph::Node{0};

  void remember(std::uint32_t value, graph::Node node) {
    if (value >= by_value_.size()) {
      const std::size_t limit = 1024 + 8 * names_.size();
      if (value >= limit) return;
      by_value_.resize(std::min(limit, std::max<std::size_t>(value + 1, 2 * by_value_.size())), kUnknown);
    }
    by_value_[value] = node;
  }

  graph::NodeNames& names_;
  bool may_add_;
  std::vector<graph::Node> by_value_;
  std::string characters_;  // the names of the batch
};

/// Appends rows to the result, in batches; nodes are numbered in file order.
class Rows {
 public:
  Rows(std::string path, EdgeColumns columns, const EdgeListOptions& options, EdgeListResult& result)
      : path_(std::move(path)),
        columns_(std::move(columns)),
        is_header_in_doubt_(!result.report.has_header && options.header == HeaderRow::automatic),
        are_nodes_given_(options.known_nodes != nullptr),
        result_(result),
        known_nodes_(result.names.size()),
        drops_(options.known_nodes != nullptr && options.unknown_nodes == UnknownNodes::drop),
        adds_(options.known_nodes != nullptr && options.unknown_nodes == UnknownNodes::add),
        take_(options.take),
        missing_(options.missing),
        nodes_header_(options.nodes_header),
        lookup_(result.names, options.known_nodes == nullptr || adds_) {
    batch_.reserve(kBatch);
    for (std::size_t i = 0; i < columns_.features.size(); ++i) {
      const std::string& name = columns_.names[columns_.features[i]];
      const bool is_categorical = std::ranges::count(options.categorical, options.feature_columns[i]) > 0;
      features_.push_back(detail::edge_feature(name, is_categorical, options.categories, options.missing));
    }
  }

  /// The rows that follow are those of another file.
  void begin_file(const std::string& path) {
    add_batch();
    path_ = path;
    ++file_;
    next_line_ = 0;
  }

  void add(Fields fields, std::uint64_t line) {
    const std::string_view source_name = fields[columns_.source], target_name = fields[columns_.target];
    if (drops_ && is_dropped(source_name, target_name, line)) return;
    if (line != next_line_) result_.lines.push_back({rows_, line, file_});
    next_line_ = line + 1;
    ++rows_;
    require_name(source_name, columns_.source, line);
    require_name(target_name, columns_.target, line);
    batch_.push_back({lookup_.push(source_name), lookup_.push(target_name), line});
    if (rows_ == 1 || batch_.size() == kBatch) add_batch();  // the first by itself, since it may be a header
    if (columns_.weight)
      result_.edges.weights.push_back(
          require_number(fields[*columns_.weight], path_, line, columns_.names[*columns_.weight]));
    if (columns_.type) types_.add(fields[*columns_.type]);
    for (std::size_t i = 0; i < features_.size(); ++i) features_[i].add(fields[columns_.features[i]], path_, line);
    if (take_ && rows_ % kPiece == 0) hand_over();
  }

  /// Whether the nodes are given, and both ends of this row are among them.
  bool are_ends_known(Fields fields) const {
    return are_nodes_given_ && result_.names.find(fields[columns_.source]) &&
           result_.names.find(fields[columns_.target]);
  }

  void finish() {
    add_batch();
    if (take_) hand_over();
    result_.report.rows = rows_;
    result_.report.features = detail::write_features(features_, path_, result_.edges);
    result_.report.unknown.nodes = drops_ ? dropped_.size() : result_.names.size() - known_nodes_;
    if (adds_) report_added();
    take_types();
  }

 private:
  static constexpr std::size_t kBatch = 64, kPiece = std::size_t{1} << 16;
  struct Ends {
    NodeLookup::Key source;
    NodeLookup::Key target;
    std::uint64_t line;
  };

  void hand_over() {
    add_batch();
    graph::EdgeList& edges = result_.edges;
    if (edges.size() > 0) take_(edges);
    edges.sources.clear();
    edges.targets.clear();
    edges.weights.clear();
  }
  void add_batch() {
    for (const auto prefetch : {&NodeLookup::prefetch_start, &NodeLookup::prefetch_characters}) {
      for (const Ends& row : batch_) {
        (lookup_.*prefetch)(row.source);
        (lookup_.*prefetch)(row.target);
      }
    }
    for (const Ends& row : batch_) {
      result_.edges.sources.push_back(node(row.source, columns_.source, row.line));
      result_.edges.targets.push_back(node(row.target, columns_.target, row.line));
    }
    batch_.clear();
    lookup_.end_batch();
  }
  void require_name(std::string_view name, std::size_t column, std::uint64_t line) const {
    if (name.empty())
      throw DataError(TextLocation{path_, line, 0},
                      fmt::format("column {}: expected a node, found nothing", quote(columns_.names[column])));
    if (missing_.contains(name) && !(are_nodes_given_ && result_.names.find(name)))
      throw DataError(TextLocation{path_, line, 0},
                      fmt::format("column {}: expected a node, found {}, which means that it is missing: leave the row "
                                  "out; if it is the name of a node: {} empty",
                                  quote(columns_.names[column]), quote(name), setting("data.missing")));
  }
  /// Lets the types of edges say the direction.
  void take_types() {
    if (!columns_.type || !types_.are_directed()) return;
    EdgeListReport& report = result_.report;
    report.is_directed = true;
    report.two_way = types_.two_way();
    std::erase(report.unused_columns, columns_.names[*columns_.type]);
    if (!take_) types_.add_reverses(result_);
  }
  /// Whether an end is unknown.
  bool is_dropped(std::string_view source, std::string_view target, std::uint64_t line) {
    require_name(source, columns_.source, line);
    require_name(target, columns_.target, line);
    UnknownNodeReport& report = result_.report.unknown;
    const std::uint64_t before = dropped_.size();
    bool is_dropped = false;
    for (const std::string_view name : {source, target}) {
      if (result_.names.find(name)) continue;
      is_dropped = true;
      dropped_.add(name);
      report.is_header = report.is_header || name == nodes_header_;
    }
    report.edges += is_dropped ? 1 : 0;
    if (before == 0 && is_dropped) {
      report.first = dropped_[0];
      report.place = fmt::format("line {}{}", line, result_.files.size() > 1 ? fmt::format(" of {}", path_) : "");
    }
    return is_dropped;
  }
  void report_added() const {
    UnknownNodeReport& report = result_.report.unknown;
    const graph::EdgeList& edges = result_.edges;
    for (graph::EdgeIndex e = 0; report.nodes > 0 && e < edges.size(); ++e) {
      if (std::max(edges.sources[e], edges.targets[e]) < known_nodes_) continue;
      if (report.edges++ == 0) report.place = result_.place_of(e);
    }
    if (report.nodes > 0) report.first = result_.names[static_cast<graph::Node>(known_nodes_)];
    const std::optional<graph::Node> header = result_.names.find(nodes_header_);
    report.is_header = header && *header >= known_nodes_;
  }
  graph::Node node(const NodeLookup::Key& key, std::size_t column, std::uint64_t line) {
    if (const auto known = lookup_.find(key)) return *known;
    fail_unknown(lookup_.name(key), column, line);
  }
  std::string hint_for(std::string_view name) const {
    if (is_header_in_doubt_ && rows_ == 1)
      return fmt::format("; if this line names the columns, say between which the edges run ({}, {})",
                         setting("data.source"), setting("data.target"));
    if (name == nodes_header_ && !usual_id_column({nodes_header_}))
      return fmt::format("; in their table, {}", kHeaderIsRow);
    return fmt::format("; {} drop leaves such edges out, add adds the nodes without attributes",
                       setting("data.unknown_nodes")) +
           similar_node_hint(result_.names, name);
  }
  [[noreturn]] void fail_unknown(std::string_view name, std::size_t column, std::uint64_t line) {
    throw DataError(TextLocation{path_, line, 0},
                    fmt::format("column {}: unknown node {}: it is not among the {} nodes that are given{}",
                                quote(columns_.names[column]), quote(name), result_.names.size(), hint_for(name)));
  }

  std::string path_;
  std::size_t file_ = 0;
  EdgeColumns columns_;
  bool is_header_in_doubt_;
  bool are_nodes_given_;
  EdgeListResult& result_;
  std::size_t known_nodes_;
  bool drops_;
  bool adds_;
  const std::function<void(const graph::EdgeList&)>& take_;
  MissingNames missing_;
  const std::string& nodes_header_;
  detail::EdgeTypes types_;
  NodeLookup lookup_;
  graph::NodeNames dropped_;
  std::vector<Ends> batch_;
  std::vector<detail::EdgeFeature> features_;
  graph::EdgeIndex rows_ = 0;
  std::uint64_t next_line_ = 0;
};

}  // namespace

namespace {

/// The first row, the names of the columns if a comment before it holds them, and whether another row follows.
struct EdgeListBegin {
  std::vector<std::string> first;
  TextLocation where;
  std::vector<std::string> commented_header = {};
  CommentedRows commented_rows = {};
  bool has_second = false;
};

EdgeListBegin begin_edge_list(CsvReader& reader, const EdgeListOptions& options, detail::EdgeListSample& sample,
                              const TextStart& start) {
  if (const auto other = detail::find_foreign_format(start.text, options.source_column.empty()))
    throw DataError({reader.path(), other->line, 0},
                    fmt::format("expected an edge list, found {}: {}", other->name, other->advice));
  reader.set_comments(Comments::unless_fitting);  // the second row may decide whether the first is a header
  if (!reader.next()) throw DataError(fmt::format("{}: holds no rows, expected edges", reader.path()));
  sample = detail::sample_edge_list(start.text, start.is_whole, reader.delimiter());
  if (reader.fields().size() < 2)
    throw DataError(reader.where(), fmt::format("expected at least 2 columns, source and target, found only {}{}",
                                                quote(reader.fields()[0]),
                                                detail::explain_single_field(reader.fields()[0])));
  EdgeListBegin begin{detail::without_neo4j_types({reader.fields().begin(), reader.fields().end()}), reader.where()};
  begin.commented_header = take_commented_header(reader, sample, options, begin.commented_rows);
  begin.has_second = begin.commented_header.empty() && reader.next_in_file();
  return begin;
}

/// Throws DataError if the current record, the first of a file, names columns, which the first file does not.
void refuse_header(const CsvReader& reader, const detail::EdgeListSample& sample, const EdgeListOptions& options,
                   const std::string& first_file) {
  const std::vector<std::string> row(reader.fields().begin(), reader.fields().end());
  if (is_header(row, Fields(), sample, options))
    throw DataError(reader.where(), fmt::format("expected an edge, found the names of columns ({}), which {} does not "
                                                "have: all files need a header, or none",
                                                list_of_columns(row), first_file));
}

/// Throws DataError if the file says that its nodes are of two kinds, and their names overlap; doubts it if the names
/// of the columns say so.
void check_kinds(EdgeListResult& result, const detail::GuessedColumns& columns,
                 const std::vector<std::string>& comments, const EdgeListOptions& options) {
  const EdgeListReport& report = result.report;
  const bool are_stated = detail::state_two_kinds(comments, report.rows);
  if (options.take && are_stated)
    throw DataError(fmt::format("{}: says that it has nodes of two kinds, which are told apart by their names: write "
                                "these with a prefix each, and leave out the line that says so", result.files));
  const bool are_named = report.has_header && detail::name_two_kinds(report.source_column, report.target_column);
  if (options.take || !(are_stated || are_named)) return;
  const std::optional<std::string> mixed = detail::mixed_kinds(result, columns.ends.first, columns.ends.second);
  if (mixed && are_stated) throw DataError(fmt::format("{}: {}", result.files, *mixed));
  if (mixed) result.report.doubts.push_back(*mixed);
}

/// Doubts a node with several edges whose name may mark an end that is missing.
void doubt_missing_ends(EdgeListResult& result) {
  for (const std::string_view word : {"-", "--", ".", "_", "none", "NONE", "nil", "unknown", "Unknown", "UNKNOWN",
                                      "missing", "Missing", "undefined", "n.a.", "(null)", "[null]"}) {
    const std::optional<graph::Node> node = result.names.find(word);
    if (!node) continue;
    const auto edges =
        std::ranges::count(result.edges.sources, *node) + std::ranges::count(result.edges.targets, *node);
    if (edges > 1)
      result.report.doubts.push_back(
          fmt::format("{} is a node at {} ends of edges: if it marks a missing end, leave these rows out", quote(word),
                      edges));
  }
}

EdgeListResult read_rows(CsvReader& reader, const FileList& files, const EdgeListOptions& options,
                         detail::EdgeListSample& sample, const TextStart& start) {
  const std::string path = reader.path();  // of the first file
  EdgeListBegin begin = begin_edge_list(reader, options, sample, start);
  const std::vector<std::string_view> first(begin.first.begin(), begin.first.end());
  const bool is_first_header = begin.commented_header.empty() &&
                               is_header(begin.first, begin.has_second ? reader.fields() : Fields(), sample, options);
  const bool has_header = is_first_header || !begin.commented_header.empty();
  if (begin.has_second) reader.hold();

  EdgeListResult result;
  result.files = files;
  if (options.known_nodes != nullptr) result.names = *options.known_nodes;
  std::vector<std::string> names = is_first_header ? header_names(first, begin.where)
                                   : has_header    ? std::move(begin.commented_header)
                                                   : numbered_columns(first.size());
  if (has_header) reader.keep_names(names);
  EdgeColumns columns = choose_columns(std::move(names), has_header, options, path);
  const detail::GuessedColumns guessed{first.size(), {columns.source, columns.target}, is_first_header,
                                       columns.are_ends_requested, columns.are_ends_named};
  detail::refuse_other_tables(path, sample, guessed);
  if (has_header && options.reads_types) columns.type = find_types(columns);
  result.report = describe(columns, has_header, reader.delimiter());
  const std::vector<std::string> comments = reader.comments();
  Rows rows(path, std::move(columns), options, result);
  if (!is_first_header) rows.add(first, begin.where.line);
  for (std::size_t file = 0; reader.next();) {
    if (file != reader.file()) {
      if (!has_header) refuse_header(reader, sample, options, path);
      rows.begin_file(reader.path());
      file = reader.file();
    }
    if (!is_first_header && reader.looks_commented() && !rows.are_ends_known(reader.fields()))
      reader.drop_as_comment();
    else
      rows.add(reader.fields(), reader.line());
  }
  rows.finish();
  result.report.commented_rows = begin.commented_rows;
  if (begin.commented_rows.count == 0) result.report.commented_rows.first_line = reader.commented_rows().first_line;
  result.report.commented_rows.count += reader.commented_rows().count;
  if (options.source_kind.empty()) check_kinds(result, guessed, comments, options);
  if (options.take) return result;
  if (options.known_nodes == nullptr) doubt_missing_ends(result);
  if (!guessed.are_requested) detail::refuse_sizes(path, sample, result);
  for (std::string& doubt : detail::doubts_about(sample, guessed, result))
    result.report.doubts.push_back(std::move(doubt));
  if (options.preferred_source != result.report.source_column)
    std::ranges::copy(detail::swapped_kinds(result.report, options.source_kind, options.target_kind),
                      std::back_inserter(result.report.doubts));
  return result;
}

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> find_kinds(std::span<const std::string> header,
                                                             std::string_view source, std::string_view target) {
  const auto find = [&](std::string_view kind) {
    return std::ranges::find_if(header, [&](const std::string& column) { return detail::names_kind(column, kind); });
  };
  const auto first = find(source), second = find(target);
  if (first == header.end() || second == header.end() || first == second) return std::nullopt;
  return std::pair<std::size_t, std::size_t>(first - header.begin(), second - header.begin());
}

EdgeListResult read_edge_list(const FileList& files, const EdgeListOptions& options) {
  CsvReader reader(files, options.delimiter);
  const TextStart start = reader.start(kJudgedBytes);
  detail::EdgeListSample sample;
  EdgeListOptions wanted = options;
  if (reader.memory() != nullptr) wanted.header = HeaderRow::yes;
  try {
    return read_rows(reader, files, wanted, sample, start);
  } catch (const RaggedRecord& error) {
    if (reader.file() > 0) throw;
    throw RaggedRecord(error.what() + detail::explain_ragged_rows(sample));
  }
}

}  // namespace edgewise::io
