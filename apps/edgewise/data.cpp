#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/folder.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/catalogue.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/config/byte_count.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/use/freeze.hpp"
#include "flags.hpp"
#include "generate/dates.hpp"
#include "generate/listops.hpp"
#include "generate/purchases.hpp"
#include "generate/shop.hpp"
#include "generate/small_molecules.hpp"
#include "model_data.hpp"
#include "outputs.hpp"
#include "plan.hpp"
#include "session.hpp"
#include "train_config.hpp"

namespace edgewise::app {
namespace {

/// The command that puts a download in place.
constexpr const char* kPutInPlace = "python -m edgewise.datasets NAME --from ARCHIVE";

const char* state_name(data::DatasetState state) {
  switch (state) {
    case data::DatasetState::here: return "here";
    case data::DatasetState::damaged: return "damaged";
    case data::DatasetState::missing: break;
  }
  return "missing";
}

json::Value to_json(const data::CatalogueSet& dataset, const data::DatasetStatus& status) {
  json::Value value;
  value.set("name", dataset.name);
  value.set("title", dataset.title);
  value.set("task", dataset.task);
  value.set("shipped", dataset.shipped);
  value.set("state", state_name(status.state));
  if (!status.detail.empty()) value.set("detail", status.detail);
  value.set("bytes", static_cast<std::int64_t>(status.bytes));
  value.set("licence", dataset.licence);
  value.set("metric", dataset.metric);
  value.set("split", dataset.split);
  value.set("splits", dataset.splits);
  value.set("source", dataset.source);
  json::Value counts{json::Object{}};
  for (const auto& [what, count] : dataset.counts) counts.set(what, static_cast<std::int64_t>(count));
  value.set("counts", std::move(counts));
  json::Array published;
  for (const data::PublishedResult& result : dataset.published) {
    json::Value row;
    row.set("model", result.model);
    row.set("metric", result.metric);
    row.set("value", result.value);
    row.set("protocol", result.protocol);
    row.set("reference", result.reference);
    row.set("verified", result.verified);
    published.push_back(std::move(row));
  }
  value.set("published", std::move(published));
  return value;
}

std::string size_text(std::size_t bytes) {
  if (bytes >= 1024 * 1024) return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1024 * 1024));
  return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
}

int list_verb(const Session& session) {
  const data::Catalogue catalogue = data::read_catalogue(data::default_catalogue_directory());
  const std::vector<std::string> directories = data::default_data_directories();
  json::Array sets;
  bool is_one_missing = false;
  std::string text = fmt::format("{:<28}{:<26}{:<10}{:>12}  {}", "name", "task", "state", "size", "licence");
  for (const data::CatalogueSet& dataset : catalogue.datasets) {
    const data::DatasetStatus status = data::dataset_status(catalogue, dataset, directories);
    text += fmt::format("\n{:<28}{:<26}{:<10}{:>12}  {}", dataset.name, dataset.task, state_name(status.state),
                        status.bytes == 0 ? "-" : size_text(status.bytes), dataset.licence);
    is_one_missing |= status.state == data::DatasetState::missing;
    sets.push_back(to_json(dataset, status));
  }
  if (directories.empty()) text += "\ndata sets that are not shipped are looked up in EDGEWISE_DATA, which is not set";
  if (is_one_missing) text += fmt::format("\n{} puts what you downloaded of a set in place", kPutInPlace);
  json::Value object;
  object.set("schema", "edgewise.data.list/1");
  object.set("catalogue", catalogue.directory);
  object.set("datasets", std::move(sets));
  session.print_result(text, object);
  return kDone;
}

int info_verb(const std::string& name, const Session& session) {
  const data::Catalogue catalogue = data::read_catalogue(data::default_catalogue_directory());
  const data::CatalogueSet& dataset = data::find_dataset(catalogue, name);
  const data::DatasetStatus status = data::dataset_status(catalogue, dataset, data::default_data_directories());
  json::Value object;
  object.set("schema", "edgewise.data.info/1");
  const json::Value fields = to_json(dataset, status);
  for (const auto& [member, value] : fields.as_object()) object.set(member, value);
  std::string text = fmt::format("{}: {}\ntask: {}, measured by {}\n", dataset.name, dataset.title, dataset.task,
                                 dataset.metric.empty() ? "-" : dataset.metric);
  for (const auto& [what, count] : dataset.counts) text += fmt::format("{}: {}\n", what, count);
  text += fmt::format("split: {}\nsource: {}\nlicence: {}\nstate: {}{}", dataset.split, dataset.source,
                      dataset.licence, state_name(status.state), status.detail.empty() ? "" : ", " + status.detail);
  for (const data::PublishedResult& result : dataset.published)
    text += fmt::format("\npublished: {} {} {} ({}{})", result.model, result.metric, result.value, result.reference,
                        result.protocol.empty() ? "" : ", " + result.protocol);
  session.print_result(text, object);
  return kDone;
}

