// Runs Thumb instructions several times faster than rp2040js does, which asks some sixty questions of each: here a table of all
// half words says what to do. Only what runs from RAM and touches nothing but registers and RAM is done here; everything else
// (peripherals, interrupts, flash, the rare instructions) is left to rp2040js. Flags, results and cycles are its own, and
// `fast_core.test.mjs` holds both against each other. In the large switch the kinds are numbers, or it would be no table.
const RAM = 0x20000000;

const K = Object.fromEntries(
  [
    'other', 'lslImm', 'lsrImm', 'asrImm', 'addReg', 'subReg', 'addImm3', 'subImm3', 'movImm', 'cmpImm', 'addImm', 'subImm', 'and',
    'eor', 'lslReg', 'lsrReg', 'asrReg', 'adc', 'sbc', 'tst', 'neg', 'cmpReg', 'orr', 'mul', 'bic', 'mvn', 'addHigh', 'cmpHigh',
    'movHigh', 'bx', 'blx', 'ldrLit', 'strReg', 'strhReg', 'strbReg', 'ldrsbReg', 'ldrReg', 'ldrhReg', 'ldrbReg', 'ldrshReg',
    'strImm', 'ldrImm', 'strbImm', 'ldrbImm', 'strhImm', 'ldrhImm', 'strSp', 'ldrSp', 'adr', 'addSpImm', 'addSp', 'subSp', 'sxth',
    'sxtb', 'uxth', 'uxtb', 'push', 'pop', 'stm', 'ldm', 'branchIf', 'branch', 'bl',
  ].map((name, at) => [name, at]),
);

/// By half word: what it is (ARMv6-M Architecture Reference Manual, A5.2).
function kindOf(op) {
  const top5 = op >> 11;
  if (top5 <= 2) return [K.lslImm, K.lsrImm, K.asrImm][top5];
  if (top5 === 3) return [K.addReg, K.subReg, K.addImm3, K.subImm3][(op >> 9) & 3];
  if (top5 <= 7) return [K.movImm, K.cmpImm, K.addImm, K.subImm][top5 - 4];
  if (op >> 10 === 0b010000) {
    return [
      K.and, K.eor, K.lslReg, K.lsrReg, K.asrReg, K.adc, K.sbc, K.other, K.tst, K.neg, K.cmpReg, K.other, K.orr, K.mul, K.bic, K.mvn,
    ][(op >> 6) & 15];
  }
  if (op >> 10 === 0b010001) {
    const high = ((op >> 4) & 8) | (op & 7);
    const from = (op >> 3) & 15;
    switch ((op >> 8) & 3) {
      case 0: return high === 15 || high === 13 || from === 15 ? K.other : K.addHigh;
      case 1: return high === 15 || from === 15 ? K.other : K.cmpHigh;
      case 2: return high === 15 || from === 15 ? K.other : K.movHigh;
      default: return (op & 7) !== 0 || from === 15 ? K.other : op & 0x80 ? K.blx : K.bx;
    }
  }
  if (top5 === 0b01001) return K.ldrLit;
  if (op >> 12 === 0b0101) {
    return [K.strReg, K.strhReg, K.strbReg, K.ldrsbReg, K.ldrReg, K.ldrhReg, K.ldrbReg, K.ldrshReg][(op >> 9) & 7];
  }
  if (top5 >= 0b01100 && top5 <= 0b10101) {
    return [K.strImm, K.ldrImm, K.strbImm, K.ldrbImm, K.strhImm, K.ldrhImm, K.strSp, K.ldrSp, K.adr, K.addSpImm][top5 - 0b01100];
  }
  if (op >> 7 === 0b101100000) return K.addSp;
  if (op >> 7 === 0b101100001) return K.subSp;
  if (op >> 8 === 0b10110010) return [K.sxth, K.sxtb, K.uxth, K.uxtb][(op >> 6) & 3];
  if (op >> 9 === 0b1011010) return K.push;
  if (op >> 9 === 0b1011110) return K.pop;
  if (top5 === 0b11000) return K.stm;
  if (top5 === 0b11001) return K.ldm;
  if (op >> 12 === 0b1101 && ((op >> 8) & 15) < 14) return K.branchIf;
  if (top5 === 0b11100) return K.branch;
  if (top5 === 0b11110) return K.bl;
  return K.other;
}
const KINDS = Uint8Array.from({ length: 65536 }, (_, op) => kindOf(op));
const ONES = Uint8Array.from({ length: 256 }, (_, bits) => bits.toString(2).replaceAll('0', '').length);

