#include <algorithm>
#include <array>
#include <cmath>
#include <edgewise/autograd/activations.hpp>
#include <edgewise/autograd/arithmetic.hpp>
#include <edgewise/autograd/concat.hpp>
#include <edgewise/autograd/cross_entropy.hpp>
#include <edgewise/core/random.hpp>
#include <edgewise/edgewise.hpp>
#include <edgewise/optim/adam.hpp>
#include <iostream>
#include <numeric>
#include <string>

#include "digit_images.hpp"

using namespace edgewise;
using autograd::Variable;

/// A generator draws digits, a discriminator tells them from real ones, and both attend from every pixel to all pixels
/// of the image (Zhang et al. 2019), or not. A classifier that saw only real digits judges what was drawn.
/// Usage: draw_digits DIGITS.csv STEPS SEED

constexpr int kSide = 8, kPixels = kSide * kSide, kDigits = 10;
constexpr int kNoise = 24, kPositions = 2 * kSide;
constexpr int kImages = 64;  // in a step

/// The pixels of `images` images: a node each, in one grid per image, with its row and its column as features.
struct Pixels {
  explicit Pixels(int images) : positions(Matrix::Zero(images * kPixels, kPositions)) {
    std::vector<graph::Node> offsets(static_cast<std::size_t>(images) + 1);
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<graph::Node>(i * kPixels);
    for (Eigen::Index pixel = 0; pixel < positions.rows(); ++pixel)
      positions(pixel, pixel % kPixels / kSide) = positions(pixel, kSide + pixel % kSide) = 1;
    for (const char* name : {"grid:3x3+offset", "complete", "readout"})
      masks[name] = graph::parse_mask(name).build({.edges = {}, .offsets = offsets, .grid_columns = kSide});
  }

  Variable pass(nn::Model& model, Variable rows, bool is_training) const {
    nn::ForwardContext context{.tape = rows.tape(), .is_training = is_training};
    for (const nn::MaskShape& mask : model.masks()) context.masks[mask.name] = &masks.at(mask.name);
    return model.forward(context, {.dense = rows});
  }

  std::map<std::string, graph::FrozenGraph> masks;
  Matrix positions;  // [images * 64, 16]
};

/// Three convolutions, and between them attention to all pixels of the image.
json::Array layers(bool attends, bool has_norm) {
  const json::Value to_all = json::parse(R"({"type": "residual", "blocks": [
      {"type": "dot_product", "heads": 2, "width": 16, "mask": "complete", "output_projection": true}]})", "layers");
  json::Array blocks;
  for (int i = 0; i < 3; ++i) {
    blocks.emplace_back(json::Object{{"type", "convolution"}, {"width", 32}, {"mask", "grid:3x3+offset"}});
    if (has_norm) blocks.emplace_back(json::Object{{"type", "batch_norm"}});
    blocks.emplace_back(json::Object{{"type", "activation"}, {"function", "leaky_relu"}});
    if (attends && i < 2) blocks.push_back(to_all);
  }
  return blocks;
}

/// Noise, the same for all pixels of an image, and positions to the logit of each pixel.
nn::Model make_generator(bool attends, std::uint64_t seed) {
  json::Array blocks = layers(attends, true);
  blocks.insert(blocks.begin(), json::Object{{"type", "feed_forward"}, {"width", 32}, {"hidden", 64}});
  blocks.emplace_back(json::Object{{"type", "linear"}, {"width", "outputs"}});
  return {json::Object{{"blocks", std::move(blocks)}}, {.inputs = kNoise + kPositions, .outputs = 1}, seed};
}

/// Pixels and positions to `outputs` numbers for each image.
nn::Model make_critic(bool attends, int outputs, std::uint64_t seed) {
  json::Array blocks = layers(attends, false);
  const json::Array end = json::parse(R"([
      {"type": "readout", "kind": "sum_mean_max"}, {"type": "layer_norm"}, {"type": "linear", "width": 32},
      {"type": "activation", "function": "leaky_relu"}, {"type": "linear", "width": "outputs"}])", "critic").as_array();
  blocks.insert(blocks.end(), end.begin(), end.end());
  return {json::Object{{"blocks", std::move(blocks)}}, {.inputs = 1 + kPositions, .outputs = outputs}, seed};
}

