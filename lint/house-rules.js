import { clocksAreKnown } from './clocks-are-known.js';
import { connectionsAreKnown } from './connections-are-known.js';
import { coreWritesAlone } from './core-writes-alone.js';
import { kitNamesNoGroup } from './kit-names-no-group.js';
import { turnsBetweenOwners } from './turns-between-owners.js';

/** Rules of this house alone, beside those of oxlint. */
export default {
  meta: { name: 'tradepost' },
  rules: {
    'clocks-are-known': clocksAreKnown,
    'connections-are-known': connectionsAreKnown,
    'core-writes-alone': coreWritesAlone,
    'kit-names-no-group': kitNamesNoGroup,
    'turns-between-owners': turnsBetweenOwners,
  },
};
