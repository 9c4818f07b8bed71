#include "fuzz/targets.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/data/byte_pairs.hpp"
#include "edgewise/data/canonical_smiles.hpp"
#include "edgewise/data/fingerprints.hpp"
#include "edgewise/data/molecules.hpp"
#include "edgewise/data/reaction_centres.hpp"
#include "edgewise/data/scaffolds.hpp"
#include "edgewise/data/split_file.hpp"
#include "edgewise/graph/node_names.hpp"
#include "edgewise/io/edge_list.hpp"
#include "edgewise/io/feature_lists.hpp"
#include "edgewise/io/feature_table.hpp"
#include "edgewise/io/graph_formats.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/molecule_table.hpp"
#include "edgewise/io/node_table.hpp"
#include "edgewise/io/pairs.hpp"
#include "edgewise/io/reaction_alignment.hpp"
#include "edgewise/io/safetensors.hpp"
#include "edgewise/io/text_reader.hpp"
#include "edgewise/io/tu_dataset.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/inputs/descriptor_map.hpp"
#include "edgewise/train/loop/checkpoint.hpp"
#include "edgewise/train/model/trained_model.hpp"
#include "edgewise/train/source/duplicate_items.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "edgewise/train/source/molecule_descriptors.hpp"
#include "fuzz/inputs.hpp"
#include "support/temporary_directory.hpp"

