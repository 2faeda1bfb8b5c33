// The emulated board on a serial port, in the time of the wall clock, for a daemon that knows nothing of it:
//
//   tests/emulator/serve LINK [--control SOCKET] [--usb] [--noise COUNTS] [--seed N]
//
// LINK will be the serial port (a pseudo terminal). Commands come as lines, from standard input and from whoever connects to the Unix socket
// SOCKET; each is answered with one line, `ok`, `ok` and something, or `error` and a reason:
//
//   set CHANNEL COUNTS …      what the sensor of each channel reads from now on, in ADC counts (12 bit); 2048 is an empty site
//   piece CHANNEL KIND …      the same for pieces as HARDWARE has them: none, north, south, weak_north, weak_south, or 0 to 4 for them
//   press N, release N        button N, from 0
//   unplug                    pulls the plug: the port vanishes and the board has no power
//   replug                    the port is there again and the board starts anew; what stands on it has stayed
//   restart                   the board starts anew and the port stays
//   cut, mend                 the line between the two is cut: nothing is heard either way, and the port stays
//   wait MS                   answers when so much simulated time has gone by
//   lamps                     what the lights show: [[red, green, blue], …], as the chain was told, that is with gamma
//   status                    {"simulated_ms", "behind_ms", "starts", "plugged", "stopped", "bytes_out", "bytes_in", "chain_errors"}
//   noise COUNTS              of every sample from now on, either way
//   quit
//
// Without --control it also ends when standard input does.
//
// Where the machine is too slow, simulated time falls behind: "behind_ms" says how much. The first line that it writes is `ready LINK`.
import { spawn } from 'node:child_process';
import { unlinkSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';

import { Board, CHANNELS, MIDDLE } from './board.mjs';

const KINDS = ['none', 'north', 'south', 'weak_north', 'weak_south'];
/// What they do at their own sensor: 25 mT and 10 mT, 0.027 mT a count.
const DEVIATIONS = [0, 930, -930, 370, -370];

const options = { noise: 6, seed: 1, usb: false };
let link;
let socket;
for (let args = process.argv.slice(2); args.length > 0; ) {
  const arg = args.shift();
  if (arg === '--control') socket = args.shift();
  else if (arg === '--usb') options.usb = true;
  else if (arg === '--noise') options.noise = Number(args.shift());
  else if (arg === '--seed') options.seed = Number(args.shift());
  else link = arg;
}
if (!link) {
  console.error('serve: no LINK; see the head of tests/emulator/serve.mjs');
  process.exit(2);
}

const image = path.join(process.env.MEREL_FIRMWARE, options.usb ? 'merel-pico-usb.uf2' : 'merel-pico-uart.uf2');
const board = new Board({ firmware: image, rom: process.env.MEREL_BOOTROM, ...options });
const count = { out: 0, in: 0 };
let cut = false;
let out = [];
board.received = (byte) => out.push(byte);

// ---- the port

let bridge = null;
function plug() {
  return new Promise((resolve) => {
    const script = path.join(path.dirname(fileURLToPath(import.meta.url)), 'pty_bridge.py');
    bridge = spawn('python3', [script, link], { stdio: ['pipe', 'pipe', 'pipe'] });
    bridge.stdin.on('error', () => {});
    bridge.stdout.on('data', (bytes) => {
      count.in += bytes.length;
      if (!cut) board.send(bytes);
    });
    bridge.stderr.on('data', (text) => {
      if (String(text).startsWith('ready')) resolve();
      else process.stderr.write(text);
    });
  });
}
function unplug() {
  return new Promise((resolve) => {
    if (bridge === null) {
      resolve();
      return;
    }
    bridge.once('exit', resolve);
    bridge.kill();
    bridge = null;
  });
}
function flush() {
  if (out.length === 0) return;
  if (bridge !== null && !cut) {
    count.out += out.length;
    bridge.stdin.write(Uint8Array.from(out));
  }
  out = [];
}

// ---- time

let simulated = 0; // ms
let wall = performance.now();
let behind = 0;
const waiting = []; // [when, then]
function turn() {
  const now = performance.now();
  if (bridge === null) {
    simulated += now - wall; // without power there is nothing to simulate
    wall = now;
  }
  let due = now - wall;
  if (due > 50) {
    behind += due - 50;
    wall += due - 50;
    due = 50;
  }
  if (bridge !== null && due >= 1) {
    const span = Math.min(due, 4);
    if (!board.run(span)) {
      console.error(`serve: the board has stopped: ${board.stopped}`);
      process.exit(1);
    }
    simulated += span;
    wall += span;
    flush();
  }
  while (waiting.length > 0 && waiting[0][0] <= simulated) waiting.shift()[1]();
  if (due > 4) setImmediate(turn);
  else setTimeout(turn, 1);
}

// ---- commands

const number = (text, least, most, what) => {
  const value = Number(text);
  if (text === undefined || !Number.isInteger(value) || value < least || value > most) throw new Error(`${what} is ${least} to ${most}`);
  return value;
};
const pairs = (args, what, value) => {
  if (args.length === 0 || args.length % 2 !== 0) throw new Error(`each channel needs its ${what}`);
  for (let i = 0; i < args.length; i += 2) board.set(number(args[i], 0, CHANNELS - 1, 'a channel'), value(args[i + 1]));
};
const kind = (name) => {
  const at = KINDS.includes(name) ? KINDS.indexOf(name) : number(name, 0, 4, 'a kind that is not named');
  return MIDDLE + DEVIATIONS[at];
};

const COMMANDS = {
  set: (args) => pairs(args, 'counts', (text) => number(text, 0, 4095, 'counts')),
  piece: (args) => pairs(args, 'kind', kind),
  press: ([button]) => board.press(number(button, 0, 3, 'a button')),
  release: ([button]) => board.release(number(button, 0, 3, 'a button')),
  unplug: async () => {
    await unplug();
    out = [];
  },
  replug: async () => {
    if (bridge !== null) throw new Error('it is plugged in');
    board.powerOn();
    await plug();
    wall = performance.now();
  },
  restart: () => board.powerOn(),
  cut: () => void (cut = true),
  mend: () => void (cut = false),
  wait: ([ms]) =>
    new Promise((resolve) => {
      waiting.push([simulated + number(ms, 0, 3_600_000, 'a time'), resolve]);
      waiting.sort((a, b) => a[0] - b[0]);
    }),
  lamps: () => JSON.stringify(board.chain.picture),
  status: () =>
    JSON.stringify({
      simulated_ms: Math.round(simulated), behind_ms: Math.round(behind), starts: board.starts, plugged: bridge !== null,
      stopped: board.stopped, bytes_out: count.out, bytes_in: count.in, chain_errors: board.chain.errors,
    }),
  noise: ([counts]) => void (board.noise = number(counts, 0, 500, 'noise')),
  quit: async () => {
    await unplug();
    if (socket) unlinkSync(socket);
    setTimeout(() => process.exit(0), 10);
  },
};
async function obey(line) {
  const [name, ...args] = line.trim().split(/\s+/);
  try {
    if (!Object.hasOwn(COMMANDS, name)) throw new Error(`there is no command ${name}`);
    const answer = await COMMANDS[name](args);
    return answer === undefined ? 'ok' : `ok ${answer}`;
  } catch (error) {
    return `error ${error.message}`;
  }
}
function listen(input, output) {
  let last = Promise.resolve(); // answers come in the order of the questions
  readline.createInterface({ input }).on('line', (line) => {
    if (line.trim() !== '') last = last.then(() => obey(line)).then((answer) => output.write(`${answer}\n`));
  });
}

await plug();
if (socket) {
  const server = net.createServer((peer) => {
    peer.on('error', () => {});
    listen(peer, peer);
  });
  await new Promise((resolve) => server.listen(socket, resolve));
}
listen(process.stdin, process.stdout);
if (!socket) process.stdin.on('end', () => obey('quit'));
process.on('SIGTERM', () => obey('quit'));
process.on('SIGINT', () => obey('quit'));
process.stdout.write(`ready ${link}\n`);
wall = performance.now();
turn();
