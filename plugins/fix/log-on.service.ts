import { Injectable } from '@nestjs/common';
import { Settings, SignedKeys, type Signer } from '../../src/index.js';
import type { FixMessage } from './codec/fix-message.js';
import { BEGIN_STRING } from './codec/encode.js';
import { RejectedField, REJECT_REASON } from './codec/fields.js';
import { MSG_TYPE, TAG } from './codec/tags.js';
import { logOnTermsOf, type SessionNames } from './session/session.js';
import { COMP_ID } from './settings.js';
import { type OpenedSession, SessionStore } from './store/session-store.js';

/** How old the SendingTime of a Logon may be, and how far ahead. */
const OLD_MS_MAX = 5_000;
const AHEAD_MS_MAX = 1_000;
const COMP_ID_PATTERN = /^[\x21-\x7e]{1,32}$/;
const API_KEY = /^[\x21-\x7e]{1,128}$/;
/** HMAC-SHA-256 in hex, or in Base64; Ed25519 in Base64. */
const HEX_SIGNATURE = /^[0-9a-fA-F]{64}$/;
const BASE64_SIGNATURE = /^(?:[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)$/;

/** Somebody who may log on, and the session as it stands. */
export interface LogOn {
  readonly signer: Signer;
  readonly names: SessionNames;
  readonly opened: OpenedSession;
}

/** A Logon that is refused; its text is for the client, and tells nothing that strangers could use. */
export class RefusedLogOn extends Error {
  constructor(message = 'The log-on is refused.') {
    super(message);
  }
}

/** Checks who logs on: a key with `signing` has signed the Logon, as Binance's FIX API has it signed. */
@Injectable()
export class LogOnService {
  private readonly ownCompId: string;

  constructor(
    private readonly keys: SignedKeys,
    private readonly store: SessionStore,
    settings: Settings,
  ) {
    this.ownCompId = settings.get(COMP_ID);
  }

  /** What stands in the header of a Logon; `undefined` for what is none, or is for somebody else. */
  namesOf(message: FixMessage): SessionNames | undefined {
    const { fields, msgType, fault } = message;
    const client = fields.text(TAG.SenderCompID) ?? '';
    const isForUs =
      fault === undefined &&
      msgType === MSG_TYPE.Logon &&
      fields.text(TAG.BeginString) === BEGIN_STRING &&
      fields.text(TAG.TargetCompID) === this.ownCompId &&
      COMP_ID_PATTERN.test(client);
    return isForUs ? { client, own: this.ownCompId } : undefined;
  }

  /** Throws `RefusedLogOn`, `RejectedField`, and what `SignedKeys` throws. */
  async logOn(message: FixMessage, names: SessionNames, address: string): Promise<LogOn> {
    const { fields, sequence } = message;
    logOnTermsOf(message);
    const sendingTimeMs = fields.required(TAG.SendingTime, (each, tag) => each.timeMs(tag));
    const ageMs = Date.now() - sendingTimeMs;
    if (ageMs > OLD_MS_MAX || ageMs < -AHEAD_MS_MAX) throw new RefusedLogOn();
    const apiKey = fields.requiredText(TAG.Username);
    if (!API_KEY.test(apiKey)) throw new RefusedLogOn();
    const signer = await this.keys.signerOf({
      apiKey,
      signed: Buffer.from(signedTextOf(message), 'latin1'),
      signature: signatureOf(fields.requiredText(TAG.RawData)),
      address,
    });
    const { accountOwner: owner, accountId } = signer.principal;
    if (accountId === null) throw new RefusedLogOn();
    const isReset = fields.flag(TAG.ResetSeqNumFlag);
    if (isReset && sequence !== 1) {
      throw new RejectedField(
        TAG.MsgSeqNum,
        REJECT_REASON.valueIncorrect,
        'MsgSeqNum must be 1 for a reset.',
      );
    }
    const opened = await this.store.open(
      { owner, accountId, senderCompId: names.client },
      sendingTimeMs,
      isReset,
    );
    if (opened === undefined) throw new RefusedLogOn();
    return { signer, names, opened };
  }
}

/** The values of MsgType, SenderCompID, TargetCompID, MsgSeqNum and SendingTime, as they were sent. */
function signedTextOf({ fields }: FixMessage): string {
  return [TAG.MsgType, TAG.SenderCompID, TAG.TargetCompID, TAG.MsgSeqNum, TAG.SendingTime]
    .map((tag) => fields.requiredText(tag))
    .join('\x01');
}

function signatureOf(text: string): Buffer {
  if (HEX_SIGNATURE.test(text)) return Buffer.from(text, 'hex');
  if (BASE64_SIGNATURE.test(text)) return Buffer.from(text, 'base64');
  throw new RefusedLogOn();
}
