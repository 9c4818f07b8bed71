#include <algorithm>
#include <cmath>
#include <edgewise/autograd/concat.hpp>
#include <edgewise/autograd/set_loss.hpp>
#include <edgewise/core/random.hpp>
#include <edgewise/edgewise.hpp>
#include <edgewise/optim/adam.hpp>
#include <iostream>
#include <string>

#include "digit_images.hpp"

using namespace edgewise;
using autograd::Variable;

/// Which digits are in an image, and where? Learnt queries attend to the pixels, and each gives a digit and its place,
/// or nothing (the idea of DETR, Carion et al. 2020).
/// Usage: find_digits DIGITS.csv STEPS

constexpr int kSide = 20, kPixels = kSide * kSide;  // of an image with several digits
constexpr int kQueries = 6, kMostDigits = 3, kClasses = 10;
constexpr int kWindow = 7, kPixelColumns = kWindow * kWindow + 2 * kSide;
constexpr int kImages = 32;  // in a step

/// Images with digits at random places, which do not overlap.
struct Scenes {
  Matrix pixels;  // [images * 400, columns]: what is around each pixel, and its row and column
  autograd::ObjectSets digits;
};

/// A place for one more digit: its first row and column. False if there is none left, after a few tries.
bool place_digit(Random& random, std::vector<std::pair<int, int>>& places) {
  constexpr int kSize = DigitImages::kSide, kTries = 50;
  for (int i = 0; i < kTries; ++i) {
    const int row = static_cast<int>(random.below(kSide - kSize + 1));
    const int column = static_cast<int>(random.below(kSide - kSize + 1));
    const bool is_free = std::ranges::all_of(places, [&](const auto& other) {
      return std::abs(other.first - row) >= kSize || std::abs(other.second - column) >= kSize;
    });
    if (is_free) return places.emplace_back(row, column), true;
  }
  return false;
}

/// Each pixel with those around it, then its row and its column.
void describe_pixels(const Matrix& canvas, Eigen::Ref<Matrix> pixels) {
  constexpr int kHalf = kWindow / 2;
  for (int row = 0; row < kSide; ++row)
    for (int column = 0; column < kSide; ++column) {
      auto pixel = pixels.row(row * kSide + column);
      for (int i = 0; i < kWindow; ++i)
        for (int j = 0; j < kWindow; ++j) {
          const int y = row + i - kHalf, x = column + j - kHalf;
          if (y >= 0 && y < kSide && x >= 0 && x < kSide) pixel(i * kWindow + j) = canvas(y, x);
        }
      pixel(kWindow * kWindow + row) = pixel(kWindow * kWindow + kSide + column) = 1;
    }
}

/// Images of one to three digits, drawn from the rows `first` to `last` of the given ones.
Scenes draw_scenes(const DigitImages& from, std::size_t first, std::size_t last, int count, Random& random) {
  constexpr int kSize = DigitImages::kSide;
  Scenes scenes{.pixels = Matrix::Zero(count * kPixels, kPixelColumns), .digits = {}};
  std::vector<float> centres;
  for (int image = 0; image < count; ++image) {
    Matrix canvas = Matrix::Zero(kSide, kSide);
    std::vector<std::pair<int, int>> places;
    const auto wanted = 1 + random.below(kMostDigits);
    while (places.size() < wanted && place_digit(random, places)) {
      const auto [row, column] = places.back();
      const std::size_t digit = first + random.below(last - first);
      canvas.block(row, column, kSize, kSize) =
          ConstMatrixMap(from.pixels.row(static_cast<Eigen::Index>(digit)).data(), kSize, kSize);
      scenes.digits.classes.push_back(from.digits[digit]);
      for (const int begin : {row, column})
        centres.push_back(static_cast<float>(begin + kSize / 2) / static_cast<float>(kSide));
    }
    scenes.digits.offsets.push_back(static_cast<graph::Node>(scenes.digits.classes.size()));
    describe_pixels(canvas, scenes.pixels.middleRows(image * kPixels, kPixels));
  }
  scenes.digits.places = ConstMatrixMap(centres.data(), static_cast<Eigen::Index>(centres.size() / 2), 2);
  return scenes;
}

json::Value attention_over(const char* mask) {
  return json::Object{
      {"type", "residual"},
      {"blocks", json::Array{json::Object{{"type", "layer_norm"}},
                             json::Object{{"type", "dot_product"}, {"heads", 4}, {"width", 16}, {"mask", mask},
                                          {"output_projection", true}}}}};
}

json::Value feed_forward() {
  return json::Object{{"type", "residual"},
                      {"blocks", json::Array{json::Object{{"type", "layer_norm"}},
                                             json::Object{{"type", "feed_forward"}, {"hidden", 128}}}}};
}

/// The rows are the queries. The pixels are a node set of their own, which they attend to over the mask "seen"; over
/// "others", queries attend to those of the same image.
json::Value model_config() {
  json::Array blocks = json::parse(R"([
      {"type": "linear", "width": 64},
      {"type": "node_set", "set": "pixels", "blocks": [
        {"type": "linear", "width": 64}, {"type": "activation", "function": "gelu"},
        {"type": "feed_forward", "width": 64, "hidden": 128}, {"type": "layer_norm"}]}])", "model").as_array();
  for (int layer = 0; layer < 3; ++layer)
    blocks.insert(blocks.end(), {attention_over("seen"), attention_over("others"), feed_forward()});
  blocks.emplace_back(json::Object{{"type", "layer_norm"}});
  blocks.emplace_back(json::Object{{"type", "linear"}, {"width", "outputs"}});
  return json::Object{{"blocks", std::move(blocks)}};
}

