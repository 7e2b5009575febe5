/** `[price, size, orders]`. */
export type Level = readonly [price: string, size: string, orders: number];

const CHECKSUM_LEVELS = 10;

/** One side of a book, the best level first. Prices are compared as the decimals that they are, never as floats. */
export class BookSide {
  #levels: Level[] = [];

  /** `sign` is 1 where the lowest price is the best. */
  constructor(private readonly sign: 1 | -1) {}

  get levels(): readonly Level[] {
    return this.#levels;
  }

  replace(levels: readonly Level[]): void {
    this.#levels = [...levels];
  }

  /** Size `"0"` removes. */
  set(level: Level): void {
    const [price, size] = level;
    let from = 0;
    let to = this.#levels.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.sign * compareDecimals(this.#levels[middle]![0], price) < 0) from = middle + 1;
      else to = middle;
    }
    const isKnown = this.#levels[from]?.[0] === price;
    if (size !== '0') this.#levels.splice(from, isKnown ? 1 : 0, level);
    else if (isKnown) this.#levels.splice(from, 1);
  }
}

/** Of canonical decimals without a sign. */
export function compareDecimals(a: string, b: string): number {
  const [wholeA = '', partA = ''] = a.split('.');
  const [wholeB = '', partB = ''] = b.split('.');
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length;
  if (wholeA !== wholeB) return wholeA < wholeB ? -1 : 1;
  if (partA === partB) return 0;
  return partA < partB ? -1 : 1;
}

/** What the service sends with every book. */
export function checksumOf(bids: readonly Level[], asks: readonly Level[]): string {
  const figures: string[] = [];
  for (let i = 0; i < CHECKSUM_LEVELS; i++) {
    for (const level of [bids[i], asks[i]]) if (level !== undefined) figures.push(level[0], level[1]);
  }
  return crc32(figures.join(':')).toString(16).padStart(8, '0');
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** The CRC-32 of zlib, which browsers lack, of text in ASCII. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ text.charCodeAt(i)) & 0xff]!;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
