// The link's frames and messages, written down once more from docs/link.md and drivers/link: what the firmware and the daemon share is not
// used here, so that a mistake in it shows.

export const TYPE = {
  board_hello: 0x01, report: 0x02, levels: 0x03, confirm: 0x04, board_status: 0x05, board_calibration: 0x06,
  host_hello: 0x81, acknowledge: 0x82, accept: 0x83, lights: 0x84, buzzer: 0x85, settings: 0x86, calibration: 0x87, empty_sites: 0x88,
  ask: 0x89, host_alive: 0x8a,
};
const NAME = Object.fromEntries(Object.entries(TYPE).map(([name, type]) => [type, name]));
export const ANSWER = { done: 0, wrong_revision: 1, cannot: 2, not_stored: 3, not_accepted: 4 };
export const FLAG = { outputs_on: 1, calibrated: 2, dimmed: 4, watchdog_started: 8, store_damaged: 16 };
export const CLASS = { none: 0, north: 1, south: 2, weak_north: 3, weak_south: 4 };
export const EFFECT = {
  solid: 0, breathing: 1, blink_2hz: 2, blink_4hz: 3, blink_4hz_antiphase: 4, taking_turns: 5, wave_then_solid: 6, slow_wave: 7,
  running_wave: 8,
};
/// What a board that knows everything understands: a bit for each host message.
export const HOST_MESSAGES = 0x7fe;
const BOARD_MESSAGES = 0x7e;

export function crc16(bytes) {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; ++bit) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}

/// A frame for the wire, the closing zero included.
export function frame(type, sequence, payload) {
  const body = [type, sequence & 0xff, ...payload];
  const crc = crc16(body);
  body.push(crc & 0xff, crc >> 8);
  const out = [];
  let group = [];
  const close = () => {
    out.push(group.length + 1, ...group);
    group = [];
  };
  body.forEach((byte, at) => {
    if (byte !== 0) group.push(byte);
    if (byte === 0 || (group.length === 254 && at + 1 < body.length)) close();
  });
  close();
  out.push(0);
  return out;
}

/// Finds frames in bytes: calls `take(type, sequence, payload)`.
export class FrameReader {
  good = 0;
  damaged = 0;
  #bytes = [];
  constructor(take) {
    this.take = take;
  }
  push(byte) {
    if (byte !== 0) {
      this.#bytes.push(byte);
      return;
    }
    const stuffed = this.#bytes;
    this.#bytes = [];
    if (stuffed.length === 0) return;
    const body = [];
    for (let at = 0; at < stuffed.length; ) {
      const code = stuffed[at++];
      if (at + code - 1 > stuffed.length) {
        ++this.damaged;
        return;
      }
      for (let i = 1; i < code; ++i) body.push(stuffed[at++]);
      if (code !== 255 && at < stuffed.length) body.push(0);
    }
    if (body.length < 4 || body.length > 404 || crc16(body.slice(0, -2)) !== (body.at(-2) | (body.at(-1) << 8))) {
      ++this.damaged;
      return;
    }
    ++this.good;
    this.take(body[0], body[1], body.slice(2, -2));
  }
}

class Numbers {
  bytes = [];
  u8(...values) {
    this.bytes.push(...values.map((value) => value & 0xff));
    return this;
  }
  u16(...values) {
    for (const value of values) this.u8(value, value >> 8);
    return this;
  }
  u32(value) {
    return this.u16(value, value >>> 16);
  }
  u64(value) {
    return this.u32(Number(value & 0xffffffffn)).u32(Number(value >> 32n));
  }
}

const calibrationData = (out, { revision = 1, piece, strong = 0, hysteresis, baselines, pegs = [-2000, -700], spheres = [3000, -150] }) =>
  out.u16(revision, piece, strong, hysteresis).u8(baselines.length).u16(...baselines, ...pegs, ...spheres);

