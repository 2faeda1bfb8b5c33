#include "daemon/server/static_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/server/running_server.h"

namespace merel {
namespace {

namespace fs = std::filesystem;

std::string content(const StaticFile& file) {
  std::string result(file.size + 1, '\0');
  result.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, ::read(file.descriptor.number(), result.data(), result.size()))));
  return result;
}

class StaticFiles : public testing::Test {
 protected:
  StaticFiles() {
    folder.write("web/index.html", "<p>");
    folder.write("web/sub/page.html", "sub");
    folder.write("web/with space é.txt", "odd");
    folder.write("web/..almost", "hidden");
    folder.write("web/.hidden", "hidden");
    folder.write("web/.git/config", "hidden");
    folder.write("secret.txt", "secret");
    folder.write("web-other/secret.txt", "secret");
    fs::create_symlink(folder.file("secret.txt"), web + "/outside.txt");
    fs::create_symlink("../secret.txt", web + "/outside-relative.txt");
    fs::create_directory_symlink(folder.file("web-other"), web + "/outside");
    fs::create_symlink("sub/page.html", web + "/inside.html");
    fs::create_symlink("loop", web + "/loop");
    ::mkfifo((web + "/pipe").c_str(), 0600);
  }
  Folder folder;
  const std::string web = folder.file("web");
};

TEST_F(StaticFiles, AreFoundBelowTheFolder) {
  const struct {
    std::string path;
    std::string content;
    std::string_view type;
  } cases[] = {
      {"/", "<p>", "text/html; charset=utf-8"},
      {"/index.html", "<p>", "text/html; charset=utf-8"},
      {"/sub/page.html", "sub", "text/html; charset=utf-8"},
      {"/inside.html", "sub", "text/html; charset=utf-8"},
      {"/with space é.txt", "odd", "text/plain; charset=utf-8"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.path);
    const auto file = open_static_file(web, c.path);
    ASSERT_TRUE(file) << file.error();
    EXPECT_EQ(content(*file), c.content);
    EXPECT_EQ(file->size, c.content.size());
    EXPECT_EQ(file->content_type, c.type);
  }
}

TEST_F(StaticFiles, NothingElseIs) {
  for (const std::string path : {"",
                                 "index.html",
                                 "/missing",
                                 "/sub",
                                 "/sub/",
                                 "//index.html",
                                 "/sub//page.html",
                                 "/index.html/",
                                 "/index.html/x",
                                 "/..",
                                 "/../secret.txt",
                                 "/sub/../../secret.txt",
                                 "/sub/../index.html",
                                 "/./index.html",
                                 "/../web/index.html",
                                 "/../web-other/secret.txt",
                                 "/.hidden",
                                 "/..almost",
                                 "/.git/config",
                                 "/..\\secret.txt",
                                 "/sub\\page.html",
                                 "/outside.txt",
                                 "/outside-relative.txt",
                                 "/outside/secret.txt",
                                 "/loop",
                                 "/pipe",
                                 "//etc/passwd",
                                 "/etc/passwd"}) {
    EXPECT_FALSE(open_static_file(web, path)) << path;
  }
  EXPECT_FALSE(open_static_file(web, std::string("/index.html\0.txt", 16)));
  EXPECT_FALSE(open_static_file(folder.file("no-web"), "/"));
  EXPECT_FALSE(open_static_file("", "/"));
}

TEST_F(StaticFiles, TheFolderItselfMayBeALink) {
  fs::create_directory_symlink(web, folder.file("link"));
  EXPECT_TRUE(open_static_file(folder.file("link"), "/"));
  EXPECT_TRUE(open_static_file(web + "/", "/"));
}

TEST_F(StaticFiles, TheEndingTellsTheType) {
  const std::pair<std::string, std::string_view> cases[] = {{"a.html", "text/html; charset=utf-8"},
                                                            {"a.js", "text/javascript; charset=utf-8"},
                                                            {"a.css", "text/css; charset=utf-8"},
                                                            {"a.svg", "image/svg+xml"},
                                                            {"a.png", "image/png"},
                                                            {"a.ico", "image/x-icon"},
                                                            {"a.json", "application/json"},
                                                            {"a.webmanifest", "application/manifest+json"},
                                                            {"a.woff2", "font/woff2"},
                                                            {"a.txt", "text/plain; charset=utf-8"},
                                                            {"a.exe", "application/octet-stream"},
                                                            {"a", "application/octet-stream"}};
  for (const auto& [name, type] : cases) {
    folder.write("web/" + name, "x");
    const auto file = open_static_file(web, '/' + name);
    ASSERT_TRUE(file) << name;
    EXPECT_EQ(file->content_type, type) << name;
  }
}

TEST_F(StaticFiles, AChangeChangesTheTag) {
  const std::string file = web + "/index.html";
  const auto first = open_static_file(web, "/");
  const auto again = open_static_file(web, "/");
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::nanoseconds(1));
  const auto touched = open_static_file(web, "/");
  const auto time = fs::last_write_time(file);
  folder.write("web/index.html", "<p><p>");
  fs::last_write_time(file, time);
  const auto grown = open_static_file(web, "/");
  ASSERT_TRUE(first && again && touched && grown);
  EXPECT_EQ(first->etag, again->etag);
  EXPECT_NE(first->etag, touched->etag);
  EXPECT_NE(touched->etag, grown->etag);
  EXPECT_THAT(first->etag, testing::MatchesRegex("\"[0-9]+-[0-9]+\""));
}

TEST_F(StaticFiles, EndAtEightMebibytes) {
  folder.write("web/large.bin", "");
  fs::resize_file(web + "/large.bin", 8 * 1024 * 1024);
  EXPECT_TRUE(open_static_file(web, "/large.bin"));
  fs::resize_file(web + "/large.bin", 8 * 1024 * 1024 + 1);
  const auto file = open_static_file(web, "/large.bin");
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error(), testing::HasSubstr("8 MiB"));
}

}  // namespace
}  // namespace merel
