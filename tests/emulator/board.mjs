// Board A of HARDWARE in the emulator: a Pico with linear hall sensors behind four multiplexers, buttons, a buzzer and a chain of lights.
// The world around it (what stands on the sites, what the host has plugged in) outlives a reset and a power cut.
import { ChainDecoder } from './chain_decoder.mjs';
import { Chip, USBCDC, loadUf2 } from './rp2040.mjs';

export const CHANNELS = 64;
export const SITES = 49;
export const MIDDLE = 2048;
const ADDRESS = 2; // the first of the eight pins of the multiplexers
const BUTTON = 10;
const BUZZER = 14;
const CHAIN = 16;
const PIO1 = 7; // what a pin's function is called
/// Time constant of a sensor's output behind its multiplexer, and of the ADC's input: 5 us are seven of it.
const SETTLING = 700;

export class Board {
  /// `noise`: counts (12 bit), uniform, either way.
  constructor({ firmware, rom, usb = false, noise = 0, seed = 1, fast = true }) {
    this.options = { firmware, rom, usb, fast };
    this.flash = new Uint8Array(2 << 20).fill(0xff);
    loadUf2(firmware, this.flash);
    this.sensors = new Float64Array(CHANNELS).fill(MIDDLE);
    this.noise = noise;
    this.seed = seed;
    this.pressed = new Set();
    this.base = 0; // when the present chip was given power
    this.starts = 0;
    this.received = () => {}; // (byte, nanos): from the board
    this.receivedBegins = () => {}; // (nanos): a byte begins
    this.changedAt = () => {};
    this.powerOn();
  }

  /// Since the beginning of the world.
  get nanos() {
    return this.base + this.chip.nanos;
  }
  get micros() {
    return this.nanos / 1000;
  }
  get stopped() {
    return this.chip.stopped;
  }

