#include "edgewise/train/loop/part_pass.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::train {
namespace {

using graph::Node;

constexpr std::size_t kRowGrain = 1024;
constexpr std::size_t kCopyGrain = std::size_t{1} << 15;
constexpr const char* kEdgeMask = "edges";

/// The rows of one halo that belong to each other part.
std::vector<HaloRows> rows_by_owner(std::span<const Node> halo, const std::vector<Node>& boundaries) {
  std::vector<HaloRows> rows;
  for (std::size_t begin = 0; begin < halo.size();) {
    const auto owner =
        static_cast<std::size_t>(std::ranges::upper_bound(boundaries, halo[begin]) - boundaries.begin()) - 1;
    const auto end = static_cast<std::size_t>(
        std::lower_bound(halo.begin() + static_cast<std::ptrdiff_t>(begin), halo.end(), boundaries[owner + 1]) -
        halo.begin());
    rows.push_back({owner, begin, end - begin, halo.data() + begin});
    begin = end;
  }
  return rows;
}

}  // namespace

std::size_t first_part(std::size_t parts, std::size_t ranks, std::size_t rank) { return parts * rank / ranks; }

PartMap::PartMap(const data::FrozenNetwork& network, const Ranks* others)
    : boundaries(network.boundaries()), items(network.item_count()) {
  const std::size_t parts = network.part_count();
  if (others != nullptr) ranks = others->count();
  const std::size_t rank = others != nullptr ? others->index() : 0;
  first = first_part(parts, ranks, rank);
  count = first_part(parts, ranks, rank + 1) - first;
  imports.resize(count);
  exports.resize(count);
  for (std::size_t part = 0; part < parts; ++part)
    for (const HaloRows& rows : rows_by_owner(network.halo(part), boundaries)) {
      if (is_here(part)) imports[part - first].push_back(rows);
      if (is_here(rows.other)) exports[rows.other - first].push_back({part, rows.begin, rows.count, rows.nodes});
    }
}

std::size_t PartMap::rank_of(std::size_t part) const {
  std::size_t rank = 0;
  while (first_part(boundaries.size() - 1, ranks, rank + 1) <= part) ++rank;
  return rank;
}

/// The pass over one part.
class PartPass::Member final : public autograd::Part {
 public:
  Member(PartPass& pass, std::size_t place, std::unique_ptr<PartTapes> tapes)
      : pass_(pass), place_(place), held_(pass.shared_.parts[place]), tapes_(std::move(tapes)), fiber_([this] {
          run();
        }) {
    tapes_->tape.reset(pass.options_.tape.is_recording());
  }

  Stage stage() const { return stage_; }
  bool can_go_on() const { return !is_ready_ || is_ready_(); }
  void resume() { fiber_.resume(); }
  /// Rows of the part, as many as there are places for.
  std::vector<Node>& wanted() { return wanted_; }
  const Matrix& outputs() const { return outputs_; }
  void set_upstream(Matrix upstream) { upstream_ = std::move(upstream); }
  PartTapes& tapes() { return *tapes_; }
  /// After the end.
  std::unique_ptr<PartTapes> take_tapes() {
    for (autograd::Buffer& buffer : unneeded_) tapes_->tape.let_go(std::move(buffer));
    tapes_->tape.reset();
    return std::move(tapes_);
  }

  std::size_t index() const override { return held_.index(); }
  Eigen::Index all_rows() const override { return static_cast<Eigen::Index>(map().boundaries.back()); }
  Eigen::Index halo_rows() const override { return static_cast<Eigen::Index>(held_.part().halo.size()); }
  bool is_keeper() const override { return place_ == 0; }

  void fetch_halo(ConstMatrixMap own, MatrixMap halo) override {
    const std::uint64_t number = next_++;
    std::vector<Ranks::Request> requests;
    show(number, own, map().ranks > 1, halo.data(), requests);
    wait_until([&] { return are_shown(number, imports()) && are_done(requests); });
    copy(number, halo);
  }

