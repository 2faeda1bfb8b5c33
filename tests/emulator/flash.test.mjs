import assert from 'node:assert/strict';
import test from 'node:test';

import { CHANNELS, MIDDLE, SITES } from './board.mjs';
import { LINEAR, begin, joined, measured } from './setup.mjs';
import { ANSWER, EFFECT, FLAG } from './wire.mjs';

const calibration = (mark) => ({ piece: 200 + mark, strong: 600, hysteresis: 30, baselines: Array(CHANNELS).fill(MIDDLE + mark) });
function stored(host) {
  host.say('ask', { what: 'board_calibration' });
  return host.await('board_calibration', () => true, 200).piece - 200;
}

test('a calibration outlives a power cut', () => {
  const { board, host } = joined();
  for (const mark of [1, 2, 3]) {
    assert.equal(host.carryOut('calibration', calibration(mark), 300), ANSWER.done);
    assert.equal(stored(host), mark);
    board.powerOn();
    host.join();
    assert.equal(stored(host), mark);
  }
});

test('scans go on while the flash is written, lights and changes too', () => {
  const { board, host } = joined();
  host.carryOut('settings', LINEAR);
  host.run(20);
  board.scan.starts.length = 0;
  const begun = board.nanos;
  host.command('calibration', calibration(9));
  host.run(5);
  assert.ok(board.chip.flashBusy);
  board.set(20, MIDDLE + 900);
  const contact = board.micros;
  host.run(20);
  board.set(20, MIDDLE);
  const confirm = host.await('confirm', ({ command }) => command === 'calibration', 300);
  host.run(50);
  measured('a calibration is stored and confirmed after', `${((confirm.nanos - begun) / 1e6).toFixed(1)} ms`);
  const gaps = board.scan.starts.slice(1).map((start, i) => Math.abs(start - board.scan.starts[i] - 1e6));
  assert.ok(Math.max(...gaps) < 1000);
  host.say('ask', { what: 'board_status' });
  const status = host.await('board_status');
  assert.equal(status.late, 0);
  assert.equal(status.damaged, 0);
  const changes = host.all('report').flatMap((report) => report.changes).filter(({ channel }) => channel === 20);
  assert.ok(changes.length >= 2, 'placed and lifted in the meantime');
  assert.ok(Math.abs(changes[0].time_us - contact) < 1100);
});

test('power cut anywhere in a store: the old calibration or the new one', () => {
  const { board, host } = joined();
  assert.equal(host.carryOut('calibration', calibration(1), 300), ANSWER.done);
  assert.equal(host.carryOut('calibration', calibration(2), 300), ANSWER.done);
  let last = 2;
  const outcomes = { old: 0, new: 0, damagedSeen: 0 };
  // Of 1,024 words erased and 64 programmed: some of the former and every one of the latter.
  const cuts = [1, 2, 3, 5, 38, 60, 64, 65, 200, 511, 512, 800, 1000, 1020, 1023];
  for (let word = 1024; word <= 1088; ++word) cuts.push(word);
  cuts.forEach((words, at) => {
    const mark = 3 + (at % 200);
    board.chip.cutAfterFlashWrites = board.chip.flashWrites + words;
    host.command('calibration', calibration(mark));
    board.run(300);
    assert.equal(board.stopped, 'power cut', `after ${words} words`);
    board.powerOn();
    host.join();
    const found = stored(host);
    assert.ok(found === last || found === mark, `${found} after ${words} words`);
    outcomes[found === mark ? 'new' : 'old'] += 1;
    host.say('ask', { what: 'board_status' });
    const damaged = (host.await('board_status').flags & FLAG.store_damaged) !== 0;
    outcomes.damagedSeen += damaged ? 1 : 0;
    last = found;
  });
  const { old, new: fresh } = outcomes;
  measured(`${cuts.length} power cuts in a store`, `${old} times the old calibration, ${fresh} times the new one, none lost`);
  assert.ok(outcomes.old > 20 && outcomes.new > 0 && outcomes.damagedSeen > 20);
  assert.equal(host.carryOut('calibration', calibration(222), 300), ANSWER.done);
  host.say('ask', { what: 'board_status' });
  assert.equal(host.await('board_status').flags & FLAG.store_damaged, 0, 'and it is mended');
});

test('the watchdog ends a processor that hangs, and the board says so', () => {
  const { board, host } = joined();
  host.run(1500);
  assert.equal(board.starts, 1);
  // The main loop no longer comes around: whatever it does next is to stay where it is.
  const { core, rp } = board.chip;
  while (core.currentMode !== 0 || core.PC < 0x20000000) board.run(0.0001);
  const at = (core.PC & ~1) - 0x20000000;
  rp.sramView.setUint16(at, 0xe7fe, true);
  const hung = board.nanos;
  host.alive = false;
  assert.ok(board.runUntil(() => board.starts === 2, 3000));
  measured('the watchdog starts a hung board after', `${((board.nanos - hung) / 1e6).toFixed(0)} ms`);
  host.join();
  host.say('ask', { what: 'board_status' });
  assert.equal(host.await('board_status').flags & FLAG.watchdog_started, FLAG.watchdog_started);
  board.powerOn();
  host.join();
  host.say('ask', { what: 'board_status' });
  assert.equal(host.await('board_status').flags & FLAG.watchdog_started, 0);
});

test('the watchdog also ends a board that no longer scans', () => {
  const { board, host } = joined();
  host.run(100);
  board.chip.rp.adc.writeUint32(0, 0); // the ADC has stopped
  host.alive = true;
  assert.ok(board.runUntil(() => board.starts === 2, 3000));
});

test('a board that runs is not started anew', () => {
  const { board, host } = joined();
  host.command('lights', { lamps: Array(SITES).fill([9, 9, 9, EFFECT.breathing]) });
  host.run(5000);
  assert.equal(board.starts, 1);
});

test('works without a calibration, and says that it has none', () => {
  const { host } = begin();
  host.join();
  host.say('ask', { what: 'board_calibration' });
  assert.equal(host.await('board_calibration').baselines.length, 0);
  host.say('ask', { what: 'board_status' });
  assert.equal(host.await('board_status').flags & FLAG.calibrated, 0);
});

test('the stack is large enough', () => {
  const { board, host } = joined();
  host.carryOut('settings', { ...LINEAR, levels_hz: 100 });
  for (let round = 0; round < 30; ++round) {
    host.command('lights', { lamps: Array.from({ length: SITES }, (_, light) => [light, round, 3, light % 9]) });
    for (let i = 0; i < 3; ++i) board.set((round * 3 + i) % CHANNELS, MIDDLE + (round % 2 === 0 ? 900 : -900));
    if (round % 10 === 5) host.command('calibration', calibration(round));
    host.say('ask', { what: 'board_calibration' });
    host.run(17);
  }
  // RAM begins as zeros here, and the stack grows down from its end.
  const [bottom, top] = [0x41000, 0x42000];
  const { sram } = board.chip.rp;
  let lowest = bottom;
  while (sram[lowest] === 0) ++lowest;
  measured('stack used', `${top - lowest} of ${top - bottom} bytes`);
  assert.ok(lowest - bottom > 512);
});
