import { connectionsAreKnown } from './connections-are-known.js';
import { coreWritesAlone } from './core-writes-alone.js';

/** Rules of this house alone, beside those of oxlint. */
export default {
  meta: { name: 'tradepost' },
  rules: { 'connections-are-known': connectionsAreKnown, 'core-writes-alone': coreWritesAlone },
};
