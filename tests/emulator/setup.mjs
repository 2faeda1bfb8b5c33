// What every test begins with. `check` says where things are.
import path from 'node:path';

import { Board } from './board.mjs';
import { Host } from './wire.mjs';

const firmware = process.env.MEREL_FIRMWARE;
const rom = process.env.MEREL_BOOTROM;
if (!firmware || !rom) throw new Error('MEREL_FIRMWARE or MEREL_BOOTROM is not set; start this with tests/emulator/check');

/// A board that has just been given power, and a host that has not yet spoken to it.
export function begin(options = {}) {
  const { host, ...rest } = options;
  const image = path.join(firmware, rest.usb ? 'merel-pico-usb.uf2' : 'merel-pico-uart.uf2');
  const board = new Board({ firmware: image, rom, noise: 6, ...rest });
  return { board, host: new Host(board, host) };
}
/// The same with a host that is in step with it.
export function joined(options = {}) {
  const both = begin(options);
  if (options.usb && !both.board.runUntil(() => both.board.usbConnected, 1000)) throw new Error('USB does not enumerate');
  both.host.join();
  return both;
}

/// Figures, printed so that `check` finds them.
export function measured(what, figure) {
  console.log(`measured: ${what}: ${figure}`);
}
export const spread = (values, unit = '') => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return `${at(0).toFixed(2)} least, ${at(0.5).toFixed(2)} median, ${at(1).toFixed(2)} most ${unit}(${sorted.length})`;
};
/// A picture as the chain shows it, in the numbers of the host: gamma 1.
export const LINEAR = { gamma_tenths: 10, limit_ma: 4000 };
