#pragma once
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace merel {

/// A folder of its own, gone with its object.
class Folder {
 public:
  Folder() {
    std::string path = std::filesystem::temp_directory_path() / "merel-XXXXXX";
    if (mkdtemp(path.data()) != nullptr) path_ = path;
  }
  ~Folder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace merel
