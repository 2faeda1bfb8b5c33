#pragma once
#include <nlohmann/json.hpp>

#include "daemon/guide.h"
#include "daemon/tracker.h"

namespace merel {

using Json = nlohmann::ordered_json;

/// The tracker's events, scenes and records as JSON (TRACE.md). `board` is any position of the game, for the names of the sites.
[[nodiscard]] Json to_json(const TrackerEvent& event, const GameInfo& game, const Position& board);
[[nodiscard]] Json to_json(const Scene& scene, Time now, const GameInfo& game, const Position& board);
[[nodiscard]] Json to_json(const GameRecord& record, Time now);
/// Milliseconds.
[[nodiscard]] double to_json(Time time);

}  // namespace merel
