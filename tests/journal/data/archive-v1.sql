-- An archive with tables of version 1, as the early trials wrote it. Never changed.
PRAGMA application_id = 1298494060;
PRAGMA user_version = 1;
CREATE TABLE games(
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  game TEXT NOT NULL,
  options TEXT NOT NULL,
  start TEXT NOT NULL,
  players TEXT NOT NULL,
  board TEXT NOT NULL,
  state TEXT NOT NULL,
  result TEXT NOT NULL,
  ending TEXT NOT NULL,
  steps INTEGER,
  started INTEGER NOT NULL,
  ended INTEGER NOT NULL
) STRICT;
CREATE TABLE events(
  game INTEGER NOT NULL REFERENCES games(number) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY(game, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX games_running ON games(number) WHERE state = 'running';

INSERT INTO games VALUES
  (1, 'a-resigned', 'morris', '{}', '3/3/3/6/3/3/3 W 9 9 -', '["Ann","Bo"]', 'trial', 'over', 'W', 'White wins: Black resigned', 2, 1793455380000, 1793455999000),
  (2, 'a-draw', 'morris', '{}', '3/3/3/6/3/3/3 W 9 9 -', '[]', 'trial', 'over', 'draw', 'Draw: the players agreed', 1, 1793456380000, 1793456999000),
  (3, 'an-abort', 'pinuid-classic', '{}', 'BB1B1BB/B2B2B/7/7/7/W2W2W/WW1W1WW W - -', '[]', 'trial', 'aborted', 'unfinished', 'The game was aborted', 0, 1793457380000, 1793457999000),
  (4, 'a-win', 'morris', '{}', 'WBW/3/3/B4B/3/3/WBW W 0 0 -', '[]', 'trial', 'over', 'B', 'Black wins: the other player cannot move', 0, 1793458380000, 1793458999000),
  (5, 'a-running', 'morris', '{}', '3/3/3/6/3/3/3 W 9 9 -', '[]', 'trial', 'running', 'unfinished', '', NULL, 1793459380000, 0);
INSERT INTO events VALUES
  (1, 1, '{"type":"step","n":1,"at":1793455381000,"player":"W","step":"+a1"}'),
  (1, 2, '{"type":"step","n":2,"at":1793455382000,"player":"B","step":"+g7"}'),
  (2, 1, '{"type":"step","n":1,"at":1793456381000,"player":"W","step":"+a1"}'),
  (5, 1, '{"type":"step","n":1,"at":1793459381000,"player":"W","step":"+a1"}'),
  (5, 2, '{"type":"step","n":2,"at":1793459382000,"player":"B","step":"+g7"}'),
  (5, 3, '{"type":"takeback","n":3,"at":1793459383000,"steps":["+g7"]}');
