// Reads the wire of a WS2812B chain: pictures, and the shortest and longest of each part of the waveform. Times in ns.
//
// Limits of Worldsemi's V5 data sheet: a 0 is high for 220 to 380, a 1 for 580 to 1000; both are low for 580 to 1000 after that; 280 us low
// latch what has come.
export const LIMITS = { high0: [220, 380], high1: [580, 1000], low: [580, 1000], reset: 280_000 };

export class ChainDecoder {
  pictures = 0;
  picture = []; // [red, green, blue] of each light, as latched last
  lastBit = 0; // when its last bit ended
  errors = [];
  spans = {};
  onPicture = () => {};
  #level = 0;
  #at = 0;
  #word = 0;
  #bits = 0;
  #coming = [];

  #span(name, nanos) {
    const span = (this.spans[name] ??= [Infinity, -Infinity]);
    span[0] = Math.min(span[0], nanos);
    span[1] = Math.max(span[1], nanos);
  }
  #check(name, nanos) {
    this.#span(name, nanos);
    const [least, most] = LIMITS[name];
    if ((nanos >= least && nanos <= most) || this.errors.length >= 10) return;
    this.errors.push(`${name} of ${nanos.toFixed(0)} ns at ${(this.#at / 1e6).toFixed(3)} ms`);
  }

  /// The wire has that level since then.
  edge(level, nanos) {
    if (level === this.#level) return;
    const span = nanos - this.#at;
    if (level === 1) {
      if (span >= LIMITS.reset) {
        this.#latch();
        if (this.pictures > 0) this.#span('reset', span);
      } else if (this.#bits > 0 || this.#coming.length > 0) {
        this.#check('low', span);
      }
    } else {
      const one = span > 480;
      this.#check(one ? 'high1' : 'high0', span);
      this.#word = ((this.#word << 1) | (one ? 1 : 0)) & 0xffffff;
      if (++this.#bits === 24) {
        this.#bits = 0;
        this.#coming.push([(this.#word >> 8) & 255, (this.#word >> 16) & 255, this.#word & 255]);
      }
      this.lastBit = nanos;
    }
    this.#level = level;
    this.#at = nanos;
  }
  /// Time has come so far.
  tick(nanos) {
    if (this.#level === 0 && nanos - this.#at >= LIMITS.reset) this.#latch();
  }
  #latch() {
    if (this.#bits !== 0) this.errors.push(`${this.#bits} bits too many before ${(this.#at / 1e6).toFixed(3)} ms`);
    this.#bits = 0;
    if (this.#coming.length === 0) return;
    this.picture = this.#coming;
    this.#coming = [];
    ++this.pictures;
    this.onPicture(this.picture, this.#at + LIMITS.reset);
  }
}
