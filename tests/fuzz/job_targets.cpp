#include <functional>
#include <utility>

#include "edgewise/train/choose/compare_models.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/choose/tune_models.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/run/run_set.hpp"
#include "fuzz/inputs.hpp"
#include "fuzz/targets.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_job.hpp"

namespace edgewise::fuzz {
namespace {

using train::Config;
using train::DataConfig;
using train::Dataset;

/// A target that writes the parts of the input to `names` and reads the job data that `config` makes of their folder.
std::function<void(const std::string&)> read_as(std::vector<std::string> names,
                                                std::function<DataConfig(const test::TemporaryDirectory&)> config) {
  return [names = std::move(names), config = std::move(config)](const std::string& path) {
    static const test::TemporaryDirectory folder;
    write_parts(path, folder, names);
    train::read_dataset(config(folder));
  };
}

DataConfig collection_config(const test::TemporaryDirectory& folder) {
  DataConfig config;
  config.nodes = folder.path("nodes.csv");
  config.graph_column = "sentence";
  config.order = "position";
  config.token_columns = {"word"};
  config.label = {"tag"};
  config.edges = folder.path("edges.csv");
  return config;
}

DataConfig graphs_config(const test::TemporaryDirectory& folder) {
  DataConfig config = collection_config(folder);
  config.edges = {};
  config.head = "head";
  config.directed = true;
  config.graphs = folder.path("graphs.csv");
  config.label = {"length"};
  return config;
}

DataConfig texts_config(const test::TemporaryDirectory& folder) {
  DataConfig config;
  config.texts = folder.path("texts.csv");
  config.label = {"label"};
  config.affixes = 2;
  return config;
}

DataConfig grid_config(const test::TemporaryDirectory& folder) {
  DataConfig config;
  config.nodes = folder.path("images.csv");
  config.grid = "2x2";
  config.label = {"bar"};
  return config;
}

DataConfig sequence_config(const test::TemporaryDirectory& folder) {
  DataConfig config = grid_config(folder);
  config.grid.clear();
  config.sequence = true;
  return config;
}

DataConfig masked_atoms_config(const test::TemporaryDirectory& folder) {
  DataConfig config;
  config.molecules = folder.path("molecules.csv");
  config.task = "masked_atoms";
  return config;
}

DataConfig atoms_config(const test::TemporaryDirectory& folder) {
  DataConfig config;
  config.molecules = folder.path("molecules.csv");
  config.atom_target = {"shift"};
  config.bond_target = {"order"};
  config.task = "regression";
  return config;
}

DataConfig atom_table_config(const test::TemporaryDirectory& folder) {
  DataConfig config = atoms_config(folder);
  config.atom_table = folder.path("atoms.csv");
  return config;
}

DataConfig kind_columns_config(const test::TemporaryDirectory& folder) {
  DataConfig config;
  config.nodes = folder.path("nodes.csv");
  config.edges = folder.path("edges.csv");
  config.node_kind = "type";
  config.edge_kind = "relation";
  config.label = {"left"};
  return config;
}

DataConfig masked_tokens_config(const test::TemporaryDirectory& folder) {
  DataConfig config = texts_config(folder);
  config.label.clear();
  config.task = "masked_tokens";
  return config;
}

/// A small job on nodes in memory.
struct ToyJob {
  Dataset data;

  ToyJob() {
    data::NodeData toy = test::two_groups(data::Task::classification, 20);
    data.name = "toy";
    data.graph = std::move(toy.graph);
    data.features = std::move(toy.features);
    data.labels = std::move(toy.labels);
  }

  static Config config_of(const std::string& model) { return config_with(R"({"preset": ")" + model + R"("})"); }

  static Config config_with(const std::string& model) {
    return train::parse_config(
        json::parse(R"({"model": )" + model + R"(, "training": {"epochs": 3, "runs": 2}})", "config"));
  }

  train::TuningPlan plan() const {
    return {.models = {"mlp", "gcn"},
            .config_of = [](const json::Value&) { return config_of("mlp"); },
            .brackets = 1};
  }

  train::ResultLog search_log(const std::string& path) const {
    return train::open_search_log(path, config_of("mlp"), plan(), data, {});
  }

  train::ResultLog comparison_log(const std::string& path) const {
    return train::open_comparison_log(path, config_of("mlp"), data, {});
  }

  std::string search_seed() const {
    return made([&](const std::string& path) {
      train::TuningHooks hooks;
      train::ResultLog log = search_log(path);
      train::use_log(log, hooks);
      train::tune_models(plan(), data, hooks);
    });
  }

  std::string comparison_seed() const {
    return made([&](const std::string& path) {
      train::ComparisonHooks hooks;
      train::ResultLog log = comparison_log(path);
      train::use_log(log, hooks);
      train::compare_models({.models = {"mlp"}, .config_of = config_of, .with_variants = false}, data, hooks);
    });
  }

