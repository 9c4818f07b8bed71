#pragma once

#include <memory>
#include <string>

#include "edgewise/core/matrix.hpp"
#include "edgewise/train/explain/attention_rows.hpp"
#include "edgewise/train/loop/node_batches.hpp"
#include "edgewise/train/use/model_data.hpp"

namespace edgewise::train {

/// What a model predicts for all nodes, and whom they attend to.
struct NodeAttention {
  std::unique_ptr<NodeBatches> batches;  ///< `batches->mask(record.mask)` has the rows of a record.
  AttentionRecords records;              ///< One per attention layer.
  Matrix predictions;
};

/// Of an average, that of the first model with an attention layer. `path` names the model in messages. Throws
/// ModelError if there is none, and if the data does not fit.
NodeAttention attention_of_nodes(const std::string& path, ModelData& loaded, const NoteHook& note);

}  // namespace edgewise::train
