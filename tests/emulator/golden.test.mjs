import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

import { joined } from './setup.mjs';
import { ANSWER, FrameReader, frame, read } from './wire.mjs';

const file = path.join(path.dirname(fileURLToPath(import.meta.url)), '../link/frames.txt');
const golden = new Map(
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.trim().split(/\s+/))
    .map(([name, ...bytes]) => [name, bytes.map((byte) => parseInt(byte, 16))]),
);

test('golden frames are those of these tests too', () => {
  assert.ok(golden.size > 20);
  for (const [name, bytes] of golden) {
    const taken = [];
    const reader = new FrameReader((...all) => taken.push(all));
    for (const byte of bytes) reader.push(byte);
    if (name.startsWith('damaged-')) {
      assert.equal(taken.length, 0, name);
      assert.equal(reader.damaged, 1, name);
      continue;
    }
    assert.equal(taken.length, 1, name);
    const [type, sequence, payload] = taken[0];
    assert.deepEqual(frame(type, sequence, payload), bytes, name);
    if (type < 7) assert.doesNotThrow(() => read(type, payload), name);
  }
});

test('the firmware takes every golden frame of a host', () => {
  const { board, host } = joined();
  const payloadOf = (name) => {
    let found = [];
    const reader = new FrameReader((type, sequence, payload) => (found = payload));
    for (const byte of golden.get(name)) reader.push(byte);
    return found;
  };
  const lights = ['lights-guide', 'lights-dark', 'lights-seventeen', 'lights-none'];
  for (const name of ['settings', ...lights, 'buzzer', 'empty-sites', 'calibration']) {
    const payload = payloadOf(name);
    board.send(golden.get(name));
    const confirm = host.await('confirm', ({ number }) => number === (payload[0] | (payload[1] << 8)), 300);
    assert.equal(confirm.answer, ANSWER.done, name);
  }
  board.send(golden.get('ask'));
  board.send(golden.get('host-alive'));
  board.send(golden.get('longest-payload'));
  board.send(golden.get('unknown-message'));
  for (const [name, bytes] of golden) if (name.startsWith('damaged-')) board.send(bytes);
  host.run(30);
  host.say('ask', { what: 'board_status' });
  const status = host.await('board_status');
  assert.equal(status.damaged, [...golden.keys()].filter((name) => name.startsWith('damaged-')).length);
  assert.equal(status.unknown, 2);
  const { baselines } = (host.say('ask', { what: 'board_calibration' }), host.await('board_calibration'));
  assert.deepEqual(baselines.slice(0, 4), [0x07f6, 0x07fd, 0x0804, 0x07f6]);
});
