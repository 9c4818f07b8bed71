#include "edgewise/core/principal_components.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>

#include "edgewise/core/random.hpp"

namespace edgewise {
namespace {

using Table = Eigen::MatrixXd;

constexpr Eigen::Index kMoreDirections = 6;  // beside those asked for: they make the iteration converge faster
constexpr int kIterations = 30;

Table random_directions(Eigen::Index columns, Eigen::Index count) {
  Random random(1, Stream::initialise);
  Table directions(columns, count);
  for (double& entry : directions.reshaped()) entry = random.normal();
  return directions;
}

/// An orthonormal basis of the columns.
Table basis_of(const Table& columns) {
  return Eigen::HouseholderQR<Table>(columns).householderQ() * Table::Identity(columns.rows(), columns.cols());
}

void make_largest_positive(Eigen::Ref<Eigen::VectorXd> direction) {
  Eigen::Index largest = 0;
  direction.cwiseAbs().maxCoeff(&largest);
  if (direction[largest] < 0) direction = -direction;
}

}  // namespace

Matrix principal_components(ConstMatrixRef rows, Eigen::Index count) {
  Matrix components = Matrix::Zero(rows.rows(), count);
  const Eigen::Index found = std::min(rows.cols(), count);
  if (rows.rows() == 0 || found == 0) return components;
  Table centred = rows.cast<double>();
  centred.rowwise() -= centred.colwise().mean().eval();
  Table basis = basis_of(random_directions(rows.cols(), std::min(rows.cols(), count + kMoreDirections)));
  for (int i = 0; i < kIterations; ++i) basis = basis_of(centred.transpose() * (centred * basis));
  const Table within = centred * basis;
  const Eigen::SelfAdjointEigenSolver<Table> solver(within.transpose() * within);  // ascending
  Table directions = basis * solver.eigenvectors().rightCols(found).rowwise().reverse();
  for (Eigen::Index i = 0; i < found; ++i) make_largest_positive(directions.col(i));
  components.leftCols(found) = (centred * directions).cast<float>();
  return components;
}

}  // namespace edgewise
