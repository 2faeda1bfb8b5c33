import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { constants, existsSync, lstatSync, mkdtempSync, openSync, closeSync, readSync, rmSync, writeSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { FrameReader, TYPE, frame, read, write } from './wire.mjs';

/// Lines out of a stream, one question and answer after the other.
function speaker(input, output) {
  const waiting = [];
  const lines = [];
  readline.createInterface({ input }).on('line', (line) => (waiting.length > 0 ? waiting.shift()(line) : lines.push(line)));
  const next = () => (lines.length > 0 ? Promise.resolve(lines.shift()) : new Promise((resolve) => waiting.push(resolve)));
  const ask = (line) => {
    output.write(`${line}\n`);
    return next();
  };
  return { next, ask };
}

test('the board on a serial port: hello, a piece, the plug pulled and put back', { timeout: 280_000 }, async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'merel-serve-'));
  const link = path.join(folder, 'board');
  const socket = path.join(folder, 'control');
  const script = path.join(path.dirname(fileURLToPath(import.meta.url)), 'serve.mjs');
  const child = spawn(process.execPath, [script, link, '--control', socket], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const { next, ask } = speaker(child.stdout, child.stdin);
    assert.equal(await next(), `ready ${link}`);

    let port = -1;
    let heard = [];
    const reader = new FrameReader((type, sequence, payload) => heard.push({ type, ...read(type, payload) }));
    const open = () => (port = openSync(link, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK));
    /// Listens until a message of that type comes for which it holds.
    const listen = async (type, holds = () => true, ms = 30_000) => {
      const buffer = Buffer.alloc(4096);
      for (const end = performance.now() + ms; performance.now() < end; ) {
        const found = heard.find((message) => message.type === type && holds(message));
        if (found) return found;
        try {
          const count = readSync(port, buffer);
          for (const byte of buffer.subarray(0, count)) reader.push(byte);
        } catch (error) {
          if (error.code !== 'EAGAIN') throw error;
          await sleep(5);
        }
      }
      throw new Error(`nothing of type ${type}`);
    };
    let sequence = 0;
    const say = (name, fields) => writeSync(port, Uint8Array.from(frame(TYPE[name], sequence++, write[name](fields))));

    /// A host that does not know whether the board is there yet.
    const greet = async (session) => {
      for (let tries = 0; ; ++tries) {
        say('host_hello', { session });
        try {
          await listen(TYPE.report, () => true, 500);
          return await listen(TYPE.board_hello);
        } catch (error) {
          if (tries > 160) throw error; // a busy machine emulates slowly
        }
      }
    };

    open();
    const first = await greet(1);
    assert.equal(await ask('piece 24 south 3 1'), 'ok');
    const { classes } = await listen(TYPE.report, (report) => report.classes[24] !== 0 && report.classes[3] !== 0);
    assert.deepEqual([classes[24], classes[3]], [2, 1]);

    assert.match(await ask('piece 64 south'), /^error /);
    assert.match(await ask('dance'), /^error /);
    assert.match(await ask('lamps'), /^ok \[/);

    assert.equal(await ask('unplug'), 'ok');
    assert.ok(!existsSync(link));
    assert.throws(() => writeSync(port, Uint8Array.of(0)), { code: 'EIO' });
    closeSync(port);
    // Others can command it too.
    const peer = net.connect(socket);
    const other = speaker(peer, peer);
    assert.equal(await other.ask('replug'), 'ok');
    assert.match(await other.ask('replug'), /^error /);
    assert.ok(lstatSync(link).isSymbolicLink());
    heard = [];
    open();
    const second = await greet(2);
    assert.notEqual(second.session, first.session);
    const report = await listen(TYPE.report);
    assert.deepEqual([report.classes[24], report.classes[3]], [2, 1], 'what stood there has stayed');

    const status = JSON.parse((await ask('status')).slice(3));
    assert.deepEqual([status.starts, status.plugged, status.stopped], [2, true, null]);
    peer.end();
    assert.equal(await ask('quit'), 'ok');
    await new Promise((resolve) => child.once('exit', resolve));
    assert.ok(!existsSync(link) && !existsSync(socket));
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
});
