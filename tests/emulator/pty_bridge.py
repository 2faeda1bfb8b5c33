#!/usr/bin/env python3
"""pty_bridge.py LINK: a serial port without hardware. What is written to the port comes out of standard output, and standard input can be
read from the port, which LINK points to as long as this runs. When it ends, whoever has the port open sees it hang up, as when a plug is
pulled."""
import os
import select
import signal
import sys
import tty

link = sys.argv[1]
master, slave = os.openpty()
tty.setraw(slave)
os.set_blocking(master, False)
temporary = f"{link}.{os.getpid()}"
os.symlink(os.ttyname(slave), temporary)
os.replace(temporary, link)
os.write(2, b"ready\n")
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
try:
    while True:
        readable, _, _ = select.select([0, master], [], [])
        if 0 in readable:
            data = os.read(0, 65536)
            if not data:
                break
            try:
                os.write(master, data)
            except BlockingIOError:
                pass  # nobody reads: lost, as on a real line
        if master in readable:
            os.write(1, os.read(master, 65536))
finally:
    if os.path.islink(link) and os.readlink(link) == os.ttyname(slave):
        os.unlink(link)
