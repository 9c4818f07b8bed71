#include "fuzz/inputs.hpp"

#include <sstream>

#include "edgewise/io/safetensors.hpp"
#include "support/command.hpp"

namespace edgewise::fuzz {

std::string made(const std::function<void(const std::string& path)>& write) {
  const test::TemporaryDirectory folder;
  write(folder.path("made"));
  std::string content = test::slurp(folder.path("made"));
  const std::string_view checksum = io::kChecksum;
  if (const std::size_t place = content.find(checksum); place != std::string::npos) content[place] = 'E';
  return content;
}

void write_parts(const std::string& path, const test::TemporaryDirectory& folder,
                 const std::vector<std::string>& names) {
  std::istringstream all(test::slurp(path));
  for (const std::string& name : names) {
    std::string content;
    std::getline(all, content, '\1');
    folder.write(name, content);
  }
}

}  // namespace edgewise::fuzz
