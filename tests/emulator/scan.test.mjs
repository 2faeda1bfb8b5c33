import assert from 'node:assert/strict';
import test from 'node:test';

import { CHANNELS, MIDDLE, SITES } from './board.mjs';
import { joined, measured, spread } from './setup.mjs';
import { ANSWER, CLASS, EFFECT } from './wire.mjs';

test('a thousand scans a second for ten seconds, none late, while lights animate and the link is busy', () => {
  const { board, host } = joined();
  const { scan } = board;
  assert.equal(host.carryOut('settings', { levels_hz: 50, beside: -2000, diagonal: -700 }), ANSWER.done);
  const effects = Object.values(EFFECT);
  const startedAt = host.last('board_status')?.scans ?? 0;
  scan.starts.length = 0;
  const lostBefore = board.chip.bytesLost; // before the board was there
  const begun = board.nanos;
  for (let round = 0; board.nanos < begun + 10e9; ++round) {
    // Other lights 25 times a second, all effects; a beep, an ask and empty sites in between; pieces come and go.
    const effect = (light) => effects[(light + round) % effects.length];
    host.command('lights', {
      lamps: Array.from({ length: SITES }, (_, light) => [(light * 5 + round) & 255, 255 - light, round & 255, effect(light)]),
    });
    if (round % 3 === 0) host.command('empty_sites', { channels: BigInt(round) });
    if (round % 5 === 0) host.command('buzzer', { hertz: 1000 + round, milliseconds: 30 });
    if (round % 7 === 0) host.say('ask', { what: 'board_calibration' });
    board.set(round % CHANNELS, MIDDLE + (round % 2 === 0 ? 900 : 0));
    host.run(40);
  }
  host.say('ask', { what: 'board_status' });
  const status = host.await('board_status');
  const seconds = (board.nanos - begun) / 1e9;
  const starts = [...scan.starts];
  const gaps = starts.slice(1).map((start, i) => (start - starts[i]) / 1e3);
  measured('scans in 10 s', `${starts.length} of ${CHANNELS} channels, ${status.late} late`);
  measured('from scan to scan', spread(gaps, 'us '));
  measured('longest time from the beginning of a scan until it is judged', `${status.scan_us} us`);
  measured('frames in 10 s', `${host.reader.good} from the board, ${host.reader.damaged} damaged`);
  measured('settling before the first sample that counts', `${(settling(board) / 1e3).toFixed(2)} us`);
  assert.ok(Math.abs(starts.length - seconds * 1000) <= 1, `${starts.length} in ${seconds} s`);
  assert.equal(status.late, 0);
  assert.ok(status.scans - startedAt >= 10000);
  assert.ok(Math.max(...gaps.map((gap) => Math.abs(gap - 1000))) < 1, 'each within a microsecond of its time');
  assert.ok(host.all('levels').length >= 480, `${host.all('levels').length} levels`);
  assert.ok(board.chain.pictures > 550, `${board.chain.pictures} pictures`);
  assert.deepEqual(board.chain.errors, []);
  assert.equal(host.reader.damaged, 0);
  assert.equal(status.damaged, 0);
  assert.equal(board.chip.bytesLost, lostBefore);
  assert.equal(scan.floating, 0, 'always one multiplexer on');
});

/// The least time from a new address to a sample that counts: of each channel's five the third.
function settling(board) {
  let least = Infinity;
  let channel = -1;
  let count = 0;
  board.sampled = (at, counts, nanos, since) => {
    count = at === channel ? count + 1 : 1;
    channel = at;
    if (count === 3) least = Math.min(least, since);
  };
  board.run(20);
  board.sampled = () => {};
  return least;
}

test('every channel settles for 5 us and the median of three counts', () => {
  const { board, host } = joined({ noise: 0 });
  assert.ok(settling(board) >= 5000);
  // Neighbours in time at opposite ends of the range, and a spike on one sample in three.
  for (let channel = 0; channel < CHANNELS; ++channel) board.set(channel, channel % 2 === 0 ? 100 : 4000);
  let sample = 0;
  board.chip.onSample = ((before) => (began) => {
    const counts = before(began);
    return ++sample % 3 === 0 ? 4095 - counts : counts;
  })(board.chip.onSample);
  host.run(5);
  host.say('ask', { what: 'levels' });
  host.await('levels').counts.forEach((counts, channel) => {
    assert.ok(Math.abs(counts - (channel % 2 === 0 ? 100 : 4000)) <= 1, `channel ${channel}: ${counts}`);
  });
});

test('thresholds and their hysteresis hold against noise', () => {
  const { board, host } = joined({ noise: 15 });
  const [piece, hysteresis] = [300, 40];
  assert.equal(
    host.carryOut('calibration', { piece, strong: 700, hysteresis, baselines: Array(CHANNELS).fill(MIDDLE) }, 300),
    ANSWER.done,
  );
  const holds = (counts, what, why) => {
    board.set(24, MIDDLE + counts);
    host.run(30);
    const changes = host.all('report').length;
    host.run(400);
    assert.equal(host.last('report').classes[24], what, why);
    assert.equal(host.all('report').length, changes, `${why}: and stays so`);
  };
  holds(piece + hysteresis - 16, CLASS.none, 'just below what makes a piece');
  holds(piece + hysteresis + 16, CLASS.weak_north, 'just above');
  holds(piece - hysteresis + 16, CLASS.weak_north, 'just above what ends it');
  holds(piece - hysteresis - 16, CLASS.none, 'just below');
  holds(700 + hysteresis + 16, CLASS.north, 'a strong one');
  holds(700 - hysteresis + 16, CLASS.north, 'still');
  holds(700 - hysteresis - 16, CLASS.weak_north, 'no longer');
  holds(-(piece + hysteresis + 16), CLASS.weak_south, 'turned over');
});

test('a contact counts after the debounce time, and a shorter one never', () => {
  const { board, host } = joined();
  const reports = () => host.all('report').length;
  for (const [debounce_us, short, long] of [[5000, 4.4, 6.1], [12000, 11.4, 13.1], [0, 0, 1.1]]) {
    assert.equal(host.carryOut('settings', { debounce_us }), ANSWER.done);
    for (let phase = 0; phase < 10; ++phase) {
      host.run(30 + phase / 10); // at another place in the scan each time
      const before = reports();
      if (short > 0) {
        board.set(30, MIDDLE + 900);
        host.run(short);
        board.set(30, MIDDLE);
        host.run(30);
        assert.equal(reports(), before, `${short} ms of ${debounce_us} us`);
      }
      board.set(30, MIDDLE + 900);
      host.run(long + 2.5); // and the time on the wire
      assert.equal(host.last('report').classes[30], CLASS.north, `${long} ms of ${debounce_us} us`);
      board.set(30, MIDDLE);
      host.run(long + 2.5);
      assert.equal(host.last('report').classes[30], CLASS.none);
    }
  }
});

test('a bouncing contact is one change with the time of the first contact', () => {
  const { board, host } = joined();
  host.run(10);
  const before = host.all('report').length;
  const first = board.micros;
  for (let bounce = 0; bounce < 6; ++bounce) {
    board.set(12, MIDDLE + 900);
    host.run(1.2);
    board.set(12, MIDDLE);
    host.run(1.3);
  }
  board.set(12, MIDDLE + 900);
  const report = host.await('report', () => true, 30);
  host.run(30);
  assert.equal(host.all('report').length, before + 1);
  assert.equal(report.changes.length, 1);
  assert.ok(Math.abs(report.changes[0].time_us - first) <= 1100, `${report.changes[0].time_us} and ${first}`);
});
