import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBody, encodeMessage } from '../codec/encode.js';
import type { Field } from '../codec/fields.js';
import { FixMessage } from '../codec/fix-message.js';
import { MSG_TYPE, TAG } from '../codec/tags.js';
import { Session, type Step } from './session.js';

const NAMES = { client: 'THEM', own: 'US' };
const HEARTBEAT_MS = 10_000;

function message(
  msgType: string,
  sequence: number,
  nowMs: number,
  fields: readonly Field[] = [],
): FixMessage {
  const header = { msgType, sequence, senderCompId: 'THEM', targetCompId: 'US', sendingTimeMs: nowMs };
  return FixMessage.read(encodeMessage(header, encodeBody(fields)));
}

function loggedOn(): Session {
  const session = new Session(NAMES, 1);
  session.logOn(
    message(MSG_TYPE.Logon, 1, 0, [
      [98, '0'],
      [108, '10'],
    ]),
    0,
  );
  session.sent(0);
  return session;
}

const sent = (steps: readonly Step[]): string[] =>
  steps.flatMap((step) => (step.do === 'send' ? [step.msgType] : []));

describe('a session', () => {
  it('takes every message once and in order, however often and in whatever order they come', () => {
    const sequences = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 60 });
    fc.assert(
      fc.property(sequences, (order) => {
        const session = loggedOn();
        const taken: number[] = [];
        for (const sequence of order) {
          const again = message('D', sequence, 0, [
            [TAG.PossDupFlag, 'Y'],
            [TAG.OrigSendingTime, '19700101-00:00:00'],
          ]);
          for (const step of session.receive(again, 0)) if (step.do === 'deliver') taken.push(step.sequence);
        }
        expect(taken).toEqual(taken.map((_, place) => place + 2));
        expect(session.nextIncoming).toBe(taken.length + 2);
      }),
    );
  });

  it('asks once for a gap, and again where nothing has come of it', () => {
    const session = loggedOn();
    expect(sent(session.receive(message('D', 5, 0), 0))).toEqual([MSG_TYPE.ResendRequest]);
    expect(sent(session.receive(message('D', 6, 0), 0))).toEqual([]);
    expect(sent(session.receive(message('D', 7, 0), HEARTBEAT_MS))).toEqual([MSG_TYPE.ResendRequest]);
  });

  it('sends heartbeats, tests a client that is silent, and ends it', () => {
    const session = loggedOn();
    expect(session.tick(HEARTBEAT_MS - 1)).toEqual([]);
    expect(sent(session.tick(HEARTBEAT_MS))).toEqual([MSG_TYPE.Heartbeat]);
    session.sent(HEARTBEAT_MS);
    expect(sent(session.tick(12_001))).toEqual([MSG_TYPE.TestRequest]);
    expect(session.tick(24_000)).toEqual([]);
    expect(session.tick(24_002).map((step) => step.do)).toEqual(['send', 'end']);
    expect(session.tick(60_000)).toEqual([]);
    expect(session.receive(message('0', 2, 60_000), 60_000)).toEqual([]);
  });

  it('is spared the test by any message', () => {
    const session = loggedOn();
    expect(sent(session.tick(12_001))).toEqual([MSG_TYPE.TestRequest]);
    session.sent(12_001);
    session.receive(message('0', 2, 13_000), 13_000);
    expect(sent(session.tick(24_500))).toEqual([MSG_TYPE.Heartbeat]);
  });

  it('does not take a client for silent whose messages wait', () => {
    const session = loggedOn();
    expect(sent(session.tick(12_001))).toEqual([MSG_TYPE.TestRequest]);
    session.sent(12_001);
    session.heard(24_000);
    expect(sent(session.tick(24_002))).toEqual([MSG_TYPE.Heartbeat]);
  });

  it('never throws, and never takes a number back, whatever comes', () => {
    const anything = fc.record({
      type: fc.constantFrom('0', '1', '2', '3', '4', 'D', 'ZZ', 'V'),
      sequence: fc.integer({ min: 1, max: 8 }),
      fields: fc.array(
        fc.tuple(
          fc.constantFrom(7, 16, 36, 43, 112, 122, 123),
          fc.constantFrom('Y', 'N', '0', '1', '5', '-1', 'x'),
        ),
        { maxLength: 5 },
      ),
    });
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 40 }), (messages) => {
        const session = loggedOn();
        for (const { type, sequence, fields } of messages) {
          const before = session.nextIncoming;
          session.receive(message(type, sequence, 0, fields), 0);
          expect(session.nextIncoming).toBeGreaterThanOrEqual(before);
        }
      }),
    );
  });
});