  std::string runs_seed(const std::string& model) const {
    return made([&](const std::string& path) {
      const Config config = config_with(model);
      train::RunSet set;
      for (std::int64_t run = 0; run < config.runs; ++run) set.add(data, train::run_job(config, data, run));
      train::save_checkpoint(path, set.to_note(config, data));
    });
  }

  /// Reads a checkpoint as a training that continues it.
  void resume(const std::string& path) const {
    const train::CheckpointContent content = train::read_checkpoint(path);
    train::RunSet::from_note(path, content.note, train::parse_config(content.note.value.at("config")), data);
  }
};

const ToyJob& toy_job() {
  static const ToyJob job;
  return job;
}

/// Logs are rewritten beside themselves, so they need a folder.
void read_log(const std::string& path, train::ResultLog (ToyJob::*open)(const std::string&) const) {
  static const test::TemporaryDirectory folder;
  write_parts(path, folder, {"log.json"});
  (toy_job().*open)(folder.path("log.json"));
}

}  // namespace

std::vector<Target> job_targets() {
  return {
      {"collection",
       read_as({"nodes.csv", "edges.csv"}, collection_config),
       {"sentence,position,word,tag\na,1,ant,x\na,2,bee,y\nb,1,cow,x\nb,2,ant,x\nb,3,bee,y\n\x01"
        "source,target\na:1,a:2\nb:1,b:3\n",
        "sentence,position,word,tag\n1,1,ant,x\n1,2,NA,y\n2,1,cow,\n2,7,ant,x\n3,1,ant,y\n\x01"}},
      {"graphs",
       read_as({"nodes.csv", "graphs.csv"}, graphs_config),
       {"sentence,position,word,head\na,1,ant,0\na,2,bee,1\nb,1,cow,2\nb,2,ant,0\nc,1,ant,0\n\x01"
        "sentence,length\na,long\nb,short\nc,long\n"}},
      {"texts",
       read_as({"texts.csv"}, texts_config),
       {"text,label\na good film,yes\n\"bad, bad\",no\nthe plot,yes\n", "label\ttext\n1\tx y\n2\t\n1\tNA\n"}},
      {"grid",
       read_as({"images.csv"}, grid_config),
       {"p0,p1,p2,p3,bar\n0,1,0,1,standing\n1,1,0,0,lying\n.5,NA,0,1e3,standing\n"}},
      {"sequence",
       read_as({"images.csv"}, sequence_config),
       {"p0,p1,p2,bar\na,b,c,yes\nb,,c,no\nc,a,,yes\n", "p0,p1,bar\n1,2,yes\n3,,no\n"}},
      {"masked_atoms",
       read_as({"molecules.csv"}, masked_atoms_config),
       {"smiles\nCCO\nCCN\nc1ccccc1O\n[Na+].[Cl-]\n", "smiles,y\nCC(=O)O,1\nnothing,2\n"}},
      {"atoms",
       read_as({"molecules.csv"}, atoms_config),
       {"smiles,shift,order\nCCO,\"[1, null, 2.5]\",1 2\nC[NH3+],3;4,1\nc1ccccc1,,\nC,7,[]\n",
        "smiles,shift,order\n[CH3:2][OH:1],\"1,2\",3\nnothing,1,1\nCC,1 2 3,\n"}},
      {"atom_table",
       read_as({"molecules.csv", "atoms.csv"}, atom_table_config),
       {"name,smiles\na,CCO\nb,[CH3:2][OH:1]\n\x01"
        "molecule,atom_1,atom_2,shift,order\na,0,,1.5,\na,1,2,,2\nb,2,1,,1\n",
        "smiles\nCC\nC1C\n\x01"
        "row,atom,atom_index,shift,order\n1,2,1,,1\n1,1,,3,\n2,1,,1,\n"}},
      {"kind_columns",
       read_as({"nodes.csv", "edges.csv"}, kind_columns_config),
       {"id,type,age,left\na,person,30,yes\nb,person,40,no\nq,product,,\n\x01"
        "from,relation,to\na,buys,q\nb,buys,q\na,knows,b\n",
        "id,type,left\n1,x,1\n2,,0\n\x01"
        "relation,from,to\n,1,2\na:b,2,1\n"}},
      {"masked_tokens",
       read_as({"texts.csv"}, masked_tokens_config),
       {"text,split\na good film,train\n\"a, bad a\",test\nthe plot,train\n", "text\n1 2 1\n\n2 NA\n"}},
      {"search_log",
       [](const std::string& path) { read_log(path, &ToyJob::search_log); },
       {toy_job().search_seed()}},
      {"comparison_log",
       [](const std::string& path) { read_log(path, &ToyJob::comparison_log); },
       {toy_job().comparison_seed()}},
      {"runs",
       [](const std::string& path) { toy_job().resume(path); },
       {toy_job().runs_seed(R"({"preset": "mlp"})"), toy_job().runs_seed(R"({"preset": "label_propagation"})"),
        toy_job().runs_seed(R"({"preset": "auto", "candidates": ["mlp"]})")}},
  };
}

}  // namespace edgewise::fuzz