  std::vector<ConstMatrixMap> see(std::span<const ConstMatrixMap> own) override {
    forget_seen();
    const std::uint64_t number = next_;
    next_ += own.size();
    const auto size_of_all = [&](std::size_t i) {
      return static_cast<std::size_t>((own[i].rows() + halo_rows()) * own[i].cols());
    };
    std::vector<float*> all;  // what other ranks send goes there while this waits
    std::vector<Ranks::Request> requests;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (map().ranks > 1) all.push_back(tapes_->tape.scratch(own[i].rows() + halo_rows(), own[i].cols()).data());
      show(number + i, own[i], map().ranks > 1, all.empty() ? nullptr : all[i] + own[i].size(), requests);
    }
    wait_until([&] { return are_shown(number + own.size() - 1, imports()) && are_done(requests); });
    std::vector<ConstMatrixMap> result;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (map().ranks == 1) all.push_back(seen_.emplace_back(pass_.seen_.take(size_of_all(i))).data());
      const Eigen::Index rows = own[i].rows(), columns = own[i].cols();
      parallel_for(static_cast<std::size_t>(own[i].size()), kCopyGrain, [&](std::size_t begin, std::size_t end) {
        std::copy(own[i].data() + begin, own[i].data() + end, all[i] + begin);
      });
      copy(number + i, {all[i] + own[i].size(), halo_rows(), columns});
      result.emplace_back(all[i], rows + halo_rows(), columns);
    }
    return result;
  }

  void forget(std::size_t first, std::span<const autograd::Variable> kept) override {
    std::ranges::move(tapes_->tape.take_buffers(first, kept), std::back_inserter(unneeded_));
    let_go();
  }
  /// Of what is not needed, others may still have to read some.
  void let_go() {
    std::erase_if(unneeded_, [&](autograd::Buffer& buffer) {
      const bool is_shown = std::ranges::any_of(pass_.posts_, [&](const auto& post) {
        return post.first.second == index() && buffer.contains(post.second.data);
      });
      if (!is_shown) tapes_->tape.let_go(std::move(buffer));
      return !is_shown;
    });
  }

  void return_halo(ConstMatrixMap halo, MatrixMap own) override {
    const std::uint64_t number = next_++;
    count(own.cols());
    const auto columns = static_cast<std::size_t>(own.cols());
    std::vector<Ranks::Request> requests;
    std::size_t readers = 0;
    for (const HaloRows& rows : imports()) {
      if (map().is_here(rows.other))
        ++readers;
      else
        requests.push_back(send({halo.data() + rows.begin * columns, rows.count * columns}, number, rows.other));
    }
    std::vector<Matrix> received;
    for (const HaloRows& rows : exports()) {
      received.emplace_back();
      if (map().is_here(rows.other)) continue;
      received.back().resize(static_cast<Eigen::Index>(rows.count), own.cols());
      requests.push_back(receive({received.back().data(), rows.count * columns}, number, rows.other));
    }
    if (readers > 0) pass_.posts_.emplace(Key{number, index()}, Post{halo.data(), false, readers});
    wait_until([&] { return are_shown(number, exports()) && are_done(requests); });
    for (std::size_t i = 0; i < exports().size(); ++i) {
      const HaloRows& rows = exports()[i];
      const bool is_here = map().is_here(rows.other);
      const float* from =
          is_here ? pass_.posts_.at({number, rows.other}).data + rows.begin * columns : received[i].data();
      add(rows, from, own);
      if (is_here) was_read(number, rows.other);
    }
    wait_until([&] { return !pass_.posts_.contains({number, index()}); });
  }

  void add_up(std::span<float> sums) override {
    const std::uint64_t number = next_++;
    const std::vector<float> own(sums.begin(), sums.end());
    pass_.posts_.emplace(Key{number, index()}, Post{own.data(), false, map().count});
    std::vector<Ranks::Request> requests;
    for (std::size_t rank = 0; rank < map().ranks; ++rank)
      if (rank != map().rank_of(index())) requests.push_back(send_sums(own, number, rank));
    receive_sums(number, sums.size());
    wait_until([&] { return have_all_sums(number) && are_done(requests); });
    std::ranges::fill(sums, 0.0F);
    for (std::size_t part = 0; part + 1 < map().boundaries.size(); ++part) {
      const float* from = map().is_here(part) ? pass_.posts_.at({number, part}).data
                                              : pass_.sums_of_others_.at({number, part}).data();
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += from[i];
    }
    for (std::size_t i = 0; i < map().count; ++i) was_read(number, map().first + i);
    wait_until([&] { return !pass_.posts_.contains({number, index()}); });
  }

 private:
  const PartMap& map() const { return pass_.shared_.map; }
  const std::vector<HaloRows>& imports() const { return map().imports[place_]; }
  const std::vector<HaloRows>& exports() const { return map().exports[place_]; }
  Node begin() const { return held_.part().begin; }
  void count(Eigen::Index columns) {
    if (is_keeper()) pass_.shared_.columns += static_cast<std::uint64_t>(columns);
  }

  void run() {
    autograd::Tape& tape = tapes_->tape;
    nn::ForwardContext context{.tape = tape,
                               .masks = {{kEdgeMask, &held_.mask()}},
                               .is_training = pass_.options_.is_training,
                               .seed = pass_.options_.seed,
                               .step = pass_.options_.step,
                               .part = this};
    const autograd::Variable outputs = pass_.model_.forward(context, held_.input(tape));
    outputs_ = outputs.value()(wanted_, Eigen::all);
    stage_ = Stage::forward;
    if (!tape.is_recording()) {
      forget_seen();
      return forget(0, {});
    }
    wait_until([&] { return upstream_.has_value(); });
    autograd::Variable loss = tape.make(1, 1, true);
    loss.value()(0, 0) = 0;
    tape.on_backward(loss, [this, outputs] {
      MatrixMap gradient = outputs.gradient();
      for (std::size_t i = 0; i < wanted_.size(); ++i)
        gradient.row(wanted_[i]) += upstream_->row(static_cast<Eigen::Index>(i));
    });
    tape.backward(loss);
    stage_ = Stage::backward;
  }

  template <class Condition>
  void wait_until(const Condition& condition) {
    is_ready_ = [&condition] { return condition(); };
    while (!condition()) Fiber::pause();
    is_ready_ = nullptr;
  }

  /// Lets others read `own`, and has other ranks send their rows of `halo`.
  void show(std::uint64_t number, ConstMatrixMap own, bool is_packed, float* halo,
            std::vector<Ranks::Request>& requests) {
    count(own.cols());
    const auto columns = static_cast<std::size_t>(own.cols());
    const float* shown = is_packed ? packed(own) : own.data();
    std::size_t readers = 0, row = 0;
    for (const HaloRows& rows : exports()) {
      if (map().is_here(rows.other))
        ++readers;
      else
        requests.push_back(send({shown + row * columns, rows.count * columns}, number, rows.other));
      row += rows.count;
    }
    for (const HaloRows& rows : imports())
      if (!map().is_here(rows.other))
        requests.push_back(receive({halo + rows.begin * columns, rows.count * columns}, number, rows.other));
    if (readers > 0) pass_.posts_.emplace(Key{number, index()}, Post{shown, is_packed, readers});
  }

  void forget_seen() {
    for (autograd::Buffer& buffer : seen_) pass_.seen_.give_back(std::move(buffer));
    seen_.clear();
  }

  /// Own rows in the order of their readers.
  const float* packed(ConstMatrixMap own) {
    std::size_t count = 0;
    for (const HaloRows& rows : exports()) count += rows.count;
    MatrixMap all = tapes_->tape.scratch(static_cast<Eigen::Index>(count), own.cols());
    Eigen::Index row = 0;
    for (const HaloRows& rows : exports()) {
      parallel_for(rows.count, kRowGrain, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i)
          all.row(row + static_cast<Eigen::Index>(i)) = own.row(rows.nodes[i] - begin());
      });
      row += static_cast<Eigen::Index>(rows.count);
    }
    return all.data();
  }

  /// The rows of the parts that are here.
  void copy(std::uint64_t number, MatrixMap halo) {
    for (const HaloRows& rows : imports()) {
      if (!map().is_here(rows.other)) continue;
      copy(number, rows, halo);
      pass_.shared_.parts.leave(rows.other - map().first);
    }
  }
  void copy(std::uint64_t number, const HaloRows& rows, MatrixMap halo) {
    const Post& post = pass_.posts_.at({number, rows.other});
    const Eigen::Index columns = halo.cols();
    float* to = halo.data() + static_cast<Eigen::Index>(rows.begin) * columns;
    const Node first = map().boundaries[rows.other];
    const float* from = post.data + (post.is_packed ? columns * packed_row(rows.other) : 0);
    parallel_for(rows.count, kRowGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto row = static_cast<Eigen::Index>(post.is_packed ? i : rows.nodes[i] - first);
        std::copy_n(from + row * columns, columns, to + static_cast<Eigen::Index>(i) * columns);
      }
    });
    was_read(number, rows.other);
  }
  /// Where the rows for this part begin among those that `other` has packed.
  Eigen::Index packed_row(std::size_t other) const {
    Eigen::Index row = 0;
    for (const HaloRows& rows : map().exports[other - map().first]) {
      if (rows.other == index()) break;
      row += static_cast<Eigen::Index>(rows.count);
    }
    return row;
  }

  void add(const HaloRows& rows, const float* from, MatrixMap own) {
    const Eigen::Index columns = own.cols();
    parallel_for(rows.count, kRowGrain, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        own.row(rows.nodes[i] - begin()) +=
            Eigen::Map<const Eigen::RowVectorXf>(from + static_cast<Eigen::Index>(i) * columns, columns);
    });
  }

  bool are_shown(std::uint64_t number, const std::vector<HaloRows>& rows) const {
    return std::ranges::all_of(rows, [&](const HaloRows& one) {
      return !map().is_here(one.other) || pass_.posts_.contains({number, one.other});
    });
  }
  void was_read(std::uint64_t number, std::size_t part) {
    const auto post = pass_.posts_.find({number, part});
    if (--post->second.readers > 0) return;
    pass_.posts_.erase(post);
    pass_.members_[part - map().first]->let_go();
  }

  std::uint64_t tag(std::uint64_t number, std::size_t from, std::size_t to) const {
    const std::uint64_t parts = map().boundaries.size();
    return (number * parts + from) * parts + to;
  }
  Ranks::Request send(std::span<const float> values, std::uint64_t number, std::size_t to) {
    pass_.shared_.sent_bytes += values.size_bytes();
    return pass_.shared_.ranks->send(values, map().rank_of(to), tag(number, index(), to));
  }
  Ranks::Request receive(std::span<float> values, std::uint64_t number, std::size_t from) {
    return pass_.shared_.ranks->receive(values, map().rank_of(from), tag(number, from, index()));
  }
  Ranks::Request send_sums(std::span<const float> sums, std::uint64_t number, std::size_t rank) {
    return pass_.shared_.ranks->send(sums, rank, tag(number, index(), map().boundaries.size() - 1));
  }
  /// The first part here that comes to an exchange receives for all.
  void receive_sums(std::uint64_t number, std::size_t size) {
    for (std::size_t part = 0; part + 1 < map().boundaries.size(); ++part) {
      if (map().is_here(part) || pass_.sums_of_others_.contains({number, part})) continue;
      std::vector<float>& sums = pass_.sums_of_others_[{number, part}];
      sums.resize(size);
      pass_.requests_of_sums_[{number, part}] = pass_.shared_.ranks->receive(
          sums, map().rank_of(part), tag(number, part, map().boundaries.size() - 1));
    }
  }
  bool have_all_sums(std::uint64_t number) {
    for (std::size_t part = 0; part + 1 < map().boundaries.size(); ++part) {
      if (map().is_here(part) && !pass_.posts_.contains({number, part})) return false;
      const auto request = pass_.requests_of_sums_.find({number, part});
      if (request == pass_.requests_of_sums_.end()) continue;
      if (!pass_.shared_.ranks->is_done(request->second)) return false;
      pass_.requests_of_sums_.erase(request);
    }
    return true;
  }
  bool are_done(std::vector<Ranks::Request>& requests) const {
    std::erase_if(requests, [&](Ranks::Request request) { return pass_.shared_.ranks->is_done(request); });
    return requests.empty();
  }

  PartPass& pass_;
  std::size_t place_;
  HeldPart& held_;
  std::unique_ptr<PartTapes> tapes_;
  Stage stage_ = Stage::begun;
  std::function<bool()> is_ready_;
  std::uint64_t next_ = 0;  // numbers the exchanges of this pass
  std::vector<autograd::Buffer> seen_;      // until the next exchange
  std::vector<autograd::Buffer> unneeded_;  // but maybe shown
  std::vector<Node> wanted_;
  Matrix outputs_;
  std::optional<Matrix> upstream_;
  Fiber fiber_;  // last: it is unwound first
};