namespace edgewise::fuzz {
namespace {

/// A file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const char> content) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    if (descriptor_ < 0 ||
        ::write(descriptor_, content.data(), content.size()) != static_cast<::ssize_t>(content.size()))
      throw std::runtime_error("no file in memory");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

constexpr const char* kModel = R"({"preset": "gat", "hidden": 4, "heads": 2})";

/// Similarity to two of the training molecules.
train::DescriptorMap kernel_descriptors() {
  SparseMatrix counts(2, 8);
  counts.insert(0, 1) = 2;
  counts.insert(1, 5) = 1;
  train::DescriptorMap descriptors;
  descriptors.set_kernel(train::KernelMap::tanimoto(counts));
  return descriptors;
}

/// A tree of three nodes for each of two outputs.
train::TreeMap small_trees(std::size_t columns) {
  train::TreeMap trees(columns);
  for (std::size_t output = 0; output < 2; ++output) {
    trees.add_output(0.5);
    trees.add_tree(
        output, std::vector<train::TreeNode>{
                    {.column = 1, .value = 1.5F, .below = 1, .above = 2, .missing = 1}, {.value = -1}, {.value = 1}});
  }
  return trees;
}

train::DescriptorMap tree_descriptors() {
  train::DescriptorMap descriptors;
  descriptors.set_trees(small_trees(4));
  return descriptors;
}

train::TrainedModel make_trained(train::DescriptorMap descriptors) {
  const bool is_baseline = descriptors.columns() > 0;
  train::FeatureMap features = train::FeatureMap::from_json(json::parse(R"({"kind": "ready", "columns": 2})", ""));
  if (is_baseline) features.set_trees({small_trees(8), train::FeatureTrees::Rows::neighbours});
  return {.model = nn::Model(json::parse(kModel, "model"), {.inputs = 2, .outputs = 2}, 1),
          .data = {},
          .split = {},
          .features = std::move(features),
          .descriptors = std::move(descriptors),
          .label_names = {"no", "yes"},
          .scaler = {}};
}

std::string model_seed(train::DescriptorMap descriptors = {}, std::size_t averaged = 0) {
  return made([&](const std::string& path) {
    train::TrainedModel trained = make_trained(std::move(descriptors));
    for (std::size_t i = 0; i < averaged; ++i) trained.other_components.push_back(make_trained({}));
    train::save_trained_model(path, trained);
  });
}

std::string checkpoint_seed() {
  return made([](const std::string& path) {
    nn::Model model(json::parse(kModel, "model"), {.inputs = 2, .outputs = 2}, 1);
    train::TrainingState state(model, {});
    train::save_checkpoint(path, state, {}, {json::Object{{"config", train::to_json(train::Config())}}, {}});
  });
}

void read_checkpoint(const std::string& path) {
  nn::Model model(json::parse(kModel, "model"), {.inputs = 2, .outputs = 2}, 1);
  train::TrainingState state(model, {});
  train::load_checkpoint(path, state, {});
  train::read_checkpoint(path);
}

void read_config(const std::string& path) {
  const train::Config config = train::parse_config(json::parse_file(path));
  nn::Model(config.model.json(), {.inputs = 3, .outputs = 2}, 1, 1'000'000);
}

void read_reactions(const std::string& path) {
  io::TextReader reader(path);
  std::vector<std::string> reactions;
  for (std::string_view line; reader.next(line);) reactions.emplace_back(line);
  for (const std::string& reaction : reactions) io::align_reaction(reaction);
  data::featurise_molecules(reactions, {.descriptors = true, .reactions = data::ReactionMode::reac_diff});
  data::canonical_smiles(reactions);
  data::morgan_fingerprints(reactions, {.stereo = true});
  data::reaction_centres(reactions);
}

/// A table of two molecules and their amounts in each row, in an order and without one.
void read_mixtures(const std::string& path) {
  train::DataConfig config;
  config.molecules = path;
  config.smiles = {"a", "b"};
  config.amount = {"x", "y"};
  config.label = {"v"};
  for (const bool is_sum : {false, true}) {
    config.symmetric = is_sum;
    const train::Dataset data = train::load_molecules(config, {});
    train::duplicate_of(data);
    train::fingerprints_of(data, 64);
    train::rdkit_descriptors(*data.graphs);
    data::murcko_scaffolds(data.graphs->smiles_of("b"));
  }
}

void read_smiles(const std::string& path) {
  io::TextReader reader(path);
  for (std::string_view line; reader.next(line);) io::parse_smiles(std::string(line));
}

void read_tu_files(const std::string& path) {
  static const test::TemporaryDirectory folder;
  write_parts(path, folder,
              {"T_A.txt", "T_graph_indicator.txt", "T_graph_labels.txt", "T_node_labels.txt", "T_edge_attributes.txt"});
  io::read_tu_dataset(folder.path().string());
}

/// Two files as one table of nodes, and as one list of edges.
void read_several_files(const std::string& path) {
  static const test::TemporaryDirectory folder;
  write_parts(path, folder, {"a.csv", "b.csv"});
  const FileList files({(folder.path() / "a.csv").string(), (folder.path() / "b.csv").string()});
  try {
    io::read_node_table(files);
  } catch (const Error&) {  // it may be a list of edges
  }
  io::read_edge_list(files);
}

void read_features(const std::string& path) {
  static const graph::NodeNames kNodes = graph::NodeNames::numbered(3);
  io::read_feature_table(path, {.known_nodes = &kNodes});
}

std::vector<Target> make_targets() {
  const std::string sdf =
      "ethanol\n  t\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n"
      "    0.0 0.0 0.0 C   0  0\n    0.0 0.0 0.0 C   0  0\n    0.0 0.0 0.0 O   0  0\n"
      "  1  2  1  0\n  2  3  1  0\nM  END\n> <logP>\n-0.1\n\n$$$$\n";
  return {
      {"edge_list",
       [](const std::string& path) { io::read_edge_list(path); },
       {"source,target,weight\n1,2,0.5\n2,3,1e-3\n", "# c\na b\nb c\n", "\"a\";\"b\"\n\"x\n\";y\n",
        "Source,Target,Type,Weight\na,b,Directed,1\nb,c,Undirected,2\n", "userId,movieId\n1,2\n2,1\n",
        "% sym weighted\n% 2 3 3\n1 2 3\n2 3 1\n"}},
      {"several_files",
       read_several_files,
       {"source,target,weight\n1,2,0.5\n\x01"
        "weight,target,source\n1,3,2\n",
        "#a\tb\n1\t2\n\x01"
        "b,a\n3,4\n"}},
      {"node_table",
       [](const std::string& path) { io::read_node_table(path); },
       {"id,age,city\na,3,x\nb,,\"y,\"\"z\"\n", "node\tp\n1\t2\n2\tNA\n3\tq\n"}},
      {"sparse_features",
       [](const std::string& path) { io::read_sparse_features(path); },
       {"# nodes=3 features=4 nnz=2\nnode,feature,value\n0,1,0.5\n2,3,1\n", "0,1\n1,2\n"}},
      {"feature_table",
       read_features,
       {"node,x,y,z\n0,1,2,3\n2,NA,0.5,1\n", "3 2\n0 0.5 1\n1 2 3\n2 1 1 \n", "0 1.5\n1 2\n", "0,1,2\n0,2,1\n"}},
      {"feature_lists", [](const std::string& path) { io::read_feature_lists(path); }, {"{\"0\": [1, 2], \"b\": []}"}},
      {"split_file",
       [](const std::string& path) { data::read_splits(path, graph::NodeNames::numbered(3)); },
       {"node,split\n0,train\n1,test\n2,none\n"}},
      {"graphml",
       [](const std::string& path) { io::read_graphml(path); },
       {"<graphml><key id='a' for='node' attr.name='x' attr.type='int'><default>1</default></key><key id='b' "
        "for='edge' "
        "attr.name='weight' attr.type='double'/><graph edgedefault='directed'><node id='n'><data "
        "key='a'>2</data></node>"
        "<node id='m'/><edge source='n' target='m'><data key='b'>0.5</data></edge></graph></graphml>",
        "<graphml><key id='d' for='node' yfiles.type='nodegraphics'/><graph edgedefault='directed'><node id='g'><graph>"
        "<node id='n'><data "
        "key='d'><y:ShapeNode><y:NodeLabel>x</y:NodeLabel></y:ShapeNode></data></node></graph></node>"
        "<edge source='n' target='g' directed='false'/><edge source='g' target='n'/></graph></graphml>"}},
      {"gexf",
       [](const std::string& path) { io::read_gexf(path); },
       {"<gexf><graph defaultedgetype='directed'><attributes class='node'><attribute id='0' title='x' type='integer'>"
        "<default>1</default></attribute></attributes><nodes><node id='a' label='A'><attvalues><attvalue for='0' "
        "value='2'/></attvalues></node><node id='b'/></nodes><edges><edge source='a' target='b' weight='2'/><edge "
        "source='b' target='a' type='undirected'/></edges></graph></gexf>"}},
      {"pajek",
       [](const std::string& path) { io::read_pajek(path); },
       {"*Vertices 3\n1 \"a b\" 0 0 box ic Red x 1\n2 c\n*Arcs :1 \"r\"\n1 2 0.5\n*Edgeslist\n1 2 3\n",
        "*Vertices 2\n*Matrix\n0 1\n1 0\n"}},
      {"matrix_market",
       [](const std::string& path) { io::read_matrix_market(path); },
       {"%%MatrixMarket matrix coordinate real general\n% c\n3 3 2\n1 2 0.5\n3 1 1\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"}},
      {"sif", [](const std::string& path) { io::read_sif(path); }, {"a pp b c\nd\ne\tpd\tf g\n"}},
      {"lgl", [](const std::string& path) { io::read_lgl(path); }, {"# a\nb 0.5\nc\n# d\n"}},
      {"ncol", [](const std::string& path) { io::read_ncol(path); }, {"a b 0.5\nb c\n"}},
      {"adjacency_list", [](const std::string& path) { io::read_adjacency_list(path); }, {"# c\na b c\nd\n"}},
      {"metis", [](const std::string& path) { io::read_metis(path); }, {"% c\n3 2 11\n1 2 5 3 6\n2 1 5\n3 1 6\n"}},
      {"python_edge_list",
       [](const std::string& path) { io::read_python_edge_list(path); },
       {"# c\na b {'weight': 4, 'kind': \"it's\", 'l': [1, (2,)]}\nb c {}\n"}},
      {"neo4j_export",
       [](const std::string& path) { io::read_neo4j_export(path); },
       {"_id,_labels,x,_start,_end,_type\n0,:A,1,,,\n1,:B,,,,\n,,,0,1,T\n"}},
      {"cytoscape_edges",
       [](const std::string& path) { io::read_cytoscape_edges(path); },
       {"SUID,interaction,name,x\n1,pp,A (pp) B,2\n"}},
      {"graphviz",
       [](const std::string& path) { io::read_graphviz(path); },
       {"digraph G { node [a=1]; x -> y -> {z w} [weight=2]; \"q\" [b=<i>]; }",
        "strict graph { a -- subgraph s {b c}; }"}},
      {"gml",
       [](const std::string& path) { io::read_gml(path); },
       {"graph [ directed 1 node [ id 1 label \"a\" x 2 ] node [ id 2 label \"b\" ] edge [ source 1 target 2 value 3 ] "
        "]"}},
      {"node_link_json",
       [](const std::string& path) { io::read_node_link_json(path); },
       {R"({"directed": true, "nodes": [{"id": "a", "x": 1}, {"id": 2, "y": "t"}], "links": [{"source": "a", "target": 2, "w": 1.5}]})",
        R"({"elements": {"nodes": [{"data": {"id": "a", "x": NaN}}], "edges": [{"data": {"source": "a", "target": "a"}}]}})",
        R"({"nodes": [{"name": "a"}, {"name": "b"}], "links": [{"source": 0, "target": 1}]})",
        R"({"nodes": [{"id": "a"}, {"id": "b"}], "adjacency": [[{"id": "b"}], [{"id": "a"}]]})"}},
      {"molecule_table",
       [](const std::string& path) { io::read_molecule_table(path); },
       {"smiles,y\nCCO,1\nc1ccccc1,2\n"}},
      {"sdf", [](const std::string& path) { io::read_sdf(path, {}); }, {sdf}},
      {"tu_files",
       read_tu_files,
       {"1, 2\n2, 1\n3, 4\n\x01"
        "1\n1\n2\n2\n\x01"
        "1\n-1\n\x01"
        "0\n1\n1\n0\n\x01"
        "0.5, 1\n0.5, 1\n2, 3\n"}},
      {"pairs",
       [](const std::string& path) { io::read_pairs(path); },
       {"english\tfrench\nhi\tsalut\n", "\"a \"\"b\"\"\"\t\"c\"\t\"CC-BY\"\n\n", "1\ta\t2\tb\n3\tc\t4\td\n",
        "<?xml version=\"1.0\"?>\n<tmx version=\"1.4\"/>\n", "{\"translation\": {\"en\": \"a\", \"fr\": \"b\"}}\n"}},
      {"byte_pairs",
       [](const std::string& path) { data::BytePairs::read(path); },
       {"#version: 0.2\nt h\nth e</w>\n", "the\t-2.1\n", "\u0120 t\n", "{\"model\": 1}\n"}},
      {"reactions",
       read_reactions,
       {"[CH3:1][OH:2]>>[CH2:1]=[O:2]\n",
        "[F-:1].[Br:2][C:3]([H:4])([H])[H]>O.[Na+]>[F:1][C:3]([H:4])([H])[H].[Br-:2]\n",
        "[CH3:1][C@H:2]([NH2:3])O>>[CH3:1][CH:2]=[NH:3].O\n", "[H:1][H:2]>>[H:1].[H:2] |f:0.1|\n"}},
      {"mixtures",
       read_mixtures,
       {"a,b,x,y,v\nCCO,O,1,3,2\nC[C@H](N)O,[Na+].[Cl-],0.5,0,1\n,c1ccccc1,,2,3\n-,C,0,1,4\n"}},
      {"smiles",
       read_smiles,
       {"CCO\n", "C[C@H](N)C(=O)O\n", "[Na+].[Cl-]\n", "[CH3:1][OH:2]\n", "c1ccc2ccccc2c1 name\n", "F/C=C/F\n",
        "C%12CCCC%12\n"}},
      {"configuration",
       read_config,
       {json::dump(train::to_json(train::Config())),
        R"({"model": {"preset": "gatv2", "hidden": 8, "heads": 2, "layers": 2}, "training": {"epochs": 3}})"}},
      {"safetensors", [](const std::string& path) { io::read_safetensors(path); }, {model_seed()}},
      {"model",
       [](const std::string& path) { train::load_trained_model(path); },
       {model_seed(), model_seed(kernel_descriptors()), model_seed(tree_descriptors()), model_seed({}, 2)}},
      {"checkpoint", read_checkpoint, {checkpoint_seed()}},
  };
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> both = make_targets();
    std::ranges::move(job_targets(), std::back_inserter(both));
    return both;
  }();
  return all;
}

bool run_one(const Target& target, std::span<const char> input) {
  const MemoryFile file(input);
  try {
    target.read(file.path());
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace edgewise::fuzz

/// RDKit loses the molecule that it reads if the file refers to an atom that does not exist.
extern "C" const char* __lsan_default_suppressions() { return "leak:libRDKitFileParsers\n"; }
