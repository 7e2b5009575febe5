import { RESOLUTIONS } from './resolutions.js';
import { EXCHANGE, SYMBOL_TYPES } from './symbol-info.js';

/** What the chart asks for first. */
export interface FeedConfiguration {
  readonly supported_resolutions: readonly string[];
  readonly supports_search: boolean;
  readonly supports_group_request: boolean;
  readonly supports_marks: boolean;
  readonly supports_timescale_marks: boolean;
  readonly supports_time: boolean;
  readonly exchanges: readonly { readonly value: string; readonly name: string; readonly desc: string }[];
  readonly symbols_types: readonly { readonly name: string; readonly value: string }[];
}

export function feedConfiguration(): FeedConfiguration {
  return {
    supported_resolutions: RESOLUTIONS,
    supports_search: true,
    supports_group_request: false,
    supports_marks: true,
    supports_timescale_marks: true,
    supports_time: true,
    exchanges: [{ value: EXCHANGE, name: EXCHANGE, desc: EXCHANGE }],
    symbols_types: [{ name: 'All types', value: '' }, ...SYMBOL_TYPES],
  };
}
