/** In the text of a template: a number goes here that no other message has. */
export const SERIAL = '@@@@@@@@@@@@';

/** Of the process, not of a round: a `client_order_id` is taken for good. */
let lastSerial = 0;

/** A message that is sent over and over again, the same but for its serial numbers. */
export class Template {
  private readonly bytes: Buffer;
  private readonly serialsAt: readonly number[];

  constructor(text: string | Buffer) {
    this.bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
    this.serialsAt = placesOf(this.bytes);
  }

  /** The message with new serial numbers: the same memory each time, so the one before must have been sent. */
  next(): Buffer {
    for (const at of this.serialsAt) {
      this.bytes.write(String(++lastSerial).padStart(SERIAL.length, '0'), at, 'latin1');
    }
    return this.bytes;
  }
}

function placesOf(bytes: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(SERIAL); at >= 0; at = bytes.indexOf(SERIAL, at + SERIAL.length))
    places.push(at);
  return places;
}