/// The masks of `images` images, and one row per query: which query of its image it is.
struct Inputs {
  explicit Inputs(int images) : queries(Matrix::Zero(images * kQueries, kQueries)) {
    graph::Csr all_pixels;
    std::vector<graph::Node> offsets = {0};
    for (int row = 0; row < images * kQueries; ++row) {
      queries(row, row % kQueries) = 1;
      const auto first = static_cast<graph::Node>(row / kQueries * kPixels);
      for (graph::Node pixel = 0; pixel < kPixels; ++pixel) all_pixels.columns.push_back(first + pixel);
      all_pixels.offsets.push_back(all_pixels.columns.size());
      if (row % kQueries + 1 == kQueries) offsets.push_back(static_cast<graph::Node>(row + 1));
    }
    seen = graph::freeze(std::move(all_pixels), static_cast<std::size_t>(images) * kPixels);
    others = graph::parse_mask("complete").build({.edges = {}, .offsets = offsets});
  }

  Matrix queries;
  graph::FrozenGraph seen, others;
};

struct Guesses {
  Variable digits;  // [queries, 11], the last for nothing
  Variable places;  // [queries, 2]
};

Guesses guess(nn::Model& model, autograd::Tape& tape, const Inputs& inputs, const Scenes& scenes, bool is_training) {
  nn::ForwardContext context{.tape = tape,
                             .masks = {{"seen", &inputs.seen}, {"others", &inputs.others}},
                             .is_training = is_training,
                             .node_sets = {{"pixels", {.dense = tape.constant(scenes.pixels)}}}};
  const Variable outputs = model.forward(context, {.dense = tape.constant(inputs.queries)});
  return {autograd::slice_columns(outputs, 0, kClasses + 1), autograd::slice_columns(outputs, kClasses + 1, 2)};
}

/// Prints how many digits are found: told as the right digit, and at most two pixels off. Guesses of digits that are
/// none of those are extra.
void test(nn::Model& model, const Scenes& scenes) {
  const Inputs inputs(static_cast<int>(scenes.digits.offsets.size()) - 1);
  autograd::Tape tape(false);
  const Guesses guesses = guess(model, tape, inputs, scenes, false);
  const auto matched = autograd::match_objects(guesses.digits.value(), guesses.places.value(), scenes.digits);
  std::size_t found = 0, right = 0, given = 0;
  const auto class_of = [&](graph::Node row) {
    Eigen::Index column = 0;
    guesses.digits.value().row(row).maxCoeff(&column);
    return column;
  };
  for (std::size_t digit = 0; digit < matched.size(); ++digit) {
    const bool is_right = class_of(matched[digit]) == scenes.digits.classes[digit];
    const float off = (guesses.places.value().row(matched[digit]) -
                       scenes.digits.places.row(static_cast<Eigen::Index>(digit))).norm() * kSide;
    right += is_right ? 1 : 0;
    found += is_right && off <= 2 ? 1 : 0;
  }
  for (graph::Node row = 0; row < guesses.digits.rows(); ++row) given += class_of(row) < kClasses ? 1 : 0;
  const auto percent = [&](std::size_t count) {
    return 100 * static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(matched.size(), 1));
  };
  std::cout << percent(right) << " % told as the right digit, " << percent(found) << " % also where it is; "
            << percent(given - found) << " % extra\n";
}

int find_digits(const std::string& path, int steps) {
  const DigitImages digits = read_digits(path);
  const std::size_t known = digits.digits.size() * 4 / 5;  // the others are for the test
  nn::Model model(model_config(),
                  {.inputs = kQueries,
                   .outputs = kClasses + 1 + 2,
                   .node_sets = {{"pixels", kPixelColumns}},
                   .masks = {{.name = "seen", .rows = nn::kNodes, .columns = "pixels"}, {.name = "others"}}},
                  /*seed=*/1);
  const Inputs inputs(kImages);
  optim::Adam adam(model.parameters(), {.learning_rate = 0.001});
  autograd::Tape tape;
  double sum = 0;
  for (int step = 1; step <= steps; ++step) {
    Random random(/*seed=*/1, Stream::generate, static_cast<std::uint64_t>(step));
    const Scenes scenes = draw_scenes(digits, 0, known, kImages, random);
    tape.reset();
    const Guesses guesses = guess(model, tape, inputs, scenes, true);
    const Variable loss = autograd::set_loss(guesses.digits, guesses.places, scenes.digits);
    sum += loss.value()(0, 0);
    tape.backward(loss);
    const double rate = 0.001 * std::min(1.0, step / 100.0) * (1 + std::cos(3.14159 * step / steps)) / 2;
    adam.step(rate, optim::clip_scale(adam.gradient_norm(), 1));
    if (step % 250 != 0 && step != steps) continue;
    std::cout << "step " << step << ": loss " << sum / (step % 250 == 0 ? 250 : step % 250) << ", " << std::flush;
    sum = 0;
    Random of_test(/*seed=*/2, Stream::generate);
    test(model, draw_scenes(digits, known, digits.digits.size(), 200, of_test));
  }
  return 0;
}

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: find_digits DIGITS.csv STEPS\n";
    return 2;
  }
  try {
    return find_digits(arguments[1], std::stoi(arguments[2]));
  } catch (const std::exception& error) {
    std::cerr << "find_digits: " << error.what() << '\n';
    return 1;
  }
}
