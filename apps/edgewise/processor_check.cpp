// Stops the program on a processor that lacks instructions it was built for, before any of them runs: the constructors
// of its other sources may need them, and those of shared libraries. Compiled for any processor.
#include <unistd.h>

#include "edgewise/core/instructions.hpp"

namespace {

void write_text(const char* text) {
  std::size_t length = 0;
  while (text[length] != '\0') ++length;
  if (write(STDERR_FILENO, text, length) < 0) return;
}

void check_processor() {
  char names[512];
  if (edgewise::missing_instructions(names, sizeof names) == 0) return;
  write_text("edgewise: built for instructions that this processor lacks (");
  write_text(names);
  write_text("): build it here, or with -DEDGEWISE_ARCH=");
  write_text(edgewise::portable_architecture());
  write_text("\n");
  _exit(1);
}

// Run before all constructors, those of shared libraries as well.
__attribute__((section(".preinit_array"), used)) void (*const check_first)() = &check_processor;

}  // namespace
