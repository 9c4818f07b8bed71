#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

/// @file
/// All files are written through these functions.
namespace edgewise {

/// Checks that a file can be created or replaced at `path`, so that a long job does not end with output that cannot be
/// written. Symbolic links are followed. Throws DataError if `path` is a directory, a device, a pipe or a socket, if
/// the file is write-protected, or if its folder does not exist or is not writable.
void check_writable(const std::string& path);

/// The file that is created or replaced when `path` is written: symbolic links are followed, and all paths to a file
/// give the same result. Throws DataError as `check_writable` does.
std::string written_file(const std::string& path);

/// Writes `path` completely or not at all: `write` fills a temporary file next to it, which is flushed to disk and then
/// renamed; the folder is flushed last. The old file stays in place until the rename, and for good if anything fails
/// before that. A symbolic link is followed, and the file it points to is replaced; the new file gets the mode of the
/// old one. The temporary file has a random name, is created exclusively, and is locked while it is written. Those that
/// a killed process left for the same target are removed. Throws DataError as `check_writable` does, and if the file
/// cannot be created, written, flushed or renamed; Interrupted if the observer of this thread wants the work to end
/// before everything is written.
void write_file_atomically(const std::string& path, const std::function<void(std::ostream&)>& write);

/// The same for a file that is not written from its beginning to its end: `path` stays as it is until `finish`, and for
/// good without that. Throws as `write_file_atomically` does.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Of the temporary file, to write to.
  int descriptor() const;
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Calls `change`, which reads `path` and writes it anew. Other processes that change a file of the same folder with
/// this function wait meanwhile. Nothing is left behind by a process that is killed. In a file system without locks, or
/// if another program keeps the folder locked for seconds, `change` is called all the same. Throws DataError as
/// `check_writable` does.
void change_file(const std::string& path, const std::function<void()>& change);

/// With false, both of these do nothing, for a process that others like it write for. Not thread-safe.
void allow_writing(bool is_allowed);

/// Waits until no thread is in `write_file_atomically` or `change_file`; none enters while the lock is held. For a
/// process that is about to exit, so that no temporary file is left behind.
std::unique_lock<std::shared_mutex> hold_writing();

}  // namespace edgewise
