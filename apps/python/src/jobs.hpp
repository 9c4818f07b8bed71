#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "edgewise/core/json.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/loop/part_holding.hpp"
#include "edgewise/train/run/job_hooks.hpp"
#include "unlocked.hpp"

/// @file
/// What training a model, comparing several and searching for a better one share.
namespace edgewise::python {

namespace nb = nanobind;

/// What has no room for the parts of frozen networks waits in $TMPDIR, if it is set.
train::PartHolding parts_of_process();

/// The configuration in `text`. Throws UsageError for members that do not exist.
json::Value given_config(const std::string& text);
/// The job that it describes. Throws UsageError for errors in it.
train::Config job_config(const json::Value& given);

/// Calls Python during training, which runs with the interpreter released. The first exception, a KeyboardInterrupt for
/// one, ends training and is raised once it has ended.
class Hooks {
 public:
  /// `on_epoch` may be None.
  explicit Hooks(nb::object on_epoch) : on_epoch_(std::move(on_epoch)) {}
  Hooks(const Hooks&) = delete;
  Hooks& operator=(const Hooks&) = delete;
  /// What was raised but not passed on, because the work ended with Interrupted, is left to `raise_interruption`.
  ~Hooks() {
    if (raised_) interruption().emplace(std::move(*raised_));
  }

  train::JobHooks of_training() {
    train::JobHooks hooks;
    hooks.on_model = [this](const std::string& name) { model_ = name; };
    hooks.on_epoch = [this](const train::EpochRecord& record) {
      call([&] { report(record); });
    };
    hooks.should_stop = [this] {
      call([] {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      });
      return raised_.has_value() || is_ended_by_another_thread();
    };
    return hooks;
  }

  /// Calls `body`, which may use Python, unless something was raised before.
  template <class Call>
  void call(const Call& body) {
    const nb::gil_scoped_acquire held;
    if (raised_) return;
    try {
      body();
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
    }
  }

  /// Whether something was raised. Asks Python now and then: that takes its lock.
  bool is_over() {
    constexpr std::chrono::milliseconds kPause{50};
    if (is_ended_by_another_thread()) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + kPause;
    call([] {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    });
    return raised_.has_value();
  }

  void raise_if_any() {
    const nb::gil_scoped_acquire held;
    if (!raised_) return;
    nb::python_error error = std::move(*raised_);
    raised_.reset();
    throw error;
  }

  /// To be called when Interrupted leaves a function: makes Python raise what ended the work.
  static void raise_interruption() {
    if (!interruption()) return PyErr_SetNone(PyExc_KeyboardInterrupt);
    interruption()->restore();
    interruption().reset();
  }

 private:
  static std::optional<nb::python_error>& interruption() {
    static thread_local std::optional<nb::python_error> raised;
    return raised;
  }

  void report(const train::EpochRecord& record) const {
    if (on_epoch_.is_none()) return;
    nb::dict of;
    of["model"] = model_;
    of["epoch"] = record.epoch;
    of["loss"] = record.loss;
    of["validation_loss"] = record.validation_loss;
    of["validation_metric"] = record.validation_metric;
    on_epoch_(of);
  }

  nb::object on_epoch_;
  std::string model_;
  std::optional<nb::python_error> raised_;
  std::chrono::steady_clock::time_point next_ = {};
};

/// Releases the interpreter during long work, which ends soon after Ctrl-C, whatever it is doing.
class Released {
 public:
  explicit Released(Hooks& hooks) : observed_({.is_over = [&hooks] { return hooks.is_over(); }}) {}

 private:
  Unlocked unlocked_;
  Observed observed_;
};

}  // namespace edgewise::python
