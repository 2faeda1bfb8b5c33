#!/usr/bin/env python3
"""Makes of a flat flash image the .uf2 that is dropped on a Pico (format: github.com/microsoft/uf2): uf2.py --family ID IN.bin OUT.uf2"""
import argparse
import struct

PAGE = 256
FAMILY_ID_PRESENT = 0x2000
EXTENSIONS_PRESENT = 0x8000
ABSOLUTE_FAMILY = 0xE48BFF57
IGNORE_BLOCK = 0x9957E304


def block(flags, address, data, number, total, family, extension=b""):
    head = struct.pack("<8I", 0x0A324655, 0x9E5D5157, flags, address, PAGE, number, total, family)
    return head + (data.ljust(PAGE, b"\0") + extension).ljust(476, b"\0") + struct.pack("<I", 0x0AB16F30)


parser = argparse.ArgumentParser()
parser.add_argument("--family", type=lambda text: int(text, 0), required=True)
parser.add_argument("--base", type=lambda text: int(text, 0), default=0x10000000)
parser.add_argument("--absolute", action="store_true",
                    help="begin with a block that an RP2350 A2 needs and everybody else ignores (its erratum E10)")
parser.add_argument("image")
parser.add_argument("uf2")
options = parser.parse_args()

with open(options.image, "rb") as file:
    image = file.read()
pages = [image[at:at + PAGE] for at in range(0, len(image), PAGE)]
with open(options.uf2, "wb") as file:
    if options.absolute:
        file.write(block(FAMILY_ID_PRESENT | EXTENSIONS_PRESENT, 0x10FFFF00, b"\xef" * PAGE, 0, 2, ABSOLUTE_FAMILY,
                         struct.pack("<I", IGNORE_BLOCK)))
    for number, page in enumerate(pages):
        file.write(block(FAMILY_ID_PRESENT, options.base + number * PAGE, page, number, len(pages), options.family))
