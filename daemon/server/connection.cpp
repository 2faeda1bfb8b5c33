#include "daemon/server/connection.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "daemon/server/event_stream.h"
#include "daemon/server/response_head.h"
#include "daemon/server/static_files.h"

namespace merel {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

/// A client that we have refused may still be sending: closing at once would take the answer from it (a TCP reset overtakes it).
constexpr std::chrono::seconds kLingerTime{1};
constexpr std::size_t kLingerBytes = std::size_t{1024} * 1024;
/// All bodies that are being taken in or worked on have together at most so many times the room of the largest one. Many clients that
/// send large bodies slowly cannot fill the memory.
constexpr std::uint64_t kBodiesAtOnce = 4;

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

/// One HTTP connection: a request at a time, in order.
class Connection final : public Peer {
 public:
  Connection(std::shared_ptr<Hub> hub, Socket socket, Entrance entrance)
      : Peer(std::move(entrance)),
        hub_(std::move(hub)),
        socket_(std::move(socket)),
        deadline_(hub_->loop),
        buffer_(hub_->settings.header_bytes + kChunk) {}

  void start() {
    hub_->join(shared_from_this());
    read_head();
  }

  void cut() override {
    if (gone_) return;
    gone_ = true;
    const auto self = shared_from_this();  // leaving the hub may be the last hold on this object
    error_code ignored;
    socket_.close(ignored);
    disarm();
    give_back_body();
    hub_->leave(self);
  }

  /// The application's answer, now or later.
  void answer(const Response& response) {
    if (!gone_ && phase_ == Phase::waiting) respond(response, {});
  }

 private:
  enum class Phase {
    idle,       ///< between two requests
    reading,    ///< a request
    late,       ///< the request took too long; the pending read is being cancelled
    waiting,    ///< for the application
    writing,    ///< the response
    lingering,  ///< refused and shut down; what the client still sends is thrown away
  };
  static constexpr std::size_t kChunk = 4096;       ///< the least room for reading
  static constexpr std::size_t kFileChunk = 32768;  ///< so much of a file is read and sent at a time

  std::shared_ptr<Connection> self() { return std::static_pointer_cast<Connection>(shared_from_this()); }

  void arm(std::chrono::milliseconds time) {
    deadline_.expires_after(time);  // cancels the wait before
    deadline_.async_wait([self = self(), ticket = ++ticket_](error_code ec) {
      // The wait may have ended just before it was cancelled: the ticket tells.
      if (!ec && !self->gone_ && ticket == self->ticket_) self->expire();
    });
  }

  void disarm() {
    ++ticket_;
    deadline_.cancel();
  }

  void expire() {
    switch (phase_) {
      case Phase::reading:
        ++hub_->statistics.timeouts;
        if (buffer_.size() == 0 && !parser_->got_some()) return cut();
        phase_ = Phase::late;
        {
          error_code ignored;
          socket_.cancel(ignored);
        }
        return;
      case Phase::writing: ++hub_->statistics.timeouts; return cut();
      case Phase::idle:
      case Phase::lingering: return cut();
      case Phase::late:
      case Phase::waiting: return;
    }
  }

  void wait_for_request() {
    if (buffer_.size() > 0) return read_head();
    phase_ = Phase::idle;
    arm(hub_->settings.idle_time);
    socket_.async_wait(asio::socket_base::wait_read, [self = self()](error_code ec) {
      if (self->gone_) return;
      if (ec) return self->cut();
      self->read_head();
    });
  }

  void read_head() {
    phase_ = Phase::reading;
    arm(hub_->settings.request_time);
    file_.reset();
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(hub_->settings.header_bytes));
    parser_->body_limit(hub_->settings.body_bytes);
    buffer_.reserve(kChunk);
    http::async_read_header(socket_, buffer_, *parser_, [self = self()](error_code ec, std::size_t) {
      if (self->readable(ec)) self->check();
    });
  }

  /// The exits that all reads have in common.
  bool readable(error_code ec) {
    if (gone_) return false;
    if (phase_ == Phase::late) {
      refuse({408, "the request did not arrive in time"}, {}, true);
    } else if (ec.category() == http::make_error_code(http::error::bad_target).category() &&
               ec != http::error::end_of_stream && ec != http::error::partial_message) {
      refuse(unreadable(ec), {}, true);
    } else if (ec) {
      cut();
    } else {
      return true;
    }
    return false;
  }

