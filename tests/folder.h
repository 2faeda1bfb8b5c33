#pragma once
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace merel {

/// A folder of its own that others may read, gone with its object: tests run side by side, and none may meet another's files.
class Folder {
 public:
  Folder() {
    std::string path = std::filesystem::temp_directory_path() / "merel-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) std::abort();
    path_ = path;
    std::filesystem::permissions(path_, kOpen);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::permissions(path_, kOpen, ignored);  // a test may have locked it
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// Makes the file and the folders on its way; returns its path.
  std::string write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(file(name)).parent_path());
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
  }

 private:
  static constexpr auto kOpen = static_cast<std::filesystem::perms>(0755);
  std::string path_;
};

}  // namespace merel
