#include "edgewise/optim/adam.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"

using namespace edgewise;
using autograd::Parameter;

namespace {

const json::Value& golden() {
  static const json::Value value = json::parse_file(EDGEWISE_SOURCE_DIR "/tests/golden/adam.json");
  return value;
}

Matrix to_matrix(const json::Value& rows) {
  Matrix matrix(static_cast<Eigen::Index>(rows.as_array().size()),
                static_cast<Eigen::Index>(rows.as_array()[0].as_array().size()));
  for (Eigen::Index r = 0; r < matrix.rows(); ++r)
    for (Eigen::Index c = 0; c < matrix.cols(); ++c)
      matrix(r, c) = static_cast<float>(rows.as_array()[static_cast<std::size_t>(r)]
                                            .as_array()[static_cast<std::size_t>(c)].as_number());
  return matrix;
}

optim::AdamOptions options_of(const json::Value& json, optim::WeightDecay decay) {
  optim::AdamOptions options{.learning_rate = json.at("lr").as_number(),
                             .epsilon = json.get("eps", 1e-8),
                             .weight_decay = json.get("weight_decay", 0.0),
                             .decay = decay};
  if (const json::Value* betas = json.find("betas")) {
    options.beta1 = betas->as_numbers()[0];
    options.beta2 = betas->as_numbers()[1];
  }
  return options;
}

Matrix random_matrix(Eigen::Index rows, Eigen::Index cols, std::uint64_t seed) {
  Random random(seed, Stream::generate);
  return Matrix::NullaryExpr(rows, cols, [&] { return static_cast<float>(random.normal()); });
}

}  // namespace

TEST_CASE("adam equals PyTorch step by step", "[optim][adam]") {
  for (const auto& [name, reference] : golden().at("cases").as_object()) {
    INFO(name);
    Parameter weight("w", to_matrix(golden().at("start")));
    const auto decay = name == "adamw" ? optim::WeightDecay::decoupled : optim::WeightDecay::l2;
    optim::Adam adam({&weight}, options_of(reference.at("options"), decay));
    for (std::size_t step = 0; step < golden().at("gradients").as_array().size(); ++step) {
      weight.gradient = to_matrix(golden().at("gradients").as_array()[step]);
      adam.step();
      const std::vector<double> expected = reference.at("weights").as_array()[step].as_numbers();
      for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(static_cast<double>(weight.value.data()[i]) == Approx(expected[i]).epsilon(2e-6).margin(2e-6));
      CHECK(weight.gradient.isZero(0));
    }
  }
}

TEST_CASE("the gradient norm clips as PyTorch does", "[optim][adam]") {
  const json::Value& reference = golden().at("clip");
  Parameter weight("w", to_matrix(golden().at("start")));
  weight.gradient = to_matrix(golden().at("gradients").as_array()[0]);
  optim::Adam adam({&weight});
  const double norm = adam.gradient_norm();
  CHECK(norm == Approx(reference.at("norm").as_number()).epsilon(1e-6));
  const double scale = optim::clip_scale(norm, reference.at("max_norm").as_number());
  const std::vector<double> clipped = reference.at("clipped").as_numbers();
  for (std::size_t i = 0; i < clipped.size(); ++i)
    CHECK(static_cast<double>(weight.gradient.data()[i]) * scale == Approx(clipped[i]).epsilon(1e-5));
  CHECK(optim::clip_scale(0.5, 2) == 1);
  CHECK(optim::clip_scale(50, 0) == 1);
}

TEST_CASE("weight decay skips parameters that do not decay, unless requested", "[optim][adam]") {
  for (const auto decay : {optim::WeightDecay::l2, optim::WeightDecay::decoupled}) {
    Parameter bias("b", Matrix::Ones(1, 4));
    bias.decay = 0;
    optim::Adam({&bias}, {.weight_decay = 0.5, .decay = decay}).step();
    CHECK(bias.value == Matrix::Ones(1, 4));
    optim::Adam({&bias}, {.weight_decay = 0.5, .decay = decay, .decay_all = true}).step();
    CHECK(bias.value(0, 0) < 1);
  }
}

