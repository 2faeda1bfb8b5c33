// The chip: rp2040js with what it gets wrong mended, driven by one simulated clock for processor, PIO, DMA, ADC and UART. What is wired to
// its pins is board.mjs's affair.
//
// What rp2040js 1.4.1 does otherwise:
//  - PIO machines are stepped from a real timer, without regard to their clock divider and to simulated time;
//  - the UART sends in no time, and is fed without pacing;
//  - the ADC's conversions take what they read when they end, and cost three alarms each;
//  - a watchdog that has fired is armed again at once, for ever;
//  - the ring oscillator's random bit is missing;
//  - unknown accesses are printed one by one.
// Not modelled at all: the XIP cache, contention on the bus, the second core.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import { FastCore } from './fast_core.mjs';

const modules = process.env.MEREL_EMULATOR_MODULES;
if (!modules) throw new Error('MEREL_EMULATOR_MODULES is not set; start this with tests/emulator/check or tests/emulator/serve');
const { RP2040, USBCDC } = createRequire(path.resolve(modules, 'package.json'))('rp2040js');
export { USBCDC };

const FLASH = 0x10000000;
const FLASH_BUSY = 0x3ffc / 4; // the stand-in ROM's word
const CONVERSION = 2000; // ns
const NOTHING = Infinity;

export function loadUf2(file, flash) {
  const uf2 = readFileSync(file);
  for (let at = 0; at < uf2.length; at += 512) {
    if (uf2.readUInt32LE(at) !== 0x0a324655 || uf2.readUInt32LE(at + 4) !== 0x9e5d5157 || uf2.readUInt32LE(at + 508) !== 0x0ab16f30) {
      throw new Error(`${file}: no UF2 block at byte ${at}`);
    }
    const size = uf2.readUInt32LE(at + 16);
    flash.set(uf2.subarray(at + 32, at + 32 + size), uf2.readUInt32LE(at + 12) - FLASH);
  }
}

/// Counts what the emulator has to say.
class Remarks {
  counts = new Map();
  stop = () => {};
  debug() {}
  info() {}
  warn(component, message) {
    if (message.includes('is not implemented yet')) this.stop(message); // an instruction: the run is worth nothing from here on
    const remark = `${component}: ${message}`;
    this.counts.set(remark, (this.counts.get(remark) ?? 0) + 1);
  }
  error(component, message) {
    this.warn(component, message);
  }
}

export class Chip {
  /// `rom`: the stand-in for the mask ROM. `flash`: 2 MiB that outlive the chip. `random`: a function for the ring oscillator's bits.
  /// `watchdog`: the scratch words and the reason that a reset by the watchdog leaves behind. `fast`: see fast_core.mjs.
  constructor({ rom, flash, random, watchdog, fast = true }) {
    const rp = (this.rp = new RP2040());
    this.core = rp.core;
    this.clock = rp.clock;
    this.remarks = rp.logger = new Remarks();
    this.stopped = null; // why it no longer runs
    this.remarks.stop = (why) => (this.stopped ??= why);
    rp.onBreak = (code) => (this.stopped ??= `breakpoint 0x${code.toString(16)} at 0x${(rp.core.PC - 2).toString(16)}`);

    const words = new Uint32Array(4096);
    const bytes = readFileSync(rom);
    for (let at = 0; at + 4 <= bytes.length; at += 4) words[at / 4] = bytes.readUInt32LE(at);
    rp.loadBootrom(words);
    this.spin = -1; // the address of `subs r0, #1; bne .`
    for (let at = 0; at + 4 <= bytes.length; at += 2) {
      if (bytes.readUInt16LE(at) === 0x3801 && bytes.readUInt16LE(at + 2) === 0xd1fd) this.spin = at;
    }
    this.flash = flash;
    rp.flash.set(flash);
    this.flashWrites = 0; // words written so far
    this.cutAfterFlashWrites = NOTHING;
    const view = rp.flashView;
    const kept = new DataView(flash.buffer);
    rp.flashView = {
      getUint16: (at, little) => view.getUint16(at, little),
      getUint32: (at, little) => view.getUint32(at, little),
      setUint32: (at, value, little) => {
        view.setUint32(at, value, little);
        kept.setUint32(at, value, little);
        if (++this.flashWrites >= this.cutAfterFlashWrites) this.stopped ??= 'power cut';
      },
    };

    this.machines = []; // PIO machines that run and do not wait
    this.nextPio = NOTHING;
    this.onPins = [() => {}, () => {}]; // by PIO: (values, directions)
    for (const pio of rp.pio) this.#mendPio(pio);
    this.#mendAdc();
    this.#mendUart();
    this.#mendWatchdog(watchdog);
    const rosc = rp.peripherals[0x40060];
    const read = rosc.readUint32.bind(rosc);
    rosc.readUint32 = (offset) => (offset === 0x1c ? random() & 1 : read(offset));
    this.core.PC = 0; // from the ROM's vectors, as after power-on
    this.core.reset();
    this.fast = fast ? new FastCore(rp) : null;
  }

