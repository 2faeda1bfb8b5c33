import assert from 'node:assert/strict';
import test from 'node:test';

import { CHANNELS, MIDDLE, SITES } from './board.mjs';
import { LINEAR, begin, joined, measured } from './setup.mjs';
import { ANSWER, CLASS, FLAG, TYPE, frame } from './wire.mjs';

test('every message of the host is understood and every one of the board is sent', () => {
  const { board, host } = joined();
  assert.equal(host.carryOut('settings', LINEAR), ANSWER.done);
  assert.equal(host.carryOut('lights', { lamps: [[1, 2, 3]] }), ANSWER.done);
  assert.equal(host.carryOut('buzzer', { hertz: 1000, milliseconds: 10 }), ANSWER.done);
  assert.equal(host.carryOut('empty_sites', { channels: 0x1ffffffffffffn }), ANSWER.done);
  const calibration = { piece: 200, strong: 600, hysteresis: 30, baselines: Array.from({ length: CHANNELS }, (_, i) => 2000 + i) };
  assert.equal(host.carryOut('calibration', calibration, 300), ANSWER.done);
  host.say('host_alive');
  for (const what of ['board_hello', 'report', 'levels', 'board_status', 'board_calibration']) {
    host.say('ask', { what });
    host.await(what);
  }
  const { revision, piece, strong, hysteresis, baselines } = host.last('board_calibration');
  assert.deepEqual({ revision, piece, strong, hysteresis, baselines }, { revision: 1, ...calibration });
  host.run(600);
  const status = host.last('board_status');
  assert.equal(status.flags & (FLAG.outputs_on | FLAG.calibrated), FLAG.outputs_on | FLAG.calibrated);
  assert.deepEqual([status.damaged, status.unknown], [0, 0]);
  assert.equal(host.reader.damaged, 0);
  assert.equal(board.stopped, null);
});

test('a command does its work once, however often it comes', () => {
  const { board, host } = joined();
  host.carryOut('settings', LINEAR);
  host.run(50);
  const before = board.chain.pictures;
  for (let repeat = 0; repeat < 5; ++repeat) {
    host.say('lights', { number: 77, lamps: [[9, 9, 9]] });
    host.await('confirm', ({ command, number }) => command === 'lights' && number === 77);
  }
  host.run(50);
  assert.equal(board.chain.pictures, before + 1);
});

test('sequence numbers count up by one, over the wrap', () => {
  const { host } = joined();
  for (let i = 0; i < 300; ++i) {
    host.say('ask', { what: 'board_hello' });
    host.run(1.5);
  }
  const { heard } = host;
  assert.ok(heard.length > 256);
  heard.slice(1).forEach((message, at) => assert.equal(message.sequence, (heard[at].sequence + 1) & 255));
});

test('damaged and unknown frames are counted and do nothing', () => {
  const { board, host } = joined();
  host.carryOut('settings', LINEAR);
  host.carryOut('lights', { lamps: [[5, 5, 5]] });
  host.run(20);
  const number = 500;
  let spoiled = 0;
  const whole = frame(TYPE.lights, 0, [0, 0, 1, 1, 9, 9, 9, 0, 0, 0]);
  for (let at = 0; at < whole.length - 1; ++at) {
    host.say('lights', { number, lamps: [[9, 9, 9]] }, (bytes) => {
      const out = [...bytes];
      if (at >= out.length - 1) return [];
      out[at] ^= 1 << at % 8;
      if (out[at] === 0) out[at] = 0xff;
      ++spoiled;
      return out;
    });
    host.run(2);
  }
  board.send(frame(0x9f, 1, [1, 2, 3]));
  board.send(frame(0x03, 2, []));
  host.run(5);
  assert.deepEqual(board.chain.picture[0], [5, 5, 5]);
  host.say('ask', { what: 'board_status' });
  const status = host.await('board_status');
  assert.equal(status.damaged, spoiled);
  assert.equal(status.unknown, 2);
  assert.equal(host.carryOut('lights', { lamps: [[7, 7, 7]] }), ANSWER.done);
});

test('noise on the line is survived', () => {
  const { board, host } = joined();
  let dice = 1;
  const noise = Array.from({ length: 20000 }, () => ((dice = (Math.imul(dice, 1664525) + 1013904223) >>> 0) >>> 24));
  board.send(noise);
  host.run(500);
  board.send([0]);
  assert.equal(host.carryOut('lights', { lamps: [[7, 7, 7]] }), ANSWER.done);
  assert.equal(board.stopped, null);
});

/// A host that repeats what is not confirmed, as the daemon's does; every frame in one direction or the other is lost once.
function carryOutStubbornly(host, type, fields, lose) {
  const number = host.command(type, fields);
  for (let attempt = 0; attempt < 20; ++attempt) {
    const from = host.heard.length;
    host.run(25);
    const confirm = host.heard.slice(from).find((message) => message.command === type && message.number === number);
    if (confirm) return confirm.answer;
    if (lose()) continue;
    host.say(type, { number, ...fields });
  }
  throw new Error(`${type} ${number} was never confirmed`);
}

