#include "get/planetoid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/text_writer.hpp"
#include "get/pickle.hpp"

namespace edgewise::app {
namespace {

constexpr std::int64_t kMostNodes = 10'000'000;
constexpr std::size_t kValidation = 500;  // nodes after those to train on

using pickle::expect;

/// A file of the network, ind.NAME.KIND, in whatever folder of the archive.
struct Raw {
  std::string label;
  std::string bytes;
};

std::string name_in(const Archive& archive, const std::string& file) {
  for (const std::string& name : archive.names())
    if (name == file || name.ends_with("/" + file)) return name;
  return "";
}

Raw raw(const Archive& archive, const std::string& network, const char* kind) {
  const std::string file = fmt::format("ind.{}.{}", network, kind);
  const std::string name = name_in(archive, file);
  if (name.empty()) throw DataError(fmt::format("{}: has no {}", archive.path(), file));
  return {fmt::format("{}: {}", archive.path(), name), archive.read(name)};
}

pickle::Value member(const pickle::Pairs& pairs, std::string_view name) {
  for (const auto& [key, value] : pairs)
    if (const auto* text = std::get_if<std::string>(&key->is); text != nullptr && *text == name) return value;
  return nullptr;
}

struct Array {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

template <class Number>
std::vector<double> numbers(const std::string& bytes) {
  std::vector<Number> given(bytes.size() / sizeof(Number));
  std::memcpy(given.data(), bytes.data(), given.size() * sizeof(Number));
  return {given.begin(), given.end()};
}

/// A NumPy array: its state is (version, shape, type, whether columns come first, bytes).
Array array(pickle::Value value, const std::string& label) {
  const auto& state = expect<pickle::Sequence>(expect<pickle::Object>(value, label).state, label);
  if (state.size() != 5) refuse(label, "expected a NumPy array");
  const auto& type = expect<pickle::Object>(state[2], label);
  const auto& arguments = expect<pickle::Sequence>(type.arguments, label);
  const auto& order = expect<pickle::Sequence>(type.state, label);
  const std::string kind = arguments.empty() ? "" : expect<std::string>(arguments[0], label);
  const std::string& bytes = expect<std::string>(state[4], label);
  const auto* is_by_column = std::get_if<bool>(&state[3]->is);
  if (order.size() < 2 || expect<std::string>(order[1], label) != "<" || is_by_column == nullptr || *is_by_column)
    refuse(label, "expected a NumPy array by rows, lowest bytes first");
  Array result;
  for (const pickle::Value size : expect<pickle::Sequence>(state[1], label))
    result.shape.push_back(expect<std::int64_t>(size, label));
  if (kind == "i4") result.values = numbers<std::int32_t>(bytes);
  else if (kind == "i8") result.values = numbers<std::int64_t>(bytes);
  else if (kind == "f4") result.values = numbers<float>(bytes);
  else if (kind == "f8") result.values = numbers<double>(bytes);
  else refuse(label, fmt::format("NumPy arrays of \"{}\" are not read", kind));
  double cells = 1;
  for (const std::int64_t size : result.shape) cells *= static_cast<double>(size);
  if (cells != static_cast<double>(result.values.size())) refuse(label, "a NumPy array has another size than it says");
  return result;
}

/// The classes of rows of zeros with one 1; -1 for a row of zeros.
std::vector<int> classes(const Raw& file) {
  const pickle::Pickle read = pickle::read(file.bytes, file.label);
  const Array table = array(read.root, file.label);
  if (table.shape.size() != 2 || table.shape[1] < 1) refuse(file.label, "expected rows of zeros with one 1");
  std::vector<int> found;
  for (auto row = table.values.begin(); row != table.values.end(); row += table.shape[1]) {
    const auto one = std::find(row, row + table.shape[1], 1.0);
    found.push_back(one == row + table.shape[1] ? -1 : static_cast<int>(one - row));
  }
  return found;
}

using Row = std::vector<std::pair<std::int64_t, double>>;  // columns and values, ascending

struct Rows {
  std::int64_t columns = 0;
  std::vector<Row> rows;
};

/// A SciPy matrix of compressed rows.
Rows sparse_rows(const Raw& file) {
  const pickle::Pickle read = pickle::read(file.bytes, file.label);
  const auto& state = expect<pickle::Pairs>(expect<pickle::Object>(read.root, file.label).state, file.label);
  const auto& shape = expect<pickle::Sequence>(
      member(state, "_shape") != nullptr ? member(state, "_shape") : member(state, "shape"), file.label);
  if (shape.size() != 2) refuse(file.label, "expected a matrix");
  const std::vector<double> offsets = array(member(state, "indptr"), file.label).values;
  const std::vector<double> columns = array(member(state, "indices"), file.label).values;
  const std::vector<double> values = array(member(state, "data"), file.label).values;
  Rows result{.columns = expect<std::int64_t>(shape[1], file.label), .rows = {}};
  const auto count = expect<std::int64_t>(shape[0], file.label);
  const bool fits = offsets.size() == static_cast<std::size_t>(count) + 1 && columns.size() == values.size() &&
                    std::ranges::is_sorted(offsets) && offsets.front() == 0 &&
                    offsets.back() == static_cast<double>(columns.size()) &&
                    std::ranges::all_of(columns, [&](double c) { return c >= 0 && c < double(result.columns); });
  if (!fits) refuse(file.label, "expected a SciPy matrix of compressed rows");
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
    Row& row = result.rows.emplace_back();
    for (auto entry = static_cast<std::size_t>(offsets[r]); entry < static_cast<std::size_t>(offsets[r + 1]); ++entry)
      if (values[entry] != 0) row.emplace_back(static_cast<std::int64_t>(columns[entry]), values[entry]);
    std::ranges::sort(row);
  }
  return result;
}

std::vector<std::int64_t> test_nodes(const Raw& file) {
  std::vector<std::int64_t> nodes;
  for (std::string_view rest = file.bytes; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line(trimmed(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty()) continue;
    char* after = nullptr;
    const std::int64_t node = std::strtoll(line.c_str(), &after, 10);
    if (*after != '\0' || node < 0 || node >= kMostNodes)
      refuse(file.label, fmt::format("line {}: expected a node, got \"{}\"", nodes.size() + 1, line));
    nodes.push_back(node);
  }
  if (nodes.empty()) refuse(file.label, "expected a node a line");
  return nodes;
}

std::string edges_text(const Raw& file, std::int64_t nodes) {
  const pickle::Pickle read = pickle::read(file.bytes, file.label);
  const auto* object = std::get_if<pickle::Object>(&read.root->is);  // a defaultdict
  std::set<std::pair<std::int64_t, std::int64_t>> edges;
  for (const auto& [key, neighbours] : expect<pickle::Pairs>(object != nullptr ? object->state : read.root, file.label))
    for (const pickle::Value neighbour : expect<pickle::Sequence>(neighbours, file.label)) {
      const auto a = expect<std::int64_t>(key, file.label), b = expect<std::int64_t>(neighbour, file.label);
      if (std::min(a, b) < 0 || std::max(a, b) >= nodes)
        refuse(file.label, fmt::format("expected nodes from 0 to {}, got an edge of {} and {}", nodes - 1, a, b));
      if (a != b) edges.emplace(std::minmax(a, b));
    }
  std::string text = "source,target\n";
  for (const auto& [source, target] : edges) fmt::format_to(std::back_inserter(text), "{},{}\n", source, target);
  return text;
}

/// The network, node by node.
struct Network {
  std::vector<Row> features;
  std::vector<int> labels;
  std::int64_t columns = 0;
  std::size_t train = 0;
  std::vector<std::int64_t> test;  ///< Ascending.
};

Network network_of(const Archive& archive, const std::string& name) {
  const Raw all_file = raw(archive, name, "allx"), test_file = raw(archive, name, "tx");
  Rows all = sparse_rows(all_file), test = sparse_rows(test_file);
  const std::vector<int> all_classes = classes(raw(archive, name, "ally"));
  const std::vector<int> test_classes = classes(raw(archive, name, "ty"));
  Network network{.features = {}, .labels = {}, .columns = all.columns,
                  .train = classes(raw(archive, name, "y")).size(), .test = {}};
  const Raw index_file = raw(archive, name, "test.index");
  const std::vector<std::int64_t> places = test_nodes(index_file);
  if (all.rows.size() != all_classes.size() || test.rows.size() != test_classes.size() ||
      places.size() != test.rows.size() || all.columns != test.columns ||
      network.train + kValidation > all.rows.size())
    refuse(archive.path(), fmt::format("the files ind.{}.* do not fit each other", name));
  const auto nodes = static_cast<std::size_t>(
      std::max(std::ranges::max(places) + 1, static_cast<std::int64_t>(all.rows.size())));
  network.features = std::move(all.rows);
  network.labels = all_classes;
  network.features.resize(nodes);
  network.labels.resize(nodes, -1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    network.features[static_cast<std::size_t>(places[i])] = std::move(test.rows[i]);
    network.labels[static_cast<std::size_t>(places[i])] = test_classes[i];
  }
  network.test = places;
  std::ranges::sort(network.test);
  return network;
}

std::string features_text(const Network& network) {
  std::size_t entries = 0;
  for (const Row& row : network.features) entries += row.size();
  std::string text = fmt::format("# nodes={} features={} nnz={}\nnode,feature,value\n", network.features.size(),
                                 network.columns, entries);
  for (std::size_t node = 0; node < network.features.size(); ++node)
    for (const auto& [column, value] : network.features[node])
      fmt::format_to(std::back_inserter(text), "{},{},{}\n", node, column, io::number_text(static_cast<float>(value)));
  return text;
}

std::string numbers_text(const std::vector<std::int64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

}  // namespace

bool has_planetoid(const Archive& archive, const std::string& name) {
  return !name_in(archive, fmt::format("ind.{}.graph", name)).empty();
}

std::map<std::string, std::string> planetoid_files(const Archive& archive, const std::string& name) {
  const Network network = network_of(archive, name);
  std::string labels = "node,label\n", split = "node,split\n";
  std::vector<std::int64_t> train, validation;
  for (std::size_t node = 0; node < network.labels.size(); ++node) {
    const bool is_test = std::ranges::binary_search(network.test, static_cast<std::int64_t>(node));
    const bool is_train = node < network.train, is_validation = !is_train && node < network.train + kValidation;
    if (is_train || is_validation) (is_train ? train : validation).push_back(static_cast<std::int64_t>(node));
    fmt::format_to(std::back_inserter(labels), "{},{}\n", node, network.labels[node]);
    fmt::format_to(std::back_inserter(split), "{},{}\n", node,
                   is_test ? "test" : is_train ? "train" : is_validation ? "val" : "none");
  }
  const auto nodes = static_cast<std::int64_t>(network.labels.size());
  return {{"edges.csv", edges_text(raw(archive, name, "graph"), nodes)},
          {"features.csv", features_text(network)},
          {"labels.csv", labels},
          {"split.csv", split},
          {"split.json", fmt::format("{{\"train\": {}, \"val\": {}, \"test\": {}}}", numbers_text(train),
                                     numbers_text(validation), numbers_text(network.test))}};
}

}  // namespace edgewise::app
