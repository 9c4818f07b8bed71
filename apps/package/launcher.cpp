// The command `edgewise` of a package: runs the program that was built for the most instructions that this processor
// has, or for those that EDGEWISE_INSTRUCTIONS names. Compiled for any processor.
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "edgewise/core/instructions.hpp"

namespace {

// A processor with the instructions of one has those of all after it. "native" is what a package for one machine has.
constexpr const char* kLevels[] = {"x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64", "native"};

/// The folder above that of this program.
std::string package_folder() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length < 0) {
    std::perror("edgewise: /proc/self/exe");
    std::exit(1);
  }
  std::string folder(path, static_cast<std::size_t>(length));
  for (int level = 0; level < 2; ++level) folder.erase(std::min(folder.rfind('/'), folder.size()));
  return folder;
}

}  // namespace

int main(int, char** arguments) {
  const std::string folder = package_folder();
  const char* forced = std::getenv("EDGEWISE_INSTRUCTIONS");
  const std::string_view wanted = forced != nullptr && *forced != '\0' ? forced : edgewise::portable_architecture();
  bool is_reached = false;
  for (const char* level : kLevels) {
    is_reached = is_reached || level == wanted;
    if (!is_reached) continue;
    const std::string program = folder + "/" + level + "/edgewise";
    execv(program.c_str(), arguments);
    if (errno == ENOENT) continue;
    std::perror(program.c_str());
    return 1;
  }
  if (is_reached)
    std::fprintf(stderr, "edgewise: %s has no program for %s\n", folder.c_str(), std::string(wanted).c_str());
  else
    std::fprintf(stderr,
                 "edgewise: EDGEWISE_INSTRUCTIONS: expected x86-64, x86-64-v2, x86-64-v3 or x86-64-v4, got %s\n",
                 forced);
  return is_reached ? 1 : 2;
}
