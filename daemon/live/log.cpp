#include "daemon/live/log.h"

#include <spdlog/async.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/uio.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <mutex>

namespace merel {
namespace {

constexpr std::size_t kQueue = 512;  // lines that wait for the writing thread
constexpr std::size_t kRemembered = 400;
constexpr char kField = '\x1f';  // ASCII unit separator: between the sentence and its fields

std::shared_ptr<spdlog::async_logger> logger;                   // NOLINT: there is one log
std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> remembered;  // NOLINT

/// The sentence, then ` key=value` for each field.
class SentenceAndFields final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/, spdlog::memory_buf_t& out) override {
    for (const char c : message.payload) out.push_back(c == kField ? ' ' : c);
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return spdlog::details::make_unique<SentenceAndFields>();
  }
};

std::unique_ptr<spdlog::formatter> plain() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<SentenceAndFields>('*').set_pattern("%Y-%m-%d %H:%M:%S.%e %-7l %*");
  return formatter;
}

int priority(spdlog::level::level_enum level) {  // sd-daemon(3)
  switch (level) {
    case spdlog::level::critical:
    case spdlog::level::err: return 3;
    case spdlog::level::warn: return 4;
    case spdlog::level::info: return 6;
    default: return 7;
  }
}

/// The system's journal (sd_journal_sendv(3)): MESSAGE, PRIORITY, and a field of its own for each key.
class SystemJournal final : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    std::vector<std::string> fields{"PRIORITY=" + std::to_string(priority(message.level)), "SYSLOG_IDENTIFIER=mereld"};
    const std::string_view payload(message.payload.data(), message.payload.size());
    std::size_t begin = payload.find(kField);
    fields.push_back("MESSAGE=" + std::string(payload.substr(0, begin)));
    while (begin != std::string_view::npos) {
      const std::size_t end = payload.find(kField, begin + 1);
      std::string field(payload.substr(begin + 1, end == std::string_view::npos ? end : end - begin - 1));
      for (char& c : field) {
        if (c == '=') break;
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      }
      fields.push_back("MEREL_" + field);
      begin = end;
    }
    std::vector<iovec> parts;
    parts.reserve(fields.size());
    for (std::string& field : fields) parts.push_back({field.data(), field.size()});
    sd_journal_sendv(parts.data(), static_cast<int>(parts.size()));
  }
  void flush_() override {}
};

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::trace: return spdlog::level::trace;
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::error: return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

void open_log(LogLevel level) {
  spdlog::init_thread_pool(kQueue, 1);
  remembered = std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(kRemembered);
  std::shared_ptr<spdlog::sinks::sink> out;
  if (std::getenv("JOURNAL_STREAM") != nullptr) {
    out = std::make_shared<SystemJournal>();
  } else {
    out = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  }
  logger = std::make_shared<spdlog::async_logger>("mereld", spdlog::sinks_init_list{out, remembered}, spdlog::thread_pool(),
                                                  spdlog::async_overflow_policy::overrun_oldest);
  logger->set_formatter(plain());
  logger->flush_on(spdlog::level::warn);
  set_log_level(level);
}

void set_log_level(LogLevel level) {
  if (logger) logger->set_level(level_of(level));
}

LogLevel log_level(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"trace", "debug", "info", "warning", "error"};
  const auto* at = std::find(kNames.begin(), kNames.end(), name);
  return at == kNames.end() ? LogLevel::info : static_cast<LogLevel>(at - kNames.begin());
}

void close_log() {
  if (!logger) return;
  logger->flush();
  logger.reset();
  spdlog::shutdown();  // waits for the writing thread
}

bool logs(LogLevel level) { return logger && logger->should_log(level_of(level)); }

void log(LogLevel level, std::string_view sentence, std::initializer_list<LogField> fields) {
  if (!logs(level)) return;
  std::string payload(sentence);
  for (const LogField& field : fields) payload.append(1, kField).append(field.key).append("=").append(field.value);
  std::replace(payload.begin(), payload.end(), '\n', ' ');
  logger->log(level_of(level), spdlog::string_view_t(payload.data(), payload.size()));
}

std::vector<std::string> recent_log() { return remembered ? remembered->last_formatted() : std::vector<std::string>{}; }

}  // namespace merel
