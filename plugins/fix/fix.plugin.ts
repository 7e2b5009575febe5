import { TradepostPlugin } from '../../src/index.js';
import { FixListener } from './connection/fix-listener.js';
import { LogOnService } from './log-on.service.js';
import {
  COMP_ID,
  CONNECTIONS_PER_ADDRESS,
  HOST,
  MESSAGES_PER_SECOND,
  PORT,
  PROXY_PROTOCOL_FROM,
} from './settings.js';
import { CreateFixSessions1780000002470 } from './store/create-fix-sessions.migration.js';
import { FORGET_MESSAGES, MessageRetention } from './store/message-retention.js';
import { SessionStore } from './store/session-store.js';

/** FIX 4.4 for clients that trade by it: an acceptor on a port of its own. */
@TradepostPlugin({
  name: 'fix',
  compatibility: '^0.1.0',
  settings: [PORT, HOST, COMP_ID, CONNECTIONS_PER_ADDRESS, PROXY_PROTOCOL_FROM, MESSAGES_PER_SECOND],
  migrations: [CreateFixSessions1780000002470],
  personalData: [SessionStore],
  jobs: [FORGET_MESSAGES.handledBy(MessageRetention, (retention, _, run) => retention.removeAll(run))],
  providers: [MessageRetention, LogOnService, FixListener],
})
export class FixPlugin {}
