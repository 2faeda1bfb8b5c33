/* The functions of the stand-in for the mask ROM. Flash is what the emulator keeps behind the XIP window, and writing it takes as long as a
   W25Q16JV takes typically: 45 ms for a sector and 0.7 ms for a page. */
#include <stdint.h>

enum { kSecondStage = 0x20041F00, kXip = 0x10000000 };

void spin(uint32_t turns);

/* 1 while the flash cannot be read: a word of ROM that only the emulator has. */
static volatile uint32_t *const busy = (volatile uint32_t *)0x3FFC;

static uint32_t checksum(const volatile uint8_t *bytes, uint32_t count) {
  uint32_t crc = 0xFFFFFFFF;
  for (; count != 0; --count) {
    crc ^= (uint32_t)*bytes++ << 24;
    for (int bit = 0; bit < 8; ++bit) crc = crc << 1 ^ ((crc >> 31) != 0 ? 0x04C11DB7 : 0);
  }
  return crc;
}

uint32_t load_second_stage(void) {
  const volatile uint32_t *from = (const volatile uint32_t *)kXip;
  volatile uint32_t *to = (volatile uint32_t *)kSecondStage;
  for (int i = 0; i < 64; ++i) to[i] = from[i];
  return checksum((const volatile uint8_t *)to, 252) == to[63] ? kSecondStage : 0;
}

uint32_t count_ones(uint32_t value) {
  uint32_t ones = 0;
  while (value != 0) {
    value &= value - 1;
    ++ones;
  }
  return ones;
}
uint32_t reverse_bits(uint32_t value) {
  uint32_t out = 0;
  for (int i = 0; i < 32; ++i, value >>= 1) out = out << 1 | (value & 1);
  return out;
}
uint32_t leading_zeros(uint32_t value) {
  if (value == 0) return 32;
  uint32_t zeros = 0;
  for (uint32_t half = 16; half != 0; half /= 2) {
    if (value >> (32 - half) != 0) continue;
    zeros += half;
    value <<= half;
  }
  return zeros;
}
uint32_t trailing_zeros(uint32_t value) { return value == 0 ? 32 : 31 - leading_zeros(value & -value); }

void *set_memory(void *to, int byte, uint32_t count) {
  volatile uint8_t *at = to;
  if ((((uint32_t)to | count) & 3) == 0) {
    const uint32_t word = (uint8_t)byte * 0x01010101u;
    for (volatile uint32_t *words = to; count != 0; count -= 4) *words++ = word;
    return to;
  }
  for (; count != 0; --count) *at++ = (uint8_t)byte;
  return to;
}
void *copy_memory(void *to, const void *from, uint32_t count) {
  if ((((uint32_t)to | (uint32_t)from | count) & 3) == 0) {
    volatile uint32_t *words = to;
    for (const volatile uint32_t *source = from; count != 0; count -= 4) *words++ = *source++;
    return to;
  }
  volatile uint8_t *at = to;
  for (const volatile uint8_t *source = from; count != 0; --count) *at++ = *source++;
  return to;
}

void flash_begin(void) { *busy = 1; }
void flash_end(void) { *busy = 0; }

/* Word by word, so that power can be cut in between. */
void flash_erase(uint32_t offset, uint32_t count, uint32_t block, uint8_t command) {
  (void)block;
  (void)command;
  volatile uint32_t *at = (volatile uint32_t *)(kXip + offset);
  for (; count != 0; count -= 4) {
    spin(1831); /* 45 ms / 1024 words, 24 ns a turn */
    *at++ = 0xFFFFFFFF;
  }
}
void flash_program(uint32_t offset, const uint8_t *bytes, uint32_t count) {
  volatile uint32_t *at = (volatile uint32_t *)(kXip + offset);
  for (; count != 0; count -= 4, bytes += 4) {
    spin(456); /* 0.7 ms / 64 words */
    *at++ &= (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
  }
}