  #random() {
    this.seed ^= this.seed << 13;
    this.seed ^= this.seed >>> 17;
    this.seed ^= this.seed << 5;
    return this.seed >>> 0;
  }

  /// A new start, with all that was in the flash. `watchdog`: that the watchdog has started it.
  powerOn({ watchdog = false } = {}) {
    if (this.chip) this.base += this.chip.nanos;
    const before = watchdog ? this.chip.watchdog : undefined;
    const chip = (this.chip = new Chip({
      rom: this.options.rom,
      fast: this.options.fast,
      flash: this.flash,
      random: () => this.#random(),
      watchdog: before,
    }));
    ++this.starts;
    chip.onByte = (byte) => this.received(byte, this.nanos);
    chip.onByteBegins = () => this.receivedBegins(this.nanos);

    // The multiplexers: which channel is switched to the ADC, and since when.
    this.mux = { channel: -1, before: -1, since: -Infinity };
    this.scan = { starts: [], shortestSettling: Infinity, floating: 0, order: [] };
    chip.onPins[1] = (values, directions) => this.#switchMux(values, directions);
    chip.onSample = (began) => this.#sample(began);

    this.chain = new ChainDecoder();
    chip.onPins[0] = (values) => this.chain.edge((values >> CHAIN) & 1, this.nanos);
    this.buzzerEdges = [];
    chip.rp.gpio[BUZZER].addListener((value) => {
      if (value === 1) this.buzzerEdges.push(this.nanos);
      if (this.buzzerEdges.length > 1000) this.buzzerEdges.splice(0, 500);
    });
    for (let button = 0; button < 4; ++button) chip.rp.gpio[BUTTON + button].setInputValue(!this.pressed.has(button));

    if (this.options.usb) this.#plugUsb(chip.rp.usbCtrl);
  }

  #plugUsb(usb) {
    this.cdc = new USBCDC(usb);
    this.usbConnected = false;
    this.cdc.onDeviceConnected = () => (this.usbConnected = true);
    this.cdc.onSerialData = (bytes) => {
      for (const byte of bytes) this.received(byte, this.nanos);
    };
    // rp2040js would answer a request for bytes at once with none, for ever; a real host says nothing until it has some.
    const bytes = [];
    let wanted = 0;
    const answer = () => {
      if (wanted === 0 || bytes.length === 0) return;
      usb.endpointReadDone(this.cdc.outEndpoint, Uint8Array.from(bytes.splice(0, wanted)));
      wanted = 0;
    };
    usb.onEndpointRead = (endpoint, size) => {
      if (endpoint !== this.cdc.outEndpoint) return;
      wanted = size;
      answer();
    };
    this.sendUsb = (more) => {
      bytes.push(...more);
      answer();
    };
  }

  #switchMux(values, directions) {
    const now = this.chip.nanos;
    const { gpio } = this.chip.rp;
    const mux = this.mux;
    let channel = -1; // nothing, or a short circuit of two
    let wired = ((directions >> ADDRESS) & 0xff) === 0xff;
    for (let pin = ADDRESS; pin < ADDRESS + 8; ++pin) wired &&= (gpio[pin].ctrl & 0x1f) === PIO1;
    const enabled = wired ? (~values >> (ADDRESS + 4)) & 0xf : 0;
    if (enabled !== 0 && (enabled & (enabled - 1)) === 0) channel = (31 - Math.clz32(enabled)) * 16 + ((values >> ADDRESS) & 0xf);
    if (channel === mux.channel) return;
    if (mux.channel >= 0) mux.before = mux.channel;
    mux.channel = channel;
    mux.since = now;
    if (channel === this.scanFirst) this.scan.starts.push(this.nanos);
    if (channel >= 0 && this.scan.order.length < CHANNELS) this.scan.order.push(channel);
  }
  scanFirst = 49; // the channel with which a scan begins
  sampled = () => {}; // (channel, counts, nanos)

  #voltage(channel) {
    return channel >= 0 ? this.sensors[channel] : MIDDLE;
  }
  /// What a conversion that began then reads: the output of the multiplexer on its way from the channel before.
  #sample(began) {
    const mux = this.mux;
    const since = began - mux.since;
    if (since < 0) return this.#quantize(this.#voltage(mux.before));
    if (mux.channel < 0) {
      ++this.scan.floating;
      return 0;
    }
    const to = this.#voltage(mux.channel);
    const rest = since < 20 * SETTLING ? (this.#voltage(mux.before) - to) * Math.exp(-since / SETTLING) : 0;
    this.sampled(mux.channel, to, this.base + began, since);
    return this.#quantize(to + rest);
  }
  #quantize(counts) {
    const noise = this.noise ? (this.#random() / 2 ** 31 - 1) * this.noise : 0;
    return Math.max(0, Math.min(4095, Math.round(counts + noise)));
  }

  set(channel, counts) {
    this.sensors[channel] = counts;
  }
  press(button) {
    this.pressed.add(button);
    this.chip.rp.gpio[BUTTON + button].setInputValue(false);
  }
  release(button) {
    this.pressed.delete(button);
    this.chip.rp.gpio[BUTTON + button].setInputValue(true);
  }
  /// Bytes for the board.
  send(bytes) {
    if (this.options.usb) this.sendUsb(bytes);
    else this.chip.feed(bytes);
  }

  /// Runs for so many milliseconds. A watchdog that fires starts the chip anew, as it does.
  run(ms) {
    const end = this.nanos + ms * 1e6;
    while (this.nanos < end) {
      this.chip.run(end - this.base);
      this.chain.tick(this.nanos);
      if (this.stopped === null) break;
      if (this.stopped !== 'watchdog') return false;
      this.powerOn({ watchdog: true });
    }
    return true;
  }
  /// Runs until that holds, in steps; false when it does not within so many milliseconds.
  runUntil(holds, ms, step = 0.25) {
    for (const end = this.nanos + ms * 1e6; !holds(); ) {
      if (this.nanos >= end || !this.run(step)) return false;
    }
    return true;
  }
}
