#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "edgewise/core/json.hpp"
#include "edgewise/io/predictions.hpp"
#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/use/link_prediction.hpp"
#include "edgewise/train/use/model_data.hpp"

/// @file
/// A model that answers requests, one after the other: for servers, and for programs in other languages.
namespace edgewise::train {

/// Requests and answers are JSON objects in one line each. A request has one of
///   "nodes": names of nodes of the network,  "graphs": names of graphs,  "molecules": SMILES, or of a model of several
///   molecules in a row an array of them for each row (or io/mixture_text.hpp),  "reactions",
///   "explain": one of them,
/// and may have
///   "level": a share such as 0.9: also sets of classes or intervals that hold it (Calibration::intervals),
///   "of": what is explained (`effects_of`),
///   "id": any value, which the answer repeats.
/// Of a model of ties it has "links": pairs of names, or "nodes" and "top": how many new ties to suggest to each.
/// The answer has "predictions", the lines that `predict` writes as JSON Lines, in the order of the request;
/// or "explanation" (`to_json` of Effects); or "error", a line.
class Answerer {
 public:
  /// Reads what the model is used on, and predicts all of it; molecules come with the requests instead. Throws as
  /// `open_model`, `load_model_data` and `predict` do, and UsageError for a request that names molecules to read.
  Answerer(TrainedModel trained, const ModelRequest& request, const NoteHook& note);

  Answerer(const Answerer&) = delete;

  /// The answer to a request that may be anything, without a line break.
  std::string answer(std::string_view request);

 private:
  std::string answer_to(const json::Value& request);
  std::string answer_about_links(const json::Value& request);
  std::string predictions_of_items(const json::Value& names, double level);
  std::string predictions_of_molecules(const json::Value& smiles, double level);
  std::string written(const Dataset& data, io::Predictions rows, double level) const;
  json::Value explanation_of(const json::Value& item, const std::string& answer);
  Dataset rows_of(const json::Array& molecules) const;
  void read_molecule(const json::Value& smiles);

  ModelData loaded_;             // without data if requests bring it
  bool takes_molecules_;
  std::string_view kind_;        // the member of requests that names items
  io::Predictions predictions_;  // of all items
  std::unique_ptr<LinkScorer> scorer_;  // of a model of ties
};

}  // namespace edgewise::train
