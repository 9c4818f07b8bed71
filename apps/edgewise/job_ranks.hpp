#pragma once

#include <chrono>
#include <memory>

/// @file
/// The processes of mpirun. All do the same work; the first one alone prints and writes files.
namespace edgewise::train {
class Ranks;
}

namespace edgewise::app {

/// The processes that mpirun has started, of which this is one; alone if it has not. While it exists, they can share
/// frozen networks. Throws DataError if the library for it, edgewise_mpi, is not there.
class JobRanks {
 public:
  JobRanks();
  JobRanks(const JobRanks&) = delete;
  JobRanks& operator=(const JobRanks&) = delete;
  ~JobRanks();

  bool are_several() const { return state_ != nullptr; }
  /// The processes as those that share the parts of networks; null if there is only one.
  train::Ranks* holders() const;
  /// Whether this process prints and writes files.
  bool is_first() const;
  /// What the first process says, the same for all. Every process must ask.
  bool agree(bool of_first) const;
  /// Whether the first process has said yes to something.
  bool has_agreed() const;
  /// The same time for all, that of the first process. Every process must ask.
  std::chrono::steady_clock::time_point now() const;
  /// The work ends without the others, which end, too.
  void end_all(int code) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// While it exists, nothing that this process prints or writes is seen.
class Quiet {
 public:
  Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet();

 private:
  int output_, error_;
};

}  // namespace edgewise::app
