#include "daemon/merel/daemon_link.h"

#include <array>
#include <cctype>
#include <cstdio>
#include <iostream>

#include "daemon/client/daemon_client.h"
#include "daemon/merel/complaint.h"
#include "daemon/merel/json_look.h"
#include "daemon/merel/state_words.h"

namespace merel {

void DaemonLink::add_options(CLI::App& command) {
  command.add_option("--socket", socket_, "the daemon's socket")
      ->type_name("PATH")
      ->envname("MEREL_SOCKET")
      ->capture_default_str();
  command.add_flag("--json", json_, "print what the daemon answers, as JSON");
}

Result<std::string, ExitCode> DaemonLink::ask(const std::string& method, const std::string& target, const std::string& body,
                                              const std::string& about) const {
  const std::string before = about.empty() ? "" : about + ": ";
  auto answer = DaemonClient(socket_).call(method, target, body);
  if (!answer) {
    complain(before + answer.error(), kBadInput);
    return kBadInput;
  }
  if (answer->status < 300) return std::move(answer->body);
  std::string why = text_at(read_answer(answer->body), "error");
  if (why.empty()) why = "mereld answers " + std::to_string(answer->status) + " to " + method + " " + target;
  complain(before + why, kNo);
  return kNo;
}

int DaemonLink::order(const std::string& target, const Json& body) const {
  const auto answer = ask("POST", target, written(body));
  if (!answer) return answer.error();
  if (json_) {
    print_answer(*answer);
    return kDone;
  }
  for (const std::string& line : status_lines(read_answer(*answer))) std::cout << line << '\n';
  return kDone;
}

int DaemonLink::order_quietly(const std::string& target, const Json& body) const {
  const auto answer = ask("POST", target, written(body));
  if (!answer) return answer.error();
  if (json_) print_answer(*answer);
  return kDone;
}

std::string encoded(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~') {
      out += c;
    } else {
      std::array<char, 4> code{};
      std::snprintf(code.data(), code.size(), "%%%02X", byte);
      out += code.data();
    }
  }
  return out;
}

std::string written(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void print_answer(const std::string& body) { std::cout << body << (body.ends_with('\n') ? "" : "\n"); }

Json read_answer(const std::string& body) {
  Json read = Json::parse(body, nullptr, false);
  return read.is_discarded() ? Json() : read;
}

}  // namespace merel