/// The mean of all elements.
Variable mean(Variable x) { return autograd::scale(autograd::sum(x), 1 / static_cast<float>(x.rows() * x.cols())); }

/// The mean of max(0, 1 - sign * score).
Variable hinge(Variable score, float sign) {
  const Variable ones = score.tape().constant(score.tape().keep(Matrix(Matrix::Ones(score.rows(), 1))));
  return mean(autograd::relu(autograd::subtract(ones, autograd::scale(score, sign))));
}

Variable beside_positions(Variable pixels, const Pixels& of) {
  const std::array parts = {pixels, pixels.tape().constant(of.positions)};
  return autograd::concat_columns(parts);
}

/// Pixels of images drawn by the generator, [images * 64, 1].
Variable draw(nn::Model& generator, autograd::Tape& tape, const Pixels& of, Random& random, bool is_training) {
  Matrix noise(of.positions.rows(), kNoise + kPositions);
  noise.rightCols(kPositions) = of.positions;
  for (Eigen::Index image = 0; image < noise.rows() / kPixels; ++image)
    for (Eigen::Index i = 0; i < kNoise; ++i)
      noise.col(i).segment(image * kPixels, kPixels).setConstant(static_cast<float>(random.normal()));
  return autograd::sigmoid(of.pass(generator, tape.constant(tape.keep(std::move(noise))), is_training));
}

/// The pixels of some images, one below the other.
Matrix pixels_of(const DigitImages& digits, std::span<const graph::Node> images) {
  Matrix pixels(static_cast<Eigen::Index>(images.size()) * kPixels, 1);
  for (std::size_t i = 0; i < images.size(); ++i)
    pixels.middleRows(static_cast<Eigen::Index>(i) * kPixels, kPixels) = digits.pixels.row(images[i]).transpose();
  return pixels;
}

std::vector<graph::Node> draw_images(std::size_t count, Random& random) {
  std::vector<graph::Node> images(kImages);
  for (graph::Node& image : images) image = static_cast<graph::Node>(random.below(count));
  return images;
}

/// Adversarial training with the hinge loss.
nn::Model train_generator(const DigitImages& digits, std::size_t known, bool attends, int steps, std::uint64_t seed) {
  nn::Model generator = make_generator(attends, seed), critic = make_critic(attends, 1, seed + 1);
  optim::Adam of_generator(generator.parameters(), {.learning_rate = 0.0005, .beta1 = 0.5});
  optim::Adam of_critic(critic.parameters(), {.learning_rate = 0.0005, .beta1 = 0.5});
  const Pixels of(kImages);
  const auto freeze_critic = [&](bool is_frozen) {
    for (autograd::Parameter* parameter : critic.parameters()) parameter->is_frozen = is_frozen;
  };
  autograd::Tape tape;
  for (int step = 0; step < steps; ++step) {
    Random random(seed, Stream::generate, static_cast<std::uint64_t>(step));
    tape.reset(false);
    const Matrix fake = draw(generator, tape, of, random, true).value();
    const Matrix real = pixels_of(digits, draw_images(known, random));
    tape.reset(true);
    const auto score = [&](const Matrix& pixels) {
      return of.pass(critic, beside_positions(tape.constant(pixels), of), true);
    };
    tape.backward(autograd::add(hinge(score(real), 1), hinge(score(fake), -1)));
    of_critic.step();

    // Both models on one tape: the gradient goes through the critic, whose weights are constants now.
    freeze_critic(true);
    tape.reset(true);
    const Variable drawn = draw(generator, tape, of, random, true);
    tape.backward(autograd::scale(mean(of.pass(critic, beside_positions(drawn, of), true)), -1));
    of_generator.step();
    freeze_critic(false);
  }
  return generator;
}

