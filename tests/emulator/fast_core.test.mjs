import assert from 'node:assert/strict';
import test from 'node:test';

import { MIDDLE, SITES } from './board.mjs';
import { joined, measured } from './setup.mjs';
import { EFFECT } from './wire.mjs';

/// A busy half second; everything that leaves the board, with its times.
function run(fast) {
  const { board, host } = joined({ fast, noise: 12, seed: 5 });
  const seen = [];
  const { received } = board;
  board.received = (byte, nanos) => {
    seen.push(byte, nanos);
    received(byte, nanos);
  };
  board.chain.onPicture = (picture, nanos) => seen.push(nanos, ...picture.flat());
  host.command('settings', { levels_hz: 50, beside: -2000, diagonal: -700, gamma_tenths: 18 });
  const effects = Object.values(EFFECT);
  for (let round = 0; round < 12; ++round) {
    const lamps = Array.from({ length: SITES }, (_, light) => [light, 255 - light, round, effects[(light + round) % 9]]);
    host.command('lights', { lamps });
    host.command('empty_sites', { channels: BigInt(round) });
    board.set(round, MIDDLE + 900);
    host.run(40);
  }
  host.command('calibration', { piece: 222, strong: 600, hysteresis: 30, baselines: Array(64).fill(MIDDLE) });
  host.run(100);
  const { core, rp } = board.chip;
  return { seen, registers: [...core.registers], cycles: core.cycles, ram: Buffer.from(rp.sram).toString('base64') };
}

test('the fast interpreter does what rp2040js does, to the cycle and to the last byte of RAM', () => {
  const time = (fast) => {
    const begun = process.cpuUsage().user;
    const result = run(fast);
    return [result, (process.cpuUsage().user - begun) / 1e3];
  };
  const [slow] = time(false);
  const [fast] = time(true);
  const [, ms] = time(true); // now that it has warmed up
  assert.equal(fast.cycles, slow.cycles);
  assert.deepEqual(fast.registers, slow.registers);
  assert.ok(fast.ram === slow.ram, 'RAM differs');
  assert.equal(fast.seen.length, slow.seen.length);
  // Times are sums in another order.
  fast.seen.forEach((value, at) => assert.ok(Math.abs(value - slow.seen[at]) < 1e-3, `${value} and ${slow.seen[at]} at ${at}`));
  measured('emulated time in a second of processor time', `${(640 / ms).toFixed(1)} s`);
});
