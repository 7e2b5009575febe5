import type { MarketDto } from '../../src/index.js';
import { UdfError } from './udf-error.js';
import type { MarksQueryDto } from './udf.dto.js';
import { secondsOf, unixTimeOf } from './unix-time.js';

/** Marks of bars, column by column. */
export interface Marks {
  readonly id: readonly string[];
  readonly time: readonly number[];
  readonly color: readonly string[];
  readonly text: readonly string[];
  readonly label: readonly string[];
  readonly labelFontColor: readonly string[];
  readonly minSize: readonly number[];
}

/** A mark below the chart, on its scale of times. */
export interface TimescaleMark {
  readonly id: string;
  readonly time: number;
  readonly color: string;
  readonly label: string;
  readonly tooltip: readonly string[];
}

/** What happened to a market at a time. */
interface MarketEvent {
  readonly id: string;
  readonly time: number;
  readonly color: string;
  readonly label: string;
  readonly text: string;
}

const MARK_SIZE = 14;

/** Throws a UdfError for a period that says nothing. */
export function marksOf(market: MarketDto, query: MarksQueryDto): Marks {
  const events = eventsIn(market, query);
  return {
    id: events.map(({ id }) => id),
    time: events.map(({ time }) => time),
    color: events.map(({ color }) => color),
    text: events.map(({ text }) => text),
    label: events.map(({ label }) => label),
    labelFontColor: events.map(() => 'white'),
    minSize: events.map(() => MARK_SIZE),
  };
}

/** Throws a UdfError for a period that says nothing. */
export function timescaleMarksOf(market: MarketDto, query: MarksQueryDto): TimescaleMark[] {
  return eventsIn(market, query).map(({ text, ...mark }) => ({ ...mark, tooltip: [text] }));
}

/** From a time on, up to and with another. */
function eventsIn(market: MarketDto, query: MarksQueryDto): MarketEvent[] {
  const from = secondsOf(query.from);
  const to = secondsOf(query.to);
  if (from === undefined) throw new UdfError('from must be a time in seconds');
  if (to === undefined) throw new UdfError('to must be a time in seconds');
  if (from > to) throw new UdfError('from must not be after to');
  return eventsOf(market).filter(({ time }) => time >= from && time <= to);
}

function eventsOf(market: MarketDto): MarketEvent[] {
  const { market_id: id, opens_at: opens, closes_at: closes, settled_at: settled } = market;
  const events: MarketEvent[] = [];
  const add = (name: string, at: string | null, color: string, text: string): void => {
    const label = name.charAt(0).toUpperCase();
    if (at !== null) events.push({ id: `${id}:${name}`, time: unixTimeOf(at), color, label, text });
  };
  add('opens', opens, 'green', 'Opens');
  add('closes', closes, 'red', 'Closes');
  add('settled', settled, 'blue', `Settled at ${market.settlement_value} ${market.quote_asset}`);
  return events;
}