PartPass::PartPass(PartShared& shared, nn::Model& model, const PassOptions& options, std::span<const Node> items)
    : shared_(shared), model_(model), options_(options) {
  const std::vector<Node>& boundaries = shared.map.boundaries;
  item_count_ = items.empty() ? shared.map.items : items.size();
  places_.resize(boundaries.size() - 1);
  shared.parts.prepare(model.graph_options(),
                       options.tape.is_recording() ? data::MaskUse::both_ways : data::MaskUse::forward);
  shared.free_tapes.resize(shared.map.count);
  if (options.is_training) shared.columns = 0;
  for (std::size_t i = 0; i < shared.map.count; ++i) {
    auto& free = shared.free_tapes[i];
    std::unique_ptr<PartTapes> tapes;
    if (free.empty()) {
      tapes = std::make_unique<PartTapes>(shared.workspace, shared.parts[i]);
    } else {
      tapes = std::move(free.back());
      free.pop_back();
    }
    members_.push_back(std::make_unique<Member>(*this, i, std::move(tapes)));
  }
  for (std::size_t i = 0; i < item_count_; ++i) {
    const Node item = items.empty() ? static_cast<Node>(i) : items[i];
    const auto part = static_cast<std::size_t>(std::ranges::upper_bound(boundaries, item) - boundaries.begin()) - 1;
    places_[part].push_back(i);
    if (shared.map.is_here(part)) members_[part - shared.map.first]->wanted().push_back(item - boundaries[part]);
  }
  run(Stage::forward);
}

