import assert from 'node:assert/strict';
import test from 'node:test';

import { CHANNELS, MIDDLE, SITES } from './board.mjs';
import { LINEAR, joined, measured, spread } from './setup.mjs';
import { ANSWER, CLASS } from './wire.mjs';

test('from a reading to its report on the wire: less than 2 ms after the debounce', () => {
  const { board, host } = joined();
  assert.equal(host.carryOut('settings', { levels_hz: 100 }), ANSWER.done); // a busy line
  host.command('lights', { lamps: Array.from({ length: SITES }, (_, light) => [light, 99, 200, 1]) });
  host.run(50);
  const begins = [];
  const ends = [];
  let channel = 0;
  let reading = 0; // when the second of the three samples was taken whose median is the new level
  let last = -1;
  let place = 0; // of a sample among the channel's
  board.sampled = (at, counts, nanos) => {
    place = at === last ? place + 1 : 0;
    last = at;
    if (reading === 0 && at === channel && place === 3 && counts !== MIDDLE) reading = nanos;
  };
  for (let round = 0; round < 300; ++round) {
    channel = (round * 37) % CHANNELS;
    host.run(9 + (round % 17) * 0.13);
    if (round % 3 === 0) host.command('lights', { lamps: [[round & 255, 1, 2, 1]] });
    reading = 0;
    board.set(channel, MIDDLE + 900);
    const report = host.await('report', ({ classes }) => classes[channel] === CLASS.north, 20);
    begins.push((report.began - reading) / 1e6 - 5);
    ends.push((report.nanos - reading) / 1e6 - 5);
    board.set(channel, MIDDLE);
    host.await('report', ({ classes }) => classes[channel] === CLASS.none, 20);
  }
  measured('reading to report, after the debounce of 5 ms, its first byte', spread(begins, 'ms '));
  measured('reading to report, after the debounce of 5 ms, its last byte', spread(ends, 'ms '));
  assert.ok(Math.max(...begins) < 2);
  assert.ok(Math.min(...begins) > -0.1, 'not before the debounce is over');
});

test('from a light command to the last light latched: less than 5 ms', () => {
  const { board, host } = joined();
  host.carryOut('settings', { ...LINEAR, levels_hz: 50 });
  // Sites that breathe keep the chain busy; the last light says which command it belongs to.
  const lamps = (mark) => [...Array.from({ length: SITES - 1 }, (_, light) => [light, 99, 200, 8]), [mark, 0, 0]];
  const times = [];
  const whole = [];
  let latched = 0;
  let mark = 0;
  board.chain.onPicture = (picture, nanos) => {
    if (latched === 0 && picture[SITES - 1][0] === mark) latched = nanos + board.base;
  };
  for (let round = 1; round <= 150; ++round) {
    host.run(20 + (round % 23) * 0.31);
    mark = round;
    latched = 0;
    const begun = board.nanos;
    let arrived = 0;
    const feed = board.chip.rp.uart[0].feedByte;
    board.chip.rp.uart[0].feedByte = function (byte) {
      if (byte === 0 && arrived === 0) arrived = board.nanos;
      return feed.call(this, byte);
    };
    host.command('lights', { lamps: lamps(mark) });
    for (let i = 0; latched === 0 && i < 100; ++i) host.run(0.25);
    board.chip.rp.uart[0].feedByte = feed;
    assert.ok(latched > 0, `round ${round}`);
    times.push((latched - arrived) / 1e6);
    whole.push((latched - begun) / 1e6);
  }
  measured('light command to the last light latched, from its last byte', spread(times, 'ms '));
  measured('the same from its first byte (table of 49 lamps, 308 bytes)', spread(whole, 'ms '));
  assert.ok(Math.max(...times) < 5);

  // What the guide shows fits in some 60 bytes.
  const short = [];
  for (let round = 1; round <= 100; ++round) {
    host.run(20 + (round % 23) * 0.31);
    mark = round + 150 > 255 ? round : round + 150;
    latched = 0;
    const begun = board.nanos;
    const guide = Array.from({ length: SITES - 1 }, (_, light) => (light % 5 === 0 ? [0, 90, 0, 1] : [0, 0, 0]));
    host.command('lights', { lamps: [...guide, [mark, 0, 0]] });
    for (let i = 0; latched === 0 && i < 100; ++i) host.run(0.25);
    short.push((latched - begun) / 1e6);
  }
  measured('a light command of some 50 bytes to the last light latched, from its first byte', spread(short, 'ms '));
  assert.ok(Math.max(...short) < 5 + 1.2);
});
