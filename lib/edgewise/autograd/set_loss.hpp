#pragma once

#include <cstdint>
#include <vector>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/graph.hpp"

/// @file
/// A loss of sets: a model gives a fixed number of guesses for each image, in no order, and each object of the image is
/// matched with one of them (Carion et al. 2020, "End-to-End Object Detection with Transformers", eq. 1 and 2).
namespace edgewise::autograd {

/// The objects of several images.
struct ObjectSets {
  std::vector<graph::Node> offsets = {0};  ///< Image i has the objects offsets[i] to offsets[i + 1].
  std::vector<std::int32_t> classes;       ///< [objects]
  Matrix places;                           ///< [objects, coordinates]
};

struct SetLossOptions {
  float place_weight = 5;
};

/// The guess that each object is matched with, [objects]: those of image i are the rows i * Q to (i + 1) * Q of
/// `logits` and `places`. The sum over the objects of an image of
///   place_weight * ||place - place of the object||^2 - softmax(logits)[class of the object]
/// is the least. logits [images * Q, C + 1], the last column for "nothing"; places [images * Q, coordinates]. Throws
/// UsageError for other shapes, for more objects than guesses, for classes that do not exist, and for numbers that are
/// not finite.
std::vector<graph::Node> match_objects(ConstMatrixRef logits, ConstMatrixRef places, const ObjectSets& objects,
                                       const SetLossOptions& options = {});

/// With each object matched as above: the cross entropy of the classes (where there is no object that of "nothing",
/// with a weight of 0.1), plus place_weight * the mean of the squares of the errors of the matched places. Result
/// [1, 1]. Throws as `match_objects`.
Variable set_loss(Variable logits, Variable places, const ObjectSets& objects, const SetLossOptions& options = {});

}  // namespace edgewise::autograd