PartPass::~PartPass() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    std::unique_ptr<PartTapes> tapes = members_[i]->take_tapes();
    members_[i].reset();
    shared_.free_tapes[i].push_back(std::move(tapes));
  }
}

/// Parts take turns, up and down, so that those used last are used next.
void PartPass::run(Stage stage) {
  const std::size_t count = members_.size();
  for (bool is_upwards = true;; is_upwards = !is_upwards) {
    bool has_moved = false, is_over = true;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = is_upwards ? k : count - 1 - k;
      Member& member = *members_[i];
      if (member.stage() >= stage) continue;
      is_over = false;
      if (!member.can_go_on()) continue;
      check_interruption();
      const std::size_t next = is_upwards ? std::min(i + 1, count - 1) : i - std::min<std::size_t>(i, 1);
      shared_.parts.use(i, next);
      member.resume();
      has_moved = true;
    }
    if (is_over) return;
    assert(has_moved || shared_.ranks != nullptr);
    if (!has_moved) shared_.ranks->wait();
  }
}

void PartPass::take_outputs(MatrixMap outputs) const {
  const auto columns = static_cast<std::size_t>(outputs.cols());
  for (std::size_t rank = 0; rank < shared_.map.ranks; ++rank) {
    std::vector<float> rows;
    std::vector<std::size_t> places;
    for (std::size_t part = 0; part < places_.size(); ++part) {
      if (shared_.map.rank_of(part) != rank) continue;
      places.insert(places.end(), places_[part].begin(), places_[part].end());
      if (!shared_.map.is_here(part)) continue;
      const Matrix& own = members_[part - shared_.map.first]->outputs();
      rows.insert(rows.end(), own.data(), own.data() + own.size());
    }
    rows.resize(places.size() * columns);
    if (shared_.ranks != nullptr) shared_.ranks->broadcast(rows, rank);
    for (std::size_t i = 0; i < places.size(); ++i)
      std::copy_n(rows.data() + i * columns, columns, outputs.data() + places[i] * columns);
  }
}