struct GenerateArguments {
  std::string kind;
  std::string out;
  std::uint64_t seed = 7;
  PurchaseNetworkOptions purchases;
  SmallMoleculeOptions molecules;
  ListOpsOptions listops;
  bool has_trees = false;
  std::size_t dates = 4000;
  ShopOptions shop;
};

/// Makes the folder and checks before any work that the file can be written there. Returns its path.
std::string file_to_write(const std::string& folder, const char* name) {
  make_folder(folder);
  std::string path = (std::filesystem::path(folder) / name).string();
  check_outputs({{"--out", path}}, {});
  return path;
}

int generate_purchases(const GenerateArguments& arguments, const Session& session) {
  const std::string edges = file_to_write(arguments.out, "friends.csv");
  const std::string nodes = file_to_write(arguments.out, "people.csv");
  PurchaseNetworkOptions options = arguments.purchases;
  options.seed = arguments.seed;
  const PurchaseNetwork network = generate_purchase_network(options);
  write_purchase_files(arguments.out, network, options.seed);
  json::Value object;
  object.set("schema", "edgewise.data.generate/1");
  object.set("kind", arguments.kind);
  object.set("nodes", static_cast<std::int64_t>(options.nodes));
  object.set("edges", static_cast<std::int64_t>(network.ties.size()));
  object.set("seed", options.seed);
  object.set("edges_file", edges);
  object.set("nodes_file", nodes);
  session.print_result(fmt::format("{}: friends.csv with {}, people.csv with {} people", arguments.out,
                                   counted(network.ties.size(), "tie"), options.nodes),
                       object);
  return kDone;
}

int generate_molecules(const GenerateArguments& arguments, const Session& session) {
  const std::string file = file_to_write(arguments.out, "molecules.csv");
  SmallMoleculeOptions options = arguments.molecules;
  options.seed = arguments.seed;
  write_small_molecules(arguments.out, generate_small_molecules(options));
  json::Value object;
  object.set("schema", "edgewise.data.generate/1");
  object.set("kind", arguments.kind);
  object.set("molecules", static_cast<std::int64_t>(options.count));
  object.set("seed", options.seed);
  object.set("molecules_file", file);
  session.print_result(
      fmt::format("{}: molecules.csv with {}", arguments.out, counted(options.count, "molecule")), object);
  return kDone;
}

int generate_listops(const GenerateArguments& arguments, const Session& session) {
  const std::string file = file_to_write(arguments.out, "expressions.csv");
  json::Value object;
  object.set("schema", "edgewise.data.generate/1");
  object.set("kind", arguments.kind);
  if (arguments.has_trees) object.set("tokens_file", file_to_write(arguments.out, "tokens.csv"));
  ListOpsOptions options = arguments.listops;
  options.seed = arguments.seed;
  const std::vector<ListOpsExpression> expressions = app::generate_listops(options);
  write_listops(arguments.out, options, expressions, arguments.has_trees);
  object.set("expressions", static_cast<std::int64_t>(expressions.size()));
  object.set("seed", options.seed);
  object.set("expressions_file", file);
  session.print_result(fmt::format("{}: expressions.csv with {}{}", arguments.out,
                                   counted(expressions.size(), "expression"),
                                   arguments.has_trees ? ", tokens.csv with their trees" : ""),
                       object);
  return kDone;
}

int generate_date_pairs(const GenerateArguments& arguments, const Session& session) {
  const std::string file = file_to_write(arguments.out, "dates.tsv");
  write_dates(arguments.out, generate_dates(arguments.dates, arguments.seed));
  const json::Value object = json::Object{{"schema", "edgewise.data.generate/1"},
                                          {"kind", arguments.kind},
                                          {"pairs", static_cast<std::int64_t>(arguments.dates)},
                                          {"seed", arguments.seed},
                                          {"pairs_file", file}};
  session.print_result(fmt::format("{}: dates.tsv with {}", arguments.out, counted(arguments.dates, "pair")), object);
  return kDone;
}