test('lost frames in both directions heal', () => {
  const { board, host } = joined();
  host.carryOut('settings', LINEAR);
  let dice = 7;
  const lost = () => ((dice = (Math.imul(dice, 1103515245) + 12345) >>> 0) >>> 16) % 3 === 0;
  let dropped = 0;
  host.drop = (message) => {
    const drop = message.type !== 'board_status' && lost();
    if (drop) ++dropped;
    return drop;
  };
  const stands = new Set();
  for (let round = 0; round < 120; ++round) {
    const channel = (round * 11) % SITES;
    if (stands.delete(channel)) board.set(channel, MIDDLE);
    else stands.add(channel) && board.set(channel, MIDDLE + 900);
    if (round % 4 === 0) {
      const colour = [round, 255 - round, 7];
      assert.equal(carryOutStubbornly(host, 'lights', { lamps: [colour] }, lost), ANSWER.done);
      host.run(10);
      assert.deepEqual(board.chain.picture[0], colour);
    } else {
      host.run(20);
    }
  }
  host.run(600);
  const standing = host.last('report').classes.map((what, at) => (what === CLASS.none ? -1 : at)).filter((at) => at >= 0);
  assert.deepEqual(standing, [...stands].sort((a, b) => a - b));
  // Each change was told, once it came through, with its number: none is missing from the count.
  assert.equal(host.last('report').number, 120);
  measured('frames lost on the way', dropped);
});

test('every single report lost once: nothing is missing and nothing comes late', () => {
  const { board, host } = joined();
  let last = -1;
  host.drop = (message) => {
    if (message.type !== 'report' || message.number === last) return false;
    last = message.number; // the first time
    return true;
  };
  const told = [];
  const delays = [];
  for (let round = 0; round < 60; ++round) {
    const channel = (round * 5) % SITES;
    board.set(channel, round % 2 === 0 ? MIDDLE + 900 : MIDDLE - 900);
    const at = board.micros;
    const report = host.await('report', () => true, 100);
    for (const change of report.changes.slice(-1)) told.push([change.channel, change.what]);
    delays.push((board.micros - at) / 1e3);
    host.run(10);
  }
  assert.deepEqual(told.length, 60);
  told.forEach((one, round) => assert.deepEqual(one, [(round * 5) % SITES, round % 2 === 0 ? CLASS.north : CLASS.south]));
  assert.ok(Math.max(...delays) < 32, `${Math.max(...delays)} ms`);
});

test('more unacknowledged changes than a report holds: the masks stay right', () => {
  const { board, host } = joined();
  host.acknowledges = false;
  for (let channel = 0; channel < 40; ++channel) {
    board.set(channel, MIDDLE - 900);
    host.run(7);
  }
  host.run(150);
  const report = host.last('report');
  assert.equal(report.number, 40);
  assert.deepEqual(report.changes.map(({ channel }) => channel), Array.from({ length: 24 }, (_, i) => 16 + i));
  assert.ok(report.classes.slice(0, 40).every((what) => what === CLASS.south));
  host.say('acknowledge', { number: 40 });
  host.run(10);
  const before = host.all('report').length;
  host.run(500);
  assert.equal(host.all('report').length, before);
});

test('only what the host understands is sent', () => {
  const { board, host } = begin();
  host.await('board_hello', () => true, 200);
  host.greet({ understands: (1 << 1) | (1 << 4) }); // hellos and confirmations
  host.run(50);
  board.set(3, MIDDLE + 900);
  assert.equal(host.carryOut('accept'), ANSWER.done);
  for (const what of ['report', 'levels', 'board_status', 'board_calibration']) host.say('ask', { what });
  host.run(1500);
  assert.deepEqual([...new Set(host.heard.map(({ type }) => type))].sort(), ['board_hello', 'confirm']);
});

test('a host of another protocol gets a hello and nothing else', () => {
  const { host } = begin();
  host.await('board_hello', () => true, 200);
  host.greet({ protocol: 2 });
  host.await('board_hello');
  host.command('accept');
  host.run(2500);
  assert.deepEqual(new Set(host.heard.map(({ type }) => type)), new Set(['board_hello']));
});

test('levels at 10 Hz', () => {
  const { host } = joined();
  host.carryOut('settings', { levels_hz: 10 });
  const before = host.all('levels').length;
  host.run(3000);
  const levels = host.all('levels').slice(before);
  assert.ok(Math.abs(levels.length - 30) <= 1);
  levels.slice(1).forEach((one, at) => {
    assert.equal(one.number, levels[at].number + 1);
    assert.ok(Math.abs(one.time_us - levels[at].time_us - 100000) < 2000);
  });
});
