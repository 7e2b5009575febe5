import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBody, encodeMessage } from './encode.js';
import { FixMessage } from './fix-message.js';
import { FrameReader, MESSAGE_BYTES_MAX } from './frame-reader.js';
import { TAG } from './tags.js';

const HEADER = { msgType: 'D', sequence: 7, senderCompId: 'US', targetCompId: 'THEM', sendingTimeMs: 0 };

function readAll(bytes: Buffer, cuts: readonly number[] = []): { frames: Buffer[]; garbled: number } {
  const reader = new FrameReader();
  const frames: Buffer[] = [];
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let i = 1; i < places.length; i++) {
    reader.push(bytes.subarray(places[i - 1], places[i]));
    for (let frame = reader.next(); frame !== undefined; frame = reader.next()) frames.push(frame);
  }
  return { frames, garbled: reader.garbled };
}

describe('the codec', () => {
  const values = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme-ascii' });

  it('reads what it has written, however it is cut on the way', () => {
    fc.assert(
      fc.property(
        fc.array(values, { maxLength: 10 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        (texts, cuts) => {
          const message = encodeMessage(HEADER, encodeBody(texts.map((text, i) => [5_000 + i, text])));
          const { frames, garbled } = readAll(Buffer.concat([message, message]), cuts);
          expect(garbled).toBe(0);
          expect(frames).toEqual([message, message]);
          const { fields, fault, msgType, sequence } = FixMessage.read(frames[0]!);
          expect({ fault, msgType, sequence }).toEqual({ fault: undefined, msgType: 'D', sequence: 7 });
          expect(texts.map((_, i) => fields.text(5_000 + i))).toEqual(texts);
        },
      ),
    );
  });

  it('never lets a byte that is wrong through, and finds the next message', () => {
    const message = encodeMessage(HEADER, encodeBody([[TAG.Symbol, 'BTC-USD']]));
    fc.assert(
      fc.property(fc.nat(message.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const wrong = Buffer.from(message);
        wrong[at] = (wrong[at]! + change) % 256;
        // A length that is too great takes the message after it along, but not the one after that.
        const { frames } = readAll(Buffer.concat([wrong, ...Array<Buffer>(200).fill(message)]));
        expect(frames.every((frame) => frame.equals(message))).toBe(true);
        expect(frames.at(-1)).toEqual(message);
      }),
    );
  });

  it('takes any bytes, keeps few of them, and never throws', () => {
    const pieces = fc.constantFrom(
      '8=FIX.4.4\x01',
      '9=12\x01',
      '9=99999\x01',
      '35=D\x01',
      '10=000\x01',
      '\x01',
      '=',
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
      pieces.map(Buffer.from),
    );
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 40 }), (chunks) => {
        const reader = new FrameReader();
        for (const chunk of chunks) {
          reader.push(chunk);
          for (let frame = reader.next(); frame !== undefined; frame = reader.next()) FixMessage.read(frame);
        }
        expect(reader.bufferedBytes).toBeLessThan(MESSAGE_BYTES_MAX + 400);
      }),
    );
  });

  it('reads data by its length, whatever is in it', () => {
    const data = 'a\x0110=000\x01b';
    const body = `95=${data.length}\x0196=${data}\x0158=end\x01`;
    const { fields, fault } = FixMessage.read(encodeMessage(HEADER, body));
    expect(fault).toBeUndefined();
    expect([fields.text(TAG.RawData), fields.text(TAG.Text)]).toEqual([data, 'end']);
  });

  it('writes nothing that could end a field', () => {
    expect(encodeBody([[58, 'a\x0110=000\x01é\n']])).toBe('58=a?10=000???\x01');
  });
});
