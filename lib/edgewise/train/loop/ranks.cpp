#include "edgewise/train/loop/ranks.hpp"

namespace edgewise::train {
namespace {

Ranks* ranks_of_job = nullptr;

}  // namespace

Ranks* job_ranks() { return ranks_of_job; }

void set_job_ranks(Ranks* ranks) { ranks_of_job = ranks; }

}  // namespace edgewise::train