int generate_shop(const GenerateArguments& arguments, const Session& session) {
  json::Value object = json::Object{{"schema", "edgewise.data.generate/1"}, {"kind", arguments.kind}};
  for (const char* name : {"people", "products", "purchases", "friends"})
    object.set(fmt::format("{}_file", name), file_to_write(arguments.out, fmt::format("{}.csv", name).c_str()));
  ShopOptions options = arguments.shop;
  options.seed = arguments.seed;
  write_shop(arguments.out, options);
  object.set("people", static_cast<std::int64_t>(options.people));
  object.set("products", static_cast<std::int64_t>(options.products));
  object.set("seed", options.seed);
  session.print_result(fmt::format("{}: people.csv with {} people, products.csv with {}, purchases.csv, friends.csv",
                                   arguments.out, options.people, counted(options.products, "product")),
                       object);
  return kDone;
}

/// What can be generated. `heading` is that of its flags.
struct Kind {
  const char* name;
  const char* heading;
  int (*generate)(const GenerateArguments&, const Session&);
};

constexpr std::array kKinds = {Kind{"purchases", "Purchases", generate_purchases},
                               Kind{"molecules", "Molecules", generate_molecules},
                               Kind{"listops", "ListOps", generate_listops},
                               Kind{"dates", "Dates", generate_date_pairs},
                               Kind{"shop", "Shop", generate_shop}};

/// Throws UsageError if a flag of another kind is given.
void refuse_flags_of_others(const CLI::App& verb, const Kind& kind) {
  for (const CLI::Option* option : verb.get_options()) {
    const auto is_of = [&](const Kind& other) { return option->get_group() == other.heading; };
    if (option->count() > 0 && !is_of(kind) && std::ranges::any_of(kKinds, is_of))
      throw UsageError(
          fmt::format("{}: is not for {}; see edgewise data generate --help", option->get_name(), kind.name));
  }
}

int generate_verb(const GenerateArguments& arguments, const CLI::App& verb, const Session& session) {
  const auto kind = std::ranges::find(kKinds, arguments.kind, &Kind::name);
  if (kind == kKinds.end())
    throw UsageError(fmt::format("data generate: expected purchases, molecules, listops, dates or shop, got \"{}\"",
                                 arguments.kind));
  refuse_flags_of_others(verb, *kind);
  return kind->generate(arguments, session);
}

struct SplitArguments {
  std::string dataset;
  std::string out;
  json::Value flags{json::Object{}};
  std::int64_t run = 0;
};

/// Throws UsageError if `--set` names a member of a training, which a split does not depend on.
void check_sections(const json::Value& flags) {
  for (const auto& [section, value] : flags.as_object())
    if (section != "data" && section != "split")
      throw UsageError(fmt::format("--set: expected a member of data or split, got one of \"{}\"", section));
}

int split_verb(const SplitArguments& arguments, const Session& session) {
  check_sections(arguments.flags);
  // As `train` would split it, including the recipe of the data set.
  const train::Config config =
      read_config({.dataset = arguments.dataset, .file = "", .resume = "", .flags = arguments.flags});
  check_outputs({{"--out", arguments.out}}, train::input_files(config.data, config.split));
  const train::Dataset data = train::read_dataset(config.data, train::load_options_for(config.split));
  check_share_flags(arguments.flags, config.split, data);
  const data::Split split = train::make_split(data, config.split, static_cast<std::uint64_t>(arguments.run),
                                              arguments.run);
  train::write_split(arguments.out, data, split);
  json::Value object;
  object.set("schema", "edgewise.data.split/1");
  object.set("dataset", data.name);
  object.set("out", arguments.out);
  std::string text = arguments.out + ":";
  for (const data::Role role : {data::Role::train, data::Role::validation, data::Role::test, data::Role::none}) {
    const auto count = static_cast<std::int64_t>(data::nodes_with_role(split, role).size());
    object.set(data::role_name(role), count);
    text += fmt::format(" {} {}", data::role_name(role), count);
  }
  session.print_result(text, object);
  return kDone;
}

struct FreezeArguments {
  std::string dataset;
  std::string out;
  std::string features_of;
  bool half_features = false;
  std::int64_t parts = 0;
  json::Value flags{json::Object{}};
};

