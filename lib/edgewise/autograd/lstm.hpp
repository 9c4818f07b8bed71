#pragma once

#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::autograd {

/// The end at which a recurrent network starts.
enum class Walk { forward, backward };

/// What a recurrent network remembers before its first step, [sequences, H] each; unset: zeros.
struct LstmStart {
  Variable hidden = {};
  Variable cell = {};
};

/// The long short-term memory (Hochreiter and Schmidhuber 1997, with forget gate), along sequences of rows:
///   [i f g o] = gates[t] + h[t-1] R,  c[t] = s(f) c[t-1] + s(i) tanh(g),  h[t] = s(o) tanh(c[t]),
/// with h and c of `start` before the first step.
/// `order` has one row per sequence; its columns are the rows of `gates` in that sequence, in order. Throws UsageError
/// for a row that is there twice; rows in no sequence get zeros, in `cells` too. gates [N, 4 H]: the input's part, with
/// biases; recurrent R [H, 4 H]; result [N, H]; `cells`, if set, is filled with c [N, H]. Sequences run side by side, a
/// fixed number at a time. `order` must outlive the tape's record.
Variable lstm(const graph::FrozenGraph& order, Variable gates, Variable recurrent, Walk walk = Walk::forward,
              const LstmStart& start = {}, Matrix* cells = nullptr);

}  // namespace edgewise::autograd
