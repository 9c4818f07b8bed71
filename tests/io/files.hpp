#pragma once

#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace edgewise::test {

/// A temporary directory for the files of one test.
class Files {
 public:
  Files() {
    std::string name = (std::filesystem::temp_directory_path() / "edgewise-io-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  ~Files() { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::string write_gzip(const std::string& name, std::string_view text, const char* mode = "wb") const {
    gzFile file = ::gzopen(path(name).c_str(), mode);
    ::gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    ::gzclose(file);
    return path(name);
  }

 private:
  std::string directory_;
};

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace edgewise::test
