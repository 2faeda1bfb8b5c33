#pragma once
#include "daemon/live/daemon.h"
#include "daemon/live/json_body.h"

namespace merel {

/// Translates between HTTP and the daemon: routes, bodies, answers (docs/openapi.yaml).
class Daemon::Api final : public Application {
 public:
  explicit Api(Daemon& daemon) : daemon_(daemon) {}

  void handle(const Request& request, Reply reply) override;
  std::string state() override;

 private:
  using Handler = void (Api::*)(const Request&, const Reply&);
  struct Route {
    std::string_view method;
    std::string_view path;
    Handler handler;
  };
  static std::span<const Route> routes();

  void get_state(const Request& request, const Reply& reply);
  void get_rules(const Request& request, const Reply& reply);
  void get_sensors(const Request& request, const Reply& reply);
  void get_preflight(const Request& request, const Reply& reply);
  void get_calibration(const Request& request, const Reply& reply);
  void record_picture(const Request& request, const Reply& reply);
  void finish_calibration(const Request& request, const Reply& reply);
  void forget_calibration(const Request& request, const Reply& reply);
  void get_support(const Request& request, const Reply& reply);
  void get_metrics(const Request& request, const Reply& reply);
  void new_game(const Request& request, const Reply& reply);
  void take_back(const Request& request, const Reply& reply);
  void choose(const Request& request, const Reply& reply);
  void resign(const Request& request, const Reply& reply);
  void draw(const Request& request, const Reply& reply);
  void abort(const Request& request, const Reply& reply);
  void help(const Request& request, const Reply& reply);
  void record(const Request& request, const Reply& reply);
  void list_games(const Request& request, const Reply& reply);
  void import_game(const Request& request, const Reply& reply);
  void delete_games(const Request& request, const Reply& reply);
  void get_game(const Request& request, const Reply& reply);
  void get_trace(const std::string& id, const Reply& reply);
  void get_sim(const Request& request, const Reply& reply);
  void sim_lift(const Request& request, const Reply& reply);
  void sim_put(const Request& request, const Reply& reply);
  void sim_arrange(const Request& request, const Reply& reply);
  void sim_tray(const Request& request, const Reply& reply);
  void sim_button(const Request& request, const Reply& reply);
  void sim_fault(const Request& request, const Reply& reply);
  void sim_play(const Request& request, const Reply& reply);

  void done(const Done& done, const Reply& reply);
  /// The virtual board, or null after a refusal.
  SimDriver* sim(const Reply& reply);
  /// The channel that a body names by `site`, or nothing after a refusal.
  std::optional<std::uint16_t> channel(JsonBody& body, const Reply& reply);
  void arrange(const Picture* picture);

  Daemon& daemon_;
  Contents hand_;  ///< the piece lifted last from the virtual board
};

}  // namespace merel