/// The payloads of the host's messages. A lamp is [red, green, blue, effect, turn].
export const write = {
  host_hello: ({ protocol = 1, session, understands = BOARD_MESSAGES }) => new Numbers().u8(protocol).u32(session).u32(understands).bytes,
  acknowledge: ({ number }) => new Numbers().u16(number).bytes,
  accept: ({ number, revision = 1 }) => new Numbers().u16(number, revision).bytes,
  lights: ({ number, lamps }) => {
    const table = [];
    const places = lamps.map(([red, green, blue, effect = 0, turn = 0]) => {
      const key = [red, green, blue, effect, turn].join();
      const found = table.findIndex((lamp) => lamp.join() === key);
      return found >= 0 ? found : table.push([red, green, blue, effect, turn]) - 1;
    });
    const out = new Numbers().u16(number).u8(lamps.length, table.length);
    for (const lamp of table) out.u8(...lamp);
    if (table.length > 16) out.u8(...places);
    else for (let i = 0; i < places.length; i += 2) out.u8(places[i] | ((places[i + 1] ?? 0) << 4));
    return out.bytes;
  },
  buzzer: ({ number, hertz, milliseconds }) => new Numbers().u16(number, hertz, milliseconds).bytes,
  settings: ({ number, debounce_us = 5000, limit_ma = 1500, gamma_tenths = 22, levels_hz = 0, lattice = 7, beside = 0, diagonal = 0 }) =>
    new Numbers().u16(number, debounce_us, limit_ma).u8(gamma_tenths, levels_hz, lattice).u16(beside, diagonal).bytes,
  calibration: ({ number, ...data }) => calibrationData(new Numbers().u16(number), data).bytes,
  empty_sites: ({ number, channels }) => new Numbers().u16(number).u64(channels).bytes,
  ask: ({ what }) => new Numbers().u8(TYPE[what]).bytes,
  host_alive: () => [],
};

/// What the board says.
export function read(type, payload) {
  const view = new DataView(Uint8Array.from(payload).buffer);
  let at = 0;
  const u8 = () => view.getUint8(at++);
  const u16 = () => view.getUint16((at += 2) - 2, true);
  const i16 = () => view.getInt16((at += 2) - 2, true);
  const u32 = () => view.getUint32((at += 4) - 4, true);
  const many = (count, next) => Array.from({ length: count }, next);
  switch (type) {
    case TYPE.board_hello:
      return {
        protocol: u8(), firmware: many(3, u8), revision: u16(), session: u32(), channels: u8(), lights: u8(), buttons: u8(),
        capabilities: u16(), understands: u32(),
      };
    case TYPE.report: {
      const report = { time_us: u32(), number: u16(), channels: u8(), classes: [], buttons: 0, changes: [] };
      for (let i = 0; i < report.channels; i += 2) {
        const both = u8();
        report.classes.push(both & 15, both >> 4);
      }
      report.classes.length = report.channels;
      report.buttons = u8();
      report.changes = many(u8(), () => ({ time_us: u32(), channel: u8(), what: u8() }));
      return report;
    }
    case TYPE.levels: {
      const levels = { time_us: u32(), number: u16() };
      levels.counts = many(u8(), u16);
      return levels;
    }
    case TYPE.confirm:
      return { command: NAME[u8()], number: u16(), answer: u8() };
    case TYPE.board_status:
      return {
        time_us: u32(), scans: u32(), late: u32(), damaged: u32(), unknown: u32(), scan_us: u16(), lights_ma: u16(), number: u16(), flags: u8(),
      };
    case TYPE.board_calibration: {
      const data = { revision: u16(), piece: u16(), strong: u16(), hysteresis: u16() };
      data.baselines = many(u8(), u16);
      data.pegs = [i16(), i16()];
      data.spheres = [i16(), i16()];
      return data;
    }
    default:
      throw new Error(`no board message: 0x${type.toString(16)}`);
  }
}