  [[nodiscard]] Rejection unreadable(error_code ec) const {
    const auto& settings = hub_->settings;
    if (ec == http::error::header_limit || ec == http::error::buffer_overflow) {
      return {431, "the head of a request has at most " + std::to_string(settings.header_bytes) + " bytes here"};
    }
    if (ec == http::error::body_limit) {
      return {413, "the body of a request has at most " + std::to_string(settings.body_bytes) + " bytes here"};
    }
    return {400, "this is not an HTTP request: " + ec.message()};
  }

  /// The field's value; notes when it stands there twice.
  std::optional<std::string_view> field(http::field name, bool& doubled) const {
    const auto [first, last] = parser_->get().equal_range(name);
    if (first == last) return std::nullopt;
    doubled = doubled || std::next(first) != last;
    return view(first->value());
  }

  /// The head is complete. What can be refused is, before a body is taken in.
  void check() {
    const auto& request = parser_->get();
    auto target = read_target(view(request.target()));
    if (!target) return refuse({400, target.error()});
    target_ = std::move(*target);
    RequestHead head;
    head.method = view(request.method_string());
    head.http_1_0 = request.version() < 11;
    head.host = field(http::field::host, head.doubled);
    head.origin = field(http::field::origin, head.doubled);
    head.authorization = field(http::field::authorization, head.doubled);
    head.content_type = field(http::field::content_type, head.doubled);
    if (const auto reason = refusal(head, target_, entrance(), hub_->settings)) return refuse(*reason);
    if (target_.path == kEventsPath) return become_stream();
    if (parser_->is_done()) return serve();
    if (!claim_body()) {
      return refuse({503, "too many large requests at once: try again in a moment"}, "Retry-After: 1\r\n");
    }
    if (!boost::beast::iequals(request[http::field::expect], "100-continue")) return read_body();
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(kContinue), [self = self()](error_code ec, std::size_t) {
      if (self->readable(ec)) self->read_body();
    });
  }

  bool claim_body() {
    const std::uint64_t limit = hub_->settings.body_bytes;
    const auto length = parser_->content_length();
    const std::uint64_t wanted = length ? *length : limit;
    if (hub_->bodies + wanted > kBodiesAtOnce * limit) return false;
    hub_->bodies += wanted;
    claimed_ = wanted;
    return true;
  }

  void give_back_body() { hub_->bodies -= std::exchange(claimed_, 0); }

  void become_stream() {
    if (!boost::beast::websocket::is_upgrade(parser_->get())) {
      return refuse({426, "the event stream is a WebSocket"}, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
    }
    if (!parser_->is_done() || buffer_.size() > 0) {
      return refuse({400, "nothing may follow the request for a WebSocket"}, {}, true);
    }
    disarm();
    gone_ = true;
    const auto self = shared_from_this();
    hub_->leave(self);
    serve_events(hub_, std::move(socket_), entrance(), parser_->release());
  }

  void read_body() {
    http::async_read(socket_, buffer_, *parser_, [self = self()](error_code ec, std::size_t) {
      if (self->readable(ec)) self->serve();
    });
  }

  void serve() {
    disarm();
    phase_ = Phase::waiting;
    if (target_.path == "/metrics" || target_.path == "/api" || target_.path.starts_with("/api/")) return ask_application();
    if (parser_->get().method() != http::verb::get && parser_->get().method() != http::verb::head) {
      return refuse({405, "pages can only be read"}, "Allow: GET, HEAD\r\n");
    }
    auto file = open_static_file(hub_->settings.web, target_.path);
    if (!file) return respond(error_response(404, file.error()), {});
    const std::string fields = "Cache-Control: no-cache\r\nETag: " + file->etag + "\r\n";
    const std::string_view known = view(parser_->get()[http::field::if_none_match]);
    if (known == "*" || known.find(file->etag) != std::string_view::npos) {
      return respond({304, {}, std::string(file->content_type), {}}, fields);
    }
    file_ = std::move(*file);
    respond({200, {}, std::string(file_->content_type), {}}, fields);
  }

  void ask_application() {
    // Answers for an application that forgets to, so that no client waits for ever.
    struct Pending {
      explicit Pending(std::weak_ptr<Connection> the_connection) : connection(std::move(the_connection)) {}
      Pending(const Pending&) = delete;
      Pending& operator=(const Pending&) = delete;
      ~Pending() {
        try {
          answer(error_response(500, "the daemon has dropped this request; its log may say why"));
        } catch (...) {  // no memory for an answer
        }
      }
      void answer(const Response& response) {
        // Weak: a reply that is kept beyond the end of the server must hold nothing of it.
        const auto open = std::exchange(connection, {}).lock();
        if (open) open->answer(response);
      }
      std::weak_ptr<Connection> connection;
    };
    const auto pending = std::make_shared<Pending>(self());
    // HEAD is a GET whose answer keeps its body.
    const bool head = parser_->get().method() == http::verb::head;
    Request request{head ? "GET" : std::string(view(parser_->get().method_string())), target_.path, std::move(target_.query),
                    std::move(parser_->get().body())};
    try {
      hub_->application->handle(request, [pending](const Response& response) { pending->answer(response); });
    } catch (const std::exception& problem) {
      pending->answer(error_response(500, std::string("the daemon could not do this: ") + problem.what()));
    } catch (...) {
      pending->answer(error_response(500, "the daemon could not do this, for an unknown reason"));
    }
  }

  void refuse(const Rejection& reason, std::string_view fields = {}, bool last = false) {
    ++hub_->statistics.refused;
    refused_ = true;
    if (reason.status == 405 && fields.empty()) fields = "Allow: GET, HEAD, POST, DELETE\r\n";
    if (reason.status == 401) fields = "WWW-Authenticate: Bearer realm=\"mereld\"\r\n";
    respond(error_response(reason.status, reason.sentence), fields, last);
  }

  void respond(const Response& response, std::string_view fields, bool last = false) {
    if (!refused_) ++hub_->statistics.requests;
    refused_ = false;
    phase_ = Phase::writing;
    arm(hub_->settings.request_time);
    const auto& request = parser_->get();
    keep_alive_ = !last && parser_->is_done() && parser_->keep_alive();
    left_of_file_ = file_ ? file_->size : 0;
    const std::size_t length = file_ ? file_->size : response.body.size();
    out_ = response_head(response, length, {parser_->is_header_done() && request.version() < 11, keep_alive_, fields});
    if (request.method() == http::verb::head) {
      left_of_file_ = 0;
    } else if (response.status != 204 && response.status != 304) {
      out_ += response.body;
    }
    write();
  }

  void write() {
    asio::async_write(socket_, asio::buffer(out_), [self = self()](error_code ec, std::size_t) {
      if (self->gone_) return;
      if (ec) return self->cut();
      self->written();
    });
  }

  void written() {
    if (left_of_file_ > 0) {
      // In pieces: neither the memory nor the loop has to hold still for a whole file.
      out_.resize(std::min(left_of_file_, kFileChunk));
      const auto count = ::read(file_->descriptor.number(), out_.data(), out_.size());
      if (count <= 0) return cut();  // it became shorter: the length we have promised cannot be kept
      out_.resize(static_cast<std::size_t>(count));
      left_of_file_ -= out_.size();
      arm(hub_->settings.request_time);
      return write();
    }
    file_.reset();
    give_back_body();
    std::string().swap(out_);
    if (keep_alive_) return wait_for_request();
    if (parser_->is_done() && buffer_.size() == 0) return cut();
    error_code failed;
    socket_.shutdown(asio::socket_base::shutdown_send, failed);
    if (failed) return cut();
    phase_ = Phase::lingering;
    arm(kLingerTime);
    buffer_.clear();
    linger(kLingerBytes);
  }

  void linger(std::size_t bytes) {
    socket_.async_read_some(buffer_.prepare(kChunk), [self = self(), bytes](error_code ec, std::size_t count) {
      if (self->gone_) return;
      if (ec || count >= bytes) return self->cut();
      self->linger(bytes - count);
    });
  }

  std::shared_ptr<Hub> hub_;
  Socket socket_;
  Timer deadline_;
  unsigned ticket_ = 0;  ///< of the wait that counts
  Phase phase_ = Phase::idle;
  bool gone_ = false;
  bool refused_ = false;
  bool keep_alive_ = false;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::uint64_t claimed_ = 0;  ///< of the hub's room for bodies
  Target target_;
  std::string out_;  ///< being written
  std::optional<StaticFile> file_;
  std::size_t left_of_file_ = 0;
};

}  // namespace

void serve_connection(const std::shared_ptr<Hub>& hub, Socket socket, Entrance entrance) {
  std::make_shared<Connection>(hub, std::move(socket), std::move(entrance))->start();
}

}  // namespace merel