int freeze_verb(const FreezeArguments& arguments, const Session& session) {
  train::FreezeRequest request{
      .config = read_config({.dataset = arguments.dataset, .file = "", .resume = "", .flags = arguments.flags}),
      .out = arguments.out,
      .parts = static_cast<std::size_t>(arguments.parts),
      .features_of = arguments.features_of,
      .half_features = arguments.half_features};
  std::string& memory = request.config.data.memory;
  if (!memory.empty()) request.memory = train::bytes_of_size("--memory", std::exchange(memory, ""));
  check_outputs({{"--out", arguments.out}}, train::input_files(request.config.data, request.config.split));
  const data::FrozenCounts counts = train::freeze_data(request, note_hook(session));
  const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
  json::Value object = json::Object{{"schema", "edgewise.data.freeze/1"}, {"out", arguments.out},
                                    {"nodes", number(counts.nodes)},      {"edges", number(counts.edges)},
                                    {"arcs", number(counts.arcs)},        {"parts", number(counts.parts)},
                                    {"cut_arcs", number(counts.cut)},     {"halo_rows", number(counts.halo)},
                                    {"order", counts.order},              {"peak_rss_mib", peak_rss_mib()}};
  session.print_result(
      fmt::format("{}: {}, {}, {}; {:.3g} % of the edges run between parts, so each row of a part needs {:.3g} rows of "
                  "others",
                  arguments.out, counted(counts.nodes, "node"), counted(counts.edges, "edge"),
                  counted(counts.parts, "part"),
                  100 * static_cast<double>(counts.cut) / static_cast<double>(std::max<std::uint64_t>(1, counts.arcs)),
                  static_cast<double>(counts.halo) / static_cast<double>(counts.nodes)),
      object);
  return kDone;
}

void add_listops_flags(CLI::App& verb, GenerateArguments& arguments) {
  ListOpsOptions& options = arguments.listops;
  start_group(verb, "ListOps");
  verb.add_flag_callback(
          "--lra", [&options] { options = kLongRangeArena; },
          "As in Long Range Arena: 96,000, 2,000 and 2,000 of 500 to 2,000 tokens; flags that follow change this")
      ->trigger_on_parse();
  const auto add = [&verb](const char* flag, std::size_t& value, std::int64_t smallest, const char* help) {
    verb.add_option(flag, value, help)->check(integer_in(smallest))->trigger_on_parse()->capture_default_str();
  };
  add("--train", options.train, 1, "Number of expressions to train on");
  add("--validation", options.validation, 0, "Number of expressions to validate on");
  add("--test", options.test, 0, "Number of expressions to test on");
  add("--depth", options.depth, 1, "Largest depth of an expression; a single digit has depth 1");
  add("--arguments", options.arguments, 2, "Most arguments of an operator");
  add("--min-length", options.min_length, 1, "Fewest tokens of an expression");
  add("--max-length", options.max_length, 1, "Most tokens of an expression");
  verb.add_flag("--trees", arguments.has_trees, "Also write tokens.csv, with the operator that each token belongs to");
}

void add_generate(CLI::App& data_verb, Session& session) {
  CLI::App& verb = *data_verb.add_subcommand("generate", "Generate a network, molecules, expressions, or pairs");
  auto arguments = std::make_shared<GenerateArguments>();
  verb.add_option("kind", arguments->kind, "purchases, molecules, listops, dates or shop")->required();
  verb.add_option("--out", arguments->out,
                  "Folder for friends.csv and people.csv, molecules.csv, expressions.csv, dates.tsv, or a shop")
      ->required();
  start_group(verb, "Purchases");
  verb.add_option("--nodes", arguments->purchases.nodes, "Number of people")
      ->check(integer_in(2))
      ->capture_default_str();
  verb.add_option("--mean-degree", arguments->purchases.mean_degree, "Ties that each person starts, on average")
      ->check(any_number())
      ->capture_default_str();
  verb.add_option("--homophily", arguments->purchases.homophily, "Share of ties within one's own community")
      ->check(any_number())
      ->capture_default_str();
  verb.add_option("--influence", arguments->purchases.influence, "How much friends influence the decision, from 0 to 1")
      ->check(any_number())
      ->capture_default_str();
  verb.add_option("--unlabelled", arguments->purchases.unlabelled, "Share of people whose answer is unknown")
      ->check(any_number())
      ->capture_default_str();
  start_group(verb, "Molecules");
  verb.add_option("--count", arguments->molecules.count, "Number of molecules")
      ->check(integer_in(1))
      ->capture_default_str();
  add_listops_flags(verb, *arguments);
  start_group(verb, "Dates");
  verb.add_option("--pairs", arguments->dates, "Number of dates")->check(integer_in(1))->capture_default_str();
  start_group(verb, "Shop");
  verb.add_option("--people", arguments->shop.people, "Number of people")->check(integer_in(2))->capture_default_str();
  verb.add_option("--products", arguments->shop.products, "Number of products")
      ->check(integer_in(6))
      ->capture_default_str();
  verb.add_option("--mean-purchases", arguments->shop.purchases, "What a person buys, on average")
      ->capture_default_str();
  start_group(verb, "General");
  verb.add_option("--seed", arguments->seed, "Seed")->check(integer_in(0))->capture_default_str();
  add_examples(verb, {"edgewise data generate purchases --nodes 1000000 --mean-degree 16 --out big",
                      "edgewise data generate listops --lra --out listops"});
  session.add_verb(verb, [arguments, &verb, &session] { return generate_verb(*arguments, verb, session); });
}