export class FastCore {
  instructions = 0;
  constructor(rp) {
    this.core = rp.core;
    this.bytes = rp.sram;
    this.halves = new Uint16Array(rp.sram.buffer);
    this.words = new Int32Array(rp.sram.buffer);
    this.registers = new Int32Array(rp.core.registers.buffer); // signed numbers are the faster ones
    this.signedBytes = new Int8Array(rp.sram.buffer);
    this.signedHalves = new Int16Array(rp.sram.buffer);
    this.size = rp.sram.length;
  }

  /// Runs while fewer than `budget` cycles have gone by and it can. Returns the cycles; what comes next when fewer than the budget is
  /// rp2040js's to do.
  run(budget) {
    const { core, registers: r, bytes, halves, words, signedBytes, signedHalves, size } = this;
    let n = core.N;
    let z = core.Z;
    let c = core.C;
    let v = core.V;
    let pc = r[15];
    let cycles = 0;
    let count = 0;
    let a = 0;
    let b = 0;
    let x = 0;
    let at = 0;

    loop: while (cycles < budget) {
      at = pc - RAM;
      if (at < 0 || at >= size) break;
      const op = halves[at >>> 1];
      const kind = KINDS[op];
      switch (kind) {
        case 1: /* lslImm */ {
          const shift = (op >> 6) & 31;
          a = r[(op >> 3) & 7];
          x = a << shift;
          r[op & 7] = x;
          if (shift !== 0) c = ((a >>> (32 - shift)) & 1) !== 0;
          n = x < 0;
          z = x === 0;
          break;
        }
        case 2: /* lsrImm */ {
          const shift = (op >> 6) & 31;
          a = r[(op >> 3) & 7];
          x = shift !== 0 ? a >>> shift : 0;
          r[op & 7] = x;
          c = ((a >>> (shift !== 0 ? shift - 1 : 31)) & 1) !== 0;
          n = false;
          z = x === 0;
          break;
        }
        case 3: /* asrImm */ {
          const shift = (op >> 6) & 31;
          a = r[(op >> 3) & 7];
          x = a >> (shift !== 0 ? shift : 31);
          r[op & 7] = x;
          c = ((a >>> (shift !== 0 ? shift - 1 : 31)) & 1) !== 0;
          n = x < 0;
          z = x === 0;
          break;
        }
        case 4: /* addReg */
        case 6: /* addImm3 */
        case 10: /* addImm */ {
          let to = op & 7;
          if (kind === 10 /* addImm */) {
            to = (op >> 8) & 7;
            a = r[to];
            b = op & 255;
          } else {
            a = r[(op >> 3) & 7];
            b = kind === 4 /* addReg */ ? r[(op >> 6) & 7] : (op >> 6) & 7;
          }
          x = (a + b) | 0;
          r[to] = x;
          n = x < 0;
          z = x === 0;
          c = x >>> 0 < a >>> 0;
          v = ((a ^ x) & (b ^ x)) < 0;
          break;
        }
        case 5: /* subReg */
        case 7: /* subImm3 */
        case 11: /* subImm */
        case 9: /* cmpImm */
        case 21: /* cmpReg */
        case 27: /* cmpHigh */
        case 20: /* neg */ {
          let to = op & 7;
          switch (kind) {
            case 5: /* subReg */
              a = r[(op >> 3) & 7];
              b = r[(op >> 6) & 7];
              break;
            case 7: /* subImm3 */
              a = r[(op >> 3) & 7];
              b = (op >> 6) & 7;
              break;
            case 11: /* subImm */
              to = (op >> 8) & 7;
              a = r[to];
              b = op & 255;
              break;
            case 9: /* cmpImm */
              to = -1;
              a = r[(op >> 8) & 7];
              b = op & 255;
              break;
            case 21: /* cmpReg */
              to = -1;
              a = r[op & 7];
              b = r[(op >> 3) & 7];
              break;
            case 27: /* cmpHigh */
              to = -1;
              a = r[((op >> 4) & 8) | (op & 7)];
              b = r[(op >> 3) & 15];
              break;
            default:
              a = 0;
              b = r[(op >> 3) & 7];
          }
          x = (a - b) | 0;
          if (to >= 0) r[to] = x;
          n = x < 0;
          z = x === 0;
          c = a >>> 0 >= b >>> 0;
          v = ((a ^ b) & (a ^ x)) < 0;
          break;
        }
        case 8: /* movImm */
          x = op & 255;
          r[(op >> 8) & 7] = x;
          n = false;
          z = x === 0;
          break;
        case 12: /* and */
        case 19: /* tst */
          x = r[op & 7] & r[(op >> 3) & 7];
          if (kind === 12 /* and */) r[op & 7] = x;
          n = x < 0;
          z = x === 0;
          break;
        case 13: /* eor */
          x = r[op & 7] ^ r[(op >> 3) & 7];
          r[op & 7] = x;
          n = x < 0;
          z = x === 0;
          break;
        case 22: /* orr */
          x = r[op & 7] | r[(op >> 3) & 7];
          r[op & 7] = x;
          n = x < 0;
          z = x === 0;
          break;
        case 24: /* bic */
          x = r[op & 7] & ~r[(op >> 3) & 7];
          r[op & 7] = x;
          n = x < 0;
          z = x === 0;
          break;
        case 25: /* mvn */
          x = ~r[(op >> 3) & 7];
          r[op & 7] = x;
          n = x < 0;
          z = x === 0;
          break;
        case 23: /* mul */
          x = Math.imul(r[op & 7], r[(op >> 3) & 7]);
          r[op & 7] = x;
          n = x < 0;
          z = x === 0;
          break;
        case 14: /* lslReg */ {
          const shift = r[(op >> 3) & 7] & 255;
          if (shift === 0 || shift > 31) break loop; // rp2040js has its own mind about the carry then
          a = r[op & 7];
          x = a << shift;
          r[op & 7] = x;
          c = ((a >>> (32 - shift)) & 1) !== 0;
          n = x < 0;
          z = x === 0;
          break;
        }
        case 15: /* lsrReg */
        case 16: /* asrReg */ {
          const shift = r[(op >> 3) & 7] & 255;
          if (shift === 0 || shift > 31) break loop;
          a = r[op & 7];
          x = kind === 16 /* asrReg */ ? a >> shift : (a >>> shift) | 0;
          r[op & 7] = x;
          c = ((a >>> (shift - 1)) & 1) !== 0;
          n = x < 0;
          z = x === 0;
          break;
        }
        case 17: /* adc */
          a = r[(op >> 3) & 7];
          b = r[op & 7] + (c ? 1 : 0);
          if (b > 0x7fffffff || (c && b === 0)) break loop; // rp2040js adds the carry first
          x = (a + b) | 0;
          r[op & 7] = x;
          n = x < 0;
          z = x === 0;
          c = x >>> 0 < a >>> 0;
          v = ((a ^ x) & (b ^ x)) < 0;
          break;
        case 18: /* sbc */
          a = r[op & 7];
          b = r[(op >> 3) & 7] + (c ? 0 : 1);
          if (b > 0x7fffffff || (!c && b === 0)) break loop;
          x = (a - b) | 0;
          r[op & 7] = x;
          n = x < 0;
          z = x === 0;
          c = a >>> 0 >= b >>> 0;
          v = ((a ^ b) & (a ^ x)) < 0;
          break;
        case 26: /* addHigh */
          r[((op >> 4) & 8) | (op & 7)] += r[(op >> 3) & 15];
          break;
        case 28: /* movHigh */ {
          const to = ((op >> 4) & 8) | (op & 7);
          x = r[(op >> 3) & 15];
          r[to] = to === 13 ? x & ~3 : x;
          break;
        }
        case 29: /* bx */
        case 30: /* blx */
          a = r[(op >> 3) & 15];
          if (a >>> 28 === 15) break loop; // perhaps the return from an exception
          if (kind === 30 /* blx */) r[14] = (pc + 2) | 1;
          pc = a & ~1;
          cycles += 2;
          ++count;
          continue;
        case 31: /* ldrLit */
          at = ((pc + 4) & ~3) + ((op & 255) << 2) - RAM;
          if (at < 0 || at >= size) break loop;
          r[(op >> 8) & 7] = words[at >>> 2];
          ++cycles;
          break;
        case 36: /* ldrReg */
        case 41: /* ldrImm */
        case 47: /* ldrSp */ {
          let to = op & 7;
          if (kind === 36 /* ldrReg */) at = ((r[(op >> 3) & 7] + r[(op >> 6) & 7]) | 0) - RAM;
          else if (kind === 41 /* ldrImm */) at = r[(op >> 3) & 7] + (((op >> 6) & 31) << 2) - RAM;
          else {
            at = r[13] + ((op & 255) << 2) - RAM;
            to = (op >> 8) & 7;
          }
          if (at < 0 || at >= size || (at & 3) !== 0) break loop;
          r[to] = words[at >>> 2];
          ++cycles;
          break;
        }
        case 32: /* strReg */
        case 40: /* strImm */
        case 46: /* strSp */ {
          let from = op & 7;
          if (kind === 32 /* strReg */) at = ((r[(op >> 3) & 7] + r[(op >> 6) & 7]) | 0) - RAM;
          else if (kind === 40 /* strImm */) at = r[(op >> 3) & 7] + (((op >> 6) & 31) << 2) - RAM;
          else {
            at = r[13] + ((op & 255) << 2) - RAM;
            from = (op >> 8) & 7;
          }
          if (at < 0 || at >= size || (at & 3) !== 0) break loop;
          words[at >>> 2] = r[from];
          ++cycles;
          break;
        }
        case 37: /* ldrhReg */
        case 39: /* ldrshReg */
        case 45: /* ldrhImm */ {
          if (kind === 45 /* ldrhImm */) at = r[(op >> 3) & 7] + (((op >> 6) & 31) << 1) - RAM;
          else at = ((r[(op >> 3) & 7] + r[(op >> 6) & 7]) | 0) - RAM;
          if (at < 0 || at >= size || (at & 1) !== 0) break loop;
          r[op & 7] = kind === 39 /* ldrshReg */ ? signedHalves[at >>> 1] : halves[at >>> 1];
          ++cycles;
          break;
        }
        case 33: /* strhReg */
        case 44: /* strhImm */
          if (kind === 44 /* strhImm */) at = r[(op >> 3) & 7] + (((op >> 6) & 31) << 1) - RAM;
          else at = ((r[(op >> 3) & 7] + r[(op >> 6) & 7]) | 0) - RAM;
          if (at < 0 || at >= size || (at & 1) !== 0) break loop;
          halves[at >>> 1] = r[op & 7];
          ++cycles;
          break;
        case 38: /* ldrbReg */
        case 35: /* ldrsbReg */
        case 43: /* ldrbImm */ {
          if (kind === 43 /* ldrbImm */) at = r[(op >> 3) & 7] + ((op >> 6) & 31) - RAM;
          else at = ((r[(op >> 3) & 7] + r[(op >> 6) & 7]) | 0) - RAM;
          if (at < 0 || at >= size) break loop;
          r[op & 7] = kind === 35 /* ldrsbReg */ ? signedBytes[at] : bytes[at];
          ++cycles;
          break;
        }
        case 34: /* strbReg */
        case 42: /* strbImm */
          if (kind === 42 /* strbImm */) at = r[(op >> 3) & 7] + ((op >> 6) & 31) - RAM;
          else at = ((r[(op >> 3) & 7] + r[(op >> 6) & 7]) | 0) - RAM;
          if (at < 0 || at >= size) break loop;
          bytes[at] = r[op & 7];
          ++cycles;
          break;
        case 48: /* adr */
          r[(op >> 8) & 7] = (pc & ~3) + 4 + ((op & 255) << 2);
          break;
        case 49: /* addSpImm */
          r[(op >> 8) & 7] = r[13] + ((op & 255) << 2);
          break;
        case 50: /* addSp */
          r[13] += (op & 127) << 2;
          break;
        case 51: /* subSp */
          r[13] -= (op & 127) << 2;
          break;
        case 52: /* sxth */
          r[op & 7] = (r[(op >> 3) & 7] << 16) >> 16;
          break;
        case 53: /* sxtb */
          r[op & 7] = (r[(op >> 3) & 7] << 24) >> 24;
          break;
        case 54: /* uxth */
          r[op & 7] = r[(op >> 3) & 7] & 0xffff;
          break;
        case 55: /* uxtb */
          r[op & 7] = r[(op >> 3) & 7] & 255;
          break;
        case 56: /* push */ {
          const ones = ONES[op & 255];
          at = r[13] - 4 * (ones + ((op >> 8) & 1)) - RAM;
          if (at < 0 || r[13] - RAM > size) break loop;
          r[13] = at + RAM;
          let word = at >>> 2;
          for (let i = 0; i < 8; ++i) if ((op >> i) & 1) words[word++] = r[i];
          if (op & 0x100) words[word] = r[14];
          cycles += ones;
          break;
        }
        case 57: /* pop */ {
          const ones = ONES[op & 255];
          at = r[13] - RAM;
          if (at < 0 || at + 4 * (ones + 1) > size) break loop;
          let word = at >>> 2;
          if (op & 0x100) {
            a = words[word + ones];
            if (a >>> 28 === 15) break loop;
          }
          for (let i = 0; i < 8; ++i) if ((op >> i) & 1) r[i] = words[word++];
          cycles += ones;
          if (op & 0x100) {
            r[13] = at + RAM + 4 * (ones + 1);
            pc = a & ~1;
            cycles += 3;
            ++count;
            continue;
          }
          r[13] = at + RAM + 4 * ones;
          break;
        }
        case 58: /* stm */
        case 59: /* ldm */ {
          const base = (op >> 8) & 7;
          const ones = ONES[op & 255];
          at = r[base] - RAM;
          if (at < 0 || at + 4 * ones > size || (at & 3) !== 0) break loop;
          let word = at >>> 2;
          if (kind === 58 /* stm */) {
            for (let i = 0; i < 8; ++i) if ((op >> i) & 1) words[word++] = r[i];
          } else {
            for (let i = 0; i < 8; ++i) if ((op >> i) & 1) r[i] = words[word++];
          }
          if (((op >> base) & 1) === 0) r[base] = at + RAM + 4 * ones;
          cycles += ones;
          break;
        }
        case 60: /* branchIf */ {
          let taken;
          switch ((op >> 9) & 7) {
            case 0: taken = z; break;
            case 1: taken = c; break;
            case 2: taken = n; break;
            case 3: taken = v; break;
            case 4: taken = c && !z; break;
            case 5: taken = n === v; break;
            default: taken = n === v && !z;
          }
          if (taken !== ((op & 0x100) !== 0)) {
            pc += 4 + (((op & 255) << 24) >> 23);
            cycles += 2;
            ++count;
            continue;
          }
          break;
        }
        case 61: /* branch */
          pc += 4 + (((op & 0x7ff) << 21) >> 20);
          cycles += 2;
          ++count;
          continue;
        case 62: /* bl */ {
          const low = halves[(at >>> 1) + 1];
          if ((low & 0xd000) !== 0xd000) break loop;
          const s = (op >> 10) & 1;
          const i1 = 1 - (s ^ ((low >> 13) & 1));
          const i2 = 1 - (s ^ ((low >> 11) & 1));
          const offset = ((s ? 0xff : 0) << 24) | (i1 << 23) | (i2 << 22) | ((op & 0x3ff) << 12) | ((low & 0x7ff) << 1);
          r[14] = (pc + 4) | 1;
          pc = (pc + 4 + offset) | 0;
          cycles += 3;
          ++count;
          continue;
        }
        default:
          break loop;
      }
      pc += 2;
      ++cycles;
      ++count;
    }
    core.N = n;
    core.Z = z;
    core.C = c;
    core.V = v;
    r[15] = pc;
    core.cycles += cycles;
    this.instructions += count;
    return cycles;
  }
}
