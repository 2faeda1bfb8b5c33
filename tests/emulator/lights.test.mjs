import assert from 'node:assert/strict';
import test from 'node:test';

import { MIDDLE, SITES } from './board.mjs';
import { LIMITS } from './chain_decoder.mjs';
import { LINEAR, begin, joined, measured } from './setup.mjs';
import { ANSWER, CLASS, EFFECT, FLAG } from './wire.mjs';

test('the waveform at the pin keeps the data sheet\'s limits, and the colours are those of the command', () => {
  const { board, host } = joined();
  host.carryOut('settings', LINEAR);
  const colours = Array.from({ length: SITES }, (_, light) => [light * 5, 255 - light, (light * 37) & 255]);
  assert.equal(host.carryOut('lights', { lamps: colours }), ANSWER.done);
  host.run(20);
  assert.deepEqual(board.chain.picture, colours);
  // A moving picture for many more bits.
  host.command('lights', { lamps: colours.map((colour) => [...colour, EFFECT.running_wave]) });
  host.run(1500);
  const { spans } = board.chain;
  for (const [part, [least, most]] of Object.entries(spans)) {
    if (part === 'reset') continue;
    measured(`waveform, ${part}`, `${least.toFixed(0)} to ${most.toFixed(0)} ns (limits ${LIMITS[part].join(' to ')})`);
  }
  measured('waveform, reset', `${(spans.reset[0] / 1e3).toFixed(0)} us at least (limit 280)`);
  assert.deepEqual(board.chain.errors, []);
  assert.ok(spans.reset[0] >= LIMITS.reset);
  assert.ok(board.chain.pictures > 80);
});

test('a picture is sent when it changes, and again once a second for lights that have forgotten it', () => {
  const { board, host } = joined();
  host.carryOut('lights', { lamps: [[200, 0, 0]] });
  host.run(20);
  const before = board.chain.pictures;
  host.run(2900);
  assert.equal(board.chain.pictures - before, 2);
  const still = board.chain.pictures;
  host.carryOut('lights', { lamps: [[200, 0, 0, EFFECT.blink_2hz]] });
  host.run(2000);
  assert.ok(Math.abs(board.chain.pictures - still - 9) <= 1, `${board.chain.pictures - still} for four blinks`);
});

test('sixty pictures a second, none torn between two commands', () => {
  const { board, host } = joined();
  host.carryOut('settings', LINEAR);
  const torn = [];
  const times = [];
  board.chain.onPicture = (picture, nanos) => {
    times.push(nanos);
    if (!picture.every((light) => light.join() === picture[0].join())) torn.push(picture);
  };
  // All lights breathe in the same colour; another one every now and then.
  for (let round = 0; round < 100; ++round) {
    const colour = [(round * 53) & 255, (round * 97) & 255, (round * 11) & 255];
    host.command('lights', { lamps: Array(SITES).fill([...colour, EFFECT.breathing]) });
    host.run(17.3);
  }
  assert.equal(torn.length, 0);
  const before = times.length;
  host.run(1000);
  measured('pictures in a second while lights breathe', times.length - before);
  assert.ok(Math.abs(times.length - before - 60) <= 1);
});

test('dims as a whole rather than draw more than the limit', () => {
  const { board, host } = joined();
  host.carryOut('settings', { gamma_tenths: 10, limit_ma: 700 });
  host.carryOut('lights', { lamps: Array(SITES).fill([255, 255, 255]) });
  host.run(20);
  const drawn = SITES + board.chain.picture.flat().reduce((sum, primary) => sum + (20 * primary) / 255, 0);
  measured('49 white lights under a limit of 700 mA', `${drawn.toFixed(0)} mA`);
  assert.ok(drawn <= 700 && drawn > 640);
  host.say('ask', { what: 'board_status' });
  const status = host.await('board_status');
  assert.equal(status.flags & FLAG.dimmed, FLAG.dimmed);
  assert.ok(Math.abs(status.lights_ma - drawn) <= 1);
});

test('dark and silent until accepted', () => {
  const { board, host } = begin();
  const bright = () => board.chain.picture.flat().some((primary) => primary !== 0);
  host.meet();
  assert.equal(host.carryOut('lights', { lamps: [[255, 255, 255]] }), ANSWER.not_accepted);
  assert.equal(host.carryOut('buzzer', { hertz: 1000, milliseconds: 100 }), ANSWER.not_accepted);
  assert.equal(host.carryOut('accept', { revision: 2 }), ANSWER.wrong_revision);
  assert.equal(host.carryOut('lights', { lamps: [[255, 255, 255]] }), ANSWER.not_accepted);
  host.run(3000);
  assert.ok(!bright());
  assert.equal(board.buzzerEdges.length, 0);
  assert.equal(host.carryOut('accept'), ANSWER.done);
  assert.equal(host.carryOut('lights', { lamps: [[255, 255, 255]] }), ANSWER.done);
  host.run(20);
  assert.ok(bright());
});

test('a lost link flashes twice at the corners, and the picture comes back', () => {
  const { board, host } = joined();
  host.carryOut('settings', LINEAR);
  const colours = Array.from({ length: SITES }, (_, light) => [light, 100, 0]);
  host.carryOut('lights', { lamps: colours });
  host.run(100);
  host.alive = false;
  const seen = [];
  let shown = colours.map((_, light) => light); // the same again is no news
  board.chain.onPicture = (picture, nanos) => {
    const lit = picture.map((light, at) => (light.some((primary) => primary !== 0) ? at : -1)).filter((at) => at >= 0);
    if (lit.join() !== shown.join()) seen.push([nanos + board.base, lit]);
    shown = lit;
  };
  const silent = host.saidAt;
  host.run(2300);
  assert.ok(seen.length > 0);
  const [first] = seen;
  measured('silence until the pattern for a lost link', `${((first[0] - silent) / 1e6).toFixed(0)} ms`);
  assert.deepEqual(first[1], [0, 6, 42, 48]);
  host.run(4000);
  const flashes = seen.filter(([, lit]) => lit.length > 0).map(([nanos]) => nanos / 1e6);
  assert.ok(flashes.length >= 5);
  assert.ok(Math.abs(flashes[1] - flashes[0] - 240) < 5);
  assert.ok(Math.abs(flashes[2] - flashes[0] - 2000) < 5);
  // Meanwhile it goes on telling what it sees.
  board.set(3, MIDDLE + 900);
  assert.equal(host.await('report').classes[3], CLASS.north);
  host.acknowledges = false;
  host.say('host_alive');
  host.run(20);
  assert.deepEqual(board.chain.picture, colours);
});

test('the buzzer sounds as high and as long as it is told', () => {
  const { board, host } = joined();
  for (const [hertz, milliseconds] of [[2000, 100], [440, 250], [8000, 20]]) {
    board.buzzerEdges.length = 0;
    assert.equal(host.carryOut('buzzer', { hertz, milliseconds }), ANSWER.done);
    host.run(milliseconds + 50);
    const edges = [...board.buzzerEdges];
    const period = (edges.at(-1) - edges[1]) / (edges.length - 2);
    assert.ok(Math.abs(1e9 / period / hertz - 1) < 0.01, `${1e9 / period} Hz`);
    assert.ok(Math.abs((edges.at(-1) - edges[0]) / 1e6 - milliseconds) < 6, `${(edges.at(-1) - edges[0]) / 1e6} ms`);
  }
  assert.equal(host.carryOut('buzzer', { hertz: 30, milliseconds: 100 }), ANSWER.cannot);
});