TEST_CASE("the decay of a parameter multiplies the weight decay", "[optim][adam]") {
  const auto decay = GENERATE(optim::WeightDecay::l2, optim::WeightDecay::decoupled);
  const auto step = [&](float own, double weight_decay) {
    Parameter weight("w", Matrix::Constant(1, 4, 3));
    weight.gradient.setOnes();
    weight.decay = own;
    optim::Adam adam({&weight}, {.weight_decay = weight_decay, .decay = decay});
    adam.step();
    weight.gradient.setConstant(-1);
    adam.step();
    return weight.value;
  };
  CHECK(step(4, 0.125) == step(1, 0.5));
  CHECK(step(4, 0.125) != step(1, 0.125));
}

TEST_CASE("adam finds the minimum of a badly scaled bowl", "[optim][adam]") {
  Parameter x("x", Matrix::Constant(1, 2, 3));
  optim::Adam adam({&x}, {.learning_rate = 0.05});
  for (int step = 0; step < 2000; ++step) {
    x.gradient << 100 * (x.value(0, 0) - 1), 0.01F * (x.value(0, 1) + 2);
    adam.step();
  }
  CHECK(x.value(0, 0) == Approx(1).margin(1e-3));
  CHECK(x.value(0, 1) == Approx(-2).margin(1e-2));
}

TEST_CASE("adam gives the same bits at 1 and 3 threads, and after restoring its state", "[optim][adam]") {
  const Matrix start = random_matrix(300, 211, 1);
  const auto run = [&](int thread_count, bool restart) {
    const int before = threads();
    set_threads(thread_count);
    Parameter weight("w", start);
    Parameter small("s", Matrix::Ones(1, 7));
    auto adam = std::make_unique<optim::Adam>(std::vector<Parameter*>{&weight, &small},
                                              optim::AdamOptions{.weight_decay = 1e-3});
    for (std::uint64_t step = 0; step < 6; ++step) {
      if (restart && step == 3) {
        auto fresh = std::make_unique<optim::Adam>(std::vector<Parameter*>{&weight, &small}, adam->options());
        auto from = adam->state();
        auto to = fresh->state();
        REQUIRE(from.size() == 4);
        for (std::size_t i = 0; i < from.size(); ++i) {
          CHECK(from[i].first == to[i].first);
          *to[i].second = *from[i].second;
        }
        fresh->set_steps(adam->steps());
        adam = std::move(fresh);
      }
      weight.gradient = random_matrix(300, 211, 10 + step);
      small.gradient = random_matrix(1, 7, 90 + step);
      adam->step(0.01, optim::clip_scale(adam->gradient_norm(), 1));
    }
    set_threads(before);
    return weight.value;
  };
  const Matrix reference = run(1, false);
  CHECK(run(3, false) == reference);
  CHECK(run(2, true) == reference);
}

TEST_CASE("adam refuses invalid options and accepts having no parameters", "[optim][adam]") {
  CHECK_THROWS_WITH(optim::Adam({}, {.learning_rate = -1}), Catch::Contains("learning_rate"));
  CHECK_THROWS_AS(optim::Adam({}, {.beta1 = 1}), UsageError);
  CHECK_THROWS_AS(optim::Adam({}, {.weight_decay = std::nan("")}), UsageError);
  optim::Adam nothing({});
  CHECK(nothing.gradient_norm() == 0);
  nothing.step();
}

TEST_CASE("adam leaves frozen parameters alone", "[optim][adam]") {
  const Matrix start = random_matrix(3, 4, 1);
  for (const auto decay : {optim::WeightDecay::l2, optim::WeightDecay::decoupled}) {
    Parameter frozen("frozen", start), later("later", start), free("free", start);
    frozen.is_frozen = true;
    optim::Adam adam({&frozen, &later, &free}, {.weight_decay = 0.1, .decay = decay});
    CHECK(adam.state().size() == 4);
    later.is_frozen = true;
    adam.step();
    CHECK(frozen.value == start);
    CHECK(later.value == start);
    CHECK(free.value != start);
  }
}

TEST_CASE("adam refuses an epsilon that is 0 or not finite", "[optim][adam]") {
  for (const double epsilon : {0.0, -1e-8, 1e-60, 1e39, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_WITH(optim::Adam({}, {.epsilon = epsilon}), Catch::Matchers::Contains("epsilon: expected a finite"));
}
