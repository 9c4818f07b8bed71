#include "edgewise/nn/kept_rows.hpp"

#include "edgewise/autograd/select_rows.hpp"

namespace edgewise::nn {

void RowTable::append(ConstMatrixRef rows) {
  columns_ = rows.cols();
  const std::size_t before = values_.size();
  values_.resize(before + static_cast<std::size_t>(rows.size()));
  MatrixMap(values_.data() + before, rows.rows(), rows.cols()) = rows;
}

ConstMatrixMap RowTable::rows() const {
  return {values_.data(), columns_ == 0 ? 0 : static_cast<Eigen::Index>(values_.size()) / columns_, columns_};
}

autograd::Variable with_past(ForwardContext& context, const std::string& name, autograd::Variable rows) {
  if (context.kept == nullptr) return rows;
  RowTable& table = context.kept->tables[name];
  table.append(rows.value());
  return context.tape.constant(table.rows());
}

autograd::Variable past_rows(ForwardContext& context, const std::string& name) {
  const autograd::Variable all = context.tape.constant(context.kept->tables.at(name).rows());
  return autograd::select_rows(all, context.kept->previous);
}

}  // namespace edgewise::nn
