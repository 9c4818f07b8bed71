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
    const train::JobData data = train::load_job_data(config.data);
    train::Run run = train::run_job(config, data, /*run=*/0);
    for (const auto& [name, value] : run.report.test) std::cout << "test " << name << ' ' << value << '\n';
    if (run.trained) train::save_trained_model(arguments[2], *run.trained);
  } catch (const Error& error) {
    std::cerr << "job: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
