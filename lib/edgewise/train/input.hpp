#pragma once

#include <memory>

#include "edgewise/autograd/linear.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::train {

/// Node features as a model takes them; what sparse features need besides is made once. `features` must outlive this.
class ModelInput {
 public:
  explicit ModelInput(const data::Features& features) : features_(features) {
    if (features.is_sparse) sparse_ = std::make_unique<autograd::SparseInput>(features.sparse);
  }

  nn::Signal signal(autograd::Tape& tape) const {
    nn::Signal signal;
    if (sparse_ == nullptr) {
      signal.dense = tape.constant(features_.dense);
    } else {
      signal.sparse = sparse_.get();
      signal.sparse_values = features_.sparse.valuePtr();
    }
    return signal;
  }

 private:
  const data::Features& features_;
  std::unique_ptr<autograd::SparseInput> sparse_;
};

}  // namespace edgewise::train
