#include "edgewise/autograd/set_loss.hpp"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/cross_entropy.hpp"
#include "edgewise/autograd/squared_error.hpp"
#include "edgewise/core/assignment.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::autograd {
namespace {

using Eigen::Index;

constexpr float kNothingWeight = 0.1F;  // of guesses that are matched with no object, in the cross entropy

/// The number of guesses for each image.
Index check_sets(ConstMatrixRef logits, ConstMatrixRef places, const ObjectSets& objects) {
  const auto images = static_cast<Index>(objects.offsets.size()) - 1;
  check_offsets("set_loss", "objects", objects.offsets, objects.classes.size());
  if (images < 1 || logits.cols() < 2 || logits.rows() % images != 0)
    throw UsageError(
        fmt::format("set_loss: logits has shape [{}, {}], expected as many rows for each of {} images, and "
                    "a column for each class and for nothing",
                    logits.rows(), logits.cols(), images));
  check_shape("set_loss", "places", shape_of(places), {logits.rows(), objects.places.cols()});
  check_count("set_loss", "places of objects", static_cast<std::size_t>(objects.places.rows()), objects.classes.size());
  check_indices("set_loss", "classes", objects.classes, static_cast<std::size_t>(logits.cols()) - 1);
  if (!logits.allFinite() || !places.allFinite() || !objects.places.allFinite())
    throw UsageError("set_loss: expected finite logits and places");
  return logits.rows() / images;
}

Matrix costs_of(ConstMatrixRef logits, ConstMatrixRef places, const ObjectSets& objects, Index first, Index count,
                float place_weight) {
  Matrix costs(count, logits.rows());
  for (Index guess = 0; guess < logits.rows(); ++guess) {
    const Eigen::RowVectorXf odds = (logits.row(guess).array() - logits.row(guess).maxCoeff()).exp();
    for (Index i = 0; i < count; ++i) {
      const float probability = odds(objects.classes[static_cast<std::size_t>(first + i)]) / odds.sum();
      costs(i, guess) =
          place_weight * (places.row(guess) - objects.places.row(first + i)).squaredNorm() - probability;
    }
  }
  return costs;
}

}  // namespace

std::vector<graph::Node> match_objects(ConstMatrixRef logits, ConstMatrixRef places, const ObjectSets& objects,
                                       const SetLossOptions& options) {
  const Index guesses = check_sets(logits, places, objects);
  std::vector<graph::Node> matched;
  for (std::size_t image = 0; image + 1 < objects.offsets.size(); ++image) {
    const Index first = objects.offsets[image], count = objects.offsets[image + 1] - objects.offsets[image];
    const Index begin = static_cast<Index>(image) * guesses;
    for (const Index guess : assign(costs_of(logits.middleRows(begin, guesses), places.middleRows(begin, guesses),
                                             objects, first, count, options.place_weight)))
      matched.push_back(static_cast<graph::Node>(begin + guess));
  }
  return matched;
}

Variable set_loss(Variable logits, Variable places, const ObjectSets& objects, const SetLossOptions& options) {
  Tape& tape = logits.tape();
  const auto& matched = tape.keep(match_objects(logits.value(), places.value(), objects, options));
  const auto nothing = static_cast<std::int32_t>(logits.cols()) - 1;
  std::vector<std::int32_t> classes(static_cast<std::size_t>(logits.rows()), nothing);
  Matrix targets = Matrix::Constant(places.rows(), places.cols(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t object = 0; object < matched.size(); ++object) {
    classes[matched[object]] = objects.classes[object];
    targets.row(matched[object]) = objects.places.row(static_cast<Index>(object));
  }
  std::vector<graph::Node> guesses(classes.size());
  std::iota(guesses.begin(), guesses.end(), graph::Node{0});
  std::vector<float> weights(static_cast<std::size_t>(logits.cols()), 1);
  weights.back() = kNothingWeight;
  const Variable of_classes = cross_entropy(logits, tape.keep(std::move(classes)), tape.keep(std::move(guesses)),
                                            tape.keep(std::move(weights)));
  const Variable of_places = squared_error(places, tape.keep(std::move(targets)), matched);
  return add(of_classes, scale(of_places, options.place_weight));
}

}  // namespace edgewise::autograd
