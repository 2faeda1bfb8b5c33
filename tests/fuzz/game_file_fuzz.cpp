// Exported games: whatever is read must be a game by the rules, and come back equal from both of its own exports.
#include "daemon/journal/game_archive.h"
#include "tests/fuzz/demand.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace merel;
  const auto game = read_game({reinterpret_cast<const char*>(data), size});
  if (!game) {
    DEMAND(!game.error().empty() && game.error().find('\n') == std::string::npos);
    (void)Json(game.error()).dump();  // throws when it is not UTF-8
    return 0;
  }
  const auto record = game->record();
  DEMAND(record.ok());

  const Json json = to_json(*game);
  const auto from_json = read_game(json.dump());
  DEMAND(from_json.ok() && to_json(*from_json) == json);

  const auto from_text = read_game(to_text(*game));
  DEMAND(from_text.ok() && from_text->record()->steps() == record->steps());
  // A game that the rules have ended, but nobody has closed yet, is closed in the text.
  DEMAND(from_text->verdict == game->verdict || (game->verdict == Verdict{} && record->outcome().over()));
  return 0;
}
