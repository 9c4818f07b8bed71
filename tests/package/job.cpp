#include <edgewise/jobs.hpp>
#include <iostream>

using namespace edgewise;

/// A job of the command line as a library call: takes the configuration of `edgewise train --config` and writes a model
/// file for `edgewise predict`. Usage: job CONFIG.json MODEL.safetensors
int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: job CONFIG.json MODEL.safetensors\n";
    return 2;
  }
  try {
    const train::Config config = train::parse_config(train::with_defaults(json::parse_file(arguments[1])));
    const train::Dataset data = train::read_dataset(config.data, train::load_options_for(config));
    const train::TrainedRuns runs = train::train_runs(config, data, {.model = arguments[2]});
    const train::Report& report = runs.set.best().report;
    for (const auto& [name, value] : report.test) std::cout << "test " << name << ' ' << value << '\n';
  } catch (const Error& error) {
    std::cerr << "job: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