nn::Model train_judge(const DigitImages& digits, std::size_t known, int steps, std::uint64_t seed) {
  nn::Model judge = make_critic(false, kDigits, seed + 2);
  optim::Adam adam(judge.parameters(), {.learning_rate = 0.002});
  const Pixels of(kImages);
  std::vector<graph::Node> rows(kImages);
  std::iota(rows.begin(), rows.end(), graph::Node{0});
  autograd::Tape tape;
  for (int step = 0; step < steps; ++step) {
    Random random(seed + 2, Stream::generate, static_cast<std::uint64_t>(step));
    const std::vector<graph::Node> images = draw_images(known, random);
    std::vector<std::int32_t> classes;
    for (const graph::Node image : images) classes.push_back(digits.digits[image]);
    const Matrix pixels = pixels_of(digits, images);
    tape.reset();
    const Variable logits = of.pass(judge, beside_positions(tape.constant(pixels), of), true);
    tape.backward(autograd::cross_entropy(logits, classes, rows));
    adam.step();
  }
  return judge;
}

/// The probabilities of the digits, [images, 10].
Matrix judged(nn::Model& judge, const Matrix& pixels) {
  const Pixels of(static_cast<int>(pixels.rows()) / kPixels);
  autograd::Tape tape(false);
  Matrix odds = of.pass(judge, beside_positions(tape.constant(pixels), of), false).value();
  for (auto row : odds.rowwise()) {
    row = (row.array() - row.maxCoeff()).exp().eval();
    row /= row.sum();
  }
  return odds;
}

/// exp of the mean of KL(p(digit | image) || p(digit)) (Salimans et al. 2016): 10 if every image is a clear digit, and
/// all digits are equally frequent.
double inception_score(const Matrix& probabilities) {
  const Eigen::RowVectorXd all = probabilities.cast<double>().colwise().mean();
  double sum = 0;
  for (const auto& row : probabilities.rowwise())
    for (Eigen::Index digit = 0; digit < row.cols(); ++digit)
      if (row(digit) > 0) sum += row(digit) * std::log(row(digit) / all(digit));
  return std::exp(sum / static_cast<double>(probabilities.rows()));
}

void print(const char* what, const Matrix& probabilities) {
  const auto sure = (probabilities.rowwise().maxCoeff().array() > 0.9F).count();
  std::cout << what << ": score " << inception_score(probabilities) << ", "
            << 100 * static_cast<double>(sure) / static_cast<double>(probabilities.rows()) << " % clear\n";
}

int draw_digits(const std::string& path, int steps, std::uint64_t seed) {
  const DigitImages digits = read_digits(path);
  const std::size_t known = digits.digits.size() * 4 / 5;  // the others are for the test of the judge
  nn::Model judge = train_judge(digits, known, std::min(steps, 500), seed);
  std::vector<graph::Node> others(digits.digits.size() - known);
  std::iota(others.begin(), others.end(), static_cast<graph::Node>(known));
  const Matrix of_others = judged(judge, pixels_of(digits, others));
  std::size_t right = 0;
  for (std::size_t i = 0; i < others.size(); ++i) {
    Eigen::Index digit = 0;
    of_others.row(static_cast<Eigen::Index>(i)).maxCoeff(&digit);
    right += digit == digits.digits[others[i]] ? 1 : 0;
  }
  std::cout << "the judge tells " << 100.0 * static_cast<double>(right) / static_cast<double>(others.size())
            << " % of other real digits right\n";
  print("other real digits", of_others);
  for (const bool attends : {false, true}) {
    nn::Model generator = train_generator(digits, known, attends, steps, seed);
    Random random(seed + 3, Stream::generate);
    autograd::Tape tape(false);
    const Matrix drawn = draw(generator, tape, Pixels(500), random, false).value();
    print(attends ? "drawn with attention" : "drawn without attention", judged(judge, drawn));
  }
  return 0;
}

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: draw_digits DIGITS.csv STEPS SEED\n";
    return 2;
  }
  try {
    return draw_digits(arguments[1], std::stoi(arguments[2]), std::stoull(arguments[3]));
  } catch (const std::exception& error) {
    std::cerr << "draw_digits: " << error.what() << '\n';
    return 1;
  }
}