/// For those who know the verb of earlier releases.
void add_get(CLI::App& data_verb, Session& session) {
  CLI::App& verb = *data_verb.add_subcommand("get")->group("")->allow_extras();
  session.add_verb(verb, []() -> int { throw UsageError(fmt::format("data get: use {}", kPutInPlace)); });
}

void add_split(CLI::App& data_verb, Session& session) {
  CLI::App& verb = *data_verb.add_subcommand("split", "Draw a split and write it as CSV (node,split)");
  auto arguments = std::make_shared<SplitArguments>();
  verb.add_option("dataset", arguments->dataset, "A data set of the catalogue, unless data flags are given");
  verb.add_option("--out", arguments->out, "Where to write the split")->required();
  verb.add_option("--run", arguments->run, "Draw the split of this run of train")
      ->check(integer_in(0))
      ->capture_default_str();
  ConfigFlags flags(verb, arguments->flags);
  flags.add("data");
  flags.add("split");
  flags.add_set_flag();
  add_examples(verb, {"edgewise data split cora --split random --out split.csv",
                      "edgewise data split cora --split per_class --set split.train_per_class=5 --out split.csv"});
  session.add_verb(verb, [arguments, &session] { return split_verb(*arguments, session); });
}

void add_freeze(CLI::App& data_verb, Session& session) {
  CLI::App& verb = *data_verb.add_subcommand(
      "freeze", "Write a network to a file in parts, to train on networks larger than the memory");
  auto arguments = std::make_shared<FreezeArguments>();
  verb.add_option("dataset", arguments->dataset, "A data set of the catalogue, unless data flags are given");
  verb.add_option("--out", arguments->out, "Where to write it (.edgewise)")
      ->required()
      ->check(CLI::Validator(
          [](const std::string& path) -> std::string {
            return path.ends_with(kFrozenEnding)
                       ? ""
                       : fmt::format("expected a name ending in {}, got \"{}\"", kFrozenEnding, path);
          },
          ""));
  verb.add_option("--parts", arguments->parts, "Number of parts; by default 8, or more for a large network")
      ->check(integer_in(1, 65536));
  verb.add_option("--features-of", arguments->features_of,
                  "A model file whose features to write, so that it can be used on the network");
  verb.add_flag("--half", arguments->half_features,
                "Write features with 16 bits instead of 32, which keeps three digits; sparse features do not change");
  ConfigFlags flags(verb, arguments->flags);
  flags.add("data");
  flags.add("split");
  flags.add("training.seed");
  flags.add_set_flag();
  add_examples(
      verb, {"edgewise data freeze --edges follows.csv.gz --nodes users.csv.gz --label bot --out net.edgewise",
             "edgewise data freeze --edges follows.csv --nodes users.csv --label bot --memory 4G --out net.edgewise"});
  session.add_verb(verb, [arguments, &session] { return freeze_verb(*arguments, session); });
}

}  // namespace

/// edgewise data: the catalogue, generated networks and splits.
void add_data(CLI::App& app, Session& session) {
  CLI::App& verb =
      *app.add_subcommand("data", "List data sets, generate data, draw splits, freeze networks");
  verb.require_subcommand(1);
  session.add_verb(*verb.add_subcommand("list", "List the data sets, and whether their files are present and intact"),
                   [&session] { return list_verb(session); });
  CLI::App& info = *verb.add_subcommand("info", "Show the details of one data set");
  auto name = std::make_shared<std::string>();
  info.add_option("dataset", *name, "The name of the data set")->required();
  add_examples(info, {"edgewise data info cora"});
  session.add_verb(info, [name, &session] { return info_verb(*name, session); });
  add_get(verb, session);
  add_generate(verb, session);
  add_split(verb, session);
  add_freeze(verb, session);
  add_plan(verb, session);
}

}  // namespace edgewise::app
