import assert from 'node:assert/strict';
import test from 'node:test';

import { CHANNELS, MIDDLE, SITES } from './board.mjs';
import { LINEAR, begin, joined, measured } from './setup.mjs';
import { ANSWER, CLASS } from './wire.mjs';

test('enumerates as a serial port', () => {
  const { board } = begin({ usb: true });
  assert.ok(board.runUntil(() => board.usbConnected, 1000));
  measured('USB enumerated after', `${(board.nanos / 1e6).toFixed(1)} ms`);
});

test('has the names by which udev knows it', () => {
  const { board } = begin({ usb: true });
  assert.ok(board.runUntil(() => board.usbConnected, 1000));
  board.run(20);
  const usb = board.chip.rp.usbCtrl;
  const descriptor = (type, index) => {
    let bytes = [];
    const before = usb.onEndpointWrite;
    usb.onEndpointWrite = (endpoint, buffer) => {
      if (endpoint === 0) bytes.push(...buffer);
      else before(endpoint, buffer);
    };
    usb.sendSetupPacket(Uint8Array.of(0x80, 6, index, type, 9, 4, 255, 0)); // GET_DESCRIPTOR
    board.run(20);
    usb.onEndpointWrite = before;
    return bytes;
  };
  const text = (index) => Buffer.from(descriptor(3, index).slice(2)).toString('utf16le');
  const device = descriptor(1, 0);
  assert.equal(device.length, 18);
  assert.deepEqual([device[8] | (device[9] << 8), device[10] | (device[11] << 8)], [0x2e8a, 0x000a]);
  assert.equal(text(device[14]), 'Merel');
  assert.equal(text(device[15]), 'Merel board');
  assert.match(text(device[16]), /^[0-9A-F]{16}$/, 'the flash chip\'s number');
});

test('the same frames over USB', () => {
  const { board, host } = joined({ usb: true });
  assert.equal(host.last('board_hello').capabilities, 0b11111);
  assert.equal(host.carryOut('settings', { ...LINEAR, levels_hz: 20 }), ANSWER.done);
  const colours = Array.from({ length: SITES }, (_, light) => [light * 5, 255 - light, (light * 37) & 255]);
  assert.equal(host.carryOut('lights', { lamps: colours }), ANSWER.done);
  host.run(20);
  assert.deepEqual(board.chain.picture, colours);
  for (const channel of [0, 24, 48, 63]) {
    board.set(channel, MIDDLE - 900);
    assert.equal(host.await('report', () => true, 20).classes[channel], CLASS.south);
  }
  const calibration = { piece: 200, strong: 600, hysteresis: 30, baselines: Array(CHANNELS).fill(2047) };
  assert.equal(host.carryOut('calibration', calibration, 300), ANSWER.done);
  for (const what of ['board_hello', 'report', 'levels', 'board_status', 'board_calibration']) {
    host.say('ask', { what });
    host.await(what);
  }
  host.run(1000);
  assert.equal(host.reader.damaged, 0);
  assert.equal(host.last('board_status').late, 0);
});
