import assert from 'node:assert/strict';
import test from 'node:test';

import { CHANNELS, MIDDLE, SITES } from './board.mjs';
import { begin, joined, measured } from './setup.mjs';
import { CLASS, HOST_MESSAGES } from './wire.mjs';

test('boots through its second stage and says hello', () => {
  const { board, host } = begin();
  const hello = host.await('board_hello', () => true, 200);
  measured('hello after power-on', `${(hello.began / 1e6).toFixed(1)} ms`);
  assert.equal(hello.protocol, 1);
  assert.equal(hello.revision, 1);
  assert.deepEqual([hello.channels, hello.lights, hello.buttons], [CHANNELS, SITES, 4]);
  assert.equal(hello.capabilities, 0b01111);
  assert.equal(hello.understands, HOST_MESSAGES);
  host.run(1000);
  assert.equal(host.all('board_hello').length, 1, 'it says so once');
  assert.equal(board.stopped, null);
});

test('another session number after each start', () => {
  const { board, host } = begin();
  const sessions = new Set();
  for (let start = 0; start < 5; ++start) {
    sessions.add(host.await('board_hello', () => true, 200).session);
    board.powerOn();
  }
  assert.equal(sessions.size, 5);
});

test('one cell at a time maps to one site', () => {
  const { board, host } = joined();
  for (let channel = 0; channel < CHANNELS; ++channel) {
    board.set(channel, MIDDLE + 900);
    const put = host.await('report', (report) => report.changes.length > 0, 50);
    assert.deepEqual(
      put.classes.map((what, at) => (what === CLASS.none ? -1 : at)).filter((at) => at >= 0),
      [channel],
    );
    assert.deepEqual(put.changes.map(({ channel: at, what }) => [at, what]), [[channel, CLASS.north]]);
    board.set(channel, MIDDLE);
    const lifted = host.await('report', (report) => report.classes.every((what) => what === CLASS.none), 50);
    assert.deepEqual(lifted.changes.map(({ channel: at, what }) => [at, what]), [[channel, CLASS.none]]);
  }
});

test('levels are what stands at each sensor', () => {
  const { board, host } = joined({ noise: 0 });
  for (let channel = 0; channel < CHANNELS; ++channel) board.set(channel, 40 + 63 * channel);
  host.run(3);
  host.say('ask', { what: 'levels' });
  assert.deepEqual(host.await('levels').counts, Array.from({ length: CHANNELS }, (_, channel) => 40 + 63 * channel));
});

test('pieces that stand there at the start were always there', () => {
  const { board, host } = begin();
  board.set(10, MIDDLE + 900);
  board.set(48, MIDDLE - 900);
  host.meet(); // before the board can know anything
  host.run(200);
  for (const report of host.all('report')) {
    assert.equal(report.classes[10], CLASS.north);
    assert.equal(report.classes[48], CLASS.south);
    assert.equal(report.changes.length, 0);
  }
});

test('the four kinds of magnet', () => {
  const { board, host } = joined();
  const stand = { 0: [930, CLASS.north], 6: [-930, CLASS.south], 24: [370, CLASS.weak_north], 48: [-370, CLASS.weak_south] };
  for (const [channel, [counts]] of Object.entries(stand)) board.set(Number(channel), MIDDLE + counts);
  host.run(20);
  const { classes } = host.last('report');
  for (const [channel, [, what]] of Object.entries(stand)) assert.equal(classes[channel], what, `channel ${channel}`);
  assert.equal(classes.filter((what) => what !== CLASS.none).length, 4);
});

test('buttons, debounced', () => {
  const { board, host } = joined();
  board.press(2);
  host.run(3);
  board.release(2);
  host.run(30);
  assert.equal(host.all('report').length, 1, 'too short');
  board.press(2);
  assert.equal(host.await('report').buttons, 0b0100);
  board.press(0);
  assert.equal(host.await('report').buttons, 0b0101);
  board.release(2);
  assert.equal(host.await('report').buttons, 0b0001);
});

test('the same run twice is the same', () => {
  const run = () => {
    const { board, host } = joined({ seed: 99, noise: 20 });
    const bytes = [];
    const { received } = board;
    board.received = (byte, nanos) => {
      bytes.push(byte, Math.round(nanos));
      received(byte, nanos);
    };
    host.command('lights', { lamps: [[9, 8, 7, 1]] });
    board.set(3, MIDDLE + 500);
    host.run(600);
    return bytes;
  };
  assert.deepEqual(run(), run());
});
