#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/io/predictions.hpp"
#include "edgewise/io/safetensors.hpp"
#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/model/calibration.hpp"
#include "edgewise/train/model/trained_model.hpp"
#include "edgewise/train/use/model_data.hpp"
#include "edgewise/train/use/prediction.hpp"

/// @file
/// What the uses of a model share.
namespace edgewise::python {

namespace nb = nanobind;

/// A trained model as in its file. Each use restores its own copy, so that uses may overlap.
struct Model {
  io::Safetensors content;
  std::string name;  ///< In messages: its file, if it was read from one.

  train::TrainedModel restore() const { return train::from_safetensors(name, content); }
};

/// Predictions for every item of some data.
struct Predictions {
  std::vector<std::string> names;
  std::vector<std::string> labels;
  std::string task;
  std::string shape;  ///< Of the labels: data::name_of.
  Matrix values;
  Matrix deviations;
  Matrix embeddings = {};
  train::Intervals intervals = {};       ///< Empty unless asked for.
  std::vector<std::string> unlike = {};  ///< How an item is unlike those of training, or ""; empty if nobody can tell.
  std::vector<float> similarity = {};    ///< Of molecules, to the nearest of training; empty if nobody can tell.
  std::vector<std::string> problems = {};  ///< Of molecules: why one could not be read, or "".
  std::vector<io::TextColumn> lists = {};  ///< Of atoms and bonds: columns with a JSON list for each molecule.
  std::vector<std::string> notes = {};
};

/// Those of every item of `data`.
Predictions make_predictions(const train::Dataset& data, std::vector<std::string> labels, const data::Task& task,
                             Matrix values, Matrix deviations);

/// A use of the model with `over`, the members of the configuration that differ from those of its training.
train::ModelRequest request_of(const Model& model, const std::string& over);

/// The nodes with these names, for `argument`. Throws UsageError for others.
std::vector<graph::Node> find_all(const char* argument, const std::vector<std::string>& wanted,
                                  const graph::NodeNames& names);

/// Keeps the notes.
train::NoteHook into(std::vector<std::string>& notes);

void bind_predicting(nb::module_& module, nb::class_<Model>& model);
void bind_links(nb::module_& module, nb::class_<Model>& model);
void bind_explaining(nb::module_& module, nb::class_<Model>& model);
void bind_evaluating(nb::class_<Model>& model);

}  // namespace edgewise::python
