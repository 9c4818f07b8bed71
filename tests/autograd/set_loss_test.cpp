#include "edgewise/autograd/set_loss.hpp"

#include <limits>

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Catch::Matchers::Contains;

namespace {

/// Two images with four guesses each: the first has two objects, the second none.
ObjectSets two_images() {
  Matrix places(2, 2);
  places << 0.1F, 0.2F, 0.8F, 0.9F;
  return {.offsets = {0, 2, 2}, .classes = {1, 0}, .places = places};
}

}  // namespace

TEST_CASE("objects are matched with the guesses nearest in class and place", "[autograd][set_loss]") {
  Matrix logits = Matrix::Zero(8, 3), places = Matrix::Constant(8, 2, 0.5F);
  places.row(3) << 0.1F, 0.2F;
  places.row(1) << 0.8F, 0.9F;
  CHECK(match_objects(logits, places, two_images()) == std::vector<graph::Node>{3, 1});
  // Without places, the classes decide.
  logits(0, 0) = 3;
  logits(2, 1) = 3;
  CHECK(match_objects(logits, places, two_images(), {.place_weight = 0}) == std::vector<graph::Node>{2, 0});
  // Objects share no guess, although both prefer the same one.
  logits = Matrix::Zero(8, 3);
  logits.row(0) << 5, 5, 0;
  const std::vector<graph::Node> matched = match_objects(logits, places, two_images(), {.place_weight = 0});
  CHECK(matched[0] != matched[1]);
}

TEST_CASE("the loss of a set is that of its matching", "[autograd][set_loss]") {
  Matrix logits = Matrix::Zero(8, 3), places = Matrix::Constant(8, 2, 0.5F);
  places.row(3) << 0.1F, 0.4F;  // 0.2 off
  places.row(1) << 0.8F, 0.9F;
  Tape tape;
  const float loss = set_loss(tape.constant(logits), tape.constant(places), two_images()).value()(0, 0);
  CHECK(loss == Approx(std::log(3) + 5 * 0.2 * 0.2 / 4));  // the mean of two places of two coordinates
  // A guess of something where nothing is costs less than a wrong class of an object.
  Matrix more = logits, wrong = logits;
  more(5, 0) = 4;
  wrong(3, 0) = 4;
  const auto loss_of = [&](const Matrix& of) {
    return set_loss(tape.constant(of), tape.constant(places), two_images()).value()(0, 0);
  };
  CHECK(loss_of(more) > loss);
  CHECK(loss_of(wrong) > loss_of(more));
}

TEST_CASE("the order of guesses and of objects does not matter to the loss of a set", "[autograd][set_loss]") {
  const Matrix logits = test::random_matrix(8, 3, 1), places = test::random_matrix(8, 2, 2, 0, 1);
  Matrix other_logits = logits, other_places = places;
  for (Matrix* matrix : {&other_logits, &other_places}) matrix->row(0).swap(matrix->row(2));
  ObjectSets objects = two_images(), others = two_images();
  others.places.row(0).swap(others.places.row(1));
  std::swap(others.classes[0], others.classes[1]);
  Tape tape;
  const float loss = set_loss(tape.constant(logits), tape.constant(places), objects).value()(0, 0);
  CHECK(set_loss(tape.constant(other_logits), tape.constant(other_places), others).value()(0, 0) == Approx(loss));
}

TEST_CASE("gradients of the loss of a set match central differences", "[autograd][set_loss]") {
  const ObjectSets objects = two_images();
  // Places far apart, so that a small step changes no matching.
  Matrix places = Matrix::Constant(8, 2, 3);
  places.row(3) << 0.2F, 0.1F;
  places.row(1) << 0.7F, 0.8F;
  test::check_gradient([&](Tape&, std::span<const Variable> v) { return set_loss(v[0], v[1], objects); },
                       {test::random_matrix(8, 3, 3), places});
  const ObjectSets none = {.offsets = {0, 0}, .classes = {}, .places = Matrix(0, 2)};
  Tape tape;
  Parameter logits("logits", test::random_matrix(4, 3, 4));
  tape.backward(set_loss(tape.parameter(logits), tape.constant(Matrix::Zero(4, 2)), none));
  CHECK(logits.gradient.allFinite());
  CHECK((logits.gradient.col(2).array() < 0).all());
}

TEST_CASE("the loss of a set refuses what does not fit", "[autograd][set_loss]") {
  const Matrix logits = Matrix::Zero(8, 3), places = Matrix::Zero(8, 2);
  ObjectSets objects = two_images();
  CHECK_THROWS_WITH(match_objects(Matrix::Zero(7, 3), Matrix::Zero(7, 2), objects), Contains("as many rows"));
  CHECK_THROWS_WITH(match_objects(logits, Matrix::Zero(8, 3), objects), Contains("places"));
  CHECK_THROWS_WITH(match_objects(Matrix::Zero(2, 3), Matrix::Zero(2, 2), objects), Contains("a column for each"));
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()})
    for (const Eigen::Index row : {0, 7}) {  // of an image with objects, and of one without
      Matrix wrong = logits, away = places;
      wrong(row, 2) = away(row, 1) = bad;
      CHECK_THROWS_WITH(match_objects(wrong, places, objects), Contains("expected finite"));
      CHECK_THROWS_WITH(match_objects(logits, away, objects), Contains("expected finite"));
    }
  for (const std::int32_t unknown : {2, -1}) {
    objects.classes[0] = unknown;
    CHECK_THROWS_WITH(match_objects(logits, places, objects), Contains("classes"));
  }
  for (const std::vector<graph::Node>& offsets : {std::vector<graph::Node>{}, {0}, {0, 3}, {0, 2, 1, 2}, {1, 2}}) {
    objects = two_images();
    objects.offsets = offsets;
    CHECK_THROWS_WITH(match_objects(logits, places, objects), Contains("offsets"));
  }
}
