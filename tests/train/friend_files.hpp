#pragma once

#include <fstream>
#include <string>

#include "edgewise/train/config/config.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_files.hpp"

namespace edgewise::test {

/// The files of `write_friends` and a short job on them.
struct FriendFiles {
  TemporaryDirectory directory;
  train::Config config;

  FriendFiles() {
    write_friends(directory.path());
    config = train::parse_config(json::parse(
        R"({"model": {"hidden": 8, "heads": 2, "dropout": 0.2, "attention_dropout": 0.2},
            "training": {"epochs": 60, "learning_rate": 0.02, "patience": 30}})",
        "config"));
    config.data.edges = path("friends.csv");
    config.data.nodes = path("people.csv");
    config.data.label = {"buys"};
  }

  std::string path(const char* name) const { return (directory.path() / name).string(); }
  void write(const char* name, const std::string& text) const { std::ofstream(directory.path() / name) << text; }
};

}  // namespace edgewise::test