void PartPass::backward(ConstMatrixMap upstream) {
  for (std::size_t i = 0; i < members_.size(); ++i)
    members_[i]->set_upstream(upstream(places_[shared_.map.first + i], Eigen::all));
  shared_.parts.prepare(model_.graph_options(), data::MaskUse::both_ways);
  run(Stage::backward);
  add_gradients();
}

/// Each rank adds its own to the sum of those before it, and the last one tells all.
void PartPass::add_gradients() {
  const std::vector<autograd::Parameter*> parameters = model_.parameters();
  std::size_t size = 0;
  for (const autograd::Parameter* parameter : parameters) size += static_cast<std::size_t>(parameter->value.size());
  std::vector<float> sums(size, 0.0F);
  Ranks* ranks = shared_.ranks;
  const auto finish = [&](Ranks::Request request) {
    while (!ranks->is_done(request)) ranks->wait();
  };
  if (ranks != nullptr && ranks->index() > 0) finish(ranks->receive(sums, ranks->index() - 1, 0));
  for (const auto& member : members_) {
    float* to = sums.data();
    for (const autograd::Parameter* parameter : parameters) {
      const Matrix& gradient = member->tapes().gradients.of(*parameter);
      for (Eigen::Index i = 0; i < gradient.size(); ++i) *to++ += gradient.data()[i];
    }
    member->tapes().gradients.set_zero();
  }
  if (ranks != nullptr && ranks->index() + 1 < ranks->count()) finish(ranks->send(sums, ranks->index() + 1, 0));
  if (ranks != nullptr) ranks->broadcast(sums, ranks->count() - 1);
  const float* from = sums.data();
  for (autograd::Parameter* parameter : parameters)
    for (Eigen::Index i = 0; i < parameter->gradient.size(); ++i) parameter->gradient.data()[i] += *from++;
}

}  // namespace edgewise::train
