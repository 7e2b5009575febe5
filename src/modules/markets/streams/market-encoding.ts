import type { BookView } from '../../../core/core.types.js';
import type { BookLevel } from '../../../domain/engine/types.js';
import type { MarketUnits } from '../../../domain/market/units.js';
import { EncodedEvent } from '../../../kit/realtime/encoded-event.js';
import { checksumOf, CHECKSUM_LEVELS, toLevelDto } from '../market-data/orderbook.dto.js';
import type { MarketEvent } from './market-stream.events.js';

/** The snapshot of a book. */
export function encodeBook(book: BookView, units: MarketUnits): EncodedEvent {
  const event: MarketEvent<'l2.snapshot'> = {
    type: 'l2.snapshot',
    market_id: book.marketId,
    sequence: book.bookSequence,
    created_at: new Date().toISOString(),
    data: { bids: [], asks: [], checksum: checksumOfBook(book, units) },
  };
  // The levels are most of it, and most of them have a text already.
  const { bids, asks } = book;
  const json = JSON.stringify(event).replace(
    '"bids":[],"asks":[]',
    () => `"bids":${encodeLevels(bids, units)},"asks":${encodeLevels(asks, units)}`,
  );
  return new EncodedEvent(event.type, event.sequence, json);
}

/** That of the best levels, as `GET /markets/{market_id}/orderbook` has it to the same depth. */
export function checksumOfBook({ bids, asks }: BookView, units: MarketUnits): string {
  const best = (levels: readonly BookLevel[]): ReturnType<typeof toLevelDto>[] =>
    levels.slice(0, CHECKSUM_LEVELS).map((level) => toLevelDto(level, units));
  return checksumOf(best(bids), best(asks));
}

/** A level stays the same object until it changes, so what was encoded before can be used again. */
const levelTexts = new WeakMap<BookLevel, string>();

function encodeLevels(levels: readonly BookLevel[], units: MarketUnits): string {
  return `[${levels.map((level) => levelText(level, units)).join(',')}]`;
}

function levelText(level: BookLevel, units: MarketUnits): string {
  let text = levelTexts.get(level);
  if (text === undefined) {
    text = JSON.stringify(toLevelDto(level, units));
    levelTexts.set(level, text);
  }
  return text;
}
