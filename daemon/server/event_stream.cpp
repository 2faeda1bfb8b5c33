#include "daemon/server/event_stream.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/websocket/error.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>
#include <utility>

namespace merel {
namespace {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;

constexpr std::size_t kLargestIncoming = 1024;
/// With more room the kernel would hide for long that nobody reads.
constexpr int kSendBuffer = 64 * 1024;
/// A client that is dropped has so long to take the reason.
constexpr std::chrono::seconds kClosingTime{2};
/// A ping after half of it in silence, the end after the whole.
constexpr std::chrono::seconds kSilence{60};

class EventStream final : public Stream {
 public:
  EventStream(std::shared_ptr<Hub> hub, Socket socket, Entrance entrance)
      : Stream(std::move(entrance)), hub_(std::move(hub)), stream_(std::move(socket)), closing_time_(hub_->loop) {
    websocket::stream_base::timeout times{};
    times.handshake_timeout = hub_->settings.request_time;
    times.idle_timeout = kSilence;
    times.keep_alive_pings = true;
    stream_.set_option(times);
    stream_.read_message_max(0);   // Beast's limit would wait for the client once more; ours is in read()
    stream_.auto_fragment(false);  // a message is one frame, straight from the shared text
    stream_.text(true);
    stream_.control_callback([this](websocket::frame_type kind, boost::beast::string_view) {
      if (kind == websocket::frame_type::close) leave_soon();  // Beast answers it, and then waits for the client to hang up
    });
    error_code ignored;
    stream_.next_layer().set_option(asio::socket_base::send_buffer_size(kSendBuffer), ignored);
  }

  void start(const HttpRequest& upgrade) {
    hub_->join(shared_from_this());
    stream_.async_accept(upgrade, [self = self()](error_code ec) {
      if (self->gone_) return;
      if (ec) {
        if (ec.category() == websocket::make_error_code(websocket::error::bad_method).category())
          ++self->hub_->statistics.refused;
        return self->cut();
      }
      self->open();
    });
  }

  void send(const std::shared_ptr<const std::string>& message) override {
    const auto& settings = hub_->settings;
    queue_.push_back(message);
    if (queue_.size() == 1) return write();
    waiting_bytes_ += message->size();
    const std::size_t waiting = queue_.size() - 1;  // the first one is being written
    if (waiting <= settings.backlog_messages && waiting_bytes_ <= settings.backlog_bytes) return;
    ++hub_->statistics.dropped_streams;
    queue_.resize(1);
    waiting_bytes_ = 0;
    close(websocket::close_code::policy_error, "too slow: " + std::to_string(waiting) + " messages behind");
  }

  void cut() override {
    if (gone_) return;
    gone_ = true;
    const auto self = shared_from_this();  // leaving the hub may be the last hold on this object
    error_code ignored;
    stream_.next_layer().close(ignored);
    closing_time_.cancel();
    std::erase(hub_->streams, this);
    hub_->leave(self);
  }

 private:
  std::shared_ptr<EventStream> self() { return std::static_pointer_cast<EventStream>(shared_from_this()); }

  void open() {
    read();
    try {
      // On the loop, in one go: what is published from now on follows this state.
      send(std::make_shared<const std::string>(hub_->application->state()));
      hub_->streams.push_back(this);
    } catch (...) {
      close(websocket::close_code::internal_error, "the daemon could not tell its state");
    }
  }

  /// Nothing that a client says matters, but pings, its farewell and its silence are seen by reading.
  void read() {
    stream_.async_read_some(asio::buffer(incoming_), [self = self()](error_code ec, std::size_t count) {
      if (self->gone_) return;
      if (ec) return self->cut();
      if (self->leaving_) return;
      self->incoming_bytes_ += count;
      if (self->incoming_bytes_ > kLargestIncoming) {
        return self->close(websocket::close_code::too_big,
                           "at most " + std::to_string(kLargestIncoming) + " bytes are read");
      }
      if (self->stream_.is_message_done()) self->incoming_bytes_ = 0;
      self->read();
    });
  }

  void write() {
    stream_.async_write(asio::buffer(*queue_.front()), [self = self()](error_code ec, std::size_t) {
      if (self->gone_) return;
      if (ec) return self->cut();
      self->queue_.pop_front();
      if (self->queue_.empty() || self->leaving_) return;
      self->waiting_bytes_ -= self->queue_.front()->size();
      self->write();
    });
  }

  void close(websocket::close_code code, const std::string& reason) {
    leave_soon();
    stream_.async_close({code, reason}, [self = self()](error_code) { self->cut(); });
  }

  /// No more messages; the end comes in any case.
  void leave_soon() {
    leaving_ = true;
    std::erase(hub_->streams, this);
    closing_time_.expires_after(kClosingTime);
    closing_time_.async_wait([self = self()](error_code ec) {
      if (!ec) self->cut();
    });
  }

  std::shared_ptr<Hub> hub_;
  websocket::stream<Socket, false> stream_;
  Timer closing_time_;
  bool gone_ = false;
  bool leaving_ = false;
  std::deque<std::shared_ptr<const std::string>> queue_;  ///< the first one is being written
  std::size_t waiting_bytes_ = 0;                         ///< of all others
  std::array<char, 256> incoming_{};
  std::size_t incoming_bytes_ = 0;  ///< of the message that is coming in
};

}  // namespace

void serve_events(const std::shared_ptr<Hub>& hub, Socket socket, Entrance entrance, const HttpRequest& upgrade) {
  std::make_shared<EventStream>(hub, std::move(socket), std::move(entrance))->start(upgrade);
}

}  // namespace merel