  get nanos() {
    return this.clock.nanosCounter;
  }
  /// The flash is being written and cannot be read.
  get flashBusy() {
    return this.rp.bootrom[FLASH_BUSY] === 1;
  }

  #mendPio(pio) {
    pio.run = () => {};
    const changed = () => {
      this.machines = this.machines.filter((machine) => machine.pio !== pio);
      for (const machine of pio.machines) {
        if (machine.enabled && !machine.waiting) {
          if (!machine.stepping) {
            machine.stepping = true;
            machine.at = this.clock.nanosCounter + this.#pioCycle(machine) * (1 + Math.max(0, machine.waitDelay));
          }
          this.machines.push(machine);
        } else {
          machine.stepping = false;
        }
      }
      this.#planPio();
    };
    const write = pio.writeUint32.bind(pio);
    pio.writeUint32 = (offset, value) => {
      write(offset, value);
      changed();
    };
    pio.changed = changed;
    let values = 0;
    let directions = 0;
    pio.checkChangedPins = () => {
      if (pio.pinValues === values && pio.pinDirections === directions) return;
      values = pio.pinValues;
      directions = pio.pinDirections;
      this.onPins[pio.index](values, directions);
    };
  }
  #pioCycle(machine) {
    return (((machine.clockDivInt || 65536) + machine.clockDivFrac / 256) * 1e9) / this.rp.clkSys;
  }
  #planPio() {
    let next = NOTHING;
    for (const machine of this.machines) if (machine.at < next) next = machine.at;
    this.nextPio = next;
  }

  // One alarm a conversion. What it reads is the voltage when it began.
  #mendAdc() {
    const adc = this.rp.adc;
    this.onSample = () => 0; // (began) -> counts
    this.conversions = 0;
    let began = 0;
    const begin = (when) => {
      began = when;
      adc.busy = true;
      alarm.schedule(Math.max(0, when + CONVERSION - this.clock.nanosCounter));
    };
    const alarm = this.clock.createAlarm(() => {
      ++this.conversions;
      const many = (adc.cs & 8) !== 0;
      const next = began + Math.max(CONVERSION, (adc.divider * 1000) / 48);
      const counts = ((adc.cs >> 12) & 7) === 0 ? this.onSample(began) : 0;
      adc.cs &= ~8; // or it would plan the next one itself
      adc.completeADCRead(counts, false);
      if (many) {
        adc.cs |= 8;
        begin(next);
      }
    });
    adc.startADCRead = () => begin(this.clock.nanosCounter);
  }

  #mendUart() {
    const uart = this.rp.uart[0];
    const byteNanos = () => (uart.baudDivider ? 1e10 / uart.baudRate : 0);
    this.onByte = () => {}; // a byte has left, with its stop bit
    this.bytesLost = 0;
    const waiting = [];
    const feed = this.clock.createAlarm(() => {
      const byte = waiting.shift();
      if (uart.rxFIFO.full || !uart.enabled) ++this.bytesLost;
      else uart.feedByte(byte);
      if (waiting.length > 0) feed.schedule(byteNanos() || 21701);
    });
    this.feed = (bytes) => {
      const idle = waiting.length === 0;
      for (const byte of bytes) waiting.push(byte);
      if (idle && waiting.length > 0) feed.schedule(byteNanos() || 21701);
    };
    const fifo = [];
    let shifting = false;
    const request = () => {
      if (fifo.length < 32) this.rp.dma.setDREQ(uart.dreq.tx);
      else this.rp.dma.clearDREQ(uart.dreq.tx);
    };
    this.onByteBegins = () => {};
    const begin = () => {
      this.onByteBegins();
      shift.schedule(byteNanos());
    };
    const shift = this.clock.createAlarm(() => {
      this.onByte(fifo.shift());
      if (fifo.length > 0) begin();
      else shifting = false;
      request();
    });
    uart.onByte = (byte) => {
      if (fifo.length === 32) {
        ++this.bytesLost;
        return;
      }
      fifo.push(byte);
      if (!shifting) {
        shifting = true;
        begin();
      }
      request();
    };
    Object.defineProperty(uart, 'flags', {
      get: () =>
        (uart.rxFIFO.full ? 64 : 0) | (uart.rxFIFO.empty ? 16 : 0) | (fifo.length === 0 ? 128 : 0) | (fifo.length === 32 ? 32 : 0) |
        (shifting ? 8 : 0),
    });
  }

  #mendWatchdog(before) {
    const watchdog = this.rp.peripherals[0x40058];
    this.watchdog = watchdog;
    if (before) {
      watchdog.scratchData.set(before.scratchData);
      watchdog.reason = before.reason;
    }
    watchdog.onWatchdogTrigger = () => {
      watchdog.timer.enable = false;
      watchdog.alarm.enable = false;
      this.stopped ??= 'watchdog';
    };
  }

  #advance(target) {
    const { clock } = this;
    while (this.nextPio <= target) {
      let machine = this.machines[0];
      for (const other of this.machines) if (other.at < machine.at) machine = other;
      if (machine.at > clock.nanosCounter) clock.tick(machine.at - clock.nanosCounter);
      const before = machine.cycles;
      machine.step();
      machine.pio.checkChangedPins();
      machine.at += (machine.cycles - before) * this.#pioCycle(machine);
      if (machine.waiting) machine.pio.changed();
      else this.#planPio();
    }
    const alarm = clock.nextAlarm;
    if (alarm !== null && alarm.nanos <= target) clock.tick(target - clock.nanosCounter);
    else clock.nanosCounter = target;
  }

  /// Runs until that time, or until it stops.
  run(until) {
    const { core, clock, rp } = this;
    while (clock.nanosCounter < until && this.stopped === null) {
      if (core.waiting) {
        if (core.checkForInterrupts()) {
          core.waiting = false;
          continue;
        }
        let next = Math.min(until, this.nextPio);
        if (clock.nextAlarm !== null && clock.nextAlarm.nanos < next) next = clock.nextAlarm.nanos;
        this.#advance(Math.max(next, clock.nanosCounter));
        continue;
      }
      const cycle = 1e9 / rp.clkSys;
      if (this.fast !== null && !core.interruptsUpdated) {
        let next = Math.min(until, this.nextPio);
        if (clock.nextAlarm !== null && clock.nextAlarm.nanos < next) next = clock.nextAlarm.nanos;
        const budget = Math.ceil((next - clock.nanosCounter) / cycle);
        const spent = this.fast.run(budget);
        if (spent > 0) {
          const target = clock.nanosCounter + spent * cycle;
          if (target >= next) {
            this.#advance(target);
            continue;
          }
          clock.nanosCounter = target;
        }
      }
      const pc = core.registers[15];
      if (pc === this.spin && core.registers[0] > 2) {
        // Jump over the turns up to the next event.
        let room = Math.min(until, this.nextPio) - clock.nanosCounter;
        if (clock.nextAlarm !== null) room = Math.min(room, clock.nextAlarm.nanos - clock.nanosCounter);
        const turns = Math.min(core.registers[0] - 1, Math.floor(room / (3 * cycle)));
        if (turns > 0) {
          core.registers[0] -= turns;
          core.cycles += 3 * turns;
          this.#advance(clock.nanosCounter + turns * 3 * cycle);
        }
      } else if (pc >>> 28 === 1 && this.flashBusy) {
        this.stopped ??= `an instruction was fetched from flash at 0x${pc.toString(16)} while it was written`;
        return;
      }
      const target = clock.nanosCounter + core.executeInstruction() * cycle;
      if (this.nextPio <= target || (clock.nextAlarm !== null && clock.nextAlarm.nanos <= target)) this.#advance(target);
      else clock.nanosCounter = target;
    }
  }
}
