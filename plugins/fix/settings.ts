import { optional, readers, setting } from '../../src/index.js';
import { networks } from './connection/networks.js';

export const PORT = optional(
  'FIX_PORT',
  readers.integer(0, 65_535),
  'not listening',
  'Port for FIX sessions; 0 picks a free one.',
);

export const HOST = setting('FIX_HOST', readers.host, '127.0.0.1', 'Address to listen on for FIX sessions.');

export const COMP_ID = setting(
  'FIX_TARGET_COMP_ID',
  readers.text('1 to 32 letters, digits, dots, hyphens and underscores', /^[A-Za-z0-9._-]{1,32}$/),
  'TRADEPOST',
  'The CompID of the service: the TargetCompID of its clients.',
);

export const CONNECTIONS_PER_ADDRESS = setting(
  'FIX_CONNECTIONS_PER_ADDRESS',
  readers.integer(1, 10_000),
  '20',
  'Sessions from one address at a time, and as many connections that have not logged on.',
);

export const PROXY_PROTOCOL_FROM = optional(
  'FIX_PROXY_PROTOCOL_FROM',
  networks,
  'no proxies',
  'Addresses and networks of the proxies that tell by PROXY protocol who connects; nobody else may connect then.',
);

export const MESSAGES_PER_SECOND = setting(
  'FIX_MESSAGES_PER_SECOND',
  readers.integer(1, 100_000),
  '200',
  'Messages of one session that are read in a second; more wait.',
);
