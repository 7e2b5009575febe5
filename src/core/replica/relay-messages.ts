/**
 * The messages between replicas and the leader over Redis. Commands are JSON, as in the journal; amounts are `bigint`,
 * which JSON lacks, and are sent as `{"$bigint": "…"}`.
 */
import { createHash } from 'node:crypto';
import { ServiceFailure, type ServiceFailureCode } from '../../kit/coded-error.js';
import type { Leader } from '../leadership/leadership.js';
import type { Work, WorkAnswer } from '../requests/work.js';

/** A process that meets a version it does not know refuses the message, and never guesses. */
export const RELAY_VERSION = 2;

/** Replicas publish here; only the leader subscribes. */
export const COMMANDS_CHANNEL = 'commands';
/** Here, outside of any namespace, leaders tell everybody that they lead or stop. */
export const LEAD_CHANNEL = 'lead';
export const answersChannel = (replicaId: string): string => `answers:${replicaId}`;

/**
 * Where the messages between a leader and those who follow it travel. Its name has the random part of the holder, so it
 * differs from that of any other leader of this database or of a copy, even if the epochs are equal.
 */
export function relayNamespaceOf({ holder, epoch }: Leader): string {
  return createHash('sha256').update(`${holder}\n${epoch}`).digest('base64url').slice(0, 22);
}

export function isSame(one: Leader | null, other: Leader | null): boolean {
  return one?.holder === other?.holder && one?.epoch === other?.epoch;
}

export interface LeadAnnouncement extends Leader {
  readonly kind: 'leading' | 'resigned';
}

/** What each message of commands begins with. */
export interface CommandsHeader {
  /** The sender, and where it awaits answers. */
  readonly from: string;
  /** The sender's oldest unanswered work: lower ids must not be run any more. */
  readonly oldest: number;
}

export interface CommandsMessage extends CommandsHeader {
  /** Each work's number; a repeat has the same. */
  readonly ids: readonly number[];
  /** As many as ids; null where their version is not known here. */
  readonly works: readonly Work[] | null;
}

export interface RelayedAnswer {
  readonly id: number;
  /** The committed sequence when the answer was given. */
  readonly sequence: number;
  readonly answer?: WorkAnswer;
  readonly error?: ServiceFailure;
}

interface WireError {
  readonly code: string;
  readonly message: string;
  /** When to ask again, by the name and in the form that HTTP has for it. */
  readonly headers?: { readonly 'Retry-After'?: string };
}

/** One work, to be put into messages: it may be sent more than once. */
export function encodeWork(work: Work): string {
  return work.kind === 'quote' ? JSON.stringify(work, tagBigint) : JSON.stringify(work);
}

export function encodeCommandsMessage(
  { from, oldest }: CommandsHeader,
  works: readonly { readonly id: number; readonly encoded: string }[],
): string {
  const ids = works.map(({ id }) => id);
  const header = JSON.stringify({ version: RELAY_VERSION, from, oldest, ids });
  return `${header.slice(0, -1)},"works":[${works.map(({ encoded }) => encoded).join(',')}]}`;
}

/** Throws where this is no message of commands. */
export function decodeCommandsMessage(payload: Buffer): CommandsMessage {
  const { version, from, oldest, ids, works } = JSON.parse(payload.toString()) as Record<string, unknown>;
  if (typeof version !== 'number' || typeof from !== 'string' || !isListOf(ids, isCount))
    throw new Error('This is no message of commands.');
  if (version !== RELAY_VERSION) return { from, oldest: 0, ids, works: null };
  if (!isCount(oldest) || !isListOf(works, isObject) || works.length !== ids.length)
    throw new Error('This is no message of commands.');
  const received = (works as unknown as Work[]).map(withAmounts);
  for (const work of received) othersAsked.add(work.kind === 'preview' ? work.command : work.request);
  return { from, oldest, ids, works: received };
}

const othersAsked = new WeakSet<object>();

/**
 * Whether the request or command came in a message. If this process no longer leads, it must not forward it: the
 * replica resends it to the next leader itself, and a second copy could run after the replica's own was refused.
 */
export function isOfAnother(asked: object): boolean {
  return othersAsked.has(asked);
}

/** Commands have amounts as text, and audit entries are whatever they are: only quotes have tags. */
function withAmounts(work: Work): Work {
  return work.kind === 'quote' ? (untagged(work) as Work) : work;
}

/** One answer, to be put into messages: it may be sent more than once. */
export function encodeAnswer(id: number, sequence: number, answer: WorkAnswer): string {
  return JSON.stringify({ id, sequence, answer }, tagBigint);
}

export function encodeError(id: number, sequence: number, error: ServiceFailure): string {
  const { code, message, retryAfterS } = error;
  const headers = retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) };
  const wired: WireError = { code, message, headers };
  return JSON.stringify({ id, sequence, error: wired });
}

export function encodeAnswersMessage(answers: readonly string[]): string {
  return `{"version":${RELAY_VERSION},"answers":[${answers.join(',')}]}`;
}

/** None where its version is not known here. Throws where this is no message of answers. */
export function decodeAnswersMessage(payload: Buffer): readonly RelayedAnswer[] {
  const { version, answers } = JSON.parse(payload.toString()) as Record<string, unknown>;
  if (version !== RELAY_VERSION) return [];
  if (!isListOf(answers, isObject)) throw new Error('This is no message of answers.');
  return (answers as unknown as RawAnswer[]).map(decodeAnswer);
}

interface RawAnswer {
  readonly id: number;
  readonly sequence: number;
  readonly answer?: unknown;
  readonly error?: WireError;
}

function decodeAnswer({ id, sequence, answer, error }: RawAnswer): RelayedAnswer {
  if (error === undefined) return { id, sequence, answer: untagged(answer) as WorkAnswer };
  const { code, message, headers } = error;
  const retryAfter = headers?.['Retry-After'];
  const retryAfterS = retryAfter === undefined ? undefined : Number(retryAfter);
  return { id, sequence, error: new ServiceFailure(knownCode(code), message, { retryAfterS }) };
}

const KNOWN_CODES: Readonly<Record<ServiceFailureCode, true>> = {
  internal_error: true,
  temporarily_unavailable: true,
  capacity: true,
  outcome_unknown: true,
  rate_limited: true,
  too_many_in_flight: true,
};

/** A newer leader may have codes that this process does not know. */
function knownCode(code: string): ServiceFailureCode {
  return Object.hasOwn(KNOWN_CODES, code) ? (code as ServiceFailureCode) : 'internal_error';
}

export function encodeAnnouncement({ kind, holder, epoch }: LeadAnnouncement): string {
  return JSON.stringify({ version: RELAY_VERSION, kind, holder, epoch });
}

/** Undefined where this is none, or none of a version that is known here. */
export function decodeAnnouncement(payload: Buffer): LeadAnnouncement | undefined {
  const { version, kind, holder, epoch } = JSON.parse(payload.toString()) as Record<string, unknown>;
  if (version !== RELAY_VERSION || typeof holder !== 'string' || !isCount(epoch)) return undefined;
  return kind === 'leading' || kind === 'resigned' ? { kind, holder, epoch } : undefined;
}

function tagBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { $bigint: value.toString() } : value;
}

/** Changes it in place: nobody else uses the parsed object. */
function untagged(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (typeof value.$bigint === 'string') return BigInt(value.$bigint);
  for (const [name, member] of Object.entries(value)) {
    if (isObject(member)) value[name] = untagged(member);
  }
  return value;
}

/** An array, too. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isItem);
}
