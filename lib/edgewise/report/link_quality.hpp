#pragma once

#include <string>

#include "edgewise/report/scored.hpp"

/// @file
/// How well a model tells ties from pairs that are none, as parts of a page.
namespace edgewise::report {

/// What the score comes to, in a sentence.
std::string link_answer(const Scored& scored, const std::string& model, const std::string& metric,
                        const std::string& score);

/// How often the true node is among the first; the curves of ties against as many pairs for each end; the ties that the
/// model is surest of, and those that it would have missed.
std::string link_sections(const Scored& scored);

/// The expected calibration error among ties and as many pairs that are none, which probabilities are calibrated for.
double link_calibration_error(const Scored& scored);

}  // namespace edgewise::report