/// A host as the tests need it: says hello, acknowledges, keeps alive, and remembers what it hears. It repeats nothing by itself.
export class Host {
  heard = []; // {type: name, nanos, length, ...fields}
  acknowledges = true;
  alive = true;
  drop = () => false; // (message) => pretend that it never came
  #numbers = {};
  #sequence = 0;
  #session;
  saidAt = 0; // when it last said something
  #began = 0;

  constructor(board, { session = 1000 } = {}) {
    this.board = board;
    this.#session = session;
    let length = 0;
    this.reader = new FrameReader((type, sequence, payload) => {
      const message = { type: NAME[type], sequence, nanos: board.nanos, began: this.#began, ...read(type, payload) };
      if (this.drop(message)) return;
      this.heard.push(message);
      if (type === TYPE.report && this.acknowledges) this.say('acknowledge', { number: message.number });
    });
    board.receivedBegins = (nanos) => {
      if (length === 0) this.#began = nanos;
    };
    board.received = (byte) => {
      length = byte === 0 ? 0 : length + 1;
      this.reader.push(byte);
    };
  }

  /// Puts a message on the wire; `spoil` changes its bytes.
  say(type, fields = {}, spoil = (bytes) => bytes) {
    this.board.send(spoil(frame(TYPE[type], this.#sequence++, write[type](fields))));
    this.saidAt = this.board.nanos;
  }
  /// A command with the next number of its kind. Returns the number.
  command(type, fields = {}) {
    const number = (this.#numbers[type] = (this.#numbers[type] ?? 0) + 1);
    this.say(type, { number, ...fields });
    return number;
  }
  greet(fields = {}) {
    this.say('host_hello', { session: ++this.#session, ...fields });
  }
  get session() {
    return this.#session;
  }

  /// Lets time pass, with heartbeats.
  run(ms) {
    for (const end = this.board.nanos + ms * 1e6; this.board.nanos < end; ) {
      if (this.alive && this.board.nanos - this.saidAt >= 500e6) this.say('host_alive');
      if (!this.board.run(Math.min(5, (end - this.board.nanos) / 1e6))) throw new Error(`the board has stopped: ${this.board.stopped}`);
    }
  }
  all(type) {
    return this.heard.filter((message) => message.type === type);
  }
  last(type) {
    return this.heard.findLast((message) => message.type === type);
  }
  /// Runs until a message of that type comes for which `holds`; it, or an error. `from`: how much had been heard before.
  await(type, holds = () => true, ms = 100, from = this.heard.length) {
    for (const end = this.board.nanos + ms * 1e6; this.board.nanos < end; ) {
      const found = this.heard.slice(from).find((message) => message.type === type && holds(message));
      if (found) return found;
      this.run(0.25);
    }
    throw new Error(`no such ${type} within ${ms} ms; last: ${JSON.stringify(this.last(type))}`);
  }
  /// Sends a command and waits for its confirmation.
  carryOut(type, fields = {}, ms = 200) {
    const number = this.command(type, fields);
    return this.await('confirm', (confirm) => confirm.command === type && confirm.number === number, ms).answer;
  }
  /// Greets until the board has said hello and what it sees, as a host does that does not know whether it is there.
  meet(fields = {}, ms = 400) {
    const from = this.heard.length;
    const session = ++this.#session;
    for (const end = this.board.nanos + ms * 1e6; this.board.nanos < end; ) {
      this.say('host_hello', { session, ...fields });
      for (let i = 0; i < 80; ++i) {
        this.run(0.25);
        const types = this.heard.slice(from).map(({ type }) => type);
        if (types.includes('board_hello') && types.includes('report')) return;
      }
    }
    throw new Error(`no hello and report within ${ms} ms`);
  }
  /// From nothing to a board that is accepted.
  join() {
    this.meet();
    if (this.carryOut('accept') !== ANSWER.done) throw new Error('not accepted');
  }
}
