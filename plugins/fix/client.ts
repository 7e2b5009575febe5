import type { Principal } from '../../src/index.js';
import type { Field } from './codec/fields.js';

/** Whoever is logged on, as those who answer application messages see them. */
export interface Client {
  /** As of the last look at its key. */
  readonly principal: Principal;
  /** The public id of the account that the session trades on. */
  readonly accountId: string;
  /** Sends a message that is kept, so that the client can ask for it again. */
  send(msgType: string, fields: readonly Field[]): void;
  /** Sends a message that is worth nothing later: asked for again, a gap is filled for it. */
  sendUnkept(msgType: string, fields: readonly Field[]): void;
  /** Resolves when what was sent before is written, and the client has room for more. */
  caughtUp(): Promise<void>;
  /** Resolves when the client may ask for one thing more, by the rate of its messages. */
  pace(): Promise<void>;
  /** Logs the client out. */
  end(text: string): void;
}
